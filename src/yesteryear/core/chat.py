"""Messages as chat APIs write them: content in parts, a name beside the role, calls of tools without words."""

from __future__ import annotations

from collections.abc import Mapping

PASSED_OVER = frozenset(
    {"tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations", "type", "status"}
)
"""What such messages may hold beside words, and what a journal has no use for."""
_CALLS = ("tool_calls", "function_call")


def spoken(message: Mapping[str, object]) -> dict[str, object]:
    """Return a message in the words of ``observe``: ``name`` is the author, parts are one text, calls are told.

    A part without words is told in one, such as ``[image]``; so is a message that only calls tools: ``[calls tools]``.
    What is given in our own words stays as it is, wrong or not.
    """
    fields = {key: value for key, value in message.items() if key not in PASSED_OVER and key != "name"}
    if "author" not in message and message.get("name") is not None:
        fields["author"] = message["name"]
    content = message.get("content")
    told = [_words_or_kind(part) for part in content] if isinstance(content, list) else []
    if told and None not in told:
        fields["content"] = "\n".join(filter(None, told))
    elif content is None and any(message.get(call) for call in _CALLS):
        fields["content"] = "[calls tools]"
    return fields


def words_of(content: object) -> str:
    """Return the words of a message's content; parts that are no text have none."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _words_or_kind(part: object) -> str | None:
    """Return the words of a part, or its kind in brackets; None for what is no part."""
    if not isinstance(part, Mapping):
        return None
    text, kind = part.get("text"), part.get("type")
    if isinstance(text, str):
        return text
    return f"[{kind.removeprefix('input_').removesuffix('_url')}]" if isinstance(kind, str) else None
