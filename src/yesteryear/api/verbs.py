"""What every verb of ``Memory`` takes at a door."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from yesteryear.api.access import Right

_RIGHTS: Mapping[Right, str] = {
    Right.READ: (
        "context recall why messages conversations episodes facts changes conflicts proposals diff nights stats"
    ),
    Right.WRITE: (
        "observe close_episode keep extract flush retry confirm refute both_hold correct resolve pin unpin restore "
        "forget consolidate undo fade"
    ),
    Right.ADMIN: "usage configure export import_ erase",
}
VERBS: Mapping[str, Right] = MappingProxyType(
    {verb: right for right, verbs in _RIGHTS.items() for verb in verbs.split()}
)
"""The right that each verb takes, whichever door it is called at."""
