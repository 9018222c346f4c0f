"""Talk for tests, a line each."""

from __future__ import annotations

from yesteryear.core.message import Message, Role
from yesteryear.testing.builders import a_message


def a_conversation(*lines: str | tuple[str, str], minutes: float = 1, conversation: str = "c1") -> list[Message]:
    """Return messages in order, ``minutes`` apart, with seq from 1.

    A plain string is said by the user and by the assistant in turn; a pair of author and text is said by a user of
    that name, and the next plain string is the assistant's.
    """
    messages: list[Message] = []
    for seq, line in enumerate(lines, start=1):
        author, content = (None, line) if isinstance(line, str) else line
        replies = author is None and bool(messages) and messages[-1].role is Role.USER
        role = Role.ASSISTANT if replies else Role.USER
        messages.append(
            a_message(
                content, seq=seq, role=role, author=author, conversation=conversation, minutes=(seq - 1) * minutes
            )
        )
    return messages
