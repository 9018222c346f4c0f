"""What an agent may ask the person, to settle what is unsure: a passive confirmation."""

from __future__ import annotations

from dataclasses import dataclass

from yesteryear.core.plain import Plain

ASKED_AT = "asked_at"
"""Property of a fact: when a context last offered a question about it, in ISO 8601."""
ASKED = "asked "
"""What a property of a fact begins with that tells how often a question about it was offered; then its id."""


@dataclass(frozen=True, slots=True)
class Question(Plain):
    """One short question about facts, offered with a context."""

    id: str
    """The same for the same question, however often it is offered."""
    text: str
    """As it may be asked, to the person themself."""
    fact_ids: tuple[str, ...]
    """The facts that the answer would settle."""
    worth: float
    """How much the answer would settle; higher is better, comparable within one owner."""
