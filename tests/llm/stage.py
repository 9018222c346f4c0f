"""What tests of language models share: answers, a timer that does not wait, an analyst over a scripted model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.talks import a_conversation
from yesteryear.core.episode import Digest, Talk
from yesteryear.core.message import Exchange, Outcome, Reason, Verdict
from yesteryear.core.usage import Account
from yesteryear.providers.clock import ReplayClock
from yesteryear.providers.llm.analyst import ModelAnalyst
from yesteryear.providers.llm.caller import Caller, CallPolicy
from yesteryear.providers.llm.catalogue import Price
from yesteryear.providers.llm.private_loop import PrivateLoop
from yesteryear.providers.llm.prompting import Prompter
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.testing.builders import NOON

FENCE = "fence-0000"
NAME = "openai:gpt-4o-mini"
PATTERN = "Ana writes her thesis best before breakfast."
PRICE = Price(0.15, 0.60)


@dataclass
class ToldTimer:
    """A timer on which time passes only by waiting, and by what a test adds. Thread-safe."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def elapsed(self) -> float:
        """Return the seconds that have passed."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds


def verdict(outcome: Outcome = Outcome.KEEP, *, reason: Reason = Reason.PERSONAL, score: float = 0.5) -> Verdict:
    """Return what the gate said."""
    return Verdict(outcome, reason, score=score, threshold=0.5)


def a_talk(*lines: str | tuple[str, str], verdicts: Iterable[Verdict] = (), known: tuple[str, ...] = ()) -> Talk:
    """Return a talk in which each user's line and the reply to it are an exchange."""
    messages = a_conversation(*lines)
    exchanges: list[Exchange] = []
    for message in messages:
        if message.role.value == "user" or not exchanges:
            exchanges.append(Exchange((message,)))
        else:
            exchanges[-1] = Exchange((*exchanges[-1].messages, message))
    given = tuple(verdicts) or tuple(verdict() for _ in exchanges)
    return Talk(tuple(exchanges), given, known=known)


def a_fact(quote: str, statement: str, *, message: int = 1, **changes: Any) -> dict[str, Any]:
    """Return one fact of an answer."""
    plain = {
        "message": message,
        "quote": quote,
        "subject": None,
        "tie": None,
        "form": "plain",
        "statement": statement,
        "kind": "event",
        "attribute": "other",
        "value": None,
        "modality": "asserted",
        "volatility": "normal",
        "is_negative": False,
        "is_settled": False,
        "valid_from": None,
        "valid_to": None,
        "confidential": False,
        "asked_to_remember": False,
        "confidence": 0.9,
    }
    return plain | changes


def a_digest(*facts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return an answer to a talk."""
    names = ("emotion", "self_relevance", "commitment", "relationship", "novelty", "reliability")
    plain: dict[str, Any] = {
        "topic": "Running",
        "summary": "Ana moved her runs to the morning.",
        "key_points": ["Ana runs in the morning."],
        "decisions": [],
        "emotions": ["joy"],
        "user_state": "progressing",
        "signals": dict.fromkeys(names, 0.5),
        "exchanges": [],
        "facts": list(facts),
    }
    return plain | changes


def a_pattern(*quotes: tuple[int, str], **changes: Any) -> dict[str, Any]:
    """Return an answer on several episodes, with one pattern."""
    pattern = {
        "statement": PATTERN,
        "kind": "work_pattern",
        "quotes": [{"message": number, "quote": quote} for number, quote in quotes],
        "volatility": "slow",
        "is_negative": False,
        "confidence": 0.9,
    }
    return {"patterns": [pattern | changes]}


def a_verdict(pair: int, name: str, **changes: Any) -> dict[str, Any]:
    """Return the answer on one pair."""
    return {"pair": pair, "verdict": name, "keep": "later", "same_subject": True, "sure": 0.9} | changes


@dataclass
class Script:
    """A model that gives answers in their order, the last one again and again; objects are sent as JSON."""

    answers: list[object]
    prompts: list[str] = field(default_factory=list)

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Answer."""
        self.prompts.append(str(messages[-1].parts[0].content))  # type: ignore[union-attr]
        answer = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ModelResponse):
            return answer
        return ModelResponse(parts=[TextPart(answer if isinstance(answer, str) else json.dumps(answer))])


@dataclass
class Stage:
    """An analyst over a scripted model, and everything a test wants to see of it."""

    loop: PrivateLoop
    clock: ReplayClock = field(default_factory=lambda: ReplayClock(NOON))
    timer: ToldTimer = field(default_factory=ToldTimer)
    account: Account = field(default_factory=Account)

    def caller(self, policy: CallPolicy | None = None, *, name: str = NAME) -> Caller:
        """Return who calls."""
        return Caller(name, self.clock, self.loop, policy or CallPolicy(), PRICE, self.timer.elapsed, self.timer.sleep)

    def analyst(
        self, script: Callable[[list[ModelMessage], AgentInfo], ModelResponse], policy: CallPolicy | None = None
    ) -> ModelAnalyst:
        """Return the analyst."""
        return ModelAnalyst(
            FunctionModel(script),
            self.caller(policy),
            LocalAnalyst(),
            Prompter(fence=lambda: FENCE),
            self.account,
        )


def read(analyst: ModelAnalyst, talk: Talk) -> Digest:
    """Return the digest of a talk."""
    return analyst.digest(talk, yield_to_foreground=lambda: None)
