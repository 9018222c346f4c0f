"""Phrasebooks: how people tell that something holds, changes, ends, is doubted or never was so, by attribute.

Every value of a block fits every line of it, so that a few thousand lines make very many pairs of a known fact and a
message; some are drawn for each round of teaching. The form of a file is told in ``lab/labelled/phrases``.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from yesteryear.core.attributes import Cardinality, attributes
from yesteryear.core.language.sentences import split_sentences
from yesteryear.errors import InputError
from yesteryear_lab.reading.rows import Label, LabelledEffect, LabelledMessage, LabelledSentence

LINES = ("fact", "tell", "turn", "end", "bare", "refine", "doubt", "deny", "near", "other", "done", "drop", "move")
"""How a line tells: see ``lab/labelled/phrases/README.md``."""
_SAME: Mapping[str, str] = {
    "tell": "repeats",
    "turn": "repeats",
    "refine": "refines",
    "end": "ends",
    "bare": "ends",
    "doubt": "doubts",
    "deny": "denies",
    "near": "none",
    "other": "none",
    "done": "completes",
    "drop": "drops",
    "move": "moves",
}
"""What a line does to a fact of the value it names."""
_STANCES: Mapping[str, str] = {
    **dict.fromkeys(("tell", "turn", "refine", "other"), "holds"),
    **dict.fromkeys(("end", "bare", "done", "drop"), "ended"),
    "move": "planned",
}
_AHEAD = frozenset("goal trip appointment task promise deadline decision event move project".split())
"""Attributes of what is to come: that it holds is planned, or wished."""
_NAMES = tuple(
    "Joel Ana Priya Temi Walt Noor Sam Ilse Marek Yuki Dele Siobhan Arjun Lucía "
    "Tom Fatima Chen Olga Ravi Greta Kofi Maeve Luca Zainab Bert Hana".split()
)
_OTHERS = ("my sister", "my mum", "my dad", "my brother", "my flatmate", "my boss", "my gran", "my best mate")
_QUOTED, _LOWER, _BARE_MARKS, _BESIDE, _OF_OTHER, _ELSEWHERE = 0.5, 0.3, 0.15, 0.3, 0.12, 0.12
"""Shares of facts in the words said, of messages in small letters, without apostrophes, with something idle beside the
line; of pairs about somebody of theirs; of lines of another attribute."""
_TURNED_BEFORE, _OF_OTHER_VALUE, _EVEN = 0.15, 0.4, 0.5
"""Shares of turns to what is known already, of lines of another value than the known; and of either of two ways."""
_OF_ANY_VALUE = frozenset({"tell", "refine", "end", "doubt", "deny", "done", "drop", "move"})
"""Lines that are drawn of values other than the known one too."""
_HELD_OUT = 8  # one of so many lines is held out
_WEIGHTS: Mapping[str, float] = {
    "near": 2.0,
    "tell": 1.2,
    "turn": 1.6,
    "end": 1.2,
    "other": 1.0,
    "deny": 0.7,
    "doubt": 0.7,
}


@dataclass(frozen=True, slots=True)
class PhraseBlock:
    """Lines of one attribute, and the values that fit them."""

    attribute: str
    values: tuple[str, ...]
    lines: Mapping[str, tuple[str, ...]]
    where: str

    @property
    def is_single(self) -> bool:
        """Whether one holder has one of the values at a time."""
        return attributes()[self.attribute].cardinality is Cardinality.SINGLE


def read_phrases(path: Path) -> Iterator[PhraseBlock]:
    """Yield the blocks of a file."""
    attribute, first = "", 0
    values: list[str] = []
    lines: dict[str, list[str]] = {}

    def made() -> Iterator[PhraseBlock]:
        if attribute:
            if len(values) < 2 or "fact" not in lines:
                raise InputError(f"{path.name}:{first}: a block has values and facts")
            told = {kind: tuple(those) for kind, those in lines.items()}
            yield PhraseBlock(attribute, tuple(values), told, f"{path.name}:{first}")

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        kind, _, text = (part.strip() for part in line.partition(":"))
        if line.startswith("## "):
            yield from made()
            attribute, first, values, lines = line[3:].split(":")[0].strip(), number, [], {}
            if attribute not in attributes():
                raise InputError(f"{path.name}:{number}: {attribute!r} is no attribute")
        elif kind == "v" and attribute:
            values += [value.strip() for value in text.split(";") if value.strip()]
        elif kind in LINES and attribute and text:
            lines.setdefault(kind, []).append(text)
        elif line.strip() and not line.startswith("#"):
            raise InputError(f"{path.name}:{number}: begins with none of v, {', '.join(LINES)}")
    yield from made()


def parted(block: PhraseBlock) -> tuple[PhraseBlock, PhraseBlock]:
    """Return a block with the lines that are taught, and one with an eighth of them, which are not."""
    held = {kind: tuple(each for each in those if _is_held_out(each)) for kind, those in block.lines.items()}
    taught = {kind: tuple(each for each in those if not _is_held_out(each)) for kind, those in block.lines.items()}
    facts = {"fact": block.lines["fact"]}
    return tuple(  # type: ignore[return-value]
        replace(block, lines={kind: those for kind, those in (lines | facts).items() if those})
        for lines in (taught, held)
    )


def _is_held_out(line: str) -> bool:
    return zlib.crc32(line.encode()) % _HELD_OUT == 0


def draw_pairs(
    blocks: Sequence[PhraseBlock], idle: Sequence[str], number: int, rng: random.Random
) -> Iterator[LabelledEffect]:
    """Yield so many pairs of a known fact and a message, with what it does to the fact.

    All attributes of the blocks come up alike; some sentences that are ``idle`` stand beside a line.
    """
    by_attribute: dict[str, list[PhraseBlock]] = {}
    for block in blocks:
        if len(block.lines) > 1:  # more than its facts
            by_attribute.setdefault(block.attribute, []).append(block)

    def tried() -> Iterator[LabelledEffect | None]:
        while True:
            block = rng.choice(by_attribute[rng.choice(list(by_attribute))])
            yield _draw_pair(block, rng.choice(blocks), idle, rng)

    yield from islice(filter(None, tried()), number)


def _draw_pair(
    block: PhraseBlock, another: PhraseBlock, idle: Sequence[str], rng: random.Random
) -> LabelledEffect | None:
    author, known = rng.choice(_NAMES), rng.choice(block.values)
    if rng.random() < _OF_OTHER and "other" in block.lines:
        name = rng.choice(_NAMES)
        fact = _fact(block, name, known, rng, is_own=False)
        value = rng.choice((known, rng.choice(block.values)))
        text = _said(_filled(rng.choice(block.lines["other"]), value, "", name), idle, rng)
        return _pair(block, name, fact, (author, text), _of_value(block, "tell", known, value))
    fact = _fact(block, author, known, rng)
    if rng.random() < _ELSEWHERE and another.attribute != block.attribute and len(another.lines) > 1:
        kind = rng.choice([kind for kind in another.lines if kind != "fact"])
        value, former = rng.choice(another.values), rng.choice(another.values)
        if kind in ("bare", "end", "drop", "done"):  # it may end more than it names
            return None
        text = _said(_filled(rng.choice(another.lines[kind]), value, former, rng.choice(_OTHERS)), idle, rng)
        return _pair(block, "self", fact, (author, text), "none")
    kinds = [kind for kind in block.lines if kind != "fact"]
    kind = rng.choices(kinds, [_WEIGHTS.get(kind, 1.0) for kind in kinds])[0]
    line = rng.choice(block.lines[kind])
    others = [value for value in block.values if value != known]
    if kind == "turn":
        value, former = (known, rng.choice(others)) if rng.random() < _TURNED_BEFORE else (rng.choice(others), known)
        is_other_list = not block.is_single and "{w}" not in line and value != known
        found = None if is_other_list else "repeats" if value == known else "updates"
    else:
        is_other = kind in _OF_ANY_VALUE and rng.random() < _OF_OTHER_VALUE
        value, former = (rng.choice(others) if is_other else known), rng.choice(others)
        found = _of_value(block, kind, known, value)
    if found is None:
        return None
    text = _said(_filled(line, value, former, rng.choice(_OTHERS)), idle, rng)
    return _pair(block, "self", fact, (author, text), found)


def _of_value(block: PhraseBlock, kind: str, known: str, value: str) -> str:
    """Return what a line of a value does to a fact of the known one."""
    if value == known or kind in ("bare", "near", "other"):
        return _SAME[kind]
    if kind in ("tell", "refine"):
        return "updates" if block.is_single else "adds"
    return "none"


def _pair(block: PhraseBlock, holder: str, fact: str, said: tuple[str, str], effect: str) -> LabelledEffect:
    return LabelledEffect(fact, block.attribute, holder, (), *said, effect, block.where)


def _fact(block: PhraseBlock, holder: str, value: str, rng: random.Random, *, is_own: bool = True) -> str:
    """Return a fact as it is known: in the third person, or in words that were said."""
    if is_own and "tell" in block.lines and rng.random() < _QUOTED:
        return f"{holder}: {_filled(rng.choice(block.lines['tell']), value, '', '')}"
    return _filled(rng.choice(block.lines["fact"]), value, "", "").replace("{H}", holder)


def _filled(line: str, value: str, former: str, other: str) -> str:
    text = line.replace("{v}", value).replace("{w}", former).replace("{O}", other)
    return text[:1].upper() + text[1:] if line.startswith(("{v}", "{w}", "{O}")) else text


def _said(text: str, idle: Sequence[str], rng: random.Random) -> str:
    """Return a line as somebody may type it, among other words."""
    if rng.random() < _LOWER:
        text = text.lower()
    if rng.random() < _BARE_MARKS:
        text = re.sub(r"[’']", "", text).rstrip(".")
    if idle and rng.random() < _BESIDE:
        beside = rng.choice(idle).strip()
        text = f"{beside} {text}" if rng.random() < _EVEN else f"{text.rstrip()} {beside}"
    return text


def draw_messages(blocks: Sequence[PhraseBlock], number: int, rng: random.Random) -> Iterator[LabelledMessage]:
    """Yield so many messages of one sentence, labelled with attribute, kind, holder, stance and worth."""
    telling = [block for block in blocks if not _STANCES.keys().isdisjoint(block.lines)]
    drawn = 0
    while drawn < number:
        block = rng.choice(telling)
        kind = rng.choice([kind for kind in block.lines if kind in _STANCES])
        other = rng.choice((*_OTHERS, *_NAMES))
        text = _filled(rng.choice(block.lines[kind]), rng.choice(block.values), rng.choice(block.values), other)
        if len(split_sentences(text)) != 1:
            continue
        text = text.lower() if rng.random() < _LOWER else text
        known = attributes()[block.attribute]
        is_ahead = block.attribute in _AHEAD and _STANCES[kind] == "holds"
        label = Label(
            worth=3 if known.is_safety else 2,
            stance="planned" if is_ahead else _STANCES[kind],
            kind=known.kind.value,
            attribute=block.attribute,
            holder="other" if kind == "other" else "self",
            name=other if kind == "other" else "",
            is_alone=kind != "bare",
            end=len(text),
        )
        drawn += 1
        yield LabelledMessage(
            rng.choice(_NAMES), "self", text, (LabelledSentence(0, len(text), (label,)),), where=block.where
        )


def draw_idle_pairs(talk: Sequence[LabelledMessage], number: int, rng: random.Random) -> Iterator[LabelledEffect]:
    """Yield so many pairs of what one person said earlier and later, of other attributes: nothing happens to it."""
    people: dict[tuple[str, str, str], list[tuple[int, LabelledMessage, Label]]] = {}
    for place, message in enumerate(talk):
        for sentence in message.sentences:
            for label in sentence.labels:
                if label.worth and label.attribute:
                    people.setdefault((message.kind, message.person, message.author), []).append(
                        (place, message, label)
                    )
    several = [those for those in people.values() if len(those) > 1]
    drawn = 0
    while drawn < number:
        those = rng.choice(several)
        (first, one, known), (second, other, label) = sorted(rng.sample(those, 2), key=lambda each: each[0])
        if first == second or label.stance in ("ended", "denied") or label.attribute == known.attribute:
            continue
        drawn += 1
        fact = f"{one.author}: {one.text[known.start : known.end]}"
        said = other.text[label.start : label.end] if rng.random() < _EVEN else other.text
        yield LabelledEffect(fact, known.attribute, known.holder, (), other.author, said, "none", other.where)
