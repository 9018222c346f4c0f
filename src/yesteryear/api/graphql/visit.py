"""Who asks, and what was lent to them and read for them within one operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import strawberry
from graphql.pyutils import Path
from strawberry.fastapi import BaseContext

from yesteryear.api.access import AGENT_HEADER, PROJECT_HEADER, USER_HEADER, Principal, Wish
from yesteryear.api.graphql.reads import Reads
from yesteryear.api.reception import Reception
from yesteryear.api.streams import Stream
from yesteryear.api.verbs import VERBS
from yesteryear.errors import NotAdmitted, NotFound
from yesteryear.memory import AsyncMemory

_SAYABLE = ("authorization", USER_HEADER, PROJECT_HEADER, AGENT_HEADER)
"""What the first message on a socket may say in place of headers, which a browser cannot set there."""


class Visit(BaseContext):
    """One connection, or one operation on it.

    Args:
        reception: Who lets in and lends.
        headers: What the caller says of themself; names in lower case.
        principal: Who they are; None before they were let in.
    """

    def __init__(
        self,
        reception: Reception,
        headers: Mapping[str, str],
        *,
        principal: Principal | None = None,
    ) -> None:
        super().__init__()
        self.headers = headers
        self.reception = reception
        self._principal = principal
        self._reads: dict[str | int, Reads] = {}

    async def admitted(self) -> Visit:
        """Return a visit for one operation, of somebody who was let in.

        Raises:
            NotAdmitted, TooMany: they may not.
        """
        said = _said(self.connection_params)
        if any(self.headers.get(name, value) != value for name, value in said.items()):
            raise NotAdmitted("the first message on this socket says another thing than its headers; say it once")
        headers = {**self.headers, **said}
        principal = await self.reception.gatekeeper.admit(headers)
        return Visit(self.reception, headers, principal=principal)

    def memory(self, path: Path, verb: str, wish: Wish) -> AsyncMemory:
        """Return the memory for one field at the root of an operation.

        Args:
            path: Of the field.
            verb: What is to be done.
            wish: Whose memory.

        Raises:
            NotAllowed, InputError: see ``Principal.scope``.
        """
        memory = self.reception.lend(self._let_in(), VERBS[verb].right, wish)
        self.begin(path, memory)
        return memory

    def stream(self) -> Stream:
        """Return a stream of changes.

        Raises:
            TooMany: they have as many as they may.
        """
        return self.reception.streams.open(self._let_in(), self.headers)

    def _let_in(self) -> Principal:
        if self._principal is None:
            raise RuntimeError("nobody has been let in")
        return self._principal

    def begin(self, path: Path, memory: AsyncMemory) -> None:
        """Forget what was read for a field at the root: its next result is read anew."""
        self._reads[_root(path)] = Reads(memory)

    def reads(self, path: Path) -> Reads:
        """Return what was read for the field at the root above ``path``."""
        return self._reads[_root(path)]


Info: TypeAlias = strawberry.Info[Visit, None]
"""What a resolver knows beside its arguments."""


def lend(info: Info, verb: str, *, user: str | None = None, project: str | None = None) -> AsyncMemory:
    """Return the memory that a field at the root is about: what it does not say, the headers do.

    Raises:
        NotAllowed, InputError: see ``Principal.scope``.
    """
    asked = Wish.of_headers(info.context.headers)
    wish = Wish(asked.user if user is None else user, asked.project if project is None else project, asked.agent)
    return info.context.memory(info.path, verb, wish)


async def lend_where(info: Info, verb: str, conversation: str) -> AsyncMemory:
    """Return the memory in whose project a conversation is held.

    Raises:
        NotAllowed, InputError: see ``Principal.scope``.
        NotFound: there is no such conversation, or one in each of several projects.
    """
    memory = lend(info, verb)
    keys = [found.key for found in await memory.conversations() if found.key.name == conversation]
    if len(keys) != 1:
        advice = f"; name the project in the header {PROJECT_HEADER.title()}" if keys else ""
        raise NotFound(f"there are {len(keys)} conversations {conversation!r} here{advice}")
    return info.context.memory(info.path, verb, Wish(memory.scope.user, keys[0].project, keys[0].agent))


def reads(info: Info) -> Reads:
    """Return what was read already for a field, and reads more of it at once."""
    return info.context.reads(info.path)


def _said(params: object) -> dict[str, str]:
    """Return what the first message on a socket says of the caller."""
    named = params.items() if isinstance(params, dict) else ()
    said = {str(name).lower(): value for name, value in named if isinstance(value, str)}
    return {name: said[name] for name in _SAYABLE if name in said}


def _root(path: Path) -> str | int:
    while path.prev is not None:
        path = path.prev
    return path.key
