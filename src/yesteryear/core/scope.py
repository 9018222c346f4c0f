"""Whose memory: the owner decides what exists, project and agent decide what is seen; and how an owner stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from yesteryear.errors import InputError

MAX_NAME_CHARS = 200  # longest tenant, user, project, agent or conversation name, in characters
EVERYBODY = "*"  # in the place of a user: what belongs to a tenant itself, such as its keys


class Owner(NamedTuple):
    """The unit of isolation: index, version counter, leases and erasure are per owner."""

    tenant: str
    user: str

    @property
    def scope(self) -> Scope:
        """All of the owner's memory, whatever the project and agent."""
        return Scope(self.user, self.tenant)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory is read or written.

    A scope with a project sees that project's rows and rows without a project; a scope without a project sees all rows
    of its owner. The same holds for the agent. Rows carry the scope in which they were written.

    Raises:
        InputError: a name is empty, too long or holds a control character.
    """

    user: str
    """Name of the person remembered; non-empty, unique within the tenant."""
    tenant: str = "default"
    """Name of the customer in a store of many; non-empty."""
    project: str | None = None
    """Name of a project, or None for what belongs to the person in general."""
    agent: str | None = None
    """Name of the agent or persona that talks, or None for any."""

    def __post_init__(self) -> None:
        for label in ("user", "tenant", "project", "agent"):
            value = getattr(self, label)
            if value is not None:
                check_name(label, value)
            elif label in ("user", "tenant"):
                raise InputError(f"a scope needs a {label}")

    @classmethod
    def everybody(cls, tenant: str) -> Scope:
        """Return the scope of what belongs to a tenant itself and to none of its people; it has no memory."""
        return cls(EVERYBODY, tenant)

    @property
    def owner(self) -> Owner:
        """The tenant and user of this scope."""
        return Owner(self.tenant, self.user)

    def sees(self, project: str | None, agent: str | None) -> bool:
        """Tell whether a row written with ``project`` and ``agent`` is visible from here."""
        return (self.project is None or project is None or project == self.project) and (
            self.agent is None or agent is None or agent == self.agent
        )


class ConversationKey(NamedTuple):
    """A conversation within an owner: the same name in two projects names two conversations."""

    project: str | None
    agent: str | None
    name: str


def check_name(label: str, value: object) -> str:
    """Return ``value`` if it can name a scope or a conversation.

    Raises InputError: not a string, empty, longer than MAX_NAME_CHARS, or with control characters or lone surrogates.
    """
    if not isinstance(value, str):
        raise InputError(f"{label} must be a string, not {type(value).__name__}")
    if not value.strip() or len(value) > MAX_NAME_CHARS:
        raise InputError(f"{label} must have 1 to {MAX_NAME_CHARS} characters, got {len(value)}")
    if not value.isprintable() and any(ord(char) < 32 or 0xD800 <= ord(char) <= 0xDFFF for char in value):
        raise InputError(f"{label} {value!r} holds control characters or broken Unicode")
    return value


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waits for a worker."""

    owners: int = 0  # people with due work on whom nobody works
    since: datetime | None = None  # since when the first of them waits; None where nobody does


@dataclass(frozen=True, slots=True)
class OwnerState:
    """Counters, the model in use and the lease of one owner."""

    rev: int = 0  # rises with every change to any row of the owner
    generation: int = 0  # rises when the owner is erased; work begun under another generation must not be written
    model: str | None = None  # the embedding model whose vectors serve recall; None before the first vector
    next_model: str | None = None  # the one that vectors are being made with anew, or None
    lease_by: str | None = None  # who is working through this owner's rows
    lease_until: datetime | None = None  # until when nobody else may
    night_at: datetime | None = None  # when the next night is due; None when there is nothing to consolidate

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
