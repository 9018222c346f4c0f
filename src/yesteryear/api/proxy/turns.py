"""What a request for a chat says of the talk: the new turns, what to ask the memory, which conversation it is. Pure.

Clients send the whole talk each time. What stands after the last reply is new; the rest came with the requests before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from yesteryear.api.proxy.body import SYSTEM_ROLES
from yesteryear.core.chat import words_of
from yesteryear.core.scope import MAX_NAME_CHARS
from yesteryear.recall.render import FOOT, HEAD

_OURS = re.compile(rf"\s*{re.escape(HEAD)}.*?(?:{re.escape(FOOT)}\s*|\Z)", re.DOTALL)
"""What we put into a request ourselves, whole or with its end cut off."""
_CHARS_OF_A_TOKEN = 4
"""Characters of an average token of English."""
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said in a chat."""

    index: int
    """Position among the messages that are no system text, from 0."""
    role: str
    text: str
    author: str | None = None
    """The name that the client gave the speaker."""

    def message(self, conversation: str) -> dict[str, str]:
        """Return this as ``observe`` takes it; its id is the same each time the same is said at the same place.

        The text is part of the id: a turn that was said anew in other words is another turn.
        """
        parts = [conversation, str(self.index), self.role, self.author or "", self.text]
        fields = {"role": self.role, "content": self.text, "id": f"chat-{_digest(*parts)}"}
        return fields if self.author is None else fields | {"author": self.author}


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk as a client sends it."""

    question: str
    """What the person said last; empty where they have said nothing."""
    new: tuple[Turn, ...]
    """What the person said since the last reply."""
    length: int
    """Messages that are no system text; the index of the reply."""
    earlier_tokens: int
    """About how many tokens stand before the question: what the model sees anyway."""
    opening: str
    """What was said first."""

    def conversation(self) -> str:
        """Return a name for the talk, for clients that give it none: the same as long as it begins alike."""
        return f"chat-{_digest(self.opening)}"


def read_talk(messages: Sequence[Mapping[str, Any]], *, author: str | None = None) -> Talk:
    """Return what the messages of a request say.

    Args:
        messages: As the client sends them.
        author: What the person is called; where a message has a name, that is theirs.
    """
    said = [message for message in messages if message.get("role") not in SYSTEM_ROLES]
    turns = [_turn(index, message, author) for index, message in enumerate(said)]
    asked = [turn for turn in turns if turn.role == "user" and turn.text]
    last_reply = max((turn.index for turn in turns if turn.role == "assistant"), default=-1)
    question = asked[-1].text if asked else ""
    return Talk(
        question=question,
        new=tuple(turn for turn in asked if turn.index > last_reply),
        length=len(said),
        earlier_tokens=(sum(len(turn.text) for turn in turns) - len(question)) // _CHARS_OF_A_TOKEN,
        opening=asked[0].text if asked else "",
    )


def without_block(text: str) -> str:
    """Return a text without any context of ours, which must never become evidence; empty where nothing is left."""
    if HEAD in text:
        text = _OURS.sub("\n", text)
    return text if text.strip() else ""


def _turn(index: int, message: Mapping[str, Any], author: str | None) -> Turn:
    name, role = message.get("name"), message.get("role")
    is_name = isinstance(name, str) and 0 < len(name.strip()) <= len(name) <= MAX_NAME_CHARS and name.isprintable()
    text = without_block(words_of(message.get("content")))
    named = name if is_name else author if role == "user" else None
    return Turn(index, role if isinstance(role, str) else "", text, named)


def _digest(*parts: str) -> str:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode(errors="replace"))
    return digest.hexdigest()
