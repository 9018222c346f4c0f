"""Our side of the protocol against a real server with a real model: form, not content, for the model is tiny.

Heavy: reading a prompt of 2,500 tokens takes it twenty seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput

import yesteryear
from tests.llm.llama import llama
from tests.llm.stage import a_talk, read
from yesteryear.core.ruling import Claim, ClaimPair
from yesteryear.core.usage import Account, CallOutcome, CallPurpose
from yesteryear.core.vectors import Purpose
from yesteryear.providers.clock import SystemClock
from yesteryear.providers.llm.analyst import ModelAnalyst
from yesteryear.providers.llm.caller import Caller, CallPolicy
from yesteryear.providers.llm.endpoint import build_chat_model
from yesteryear.providers.llm.private_loop import PrivateLoop
from yesteryear.providers.llm.prompting import AskPolicy, Prompter
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.registry import RemoteModel, RemoteModels
from yesteryear.results import EpisodeStatus
from yesteryear.testing.builders import NOON

pytestmark = pytest.mark.heavy

NAME = "openai:smollm2"
DIMENSION = 576
TALK = a_talk("I moved my runs to the morning", "Nice", "I live in Lisbon now")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Lend the URL of a server that talks."""
    with llama() as url:
        yield url


@pytest.fixture
def loop() -> Iterator[PrivateLoop]:
    """Lend a loop."""
    lent = PrivateLoop()
    yield lent
    lent.close()


def an_analyst(url: str, loop: PrivateLoop, *, timeout_s: float = 120.0, digest_tokens: int = 60) -> ModelAnalyst:
    """Return an analyst that asks the server."""
    caller = Caller(NAME, SystemClock(), loop, CallPolicy(timeout_s=timeout_s, corrections=1))
    model = build_chat_model(NAME, loop, base_url=url)
    return ModelAnalyst(model, caller, LocalAnalyst(), Prompter(AskPolicy(digest_tokens=digest_tokens)))


class Colour(StrEnum):
    """One of a few."""

    RED = "red"
    GREEN = "green"


class Choice(BaseModel):
    """A form that even this model fills in."""

    colour: Colour


def test_a_form_is_filled_in(server: str, loop: PrivateLoop) -> None:
    """The schema reaches the server, whose grammar lets the model say nothing else."""
    agent = Agent(build_chat_model(NAME, loop, base_url=server), output_type=NativeOutput(Choice))
    result = loop.run(
        lambda: agent.run("Which colour has grass?", model_settings={"max_tokens": 120, "temperature": 0}), timeout_s=60
    )
    assert result.output.colour in Colour
    assert result.usage.output_tokens > 0


def test_an_answer_that_is_cut_off_is_asked_again_and_then_done_here(server: str, loop: PrivateLoop) -> None:
    """Both answers are paid for, and the digest says who made it."""
    account = Account()
    digest = read(an_analyst(server, loop).on(account), TALK)
    assert digest.analyst == "local: the answer was cut off: be brief"
    [call] = account.calls
    assert (call.outcome, call.requests) == (CallOutcome.REJECTED, 2)
    assert call.input_tokens > 1_500
    assert call.output_tokens == 120


@pytest.mark.exhaustive
def test_an_answer_that_takes_too_long_is_given_up(server: str, loop: PrivateLoop) -> None:
    """The server goes on serving others."""
    account = Account()
    digest = read(an_analyst(server, loop, timeout_s=0.5).on(account), TALK)
    assert digest.analyst.startswith("local: ")
    assert account.calls[0].outcome is CallOutcome.FAILED
    test_a_form_is_filled_in(server, loop)


def test_pairs_get_a_verdict_from_somebody(server: str, loop: PrivateLoop) -> None:
    """The model's where it filled in the form, else the local judge's with a reason."""
    pair = ClaimPair(Claim("Ana drinks tea", NOON, "Ana"), Claim("Ana likes a cup of tea", NOON, "Ana"))
    account = Account()
    [found] = an_analyst(server, loop).on(account).judge([pair], yield_to_foreground=lambda: None)
    assert found.judge == NAME or found.judge.startswith("local")
    assert account.calls[0].purpose is CallPurpose.JUDGE
    assert account.calls[0].output_tokens > 0


def test_a_memory_lives_on_such_a_server(server: str, tmp_path: Path) -> None:
    """Whatever the model says, every row is done and every call is on the bill."""
    with yesteryear.open(
        tmp_path / "m.db", worker="none", embedder="hashing", analyst=NAME, analyst_url=server, analyst_timeout=30.0
    ) as engine:
        memory = engine.memory(user="ana")
        memory.observe("I moved to Lisbon", author="Ana", conversation="c1")
        memory.flush()
        [episode] = memory.episodes()
        assert episode.status is EpisodeStatus.ACTIVE
        assert "Ana moved to Lisbon" in " ".join(fact.statement for fact in memory.facts()) or episode.digest
        assert sum(row.calls for row in memory.usage()) >= 1


def test_its_vectors_are_of_unit_length_and_serve_recall(tmp_path: Path) -> None:
    """The dimension is asked for once where nobody has told it."""
    with llama(embedding=True) as url:
        remote = RemoteModels(SystemClock())
        embedder = remote.embedder(RemoteModel(NAME, base_url=url), may_ask=True)
        assert embedder.profile.dimension == DIMENSION
        vectors = embedder.embed(["I run in the morning", "My runs are early", "Tax law"], purpose=Purpose.DOCUMENT)
        assert vectors.shape == (3, DIMENSION)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
        assert embedder.embed(["Tax law"], purpose=Purpose.DOCUMENT)[0] == pytest.approx(vectors[2], abs=1e-6)
        remote.close()
        with yesteryear.open(
            tmp_path / "m.db", worker="none", embedder=NAME, embedder_url=url, embedder_dimension=DIMENSION
        ) as engine:
            memory = engine.memory(user="ana")
            memory.observe("I moved my runs to the morning", author="Ana")
            memory.flush()
            assert memory.stats()["vectors.model"] == NAME
            found = memory.recall("When do I run?")
            assert found.hits
            assert found.notes == ()
