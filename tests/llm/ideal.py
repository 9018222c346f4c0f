"""A language model that knows the labels: what is left to go wrong with it is ours.

It is asked as any model is, reads the prompt and answers in JSON. So everything around a model is measured with it: the
gate before it, the prompt, the checks behind it, what is written and what is believed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.llm.stage import a_fact
from yesteryear.ports import Analyst, Clock
from yesteryear.providers.llm.analyst import ModelAnalyst
from yesteryear.providers.llm.caller import Caller
from yesteryear.providers.llm.private_loop import PrivateLoop
from yesteryear_lab.bench.fact_scores import DialogRow

_SURE = 0.95
_MESSAGE = re.compile(r"^message (\d+) · exchange (\d+) · (\w+) · ", re.MULTILINE)
_SIDE = re.compile(r"^(?:earlier|later), said .*\n((?:\| .*\n?)+)", re.MULTILINE)
_EPISODE = re.compile(r"^message \d+ · episode \d+ · ", re.MULTILINE)
_ASKED = re.compile(r"^Exchanges asked about: (.*)$", re.MULTILINE)
_VERDICTS = {
    "duplicate": "MERGE",
    "refines": "PARTIAL_MERGE",
    "updates": "UPDATES",
    "contradicts": "CONTRADICTS",
    "coexists": "KEEP_ALL",
    "coexist": "KEEP_ALL",
    "unrelated": "KEEP_ALL",
}


@dataclass(frozen=True)
class IdealModel:
    """Answers from labels."""

    dialogs: Sequence[DialogRow] = ()
    verdict_of: Callable[[str, str], str] = lambda _, __: "coexists"
    """Returns the label of a pair of statements, the earlier first."""
    _by_message: dict[str, tuple[DialogRow, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.dialogs:
            for place, said in enumerate(row.messages):
                self._by_message.setdefault(_bare(said.content), (row, place))

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Answer a prompt."""
        question = str(messages[-1].parts[0].content)  # type: ignore[union-attr]
        if _ASKED.search(question):
            answer = self._digest(question)
        elif _EPISODE.search(question):
            answer = {"patterns": []}  # the labels know of none
        else:
            answer = self._judge(question)
        return ModelResponse(parts=[TextPart(json.dumps(answer))])

    def _digest(self, question: str) -> Mapping[str, Any]:
        shown = list(_messages(question))
        known = [
            (number, exchange, *self._by_message[text]) for number, exchange, text in shown if text in self._by_message
        ]
        row = known[0][2] if known else None
        facts = [
            (number, row.messages[place].content, fact)
            for number, _, row, place in known
            for fact in row.facts
            if fact.evidence and min(fact.evidence) == place
        ]
        telling = {exchange for number, exchange, row, place in known if any(place in f.evidence for f in row.facts)}
        asked = _ASKED.search(question)
        numbers = [int(n) for n in asked[1].split(", ")] if asked and asked[1] != "none" else []
        return {
            "topic": "A talk",
            "summary": " ".join(fact.statement.rstrip(".") + "." for _, _, fact in facts)[:900] or "A talk.",
            "key_points": [],
            "decisions": [fact.statement for _, _, fact in facts if fact.kind == "decision"],
            "emotions": [row.emotion] if row and row.emotion not in ("", "neutral") else [],
            "user_state": (row and row.user_state) or "neutral",
            "signals": dict.fromkeys(
                ("emotion", "self_relevance", "commitment", "relationship", "novelty", "reliability"), 0.5
            ),
            "exchanges": [
                {"exchange": n, "keep": n in telling, "reason": "personal" if n in telling else "trivial"}
                for n in numbers
            ],
            "facts": [
                a_fact(quote, fact.statement, message=number, kind=fact.kind, confidence=_SURE)
                for number, quote, fact in facts
            ],
        }

    def _judge(self, question: str) -> Mapping[str, Any]:
        sides = [_unquoted(match[1]) for match in _SIDE.finditer(question)]
        labels = [self.verdict_of(*pair) for pair in zip(sides[::2], sides[1::2], strict=True)]
        return {
            "pairs": [
                {
                    "pair": number,
                    "verdict": _VERDICTS[label],
                    "keep": "later",
                    "same_subject": label != "unrelated",
                    "sure": _SURE,
                }
                for number, label in enumerate(labels, start=1)
            ]
        }


def ideal_analyst(model: IdealModel, local: Analyst, clock: Clock, loop: PrivateLoop) -> ModelAnalyst:
    """Return the analyst that asks an ideal model."""
    return ModelAnalyst(FunctionModel(model), Caller("ideal", clock, loop), local)


def _messages(question: str) -> Iterator[tuple[int, int, str]]:
    """Yield number, exchange and words of each message that a prompt shows."""
    heads = list(_MESSAGE.finditer(question))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        block = question[head.start() : after.start() if after else len(question)]
        yield int(head[1]), int(head[2]), _bare(_unquoted(block))


def _unquoted(block: str) -> str:
    return "\n".join(line[2:] for line in block.splitlines() if line.startswith("| "))


def _bare(text: str) -> str:
    return " ".join(text.split())
