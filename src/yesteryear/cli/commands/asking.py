"""To ask a memory: recall, a context for a model, a chat; how a question was read, what each score is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from textwrap import indent
from typing import Annotated, Literal

from typer import Option

import yesteryear
from yesteryear.cli.invocation import SCOPE, Invocation, command, iso_day
from yesteryear.cli.output import MARGIN, Output, count, largest, one_line, shorten, table
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.core.language.dates import Period
from yesteryear.core.time import FIRST, FOREVER, local
from yesteryear.core.wallclock import Grain
from yesteryear.errors import MissingExtra
from yesteryear.recall.render import Layout
from yesteryear.recall.retrieve import MAX_QUESTION_CHARS, Recalled
from yesteryear.results import ContextItem, Dropped, Reading

_QUESTION_CHARS = 300  # longest question that is shown whole
_DISPLACED_CHARS = 100  # longest text of a displaced memory that is shown whole
_DAY, _HOUR = "%Y-%m-%d", "%Y-%m-%d %H:%M"


_SPEAKER = Annotated[
    Literal["user", "assistant", "anybody"],
    Option(help="Whose words come first where a person talks with an assistant."),
]


@command_of(yesteryear.Memory.recall)
def recall(
    call: Invocation,
    verb: AskedVerb[Recalled],
    *,
    speaker: _SPEAKER = "user",
    is_explained: Annotated[bool, Option("--explain", help="Show how it was read, and why each is a hit.")] = False,
) -> None:
    """Find memories that bear on a question, best first.

    Each hit stands with its score and the signals it is made of; scores compare within one recall only. With --explain:
    what was read from the question, and for each hit what every signal adds or takes, and the messages behind it. With
    --json all of that is there anyway.

    Example:
      yesteryear recall "when do I run?" --user ana --limit 5 --explain
    """
    found = verb(speaker=None if speaker == "anybody" else speaker)
    if call.output.is_json:
        call.output.document(found)
        return
    if is_explained:
        _show_reading(found.reading, verb.given["question"], call.output)
    scale = largest(hit.signals for hit in found.hits)
    show = partial(_explain_hit, scale=scale) if is_explained else _show_hit
    for number, hit in enumerate(found.hits, start=1):
        show(number, hit, call.output)
    if not found.hits:
        hint = "" if verb.given["archived"] else "; --archived looks into what has left recall, too"
        call.output.note(f"nothing that is remembered bears on this{hint}")
    call.output.notes(found.notes)


def _show_hit(number: int, hit: yesteryear.Hit, output: Output) -> None:
    signals = ", ".join(f"{name} {value:.2f}" for name, value in hit.signals.items())
    source = "  ".join(filter(None, [hit.grain, hit.conversation]))
    output.say(f"{number}. {hit.score:.2f}  {iso_day(hit.at, hit.zone)}  {source}  ({signals})", style="dim")
    output.say(indent(hit.text if hit.grain == "fact" or not hit.author else f"{hit.author}: {hit.text}", "   "))


def _explain_hit(number: int, hit: yesteryear.Hit, output: Output, *, scale: float) -> None:
    source = hit.grain if hit.grain == "fact" or not hit.author else hit.author
    earlier = "another fact took its place" if hit.grain == "fact" else "another hit states it anew"
    about = f"{number}. score {hit.score:.2f}  {source}, {iso_day(hit.at, hit.zone)}"
    _show_scored(hit, about, output, scale=scale, earlier=earlier)
    place = f" in {hit.conversation}" if hit.conversation else ""
    output.fields(("messages", f"{', '.join(hit.messages)}{place}", "dim"))


def _show_scored(
    found: yesteryear.Hit | ContextItem, about: str, output: Output, *, scale: float, earlier: str
) -> None:
    output.say()
    output.wrap(about, style="bold", indent=0, hanging=MARGIN)
    output.wrap(found.text, indent=MARGIN)
    if found.is_earlier:
        output.wrap(f"an earlier value: {earlier}", indent=MARGIN, style="yellow")
    output.signals(found.signals, scale=scale)


@command_of(yesteryear.Memory.context)
def context(
    call: Invocation,
    verb: AskedVerb[yesteryear.Context],
    *,
    speaker: _SPEAKER = "user",
    layout: Annotated[Layout, Option(help="How the context is written.")] = Layout.TEXT,
    is_explained: Annotated[bool, Option("--explain", help="Show why each memory is in it, or was left out.")] = False,
) -> None:
    """Print what to put before a model for its next reply.

    The context goes to stdout and never costs more tokens than its budget; how many it costs, how many memories it
    holds and how many were left out goes to stderr. With --json: all of it, with the messages behind each memory.

    With --explain its memories are shown one by one instead, in the order in which they were given room: lane, tokens,
    score and signals, and the best memory that would have had room in its place; then what was left out and why, and
    how the budget was spent.

    Example:
      yesteryear context "Plan my day" --user ana --budget 500 --explain
    """
    found = verb(speaker=None if speaker == "anybody" else speaker, layout=layout)
    if call.output.is_json:
        displaced = {str(number): found.dropped.index(left) for number, left in found.displaced().items()}
        explained = {"displaced": displaced, "spent": found.spent}
        call.output.document(found.to_dict() | (explained if is_explained else {}))
        return
    if is_explained:
        _explain(found, verb.given["message"], call.output)
    else:
        _show_context(found, call.output)
    if not found.text and not found.dropped:
        call.output.note("nothing that is remembered bears on this")
    memories = f"{count(len(found.items), 'memory', 'memories')}; {len(found.dropped)} more left out"
    call.output.note(f"{found.tokens} of {count(found.budget, 'token')}; {memories}", style="dim")
    call.output.notes(found.notes)


def _show_context(found: yesteryear.Context, output: Output) -> None:
    if found.text:
        output.say(found.text)
    if found.recent:
        output.heading("This session so far")
        output.say("\n".join(found.recent))


def _explain(found: yesteryear.Context, asked: str, output: Output) -> None:
    _show_reading(found.reading, asked, output)
    show_items(found, range(len(found.items)), output)
    show_dropped(found.dropped, output)
    output.heading("How the budget was spent")
    lanes = ", ".join(f"{lane} {tokens}" for lane, tokens in found.spent.items())
    output.wrap(f"{lanes}: {found.tokens} of {count(found.budget, 'token')}", indent=0)
    if found.recent:
        beside = f"{count(len(found.recent), 'message')} of this session stand beside it: "
        output.wrap(f"{beside}{count(found.recent_tokens, 'token')} of a budget of their own", indent=0)


def show_items(found: yesteryear.Context, numbers: Iterable[int], output: Output) -> None:
    """Print some items of a context by their numbers, from 0: what each is made of, and what it kept out."""
    instead = found.displaced()
    scale = largest(item.signals for item in found.items)
    for number in numbers:
        item = found.items[number]
        about = f"{number + 1}. {item.lane}  {_cost(item.tokens, item.score)}"
        _show_scored(item, about, output, scale=scale, earlier="another item states it anew")
        if item.messages:
            output.fields(("messages", ", ".join(item.messages), "dim"))
        if (left := instead.get(number)) is not None:
            said = shorten(left.text, chars=_DISPLACED_CHARS)
            output.fields(("instead of", f"{said} ({_cost(left.tokens, left.score)})", "yellow"))


def show_dropped(dropped: Sequence[Dropped], output: Output) -> None:
    """Print what was left out of a context, and why."""
    if not dropped:
        return
    output.heading("What was left out")
    rows = []
    for left in dropped:
        score, tokens = f"{left.score:.2f}" if left.score else "-", "-" if left.tokens is None else left.tokens
        rows.append((left.lane, score, tokens, left.reason, left.text))
    output.show(table(("lane", "score", "tokens", "why", "text"), rows, rest="text"))


def _cost(tokens: int | None, score: float) -> str:
    cost = count(tokens or 0, "token")
    return f"{cost}, score {score:.2f}" if score else cost


def _show_reading(reading: Reading, asked: str, output: Output) -> None:
    output.say("How it was read", style="bold")
    output.fields(("searched for", shorten(reading.text, chars=_QUESTION_CHARS) or "nothing"))
    if reading.text != asked[:MAX_QUESTION_CHARS]:
        output.fields(("", "(without the names of those who speak here)"))
    output.fields(
        ("people", ", ".join(reading.people) or "nobody is named"),
        ("days", "; ".join(_say_period(period, reading.zone) for period in reading.periods) or "none named"),
        ("preferred", f"the {reading.speaker}'s words" if reading.speaker else "nobody's words"),
    )


def _say_period(period: Period, zone: str | None) -> str:
    """Say which days were meant: ``last week = 2026-03-02 to 2026-03-08``."""
    start, end = local(period.start, zone), local(period.end, zone)
    if period.start <= FIRST:
        days = f"before {end:{_DAY}}"
    elif period.end >= FOREVER:
        days = f"since {start:{_DAY}}"
    elif period.grain is Grain.HOURS:
        days = f"{start:{_HOUR}} to {end:{_HOUR}}"
    else:
        last = end - timedelta(microseconds=1)
        days = f"{start:{_DAY}}" + (f" to {last:{_DAY}}" if last.date() > start.date() else "")
    return f"{one_line(period.said)} = {days}"


@command(*SCOPE)
def chat(
    call: Invocation,
    *,
    model: Annotated[str | None, Option(help="The model; else the setting chat_model or the only one.")] = None,
    url: Annotated[
        str | None, Option(help="Base URL of a server that speaks as OpenAI's does; else the setting proxy_url.")
    ] = None,
    system: Annotated[str, Option(help="What the model is told before the talk begins.")] = "",
    conversation: Annotated[str | None, Option(help="Its name; a new one where not given.")] = None,
    is_shown: Annotated[bool, Option("--show-context", help="Show all that the model is reminded of.")] = False,
    is_offline: Annotated[bool, Option("--offline", help="Ask no model; show what one would be reminded of.")] = False,
) -> None:
    """Talk with a model that remembers, and see what it was reminded of.

    The chat takes the way of the proxy: what is remembered stands after the system text, both sides are taken down, and
    a recall that takes longer than the setting recall_deadline_ms is not waited for. A worker makes memories of it
    meanwhile. Ctrl-C stops a reply, ctrl-D ends the chat.

    What begins with a slash is for the memory: /why shows why each memory was chosen, /why ID why it is remembered,
    /memory what is believed, /forget WORDS or /forget ID forgets after asking, /quit ends.

    Without a terminal each line of stdin is said in turn. With --json a line of JSON for what was recalled, and one for
    each reply.

    Example:
      yesteryear chat --user ana --url http://127.0.0.1:8080/v1
      yesteryear chat --user ana --offline
    """
    try:
        from yesteryear.cli.chatroom import talk  # loads the proxy, which comes with an extra
    except ImportError as exc:
        raise MissingExtra("a chat needs: pip install 'yesteryear[server]'") from exc
    server, shown = None if is_offline else url or "", is_shown or is_offline
    talk(call, url=server, model=model, system=system, conversation=conversation, is_shown=shown)
