"""What models have cost an owner, and models whose calls cost something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from yesteryear.core.usage import Account, Charge, ModelCall


class Usages(Protocol):
    """The calls of models that were made for an owner, whatever the scope. They hold no content."""

    def add(self, ids: Sequence[str], calls: Sequence[ModelCall]) -> None:
        """Write calls under ids, one each; an id that is known stays as it is. Does not count as a change of memory."""
        ...

    def between(self, since: datetime, until: datetime) -> list[ModelCall]:
        """Return the calls that were begun in [since, until), by (at, id)."""
        ...

    def page(self, *, after: str, limit: int) -> list[Charge]:
        """Return the calls with an id above ``after``, by id."""
        ...


@runtime_checkable
class Paid(Protocol):
    """A model whose calls cost something: an analyst or embedder that can be put on somebody's account."""

    def on(self, account: Account) -> Self:
        """Return the same model with an account on which its calls are put."""
        ...
