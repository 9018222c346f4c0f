"""`yesteryear chat`: what a model is reminded of, what it says, and what is for the memory."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.stage import Answer, Run, Start, all_messages
from tests.doors.proxy.upstream import Reply, Upstream, delta, refused, serving, streamed

ASKED = "Where does my sister live?"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for recall on machines that are slow."""
    monkeypatch.setenv("YESTERYEAR_RECALL_DEADLINE_MS", "20000")


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Lend a model that knows where she lives."""
    with serving(lambda _: streamed("In ", "Porto.")) as lent:
        yield lent


def said_today(store: Path) -> list[tuple[str, str]]:
    """Return what was said in chats."""
    found = [message for message in all_messages(store) if message.conversation.startswith("chat-")]
    return [(message.role.value, message.content) for message in found]


def test_a_chat_reminds_the_model_and_is_remembered(run: Run, store: Path, upstream: Upstream) -> None:
    """The second turn sends the first along; each is taken down once."""
    lines = f"{ASKED}\nAnd when do I visit her?\n"
    chat = run("chat", "--user", "ana", "--store", store, "--url", upstream.url, "--model", "tiny", stdin=lines)
    assert (chat.code, chat.stdout) == (0, "In Porto.\nIn Porto.\n")
    assert "reminded of" in chat.stderr
    assert "Lena lives in Porto" in upstream.seen[0].body["messages"][0]["content"]
    assert [turn["role"] for turn in upstream.seen[1].body["messages"]] == ["system", "user", "assistant", "user"]
    assert said_today(store) == [
        ("user", ASKED),
        ("assistant", "In Porto."),
        ("user", "And when do I visit her?"),
        ("assistant", "In Porto."),
    ]


def test_a_chat_as_json_is_lines_of_json(run: Run, store: Path, upstream: Upstream) -> None:
    """What was recalled, and the reply."""
    chat = run("chat", "--user", "ana", "--store", store, "--url", upstream.url, "--model", "x", "--json", stdin=ASKED)
    recalled, reply = chat.json_lines
    assert recalled["memory"] == "used"
    assert "Lena lives in Porto" in recalled["context"]["text"]
    assert reply == {"reply": "In Porto.", "is_whole": True}


def test_offline_it_shows_what_a_model_would_be_reminded_of(run: Run, store: Path) -> None:
    """No server is needed; what is said is taken down."""
    chat = run(
        "chat", "--user", "ana", "--store", store, "--offline", stdin=f"{ASKED}\n/memory\n/why\n/what\n/quit\nx\n"
    )
    assert chat.code == 0
    assert "=== MEMORY CONTEXT ===" in chat.stdout
    assert "Lena lives in Porto" in chat.stdout
    assert "/forget WORDS or ID" in chat.stderr
    assert said_today(store) == [("user", ASKED)]


def test_without_a_model_it_says_what_to_set(run: Run, store: Path) -> None:
    """An error that names the setting, and the way without a model."""
    chat = run("chat", "--user", "ana", "--store", store)
    assert chat.code == 1
    assert "YESTERYEAR_PROXY_URL" in chat.stderr
    assert "--offline" in chat.stderr


def test_the_only_model_of_a_server_need_not_be_named(run: Run, store: Path, upstream: Upstream) -> None:
    """Where it has several, they are named."""
    models = b'{"data": [{"id": "tiny"}]}'
    upstream.answer = lambda seen: Reply([models]) if seen.method == "GET" else streamed("Yes.")
    options = ("--user", "ana", "--store", store, "--url", upstream.url)
    assert run("chat", *options, stdin=ASKED).stdout == "Yes.\n"
    assert upstream.seen[-1].body["model"] == "tiny"
    models = b'{"data": [{"id": "tiny"}, {"id": "large"}]}'
    several = run("chat", *options, stdin=ASKED)
    assert (several.code, "it has: tiny, large" in several.stderr) == (1, True)


def test_an_error_of_the_server_is_told(run: Run, store: Path, upstream: Upstream) -> None:
    """What the person said is kept all the same; the key of another server is not shown to this one."""
    upstream.answer = lambda _: refused(400, "no such model")
    env = {"YESTERYEAR_PROXY_KEY": "sk-other", "YESTERYEAR_PROXY_URL": "http://127.0.0.1:9/v1"}
    chat = run("chat", "--user", "ana", "--store", store, "--url", upstream.url, "--model", "x", stdin=ASKED, env=env)
    assert (chat.code, "no such model" in chat.stderr) == (1, True)
    assert "authorization" not in upstream.seen[0].headers
    assert said_today(store) == [("user", ASKED)]


def test_what_is_said_about_forgetting_is_done_after_asking(answer_here: Answer, store: Path) -> None:
    """And /why names what was chosen."""
    typed = [
        ("> ", f"{ASKED}\n"),
        ("> ", "/why\n"),
        ("/why ID, of:", "/forget walnuts\n"),
        ("[y/N] ", "y\n"),
        ("> ", "/quit\n"),
    ]
    chat = answer_here("chat", "--user", "ana", "--store", store, "--offline", typed=typed)
    assert chat.code == 0, chat.stderr
    assert "Forgotten:" in chat.stdout
    assert "walnuts" not in str([message.content for message in all_messages(store)])


@pytest.mark.heavy
def test_ctrl_c_stops_a_reply_and_keeps_what_was_said(start: Start, store: Path, upstream: Upstream) -> None:
    """What arrived of it is taken down and marked."""
    upstream.answer = lambda _: Reply([delta("In Por"), threading.Event()])
    (Path("in.txt")).write_text(f"{ASKED}\n")
    with Path("in.txt").open() as lines:
        chat = start("chat", "--user", "ana", "--store", store, "--url", upstream.url, "--model", "x", stdin=lines)
        assert chat.stdout is not None
        assert chat.stdout.read(6) == "In Por"
        chat.send_signal(signal.SIGINT)
        _, stderr = chat.communicate(timeout=60)
    assert chat.returncode == 130
    assert "what was said is kept" in stderr
    assert "Traceback" not in stderr
    assert upstream.gone.wait(20)
    assert said_today(store) == [("user", ASKED), ("assistant", "In Por [cut off]")]
