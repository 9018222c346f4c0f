"""All stages' policies as one frozen value, and document A's ``memory_config`` on top of it.

Numbers live beside the functions that use them; here they are only gathered and overridden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from yesteryear.consolidate.distil import FACT_EXTRACTION
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.core.usage import BudgetPolicy
from yesteryear.errors import InputError
from yesteryear.forget.obey import ForgetPolicy
from yesteryear.ports import Setting
from yesteryear.recall.offers import ContextPolicy
from yesteryear.recall.ranking import RecallPolicy
from yesteryear.remember.ingest import RememberPolicy


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
        """Return these policies with the settings of a user or project on top.

        Args:
            overrides: Values by name; ``OVERRIDABLE`` says which there are.

        Raises:
            InputError: a name is unknown, or a value of a wrong type or out of range.
        """
        return _overridden(self, tuple(sorted(check_overrides(overrides).items()))) if overrides else self


@dataclass(frozen=True, slots=True)
class Overridable:
    """A setting that a user or project may have of their own."""

    meaning: str
    low: float
    high: float
    apply: Callable[[Policies, Any], Policies]
    is_flag: bool = False
    is_whole: bool = False

    def check(self, name: str, value: object) -> Setting:
        """Return ``value`` if it fits.

        Raises:
            InputError: wrong type or out of range.
        """
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


def _journal(name: str) -> Callable[[Policies, Any], Policies]:
    def apply(policies: Policies, value: Any) -> Policies:  # noqa: ANN401 - checked before
        remember = policies.remember
        return replace(policies, remember=replace(remember, journal=replace(remember.journal, **{name: value})))

    return apply


def _segment(name: str) -> Callable[[Policies, Any], Policies]:
    def apply(policies: Policies, value: Any) -> Policies:  # noqa: ANN401 - checked before
        remember = policies.remember
        return replace(policies, remember=replace(remember, segment=replace(remember.segment, **{name: value})))

    return apply


def _context(name: str) -> Callable[[Policies, Any], Policies]:
    def apply(policies: Policies, value: Any) -> Policies:  # noqa: ANN401 - checked before
        return replace(policies, context=replace(policies.context, **{name: value}))

    return apply


def _extraction(policies: Policies, value: Any) -> Policies:  # noqa: ANN401 - checked before
    remember, consolidate = policies.remember, policies.consolidate
    return replace(
        policies,
        remember=replace(remember, facts=replace(remember.facts, is_on=value)),
        consolidate=replace(consolidate, distil=replace(consolidate.distil, is_on=value)),
    )


def _belief(policies: Policies, **changes: object) -> Policies:
    consolidate = policies.consolidate
    belief = replace(consolidate.belief, **changes)  # type: ignore[arg-type]
    return replace(policies, consolidate=replace(consolidate, belief=belief))


def _fact_threshold(policies: Policies, value: Any) -> Policies:  # noqa: ANN401 - checked before
    confidence = replace(policies.consolidate.belief.confidence, fact_threshold=value)
    return _belief(policies, confidence=confidence)


def _nights(policies: Policies, value: Any) -> Policies:  # noqa: ANN401 - checked before
    consolidate = policies.consolidate
    return replace(policies, consolidate=replace(consolidate, night=replace(consolidate.night, is_on=value)))


def _fade(name: str) -> Callable[[Policies, Any], Policies]:
    def apply(policies: Policies, value: Any) -> Policies:  # noqa: ANN401 - checked before
        consolidate = policies.consolidate
        return replace(policies, consolidate=replace(consolidate, fade=replace(consolidate.fade, **{name: value})))

    return apply


OVERRIDABLE: Mapping[str, Overridable] = {
    "episode_message_threshold": Overridable(
        "messages that make an episode", 2, 200, _segment("message_threshold"), is_whole=True
    ),
    "episode_inactivity_minutes": Overridable(
        "minutes of silence that end an episode", 1, 7 * 24 * 60, _segment("inactivity_minutes")
    ),
    "max_episodes_retrieved": Overridable(
        "episode summaries in a context", 0, 100, _context("max_episodes"), is_whole=True
    ),
    "max_facts_retrieved": Overridable("facts in a context", 0, 100, _context("max_facts"), is_whole=True),
    FACT_EXTRACTION: Overridable("whether facts are drawn from talk", 0, 1, _extraction, is_flag=True),
    "fact_confidence_threshold": Overridable(
        "confidence from which a statement counts as plainly said", 0, 1, _fact_threshold
    ),
    "max_active_facts": Overridable(
        "facts that are believed, 0 for no limit",
        0,
        1_000_000,
        lambda policies, value: _belief(policies, max_facts=value),
        is_whole=True,
    ),
    "daily_budget": Overridable(
        "US dollars that models may cost a day, 0 for no limit",
        0,
        1_000_000,
        lambda policies, value: replace(policies, budget=replace(policies.budget, daily_usd=value)),
    ),
    "nights": Overridable("whether the worker consolidates every night", 0, 1, _nights, is_flag=True),
    "keep_verbatim": Overridable(
        "whether messages keep their text once digested", 0, 1, _journal("keep_verbatim"), is_flag=True
    ),
    "journal_retention_days": Overridable(
        "days for which skipped text is kept; no limit without it",
        0,
        36_500,
        _journal("journal_retention_days"),
    ),
    "forgotten_retention_days": Overridable(
        "days for which what was forgotten in talk can be brought back, 0 to erase at once",
        0,
        36_500,
        lambda policies, value: replace(policies, forget=replace(policies.forget, retention_days=value)),
    ),
    "fading": Overridable("whether memories fade with time", 0, 1, _fade("is_on"), is_flag=True),
    "max_active_episodes": Overridable(
        "episodes that are found, 0 for no limit", 0, 1_000_000, _fade("max_active"), is_whole=True
    ),
    "max_verbatim_messages": Overridable(
        "messages that keep their words, 0 for no limit", 0, 1_000_000_000, _fade("max_verbatim"), is_whole=True
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
    """Return the overrides that say something, each checked; None says nothing.

    Raises:
        InputError: a name is unknown, or a value does not fit; the message says what would.
    """
    checked: dict[str, Setting] = {}
    for name, value in overrides.items():
        if name not in OVERRIDABLE:
            raise InputError(f"there is no setting {name!r} per user or project; there are: {', '.join(OVERRIDABLE)}")
        if value is not None:
            checked[name] = OVERRIDABLE[name].check(name, value)
    return checked


@lru_cache(maxsize=1024)
def _overridden(policies: Policies, overrides: tuple[tuple[str, Setting], ...]) -> Policies:
    for name, value in overrides:
        policies = OVERRIDABLE[name].apply(policies, value)
    return policies
