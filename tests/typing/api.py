"""The public API as a type checker sees it. Checked by mypy, never run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, assert_type

import yesteryear
from yesteryear import (
    AsyncEngine,
    AsyncMemory,
    Context,
    Engine,
    Episode,
    FactView,
    Hit,
    Memory,
    Message,
    Receipt,
    ReplayClock,
    Scope,
)
from yesteryear.results import (
    ChangeFeed,
    ContextItem,
    Conversation,
    EpisodeStatus,
    Outcome,
    PrefixChanges,
    Proposal,
    Recalled,
    TakenBack,
    UsageSum,
    UserState,
    Verdict,
)

now = datetime(2026, 3, 2, 7, 41, tzinfo=UTC)


def opening() -> None:
    """An engine is a context manager and lends memories."""
    clock = ReplayClock(now)
    clock.advance(timedelta(days=1))
    with yesteryear.open("memory.db", clock=clock, worker="none", context_budget=800) as engine:
        assert_type(engine, Engine)
        assert_type(engine.memory(user="ana"), Memory)
        assert_type(engine.memory(Scope(user="ana", project="thesis")), Memory)
        assert_type(engine.describe(), dict[str, Any])
        assert_type(engine.notes, tuple[str, ...])
        assert_type(engine.usage(), list[UsageSum])
    yesteryear.open(store=3)  # type: ignore[arg-type]


def observing(memory: Memory) -> None:
    """One text gives a receipt, several messages give several."""
    receipt = memory.observe("I moved my runs to the morning", author="Ana", at=now, id="m-17", zone="Europe/Lisbon")
    assert_type(receipt, Receipt)
    assert_type(receipt.is_new, bool)
    assert_type(memory.observe([{"role": "user", "content": "Hello"}]), list[Receipt])
    memory.observe(b"bytes")  # type: ignore[arg-type]
    memory.close_episode("c1")
    assert_type(memory.flush(on_progress=lambda done: print(done.vectors)).episodes, int)


def asking(memory: Memory) -> None:
    """Results are frozen, typed, and can be turned into plain data."""
    context = memory.context("Plan my day", conversation="c1", budget=1000, recent_budget=0)
    assert_type(context, Context)
    assert_type(context.text, str)
    assert_type(context.lanes, dict[str, tuple[ContextItem, ...]])
    assert_type(context.prefix_changes(""), PrefixChanges)
    found = memory.recall("running", limit=5, kinds=["excerpt"], since="2026-01-01T00:00:00+00:00")
    assert_type(found, Recalled)
    assert_type(found[0], Hit)
    for hit in found:
        assert_type(hit.messages, tuple[str, ...])
        assert_type(hit.to_dict(), dict[str, Any])
    context.text = ""  # type: ignore[misc]


def browsing(memory: Memory) -> None:
    """Pages are lists of frozen rows."""
    for message in memory.messages(outcome="skip", until=now):
        assert_type(message, Message)
        assert_type(message.verdict, Verdict | None)
        if message.verdict is not None:
            assert_type(message.verdict.outcome, Outcome)
    for episode in memory.episodes(status="active"):
        assert_type(episode, Episode)
        assert_type(episode.status, EpisodeStatus)
        if episode.digest is not None:
            assert_type(episode.digest.user_state, UserState)
    assert_type(memory.conversations(), list[Conversation])
    assert_type(memory.changes(3), ChangeFeed)
    assert_type(memory.proposals(), list[Proposal])
    assert_type(memory.confirm("f-1"), FactView | Proposal)
    assert_type(memory.restore("f-1"), Episode | FactView | TakenBack)
    assert_type(memory.retry(), int)
    assert_type(memory.stats(), dict[str, Any])
    assert_type(memory.usage(since=now), list[UsageSum])
    assert_type(memory.keep("m-1"), Message)
    memory.configure(project="thesis", keep_verbatim=False, journal_retention_days=None)


async def in_an_event_loop() -> None:
    """The asynchronous face has the same verbs, awaited."""
    async with yesteryear.open_async(":memory:") as engine:
        assert_type(engine, AsyncEngine)
        memory = engine.memory(user="ana")
        assert_type(memory, AsyncMemory)
        assert_type(await memory.observe("Hello"), Receipt)
        assert_type(await memory.observe([{"content": "Hello"}]), list[Receipt])
        assert_type(await memory.context("Hello"), Context)
        assert_type(await memory.recall("Hello"), Recalled)


def own_errors() -> None:
    """Every error of ours is one kind, with a code and whether trying again may help."""
    try:
        yesteryear.open()
    except yesteryear.YesteryearError as error:
        assert_type(error.code, str)
        assert_type(error.retryable, bool)
