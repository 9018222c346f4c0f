"""Which provider a name stands for. Providers are imported only when they are built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from yesteryear.errors import ConfigError, ProviderUnavailable
from yesteryear.providers.minilm.weights import INSTALL_ADVICE, find_model

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

EMBEDDERS = {
    "auto": "minilm where it is installed, else hashing",
    "minilm": "all-MiniLM-L6-v2 on this machine",
    "hashing": "words and word pieces, without a model",
}
"""Names and what they stand for."""


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Which embedder a setting comes to on this machine."""

    name: str
    """``minilm`` or ``hashing``."""
    model_folder: Path | None = None
    """Where the model lies, if it has one."""


def choose_embedder(name: str = "auto", *, model_folder: Path | None = None) -> EmbedderChoice:
    """Return what ``name`` stands for here, without loading anything.

    Args:
        name: One of ``EMBEDDERS``.
        model_folder: The only place to look for the model; by default the package, then the user's cache.

    Raises:
        ConfigError: no embedder has this name.
        ProviderUnavailable: ``minilm`` was asked for by name and is not installed.
    """
    if name not in EMBEDDERS:
        raise ConfigError(f"embedder is one of {', '.join(EMBEDDERS)}, not {name!r}")
    folder = None if name == "hashing" else find_model(model_folder)
    if folder:
        return EmbedderChoice("minilm", folder)
    if name == "minilm":
        raise ProviderUnavailable(f"the embedding model is not installed; {INSTALL_ADVICE}")
    return EmbedderChoice("hashing")


def build_embedder(name: str = "auto", *, model_folder: Path | None = None) -> Embedder:
    """Return the embedder that ``choose_embedder`` names for the same arguments; its model is not loaded yet.

    Raises:
        ConfigError, ProviderUnavailable: as ``choose_embedder``.
    """
    choice = choose_embedder(name, model_folder=model_folder)
    if choice.model_folder is None:
        from yesteryear.providers.hashing import HashingEmbedder

        return HashingEmbedder()
    from yesteryear.providers.minilm.embedder import MiniLMEmbedder

    return MiniLMEmbedder(choice.model_folder)


def find_embedder(model: str, *, model_folder: Path | None = None) -> Embedder | None:
    """Return the embedder whose vectors are stored under the name ``model``, or None if it cannot run here.

    Args:
        model: ``EmbedderProfile.model`` of vectors that some embedder, perhaps another than today's, has made.
        model_folder: As for ``choose_embedder``.
    """
    candidates = [build_embedder("hashing")]
    if find_model(model_folder):
        candidates.append(build_embedder("minilm", model_folder=model_folder))
    return next((embedder for embedder in candidates if embedder.profile.model == model), None)
