"""Whatever a life was: it goes into a file and comes back the same. Whatever stands in a file: it does no harm."""

from __future__ import annotations

import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.exports import BEN, export_bytes, fill, forge
from tests.properties.examples import examples
from tests.properties.lives import NOW, Talk, opened, talks, tell
from tests.rows import ANA
from yesteryear.core.scope import Scope
from yesteryear.errors import Conflict, InputError
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import NOON
from yesteryear.transfer.copy import copy_store, digest_dump
from yesteryear.transfer.export import export_memory
from yesteryear.transfer.import_export import import_export
from yesteryear.transfer.reader import StoreReader

PROJECTS = (None, "thesis", "taxes")
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from(["keep", "e1", "m"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
"""Whatever JSON can hold."""


@examples(12)
@given(
    told=talks(projects=PROJECTS),
    is_flushed=st.booleans(),
    days=st.sampled_from([0, 40, 400]),
    project=st.sampled_from(PROJECTS),
    data=st.data(),
)
def test_a_life_comes_back_the_same(
    told: list[Talk], is_flushed: bool, days: int, project: str | None, data: st.DataObject
) -> None:
    """Export, import and export give the same bytes, in another's memory of another store; so does a copy."""
    with tempfile.TemporaryDirectory() as folder, opened() as engine:
        tell(engine, told, is_flushed=is_flushed)
        memory = engine.memory(user="ana")
        memory.configure(max_active_episodes=data.draw(st.integers(0, 3)))
        episodes = memory.episodes()
        if episodes:
            memory.pin(data.draw(st.sampled_from(episodes)).id)
            memory.forget(data.draw(st.sampled_from(memory.messages())).id)
        memory.fade(at=NOW + timedelta(days=days))
        store = engine._ports.store
        export_memory(store, Scope(user="ana", project=project), Path(folder) / "memory.zip")
        packed = (Path(folder) / "memory.zip").read_bytes()
        with closing(InMemoryStore()) as other:
            import_export(other, BEN, Path(folder) / "memory.zip", now=NOW)
            assert export_bytes(other, Scope(user="ben", project=project), Path(folder)) == packed
        with closing(InMemoryStore()) as copy, store.read(ANA) as ours:
            copy_store(store, copy)
            with copy.read(ANA) as theirs:
                assert digest_dump(StoreReader(ours)) == digest_dump(StoreReader(theirs))


def a_full_export(folder: Path) -> Path:
    """Return an export with every kind of row."""
    with closing(InMemoryStore()) as store:
        fill(store)
        export_memory(store, ANA, folder / "memory.zip")
    return folder / "memory.zip"


@examples(40)
@given(value=VALUES, data=st.data())
def test_whatever_stands_in_a_field_does_no_harm(value: object, data: st.DataObject) -> None:
    """It is refused and nothing is written, or it fits and comes back as it was."""
    with tempfile.TemporaryDirectory() as name, closing(InMemoryStore()) as store:
        path = a_full_export(Path(name))

        def change(rows: dict[str, list[Any]]) -> None:
            kind = data.draw(st.sampled_from(sorted(rows)))
            row = data.draw(st.sampled_from(rows[kind]))
            within = ("verdict", "digest", "values", "fact", "slot", "judgement", "properties")
            inner = [part for part in (row, *(row.get(name) for name in within)) if part]
            place = data.draw(st.sampled_from(inner))
            place[data.draw(st.sampled_from(sorted(place)))] = value

        forge(path, change)
        try:
            import_export(store, BEN, path, now=NOON)
        except (InputError, Conflict):
            assert store.owners() == []
            return
        packed = export_bytes(store, BEN, Path(name))
        path.write_bytes(packed)
        import_export(store, Scope(user="eve"), path, now=NOON)
        assert export_bytes(store, Scope(user="eve"), Path(name)) == packed
