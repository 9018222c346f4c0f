"""The worker alone: who may work, what happens when work fails, when time is odd, and when it is told to stop."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.analysts import SideBySide
from tests.failing import FailingAnalyst, FailingEmbedder
from tests.readings import ScriptedReader, a_reading
from tests.workshop import MORNING_RUNS, NOON, SOUND, Workshop, damage, hold, open_workshop, tell
from yesteryear.core.episode import Digest, Talk
from yesteryear.core.reading import MessageReading
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Owner
from yesteryear.errors import Stale
from yesteryear.lifecycle.drain import Drained
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.remember.embed import activate_episode, embed_messages
from yesteryear.results import EpisodeStatus
from yesteryear.worker import ProcessWorkers, Runner, WorkerPolicy

POISON = "I promised Lena to bring the strychnine poster to the museum on Friday."
WAITS_S = (2, 8, 32, 128)
"""Seconds between five attempts."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the rows live."""
    return tmp_path / "memory.db"


def test_failing_work_is_tried_again_later_and_later(place: Path) -> None:
    """After each failure the worker waits longer, and says on the row what went wrong and when it will try again."""
    analyst = FailingAnalyst(LocalAnalyst())
    with open_workshop(place, analyst=analyst) as shop:
        tell(shop.memory(), 4)
        assert shop.work().failures == 1
        for number, seconds in enumerate(WAITS_S, start=1):
            waiting = shop.memory().conversations()[0]
            assert waiting.attempts == analyst.failures == number
            assert waiting.error == "the analyst cannot be reached"
            assert waiting.due_at == shop.clock.now() + timedelta(seconds=seconds)
            shop.clock.advance(timedelta(seconds=seconds) / 2)
            assert shop.work().failures == 0
            shop.clock.advance(timedelta(seconds=seconds) / 2)
            assert shop.work().failures == 1
        assert shop.memory().stats()["episodes.failed"] == 1


def exhaust(shop: Workshop) -> None:
    """Let all attempts pass."""
    shop.work()
    for seconds in WAITS_S:
        shop.clock.advance(timedelta(seconds=seconds))
        shop.work()


def test_what_the_analyst_cannot_read_is_set_aside_and_the_conversation_goes_on(place: Path) -> None:
    """Five failures make a FAILED episode that can be seen; what was said afterwards becomes episodes all the same."""
    with open_workshop(place, analyst=FailingAnalyst(LocalAnalyst(), word="strychnine")) as shop:
        memory = shop.memory()
        tell(memory, 4, about=POISON)
        tell(memory, 4, conversation="office")
        exhaust(shop)
        tell(memory, 4, first=4)
        shop.work()
        statuses = [(episode.conversation, str(episode.status)) for episode in memory.episodes()]
        assert sorted(statuses) == [("kitchen", "active"), ("kitchen", "failed"), ("office", "active")]
        failed = memory.episodes(status="failed")[0]
        assert (failed.first_seq, failed.last_seq, failed.error) == (1, 4, "the analyst cannot be reached")
        assert memory.stats()["episodes.failed"] == 1


def test_what_failed_comes_back_on_request(place: Path) -> None:
    """Once the analyst can be reached again, retry() makes a whole episode of what was set aside, and nothing twice."""
    analyst = FailingAnalyst(LocalAnalyst(), word="strychnine")
    with open_workshop(place, analyst=analyst) as shop:
        memory = shop.memory()
        tell(memory, 4, about=POISON)
        exhaust(shop)
        assert memory.retry() == 1
        analyst.is_well = True
        shop.work()
        episode = memory.episodes()[0]
        assert (episode.status, episode.error, episode.attempts) == (EpisodeStatus.ACTIVE, None, 0)
        assert "strychnine" in memory.context("What did I promise Lena?").text
        assert damage(memory) == SOUND


def test_retry_starts_from_the_first_attempt_again(place: Path) -> None:
    """What fails again after retry() gets five attempts again, not one."""
    with open_workshop(place, analyst=FailingAnalyst(LocalAnalyst())) as shop:
        memory = shop.memory()
        tell(memory, 4)
        exhaust(shop)
        memory.retry()
        shop.work()
        episode = memory.episodes()[0]
        assert (str(episode.status), episode.attempts) == ("pending", 1)


def test_one_text_that_cannot_be_embedded_stands_alone(place: Path) -> None:
    """The messages beside it get their vectors; it is given up after five attempts, visibly, and found by its words."""
    embedder = FailingEmbedder(HashingEmbedder(), word="strychnine")
    with open_workshop(place, embedder=embedder) as shop:
        memory = shop.memory()
        memory.observe(POISON, conversation="kitchen")
        tell(memory, 3)
        exhaust(shop)
        stats = memory.stats()
        assert (stats["vectors.due"], stats["vectors.failed"]) == (0, 1)
        assert stats["vectors.by_model"]["hashing-v1"] >= 3
        assert "strychnine" in memory.recall("the strychnine poster")[0].text
        assert memory.retry() >= 1
        embedder.is_well = True
        shop.work()
        assert damage(memory) == SOUND


def test_an_embedder_that_is_down_delays_nothing_but_vectors(place: Path) -> None:
    """Episodes are cut, judged and digested without it, and their words can be found at once."""
    embedder = FailingEmbedder(HashingEmbedder())
    with open_workshop(place, embedder=embedder) as shop:
        memory = shop.memory()
        tell(memory, 4)
        shop.work()
        assert [str(episode.status) for episode in memory.episodes()] == ["pending"]
        assert "runs" in memory.context("When do I run?").text
        embedder.is_well = True
        shop.clock.advance(timedelta(seconds=WAITS_S[0]))
        shop.work()
        assert damage(memory) == SOUND


def test_an_embedder_that_stays_away_is_given_up_visibly(place: Path) -> None:
    """After five attempts nothing is tried any more until somebody asks for it; then everything is made good."""
    embedder = FailingEmbedder(HashingEmbedder())
    with open_workshop(place, embedder=embedder) as shop:
        memory = shop.memory()
        tell(memory, 4)
        exhaust(shop)
        stats = memory.stats()
        assert (stats["episodes.failed"], stats["vectors.failed"], stats["vectors.due"]) == (1, 4, 0)
        assert memory.episodes()[0].error == "the embedder cannot be reached"
        shop.clock.advance(timedelta(days=1))
        assert shop.work().failures == 0
        assert memory.retry() == 5 + stats["facts.tentative"]
        embedder.is_well = True
        shop.work()
        assert damage(memory) == SOUND


def test_flush_leaves_what_fails_with_its_error(place: Path) -> None:
    """flush() returns although an attempt fails, and what waits after a failure is told by stats()."""
    with open_workshop(place, embedder=FailingEmbedder(HashingEmbedder())) as shop:
        memory = shop.memory()
        tell(memory, 2)
        assert memory.flush().failures > 0
        stats = memory.stats()
        assert (stats["messages.open"], stats["episodes.pending"], stats["vectors.due"]) == (0, 1, 2)


def test_text_erased_while_it_waited_is_not_tried_for_ever(place: Path) -> None:
    """A message that was given up and then expired has nothing left to embed; retry() finishes with it."""
    with open_workshop(
        place, embedder=FailingEmbedder(HashingEmbedder(), word="17 times 3"), journal_retention_days=30
    ) as shop:
        memory = shop.memory()
        memory.observe("what's 17 times 3?", conversation="kitchen")
        memory.flush()
        exhaust(shop)
        assert memory.stats()["vectors.failed"] == 1
        shop.clock.advance(timedelta(days=31))
        assert shop.work().expired == 1
        memory.retry()
        shop.work()
        assert shop.work().vectors == 0
        assert memory.stats()["vectors.due"] == memory.stats()["vectors.failed"] == 0


class Sleeper(SideBySide):
    """An analyst that does something else before it answers."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self.meanwhile = meanwhile

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Let other things happen, then digest."""
        self.meanwhile()
        return LocalAnalyst().digest(talk, yield_to_foreground=yield_to_foreground)


def test_a_worker_that_overslept_its_lease_does_nothing_twice(place: Path) -> None:
    """While it read, its lease ran out and another worker finished; it notices and writes nothing."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 4)

        def oversleep() -> None:
            shop.clock.advance(timedelta(minutes=5))
            assert shop.work().episodes == 1

        assert shop.work(analyst=Sleeper(oversleep)).episodes == 0
        assert len(memory.episodes()) == 1
        assert damage(memory) == SOUND


def test_nobody_works_where_somebody_else_does(place: Path) -> None:
    """While a worker that lives holds an owner, another one leaves that owner alone and serves the others."""
    with open_workshop(place) as shop:
        tell(shop.memory("ana"), 4)
        seen = []

        def look() -> None:
            tell(shop.memory("ben"), 4)
            done = shop.work()
            seen.append((done.episodes, len(shop.memory("ana").episodes()), len(shop.memory("ben").episodes())))

        shop.work(analyst=Sleeper(look))
        assert seen[0] == (1, 0, 1)
        assert len(shop.memory("ana").episodes()) == 1


def test_flush_waits_for_the_worker_that_holds_the_owner(tmp_path: Path) -> None:
    """flush() returns when all is done, whoever did it, and does not do it too."""
    begun, go_on = threading.Event(), threading.Event()
    readings = []

    def pause() -> None:
        readings.append(threading.current_thread().name)
        begun.set()
        assert go_on.wait(30)

    path = tmp_path / "memory.db"
    with yesteryear.open(path, embedder="hashing", analyst=Sleeper(pause), episode_message_threshold=4) as engine:
        memory = engine.memory(user="ana")
        tell(memory, 4)
        assert begun.wait(30)
        flushing = threading.Thread(target=memory.flush)
        flushing.start()
        flushing.join(0.1)
        assert flushing.is_alive()
        go_on.set()
        flushing.join(30)
        assert readings == ["yesteryear-worker"]
        assert damage(memory) == SOUND


def test_close_while_working_stops_at_a_row_and_loses_nothing(tmp_path: Path) -> None:
    """close() lets the episode in the making be finished and leaves the rest, however much that is, for the next."""
    begun, go_on = threading.Event(), threading.Event()

    def pause() -> None:
        begun.set()
        assert go_on.wait(30)

    path = tmp_path / "memory.db"
    with open_workshop(path) as shop:
        tell(shop.memory(), 40)
    engine = yesteryear.open(path, embedder="hashing", analyst=Sleeper(pause), episode_message_threshold=4)
    assert begun.wait(30)
    closing = threading.Thread(target=engine.close)
    closing.start()
    runner = engine._background
    assert isinstance(runner, Runner)
    while not runner._is_stopping:
        closing.join(0.001)
    go_on.set()
    closing.join(30)
    assert not closing.is_alive()
    with open_workshop(path, start=NOON.replace(year=2100)) as shop:
        memory = shop.memory()
        assert len(memory.messages()) == 40
        assert len(memory.episodes()) == 1
        assert shop.ports.store.leases() == []
        memory.flush()
        assert len(memory.episodes()) == 10
        assert damage(memory) == SOUND


def test_a_clock_that_goes_backwards_loses_nothing(place: Path) -> None:
    """What was recorded in a future that is no more waits for its time, or for flush()."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 6)
        shop.work()
        shop.clock.set(NOON - timedelta(days=400))
        tell(memory, 3, first=6)
        shop.work()
        memory.flush()
        assert [message.seq for message in memory.messages(conversation="kitchen")] == list(range(1, 10))
        assert damage(memory) == SOUND


def test_b19_what_waits_for_a_time_that_is_no_more_is_worked_through(place: Path) -> None:
    """Nothing has to be said for it: the pause, another attempt and a lease count from when the clock was put right."""
    analyst = FailingAnalyst(LocalAnalyst(), word="strychnine")
    with open_workshop(place, analyst=analyst) as shop:
        memory = shop.memory()
        runner = Runner(shop.ports, shop.policies)
        tell(memory, 2)
        tell(memory, 4, conversation="office", about=POISON)
        runner.run(until_idle=True)
        assert memory.episodes() == []
        hold(shop, "elsewhere/1/0", until=shop.clock.now() + timedelta(minutes=1))
        shop.clock.set(NOON - timedelta(days=365))
        analyst.is_well = True
        runner.run(until_idle=True)
        shop.clock.advance(timedelta(minutes=31))
        runner.run(until_idle=True)
        assert memory.stats()["episodes.active"] == 2
        assert damage(memory) == SOUND


def test_b19_a_clock_that_was_put_right_while_nobody_worked_is_noticed(place: Path) -> None:
    """A worker that begins afterwards has not seen it go back, but sees how far ahead the rows stand."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 2)
        shop.clock.set(NOON - timedelta(days=365))
        Runner(shop.ports, shop.policies).run(until_idle=True)
        shop.clock.advance(timedelta(minutes=31))
        Runner(shop.ports, shop.policies).run(until_idle=True)
        assert memory.stats()["episodes.active"] == 1


def test_a_lease_from_the_future_ends_with_its_process(place: Path) -> None:
    """A worker that is gone holds nothing, whatever time it thought it was."""
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], check=True, capture_output=True)
    with open_workshop(place) as shop:
        tell(shop.memory(), 4)
        hold(shop, f"{socket.gethostname()}/{int(ended.stdout)}/0", until=NOON + timedelta(days=9000))
        assert shop.work().episodes == 1
        assert damage(shop.memory()) == SOUND


def test_a_lease_of_another_host_is_waited_for(place: Path) -> None:
    """Whether a process on another machine still lives cannot be known, so its lease has to run out."""
    with open_workshop(place) as shop:
        tell(shop.memory(), 4)
        hold(shop, "elsewhere/1/0", until=NOON + timedelta(minutes=2))
        assert shop.work().episodes == 0
        shop.clock.advance(timedelta(minutes=2))
        assert shop.work().episodes == 1


def test_messages_from_the_future_are_worked_through_now(place: Path) -> None:
    """When something was said decides where an episode ends, not when the worker gets to it."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        for number in range(4):
            at = NOON + timedelta(days=4000, minutes=number)
            memory.observe(f"{MORNING_RUNS} ({number})", conversation="kitchen", at=at)
        shop.work()
        assert [str(episode.status) for episode in memory.episodes()] == ["active"]
        assert memory.episodes()[0].ended_at == NOON + timedelta(days=4000, minutes=3)
        assert damage(memory) == SOUND


def test_a_silent_conversation_ends_by_itself(place: Path) -> None:
    """After half an hour without a word the worker makes an episode of what was said, and not before."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 2)
        shop.clock.advance(timedelta(minutes=29))
        assert shop.work().episodes == 0
        shop.clock.advance(timedelta(minutes=1))
        assert shop.work().episodes == 1
        assert memory.episodes()[0].closed_by == "pause"


def test_a_worker_leaves_out_whom_another_one_has_done_meanwhile(place: Path) -> None:
    """What it has found a while ago may be done by now; to find that out row by row would cost more than to ask."""
    worked_on: list[str] = []
    with open_workshop(place) as shop:
        for user in ("ana", "ben"):
            tell(shop.memory(user), 4)

        def listen(owner: Owner, _: Drained) -> None:
            worked_on.append(owner.user)
            shop.memory("ben").flush()

        Runner(shop.ports, shop.policies, WorkerPolicy(fresh_s=0), on_progress=listen).run(until_idle=True)
        assert set(worked_on) == {"ana"}
        assert all(damage(shop.memory(user)) == SOUND for user in ("ana", "ben"))


def test_a_turn_that_ends_before_anything_was_made_is_not_the_last(place: Path) -> None:
    """A slow machine may need all of a turn for talk of which nothing is kept; what waits behind that is due too."""
    turn_s = 0.02

    def read_slowly(text: str) -> MessageReading:
        if text == "ok":
            time.sleep(2 * turn_s)
        return a_reading(text)

    with open_workshop(place) as shop:
        memory, slow = shop.memory(), replace(shop.ports, reader=ScriptedReader(read_slowly))
        for number in range(4):
            memory.observe("ok", conversation="small talk", id=f"ok-{number}")
        tell(memory, 4)
        Runner(slow, shop.policies, WorkerPolicy(turn_s=turn_s)).run(until_idle=True)
        stats = memory.stats()
        assert (stats["messages.open"], stats.get("episodes.active")) == (0, 1)
        assert damage(memory) == SOUND


def when_all_done(finished: threading.Event) -> Callable[[Owner, Drained], None]:
    """Return a listener that sets the event once four messages and their episode have vectors."""
    vectors = 0

    def listen(_: Owner, done: Drained) -> None:
        nonlocal vectors
        vectors += done.vectors
        if vectors == 5:
            finished.set()

    return listen


def test_a_bell_wakes_the_worker(tmp_path: Path) -> None:
    """A full episode is worked through by the thread although nobody waits for it."""
    finished = threading.Event()
    with open_workshop(tmp_path / "memory.db", fact_extraction_enabled=False) as shop:
        runner = Runner(shop.ports, shop.policies, on_progress=when_all_done(finished))
        runner.start()
        tell(shop.memory(), 4)
        assert finished.wait(30)
        runner.stop()
        assert damage(shop.memory()) == SOUND


def test_the_worker_survives_what_nobody_expected(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is written to the log without its words, and the next look goes on."""

    class Unlucky(ProcessWorkers):
        def is_gone(self, worker: str) -> bool:
            raise RuntimeError(f"who is {worker}?")

    finished = threading.Event()
    with open_workshop(tmp_path / "memory.db", fact_extraction_enabled=False) as shop:
        tell(shop.memory(), 4)
        hold(shop, "elsewhere/1/0", until=NOON)
        ports = replace(shop.ports, workers=Unlucky())
        runner = Runner(ports, shop.policies, on_progress=when_all_done(finished))
        runner.start()
        shop.ports.bell.ring()
        assert finished.wait(30)
        runner.stop()
        assert "the worker goes on; what it did failed: RuntimeError in test_runner.py:" in caplog.text
        assert "who is elsewhere/1/0?" not in caplog.text
        assert damage(shop.memory()) == SOUND


def test_a_setting_that_fits_no_longer_keeps_nobody_waiting(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What another version stored is left aside and said; its owner and everybody behind are worked through."""
    with open_workshop(place) as shop:
        for user in ("ana", "bob"):
            tell(shop.memory(user), 4)
        shop.ports.store.write(
            shop.memory().scope, lambda tx: tx.overrides.save(None, {"of_another_version": 1, "keep_verbatim": False})
        )
        assert shop.work().episodes == 2
        assert "of_another_version" in caplog.text
        assert {message.content for message in shop.memory().messages()} == {""}


def test_vectors_of_the_old_model_do_not_pass_for_the_new_ones(place: Path) -> None:
    """Somebody who embeds with the old model after a change has begun is refused; the work is done by the new one."""
    with open_workshop(place) as shop:
        tell(shop.memory(), 4)
        shop.memory().flush()
        scope, store = shop.memory().scope, shop.ports.store
        with store.read(scope) as tx:
            (episode,) = tx.episodes.page(EpisodeQuery())
            messages = tx.messages.page(MessageQuery())
        store.write(scope, lambda tx: tx.save_owner(replace(tx.owner(), next_model="other-1")))
        with pytest.raises(Stale):
            activate_episode(store, shop.ports.embedder, scope, episode)
        with pytest.raises(Stale):
            embed_messages(store, shop.ports.embedder, scope, messages)
