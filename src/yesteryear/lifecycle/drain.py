"""STEP: everything that is due for one owner, in order. Used by the worker and by ``flush``.

One drainer per owner, by lease. What fails is written down on its row with the time of the next attempt; after the last
attempt the row is FAILED and everything behind it goes on.
"""

from __future__ import annotations

import logging
import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from yesteryear.consolidate.belief.compare_new import believe_due
from yesteryear.consolidate.night.cycle import pass_night, put_off_night
from yesteryear.consolidate.policy import ConsolidatePolicy
from yesteryear.consolidate.retention.sweep import fade, is_due, schedule_fading, settle_relevance, settle_stale
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.message import Conversation, Message
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import Attempt, DueRow, Row, after_failure, due_from, waits_after_failure
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import FOREVER
from yesteryear.errors import Stale
from yesteryear.forget.obey import erase_hidden, obey
from yesteryear.forget.propose import carry_on
from yesteryear.lifecycle.billing import UsageMeter
from yesteryear.lifecycle.reread import reread, state_anew
from yesteryear.policies import Policies, policies_in
from yesteryear.ports import Ports, Transaction
from yesteryear.remember.embed import (
    activate_episode,
    embed_messages,
    finish_reembedding,
    serve_first_model,
    start_reembedding,
)
from yesteryear.remember.journal import RetryPolicy, next_try
from yesteryear.remember.make_episodes import give_up, ingest, redigest
from yesteryear.remember.record import date_undated

log = logging.getLogger("yesteryear.lifecycle.drain")

_WORKED_ON = (EpisodeStatus.PENDING, EpisodeStatus.ACTIVE)
_BATCH = 16
"""Rows embedded between two commits; well below the 64 rows a worker's transaction may have."""
_RETRY_ROWS = 32
"""Rows of each kind made due again in one transaction."""
_FLUSH_LOOK_S = 0.01
"""Pause between two looks while a worker, here or in another process, holds the owner, in seconds."""


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


class Drain:
    """One run over one owner's due rows."""

    def __init__(
        self,
        ports: Ports,
        policies: Policies,
        scope: Scope,
        *,
        worker: str,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[Drained], None] = lambda _: None,
    ) -> None:
        self._meter = UsageMeter(ports, scope)
        self._ports = self._meter.ports
        self._policies = policies
        self._scope = scope
        self._store, self._owner = ports.store, scope.owner.scope
        self._worker = worker
        self._should_stop = should_stop
        self._on_progress = on_progress
        self._leased_until: datetime | None = None
        self._was_lost = False
        self._generation: int | None = None
        self.done = Drained()

    def run(self, *, close_all: bool = False) -> bool:
        """Do everything that is due; tell whether the lease was had to the end.

        Args:
            close_all: End the open tails of the visible conversations first (``flush``), and leave alone what is
                only a matter of time, such as the expiry of skipped text.
        """
        self._was_lost = False
        self._generation = None
        if not self._claim():
            return False
        self._meter.limit(self._policies_for(None).budget)
        try:
            self._obey()  # first: what was asked to be forgotten is read by nobody
            self._segment(close_all=close_all)
            self._obey()  # and what was taken for a request only with the talk around it
            self._embed(is_flush=close_all)
            self._believe(is_flush=close_all)
            finish_reembedding(self._store, self._owner, self._ports.embedder.profile.model)
            if not close_all:
                self._pass_the_night()
                self._let_go()
                self._reread()  # last, and some at a time: what is said now does not wait for what was said long ago
        finally:
            self._meter.pay()
            self._release()
        return not self._was_lost

    def _segment(self, *, close_all: bool) -> None:
        for conversation in self._conversations(close_all=close_all):
            if not self._may_go_on():
                return
            ports = self._ports
            with Attempt() as attempt:
                written = ingest(
                    ports,
                    self._owner,
                    conversation.key,
                    policy=self._policies_for(conversation.key.project).remember,
                    now=self._now(),
                    close_all=close_all,
                    should_continue=self._may_go_on,
                )
                self.done += Drained(episodes=written)
                settle_relevance(self._store, self._owner, conversation.key, self._consolidate(), now=self._now())
            if attempt.error is not None:
                self._fail(conversation, attempt.error)
            self._on_progress(self.done)

        settle_stale(self._store, self._owner, self._consolidate(), now=self._now())

    def _conversations(self, *, close_all: bool) -> Sequence[Conversation]:
        now = self._now()
        with self._store.read(self._scope if close_all else self._owner) as tx:
            if not close_all:
                return tx.conversations.due(now, limit=_BATCH * 4)
            return [row for row in tx.conversations.list() if row.open_messages and not waits_after_failure(row, now)]

    def _embed(self, *, is_flush: bool) -> None:
        """Give vectors to all episodes and messages that are due, each at most once in this run.

        Those that are to be read again get theirs after that.

        A flush also takes rows whose time has not come because the clock went back, but not those that wait after a
        failure.
        """
        ports, model = self._ports, self._ports.embedder.profile.model
        start_reembedding(self._store, self._owner, model, now=self._now(), is_fallback=ports.is_fallback_embedder)
        left: set[str] = set()  # what stays due: it failed in this run, or waits after an earlier failure
        while self._may_go_on():
            now = self._now()
            until, limit = FOREVER if is_flush else now, len(left) + _BATCH
            with ports.store.read(self._owner) as tx:
                due = tx.episodes.due(until, limit=limit, next_reader="")
                episodes = [row for row in due if row.id not in left][:_BATCH]
                messages = [row for row in tx.messages.due(until, limit=limit) if row.id not in left][:_BATCH]
            if not episodes and not messages:
                break
            for episode in episodes:
                if waits_after_failure(episode, now) or not self._activate(episode):
                    left.add(episode.id)
            waiting = [message for message in messages if waits_after_failure(message, now)]
            left.update(message.id for message in waiting)
            left.update(self._embed_batch([message for message in messages if message not in waiting]))
            self._on_progress(self.done)

    def _reread(self) -> None:
        """Read some old episodes again that are marked for it, one after another."""
        now = self._now()
        with self._store.read(self._owner) as tx:
            due = tx.episodes.due(now, limit=_BATCH, next_reader=self._ports.reads_by)
        for episode in due:
            if not self._may_go_on():
                return
            with Attempt() as attempt:
                policy = self._policies_for(episode.scope.project).remember
                reread(self._ports, self._owner, episode, policy=policy, now=self._now())
                self.done += Drained(rereadings=1)
            if attempt.error is not None:
                self._fail(episode, attempt.error)
            self._on_progress(self.done)

    def _activate(self, episode: Episode) -> bool:
        """Digest where need be, and embed; tell whether it went well."""
        ports = self._ports
        with Attempt() as attempt:
            if episode.digest is None:
                key = ConversationKey(episode.scope.project, episode.scope.agent, episode.conversation)
                policy = self._policies_for(key.project).remember
                anew = partial(state_anew, episode=episode, ports=ports, policy=policy, now=self._now())
                redigest(ports, self._owner, episode, policy=policy, state=anew)
                with ports.store.read(self._owner) as tx:
                    episode = tx.episodes.get([episode.id])[0]
            if episode.status in _WORKED_ON:
                fade, now = self._consolidate().fade, self._now()
                activate_episode(
                    ports.store,
                    ports.embedder,
                    self._owner,
                    episode,
                    then=lambda tx: schedule_fading(tx, episode.id, fade, now=now),
                )
                self.done += Drained(vectors=1)
            else:
                self._put_aside(episode.id)
        if attempt.error is not None:
            self._fail(episode, attempt.error)
        return attempt.error is None

    def _put_aside(self, episode_id: str) -> None:
        """Leave an episode that is not found any more without a vector, and due for nothing."""

        def write(tx: Transaction) -> None:
            for row in tx.episodes.get([episode_id]):
                if row.next_try is not None and row.status not in _WORKED_ON:
                    tx.episodes.update(replace(row, next_try=None), expecting=row.status)

        self._store.write(self._owner, write)

    def _embed_batch(self, messages: Sequence[Message]) -> list[str]:
        """Embed messages together, and one by one when that fails; return the ids of those that failed alone."""
        if not messages:
            return []
        with Attempt() as attempt:
            embed_messages(self._store, self._ports.embedder, self._owner, messages)
        if attempt.error is None:
            self.done += Drained(vectors=len(messages))
            return []
        if len(messages) > 1:
            return [failed for message in messages for failed in self._embed_batch([message])]
        self._fail(messages[0], attempt.error)
        return [messages[0].id]

    def _believe(self, *, is_flush: bool) -> None:
        """Compare all facts that are due with what is known."""
        for compared in believe_due(
            self._ports,
            self._owner,
            self._consolidate(),
            is_flush=is_flush,
            fail=self._fail,
            should_continue=self._may_go_on,
            serve=serve_first_model,
        ):
            self.done += Drained(facts=compared)
            self._on_progress(self.done)

    def _pass_the_night(self) -> None:
        """Run the night when it is due; what goes wrong there must not hold up the rest."""
        with Attempt() as attempt:
            policy, now = self._consolidate(), self._now()
            was_run = pass_night(self._ports, self._owner, policy, now=now, should_continue=self._may_go_on)
            self.done += Drained(nights=int(was_run))
        if attempt.error is not None:
            self._note(attempt.error, "the night")
            put_off_night(self._ports, self._owner, now=self._now())
        self._on_progress(self.done)

    def _obey(self) -> None:
        """Hide what was asked to be forgotten, and erase what has had its days; a failure there holds nothing up."""
        with Attempt() as attempt:
            store, scope, now = self._store, self._owner, self._now()
            policy = self._policies_for(None).forget
            count = obey(store, scope, now=now, should_continue=self._may_go_on, policy=policy)
            count += carry_on(store, scope, now=now, should_continue=self._may_go_on, policy=policy)
            self.done += Drained(forgotten=count)
            erase_hidden(store, scope, now=now, should_continue=self._may_go_on)
        if attempt.error is not None:
            self._note(attempt.error, "a request to forget")
        self._on_progress(self.done)

    def _let_go(self) -> None:
        """Let go what has faded, what is too much, and skipped text whose days are over."""
        fade_policy, now = self._consolidate().fade, self._now()
        defaults = self._policies
        date_undated(
            self._store, self._owner, lambda tx, project: policies_in(tx, project, defaults).remember.journal, now
        )
        with self._store.read(self._owner) as tx:
            if not is_due(tx, fade_policy, now=now):
                return
        let_go = fade(self._store, self._owner, fade_policy, now=now, should_continue=self._may_go_on)
        changed = {*let_go.to_gist, *let_go.archived}
        self.done += Drained(expired=len(let_go.expired), faded=len(changed))

    def _fail(self, row: DueRow, error: Exception) -> None:
        """Write on a row what went wrong there and when it is tried again."""
        if isinstance(error, Stale):
            return  # it was changed meanwhile and is due still
        what = repr(row.key.name) if isinstance(row, Conversation) else row.id
        self._note(error, f"{type(row).__name__.lower()} {what}")
        store, now = self._store, self._now()
        retry = self._policies.remember.retry
        is_last = store.write(self._owner, lambda tx: write_failure(tx, row, error, retry, now=now))
        if is_last and isinstance(row, Conversation):
            policy = self._policies_for(row.key.project).remember
            give_up(self._ports, self._owner, row.key, error=str(error), policy=policy, now=now)

    def _note(self, error: Exception, what: str) -> None:
        self.done += Drained(failures=1)
        log.warning("work on %s failed: %s", what, error, exc_info=error)

    def _claim(self) -> bool:
        def write(tx: Transaction) -> bool:
            state, now = tx.owner(), self._now()
            if self._generation not in (None, state.generation):
                return False  # they were erased; nothing of this run is wanted any more
            self._generation = state.generation
            length = timedelta(seconds=self._policies.remember.retry.lease_s)
            is_held = state.is_leased(now, to_others_than=self._worker, at_most=length)
            if state.rev and is_held and not self._ports.workers.is_gone(state.lease_by or ""):
                return False
            self._leased_until = now + length
            if state.rev:  # else nobody, or nobody any more: a lease would leave their name behind
                tx.save_owner(replace(state, lease_by=self._worker, lease_until=self._leased_until))
            return True

        return self._store.write(self._owner, write)

    def _release(self) -> None:
        def write(tx: Transaction) -> None:
            state = tx.owner()
            if state.lease_by == self._worker:
                tx.save_owner(replace(state, lease_by=None, lease_until=None))

        self._store.write(self._owner, write)

    def _may_go_on(self) -> bool:
        """Pay for the last row and tell whether to start the next, renewing the lease in good time.

        False once it was lost.
        """
        self._meter.pay()
        if self._should_stop() or self._leased_until is None:
            return False
        left = self._leased_until - self._now()
        is_had = left.total_seconds() > self._policies.remember.retry.lease_s / 2 or self._claim()
        self._was_lost = self._was_lost or not is_had
        return is_had

    def _policies_for(self, project: str | None) -> Policies:
        with self._store.read(self._owner) as tx:
            return policies_in(tx, project, self._policies)

    def _consolidate(self) -> ConsolidatePolicy:
        return self._policies_for(None).consolidate

    def _now(self) -> datetime:
        return self._ports.clock.now()


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
        conversation = tx.conversations.get(row.key)
        if conversation is not None:
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
