"""What ends what, by its words alone: states of a life, things dropped, aims reached, times moved."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.core.language.told.endings import Ending, ending, ends_unmistakably, read_ending_signs
from yesteryear.core.language.vocabulary import vocabulary

OVER, DONE, MOVED = Ending.OVER, Ending.DONE, Ending.MOVED


def told(earlier: str, later: str) -> Ending | None:
    """Return what the later words do to the earlier."""
    return ending(read_ending_signs(earlier), read_ending_signs(later))


@each(
    ("earlier", "later", "what"),
    [
        ("My cousin is pregnant with twins", "she gave birth last night, both are fine", OVER),
        ("He's in hospital with his lungs", "They've discharged him!", OVER),
        ("I've come down with a fever", "feeling much better, thanks", OVER),
        ("I quit smoking last year", "I'm smoking again, don't judge", OVER),
        ("We don't eat meat", "Had a steak on Sunday and no regrets", OVER),
        ("I'm single and fine with it", "so i've got a boyfriend", OVER),
        ("Tara works at the library", "Tara handed in her notice", OVER),
        ("dont drive, never learned", "passed my driving test this morning!!", OVER),
        ("Jonas owes me 80 euros", "Jonas paid me back, all 80 euros", OVER),
        ("I do pottery on Mondays", "I've given up pottery", OVER),
        ("We have a cabin in the woods", "The cabin is sold", OVER),
        ("I ride a scooter", "I don't ride the scooter any more", OVER),
        ("Mila can't whistle", "Mila whistles all day now", OVER),
        ("We're flying to Malta in May", "We're not flying to Malta after all", OVER),
        ("I'm saving for a telescope", "Bought the telescope!", DONE),
        ("Still waiting for the sofa", "the sofa has arrived", DONE),
        ("I have to renew my passport", "picked up my passport, finally", DONE),
        ("The lift is out of order", "the lift works again", OVER),
        ("I can't find my library card", "found the card under the seat", OVER),
        ("We have a bread maker", "took the bread maker back to the shop", OVER),
        ("Rosa owns a kiln", "I was wrong, it's a loom Rosa owns, no kiln", OVER),
        ("He's allergic to peaches", "he's not allergic to peaches after all", OVER),
        ("I go to yoga", "I've stopped going to yoga", OVER),
        ("Mum still cooks for everyone", "Mum passed away in May", OVER),
        ("Dad lives in his own flat", "Dad's in a care home since May", OVER),
        ("I have to hand in the portfolio", "handed in the portfolio", DONE),
        ("I walk three dogs", "I walk five dogs now", MOVED),
        ("The scan is on the 3rd", "they pushed the scan to the 12th", MOVED),
        ("The recital is on 3 June", "they moved the recital to 10 June", MOVED),
        ("Choir is on Mondays", "choir is on Thursdays now", MOVED),
        ("I pay 610 for the room", "the room went up to 640", MOVED),
    ],
)
def test_what_is_told_plainly_ends_what_it_ends(earlier: str, later: str, what: Ending) -> None:
    """States by the table of what people know, all else by the thing that both name."""
    assert told(earlier, later) is what


@each(
    ("earlier", "later"),
    [
        ("I work at the library", "if I win the lottery I quit my job"),
        ("I do pottery on Mondays", "I might give up pottery"),
        ("I do pottery on Mondays", "no pottery this Monday, the kiln is broken"),
        ("I'm saving for a telescope", "put another 50 aside for the telescope"),
        ("I'm saving for a telescope", "I'll have bought the telescope by May"),
        ("The recital is on 3 June", "the recital hall seats 300 now"),
        ("I'm not pregnant", "my sister had the baby"),
        ("We have a cabin in the woods", "The house next door is sold"),
        ("He's got a cast on his arm", "my braces are off"),
        ("I'm vegetarian", "I still don't eat fish"),
        ("We have a cabin in the woods", "The cabin's stove is sold"),
        ("I drive a van", "I lost the van keys"),
        ("I'm writing an opera", "finished the second act, half of the opera to go"),
        ("I do pottery on Mondays", "if they raise the fee, I've given up pottery"),
        ("He lost the tickets", "he has lost the tickets"),
        ("Solveig has no car", "Solveig doesn't cry at night any more"),
        ("", "I gave up"),
    ],
)
def test_what_is_not_meant_or_of_something_else_ends_nothing(earlier: str, later: str) -> None:
    """Cases that are put, plans, this once, what was never so, other things."""
    assert told(earlier, later) is None


def test_each_state_has_what_ends_it() -> None:
    """By the same name."""
    rows = vocabulary("endings")
    assert list(rows.group("states")) == list(rows.group("ends"))
    assert rows.words("shared") | rows.words("unmistakable") <= rows.group("states").keys()


@pytest.mark.parametrize(
    "text", ["(" * 5_000, "not " * 5_000, "a" * 100_000, "'s " * 9_000, "😀" * 3_000, "\u202e\x00"]
)
def test_odd_texts_are_read_in_no_time(text: str) -> None:
    """And end nothing."""
    assert ending(read_ending_signs(text), read_ending_signs(text)) is None


@each(
    ("later", "ends"),
    [
        *(("I eat meat now.", True), ("I've started eating chicken again.", True), ("not vegetarian anymore", True)),
        *(("I had a burger by mistake.", False), ("They all eat meat.", False), ("I cooked meat for them.", False)),
    ],
)
def test_who_eats_meat_again_is_vegetarian_no_more(later: str, ends: bool) -> None:
    """Beyond doubt where it is told as a change of habit; what happened once ends nothing without a question."""
    assert ends_unmistakably(read_ending_signs("I'm vegetarian."), read_ending_signs(later)) is ends
