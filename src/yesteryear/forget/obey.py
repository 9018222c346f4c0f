"""STEP: what somebody asks to have forgotten in the conversation itself is hidden, and erased when its days are over.

Only what points at what is being said, or was just said, is obeyed, and it reaches its author's own words alone, with
the replies to them. All else is a proposal; see ``propose``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from yesteryear.core.erasure import Forgetting, Withheld
from yesteryear.core.language.requests import Reach, read_forget_request
from yesteryear.core.message import FORGOTTEN, OBEYED, Message, Outcome, Reason, Role, Source, Verdict
from yesteryear.core.scope import Scope
from yesteryear.core.time import earlier, later
from yesteryear.core.whose_words import find_brought
from yesteryear.forget.forget import Chosen, batches, cleaning, forget_facts, forget_messages, plan
from yesteryear.forget.seal import RESTORED, Sealing, traces_of_hidden
from yesteryear.ports import Store, Transaction

_ROWS_A_PAGE = 200
_READ_BEFORE = 3
"""Messages before a request that are read to tell whether it was brought along."""
_ALL = 1_000_000_000
_DUE_A_WRITE = 64


@dataclass(frozen=True, slots=True)
class ForgetPolicy:
    """How far a request reaches, and how long it can be taken back."""

    retention_days: float = 30.0
    """Days for which what was forgotten in talk is hidden before it is erased; 0 to erase at once."""
    proposal_days: float = 7.0
    """Days, above 0, after which a proposal that nobody has answered lapses."""
    last_hours: float = 24.0
    """Hours within which "what I just said" was said."""


def obey(
    store: Store,
    scope: Scope,
    *,
    now: datetime,
    should_continue: Callable[[], bool] = lambda: True,
    policy: ForgetPolicy | None = None,
) -> int:
    """Obey the requests that were not dealt with yet, oldest first.

    Args:
        should_continue: Asked before each request; what is left is done another time.

    Returns:
        How many earlier messages were hidden, or erased where nothing is to be kept.
    """
    policy = policy or ForgetPolicy()
    count = 0
    while should_continue() and (obeyed := _obey_next(store, scope, now=now, policy=policy)) is not None:
        count += obeyed
    return count


def erase_hidden(
    store: Store, scope: Scope, *, now: datetime, should_continue: Callable[[], bool] = lambda: True
) -> int:
    """Erase what was hidden and has had its days, drop proposals that have lapsed, and clean the files of them.

    Returns:
        Of how many messages nothing is left.
    """
    with store.read(scope) as tx:
        due = [row for row in tx.forgettings.due(now, limit=_ALL) if row.confirmed_at is None]
    if not due:
        return 0
    erased = 0
    removed = list(traces_of_hidden(due))
    with cleaning(store, scope, removed, now=now) if removed else nullcontext():
        for rows in batches(due, _DUE_A_WRITE):
            if not should_continue():
                break
            store.write(scope, partial(_drop, rows=rows))
            erased += sum(row.kind is Withheld.MESSAGE for row in rows)
    return erased


def _drop(tx: Transaction, rows: Sequence[Forgetting]) -> None:
    tx.forgettings.remove(rows)


def sealing_of(request: Message, policy: ForgetPolicy, *, now: datetime) -> Sealing | None:
    """Return how what a message asks to forget is laid aside; None where nothing is to be left of it."""
    if policy.retention_days <= 0:
        return None
    until = later(max(now, request.recorded_at), timedelta(days=policy.retention_days))
    return Sealing(request.id, request.author, request.at, until)


def _obey_next(store: Store, scope: Scope, *, now: datetime, policy: ForgetPolicy) -> int | None:
    """Obey the oldest request; return how many earlier messages it reached, None when all is done.

    All in one transaction: begun again after a kill, "what I just said" would be what was said before that. A message
    that was brought along, that an earlier version took for a request, or that replies to one is shown again.
    """
    with store.read(scope) as tx:
        asking = tx.messages.forget_requests(now, limit=1)
        if not asking:
            return None
        row, before = asking[0], _before(tx, asking[0])
        own = [said for said in (*before, row) if said.role is Role.USER]
        request = own[-1] if own else row  # that which the row makes, or to which it replies
        requested = read_forget_request(request.content) if request is row else None
        is_brought = row.id in find_brought([row], before=before[-_READ_BEFORE:])
        last = _just_said(row, before, policy) if requested is not None and requested.reach is Reach.LAST else []
        ids = [*(said.id for said in last), row.id]
        facts = tx.facts.get(_resting_on(tx, ids))
        _, removed = plan(tx, Chosen((*last, row), facts=tuple(facts)))
    is_refused = is_brought or (request is row and (requested is None or requested.is_proposal))
    sealing = sealing_of(request, policy, now=now)

    def work(tx: Transaction) -> None:
        if is_refused:
            source = Source.BROUGHT if is_brought else None
            verdict = Verdict(Outcome.SKIP, Reason.TRANSIENT, 0.0, 0.0, RESTORED, source=source)
            tx.messages.update([replace(said, verdict=verdict, expires_at=None) for said in tx.messages.get([row.id])])
        elif any(message.asks_to_forget for message in tx.messages.get([row.id])):  # else somebody else was faster
            forget_facts(tx, _resting_on(tx, ids), now=now, sealing=sealing)
            forget_messages(tx, ids, rule=OBEYED, now=now, sealing=sealing)
            tx.messages.update([_noted(said, len(last)) for said in tx.messages.get([row.id])])

    with nullcontext() if sealing or is_refused else cleaning(store, scope, removed, now=now):
        store.write(scope, work)
    return 0 if is_refused else len(last)


def _resting_on(tx: Transaction, ids: Collection[str]) -> list[str]:
    """Return the facts that no other message speaks for, also those that the person's own hand does."""
    touched = list({told.fact_id: None for told in tx.evidence.of_messages(list(ids))})
    others = {told.fact_id for told in tx.evidence.of(touched) if told.message_id and told.message_id not in ids}
    return [name for name in touched if name not in others]


def _before(tx: Transaction, row: Message) -> list[Message]:
    rows = tx.messages.span(row.key, after=max(0, row.seq - 1 - _ROWS_A_PAGE), limit=_ROWS_A_PAGE)
    return [said for said in rows if said.seq < row.seq]


def _just_said(request: Message, before: Sequence[Message], policy: ForgetPolicy) -> list[Message]:
    """Return what the author of a request said last before it, and the replies to that."""
    since = earlier(request.at, timedelta(hours=policy.last_hours))
    recent = [row for row in before if row.at >= since and row.content]
    own = [place for place, row in enumerate(recent) if row.author == request.author and _tells(row)]
    if not own:
        return []
    replies = takewhile(lambda row: row.role is not Role.USER, recent[own[-1] + 1 :])
    return [recent[own[-1]], *replies]


def _tells(row: Message) -> bool:
    """Tell whether somebody says something with a message, and does not only ask that the one before be forgotten."""
    requested = read_forget_request(row.content)
    return row.role is Role.USER and (requested is None or requested.reach is not Reach.LAST)


def _noted(message: Message, count: int) -> Message:
    """Note with a request that was obeyed how many messages it reached."""
    verdict = message.verdict
    if verdict is None:
        return message
    return replace(message, verdict=replace(verdict, features={**verdict.features, FORGOTTEN: float(count)}))
