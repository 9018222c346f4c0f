"""Group messages into exchanges, the unit the gate judges.

It looks at roles, authors and announced changes of topic, never at what is worth keeping.
"""

from __future__ import annotations

from collections.abc import Sequence

from yesteryear.core.language.topics import opens_topic
from yesteryear.core.message import Exchange, Message, Role

LONGEST_RUN = 3
"""Messages in an exchange where several people speak in the user's role, or one gets no reply."""


def group_exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """Group the messages of one stretch of a conversation, given in order.

    Between one user and an assistant an exchange is what the user said in a row and the replies that follow; replies
    before the first user message form one of their own. Where several people speak in the user's role, or nobody
    replies, it is a run of up to LONGEST_RUN messages that ends where somebody announces another topic.

    Returns:
        Exchanges in order; every message is in exactly one.
    """
    authors = {message.author for message in messages if message.role is Role.USER}
    has_replies = any(message.role is not Role.USER for message in messages)
    begins = _begins_turn if len(authors) == 1 and has_replies else _begins_run
    groups: list[list[Message]] = []
    for message in messages:
        if groups and not begins(groups[-1], message):
            groups[-1].append(message)
        else:
            groups.append([message])
    return [Exchange(tuple(group)) for group in groups]


def _begins_turn(so_far: Sequence[Message], message: Message) -> bool:
    return message.role is Role.USER and so_far[-1].role is not Role.USER


def _begins_run(so_far: Sequence[Message], message: Message) -> bool:
    return len(so_far) >= LONGEST_RUN or opens_topic(message.content)
