"""Which slot a statement fills in: whose residence, job, age or pet it tells, and what that is (English).

Only what is regular is read, and only what holds now: "lived in Lyon until 2020" and "wants to live in Rome" fill in
nothing, and neither does what is denied. What is told of a relative is the relative's slot. Better no slot than a wrong
one, for two values of a single-valued slot cannot both be true.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from yesteryear.core.fact import Cardinality, FactKind, Slot
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.vocabulary import vocabulary

_EN, _SLOTS = vocabulary("meaning"), vocabulary("slots")
_OPEN_KINDS = frozenset({FactKind.GOAL, FactKind.BELIEF, FactKind.SUCCESS_PATTERN})
"""Kinds that tell what is wished, held or useful, not what is."""


_ACTIVITIES, _RELATIONS = _SLOTS.table("activities"), _SLOTS.table("relations")
_ONLY_ONE = frozenset(_SLOTS.listed("only_one"))
"""Relations of which one mostly has one: what is single for them is single in the slot as well."""


class _Rule(NamedTuple):
    attribute: str
    cardinality: Cardinality
    pattern: str


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
    for rule in _rules():
        found = _compiled(rule.pattern).match(told)
        if found is None or _EN["unmeant"].search(found[0]) or _EN["ended"].match(told, found.end()):
            continue
        groups = found.groupdict("")
        attribute = rule.attribute.format(
            which=groups.get("which", "").lower(), activity=_ACTIVITIES.get(groups.get("activity", ""), "")
        )
        value = _EN["plural_part"].sub(r"\1", _EN["trimmed"].sub("", groups["value"].strip()))
        return Slot(attribute, value, rule.cardinality)
    return None


def _slot_of_relative(told: str, relative: re.Match[str]) -> Slot | None:
    """Return the slot of somebody the person is related to; single where it is clear who is meant."""
    slot = _slot_of(told)
    if slot is None:
        return None
    relation, name = _RELATIONS[relative["relation"]], (relative["name"] or "").lower()
    whose = relation if relation in _ONLY_ONE or not name else f"{relation} {name}"
    is_clear = relation in _ONLY_ONE or bool(name)
    return Slot(f"{whose} {slot.attribute}", slot.value, slot.cardinality if is_clear else Cardinality.MULTI)


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(row["attribute"], Cardinality.MULTI if row.get("many") else Cardinality.SINGLE, lead + row["pattern"])
        for lead, forms in ((" ", "does"), ("'s ", "owns"))
        for row in _SLOTS.rows(forms)
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_RELATIVE = re.compile(
    rf"'s (?:(?:older|younger|little|big|twin) )?(?P<relation>{'|'.join(sorted(_RELATIONS, key=len, reverse=True))})"
    r"(?: (?P<name>[A-Z]\w+))?(?= \w|'s )"
)
