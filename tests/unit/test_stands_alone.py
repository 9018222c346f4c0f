"""Which statements say by themselves whom they are about, by form, and what is left of them without their frame."""

from __future__ import annotations

import pytest

from yesteryear.core.fact import Form, stands_alone, words_of

NUTS = 'Joel said of Priya: "She can\'t have nuts."'


@pytest.mark.parametrize(
    ("statement", "form"),
    [
        ("Joel is a vegetarian.", Form.PLAIN),
        ('Joel said: "Off coffee. Doctor\'s orders: no more than a cup."', Form.QUOTE),
        (NUTS, Form.QUOTE),
        ('Asked "Any allergies? Anything else?", Joel said: "Nuts."', Form.ANSWER),
        ('Asked "Any allergies?", Joel said of his mum: "Penicillin."', Form.ANSWER),
    ],
)
def test_a_statement_that_names_whom_it_is_about_stands_alone(statement: str, form: Form) -> None:
    """It can be read by somebody who knows nothing of the talk."""
    assert stands_alone(statement, "Joel", form)


@pytest.mark.parametrize(
    ("statement", "form"),
    [
        ("She is a nurse.", Form.PLAIN),
        ("Joel is a vegetarian. Priya is not.", Form.PLAIN),
        (NUTS, Form.PLAIN),
        ('She said: "Nuts."', Form.QUOTE),
        ('Joel said: ""', Form.QUOTE),
        ('Joel said: "Nuts." twice', Form.QUOTE),
        ('Asked "Any allergies?", Joel said: "Nuts."', Form.QUOTE),
        ('Joel said: "Nuts."', Form.ANSWER),
    ],
)
def test_a_statement_that_is_not_of_its_form_does_not(statement: str, form: Form) -> None:
    """Neither does a plain one that opens with nobody, or is several."""
    assert not stands_alone(statement, "Joel", form)


def test_a_plain_statement_may_open_with_whom_it_is_about() -> None:
    """What is somebody else's names them; a stranger's name is not enough."""
    statement = "Priya, Joel's partner, is a nurse."
    assert stands_alone(statement, "Joel", holder="Priya")
    assert not stands_alone(statement, "Joel")
    assert not stands_alone(statement, "Joel", holder="Marta")


@pytest.mark.parametrize(
    ("statement", "form", "left"),
    [
        ("Joel is a vegetarian.", Form.PLAIN, "Joel is a vegetarian."),
        ('Joel said: "Off coffee. For good."', Form.QUOTE, "Off coffee. For good."),
        ('Joel said on 2026-05-02: "Got the keys"', Form.QUOTE, "Got the keys"),
        (NUTS, Form.QUOTE, "Priya She can't have nuts."),
        ('Asked "Any allergies?", Joel said of mum on 2026-05-02: "Nuts."', Form.ANSWER, "Any allergies? mum Nuts."),
        (NUTS, Form.PLAIN, NUTS),
        ("Joel said nothing", Form.QUOTE, "Joel said nothing"),
    ],
)
def test_words_are_left_of_a_statement_without_its_frame(statement: str, form: Form, left: str) -> None:
    """What was asked, of whom, and what was said; what is no frame stays as it is."""
    assert words_of(statement, form) == left
