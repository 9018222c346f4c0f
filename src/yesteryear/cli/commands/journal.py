"""What was said and what became of it: messages, the gate's verdicts on them, episodes, and numbers of all."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from textwrap import indent
from typing import Annotated, Any, TypeVar

from rich.table import Table
from typer import Option

import yesteryear
from yesteryear.cli.commands.why import ERASED
from yesteryear.cli.invocation import DEFAULT_TENANT, SCOPE, Invocation, command, iso_day
from yesteryear.cli.output import Output, cell, count, shorten, table
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.core.episode import Episode
from yesteryear.core.message import Message, Outcome, Reason, Role, Verdict
from yesteryear.core.scope import ConversationKey
from yesteryear.core.time import local

_PAGE_ROWS = 500  # rows that are fetched at once; pages hold at most 1000
_STYLES = {Outcome.KEEP: "green", Outcome.SKIP: "yellow"}

R = TypeVar("R", Message, Episode)


def take_pages(fetch: Callable[..., Sequence[R]], after: str | None = None, limit: int = sys.maxsize) -> Iterator[R]:
    """Yield rows, all or so many, from behind one id; ``fetch`` returns those ``after`` an id, ``limit`` at most."""
    while limit > 0 and (page := fetch(after=after, limit=min(limit, _PAGE_ROWS))):
        yield from page
        after, limit = page[-1].id, limit - len(page)


def _list_pages(
    call: Invocation, verb: AskedVerb[list[R]], show: Callable[[R, Output], None], limit: int, *, none: str
) -> None:
    with call.memory() as memory:
        fetch = partial(verb, memory)
        rows = take_pages(fetch, verb.given["after"], limit)
        last = call.output.each(rows, lambda row: show(row, call.output), none=none)
        if last is not None and fetch(after=last.id, limit=1):
            call.output.note(f"there are more: --after {last.id}", style="dim")


@command_of(yesteryear.Memory.messages)
def messages(
    call: Invocation,
    verb: AskedVerb[list[Message]],
    *,
    limit: Annotated[int, Option(help="Most messages.", min=1)] = 100,
) -> None:
    """List what was said, oldest first.

    Each message stands with its time, its id and whether the gate kept it and why. With --json a message a line.

    Example:
      yesteryear messages --user ana --since 2026-03-01T00:00:00+00:00
    """
    _list_pages(call, verb, show_message, limit, none="no messages")


def show_message(message: Message, output: Output) -> None:
    """Print a message with its verdict."""
    said = local(message.at, message.zone)
    verdict = f"{message.verdict.outcome}: {message.verdict.reason}" if message.verdict else "not yet worked in"
    output.say(f"{said:%Y-%m-%d %H:%M}  {message.conversation}  {message.name}  ({verdict})", style="dim")
    output.say(indent(f"{message.author}: {message.content or ERASED}", "  "))


@command_of(yesteryear.Memory.episodes)
def episodes(
    call: Invocation,
    verb: AskedVerb[list[Episode]],
    *,
    limit: Annotated[int, Option(help="Most episodes.", min=1)] = 20,
    is_retry: Annotated[bool, Option("--retry", help="Put back what was given up, and stop.")] = False,
) -> None:
    """List episodes, newest first, or put back failed ones.

    Each with its day, topic, how the person stood to it, its importance, when it fades next, and its summary. Of a gist
    the words are gone; what is archived is found on request only; forgotten ones are listed with --status forgotten.

    With --json an episode a line. With --retry nothing is listed: episodes and messages whose work was given up after
    too many failures become due again.

    Example:
      yesteryear episodes --user ana --status failed
    """
    if not is_retry:
        _list_pages(call, verb, show_episode, limit, none="no episodes")
        return
    with call.memory() as memory:
        rows = memory.retry()
    call.output.document({"retried": rows}, f"{count(rows, 'row')} due again" if rows else "nothing was given up")
    if rows:
        call.output.note("`yesteryear worker --once` tries again now")


def show_episode(episode: Episode, output: Output) -> None:
    """Print an episode as a heading, its summary and what went wrong with it, if anything did."""
    digest = episode.digest
    output.say(f"{iso_day(episode.ended_at, episode.zone)}  {(digest and digest.topic) or '(no topic)'}", style="bold")
    output.say(f"  {', '.join(_say_state(episode))}", style="dim")
    output.say(f"  {episode.id}", style="dim")
    if digest and digest.summary:
        output.wrap(digest.summary)
    if episode.error:
        output.say(f"  {count(episode.attempts, 'attempt')} failed: {episode.error}", style="red")


def _say_state(episode: Episode) -> Iterator[str]:
    if episode.status != "active":
        yield episode.status
    if episode.detail != "vivid":
        yield episode.detail
    if episode.pinned:
        yield "pinned"
    if episode.digest:
        yield episode.digest.user_state
    yield f"importance {episode.importance:.2f}"
    if episode.is_held:
        yield "never fades"
    elif episode.fades_at is not None:
        yield f"fades {local(episode.fades_at, episode.zone):%Y-%m-%d}"
    yield count(len(episode.message_ids), "message")
    yield episode.conversation


@command(*SCOPE)
def gate(
    call: Invocation,
    *,
    is_kept: Annotated[bool, Option("--kept", help="Only what was kept.")] = False,
    is_skipped: Annotated[bool, Option("--skipped", help="Only what was skipped.")] = False,
    conversation: Annotated[str | None, Option(help="Only from this conversation.")] = None,
    limit: Annotated[int | None, Option(help="Show this many of the latest; all where not given.", min=0)] = None,
    shows_features: Annotated[bool, Option("--features", help="Show what each score is made of.")] = False,
) -> None:
    """Show what the gate kept and what it skipped, and why.

    A line is an exchange: what somebody said, and the replies to it. A rule decided it, or its score against the
    threshold. Skipped text stays, in no episode and no fact: `yesteryear keep` makes up for it.

    Example:
      yesteryear gate --user ana --skipped --features
    """
    with call.memory() as memory:
        exchanges, waiting = read_judged(memory, conversation=conversation)
    totals = count_reasons(exchanges)
    wanted = [outcome for outcome, is_wanted in (("keep", is_kept), ("skip", is_skipped)) if is_wanted]
    shown = [exchange for exchange in exchanges if not wanted or exchange.verdict.outcome in wanted]
    shown = shown if limit is None else shown[max(0, len(shown) - limit) :]
    call.output.document({"totals": totals, "waiting": waiting, "exchanges": [one.to_dict() for one in shown]})
    if not shows_features:
        call.output.show(verdict_table(shown))
    for exchange in shown if shows_features else ():
        verdict = exchange.verdict
        features = [f"{name} {value:.2f}" for name, value in verdict.features.items() if value]
        call.output.say(f"{verdict.outcome}  {exchange.reason}  {exchange.ground}", style="bold")
        call.output.say(f"  {', '.join(features) or 'no feature speaks'}", style="dim")
        for line in exchange.text.splitlines():
            call.output.say(f"  {line}")
    call.output.say()
    for line in say_reasons(totals):
        call.output.say(line)
    if waiting:
        call.output.say(f"{count(waiting, 'message')} not judged yet: `yesteryear worker --once` does it")


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


def read_judged(memory: yesteryear.Memory, *, conversation: str | None = None) -> tuple[list[JudgedExchange], int]:
    """Return the exchanges that were judged together, in order, and how many messages were not judged yet."""
    exchanges: list[JudgedExchange] = []
    latest: dict[ConversationKey, JudgedExchange] = {}
    waiting = 0
    for message in take_pages(partial(memory.messages, conversation=conversation)):
        if message.verdict is None:
            waiting += 1
            continue
        if message.verdict.features or message.key not in latest:  # features stand with the first of an exchange
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


def say_reasons(counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Say the counts, a line each outcome: ``keep 41: personal 20, decision 12, ...``."""
    for outcome, reasons in counts.items():
        named = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
        yield f"{outcome} {sum(reasons.values())}" + (f": {named}" if named else "")


def verdict_table(exchanges: Iterable[JudgedExchange], *, text_chars: int | None = None) -> Table:
    """Return a table: outcome, reason, what decided, and the text, on one line or wrapped and of at most so many."""
    rows = []
    for exchange in exchanges:
        outcome = cell(exchange.verdict.outcome, _STYLES.get(exchange.verdict.outcome, ""))
        day = cell(f"{local(exchange.messages[0].at, exchange.messages[0].zone):%d %b}", "dim")
        text = exchange.text if text_chars is None else shorten(exchange.text, chars=text_chars)
        rows.append((outcome, exchange.reason, cell(exchange.ground, "dim"), day, text))
    headings = ("", "reason", "decided by", "day", "text")
    return table(headings, rows, rest="text", is_wrapped=text_chars is not None)


@command(*SCOPE)
def stats(call: Invocation) -> None:
    """Count what the store holds.

    Of the person named, or of everybody.

    Example:
      yesteryear stats --store memory.db --json
    """
    with call.open() as engine:
        store = engine.describe()
        if call.user is not None:
            memories = [call.memory_in(engine)]
        else:
            memories = [
                engine.memory(user=owner.user, tenant=owner.tenant, project=call.project, agent=call.agent)
                for owner in filter(call.means, engine.owners())
            ]
        people = [{"tenant": one.scope.tenant, "user": one.scope.user, **one.stats()} for one in memories]
    call.output.document({"store": store, "people": people})
    _show_numbers(store, call.output)
    for person in people:
        user, tenant = person.pop("user"), person.pop("tenant")
        call.output.heading(user if tenant == DEFAULT_TENANT else f"{tenant} / {user}")
        _show_numbers(person, call.output)


def _show_numbers(values: Mapping[str, Any], output: Output) -> None:
    rows = [(cell(name, "dim"), f"{value:,}" if isinstance(value, int) else value) for name, value in _flat(values)]
    output.show(table(("", " "), rows, rest=" ", is_wrapped=True))


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, bool):
            yield prefix + name, "yes" if value else "no"
        elif value not in (None, [], ""):
            yield prefix + name, value
