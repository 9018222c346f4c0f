"""STEP: "keep this after all": what the gate skipped becomes an episode, and facts, because a person says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile

from yesteryear.core.episode import frame_episode
from yesteryear.core.message import BY_HAND, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.time import to_microseconds
from yesteryear.errors import InputError, NotFound
from yesteryear.ports import IdSource, Transaction
from yesteryear.remember.segment import ClosedBy

_REACH = 32
"""Messages to each side that are looked at for what was judged together; an exchange is much shorter."""
_REASONS_TO_REFUSE = {
    Reason.INSTRUCTION_INJECTION: "holds orders to an assistant, so it stays hidden; say in your own words what to "
    "remember of it",
    Reason.FORGET_REQUEST: "is hidden by a request to forget; restore() it while that is possible, or say it anew",
}


def keep_message(tx: Transaction, name: str, ids: IdSource, *, now: datetime) -> Message:
    """Keep a message that the gate skipped, with what was judged together with it, and return it.

    It becomes an episode of its own, which the worker digests. What is kept already is left as it is.

    Args:
        tx: A transaction that sees the message.
        name: Id of the message, ours or the caller's.
        ids: Names the episode.
        now: The present instant.

    Raises:
        NotFound: no message here has this id.
        InputError: there is nothing that could be kept; the message says what to do.
    """
    message = _find(tx, name)
    if message.is_kept and message.episode_id is not None:
        return message
    exchange = _judged_with(tx, message)
    _check(message, exchange)
    episode = replace(
        frame_episode(exchange, ids.new(to_microseconds(now) // 1000), now=now, closed_by=ClosedBy.KEPT.value),
        next_try=now,
    )
    tx.episodes.insert(episode)
    tx.messages.update(
        [replace(row, verdict=_by_hand(row.verdict), episode_id=episode.id, expires_at=None) for row in exchange]
    )
    return tx.messages.get([message.id])[0]


def _find(tx: Transaction, name: str) -> Message:
    found = tx.messages.named([name])
    if not found:
        raise NotFound(f"no message here has the id {name!r}; ids stand in messages()")
    if len(found) > 1:
        raise InputError(f"{len(found)} conversations have a message {name!r}; pass our own id, as messages() tells it")
    return found[0]


def _judged_with(tx: Transaction, message: Message) -> list[Message]:
    """Return the messages of the exchange that a message was judged in, the first of which holds the features."""
    around = tx.messages.span(message.key, after=max(0, message.seq - 1 - _REACH), limit=2 * _REACH)
    before = [row for row in around if row.seq <= message.seq]
    marked = [row.seq for row in before if row.verdict is not None and row.verdict.features]
    begins = marked[-1] if marked else message.seq
    after = takewhile(
        lambda row: row.verdict is not None and not row.verdict.features,
        (row for row in around if row.seq > message.seq),
    )
    return [row for row in (*before, *after) if row.seq >= begins and row.content and not row.is_kept]


def _check(message: Message, exchange: Sequence[Message]) -> None:
    """Refuse what cannot be kept.

    Raises:
        InputError: it was not judged yet, its words are gone, it is hidden, or nobody in the role of a user spoke.
    """
    name, verdict = message.name, message.verdict
    if verdict is None:
        raise InputError(f"message {name!r} was not judged yet; flush() has that done, and then it may be kept")
    if not message.content:
        raise InputError(f"the words of message {name!r} are gone; say it again")
    if not message.is_recallable:
        raise InputError(f"message {name!r} {_REASONS_TO_REFUSE[verdict.reason]}")
    if not any(row.role is Role.USER for row in exchange):
        raise InputError(
            f"message {name!r} was said by the {message.role}; only what a person says is kept; if it holds of them, "
            "observe it in their words with role='user'"
        )


def _by_hand(verdict: Verdict | None) -> Verdict | None:
    if verdict is None:
        return None
    return replace(verdict, outcome=Outcome.KEEP, reason=Reason.EXPLICIT_REQUEST, score=1.0, rule=BY_HAND)
