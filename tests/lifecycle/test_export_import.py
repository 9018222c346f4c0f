"""A person takes their memory along: into a file, into another store, and nothing is lost on the way."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.exports import BEN, EVE, WatchedStore, contents_of, export_bytes, fill, fill_long, opened, rows_in, take_in
from tests.rows import ANA
from tests.worker.one_life import OtherEmbedder
from tests.workshop import NOON, SOUND, Workshop, damage, open_workshop, tell
from yesteryear.cli.commands.intake import Intake
from yesteryear.cli.importers.chatgpt import read_chatgpt
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import Conflict
from yesteryear.policies import Policies, policies_in
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message
from yesteryear.transfer.export import export_memory
from yesteryear.transfer.import_export import import_export
from yesteryear.transfer.kinds import KINDS

NUTS = "Please remember that my sister Lena cannot eat nuts."

_BY_CHANCE = 4
"""Letters of a name that may stand in packed bytes by chance."""


def talked(shop: Workshop, user: str = "ana") -> yesteryear.Memory:
    """Return a memory that was talked to in two conversations, worked through but for an open end."""
    memory = shop.memory(user)
    tell(memory, 6)
    memory.observe("what's 17 times 3?", conversation="desk", id="desk-0", zone="Europe/Lisbon")
    memory.flush()
    tell(memory, 3, first=6)
    tell(memory, 2, conversation="desk", first=1, about="I planted tomatoes on the balcony, and I love them")
    return memory


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """An export of such a memory."""
    with open_workshop(":memory:") as shop:
        export_memory(shop.ports.store, talked(shop).scope, tmp_path / "memory.zip")
    return tmp_path / "memory.zip"


def test_every_kind_of_row_comes_back_the_same(place: Path | str, tmp_path: Path) -> None:
    """Into another person's memory, another store and once more, the bytes of the file stay the same."""
    with opened(place) as store, opened(tmp_path / "other.db") as other:
        fill(store)
        path = tmp_path / "memory.zip"
        exported = export_memory(store, ANA, path)
        whole = path.read_bytes()
        assert exported.nbytes == len(whole)
        assert exported.rows == {
            "settings": 2, "conversations": 5, "messages": 14, "episodes": 7, "vectors": 9, "recalls": 2, "usages": 2,
            "facts": 6, "versions": 4, "evidence": 4, "rulings": 3, "edges": 3, "cycles": 2,
        }  # fmt: skip
        for where in (store, other):
            imported = take_in(where, path)
            assert imported.added == exported.rows
            assert (imported.known, imported.notes) == ({}, ())
            assert export_bytes(where, BEN, tmp_path) == whole
            assert take_in(where, path).added == {}
            assert export_bytes(where, BEN, tmp_path) == whole
        path.write_bytes(export_bytes(other, BEN, tmp_path))
        take_in(store, path, EVE)
        assert export_bytes(store, EVE, tmp_path) == whole
        assert export_bytes(store, ANA, tmp_path) == whole


def test_nothing_in_the_file_tells_whose_it_was(tmp_path: Path) -> None:
    """Names stand only where somebody said them; of the machine and the place there is nothing."""
    with open_workshop(tmp_path / "place.db") as shop:
        memory = talked(shop, "zebulon")
        export_memory(shop.ports.store, memory.scope, tmp_path / "memory.zip")
    text = b"".join([(tmp_path / "memory.zip").read_bytes(), *contents_of(tmp_path / "memory.zip").values()])
    machine = os.uname().nodename
    for name in ("zebulon", "place.db", str(tmp_path), *([machine] if len(machine) > _BY_CHANCE else [])):
        assert name.encode() not in text


def test_an_imported_history_of_chatgpt_comes_back_the_same(place: Path | str, tmp_path: Path) -> None:
    """What was brought from elsewhere can be taken along as well."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for number in range(20):
        author = {"role": "assistant" if number % 2 else "user", "name": None, "metadata": {}}
        content = {"content_type": "text", "parts": [f"My sister Lena visited me in Porto in {1990 + number}. 👍"]}
        message = {"id": f"n{number}", "author": author, "create_time": 1_772_437_270.5 + number, "content": content}
        parent = f"n{number - 1}" if number else "root"
        nodes[f"n{number}"] = {"id": f"n{number}", "message": message, "parent": parent, "children": [f"n{number + 1}"]}
    nodes["n19"]["children"] = []
    history = {"title": "Lena", "create_time": 1.0, "mapping": nodes, "current_node": "n19", "conversation_id": "c-1"}
    source = tmp_path / "conversations.json"
    source.write_text(json.dumps([history]))
    with open_workshop(place) as shop:
        Intake(lambda _: shop.memory(), zone="Europe/Lisbon").take(read_chatgpt(source))
        memory = shop.memory()
        memory.flush()
        assert len(memory.messages()) == 20
        export_memory(shop.ports.store, ANA, tmp_path / "memory.zip")
        take_in(shop.ports.store, tmp_path / "memory.zip")
        assert export_bytes(shop.ports.store, BEN, tmp_path) == (tmp_path / "memory.zip").read_bytes()
        assert "Lena" in (tmp_path / "memory.zip").name + contents_of(tmp_path / "memory.zip")["memory.md"].decode()


def test_recall_is_the_same_afterwards(export: Path, place: Path | str) -> None:
    """Found by meaning and by words, with what belongs to it."""
    with open_workshop(":memory:") as first, open_workshop(place) as second:
        before = talked(first)
        take_in(second.ports.store, export)
        after = second.memory("ben")
        for question in ("When do I run?", "tomatoes on the balcony", "17 times 3"):
            ours, theirs = before.recall(question), after.recall(question)
            assert [(hit.text, hit.signals) for hit in theirs] == [(hit.text, hit.signals) for hit in ours]
        assert after.context("When do I run?").text == before.context("When do I run?").text


def test_talk_goes_on_after_an_import(export: Path, place: Path | str) -> None:
    """The open end is worked through as if it had been said here, and what is said next follows it."""
    with open_workshop(place) as shop:
        take_in(shop.ports.store, export)
        shop.clock.advance(timedelta(hours=1))
        memory = shop.memory("ben")
        assert tuple(memory.stats()[name] for name in ("messages.open", "conversations")) == (5, 2)
        tell(memory, 1, first=9)
        memory.flush()
        assert memory.stats()["messages.open"] == 0
        assert [row.seq for row in memory.messages(conversation="kitchen")] == list(range(1, 11))
        assert damage(memory) == SOUND


def test_importing_again_after_talk_went_on_changes_nothing(export: Path, place: Path | str) -> None:
    """What was there is known, what has become of it stays."""
    with open_workshop(place) as shop:
        take_in(shop.ports.store, export)
        memory = shop.memory("ben")
        tell(memory, 3, first=9)
        memory.flush()
        before = (memory.messages(), memory.episodes(), memory.conversations())
        imported = take_in(shop.ports.store, export)
        assert imported.added == {}
        facts = len(rows_in(export, "facts"))
        assert imported.known == {"conversations": 2, "messages": 12, "episodes": 2, "facts": facts}
        assert (memory.messages(), memory.episodes(), memory.conversations()) == before


@pytest.mark.parametrize("does", ["work", "flush"])
def test_a_worker_beside_does_nothing_twice(export: Path, place: Path | str, does: str) -> None:
    """It may work, or somebody may flush, after every single write of the import."""
    with open_workshop(place) as shop:
        memory = shop.memory("ben")
        store = WatchedStore(shop.ports.store, after=lambda _: shop.work() if does == "work" else memory.flush())
        imported = take_in(store, export)
        memory.flush()
        assert imported.added["messages"] == 12
        assert sorted(row.name for row in memory.messages()) == sorted(
            [*(f"kitchen-{n}" for n in range(9)), *(f"desk-{n}" for n in range(3))]
        )
        assert {row["id"] for row in rows_in(export, "episodes")} <= {row.id for row in memory.episodes()}
        assert memory.stats()["messages.open"] == 0
        assert damage(memory) == SOUND


def test_a_memory_of_another_model_makes_its_own_vectors(export: Path, place: Path | str) -> None:
    """The vectors of the export are left out, and said to be; the worker gives each text one of the model here."""
    with open_workshop(place) as shop:
        memory = shop.memory("ben")
        memory.observe("I bought a green kayak.", conversation="lake")
        memory.flush()
        shop.work(embedder=OtherEmbedder())
        imported = take_in(shop.ports.store, export)
        count = len(rows_in(export, "vectors"))
        assert len(imported.notes) == 1
        assert f"{count} vectors of 'hashing-v1' were left out, for this memory uses 'other-v1'" in imported.notes[0]
        assert "vectors" not in imported.added
        assert memory.stats()["vectors.by_model"] == {"other-v1": 2}
        shop.work(embedder=OtherEmbedder())
        assert memory.stats()["vectors.by_model"] == {"other-v1": 2 + count}
        assert memory.stats()["vectors.model"] == "other-v1"


def test_a_change_of_model_beside_leaves_no_gap(export: Path, place: Path | str) -> None:
    """A worker with another model starts to embed anew in the midst of it: in the end every text has its vector."""
    with open_workshop(place) as shop:
        store = WatchedStore(shop.ports.store, after=lambda _: shop.work(embedder=OtherEmbedder()))
        take_in(store, export)
        memory = shop.memory("ben")
        shop.work(embedder=OtherEmbedder())
        stats = memory.stats()
        assert (stats["vectors.model"], stats["vectors.next_model"]) == ("other-v1", None)
        assert stats["vectors.by_model"] == {"other-v1": len(rows_in(export, "vectors"))}
        assert stats["vectors.due"] == 0


def test_what_is_set_here_stays(place: Path | str, tmp_path: Path) -> None:
    """An import changes no setting that was made on purpose, and says so; it adds those that were not made."""
    with opened(place) as store:
        fill(store)
        export_memory(store, ANA, tmp_path / "memory.zip")
        store.write(BEN, lambda tx: tx.overrides.save(None, {"keep_verbatim": False}))
        imported = take_in(store, tmp_path / "memory.zip")
        assert imported.notes == ("settings that were made here before stay as they are: keep_verbatim",)
        with store.read(BEN) as tx:
            assert tx.overrides.get(None) == {
                "journal_retention_days": 7.5, "keep_verbatim": False, "max_active_episodes": 12
            }  # fmt: skip


def test_b22_settings_do_not_pile_up(place: Path | str, tmp_path: Path) -> None:
    """Each message would read them all: 200,000 took a second and a half; those that nobody knows do not count."""
    with opened(place) as store:
        for number in range(3):
            unknown = {f"from elsewhere {number} {each}": each for each in range(90)}
            store.write(ANA, lambda tx, unknown=unknown: tx.overrides.save(None, unknown))  # type: ignore[misc]
            export_memory(store, ANA, tmp_path / f"{number}.zip")
            take_in(store, tmp_path / f"{number}.zip")
        with store.read(BEN) as tx:
            assert len(tx.overrides.get(None)) == 100
            assert policies_in(tx, None, Policies()) == Policies()


def test_progress_is_told(export: Path) -> None:
    """From little to all, never back."""
    told: list[tuple[int, int]] = []
    with opened(":memory:") as store:
        import_export(store, BEN, export, now=NOON, on_progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[0] == (0, told[-1][1])
    assert told[-1] == (told[-1][1], sum(len(rows_in(export, kind.name)) for kind in KINDS))


def test_an_import_that_meets_talk_gives_way(place: Path | str, tmp_path: Path) -> None:
    """Somebody speaks in a conversation while it arrives: the import is refused, and only what they said stays."""
    path = tmp_path / "memory.zip"
    with opened(":memory:") as store:
        fill_long(store, ANA, 2)
        export_memory(store, ANA, path)
    for number in range(1, 4):
        _meet_talk(place if number == 1 else ":memory:", path, number)


def _meet_talk(place: Path | str, path: Path, number: int) -> None:
    with open_workshop(place) as shop:
        memory = shop.memory("ben")

        def speak(write: int) -> None:
            if write == number:
                memory.observe(NUTS, conversation="c001")
                memory.flush()

        with pytest.raises(Conflict, match="somebody spoke in a conversation of the export while it came in"):
            take_in(WatchedStore(shop.ports.store, before=speak), path)
        assert [row.content for row in memory.messages()] == [NUTS]
        assert [row.key.name for row in memory.conversations()] == ["c001"]
        assert len(memory.episodes()) == 1
        assert memory.stats()["messages.open"] == 0


def test_an_export_is_of_one_moment(place: Path | str, tmp_path: Path) -> None:
    """What is said and forgotten while it is written is not in it."""
    with opened(place) as store:
        fill(store)
        before = export_bytes(store, ANA, tmp_path)

        def speak() -> None:
            key = ConversationKey(None, None, "kitchen")
            seq = 0
            while not is_over.is_set():
                seq += 1
                row = a_message(seq=seq, conversation="aside")
                store.write(ANA, lambda tx, row=row: tx.messages.insert(row))  # type: ignore[misc]
                store.write(ANA, lambda tx: tx.conversations.save(replace(tx.conversations.get(key), attempts=9)))  # type: ignore[type-var]

        is_over, talk = threading.Event(), threading.Thread(target=speak)
        with store.read(ANA):
            pass
        writer = _StartingStore(store, talk)
        export_memory(writer, ANA, tmp_path / "memory.zip")  # type: ignore[arg-type]
        is_over.set()
        talk.join()
        assert (tmp_path / "memory.zip").read_bytes() == before
        assert export_bytes(store, ANA, tmp_path) != before


class _StartingStore:
    """A store that starts a thread once its snapshot was taken."""

    def __init__(self, inner: Store, thread: threading.Thread) -> None:
        self._inner = inner
        self._thread = thread

    @contextmanager
    def read(self, scope: Scope) -> Iterator[Transaction]:
        """Read, and start the thread the first time."""
        with self._inner.read(scope) as tx:
            tx.owner()
            if self._thread.ident is None:
                self._thread.start()
                time.sleep(0.05)
            yield tx


def test_an_export_holds_what_its_scope_sees(place: Path | str, tmp_path: Path) -> None:
    """A project's export has the project's rows and the general ones, not those of another project, agent or person."""
    path = tmp_path / "memory.zip"
    with opened(place) as store:
        fill(store)
        fill(store, BEN)
        export_memory(store, Scope(user="ana", project="thesis", agent="coach"), path)
        assert {(row["project"], row["agent"]) for row in rows_in(path, "messages")} == {(None, None), ("thesis", None)}
        assert [row["project"] for row in rows_in(path, "settings")] == [None, "thesis"]
        assert len(rows_in(path, "conversations")) == 3
        export_memory(store, Scope(user="nobody"), path, overwrite=True)
        assert {kind: rows_in(path, kind) for kind in ("messages", "recalls")} == {"messages": [], "recalls": []}
