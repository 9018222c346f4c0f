"""STEP: the file of an export: one zip of JSON Lines, a page to read, and a manifest with the hash of each.

The same lines give the same bytes: no clock, no name of a machine or a person, a fixed order. Reading trusts nothing
that stands in the file: only known names are opened, sizes are counted while they are unpacked, hashes are compared.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, TypeVar, cast

import msgspec

from yesteryear.core.scope import Scope, check_name
from yesteryear.errors import BadExport, InputError, told_of_handles
from yesteryear.transfer import kinds
from yesteryear.transfer.kinds import DumpedSettings, Models, Row, RowKind, dump_line, explain, parse_line

T = TypeVar("T")

FORMAT = "yesteryear-export"
VERSION = 7
MANIFEST = "manifest.json"
READABLE = "memory.md"
CONTENTS = (*(kind.file for kind in kinds.KINDS), READABLE)
_SINCE = {**{kind.file: 2 for kind in kinds.BELIEFS}, kinds.USAGES.file: 3}
"""The version of the format from which on a file is there; the first where not named."""

_BEGINNING = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can tell, so that it tells none
_UNIX = 3
_BUFFER_BYTES = 64 * 1024
_MAX_MANIFEST_BYTES = 64 * 1024
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, NotImplementedError, OverflowError, ValueError, OSError),
)
"""What reading a broken zip raises: a name may be no Unicode, a place may lie before the beginning."""


@dataclass(frozen=True, slots=True)
class ArchivePolicy:
    """How much a file may unpack to, so that a small one cannot fill a machine."""

    line_bytes: int = 32 * 1024 * 1024
    """Longest line in bytes: the longest message (4 million characters) with each character escaped."""
    unpacked_bytes: int = 128 * 1024 * 1024  # bytes that any file may unpack to
    expansion: float = 100.0  # times its own size that a larger file may unpack to; talk packs to a fourth


class Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"nbytes": "bytes"}):
    """What the manifest says of one file."""

    rows: int
    nbytes: int
    sha256: str


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    version: int
    model: str | None
    next_model: str | None
    files: dict[str, Content]


def write_archive(file: IO[bytes], contents: Mapping[str, Iterable[bytes]], models: Models) -> dict[str, Content]:
    """Write a whole export into an open file: the lines of each of ``CONTENTS``, and the manifest that is returned."""
    with zipfile.ZipFile(file, "w") as packed:
        written = {name: _write_entry(packed, name, contents[name]) for name in CONTENTS}
        manifest = _Manifest(FORMAT, VERSION, models.model, models.next_model, written)
        _write_entry(packed, MANIFEST, [dump_line(msgspec.to_builtins(manifest))])
    return written


def _write_entry(packed: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> Content:
    info = zipfile.ZipInfo(name, _BEGINNING)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = (stat.S_IFREG | stat.S_IRUSR | stat.S_IWUSR) << 16
    digest, nbytes, rows = sha256(), 0, 0
    with packed.open(info, "w", force_zip64=True) as entry:
        for line in lines:
            entry.write(line)
            digest.update(line)
            nbytes += len(line)
            rows += 1
    return Content(rows, nbytes, digest.hexdigest())


class Archive(AbstractContextManager["Archive"]):
    """An export that is read. What is wrong with it raises ``BadExport``; nothing is ever unpacked to disk."""

    def __init__(self, path: Path, policy: ArchivePolicy | None = None) -> None:
        self._name = path.name
        self._policy = policy or ArchivePolicy()
        try:
            self._file = path.open("rb")
        except (OSError, ValueError) as exc:
            if told := told_of_handles(exc):
                raise told from exc
            raise InputError(f"{str(path)!r} cannot be read: {getattr(exc, 'strerror', exc)}") from exc
        with ExitStack() as opened:
            opened.callback(self._file.close)
            try:
                self._zip = zipfile.ZipFile(self._file)
            except _DAMAGE as exc:
                raise BadExport(f"{self._name} is no export of yesteryear, or it was cut short ({exc})") from exc
            self._check_entries(packed_bytes=self._file.seek(0, io.SEEK_END))
            self.models, self.contents = self._read_manifest()
            self._check_contents()
            opened.pop_all()

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def lines(self, name: str) -> Iterator[bytes]:
        """Walk through the lines of a content, if there is one; its rows, bytes and hash are compared at the end."""
        if name not in self.contents:
            return
        content, digest, nbytes, rows = self.contents[name], sha256(), 0, 0
        with self._open(name, content.nbytes) as entry:
            while line := self._read(partial(entry.readline, self._policy.line_bytes + 1), name):
                if not line.endswith(b"\n"):
                    raise BadExport(f"{name} in {self._name}: line {rows + 1} is too long, or has no end")
                digest.update(line)
                nbytes += len(line)
                rows += 1
                yield line
            if Content(rows, nbytes, digest.hexdigest()) != content:
                raise BadExport(f"{name} in {self._name} is not what was written: its hash or number of lines differs")

    def _check_entries(self, *, packed_bytes: int) -> None:
        entries = self._zip.infolist()
        names = [entry.filename for entry in entries]
        if MANIFEST not in names:
            raise BadExport(f"{self._name} is no export of yesteryear: there is no {MANIFEST} in it")
        known = {*CONTENTS, MANIFEST}
        strange = sorted(set(names) - known) or sorted({name for name in names if names.count(name) > 1})
        if strange:
            raise BadExport(f"{self._name} holds {strange[0]!r}, which no export holds, or holds it twice")
        for entry in entries:
            mode = entry.external_attr >> 16
            if entry.flag_bits & 1 or (stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
                raise BadExport(f"{entry.filename} in {self._name} is encrypted, or no plain file")
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BadExport(f"{entry.filename} in {self._name} is packed in a way that exports are not")
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > max(self._policy.unpacked_bytes, self._policy.expansion * packed_bytes):
            raise BadExport(f"{self._name} would unpack to {unpacked:,} bytes, far more than an export of its size")

    def _check_contents(self) -> None:
        names = set(self._zip.namelist()) - {MANIFEST}
        if missing := sorted(self.contents.keys() - names):
            raise BadExport(f"{self._name} lacks {missing[0]}")
        if strange := sorted(names - self.contents.keys()):
            raise BadExport(f"{self._name} holds {strange[0]!r}, which its version of the format does not know")

    def _read_manifest(self) -> tuple[Models, dict[str, Content]]:
        size = self._zip.getinfo(MANIFEST).file_size
        if size > _MAX_MANIFEST_BYTES:
            raise BadExport(f"{MANIFEST} in {self._name} is too long")
        with self._open(MANIFEST, size) as entry:
            text = self._read(entry.read, MANIFEST)
        try:
            return self._parse_manifest(text)
        except InputError as exc:
            raise BadExport(f"{MANIFEST} in {self._name}: {exc}") from exc

    def _parse_manifest(self, text: bytes) -> tuple[Models, dict[str, Content]]:
        plain = parse_line(text)
        version = plain.get("version")
        if plain.get("format") != FORMAT:
            raise BadExport("this is no export of yesteryear")
        if type(version) is not int or version < 1:
            raise BadExport(f"version is a whole number from 1, not {version!r:.80}")
        if version > VERSION:
            raise BadExport(f"this is version {version} of the format, and up to {VERSION} can be read here; upgrade")
        try:
            manifest = msgspec.convert(plain, _Manifest)
        except msgspec.ValidationError as exc:
            raise BadExport(explain(exc)) from exc
        for label, model in (("model", manifest.model), ("next_model", manifest.next_model)):
            check_name(label, model or label)
        known = [name for name in CONTENTS if version >= _SINCE.get(name, 1)]
        if missing := [name for name in known if name not in manifest.files]:
            raise BadExport(f"{missing[0]} is missing")
        if strange := manifest.files.keys() - known:
            raise BadExport(f"there is an unknown field {min(strange)!r}")
        return Models(manifest.model, manifest.next_model), manifest.files

    def _open(self, name: str, nbytes: int) -> io.BufferedReader:
        info = self._zip.getinfo(name)
        if info.file_size != nbytes:
            raise BadExport(f"{name} in {self._name} has {info.file_size:,} bytes where {nbytes:,} are announced")
        return self._read(lambda: io.BufferedReader(cast("io.RawIOBase", self._zip.open(info)), _BUFFER_BYTES), name)

    def _read(self, read: Callable[[], T], name: str) -> T:
        """Read something of an entry; a zip gives no more bytes of it than it has announced."""
        try:
            return read()
        except _DAMAGE as exc:
            raise BadExport(f"{name} in {self._name} is damaged ({exc})") from exc


@dataclass(frozen=True, slots=True)
class ArchiveReader:
    """The rows of an export, as a ``Dump``."""

    archive: Archive
    target: Scope  # to whom they belong; where it has a project or agent, to that
    redacts: bool = False

    @property
    def models(self) -> Models:
        """The models whose vectors serve."""
        return self.archive.models

    def rows(self, kind: RowKind[Row]) -> Iterator[Row]:
        """Go through the rows of one kind; into a project or to an agent comes nothing that is all of a person's."""
        target = self.target
        if kind.is_persons and target != target.owner.scope:
            return
        for number, line in enumerate(self.archive.lines(kind.file), start=1):
            try:
                row = kind.parse(line, target, redacts=self.redacts)
            except InputError as exc:
                raise BadExport(f"{kind.file}, line {number}: {exc}") from exc
            if isinstance(row, DumpedSettings) and target.project is not None:
                if row.project is None:
                    continue
                row = replace(row, project=target.project)
            yield row
