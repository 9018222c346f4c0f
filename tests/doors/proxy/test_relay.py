"""A memory that is late, or broken, holds no reply up; a key that may only read takes nothing down."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from tests.concepts import ConceptEmbedder
from tests.doors.proxy.stage import PATIENT, Stage, staged, wait_for
from tests.doors.proxy.upstream import Upstream, serving, streamed
from tests.doors.rest.house import UNREAD
from yesteryear.api.access import Principal, Right
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose
from yesteryear.errors import NotAdmitted

RUNS = "I moved my runs to the morning because my evenings belong to the thesis."
ASKED = "When do I run?"
BODY = json.dumps({"model": "tiny", "messages": [{"role": "user", "content": ASKED}]}).encode()
SAID = [("user", ASKED), ("assistant", "In the morning.")]


class SlowEmbedder:
    """Embeds questions when it is told to, and fails when it is told to."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.asked = threading.Event()
        self.error: BaseException | None = None
        self._inner = ConceptEmbedder({"running": ["run", "runs"]})

    @property
    def profile(self) -> EmbedderProfile:
        """That of the embedder inside."""
        return self._inner.profile

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Wait, then embed."""
        if purpose is Purpose.QUERY:
            self.asked.set()
            assert self.go_on.wait(30)
            if self.error is not None:
                raise self.error
        return self._inner.embed(texts, purpose=purpose)

    def close(self) -> None:
        """Let go whoever waits."""
        self.go_on.set()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Lend a provider."""
    with serving(lambda _: streamed("In the ", "morning.")) as lent:
        yield lent


@pytest.fixture
def embedder() -> SlowEmbedder:
    """Return an embedder that waits."""
    return SlowEmbedder()


def ask(stage: Stage, **headers: str) -> httpx.Response:
    """Ask as Ana."""
    named = {"X-Yesteryear-User": "ana", **headers}
    return httpx.post(f"{stage.url}/chat/completions", content=BODY, headers=named, timeout=30, verify=UNREAD)


def test_a_slow_recall_is_not_waited_for(upstream: Upstream, embedder: SlowEmbedder, tmp_path: Path) -> None:
    """The request goes on byte for byte as it came; both sides are taken down."""
    policy = replace(PATIENT, recall_deadline_ms=100)
    with staged(tmp_path, upstream, policy=policy, embedder=embedder) as stage:
        stage.tell(RUNS)
        stage.run(stage.memory().flush())
        answer = ask(stage)
        assert embedder.asked.is_set()
        assert answer.headers["x-yesteryear-memory"] == "late"
        assert upstream.seen[0].raw == BODY
        assert stage.taken_down(2) == SAID
        embedder.go_on.set()  # else the end would wait for the recall


def test_late_recalls_do_not_pile_up(upstream: Upstream, embedder: SlowEmbedder, tmp_path: Path) -> None:
    """While as many are under way as may be, no more are begun."""
    policy = replace(PATIENT, recall_deadline_ms=100, most_recalls=1)
    with staged(tmp_path, upstream, policy=policy, embedder=embedder) as stage:
        stage.tell(RUNS)
        stage.run(stage.memory().flush())
        assert ask(stage).headers["x-yesteryear-memory"] == "late"
        embedder.asked.clear()
        assert ask(stage).headers["x-yesteryear-memory"] == "late"
        assert not embedder.asked.is_set()
        embedder.go_on.set()
        wait_for(lambda: ask(stage).headers["x-yesteryear-memory"] == "used")


def test_a_recall_that_fails_fails_no_reply(
    upstream: Upstream, embedder: SlowEmbedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where nobody has thought of the error; the log says what it was and where, and nothing of the talk."""
    embedder.go_on.set()
    embedder.error = ZeroDivisionError("a mistake of ours")
    with staged(tmp_path, upstream, embedder=embedder) as stage:
        stage.tell(RUNS)
        stage.run(stage.memory().flush())
        answer = ask(stage)
        assert (answer.status_code, answer.headers["x-yesteryear-memory"]) == (200, "error")
        assert upstream.seen[0].raw == BODY
        assert stage.taken_down(2) == SAID
    assert "the memory of a chat failed: ZeroDivisionError in test_relay.py:" in caplog.text
    assert ASKED not in caplog.text


def test_a_store_that_fails_fails_no_reply(upstream: Upstream, tmp_path: Path) -> None:
    """Nothing can be taken down, and the answer says that something is amiss."""
    with staged(tmp_path, upstream) as stage:
        stage.run(stage.engine.aclose())
        answer = ask(stage)
        assert (answer.status_code, answer.headers["x-yesteryear-memory"]) == (200, "error")
        assert b"morning." in answer.content


class KeyKeeper:
    """Knows three keys: of Ana, of Ben, and one that may only read."""

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return whose key it is."""
        known = {
            "Bearer ana": ("ana", Right.WRITE),
            "Bearer reader": ("ana", Right.READ),
            "Bearer any": (None, Right.WRITE),
        }
        if (found := known.get(headers.get("authorization", ""))) is None:
            raise NotAdmitted
        user, right = found
        return Principal("key", "default", user, right)


@pytest.mark.parametrize("server_key", ["", "sk-server"])
def test_a_key_decides_whose_memory_it_is(upstream: Upstream, tmp_path: Path, server_key: str) -> None:
    """No user need be named; the provider's key is not taken for ours, and ours is not shown to the provider."""
    headers = {"X-Yesteryear-Key": "ana", "Authorization": "Bearer sk-theirs"}
    url = "{0}/chat/completions"
    with staged(tmp_path, upstream, gatekeeper=KeyKeeper(), key=server_key) as stage:
        answer = httpx.post(url.format(stage.url), content=BODY, headers=headers)
        assert answer.status_code == 200
        assert stage.taken_down(2) == SAID
    assert upstream.seen[0].headers["authorization"] == f"Bearer {server_key or 'sk-theirs'}"


def test_where_the_server_has_the_providers_key_a_client_shows_ours(upstream: Upstream, tmp_path: Path) -> None:
    """So OpenAI's client takes our key as its own."""
    with staged(tmp_path, upstream, gatekeeper=KeyKeeper(), key="sk-server") as stage:
        assert ask(stage, Authorization="Bearer ana").status_code == 200
        assert ask(stage, Authorization="Bearer sk-theirs").status_code == 401
    assert [seen.headers["authorization"] for seen in upstream.seen] == ["Bearer sk-server"]


def test_whoever_is_not_let_in_reaches_no_provider(upstream: Upstream, tmp_path: Path) -> None:
    """Not even for the list of models, and not with another's name; the error is one that clients can read."""
    with staged(tmp_path, upstream, gatekeeper=KeyKeeper()) as stage:
        refused = ask(stage, Authorization="Bearer ana")  # that header is the provider's here
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "not_admitted")
        assert httpx.get(f"{stage.url}/models").status_code == 401
        assert ask(stage, **{"X-Yesteryear-Key": "ana", "X-Yesteryear-User": "ben"}).status_code == 403
        assert ask(stage, **{"X-Yesteryear-Key": "any", "X-Yesteryear-User": "u" * 201}).status_code == 422
        assert ask(stage, **{"X-Yesteryear-Key": "any", "X-Yesteryear-Conversation": "c" * 201}).status_code == 422
    assert upstream.seen == []


def test_a_key_that_may_only_read_takes_nothing_down(upstream: Upstream, tmp_path: Path) -> None:
    """What is remembered is shown to the model all the same."""
    with staged(tmp_path, upstream, gatekeeper=KeyKeeper()) as stage:
        stage.tell(RUNS)
        stage.run(stage.memory().flush())
        assert ask(stage, **{"X-Yesteryear-Key": "reader"}).headers["x-yesteryear-memory"] == "used"
    with staged(tmp_path, upstream) as stage:
        assert stage.taken_down(0) == []
