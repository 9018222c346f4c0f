"""The heads that find facts in what somebody wrote: which clauses state one, which belong together, of what kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from yesteryear.core.fact import FactDraft
from yesteryear.providers.local.decisions import find_decisions
from yesteryear.providers.local.facts.drafting import draft_statements
from yesteryear.providers.local.facts.selecting import (
    FactHeads,
    SelectPolicy,
    find_fact_heads,
    message_probability,
    tell_kind,
)
from yesteryear.providers.local.feelings import STATES, count_cues, state_by_words, weigh_cues
from yesteryear.providers.local.reading import read_talk
from yesteryear_lab.figures import detection, mean, ratio
from yesteryear_lab.training.fact_heads import FactFitting, FactSamples, fit_heads, gather
from yesteryear_lab.training.fact_rows import (
    LabelledUtterance,
    dialog_fingerprint,
    dialog_talk,
    read_dialog_messages,
    read_gate_messages,
    read_sentences,
    sentence_fingerprint,
    with_vectors,
)
from yesteryear_lab.training.fact_scores import DialogRow, Found, read_dialogs, score_decisions, score_statements
from yesteryear_lab.training.fit import SEED, deal_folds
from yesteryear_lab.training.recipe import Fitted, Materials, Table, go_on, table_of

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

Trials: TypeAlias = dict[int, FactHeads]
"""Number of each message that is judged, and the heads that judge it."""


@dataclass(frozen=True, slots=True, eq=False)
class FactData:
    """All labelled rows, with what the heads read of them."""

    dialogs: Mapping[str, Sequence[DialogRow]]
    """By file."""
    rows: Sequence[LabelledUtterance]
    samples: FactSamples


@dataclass(frozen=True, slots=True)
class Stating:
    """A labelled message, and what is said of it."""

    row: str
    """Id of its row."""
    text: str
    states_a_fact: bool
    """What the label says."""
    probability: float
    """How likely it states a fact, in [0, 1]."""
    kinds: tuple[tuple[str, str], ...]
    """Of each labelled quote: the kind by the label, and as told of these very words."""

    @property
    def is_told(self) -> bool:
        """Whether it more likely states a fact than not."""
        return self.probability >= _STATES_FROM


@dataclass(frozen=True, slots=True)
class FactRecipe:
    """How the heads for facts are trained: on sentences, dialogs and exchanges; judged on the first two."""

    name: str = "facts"
    sentences: tuple[str, ...] = ("sentences.jsonl", "sentences-2.jsonl", "sentences-3.jsonl")
    dialogs: tuple[str, ...] = ("dialogs.jsonl", "dialogs-2.jsonl")
    exchanges: tuple[str, ...] = ("gate-1.jsonl", "gate-2.jsonl")
    fitting: FactFitting = field(default_factory=FactFitting)
    policy: SelectPolicy = field(default_factory=SelectPolicy)

    @property
    def about(self) -> str:
        """What the card says of it."""
        return _ABOUT

    def fit(self, materials: Materials) -> Fitted:
        """Train all heads on all rows, with vectors and without."""
        data = self.read(materials)
        everything = range(len(data.rows))
        sensing = fit_heads(data.samples, everything, self.fitting, model=materials.embedder.profile.model)
        named = fit_heads(without_vectors(data).samples, everything, self.fitting, model=None)
        counts = Counter(row.file for row in data.rows)
        seen = [sentence_fingerprint(row.message.content) for row in data.rows if row.file in self.sentences]
        seen += [dialog_fingerprint(dialog) for dialogs in data.dialogs.values() for dialog in dialogs]
        seen += [row.row for row in data.rows if row.file in self.exchanges]
        return Fitted(
            heads=tuple(
                head for heads in (named, sensing) for head in (heads.unit, heads.message, heads.join, heads.kind)
            ),
            seen=frozenset(seen),
            counts=tuple((name, counts[name]) for name in (*self.sentences, *self.dialogs, *self.exchanges)),
        )

    def read(self, materials: Materials) -> FactData:
        """Read all labelled rows.

        Raises:
            InputError: a file is missing, or a row is not as it should be.
        """
        dialogs = {name: read_dialogs(materials.rows, name) for name in self.dialogs}
        rows = [row for name in self.sentences for row in read_sentences(materials.rows, name)]
        for name in self.dialogs:
            rows += read_dialog_messages(dialogs[name], name)
        for name in self.exchanges:
            rows += read_gate_messages(materials.rows, name)
        materials.on_progress(f"{self.name}: reading {len(rows)} messages")
        rows = with_vectors(rows, materials.embedder)
        return FactData(dialogs, rows, gather(rows))

    def cross_validate(self, materials: Materials) -> list[Table]:
        """Judge by people held out: with vectors, and by words alone; and by the later dialogs as if never seen."""
        data = self.read(materials)
        tables: list[Table] = []
        for model in (materials.embedder.profile.model, None):
            variant = "with vectors" if model else "by words alone"
            materials.on_progress(f"{self.name}: cross-validating, {variant}")
            part = data if model else without_vectors(data)
            trials = self.held_out(part, model)
            unseen = self._unseen(part, model)
            tables += [
                self._sentence_table(part.rows, trials, variant),
                self._dialog_table(part, {**_by_file(part, trials), "dialogs-2 unseen": unseen}, variant),
            ]
            if model:
                tables += [
                    self._calibration_table(part, trials),
                    self._around_table(part, trials),
                ]
        return tables

    def held_out(self, data: FactData, model: str | None, *, seed: int = SEED) -> Trials:
        """Return for each judged message the heads that have seen neither its person nor its series.

        Sentences and dialogs are dealt apart, so that rows of one kind may be added without dealing the other anew.
        """
        trials: Trials = {}
        for parts in zip(self._folds(data, self.sentences, seed), self._folds(data, self.dialogs, seed), strict=True):
            unknown = {number for part in parts for number in part}
            known = [number for number in range(len(data.rows)) if number not in unknown]
            heads = fit_heads(data.samples, known, self.fitting, model=model)
            trials.update(dict.fromkeys(sorted(unknown), heads))
        return trials

    def _folds(self, data: FactData, files: Sequence[str], seed: int) -> list[list[int]]:
        """Return the messages of some files in parts, each to be held out once."""
        judged = [number for number, row in enumerate(data.rows) if row.file in files]
        labels = [f"{data.rows[number].file} {data.rows[number].states_a_fact}" for number in judged]
        dealt = deal_folds(labels, [data.rows[number].group for number in judged], seed=seed)
        return [[judged[place] for place in test.tolist()] for _, test in dealt]

    def _unseen(self, data: FactData, model: str | None) -> Trials:
        """Return heads that know nothing of the last file of dialogs, for its messages."""
        last = self.dialogs[-1]
        known = [number for number, row in enumerate(data.rows) if row.file != last]
        heads = fit_heads(data.samples, known, self.fitting, model=model)
        return {number: heads for number, row in enumerate(data.rows) if row.file == last}

    def _sentence_table(self, rows: Sequence[LabelledUtterance], trials: Trials, variant: str) -> Table:
        columns = {
            name.removesuffix(".jsonl"): [
                judge_message(rows[at], heads) for at, heads in trials.items() if rows[at].file == name
            ]
            for name in (*self.sentences, *self.dialogs)
        }
        figures = {name: stating_figures(judged) for name, judged in columns.items()}
        return table_of(f"States a fact or not, {variant}, 5 folds by person", figures, _STATES_NOTE)

    def _dialog_table(self, data: FactData, columns: Mapping[str, Trials], variant: str) -> Table:
        scores = {}
        for name, trials in columns.items():
            dialogs = data.dialogs[data.rows[next(iter(trials))].file]
            scores[name] = score_statements(dialogs, found_in(dialogs, data.rows, trials, self.policy)).to_dict()
        title = f"Statements about dialogs, {variant}, 5 folds by person and series"
        return table_of(title, scores, _DIALOG_NOTE, names=_DIALOG_FIGURES)

    def _calibration_table(self, data: FactData, trials: Trials) -> Table:
        dialogs = data.dialogs[self.dialogs[0]]
        bins = score_statements(
            dialogs, found_in(dialogs, data.rows, trials, replace(self.policy, seed=_EAGER))
        ).calibration
        return Table(
            f"Confidence, dialogs, with statements from {_EAGER} on",
            ("statements", "mean confidence", "right by evidence"),
            tuple(
                (f"{one.lower:.1f} to {one.upper:.1f}", (one.statements, one.confidence or 0.0, one.right or 0.0))
                for one in bins
            ),
        )

    def _around_table(self, data: FactData, trials: Trials) -> Table:
        columns = {}
        for name in self.dialogs:
            dialogs = data.dialogs[name]
            decisions = score_decisions(dialogs, decisions_in(dialogs, data.rows, trials, self.policy)).to_dict()
            columns[name.removesuffix(".jsonl")] = {**decisions, "user state by words": _state_accuracy(dialogs)}
        return table_of("Decisions and states, 5 folds by person and series", columns, _AROUND_NOTE)


def without_vectors(data: FactData) -> FactData:
    """Return the same rows as they are read where no embedder is at hand."""
    rows = [replace(row, utterance=replace(row.utterance, vectors=None)) for row in data.rows]
    return FactData(data.dialogs, rows, gather(rows))


def judge_sentences(folder: Path, name: str, embedder: Embedder) -> list[Stating]:
    """Return what the shipped heads say of each row of a file of labelled sentences.

    Raises:
        InputError: the file is missing, or a row is no labelled sentence.
    """
    heads = find_fact_heads(embedder.profile.model)
    rows = read_sentences(folder, name)
    if heads is None:
        return [judge_message(row, by_words) for row in rows if (by_words := find_fact_heads(None))]
    return [judge_message(row, heads) for row in with_vectors(rows, embedder)]


def judge_message(row: LabelledUtterance, heads: FactHeads) -> Stating:
    """Return what heads say of a labelled message."""
    kinds = [
        (span.kind, tell_kind(row.utterance, span.places, heads.kind)[0].value) for span in row.stated if span.kind
    ]
    probability = message_probability(row.utterance, heads) if row.utterance.units else 0.0
    return Stating(row.row, row.message.content, row.states_a_fact, probability, tuple(kinds))


def stating_figures(trials: Sequence[Stating]) -> dict[str, float]:
    """Return how well it is told whether messages state a fact, and of which kind what they state is."""
    kinds = [gold_kind == kind for trial in trials for gold_kind, kind in trial.kinds]
    return detection((trial.states_a_fact, trial.is_told) for trial in trials) | {"kind_accuracy": mean(kinds)}


def found_in(
    dialogs: Sequence[DialogRow], rows: Sequence[LabelledUtterance], trials: Trials, policy: SelectPolicy
) -> list[list[Found]]:
    """Return the statements made about each dialog."""
    drafts = _drafts(rows, trials, policy)
    return [
        [
            Found(draft.statement, frozenset({place}), draft.kind.value, draft.confidence)
            for place, draft in drafts.get(dialog.id, ())
        ]
        for dialog in dialogs
    ]


def decisions_in(
    dialogs: Sequence[DialogRow], rows: Sequence[LabelledUtterance], trials: Trials, policy: SelectPolicy
) -> list[list[Found]]:
    """Return the decisions told of each dialog."""
    drafts = _drafts(rows, trials, policy)
    told = []
    for dialog in dialogs:
        own = [s for s in read_talk(dialog_talk(dialog), yield_to_foreground=go_on).sentences if s.is_users]
        decisions = find_decisions(own, [draft for _, draft in drafts.get(dialog.id, ())])
        told.append([Found(text, _places(dialog, text)) for text in decisions])
    return told


def _drafts(
    rows: Sequence[LabelledUtterance], trials: Trials, policy: SelectPolicy
) -> dict[str, list[tuple[int, FactDraft]]]:
    """Return the drafts of each dialog, with the places of their messages."""
    found: dict[str, list[tuple[int, FactDraft]]] = {}
    for number, heads in sorted(trials.items()):
        row = rows[number]
        drafts = draft_statements(row.message, row.utterance, heads, policy)
        found.setdefault(row.row, []).extend((row.message.seq - 1, draft) for draft in drafts)
    return found


def _places(dialog: DialogRow, text: str) -> frozenset[int]:
    """Return the messages that hold the beginning of a text, or its end."""
    begin, end = text[:_KNOWN_CHARS], text[-_KNOWN_CHARS:]
    return frozenset(
        place for place, said in enumerate(dialog.messages) if begin in said.content or end in said.content
    )


def _state_accuracy(dialogs: Sequence[DialogRow]) -> float:
    """Return the share of states that the word lists tell."""
    right = 0
    for dialog in dialogs:
        own = [s for s in read_talk(dialog_talk(dialog), yield_to_foreground=go_on).sentences if s.is_users]
        cues = count_cues(own, STATES, yield_to_foreground=go_on)
        right += state_by_words(weigh_cues(own, cues)).value == dialog.user_state
    return ratio(right, len(dialogs))


def _by_file(data: FactData, trials: Trials) -> dict[str, Trials]:
    return {
        name.removesuffix(".jsonl"): {
            number: heads for number, heads in trials.items() if data.rows[number].file == name
        }
        for name in data.dialogs
    }


_STATES_FROM = 0.5
"""Probability, in [0, 1], from which a message is said to state a fact."""
_EAGER = 0.4
"""Seed, in [0, 1], from which statements are looked at to see what confidence is worth."""
_KNOWN_CHARS = 16
"""Characters by which a message is found again."""
_DIALOG_FIGURES = (
    "statements",
    "recall",
    "precision",
    "precision_by_evidence",
    "f1",
    "one_to_one_f1",
    "forbidden",
    "words",
    "kind_accuracy",
)
_STATES_NOTE = (
    "Whoever wrote the cues had read all these files; sentences-2 and sentences-3 were written where the heads failed,"
    " and the former has no kinds. kind_accuracy is that of the quotes by label."
)
_DIALOG_NOTE = (
    "A fact is told when a statement holds all its stems, which pays for long statements: see words and one_to_one_f1."
    " forbidden is the share of what must not be said that is. The last column: heads that were trained without that"
    " file. The probabilities from which a unit seeds or joins a statement were set with the first column in view."
)
_AROUND_NOTE = (
    "A decision is told when what is told holds all its stems; by evidence, also when its message tells a decision."
)
_ABOUT = """
Four heads that together find what somebody states about themselves: whether a clause does, whether the message does,
whether two neighbouring clauses are one statement, and of which of eleven kinds it is. They read named cues and, where
an embedder is there that they were trained with, the vectors of the clause and of the message.

Trained on messages whose facts are quoted, on dialogs whose quotes had to be guessed from the stems of their facts, and
on exchanges of which only is known whether anything is worth keeping. Limits: English; the kinds overlap, and other
labellers draw them differently (on such rows the kind is right in four of ten); facts hidden in a side remark, in a
story or in a bare answer are missed more often than others; irony with a straight face is taken at its word.
"""

RECIPE = FactRecipe()
