"""Which provider a name stands for. Providers are imported only when they are built.

A name with a colon, such as "openai:gpt-4o-mini", is a model behind a network; nothing becomes one by itself, whatever
keys the environment holds, since it would begin to cost money and to send away what people say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from yesteryear.errors import ConfigError, MissingExtra, ProviderUnavailable
from yesteryear.providers.minilm.weights import INSTALL_ADVICE, READS_BY, find_model

if TYPE_CHECKING:
    from yesteryear.ports import Analyst, Clock, ContextualModel, Embedder, Reader
    from yesteryear.providers.llm.analyst import ModelAnalyst
    from yesteryear.providers.llm.caller import Caller
    from yesteryear.providers.llm.private_loop import PrivateLoop

EMBEDDERS = {
    "auto": "minilm where it is installed, else hashing",
    "minilm": "all-MiniLM-L6-v2 on this machine",
    "hashing": "words and word pieces, without a model",
}
"""Names and what they stand for; beside them any "provider:model"."""


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A model behind a network, as the settings name it."""

    name: str
    """Such as "openai:gpt-4o-mini"."""
    base_url: str = ""
    """Of a server that speaks as OpenAI's does; empty for where the provider is usually found."""
    key: str = ""
    """Of that server."""
    timeout_s: float = 0.0
    """Most seconds of one call; the policy's where 0."""
    prices: Path | None = None
    """A list of prices of the user's own."""
    dimension: int = 0
    """Of an embedder's vectors; the usual one where 0."""
    profile: Path | None = None
    """What ``yesteryear calibrate`` has measured of an embedder."""


class RemoteModels:
    """Builds models behind a network; they share a loop and are closed together.

    ConfigError and MissingExtra say what a name, a key, a price or an extra lacks.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._loop: PrivateLoop | None = None

    def analyst(self, wanted: RemoteModel, local: Analyst, *, is_priced: bool = False) -> ModelAnalyst:
        """Return the analyst that asks a language model, and ``local`` where that fails."""
        caller = self._caller(wanted)
        if is_priced and caller.price is None:
            raise ConfigError(
                f"daily_budget needs the price of {wanted.name!r}, which is not known: write it into a file and set "
                "prices_file to that"
            )
        from yesteryear.providers.llm.analyst import ModelAnalyst
        from yesteryear.providers.llm.endpoint import build_chat_model

        model = build_chat_model(wanted.name, caller.loop, base_url=wanted.base_url, key=wanted.key)
        return ModelAnalyst(model, caller, local)

    def embedder(self, wanted: RemoteModel, *, may_ask: bool = False) -> Embedder:
        """Return the embedder that asks a model, which may be asked for its dimension where that is not known."""
        caller = self._caller(wanted)
        from yesteryear.providers.llm.catalogue import find_profile
        from yesteryear.providers.llm.embedder import ModelEmbedder, ask_dimension
        from yesteryear.providers.llm.endpoint import build_embedding_model

        model = build_embedding_model(wanted.name, caller.loop, base_url=wanted.base_url, key=wanted.key)
        ask = partial(ask_dimension, model, caller) if may_ask else None
        known = find_profile(wanted.name, dimension=wanted.dimension, own=wanted.profile, ask=ask)
        return ModelEmbedder(model, caller, *known)

    def close(self) -> None:
        """Release connections, and whoever waits for an answer."""
        if self._loop is not None:
            self._loop.close()

    def _caller(self, wanted: RemoteModel) -> Caller:
        from yesteryear.providers.llm.catalogue import extra_of, find_price

        try:
            from yesteryear.providers.llm.caller import Caller, CallPolicy
            from yesteryear.providers.llm.private_loop import PrivateLoop
        except ImportError as exc:
            raise MissingExtra(f"{wanted.name!r} needs: pip install 'yesteryear[{extra_of(wanted.name)}]'") from exc
        self._loop = self._loop or PrivateLoop()
        policy = CallPolicy(timeout_s=wanted.timeout_s) if wanted.timeout_s else CallPolicy()
        price = find_price(wanted.name, base_url=wanted.base_url, own=wanted.prices)
        return Caller(wanted.name, self._clock, self._loop, policy, price)


def build_reader(name: str, *, model_folder: Path | None = None, is_hashing: bool = False) -> Reader:
    """Return what tells what was meant; its model is not loaded yet.

    "auto" takes the installed model, but words where the embedder is the one that needs no model (``is_hashing``).
    """
    if folder := _find("words" if name == "auto" and is_hashing else name, model_folder, "the reader"):
        from yesteryear.providers.minilm.reader import MiniLMReader

        return MiniLMReader(folder)
    from yesteryear.providers.local.word_reader import WordReader

    return WordReader()


def build_contextual(reader: Reader) -> ContextualModel | None:
    """Return what compares questions with what this reader has read; None where nothing was taught for it."""
    if reader.version != READS_BY:
        return None
    from yesteryear.providers.minilm.trained import MiniLMContextual

    return MiniLMContextual()


def is_remote(name: str) -> bool:
    """Tell whether a name is that of a model behind a network."""
    return ":" in name


def build_embedder(name: str = "auto", *, model_folder: Path | None = None) -> Embedder:
    """Return the embedder that one of ``EMBEDDERS`` stands for on this machine; its model is not loaded yet.

    The model is looked for in the folder alone if there is one, else in the package, then the user's cache.
    """
    if name not in EMBEDDERS:
        raise ConfigError(
            f"embedder is one of {', '.join(EMBEDDERS)}, or a model such as 'openai:text-embedding-3-small'; "
            f"not {name!r}"
        )
    if folder := _find(name, model_folder, "the embedding model"):
        from yesteryear.providers.minilm.embedder import MiniLMEmbedder

        return MiniLMEmbedder(folder)
    from yesteryear.providers.hashing import HashingEmbedder

    return HashingEmbedder()


def _find(name: str, folder: Path | None, what: str) -> Path | None:
    """Return where the model lies that a name asks for; ProviderUnavailable where it does so by name, and none does."""
    found = find_model(folder) if name in ("auto", "minilm") else None
    if name == "minilm" and not found:
        raise ProviderUnavailable(f"{what} is not installed; {INSTALL_ADVICE}")
    return found


def find_embedder(
    model: str, *, model_folder: Path | None = None, remote: Callable[[str], Embedder] | None = None
) -> Embedder | None:
    """Return the embedder whose vectors are stored under the name ``model``, or None if it cannot run here.

    It may be another than today's; ``remote`` builds that of a model behind a network.
    """
    if is_remote(model):
        try:
            return remote(model) if remote else None
        except (ConfigError, MissingExtra):
            return None
    candidates = (build_embedder(name, model_folder=model_folder) for name in ("hashing", "auto"))
    return next((embedder for embedder in candidates if embedder.profile.model == model), None)
