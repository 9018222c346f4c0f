"""What a provider's reply says, read from the bytes that went to the client. Pure."""

from __future__ import annotations

import json
from typing import Any

from yesteryear.core.chat import words_of

EVENT_STREAM = "text/event-stream"
CUT_OFF = " [cut off]"
"""Ends what is taken down of a reply that never came to its end."""
_DONE = b"[DONE]"


class ReplyReader:
    """Reads a reply as it arrives; of several choices the first."""

    def __init__(self, content_type: str) -> None:
        self._is_stream = content_type.partition(";")[0].strip().lower() == EVENT_STREAM
        self._rest = b""
        self._texts: list[str] = []
        self.is_whole = False
        """Whether it has come to its end."""

    def feed(self, chunk: bytes) -> str:
        """Take the next bytes, and return the words that they brought."""
        *lines, self._rest = (self._rest + chunk).split(b"\n") if self._is_stream else [self._rest + chunk]
        new = "".join(self._read_event(line) for line in lines)
        self._texts.append(new)
        return new

    def end(self) -> str:
        """Take note that no more bytes come, and return the words that only now can be read."""
        rest, self._rest = self._rest, b""
        new = self._read_event(rest) if self._is_stream else self._read_whole(rest)
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

    def _read_whole(self, body: bytes) -> str:
        new = self._read(body, "message")
        self.is_whole = bool(new)
        return new

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
