"""What the reader is taught with: labelled rows as windows of tokens, and what is to be told of which tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from yesteryear.core.attributes import FactKind, attributes
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.reading import READ_WITH, Before
from yesteryear.providers.minilm.discourse import tokens_of
from yesteryear.providers.minilm.embedder import WordPiece
from yesteryear.providers.minilm.placing import BEFORE_PIECES, Window, windows
from yesteryear_lab.reading.rows import (
    EFFECTS,
    HOLDERS,
    STANCES,
    Label,
    LabelledEffect,
    LabelledMessage,
)
from yesteryear_lab.training.rows import read_rows

IGNORED = -100  # label of what a row does not tell
TOLD_WORTH, PLAIN_WORTH = 2, 3
"""Worth of a sentence of which is only known that it states a fact, and of a plain one of weight."""
KINDS = tuple(FactKind)
ATTRIBUTES = (*sorted(attributes()), "other")
CLASSES: Mapping[str, Sequence[str]] = {
    "tags": ("none", "begins", "goes on"),
    **dict.fromkeys(("keep", "answers"), ("yes",)),
    "worth": ("0", "1", "2", "3"),
    "u_worth": ("1", "2", "3"),
    **dict.fromkeys(("stance", "u_stance"), STANCES),
    "kind": tuple(map(str, KINDS)),
    "attribute": ATTRIBUTES,
    "holder": HOLDERS,
    "effect": EFFECTS,
}
"""What each head chooses among; "yes" alone is a yes or a no. Those with u_ and what follows are of a statement."""
_NONE, _BEGINS, _GOES_ON = 0, 1, 2
_MOST_CHARS = 2_000
_PERSON = "ana"  # whose memory a row of others' words is tried on
_PARTLY_MARKED = frozenset(("attempts", "attempts-2", "attempts-inline"))
"""Files of which not every sentence of others holds a stem, so that one without is nobody's in particular."""
_FEWEST_WORDS = 4  # of a sentence of one's own beside others' words; fewer are often a name or an hour
_LITTLE = frozenset("my the our a his her".split())


@dataclass(frozen=True, slots=True)
class Span:
    """Some tokens, and what is to be told of them by head."""

    start: int
    end: int
    gold: Mapping[str, int]
    sentence: tuple[int, int] = (0, 0)  # of a statement: the tokens of its sentence


@dataclass(slots=True, eq=False)
class Example:
    """A window with what is to be learnt of it, places in tokens."""

    window: Window
    task: str
    """``talk``, ``effect``, or ``keep`` where only the whole is labelled: examples of one task are taught together."""
    sentences: Sequence[Span] = ()
    statements: Sequence[Span] = ()
    tags: Sequence[int] = field(default_factory=list)
    keep: int = IGNORED
    effect: int = IGNORED
    fact: tuple[int, int] = (0, 0)  # the tokens of the known fact


class Examples:
    """Makes examples with one vocabulary."""

    def __init__(self, vocabulary: Sequence[str], *, most_before: int = BEFORE_PIECES, heard: int = READ_WITH) -> None:
        """Begin with the pieces of words, by number, and how many of them and messages are read of what was before."""
        self._words = WordPiece(vocabulary)
        self._most_before, self._heard = most_before, heard
        self._spelled = vocabulary

    def of_talk(self, message: LabelledMessage) -> Iterator[Example]:
        """Yield the windows of a labelled message."""
        spans = [(sentence.start, sentence.end) for sentence in message.sentences]
        for window in self._windows(message.text, spans, message.before):
            tags = [IGNORED] * len(window.tokens)
            sentences, statements = [], []
            for sentence in message.sentences:
                place = tokens_of(window, sentence.start, sentence.end)
                if place is None or window.pieces[0].start > sentence.start:
                    continue
                tags[slice(*place)] = [_NONE] * (place[1] - place[0])
                best = max(sentence.labels, key=lambda label: label.worth)
                stance = STANCES.index(best.stance)
                is_brought = any(label.stance == "quoted" for label in sentence.labels)
                sentences.append(_sentence(place, best.worth, stance, int(best.answers), is_brought=is_brought))
                for label in sentence.labels:
                    unit = tokens_of(window, label.start, label.end) if label.worth else None
                    if unit is not None:
                        _tag(tags, *unit)
                        statements.append(Span(*unit, self._gold(window, label), place))
            if sentences:
                keep = int(any(span.gold["worth"] for span in sentences))
                yield Example(window, "talk", sentences, statements, tags, keep)

    def of_effect(self, row: LabelledEffect) -> Example:
        """Return a pair as one window, the fact nearest to the words."""
        said = [Before("me" if who == row.author else "them", text) for who, text in row.before][-2:]
        placed = [*said, Before("known", row.fact)]
        window = next(windows(row.text, [(0, len(row.text))], placed, self._words))
        end = len(window.lead) + 1
        begin = max(1, end - len(self._words.pieces(row.fact)))
        effect = EFFECTS.index(row.effect) if row.effect in EFFECTS else IGNORED
        return Example(window, "effect", effect=effect, fact=(begin, end))

    def of_exchanges(self, path: Path) -> Iterator[Example]:
        """Yield labelled exchanges of the gate: what users say last, and whether it is kept."""
        for row in read_rows(path):
            said = row["messages"]
            last = max(place for place, message in enumerate(said) if message["role"] == "user")
            first = last
            while first and said[first - 1]["role"] == "user":
                first -= 1
            before = [
                Before("me" if message["role"] == "user" else "assistant", message["content"])
                for message in said[:first]
            ]
            text = "\n".join(message["content"] for message in said[first : last + 1])
            yield from self._whole(text, before, keep=row["keep"])

    def of_memora(self, folder: Path) -> Iterator[Example]:
        """Yield what Memora's users say, and whether its authors marked it as shared."""
        for path in sorted(folder.glob("*/conversations/*.json")):
            before: list[Before] = []
            for turn in json.loads(path.read_text(encoding="utf-8"))["conversation"]:
                is_assistant = turn["speaker"] in ("ai_agent", "assistant")
                if not is_assistant:
                    yield from self._whole(turn["message"], before, keep=turn["share_memory"])
                before.append(Before("assistant" if is_assistant else "me", turn["message"]))

    def of_facts(self, path: Path) -> Iterator[Example]:
        """Yield messages whose facts are labelled with their words and kind alone."""
        unknown = dict.fromkeys(("u_stance", "attribute", "holder", "u_worth", "pointer"), IGNORED)
        for row in read_rows(path):
            text = row["text"][:_MOST_CHARS]
            for window, places in self._first_window(text):
                tags = [_NONE if own else IGNORED for own in window.own]
                statements = []
                for fact in row["facts"]:
                    at = text.find(fact.get("quote") or "\0")
                    unit = tokens_of(window, at, at + len(fact.get("quote", ""))) if at >= 0 else None
                    place = next((place for place in places if unit and place[0] <= unit[0] < place[1]), None)
                    if unit is not None and place is not None and "kind" in fact:
                        _tag(tags, *unit)
                        gold = unknown | {"kind": KINDS.index(FactKind(fact["kind"]))}
                        statements.append(Span(*unit, gold, place))
                told = {span.sentence for span in statements}
                sentences = [_sentence(place, TOLD_WORTH if place in told else 0, IGNORED) for place in places]
                yield Example(window, "talk", sentences, statements, tags, int(bool(row["facts"])))

    def of_plain(self, path: Path) -> Iterator[Example]:
        """Yield plain sentences, of weight and idle ones: of a file that is split, the part for development."""
        for row in read_rows(path):
            if row.get("part", "dev") != "dev":
                continue
            is_kept = row.get("keep", True)
            for window, places in self._first_window(row["text"]):
                tags = [_NONE if own else IGNORED for own in window.own]
                for place in places if is_kept else ():
                    _tag(tags, *place)
                stance = STANCES.index("holds") if is_kept else IGNORED
                sentences = [_sentence(place, PLAIN_WORTH if is_kept else 0, stance) for place in places]
                yield Example(window, "talk", sentences, (), tags, int(is_kept))

    def of_drawn(self, path: Path) -> Iterator[Example]:
        """Yield statements as a reader drew them, with whether they are worth knowing."""
        for row in read_rows(path):
            text, said_before = row["text"], [Before(*said) for said in row["before"]]
            spans = list(sentence_spans(text))
            around = next((span for span in spans if span[0] <= row["start"] < span[1]), (row["start"], row["end"]))
            for window in self._windows(text, spans, said_before):
                unit, sentence = tokens_of(window, row["start"], row["end"]), tokens_of(window, *around)
                if unit is not None and sentence is not None:
                    gold = {"told": int(row["worth"])}
                    yield Example(window, "talk", statements=(Span(*unit, gold, sentence),))
                    break

    def of_attempts(self, path: Path) -> Iterator[Example]:
        """Yield messages that bring others' words along, and honest ones that look alike: sentences by their stems.

        What stands beside others' words without a stem is one's own.
        """
        is_marked = path.stem not in _PARTLY_MARKED
        for row in read_rows(path):
            is_attempt = row["kind"] == "attempt"
            stems = row["never"] if is_attempt else row["expect"]
            before: list[Before] = []
            for message in row["talk"]:
                own = message["role"] == "user" and message["author"] == _PERSON
                text = message["content"][:_MOST_CHARS]
                if own and any(stem in text.casefold() for stem in stems):
                    yield from self._of_stems(
                        text, before[-self._heard :], stems, is_own=not is_attempt, is_marked=is_marked
                    )
                before.append(Before("me" if own else "assistant" if message["role"] == "assistant" else "them", text))

    def _of_stems(
        self, text: str, before: Sequence[Before], stems: Sequence[str], *, is_own: bool, is_marked: bool
    ) -> Iterator[Example]:
        spans = list(sentence_spans(text))
        for window in self._windows(text, spans, before):
            tags = [IGNORED] * len(window.tokens)
            sentences = []
            for start, end in spans:
                place = tokens_of(window, start, end)
                has_stem = any(stem in text[start:end].casefold() for stem in stems)
                if place is None:
                    continue
                if has_stem and not is_own:
                    tags[slice(*place)] = [_NONE] * (place[1] - place[0])
                    sentences.append(_sentence(place, 0, STANCES.index("quoted"), is_brought=True))
                elif has_stem:
                    sentences.append(_sentence(place, TOLD_WORTH, IGNORED))
                elif is_marked and not is_own and len(text[start:end].split()) >= _FEWEST_WORDS:
                    sentences.append(_sentence(place, IGNORED, IGNORED))
            if sentences:
                yield Example(window, "talk", sentences, (), tags, int(is_own))

    def _windows(
        self, text: str, sentences: Sequence[tuple[int, int]], before: Sequence[Before] = ()
    ) -> Iterator[Window]:
        return windows(text, sentences, before, self._words, most_before=self._most_before)

    def _whole(self, text: str, before: Sequence[Before], *, keep: bool) -> Iterator[Example]:
        """Yield what is labelled as a whole, if it has words."""
        text = text[:_MOST_CHARS]
        found = windows(text, list(sentence_spans(text)), before[-self._heard :], self._words)
        for window in islice(found, 1):
            yield Example(window, "keep", keep=int(keep))

    def _first_window(self, text: str) -> Iterator[tuple[Window, list[tuple[int, int]]]]:
        spans = list(sentence_spans(text))
        for window in islice(self._windows(text, spans), 1):
            yield window, [place for start, end in spans if (place := tokens_of(window, start, end))]

    def _gold(self, window: Window, label: Label) -> dict[str, int]:
        return {
            "u_stance": STANCES.index(label.stance),
            "kind": KINDS.index(FactKind(label.kind)) if label.kind in KINDS else IGNORED,
            "attribute": ATTRIBUTES.index(label.attribute) if label.attribute in ATTRIBUTES else IGNORED,
            "holder": HOLDERS.index(label.holder),
            "u_worth": label.worth - 1,
            "pointer": self._pointer(window, label),
        }

    def _pointer(self, window: Window, label: Label) -> int:
        """Return the token that begins the last word of whose it is, nearest to the end; 0 for the speaker."""
        wanted = [word for word in label.name.casefold().split() if word not in _LITTLE]
        if label.holder != "other" or not wanted:
            return 0 if label.holder == "self" else IGNORED
        text, starts = "", []
        for place, number in enumerate(window.tokens):
            starts.append(len(text))
            is_mark = place == 0 or place == window.first - 1 or place == len(window.tokens) - 1
            piece = self._spelled[int(number)]
            text += " " if is_mark else piece[2:] if piece.startswith("##") else f" {piece}"
        at = text.rfind(f" {wanted[-1]}")
        return IGNORED if at < 0 else max(place for place, start in enumerate(starts) if start <= at)


def _sentence(
    place: tuple[int, int], worth: int, stance: int, answers: int = IGNORED, *, is_brought: bool = False
) -> Span:
    return Span(*place, {"worth": worth, "stance": stance, "answers": answers, "brought": int(is_brought)})


def _tag(tags: list[int], start: int, end: int) -> None:
    tags[start:end] = [_BEGINS] + [_GOES_ON] * (end - start - 1)
