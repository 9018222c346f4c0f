"""How people answer when they are asked which of two things holds, or whether one still does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.answers import puts_question, read_answer

JOBS = ("works at the library", "works at the bakery")
HOMES = ("lives in York", "lives in Leeds")
FIRST, SECOND, BOTH, NEITHER = (True, False), (False, True), (True, True), (False, False)


@each(
    "text",
    "both actually|both are true, different jobs|They are both true|a bit of both|yes to both|oh both, one is weekends"
    "|Both. The old shop is gone though.".split("|"),
)
def test_both_hold(text: str) -> None:
    """However it is said."""
    assert read_answer(text, JOBS) == BOTH


@each(
    "text",
    "neither|neither any more|nope, none of those|no, neither|Neither of them.|both are out of date|no to both"
    "|I don't do either any more|none of the above".split("|"),
)
def test_neither_holds(text: str) -> None:
    """However it is said."""
    assert read_answer(text, JOBS) == NEITHER


@each(
    ("text", "holds"),
    [
        *((text, SECOND) for text in ("the second one", "no, the second", "The latter.", "2", "the newer one")),
        *((text, FIRST) for text in ("the first", "still the first", "the former")),
        *((text, SECOND) for text in ("it's Leeds", "Leeds, not York", "I left York, it's Leeds", "I live in Leeds")),
        *((text, FIRST) for text in ("still York", "in York again", "York, of course")),
    ],
)
def test_one_of_the_two_holds(text: str, holds: tuple[bool, ...]) -> None:
    """By its place, or by its name."""
    assert read_answer(text, HOMES) == holds


@each(
    "text",
    "not sure|maybe both|why?|yes|no|The second week of May I'm off|first I need to eat|both kids are ill"
    "|neither of my brothers called|the first one is wrong|not York|my mum is in York|I need a train to Leeds tomorrow"
    "|York and Leeds|".split("|"),
)
def test_what_says_something_else_is_no_answer(text: str) -> None:
    """Nor what is unsure, asks back, is quoted, or leaves it open."""
    assert read_answer(text, HOMES) is None


@each(
    ("text", "holds"),
    [
        *(
            (text, (True,))
            for text in "yeah still|Yep, still true.|still do|it is|Yes. What shall I cook?|same as ever|sure do".split(
                "|"
            )
        ),
        *(
            (text, (False,))
            for text in "not anymore|no, that's over|Nope.|I don't anymore|I gave that up|not since May|it isn't".split(
                "|"
            )
        ),
        *(
            (text, None)
            for text in "yes and no|yes but not anymore|no, still the same|no worries|still?|I'm not hungry"
            "|Sure, book it|Still raining here|yes please|I don't like this weather|hm".split("|")
        ),
    ],
)
def test_one_thing_still_holds_or_not(text: str, holds: tuple[bool] | None) -> None:
    """Where it says so and nothing against it."""
    assert read_answer(text, ["likes tea"]) == holds


@each(
    ("reply", "is_put"),
    [
        ("Do you work at the library or at the bakery?", True),
        ("The library, or the bakery?", True),
        ("Soup it is. Do you still work at the library?", True),
        ("You work at the library.", False),
        ("Shall we work on the essay?", False),
    ],
)
def test_a_reply_is_seen_to_ask(reply: str, is_put: bool) -> None:
    """By what it names, not by a common word."""
    assert puts_question(reply, JOBS) is is_put


@given(st.text(), st.integers(1, 2))
def test_any_text_can_be_read(text: str, sides: int) -> None:
    """It answers for each side, or not at all."""
    holds = read_answer(text, HOMES[:sides])
    assert holds is None or len(holds) == sides
