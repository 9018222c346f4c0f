"""What people say to bear on what, read by rules from one message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.language.told.relations import ToldRelation, find_relations
from yesteryear.core.relation import Relation

_PIECES = (
    "because of", "so", "I can't", "my knee", "run", ".", ",", "!", "?", "no", "until", "that", "it", "and", "both",
    "is part of", "helps", "need", "before", "first", "then", "now we can", "the trip", "clashes with", "\n", "😀",
    "has to do with", "since", "if", "not both", "in the film", "but it's fixed", "won't", "without", "them", "’s",
)  # fmt: skip


def _said(text: str) -> list[tuple[str, str, str]]:
    return [(str(one.relation), text[slice(*one.source)], text[slice(*one.target)]) for one in find_relations(text)]


def _check(text: str, found: ToldRelation) -> None:
    for start, end in (found.source, found.target):
        assert found.within.start <= start < end <= found.within.end
    assert 0 <= found.within.start <= found.within.end <= len(text)
    assert found.source.end <= found.target.start or found.target.end <= found.source.start
    assert 0.5 <= found.sure <= 1


@pytest.mark.parametrize(
    ("text", "relation", "source", "target"),
    [
        ("I can't train because of my knee.", "blocks", "my knee", "train"),
        ("The car is broken so we can't go to the lake.", "blocks", "The car is broken", "go to the lake"),
        ("I sprained my ankle, so no dancing for two weeks.", "blocks", "I sprained my ankle", "dancing for two weeks"),
        ("Can't mow the lawn today. Raining.", "blocks", "Raining", "mow the lawn today"),
        ("We can't go skiing at Easter, Mia has to have an operation.", "blocks", "Mia has to have an operation",
         "go skiing at Easter"),
        ("I want to visit Rome in May but my passport ran out.", "blocks", "my passport ran out",
         "visit Rome in May"),
        ("I'm too tired for the gym tonight.", "blocks", "too tired", "the gym tonight"),
        ("The picnic is off, the baby has a fever.", "blocks", "the baby has a fever", "The picnic"),
        ("Thanks to the new lamp I can knit in the evening.", "enables", "the new lamp", "knit in the evening"),
        ("Swimming really helps with my back.", "enables", "Swimming", "my back"),
        ("We bought a van. Now we can take the dogs along.", "enables", "We bought a van", "take the dogs along"),
        ("I'm learning Danish so that I can talk to her parents.", "enables", "I'm learning Danish",
         "talk to her parents"),
        ("We moved because Jan got a job up north.", "caused_by", "We moved", "Jan got a job up north"),
        ("I hate the noise, that's why we sold the flat.", "caused_by", "we sold the flat", "I hate the noise"),
        ("Night shift this week. That's why I missed the match.", "caused_by", "I missed the match",
         "Night shift this week"),
        ("I don't dance any more since Karl died.", "caused_by", "I don't dance", "Karl died"),
        ("I can't rent the flat until the salary slip is here.", "depends_on", "rent the flat",
         "the salary slip is here"),
        ("I need to finish the course before I can apply for the job.", "depends_on", "apply for the job",
         "finish the course"),
        ("If the loan comes through we buy the house.", "depends_on", "we buy the house", "the loan comes through"),
        ("The visa depends on the contract.", "depends_on", "The visa", "the contract"),
        ("I need a B in maths, otherwise I can't take the course.", "depends_on", "take the course", "a B in maths"),
        ("First the form, then the passport.", "depends_on", "the passport", "the form"),
        ("No papers, no job.", "depends_on", "job", "papers"),
        ("The 10k is the first step to the marathon.", "part_of", "The 10k", "the marathon"),
        ("Chapter two is done! Two more chapters and the thesis is finished.", "part_of", "Chapter two", "the thesis"),
        ("Choir camp is the same weekend as the wedding.", "conflicts_with", "Choir camp", "the wedding"),
        ("Judo and piano are both on Tuesdays now.", "conflicts_with", "Judo", "piano"),
        ("The dentist is Monday at 3 and so is the parents' evening.", "conflicts_with", "The dentist",
         "the parents' evening"),
        ("I can study or I can mind the twins. Not both.", "conflicts_with", "study", "mind the twins"),
        ("I can't do both the course and the job.", "conflicts_with", "the course", "the job"),
        ("My shift starts at six, which clashes with bedtime.", "conflicts_with", "My shift starts at six", "bedtime"),
        ("Knee again. No walking group today.", "blocks", "Knee", "walking group today"),
        ("She lost her job. So the trip is off.", "blocks", "She lost her job", "the trip"),
        ("I'd love to come but I'm on call that weekend.", "blocks", "I'm on call that weekend", "come"),
        ("My back hurts. No running today.", "blocks", "My back hurts", "running today"),
        ("First we have to sell the flat, then we can buy the house.", "depends_on", "buy the house", "sell the flat"),
        ("We're putting off the party until Dad is out of hospital.", "depends_on", "the party",
         "Dad is out of hospital"),
        ("I've stopped eating bread. It gives me heartburn.", "caused_by", "stopped eating bread",
         "It gives me heartburn"),
        ("My portfolio got me into the programme.", "enables", "My portfolio", "the programme"),
        ("I couldn't have finished without my sister.", "enables", "my sister", "finished"),
        ("We got the licence, so we open in May.", "enables", "We got the licence", "we open in May"),
        ("I sleep better since I stopped drinking.", "enables", "I stopped drinking", "I sleep better"),
        ("The team is why I stay.", "caused_by", "I stay", "The team"),
        ("My headaches have something to do with the weather.", "related_to", "My headaches", "the weather"),
        ("My mood and my sleep are connected.", "related_to", "My mood", "my sleep"),
        ("The letter from the bank is about my loan.", "related_to", "The letter from the bank", "my loan"),
        ("My knee is why I can't train.", "blocks", "My knee", "train"),
        ("His back is the reason we can't move.", "blocks", "His back", "move"),
        ("Before I can join the fire brigade I have to pass a fitness test.", "depends_on", "join the fire brigade",
         "pass a fitness test"),
        ("To keep the flat we have to find a lodger.", "depends_on", "keep the flat", "find a lodger"),
        ("If I don't find a sitter, no concert for me.", "depends_on", "concert for me", "find a sitter"),
        ("I only passed because my sister quizzed me.", "enables", "my sister quizzed me", "passed"),
        ("I owe the job to my uncle.", "enables", "my uncle", "the job"),
        ("Stretching keeps my hip from locking.", "enables", "Stretching", "my hip"),
        ("Two jobs and then there's no time to cook.", "blocks", "Two jobs", "cook"),
        ("My mother's stroke has put the wedding on hold.", "blocks", "My mother's stroke", "the wedding"),
        ("My landlord won't let me keep a cat.", "blocks", "My landlord", "keep a cat"),
        ("My hands shake, so knitting is out of the question.", "blocks", "My hands shake", "knitting"),
        ("The baby comes in May, so the marathon has to wait.", "blocks", "The baby comes in May", "the marathon"),
        ("My licence ran out, which means I can't drive.", "blocks", "My licence ran out", "drive"),
        ("I gave up the violin for my studies.", "caused_by", "I gave up the violin", "my studies"),
        ("Once the stitches are out I'm allowed to swim.", "depends_on", "I'm allowed to swim",
         "the stitches are out"),
    ],
)  # fmt: skip
def test_plain_words_say_a_relation(text: str, relation: str, source: str, target: str) -> None:
    """Each relation is found by the words that people use for it."""
    assert (relation, source, target) in _said(text)


@pytest.mark.parametrize(
    ("text", "relation", "source", "target"),
    [
        ("I pulled a muscle. Because of that I skipped the match.", "caused_by", "I skipped the match",
         "I pulled a muscle"),
        ("I have three extra shifts. I missed the class because of them.", "caused_by", "I missed the class",
         "I have three extra shifts"),
        ("I walk to work every day. It helps me sleep.", "enables", "I walk to work every day", "sleep"),
    ],
)  # fmt: skip
def test_what_points_back_is_what_was_said_before(text: str, relation: str, source: str, target: str) -> None:
    """What "that" and "it" mean is what the sentence before says, not the other end."""
    assert (relation, source, target) in _said(text)


def test_a_list_is_several_parts() -> None:
    """Each thing of a list is a part of what it is all part of."""
    found = _said("The name change, the bank and the car insurance. All part of the big untangling.")
    assert found == [
        ("part_of", name, "the big untangling") for name in ("The name change", "the bank", "the car insurance")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "In the film the man couldn't marry her because of his debts.",
        "I watched a documentary about a diver. She had to give up the record because her lung collapsed.",
        "My neighbour can't sell his house because of the damp.",
        "Did you know flamingos are pink because of the shrimp they eat",
        "Can you come to the party if the car is fixed?",
        "Why can't I sleep when it is hot?",
        "If I won the lottery I'd quit because who needs meetings.",
        "I couldn't come because of the car, but it's fixed.",
        "I left the choir because of the conductor, but that's not right, forget it.",
        "I can't wait. Saturday!",
        "Not because of money.",
        "Finally watched it. She can't be with him because of the war.",
        "Couldn't sleep because of my leg. But that was Monday.",
        "I've been vegan since I was nine.",
        "I'm not allowed within a mile of it.",
        "The soup was so good.",
        "We've been saving since the spring.",
        "I had soup. The weather was nice.",
        "In Rocky, the coach can't train him because of his debts.",
        "In our campaign the paladin can't enter the temple because of his curse.",
        "The trip to Rome doesn't depend on my bonus.",
        "My knee isn't what stops me from dancing.",
        "Cats stop you from having a career, he says.",
        "I thought the back was keeping me from golf, but no, I can play.",
        "I only want to know if the pram folds small.",
    ],
)
def test_what_is_not_so_in_their_life_says_nothing(text: str) -> None:
    """What is told of others, asked, supposed or taken back draws no edge, nor words that only look like joining."""
    assert _said(text) == []


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\n", ".", "because", "so", "Because of. So. Until!", "😀😀😀", "so so so because because until",
     "that, that, that, that because of that", "no, no, no", "…", "because 😀", "ok", "both", "if if if we we can"],
)  # fmt: skip
def test_odd_words_say_nothing(text: str) -> None:
    """Neither nothing at all nor words that join nothing."""
    assert _said(text) == []


@pytest.mark.parametrize(
    "unit", ["that, ", "because ", "so ", "no x, no y ", "x and y ", "and so ", "I need to ", "it. "]
)
def test_long_texts_are_read_in_bounded_steps(unit: str) -> None:
    """However long a text of one kind is, no sentence of it gives more than its beginning does."""
    short, long = (unit * (size // len(unit)) for size in (4_000, 20_000))
    assert len(find_relations(long.replace(".", ","))) <= max(len(find_relations(short.replace(".", ","))), 40)


def test_the_same_is_not_said_twice() -> None:
    """Where several rules see the same two things one relation is found."""
    assert len(_said("The parts arrived!! Now we can finally repair the boat.")) == 1


def test_every_rule_names_a_relation_it_may_say() -> None:
    """What is found is one of the seven, and by how sure its rule is."""
    (found,) = find_relations("My headaches have something to do with the weather.")
    assert found.relation is Relation.RELATED_TO
    assert found.rule == "to do with"


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """Ends lie in the text and apart from each other, whatever the text is."""
    for found in find_relations(text):
        _check(text, found)


@given(st.lists(st.sampled_from(_PIECES), max_size=40))
def test_ends_never_overlap(pieces: list[str]) -> None:
    """Nor do they in texts that are full of joining words."""
    text = " ".join(pieces)
    found = find_relations(text)
    for one in found:
        _check(text, one)
    assert len({(one.source, one.target) for one in found}) == len(found)
