"""What goes through the proxy, to the provider and back, and what stays in the memory."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import openai
import pytest

from tests.doors.proxy.stage import ANA, Stage, staged, wait_for
from tests.doors.proxy.upstream import DONE, Reply, Seen, Upstream, delta, refused, serving, streamed, whole
from yesteryear.recall.render import FOOT, HEAD

pytestmark = pytest.mark.sampled

RUNS = "I moved my runs to the morning because my evenings belong to the thesis."
ASKED = "When do I run?"
KEYED = {**ANA, "Authorization": "Bearer sk-theirs", "Content-Type": "application/json"}


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Lend a provider that agrees to everything."""
    with serving(lambda _: streamed("In the ", "morning", ".")) as lent:
        yield lent


@pytest.fixture
def stage(upstream: Upstream, tmp_path: Path) -> Iterator[Stage]:
    """Lend a proxy before it; Ana has a memory."""
    with staged(tmp_path, upstream) as lent:
        lent.tell(RUNS)
        yield lent


def injected(seen: Seen) -> str:
    """Return the block that the provider got, as JSON writes it."""
    text = seen.raw.decode()
    start, end = text.index(HEAD), text.index(FOOT) + len(FOOT)
    assert text.count(HEAD) == 1
    return text[start:end]


def without_injected(seen: Seen, *around: str) -> bytes:
    """Return what the provider got without our block and what stands around it."""
    before, after = around
    text = seen.raw.decode()
    block = f"{before}{injected(seen)}{after}"
    assert block in text
    return text.replace(block, "", 1).encode()


def asking(*messages: Any, **more: Any) -> bytes:
    """Return a request with odd spaces, numbers and fields, as no writer of ours would write it."""
    said = ",\n ".join(json.dumps(message) for message in messages)
    extra = "".join(f', "{name}": {json.dumps(value)}' for name, value in more.items())
    return f'{{"model" :"tiny","seed":1e2 , "x_new": {{"b":1.50,"a":[ ]}},\n"messages":[ {said} ]{extra} }}\n'.encode()


def post(stage: Stage, body: bytes, **headers: str) -> httpx.Response:
    """Send bytes as they are."""
    return httpx.post(f"{stage.url}/chat/completions", content=body, headers={**KEYED, **headers}, timeout=30)


def test_the_model_sees_what_is_remembered(stage: Stage) -> None:
    """Below what the person said; the client hears what the provider said."""
    reply = stage.client().chat.completions.create(
        model="tiny", messages=[{"role": "user", "content": ASKED}], stream=True
    )
    assert "".join(piece.choices[0].delta.content or "" for piece in reply) == "In the morning."
    [seen] = stage.upstream.seen
    assert "morning because" in injected(seen)
    [asked] = seen.body["messages"]
    assert asked["content"].startswith(f"{ASKED}\n\n{HEAD}")
    assert stage.taken_down(2) == [("user", ASKED), ("assistant", "In the morning.")]


def test_the_tail_stands_last_and_all_else_is_the_same_bytes(stage: Stage) -> None:
    """Numbers, spaces, unknown fields and escapes arrive as they were written."""
    body = asking({"role": "system", "content": 'Be "brief" \u00fc'}, {"role": "user", "content": ASKED}, stream=True)
    answer = post(stage, body)
    assert answer.content == b"".join(
        [*map(delta, ("In the ", "morning", ".")), delta("", delta={}, finish_reason="stop"), DONE]
    )
    assert answer.headers["x-yesteryear-memory"] == "used"
    [seen] = stage.upstream.seen
    assert without_injected(seen, r"\n\n", "") == body


def test_the_prefix_stands_after_the_system_text_and_stays_from_turn_to_turn(stage: Stage) -> None:
    """What two requests have in common is all but what is new and the tail."""
    stage.tell("I live in Porto.")
    memory = stage.memory()
    stage.run(memory.flush())
    [fact, *_] = stage.run(memory.facts())
    stage.run(memory.pin(fact.id))
    said: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED}]
    post(stage, asking(*said))
    said += [{"role": "assistant", "content": "At seven."}, {"role": "user", "content": "And where?"}]
    post(stage, asking(*said))
    first, second = (seen.body["messages"] for seen in stage.upstream.seen)
    assert first[0] == second[0]
    assert first[0]["content"].startswith(f"Be brief.\n\n{HEAD}")
    assert fact.statement in first[0]["content"]
    assert second[1:3] == said[1:3]
    assert first[1]["content"].startswith(ASKED)
    assert second[3]["content"].startswith("And where?")


def test_a_block_is_a_part_where_a_text_has_parts(stage: Stage) -> None:
    """A list of parts gets one part more."""
    parts = [{"type": "text", "text": ASKED}, {"type": "text", "text": "Be kind."}]
    body = asking({"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts})
    post(stage, body)
    [seen] = stage.upstream.seen
    assert without_injected(seen, ', {"type": "text", "text": "', '"}') == body
    assert len(seen.body["messages"][1]["content"]) == 3


def test_pictures_and_tools_go_through_unchanged(stage: Stage) -> None:
    """Only our block is more; of a message with a picture its words are taken down."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBOR" * 5000}}
    sound = {"type": "input_audio", "input_audio": {"data": "UklGR", "format": "wav"}}
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}]
    body = asking({"role": "user", "content": [picture, {"type": "text", "text": ASKED}, sound]}, tools=tools)
    post(stage, body)
    [seen] = stage.upstream.seen
    assert without_injected(seen, ', {"type": "text", "text": "', '"}') == body
    assert stage.taken_down(2)[0] == ("user", ASKED)


def test_calls_of_tools_come_back_and_their_results_are_not_taken_down(stage: Stage) -> None:
    """The second step of a call sees the memory too; what a tool says is nobody's word."""
    call = {"id": "call-1", "type": "function", "function": {"name": "look_up", "arguments": '{"day": "today"}'}}
    stage.upstream.answer = lambda _: whole(None, tool_calls=[call])
    client = stage.client()
    said: list[Any] = [{"role": "user", "content": ASKED}]
    reply = client.chat.completions.create(model="tiny", messages=said).choices[0].message
    assert reply.tool_calls is not None
    assert reply.tool_calls[0].model_dump() == call
    stage.upstream.answer = lambda _: whole("At seven.")
    said += [reply.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": "call-1", "content": "7:00"}]
    client.chat.completions.create(model="tiny", messages=said)
    assert all("morning because" in injected(seen) for seen in stage.upstream.seen)
    asked, *others = stage.upstream.seen[1].body["messages"]
    assert (asked["role"], others) == ("user", said[1:])
    assert stage.taken_down(2) == [("user", ASKED), ("assistant", "At seven.")]


def test_a_talk_that_is_sent_again_and_again_is_taken_down_once(stage: Stage) -> None:
    """Clients send the whole talk each time, and some requests twice."""
    client = stage.client()
    said: list[Any] = [{"role": "system", "content": "Be brief."}]
    for text in ("My sister Lena lives in Porto.", "I visit her in October.", "And in May."):
        said.append({"role": "user", "content": text})
        for _ in range(2):
            reply = "".join(
                piece.choices[0].delta.content or ""
                for piece in client.chat.completions.create(model="tiny", messages=said, stream=True)
            )
        said.append({"role": "assistant", "content": reply})
    assert stage.taken_down(6) == [(turn["role"], turn["content"]) for turn in said[1:]]
    conversations = stage.run(stage.memory().conversations())
    assert len([found for found in conversations if found.key.name != "before"]) == 1


def test_a_conversation_goes_by_a_name_in_any_script(stage: Stage) -> None:
    """It is taken down under the name that was sent in UTF-8, and told back in the same bytes."""
    name = "Montag ☕"
    asked = {"model": "tiny", "messages": [{"role": "user", "content": "I like tea."}]}
    headers = {b"X-Yesteryear-User": b"ana", b"X-Yesteryear-Conversation": name.encode()}
    reply = httpx.post(f"{stage.url}/chat/completions", json=asked, headers=headers)
    assert dict(reply.headers.raw)[b"x-yesteryear-conversation"] == name.encode()
    assert name in {found.key.name for found in stage.run(stage.memory().conversations())}


def test_a_turn_said_anew_in_other_words_is_another_turn(stage: Stage) -> None:
    """Editing a message loses neither."""
    client = stage.client(conversation="edited")
    for text in ("I like tea.", "I like coffee."):
        list(client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": text}], stream=True))
    assert [text for role, text in stage.taken_down(3) if role == "user"] == ["I like tea.", "I like coffee."]
    assert "edited" in {found.key.name for found in stage.run(stage.memory().conversations())}


def test_our_block_is_never_taken_down(stage: Stage) -> None:
    """Neither where a client sends it back, nor where the model repeats it, nor where it is cut off."""
    block = f"{HEAD}\nKnown Facts:\n- Ana keeps a tiger\n{FOOT}"
    stage.upstream.answer = lambda _: streamed("Sure. ", block, " Bye. ", f"{HEAD}\n- Ana keeps")
    said = [{"role": "system", "content": block}, {"role": "user", "content": f"{block}\nI like tea."}]
    post(stage, asking(*said))
    found = stage.taken_down(2)
    assert "tiger" not in str(found)
    assert "Ana keeps" not in str(found)
    assert [text.split() for _, text in found] == [["I", "like", "tea."], ["Sure.", "Bye."]]


def test_without_a_user_there_is_no_memory(stage: Stage) -> None:
    """The request goes on byte for byte, and nothing is taken down."""
    body = asking({"role": "user", "content": ASKED})
    answer = httpx.post(f"{stage.url}/chat/completions?api-version=1", content=body, timeout=30)
    assert answer.headers["x-yesteryear-memory"] == "none"
    [seen] = stage.upstream.seen
    assert (seen.raw, seen.path) == (body, "/v1/chat/completions?api-version=1")
    assert stage.taken_down(0) == []
    assert stage.run(stage.engine.owners()) == [("default", "ana")]


def test_with_nothing_to_say_a_request_goes_on_byte_for_byte(stage: Stage) -> None:
    """Somebody new has no memories; what they say is taken down."""
    body = asking({"role": "user", "content": ASKED})
    answer = post(stage, body, **{"X-Yesteryear-User": "ben"})
    assert answer.headers["x-yesteryear-memory"] == "none"
    assert stage.upstream.seen[0].raw == body
    assert stage.taken_down(2, user="ben")[0] == ("user", ASKED)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b'{"messages": [',
        b'{"messages": "hello"}',
        b'{"messages": [7]}',
        b'{"messages": [{"role": "user"}], "messages": []}',
        b'\xff\xfe{"messages": []}',
        b'{"messages": ' + b"[" * 200_000,
        b'{"n": ' + b"9" * 10_000 + b', "messages": [{"role": "user", "content": "hello"}]}',
    ],
)
def test_what_we_do_not_understand_goes_on_to_the_providers_own_error(stage: Stage, body: bytes) -> None:
    """Its status, headers and words come back."""
    stage.upstream.answer = lambda _: refused(400, "that is no request")
    answer = post(stage, body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "that is no request"
    assert answer.headers["x-request-id"] == "r-1"
    assert stage.upstream.seen[0].raw == body
    assert stage.taken_down(0) == []


@pytest.mark.parametrize("content", [None, 7, {}, [7], [None], [], "\x00\ud800", {"text": ["deep"]}])
def test_odd_contents_fail_nothing(stage: Stage, content: Any) -> None:
    """What is no text has no words."""
    body = asking({"role": "system", "content": content}, {"role": "user", "content": content}, {"role": 7})
    assert post(stage, body).status_code == 200
    found, given = stage.upstream.seen[0].body["messages"], json.loads(body)["messages"]
    assert [message for message in found if HEAD not in str(message)] == [
        message for message in given if message in found
    ]
    assert len(found) - len(given) == (found[0]["role"] == "system" and found[0]["content"].startswith(HEAD))


def test_errors_of_the_provider_pass_through(stage: Stage) -> None:
    """The client's library raises what it would raise without us; the person's words are kept."""
    stage.upstream.answer = lambda _: refused(429, "slow down")
    with pytest.raises(openai.RateLimitError, match="slow down"):
        stage.client().chat.completions.create(model="tiny", messages=[{"role": "user", "content": ASKED}])
    assert stage.taken_down(1) == [("user", ASKED)]


def test_a_provider_that_is_not_there_is_an_error_that_clients_know(stage: Stage, tmp_path: Path) -> None:
    """The answer tells no address."""
    with serving(lambda _: streamed("x")) as gone:
        pass
    (tmp_path / "other").mkdir()
    with staged(tmp_path / "other", gone) as lonely:
        answer = post(lonely, asking({"role": "user", "content": ASKED}))
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "provider_unavailable"
        assert "127.0.0.1" not in answer.text
        assert lonely.taken_down(1) == [("user", ASKED)]


def test_a_provider_that_dies_in_the_middle_is_seen_to_die(stage: Stage) -> None:
    """The client gets exactly what came, then a broken connection; what came is taken down and marked."""
    stage.upstream.answer = lambda _: Reply([delta("In the "), delta("mor")], dies=True)
    got: list[bytes] = []
    body = asking({"role": "user", "content": ASKED})
    with (
        httpx.stream("POST", f"{stage.url}/chat/completions", content=body, headers=KEYED) as answer,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        got.extend(answer.iter_raw())
    assert b"".join(got) == delta("In the ") + delta("mor")
    assert stage.taken_down(2)[1] == ("assistant", "In the mor [cut off]")


def test_a_reply_arrives_as_it_is_made(stage: Stage) -> None:
    """The first piece is there while the provider still thinks about the second."""
    go_on = threading.Event()
    stage.upstream.answer = lambda _: Reply([delta("In the "), go_on, delta("morning."), DONE])
    reply = stage.client().chat.completions.create(
        model="tiny", messages=[{"role": "user", "content": ASKED}], stream=True
    )
    assert next(reply).choices[0].delta.content == "In the "
    go_on.set()
    assert [piece.choices[0].delta.content for piece in reply] == ["morning."]
    assert stage.taken_down(2)[1] == ("assistant", "In the morning.")


@pytest.mark.parametrize("first", [[delta("In the ")], []], ids=["in the middle", "before the first word"])
def test_a_client_that_vanishes_stops_the_provider(stage: Stage, first: list[bytes]) -> None:
    """Nobody pays for words that nobody hears; what was received is taken down and marked."""
    stage.upstream.answer = lambda _: Reply([*first, threading.Event()])
    body, address = asking({"role": "user", "content": ASKED}), urlsplit(stage.url)
    request = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {address.netloc}\r\nX-Yesteryear-User: ana\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(request + body)
        wait_for(lambda: bool(stage.upstream.seen))
        if first:
            while b"In the" not in client.recv(65536):
                pass
    assert stage.upstream.gone.wait(20)
    kept = [("user", ASKED), ("assistant", "In the [cut off]")]
    assert stage.taken_down(1 + len(first)) == kept[: 1 + len(first)]


def test_what_a_client_says_to_us_is_not_for_the_provider(stage: Stage) -> None:
    """Our headers and the cookie of our pages stay here; the provider's key goes there, and its cookie stays there."""
    answer = post(
        stage,
        asking({"role": "user", "content": ASKED}),
        **{"X-Yesteryear-Key": "ours", "Cookie": "login=ours", "X-Other": "theirs", "Connection": "close, X-Hop"},
    )
    [seen] = stage.upstream.seen
    assert seen.headers["authorization"] == "Bearer sk-theirs"
    assert seen.headers["x-other"] == "theirs"
    assert "ours" not in str(seen.headers)
    assert "connection" not in seen.headers or "X-Hop" not in seen.headers["connection"]
    assert "set-cookie" not in answer.headers


def test_a_key_of_the_server_takes_the_place_of_the_clients(upstream: Upstream, tmp_path: Path) -> None:
    """Clients need not know it."""
    with staged(tmp_path, upstream, key="sk-server") as stage:
        post(stage, asking({"role": "user", "content": ASKED}))
    assert upstream.seen[0].headers["authorization"] == "Bearer sk-server"


def test_which_models_there_are_is_passed_on(stage: Stage) -> None:
    """As the provider tells it."""
    listed = {"object": "list", "data": [{"id": "tiny", "object": "model", "created": 1, "owned_by": "us"}]}
    stage.upstream.answer = lambda _: Reply([json.dumps(listed).encode()], content_type="application/json")
    assert [model.id for model in stage.client().models.list()] == ["tiny"]
    assert (stage.upstream.seen[0].method, stage.upstream.seen[0].path) == ("GET", "/v1/models")


def test_a_huge_request_goes_on_without_memory(stage: Stage) -> None:
    """It is not read for what it says."""
    body = asking({"role": "user", "content": ASKED}, padding="x" * 17_000_000)
    answer = post(stage, body)
    assert answer.headers["x-yesteryear-memory"] == "none"
    assert stage.upstream.seen[0].raw == body


@pytest.mark.heavy
def test_many_talks_at_once_stay_apart(stage: Stage) -> None:
    """Each gets its own reply, and each memory its own words."""
    stage.upstream.answer = lambda seen: streamed("You said: ", seen.body["messages"][-1]["content"])
    heard: dict[int, str] = {}

    def talk(number: int) -> None:
        client = stage.client(user=f"person-{number}")
        reply = client.chat.completions.create(
            model="tiny", messages=[{"role": "user", "content": f"I am number {number}."}], stream=True
        )
        heard[number] = "".join(piece.choices[0].delta.content or "" for piece in reply)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {number: f"You said: I am number {number}." for number in range(24)}
    for number in range(24):
        said = stage.taken_down(2, user=f"person-{number}")
        assert said == [("user", f"I am number {number}."), ("assistant", heard[number])]


def test_an_end_waits_for_what_is_being_taken_down(upstream: Upstream, tmp_path: Path) -> None:
    """Whoever stops the server right after a reply loses nothing."""
    with staged(tmp_path, upstream) as stage:
        post(stage, asking({"role": "user", "content": ASKED}))
    with staged(tmp_path, upstream) as again:
        assert again.taken_down(2) == [("user", ASKED), ("assistant", "In the morning.")]
