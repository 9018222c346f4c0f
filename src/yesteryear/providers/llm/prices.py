"""What tokens cost: the shipped table, and one of the user's own on top of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import isfinite
from pathlib import Path

from yesteryear.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Price:
    """What one model costs, in US dollars per million tokens."""

    input: float
    output: float = 0.0

    def micro_usd(self, input_tokens: int, output_tokens: int) -> int:
        """Return what a call costs in millionths of a dollar, rounded up: none is free."""
        micro = self.input * input_tokens + self.output * output_tokens  # dollars a million are micro-dollars a token
        return -int(-round(micro, 6) // 1)


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices by the name of the model, such as "openai:gpt-4o-mini"."""

    prices: Mapping[str, Price] = field(default_factory=dict)

    def of(self, model: str) -> Price | None:
        """Return the price of a model, or None where it is not known."""
        return self.prices.get(model)


def read_prices(own: Path | None = None, *, is_own_server: bool = False) -> PriceList:
    """Return the shipped prices with those of a file of the user's own on top.

    Args:
        own: A file with a table for each provider and in it ``model = { input = …, output = … }``.
        is_own_server: Whether the prices are for a server of the user's own, which the shipped ones do not fit.

    Raises:
        ConfigError: the file cannot be read or is no list of prices.
    """
    found = {} if is_own_server else _read(files("yesteryear.providers.llm") / "prices.toml")
    return PriceList(found | (_read(own) if own else {}))


def _read(place: Traversable | Path) -> dict[str, Price]:
    try:
        tables = tomllib.loads(place.read_text(encoding="utf-8"))
        found = {
            f"{provider}:{model}": Price(float(price["input"]), float(price.get("output", 0)))
            for provider, models in tables.items()
            for model, price in models.items()
        }
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigError(f"prices cannot be read from {place}: {exc}") from exc
    except (AttributeError, KeyError, TypeError, ValueError) as exc:
        raise ConfigError(
            f"{place} is no list of prices: a table a provider, and in it model = {{ input = 0.15, output = 0.6 }}"
        ) from exc
    for name, price in found.items():
        if not (isfinite(price.input + price.output) and min(price.input, price.output) >= 0):
            raise ConfigError(f"{place}: the price of {name!r} is no amount of dollars")
    return found
