"""How a message is cut into clauses, and which cues they show."""

from __future__ import annotations

from tests.each import each
from yesteryear.providers.local.facts.utterance import CUES, Joint, any_cues, read_cues, split_units


@each(
    ("text", "units"),
    [
        ("I quit. Friday is my last day", ["I quit.", "Friday is my last day"]),
        ("my wife is a nurse and I teach", ["my wife is a nurse", "and I teach"]),
        ("salt and pepper", ["salt and pepper"]),
        ("I moved because the rent doubled", ["I moved", "because the rent doubled"]),
        ("I rest after work", ["I rest after work"]),
        ("I rest after I work", ["I rest", "after I work"]),
        ("he owes me 14,860 in all", ["he owes me 14,860 in all"]),
        (
            "we live in Graz (my husband is from there) since May",
            ["we live in Graz", "my husband is from there", "since May"],
        ),
        ("the plan - if you want - is simple", ["the plan", "if you want", "is simple"]),
        ("done 🎉 at last", ["done", "at last"]),
        ("yes, I sold it", ["yes, I sold it"]),
        ("And, because I care, I stay", ["And, because I care", "I stay"]),
        ("one\ntwo", ["one", "two"]),
        ("!!! ...", []),
        ("", []),
    ],
)
def test_clauses_are_cut_where_something_new_may_be_said(text: str, units: list[str]) -> None:
    """At the end of sentences, at marks, and at conjunctions that open a clause."""
    assert [unit.text for unit in split_units(text)] == units


def test_what_stands_before_a_unit_is_told() -> None:
    """So that whoever joins them again knows how they hang together."""
    text = "I run. Then a rest, some tea: and I write because it helps (really)"
    joints = [unit.joint for unit in split_units(text)]
    assert joints == [
        Joint.START,
        Joint.SENTENCE,
        Joint.COMMA,
        Joint.COORDINATE,
        Joint.SUBORDINATE,
        Joint.BRACKET,
    ]


@each(
    ("text", "cue"),
    [
        ("I'm a nurse", "being"),
        ("a nurse, I’m told", "trade"),
        ("my sister-in-law sings", "relates"),
        ("every Monday I swim", "routine"),
        ("can't lift my arm", "blocks"),
        ("I gave notice", "decides"),
        ("what time is it", "asks"),
        ("so it goes?", "asks"),
        ("write me a poem", "task"),
        ("nine years", "lasted"),
        ("running late", "ing_first"),
    ],
)
def test_a_clause_shows_its_cues(text: str, cue: str) -> None:
    """Whatever the case and the kind of apostrophe."""
    assert read_cues(text.upper())[cue] == read_cues(text)[cue] == 1.0


def test_cues_of_several_clauses_are_those_of_any() -> None:
    """Of none there are none, under the same names."""
    found = any_cues([read_cues("I'm a nurse"), read_cues("nine years")])
    assert (found["being"], found["lasted"], found["asks"]) == (1.0, 1.0, 0.0)
    assert any_cues([]) == dict.fromkeys(CUES, 0.0)
