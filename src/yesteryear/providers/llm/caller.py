"""Calling a provider with patience: deadlines, pauses, a breaker, a limit to how many call at once, and the bill."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol, TypeVar

from yesteryear.core.usage import Account, CallOutcome, CallPurpose, ModelCall
from yesteryear.errors import BadModelOutput, ProviderError, ProviderUnavailable, RateLimited
from yesteryear.providers.llm.policy import CallPolicy
from yesteryear.providers.llm.prices import Price
from yesteryear.providers.llm.private_loop import PrivateLoop
from yesteryear.providers.llm.refusals import translated

if TYPE_CHECKING:
    from yesteryear.ports import Clock

T = TypeVar("T")
_LEAST_S = 0.05
"""Seconds below which another request is not worth beginning."""


class Timer(Protocol):
    """Measures spans of time and waits. The clock tells dates, and may stand still in a replay."""

    def elapsed(self) -> float:
        """Return seconds since some moment that is always the same."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemTimer:
    """The computer's timer."""

    def elapsed(self) -> float:
        """Return seconds since some moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


@dataclass(slots=True)
class Tally:
    """What one call has used so far."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What one attempt of a call is to do."""

    tally: Tally
    """To count on, whether the attempt succeeds or not."""
    timeout_s: float
    """Seconds that are left for it."""
    complaint: str = ""
    """What was wrong with the answer before, where there was one."""
    corrections: int = 0
    """How many answers were sent back so far."""


class Breaker:
    """Leaves a provider alone for a while after too many failures in a row. Thread-safe."""

    def __init__(self, policy: CallPolicy, clock: Clock) -> None:
        self._policy = policy
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._rests_until: datetime | None = None

    def check(self) -> None:
        """Let a call pass, or refuse it; after the rest one call tries, and the others wait for what becomes of it.

        Raises:
            ProviderUnavailable: the provider is left alone.
        """
        with self._lock:
            if self._rests_until is None:
                return
            now, rest = self._clock.now(), timedelta(seconds=self._policy.breaker_rest_s)
            if timedelta(0) < self._rests_until - now <= rest:  # a longer rest is one that a wrong clock began
                raise ProviderUnavailable(f"left alone for a while after {self._failures} failures in a row")
            self._rests_until = now + rest

    def note(self, *, is_well: bool) -> None:
        """Count how a call ended."""
        with self._lock:
            self._failures = 0 if is_well else self._failures + 1
            is_too_much = self._failures >= self._policy.breaker_failures
            rest = timedelta(seconds=self._policy.breaker_rest_s)
            self._rests_until = self._clock.now() + rest if is_too_much else None


@dataclass(eq=False)
class Caller:
    """Calls one model of one provider. Thread-safe; all threads share its breaker and its limit."""

    model: str
    """As it is named in the settings."""
    clock: Clock
    loop: PrivateLoop
    policy: CallPolicy = field(default_factory=CallPolicy)
    price: Price | None = None
    timer: Timer = field(default_factory=SystemTimer)

    def __post_init__(self) -> None:
        self._breaker = Breaker(self.policy, self.clock)
        self._places = threading.BoundedSemaphore(self.policy.concurrency)

    def call(
        self,
        purpose: CallPurpose,
        ask: Callable[[Request], Awaitable[T]],
        account: Account,
        *,
        give_way: Callable[[], None],
        timeout_s: float | None = None,
    ) -> T:
        """Return what a model answers, after as many attempts as the policy has patience for.

        Args:
            purpose: For the bill.
            ask: Makes one attempt on the private loop.
            account: Where the call is put, whether it succeeds or not.
            give_way: Called before each attempt.
            timeout_s: Seconds that it may take; the policy's where not given.

        Raises:
            ProviderError: there is no answer that could be used; the message says why.
        """
        begun, at, tally = self.timer.elapsed(), self.clock.now(), Tally()
        until = begun + (self.policy.timeout_s if timeout_s is None else timeout_s)
        outcome = CallOutcome.FAILED
        try:
            self._breaker.check()
            answer = self._in_turn(lambda: self._attempts(ask, tally, until, give_way), until)
            outcome = CallOutcome.ANSWERED
        except BadModelOutput:
            outcome = CallOutcome.REJECTED
            raise
        finally:
            latency_ms = round(1000 * (self.timer.elapsed() - begun))
            account.note(self._bill(purpose, at, outcome, tally, latency_ms))
        return answer

    def note_refused(self, purpose: CallPurpose, account: Account) -> None:
        """Put on an account that a call was not made, since the budget was spent."""
        account.note(self._bill(purpose, self.clock.now(), CallOutcome.FAILED, Tally(), 0))

    def _in_turn(self, work: Callable[[], T], until: float) -> T:
        """Do something when there is a place for it, and tell the breaker how it ended."""
        if not self._places.acquire(timeout=self._left(until)):
            raise ProviderUnavailable(f"{self.model!r} is busy with other calls of this process")
        is_well = False
        try:
            answer = work()
            is_well = True
        finally:
            self._breaker.note(is_well=is_well)
            self._places.release()
        return answer

    def _attempts(
        self, ask: Callable[[Request], Awaitable[T]], tally: Tally, until: float, give_way: Callable[[], None]
    ) -> T:
        failures, corrections, complaint = 0, 0, ""
        while True:
            give_way()
            try:
                return self._attempt(ask, Request(tally, max(_LEAST_S, self._left(until)), complaint, corrections))
            except BadModelOutput as exc:
                corrections, complaint, pause = corrections + 1, str(exc), 0.0
                is_last = corrections > self.policy.corrections
                if is_last or self._left(until) < _LEAST_S:
                    raise
            except ProviderError as exc:
                failures, pause = failures + 1, self._pause(exc, failures)
                is_last = not exc.retryable or failures >= self.policy.attempts
                if is_last or self._left(until) < pause + _LEAST_S:
                    raise
            self.timer.sleep(pause)

    def _attempt(self, ask: Callable[[Request], Awaitable[T]], request: Request) -> T:
        with translated(self.model):
            return self.loop.run(lambda: ask(request), timeout_s=request.timeout_s)

    def _pause(self, error: ProviderError, failures: int) -> float:
        """Return the seconds to wait before the next request: as the provider says, else longer each time."""
        if isinstance(error, RateLimited) and error.retry_after_s is not None:
            return error.retry_after_s
        return self.policy.first_pause_s * self.policy.growth**failures

    def _left(self, until: float) -> float:
        return max(0.0, until - self.timer.elapsed())

    def _bill(
        self, purpose: CallPurpose, at: datetime, outcome: CallOutcome, tally: Tally, latency_ms: int
    ) -> ModelCall:
        price = self.price.micro_usd(tally.input_tokens, tally.output_tokens) if self.price else None
        return ModelCall(
            purpose=purpose,
            model=self.model,
            at=at,
            outcome=outcome,
            requests=tally.requests,
            input_tokens=tally.input_tokens,
            output_tokens=tally.output_tokens,
            micro_usd=price,
            latency_ms=latency_ms,
        )
