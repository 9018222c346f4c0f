"""Whose words a message is: the person's own, or somebody else's who speaks beside them.

A host may let several people speak in the role of a user. One of them is the person whose memory it is, if any bears
the person's name or none at all; where nobody does, as in a log of two friends, each speaks for themself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from yesteryear.core.message import Message, Role, Source
from yesteryear.core.scope import Scope


def folded_name(name: str) -> str:
    """Return a name as it is compared: in one spelling of each letter (NFKC), whatever its case and its spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def is_person(author: str, scope: Scope) -> bool:
    """Tell whether an author in the role of a user bears the person's name, or none but that of the role."""
    return folded_name(author) in (Role.USER.value, folded_name(scope.user))


def source_of(message: Message, authors: Iterable[str]) -> Source:
    """Return who speaks: ``SAID``, ``OTHER``, ``ASSISTANT`` or ``TOOL``; what is brought along is told by the text.

    Args:
        message: What was said.
        authors: Who speaks in the role of a user in the same conversation. If one of them is the person, those who
            are not are others; if none is, each speaks for themself.
    """
    if message.role is Role.ASSISTANT:
        return Source.ASSISTANT
    if message.role is not Role.USER:
        return Source.TOOL
    if is_person(message.author, message.scope):
        return Source.SAID
    return Source.OTHER if any(is_person(author, message.scope) for author in authors) else Source.SAID
