"""What can be known of a person, a pet, a place or a project: the kinds of facts, and the attributes of the field.

Which attribute a fact has and whose it is, is decided where it is read; here stands what each of them is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from msgspec import convert

from yesteryear.core.language.vocabulary import vocabulary


class FactKind(StrEnum):
    """What a fact is about: document A's seven kinds and four more."""

    PREFERENCE = "preference"
    WORK_PATTERN = "work_pattern"
    BLOCKER = "blocker"
    STRENGTH = "strength"
    GOAL = "goal"
    BELIEF = "belief"
    SUCCESS_PATTERN = "success_pattern"
    DECISION = "decision"
    IDENTITY = "identity"
    RELATIONSHIP = "relationship"
    EVENT = "event"


class Volatility(StrEnum):
    """How soon a statement may no longer hold."""

    STATIC = "static"  # never: a name, a birthplace, what happened
    SLOW = "slow"  # over years: a job, a home, a taste
    NORMAL = "normal"  # over months: a plan, a routine
    VOLATILE = "volatile"  # over days: a mood, an ache


class Cardinality(StrEnum):
    """How many values a slot has at a time."""

    SINGLE = "single"
    MULTI = "multi"


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that can be known of somebody or something: a diet, a home, a deadline."""

    name: str
    of: tuple[str, ...]  # whose it can be: "person", "pet", "place", "project"
    kind: FactKind  # the kind of a fact with it, where its words do not say otherwise
    cardinality: Cardinality
    volatility: Volatility
    says: tuple[str, ...]  # how people tell it
    is_safety: bool = False  # whether a mistake about it may harm somebody: never lost silently and always at hand
    is_placed: bool = False  # whether it is done somewhere, so that it rests on the home that it names
    rests_on: tuple[str, ...] = ()  # attributes that it may cease to hold with: a commute with the home
    words: str = ""  # a pattern for folded text without which nothing is of this attribute; empty where any may be
    stands: str = ""  # why it stands in a context whatever is asked: "address", "people", "who", "safety"


@cache
def attributes() -> Mapping[str, Attribute]:
    """Return all attributes by name, in the order of the table ``language/en/attributes.toml``."""
    table = vocabulary("attributes").table("attributes")
    return MappingProxyType({name: convert({"name": name, **row}, Attribute) for name, row in table.items()})


def may_be_of(name: str, text: str) -> bool:
    """Tell whether folded text may tell of an attribute: not of a death where nobody speaks of dying."""
    known = attributes().get(name)
    return known is None or re.search(known.words, text) is not None


def has_one_value(name: str) -> bool:
    """Tell whether somebody has one value of an attribute at a time; not where the table has no such name."""
    known = attributes().get(name)
    return known is not None and known.cardinality is Cardinality.SINGLE
