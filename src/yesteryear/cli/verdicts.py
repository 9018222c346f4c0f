"""What the gate decided, exchange by exchange, as people and machines read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.table import Table

from yesteryear.cli.output import cell, shorten, table
from yesteryear.core.message import Message, Outcome, Reason, Role, Verdict
from yesteryear.core.time import local

if TYPE_CHECKING:
    from yesteryear.core.scope import ConversationKey

_STYLES = {Outcome.KEEP: "green", Outcome.SKIP: "yellow"}
ERASED = "[text erased]"


@dataclass(slots=True)
class JudgedExchange:
    """What somebody said and the replies to it, with the verdict on all of it."""

    verdict: Verdict
    messages: list[Message] = field(default_factory=list)

    @property
    def said(self) -> list[Message]:
        """What the verdict speaks of: the words in the role of a user; the replies where there are none."""
        return [message for message in self.messages if message.role is Role.USER] or self.messages

    @property
    def text(self) -> str:
        """What was said, a paragraph each message."""
        return "\n\n".join(message.content for message in self.said if message.content) or ERASED

    @property
    def at(self) -> datetime:
        """When it began, as the person's clock showed it."""
        return local(self.messages[0].at, self.messages[0].zone)

    @property
    def reason(self) -> str:
        """Why; of a request only that it was guessed, where no rule saw one."""
        verdict = self.verdict
        is_guess = verdict.rule is None and verdict.reason in (Reason.EXPLICIT_REQUEST, Reason.FORGET_REQUEST)
        return f"{verdict.reason} (a guess)" if is_guess else verdict.reason.value

    @property
    def ground(self) -> str:
        """What decided: a rule's name, or the score against the threshold."""
        verdict = self.verdict
        if verdict.rule:
            return verdict.rule
        return f"{verdict.score:.2f} {'≥' if verdict.score >= verdict.threshold else '<'} {verdict.threshold:.2f}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict with the messages it holds for."""
        return {
            "conversation": self.messages[0].conversation,
            "messages": [message.name for message in self.messages],
            "at": self.messages[0].at.isoformat(),
            "author": self.said[0].author,
            "text": self.text,
            **self.verdict.to_dict(),
        }


def group_judged(messages: Iterable[Message]) -> tuple[list[JudgedExchange], int]:
    """Group messages, given in order of their ids, into the exchanges that were judged together.

    The features stand with the first message of an exchange, so they mark where one begins.

    Returns:
        The exchanges, and how many messages were not judged yet.
    """
    exchanges: list[JudgedExchange] = []
    latest: dict[ConversationKey, JudgedExchange] = {}
    waiting = 0
    for message in messages:
        if message.verdict is None:
            waiting += 1
            continue
        if message.verdict.features or message.key not in latest:
            latest[message.key] = JudgedExchange(message.verdict)
            exchanges.append(latest[message.key])
        latest[message.key].messages.append(message)
    return exchanges, waiting


def count_reasons(exchanges: Iterable[JudgedExchange]) -> dict[str, dict[str, int]]:
    """Return how many exchanges were kept and skipped for each reason, the most frequent first."""
    counts: dict[str, Counter[str]] = {Outcome.KEEP.value: Counter(), Outcome.SKIP.value: Counter()}
    for exchange in exchanges:
        counts.setdefault(exchange.verdict.outcome.value, Counter())[exchange.verdict.reason.value] += 1
    return {outcome: dict(reasons.most_common()) for outcome, reasons in counts.items()}


def say_reasons(counts: dict[str, dict[str, int]]) -> list[str]:
    """Say the counts, a line each outcome: ``keep 41: personal 20, decision 12, ...``."""
    lines = []
    for outcome, reasons in counts.items():
        named = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
        lines.append(f"{outcome} {sum(reasons.values())}" + (f": {named}" if named else ""))
    return lines


def verdict_table(exchanges: Iterable[JudgedExchange], *, text_chars: int | None = None) -> Table:
    """Return a table: outcome, reason, what decided, and the text.

    Args:
        exchanges: A line each.
        text_chars: Longest text, wrapped onto further lines; by default one line, as far as it goes.
    """
    made = table("", "reason", "decided by", "day", "text", rest="text", is_wrapped=text_chars is not None)
    for exchange in exchanges:
        verdict = exchange.verdict
        made.add_row(
            cell(verdict.outcome, _STYLES.get(verdict.outcome, "")),
            cell(exchange.reason),
            cell(exchange.ground, "dim"),
            cell(f"{exchange.at:%d %b}", "dim"),
            cell(exchange.text if text_chars is None else shorten(exchange.text, chars=text_chars)),
        )
    return made


def pick_telling(exchanges: Sequence[JudgedExchange], *, per_reason: int, chars: int) -> list[JudgedExchange]:
    """Return the exchanges of every reason that show best what it means.

    First those that can be read whole in so many characters, then those of a rule, then those farthest from the
    threshold.
    """

    def tells(exchange: JudgedExchange) -> tuple[bool, float]:
        verdict = exchange.verdict
        return len(exchange.text) <= chars, 1.0 if verdict.rule else abs(verdict.score - verdict.threshold)

    picked: list[JudgedExchange] = []
    for reason in Reason:
        found = [exchange for exchange in exchanges if exchange.verdict.reason is reason]
        picked += sorted(found, key=tells, reverse=True)[:per_reason]
    return picked
