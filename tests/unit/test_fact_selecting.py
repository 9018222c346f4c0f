"""Which clauses are taken for a fact, and what never is."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.attributes import FactKind
from yesteryear.providers.local.facts.selecting import (
    Run,
    SelectPolicy,
    choose_kind,
    find_fact_heads,
    grow_runs,
    is_imagined,
    is_reported,
    select_runs,
)
from yesteryear.providers.local.facts.utterance import Utterance, last_question, read_utterance

POLICY = SelectPolicy(seed=0.6, beside=0.3, same=0.5, most_units=3)
EAGER = SelectPolicy(seed=0.01, beside=0.01, same=0.01)
"""Takes whatever is not ruled out."""


def runs_of(text: str, *, before: str = "", policy: SelectPolicy | None = None) -> list[str]:
    """Return the words of each run, found by words alone."""
    heads = find_fact_heads(None)
    assert heads is not None
    utterance = read_utterance(text, before=before)
    runs = select_runs(utterance, heads, policy or SelectPolicy())
    return [text[utterance.units[run.first].start : utterance.units[run.last].end] for run in runs]


@each(
    ("sure", "same", "runs"),
    [
        ([0.5, 0.5], [0, 1], []),
        ([0.2, 0.9, 0.4, 0.4], [0, 1, 1, 1], [Run(1, 3, (0.9, 0.4, 0.4))]),
        ([0.9, 0.9], [0, 0.4], [Run(0, 0, (0.9,)), Run(1, 1, (0.9,))]),
        ([0.7, 0.4, 0.9], [0, 1, 1], [Run(0, 2, (0.7, 0.4, 0.9))]),
        ([0.4, 0.4, 0.9, 0.4, 0.4], [0, 1, 1, 1, 1], [Run(0, 2, (0.4, 0.4, 0.9))]),
        ([], [], []),
    ],
)
def test_runs_grow_from_seeds_to_neighbours(sure: list[float], same: list[float], runs: list[Run]) -> None:
    """A neighbour needs less to join than a seed to begin, must be of one statement with it, and be within reach."""
    assert list(grow_runs(sure, same, POLICY)) == runs


@each(
    "text",
    [
        "if I were the king of Spain",
        "I could have bought a house",
        "I swear if I miss it once more",
        "I turned into my mother",
        "I am the new boss of NASA. Just kidding",
        "imagine I had a twin",
    ],
)
def test_what_is_imagined_is_no_fact(text: str) -> None:
    """However eager one is."""
    utterance = read_utterance(text)
    assert is_imagined(utterance, 0)
    assert all(utterance.units[0].text not in run for run in runs_of(text, policy=EAGER))


@each("text", ["if it rains I take the bus", "I have to go", "I never joke about work"])
def test_conditions_that_happen_are_not_imagined(text: str) -> None:
    """What somebody does whenever it rains is a habit."""
    assert not is_imagined(read_utterance(text), 0)


def test_what_only_brings_in_the_words_of_others_is_no_fact() -> None:
    """Nor does a statement reach over a quotation."""
    text = 'My boss says "you will never lead a team here". I work in Porto. "As we all know too well" My sister sings'
    utterance = read_utterance(text)
    assert [is_reported(utterance, place) for place in range(3)] == [True, False, False]
    assert runs_of(text, policy=EAGER) == ["I work in Porto.", "My sister sings"]


def test_quoted_words_are_blanked_out_and_places_stay() -> None:
    """The heads judge somebody's own words; quotes are still cut from the message."""
    text = 'She wrote "I will never come back to you" and I cried'
    utterance = read_utterance(text)
    assert len(utterance.text) == len(text)
    assert "never" not in utterance.text
    assert [text[unit.start : unit.end] for unit in utterance.units][-1] == "and I cried"


@each(
    ("text", "question"),
    [
        ("Nice. How long have you had it?", "How long have you had it?"),
        ("How long? I see.", ""),
        ("", ""),
    ],
)
def test_the_last_question_is_what_is_answered(text: str, question: str) -> None:
    """An earlier one was answered by whoever asked it."""
    assert last_question(text) == question


def test_a_short_answer_is_read_with_its_question() -> None:
    """Alone it says nothing; a long one speaks for itself."""
    short = read_utterance("nine years", before="How long have you played?")
    assert short.texts[0] == "How long have you played? nine years"
    long = read_utterance("I have played the oboe in the town band for nine years", before="How long?")
    assert long.texts[0] == long.text


def test_a_message_without_words_has_no_run() -> None:
    """There is nothing to be sure of."""
    heads = find_fact_heads(None)
    assert heads is not None
    assert select_runs(read_utterance("🙂 ..."), heads, SelectPolicy(seed=0.0)) == ()
    assert isinstance(read_utterance(""), Utterance)


def kinds(**given: float) -> dict[str, float]:
    """Return probabilities of kinds; those not given have none."""
    return dict.fromkeys(FactKind, 0.0) | given  # type: ignore[operator]


@each(
    ("probabilities", "text", "told"),
    [
        (kinds(goal=0.6, event=0.3), "i want to", (FactKind.GOAL, None)),
        (kinds(goal=0.4, event=0.35), "i want to", (FactKind.GOAL, FactKind.EVENT)),
        (kinds(event=0.9), "from now on i walk", (FactKind.DECISION, FactKind.EVENT)),
        (kinds(event=0.9), "we haven't decided yet", (FactKind.EVENT, None)),
        (kinds(decision=0.9), "that's settled", (FactKind.DECISION, None)),
    ],
)
def test_the_kind_is_the_likeliest_unless_the_words_leave_no_choice(
    probabilities: dict[str, float], text: str, told: tuple[FactKind, FactKind | None]
) -> None:
    """A second kind is told where it is nearly as likely."""
    assert choose_kind(probabilities, text) == told
