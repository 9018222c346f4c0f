"""No door and no name lets a secret into the store."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.belief_rows import a_fact
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.core.scope import Scope
from yesteryear.errors import InputError
from yesteryear.lifecycle import conversing
from yesteryear.memory.memory import AsyncMemory
from yesteryear.remember.journal import MessageDraft, draft_message
from yesteryear.transfer.export import export_memory

KEY = "ghp_aB3dE6gH9jK2mN5pQ8sTaB3dE6gH9jK2mN5p"
PASSWORD = "hunter2horse"
TOLD = f"Ana's password for netflix is {PASSWORD}, her key {KEY}"
FACT = "01900000-0000-7000-8000-000000000001"


def bytes_of(folder: Path) -> bytes:
    """Return all that lies in a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def holds_secret(folder: Path) -> bool:
    """Tell whether any file in a folder holds a secret of these tests."""
    found = bytes_of(folder)
    return KEY.encode() in found or PASSWORD.encode() in found


def believe(shop: Workshop, statement: str = "Ana likes the sea") -> str:
    """Have Ana's memory believe something; return its id."""
    fact = replace(a_fact(FACT, statement), scope=Scope(user="ana"))
    shop.ports.store.write(Scope(user="ana"), lambda tx: tx.facts.insert([fact]))
    return fact.id


def test_b09_a_correction_holds_no_secret(place: Path | str) -> None:
    """What a person puts in the place of a fact went past redaction."""
    with open_workshop(place) as shop:
        new = shop.memory().correct(believe(shop), TOLD)
        assert new.statement == "Ana's password for netflix is [redacted: password], her key [redacted: api key]"


def test_b09_an_import_holds_no_secret(tmp_path: Path) -> None:
    """An export of a store that keeps secrets, or one that somebody made, went past redaction."""
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    with open_workshop(tmp_path / "old" / "memory.db", redact_secrets=False) as shop:
        memory = shop.memory()
        for number in range(5):
            memory.observe(f"{TOLD} ({number})", author=f"ana {KEY}", conversation=f"desk {KEY}", id=f"{number} {KEY}")
        memory.observe("I live in Porto.", conversation="kitchen")
        believe(shop, TOLD)
        memory.flush()
        assert holds_secret(tmp_path / "old")
        export_memory(shop.ports.store, memory.scope, tmp_path / "export.zip")
    with open_workshop(tmp_path / "new" / "memory.db") as shop:
        memory = shop.memory()
        added = memory.import_(tmp_path / "export.zip").added
        assert added["messages"] == 6
        assert {message.conversation for message in memory.messages()} == {"desk [redacted: api key]", "kitchen"}
        assert memory.import_(tmp_path / "export.zip").known["messages"] == 6
    assert not holds_secret(tmp_path / "new")


def test_an_own_export_comes_back_though_more_is_cut_out_now(tmp_path: Path) -> None:
    """Rows from before a form was known say the same as their redacted likes: importing changes nothing."""
    with open_workshop(tmp_path / "memory.db", redact_secrets=False) as shop:
        memory = shop.memory()
        memory.observe(TOLD)
        believe(shop, TOLD)
        memory.flush()
        export_memory(shop.ports.store, memory.scope, tmp_path / "export.zip")
    with open_workshop(tmp_path / "memory.db") as shop:
        imported = shop.memory().import_(tmp_path / "export.zip")
        assert imported.known["messages"] == 1
        assert imported.known["facts"] >= 1


def test_b09_names_of_authors_and_conversations_hold_no_secret(place: Path | str) -> None:
    """They are cut out of such a name, and the talk is found by the name that was given all the same."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        receipt = memory.observe("I live in Porto.", author=f"ana {KEY}", conversation=f"deploy {KEY}")
        assert receipt.conversation == "deploy [redacted: api key]"
        [message] = memory.messages(conversation=f"deploy {KEY}", author=f"ana {KEY}")
        assert message.author == "ana [redacted: api key]"
        assert memory.context("hi", conversation=f"deploy {KEY}").recent


@pytest.mark.parametrize("name", [KEY, f"mine {KEY}", "my password is hunter2horse", "4111 1111 1111 1111"])
def test_b09_what_others_are_found_by_is_refused_with_a_secret_in_it(place: Path | str, name: str) -> None:
    """The names of people and projects and ids of messages are repeated in logs, addresses and exports."""
    with open_workshop(place) as shop:
        ana = shop.memory()
        for attempt in (
            lambda: ana.observe("hi", id=name),
            lambda: shop.engine.memory(user=name).observe("hi"),
            lambda: shop.memory(project=name).observe("hi"),
            lambda: shop.engine.memory(user="ana", agent=name).observe("hi"),
            lambda: shop.engine.memory(user="ana", tenant=name).observe("hi"),
            lambda: ana.configure(project=name, max_facts_retrieved=3),
        ):
            with pytest.raises(InputError, match="looks like a secret") as refused:
                attempt()
            assert name not in str(refused.value)
        assert ana.messages() == []


@pytest.mark.parametrize("name", ["4111111111111111", "621234567890123456", "session-4bf92f3577b34da6a3ce929d0e0e4736"])
def test_an_id_that_a_program_made_is_no_secret(place: Path | str, name: str) -> None:
    """People of messengers are called by long numbers; one in thirty would be refused as a card."""
    with open_workshop(place) as shop:
        receipt = shop.engine.memory(user=name).observe("hi", id=name, author=name, conversation=name)
        assert receipt.conversation == name


TEXTS: Mapping[str, Mapping[str, Any]] = {
    "observe": {"content": f"see {TOLD}", "author": f"a {KEY}", "conversation": f"c {KEY}", "zone": "UTC", "at": NOON},
    "correct": {"id": FACT, "statement": TOLD},
    "context": {"message": TOLD, "conversation": f"c {KEY}"},
    "recall": {"question": TOLD, "author": f"a {KEY}", "conversation": f"c {KEY}"},
    "forget": {"about": TOLD},
}
"""Verbs that are handed words, and what they are handed here."""
WORDLESS = frozenset(
    {
        *("messages", "episodes", "conversations", "close_episode", "configure", "flush", "retry", "reread", "stats"),
        "usage",
        *(
            "facts",
            "changes",
            "extract",
            "conflicts",
            "open_loops",
            "metrics",
            "correlations",
            "graph",
            "dismiss",
            "diff",
            "confirm",
            "both_hold",
            "people",
            "same",
            "not_same",
            "refute",
            "resolve",
            "consolidate",
            "undo",
        ),
        *("nights", "pin", "unpin", "restore", "why", "fade", "erase", "export", "import_", "keep", "proposals"),
    }
)
"""Verbs that keep no words of what they are handed, or have a test above."""


def test_b09_no_verb_writes_a_secret_that_it_is_handed(tmp_path: Path) -> None:
    """Whoever adds a verb that takes words has to say here what it does with a secret."""
    public = {
        name for name, verb in inspect.getmembers(AsyncMemory, inspect.iscoroutinefunction) if not name.startswith("_")
    }
    assert public - WORDLESS == set(TEXTS)
    with open_workshop(tmp_path / "memory.db") as shop:
        memory = shop.memory()
        believe(shop)
        for name, arguments in TEXTS.items():
            getattr(memory, name)(**arguments)
        memory.flush()
        memory.consolidate()
    assert not holds_secret(tmp_path)


def test_b06_a_long_message_is_read_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for secrets in one stopped everybody who is served by the same loop."""
    threads: list[int] = []

    def draft(fields: Mapping[str, object], **given: Any) -> MessageDraft:
        threads.append(threading.get_ident())
        return draft_message(fields, **given)

    async def tell() -> None:
        async with yesteryear.open_async(":memory:", embedder="hashing", worker="none") as engine:
            memory = engine.memory(user="ana")
            await memory.observe("I live in Porto.", at=datetime(2026, 3, 1, tzinfo=NOON.tzinfo))
            await memory.observe("4111 " * 20_000)
            await memory.observe([{"content": "I live in Porto."}] * 1_000)

    monkeypatch.setattr(conversing, "draft_message", draft)
    asyncio.run(tell())
    here = threading.get_ident()
    assert [thread == here for thread in threads] == [True, *[False] * 1_001]
