"""What is known of models by name: shipped tables, files of the user's own on top of them, and servers of one's own."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from ipaddress import ip_address
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from yesteryear.core.vectors import EmbedderProfile
from yesteryear.errors import ConfigError

_OTHER = "other"
_SHARES = ("duplicate", "candidate", "related")
_TEXTS_A_REQUEST = 64  # texts that are embedded together; providers take 100 and more


class OwnServer(NamedTuple):
    """A program that serves models on one's own machine and speaks as OpenAI's server does."""

    url: str  # where it listens unless it was told otherwise
    start: str  # the command that starts it
    fetch: str  # the command that gives it a model


OWN_SERVERS: Mapping[str, OwnServer] = {
    "ollama": OwnServer("http://127.0.0.1:11434/v1", "ollama serve", "ollama pull {model}"),
    "lmstudio": OwnServer("http://127.0.0.1:1234/v1", "lms server start", "lms get {model}"),
    "llamacpp": OwnServer("http://127.0.0.1:8080/v1", "llama-server -m FILE.gguf", "llama-server -m FILE.gguf"),
    "vllm": OwnServer("http://127.0.0.1:8000/v1", "vllm serve MODEL", "vllm serve {model}"),
}
"""By what a name begins with, as in "ollama:llama3.1:8b"; any other such server is "openai:…" with a base URL."""


@dataclass(frozen=True, slots=True)
class Price:
    """What one model costs, in US dollars per million tokens."""

    input: float
    output: float = 0.0

    def micro_usd(self, input_tokens: int, output_tokens: int) -> int:
        """Return what a call costs in millionths of a dollar, rounded up: none is free."""
        micro = self.input * input_tokens + self.output * output_tokens  # dollars a million are micro-dollars a token
        return -int(-round(micro, 6) // 1)


def extra_of(name: str) -> str:
    """Return the extra that speaks with the provider of a model."""
    provider = name.partition(":")[0]
    return "openai" if provider in OWN_SERVERS else provider


def find_price(name: str, *, base_url: str = "", own: Path | None = None) -> Price | None:
    """Return what a model costs, or None where nobody knows; a server of one's own costs nothing a token.

    That is one that its name says to be, and any on this machine, unless the user's list of prices says otherwise: what
    listens here may pass on to somebody who is paid.
    """
    is_free = name.partition(":")[0] in OWN_SERVERS or _is_here(base_url)
    listed = read_prices(own, is_own_server=is_free or bool(base_url)).get(name)
    return Price(0.0) if listed is None and is_free else listed


def read_prices(own: Path | None = None, *, is_own_server: bool = False) -> dict[str, Price]:
    """Return prices by the name of the model, such as "openai:gpt-4o-mini": those shipped, the user's own on top.

    The user's file has a table for each provider and in it ``model = { input = …, output = … }``. Shipped prices do not
    fit a server of the user's own.
    """
    found = {} if is_own_server else _prices_in(_shipped("prices.toml"))
    return found | (_prices_in(own) if own else {})


def find_profile(
    name: str, *, dimension: int = 0, own: Path | None = None, ask: Callable[[], int] | None = None
) -> tuple[EmbedderProfile, bool]:
    """Return what is known of an embedding model: shipped guesses, or what ``yesteryear calibrate`` has measured.

    Args:
        name: Such as "openai:text-embedding-3-small".
        dimension: Another than the usual one; 0 for that. Vectors of another dimension are stored under a name of
            their own, ``name@dimension``, since they cannot be compared with the usual ones.
        own: A file that ``yesteryear calibrate`` wrote; it counts for the model it was made for.
        ask: Finds out a dimension that is not known.

    Returns:
        The profile, and whether the model can be asked for its dimension.
    """
    shipped, measured = _profiles_in(_shipped("embedders.toml")), _profiles_in(own) if own else {}
    values = {**shipped[_OTHER], **shipped.get(name, {}), **measured.get(name, {})}
    usual = int(values.get("dimension", 0))
    dimension = dimension or usual or (ask() if ask else 0)
    if not dimension:
        raise ConfigError(
            f"the dimension of {name!r} is not known here: set embedder_dimension, or run "
            f"`yesteryear calibrate --embedder {name}`, which finds it out"
        )
    has_own_name = bool(usual) and dimension != usual
    profile = EmbedderProfile(
        model=f"{name}@{dimension}" if has_own_name else name,
        dimension=dimension,
        **{share: float(values[share]) for share in _SHARES},
        batch=_TEXTS_A_REQUEST,
        is_calibrated=name in measured,
    )
    return profile, bool(values["sends_dimension"])


def _is_here(url: str) -> bool:
    """Tell whether an address is one of this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _shipped(name: str) -> Traversable:
    return files("yesteryear.providers.llm") / name


def _prices_in(place: Traversable | Path) -> dict[str, Price]:
    try:
        found = {
            f"{provider}:{model}": Price(float(price["input"]), float(price.get("output", 0)))
            for provider, models in _tables(place, "prices").items()
            for model, price in models.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError) as exc:
        raise ConfigError(
            f"{place} is no list of prices: a table a provider, and in it model = {{ input = 0.15, output = 0.6 }}"
        ) from exc
    for name, price in found.items():
        if not (isfinite(price.input + price.output) and min(price.input, price.output) >= 0):
            raise ConfigError(f"{place}: the price of {name!r} is no amount of dollars")
    return found


def _profiles_in(place: Traversable | Path) -> Mapping[str, Mapping[str, Any]]:
    found = _tables(place, "profiles of embedders")
    for name, values in found.items():
        shares = [values.get(share, 0.5) for share in _SHARES] if isinstance(values, Mapping) else [None]
        if not all(isinstance(share, int | float) and -1 <= share <= 1 for share in shares):
            raise ConfigError(f"{place}: {name!r} needs duplicate, candidate and related as cosines from -1 to 1")
    return found


def _tables(place: Traversable | Path, what: str) -> dict[str, Any]:
    try:
        return tomllib.loads(place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigError(f"{what} cannot be read from {place}: {exc}") from exc
