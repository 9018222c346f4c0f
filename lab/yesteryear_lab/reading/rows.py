"""Labelled talk and labelled effects, read from their files; their forms are told in ``lab/labelled``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from yesteryear.core.reading import Before
from yesteryear.core.ruling import PairVerdict
from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.training.pairs import read_pair_rows

T = TypeVar("T")

STANCES = ("holds", "ended", "planned", "wished", "imagined", "joking", "denied", "asked", "quoted")
HOLDERS = ("self", "other", "you", "we", "thing")
HELD_OUT_KIND = "group"  # the kind of talk that is never taught: nobody but its writer has read it
_AS_EFFECTS: Mapping[PairVerdict, str] = {
    PairVerdict.DUPLICATE: "repeats",
    PairVerdict.REFINES: "refines",
    PairVerdict.UPDATES: "updates",
    PairVerdict.CONTRADICTS: "denies",
    PairVerdict.COEXISTS: "adds",
    PairVerdict.UNRELATED: "none",
}
EFFECTS = (
    *("none", "repeats", "refines", "adds", "updates", "ends"),
    *("completes", "moves", "drops", "denies", "doubts"),
)
_BEFORE = 3  # messages before one that are read with it
_PERSON = re.compile(r"#\s*person:\s*(?P<person>\S+)\s+kind:\s*(?P<kind>\S+)")
_LABEL = re.compile(r"\{([^{}]*)\}")
_FACT = re.compile(r"(?P<statement>.*\S)\s*\{(?P<attribute>\S+)\s+(?P<holder>[^}]*?)\s+(?P<at>\d{4}-\d\d-\d\d)\s*\}")
_SAID = re.compile(r"(?P<author>.+?)\s+(?P<at>\d{4}-\d\d-\d\d):\s*(?P<text>.*)")


@dataclass(frozen=True, slots=True)
class Label:
    """What one statement, or one sentence that states nothing, was labelled with."""

    worth: int
    stance: str
    kind: str = ""
    attribute: str = ""
    holder: str = "self"  # one of ``HOLDERS``
    name: str = ""  # whose it is, for ``other``, ``we`` and ``thing``: a name or a tie as it was said
    is_alone: bool = True
    answers: bool = False
    start: int = 0  # where its words begin in the message
    end: int = 0


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence in its message, with a label for each statement; one where it states nothing."""

    start: int
    end: int
    labels: tuple[Label, ...]

    @property
    def worth(self) -> int:
        """Of the worthiest statement."""
        return max(label.worth for label in self.labels)


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """A message in its sitting."""

    author: str
    role: str  # ``self``, ``assistant`` or ``other``
    text: str
    sentences: tuple[LabelledSentence, ...]  # None of an assistant's
    before: tuple[Before, ...] = ()  # the messages before it in its sitting that are read with it, the latest last
    person: str = ""
    kind: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class LabelledEffect:
    """What a sentence does to a known fact."""

    fact: str
    attribute: str
    holder: str
    before: tuple[tuple[str, str], ...]
    author: str
    text: str
    effect: str
    where: str
    person: str = ""  # whose talk it is of; empty where it was written for itself
    days: int = 0  # from when the fact was told to when the sentence was said


def read_all(pattern: str, read: Callable[[Path], Iterable[T]]) -> list[T]:
    """Return what stands in the labelled files of a pattern, in the order of their names."""
    return [each for path in sorted(LABELLED.glob(pattern)) for each in read(path)]


def read_talk(path: Path) -> Iterator[LabelledMessage]:
    """Yield the messages of people in a file of talk, in order."""
    person = kind = ""
    roles: dict[str, str] = {}
    said: list[tuple[str, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}:{number}"
        if line.startswith("##"):
            roles = {}
            for part in line.split("|")[1:]:
                name, _, role = part.strip().rpartition("=")
                roles[name.strip()] = role.strip()
            said = []
        elif line.startswith("#"):
            if found := _PERSON.match(line):
                person, kind = found["person"], found["kind"]
        elif line.strip():
            author = next((name for name in sorted(roles, key=len, reverse=True) if line.startswith(f"{name}:")), "")
            if not author:
                raise InputError(f"{where}: begins with the name of none who takes part ({', '.join(roles)})")
            body, role = line[len(author) + 1 :].strip(), roles[author]
            text, sentences = (body, ()) if role == "assistant" else _read_sentences(body, where)
            if sentences:
                others = {name: "assistant" if role == "assistant" else "them" for name, role in roles.items()}
                before = [Before("me" if who == author else others[who], words) for who, words in said[-_BEFORE:]]
                yield LabelledMessage(author, role, text, tuple(sentences), tuple(before), person, kind, where)
            said.append((author, text))


def read_effects(path: Path) -> Iterator[LabelledEffect]:
    """Yield the pairs of a file."""
    lines: list[str] = []
    first = 1
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        if line.strip() and not line.startswith("#"):
            first = first if lines else number
            lines.append(line)
        elif lines:
            yield _read_effect(lines, f"{path.name}:{first}")
            lines = []


def read_contrasts(path: Path) -> Iterator[list[LabelledEffect]]:
    """Yield what each block of a file makes: every later message with the fact as it was said, and as it is stated."""
    for number, block in enumerate(path.read_text(encoding="utf-8").strip().split("\n\n"), 1):
        lines = [line.partition(":")[::2] for line in block.splitlines()]
        where, later = f"{path.name}: block {number}", lines[4:]
        if [mark for mark, _ in lines[:4]] != ["N", "A", "F", "C"] or any(mark not in EFFECTS for mark, _ in later):
            raise InputError(
                f"{where}: a block is N: name, A: attribute, F: message, C: statement, then effect: message"
            )
        name, attribute, said, stated = (text.strip() for _, text in lines[:4])
        yield [
            LabelledEffect(fact, attribute, "", (), name, text.strip(), effect, where, name)
            for effect, text in later
            for fact in (stated, f"{name}: {said}")
        ]


def read_statements(path: Path) -> Iterator[LabelledEffect]:
    """Yield labelled pairs of statements, which nobody said, as what the later does to the earlier."""
    for row in read_pair_rows(path):
        yield LabelledEffect(row.texts[0], "", "", (), "", row.texts[1], _AS_EFFECTS[row.gold], row.id)


def _read_effect(lines: list[str], where: str) -> LabelledEffect:
    fields: dict[str, str] = {}
    before = []
    for line in lines:
        mark, _, rest = (line[0], "", line[1:]) if line.startswith("=") else line.partition(":")
        if mark == "T":
            author, _, text = rest.strip().partition(":")
            before.append((author.strip(), text.strip()))
        else:
            fields[mark] = rest.strip()
    fact, said = _FACT.fullmatch(fields.get("F", "")), _SAID.fullmatch(fields.get("S", ""))
    if fact is None or said is None or fields.get("=") not in EFFECTS:
        raise InputError(f"{where}: a pair is F: fact {{attribute holder date}}, S: author date: words, = effect")
    return LabelledEffect(
        *(fact["statement"], fact["attribute"], fact["holder"], tuple(before)),
        *(said["author"], said["text"], fields["="], where, fields.get("P", "")),
        (date.fromisoformat(said["at"]) - date.fromisoformat(fact["at"])).days,
    )


def _read_sentences(body: str, where: str) -> tuple[str, list[LabelledSentence]]:
    text, sentences = "", []
    for part in body.split(" | "):
        found = _LABEL.findall(part)
        marked = _LABEL.sub("", part).rstrip()
        text += " " if text else ""
        start = len(text)
        spans: list[tuple[int, int]] = []
        for piece in re.split(r"([\[\]])", marked):
            if piece == "[":
                spans.append((len(text), -1))
            elif piece == "]" and spans:
                spans[-1] = (spans[-1][0], len(text))
            else:
                text += piece
        end = len(text)
        if not found:
            raise InputError(f"{where}: {part!r} has no label")
        labels = [_read_label(label.split(), where) for label in found]
        placed = spans if len(spans) == len(labels) else [(start, end)] * len(labels)
        if len(spans) != len(labels) and len(labels) == 1 and spans:
            placed = [(spans[0][0], spans[-1][1])]
        sentences.append(
            LabelledSentence(
                start,
                end,
                tuple(replace(label, start=a, end=b) for label, (a, b) in zip(labels, placed, strict=True)),
            )
        )
    return text, sentences


def _read_label(fields: list[str], where: str) -> Label:
    try:
        worth = int(fields[0])
    except (ValueError, IndexError):
        raise InputError(f"{where}: a label begins with its worth, 0 to 3") from None
    stance = fields[1] if len(fields) > 1 else "holds"
    if stance not in STANCES:
        raise InputError(f"{where}: {stance!r} is no stance")
    if worth == 0 and len(fields) <= 2:
        return Label(0, stance)
    answers = fields[-1].startswith("<")
    rest = fields[2:-1] if answers else fields[2:]
    is_alone = rest[-1] != "-" if rest and rest[-1] in "+-" else True
    rest = rest[:-1] if rest and rest[-1] in "+-" else rest
    kind, attribute = (*rest[:2], "", "")[:2]
    holder, _, name = " ".join(rest[2:]).partition(":")
    if holder and holder not in HOLDERS:
        raise InputError(f"{where}: {holder!r} is no holder")
    return Label(worth, stance, kind, attribute, holder or "self", name.strip(), is_alone, answers)
