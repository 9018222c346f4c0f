"""Whose words a message is: the person's own, somebody else's beside them, or brought along as a whole. Pure.

Where no user bears the person's name or none, as in a log of two friends, each speaks for themself.
"What does this say?" makes a sender's next message text to be read, "summarise that please" the message before.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from yesteryear.core.fact import Evidence, Fact
from yesteryear.core.language.brought_along import announces_text, refers_back
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.language.sentences import Span, outside
from yesteryear.core.language.tokens import words
from yesteryear.core.language.told.about_oneself import concerning
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Exchange, Message, Role, Source, Verdict
from yesteryear.core.reading import MessageReading
from yesteryear.core.scope import Scope

_EN = vocabulary("framing")
_REPLY_CHARS = 600  # of a reply up to which it may only say that text may come, or ask what to do
_WILL_DO_WORDS = 12  # most words of a reply that says no more than that it will be done


def find_brought(messages: Sequence[Message], *, before: Sequence[Message] = ()) -> frozenset[str]:
    """Return the ids of messages that were brought along as a whole; those ``before`` only tell of them."""
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


def tell_sources(
    exchanges: Iterable[Exchange], authors: Iterable[str], readings: Mapping[str, MessageReading]
) -> dict[str, tuple[Source, float]]:
    """Return whose words each message is, by its id, and the share of it, in [0, 1], that was brought along.

    ``authors`` are all who speak in the role of a user in the conversation; ``readings`` tell by message which of its
    sentences are others', beside those that its form tells.
    """
    names = tuple(authors)
    return {
        message.id: _source(message, exchange.brought, names, readings.get(message.id))
        for exchange in exchanges
        for message in exchange.messages
    }


def with_source(message: Message, verdict: Verdict, sources: dict[str, tuple[Source, float]]) -> Message:
    """Return a message with its verdict, which says whose words it is."""
    source, brought = sources[message.id]
    return replace(message, verdict=replace(verdict, source=source, brought=brought))


def _source(
    message: Message, brought: frozenset[str], authors: tuple[str, ...], reading: MessageReading | None
) -> tuple[Source, float]:
    speaks = source_of(message, authors)
    if message.role is not Role.USER or not message.content:
        return speaks, 0.0
    if message.id in brought:
        return Source.BROUGHT, 1.0
    own = "".join(outside(message.content, others_spans(message.content, reading)))
    share = 1 - len(own) / len(message.content)
    return (Source.BROUGHT, 1.0) if share and not words(own) else (speaks, share)


def others_spans(text: str, reading: MessageReading | None) -> list[Span]:
    """Return the parts of a message that are somebody else's words: as its form tells, and a reader of its sentences.

    They come in order of their beginnings, and may overlap.
    """
    read = [(each.start, each.end) for each in reading.sentences if each.is_brought] if reading else []
    return sorted([*quoted_spans(text), *read])


def sentence_concerning(fact: Fact, message: Message, told: Iterable[Evidence]) -> str:
    """Return the first sentence that a message brought along and that may concern a fact; empty where there is none.

    ``told`` is what facts rest on, of this message and others: what the person's own statements quote is theirs.
    """
    return concerning(
        message.content,
        fact.statement,
        subject=fact.subject,
        is_whole=message.source is Source.BROUGHT,
        own=[row.quote for row in told if row.message_id == message.id and row.quote],
    )


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
    if reply is not None and _EN["asks_for_text"].search(reply.content[:_REPLY_CHARS]):
        return True
    if earlier is None or not announces_text(earlier.content):
        return False
    if reply is None:
        return True
    return bool(_EN["will_do"].match(reply.content)) and len(reply.content.split()) <= _WILL_DO_WORDS


def _leaves_open(earlier: Message, reply: Message | None) -> bool:
    """Tell whether "that" may be what was sent before, and not the reply to it."""
    if reply is None:
        return True
    return reply.content.rstrip().endswith("?") or len(reply.content) < min(len(earlier.content), _REPLY_CHARS)


def folded_name(name: str) -> str:
    """Return a name as it is compared: in one spelling of each letter (NFKC), whatever its case and its spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def is_person(author: str, scope: Scope) -> bool:
    """Tell whether an author in the role of a user bears the person's name, or none but that of the role."""
    return folded_name(author) in (Role.USER.value, folded_name(scope.user))


def source_of(message: Message, authors: Iterable[str]) -> Source:
    """Return who speaks: ``SAID``, ``OTHER``, ``ASSISTANT`` or ``TOOL``; what is brought along is told by the text.

    If one of the ``authors`` in the role of a user is the person, those who are not are others; if none is, each speaks
    for themself.
    """
    if message.role is Role.ASSISTANT:
        return Source.ASSISTANT
    if message.role is not Role.USER:
        return Source.TOOL
    if is_person(message.author, message.scope):
        return Source.SAID
    return Source.OTHER if any(is_person(author, message.scope) for author in authors) else Source.SAID
