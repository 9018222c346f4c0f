"""What is believed: facts, questions about them, and the person's word on either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import time, timedelta
from functools import partial
from typing import Annotated, Any

from rich.table import Table
from rich.text import Text
from typer import Argument

import yesteryear
from yesteryear.cli.invocation import SCOPE, Invocation, command, iso_day, read_zone
from yesteryear.cli.output import Output, cell, count, one_line, table
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.core.access.arguments import MAX_PAGE
from yesteryear.core.time import later
from yesteryear.results import ConflictView, FactsDiff, PersonView, Proposal

_GONE = "(a fact that is gone)"


@command_of(yesteryear.Memory.facts)
def facts(call: Invocation, verb: AskedVerb[list[yesteryear.FactView]]) -> None:
    """List what is believed, the surest first.

    Each with what it tells of whom, its kind and how it stands, how sure we are (from 0 to 1; without news it sinks),
    since when it holds, how often it was told, and its id, for `yesteryear why`, `confirm`, `refute`, `correct` and
    `resolve`.

    With --known-at what was believed then, right or wrong. With --json a fact a line.

    Example:
      yesteryear facts --user ana --kind goal --open
      yesteryear facts --user ana --attribute diet --holder Priya
      yesteryear facts --user ana --as-of 2026-03-01
    """
    found = _list_facts(call, verb, none="no such facts")
    if len(found) == (limit := verb.given["limit"]):
        call.output.hint(f"there may be more than these {limit:,}: --limit shows them", style="dim")


@command_of(yesteryear.Memory.open_loops)
def open_loops(call: Invocation, verb: AskedVerb[list[yesteryear.FactView]]) -> None:
    """List what is open: goals, plans, appointments and blockers, what is due first first.

    `yesteryear resolve` notes that one is done, with --outcome dropped that it was given up. With --json a fact a line.

    Example:
      yesteryear open-loops --user ana --until 2026-05-31
    """
    end = verb.given["until"]
    end = later(end, timedelta(days=1)) if end is not None and end.time() == time.min else end
    _list_facts(call, verb, none="nothing is open", until=end)


@command_of(yesteryear.Memory.extract)
def extract(call: Invocation, verb: AskedVerb[list[yesteryear.FactView]]) -> None:
    """Draw facts from an episode by hand.

    As is done by itself when an episode is written; for episodes that were written before there were facts, or while
    that was switched off. What is known already is not told twice by it. With --json a fact a line.

    Example:
      yesteryear extract m-17 --user ana
    """
    _list_facts(call, verb, none="it states no facts")


def _list_facts(
    call: Invocation, verb: AskedVerb[list[yesteryear.FactView]], *, none: str, **more: object
) -> list[yesteryear.FactView]:
    found, zone = verb.with_zone(**more)
    call.output.listed(found, partial(fact_table, zone=zone), none=none)
    return found


@command_of(yesteryear.Memory.conflicts)
def conflicts(call: Invocation, verb: AskedVerb[list[ConflictView]]) -> None:
    """List facts that cannot both hold, newest first.

    Nobody but the person knows which one does. Contexts offer the agent one short question at a time; what is said next
    about it settles it, and so do `yesteryear confirm`, `refute`, `correct` and `both-hold`. With --json a pair a line.

    Example:
      yesteryear conflicts --user ana --resolved
    """
    found, zone = verb.with_zone()

    def show(conflict: ConflictView) -> None:
        if conflict is not found[0]:
            call.output.say()
        _show_conflict(conflict, call.output, zone=zone)

    call.output.each(found, show, none="nothing is in conflict")


@command_of(yesteryear.Memory.confirm)
def confirm(call: Invocation, verb: AskedVerb[yesteryear.FactView | Proposal]) -> None:
    """Note that the person said yes to a fact, or to a proposal to forget.

    A fact counts as told once more, and the questions in which it takes part are settled. What a proposal is about is
    hidden at once and erased after some days; until then `yesteryear restore` brings it back. `yesteryear proposals`
    lists them.

    Example:
      yesteryear confirm 01a201db-788a-7000-b165-d0cdeca606e4 --user ana
    """
    _settle(call, verb, "Confirmed: ")


@command_of(yesteryear.Memory.refute)
def refute(call: Invocation, verb: AskedVerb[yesteryear.FactView | Proposal]) -> None:
    """Note that the person said no to a fact, or to a proposal to forget, which is withdrawn.

    The fact is not believed any more, and what rested on it needs review. It is kept, so that `yesteryear why` can say
    what happened; `yesteryear restore` takes it back, `yesteryear forget` leaves nothing of it.

    Example:
      yesteryear refute 01a201db-788a-7000-b165-d0cdeca606e4 --user ana
    """
    _settle(call, verb, "Refuted: ")


@command(*SCOPE)
def both_hold(
    call: Invocation,
    fact_id: Annotated[str, Argument(metavar="ID", help="Of a fact.")],
    other_id: Annotated[str, Argument(metavar="ID", help="Of a fact.")],
) -> None:
    """Note that two facts in conflict both hold.

    The question between them is settled, neither gives way, and it is not asked again. `yesteryear conflicts` lists the
    two ids of each.

    Example:
      yesteryear both-hold 01a201db-788a-7000-b165-d0cdeca606e4 01a201db-788a-7000-b165-d0cdeca606e5 --user ana
    """
    with call.memory() as memory:
        conflict = memory.both_hold("|".join(sorted((fact_id, other_id))))
        call.output.document(conflict)
        _show_conflict(conflict, call.output, zone=read_zone(memory))


@command_of(yesteryear.Memory.people)
def people(call: Invocation, verb: AskedVerb[list[PersonView]]) -> None:
    """List the people and pets that are known, those of whom most holds first.

    Each with what they are to whom, how they were called and how many facts about them hold; `yesteryear facts --holder
    NAME` lists these. Two of one name are told apart by their tie or surname. Where names were not understood,
    `yesteryear same` and `not-same` say so. With --json one a line.

    Example:
      yesteryear people --user ana
    """
    call.output.listed(verb(), _people_table, none="nobody is known")


@command_of(yesteryear.Memory.same)
def same(call: Invocation, verb: AskedVerb[list[PersonView]]) -> None:
    """Note that two names mean one person.

    Or a name and a tie, or a pet. What is told of either is told of both, and is compared anew by the worker;
    `yesteryear not-same` takes it back. With --json one a line.

    Example:
      yesteryear same "my partner" Priya --user ana
    """
    call.output.listed(verb(), _people_table, none="nobody is known")


@command_of(yesteryear.Memory.not_same)
def not_same(call: Invocation, verb: AskedVerb[list[PersonView]]) -> None:
    """Note that two names mean two.

    Or a name and a tie, whatever was told; `yesteryear same` takes it back. With --json one a line.

    Example:
      yesteryear not-same "my sister" "boss Anna" --user ana
    """
    call.output.listed(verb(), _people_table, none="nobody is known")


def _people_table(found: Iterable[PersonView]) -> Table:
    rows = ((one.name, ", ".join(one.ties), ", ".join(one.called), one.facts, one.subject) for one in found)
    return table(("name", "tie", "called", "facts", "whose"), rows)


@command_of(yesteryear.Memory.correct)
def correct(call: Invocation, verb: AskedVerb[yesteryear.FactView]) -> None:
    """Put another statement in the place of a fact.

    With --since contexts say that the other held until then, where they are asked about the past.

    Example:
      yesteryear correct 01a201db-788a-7000-b165-d0cdeca606e4 "Ana lives in Lisbon" --since 2026-05-01 --user ana
    """
    _settle(call, verb, "Now believed: ")


@command_of(yesteryear.Memory.resolve)
def resolve(call: Invocation, verb: AskedVerb[yesteryear.FactView]) -> None:
    """Note that something that gets done is: a goal is reached, a blocker gone, a decision reversed; or was dropped.

    Contexts do not show it as open any more; `yesteryear restore` takes that back.

    Example:
      yesteryear resolve 01a201db-788a-7000-b165-d0cdeca606e4 --at 2026-05-01 --user ana
    """
    _settle(call, verb, "Resolved: ")


def _settle(call: Invocation, verb: AskedVerb[Any], heading: str) -> None:
    found, zone = verb.with_zone()
    call.output.document(found)
    if not isinstance(found, Proposal):
        show_fact(found, call.output, zone=zone, heading="Dropped: " if found.loop == "dropped" else heading)
    elif found.state == "confirmed":
        call.output.say(f"Hidden: {say_sizes(found)}; `yesteryear restore {found.id}` brings all of it back.")
    else:
        call.output.say("Withdrawn; nothing was forgotten.")


def say_sizes(proposal: Proposal) -> str:
    """Say how much a proposal to forget is about."""
    return f"{count(proposal.messages, 'message')}, {count(proposal.facts, 'fact')}"


@command_of(yesteryear.Memory.diff)
def diff(call: Invocation, verb: AskedVerb[FactsDiff]) -> None:
    """Show what changed in what is believed.

    Between two moments of our knowledge, not of the world: what became believed, what ceased to be and what took its
    place, and what became surer, less sure or otherwise.

    Example:
      yesteryear diff 2026-03-01 2026-04-01 --user ana
    """
    output = call.output
    with call.memory() as memory:
        found, zone = verb(memory), read_zone(memory)
        said = find_statements(memory, (fact.superseded_by or fact.canonical_id for fact in found.lost))
    if output.is_json:
        output.document(found)
        return
    if found.gained:
        output.say(f"Believed since: {count(len(found.gained), 'fact')}", style="bold")
        output.show(fact_table(found.gained, zone=zone))
    lost = [f"{one_line(fact.statement)} ({fact.status}){say_instead(fact, said)}" for fact in found.lost]
    output.section("Not believed any more", lost, "fact")
    changed = [f"{one_line(now.statement)} ({', '.join(_say_changes(old, now))})" for old, now in found.changed]
    output.section("Believed otherwise", changed, "fact")
    if not (found.gained or found.lost or found.changed):
        output.note("nothing changed between the two")


def say_instead(fact: yesteryear.FactView, said: Mapping[str, str]) -> str:
    """Say what took the place of a fact, or is what it was merged into, where that is in ``said``."""
    other = said.get(fact.superseded_by or fact.canonical_id or "")
    return f" → {one_line(other)}" if other else ""


def _say_changes(before: yesteryear.FactView, after: yesteryear.FactView) -> Iterator[str]:
    if before.status != after.status:
        yield f"{before.status} → {after.status}"
    if f"{before.confidence:.2f}" != f"{after.confidence:.2f}":
        yield f"sure {before.confidence:.2f} → {after.confidence:.2f}"
    if before.told != after.told:
        yield f"told {before.told} → {after.told}"
    if before.resolved_at is None and after.resolved_at is not None:
        yield "resolved"
    if before.valid_to is None and after.valid_to is not None:
        yield f"until {after.valid_to:%Y-%m-%d}"
    if before.pinned != after.pinned:
        yield "pinned" if after.pinned else "not pinned any more"


def fact_table(found: Iterable[yesteryear.FactView], *, zone: str | None) -> Table:
    """Return a table of facts, two lines or more each: with ids in full, and yet no wider than eighty columns."""
    rows = []
    for fact in found:
        end, due = fact.valid_to or fact.resolved_at, fact.due_by if fact.loop == "open" else None
        until = f"due {iso_day(due, zone)}" if due else f"to {iso_day(end, zone)}" if end else ""
        rows.append(
            (
                _stacked(fact.statement, say_attribute(fact.attribute, fact.holder), fact.id),
                _stacked(fact.kind, fact.status if fact.loop in (None, "open") else fact.loop),
                _stacked(f"{fact.confidence:.2f}", "pin" if fact.pinned else ""),
                _stacked(iso_day(fact.valid_from or fact.first_observed, zone), until),
                fact.told,
            )
        )
    return table(("statement", "kind", "sure", "since", "told"), rows, rest="statement", is_wrapped=True)


def _stacked(above: str, *below: str) -> Text:
    made = cell(above)
    for line in filter(None, below):
        made.append(f"\n{one_line(line)}", "dim")
    return made


def say_attribute(attribute: str, holder: str) -> str:
    """Say what a fact tells of whom: "diet", "diet of Priya"; nothing where neither is known."""
    return " ".join(filter(None, (attribute, f"of {one_line(holder)}" if holder else "")))


def show_fact(fact: yesteryear.FactView, output: Output, *, zone: str | None, heading: str = "") -> None:
    """Print a fact: what became of it, what it says, how it stands, its id."""
    output.wrap(f"{heading}{one_line(fact.statement)}", style="bold", indent=0, hanging=2)
    output.wrap(", ".join(_say_state(fact, zone)), style="dim")
    output.say(f"  {fact.id}", style="dim")


def _say_state(fact: yesteryear.FactView, zone: str | None) -> Iterator[str]:
    yield str(fact.kind)
    if told := say_attribute(fact.attribute, fact.holder):
        yield told
    yield str(fact.status)
    if fact.pinned:
        yield "pinned"
    yield f"sure {fact.confidence:.2f}"
    yield f"since {iso_day(fact.valid_from or fact.first_observed, zone)}"
    if fact.valid_to is not None:
        yield f"until {iso_day(fact.valid_to, zone)}"
    if fact.resolved_at is not None:
        yield f"{'dropped' if fact.loop == 'dropped' else 'resolved'} {iso_day(fact.resolved_at, zone)}"
    if fact.told:
        often = {1: "once", 2: "twice"}.get(fact.told, f"{fact.told:,} times")
        yield f"told {often}" + (f" at {count(fact.sessions, 'sitting')}" if fact.sessions else "")
    if fact.review:
        yield f"to be reviewed: {fact.review}"
    if fact.project is not None:
        yield f"project {one_line(fact.project)}"


def _show_conflict(conflict: ConflictView, output: Output, *, zone: str | None) -> None:
    state = str(conflict.state)
    if conflict.settled_at is not None:
        state = f"settled on {iso_day(conflict.settled_at, zone)}: {conflict.settled_by}"
    output.say(f"{conflict.verdict}, {state}, asked since {iso_day(conflict.opened_at, zone)}", style="bold")
    for fact in (conflict.earlier, conflict.later):
        said = iso_day(fact.last_confirmed or fact.first_observed, zone)
        output.wrap(f"{said}  {one_line(fact.statement)}", hanging=len(said) + 2)
        output.say(f"  {' ' * len(said)}  {fact.id}", style="dim")


def find_statements(memory: yesteryear.Memory, fact_ids: Iterable[str | None]) -> dict[str, str]:
    """Return what facts say by their ids; those that are gone, forgotten since or another project's, say that too."""
    said = {fact_id: _GONE for fact_id in fact_ids if fact_id is not None}
    ids = list(said)
    for start in range(0, len(ids), MAX_PAGE):
        page = memory.facts(ids=ids[start : start + MAX_PAGE], status="all", limit=MAX_PAGE)
        said |= {fact.id: fact.statement for fact in page if fact.statement}
    return said
