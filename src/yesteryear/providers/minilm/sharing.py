"""Models that are loaded once for all who use them in a process. Nothing is loaded here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, MutableMapping
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

Loaded = TypeVar("Loaded")

LOADED: MutableMapping[Hashable, Any] = WeakValueDictionary()
"""What is loaded, as long as somebody holds it."""

_loading = threading.Lock()


def share(folder: Path, file: str, load: Callable[[], Loaded]) -> Loaded:
    """Return what was loaded of a file of a folder, or load it, where nobody has or a file there is another since.

    Several engines of a process then hold one copy of a model, of which reading and checking takes half a second.
    Raises what ``load`` does.
    """
    key = (folder.absolute(), file, _state(folder))
    with _loading:
        found: Loaded | None = LOADED.get(key)
        if found is None:
            found = LOADED[key] = load()
        return found


def _state(folder: Path) -> frozenset[tuple[str, int, int, int]]:
    """Return what changes when a file of a folder is written or replaced; nothing of one that cannot be looked at."""
    try:
        found = [(file.name, file.stat()) for file in folder.iterdir()]
    except OSError:
        return frozenset()
    return frozenset((name, seen.st_ino, seen.st_size, seen.st_mtime_ns) for name, seen in found)
