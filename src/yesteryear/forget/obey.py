"""STEP: what the person asks to have forgotten in the conversation itself is forgotten.

A request that is clear is obeyed at once, and its own words go too. One that is too broad or unclear stays hidden until
its days are over and says so; a person can do the rest by hand. Among people, who may be speaking to each other, only
the message itself goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from yesteryear.core.episode import Detail, Episode
from yesteryear.core.fact import Fact
from yesteryear.core.language.forgetting import (
    ForgetRequest,
    Reach,
    SubjectKeys,
    read_forget_requests,
    speaks_of,
    subject_keys,
)
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import FORGOTTEN, REFUSED, Message, Role, Verdict
from yesteryear.core.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.core.time import earlier, later
from yesteryear.forget.facts import facts_about
from yesteryear.forget.forget import Chosen, carry_out, cleaning, plan, texts_of
from yesteryear.ports import Store, Transaction

_ROWS_A_PAGE = 200
_BARE = frozenset(
    stems(
        "please don't keep save store remember note record write down log forget delete erase that this private secret"
    )
)
"""Stems of a request that says nothing else."""
RULE = "asked"
"""Name of the rule in the verdict of what was forgotten because the person asked for it."""


@dataclass(frozen=True, slots=True)
class ObeyPolicy:
    """How far a request reaches."""

    most_messages: int = 40
    """Messages above which a request about a subject is not obeyed without asking back; at least 1."""
    last_hours: float = 24.0
    """Hours within which "what I just said" was said."""
    keep_refused_days: float = 30.0
    """Days for which the words of a refused request stay, so that it can be seen and confirmed."""


def obey(
    store: Store,
    scope: Scope,
    *,
    now: datetime,
    may_go_on: Callable[[], bool] = lambda: True,
    policy: ObeyPolicy | None = None,
) -> int:
    """Obey the requests that were not dealt with yet, oldest first, and clean the files of what they were about.

    Args:
        store: Where the rows live.
        scope: Whose.
        now: The present instant.
        may_go_on: Asked before each request; what is left is done another time.
        policy: How far a request may reach.

    Returns:
        Of how many earlier messages the words were erased.
    """
    policy = policy or ObeyPolicy()
    with store.read(scope) as tx:
        if not tx.messages.forget_requests(now, limit=1):
            return 0
    removed: list[bytes] = []
    count = 0
    with cleaning(store, scope, removed, now=now):
        while may_go_on() and (obeyed := _obey_next(store, scope, removed, now=now, policy=policy)) is not None:
            count += obeyed
    return count


def _obey_next(store: Store, scope: Scope, removed: list[bytes], *, now: datetime, policy: ObeyPolicy) -> int | None:
    """Obey the oldest request, note what was removed, return of how many earlier messages; None when all is done."""
    with store.read(scope) as tx:
        asking = tx.messages.forget_requests(now, limit=1)
        if not asking:
            return None
        request = asking[0]
        chosen = _chosen(store, tx, request, policy)
        planned, held = plan(tx, chosen or Chosen())
    if chosen is None:
        store.write(scope, lambda tx: _refuse(tx, request, policy, now=now))
        return 0
    carry_out(store, scope, planned, now=now, rule=RULE)
    store.write(scope, lambda tx: _finish(tx, request, len(planned.messages)))  # last: a kill before it begins again
    removed += [*held, request.content.encode()]
    return len(planned.messages)


def _chosen(store: Store, tx: Transaction, request: Message, policy: ObeyPolicy) -> Chosen | None:
    """Return what a request asks to forget beside itself; None where that is too much to be meant, or unclear."""
    if request.role is not Role.USER:
        return Chosen()  # a reply to a request goes with it
    wishes = read_forget_requests(request.content)
    if not wishes:
        return None
    if _is_among_people(tx, request):
        return Chosen()
    messages: dict[str, Message] = {}
    episodes: dict[str, Episode] = {}
    facts: dict[str, Fact] = {}
    for wish in wishes:
        if wish.reach is Reach.ALL:
            return None
        if wish.reach is Reach.LAST or (wish.reach is Reach.THIS and _is_bare(request.content)):
            messages |= {row.id: row for row in _just_said(tx, request, policy)}
        if wish.reach is Reach.ABOUT:
            about = _said_about(store, tx, request, wish)
            if len(about.messages) > policy.most_messages:
                return None
            messages |= {row.id: row for row in about.messages}
            episodes |= {row.id: row for row in about.episodes}
            facts |= {row.id: row for row in about.facts}
    return Chosen(tuple(messages.values()), tuple(episodes.values()), tuple(facts.values()))


def _is_among_people(tx: Transaction, request: Message) -> bool:
    last = tx.messages.tail(request.key, limit=_ROWS_A_PAGE)
    return len({row.author for row in last if row.role is Role.USER}) > 1


def _just_said(tx: Transaction, request: Message, policy: ObeyPolicy) -> list[Message]:
    """Return what the person said last before a request, and the replies to it."""
    before = tx.messages.span(request.key, after=max(0, request.seq - 1 - _ROWS_A_PAGE), limit=_ROWS_A_PAGE)
    since = earlier(request.at, timedelta(hours=policy.last_hours))
    before = [row for row in before if row.seq < request.seq and row.at >= since]
    said = [row.seq for row in before if row.role is Role.USER and row.content]
    return [row for row in before if said and row.seq >= said[-1]]


def _said_about(store: Store, tx: Transaction, request: Message, wish: ForgetRequest) -> Chosen:
    """Return what was said about a subject before a request, in what the request's own scope sees."""
    keys = subject_keys(wish.subject)
    if keys.is_empty:
        return Chosen()
    here = request.scope
    messages = [
        row
        for row in _pages_of_messages(store, tx)
        if row.id != request.id and _was_before(row, request) and here.sees(row.scope.project, row.scope.agent)
        if row.content and not row.asks_to_forget and speaks_of(row.content, keys)
    ]
    episodes = [
        row
        for row in _pages_of_episodes(store, tx)
        if row.detail is not Detail.VIVID and here.sees(row.scope.project, row.scope.agent) and _tells_of(row, keys)
    ]
    return Chosen(tuple(messages), tuple(episodes), tuple(_known_before(tx, request, wish.subject)))


def _known_before(tx: Transaction, request: Message, subject: str) -> Iterator[Fact]:
    """Yield the facts on a subject for which nothing was said since a request; it may rest on words long gone."""
    said = facts_about(tx, subject)
    since = {
        row.fact_id
        for row in tx.evidence.of([fact.id for fact in said])
        if row.said_at > request.at or row.recorded_at > request.recorded_at
    }
    for fact in said:
        if request.scope.sees(fact.scope.project, fact.scope.agent) and fact.id not in since:
            yield fact


def _is_bare(text: str) -> bool:
    """Tell whether a message says nothing but that something must not be kept, so that it means the one before."""
    return set(stems(text)) <= _BARE


def _was_before(message: Message, request: Message) -> bool:
    """Tell whether a message was said, and known, before a request; a history may be brought in in any order."""
    if message.key == request.key:
        return message.seq < request.seq
    return message.at <= request.at and message.recorded_at <= request.recorded_at


def _tells_of(episode: Episode, keys: SubjectKeys) -> bool:
    return any(speaks_of(text, keys) for text in texts_of(episode))


def _pages_of_messages(store: Store, tx: Transaction) -> Iterator[Message]:
    query = MessageQuery(limit=_ROWS_A_PAGE)
    while page := tx.messages.page(query):
        yield from page
        query = replace(query, after=page[-1].id)
        store.give_way()


def _pages_of_episodes(store: Store, tx: Transaction) -> Iterator[Episode]:
    query = EpisodeQuery(limit=_ROWS_A_PAGE)
    while page := tx.episodes.page(query):
        yield from page
        query = replace(query, after=page[-1].id)
        store.give_way()


def _refuse(tx: Transaction, request: Message, policy: ObeyPolicy, *, now: datetime) -> None:
    """Leave a request for the person to confirm: its exchange stays hidden, and its verdict says so."""
    until = later(max(now, request.recorded_at), timedelta(days=policy.keep_refused_days))
    tx.messages.update([replace(_noted(row, REFUSED, 1), expires_at=until) for row in _again(tx, request)])


def _finish(tx: Transaction, request: Message, count: int) -> None:
    """Erase the words of a request that was obeyed, and note how many messages it reached."""
    rows = [replace(_noted(row, FORGOTTEN, count), content="", expires_at=None) for row in _again(tx, request)]
    tx.messages.update([replace(row, vector_due_at=None, error=None) for row in rows])
    tx.vectors.forget([row.id for row in rows])


def _again(tx: Transaction, request: Message) -> Sequence[Message]:
    return tx.messages.get([request.id])


def _noted(message: Message, feature: str, value: float) -> Message:
    verdict: Verdict | None = message.verdict
    if verdict is None:
        return message
    return replace(message, verdict=replace(verdict, features={**verdict.features, feature: value}))
