"""Which working folders a person trusts to decide where memory goes, and how it is kept.

A settings file that came with a cloned repository is somebody else's word. What a person allows is one file as it is
now: its hash is kept in the person's own configuration folder, so a file that was edited asks anew. A folder that was
denied stays denied, whatever its file becomes.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

import platformdirs

from yesteryear.core.results import Plain
from yesteryear.errors import ConfigError

DECISIONS = "folders.json"  # the file of decisions, in the person's configuration folder
_OWNER_ONLY = 0o700  # mode of the configuration folder where we make it


class Trust(StrEnum):
    """What a person has said of a settings file."""

    ALLOWED = "allowed"
    DENIED = "denied"
    CHANGED = "changed"  # another content was allowed in that place
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision(Plain):
    """What a person decided about the settings file of one folder."""

    file: str
    is_allowed: bool
    sha256: str = ""  # hash of the content that is allowed, in hexadecimal; empty where the folder is denied


def config_folder() -> Path:
    """Return the folder of this person's own settings."""
    return platformdirs.user_config_path("yesteryear", appauthor=False)


@dataclass(frozen=True, slots=True)
class TrustedFolders:
    """The decisions of one person; ConfigError where they cannot be read or kept."""

    home: Path  # the person's configuration folder; made with the first decision

    def judge(self, file: Path, content: bytes) -> Trust:
        """Tell whether a file with this content is allowed."""
        decision = self._read().get(_key(file))
        if decision is None:
            return Trust.UNDECIDED
        if not decision.is_allowed:
            return Trust.DENIED
        return Trust.ALLOWED if decision.sha256 == sha256(content).hexdigest() else Trust.CHANGED

    def allow(self, file: Path, content: bytes) -> Decision:
        """Allow a file as long as it holds just this."""
        return self._keep(Decision(_key(file), is_allowed=True, sha256=sha256(content).hexdigest()))

    def deny(self, file: Path) -> Decision:
        """Leave aside what a file may not decide, whatever it becomes."""
        return self._keep(Decision(_key(file), is_allowed=False))

    def all(self) -> list[Decision]:
        """Return all decisions, by path."""
        return [decision for _, decision in sorted(self._read().items())]

    def _read(self) -> Mapping[str, Decision]:
        path = self.home / DECISIONS
        try:
            known = json.loads(path.read_bytes())
            return {file: Decision(file, bool(kept["is_allowed"]), str(kept["sha256"])) for file, kept in known.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
            raise ConfigError(
                f"{path} cannot be read ({exc}); it says which folders you trust. Delete it, and allow them again"
            ) from exc

    def _keep(self, decision: Decision) -> Decision:
        """Write all decisions anew, at once or not at all, for nobody else to read."""
        kept = {
            known.file: {"is_allowed": known.is_allowed, "sha256": known.sha256}
            for known in ({**self._read(), decision.file: decision}).values()
        }
        path = self.home / DECISIONS
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=_OWNER_ONLY)
            replace_file(path, json.dumps(kept, indent=2))
        except OSError as exc:
            raise ConfigError(f"the decision cannot be kept in {path}: {exc.strerror}") from exc
        return decision


def replace_file(path: Path, text: str, *, keeps_mode: bool = False) -> None:
    """Write a file anew, at once or not at all; for its owner alone, unless it is to keep the mode that it has."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if keeps_mode and path.exists():
            shutil.copymode(path, name)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _key(file: Path) -> str:
    """Return what a file is known by: its folder may be reached by links, the file itself is not followed."""
    return str(file.parent.resolve() / file.name)
