"""Somebody is erased: no row, no index, no byte in any file, whoever works on them at that moment; and a receipt."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.belief_rows import beliefs_in
from tests.canaries import BEN, Planted, left_in, plant
from tests.lifecycle.test_forgetting import MeddlingEmbedder, SlowAnalyst
from tests.workshop import NOON, SOUND, Workshop, damage, open_workshop
from yesteryear.core.erasure import Erasure
from yesteryear.core.results import to_plain
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Scope, hash_person
from yesteryear.errors import NotFound
from yesteryear.sync.engine import Engine

pytestmark = pytest.mark.sampled

SISTER = "My sister Laura has moved in with Tom Quimbelwort."
WORDS = ("anabelwort", "Laura", "Quimbelwort")
"""The person's own name, and what they said."""
QUESTION = "Where does Laura live with Quimbelwort?"
ANA = WORDS[0]


def talk(shop: Workshop, *, user: str = ANA) -> yesteryear.Memory:
    """Let somebody say something, be shown it, set something, and go on."""
    memory = shop.memory(user)
    memory.observe(SISTER, conversation=f"kitchen of {user}", id=f"{user}-1", author=user)
    memory.observe("We decided to bake our own bread.", conversation=f"kitchen of {user}", id=f"{user}-2", author=user)
    memory.flush()
    memory.configure(max_episodes_retrieved=2)
    memory.context(QUESTION, conversation=f"today of {user}")
    memory.observe("I like my tea with lemon.", conversation=f"today of {user}", id=f"{user}-3", author=user)
    return memory


def told(memory: yesteryear.Memory) -> str:
    """Return whatever any verb tells."""
    answers = [
        memory.recall(QUESTION, archived=True, limit=100),
        memory.context(QUESTION, conversation=f"kitchen of {ANA}"),
        memory.messages(limit=1000),
        [memory.episodes(status=status, limit=1000) for status in (None, "forgotten", "archived", "pending")],
        memory.conversations(),
        memory.stats(),
        memory.forget(conversation=f"kitchen of {ANA}", dry_run=True),
        memory.forget(about="Laura"),
        (memory.facts(status="all", limit=1000), memory.conflicts(resolved=True), memory.nights()),
        memory.fade(at=NOON + timedelta(days=9999), dry_run=True),
        memory.retry(),
    ]
    for name in (f"{ANA}-1", f"{ANA}-2"):
        for verb in (memory.why, memory.forget, memory.pin, memory.restore):
            with pytest.raises(NotFound):
                verb(name)
    return repr(to_plain(answers)).replace(QUESTION, "")


def check_gone(shop: Workshop, place: Path | str, *, user: str = ANA) -> None:
    """Check that no verb tells anything, that nobody of this name is known, and that no file holds a word."""
    answers = told(shop.memory(user)).replace(f"'user': '{user}'", "")
    assert [word for word in WORDS if word in answers] == []
    assert user not in [owner.user for owner in shop.engine.owners()]
    assert shop.ports.store.leases() == []
    if isinstance(place, Path):
        assert left_in(place.parent, WORDS) == {}


def rows_of(shop: Workshop, scope: Scope) -> object:
    """Return all that is kept of somebody."""
    with shop.ports.store.read(scope) as tx:
        return (
            tx.messages.page(MessageQuery(limit=9999)),
            tx.episodes.page(EpisodeQuery(limit=9999)),
            tx.conversations.list(),
            tx.overrides.all(),
            tx.recalls.page(limit=9999),
            beliefs_in(tx),
            {
                model: [(row.ref, row.vector.tolist()) for row in tx.vectors.load(model)]
                for model in tx.vectors.models()
            },
            tx.owner(),
        )


def erase_planted(shop: Workshop, planted: Planted) -> Erasure:
    """Erase the person whose rows hold the words."""
    return shop.engine.memory(planted.scope).erase()


@pytest.mark.parametrize("seed", range(2))
def test_no_word_of_an_erased_person_is_left_in_any_file(tmp_path: Path, seed: int) -> None:
    """Of 250 words in rows of every kind, between somebody else's; theirs are untouched."""
    with open_workshop(tmp_path / "memory.db") as shop:
        planted = plant(shop.ports.store, seed=seed)
        (tmp_path / "memory.db.before-0002").write_text(" ".join(planted.words))
        assert sum(map(len, left_in(tmp_path, planted.words).values())) >= 250
        before = rows_of(shop, BEN)
        receipt = erase_planted(shop, planted)
        assert left_in(tmp_path, planted.words) == {}
        assert rows_of(shop, BEN) == before
        assert (receipt.is_pending, receipt.scrubbed.waits_for, receipt.scrubbed.found_after) == (False, "", 0)
        assert [owner.user for owner in shop.engine.owners()] == ["ben"]
    assert left_in(tmp_path, planted.words) == {}
    with open_workshop(tmp_path / "memory.db") as shop:
        assert shop.engine.describe(check=True)["integrity_check"] == "ok"
        assert rows_of(shop, BEN) == before


def test_a_receipt_tells_what_was_removed_and_names_nobody(place: Path | str) -> None:
    """Its hash and signature can be made again by whoever has it; the name cannot be read from it."""
    with open_workshop(place) as shop:
        with Engine(replace(shop.ports, receipt_key=b"a key"), shop.policies) as signing:
            talk(shop)
            before = shop.memory(ANA).stats()
            receipt = signing.memory(user=ANA).erase()
        plain = receipt.to_dict()
        seal, signature = plain.pop("hash"), plain.pop("signature")
        text = json.dumps(plain, ensure_ascii=False, sort_keys=True)
        assert hashlib.sha256(text.encode()).hexdigest() == seal
        assert hmac.new(b"a key", seal.encode(), hashlib.sha256).hexdigest() == signature
        assert not [word for word in WORDS if word in text]
        assert (receipt.person, receipt.generation) == (hash_person(Scope(user=ANA).owner), 1)
        assert receipt.erased_at == shop.clock.now()
        removed = receipt.removed
        assert (removed["message"], removed["conversation"], removed["memory_config"], removed["owner"]) == (3, 2, 1, 1)
        assert removed["vector"] == sum(before["vectors.by_model"].values())
        assert removed["recall_event"] == 1
        assert {"fact", "fact_version", "evidence", "conflict", "edge", "cycle"} < set(removed)


def test_nothing_is_found_in_this_and_in_another_engine(place: Path | str) -> None:
    """By any verb, through any project; also where an index of them was in memory."""
    with open_workshop(place) as shop, open_workshop(place) as other:
        talk(shop)
        project = shop.memory(ANA, project="thesis")
        project.observe(SISTER, conversation="kitchen", id="p-1")
        project.flush()
        assert shop.memory(ANA).recall(QUESTION).hits
        if isinstance(place, Path):
            assert other.memory(ANA).recall(QUESTION).hits
        project.erase()
        check_gone(shop, place)
        assert told(project)
        if isinstance(place, Path):
            check_gone(other, place)
        assert SISTER not in repr(to_plain(project.recall(QUESTION)))
        for each in (shop, other):
            each.work()
            assert not [
                nbytes for owner, nbytes in each.engine._index_cache.sizes().items() if owner.user == ANA and nbytes
            ]


ANOTHER_PROCESS = """
import sys
from pathlib import Path
from tests.lifecycle.test_erasing import ANA, QUESTION, check_gone
from tests.workshop import open_workshop

path = Path(sys.argv[1])
with open_workshop(path) as shop:
    print(len(shop.memory(ANA).recall(QUESTION).hits), flush=True)
    sys.stdin.readline()
    check_gone(shop, path)
    print("gone", flush=True)
"""


def test_nothing_is_found_in_another_process(tmp_path: Path) -> None:
    """That had the file open and the index of the person in its memory."""
    path = tmp_path / "memory.db"
    with open_workshop(path) as shop:
        memory = talk(shop)
        command = [sys.executable, "-c", ANOTHER_PROCESS, str(path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdin is not None
            assert other.stdout is not None
            assert int(other.stdout.readline()) > 0
            assert not memory.erase().is_pending
            other.stdin.write("go\n")
            other.stdin.flush()
            assert other.stdout.readline() == "gone\n"


def test_whoever_was_erased_leaves_no_name_by_being_asked_about(place: Path | str) -> None:
    """A flush, a question, a setting taken back: nothing writes them down again."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        memory.erase()
        memory.flush()
        memory.context(QUESTION, conversation="kitchen")
        memory.recall(QUESTION)
        memory.fade()
        memory.retry()
        shop.work()
        check_gone(shop, place)


def test_erasing_twice_is_erasing_once(place: Path | str) -> None:
    """The same receipt; of somebody who was never known there is none."""
    with open_workshop(place) as shop:
        first = talk(shop).erase()
        shop.clock.advance(timedelta(days=1))
        assert shop.memory(ANA).erase() == shop.memory(ANA, project="thesis").erase() == first
        with pytest.raises(NotFound):
            shop.memory("nobody").erase()
        assert shop.engine.owners() == []


@pytest.mark.parametrize(
    "draft",
    [
        lambda memory: memory.configure(max_episodes_retrieved=1),
        lambda memory: memory.observe("hm"),
        lambda memory: memory.flush(),
        lambda memory: memory.context(QUESTION, conversation="c"),
    ],
    ids=["configure", "observe", "flush", "context"],
)
def test_whoever_is_known_by_anything_can_be_erased(
    place: Path | str, draft: Callable[[yesteryear.Memory], Any]
) -> None:
    """However little it is: where a name was written down it can be taken out again."""
    with open_workshop(place) as shop:
        memory = shop.memory(ANA)
        draft(memory)
        known = ANA in [owner.user for owner in shop.engine.owners()]
        if known:
            memory.erase()
        else:
            with pytest.raises(NotFound):
                memory.erase()
        check_gone(shop, place)


def test_whoever_comes_back_begins_anew(place: Path | str) -> None:
    """Nothing of before is found; what is said from now on is; and it can be erased again."""
    with open_workshop(place) as shop, open_workshop(place) as other:
        first = talk(shop).erase()
        memory = (other if isinstance(place, Path) else shop).memory(ANA)
        memory.observe("My brother Paulo works as a nurse in Porto.", conversation="c", id=f"{ANA}-1")
        memory.flush()
        assert shop.memory(ANA).recall("Where does Paulo work?")[0].messages == (f"{ANA}-1",)
        assert "Laura" not in repr(to_plain(shop.memory(ANA).recall(QUESTION))).replace(QUESTION, "")
        assert damage(memory) == SOUND
        second = shop.memory(ANA).erase()
        assert (first.generation, second.generation) == (1, 2)
        assert second.removed["message"] == 1
        check_gone(shop, place)


def test_what_is_being_digested_or_embedded_does_not_come_back(place: Path | str) -> None:
    """Work that was begun before is not written; not even a name."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        memory.close_episode(f"today of {ANA}")
        shop.work(analyst=SlowAnalyst(memory.erase))
        check_gone(shop, place)
        for text in (SISTER, "Laura moved\nMy sister Laura has moved in"):
            talk(shop).close_episode(f"today of {ANA}")
            memory.observe(SISTER, conversation="another", id="a-1")
            memory.close_episode("another")
            shop.work(embedder=MeddlingEmbedder(shop.ports.embedder, text, memory.erase))
            if ANA in [owner.user for owner in shop.engine.owners()]:
                memory.erase()
            check_gone(shop, place)


@pytest.mark.parametrize("nth", range(1, 5))
def test_an_embedding_that_is_under_way_writes_nothing(place: Path | str, nth: int) -> None:
    """Whichever text is in the model's hands when they are erased."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        memory.observe(SISTER, conversation="another", id="a-1", author=ANA)
        memory.close_episode("another")
        embedder = ErasingEmbedder(shop.ports.embedder, nth, memory.erase)
        shop.work(embedder=embedder)
        if embedder.has_erased:
            check_gone(shop, place)


class ErasingEmbedder(MeddlingEmbedder):
    """An embedder in whose hands somebody is erased at the nth text."""

    def __init__(self, inner: Any, nth: int, erase: Callable[[], object]) -> None:
        super().__init__(inner, "", erase)
        self._left = nth
        self.has_erased = False

    def embed(self, texts: Any, *, purpose: Any) -> Any:
        """Embed, and erase when it is time."""
        self._left -= 1
        if not self._left:
            self.has_erased = True
            self._happens()
        return self._inner.embed(texts, purpose=purpose)


def test_a_context_that_is_being_made_notes_nothing(place: Path | str) -> None:
    """It was asked for before; that something was shown is not written down afterwards."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        embedder = ErasingEmbedder(shop.ports.embedder, 1, memory.erase)
        with Engine(replace(shop.ports, embedder=embedder), shop.policies) as asking:
            asking.memory(user=ANA).context(QUESTION, conversation="kitchen")
        assert embedder.has_erased
    with open_workshop(place) as shop:
        check_gone(shop, place) if isinstance(place, Path) else None


def test_a_reader_keeps_it_waiting_and_the_worker_finishes_it(tmp_path: Path) -> None:
    """Somebody still sees the rows of before: the receipt says so, and is finished once they are gone."""
    path = tmp_path / "memory.db"
    with open_workshop(path) as shop, open_workshop(path) as other:
        memory = talk(shop)
        with impatient(shop), other.ports.store.read(memory.scope) as past:
            receipt = memory.erase()
            assert receipt.is_pending
            assert "read" in receipt.scrubbed.waits_for
            assert past.messages.page(MessageQuery())[0].content == SISTER
            assert memory.messages() == []
            assert memory.erase().is_pending
        shop.work()
        assert shop.ports.store.erasures() == []
        done = memory.erase()
        assert (done.is_pending, done.generation, done.removed) == (False, receipt.generation, receipt.removed)
        check_gone(shop, path)


class impatient:  # noqa: N801 - reads as a word in a with statement
    """While entered, a store does not wait for readers; tests would take as long as they do."""

    def __init__(self, shop: Workshop) -> None:
        self._store: Any = shop.ports.store

    def __enter__(self) -> None:
        self._policy = self._store._policy
        self._store._policy = replace(self._policy, busy_s=0.1)

    def __exit__(self, *_: object) -> None:
        self._store._policy = self._policy


def test_two_who_erase_at_once_get_one_receipt(tmp_path: Path) -> None:
    """From two engines on one file; what was removed stands in it once."""
    path = tmp_path / "memory.db"
    with open_workshop(path) as shop, open_workshop(path) as other:
        talk(shop)
        receipts: list[Erasure] = []
        begin = threading.Barrier(2)

        def erase(memory: yesteryear.Memory) -> None:
            begin.wait()
            receipts.append(memory.erase())

        threads = [threading.Thread(target=erase, args=[each.memory(ANA)]) for each in (shop, other)]
        with impatient(shop), impatient(other):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        final = shop.memory(ANA).erase()
        assert [receipt.generation for receipt in receipts] == [1, 1]
        assert final.removed["message"] == 3
        check_gone(shop, path)


def live_beside(engine: Engine, stop: threading.Event, user: str) -> None:
    """Talk, ask and flush as somebody else until told to stop."""
    memory, number = engine.memory(user=user), 0
    while not stop.is_set():
        number += 1
        memory.observe(f"My brother Paulo plays chess on day {number}.", conversation="club", id=f"{user}-{number}")
        memory.recall("Who plays chess?")
        if number % 5 == 0:
            memory.flush()


def erase_beside_others(folder: Path, seed: int, others: tuple[str, ...]) -> None:
    """Erase somebody while others talk and ask; check that nothing of them is left and nothing of the others lost."""
    stop = threading.Event()
    with open_workshop(folder / "memory.db", durability="normal") as shop:
        threads = [threading.Thread(target=live_beside, args=[shop.engine, stop, user]) for user in others]
        for thread in threads:
            thread.start()
        planted = plant(shop.ports.store, seed=seed)
        receipt = erase_planted(shop, planted)
        assert left_in(folder, planted.words) == {}, f"seed {seed}, with the others still at it"
        stop.set()
        for thread in threads:
            thread.join()
        assert not receipt.is_pending
        for user in others:
            said = [row.name for row in shop.memory(user).messages(limit=1000)]
            assert said == [f"{user}-{number + 1}" for number in range(len(said))]
            assert said
    assert left_in(folder, planted.words) == {}, f"seed {seed}"


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [10])
def test_somebody_is_erased_while_others_go_on(tmp_path: Path, seed: int) -> None:
    """They talk, ask and have episodes made in the same moment and the same file."""
    erase_beside_others(tmp_path, seed, ("cleo", "dora"))


BESIDE = """
import sys, threading
import yesteryear
from tests.lifecycle.test_erasing import live_beside

stop = threading.Event()
with yesteryear.open(sys.argv[1], worker="none", embedder="hashing", episode_message_threshold=4) as engine:
    print("ready", flush=True)
    threading.Thread(target=lambda: (sys.stdin.readline(), stop.set()), daemon=True).start()
    live_beside(engine, stop, "eve")
"""


@pytest.mark.exhaustive
@pytest.mark.heavy
def test_somebody_is_erased_fifty_times_while_others_go_on(tmp_path: Path) -> None:
    """Threads of this process and another process beside: not a byte, in fifty runs with their seeds."""
    for seed in range(100, 150):
        folder = tmp_path / str(seed)
        folder.mkdir()
        command = [sys.executable, "-c", BESIDE, str(folder / "memory.db")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as beside:
            assert beside.stdin is not None
            assert beside.stdout is not None
            assert beside.stdout.readline() == "ready\n"
            erase_beside_others(folder, seed, ("cleo", "dora")[: random.Random(seed).randrange(3)])
            beside.stdin.write("stop\n")
            beside.stdin.flush()
            assert beside.wait(timeout=60) == 0, f"seed {seed}"
        with open_workshop(folder / "memory.db") as shop:
            assert shop.memory("eve").messages(), f"seed {seed}: nobody was beside"
