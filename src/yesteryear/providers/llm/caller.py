"""Calling a provider with patience: deadlines, pauses, a breaker, a limit to how many call at once, and the bill."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from yesteryear.core.usage import Account, CallOutcome, CallPurpose, ModelCall
from yesteryear.errors import BadModelOutput, ProviderError, ProviderUnavailable
from yesteryear.providers.llm.catalogue import Price
from yesteryear.providers.llm.endpoint import translated
from yesteryear.providers.llm.private_loop import PrivateLoop

if TYPE_CHECKING:
    from yesteryear.ports import Clock

T = TypeVar("T")
_LEAST_S = 0.05  # seconds below which another request is not worth beginning


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """Patience with a provider."""

    timeout_s: float = 50.0
    """Most seconds of one call, all attempts and pauses together, at least 1. A worker may be silent for 120 s and a
    night judges two batches between two looks, so twice this should be less; who takes more time, as a model on this
    machine's processor does, only risks that another worker begins the same work."""
    question_timeout_s: float = 3.0
    """Most seconds for the vector of a question, for which somebody waits; then words alone must do."""
    attempts: int = 4
    """Requests at most that a provider may leave without an answer, at least 1: it is overloaded, or asks to wait."""
    first_pause_s: float = 1.0  # seconds before the second request where the provider does not say for how long to wait
    growth: float = 3.0  # by what each further pause is longer than the one before
    corrections: int = 2
    """Most times an answer that cannot be used is sent back with what is wrong with it; each costs a whole request."""
    touch_ups: int = 1
    """Most times an answer is sent back that could be used but for some of its statements; then those are left out."""
    breaker_failures: int = 5  # after so many failed calls in a row the provider is left alone for a while
    breaker_rest_s: float = 120.0  # seconds for which it is left alone; then one call tries again
    concurrency: int = 4  # most calls at a time, from 1; others wait


@dataclass(slots=True)
class Tally:
    """What one call has used so far."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What one attempt of a call is to do."""

    tally: Tally  # to count on, whether the attempt succeeds or not
    timeout_s: float  # seconds that are left for it
    complaint: str = ""  # what was wrong with the answer before, where there was one
    corrections: int = 0  # how many answers were sent back so far


class Breaker:
    """Leaves a provider alone for a while after too many failures in a row. Thread-safe."""

    def __init__(self, policy: CallPolicy, clock: Clock) -> None:
        self._policy = policy
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._rests_until: datetime | None = None

    def check(self) -> None:
        """Let a call pass, or refuse it; after the rest one call tries, and the others wait for what becomes of it."""
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
    clock: Clock
    loop: PrivateLoop
    policy: CallPolicy = field(default_factory=CallPolicy)
    price: Price | None = None
    elapsed: Callable[[], float] = time.monotonic
    """Returns seconds since some moment. The clock tells dates, and may stand still in a replay."""
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self._breaker = Breaker(self.policy, self.clock)
        self._places = threading.BoundedSemaphore(self.policy.concurrency)

    def call(
        self,
        purpose: CallPurpose,
        ask: Callable[[Request], Awaitable[T]],
        account: Account,
        *,
        yield_to_foreground: Callable[[], None],
        timeout_s: float | None = None,
    ) -> T:
        """Return what a model answers, after as many attempts as the policy has patience for.

        ``ask`` makes one attempt on the private loop, and the call is put on the account whether it succeeds or not. It
        may take ``timeout_s`` seconds, the policy's where not given.

        Raises:
            ProviderError: there is no answer that could be used; the message says why.
        """
        begun, at, tally = self.elapsed(), self.clock.now(), Tally()
        until = begun + (self.policy.timeout_s if timeout_s is None else timeout_s)
        outcome = CallOutcome.FAILED
        try:
            self._breaker.check()
            if not self._places.acquire(timeout=self._left(until)):
                raise ProviderUnavailable(f"{self.model!r} is busy with other calls of this process")
            is_well = False
            try:
                answer = self._attempts(ask, tally, until, yield_to_foreground)
                is_well = True
            finally:
                self._breaker.note(is_well=is_well)
                self._places.release()
            outcome = CallOutcome.ANSWERED
        except BadModelOutput:
            outcome = CallOutcome.REJECTED
            raise
        finally:
            latency_ms = round(1000 * (self.elapsed() - begun))
            account.note(self._bill(purpose, at, outcome, tally, latency_ms))
        return answer

    def note_refused(self, purpose: CallPurpose, account: Account) -> None:
        """Put on an account that a call was not made, since the budget was spent."""
        account.note(self._bill(purpose, self.clock.now(), CallOutcome.FAILED, Tally(), 0))

    def _attempts(
        self,
        ask: Callable[[Request], Awaitable[T]],
        tally: Tally,
        until: float,
        yield_to_foreground: Callable[[], None],
    ) -> T:
        failures, corrections, complaint = 0, 0, ""
        while True:
            yield_to_foreground()
            try:
                request = Request(tally, max(_LEAST_S, self._left(until)), complaint, corrections)
                with translated(self.model):
                    return self.loop.run(partial(ask, request), timeout_s=request.timeout_s)
            except BadModelOutput as exc:
                corrections, complaint, pause = corrections + 1, str(exc), 0.0
                is_last = corrections > self.policy.corrections
                if is_last or self._left(until) < _LEAST_S:
                    raise
            except ProviderError as exc:
                growing = self.policy.first_pause_s * self.policy.growth**failures
                pause = growing if exc.retry_after_s is None else exc.retry_after_s
                failures += 1
                is_last = not exc.retryable or failures >= self.policy.attempts
                if is_last or self._left(until) < pause + _LEAST_S:
                    raise
            self.sleep(pause)

    def _left(self, until: float) -> float:
        return max(0.0, until - self.elapsed())

    def _bill(
        self, purpose: CallPurpose, at: datetime, outcome: CallOutcome, tally: Tally, latency_ms: int
    ) -> ModelCall:
        tokens = tally.input_tokens, tally.output_tokens
        price = self.price.micro_usd(*tokens) if self.price else None
        return ModelCall(purpose, self.model, at, outcome, tally.requests, *tokens, price, latency_ms)
