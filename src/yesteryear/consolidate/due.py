"""STEP: the part of a worker's round that is about belief: facts that are due, and the night.

The rows are the queue: a fact says when it is due, its owner when the next night is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from yesteryear.consolidate.believe import believe
from yesteryear.consolidate.cycle import consolidate
from yesteryear.consolidate.night import next_night
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.core.attempt import Attempt
from yesteryear.core.due import waits_after_failure
from yesteryear.core.fact import Fact
from yesteryear.core.scope import Scope
from yesteryear.core.time import FOREVER, later
from yesteryear.errors import Stale
from yesteryear.ports import Ports, Transaction

_FACTS = 256
"""Facts compared between two commits: each time all that is known is read, so an import must not take too many."""
_PATIENCE = timedelta(hours=1)
"""After how long a night that failed is tried again."""


@dataclass(frozen=True, slots=True)
class DueFacts:
    """The facts of one owner that are due to be compared with what is known."""

    ports: Ports
    scope: Scope
    """Of all of the owner."""
    policy: ConsolidatePolicy
    fail: Callable[[Fact, Exception], None]
    """Writes on a fact what went wrong with it."""
    may_go_on: Callable[[], bool]
    serve: Callable[[Transaction, str], None]
    """Lets a model's vectors serve recall, or refuses them."""

    def believe(self, *, is_flush: bool) -> Iterator[int]:
        """Compare all that are due, some at a time, each at most once in this run.

        A flush also takes those whose time has not come because the clock went back, but not those that wait after a
        failure.

        Yields:
            How many were compared.
        """
        ports, left = self.ports, set[str]()  # what stays due: it failed in this run, or waits after a failure
        while self.may_go_on():
            now = ports.clock.now()
            with ports.store.read(self.scope) as tx:
                due = tx.facts.due(FOREVER if is_flush else now, limit=len(left) + _FACTS)
            left.update(fact.id for fact in due if waits_after_failure(fact, now))
            facts = [fact for fact in due if fact.id not in left][:_FACTS]
            if not facts:
                break
            left.update(fact.id for fact in facts)
            yield from self._compare(facts, now)

    def _compare(self, facts: Sequence[Fact], now: datetime) -> Iterator[int]:
        """Compare facts together, and in halves when that fails, so that one bad statement stands alone."""
        with Attempt() as attempt:
            believe(self.ports, self.scope, facts, self.policy, now=now, serve=self.serve)
            self.ports.store.write(self.scope, self._await_night)
        if attempt.error is None:
            yield len(facts)
        elif len(facts) > 1 and not isinstance(attempt.error, Stale):
            half = len(facts) // 2
            yield from self._compare(facts[:half], now)
            yield from self._compare(facts[half:], now)
        else:
            for fact in facts:
                self.fail(fact, attempt.error)
            yield 0

    def _await_night(self, tx: Transaction) -> None:
        """Let the next night be due: something was told. Silence counts from the last that was said."""
        state, now = tx.owner(), self.ports.clock.now()
        zone = next((row.zone for row in reversed(tx.conversations.list()) if row.zone), None)
        last = next((report.at for report in tx.cycles.latest(limit=1)), None)
        last = None if last is None or last > now else last  # one of a clock that was ahead says nothing of the next
        night_at = next_night(now, zone, self.policy.night, last=last)
        is_due = state.night_at is not None and state.night_at <= now
        if state.rev and not is_due and night_at != state.night_at:
            tx.save_owner(replace(state, night_at=night_at))


def pass_night(
    ports: Ports, scope: Scope, policy: ConsolidatePolicy, *, now: datetime, may_go_on: Callable[[], bool]
) -> bool:
    """Run the owner's night if it is due; tell whether it was. One that was stopped is due still, and goes on then.

    Raises:
        ProviderError: the analyst failed; what was judged so far is kept.
    """
    with ports.store.read(scope) as tx:
        night_at = tx.owner().night_at
    if night_at is None or night_at > now:
        return False
    with suppress(Stale):
        consolidate(ports, scope, policy, at=now, now=now, may_go_on=may_go_on)
        return True
    return False


def put_off_night(ports: Ports, scope: Scope, *, now: datetime) -> None:
    """Let a night that failed be due again in an hour."""

    def write(tx: Transaction) -> None:
        state = tx.owner()
        if state.night_at is not None:
            tx.save_owner(replace(state, night_at=later(now, _PATIENCE)))

    ports.store.write(scope, write)
