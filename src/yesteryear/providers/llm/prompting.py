"""What a model is shown: the prompts of ``prompts/``, filled in so that what was said cannot pass for an order.

What people said stands between two lines that open with a word nobody can guess, and each of its lines opens with a
mark. So no text can end the passage, or look like the head of another message.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from yesteryear.core.attributes import attributes
from yesteryear.core.episode import EpisodeWords, Talk
from yesteryear.core.language.invisible_text import seen
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.message import Message, Outcome, Role, Source
from yesteryear.core.ruling import Claim, ClaimPair
from yesteryear.core.time import local

DIGEST = "digest-4"
DISTIL = "distil-2"
JUDGE = "judge-2"
"""The prompts in use. One that was released is never changed: a new one gets a new number, and a fact says which it is
of."""
MARK = "| "  # before each line that somebody said
BROUGHT_MARK = "|> "  # before each line that they quoted, pasted or brought along
KNOWN_MARK = "~ "  # before each line of what was known before
_LAST_PART = "===\n"
_CUT = " […]"


@dataclass(frozen=True, slots=True)
class AskPolicy:
    """How much a model is asked, and may answer."""

    message_chars: int = 6_000
    """Most characters of one message that are shown, from its beginning: who writes more has pasted it."""
    talk_chars: int = 60_000
    """Most characters of a talk that are shown, about 15,000 tokens; long talk shows less of each message."""
    digest_tokens: int = 4_000  # most tokens of a digest; one of 15 messages takes about 1,000
    distil_tokens: int = 2_000
    """Most tokens of what holds over several episodes; a pattern with three quotes takes about 150."""
    pairs_a_call: int = 32  # most pairs of statements judged by one call, from 1
    idle: float = 0.8
    """That two statements have nothing to do with each other, as a reader tells it, in [0, 1], from which a model is
    not asked. Source: of the pairs of five lives two fifths, of 130 plain changes one in seventeen."""
    tokens_a_pair: int = 60  # most tokens of the answer to one pair; it takes about 30
    temperature: float = 0.0  # how freely a model may word an answer, from 0; models that reason do not take it
    act_from: float = 0.7
    """How sure a model must be, in [0, 1], for its verdict on a pair to be acted on. Models say 0.8 and more of nearly
    everything; what they are less sure of is a guess."""


class Prompt(NamedTuple):
    """What is sent: the orders, and what they are to be applied to."""

    instructions: str
    question: str
    max_tokens: int


def new_fence() -> str:
    """Return a word that nobody can guess."""
    return f"fence-{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class Prompter:
    """Fills in prompts."""

    policy: AskPolicy = field(default_factory=AskPolicy)
    fence: Callable[[], str] = new_fence

    def digest(self, talk: Talk) -> Prompt:
        """Return the prompt for a stretch of talk; its messages and exchanges are numbered from 1."""
        messages = list(numbered(talk))
        most = min(self.policy.message_chars, self.policy.talk_chars // max(1, len(messages)))
        brought = frozenset().union(*(exchange.brought for exchange in talk.exchanges))
        shown = [
            _show_message(n, f"exchange {exchange}", message, most, is_brought=message.id in brought)
            for n, exchange, message in messages
        ]
        asked = [str(n) for n, verdict in enumerate(talk.verdicts, start=1) if verdict.outcome is Outcome.UNSURE]
        people = dict.fromkeys(_one_line(message.author) for exchange in talk.exchanges for message in exchange.asked)
        return _fill(
            DIGEST,
            self.policy.digest_tokens,
            fence=self.fence(),
            attributes="\n".join(f"- {name}: {known.says[0]}" for name, known in attributes().items()),
            people=", ".join(people) or "none",
            asked=", ".join(asked) or "none",
            known="\n".join(KNOWN_MARK + _one_line(line) for line in talk.known or ("nothing",)),
            talk="\n\n".join(shown),
        )

    def distil(self, episodes: Sequence[EpisodeWords]) -> Prompt:
        """Return the prompt for what people wrote in several episodes; messages and episodes are numbered from 1."""
        told = [(place, message) for place, one in enumerate(episodes, start=1) for message in one.messages]
        most = min(self.policy.message_chars, self.policy.talk_chars // max(1, len(told)))
        shown = [
            _show_message(n, f"episode {place}", message, most, is_brought=message.source is Source.BROUGHT)
            for n, (place, message) in enumerate(told, start=1)
        ]
        people = ", ".join(dict.fromkeys(_one_line(message.author) for _, message in told))
        most_tokens, episodes_shown = self.policy.distil_tokens, "\n\n".join(shown)
        return _fill(DISTIL, most_tokens, fence=self.fence(), people=people, episodes=episodes_shown)

    def judge(self, pairs: Sequence[ClaimPair]) -> Prompt:
        """Return the prompt for pairs of statements, which are numbered from 1."""
        shown = [
            f"pair {number}\n{_show_claim('earlier', pair.earlier)}\n{_show_claim('later', pair.later)}"
            for number, pair in enumerate(pairs, start=1)
        ]
        most = self.policy.tokens_a_pair * (len(pairs) + 1)
        return _fill(JUDGE, most, fence=self.fence(), pairs="\n\n".join(shown))


def numbered(talk: Talk) -> Iterator[tuple[int, int, Message]]:
    """Yield the messages of a talk with their number and that of their exchange, both from 1."""
    number = 0
    for position, exchange in enumerate(talk.exchanges, start=1):
        for message in exchange.messages:
            number += 1
            yield number, position, message


def _fill(name: str, max_tokens: int, **values: str) -> Prompt:
    parts = read_prompt(name).partition(_LAST_PART)[::2]
    instructions, question = (re.sub(r"\{(\w+)\}", lambda name: values[name[1]], part).strip() for part in parts)
    return Prompt(instructions, question, max_tokens)


@cache
def read_prompt(name: str) -> str:
    """Return a prompt as it is shipped."""
    return (files("yesteryear.providers.llm") / "prompts" / f"{name}.md").read_text(encoding="utf-8")


def _show_message(number: int, place: str, message: Message, most: int, *, is_brought: bool) -> str:
    head = f"message {number} · {place} · {message.role.value} · {_one_line(message.author)}"
    spans = [(0, len(message.content))] if is_brought else []
    if message.role is Role.USER and not is_brought:
        spans = quoted_spans(message.content)
    when = local(message.at, message.zone).strftime("%A %d %B %Y, %H:%M")
    return f"{head} · {when}\n{_quoted(message.content, most, spans)}"


def _show_claim(name: str, claim: Claim) -> str:
    about = f", about {_one_line(claim.subject)}" if claim.subject else ""
    return f"{name}, said {claim.at.date().isoformat()}{about}\n{_quoted(claim.text, len(claim.text))}"


def _quoted(text: str, most: int, spans: Sequence[tuple[int, int]] = ()) -> str:
    """Return a text with a mark before each line; another before lines of which most lies within ``spans``."""
    shown = text if len(text) <= most else text[:most] + _CUT
    lines, begin = [], 0
    for line in shown.splitlines(keepends=True):
        end = begin + len(line)
        covered = sum(max(0, min(end, stop) - max(begin, start)) for start, stop in spans)
        lines.append((BROUGHT_MARK if 2 * covered > len(line) else MARK) + seen(line.splitlines()[0]))
        begin = end
    return "\n".join(lines) or MARK.rstrip()


def _one_line(name: str) -> str:
    return " ".join(seen(name).split())
