"""Lets a caller in and hands them the memory they asked for, or says why not; the only way from a door to a memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from yesteryear.api.access import Gatekeeper, Principal, Right, Wish
from yesteryear.api.audit import Trail
from yesteryear.api.guard import GuardedMemory, VerbListener
from yesteryear.api.keys.limits import uncounted
from yesteryear.api.streams import StreamPolicy, Streams
from yesteryear.engine import AsyncEngine
from yesteryear.errors import NotAllowed
from yesteryear.memory import AsyncMemory


@dataclass(frozen=True, slots=True)
class Reception:
    """An engine, and who keeps its gate."""

    engine: AsyncEngine
    gatekeeper: Gatekeeper
    trail: Trail | None = None
    """Where changes and refusals are noted; None for nowhere."""
    listeners: tuple[VerbListener, ...] = ()
    """Who is told how the verbs of memories go that are lent."""
    streaming: StreamPolicy | None = None
    """How many streams of changes there may be; as the policy has it where not given."""
    streams: Streams = field(init=False)
    """All that are open."""

    def __post_init__(self) -> None:
        """Make room for streams."""
        object.__setattr__(self, "streams", Streams(self.engine, uncounted(self.gatekeeper), self.streaming))

    async def memory(self, headers: Mapping[str, str], right: Right, *, wish: Wish | None = None) -> AsyncMemory:
        """Return the memory that a request is about.

        Args:
            headers: Of the request; their names in lower case.
            right: What is to be done with it.
            wish: Whose memory, where something else than the headers says so.

        Raises:
            NotAdmitted, NotAllowed, TooMany: they may not.
            InputError: it is left open whose memory, or a name cannot be used.
        """
        principal = await self.gatekeeper.admit(headers)
        return self.lend(principal, right, Wish.of_headers(headers) if wish is None else wish)

    def lend(self, principal: Principal, right: Right, wish: Wish) -> AsyncMemory:
        """Return the memory that somebody who was let in asks for; it refuses verbs that take more than ``right``.

        Raises:
            NotAllowed, InputError: see ``Principal.scope``.
        """
        try:
            memory = self.engine.memory(principal.scope(wish, right))
        except NotAllowed as exc:
            if self.trail is not None:
                self.trail.refuse(principal, right.name.lower(), exc.code)
            raise
        return cast("AsyncMemory", GuardedMemory(memory, principal, right, self.trail, self.listeners))
