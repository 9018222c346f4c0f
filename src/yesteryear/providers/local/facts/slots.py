"""Which slot a statement fills in: whose residence, job, age or pet it tells, and what that is (English).

Only what is regular is read, and only what holds now: "lived in Lyon until 2020" and "wants to live in Rome" fill in
nothing, and neither does what is denied. What is told of a relative is the relative's slot. Better no slot than a wrong
one, for two values of a single-valued slot cannot both be true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from yesteryear.core.fact import Cardinality, FactKind, Slot
from yesteryear.core.language.sentences import split_sentences
from yesteryear.providers.local.facts.slot_rules import ACTIVITIES, DOES, ONLY_ONE, OWNS, PIECES, RELATIONS

_OPEN_KINDS = frozenset({FactKind.GOAL, FactKind.BELIEF, FactKind.SUCCESS_PATTERN})
"""Kinds that tell what is wished, held or useful, not what is."""
_UNMEANT = re.compile(
    r"\b(?:not|never|no longer|maybe|perhaps|might|may|could|would|wish(?:es)?|if|used to|thinks?|almost|nearly)\b"
)
"""Words that leave open whether it is so."""
_ENDED = re.compile(
    r" (?:until|till|back then|as a (?:kid|child|student|teenager)|when they (?:were|was)|for a while)\b"
)
_TRIMMED = re.compile(r"\A(?:an?|the|their|his|her|our|about|around) (?:new (?=\w))?")
_PLURAL_PART = re.compile(r"\b(morning|afternoon|evening)s$")


class _Rule(NamedTuple):
    attribute: str
    cardinality: Cardinality
    pattern: re.Pattern[str]


def find_slot(statement: str, *, subject: str, kind: FactKind) -> Slot | None:
    """Return the slot that a statement in the third person fills in with what holds now.

    Args:
        statement: As ``rewrite`` returns it.
        subject: The person's name as it stands in the statement.
        kind: What kind of fact it is; goals, beliefs and what works fill in no slot.

    Returns:
        None for what was, what is planned, denied or unsure, and wherever no rule applies. What is told of a relative
        has the relation before the attribute ("sister residence").
    """
    if kind in _OPEN_KINDS or not subject:
        return None
    named = re.compile(rf"(?:(?:Now|Currently),? )?{re.escape(subject)}")
    for sentence in split_sentences(statement):
        person = named.match(sentence)
        if person is None:
            continue
        told = sentence[person.end() :]
        relative = _RELATIVE.match(told)
        slot = _slot_of(told) or (_slot_of_relative(told[relative.end() :], relative) if relative else None)
        if slot:
            return slot
    return None


def _slot_of(told: str) -> Slot | None:
    """Return the slot that is told after somebody's name."""
    for rule in _RULES:
        found = rule.pattern.match(told)
        if found is None or _UNMEANT.search(found[0]) or _ENDED.match(told, found.end()):
            continue
        groups = found.groupdict("")
        attribute = rule.attribute.format(
            which=groups.get("which", "").lower(), activity=ACTIVITIES.get(groups.get("activity", ""), "")
        )
        value = _PLURAL_PART.sub(r"\1", _TRIMMED.sub("", groups["value"].strip()))
        return Slot(attribute, value, rule.cardinality)
    return None


def _slot_of_relative(told: str, relative: re.Match[str]) -> Slot | None:
    """Return the slot of somebody the person is related to; single where it is clear who is meant."""
    slot = _slot_of(told)
    if slot is None:
        return None
    relation, name = RELATIONS[relative["relation"]], (relative["name"] or "").lower()
    whose = relation if relation in ONLY_ONE or not name else f"{relation} {name}"
    is_clear = relation in ONLY_ONE or bool(name)
    return Slot(f"{whose} {slot.attribute}", slot.value, slot.cardinality if is_clear else Cardinality.MULTI)


def _rules() -> Iterator[_Rule]:
    for lead, forms in ((" ", DOES), ("'s ", OWNS)):
        for form in forms:
            yield _Rule(form.attribute, form.cardinality, re.compile(lead + _written_out(form.pattern)))


def _written_out(pattern: str) -> str:
    """Return a pattern with the pieces it names put in; ``(?P<value>`` names a group, not a piece."""
    return re.sub(rf"(?<!P)<({'|'.join(PIECES)})>", lambda piece: PIECES[piece[1]], pattern)


_RULES = tuple(_rules())
_RELATIVE = re.compile(
    rf"'s (?:(?:older|younger|little|big|twin) )?(?P<relation>{'|'.join(sorted(RELATIONS, key=len, reverse=True))})"
    r"(?: (?P<name>[A-Z]\w+))?(?= \w|'s )"
)
