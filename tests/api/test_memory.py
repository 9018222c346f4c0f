"""Each verb, as users meet it: in both stores, and with and without an event loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from yesteryear import Engine, Memory, ReplayClock
from yesteryear.core.results import to_plain
from yesteryear.errors import InputError, NotFound
from yesteryear.results import Drained

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

RUNS = [
    {"id": "m-1", "content": "I moved my runs to the morning, the evenings are too hot.", "author": "Ana"},
    {"id": "m-2", "content": "Good idea. When do you start?", "role": "assistant"},
    {"id": "m-3", "content": "At six. My sister Clara runs with me on Sundays.", "author": "Ana"},
]
BREAD = [
    {"id": "b-1", "content": "We decided to bake our own bread from now on.", "author": "Ana"},
    {"id": "b-2", "content": "Which flour will you take?", "role": "assistant"},
]

Step = tuple[str, tuple[Any, ...], dict[str, Any]]


@pytest.fixture
def clock() -> ReplayClock:
    """Return a clock that stands still."""
    return ReplayClock(MONDAY)


@pytest.fixture
def engine(tmp_path: Path, clock: ReplayClock) -> Iterator[Engine]:
    """Return an engine without a worker."""
    with yesteryear.open(tmp_path / "memory.db", clock=clock, worker="none", embedder="hashing") as made:
        yield made


@pytest.fixture
def memory(engine: Engine) -> Memory:
    """Return Ana's memory with two conversations worked through, a day apart."""
    ana = engine.memory(user="ana")
    ana.observe(RUNS, conversation="runs", at=MONDAY - 25 * HOUR)
    ana.observe(BREAD, conversation="bread", at=MONDAY - HOUR)
    ana.flush()
    return ana


def names(messages: list[yesteryear.Message]) -> list[str]:
    """Return the ids by which the caller knows messages."""
    return [message.name for message in messages]


def test_observe_takes_down_one_message(engine: Engine, clock: ReplayClock) -> None:
    """The receipt says where it stands; what was not given is filled in."""
    memory = engine.memory(user="ana", project="thesis")
    first = memory.observe("I moved to Porto")
    second = memory.observe("Nice!", role="assistant", author="Coach", at=MONDAY - HOUR, id="m-2")
    assert (first.seq, second.seq, first.is_new, first.conversation) == (1, 2, True, "default")
    mine, reply = memory.messages()
    assert (mine.id, mine.role, mine.author, mine.at) == (first.id, "user", "user", clock.now())
    assert (reply.role, reply.author, reply.at, reply.recorded_at) == ("assistant", "Coach", MONDAY - HOUR, MONDAY)
    assert reply.external_id == "m-2"
    assert mine.scope == memory.scope == yesteryear.Scope(user="ana", project="thesis")


def test_observe_takes_down_many_at_once(engine: Engine) -> None:
    """What all share stands beside them, what is their own goes before it."""
    memory = engine.memory(user="ana")
    receipts = memory.observe(
        [*RUNS[:2], {**RUNS[2], "conversation": "c2"}],
        conversation="c1",
        author="Somebody",
        at=MONDAY - HOUR,
    )
    assert [(receipt.conversation, receipt.seq) for receipt in receipts] == [("c1", 1), ("c1", 2), ("c2", 1)]
    assert [message.author for message in memory.messages()] == ["Ana", "Somebody", "Ana"]
    assert memory.observe([]) == []


def test_observing_twice_adds_nothing(memory: Memory) -> None:
    """An import can be repeated, also after everything was worked through."""
    before = memory.stats()
    receipts = memory.observe(RUNS, conversation="runs", at=MONDAY)
    assert [receipt.is_new for receipt in receipts] == [False, False, False]
    assert memory.flush().episodes == 0
    assert memory.stats()["messages.open"] == 0
    assert {**memory.stats(), "rev": 0} == {**before, "rev": 0}


def test_messages_are_paged_in_order(memory: Memory) -> None:
    """Each page begins after the last of the one before."""
    pages: list[list[str]] = []
    after = ""
    while page := memory.messages(after=after, limit=2):
        pages.append(names(page))
        after = page[-1].id
    assert pages == [["m-1", "m-2"], ["m-3", "b-1"], ["b-2"]]


@pytest.mark.parametrize(
    ("only", "found"),
    [
        ({"conversation": "bread"}, ["b-1", "b-2"]),
        ({"author": "Ana"}, ["m-1", "m-3", "b-1"]),
        ({"since": MONDAY - HOUR}, ["b-1", "b-2"]),
        ({"until": MONDAY - HOUR}, ["m-1", "m-2", "m-3"]),
        ({"since": (MONDAY - 26 * HOUR).isoformat(), "author": "assistant"}, ["m-2", "b-2"]),
        ({"conversation": "nowhere"}, []),
    ],
)
def test_messages_can_be_narrowed_down(memory: Memory, only: dict[str, Any], found: list[str]) -> None:
    """Beginnings belong to an interval, ends do not."""
    assert names(memory.messages(**only)) == found


def test_messages_show_what_the_gate_decided(memory: Memory) -> None:
    """Every message has a verdict with its reason, kept or skipped."""
    kept, skipped = memory.messages(outcome="keep"), memory.messages(outcome="skip")
    assert sorted(names(kept + skipped)) == ["b-1", "b-2", "m-1", "m-2", "m-3"]
    assert kept
    assert all(message.verdict and message.verdict.reason and message.episode_id for message in kept)


def test_episodes_are_paged_newest_first(memory: Memory) -> None:
    """With their digests, and with the messages behind them."""
    assert [episode.conversation for episode in memory.episodes()] == ["bread", "runs"]
    newest = memory.episodes(limit=1)
    rest = memory.episodes(after=newest[0].id)
    assert [episode.conversation for episode in rest] == ["runs"]
    assert rest[0].status == "active"
    assert rest[0].digest
    assert rest[0].digest.topic
    assert 0 <= rest[0].importance <= 1


@pytest.mark.parametrize(
    ("only", "found"),
    [
        ({"conversation": "runs"}, ["runs"]),
        ({"status": "active"}, ["bread", "runs"]),
        ({"status": "failed"}, []),
        ({"since": MONDAY - HOUR}, ["bread"]),
        ({"until": MONDAY - HOUR}, ["runs"]),
    ],
)
def test_episodes_can_be_narrowed_down(memory: Memory, only: dict[str, Any], found: list[str]) -> None:
    """By conversation, status and when they ended."""
    assert [episode.conversation for episode in memory.episodes(**only)] == found


def test_recall_finds_what_was_said_at_once(engine: Engine) -> None:
    """By its words before anything was worked through; a question without common words finds nothing then."""
    memory = engine.memory(user="ana")
    memory.observe(RUNS, conversation="runs")
    found = memory.recall("who runs on Sundays?")
    assert found[0].messages == ("m-3",)
    assert found[0].signals["words"] > 0
    assert len(memory.recall("whales")) == 0
    assert len(memory.recall("")) == 0
    assert not found.notes


def test_recall_tells_what_it_found_and_why(memory: Memory) -> None:
    """Best first; a hit knows its message, author and time, and its score is the sum of its signals."""
    found = memory.recall("our own bread", limit=3, kinds=["excerpt"])
    best = found[0]
    assert (best.messages, best.author, best.conversation, best.at) == (("b-1",), "Ana", "bread", MONDAY - HOUR)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert all(hit.score == pytest.approx(sum(hit.signals.values())) for hit in found)
    assert len(found) == 3
    assert list(found) == list(found.hits)


def test_recall_can_be_narrowed_down(memory: Memory) -> None:
    """By kind, time, author and conversation; episodes whose messages can be found stand back unless asked for."""
    assert {"excerpt"} <= {hit.grain for hit in memory.recall("runs")} <= {"excerpt", "fact"}
    assert {hit.grain for hit in memory.recall("runs", kinds=["excerpt", "episode"])} == {"excerpt", "episode"}
    assert {hit.grain for hit in memory.recall("runs", kinds="episode")} == {"episode"}
    assert {hit.author for hit in memory.recall("runs", author="Ana")} == {"Ana"}
    assert {hit.conversation for hit in memory.recall("runs", conversation="bread")} == {"bread"}
    assert {hit.conversation for hit in memory.recall("runs", since=MONDAY - HOUR)} == {"bread"}
    assert {hit.conversation for hit in memory.recall("runs", until=MONDAY - HOUR)} == {"runs"}
    assert len(memory.recall("runs", kinds=[])) == 0


def test_an_episode_knows_its_messages_by_the_callers_names(memory: Memory) -> None:
    """In recall and in a context alike."""
    hit = memory.recall("runs in the morning", kinds="episode")[0]
    lanes = memory.context("runs").lanes
    assert set(hit.messages) <= {"m-1", "m-2", "m-3"}
    assert hit.messages
    assert {name for item in lanes["history"] for name in item.messages} <= {"m-1", "m-2", "m-3", "b-1", "b-2"}


def test_a_context_holds_what_bears_on_the_message(memory: Memory) -> None:
    """Framed, within its budget, each item with its messages and signals."""
    context = memory.context("What did we decide about bread?", budget=300)
    assert context.text.startswith("=== MEMORY CONTEXT ===")
    assert "2 March 2026 (today):\nAna: We decided to bake our own bread from now on." in context.text
    assert 0 < context.tokens <= context.budget == 300
    best = context.lanes["relevant"][0]
    assert best.messages == ("b-1",)
    assert {"words", "vector"} <= set(best.signals)
    assert best.score == pytest.approx(sum(best.signals.values()))
    assert all(item.text in context.text for item in context.items)


def test_the_sessions_own_messages_come_apart(memory: Memory) -> None:
    """With a budget of their own, oldest first, and not a second time among the excerpts."""
    context = memory.context("Which flour?", conversation="bread")
    assert context.recent == (
        "Ana: We decided to bake our own bread from now on.",
        "assistant: Which flour will you take?",
    )
    assert 0 < context.recent_tokens <= 500
    assert "bake our own bread" not in "".join(item.text for item in context.lanes["relevant"])
    assert memory.context("Which flour?", conversation="bread", recent_budget=0).recent == ()
    assert memory.context("Which flour?", conversation="bread", recent_budget=12).recent == context.recent[1:]
    assert memory.context("Which flour?", conversation="tomorrow").recent == ()


def test_a_message_is_not_recalled_by_itself(memory: Memory) -> None:
    """Whoever observes first and asks then learns nothing from their own words."""
    said = "Is the bread from the new oven any good?"
    memory.observe(said, conversation="today")
    memory.flush()
    for conversation in ("today", None):
        items = memory.context(said, conversation=conversation, recent_budget=0).lanes["relevant"]
        assert said not in "".join(item.text for item in items)


def test_a_context_without_a_message_is_the_history(memory: Memory) -> None:
    """What lies open when a session begins, and what is known of the person."""
    context = memory.context(budget=2000)
    facts = {"safety", "profile", "soon", "news", "preferences", "tactical", "strengths", "facts", "questions"}
    assert {"history"} < set(context.lanes) <= {"history", *facts}
    assert context.text.count("\n1. ") == 1


def test_a_context_looks_back_from_the_instant_given(memory: Memory) -> None:
    """A year can be replayed in seconds."""
    assert "2 March 2026 (3 days ago)" in memory.context("bread", at=MONDAY + 72 * HOUR).text
    assert "2 March 2026 (3 days ago)" in memory.context("bread", at="2026-03-05T09:00:00Z").text


def test_conversations_say_how_far_they_are_worked_through(memory: Memory) -> None:
    """In order of their names."""
    memory.observe("And butter?", conversation="bread")
    bread, runs = memory.conversations()
    assert (bread.key.name, bread.last_seq, bread.open_messages) == ("bread", 3, 1)
    assert (runs.key.name, runs.last_seq, runs.open_messages) == ("runs", 3, 0)


def test_close_episode_ends_it_by_hand(engine: Engine) -> None:
    """What comes next belongs to another one."""
    memory = engine.memory(user="ana")
    memory.observe(RUNS, conversation="runs")
    memory.close_episode("runs")
    memory.observe("We decided to get a dog, her name is Luna.", conversation="runs", id="d-1")
    memory.flush()
    assert [episode.closed_by for episode in memory.episodes()][-1] == "hand"
    assert {episode.last_seq for episode in memory.episodes()} == {3, 4}
    memory.close_episode("runs")
    with pytest.raises(NotFound, match="no conversation 'walks'"):
        memory.close_episode("walks")


def test_configure_sets_returns_and_takes_back(engine: Engine) -> None:
    """For the person, for a project, and for the project of a memory that has one."""
    ana, thesis = engine.memory(user="ana"), engine.memory(user="ana", project="thesis")
    assert ana.configure() == {}
    assert ana.configure(max_episodes_retrieved=0) == {"max_episodes_retrieved": 0}
    assert thesis.configure(max_episodes_retrieved=1, keep_verbatim=False) == {
        "max_episodes_retrieved": 1,
        "keep_verbatim": False,
    }
    assert ana.configure(project="thesis", keep_verbatim=None) == {"max_episodes_retrieved": 1}
    assert ana.configure() == {"max_episodes_retrieved": 0}
    assert engine.memory(user="ben").configure() == {}


def test_settings_are_in_force_at_once(engine: Engine) -> None:
    """An episode of two messages, no history, no transcript."""
    memory = engine.memory(user="ana")
    memory.configure(episode_message_threshold=2, max_episodes_retrieved=0, keep_verbatim=False)
    decided = [{"content": f"We decided to run on {day} from now on."} for day in ("Monday", "Friday", "Sunday")]
    memory.observe(decided, conversation="runs")
    memory.flush()
    assert sorted(len(episode.message_ids) for episode in memory.episodes()) == [1, 2]
    assert {message.content for message in memory.messages()} == {""}
    assert "Recent Conversation History" not in memory.context("runs").text
    assert {"episode"} <= {hit.grain for hit in memory.recall("runs")} <= {"episode", "fact"}
    assert memory.recall("runs", kinds="episode")[0].messages
    memory.configure(max_episodes_retrieved=3)
    assert "Recent Conversation History" in memory.context("runs").text


def test_a_shorter_retention_holds_for_what_was_skipped_before(engine: Engine, clock: ReplayClock) -> None:
    """Also for the year 9999, which no day lies behind."""
    memory = engine.memory(user="ana")
    memory.observe("ok", conversation="a")
    memory.observe("thanks!", conversation="b", at="9999-12-31T23:00:00Z")
    memory.flush()
    assert len(memory.messages(outcome="skip")) == 2
    memory.configure(journal_retention_days=0.5)
    assert memory.messages(conversation="a")[0].expires_at == MONDAY + timedelta(days=0.5)
    last = memory.messages(conversation="b")[0].expires_at
    assert last is not None
    assert last.year == 9999


def test_flush_reports_what_it_did(engine: Engine) -> None:
    """In all, and on the way."""
    memory = engine.memory(user="ana")
    memory.observe(RUNS, conversation="runs")
    memory.observe(BREAD, conversation="bread")
    steps: list[Drained] = []
    done = memory.flush(on_progress=steps.append)
    assert (done.episodes, done.vectors, done.failures) == (2, 7, 0)
    assert steps[-1] == done
    assert [step.vectors for step in steps] == sorted(step.vectors for step in steps)
    assert memory.flush() == Drained()
    assert memory.retry() == 0


def test_stats_count_what_there_is(memory: Memory) -> None:
    """Rows by kind and status, and the models in use."""
    memory.observe("And butter?", conversation="bread")
    stats = memory.stats()
    assert stats["conversations"] == 2
    assert stats["messages.open"] == 1
    assert stats["episodes.active"] == 2
    assert stats["vectors.by_model"] == {stats["vectors.model"]: 7 + stats["facts.tentative"]}
    assert stats["vectors.due"] == stats["vectors.failed"] == 0


def test_projects_and_owners_never_meet(engine: Engine) -> None:
    """In no verb that reads; without a project all of the owner's is seen."""
    thesis, house = engine.memory(user="ana", project="thesis"), engine.memory(user="ana", project="house")
    thesis.observe("Please remember: my supervisor likes the second chapter.", conversation="c", id="thesis")
    house.observe("Please remember: my landlord likes the second balcony.", conversation="c", id="house")
    engine.memory(user="ben").observe("Please remember: my second name is Karl.", conversation="c", id="ben")
    for name in ("ana", "ben"):
        engine.memory(user=name).flush()
    for memory, own in ((thesis, "thesis"), (house, "house"), (engine.memory(user="ben"), "ben")):
        assert names(memory.messages()) == [own]
        assert {name for hit in memory.recall("second") for name in hit.messages} == {own}
        assert {name for item in memory.context("second").items for name in item.messages} == {own}
        assert len(memory.conversations()) == len(memory.episodes()) == 1
    both = engine.memory(user="ana")
    assert {name for hit in both.recall("second") for name in hit.messages} == {"thesis", "house"}
    assert engine.memory(user="ana", tenant="acme").messages() == []
    assert [owner.user for owner in engine.owners()] == ["ana", "ben"]


def test_an_engine_describes_itself(engine: Engine) -> None:
    """The store, the model, and what is less than it could be."""
    described = engine.describe()
    assert described["embedder"] == "hashing-v1"
    assert described["dimension"] == 384
    assert described["notes"] == list(engine.notes) == []
    json.dumps(described)


def test_a_memory_needs_somebody(engine: Engine) -> None:
    """A scope, or at least a user."""
    assert engine.memory(yesteryear.Scope(user="ana")).scope == engine.memory(user="ana").scope
    with pytest.raises(InputError, match="whose memory"):
        engine.memory()
    with pytest.raises(InputError, match="pass user='ana'"):
        engine.memory("ana")  # type: ignore[arg-type]


def test_what_was_said_is_there_after_a_restart(tmp_path: Path) -> None:
    """Worked through or not."""
    place = tmp_path / "memory.db"
    for step in range(3):
        with yesteryear.open(place, worker="none", embedder="hashing") as engine:
            memory = engine.memory(user="ana")
            assert len(memory.messages()) == step
            memory.observe(f"I planted apple tree number {step}", conversation="garden")
            assert len(memory.recall("apple")) >= step + 1
            if step == 1:
                memory.flush()


STORY: list[Step] = [
    ("observe", ("I moved my runs to the morning",), {"conversation": "runs", "author": "Ana", "id": "m-0"}),
    ("observe", (RUNS,), {"conversation": "runs", "zone": "Europe/Lisbon"}),
    ("observe", ("I moved my runs to the evening",), {"conversation": "runs", "author": "Ana", "id": "m-0"}),
    ("recall", ("runs",), {"limit": 3}),
    ("close_episode", ("runs",), {}),
    ("close_episode", ("nowhere",), {}),
    ("observe", (BREAD,), {"conversation": "bread", "at": MONDAY - HOUR}),
    ("configure", (), {"max_episodes_retrieved": 2}),
    ("configure", (), {"max_episodes_retrieved": "two"}),
    ("flush", (), {}),
    ("retry", (), {}),
    ("stats", (), {}),
    ("usage", (), {"since": MONDAY}),
    ("usage", (), {"until": "soon"}),
    ("messages", (), {"limit": 4}),
    ("messages", (), {"limit": 0}),
    ("episodes", (), {"status": "active"}),
    ("conversations", (), {}),
    ("recall", ("bread",), {"kinds": ["episode"]}),
    ("recall", ("bread",), {"since": "yesterday"}),
    ("context", ("Shall I bake today?",), {"conversation": "bread", "budget": 400}),
    ("context", ("Shall I bake today?",), {"budget": -1}),
    ("why", ("m-1",), {}),
    ("why", ("b-1",), {"at": MONDAY + 48 * HOUR}),
    ("why", ("nobody-said-this",), {}),
    ("pin", ("m-1",), {}),
    ("pin", ("nobody-said-this",), {}),
    ("unpin", ("m-1",), {}),
    ("facts", (), {"kinds": ["decision", "preference"]}),
    ("facts", (), {"kinds": ["colour"]}),
    ("facts", (), {"ids": ["nobody-said-this"], "evidence": True}),
    ("changes", (), {}),
    ("changes", (0,), {}),
    ("changes", (10**6,), {}),
    ("extract", ("m-1",), {}),
    ("extract", ("nobody-said-this",), {}),
    ("conflicts", (), {"resolved": True}),
    ("open_loops", (), {}),
    ("metrics", (), {"by": "week", "since": MONDAY}),
    ("metrics", (), {"measure": "luck"}),
    ("correlations", (), {"until": MONDAY}),
    ("confirm", ("nobody-said-this",), {}),
    ("refute", ("nobody-said-this",), {}),
    ("correct", ("nobody-said-this", "Ana runs in the evening"), {"since": MONDAY}),
    ("resolve", ("nobody-said-this",), {"at": MONDAY}),
    ("consolidate", (), {"at": MONDAY + 24 * HOUR, "dry_run": True}),
    ("consolidate", (), {"at": MONDAY + 24 * HOUR}),
    ("nights", (), {"limit": 2}),
    ("undo", (), {}),
    ("undo", ("no-such-night",), {}),
    ("diff", (MONDAY - HOUR,), {}),
    ("diff", (MONDAY, MONDAY - HOUR), {}),
    ("reread", (), {"dry_run": True}),
    ("reread", (), {}),
    ("fade", (), {"at": "2036-03-02T09:00:00+00:00", "dry_run": True}),
    ("fade", (), {"at": MONDAY + 24 * 3650 * HOUR}),
    ("fade", (), {"at": "soon"}),
    ("restore", ("m-1",), {}),
    ("restore", ("m-1",), {}),
    ("proposals", (), {}),
    ("keep", ("nobody-said-this",), {}),
    ("both_hold", ("no-such-conflict",), {}),
    ("people", (), {"limit": 2}),
    ("same", ("Priya", "my partner"), {}),
    ("not_same", ("Priya", "priya"), {}),
    ("graph", (), {}),
    ("graph", ("blocking",), {"of": "bread"}),
    ("graph", ("blocking",), {}),
    ("graph", ("path",), {"of": "bread"}),
    ("dismiss", ("no-such-edge",), {}),
    ("forget", (), {"about": "bread"}),
    ("forget", (), {"conversation": "runs", "dry_run": True}),
    ("forget", ("m-1",), {}),
    ("forget", ("m-1", "nobody-said-this"), {}),
    ("forget", (), {}),
    ("export", ("/no/such/folder/taken.zip",), {}),
    ("erase", (), {}),
    ("messages", (), {}),
    ("erase", (), {}),
    ("import_", ("/no/such/folder/taken.zip",), {}),
]
"""Every verb, with answers and with errors."""


def told(result: object) -> str:
    """Return a result as JSON, our own ids numbered in the order in which they appear."""
    text = json.dumps(to_plain(result), ensure_ascii=False)
    numbers: dict[str, int] = {}
    return UUID.sub(lambda found: f"id-{numbers.setdefault(found[0], len(numbers))}", text)


def test_both_faces_tell_the_same_story(tmp_path: Path) -> None:
    """Step by step: the same answers and the same errors, with and without an event loop."""
    assert {verb for verb, _, _ in STORY} == {
        name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")
    }

    places = {face: tmp_path / face for face in ("sync", "async")}
    for place in places.values():
        place.mkdir()

    def with_threads() -> list[str]:
        with yesteryear.open(places["sync"] / "memory.db", **settings) as engine:
            memory = engine.memory(user="ana")
            ends: list[str] = []
            for verb, args, more in STORY:
                try:
                    ends.append(told(getattr(memory, verb)(*args, **more)))
                except yesteryear.YesteryearError as exc:
                    ends.append(UUID.sub("id", repr(exc)))
            return [*ends, told([engine.owners(), sorted(engine.describe())])]

    async def with_loop() -> list[str]:
        async with yesteryear.open_async(places["async"] / "memory.db", **settings) as engine:
            memory = engine.memory(user="ana")
            ends: list[str] = []
            for verb, args, more in STORY:
                try:
                    ends.append(told(await getattr(memory, verb)(*args, **more)))
                except yesteryear.YesteryearError as exc:
                    ends.append(UUID.sub("id", repr(exc)))
            return [*ends, told([await engine.owners(), sorted(await engine.describe())])]

    settings: dict[str, Any] = {"clock": ReplayClock(MONDAY), "worker": "none", "embedder": "hashing"}
    ours, theirs = with_threads(), asyncio.run(with_loop())
    for step, left, right in zip([*STORY, "the engine"], ours, theirs, strict=True):
        assert left == right, step
    errors = {line.partition("(")[0] for line in ours if re.match(r"[A-Z]\w+\(", line)}
    assert errors == {"Conflict", "NotFound", "InputError", "BudgetError"}


def test_flushes_that_wait_hold_up_nobody_else(tmp_path: Path) -> None:
    """Many tasks wait for a worker that has the owner; another user's recall does not queue behind them."""

    async def story() -> int:
        async with yesteryear.open_async(tmp_path / "m.db", worker="none", embedder="hashing") as engine:
            ana, bob = engine.memory(user="ana"), engine.memory(user="bob")
            await ana.observe("I moved my runs to the morning")
            await bob.observe("I play chess on Tuesdays")
            store = engine._ports.store
            until = datetime.now(UTC) + timedelta(seconds=60)
            held = store.submit(
                ana.scope, lambda tx: tx.save_owner(replace(tx.owner(), lease_by="elsewhere/1/1/1", lease_until=until))
            )
            held.result()
            waiting = [asyncio.create_task(ana.flush()) for _ in range(40)]
            await asyncio.sleep(0.1)
            found = await asyncio.wait_for(bob.recall("chess"), timeout=30)
            assert not any(task.done() for task in waiting)
            store.submit(ana.scope, lambda tx: tx.save_owner(replace(tx.owner(), lease_by=None, lease_until=None)))
            await asyncio.gather(*waiting)
            return len(found)

    assert asyncio.run(story()) == 1
