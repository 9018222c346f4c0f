"""A memory whose models are behind a network that fails: nothing is lost, all is done, and the bill is right."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.each import each
from tests.llm.server import Reply, Seen, embedded, refused, said, serving, wait_for
from tests.llm.stage import a_digest, a_fact, a_verdict
from yesteryear.core.usage import CallPurpose
from yesteryear.errors import ConfigError, MissingExtra
from yesteryear.providers.llm.catalogue import OWN_SERVERS

pytestmark = pytest.mark.sampled

CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Tomar", "Sintra", "Aveiro", "Viseu", "Beja")


@pytest.fixture(autouse=True)
def _nobody_has_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of whoever runs the tests must neither be used nor needed."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def digest_of(seen: Seen) -> str:
    """Return an answer that finds in each message "I moved to X" that its author did."""
    question = seen.body["messages"][-1]["content"]
    heads = re.findall(r"message (\d+) · exchange \d+ · user · (\w+) · .*\n\| (I moved to \w+)", question)
    asked = re.search(r"Exchanges asked about: (.*)", question)
    numbers = re.findall(r"\d+", asked[1]) if asked else []
    return json.dumps(
        a_digest(
            *(
                a_fact(quote, f"{name} moved to {quote.split()[-1]}.", message=int(number))
                for number, name, quote in heads
            ),
            exchanges=[{"exchange": int(n), "keep": True, "reason": "personal"} for n in numbers],
        )
    )


def answering(_: int, seen: Seen) -> Reply:
    """Answer as asked for: to pairs that all may stay."""
    if "Exchanges asked about" in seen.body["messages"][-1]["content"]:
        return said(digest_of(seen), read=100, written=0)
    numbers = re.findall(r"^pair (\d+)$", seen.body["messages"][-1]["content"], re.MULTILINE)
    return said(json.dumps({"pairs": [a_verdict(int(number), "KEEP_ALL") for number in numbers]}), read=100, written=0)


def failing_every_fifth(number: int, seen: Seen) -> Reply:
    """Answer four times, and fail in another way the fifth."""
    if number % 5:
        return answering(number, seen)
    ways = (
        refused(429, code="rate_limit_exceeded", retry_after="0"),
        refused(500),
        said("{broken"),
        said('{"topic": "Mov', finish="length"),
        Reply({}, after_s=5),
        Reply(b"<html>gateway</html>"),
    )
    return ways[number // 5 % len(ways)]


def settings(url: str) -> dict[str, str]:
    """Return what names the server."""
    return {"analyst": "openai:tiny", "analyst_url": url, "embedder": "hashing"}


def tell(memory: yesteryear.Memory, count: int) -> None:
    """Have as many conversations."""
    for number in range(count):
        memory.observe(
            f"I moved to {CITIES[number % len(CITIES)]}", author="Ana", conversation=f"c{number}", id=f"m{number}"
        )


@pytest.mark.heavy
def test_nothing_is_lost_when_every_fifth_call_fails(tmp_path: Path) -> None:
    """Refused, broken, garbled, cut and slow answers: every row is done, and who did it is told."""
    with (
        serving(failing_every_fifth) as server,
        yesteryear.open(tmp_path / "memory.db", worker="none", analyst_timeout=1.5, **settings(server.url)) as engine,
    ):
        memory = engine.memory(user="ana")
        tell(memory, 30)
        memory.flush()
        episodes = memory.episodes(limit=100)
        stats, usage = memory.stats(), memory.usage()
        said_by = Counter(episode.digest.analyst.partition(":")[0] for episode in episodes if episode.digest)
        assert len(episodes) == 30
        assert stats["vectors.due"] == stats.get("episodes.pending", 0) == stats.get("episodes.failed", 0) == 0
        assert {fact.statement for fact in memory.facts()} >= {f"Ana moved to {city}." for city in CITIES}
        digests = [row for row in usage if row.purpose is CallPurpose.DIGEST]
        assert sum(row.calls for row in digests) == 30
        assert sum(row.failed for row in digests) == said_by["local"]
        assert 0 < said_by["local"] < 15
        assert said_by["openai"] + said_by["local"] == 30
        reasons = {e.digest.analyst for e in episodes if e.digest and e.digest.analyst.startswith("local")}
        assert all(reason.startswith("local: ") for reason in reasons)


def test_the_key_of_a_server_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key for OpenAI is not sent to whoever speaks like it; its own is, and nobody is shown it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    with serving(answering) as server:
        for key in (None, "of-this-server"):
            with yesteryear.open(":memory:", worker="none", analyst_key=key, **settings(server.url)) as engine:
                tell(engine.memory(user="ana"), 1)
                engine.memory(user="ana").flush()
    assert "sk-of-openai" not in "".join(seen.key for seen in server.seen)
    assert server.seen[-1].key == "Bearer of-this-server"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (refused(401, code="invalid_api_key"), "key for 'openai:tiny' was refused; check OPENAI_API_KEY"),
        (refused(404, code="model_not_found"), "knows no model 'openai:tiny'"),
        (refused(402, code="insufficient_quota"), "no credit left"),
    ],
    ids=["key", "model", "credit"],
)
def test_a_refusal_is_told_and_the_memory_works_on(reply: Reply, told: str) -> None:
    """One request, no retries, and the row says what to look at."""
    with (
        serving(lambda _, __: reply) as server,
        yesteryear.open(":memory:", worker="none", **settings(server.url)) as engine,
    ):
        memory = engine.memory(user="ana")
        tell(memory, 1)
        memory.flush()
        [episode] = memory.episodes()
        assert episode.digest is not None
        assert told in episode.digest.analyst
        assert memory.why(episode.id).episode.analyst == episode.digest.analyst  # type: ignore[union-attr]
        assert len(server.seen) == 1


def test_a_budget_of_a_day_ends_calls_for_that_day(tmp_path: Path) -> None:
    """Then the local analyst works; the next day the model does again. Somebody else's budget is their own."""
    prices = tmp_path / "prices.toml"
    prices.write_text("[openai]\ntiny = { input = 100, output = 100 }\n")
    clock = yesteryear.ReplayClock(yesteryear.SystemClock().now())
    with (
        serving(answering) as server,
        yesteryear.open(
            tmp_path / "m.db",
            worker="none",
            clock=clock,
            prices_file=str(prices),
            daily_budget=0.025,
            **settings(server.url),
        ) as engine,
    ):
        memory, other = engine.memory(user="ana"), engine.memory(user="ben")
        tell(memory, 5)
        memory.flush()
        reasons = Counter(e.digest.analyst for e in memory.episodes() if e.digest)
        assert reasons == {"openai:tiny": 3, "local: the budget of the day is spent": 2}
        assert sum(row.usd or 0 for row in memory.usage()) == pytest.approx(0.03)
        tell(other, 1)
        other.flush()
        assert other.episodes()[0].digest.analyst == "openai:tiny"  # type: ignore[union-attr]
        clock.advance(timedelta(days=1))
        memory.observe("I moved to Guarda", author="Ana", conversation="later")
        memory.flush()
        assert memory.episodes(conversation="later")[0].digest.analyst == "openai:tiny"  # type: ignore[union-attr]
        memory.configure(daily_budget=0.001)
        asked = len(server.seen)
        memory.observe("I moved to Setubal", author="Ana", conversation="last")
        memory.flush()
        assert len(server.seen) == asked
        assert sum(row.requests for row in engine.usage()) == asked


def vectors_of(number: int, seen: Seen) -> Reply:
    """Return vectors in which texts about running are alike."""
    texts = seen.body["input"]
    return embedded([[1.0, float("run" in text), float(len(text) % 7), 0.5] for text in texts])


def embedder(url: str, **changes: object) -> dict[str, object]:
    """Return what names the server as embedder."""
    return {"embedder": "openai:tiny", "embedder_url": url, "embedder_dimension": 4} | changes


def test_texts_are_embedded_together_and_once(tmp_path: Path) -> None:
    """A request for every text would cost minutes, and a question asked again costs nothing."""
    with (
        serving(vectors_of) as server,
        yesteryear.open(tmp_path / "m.db", worker="none", **embedder(server.url)) as engine,
    ):
        memory = engine.memory(user="ana")
        for number in range(20):
            memory.observe(f"My run number {number} was fine", author="Ana", conversation="c", id=f"m{number}")
        memory.flush()
        assert memory.stats()["vectors.model"] == "openai:tiny"
        assert len(server.seen) < 12
        assert max(len(seen.body["input"]) for seen in server.seen) > 10
        before = len(server.seen)
        assert memory.recall("Which run?").hits
        assert memory.recall("Which run?").hits
        assert len(server.seen) == before + 1
        wait_for(lambda: sum(row.calls for row in memory.usage()) == len(server.seen))
        assert sum(row.input_tokens for row in memory.usage()) == 7 * len(server.seen)


def test_a_change_of_embedder_is_served_by_the_old_one_until_it_is_done(tmp_path: Path) -> None:
    """No query fails or mixes vectors meanwhile; afterwards the old vectors are gone."""
    place = tmp_path / "m.db"
    with yesteryear.open(place, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        memory.observe("My runs are in the morning", author="Ana")
        memory.flush()
    with serving(vectors_of) as server, yesteryear.open(place, worker="none", **embedder(server.url)) as engine:
        memory = engine.memory(user="ana")
        found = memory.recall("When do I run?")
        assert (found.notes, server.seen) == ((), [])
        memory.flush()
        assert set(memory.stats()["vectors.by_model"]) == {"openai:tiny"}
        assert memory.recall("When do I run?").notes == ()
    with yesteryear.open(place, worker="none", embedder="hashing") as engine:  # back, with nobody to ask
        found = engine.memory(user="ana").recall("When do I run?")
        assert found.hits
        assert "recall by words only" in found.notes[0]


def test_vectors_of_another_dimension_are_refused(tmp_path: Path) -> None:
    """With the setting to change; the messages wait, and words still find them."""
    with (
        serving(vectors_of) as server,
        yesteryear.open(tmp_path / "m.db", worker="none", **embedder(server.url, embedder_dimension=5)) as engine,
    ):
        memory = engine.memory(user="ana")
        memory.observe("I moved to Lisbon", author="Ana")
        memory.flush()
        assert memory.stats()["vectors.due"] == 1
        [episode] = memory.episodes()
        assert "gave vectors of dimension 4, not 5; set embedder_dimension" in (episode.error or "")
        assert memory.recall("Lisbon").hits


def test_a_question_does_not_wait_for_a_dead_provider(tmp_path: Path) -> None:
    """Words must do, and the answer says so."""
    is_dead: list[bool] = []

    def answer(number: int, seen: Seen) -> Reply:
        return refused(500) if is_dead else vectors_of(number, seen)

    with (
        serving(answer) as server,
        yesteryear.open(tmp_path / "m.db", worker="none", **embedder(server.url)) as engine,
    ):
        memory = engine.memory(user="ana")
        memory.observe("My runs are in the morning", author="Ana")
        memory.flush()
        is_dead.append(True)
        found = memory.recall("morning")
        assert found.hits
        assert "recall by words only: 'openai:tiny' failed with status 500" in found.notes[0]


@pytest.mark.heavy
@each(
    ("wanted", "told"),
    [
        ({"analyst": "openai:gpt-4o-mini"}, "no key for 'openai:gpt-4o-mini': set OPENAI_API_KEY"),
        ({"analyst": "anthropic:claude-haiku-4-5"}, "ANTHROPIC_API_KEY"),
        ({"analyst": "google:gemini-2.5-flash"}, "GOOGLE_API_KEY"),
        ({"embedder": "google:gemini-embedding-001"}, "GOOGLE_API_KEY"),
        ({"analyst": "nobody:x"}, "'nobody:x' names no model"),
        ({"analyst": "openai:"}, "names no model"),
        ({"analyst": "gpt-4o"}, "choose one of auto, local, or a model such as 'openai:gpt-4o-mini'"),
        ({"analyst": "google:x", "analyst_url": "http://x"}, "a base URL goes with openai:…"),
        ({"analyst": "openai:x", "analyst_url": "localhost:1"}, "is no base URL"),
        ({"embedder": "anthropic:x"}, "anthropic has no embedding models"),
        ({"embedder": "openai:x", "embedder_url": "http://x"}, "dimension of 'openai:x' is not known"),
        ({"analyst": "openai:x", "analyst_url": "http://x", "daily_budget": 1.0}, "needs the price of 'openai:x'"),
        ({"analyst": "openai:x", "analyst_url": "http://x", "prices_file": "none.toml"}, "cannot be read"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(wanted: dict[str, str | float], told: str) -> None:
    """With what to do, before anything is opened."""
    with pytest.raises(ConfigError, match=re.escape(told)):
        yesteryear.open(":memory:", worker="none", **wanted)


def test_a_server_of_ones_own_needs_neither_price_nor_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found where it listens, does the work and costs nothing; a budget is no hindrance."""
    with serving(answering) as server:
        listening = OWN_SERVERS["ollama"]._replace(url=server.url)
        monkeypatch.setitem(OWN_SERVERS, "ollama", listening)
        named = {"analyst": "ollama:qwen3:8b", "embedder": "hashing"}
        for wanted in (named, settings(server.url)):
            with yesteryear.open(":memory:", worker="none", daily_budget=0.01, **wanted) as engine:
                memory = engine.memory(user="ana")
                tell(memory, 1)
                memory.flush()
                assert memory.episodes()[0].digest.analyst == wanted["analyst"]  # type: ignore[union-attr]
                assert {row.usd for row in memory.usage()} == {0.0}
    assert {seen.body["model"] for seen in server.seen} == {"qwen3:8b", "tiny"}


def test_a_server_of_ones_own_that_is_not_running_is_told_of() -> None:
    """With what to run; the memory works on meanwhile."""
    nowhere = settings("http://127.0.0.1:9/v1") | {"analyst": "llamacpp:any"}
    with yesteryear.open(":memory:", worker="none", analyst_timeout=1.0, **nowhere) as engine:
        memory = engine.memory(user="ana")
        tell(memory, 1)
        memory.flush()
        assert "start its server (llama-server -m FILE.gguf)" in memory.episodes()[0].digest.analyst  # type: ignore[union-attr]


def test_a_key_in_the_environment_costs_nothing_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked, and nothing of what is said leaves the machine, unless a model is named."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    with yesteryear.open(":memory:", worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        tell(memory, 1)
        memory.flush()
        assert memory.episodes()[0].digest.analyst == "local"  # type: ignore[union-attr]
        assert engine.usage() == []


def test_a_provider_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra to install."""
    monkeypatch.setitem(sys.modules, "anthropic", None)
    for name in [name for name in sys.modules if name.startswith("pydantic_ai.") and "anthropic" in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    with pytest.raises(MissingExtra, match=re.escape("pip install 'yesteryear[anthropic]'")):
        yesteryear.open(":memory:", worker="none", analyst="anthropic:claude-haiku-4-5")


def test_what_was_erased_leaves_no_bill(tmp_path: Path) -> None:
    """Nor does a call that ends after its person is gone bring the name back."""
    with (
        serving(answering) as server,
        yesteryear.open(tmp_path / "m.db", worker="none", **settings(server.url)) as engine,
    ):
        memory = engine.memory(user="ana")
        tell(memory, 2)
        memory.flush()
        assert engine.usage()
        assert memory.erase().removed["usage"] > 0
        assert engine.usage() == []
        assert memory.recall("Lisbon").hits == ()
        assert engine.owners() == []


def test_questions_are_answered_while_everything_is_embedded_anew(tmp_path: Path) -> None:
    """The old vectors serve to the last moment, and no answer mixes the two."""
    place = tmp_path / "m.db"
    with yesteryear.open(place, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        for number in range(60):
            memory.observe(f"My run number {number} was fine", author="Ana", conversation=f"c{number // 15}")
        memory.flush()
    served: Counter[str] = Counter()
    with (
        serving(lambda n, seen: replace(vectors_of(n, seen), after_s=0.05)) as server,
        yesteryear.open(place, worker="thread", **embedder(server.url)) as engine,
    ):
        memory = engine.memory(user="ana")
        until = time.monotonic() + 30
        while (model := memory.stats()["vectors.model"]) != "openai:tiny":
            found = memory.recall("Which run was fine?")
            assert found.hits
            assert found.notes == ()
            served[model] += 1
            assert time.monotonic() < until
        assert memory.recall("Which run was fine?").notes == ()
        assert set(memory.stats()["vectors.by_model"]) == {"openai:tiny"}
    assert served["hashing-v1"] > 0


def as_anthropic(text: str) -> Reply:
    """Return a reply as Anthropic sends it."""
    return Reply(
        {
            "id": "x",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-4-5",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 100},
        }
    )


def as_google(text: str) -> Reply:
    """Return a reply as Google sends it."""
    return Reply(
        {
            "candidates": [
                {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 100, "totalTokenCount": 1100},
            "modelVersion": "gemini-2.5-flash",
        }
    )


@pytest.mark.parametrize(
    ("name", "address", "reply", "usd"),
    [
        ("openai:gpt-4o-mini", "OPENAI_BASE_URL", lambda text: said(text, read=1000, written=100), 0.00021),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_BASE_URL", as_anthropic, 0.0015),
        ("google:gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL", as_google, 0.00055),
    ],
    ids=["openai", "anthropic", "google"],
)
def test_each_provider_is_spoken_to_in_its_own_way(
    monkeypatch: pytest.MonkeyPatch, name: str, address: str, *, reply: Callable[[str], Reply], usd: float
) -> None:
    """The prompt arrives whole, the answer is read, and the tokens are priced."""
    kept = {"exchange": 1, "keep": True, "reason": "personal"}
    answer = json.dumps(a_digest(a_fact("I moved to Lisbon", "Ana moved to Lisbon."), exchanges=[kept]))
    with serving(lambda _, __: reply(answer)) as server:
        monkeypatch.setenv(f"{name.partition(':')[0].upper()}_API_KEY", "a-key")
        monkeypatch.setenv(address, server.url if "OPENAI" in address else server.url.removesuffix("/v1"))
        with yesteryear.open(":memory:", worker="none", embedder="hashing", analyst=name) as engine:
            memory = engine.memory(user="ana")
            tell(memory, 1)
            memory.flush()
            [episode] = memory.episodes()
            assert episode.digest is not None
            assert (episode.digest.analyst, episode.digest.topic) == (name, "Running")
            assert [fact.statement for fact in memory.facts()] == ["Ana moved to Lisbon."]
            assert [row.usd for row in memory.usage()] == [pytest.approx(usd)]
    [seen] = server.seen
    sent = json.dumps(seen.body, ensure_ascii=False)
    assert "You keep the memory of a person" in sent
    assert "| I moved to Lisbon" in sent
    assert "user_state" in sent
