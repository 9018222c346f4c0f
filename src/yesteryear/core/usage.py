"""What calls of models cost: each call, the account it is on, and sums of many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from math import inf

from yesteryear.core.results import Plain

MICRO = 1_000_000  # micro-dollars in a dollar: prices are kept as whole numbers, whose sums are exact


class CallPurpose(StrEnum):
    """What a model was called for."""

    DIGEST = "digest"  # to read a stretch of talk
    JUDGE = "judge"  # to say what pairs of facts are to each other
    DISTIL = "distil"  # to find what holds over several episodes
    EMBED = "embed"  # to turn texts into vectors


class CallOutcome(StrEnum):
    """How a call ended."""

    ANSWERED = "answered"
    REJECTED = "rejected"  # there were answers, and none of them could be used
    FAILED = "failed"  # there was no answer: refused, limited, timed out or broken


@dataclass(frozen=True, slots=True)
class ModelCall(Plain):
    """One call of a model, with all requests that were made until its answer was good enough or given up."""

    purpose: CallPurpose
    model: str  # as it is named in the settings, such as "openai:gpt-4o-mini"
    at: datetime  # when it was begun (UTC)
    outcome: CallOutcome = CallOutcome.ANSWERED
    requests: int = 1  # requests that went to the provider, those that failed too
    input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int | None = None  # price in millionths of a US dollar; None where the price of the model is not known
    latency_ms: int = 0  # from the beginning to the end, pauses between attempts included, in milliseconds


@dataclass(frozen=True, slots=True)
class Charge:
    """A call as it is written down."""

    id: str
    call: ModelCall


@dataclass(slots=True)
class Account:
    """What models may still cost, and have cost, in one piece of work for one owner. Not for several threads."""

    left_usd: float = inf  # what was left of the day's budget when it was opened, in US dollars
    calls: list[ModelCall] = field(default_factory=list)  # those that were made and are not written down yet

    def note(self, call: ModelCall) -> None:
        """Put a call on the account."""
        self.calls.append(call)
        self.left_usd -= (call.micro_usd or 0) / MICRO

    def settle(self) -> tuple[ModelCall, ...]:
        """Return the calls that are to be written down, and take them off."""
        calls = tuple(self.calls)
        self.calls.clear()
        return calls

    @property
    def is_spent(self) -> bool:
        """Whether the budget of the day is used up."""
        return self.left_usd <= 0


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """What models may cost."""

    daily_usd: float = 0.0
    """Most US dollars that models may cost a person's memory from midnight to midnight (UTC), at least 0; 0 for no
    limit. When they are spent the local analyst works on; texts are still embedded, since vectors of two models cannot
    be mixed."""


@dataclass(frozen=True, slots=True)
class UsageSum(Plain):
    """Calls of one kind together."""

    day: str
    """ISO date (UTC)."""
    purpose: CallPurpose
    model: str
    calls: int
    failed: int
    """Calls that gave no answer that could be used."""
    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    """In US dollars; None where the price of the model is not known."""
    latency_ms: int
    """Of all calls together, in milliseconds."""


def midnight_before(now: datetime) -> datetime:
    """Return when the day of ``now`` began (UTC): from then on a daily budget counts."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def midnight_after(now: datetime) -> datetime:
    """Return when the day of ``now`` ends (UTC)."""
    return midnight_before(now) + timedelta(days=1)


def sum_up(calls: Iterable[ModelCall]) -> list[UsageSum]:
    """Return calls summed by day, purpose and model, in this order."""
    kinds: dict[tuple[str, CallPurpose, str], list[ModelCall]] = defaultdict(list)
    for call in calls:
        kinds[call.at.astimezone(UTC).date().isoformat(), call.purpose, call.model].append(call)
    return [
        UsageSum(
            *kind,
            calls=len(those),
            failed=sum(call.outcome is not CallOutcome.ANSWERED for call in those),
            requests=sum(call.requests for call in those),
            input_tokens=sum(call.input_tokens for call in those),
            output_tokens=sum(call.output_tokens for call in those),
            usd=total_usd(those) if any(call.micro_usd is not None for call in those) else None,
            latency_ms=sum(call.latency_ms for call in those),
        )
        for kind, those in sorted(kinds.items())
    ]


def total_usd(calls: Iterable[ModelCall]) -> float:
    """Return what calls cost together, in US dollars; those whose price is not known count for nothing."""
    return sum(call.micro_usd or 0 for call in calls) / MICRO
