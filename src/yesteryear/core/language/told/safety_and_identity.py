"""What a statement about a person bears on that nobody may lose by one sentence: their safety, and who they are.

By its slot or by its words, whether it affirms or denies: "is not allergic to nuts" bears on allergies too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from yesteryear.core.fact import Slot
from yesteryear.core.language.discourse import topic_stems
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, stem, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("safety_and_identity")

_CHARS = 600  # characters read of a statement
_REACH = 5  # most words between what denies and the matter that it denies
_EATING, _HARMS_AT_ONCE, _OF_WHO, _ENDS_LIGHTLY, _STAYS = (
    _EN.words(name) for name in ("eating", "harms_at_once", "of_who_somebody_is", "ends_lightly", "stays")
)
"""Matters that keep somebody from taking something in, those that harm with the next meal or advice, those that harm
nobody who does not know, those that end, those that no day ends."""
_GENERAL = frozenset(map(stem, _EN.words("general")))  # stems that say of a matter nothing but that it is there


@dataclass(frozen=True, slots=True)
class Bearing:
    """What a statement says of the matters it bears on."""

    matters: frozenset[str]
    denies: bool  # whether it says that it is not so, or no more
    consumes: bool  # whether it says that somebody takes something in, or may
    objects: frozenset[str]
    """Stems of what it is about: penicillin, epilepsy; empty where it is of all or nothing. Where several sentences are
    told apart, of those that bear on a matter, or say that something is taken in."""
    sentences: tuple[Bearing, ...] = ()  # those that count, where there are several

    @property
    def is_guarded(self) -> bool:
        """Whether one sentence must not end it."""
        return bool(self.matters)

    @property
    def is_safety(self) -> bool:
        """Whether somebody may come to harm where it is not known."""
        return not self.matters <= _OF_WHO

    @property
    def harms_at_once(self) -> bool:
        """Whether the next meal or advice may harm somebody where it is not known."""
        return bool(self.matters & _HARMS_AT_ONCE)

    @property
    def stays(self) -> bool:
        """Whether it holds on whatever day is told beside it: "he's allergic to cats, so Pickle is out on Thursday"."""
        return bool(self.matters & _STAYS) and not self.denies


@lru_cache(maxsize=20_000)
def read_bearing(statement: str, subject: str = "", slot: Slot | None = None) -> Bearing:
    """Return which matters of safety or identity a statement bears on, and what it says of them.

    Of several sentences each is read by itself: "I can't have nuts. Put the kettle on" says of the kettle nothing that
    bears on anything. The ``subject``, the person's name as it stands in it, says nothing; the ``slot`` counts where it
    is known.
    """
    whole = _read(statement, subject, slot)
    parts = split_sentences(statement[:_CHARS])
    told = [each for part in parts if (each := _read(part, subject, None)).matters or each.consumes]
    matters = frozenset().union(*(each.matters for each in told))
    if len(parts) < 2 or not told or whole.matters > matters:
        return whole
    bearing = [each for each in told if each.matters]
    return Bearing(
        matters=whole.matters,
        denies=bool(bearing) and all(each.denies for each in bearing),
        consumes=any(each.consumes for each in told),
        objects=frozenset().union(*(each.objects for each in told)),
        sentences=tuple(told),
    )


def _read(statement: str, subject: str, slot: Slot | None) -> Bearing:
    text = fold(statement[:_CHARS])
    if subject:
        text = re.sub(rf"\b{re.escape(fold(subject))}\b('s)?", " they ", text)
    found = {name: match.start() for name, pattern in _EN.group("matters").items() if (match := pattern.search(text))}
    if slot is not None:
        attribute = slot.attribute.casefold()
        found = {name: len(text) for name, each in _EN.group("slots").items() if each.search(attribute)} | found
    if _EN["demonym"].search(statement[:_CHARS]):
        found.setdefault("origin", len(text))
    restricts = _EN["restricts"].search(text) is not None
    if restricts and not found:
        found["restriction"] = 0
    return Bearing(
        matters=frozenset(found),
        denies=bool(found) and not restricts and _is_denied(text, min(found.values())),
        consumes=not restricts and _EN["consumes"].search(text) is not None and not _is_denied(text, len(text)),
        objects=topic_stems(text) - _GENERAL,
    )


def bears_by_attribute(text: str, attribute: str) -> bool:
    """Tell whether words bear on the matter of the attribute that they were read as of: "I take it" on a medicine.

    Not by the attribute alone, which is wrong too often to stand for somebody's safety.
    """
    sign = _EN.group("signs").get(attribute)
    return sign is not None and sign.search(fold(text[:_CHARS])) is not None


def puts_right(sentence: str) -> bool:
    """Tell whether a sentence puts right what was said before it: "sorry, I meant shellfish"."""
    return _EN["puts_right"].search(fold(sentence)) is not None


def _is_denied(text: str, at: int) -> bool:
    """Tell whether something before a place denies what stands there, or something behind it says that it is over."""
    before = [match.end() for match in _EN["denials"].finditer(text, 0, at)] if at else []
    is_near = any(len(words(text[end:at])) <= _REACH for end in before) if at < len(text) else bool(before)
    return is_near or _EN["over"].search(text) is not None


def disagree(one: Bearing, other: Bearing) -> bool:
    """Tell whether of two statements about one person only one can hold, since one flatly denies the other.

    A sentence of each bears on the same matter and the same thing, or one of them on all things of its kind ("has no
    allergies"); or one takes in what the other must not.
    """
    return any(_clash(*pair) for pair in product(one.sentences or (one,), other.sentences or (other,)))


def _clash(one: Bearing, other: Bearing) -> bool:
    is_same = bool(one.objects & other.objects) or not one.objects or not other.objects
    if one.matters & other.matters and one.denies != other.denies:
        return is_same
    return any(
        keeps.matters & _EATING and not keeps.denies and takes.consumes and bool(keeps.objects & takes.objects)
        for keeps, takes in ((one, other), (other, one))
        if not takes.matters & _EATING or takes.denies
    )


def tells_change(text: str, matters: frozenset[str]) -> bool:
    """Tell whether a person's words say that matters have changed, were found out or corrected, not only that it is so.

    For what commonly ends (a medicine, a pregnancy, a name) "no longer" or "now" suffices; an allergy, an illness or a
    birth date takes more: "turns out", "the test came back negative", "I was wrong". A question tells neither.
    """
    folded = fold(text[: 4 * _CHARS])
    signs = ("found", "changed") if matters <= _ENDS_LIGHTLY else ("found",)
    return "?" not in folded and any(_EN[sign].search(folded) for sign in signs)
