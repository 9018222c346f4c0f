"""What is told as decided."""

from __future__ import annotations

from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Talk
from yesteryear.core.fact import FactDraft
from yesteryear.core.message import Outcome, Reason, Verdict
from yesteryear.providers.local.reading import Sentence, read_talk
from yesteryear.providers.local.summary import MOST_DECISIONS, SHORT_DECISION_WORDS, decides, find_decisions
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message

KEPT = Verdict(Outcome.KEEP, Reason.PERSONAL, score=0.9, threshold=0.5)
SCENE = "The rain came down on the roof all night and the dog would not stop barking at the neighbour's empty yard."


def sentences_of(*texts: str) -> list[Sentence]:
    """Return what one person says, sentence by sentence."""
    exchanges = tuple(group_exchanges([a_message(text, seq=seq) for seq, text in enumerate(texts, 1)]))
    return list(read_talk(Talk(exchanges, (KEPT,) * len(exchanges)), yield_to_foreground=lambda: None).sentences)


def a_fact(quote: str, *, kind: FactKind = FactKind.DECISION, seq: int = 1) -> FactDraft:
    """Return a fact that rests on these words."""
    return FactDraft(f"Ana: {quote}", kind, "Ana", quote, f"c1-{seq}", 0.9)


def test_a_short_message_that_decides_is_told_whole() -> None:
    """What is settled stands around the word that says so; questions stay out."""
    said = sentences_of("Next year at our house. That's decided. Will you come?")
    assert find_decisions(said) == ("Next year at our house. That's decided.",)


def test_of_a_long_message_only_the_decision_is_told() -> None:
    """With the sentence before where it is bare."""
    assert len(SCENE.split()) < SHORT_DECISION_WORDS
    said = sentences_of(f"{SCENE} {SCENE} We take the flat in Graz. That's settled.")
    assert find_decisions(said) == ("We take the flat in Graz. That's settled.",)


def test_facts_of_the_kind_are_told_too() -> None:
    """Many decisions show no word for it; other kinds are none, and what stands there already is not told twice."""
    said = sentences_of(
        "Doña Elvira gets the stand in January", f"{SCENE} {SCENE} I've decided to keep the dog until the spring."
    )
    facts = [
        a_fact("Doña Elvira gets the stand in January"),
        a_fact("the dog would not stop barking", kind=FactKind.EVENT, seq=2),
        a_fact("I've decided to keep the dog until the spring", seq=2),
    ]
    assert find_decisions(said, facts) == (
        "Doña Elvira gets the stand in January",
        "I've decided to keep the dog until the spring.",
    )
    assert find_decisions(said) == ("I've decided to keep the dog until the spring.",)


def test_what_is_open_is_not_told_though_a_head_takes_it_for_a_decision() -> None:
    """The words have the last word."""
    said = sentences_of("I haven't decided about the flat")
    assert find_decisions(said, [a_fact("I haven't decided about the flat")]) == ()


def test_what_somebody_is_set_to_do_decides_without_being_told() -> None:
    """It makes a talk more important; told as a decision it would be too much."""
    (said,) = sentences_of("I'll leave the porch light on")
    assert decides(said)
    assert find_decisions([said]) == ()


def test_the_latest_decisions_are_told() -> None:
    """They may overturn the others."""
    told = find_decisions(sentences_of(*(f"I've decided to buy boat {n}" for n in range(MOST_DECISIONS + 3))))
    assert len(told) == MOST_DECISIONS
    assert told[-1] == f"I've decided to buy boat {MOST_DECISIONS + 2}"
