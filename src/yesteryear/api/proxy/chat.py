"""What a chat says, as clients send it and providers answer it. Pure.

A request is never written anew: what a client sends may hold numbers, escapes and fields that another writer would
change. It is read with the places of its parts, and text is put in at one place. Clients send the whole talk each time:
what stands after the last reply is new; the rest came with the requests before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import takewhile
from typing import Any, NamedTuple

from yesteryear.core.access.arguments import words_of
from yesteryear.core.scope import MAX_NAME_CHARS
from yesteryear.recall.render import FOOT, HEAD

SYSTEM_ROLES = ("system", "developer")  # roles of messages that instruct the model
_MARKS = ("cache_control", "prompt_cache_breakpoint")
"""Fields of a part that tell Anthropic and OpenAI to keep what they have read so far; gateways take them too."""
_MOST_MARKS = 4  # marks of one kind that a request may hold; Anthropic refuses a fifth

_SPACE = re.compile(r"[ \t\n\r]*")
_READ = json.JSONDecoder().raw_decode


class _Placed(NamedTuple):
    """A value of JSON, where it stands in the text, and the name that it has there; "" in a list."""

    name: str
    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class ChatBody:
    """A request for a chat."""

    as_sent: bytes
    messages: tuple[Mapping[str, Any], ...]  # what is said in it, oldest first; at least one
    _text: str
    _first: int  # where the first message begins
    _system: _Placed | None
    """The content of the last message of the system text, or its last part; None where there is none to add to."""
    _asked: _Placed | None  # the content of the last message of the person, likewise

    def with_context(self, prefix: str, tail: str) -> bytes:
        """Return the request with a prefix after its system text and a tail after what the person said last.

        What the client sent stays where it was, so a provider's cache holds up to what is new. Where there is no system
        text the prefix is a system message before all others; where nothing was said, the tail stands there too. Where
        the client has marked the part before the prefix as one to keep, the prefix bears the same mark.
        """
        text = self._text
        if self._asked is None:
            prefix = "\n".join(filter(None, (prefix, tail)))
        elif tail:
            text = _put_in(text, self._asked, tail)
        if not prefix:
            return text.encode()
        if self._system is not None:
            return _put_in(text, self._system, prefix, **_marks(self._text, self._system.value)).encode()
        added = f"{json.dumps({'role': 'system', 'content': prefix})}, "
        return (text[: self._first] + added + text[self._first :]).encode()


def _put_in(text: str, content: _Placed, block: str, **marks: Any) -> str:
    """Return a request with a block at the end of a content: of its text, or as a part of its own, with ``marks``."""
    if isinstance(content.value, str):
        at, added = content.end - 1, json.dumps(f"\n\n{block}" if content.value else block)[1:-1]
    else:
        at, added = content.end, f", {json.dumps({'type': 'text', 'text': block, **marks})}"
    return text[:at] + added + text[at:]


def _marks(text: str, before: object) -> dict[str, Any]:
    """Return the marks of a part that the part behind it may bear too, as far as a request may hold one more."""
    # Only a client's own mark shows that the server knows it: others refuse fields that they do not know.
    found = {name: before.get(name) for name in _MARKS} if isinstance(before, Mapping) else {}
    return {name: mark for name, mark in found.items() if mark and text.count(f'"{name}"') < _MOST_MARKS}


def read_body(body: bytes) -> ChatBody | None:
    """Return what a request says, or None where it is none that we understand; the provider says what is wrong then."""
    try:
        return _read(body)
    except (ValueError, RecursionError):
        return None


def _read(body: bytes) -> ChatBody | None:
    text = body.decode()
    messages = _only(_parts(text, _skip(text, 0), "{"), "messages")
    if messages is None or not isinstance(messages.value, list) or not messages.value:
        return None
    if not all(isinstance(message, dict) for message in messages.value):
        return None
    placed = list(_parts(text, messages.start, "["))
    system = list(takewhile(lambda message: message.value.get("role") in SYSTEM_ROLES, placed))
    asked = [message for message in placed if message.value.get("role") == "user"]
    return ChatBody(
        body, tuple(messages.value), text, placed[0].start, _last_content(text, system), _last_content(text, asked)
    )


def _last_content(text: str, messages: list[_Placed]) -> _Placed | None:
    """Return where the text of some messages ends: the content of the last, or the last part of that."""
    content = _only(_parts(text, messages[-1].start, "{"), "content") if messages else None
    if content is not None and isinstance(content.value, list) and content.value:
        is_parts = all(isinstance(part, dict) for part in content.value)
        return list(_parts(text, content.start, "["))[-1] if is_parts else None
    return content if content is not None and isinstance(content.value, str) else None


def _only(members: Iterable[_Placed], wanted: str) -> _Placed | None:
    """Return the member of that name; None where it is not there, or twice: readers differ about which counts."""
    found = [placed for placed in members if placed.name == wanted]
    return found[0] if len(found) == 1 else None


def _parts(text: str, start: int, opening: str) -> Iterator[_Placed]:
    """Yield the members of the object, or the elements of the list, that begins at ``start`` and is whole."""
    name, closing = "", "}" if opening == "{" else "]"
    at = _expect(text, start, opening)
    while text[at : at + 1] != closing:
        if opening == "{":
            name, end = _READ(text, at)
            at = _expect(text, _skip(text, end), ":")
        value, end = _READ(text, at)
        yield _Placed(name, at, end, value)
        at = _skip(text, end)
        if text[at : at + 1] != closing:
            at = _expect(text, at, ",")


def _expect(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise ValueError(f"there is no {sign!r} at {at}")
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


_OURS = re.compile(rf"\s*{re.escape(HEAD)}.*?(?:{re.escape(FOOT)}\s*|\Z)", re.DOTALL)
"""What we put into a request ourselves, whole or with its end cut off."""
_CHARS_OF_A_TOKEN = 4  # characters of an average token of English
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said in a chat."""

    index: int  # position among the messages that are no system text, from 0
    role: str
    text: str
    author: str | None = None  # the name that the client gave the speaker

    def message(self, conversation: str) -> dict[str, str]:
        """Return this as ``observe`` takes it; its id is the same each time the same is said at the same place.

        The text is part of the id: a turn that was said anew in other words is another turn.
        """
        parts = [conversation, str(self.index), self.role, self.author or "", self.text]
        fields = {"role": self.role, "content": self.text, "id": f"chat-{_digest(*parts)}"}
        return fields if self.author is None else fields | {"author": self.author}


@dataclass(frozen=True, slots=True)
class ProxyTalk:
    """A talk as a client sends it."""

    question: str  # what the person said last; empty where they have said nothing
    new: tuple[Turn, ...]  # what the person said since the last reply
    length: int  # messages that are no system text; the index of the reply
    earlier_tokens: int  # about how many tokens stand before the question: what the model sees anyway
    conversation: str  # a name for the talk, for clients that give it none: the same as long as it begins alike


def read_talk(messages: Sequence[Mapping[str, Any]], *, author: str | None = None) -> ProxyTalk:
    """Return what the messages of a request say; ``author`` names the person, where no message does."""
    said = [message for message in messages if message.get("role") not in SYSTEM_ROLES]
    turns = [_turn(index, message, author) for index, message in enumerate(said)]
    asked = [turn for turn in turns if turn.role == "user" and turn.text]
    last_reply = max((turn.index for turn in turns if turn.role == "assistant"), default=-1)
    question = asked[-1].text if asked else ""
    return ProxyTalk(
        question=question,
        new=tuple(turn for turn in asked if turn.index > last_reply),
        length=len(said),
        earlier_tokens=(sum(len(turn.text) for turn in turns) - len(question)) // _CHARS_OF_A_TOKEN,
        conversation=f"chat-{_digest(asked[0].text if asked else '')}",
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
    sized = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(sized.encode(errors="replace"), digest_size=_DIGEST_BYTES).hexdigest()


EVENT_STREAM = "text/event-stream"
CUT_OFF = " [cut off]"  # ends what is taken down of a reply that never came to its end
_DONE = b"[DONE]"


class ReplyReader:
    """Reads a reply as it arrives; of several choices the first."""

    def __init__(self, content_type: str) -> None:
        self._is_stream = content_type.partition(";")[0].strip().lower() == EVENT_STREAM
        self._rest = b""
        self._texts: list[str] = []
        self.is_whole = False  # whether it has come to its end

    def feed(self, chunk: bytes) -> str:
        """Take the next bytes, and return the words that they brought."""
        *lines, self._rest = (self._rest + chunk).split(b"\n") if self._is_stream else [self._rest + chunk]
        new = "".join(self._read_event(line) for line in lines)
        self._texts.append(new)
        return new

    def end(self) -> str:
        """Take note that no more bytes come, and return the words that only now can be read."""
        rest, self._rest = self._rest, b""
        if self._is_stream:
            new = self._read_event(rest)
        else:
            new = self._read(rest, "message")
            self.is_whole = bool(new)
        self._texts.append(new)
        return new

    @property
    def text(self) -> str:
        """All words so far."""
        return "".join(self._texts)

    def _read_event(self, line: bytes) -> str:
        name, _, data = line.partition(b":")
        if name != b"data":
            return ""
        if data.strip() == _DONE:
            self.is_whole = True
            return ""
        return self._read(data, "delta")

    def _read(self, data: bytes, part: str) -> str:
        choice = _first_choice(data)
        if choice.get("finish_reason") is not None:
            self.is_whole = True
        said = choice.get(part)
        return words_of(said.get("content")) if isinstance(said, dict) else ""


def _first_choice(data: bytes) -> dict[str, Any]:
    """Return the first choice of a reply or of a piece of one; an empty one where there is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    choices = found.get("choices") if isinstance(found, dict) else None
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict) and not choice.get("index"):
            return choice
    return {}
