"""Lives of all kinds of rows, and exports that somebody has changed by hand."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.belief_rows import (
    a_fact,
    a_full_fact,
    a_night,
    a_ruling,
    a_version,
    an_edge,
    evidence_for,
)
from tests.rows import ANA, KEPT, SKIPPED, SLEEP, STEPS, a_call, a_vector, an_episode, at
from yesteryear.bootstrap import open_store
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Detail, EpisodeStatus
from yesteryear.core.fact import Authority, FactStatus
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.usage import CallOutcome, CallPurpose
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import StorageUnavailable
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import NOON, a_message
from yesteryear.transfer.export import export_memory
from yesteryear.transfer.import_export import Imported, import_export

BEN = Scope(user="ben")
EVE = Scope(user="eve")
FORGOTTEN = Verdict(Outcome.SKIP, Reason.FORGET_REQUEST, 0.0, 0.0, "by_hand")
ODD_TEXT = '# Überschrift\r\n> 我喜欢爬山 \u2028\x85\x00 👩‍👩‍👧‍👦 {"a": [1]}\n\n=== <b>end</b> ==='


def fill(store: Store, scope: Scope = ANA) -> None:
    """Write a life with every kind of row in every state."""
    store.write(scope, lambda tx: _write_kitchen(tx, scope))
    store.write(scope, lambda tx: _write_others(tx, scope))
    store.write(scope, lambda tx: _write_beliefs(tx, scope))
    store.write(scope, _write_beside)


def _write_kitchen(tx: Transaction, scope: Scope) -> None:
    """A conversation that is worked through but for its open end."""
    said = [a_message(f"I said {seq}", seq=seq, conversation="kitchen", minutes=seq) for seq in range(1, 12)]
    said = [replace(row, scope=scope, external_id=f"mine-{row.seq}", zone="Europe/Lisbon") for row in said]
    episodes = [
        an_episode("e1", conversation="kitchen", first_seq=1, last_seq=3, message_ids=("kitchen-1", "kitchen-2")),
        an_episode("e2", conversation="kitchen", first_seq=4, last_seq=5, message_ids=("kitchen-4",), minutes=9),
        an_episode("e3", conversation="kitchen", first_seq=6, last_seq=7, message_ids=(), minutes=9),
        an_episode("e4", conversation="kitchen", first_seq=8, last_seq=8, message_ids=("kitchen-8",), minutes=9),
    ]
    states: list[dict[str, Any]] = [
        {"status": EpisodeStatus.ACTIVE, "pinned": True, "fades_at": at(99), "zone": "Asia/Tokyo"},
        {"status": EpisodeStatus.ARCHIVED, "detail": Detail.GIST, "recalls": (at(20), at(30)), "restored_at": at(40)},
        {"status": EpisodeStatus.FORGOTTEN, "digest": None, "importance": 0.0},
        {"status": EpisodeStatus.FAILED, "digest": None, "attempts": 5, "error": "the analyst cannot be reached"},
    ]
    changes: dict[int, dict[str, Any]] = {
        1: {"verdict": KEPT, "episode_id": "e1", "numbers": (STEPS, SLEEP)},
        2: {"verdict": KEPT, "episode_id": "e1", "content": ODD_TEXT},
        3: {"verdict": SKIPPED, "expires_at": at(999), "role": Role.ASSISTANT, "author": "assistant"},
        4: {"verdict": KEPT, "episode_id": "e2", "content": ""},
        5: {"verdict": SKIPPED, "content": ""},
        6: {"verdict": FORGOTTEN, "content": ""},
        7: {"verdict": FORGOTTEN, "content": ""},
        8: {"episode_id": "e4"},
        9: {"verdict": KEPT, "vector_due_at": at(50), "attempts": 2, "error": "the embedder cannot be reached"},
    }
    for row in said:
        tx.messages.insert(replace(row, **changes.get(row.seq, {})))
    for episode, state in zip(episodes, states, strict=True):
        tx.episodes.insert(replace(episode, scope=scope, **state))
    tx.conversations.save(_conversation(said[-1], settled_seq=9, closed_seq=8, due_at=at(41), attempts=1, error="late"))


def _write_others(tx: Transaction, scope: Scope) -> None:
    """The same name in a project, with an agent and in both; one that was never spoken in."""
    for project, agent in (("thesis", None), (None, "tutor"), ("thesis", "tutor")):
        where = replace(scope, project=project, agent=agent)
        name = f"{project}-{agent}"
        row = a_message(name, id=f"m-{name}", conversation="kitchen", scope=where, at=NOON - timedelta(days=9999))
        tx.messages.insert(replace(row, verdict=KEPT, episode_id=f"e-{name}"))
        episode = an_episode(f"e-{name}", conversation="kitchen", scope=where, first_seq=1, last_seq=1)
        tx.episodes.insert(replace(episode, message_ids=(row.id,), next_try=at(3)))
        tx.conversations.save(_conversation(row, settled_seq=1))
    tx.conversations.save(Conversation(ConversationKey("thesis", None, "silent")))


def _write_beliefs(tx: Transaction, scope: Scope) -> None:
    """Facts in every state with all that is kept about them, and nights."""
    full = replace(a_full_fact("f-1"), scope=scope, first_observed=at(-5), canonical_id=None, superseded_by="f-5")
    facts = [
        full,
        a_fact("f-2", ODD_TEXT, minutes=3, scope=scope, status=FactStatus.STABLE, confidence=1 / 3),
        a_fact("f-3", minutes=3, scope=scope, status=FactStatus.MERGED, canonical_id="f-2"),
        a_fact("f-4", minutes=4, scope=replace(scope, project="thesis"), kind=FactKind.GOAL),
        a_fact("f-5", minutes=5, scope=scope, authority=Authority.INFERRED, due_at=at(7)),
        a_fact("f-6", minutes=6, scope=scope),
    ]
    tx.facts.insert(facts)
    tx.versions.add([a_version(facts[number], minutes=number, cycle="n1") for number in (0, 2, 0, 4)])
    said = [("f-1", "kitchen-4"), ("f-1", "kitchen-1"), ("f-2", "kitchen-2"), ("f-3", "nowhere"), ("f-6", None)]
    tx.evidence.add([evidence_for(fact_id, message_id) for fact_id, message_id in said])
    tx.rulings.save(
        [
            a_ruling("f-5", "f-1", scope=scope, cycle="n1"),
            a_ruling("f-2", "f-3", scope=scope, by_person=True, is_void=True),
            a_ruling("f-4", "f-2", scope=replace(scope, project="thesis"), settled_at=at(8), settled_by="gone"),
            a_ruling("f-6", "f-1", scope=scope),
        ]
    )
    tx.edges.put([an_edge("f-5", "f-1", scope=scope), an_edge("f-1", "f-5", scope=scope)])
    tx.edges.put([an_edge("f-3", "f-2", scope=scope)])
    for name in ("n2", "n1"):
        tx.cycles.save(a_night(name))
    tx.facts.forget(["f-6"])


def _write_beside(tx: Transaction) -> None:
    """Vectors of two models, recall events and settings."""
    tx.save_owner(replace(tx.owner(), model="m", next_model="n"))
    tx.vectors.put("m", [a_vector("kitchen-1", 1, 2, 3), a_vector("kitchen-1", 3, 2, 1, part=1)])
    tx.vectors.put(
        "m",
        [
            a_vector("e1", 0, 1, 0, grain=VectorGrain.EPISODE),
            a_vector("e1", 1, 0, 0, part=1, grain=VectorGrain.EPISODE),
        ],
    )
    tx.vectors.put("m", [a_vector(name, 2, 0, 1, grain=VectorGrain.FACT) for name in ("f-5", "f-1")])
    tx.vectors.put("n", [a_vector("kitchen-1", 1, 1), a_vector("e1", 1, 3, grain=VectorGrain.EPISODE)])
    tx.vectors.put("n", [a_vector("f-1", 2, 1, grain=VectorGrain.FACT)])
    kitchen = ConversationKey(None, None, "kitchen")
    tx.recalls.append(RecallEvent("r2", kitchen, at(2), ("e1", "kitchen-1"), (1, 2**64 - 1), asked=(7,), settled=True))
    failed = a_call(1, purpose=CallPurpose.DISTIL, outcome=CallOutcome.FAILED, micro_usd=None)
    tx.usages.add(["u2", "u1"], [a_call(2), failed])
    tx.recalls.append(RecallEvent("r1", ConversationKey("thesis", None, ""), at(3), (), ()))
    tx.overrides.save(None, {"journal_retention_days": 7.5, "keep_verbatim": True, "max_active_episodes": 12})
    tx.overrides.save("thesis", {"episode_message_threshold": 5})
    tx.overrides.save("taxes", {})


def _conversation(last: Message, **changes: Any) -> Conversation:
    row = Conversation(last.key, last.zone, last_seq=last.seq, last_at=last.at, last_recorded_at=last.recorded_at)
    return replace(row, **changes)


def export_bytes(store: Store, scope: Scope, folder: Path) -> bytes:
    """Return an export as it stands in its file, which goes."""
    path = folder / "an export.zip"
    export_memory(store, scope, path)
    packed = path.read_bytes()
    path.unlink()
    return packed


def contents_of(path: Path) -> dict[str, bytes]:
    """Return what a zip holds."""
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def rows_in(path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the rows of one kind in an export."""
    with zipfile.ZipFile(path) as packed:
        return [json.loads(line) for line in packed.read(f"{kind}.jsonl").splitlines()]


def forge(path: Path, change: Callable[[dict[str, list[Any]]], None], **manifest: Any) -> None:
    """Change rows of an export as somebody would who knows how to make it look whole.

    Args:
        path: The export.
        change: Is given the rows by kind, to change them; a row may also be the text of a line.
        **manifest: Fields of the manifest that become others.
    """
    with zipfile.ZipFile(path) as packed:
        contents = {name: packed.read(name) for name in packed.namelist()}
    kinds = {
        name.removesuffix(".jsonl"): contents[name].split(b"\n")[:-1] for name in contents if name.endswith("jsonl")
    }
    rows: dict[str, list[Any]] = {kind: [json.loads(line) for line in lines] for kind, lines in kinds.items()}
    change(rows)
    for kind, changed in rows.items():
        lines = [row if isinstance(row, str) else json.dumps(row) for row in changed]
        contents[f"{kind}.jsonl"] = "".join(f"{line}\n" for line in lines).encode()
    repack(path, contents, **manifest)


def repack(path: Path, contents: dict[str, bytes], **changes: Any) -> None:
    """Write an export of these contents, with the manifest they need."""
    manifest = json.loads(contents.pop("manifest.json"))
    for name, content in contents.items():
        lines = content.count(b"\n")
        manifest["files"][name] = {"bytes": len(content), "rows": lines, "sha256": hashlib.sha256(content).hexdigest()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in contents.items():
            packed.writestr(name, content)
        packed.writestr("manifest.json", json.dumps({**manifest, **changes}))


class WatchedStore:
    """A store that does something of the test's before or after each write, and else is the store it is given."""

    def __init__(
        self,
        inner: Store,
        *,
        before: Callable[[int], None] = lambda _: None,
        after: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._inner = inner
        self._before = before
        self._after = after
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, scope: Scope, work: Callable[[Transaction], Any], *, urgent: bool = False) -> Any:
        """Write, with what the test wants to happen around it."""
        self.writes += 1
        number = self.writes
        self._before(number)
        result = self._inner.write(scope, work, urgent=urgent)
        self._after(number)
        return result


def full_at(*numbers: int) -> Callable[[int], None]:
    """Return what happens on a disk that is full at some writes."""

    def before(number: int) -> None:
        if number in numbers:
            raise StorageUnavailable("the disk is full; free some space and try again")

    return before


@contextmanager
def opened(place: Path | str) -> Iterator[Store]:
    """Open a store."""
    store = open_store(place)
    try:
        yield store
    finally:
        store.close()


def take_in(store: Any, path: Path, scope: Scope = BEN) -> Imported:
    """Import an export."""
    return import_export(store, scope, path, now=NOON)


def fill_long(store: Store, scope: Scope, conversations: int, *, dimension: int = 8) -> None:
    """Write conversations of 30 messages, all with vectors and in episodes but for the end of the last one."""
    for number in range(conversations):
        is_last = number == conversations - 1
        store.write(scope, lambda tx, n=number, last=is_last: _write_talk(tx, scope, n, last, dimension))  # type: ignore[misc]
    store.write(scope, lambda tx: tx.save_owner(replace(tx.owner(), model="m")))


def _write_talk(tx: Transaction, scope: Scope, number: int, is_last: bool, dimension: int) -> None:
    name = f"c{number:03}"
    rows = []
    for seq in range(1, 31):
        text = f"On day {number * 30 + seq} I went for a run, {'and baked bread, ' * (seq % 7)}and I liked it."
        row = replace(a_message(text, seq=seq, conversation=name, minutes=number * 2000 + seq), scope=scope)
        is_open = is_last and seq > 20
        verdict = None if is_open else SKIPPED if seq % 5 == 0 else KEPT
        episode_id = f"{name}-e{(seq - 1) // 10}" if verdict is KEPT else None
        rows.append(replace(row, verdict=verdict, episode_id=episode_id, external_id=f"x-{number}-{seq}"))
        tx.messages.insert(rows[-1])
        if not is_open:
            tx.vectors.put("m", [a_vector(row.id, *_values(number, seq, dimension))])
    for part in range(2 if is_last else 3):
        kept = [row for row in rows[part * 10 : part * 10 + 10] if row.verdict is KEPT]
        episode = an_episode(f"{name}-e{part}", conversation=name, scope=scope, status=EpisodeStatus.ACTIVE)
        first = part * 10 + 1
        ids = tuple(row.id for row in kept)
        tx.episodes.insert(replace(episode, first_seq=first, last_seq=first + 9, message_ids=ids))
        tx.vectors.put("m", [a_vector(episode.id, *_values(number, part, dimension), grain=VectorGrain.EPISODE)])
    settled = 20 if is_last else 30
    last = rows[-1]
    row = Conversation(last.key, last_seq=30, settled_seq=settled, last_at=last.at, last_recorded_at=last.recorded_at)
    tx.conversations.save(replace(row, due_at=at(30) if is_last else None))


def _values(number: int, seq: int, dimension: int) -> list[float]:
    return [(number * 31 + seq * 7 + place * place) % 97 - 48.5 for place in range(dimension)]
