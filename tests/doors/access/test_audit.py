"""The audit: what is in it, what never is, and whether somebody has been at it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear import errors
from yesteryear.api.access import OpenDoor, Principal, RequestedScope, Right
from yesteryear.api.audit import touched
from yesteryear.api.auth_context import AuthContext
from yesteryear.bootstrap.doors import open_auth_context
from yesteryear.core.access.audit import AuditDraft, AuditEntry, follow, verify
from yesteryear.core.scope import Owner, Scope, hash_person
from yesteryear.memory.memory import AsyncMemory
from yesteryear.testing.builders import NOON

KEY = Principal("key k1", "acme", None, Right.ADMIN)
ANA = Scope("ana", "acme")
TENANT = Scope.everybody("acme")


@contextmanager
def a_reception(path: Path) -> Iterator[AuthContext]:
    """Open a reception over a file, without a worker."""
    auth_context = open_auth_context(path, loopback=True, embedder="hashing", worker="none")
    try:
        yield auth_context
    finally:
        asyncio.run(auth_context.engine.aclose())


def audit(auth_context: AuthContext, scope: Scope = ANA) -> list[AuditEntry]:
    """Return all rows of an owner."""
    assert auth_context.audit_log is not None
    auth_context.audit_log.store.write(scope, lambda _: None)  # commits what was handed over before
    return list(auth_context.audit_log.rows(scope))


def chain(*verbs: str) -> list[AuditEntry]:
    """Return rows that follow one another."""
    rows: list[AuditEntry] = []
    for verb in verbs:
        rows.append(follow(AuditDraft(NOON, "key k1", verb, count=1, ids=("a",)), rows[-1] if rows else None))
    return rows


def test_changes_leave_rows_and_looks_leave_none(tmp_path: Path) -> None:
    """Who, what, how many, which; in the order in which it was done, and on disk before the answer.

    What is said is in the journal, and leaves no row here.
    """

    async def live(auth_context: AuthContext) -> str:
        memory = auth_context.lend(KEY, Right.ADMIN, RequestedScope("ana"))
        receipt = await memory.observe("I moved my runs to the morning")
        await memory.observe([{"content": "Please remember the walnuts"}, {"content": "ok"}], conversation="c2")
        await memory.context("running")
        await memory.recall("walnuts")
        await memory.stats()
        await memory.forget(receipt.id, dry_run=True)
        await memory.forget(receipt.id)
        await memory.configure(fading=False)
        with pytest.raises(errors.NotFound):
            await memory.pin("nothing")
        return receipt.id

    with a_reception(tmp_path / "memory.db") as auth_context:
        first = asyncio.run(live(auth_context))
        rows = audit(auth_context)
    assert [(row.verb, row.outcome, row.count) for row in rows] == [
        ("forget", "done", 1),
        ("configure", "done", 1),
        ("pin", "not_found", 0),
    ]
    assert {row.principal for row in rows} == {"key k1"}
    assert rows[0].ids == (first,)
    assert verify(rows).is_whole


def test_nothing_that_was_said_is_in_the_audit(tmp_path: Path) -> None:
    """Neither words nor the caller's own ids, which may hold a name."""

    async def live(auth_context: AuthContext) -> None:
        memory = auth_context.lend(KEY, Right.WRITE, RequestedScope("ana"))
        await memory.observe("I live in Galway", id="ana-larkspur-1", conversation="larkspur", author="Ana Larkspur")
        with pytest.raises(errors.Conflict):
            await memory.observe("I live in Porto", id="ana-larkspur-1", conversation="larkspur")
        with pytest.raises(errors.NotFound):
            await memory.confirm("larkspur")

    with a_reception(tmp_path / "memory.db") as auth_context:
        asyncio.run(live(auth_context))
        told = json.dumps([row.to_dict() for row in audit(auth_context)])
    assert "larkspur" not in told.lower()
    assert "Galway" not in told


def test_a_refusal_is_noted_with_whoever_was_refused(tmp_path: Path) -> None:
    """In their own audit, never in that of the person they asked for: nobody fills a stranger's record."""

    async def live(auth_context: AuthContext) -> None:
        reader = Principal("ana's phone", "acme", "ana", Right.READ)
        service = Principal("key k2", "acme", None, Right.READ)
        for principal, right, user in (
            (reader, Right.READ, "ben"),
            (reader, Right.ADMIN, None),
            (service, Right.WRITE, "ben"),
        ):
            with pytest.raises(errors.NotAllowed):
                auth_context.lend(principal, right, RequestedScope(user))

    with a_reception(tmp_path / "memory.db") as auth_context:
        asyncio.run(live(auth_context))
        own, common, strange = (
            audit(auth_context),
            audit(auth_context, TENANT),
            audit(auth_context, Scope("ben", "acme")),
        )
    assert [(row.principal, row.verb, row.outcome) for row in own] == [
        ("ana's phone", "read", "not_allowed"),
        ("ana's phone", "admin", "not_allowed"),
    ]
    assert [(row.principal, row.verb) for row in common] == [("key k2", "write")]
    assert strange == []


def test_a_lent_memory_does_no_more_than_it_was_lent_for(tmp_path: Path) -> None:
    """A door that asked for reading cannot write by mistake."""

    async def live(auth_context: AuthContext) -> None:
        memory = auth_context.lend(KEY, Right.READ, RequestedScope("ana"))
        assert memory.scope == ANA
        assert (await memory.context("hello")).text is not None
        with pytest.raises(errors.NotAllowed, match="write"):
            await memory.observe("I live in Galway")
        with pytest.raises(errors.NotAllowed, match="admin"):
            await memory.erase()

    with a_reception(tmp_path / "memory.db") as auth_context:
        asyncio.run(live(auth_context))
        assert audit(auth_context) == []


def test_without_a_trail_a_memory_works_all_the_same(tmp_path: Path) -> None:
    """A reception of two parts notes nothing."""

    async def live(auth_context: AuthContext) -> AsyncMemory:
        memory = auth_context.lend(await auth_context.gatekeeper.admit({}), Right.WRITE, RequestedScope("ana"))
        await memory.observe("I live in Galway")
        with pytest.raises(errors.NotAllowed):
            auth_context.lend(Principal("k", "acme", "ana", Right.READ), Right.WRITE, RequestedScope())
        return memory

    with a_reception(tmp_path / "memory.db") as auth_context:
        bare = AuthContext(auth_context.engine, OpenDoor("acme"))
        assert asyncio.run(live(bare)).scope == ANA
        assert audit(auth_context) == []


def test_a_caller_who_goes_away_leaves_the_row_of_what_they_began(tmp_path: Path) -> None:
    """The change is done all the same, so it is noted all the same."""

    async def live(auth_context: AuthContext) -> None:
        memory = auth_context.lend(KEY, Right.WRITE, RequestedScope("ana"))
        others = asyncio.all_tasks()
        asking = asyncio.ensure_future(memory.fade())
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait(asyncio.all_tasks() - others)

    with a_reception(tmp_path / "memory.db") as auth_context:
        asyncio.run(live(auth_context))
        assert [row.verb for row in audit(auth_context)] == ["fade"]


@pytest.mark.parametrize(
    ("who", "named"),
    [
        (KEY, "key k1"),
        (Principal("Ana Larkspur", "acme", "Ana Larkspur", Right.ADMIN), hash_person(Owner("acme", "Ana Larkspur"))),
    ],
)
def test_a_persons_audit_goes_with_them(tmp_path: Path, who: Principal, named: str) -> None:
    """What is left stands with the tenant: who erased, and the hash on the receipt; no file holds the name."""

    async def live(auth_context: AuthContext) -> str:
        memory = auth_context.lend(who, Right.ADMIN, RequestedScope("Ana Larkspur"))
        await memory.observe("I live in Galway")
        return (await memory.erase()).person

    with a_reception(tmp_path / "memory.db") as auth_context:
        person = asyncio.run(live(auth_context))
        rows = audit(auth_context, TENANT)
        assert audit(auth_context, Scope("Ana Larkspur", "acme")) == []
        assert asyncio.run(auth_context.engine.owners()) == []
    assert [(row.principal, row.verb, row.outcome, row.ids) for row in rows] == [(named, "erase", "done", (person,))]
    assert not any(b"Larkspur" in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


def tampered(rows: list[AuditEntry]) -> dict[str, list[AuditEntry]]:
    """Return what somebody might make of three rows."""
    exchanged = follow(AuditDraft(NOON, "key k2", "erase"), rows[0])
    return {
        "changed": [rows[0], replace(rows[1], principal="key k9"), rows[2]],
        "changed and sealed anew": [rows[0], exchanged, rows[2]],
        "taken out": [rows[0], rows[2]],
        "put in": [rows[0], rows[1], exchanged, rows[2]],
        "turned round": [rows[0], rows[2], rows[1]],
        "the first taken off": rows[1:],
    }


@pytest.mark.parametrize(
    ("how", "at"),
    [
        ("changed", 2),
        ("changed and sealed anew", 3),
        ("taken out", 3),
        ("put in", 2),
        ("turned round", 3),
        ("the first taken off", 2),
    ],
)
def test_a_chain_tells_where_it_is_broken(how: str, at: int) -> None:
    """The first row that does not follow from the one before."""
    found = verify(tampered(chain("observe", "forget", "export"))[how])
    assert (found.is_whole, found.broken_at) == (False, at)
    assert found.reason


@given(length=st.integers(2, 8), data=st.data())
def test_no_row_can_be_changed_without_a_trace(length: int, data: st.DataObject) -> None:
    """Whichever row, whichever field, and the same for rows taken out."""
    rows = chain(*(f"verb {number}" for number in range(length)))
    assert verify(rows).is_whole
    index = data.draw(st.integers(0, length - 1))
    changes: dict[str, object] = {
        "at": NOON.replace(year=2001),
        "principal": "x",
        "verb": "x",
        "outcome": "x",
        "count": 9,
        "ids": ("b",),
        "hash": "0" * 64,
    }
    field = data.draw(st.sampled_from(sorted(changes)))
    changed = [*rows[:index], replace(rows[index], **{field: changes[field]}), *rows[index + 1 :]]  # type: ignore[arg-type]
    assert not verify(changed).is_whole
    assert verify([*rows[:index], *rows[index + 1 :]]).is_whole is (index == length - 1)


def test_rows_cut_off_the_end_show_against_a_noted_head() -> None:
    """Which an operator has written down elsewhere; an older head is still there after new rows."""
    rows = chain("observe", "forget", "export")
    head = rows[1].hash
    assert verify(rows, head=head).is_whole
    assert verify(rows[:1]).is_whole
    cut = verify(rows[:1], head=head)
    assert (cut.is_whole, cut.broken_at) == (False, None)
    assert "noted" in cut.reason


def test_an_audit_that_was_changed_in_the_file_is_found_out(tmp_path: Path) -> None:
    """By whoever opens the database with another tool."""
    path = tmp_path / "memory.db"

    async def live(auth_context: AuthContext) -> None:
        memory = auth_context.lend(KEY, Right.WRITE, RequestedScope("ana"))
        for number in range(4):
            await memory.fade(at=f"2040-01-0{number + 1}T00:00:00Z")

    with a_reception(path) as auth_context:
        asyncio.run(live(auth_context))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE audit SET body = replace(body, 'key k1', 'key k2') WHERE seq = 3")
        connection.commit()
    with a_reception(path) as auth_context:
        assert verify(audit(auth_context)).broken_at == 3


@pytest.mark.parametrize(
    ("result", "told"),
    [(None, (0, ())), (7, (7, ())), ({"a": 1}, (1, ())), ([], (0, ())), ("words", (0, ()))],
)
def test_what_a_result_tells_is_numbers_and_ids(result: object, told: tuple[int, tuple[str, ...]]) -> None:
    """Never a word of it."""
    assert touched(result) == told
