"""Facts as people read them: a table of them, one alone, two that do not go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from yesteryear.cli.output import Output, count, one_line, table
from yesteryear.core.time import local
from yesteryear.errors import NotFound

if TYPE_CHECKING:
    from yesteryear.consolidate.look import ConflictView, FactView
    from yesteryear.sync.memory import Memory

GONE = "(a fact that is gone)"


def fact_table(facts: Iterable[FactView], *, zone: str | None) -> Table:
    """Return a table of facts, two lines or more each: with ids in full, and yet no wider than eighty columns.

    Below the statement stands the id; below the kind how it stands; below the number that says how sure we are whether
    it is pinned; below the day from which it holds the one on which that ended.

    Args:
        facts: In the order in which they are shown.
        zone: The person's.
    """
    made = table("statement", "kind", "sure", "since", "told", rest="statement", is_wrapped=True)
    for fact in facts:
        end = fact.valid_to or fact.resolved_at
        made.add_row(
            _stacked(fact.statement, fact.id),
            _stacked(fact.kind, "resolved" if fact.resolved_at else fact.status),
            _stacked(f"{fact.confidence:.2f}", "pin" if fact.pinned else ""),
            _stacked(_day(fact.valid_from or fact.first_observed, zone), f"to {_day(end, zone)}" if end else ""),
            _stacked(str(fact.told), ""),
        )
    return made


def show_fact(fact: FactView, output: Output, *, zone: str | None, heading: str = "") -> None:
    """Print a fact: what it says, how it stands, its id.

    Args:
        fact: What is shown.
        output: Where.
        zone: The person's.
        heading: What became of it, said before the statement.
    """
    output.wrap(f"{heading}{one_line(fact.statement)}", style="bold", indent=0, hanging=2)
    output.wrap(", ".join(_say_state(fact, zone)), style="dim")
    output.say(f"  {fact.id}", style="dim")


def show_conflict(conflict: ConflictView, output: Output, *, zone: str | None) -> None:
    """Print two facts that do not go together: what was said first and later, and what settled it."""
    if conflict.settled_at is not None:
        state = f"settled on {_day(conflict.settled_at, zone)}: {conflict.settled_by}"
    else:
        state = str(conflict.state)
    output.say(f"{conflict.verdict}, {state}, asked since {_day(conflict.opened_at, zone)}", style="bold")
    for fact in (conflict.earlier, conflict.later):
        said = _day(fact.last_confirmed or fact.first_observed, zone)
        output.wrap(f"{said}  {one_line(fact.statement)}", hanging=len(said) + 2)
        output.say(f"  {' ' * len(said)}  {fact.id}", style="dim")


def find_statements(memory: Memory, fact_ids: Iterable[str], known: Mapping[str, str]) -> Mapping[str, str]:
    """Return what facts say by their ids; those that are gone say that they are.

    Args:
        memory: Where they are.
        fact_ids: Whose statements are looked for.
        known: Statements that are at hand.
    """
    said = dict(known)
    for fact_id in fact_ids:
        if fact_id not in said:
            said[fact_id] = _statement(memory, fact_id)
    return said


def say_number(number: int) -> str:
    """Say how often: ``once``, ``twice``, ``7 times``."""
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def _statement(memory: Memory, fact_id: str) -> str:
    try:
        found = memory.why(fact_id).fact
    except NotFound:  # forgotten since, or another project's
        return GONE
    return found.statement if found is not None and found.statement else GONE


def _say_state(fact: FactView, zone: str | None) -> Iterable[str]:
    yield str(fact.kind)
    yield str(fact.status)
    if fact.pinned:
        yield "pinned"
    yield f"sure {fact.confidence:.2f}"
    yield f"since {_day(fact.valid_from or fact.first_observed, zone)}"
    if fact.valid_to is not None:
        yield f"until {_day(fact.valid_to, zone)}"
    if fact.resolved_at is not None:
        yield f"resolved {_day(fact.resolved_at, zone)}"
    if fact.told:
        yield f"told {say_number(fact.told)}" + (f" in {count(fact.sessions, 'conversation')}" if fact.sessions else "")
    if fact.review:
        yield f"to be reviewed: {fact.review}"
    if fact.project is not None:
        yield f"project {one_line(fact.project)}"


def _stacked(above: object, below: object) -> Text:
    """Return a cell of two lines, the lower one dim; nothing in it is read as markup."""
    made = Text(one_line(str(above)))
    return made.append(f"\n{one_line(str(below))}", "dim") if below else made


def _day(instant: datetime, zone: str | None) -> str:
    return local(instant, zone).date().isoformat()
