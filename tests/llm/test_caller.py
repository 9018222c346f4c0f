"""Patience with a provider: how often, how long, when no more, and what it comes to."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

import anyio
import pytest

from tests.llm.stage import NAME, Stage, ToldTimer
from yesteryear.core.usage import CallOutcome, CallPurpose
from yesteryear.errors import (
    BadModelOutput,
    EngineClosed,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from yesteryear.providers.llm.caller import Caller, CallPolicy, Request
from yesteryear.providers.llm.private_loop import PrivateLoop

DOWN = ProviderUnavailable("down")


@dataclass
class Provider:
    """Fails as it is told, attempt by attempt, and then answers."""

    errors: list[Exception]
    timer: ToldTimer | None = None
    takes_s: float = 0.0
    seen: list[Request] = field(default_factory=list)

    async def ask(self, request: Request) -> str:
        """Answer, or fail."""
        self.seen.append(request)
        request.tally.requests += 1
        request.tally.input_tokens += 1000
        if self.timer:
            self.timer.now += self.takes_s
        if len(self.seen) <= len(self.errors):
            raise self.errors[len(self.seen) - 1]
        request.tally.output_tokens += 100
        return "well"


def call(stage: Stage, ask: Callable[[Request], Awaitable[str]], caller: Caller | None = None) -> str:
    """Call for a digest."""
    return (caller or stage.caller()).call(CallPurpose.DIGEST, ask, stage.account, yield_to_foreground=lambda: None)


def test_a_call_is_put_on_the_account(stage: Stage) -> None:
    """With its tokens, and its price by the list."""
    assert call(stage, Provider([]).ask) == "well"
    [bill] = stage.account.calls
    assert (bill.purpose, bill.model, bill.outcome, bill.at) == (
        CallPurpose.DIGEST,
        NAME,
        CallOutcome.ANSWERED,
        stage.clock.now(),
    )
    assert (bill.requests, bill.input_tokens, bill.output_tokens, bill.micro_usd) == (1, 1000, 100, 210)


def test_pauses_grow_and_are_counted(stage: Stage) -> None:
    """Whoever is overloaded is not helped by being asked at once."""
    assert call(stage, Provider([DOWN, DOWN]).ask) == "well"
    assert stage.timer.slept == [1.0, 3.0]
    assert (stage.account.calls[0].requests, stage.account.calls[0].latency_ms) == (3, 4000)


def test_it_waits_as_long_as_it_is_asked_to(stage: Stage) -> None:
    """A provider knows best when there is room again."""
    assert call(stage, Provider([RateLimited(retry_after_s=7.5)]).ask) == "well"
    assert stage.timer.slept == [7.5]


def test_it_does_not_wait_longer_than_it_has_time(stage: Stage) -> None:
    """A worker holds its owner meanwhile."""
    with pytest.raises(RateLimited):
        call(stage, Provider([RateLimited(retry_after_s=60)]).ask)
    assert stage.timer.slept == []


def test_attempts_are_limited_and_what_failed_costs_too(stage: Stage) -> None:
    """In the end it fails, and the bill says so."""
    provider = Provider([DOWN] * 9)
    with pytest.raises(ProviderUnavailable, match="down"):
        call(stage, provider.ask)
    assert len(provider.seen) == CallPolicy().attempts
    assert (stage.account.calls[0].outcome, stage.account.calls[0].input_tokens) == (CallOutcome.FAILED, 4000)


def test_no_attempt_begins_after_the_deadline(stage: Stage) -> None:
    """Slow answers use up the time that others might have had."""
    provider = Provider([DOWN] * 9, stage.timer, takes_s=30)
    with pytest.raises(ProviderUnavailable):
        call(stage, provider.ask)
    assert len(provider.seen) == 2
    assert provider.seen[1].timeout_s == pytest.approx(50 - 31)


def test_what_was_refused_is_not_asked_again(stage: Stage) -> None:
    """A wrong key stays wrong."""
    provider = Provider([ProviderRejected("the key was refused")])
    with pytest.raises(ProviderRejected):
        call(stage, provider.ask)
    assert len(provider.seen) == 1


def test_a_bad_answer_is_sent_back_with_what_is_wrong(stage: Stage) -> None:
    """At once, twice at most."""
    provider = Provider([BadModelOutput("no summary")])
    assert call(stage, provider.ask) == "well"
    assert [(request.complaint, request.corrections) for request in provider.seen] == [("", 0), ("no summary", 1)]
    hopeless = Provider([BadModelOutput("no summary")] * 9)
    with pytest.raises(BadModelOutput):
        call(stage, hopeless.ask)
    assert len(hopeless.seen) == 1 + CallPolicy().corrections
    assert stage.account.calls[-1].outcome is CallOutcome.REJECTED


def test_after_too_many_failures_nobody_is_asked_for_a_while(stage: Stage) -> None:
    """Then one tries; if that goes well, all is as before."""
    caller = stage.caller(CallPolicy(attempts=1, breaker_failures=2, breaker_rest_s=60))
    provider = Provider([DOWN, DOWN, DOWN])
    for _ in range(2):
        with pytest.raises(ProviderUnavailable, match="down"):
            call(stage, provider.ask, caller)
    with pytest.raises(ProviderUnavailable, match="left alone"):
        call(stage, provider.ask, caller)
    assert len(provider.seen) == 2
    assert stage.account.calls[-1].requests == 0
    stage.clock.advance(timedelta(seconds=61))
    with pytest.raises(ProviderUnavailable, match="down"):
        call(stage, provider.ask, caller)
    with pytest.raises(ProviderUnavailable, match="left alone"):
        call(stage, provider.ask, caller)
    stage.clock.advance(timedelta(seconds=61))
    assert call(stage, provider.ask, caller) == "well"
    assert call(stage, provider.ask, caller) == "well"


def test_b19_a_rest_that_a_wrong_clock_began_is_over_with_it(stage: Stage) -> None:
    """Else a provider is left alone until that day has come again."""
    caller = stage.caller(CallPolicy(attempts=1, breaker_failures=1, breaker_rest_s=60))
    provider = Provider([DOWN])
    with pytest.raises(ProviderUnavailable, match="down"):
        call(stage, provider.ask, caller)
    stage.clock.advance(timedelta(seconds=-365 * 86_400))
    assert call(stage, provider.ask, caller) == "well"


def test_only_so_many_call_at_a_time() -> None:
    """Eight threads, two places: never three at once, and all are served."""
    loop, lock = PrivateLoop(), threading.Lock()
    stage, now, most = Stage(loop), 0, 0
    caller = stage.caller(CallPolicy(concurrency=2))

    async def ask(request: Request) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        await anyio.sleep(0.01)
        with lock:
            now -= 1
        return "well"

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: call(stage, ask, caller), range(24)))
    loop.close()
    assert answers == ["well"] * 24
    assert most == 2


def test_an_answer_that_does_not_come_is_given_up(stage: Stage) -> None:
    """The coroutine is cancelled, and the thread goes on."""
    was_cancelled = threading.Event()

    async def hang(request: Request) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            was_cancelled.set()

    caller = stage.caller(CallPolicy(timeout_s=0.1, attempts=1))
    with pytest.raises(ProviderUnavailable, match="no answer within"):
        call(stage, hang, caller)
    assert was_cancelled.wait(5)


def test_closing_ends_what_is_under_way() -> None:
    """An engine that is closed does not wait for a model; the work is left for another time, not done by half."""
    loop = PrivateLoop()
    stage, has_begun = Stage(loop), threading.Event()

    async def hang(request: Request) -> str:
        has_begun.set()
        await anyio.sleep_forever()
        return ""

    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(call, stage, hang)
        assert has_begun.wait(5)
        loop.close()
        with pytest.raises(EngineClosed):
            waiting.result(5)
    with pytest.raises(EngineClosed):
        call(stage, hang)
    loop.close()


def test_errors_of_the_program_are_not_taken_for_the_providers(stage: Stage) -> None:
    """A mistake of ours must be seen."""

    async def wrong(request: Request) -> str:
        raise KeyError("ours")

    with pytest.raises(KeyError):
        call(stage, wrong)
    assert not issubclass(KeyError, ProviderError)
