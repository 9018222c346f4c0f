"""Which of the things that go by an id is meant, for doors that have a way of its own to each of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from yesteryear.consolidate.look import FactView
from yesteryear.errors import NotFound
from yesteryear.forget.propose import Proposal
from yesteryear.memory import AsyncMemory

SAYS: Mapping[tuple[str, type | None], str] = MappingProxyType(
    {
        ("confirm", FactView): "Note that the person said yes to a fact.",
        ("refute", FactView): "Note that the person said no to a fact: it is not believed any more.",
        (
            "confirm",
            Proposal,
        ): "Carry out a proposal to forget: what it is about is hidden, and erased when its days are over.",
        ("refute", Proposal): "Withdraw a proposal to forget; nothing goes.",
    }
)
"""What a verb does to one kind of things that go by an id."""


async def check_is(memory: AsyncMemory, kind: type, name: str) -> None:
    """Make sure that an id is a proposal's, or a fact's: ``confirm`` and ``refute`` take both.

    Raises:
        NotFound: it is not, or not any more.
    """
    if kind is Proposal:
        if all(proposal.id != name for proposal in await memory.proposals()):
            raise NotFound(f"there is no open proposal {name!r} in this scope; `proposals` lists those that there are")
    elif not await memory.facts(ids=[name], status="all"):
        raise NotFound(f"there is no fact {name!r} in this scope; `facts` lists those that there are")
