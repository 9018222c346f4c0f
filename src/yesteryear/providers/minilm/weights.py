"""Where an installed model lies, whether it is whole, and who has it loaded.

Neither the runtime nor the model is loaded here, so that anyone may ask at any time.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Hashable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import platformdirs

from yesteryear.errors import ProviderUnavailable

Loaded = TypeVar("Loaded")

MODEL = "minilm-l6-v2-int8"
"""Name stored with every vector; changes whenever the rounding does."""

READER = "reader-3"
"""Name and version of the reader; changes with its file."""
READS_BY = f"{READER}.8"
"""What is stored with what it has read; changes when more is kept of a reading, or drawn from one, too."""

QUESTIONS = "questions-1"
"""Name and version of what embeds questions; changes with its file. Vectors that are kept do not depend on it."""

DISCOURSE = "discourse-2"
"""Name and version of what reads sentences among others; changes with its file."""

EFFECTS = "effects-1"
"""Name and version of what tells effects on known facts; changes with its file."""

READERS = READER, DISCOURSE, EFFECTS
"""All that reads; none of them goes with another version of the others."""

DIMENSION = 384
"""Length of a vector. Source: the model's config.json."""
MAX_TOKENS = 256
"""Most tokens of a text that are read, markers included. Source: the model card of all-MiniLM-L6-v2."""

MODEL_FILE = "model.onnx"
VOCABULARY_FILE = "vocab.txt"
READER_FILE = "reader.onnx"
"""The reader's encoder; takes from ``MODEL_FILE`` what is the same in both."""
QUESTIONS_FILE = "questions.onnx"
"""Embeds questions; likewise."""
DISCOURSE_FILE = "discourse.onnx"
"""Reads sentences among others; likewise."""
EFFECTS_FILE = "effects.onnx"
"""Tells what a message does to a known fact; likewise."""
NOTICE_FILE = "NOTICE"
MANIFEST_FILE = "manifest.json"

INSTALL_ADVICE = "run `yesteryear model install`"

LOADED: MutableMapping[Hashable, Any] = WeakValueDictionary()
"""What is loaded in this process, as long as somebody holds it."""
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an installed model was made from and how it was checked."""

    model: str
    """Which rounding of the weights this is."""
    source: str
    """The distribution that the weights came in."""
    sha256: Mapping[str, str]
    """Hash of each file beside the manifest."""
    cosine_mean: float
    """Mean cosine to the unrounded model on the installing machine, over the check's twenty texts."""
    cosine_min: float
    """The lowest of these cosines."""
    checked_with: str
    """Runtime and processor of that check."""
    reader: str = ""
    """Version of the reader that lies beside it; empty where none does."""
    questions: str = ""
    """Version of what embeds questions; empty where they are embedded as everything else."""
    discourse: str = ""
    """Version of what reads sentences among others."""
    effects: str = ""
    """Version of what tells effects on known facts."""

    @property
    def readers(self) -> tuple[str, ...]:
        """What reads, as ``READERS``; by other versions nothing is read."""
        return self.reader, self.discourse, self.effects

    @property
    def is_latest(self) -> bool:
        """Whether all that was taught is of this version; the model itself always is, or the folder is refused."""
        return (*self.readers, self.questions) == (*READERS, QUESTIONS)


def packaged_folder() -> Path:
    """Return where a wheel carries the model, if it does."""
    return Path(__file__).parent / "weights"


def cache_folder() -> Path:
    """Return where the model is installed by default: a folder of its own in the user's cache."""
    return platformdirs.user_cache_path("yesteryear", appauthor=False) / "models" / MODEL


def find_model(folder: Path | None = None) -> Path | None:
    """Return the folder of an installed model, or None: the one given, else the package itself or the user's cache."""
    places = (packaged_folder(), cache_folder()) if folder is None else (folder,)
    needed = (MANIFEST_FILE, MODEL_FILE, VOCABULARY_FILE)
    return next((place for place in places if all((place / name).is_file() for name in needed)), None)


def verify(folder: Path) -> Manifest:
    """Read every file of an installed model and return its manifest if all are as they were written.

    Raises:
        ProviderUnavailable: something is missing, unreadable or changed, or was made for another version.
    """
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8")))
        changed = [name for name, known in manifest.sha256.items() if hash_file(folder / name) != known]
    except (OSError, ValueError, TypeError, AttributeError) as exc:
        raise ProviderUnavailable(f"the model in {folder} cannot be read ({exc}); {INSTALL_ADVICE}") from exc
    if changed:
        raise ProviderUnavailable(f"{' and '.join(changed)} in {folder} changed or broken; {INSTALL_ADVICE}")
    if manifest.model != MODEL or not manifest.sha256.keys() >= {MODEL_FILE, VOCABULARY_FILE}:
        raise ProviderUnavailable(f"{folder} holds {manifest.model!r} instead of {MODEL!r}; {INSTALL_ADVICE}")
    return manifest


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
