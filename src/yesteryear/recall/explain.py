"""Why a context holds what it holds: what each of its memories kept out, and where the tokens went.

Read off the finished result; nothing is ranked or packed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from yesteryear.recall.budget import NO_ROOM, LanePolicy

FRAME = "frame"
"""What stands around all lanes."""


class Taken(Protocol):
    """A memory that was taken."""

    @property
    def lane(self) -> str:
        """Its section."""
        ...

    @property
    def tokens(self) -> int:
        """What the whole grew by when it joined."""
        ...


class Refused(Protocol):
    """A memory that found no place."""

    @property
    def lane(self) -> str:
        """Its section."""
        ...

    @property
    def tokens(self) -> int | None:
        """What it would have cost; None where it came too late to be asked."""
        ...

    @property
    def reason(self) -> str:
        """Why it was refused."""
        ...


R_co = TypeVar("R_co", bound=Refused, covariant=True)


class ExplainedOutcome(Protocol[R_co]):
    """A context, as far as it is explained here."""

    @property
    def items(self) -> Sequence[Taken]:
        """What was taken."""
        ...

    @property
    def dropped(self) -> Sequence[R_co]:
        """What was not, in the order in which it was served."""
        ...

    @property
    def tokens(self) -> int:
        """Cost of the whole."""
        ...

    @property
    def budget(self) -> int:
        """Tokens there were."""
        ...


def displaced(context: ExplainedOutcome[R_co], lanes: Mapping[str, LanePolicy]) -> dict[int, R_co]:
    """Return for each item the best memory that would have had room in its place.

    Best is what was served first of all that found no room. It would have had room where it costs at most as much as
    the item and what was left of the budget, and its lane stays within its maximum; all else stays as it is. Costs are
    those named when it was its turn, so they may be off by a date line that two memories would share.

    Args:
        context: What was taken and what was not.
        lanes: Policy of each lane.

    Returns:
        By number of the item, from 0; an item in whose place nothing would fit is left out.
    """
    left = context.budget - context.tokens
    spent = spent_by_lane(context)
    waiting = [(refused, refused.tokens) for refused in context.dropped if refused.reason == NO_ROOM]
    found = {}
    for number, item in enumerate(context.items):
        for refused, tokens in waiting:
            lane_left = int(lanes[refused.lane].max_share * context.budget) - spent.get(refused.lane, 0)
            lane_room = lane_left + (item.tokens if item.lane == refused.lane else 0)
            if tokens is not None and tokens <= min(item.tokens + left, lane_room):
                found[number] = refused
                break
    return found


def spent_by_lane(context: ExplainedOutcome[R_co]) -> dict[str, int]:
    """Return the tokens of each lane with its heading, and those of the frame; their sum is the cost of the whole."""
    spent: dict[str, int] = {}
    for item in context.items:
        spent[item.lane] = spent.get(item.lane, 0) + item.tokens
    return spent | {FRAME: context.tokens - sum(spent.values())}
