"""Looking for pieces of what was removed in files; run as a process of its own, so this imports nothing of ours.

Closing a file takes away all locks that a process holds on it (POSIX), and another might then cut its log.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_KEY_BYTES = 6  # first bytes of a piece, by which it is looked up; shorter values cannot be told from chance
_PIECE_BYTES = 24  # longest piece of a value that is looked for
_KINDS_OF_BYTES = 3  # different bytes that a piece must hold; zeros and spaces are everywhere
_STRIDE_BYTES = 200  # distance of pieces in a value: each page of a long one holds several
_CHUNK_BYTES = 4 * 1024 * 1024  # bytes of a file that are looked at in one go
_HASH_BITS = 20
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class FoundPiece(NamedTuple):
    """What was found in one file."""

    pieces: frozenset[str]  # in hexadecimal
    size: int  # bytes that were looked at


def look_for(values: Iterable[bytes], files: Sequence[Path]) -> dict[Path, FoundPiece]:
    """Return which pieces of some values each file holds; files that are not there are left out.

    Raises:
        OSError, subprocess.CalledProcessError: the process could not be run, or not read a file.
    """
    task = json.dumps({"values": [value.hex() for value in values], "files": [str(file) for file in files]})
    command = [sys.executable, "-P", __file__]  # our own file, nothing that somebody else wrote
    done = subprocess.run(command, input=task, capture_output=True, encoding="utf-8", check=True)  # noqa: S603
    return {Path(name): FoundPiece(frozenset(pieces), size) for name, pieces, size in json.loads(done.stdout)}


def can_be_found(value: bytes) -> bool:
    """Tell whether a value can be told from chance; what is short or of few kinds of bytes cannot."""
    return next(_pieces_of(value), None) is not None


class _Pieces:
    """Short stretches of what was removed, to be found in files."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self._by_key: defaultdict[int, set[bytes]] = defaultdict(set)
        for piece in chain.from_iterable(map(_pieces_of, values)):
            self._by_key[int.from_bytes(piece[:_KEY_BYTES], "little")].add(piece)
        keys = np.fromiter(self._by_key, dtype=np.uint64, count=len(self._by_key))
        self._may_be = np.zeros(1 << _HASH_BITS, dtype=bool)
        self._may_be[_hashed(keys)] = True

    def find_in(self, path: Path) -> tuple[set[bytes], int]:
        """Return the pieces that a file holds, and its size in bytes."""
        found: set[bytes] = set()
        size, before = 0, b""
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                size += len(chunk)
                window = before + chunk
                if self._by_key:
                    found.update(self._find(window))
                before = window[-(_PIECE_BYTES - 1) :]
        return found, size

    def _find(self, window: bytes) -> Iterator[bytes]:
        if len(window) < _KEY_BYTES:
            return
        keys = _keys_at_each_offset(window)
        for offset in np.flatnonzero(self._may_be[_hashed(keys)]).tolist():
            for piece in self._by_key.get(int(keys[offset]), ()):
                if window.startswith(piece, offset):
                    yield piece


def _pieces_of(value: bytes) -> Iterator[bytes]:
    """Yield a piece from each stride, each beginning where its first bytes are not like those that stand everywhere."""
    last = max(0, len(value) - _PIECE_BYTES)
    for first in {*range(0, last + 1, _STRIDE_BYTES), last}:
        for start in range(first, min(first + _STRIDE_BYTES, max(last, first) + 1)):
            piece = value[start : start + _PIECE_BYTES]
            if len(piece) >= _KEY_BYTES and len(set(piece[:_KEY_BYTES])) >= _KINDS_OF_BYTES:
                yield piece
                break


def _keys_at_each_offset(window: bytes) -> npt.NDArray[np.uint64]:
    values = np.frombuffer(window, dtype=np.uint8)
    count = len(values) - _KEY_BYTES + 1
    keys = np.zeros(count, dtype=np.uint64)
    for byte in range(_KEY_BYTES):
        keys |= values[byte : byte + count].astype(np.uint64) << np.uint64(8 * byte)
    return keys


def _hashed(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    hashed: npt.NDArray[np.uint64] = (keys * _HASH_FACTOR) >> np.uint64(64 - _HASH_BITS)
    return hashed


def _main() -> None:
    task = json.load(sys.stdin)
    pieces = _Pieces(map(bytes.fromhex, task["values"]))
    found = []
    for name in task["files"]:
        try:
            here, size = pieces.find_in(Path(name))
        except FileNotFoundError:  # whoever closes last removes the log
            continue
        found.append((name, sorted(piece.hex() for piece in here), size))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    _main()
