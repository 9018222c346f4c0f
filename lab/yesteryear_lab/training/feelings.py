"""The heads for emotions and for states: what a talk shows of how its user feels and stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yesteryear.core.heads import LinearHead
from yesteryear.core.message import Role
from yesteryear.core.vectors import Matrix, unit_rows
from yesteryear.errors import InputError
from yesteryear.providers.local.feelings import (
    ANOTHER,
    EMOTION,
    EMOTIONS,
    FACES,
    NEUTRAL,
    STATE,
    STATES,
    THE_ONE,
    Cues,
    compare,
    count_cues,
    emotions_by_words,
    likeliest,
    pick_sentences,
    sentence_head,
    sound_like,
    state_by_words,
    talk_features,
    tell,
    weigh_cues,
)
from yesteryear.providers.local.reading import Sentence, read_talk
from yesteryear_lab.figures import macro_f1
from yesteryear_lab.training.fit import FitPolicy, Samples, deal_folds, fit_head, stack
from yesteryear_lab.training.recipe import Fitted, Materials, Table, go_on, table_of
from yesteryear_lab.training.rows import Row, Said, as_messages, as_talk, read_rows
from yesteryear_lab.training.weights import fingerprint

if TYPE_CHECKING:
    from yesteryear.ports import Reader

TOLD = "feelings.jsonl"  # single sentences that sound like an emotion or a state
TALKS = ("dialogs.jsonl", "dialogs-2.jsonl", "dialogs-3.jsonl")
_FOLDS = 10  # parts that talks are dealt into: with 180 of them, five would leave too few to train on
_TALK_FITTING = FitPolicy(inverse_l2=1.0)
"""Eight weights and one for each candidate, learnt from at least a thousand rows, need no strong hand."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTalk:
    """A labelled talk as the analyst meets it."""

    file: str
    label: str
    group: str  # talks of one person, or of one series, stay together
    sentences: tuple[Sentence, ...]  # of the user
    cues: Cues
    features: Mapping[str, Mapping[str, float]]  # of each candidate
    fingerprint: str


@dataclass(frozen=True, slots=True)
class FeelingRecipe:
    """How two heads are trained: one on single sentences, one on talks with what the first says of their sentences."""

    name: str  # EMOTION or STATE: of the heads, and of the field with the label
    by_words: Callable[[Mapping[str, float]], str]  # the rule that decides without vectors, from the weights of cues
    is_silent_in_doubt: bool = False  # whether NEUTRAL is told where two candidates are nearly as likely

    @property
    def about(self) -> str:
        """What the card says of it."""
        return _ABOUT[self.name]

    def fit(self, materials: Materials) -> Fitted:
        """Train both heads on all rows."""
        told, of_sentence = self._fit_sentences(materials)
        talks = self.read_talks(materials, of_sentence)
        counts = Counter(talk.file for talk in talks)
        return Fitted(
            heads=(of_sentence, self._fit_talks(talks)),
            seen=frozenset([fingerprint([row["text"]]) for row in told] + [talk.fingerprint for talk in talks]),
            counts=((TOLD, len(told)), *((name, counts[name]) for name in TALKS)),
        )

    def cross_validate(self, materials: Materials) -> list[Table]:
        """Judge by talks of people held out. The head of sentences has seen no talk, so it is trained once."""
        _, of_sentence = self._fit_sentences(materials)
        talks = self.read_talks(materials, of_sentence)
        materials.on_progress(f"{self.name}: cross-validating")
        answers = self._held_out(talks)
        by_words = [self.by_words(weigh_cues(talk.sentences, talk.cues)) for talk in talks]
        return [
            _by_file(talks, {"word lists, used without vectors": by_words, "as shipped": answers}),
            Table(
                "As shipped, by label",
                ("talks", "told", "precision", "recall"),
                tuple((label, _by_label(talks, answers, label)) for label in of_sentence.classes),
            ),
        ]

    def _held_out(self, talks: Sequence[LabelledTalk]) -> list[str]:
        """Return what is said of each talk by a head that was trained without its person and series."""
        answers = [""] * len(talks)
        labels, groups = [talk.label for talk in talks], [talk.group for talk in talks]
        choose = tell if self.is_silent_in_doubt else likeliest
        for known, unknown in deal_folds(labels, groups, folds=_FOLDS):
            head = self._fit_talks([talks[row] for row in known])
            for row in unknown:
                answers[row] = choose(compare(head, talks[row].features))
        return answers

    def _fit_sentences(self, materials: Materials) -> tuple[list[Row], LinearHead]:
        rows = [row for row in read_rows(materials.rows / TOLD, needs=("text",)) if self.name in row]
        materials.on_progress(f"{self.name}: reading {len(rows)} sentences")
        vectors = sentence_vectors([row["text"] for row in rows], materials.reader)
        names, features = stack([{} for _ in rows])
        samples = Samples(names, features, tuple(row[self.name] for row in rows), vectors)
        model = materials.reader.read(rows[0]["text"]).reader  # as the engine knows whose vectors these are
        return rows, fit_head(sentence_head(self.name), samples, FitPolicy(), model=model)

    def _fit_talks(self, talks: Sequence[LabelledTalk]) -> LinearHead:
        """Train on each candidate of each talk: is it the one? Which candidate it is always counts."""
        rows = [row for talk in talks for row in talk.features.values()]
        labels = [THE_ONE if name == talk.label else ANOTHER for talk in talks for name in talk.features]
        return fit_head(self.name, Samples(*stack(rows), tuple(labels)), _TALK_FITTING)

    def read_talks(self, materials: Materials, of_sentence: LinearHead) -> list[LabelledTalk]:
        """Read all labelled talks, with what the head of sentences makes of their vectors."""
        needs = ("id", "author", "messages", self.name)
        found = []
        for name in TALKS:
            materials.on_progress(f"{self.name}: reading {name}")
            rows = read_rows(materials.rows / name, needs=needs)
            found += [self._read_talk(row, name, materials, of_sentence) for row in rows]
        return found

    def _read_talk(self, row: Row, file: str, materials: Materials, of_sentence: LinearHead) -> LabelledTalk:
        roles = [Role(message["role"]) for message in row["messages"]]
        authors = [row["author"] if role is Role.USER else role.value for role in roles]
        contents = [message["content"] for message in row["messages"]]
        messages = as_messages(row["id"], map(Said, roles, authors, contents))
        reading = read_talk(as_talk(messages), yield_to_foreground=go_on)
        said = tuple(sentence for sentence in reading.sentences if sentence.is_users)
        patterns, faces = (EMOTIONS, FACES) if self.name == EMOTION else (STATES, {})
        cues = count_cues(said, patterns, faces, yield_to_foreground=go_on)
        vectors = sentence_vectors([sentence.text for sentence in pick_sentences(said)], materials.reader)
        return LabelledTalk(
            file=file,
            label=row[self.name],
            group=row.get("series") or row["author"],
            sentences=said,
            cues=cues,
            features=talk_features(said, cues, sound_like(of_sentence, vectors)),
            fingerprint=fingerprint(contents),
        )


def sentence_vectors(texts: Sequence[str], reader: Reader) -> Matrix:
    """Return the vector of each text as a reader reads it alone, shape (texts, dimension), of unit length."""
    found = []
    for text in texts:
        vectors = [part.vector for part in reader.read(text).sentences if part.vector is not None]
        if not vectors:
            raise InputError(f"the reader tells nothing of {text!r}; is its model installed?")
        found.append(np.sum(vectors, axis=0))
    return unit_rows(found)


_ABOUT = {
    EMOTION: """
Tells which of nine emotions a user's part of a talk shows, or none. A first head reads the vector of a sentence and was
trained on single sentences; a second one reads, for one emotion at a time, how often words show it and how much the
sentences sound like it, and tells whether it is the one. Without these vectors word lists decide, for the head trained
on word lists alone is no better on talks whose words nobody had looked at.

Limits: English; one label a talk, though many show several; labels, lists and sentences were written by few hands, so
expect less on real talk than on any of these files. Sarcasm and quoted feelings are taken at their word.
""",
    STATE: """
Tells how a user stands to what they are doing: blocked, stuck, progressing, celebrating, planning or neutral.
Built like the heads for emotions.

Limits: as for emotions. Long talks pass through several states and labels take the one that stands out to a reader: on
`dialogs`, which has the longest, the answer is wrong more often than right. Importance does not read it.
""",
}

_FIGURES_NOTE = (
    "Whoever wrote the word lists had read dialogs and dialogs-2; dialogs-3 was written later, by whoever wrote the"
    " sentences the vectors were trained on, so both are optimistic. LEAD and FEWEST were set with such tables in view."
)

RECIPES = (
    FeelingRecipe(EMOTION, lambda weights: next(iter(emotions_by_words(weights)), NEUTRAL), is_silent_in_doubt=True),
    FeelingRecipe(STATE, lambda weights: state_by_words(weights).value),
)


def _by_file(talks: Sequence[LabelledTalk], ways: Mapping[str, Sequence[str]]) -> Table:
    columns = {}
    for name in TALKS:
        of_file = [number for number, talk in enumerate(talks) if talk.file == name]
        labels = {talks[number].label for number in of_file}
        columns[name.removesuffix(".jsonl")] = {
            way: macro_f1([(talks[number].label, answers[number]) for number in of_file], labels)
            for way, answers in ways.items()
        }
    return table_of(f"Macro-F1, {_FOLDS} folds by person and series", columns, _FIGURES_NOTE)


def _by_label(talks: Sequence[LabelledTalk], answers: Sequence[str], label: str) -> tuple[float, ...]:
    gold, told = sum(talk.label == label for talk in talks), sum(answer == label for answer in answers)
    hits = sum(talk.label == answer == label for talk, answer in zip(talks, answers, strict=True))
    return gold, told, hits / max(told, 1), hits / gold
