"""STEP: everything that is due for one owner, in order. Used by the worker and by ``flush``.

One drainer per owner, by lease. What fails is written down on its row with the time of the next attempt; after the last
attempt the row is FAILED and everything behind it goes on.
"""

from __future__ import annotations

import logging
import operator
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from yesteryear.consolidate.belief.compare_new import await_night, believe
from yesteryear.consolidate.night.cycle import consolidate
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.consolidate.retention.sweep import fade, is_due, schedule_fading, settle_relevance, settle_stale
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Fact
from yesteryear.core.message import Conversation, Message
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import (
    Attempt,
    DueRow,
    RetryPolicy,
    Row,
    after_failure,
    due_from,
    next_try,
    waits_after_failure,
)
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.core.time import FOREVER, later
from yesteryear.errors import Stale
from yesteryear.forget.propose import Wishes
from yesteryear.lifecycle.billing import UsageMeter
from yesteryear.lifecycle.failures import log_failure
from yesteryear.lifecycle.reread import reread, state_anew
from yesteryear.policies import Policies, policies_in
from yesteryear.ports import Ports, Store, Transaction
from yesteryear.remember.embed import (
    activate_episode,
    embed_messages,
    finish_reembedding,
    serve_first_model,
    start_reembedding,
)
from yesteryear.remember.make_episodes import give_up, ingest, redigest
from yesteryear.remember.record import date_undated

log = logging.getLogger("yesteryear.lifecycle.drain")

Waiting = TypeVar("Waiting", Episode, Message, Fact)

_WORKED_ON = (EpisodeStatus.PENDING, EpisodeStatus.ACTIVE)
_BATCH = 16  # rows embedded between two commits; well below the 64 rows a worker's transaction may have
_FACTS = 256
"""Facts compared between two commits: each time all that is known is read, so an import must not take too many."""
_RETRY_ROWS = 32  # rows of each kind made due again in one transaction
_PATIENCE = timedelta(hours=1)  # after how long a night that failed is tried again
_FLUSH_LOOK_S = 0.01  # pause between two looks while a worker, here or in another process, holds the owner, in seconds


@dataclass(frozen=True, slots=True)
class Drained(Plain):
    """What was done; sums of it can be made with ``+`` and ``-``."""

    episodes: int = 0
    """Episodes written."""
    vectors: int = 0
    """Episodes and messages that got their vectors."""
    expired: int = 0
    """Skipped messages whose text was erased."""
    faded: int = 0
    """Episodes that lost their words or left recall."""
    forgotten: int = 0
    """Messages that were hidden, or erased, because somebody asked for it in talk."""
    facts: int = 0
    """Facts that were compared with what is known."""
    nights: int = 0
    """Nights that were run."""
    rereadings: int = 0
    """Episodes that were read again."""
    failures: int = 0
    """Attempts that failed; each is written on its row."""

    def __add__(self, other: Drained) -> Drained:
        return Drained(*map(operator.add, astuple(self), astuple(other)))

    def __sub__(self, other: Drained) -> Drained:
        return Drained(*map(operator.sub, astuple(self), astuple(other)))


@dataclass(slots=True)
class Drain:
    """One run over one owner's due rows."""

    ports: Ports
    policies: Policies
    scope: Scope
    worker: str = field(kw_only=True)
    should_stop: Callable[[], bool] = field(default=lambda: False, kw_only=True)
    on_progress: Callable[[Drained], None] = field(default=lambda _: None, kw_only=True)
    done: Drained = field(default_factory=Drained, init=False)
    _meter: UsageMeter = field(init=False)
    _store: Store = field(init=False)
    _owner: Scope = field(init=False)
    _leased_until: datetime | None = field(default=None, init=False)
    _was_lost: bool = field(default=False, init=False)
    _generation: int | None = field(default=None, init=False)
    _is_flush: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._meter = UsageMeter(self.ports, self.scope)
        self.ports, self._store, self._owner = self._meter.ports, self.ports.store, self.scope.owner.scope

    def run(self, *, close_all: bool = False) -> bool:
        """Do everything that is due; tell whether the lease was had to the end.

        ``close_all`` ends the open tails of the visible conversations first (``flush``), and leaves alone what is only
        a matter of time, such as the expiry of skipped text.
        """
        self._was_lost, self._generation, self._is_flush = False, None, close_all
        if not self._claim():
            return False
        self._meter.limit(self._policies_for(None).budget)
        try:
            self._obey()  # first: what was asked to be forgotten is read by nobody
            self._segment()
            self._obey()  # and what was taken for a request only with the talk around it
            self._embed()
            self._work_through(lambda tx: tx.facts.due, self._compare, at_once=_FACTS)
            finish_reembedding(self._store, self._owner, self.ports.embedder.profile.model)
            if not close_all:
                self._pass_the_night()
                self._let_go()
                self._reread()  # last, and some at a time: what is said now does not wait for what was said long ago
        finally:
            self._meter.pay()
            self._store.write(self._owner, partial(release, worker=self.worker))
        return not self._was_lost

    def _segment(self) -> None:
        now = self._now()
        with self._store.read(self.scope if self._is_flush else self._owner) as tx:
            due = tx.conversations.list() if self._is_flush else tx.conversations.due(now, limit=_BATCH * 4)
        for conversation in due:
            if self._is_flush and (not conversation.open_messages or waits_after_failure(conversation, now)):
                continue
            if not self._may_go_on():
                return
            with self._working_on(conversation):
                key, policy = conversation.key, self._policies_for(conversation.key.project).remember
                step = partial(ingest, close_all=self._is_flush, should_continue=self._may_go_on)
                self.done += Drained(episodes=step(self.ports, self._owner, key, policy=policy, now=self._now()))
                settle_relevance(self._store, self._owner, key, self._consolidate(), now=self._now())
        settle_stale(self._store, self._owner, self._consolidate(), now=self._now())

    def _embed(self) -> None:
        """Give vectors to all episodes and messages that are due; those to be read again get theirs after that."""
        model, is_fallback = self.ports.embedder.profile.model, self.ports.is_fallback_embedder
        start_reembedding(self._store, self._owner, model, now=self._now(), is_fallback=is_fallback)
        self._work_through(lambda tx: partial(tx.episodes.due, next_reader=""), self._activate, at_once=1)
        self._work_through(lambda tx: tx.messages.due, self._embed_messages, at_once=_BATCH)

    def _work_through(
        self,
        look: Callable[[Transaction], Callable[..., Sequence[Waiting]]],
        work: Callable[[Sequence[Waiting]], Drained],
        *,
        at_once: int,
    ) -> None:
        """Do work on all rows that are due, some at once, each at most once in this run.

        A flush also takes rows whose time has not come because the clock went back, but not those that wait after a
        failure. Where it fails it is tried with halves, so that one bad row stands alone.
        """
        done: set[str] = set()
        left: set[str] = set()  # what is due all the same: it was tried in this run, or waits after a failure
        while self._may_go_on():
            now, limit = self._now(), len(left) + at_once
            with self._store.read(self._owner) as tx:
                due = look(tx)(FOREVER if self._is_flush else now, limit=limit)
            left.update(row.id for row in due if row.id in done or waits_after_failure(row, now))
            rows = [row for row in due if row.id not in left][:at_once]
            if not rows:
                if len(due) < limit:
                    break
                continue  # behind those that wait there may be others; more are looked at next time
            done.update(row.id for row in rows)
            batches = [rows]
            while batches:
                batch = batches.pop()
                with Attempt() as attempt:
                    self.done += work(batch)
                if attempt.error is not None and len(batch) > 1 and not isinstance(attempt.error, Stale):
                    batches += [batch[len(batch) // 2 :], batch[: len(batch) // 2]]
                elif attempt.error is not None:
                    for row in batch:
                        self._fail(row, attempt.error)
            self.on_progress(self.done)

    def _reread(self) -> None:
        """Read some old episodes again that are marked for it, one after another."""
        with self._store.read(self._owner) as tx:
            due = tx.episodes.due(self._now(), limit=_BATCH, next_reader=self.ports.reads_by)
        for episode in due:
            if not self._may_go_on():
                return
            with self._working_on(episode):
                policy = self._policies_for(episode.scope.project).remember
                reread(self.ports, self._owner, episode, policy=policy, now=self._now())
                self.done += Drained(rereadings=1)

    def _activate(self, episodes: Sequence[Episode]) -> Drained:
        """Digest an episode where need be, and embed it; one that is not found any more is due for nothing."""
        (episode,) = episodes
        if episode.digest is None:
            policy = self._policies_for(episode.scope.project).remember
            anew = partial(state_anew, episode=episode, ports=self.ports, policy=policy, now=self._now())
            redigest(self.ports, self._owner, episode, policy=policy, state=anew)
            with self._store.read(self._owner) as tx:
                episode = tx.episodes.get([episode.id])[0]
        if episode.status not in _WORKED_ON:
            self._store.write(self._owner, partial(_put_aside, episode_id=episode.id))
            return Drained()
        dated = partial(schedule_fading, episode_id=episode.id, policy=self._consolidate().fade, now=self._now())
        activate_episode(self._store, self.ports.embedder, self._owner, episode, then=dated)
        return Drained(vectors=1)

    def _embed_messages(self, messages: Sequence[Message]) -> Drained:
        embed_messages(self._store, self.ports.embedder, self._owner, messages)
        return Drained(vectors=len(messages))

    def _compare(self, facts: Sequence[Fact]) -> Drained:
        policy = self._consolidate()
        believe(self.ports, self._owner, facts, policy, now=self._now(), serve=serve_first_model)
        self._store.write(self._owner, partial(await_night, policy=policy.night, now=self._now()))
        return Drained(facts=len(facts))

    def _pass_the_night(self) -> None:
        """Run the night when it is due; one that was stopped is due still, one that failed after a while."""
        with self._working_on("the night") as attempt, suppress(Stale):
            now = self._now()
            with self._store.read(self._owner) as tx:
                night_at = tx.owner().night_at
            if night_at is not None and night_at <= now:
                policy, may_go_on = self._consolidate(), self._may_go_on
                consolidate(self.ports, self._owner, policy, at=now, now=now, should_continue=may_go_on)
                self.done += Drained(nights=1)
        if attempt.error is not None:
            self._store.write(self._owner, partial(_put_off_night, now=self._now()))

    def _obey(self) -> None:
        """Hide what was asked to be forgotten, and erase what has had its days; a failure there holds nothing up."""
        with self._working_on("a request to forget"):
            policy = self._policies_for(None).forget
            wishes = Wishes(self._store, self._owner, self._now(), policy, self._may_go_on)
            count = wishes.obey()
            wishes.take_answers()
            self.done += Drained(forgotten=count + wishes.carry_on())
            wishes.erase_hidden()

    def _let_go(self) -> None:
        """Let go what has faded, what is too much, and skipped text whose days are over."""
        fade_policy, defaults, now = self._consolidate().fade, self.policies, self._now()
        date_undated(
            self._store, self._owner, lambda tx, project: policies_in(tx, project, defaults).remember.journal, now
        )
        with self._store.read(self._owner) as tx:
            if not is_due(tx, fade_policy, now=now):
                return
        let_go = fade(self._store, self._owner, fade_policy, now=now, should_continue=self._may_go_on)
        self.done += Drained(expired=len(let_go.expired), faded=len({*let_go.to_gist, *let_go.archived}))

    @contextmanager
    def _working_on(self, what: DueRow | str) -> Iterator[Attempt]:
        """Take up what goes wrong in the block: what stands behind a row, or other work, goes on."""
        with Attempt() as attempt:
            yield attempt
        if attempt.error is not None:
            self._fail(what, attempt.error)
        self.on_progress(self.done)

    def _fail(self, what: DueRow | str, error: Exception) -> None:
        """Write on a row what went wrong there and when it is tried again; what is no row is told in the log alone."""
        if isinstance(what, str):
            self._note(error, what)
            return
        if isinstance(error, Stale):
            return  # it was changed meanwhile and is due still
        name = repr(what.key.name) if isinstance(what, Conversation) else what.id
        self._note(error, f"{type(what).__name__.lower()} {name}")
        store, now, retry = self._store, self._now(), self.policies.remember.retry
        is_last = store.write(self._owner, lambda tx: write_failure(tx, what, error, retry, now=now))
        if is_last and isinstance(what, Conversation):
            policy = self._policies_for(what.key.project).remember
            give_up(self.ports, self._owner, what.key, error=str(error), policy=policy, now=now)

    def _note(self, error: Exception, what: str) -> None:
        self.done += Drained(failures=1)
        log_failure(log, f"work on {what}", error, level=logging.WARNING)

    def _claim(self) -> bool:
        def write(tx: Transaction) -> bool:
            state, now = tx.owner(), self._now()
            if self._generation not in (None, state.generation):
                return False  # they were erased; nothing of this run is wanted any more
            self._generation = state.generation
            length = timedelta(seconds=self.policies.remember.retry.lease_s)
            is_held = state.is_leased(now, to_others_than=self.worker, at_most=length)
            if state.rev and is_held and not self.ports.workers.is_gone(state.lease_by or ""):
                return False
            self._leased_until = now + length
            if state.rev:  # else nobody, or nobody any more: a lease would leave their name behind
                tx.save_owner(replace(state, lease_by=self.worker, lease_until=self._leased_until))
            return True

        return self._store.write(self._owner, write)

    def _may_go_on(self) -> bool:
        """Pay for the last row and tell whether to start the next; not once the lease, renewed in time, was lost."""
        self._meter.pay()
        if self.should_stop() or self._leased_until is None:
            return False
        left = self._leased_until - self._now()
        is_had = left.total_seconds() > self.policies.remember.retry.lease_s / 2 or self._claim()
        self._was_lost = self._was_lost or not is_had
        return is_had

    def _policies_for(self, project: str | None) -> Policies:
        with self._store.read(self._owner) as tx:
            return policies_in(tx, project, self.policies)

    def _consolidate(self) -> ConsolidatePolicy:
        return self._policies_for(None).consolidate

    def _now(self) -> datetime:
        return self.ports.clock.now()


def release(tx: Transaction, worker: str) -> None:
    """Free an owner on whom a worker holds the lease."""
    state = tx.owner()
    if state.lease_by == worker:
        tx.save_owner(replace(state, lease_by=None, lease_until=None))


def _put_off_night(tx: Transaction, now: datetime) -> None:
    if tx.owner().night_at is not None:
        tx.save_owner(replace(tx.owner(), night_at=later(now, _PATIENCE)))


def _put_aside(tx: Transaction, episode_id: str) -> None:
    for row in tx.episodes.get([episode_id]):
        if row.next_try is not None and row.status not in _WORKED_ON:
            tx.episodes.update(replace(row, next_try=None), expecting=row.status)


def write_failure(tx: Transaction, row: DueRow, error: Exception, policy: RetryPolicy, *, now: datetime) -> bool:
    """Write on a row, as it is by now, that work on it failed; tell whether that was the last attempt.

    What was forgotten or settled meanwhile stays as it is. An episode that is given up before it was found is FAILED; a
    conversation stays due, for it goes on behind what could not be read.
    """
    given_up = False

    def failed(current: Row) -> Row:
        nonlocal given_up
        again_at = next_try(current.attempts + 1, now, policy)
        given_up = again_at is None
        return after_failure(current, error, again_at)

    if isinstance(row, Conversation):
        if (conversation := tx.conversations.get(row.key)) is not None:
            again = failed(conversation)
            tx.conversations.save(replace(again, due_at=again.due_at or now))
    elif isinstance(row, Episode):
        for episode in tx.episodes.get([row.id]):
            if episode.status in _WORKED_ON or (episode.digest and episode.digest.next_reader):
                changed = failed(episode)
                if given_up and episode.status is EpisodeStatus.PENDING:
                    changed = changed.moved_to(EpisodeStatus.FAILED)
                tx.episodes.update(changed, expecting=episode.status)
    elif isinstance(row, Message):
        tx.messages.update(list(map(failed, tx.messages.get([row.id]))))
    else:
        tx.facts.update(list(map(failed, tx.facts.get([row.id]))))
    return given_up


def retry_failed(ports: Ports, scope: Scope) -> int:
    """Make everything that was given up, or waits after a failure, due again; return how many rows."""
    now = ports.clock.now()

    def write(tx: Transaction) -> int:
        episodes = tx.episodes.page(EpisodeQuery(has_error=True, limit=_RETRY_ROWS))
        for episode in episodes:
            again = episode.moved_to(EpisodeStatus.PENDING) if episode.status is EpisodeStatus.FAILED else episode
            tx.episodes.update(due_from(again, now), expecting=episode.status)
        messages = tx.messages.page(MessageQuery(has_error=True, limit=_RETRY_ROWS))
        tx.messages.update([due_from(message, now) for message in messages])
        waiting = [conversation for conversation in tx.conversations.list() if conversation.attempts]
        for conversation in waiting:
            tx.conversations.save(due_from(conversation, now))
        facts = [fact for fact in tx.facts.all() if fact.attempts]
        tx.facts.update([due_from(fact, now) for fact in facts])
        return len(episodes) + len(messages) + len(waiting) + len(facts)

    total = 0
    while found := ports.store.write(scope, write):
        total += found
    ports.bell.ring()
    return total


def flush(ports: Ports, policies: Policies, scope: Scope, on_progress: Callable[[Drained], None]) -> Drained:
    """End the open episodes of a scope, and do all that is due; wait where another worker does it."""
    drain = Drain(ports, policies, scope, worker=ports.workers.name(), on_progress=on_progress)
    while not drain.run(close_all=True):
        time.sleep(_FLUSH_LOOK_S)
    return drain.done
