"""The file of an export: whatever is wrong with it is found before anything of it is used."""

from __future__ import annotations

import errno
import io
import json
import stat
import tracemalloc
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.exports import BEN, contents_of, export_bytes, fill, forge, repack
from tests.rows import ANA
from yesteryear.errors import BadExport, InputError
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import NOON
from yesteryear.transfer.archive import CONTENTS, MANIFEST, Archive, ArchivePolicy, write_archive
from yesteryear.transfer.import_export import import_export
from yesteryear.transfer.kinds import Models

EMPTY: dict[str, list[bytes]] = {name: [] for name in CONTENTS}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return an export with every kind of row."""
    with closing(InMemoryStore()) as store:
        fill(store)
        return export_bytes(store, ANA, tmp_path_factory.mktemp("packed"))


@pytest.fixture
def export(packed: bytes, tmp_path: Path) -> Path:
    """Return a file of it, for a test to change."""
    path = tmp_path / "memory.zip"
    path.write_bytes(packed)
    return path


def take_in(path: Path, **policy: Any) -> bytes:
    """Import into an empty store, and return its own export; if that is refused, nothing may be in it."""
    with closing(InMemoryStore()) as store:
        is_refused = True
        try:
            import_export(store, BEN, path, now=NOON, policy=ArchivePolicy(**policy))
            is_refused = False
        finally:
            assert is_refused == (store.owners() == [])
        return export_bytes(store, BEN, path.parent)


def add_entry(path: Path, name: str, content: bytes = b"", **fields: Any) -> None:
    """Put one more entry into a zip."""
    info = zipfile.ZipInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr(info, content)


def test_the_manifest_tells_what_is_there(export: Path) -> None:
    """Format, version, models, and of each file its rows, bytes and hash; and anybody can unpack it."""
    with zipfile.ZipFile(export) as packed:
        assert packed.testzip() is None
        assert [entry.date_time for entry in packed.infolist()] == [(1980, 1, 1, 0, 0, 0)] * 15
        assert {stat.filemode(entry.external_attr >> 16) for entry in packed.infolist()} == {"-rw-------"}
        manifest = json.loads(packed.read(MANIFEST))
    assert (manifest["format"], manifest["version"]) == ("yesteryear-export", 7)
    assert (manifest["model"], manifest["next_model"]) == ("m", "n")
    assert {name: entry["rows"] for name, entry in manifest["files"].items() if name != "memory.md"} == {
        "settings.jsonl": 2,
        "conversations.jsonl": 5,
        "messages.jsonl": 14,
        "episodes.jsonl": 7,
        "facts.jsonl": 6,
        "versions.jsonl": 4,
        "evidence.jsonl": 4,
        "rulings.jsonl": 3,
        "edges.jsonl": 3,
        "cycles.jsonl": 2,
        "vectors.jsonl": 9,
        "recalls.jsonl": 2,
        "usages.jsonl": 2,
    }


@pytest.mark.heavy
@pytest.mark.parametrize("part", range(8))
def test_a_flipped_bit_is_found_or_does_no_harm(export: Path, part: int) -> None:
    """Wherever it is: what is not refused gives the very same memory, for it was no part of it."""
    whole = export.read_bytes()
    for place in range(part, len(whole), 64):
        spoiled = bytearray(whole)
        spoiled[place] ^= 1 << (place // 64 % 8)
        export.write_bytes(spoiled)
        try:
            taken = take_in(export)
        except BadExport:
            continue
        assert taken == whole


def test_a_file_that_was_cut_short_is_refused(export: Path) -> None:
    """As a download that broke off."""
    whole = export.read_bytes()
    for length in range(0, len(whole), 97):
        export.write_bytes(whole[:length])
        with pytest.raises(BadExport):
            take_in(export)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 8}, "version 8 of the format, and up to 7 can be read here; upgrade"),
        ({"version": "1"}, "version is a whole number"),
        ({"format": "photos"}, "no export of yesteryear"),
        ({"model": 7}, "model: expected `str | null`, got `int`"),
        ({"files": {}}, "settings.jsonl is missing"),
        ({"mood": 1}, "unknown field 'mood'"),
    ],
)
def test_a_manifest_of_something_else_is_refused(export: Path, changes: dict[str, Any], said: str) -> None:
    """The message says whether another version would help."""
    repack(export, contents_of(export), **changes)
    with pytest.raises(BadExport, match=said):
        take_in(export)


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    """A text, a zip of something else, an empty file; a folder or a missing file cannot be read."""
    path = tmp_path / "something"
    for content in (b"", b"once upon a time", b"PK\x03\x04" + bytes(100)):
        path.write_bytes(content)
        with pytest.raises(BadExport, match="is no export of yesteryear"):
            take_in(path)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("conversations.json", "[]")
    with pytest.raises(BadExport, match=r"there is no manifest\.json in it"):
        take_in(path)
    for missing in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match="cannot be read"):
            take_in(missing)


@pytest.mark.parametrize(
    "name", ["../memory.md", "/etc/passwd", "C:\\memory.md", "a/messages.jsonl", "x", "messages.jsonl/"]
)
def test_no_other_name_is_let_in(export: Path, name: str) -> None:
    """Nothing is ever unpacked to disk, and yet no path is accepted that would climb out."""
    add_entry(export, name, b"x")
    with pytest.raises(BadExport, match="which no export holds"):
        take_in(export)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused(export: Path) -> None:
    """Which of the two would be meant?"""
    add_entry(export, "messages.jsonl")
    with pytest.raises(BadExport, match="twice"):
        take_in(export)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"external_attr": (stat.S_IFLNK | 0o777) << 16}, "no plain file"),
        ({"external_attr": (stat.S_IFDIR | 0o777) << 16}, "no plain file"),
        ({"compress_type": zipfile.ZIP_BZIP2}, "packed in a way"),
        ({"compress_type": zipfile.ZIP_LZMA}, "packed in a way"),
    ],
)
def test_an_entry_of_another_nature_is_refused(export: Path, fields: dict[str, int], said: str) -> None:
    """Links and unusual packing have no place in an export."""
    contents = contents_of(export)
    content = contents.pop("recalls.jsonl")
    with zipfile.ZipFile(export, "w") as packed:
        for name in contents:
            packed.writestr(name, contents[name])
    add_entry(export, "recalls.jsonl", content, **fields)
    with pytest.raises(BadExport, match=said):
        take_in(export)


def test_an_encrypted_entry_is_refused(export: Path) -> None:
    """The flag that says so stands in the directory at the end."""
    packed = bytearray(export.read_bytes())
    flags = packed.index(b"PK\x01\x02") + 8
    packed[flags] |= 1
    export.write_bytes(packed)
    with pytest.raises(BadExport, match="is encrypted"):
        take_in(export)


def test_a_missing_content_is_refused(export: Path) -> None:
    """Half an export is none."""
    contents = contents_of(export)
    del contents["vectors.jsonl"]
    with zipfile.ZipFile(export, "w") as packed:
        for name, content in contents.items():
            packed.writestr(name, content)
    with pytest.raises(BadExport, match=r"lacks vectors\.jsonl"):
        take_in(export)


@pytest.mark.parametrize("name", CONTENTS)
def test_another_content_than_was_written_is_refused(export: Path, name: str) -> None:
    """Also where the zip itself is sound."""
    contents = contents_of(export)
    contents[name] = contents[name].replace(b"e", b"a", 1)
    with zipfile.ZipFile(export, "w") as packed:
        for other, content in contents.items():
            packed.writestr(other, content)
    with pytest.raises(BadExport):
        take_in(export)


def test_a_row_that_became_another_is_refused(export: Path) -> None:
    """Each line may fit and yet not be what was written: the hash tells."""
    contents = contents_of(export)
    contents["messages.jsonl"] = contents["messages.jsonl"].replace(b"I said 3", b"I did 33")
    with zipfile.ZipFile(export, "w") as packed:
        for name, content in contents.items():
            packed.writestr(name, content)
    with pytest.raises(BadExport, match="is not what was written"):
        take_in(export)


def test_contents_may_be_packed_anew(export: Path) -> None:
    """Whoever unpacks an export and packs it again has still got it."""
    contents, whole = contents_of(export), export.read_bytes()
    with zipfile.ZipFile(export, "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(contents):
            packed.writestr(name, contents[name])
    assert take_in(export) == whole


def test_what_would_unpack_to_far_more_is_refused_unread(export: Path) -> None:
    """A zip of a few kilobytes can announce gigabytes."""
    forge(export, lambda rows: rows["messages"][0].update(content="0" * 3_000_000))
    assert export.stat().st_size < 20_000
    take_in(export)
    with pytest.raises(BadExport, match="would unpack to 3,0"):
        take_in(export, unpacked_bytes=1_000_000)


def test_a_file_that_announces_less_than_it_holds_is_stopped(export: Path) -> None:
    """What the directory says is not believed: reading ends where it says, and then the hash differs."""
    contents = contents_of(export)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in contents.items():
            made.writestr(name, content if name != "messages.jsonl" else content + b"0" * 50_000_000)
    lying = bytearray(bomb.getvalue())
    whole = (len(contents["messages.jsonl"]) + 50_000_000).to_bytes(4, "little")
    while (place := lying.find(whole)) >= 0:
        lying[place : place + 4] = len(contents["messages.jsonl"]).to_bytes(4, "little")
    export.write_bytes(lying)
    with pytest.raises(BadExport, match="is damaged"):
        take_in(export)


def test_a_line_without_end_does_not_fill_memory(export: Path) -> None:
    """Reading stops at the longest line there can be."""
    forge(export, lambda rows: rows["messages"].insert(0, "0" * 30_000_000))
    tracemalloc.start()
    with pytest.raises(BadExport, match=r"messages\.jsonl in memory\.zip: line 1 is too long"):
        take_in(export, line_bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_a_manifest_without_end_is_refused(export: Path) -> None:
    """It is read whole, so it has to be short."""
    repack(export, contents_of(export), mood="x" * 1_000_000)
    with pytest.raises(BadExport, match=r"manifest\.json in memory\.zip is too long"):
        take_in(export)


class FullFile(io.BytesIO):
    """A file on a disk that is full after so many writes."""

    def __init__(self, writes: int) -> None:
        super().__init__()
        self.left = writes

    def write(self, data: Any) -> int:
        """Write, as long as there is room."""
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_a_full_disk_is_told_at_every_write() -> None:
    """Whichever write it is that fails, the error is the disk's."""
    lines: dict[str, list[bytes]] = EMPTY | {"messages.jsonl": [bytes([n]) * 40_000 for n in range(9)]}

    counting = FullFile(10_000)
    write_archive(counting, lines, Models(None, None))
    writes = 10_000 - counting.left
    assert writes > 20
    for number in range(writes):
        with pytest.raises(OSError, match="No space left") as told:
            write_archive(FullFile(number), lines, Models(None, None))
        assert told.value.errno == errno.ENOSPC


def test_an_archive_is_closed_whatever_it_holds(export: Path) -> None:
    """Windows cannot delete what is still open; and an unclosed file is a warning, which is an error here."""
    repack(export, contents_of(export), version=8)
    with pytest.raises(BadExport):
        Archive(export)
    export.unlink()
