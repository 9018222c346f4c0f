"""What counts as shown, as named and as found, and what that comes to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear_lab.bench.evidence import Answer, Shown, content_stems, figures, judge, ndcg_at, recall_at, stands_in
from yesteryear_lab.bench.locomo import LocomoQuestion

TURNS = st.sampled_from(["a", "b", "c", "d", "e", "f"])
HITS = st.lists(st.sets(TURNS, max_size=3), max_size=12)
GOLD = st.frozensets(TURNS, min_size=1)


def shown(text: str, *named: str, tokens: int = 10) -> Shown:
    """Return a text that names turns."""
    return Shown(text, frozenset(named), tokens)


@each(
    ("turn", "text", "expected"),
    [
        ("I sold the boat.", "[3 May] Ida: I SOLD the boat!", True),
        (
            "Hi. I sold the old sailing boat to my cousin in Bergen.",
            "I sold the old sailing boat to my cousin in Bergen",
            True,
        ),
        ("I sold the boat. We cried about it for days.", "I sold the boat", False),
        ("I sold the boat.", "They say I sold the boathouse", False),
        ("I sold the boat.", "I sold my boat", False),
        ("Look! [shares image: a red boat]", "Look [shares image: a red boat]", True),
        ("👍", "👍", False),
    ],
)
def test_a_turn_stands_in_a_text_by_whole_sentences(turn: str, text: str, expected: bool) -> None:
    """Case and punctuation do not matter; a fifth of the characters may be missing."""
    assert stands_in(turn, text) is expected


def test_answers_are_compared_by_stems() -> None:
    """Stop words say nothing, and words are cut to their stems."""
    assert content_stems("She wasn’t into the Dancing") == content_stems("dances")
    assert content_stems("Yes, it is!") == frozenset()


def test_figures_come_from_the_evidence_that_is_named_and_shown() -> None:
    """A turn that stands there without being named is not shown; one that is named only is covered."""
    turns = {"t1": "I sold the boat.", "t2": "I keep two goats.", "t3": "Goats are clever."}
    question = LocomoQuestion("What does Ida keep?", "two goats", ("t1", "t2"), 1)
    text = "I sold the boat. I keep two goats."
    row = judge(question, Answer({50: shown(text, "t2", "t3")}, [("t3",), ("t2", "t3")]), turns)
    found = figures([(question, row)], [50])
    assert row["<=50"] == {
        "tokens": 10,
        "named": ["t2"],
        "shown": ["t2"],
        "aic": 1.0,
        "excerpts": 0,
        "used": 0,
    }
    assert (found["recall<=50"], found["covered<=50"], found["full<=50"], found["recall@5"]) == (0.5, 0.5, 0, 0.5)
    assert found["recall<=50.1"] == 0.5
    row = judge(question, Answer({50: shown("a summary about boats and goats", "t1", "t2")}), turns)
    found = figures([(question, row)], [50])
    assert (found["recall<=50"], found["covered<=50"], found["aic<=50"]) == (0, 1, 0.5)
    assert "recall@5" not in found


def test_adversarial_questions_stand_apart() -> None:
    """They are in no mean but their own; what they cost counts."""
    turns = {"t1": "I sold the boat."}
    real = LocomoQuestion("What was sold?", "the boat", ("t1",), 4)
    trap = LocomoQuestion("What was bought?", "", ("t1",), 5)
    judged = [
        (real, judge(real, Answer({50: shown("I sold the boat", "t1")}, []), turns)),
        (trap, judge(trap, Answer({50: shown("nothing", tokens=51)}, []), turns)),
    ]
    found = figures(judged, [50])
    assert (found["recall<=50"], found["recall<=50.4"], found["recall<=50.5"]) == (1, 1, 0)
    assert (found["tokens_max<=50"], found["over_budget"], found["over_budget.4"]) == (51, 1, 0)
    assert "aic<=50.5" not in found


def test_what_is_used_is_the_share_of_excerpts_that_hold_evidence() -> None:
    """Over all questions: two of five."""
    turns = {"t1": "I sold the boat.", "t2": "I keep two goats."}
    sold, kept = LocomoQuestion("Sold?", "", ("t1",), 4), LocomoQuestion("Kept?", "", ("t2",), 4)
    one = Shown("", frozenset(), 30, [("t1",), ("t2",), ()])
    other = Shown("", frozenset(), 10, [("t1", "t2"), ("t1",)])
    found = figures(
        [(sold, judge(sold, Answer({50: one}), turns)), (kept, judge(kept, Answer({50: other}), turns))], [50]
    )
    assert (found["used<=50"], found["tokens<=50"]) == (0.4, 20)


@given(hits=HITS, gold=GOLD, rank=st.integers(1, 12))
def test_ranked_figures_are_shares(hits: list[set[str]], gold: frozenset[str], rank: int) -> None:
    """They lie in [0, 1], a longer list finds no less, and nothing is gained where nothing is found."""
    recall, ndcg = recall_at(rank, hits, gold), ndcg_at(rank, hits, gold)
    assert 0 <= recall <= recall_at(rank + 1, hits, gold) <= 1
    assert 0 <= ndcg <= 1 + 1e-9
    assert (ndcg == 0) == (recall == 0)


def test_the_best_order_gains_most() -> None:
    """Evidence first is perfect; evidence named a second time gains nothing."""
    gold = frozenset("ab")
    assert ndcg_at(10, [("a",), ("b",), ("c",)], gold) == 1
    assert ndcg_at(10, [("c",), ("a",), ("b",)], gold) < 1
    assert ndcg_at(10, [("a",), ("a",), ("b",)], gold) == ndcg_at(10, [("a",), ("c",), ("b",)], gold)
