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
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import platformdirs

from yesteryear.errors import ProviderUnavailable

Loaded = TypeVar("Loaded")

MODEL = "minilm-l6-v2-int8"  # name stored with every vector; changes whenever the rounding does

READER = "reader-3"  # name and version of the reader; changes with its file
READS_BY = f"{READER}.10"
"""What is stored with what it has read; changes when more is kept of a reading, or drawn from one, too."""

DIMENSION = 384  # length of a vector. Source: the model's config.json
MAX_TOKENS = 256  # most tokens of a text that are read, markers included. Source: the model card of all-MiniLM-L6-v2

VOCABULARY_FILE = "vocab.txt"
NOTICE_FILE = "NOTICE"
MANIFEST_FILE = "manifest.json"


class ModelPart(NamedTuple):
    """One of the encoders of an install, which takes from ``MODEL_FILE`` what is the same in both."""

    name: str  # of its file, of that of its difference (``NAME.safetensors``), and of its version in the manifest
    version: str  # changes with its difference; none of those that read goes with another version of the others
    what: str  # how errors call it
    reads: bool = True
    """Whether it tells the words that are to be read from those said before; else it makes a vector of a whole text."""
    beyond: str = ""  # the part whose difference its own is added to

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.onnx"


TAUGHT = (
    ModelPart("reader", READER, "the reader"),
    ModelPart("discourse", "discourse-2", "what reads sentences among others", beyond="reader"),
    ModelPart("effects", "effects-2", "what tells effects", beyond="reader"),
    ModelPart("questions", "questions-1", "the embedding model for questions", reads=False),
)
PARTS = {part.name: part for part in (ModelPart("model", MODEL, "the embedding model", reads=False), *TAUGHT)}
MODEL_FILE = PARTS["model"].file
READERS = tuple(part.version for part in TAUGHT if part.reads)  # all that reads

INSTALL_ADVICE = "run `yesteryear model install`"

LOADED: MutableMapping[Hashable, Any] = WeakValueDictionary()
"""What is loaded in this process, as long as somebody holds it."""
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an installed model was made from and how it was checked."""

    model: str  # which rounding of the weights this is
    source: str  # the distribution that the weights came in
    sha256: Mapping[str, str]  # hash of each file beside the manifest
    cosine_mean: float  # mean cosine to the unrounded model on the installing machine, over the check's twenty texts
    cosine_min: float  # the lowest of these cosines
    checked_with: str  # runtime and processor of that check
    reader: str = ""  # version of the reader that lies beside it; empty where none does. Likewise of the other parts
    questions: str = ""  # empty where they are embedded as everything else
    discourse: str = ""
    effects: str = ""

    @property
    def readers(self) -> tuple[str, ...]:
        """What reads, as ``READERS``; by other versions nothing is read."""
        return self.reader, self.discourse, self.effects

    @property
    def is_latest(self) -> bool:
        """Whether all that was taught is of this version; the model itself always is, or the folder is refused."""
        return all(getattr(self, part.name) == part.version for part in TAUGHT)


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
