"""Results as plain data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime

from tests.each import each
from tests.rows import KEPT, an_episode
from yesteryear.core.message import Conversation, Outcome, Role
from yesteryear.core.results import Plain, to_plain
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.testing.builders import a_message

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Basket(Plain):
    """Something of every kind."""

    when: datetime
    role: Role
    scope: Scope
    scores: dict[str, float]
    names: tuple[str, ...]
    nothing: None = None


def test_a_result_becomes_plain_data_of_the_same_shape() -> None:
    """Instants as ISO 8601, enumerations by value, nested values by the same rule, floats to six digits."""
    basket = Basket(NOON, Role.USER, Scope(user="ana"), {"words": 1 / 3}, ("m-1",))
    assert basket.to_dict() == {
        "when": "2026-03-02T12:00:00+00:00",
        "role": "user",
        "scope": {"user": "ana", "tenant": "default", "project": None, "agent": None},
        "scores": {"words": 0.333333},
        "names": ["m-1"],
        "nothing": None,
    }


@each(
    ("value", "plain"),
    [
        ({Outcome.KEEP: {3: 1}}, {"keep": {"3": 1}}),
        (date(2026, 3, 2), "2026-03-02"),
        (ConversationKey(None, "coach", "c1"), [None, "coach", "c1"]),
        (frozenset({1}), [1]),
        ("text", "text"),
        (True, True),
        (7, 7),
    ],
)
def test_every_kind_of_value_has_a_plain_form(value: object, plain: object) -> None:
    """Keys become text, sequences lists; what is plain stays as it is."""
    assert to_plain(value) == plain
    assert type(to_plain(value)) is type(plain)


def test_rows_of_all_kinds_can_be_written_as_json() -> None:
    """The command line and every other transport rely on it."""
    message = a_message(verdict=KEPT)
    for row in (message, an_episode(), Conversation(ConversationKey("thesis", None, "c1"), last_at=NOON)):
        assert json.loads(json.dumps(row.to_dict())) == row.to_dict()
    assert message.to_dict()["verdict"]["features"] == {"self": 1.0, "filler": 0.25}
