"""All stages' policies as one frozen value, and document A's ``memory_config`` on top of it.

Numbers live beside the functions that use them; here they are only gathered and overridden.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from yesteryear.consolidate.night.distil import FACT_EXTRACTION
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.core.usage import BudgetPolicy
from yesteryear.errors import InputError
from yesteryear.forget.propose import ForgetPolicy
from yesteryear.ports import Setting, Transaction
from yesteryear.recall.budget import ContextPolicy
from yesteryear.recall.ranking import RecallPolicy
from yesteryear.remember.make_episodes import RememberPolicy

log = logging.getLogger("yesteryear.policies")

_MOST_NAMED = 5  # most unknown settings that the log names


@dataclass(frozen=True, slots=True)
class Policies:
    """Everything that can be decided differently, with its defaults."""

    remember: RememberPolicy = field(default_factory=RememberPolicy)
    consolidate: ConsolidatePolicy = field(default_factory=ConsolidatePolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    context: ContextPolicy = field(default_factory=ContextPolicy)
    forget: ForgetPolicy = field(default_factory=ForgetPolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)

    def with_overrides(self, overrides: Mapping[str, Setting]) -> Policies:
        """Return these policies with settings of a user or project on top, by the names of ``OVERRIDABLE``."""
        return _overridden(self, tuple(sorted(check_overrides(overrides).items()))) if overrides else self


@dataclass(frozen=True, slots=True)
class Overridable:
    """A setting that a user or project may have of their own."""

    meaning: str
    place: str  # where it stands in ``Policies``, such as "context.max_facts"
    low: float = 0
    high: float = 1
    also: str = ""  # another place where the same holds

    @property
    def default(self) -> Setting:
        """What holds where nobody has set it."""
        found: Setting = attrgetter(self.place)(_DEFAULTS)
        return found

    @property
    def is_flag(self) -> bool:
        """Whether it is true or false."""
        return isinstance(self.default, bool)

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number."""
        return isinstance(self.default, int) and not self.is_flag

    def check(self, name: str, value: object) -> Setting:
        """Return ``value`` if it fits."""
        if self.is_flag:
            if isinstance(value, bool):
                return value
            raise InputError(f"{name} is true or false, not {value!r}")
        if isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high:
            if not self.is_whole:
                return value
            if value == int(value):
                return int(value)
        kind = "whole number" if self.is_whole else "number"
        raise InputError(f"{name} is a {kind} from {self.low:g} to {self.high:g}, not {value!r}")


_DEFAULTS = Policies()
OVERRIDABLE: Mapping[str, Overridable] = {
    "episode_message_threshold": Overridable(
        "messages that make an episode", "remember.segment.message_threshold", 2, 200
    ),
    "episode_inactivity_minutes": Overridable(
        "minutes of silence that end an episode", "remember.segment.inactivity_minutes", 1, 7 * 24 * 60
    ),
    "max_episodes_retrieved": Overridable("episode summaries in a context", "context.max_episodes", 0, 100),
    "max_facts_retrieved": Overridable("facts in a context", "context.max_facts", 0, 100),
    FACT_EXTRACTION: Overridable(
        "whether facts are drawn from talk", "remember.facts.is_on", also="consolidate.distil.is_on"
    ),
    "fact_confidence_threshold": Overridable(
        "confidence from which a statement counts as plainly said", "consolidate.belief.confidence.fact_threshold"
    ),
    "max_active_facts": Overridable(
        "facts that are believed, 0 for no limit", "consolidate.belief.max_facts", 0, 1_000_000
    ),
    "daily_budget": Overridable(
        "US dollars that models may cost a person's memory a day, 0 for no limit", "budget.daily_usd", 0, 1_000_000
    ),
    "nights": Overridable("whether the worker consolidates every night", "consolidate.night.is_on"),
    "keep_verbatim": Overridable("whether messages keep their text once digested", "remember.journal.keep_verbatim"),
    "journal_retention_days": Overridable(
        "days for which skipped text is kept; inf for no limit", "remember.journal.journal_retention_days", 0, 36_500
    ),
    "forgotten_retention_days": Overridable(
        "days for which what was forgotten in talk can be brought back, 0 to erase at once",
        "forget.retention_days",
        0,
        36_500,
    ),
    "fading": Overridable("whether memories fade with time", "consolidate.fade.is_on"),
    "max_active_episodes": Overridable(
        "episodes that are found, 0 for no limit", "consolidate.fade.max_active", 0, 1_000_000
    ),
    "max_verbatim_messages": Overridable(
        "messages that keep their words, 0 for no limit", "consolidate.fade.max_verbatim", 0, 1_000_000_000
    ),
}
"""The settings of document A's ``memory_config`` that exist so far, and ours of the journal and of fading."""

OWNERS_ONLY = frozenset(
    {
        *("fading", "max_active_episodes", "max_verbatim_messages"),
        *("fact_confidence_threshold", "max_active_facts", "nights", "daily_budget", "forgotten_retention_days"),
    }
)
"""Settings that hold for all of a person's memory, not for one project of theirs."""


def check_overrides(overrides: Mapping[str, object]) -> dict[str, Setting]:
    """Return the overrides that say something, each checked; None says nothing."""
    checked: dict[str, Setting] = {}
    for name, value in overrides.items():
        if name not in OVERRIDABLE:
            raise InputError(f"there is no setting {name!r} per user or project; there are: {', '.join(OVERRIDABLE)}")
        if value is not None:
            checked[name] = OVERRIDABLE[name].check(name, value)
    return checked


@lru_cache(maxsize=1024)
def _overridden(policies: Policies, overrides: tuple[tuple[str, Setting], ...]) -> Policies:
    values = {place: value for name, value in overrides for place in (OVERRIDABLE[name].place, OVERRIDABLE[name].also)}
    return with_values(policies, {place: value for place, value in values.items() if place})


def with_values(policies: Policies, values: Mapping[str, object]) -> Policies:
    """Return policies with other values in some places, such as "context.max_facts"."""
    for place, value in values.items():
        policies = _with_value(policies, place, value)
    return policies


def _with_value(part: Any, place: str, value: object) -> Any:  # noqa: ANN401 - any policy
    name, _, rest = place.partition(".")
    return replace(part, **{name: _with_value(getattr(part, name), rest, value) if rest else value})


def policies_in(tx: Transaction, project: str | None, defaults: Policies) -> Policies:
    """Return the policies that hold for an owner's project: defaults, then the user's settings, then the project's.

    What was stored by another version and fits no longer is left aside, and said in the log.
    """
    stored = {**tx.overrides.get(None), **(tx.overrides.get(project) if project is not None else {})}
    if unknown := stored.keys() - OVERRIDABLE:
        log.warning("a stored setting is left aside: there is no %s", ", ".join(sorted(unknown)[:_MOST_NAMED]))
    overrides: dict[str, Setting] = {}
    for name in sorted(OVERRIDABLE.keys() & stored.keys()):
        try:
            overrides |= check_overrides({name: stored[name]})
        except InputError as exc:
            log.warning("a stored setting is left aside: %s", exc)
    return defaults.with_overrides(overrides)
