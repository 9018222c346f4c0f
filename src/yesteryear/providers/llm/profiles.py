"""What is known of embedding models by name: shipped guesses, and what ``yesteryear calibrate`` has measured."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from yesteryear.core.vectors import EmbedderProfile
from yesteryear.errors import ConfigError

_OTHER = "other"
_SHARES = ("duplicate", "candidate", "related")
TEXTS_A_REQUEST = 64
"""Texts that are embedded together; providers take 100 and more."""


@dataclass(frozen=True, slots=True)
class RemoteProfile:
    """An embedding model behind a network."""

    name: str
    """As in the settings, such as "openai:text-embedding-3-small"."""
    profile: EmbedderProfile
    sends_dimension: bool
    """Whether the model is asked for vectors of that dimension."""


def find_profile(name: str, *, dimension: int = 0, own: Path | None = None) -> RemoteProfile:
    """Return what is known of a model.

    Args:
        name: Such as "openai:text-embedding-3-small".
        dimension: Another than the usual one; 0 for that. Vectors of another dimension are stored under a name of
            their own, ``name@dimension``, since they cannot be compared with the usual ones.
        own: A file that ``yesteryear calibrate`` wrote; it counts for the model it was made for.

    Raises:
        ConfigError: the dimension is not known, or the file cannot be used.
    """
    shipped = _shipped()
    measured = _read(own) if own else {}
    known = shipped.get(name, {})
    values = {**shipped[_OTHER], **known, **measured.get(name, {})}
    usual = int(values.get("dimension", 0))
    if not (dimension or usual):
        raise ConfigError(
            f"the dimension of {name!r} is not known here: set embedder_dimension, or run "
            f"`yesteryear calibrate --embedder {name}`, which finds it out"
        )
    has_own_name = bool(dimension) and dimension != usual and bool(usual)
    profile = EmbedderProfile(
        model=f"{name}@{dimension}" if has_own_name else name,
        dimension=dimension or usual,
        **{share: float(values[share]) for share in _SHARES},
        batch=TEXTS_A_REQUEST,
        is_calibrated=name in measured,
    )
    return RemoteProfile(name, profile, sends_dimension=bool(values["sends_dimension"]))


def knows_dimension(name: str, own: Path | None) -> bool:
    """Tell whether the dimension of a model need not be told."""
    return any("dimension" in found.get(name, {}) for found in (_shipped(), _read(own) if own else {}))


def _shipped() -> Mapping[str, Mapping[str, Any]]:
    return _read(files("yesteryear.providers.llm") / "embedders.toml")


def _read(place: Traversable | Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        found: Mapping[str, Mapping[str, Any]] = tomllib.loads(place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigError(f"profiles of embedders cannot be read from {place}: {exc}") from exc
    for name, values in found.items():
        shares = [values.get(share, 0.5) for share in _SHARES] if isinstance(values, Mapping) else [None]
        if not all(isinstance(share, int | float) and -1 <= share <= 1 for share in shares):
            raise ConfigError(f"{place}: {name!r} needs duplicate, candidate and related as cosines from -1 to 1")
    return found
