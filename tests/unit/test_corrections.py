"""What somebody puts right of what was just said, and what is none of that."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.corrections import (
    Correction,
    find_corrections,
    find_next_correction,
    joined,
    put_right,
)


def changes(text: str, found: Correction) -> list[tuple[str, str]]:
    """Return what was wrong and what is right, in words."""
    return [(text[slice(*old)], text[slice(*new)]) for old, new in found.changes]


@each(
    ("text", "right"),
    [
        ("The party's on the 3rd. Actually, the 4th.", "The party's on the 4th."),
        ("The party is on the 3rd of August. Actually, the 4th.", "The party is on the 4th of August."),
        ("My birthday is 23 may. no wait, 22", "My birthday is 22 may."),
        ("my exam is on June 3rd, make that June 5th", "my exam is on June 5th"),
        ("my exam is on June 3rd 2027, sorry, June 5th", "my exam is on June 5th 2027"),
        ("It's on 3/8/2026. Sorry, 4/8/2026.", "It's on 4/8/2026."),
        ("It's on the 3rd, I mean 3 september", "It's on 3 september"),
        ("we leave wednesday, no, thursday", "we leave thursday"),
        ("we leave wednesday no thursday at nine", "we leave thursday at nine"),
        ("I swim on mondays, er, tuesdays", "I swim on tuesdays"),
        ("The meeting is Thursday at 10. Correction: Friday at 11.", "The meeting is Friday at 11."),
        ("The operation is Tuesday week. Wait, Wednesday week.", "The operation is Wednesday week."),
        ("It's in May, no, June", "It's in June"),
        ("I fly on 3 May. Sorry, June.", "I fly on 3 June."),
        ("I moved there in 2019. No wait, 2018.", "I moved there in 2018."),
        ("The class is at 7pm, or rather 8pm", "The class is at 8pm"),
        ("The class is at 7pm. Hang on, 8.", "The class is at 8."),
        ("I have two brothers. Sorry, three.", "I have three brothers."),
        ("We have four cats. five, actually", "We have five cats."),
        ("We have four cats, five actually", "We have five cats"),
        ("I pay 640 a month for it (sorry, 460)", "I pay 460 a month for it"),
        ("It costs £1,120. No, £1,210.", "It costs £1,210."),
        ("I weigh 82 kilos, or rather 84", "I weigh 84 kilos"),
        ("I take 20 mg of it, I mean 10 mg, every morning", "I take 10 mg of it, every morning"),
        ("My son is 5 and my daughter 7. Sorry, 8.", "My son is 5 and my daughter 8."),
        ("It's 421 a month. 412. not 421.", "It's 412 a month."),
        ("My daughter turns 5 on saturday, er, 6, time flies", "My daughter turns 6 on saturday, time flies"),
        ("I've two sons. Sorry, three, I forgot Ben!", "I've three sons. I forgot Ben!"),
        ("my sister Karen, I mean Maureen, is visiting", "my sister Maureen is visiting"),
        ("Karen, sorry, Maureen, is visiting", "Maureen is visiting"),
        ("my sister Karen no Maureen is visiting", "my sister Maureen is visiting"),
        ("We live in Porto. I mean Faro, not Porto.", "We live in Faro."),
        ("The vet, I mean the dentist, wants to see me", "the dentist wants to see me"),
        ("He lives in Lyon and works in Paris. Scratch that, in Nice.", "He lives in Lyon and works in Nice."),
        ("I have type 1 diabetes. Sorry, type 2.", "I have type 2 diabetes."),
        ("I'm allergic to nuts, no wait, not nuts, shellfish.", "I'm allergic to shellfish."),
        ("I'm allergic to nuts. No, not nuts, shellfish.", "I'm allergic to shellfish."),
        ("I drive an Audi. Not an Audi, a Ford, sorry", "I drive a Ford."),
        ("I have an Audi, sorry, a Ford", "I have a Ford"),
        ("I\u2019m 34. No, sorry, 35!", "I\u2019m 35."),
    ],
)
def test_the_right_value_takes_the_place_of_the_wrong_one(text: str, right: str) -> None:
    """Of the same kind, the nearest before it; what puts it right is gone."""
    assert " ".join(put_right(text, find_corrections(text)).text.split()) == right


@each(
    "text",
    [
        "I'm allergic to peanuts... wait no, tree nuts",
        "I work at Lidl. Sorry, Aldi.",
        "Ann met Rex and Tom there last year. I mean Tim.",
        "We go to Rome. Correction: we go to Naples.",
        "I live in Leeds. I mean near Leeds",
    ],
)
def test_what_is_put_right_may_be_unclear(text: str) -> None:
    """Then no words are named, and the text stays as it was said."""
    (found,) = find_corrections(text)
    assert found.changes == ()
    assert put_right(text, [found]).text == text


@each(
    "text",
    [
        *("actually I love it", "Everyone hates it. Actually, I love it.", "I quit. No, really. I mean it."),
        *("sorry, busy day", "wait, what?", "no, thursday works", "I said no. Tuesday I'm off."),
        "I run 5 k most mornings, not 5 but 6 would be nice",
        "We have two dogs and actually three cats",
        "I have two dogs. Actually, three cats too.",
        "I told Karen about it. Sorry, Tom, I should have said.",
        "We went on Monday. Actually, Tuesday was better.",
        "I like Rome. I mean, who doesn't?",
        "I mean, I do like my job",
        "He moved here in 2019. Actually, he loves it.",
        "Are we on for Monday? No, Tuesday.",
        "I've lived in Leeds for 5 years. Wait, 2 of them in York.",
        "On mondays I swim and, sorry to say, on saturdays I sleep",
        "I have 2 cats. No 3 bus came today",
        "He got it on the 15th, I meant to say, so I let him",
        "I sold it. i mean. i lost it",
        "I live in Leeds. I should say I'm not quite myself",
        "Ah no, Benat is not to know",
        'She said "it is on monday, no, tuesday" and left',
        "",
        "İ İ İ, no, wednesday",
    ],
)
def test_other_words_put_nothing_right(text: str) -> None:
    """What only begins like a correction, and what another one says."""
    assert find_corrections(text) == ()


@each(
    ("said", "then", "changed"),
    [
        ("it's 421 a month", "412. not 421. tired", [("421", "412")]),
        ("noor 23 may", "bo correct that then, 22.", [("23", "22")]),
        ("we fly on wednesday", "*thursday", [("wednesday", "thursday")]),
        ("we fly on wednesday", "thursday*", [("wednesday", "thursday")]),
        ("my brother is getting married in june!!", "*july", [("june", "july")]),
        ("ill be their at 9", "*there", [("their", "there")]),
        ("my nephew is called Malachi", "*Micah. autocorrect", [("Malachi", "Micah")]),
        ("I started in Utrecht", "I meant Zwolle, not Utrecht lol", [("Utrecht", "Zwolle")]),
        ("i started in utrecht", "I meant zwolle, not utrecht lol", [("utrecht", "zwolle")]),
        ("rent is 640 a month", "sorry, 460. dyslexia strikes again", [("640", "460")]),
        ("it's the 2nd of October", "wait, the 3rd. she'd kill me", [("2nd", "3rd")]),
        ("1,120 a month.", "1,210. Not 1,120. Sorry.", [("1,120", "1,210")]),
        ("our wedding is on June 12", "June 13, not 12!!", [("12", "June 13")]),
        ("my interview is at 3pm tomorrow", "no, 4pm", [("3pm", "4pm")]),
        ("im vegetarian btw", "oops, i mean vegan", []),
        ("I'm allergic to nuts", "actually not nuts, sesame", [("nuts", "sesame")]),
        ("I'm allergic to nuts", "no wait, shellfish not nuts", [("nuts", "shellfish")]),
        ("I'm allergic to nuts", "no wait, I'm allergic to shellfish, not nuts", [("nuts", "shellfish")]),
        ("I'm allergic to nuts", "It's not nuts I'm allergic to, it's shellfish.", [("nuts", "shellfish")]),
        ("I'm allergic to cats", "not cats, dogs", [("cats", "dogs")]),
        ("My son is called Max", "not Max, Matt", [("Max", "Matt")]),
        ("I live in Leeds", "not Leeds but York!", [("Leeds", "York")]),
        ("I drive an Audi", "a Ford, not an Audi", [("an Audi", "a Ford")]),
        ("my rent is 850", "no, 950 sorry", [("850", "950")]),
    ],
)
def test_the_next_message_puts_right(said: str, then: str, changed: list[tuple[str, str]]) -> None:
    """By a word for it, a star, or what it is not; places are those of both texts in one."""
    found = find_next_correction(said, then)
    assert found is not None
    assert changes(joined(said, then), found) == changed


@each(
    ("said", "then"),
    [
        *(("I'm free on monday", "no, thursday works"), ("I swim on mondays", "*hugs*"), ("he is 5", "no, really")),
        *(
            ("I have 2 cats", "actually I love them"),
            ("we have two kids", "three!"),
            ("It's on monday?", "no, tuesday"),
        ),
        ("I have 3 cats. I feed them. They sleep. They purr.", "sorry, 4"),
        ("we leave on monday", 'he wrote "no, we leave on tuesday then"'),
        ("İ", "no, tuesday"),
        *(
            ("I live in Leeds", "not Leeds, sorry"),
            ("I live in Leeds", "not bad, thanks"),
            ("I fish", "not fish, really"),
        ),
        *(("I eat fish", "not fish, meat gives me gas"), ("I like tea", "not coffee, though")),
        *(("I moved from Bristol to Bath", "not bristol!!! bath"), ("I love Leeds", "not York, Hull")),
        *(("I have two cats", "not two cats, they ran away"), ("I live in Leeds", "no wait, Tom is here")),
        *(("I like fish", "mostly cod, not fish fingers"), ("I work at Lidl", "not Lidl anymore, Aldi")),
    ],
)
def test_the_next_message_may_say_something_else(said: str, then: str) -> None:
    """An answer, a turn of speech, a hug."""
    assert find_next_correction(said, then) is None


def test_behind_a_question_a_no_answers_it() -> None:
    """But a star and "I meant" put right whatever was asked between."""
    said = "we fly on monday"
    assert find_next_correction(said, "no, tuesday", asked=True) is None
    assert find_next_correction(said, "*tuesday", asked=True) is not None
    assert find_next_correction(said, "I meant tuesday", asked=True) is not None


@pytest.mark.parametrize(
    ("said", "then", "is_put_right"),
    [
        ("noor 23 may", "22 may!!", True),
        ("the cabin is booked from the 5th", "no, the 6th!", True),
        ("maybe we do 7", "8!!", False),
        ("we could meet on the 5th", "no, the 6th", False),
        ("noor 23 may", "22 may is better for me", False),
        ("it's 22 may!! you live here 2 years", "bo correct that then, 22.", False),
    ],
)
def test_another_may_put_right_by_the_value_alone(said: str, then: str, *, is_put_right: bool) -> None:
    """Of what was settled; where it is yet to be, they only say what they would like."""
    assert (find_next_correction(said, then, by_other=True) is not None) is is_put_right


def test_places_lie_where_they_moved_to() -> None:
    """Before, within and behind what was changed."""
    text = "we leave wednesday, no, thursday, with Ann"
    right = put_right(text, find_corrections(text))
    assert right.text == "we leave thursday with Ann"
    assert right.text[right.place(text.index("leave")) :].startswith("leave")
    assert right.text[: right.place(text.index("wednesday") + 4)] == "we leave thursday"
    assert right.text[right.place(text.index("Ann")) :] == "Ann"


_PIECES = st.sampled_from(
    [
        *("monday", "tuesday", "no", "sorry", "I mean", "actually", "the 3rd", "the 4th", "Karen", "Tim", "5", "6 kg"),
        *("in", "not", "wait", ",", ".", "*", "(", ")", "?", "make that", "we", "is", "\n", "…", "İ", "'"),
    ]
)


@given(st.lists(_PIECES, max_size=14).map(" ".join), st.lists(_PIECES, max_size=6).map(" ".join))
def test_any_text_can_be_read(text: str, then: str) -> None:
    """Corrections lie in the text in order, what was wrong before what is right, and all can be carried out."""
    found = list(find_corrections(text))
    both = joined(text, then)
    assert all(one.end <= other.start or other.begins <= one.end for one, other in pairwise(found))
    for whole, each_found in ((text, found), (both, [find_next_correction(text, then)])):
        for one in filter(None, each_found):
            assert 0 <= one.begins <= one.start <= one.end <= len(whole)
            assert all(old[1] <= new[0] < new[1] <= one.end for old, new in one.changes)
            right = put_right(whole, [one])
            places = [right.place(at) for at in range(len(whole) + 1)]
            assert places == sorted(places)
            assert places[-1] <= len(right.text)
