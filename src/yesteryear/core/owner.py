"""What the store keeps about one owner, beside the rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from yesteryear.core.scope import Owner


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waits for a worker."""

    owners: int = 0
    """People with due work on whom nobody works."""
    since: datetime | None = None
    """Since when the first of them waits; None where nobody does."""


@dataclass(frozen=True, slots=True)
class OwnerState:
    """Counters, the model in use and the lease of one owner."""

    rev: int = 0
    """Rises with every change to any row of the owner."""
    generation: int = 0
    """Rises when the owner is erased; work begun under another generation must not be written."""
    model: str | None = None
    """The embedding model whose vectors serve recall; None before the first vector."""
    next_model: str | None = None
    """The model that vectors are being made with anew, while those of ``model`` still serve; None otherwise."""
    lease_by: str | None = None
    """Who is working through this owner's rows."""
    lease_until: datetime | None = None
    """Until when nobody else may."""
    night_at: datetime | None = None
    """When the next night is due; None when there is nothing to consolidate."""

    def is_leased(self, now: datetime, *, to_others_than: str, at_most: timedelta) -> bool:
        """Tell whether somebody else holds the lease at ``now``.

        A lease that runs longer than any is given, ``at_most``, comes from a clock that was wrong and does not count.
        """
        if self.lease_until is None or self.lease_by in (None, to_others_than):
            return False
        return timedelta(0) < self.lease_until - now <= at_most


def hash_person(owner: Owner) -> str:
    """Return what is kept in the place of an erased person's name: a hash, in hexadecimal.

    Who knows the name can compute it again, which is what finding a receipt needs; it does not tell the name.
    """
    return sha256(f"{owner.tenant}\0{owner.user}".encode("utf-8", "surrogatepass")).hexdigest()
