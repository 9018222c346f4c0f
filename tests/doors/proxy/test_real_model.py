"""The proxy before a real llama.cpp server with a tiny model: form, not content.

Heavy: the server reads a prompt slowly.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.proxy.stage import staged
from tests.doors.proxy.upstream import Upstream, streamed
from tests.llm.llama import llama

pytestmark = pytest.mark.heavy

LIKELIEST = {"max_tokens": 12, "temperature": 0}
"""Drawn at random, a reply now and then repeats the frame of its context, which is taken down as nobody's words."""


def test_a_real_server_streams_through(tmp_path: Path) -> None:
    """Its list of models, a streamed reply and a whole one; both are taken down."""
    with llama() as url, staged(tmp_path, Upstream(url, lambda _: streamed())) as stage:
        stage.tell("I moved my runs to the morning because my evenings belong to the thesis.")
        client = stage.client(conversation="today")
        [model] = [found.id for found in client.models.list()]
        said = [{"role": "user", "content": "When do I run?"}]
        pieces = client.chat.completions.create(model=model, messages=said, stream=True, **LIKELIEST)  # type: ignore[call-overload]
        streamed_reply = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
        other = client.with_options(default_headers={"X-Yesteryear-Conversation": "other"})
        answered = other.chat.completions.with_raw_response.create(model=model, messages=said, **LIKELIEST)  # type: ignore[arg-type]
        assert answered.headers["x-yesteryear-memory"] == "used"
        whole_reply = answered.parse().choices[0].message.content
        assert streamed_reply
        asked, replies = [("user", "When do I run?")] * 2, [streamed_reply, whole_reply]
        assert sorted(stage.taken_down(4)) == sorted([*asked, *(("assistant", reply) for reply in replies)])
