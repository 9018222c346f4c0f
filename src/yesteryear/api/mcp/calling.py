"""What a tool is called with, what it gives back, and who lends it a memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel

from yesteryear.api.access import Right

if TYPE_CHECKING:
    from yesteryear.memory import AsyncMemory


PLACE = "mcp"
"""How the names of conversations of this door begin."""
NOTES = "mcp notes"
"""How the names of those begin that hold what an assistant noted or read; none of it shares an exchange with words of
the person, which it could make look like something else."""
REQUEST = "Please remember this."
"""What a call of ``remember`` stands for, beside the words; the gate takes it for an explicit request."""
NOTED = "Noted."
"""The reply to it, which ends the exchange: the next call begins another one."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: whose memory, and the circumstances."""

    memory: AsyncMemory
    now: datetime
    author: str | None = None
    """How the person is called in facts about them; the role where not given."""

    def conversation(self, at: datetime | None = None, *, of_notes: bool = False) -> str:
        """Return where is taken down what was said at an instant: a conversation a day, each once as evidence.

        Args:
            at: When it was said; now where not given.
            of_notes: Whether it was noted rather than said.
        """
        return f"{NOTES if of_notes else PLACE} {at or self.now:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool gives back."""

    answer: BaseModel
    text: str | None = None
    """What a model reads; the answer as JSON where not given."""


class Lender(Protocol):
    """Says what a caller may do and lends them their memory. ``request`` is that of HTTP, or None."""

    async def right(self, request: object) -> Right:
        """Return the most that the caller may do."""
        ...

    async def memory(self, request: object, right: Right) -> AsyncMemory:
        """Return the caller's memory.

        Raises:
            NotAllowed, InputError: they may not, or it is left open whose memory.
            YesteryearError: it cannot be opened.
        """
        ...
