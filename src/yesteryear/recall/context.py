"""STEP: the small text that goes before a model for its next reply.

The last episodes in a few lines, then excerpts that bear on the message, packed by sitting under one date line each.
The session's own last messages have a budget of their own. What was shown is noted, without anybody waiting for it.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.language.passages import split_passages
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.message import Message
from yesteryear.core.plain import Plain
from yesteryear.core.queries import EpisodeQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.scored import Hit
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import Grain
from yesteryear.errors import BudgetError
from yesteryear.ports import Ports
from yesteryear.recall.budget import BudgetPolicy, Candidate, pack, shrink_to_fit
from yesteryear.recall.render import (
    Sitting,
    date_line,
    excerpt_line,
    history_line,
    recent_lines,
    render,
)
from yesteryear.recall.retrieve import MAX_QUESTION_CHARS, RecallFilter, RecallPolicy, retrieve
from yesteryear.recall.shelf import IndexShelf

log = logging.getLogger("yesteryear.recall")

MAX_BUDGET = 1_000_000
"""Largest budget in tokens."""


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """What a context is made of."""

    budget: int = 1000
    """Tokens of a context, unless the caller says otherwise (document B)."""
    recent_budget: int = 500
    """Tokens of the session's last messages, outside the budget."""
    recent_messages: int = 20
    """Most of the session's last messages that are shown (document A: the last 10 to 20)."""
    max_episodes: int = 3
    """Most episodes in the history lane (document A: max_episodes_retrieved)."""
    history_share: float = 0.08
    """Largest part of the budget for the history lane, in [0, 1]: each 50 of 1000 tokens cost about .004 of recall."""
    candidates: int = 200
    """Hits that compete for a place."""
    packing: BudgetPolicy = field(default_factory=BudgetPolicy)


@dataclass(frozen=True, slots=True)
class ContextItem(Plain):
    """One memory in a context."""

    id: str
    lane: str
    text: str
    """As shown."""
    tokens: int
    messages: tuple[str, ...]
    """Ids of the messages behind it: the caller's own where given."""
    signals: dict[str, float] = field(default_factory=dict)
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Dropped(Plain):
    """A memory that found no place, and why."""

    id: str
    lane: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Context(Plain):
    """What to put before a model."""

    text: str
    """The framed context; empty when there is nothing to say or no room to say it."""
    tokens: int
    """Cost of ``text``; never above ``budget``."""
    budget: int
    items: tuple[ContextItem, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    recent: tuple[str, ...] = ()
    """The session's last messages, one line each, oldest first; within a budget of its own."""
    recent_tokens: int = 0
    notes: tuple[str, ...] = ()
    """In which way this is less than it could be."""

    @property
    def lanes(self) -> dict[str, tuple[ContextItem, ...]]:
        """The items by lane, in the order shown."""
        names = dict.fromkeys(item.lane for item in self.items)
        return {name: tuple(item for item in self.items if item.lane == name) for name in names}


def build_context(
    ports: Ports,
    shelf: IndexShelf,
    scope: Scope,
    message: str,
    *,
    conversation: str | None,
    budget: int | None,
    recent_budget: int | None,
    now: datetime,
    policy: ContextPolicy,
    recall: RecallPolicy,
) -> Context:
    """Return the context for a message.

    Args:
        ports, shelf: The adapters and the indexes of this process.
        scope: Whose memory.
        message: What the person just said, or a question; may be empty, which gives the history only.
        conversation: The session it is said in; its last messages become ``recent``.
        budget: Most tokens of ``text``; the policy's when None.
        recent_budget: Most tokens of ``recent``; the policy's when None.
        now: From when dates are seen.
        policy, recall: What a context is made of, how hits are scored.

    Raises:
        BudgetError: a budget is negative or beyond MAX_BUDGET.
    """
    budget = _check_budget(policy.budget if budget is None else budget)
    recent_budget = _check_budget(policy.recent_budget if recent_budget is None else recent_budget)
    recent = _recent(ports, scope, conversation, recent_budget, policy)
    only = RecallFilter(grains=(Grain.EXCERPT,))
    found = retrieve(ports, shelf, scope, message, policy=recall, only=only, limit=policy.candidates)
    hits = _news(found.hits, message, recent)
    episodes = _last_episodes(ports, scope, policy)
    history = _pack_history(ports, episodes, int(budget * policy.history_share), now)
    lines = [line for _, line in history]
    chosen, dropped = _pack_excerpts(ports, hits, lines, budget=budget, now=now, policy=policy.packing)
    text = render(lines, [candidate.item for candidate in chosen], now=now)
    notes = list(found.notes)
    if ports.tokens.count(text) > budget:
        text, history, chosen, dropped = "", [], [], chosen + dropped
    if not text and (hits or episodes):
        notes.append(f"a budget of {budget} tokens has no room for any memory")
    recent_texts = recent_lines(recent)
    context = Context(
        text=text,
        tokens=ports.tokens.count(text),
        budget=budget,
        items=(*_history_items(ports, scope, history), *map(_excerpt_item, chosen)),
        dropped=(
            *(_dropped_episode(ports, episode, now) for episode in episodes[: len(episodes) - len(history)]),
            *(Dropped(candidate.item.id, "relevant", candidate.tokens, "no room") for candidate in dropped),
        ),
        recent=tuple(recent_texts),
        recent_tokens=_lines_cost(ports, recent_texts),
        notes=tuple(notes),
    )
    _note_recall(ports, scope, conversation, context, now)
    return context


def _check_budget(budget: int) -> int:
    if isinstance(budget, bool) or not isinstance(budget, int) or not 0 <= budget <= MAX_BUDGET:
        raise BudgetError(f"a budget is a whole number of tokens from 0 to {MAX_BUDGET}, not {budget!r}")
    return budget


def _recent(ports: Ports, scope: Scope, conversation: str | None, budget: int, policy: ContextPolicy) -> list[Message]:
    """Return the last messages of the session that fit, whole, oldest first."""
    if conversation is None or not budget:
        return []
    key = ConversationKey(scope.project, scope.agent, conversation)
    with ports.store.read(scope) as tx:
        known = tx.conversations.get(key)
        if known is None:
            return []
        last = tx.messages.span(key, after=known.last_seq - policy.recent_messages, limit=policy.recent_messages)
    fitting: list[Message] = []
    for message in reversed([message for message in last if message.content]):
        budget -= _lines_cost(ports, recent_lines([message]))
        if budget < 0:
            break
        fitting.append(message)
    return fitting[::-1]


def _lines_cost(ports: Ports, lines: Iterable[str]) -> int:
    """Return what some lines cost, each with its line break."""
    return sum(ports.tokens.count(line) + 1 for line in lines)


def _news(hits: Iterable[Hit], message: str, recent: Iterable[Message]) -> list[Hit]:
    """Return the hits without what the model is shown anyway: the session's last messages and the message itself."""
    shown = {known.id for known in recent}
    asked = set(split_passages(message[:MAX_QUESTION_CHARS]))
    return [hit for hit in hits if hit.id not in shown and hit.text not in asked]


def _last_episodes(ports: Ports, scope: Scope, policy: ContextPolicy) -> list[Episode]:
    """Return the newest active episodes, oldest first."""
    if not policy.max_episodes:
        return []
    with ports.store.read(scope) as tx:
        return tx.episodes.page(EpisodeQuery(limit=policy.max_episodes, status=EpisodeStatus.ACTIVE))[::-1]


def _pack_history(ports: Ports, episodes: Sequence[Episode], budget: int, now: datetime) -> list[tuple[Episode, str]]:
    """Return lines for the newest episodes that fit: with summaries where there is room for all, else one line each."""
    for with_summary, how_many in ((True, len(episodes)), *((False, n) for n in range(len(episodes), 0, -1))):
        newest = episodes[len(episodes) - how_many :]
        lines = [
            history_line(number, episode, now=now, with_summary=with_summary)
            for number, episode in enumerate(newest, start=1)
        ]
        if newest and ports.tokens.count("\n".join(lines)) <= budget:
            return list(zip(newest, lines, strict=True))
    return []


def _pack_excerpts(
    ports: Ports, hits: Sequence[Hit], history: Sequence[str], *, budget: int, now: datetime, policy: BudgetPolicy
) -> tuple[list[Candidate[Hit]], list[Candidate[Hit]]]:
    """Return the excerpts that fit beside the history and the frame, and the others."""
    count = ports.tokens.count
    candidates = [
        Candidate(
            item=hit,
            score=hit.score,
            tokens=count(excerpt_line(hit)) + 1,
            group=Sitting.of(hit),
            group_tokens=count(date_line(hit, now=now)) + 1,
        )
        for hit in hits
    ]
    if not candidates:
        return [], []
    frame = count(render(history, [hits[0]], now=now)) - candidates[0].tokens - candidates[0].group_tokens
    chosen, dropped = pack(candidates, budget=budget - frame, policy=policy)
    kept, late = shrink_to_fit(
        chosen, cost_of=lambda excerpts: count(render(history, excerpts, now=now)), budget=budget
    )
    return kept, late + dropped


def _history_items(ports: Ports, scope: Scope, history: Sequence[tuple[Episode, str]]) -> list[ContextItem]:
    with ports.store.read(scope) as tx:
        behind = tx.messages.get([message_id for episode, _ in history for message_id in episode.message_ids])
    names = {message.id: message.name for message in behind}
    return [
        ContextItem(
            id=episode.id,
            lane="history",
            text=line,
            tokens=ports.tokens.count(line),
            messages=tuple(names.get(message_id, message_id) for message_id in episode.message_ids),
            signals={"importance": episode.importance},
        )
        for episode, line in history
    ]


def _dropped_episode(ports: Ports, episode: Episode, now: datetime) -> Dropped:
    line = history_line(1, episode, now=now, with_summary=False)
    return Dropped(episode.id, "history", ports.tokens.count(line), "no room")


def _excerpt_item(candidate: Candidate[Hit]) -> ContextItem:
    hit = candidate.item
    return ContextItem(
        id=hit.id,
        lane="relevant",
        text=excerpt_line(hit),
        tokens=candidate.tokens,
        messages=hit.messages,
        signals=dict(hit.signals),
        score=hit.score,
    )


def _note_recall(ports: Ports, scope: Scope, conversation: str | None, context: Context, now: datetime) -> None:
    """Write down what was shown, without waiting: it keeps echoes from becoming evidence later."""
    if not context.items:
        return
    event = RecallEvent(
        id=ports.ids.new(to_microseconds(now) // 1000),
        key=ConversationKey(scope.project, scope.agent, conversation or ""),
        at=now,
        items=tuple(dict.fromkeys(item.id for item in context.items)),
        fingerprints=tuple(dict.fromkeys(fingerprint(s) for item in context.items for s in split_sentences(item.text))),
    )
    ports.store.submit(scope, lambda tx: tx.recalls.append(event)).add_done_callback(_log_failure)


def _log_failure(noting: Future[None]) -> None:
    error = noting.exception()
    if error is not None:
        log.warning("what a context showed could not be written down: %s", error)


def fingerprint(sentence: str) -> int:
    """Return a 64-bit hash of a sentence's words; the same for other case, spacing and punctuation."""
    words = "".join(char if char.isalnum() else " " for char in sentence.casefold()).split()
    return int.from_bytes(hashlib.blake2b(" ".join(words).encode(), digest_size=8).digest(), "big")
