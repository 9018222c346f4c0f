"""What people plainly say of their own life is told from what only looks like it."""

from __future__ import annotations

import json

import pytest

from tests.each import each
from yesteryear.core.language.told import about_oneself
from yesteryear.core.language.told.about_oneself import Concern, concerning, says_of_oneself, tells_news_briefly
from yesteryear.core.message import Exchange, Outcome, Reason, Role
from yesteryear.remember.gate import GatePolicy, judge
from yesteryear.testing.builders import a_message
from yesteryear_lab import LABELLED

ROWS = [json.loads(line) for line in (LABELLED / "plain.jsonl").read_text(encoding="utf-8").splitlines()]
LOOK_ALIKES = [row["text"] for row in ROWS if not row.get("keep", True)]
SAID = [row["text"] for row in ROWS if row.get("keep", True)]


def judged(*texts: str) -> tuple[Outcome, str | None]:
    """Return the verdict on several messages of one exchange, and the rule."""
    messages = tuple(a_message(text, seq=seq) for seq, text in enumerate(texts, start=1))
    verdict = judge(Exchange(messages), GatePolicy())
    return verdict.outcome, verdict.rule


@each(
    ("text", "concern"),
    [
        ("I'm allergic to shellfish.", Concern.SELF),
        ("im pregnant, can i eat sushi?", Concern.SELF),
        ("Got the job!", Concern.SELF),
        ("vegan since march", Concern.SELF),
        ("back's fine again", Concern.SELF),
        ("my left hip is completely healed", Concern.SELF),
        ("back to normal", None),
        ("my hand is better than yours", None),
        ("My dad died.", Concern.PEOPLE),
        ("btw my sister Ines is a nurse in Porto", Concern.PEOPLE),
        ("Am I allergic to shellfish?", None),
        ("If I were a nurse, I'd move.", None),
        ("Translate this for me.\nI am allergic to nuts.", None),
        ('She wrote: "I am allergic to nuts and to cats."', None),
        ("my code has a bug", None),
        ("I have a question", None),
    ],
)
def test_a_plain_statement_is_told_from_its_look_alikes(text: str, concern: Concern | None) -> None:
    """By its grammar: who it is about, what it says, and whether it is stated at all."""
    assert says_of_oneself(text) is concern


@each(
    ("sentence", "is_news"),
    [
        ("handed my notice in", True),
        ("ok, just signed the lease this morning", True),
        ("put the old dog down last night", True),
        ("cut my hours at the bakery today", True),
        ("put the old dog out", False),
        ("cut the last paragraph today", False),
        ("put the vet on my list for this morning", False),
        ("read last night's chapter back to me", False),
        ("scared of my own shadow", False),
        ("sold the van", False),
        ("did my parcel come yesterday?", False),
        ("I handed my notice in", False),
    ],
)
def test_news_without_their_subject_are_told_from_orders(sentence: str, is_news: bool) -> None:
    """By a past form and whose it is; of what has one form for both by the time that is behind."""
    assert tells_news_briefly(sentence) is is_news


@each(
    "text",
    [
        "I'm a beekeeper",
        "im a harpsichord tuner",
        "I'm one quarter Cherokee",
        "I'm Zambian, living abroad",
        "I've been appointed deputy head",
        "We were granted asylum last spring",
        "I've joined a brass band in Hull",
        "broke my toe on the stairs",
        "The vet thinks our cat is going deaf",
        "The biopsy was clear",
        "We were in Crete for our anniversary",
        "I've a court date on Monday",
        "I have pins in my left ankle",
        "I have only one lung",
        "lilies are my favourite flowers",
        "I go by Sam",
        "I'm on crutches",
        "I was raised Hindu",
        "I swim every morning",
        "pronouns: he/him",
        "Name: Bo. Age: 31. City: Turku",
        "Me in five words: loud, Welsh, curious, tired, tall.",
        "they hired me at the zoo",
    ],
)
def test_what_somebody_is_and_what_befell_them_is_about_oneself(text: str) -> None:
    """A people noun, an origin, an honour, a group, a diagnosis, an occasion or a label tells it."""
    assert says_of_oneself(text) is Concern.SELF


@each(
    "text",
    [
        "I'm a big fan of this idea",
        "I'm a bit tired",
        "I'm a potato",
        "I'm half done with the report",
        "I'm a third of the way through",
        "I'm better now",
        "I'm at step 4",
        "I'm using Python 3.12",
        "I need a table with three columns",
        "I've joined the channel",
        "I was granted access to the repo",
        "I've been given a task by my tutor",
        "they accepted my pull request",
        "I broke my build again",
        "the test came back red",
        "I have them in a folder",
        "I have only one question",
        "I run this script every day",
        "we built a car classifier",
        "that option is my favourite",
        "name: foo",
        "GUEST: I was born in Lille",
        "kids: none",
        "Am I a beekeeper?",
        "If I broke my toe, could I still swim?",
        "just kidding, I'm a beekeeper",
        "I've been elected treasurer of the dragons' castle",
        "Proofread my bio: I'm a beekeeper from Graz.",
        "Correct the text below. I broke my toe in May.",
    ],
)
def test_the_momentary_the_imagined_and_the_brought_along_are_not_about_oneself(text: str) -> None:
    """Talk about the task has the same grammar, but other nouns."""
    assert says_of_oneself(text) is None


@each(
    "text",
    [
        "Translate the menu for me later. I'm down with the flu.",
        "Can you check my essay tomorrow? I've been shortlisted for a prize",
        "how do you pronounce scone. also i broke my toe",
        "What does it say about me: I've moved house five times, and I'm barely thirty?",
        "our printer ate the tickets 😭 we were on our honeymoon",
        "So, odd question, but hear me out: I'm a beekeeper",
        "quick hello to let you know that I've been promoted",
    ],
)
def test_a_clause_counts_by_itself_whatever_stands_before_it(text: str) -> None:
    """A request, a question, a colon or an emoji before it takes nothing from what is told."""
    assert says_of_oneself(text) is Concern.SELF


def test_somebody_called_by_name_is_one_of_their_people() -> None:
    """Kinship and a name say who somebody is, whatever they do; a question about them says nothing."""
    assert says_of_oneself("my cousin Bo dives for pearls") is Concern.PEOPLE
    assert says_of_oneself("Did my cousin Bo dive for pearls?") is None


def test_a_few_words_answer_a_question_about_the_person() -> None:
    """A name alone says nothing, unless it was asked for; a refusal says nothing then either."""
    assert says_of_oneself("Joel") is None
    assert says_of_oneself("Joel", question="Nice to meet you! What's your name?") is Concern.SELF
    assert says_of_oneself("nope, just a cat", question="Do you have any kids?") is Concern.SELF
    assert says_of_oneself("rather not say", question="How old are you?") is None
    assert says_of_oneself("the second one", question="Which of the two plots should I draw?") is None


@each("text", SAID)
def test_what_is_plainly_said_is_never_skipped(text: str) -> None:
    """Whatever the score: a hundred sentences of health, home, work, family, identity."""
    assert judged(text)[0] is not Outcome.SKIP


def test_what_only_looks_like_it_is_left_to_the_score() -> None:
    """The rule speaks for hardly any of as many look-alikes."""
    assert [text for text in LOOK_ALIKES if says_of_oneself(text) is not None] == []


def test_chatter_does_not_drown_a_plain_statement() -> None:
    """An exchange is judged as one, but its messages are read one by one."""
    assert judged("lol", "I'm allergic to shellfish.", "anyway what's 2 + 2, write it in roman numerals") == (
        Outcome.KEEP,
        "about_oneself",
    )


def test_the_label_says_what_it_is_about() -> None:
    """About the person, or about people in their life."""
    for text, reason in (("I'm a paramedic.", Reason.PERSONAL), ("My dad died.", Reason.RELATIONAL)):
        assert judge(Exchange((a_message(text),)), GatePolicy()).reason is reason


def test_an_assistants_words_are_no_statement() -> None:
    """Only what is said in the role of a user."""
    exchange = Exchange((a_message("ok"), a_message("I'm a nurse.", seq=2, role=Role.ASSISTANT)))
    assert judge(exchange, GatePolicy()).rule is None


def test_a_long_message_is_read_in_bounded_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is, so many sentences are read, and so many characters of each clause."""
    read: list[int] = []
    clauses = about_oneself._clauses
    monkeypatch.setattr(
        about_oneself, "_clauses", lambda text: (read.append(len(part)) or part for part in clauses(text))
    )
    says_of_oneself("The weather is nice, and so on. " * 5000)
    assert len(read) <= about_oneself.MOST_SENTENCES * 3
    assert max(read) <= about_oneself.MOST_CLAUSE_CHARS


def test_what_a_person_says_themself_beside_others_words_was_not_brought_along() -> None:
    """Where no mark parts the two, what their own statement rests on is left out, and the rest may be meant."""
    said = "I am still allergic to peanuts."
    text = f"This was on the kiln. I am not allergic to peanuts any more, said the potter. {said}"
    known = {"statement": "Ana is allergic to peanuts", "subject": "Ana", "is_whole": False}
    assert "potter" in concerning(text, **known, own=[said])  # type: ignore[arg-type]
    assert concerning(said, **known, own=[said]) == ""  # type: ignore[arg-type]
