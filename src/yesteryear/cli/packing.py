"""How a context was packed, as people and machines read it: why each memory is in it, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from yesteryear.cli.asking import MARGIN, largest, show_field, show_reading, show_signals
from yesteryear.cli.output import Output, cell, count, shorten, table
from yesteryear.recall.explain import spent_by_lane

if TYPE_CHECKING:
    from yesteryear.recall.context import Context, ContextItem, Dropped

_DISPLACED_CHARS = 100
"""Longest text of a displaced memory that is shown whole."""
_NONE = "-"
"""Stands for a figure that there is not."""


def plain_explanation(context: Context) -> dict[str, Any]:
    """Return what an explanation adds to a context's own fields.

    Returns:
        ``displaced``: by number of the item, from 0, the number of what was dropped for it; ``spent``: tokens by lane.
    """
    return {
        "displaced": {str(number): context.dropped.index(dropped) for number, dropped in displaced_in(context).items()},
        "spent": spent_by_lane(context),
    }


def explain(context: Context, asked: str, output: Output) -> None:
    """Print a context memory by memory in the order in which they were given room, then what was left out, and why.

    Args:
        context: What was packed.
        asked: The message it is for.
        output: Where it is shown.
    """
    show_reading(context.reading, asked, output)
    show_items(context, range(len(context.items)), output)
    if context.dropped:
        show_dropped(context.dropped, output)
    _show_spending(context, output)


def show_items(context: Context, numbers: Iterable[int], output: Output) -> None:
    """Print some items of a context, each with what it is made of and what it kept out.

    Args:
        context: What was packed.
        numbers: Of the items, from 0.
        output: Where they are shown.
    """
    instead = displaced_in(context)
    scale = largest(item.signals for item in context.items)
    for number in numbers:
        output.say()
        _show_item(number, context.items[number], output, scale=scale)
        if number in instead:
            dropped = instead[number]
            said = shorten(dropped.text, chars=_DISPLACED_CHARS)
            show_field("instead of", f"{said} ({_cost(dropped.tokens, dropped.score)})", output, style="yellow")


def displaced_in(context: Context) -> Mapping[int, Dropped]:
    """Return what each item kept out, by number of the item, from 0."""
    return context.displaced()


def _show_item(number: int, item: ContextItem, output: Output, *, scale: float) -> None:
    about = f"{number + 1}. {item.lane}  {_cost(item.tokens, item.score)}"
    output.wrap(about, style="bold", indent=0, hanging=MARGIN)
    output.wrap(item.text, indent=MARGIN)
    if item.is_earlier:
        output.wrap("an earlier value: another item states it anew", indent=MARGIN, style="yellow")
    show_signals(item.signals, output, scale=scale)
    if item.messages:
        show_field("messages", ", ".join(item.messages), output, style="dim")


def _cost(tokens: int | None, score: float) -> str:
    """Say what a memory costs, and its score; entries of the history have none."""
    cost = count(tokens or 0, "token")
    return f"{cost}, score {score:.2f}" if score else cost


def show_dropped(refused: Iterable[Dropped], output: Output) -> None:
    """Print what was left out, and why."""
    output.heading("What was left out")
    rows = table("lane", "score", "tokens", "why", "text", rest="text")
    for dropped in refused:
        score = f"{dropped.score:.2f}" if dropped.score else _NONE
        tokens = _NONE if dropped.tokens is None else dropped.tokens
        rows.add_row(cell(dropped.lane), cell(score), cell(tokens), cell(dropped.reason), cell(dropped.text))
    output.show(rows)


def _show_spending(context: Context, output: Output) -> None:
    output.heading("How the budget was spent")
    lanes = ", ".join(f"{lane} {tokens}" for lane, tokens in spent_by_lane(context).items())
    output.wrap(f"{lanes}: {context.tokens} of {count(context.budget, 'token')}", indent=0)
    if context.recent:
        beside = f"{count(len(context.recent), 'message')} of this session stand beside it: "
        output.wrap(f"{beside}{count(context.recent_tokens, 'token')} of a budget of their own", indent=0)
