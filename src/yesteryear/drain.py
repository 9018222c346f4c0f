"""STEP: everything that is due for one owner, in order. Used by the worker and by ``flush``.

One drainer per owner, by lease. What fails is written down on its row with the time of the next attempt; after the last
attempt the row is FAILED and everything behind it goes on.
"""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta

from yesteryear.billing import Tab
from yesteryear.consolidate.due import DueFacts, pass_night, put_off_night
from yesteryear.consolidate.letting_go import admit, fade, is_due
from yesteryear.consolidate.noticing import notice_stale, notice_uptake
from yesteryear.core.attempt import Attempt
from yesteryear.core.conversation import Conversation
from yesteryear.core.due import DueRow, Row, after_failure, due_from, waits_after_failure
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.message import Message
from yesteryear.core.plain import Plain
from yesteryear.core.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import FOREVER
from yesteryear.errors import InputError, Stale
from yesteryear.forget.obey import erase_hidden, obey
from yesteryear.forget.propose import carry_on
from yesteryear.policies import OVERRIDABLE, Policies, check_overrides
from yesteryear.ports import Ports, Setting, Transaction
from yesteryear.remember.activate import (
    activate_episode,
    embed_messages,
    finish_reembedding,
    serve_first_model,
    start_reembedding,
)
from yesteryear.remember.ingest import give_up, ingest, redigest
from yesteryear.remember.retry import RetryPolicy, next_try
from yesteryear.remember.settings import date_undated

_MOST_NAMED = 5
"""Most unknown settings that the log names."""
log = logging.getLogger("yesteryear.drain")

_WORKED_ON = (EpisodeStatus.PENDING, EpisodeStatus.ACTIVE)
"""Which episodes a worker has something to do for."""
_BATCH = 16
"""Rows embedded between two commits; well below the 64 rows a worker's transaction may have."""
_RETRY_ROWS = 32
"""Rows of each kind made due again in one transaction."""


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
        self._tab = Tab(ports, scope)
        self._ports = self._tab.ports
        self._policies = policies
        self._scope = scope
        self._owner_scope = Scope(tenant=scope.tenant, user=scope.user)
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
        self._tab.limit(self._policies_for(None).budget)
        try:
            self._obey()  # first: what was asked to be forgotten is read by nobody
            self._segment(close_all=close_all)
            self._obey()  # and what was taken for a request only with the talk around it
            self._embed(is_flush=close_all)
            self._believe(is_flush=close_all)
            finish_reembedding(self._ports.store, self._owner_scope, self._ports.embedder.profile.model)
            if not close_all:
                self._pass_the_night()
                self._let_go()
        finally:
            self._tab.pay()
            self._release()
        return not self._was_lost

    def _segment(self, *, close_all: bool) -> None:
        for conversation in self._conversations(close_all=close_all):
            if not self._may_go_on():
                return
            ports = self._ports
            with Attempt() as attempt:
                written = ingest(
                    ports.store,
                    ports.embedder,
                    ports.analyst,
                    ports.ids,
                    self._scope.owner,
                    key=conversation.key,
                    policy=self._policies_for(conversation.key.project).remember,
                    now=self._now(),
                    close_all=close_all,
                    may_go_on=self._may_go_on,
                )
                self.done += Drained(episodes=written)
                self._notice(conversation.key)
            if attempt.error is not None:
                self._fail(conversation, attempt.error)
            self._on_progress(self.done)

        policy = self._policies_for(None).consolidate
        notice_stale(self._ports.store, self._owner_scope, policy, now=self._now())

    def _conversations(self, *, close_all: bool) -> Sequence[Conversation]:
        with self._ports.store.read(self._scope if close_all else self._owner_scope) as tx:
            if close_all:
                return [conversation for conversation in tx.conversations.list() if self._may_close(conversation)]
            return tx.conversations.due(self._now(), limit=_BATCH * 4)

    def _may_close(self, conversation: Conversation) -> bool:
        """Tell whether a flush works on a conversation: not while it waits after a failure."""
        return bool(conversation.open_messages) and not waits_after_failure(conversation, self._now())

    def _embed(self, *, is_flush: bool) -> None:
        """Give vectors to all episodes and messages that are due, each at most once in this run.

        A flush also takes rows whose time has not come because the clock went back, but not those that wait after a
        failure.
        """
        ports, model = self._ports, self._ports.embedder.profile.model
        start_reembedding(
            ports.store, self._owner_scope, model, now=self._now(), is_fallback=ports.is_fallback_embedder
        )
        left: set[str] = set()  # what stays due: it failed in this run, or waits after an earlier failure
        while self._may_go_on():
            now = self._now()
            until, limit = FOREVER if is_flush else now, len(left) + _BATCH
            with ports.store.read(self._owner_scope) as tx:
                episodes = [row for row in tx.episodes.due(until, limit=limit) if row.id not in left][:_BATCH]
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

    def _activate(self, episode: Episode) -> bool:
        """Digest where need be, and embed; tell whether it went well."""
        ports = self._ports
        with Attempt() as attempt:
            if episode.digest is None:
                key = ConversationKey(episode.scope.project, episode.scope.agent, episode.conversation)
                policy = self._policies_for(key.project).remember
                redigest(ports, self._owner_scope, episode, policy=policy, now=self._now())
                with ports.store.read(self._owner_scope) as tx:
                    episode = tx.episodes.get([episode.id])[0]
            if episode.status in _WORKED_ON:
                fade, now = self._policies_for(None).consolidate.fade, self._now()
                activate_episode(
                    ports.store,
                    ports.embedder,
                    self._owner_scope,
                    episode,
                    then=lambda tx: admit(tx, episode.id, fade, now=now),
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

        self._ports.store.write(self._owner_scope, write)

    def _embed_batch(self, messages: Sequence[Message]) -> list[str]:
        """Embed messages together, and one by one when that fails, so that one bad text stands alone.

        Returns:
            The ids of those that failed.
        """
        if not messages:
            return []
        with Attempt() as attempt:
            embed_messages(self._ports.store, self._ports.embedder, self._owner_scope, messages)
        if attempt.error is None:
            self.done += Drained(vectors=len(messages))
            return []
        if len(messages) > 1:
            return [failed for message in messages for failed in self._embed_batch([message])]
        self._fail(messages[0], attempt.error)
        return [messages[0].id]

    def _believe(self, *, is_flush: bool) -> None:
        """Compare all facts that are due with what is known."""
        due = DueFacts(
            self._ports,
            self._owner_scope,
            self._policies_for(None).consolidate,
            fail=self._fail,
            may_go_on=self._may_go_on,
            serve=serve_first_model,
        )
        for compared in due.believe(is_flush=is_flush):
            self.done += Drained(facts=compared)
            self._on_progress(self.done)

    def _pass_the_night(self) -> None:
        """Run the night when it is due; what goes wrong there must not hold up the rest."""
        with Attempt() as attempt:
            was_run = pass_night(
                self._ports,
                self._owner_scope,
                self._policies_for(None).consolidate,
                now=self._now(),
                may_go_on=self._may_go_on,
            )
            self.done += Drained(nights=int(was_run))
        if attempt.error is not None:
            self._note(attempt.error, "the night")
            put_off_night(self._ports, self._owner_scope, now=self._now())
        self._on_progress(self.done)

    def _notice(self, key: ConversationKey) -> None:
        """Strengthen what the person took up again of what contexts had shown."""
        policy = self._policies_for(None).consolidate
        notice_uptake(self._ports.store, self._owner_scope, key, policy, now=self._now())

    def _obey(self) -> None:
        """Hide what was asked to be forgotten, and erase what has had its days; a failure there holds nothing up."""
        with Attempt() as attempt:
            store, scope, now = self._ports.store, self._owner_scope, self._now()
            policy = self._policies_for(None).forget
            count = obey(store, scope, now=now, may_go_on=self._may_go_on, policy=policy)
            count += carry_on(store, scope, now=now, may_go_on=self._may_go_on, policy=policy)
            self.done += Drained(forgotten=count)
            erase_hidden(store, scope, now=now, may_go_on=self._may_go_on)
        if attempt.error is not None:
            self._note(attempt.error, "a request to forget")
        self._on_progress(self.done)

    def _let_go(self) -> None:
        """Let go what has faded, what is too much, and skipped text whose days are over."""
        fade_policy, now = self._policies_for(None).consolidate.fade, self._now()
        date_undated(
            self._ports.store,
            self._owner_scope,
            lambda tx, project: policies_in(tx, project, self._policies).remember.journal,
            now,
        )
        with self._ports.store.read(self._owner_scope) as tx:
            if not is_due(tx, fade_policy, now=now):
                return
        let_go = fade(self._ports.store, self._owner_scope, fade_policy, now=now, may_go_on=self._may_go_on)
        changed = {*let_go.to_gist, *let_go.archived}
        self.done += Drained(expired=len(let_go.expired), faded=len(changed))

    def _fail(self, row: DueRow, error: Exception) -> None:
        """Write on a row what went wrong there and when it is tried again."""
        if isinstance(error, Stale):
            return  # it was changed meanwhile and is due still
        what = repr(row.key.name) if isinstance(row, Conversation) else row.id
        self._note(error, f"{type(row).__name__.lower()} {what}")
        store, now = self._ports.store, self._now()
        retry = self._policies.remember.retry
        is_last = store.write(self._owner_scope, lambda tx: write_failure(tx, row, error, retry, now=now))
        if is_last and isinstance(row, Conversation):
            policy = self._policies_for(row.key.project).remember
            give_up(store, self._ports.ids, self._scope.owner, row.key, error=str(error), policy=policy, now=now)

    def _note(self, error: Exception, what: str) -> None:
        self.done += Drained(failures=1)
        log.warning("work on %s failed: %s", what, error, exc_info=error)

    def _claim(self) -> bool:
        ports = self._ports

        def write(tx: Transaction) -> bool:
            state, now = tx.owner(), self._now()
            if self._generation not in (None, state.generation):
                return False  # they were erased; nothing of this run is wanted any more
            self._generation = state.generation
            if not state.rev:  # nobody, or nobody any more: a lease would leave their name behind
                self._leased_until = now + timedelta(seconds=self._policies.remember.retry.lease_s)
                return True
            length = timedelta(seconds=self._policies.remember.retry.lease_s)
            is_held = state.is_leased(now, to_others_than=self._worker, at_most=length)
            if is_held and not ports.workers.is_gone(state.lease_by or ""):
                return False
            self._leased_until = now + length
            tx.save_owner(replace(state, lease_by=self._worker, lease_until=self._leased_until))
            return True

        return ports.store.write(self._owner_scope, write)

    def _release(self) -> None:
        def write(tx: Transaction) -> None:
            state = tx.owner()
            if state.lease_by == self._worker:
                tx.save_owner(replace(state, lease_by=None, lease_until=None))

        self._ports.store.write(self._owner_scope, write)

    def _may_go_on(self) -> bool:
        """Pay for the last row and tell whether to start the next, renewing the lease in good time.

        False once it was lost.
        """
        self._tab.pay()
        if self._should_stop() or self._leased_until is None:
            return False
        left = self._leased_until - self._now()
        is_had = left.total_seconds() > self._policies.remember.retry.lease_s / 2 or self._claim()
        self._was_lost = self._was_lost or not is_had
        return is_had

    def _policies_for(self, project: str | None) -> Policies:
        with self._ports.store.read(self._owner_scope) as tx:
            return policies_in(tx, project, self._policies)

    def _now(self) -> datetime:
        return self._ports.clock.now()


def policies_in(tx: Transaction, project: str | None, defaults: Policies) -> Policies:
    """Return the policies that hold for an owner's project: defaults, then the user's settings, then the project's.

    What was stored by another version and fits no longer is left aside, and said in the log.
    """
    stored = {**tx.overrides.get(None), **(tx.overrides.get(project) if project is not None else {})}
    overrides = {name: stored[name] for name in OVERRIDABLE if name in stored}
    if unknown := stored.keys() - OVERRIDABLE:
        log.warning("a stored setting is left aside: there is no %s", ", ".join(sorted(unknown)[:_MOST_NAMED]))
    if not overrides:
        return defaults
    try:
        return defaults.with_overrides(overrides)
    except InputError as exc:
        log.warning("a stored setting is left aside: %s", exc)
    return defaults.with_overrides({name: value for name, value in overrides.items() if _fits(name, value)})


def _fits(name: str, value: Setting) -> bool:
    try:
        check_overrides({name: value})
    except InputError:
        return False
    return True


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
            if episode.status in _WORKED_ON:
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
    return total
