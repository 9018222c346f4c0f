"""Which messages of a stretch were brought along as a whole, as the messages around them tell. Pure.

"What does this say?" makes a sender's next message text to be read, and so does an assistant who asks for it to be
pasted; "summarise that please" does the same to the message before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from yesteryear.core.language.framing import announces_text, refers_back
from yesteryear.core.language.quoting import own_words, quoted_spans
from yesteryear.core.language.tokens import words
from yesteryear.core.message import Exchange, Message, Role, Source, Verdict
from yesteryear.core.speakers import source_of

_REPLY_CHARS = 600
"""Characters of a reply up to which it may be no more than a word that text may come, or a question what to do."""
_ASKS_FOR_TEXT = re.compile(
    r"\b(?:paste|copy|type|post|upload|attach|drop)\b[^.?!]{0,40}\b(?:it|that|this|here|in|text|below|chat|them)\b"
    r"|\b(?:share|send|provide|give|show)\b[^.?!]{0,40}\b(?:the|your|that|its) (?:\w+ ){0,3}(?:texts?|messages?"
    r"|e-?mails?"
    r"|letters?|documents?|articles?|paragraphs?|passages?|content|code|drafts?|files?|sentences?|wording|words|it)\b"
    r"|\b(?:please (?:share|send) it|send it (?:over|here|my way)|share it (?:here|with me)|go ahead|fire away)\b"
    r"|\b(?:don't|do not|can't|cannot) see (?:any|the|an?|your)\b|\bi'?m ready\b|\b(?:ready when you are"
    r"|let's see it)\b",
    re.IGNORECASE,
)
_WILL_DO = re.compile(
    r"\W*(?:sure|of course|ok(?:ay)?|yes|certainly|absolutely|happy to|gladly|no problem|yep|go)\b", re.IGNORECASE
)
_WILL_DO_WORDS = 12
"""Most words of a reply that says no more than that it will be done."""


def find_brought(messages: Sequence[Message], *, before: Sequence[Message] = ()) -> frozenset[str]:
    """Return the ids of messages that were brought along as a whole.

    Args:
        messages: Of one conversation, in order, not judged yet.
        before: Those that came just before; they tell about these, and nothing is said of them.
    """
    line = [*before, *messages]
    found: set[str] = set()
    for place, message in enumerate(line):
        if message.role is not Role.USER or not message.content:
            continue
        earlier, reply = _last_of(line[:place], message.author)
        if _asked_for(earlier, reply):
            found.add(message.id)
        elif earlier is not None and refers_back(message.content) and _leaves_open(earlier, reply):
            found.add(earlier.id)
    return frozenset(found & {message.id for message in messages})


def tell_sources(exchanges: Iterable[Exchange], authors: Iterable[str]) -> dict[str, tuple[Source, float]]:
    """Return whose words each message is, by its id, and the share of it, in [0, 1], that was brought along.

    Args:
        exchanges: With what was brought as a whole.
        authors: Who speaks in the role of a user in the conversation.
    """
    names = tuple(authors)
    return {
        message.id: _source(message, exchange.brought, names) for exchange in exchanges for message in exchange.messages
    }


def with_source(message: Message, verdict: Verdict, sources: dict[str, tuple[Source, float]]) -> Message:
    """Return a message with its verdict, which says whose words it is."""
    source, brought = sources[message.id]
    return replace(message, verdict=replace(verdict, source=source, brought=brought))


def _source(message: Message, brought: frozenset[str], authors: tuple[str, ...]) -> tuple[Source, float]:
    speaks = source_of(message, authors)
    if message.role is not Role.USER or not message.content:
        return speaks, 0.0
    if message.id in brought:
        return Source.BROUGHT, 1.0
    share = sum(end - start for start, end in quoted_spans(message.content)) / len(message.content)
    is_whole = share > 0 and not words(own_words(message.content)[0])
    return (Source.BROUGHT, 1.0) if is_whole else (speaks, share)


def _last_of(line: Sequence[Message], author: str) -> tuple[Message | None, Message | None]:
    """Return the last message of an author, and the assistant's reply to it, if nobody else spoke since."""
    reply: Message | None = None
    for message in reversed(line):
        if message.role is Role.ASSISTANT:
            if reply is not None:
                return None, reply
            reply = message
        elif message.role is Role.USER:
            return (message, reply) if message.author == author else (None, None)
    return None, reply


def _asked_for(earlier: Message | None, reply: Message | None) -> bool:
    """Tell whether text was to come next: announced, or asked for by the assistant."""
    if reply is not None and _ASKS_FOR_TEXT.search(reply.content[:_REPLY_CHARS]):
        return True
    if earlier is None or not announces_text(earlier.content):
        return False
    if reply is None:
        return True
    return bool(_WILL_DO.match(reply.content)) and len(reply.content.split()) <= _WILL_DO_WORDS


def _leaves_open(earlier: Message, reply: Message | None) -> bool:
    """Tell whether "that" may be what was sent before, and not the reply to it."""
    if reply is None:
        return True
    return reply.content.rstrip().endswith("?") or len(reply.content) < min(len(earlier.content), _REPLY_CHARS)
