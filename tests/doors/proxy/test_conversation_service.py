"""The example of a conversation service: fifteen messages make an episode, and the persona is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import yesteryear
from examples.conversation_service.app import build_service
from tests.doors.proxy.stage import wait_for
from tests.doors.proxy.upstream import Upstream, refused, serving, whole

SAYS = (
    "I moved my runs to the morning because my evenings belong to the thesis.",
    "My sister Lena lives in Porto and I visit her every autumn.",
    "We decided to hike the Rota Vicentina together in October.",
    "I am allergic to walnuts, so I bake with almonds.",
    "My thesis is due in June and I am a bit afraid of it.",
    "I prefer tea to coffee since last year.",
    "I decided to write two pages every day.",
    "My supervisor is called Marta.",
)


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Lend a model that agrees."""
    with serving(lambda _: whole("I see.")) as lent:
        yield lent


def engine_in(folder: Path) -> yesteryear.AsyncEngine:
    """Return an engine with its worker."""
    return yesteryear.open_async(folder / "m.db", embedder="hashing", episode_message_threshold=15)


def say(client: TestClient, content: str, *, conversation: str = "c1") -> tuple[int, str]:
    """Say something, and return the status and the reply."""
    answer = client.post(
        f"/conversations/{conversation}/messages", json={"content": content, "user": "Ana", "project": "thesis"}
    )
    return answer.status_code, answer.json().get("reply", "")


def test_the_persona_is_told_what_it_remembers(upstream: Upstream, tmp_path: Path) -> None:
    """The episode is made in the background; another conversation draws on it."""
    with TestClient(build_service(engine_in(tmp_path), (upstream.url, "tiny"))) as client:
        assert {say(client, said) for said in SAYS} == {(200, "I see.")}
        with yesteryear.open(tmp_path / "m.db", worker="none", embedder="hashing") as engine:
            memory = engine.memory(user="Ana", project="thesis")
            wait_for(lambda: bool(memory.episodes(status="active")))
            [episode] = memory.episodes()
            assert episode.first_seq == 1
            assert episode.last_seq in (15, 16)  # the exchange in which the fifteenth was said may end first
        say(client, "Where does my sister live?", conversation="c2")
    persona, asked = (message["content"] for message in upstream.seen[-1].body["messages"])
    assert asked.startswith("Where does my sister live?\n\n=== MEMORY CONTEXT ===")
    assert "Lena lives in Porto" in asked
    assert "This session so far" not in persona
    assert "This session so far:\nAna: I moved my runs" in upstream.seen[1].body["messages"][0]["content"]


def test_what_is_said_is_kept_where_the_model_fails(upstream: Upstream, tmp_path: Path) -> None:
    """The person is told; nothing of the model's is kept."""
    upstream.answer = lambda _: refused(500, "out of order")
    with TestClient(build_service(engine_in(tmp_path), (upstream.url, "tiny"))) as client:
        assert say(client, SAYS[0])[0] == 503
    with yesteryear.open(tmp_path / "m.db", worker="none", embedder="hashing") as engine:
        assert [found.content for found in engine.memory(user="Ana", project="thesis").messages()] == [SAYS[0]]
