"""Compile long patterns once for all processes of a test run, and for the next: each would spend two seconds on them.

Python loads this file where it starts with this folder in ``PYTHONPATH``. What it takes is what ``re`` of the same
version made of the same text, in a process that ran tests.
"""

from __future__ import annotations

import _sre
import marshal
import os
import sys
from _blake2 import blake2b  # not by way of hashlib, which takes longer to load than all else here
from _thread import get_ident
from array import array
from pathlib import Path
from re import _compiler  # type: ignore[attr-defined]
from types import SimpleNamespace
from typing import Any

FOLDER = "KEPT_PATTERNS"
"""The variable that names the folder."""
LONG = 100
"""Characters from which on a pattern takes longer to compile than to look up."""
_VERSION = f"{sys.version}, {_sre.MAGIC}"


def keep_patterns(folder: Path, *, adds: bool) -> None:
    """Take long patterns from a folder from now on, and put there those it lacks."""
    make = _compiler.compile
    made: dict[int, tuple[Any, ...]] = {}

    def note(*parts: Any) -> Any:
        made[get_ident()] = parts
        return _sre.compile(*parts)

    def compile_or_take(pattern: Any, flags: int = 0) -> Any:
        if not isinstance(pattern, str) or len(pattern) < LONG:
            return make(pattern, flags)
        asked = f"{_VERSION}\n{int(flags)}\n{pattern}"
        place = folder / blake2b(asked.encode("utf-8", "surrogatepass")).hexdigest()
        try:
            all_flags, code, *rest = marshal.loads(place.read_bytes())  # noqa: S302 - of a folder of our own
        except OSError:
            found = make(pattern, flags)
            if adds:
                _, all_flags, code, *rest = made[get_ident()]
                _put(place, (int(all_flags), array("I", map(int, code)).tobytes(), *rest))
            return found
        return _sre.compile(pattern, all_flags, array("I", code).tolist(), *rest)

    if adds:
        folder.mkdir(parents=True, exist_ok=True)
        _compiler._sre = SimpleNamespace(**vars(_sre) | {"compile": note})
    _compiler.compile = compile_or_take


def _put(place: Path, content: tuple[Any, ...]) -> None:
    beside = place.with_suffix(f".{os.getpid()}-{get_ident()}")
    beside.write_bytes(marshal.dumps(content))
    beside.replace(place)


if FOLDER in os.environ:
    keep_patterns(Path(os.environ[FOLDER]), adds=False)
