"""Who may do what: pure, for every door alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from yesteryear.core.scope import Scope
from yesteryear.errors import InputError, NotAllowed

USER_HEADER = "x-yesteryear-user"
"""Whose memory; needed where the caller may speak for more than one person."""
PROJECT_HEADER = "x-yesteryear-project"
AGENT_HEADER = "x-yesteryear-agent"
ANONYMOUS = "anybody on this machine"
"""What a caller is called who need not say who they are."""


class Right(IntEnum):
    """What a caller may do. Each right holds those before it."""

    READ = 1
    """Look: recall, context, facts, why."""
    WRITE = 2
    """Add and change: observe, correct, forget."""
    ADMIN = 3
    """What cannot be taken back or concerns everybody: erase, configure, keys, costs."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Whose memory a caller asks for; each part None where they leave it open."""

    user: str | None = None
    project: str | None = None
    agent: str | None = None

    @classmethod
    def of_headers(cls, headers: Mapping[str, str]) -> Wish:
        """Return what the headers of a request ask for; their names are in lower case."""
        return cls(headers.get(USER_HEADER), headers.get(PROJECT_HEADER), headers.get(AGENT_HEADER))


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who was let in."""

    name: str
    """What logs and the audit call them: the id of a key or the subject of a token, never the secret."""
    tenant: str
    """The only tenant whose memories they reach."""
    user: str | None
    """The only person whose memory they reach; None for every person of the tenant."""
    right: Right
    """The most that they may do."""

    def scope(self, wish: Wish, right: Right) -> Scope:
        """Return the scope that is asked for, if they may do there what ``right`` names.

        Raises:
            NotAllowed: it takes a right that they lack, or it is somebody else's memory.
            InputError: it is left open whose memory, or a name cannot be used.
        """
        if right > self.right:
            raise NotAllowed(f"this takes the right to {right.name.lower()}; yours is to {self.right.name.lower()}")
        if self.user is not None and wish.user not in (None, self.user):
            raise NotAllowed("this key is for the memory of another person")
        user = self.user or wish.user
        if user is None:
            raise InputError(f"whose memory? name the person in the header {USER_HEADER.title()}")
        return Scope(tenant=self.tenant, user=user, project=wish.project, agent=wish.agent)


class Gatekeeper(Protocol):
    """Lets callers in."""

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who sends a request with these headers; their names are in lower case.

        Raises:
            NotAdmitted: they did not say who they are, or it is not so, or not any more; the message never tells which
                keys exist.
            TooMany: they knock too often.
        """
        ...


@dataclass(frozen=True, slots=True)
class OpenDoor:
    """Lets everybody in, as one tenant: for a server that listens on the loopback address alone."""

    tenant: str = "default"
    right: Right = Right.ADMIN

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return the same principal for every request."""
        del headers
        return Principal(ANONYMOUS, self.tenant, None, self.right)
