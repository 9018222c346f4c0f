"""What people say of themselves, said of them by somebody else."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.attributes import FactKind
from yesteryear.providers.local.facts.rewriting import rewrite, well_spelled

WEDNESDAY = datetime(2025, 5, 14, 12, tzinfo=UTC)


def told(quote: str, kind: FactKind = FactKind.IDENTITY, *, author: str = "Ana") -> str:
    """Return what is made of somebody's words on 14 May 2025."""
    return rewrite(quote, author=author, at=WEDNESDAY, zone=None, kind=kind)


@each(
    ("quote", "statement"),
    [
        ("I live in Lisbon.", "Ana lives in Lisbon"),
        ("i'm 34 and i work at a bank", "Ana is 34 and they work at a bank"),
        ("I've been a nurse for 12 years", "Ana has been a nurse for 12 years"),
        ("I study law and try to sleep 8 hours", "Ana studies law and tries to sleep 8 hours"),
        ("I want to lose weight and run 10k", "Ana wants to lose weight and run 10k"),
        ("I get up at 6 and go for a run", "Ana gets up at 6 and goes for a run"),
        ("I never work on Sundays and don't answer mails", "Ana never works on Sundays and does not answer mails"),
        ("I can't swim", "Ana cannot swim"),
        ("I'd rather walk than drive", "Ana would rather walk than drive"),
        ("I'd been there before", "Ana had been there before"),
        ("I used to smoke", "Ana used to smoke"),
        ("I wish I had more time", "Ana wishes they had more time"),
        ("I HATE this", "Ana HATES this"),
        ("I no longer work at Google", "Ana no longer works at Google"),
        ("We were late", "Ana was late"),
        ("We've decided to sell the house", "Ana has decided to sell the house"),
        ("If I were rich I'd stop", "If Ana were rich they would stop"),
        ("nor do I eat fish", "Nor does Ana eat fish"),
        ("When it rains I run", "When it rains Ana runs"),
        ("I think I should quit", "Ana thinks they should quit"),
        ("dont eat meat", "Ana does not eat meat"),
        ("I kinda like it", "Ana kind of likes it"),
    ],
)
def test_the_verb_goes_with_the_name(quote: str, statement: str) -> None:
    """The first "I" becomes the name, later ones "they", and each verb agrees."""
    assert told(quote) == statement


@each(
    ("quote", "statement"),
    [
        ("My friend Lisa has a cat, I have a dog.", "Ana's friend Lisa has a cat, Ana has a dog"),
        ("my wife is from Chile, I'm from Wales", "Ana's wife is from Chile, Ana is from Wales"),
        ("My wife hates cilantro but I love it", "Ana's wife hates cilantro but Ana loves it"),
        ("my sister is called Jo, mine is called Bo", "Ana's sister is called Jo, Ana's is called Bo"),
        ("my wife's vegan, my favourite food is steak", "Ana's wife's vegan, Ana's favourite food is steak"),
        ("I have a friend who has a cat, I have a dog", "Ana has a friend who has a cat, Ana has a dog"),
        ("my doctor says I have asthma", "Ana's doctor says they have asthma"),
        ("my mum hates it when I smoke", "Ana's mum hates it when they smoke"),
        ("my sister told me I should quit", "Ana's sister told them they should quit"),
        ("my rent is 850 and I can't afford it", "Ana's rent is 850 and they cannot afford it"),
        ("My flat is in Leeds and I love it", "Ana's flat is in Leeds and they love it"),
        ("my wife left and my dog died", "Ana's wife left and their dog died"),
        ("I love my wife and I like to cook", "Ana loves their wife and they like to cook"),
    ],
)
def test_they_are_nobody_else(quote: str, statement: str) -> None:
    """Where somebody else stands between, the speaker is named again."""
    assert told(quote) == statement


@each(
    ("quote", "statement"),
    [
        ("used to play tennis, now just padel", "Ana used to play tennis, now just padel"),
        ("used to love clubbing", "Ana used to love clubbing"),
        ("used to be a nurse", "Ana used to be a nurse"),
        ("used to the cold by now", "Ana is used to the cold by now"),
        ("used to getting up early", "Ana is used to getting up early"),
        ("not used to the heat", "Ana is not used to the heat"),
        ("gardening and crime novels", "Gardening and crime novels"),
        ("gardening, crime novels", "Gardening, crime novels"),
        ("working from home on fridays", "Ana is working from home on fridays"),
        ("me n my bf broke up", "Ana and their bf broke up"),
        ("my bike got stolen :'(", "Ana's bike got stolen"),
        ("I live in Leeds =D", "Ana lives in Leeds"),
        ("I won at 5:1 odds", "Ana won at 5:1 odds"),
        ("I take vitamin n daily", "Ana takes vitamin n daily"),
        ("i luv ramen", "Ana loves ramen"),
        ("I gotta do laundry and like call my nan", "Ana has to do laundry and call their nan"),
        ("I hate jazz and like dance music", "Ana hates jazz and likes dance music"),
        ("I live in York and like my job", "Ana lives in York and likes their job"),
    ],
)
def test_loose_words_are_told_as_they_were_meant(quote: str, statement: str) -> None:
    """What somebody did once or is used to, what they name in a list, and what only fills a gap."""
    assert told(quote) == statement


@each(
    ("quote", "statement"),
    [
        ("My sister and I run a bakery", "Ana and their sister run a bakery"),
        ("me and my brother own a boat", "Ana and their brother own a boat"),
        ("my wife Clara hates it when I smoke", "Ana's wife Clara hates it when they smoke"),
        ("Running helps me think", "Running helps Ana think"),
        ("our landlord wants us out", "Ana's landlord wants them out"),
        ("I bought myself a boat", "Ana bought themselves a boat"),
        ("that boat is mine", "That boat is Ana's"),
        ("he used to work in a coal mine", "He used to work in a coal mine"),
        ("World War I books", "World War I books"),
        ("US visa, again", "US visa, again"),
    ],
)
def test_other_words_for_the_speaker(quote: str, statement: str) -> None:
    """Possessives and objects too; a number and a country are none."""
    assert told(quote) == statement


@each(
    ("quote", "statement"),
    [
        ("ran 11 km", "Ana ran 11 km"),
        ("finally quit smoking", "Ana finally quit smoking"),
        ("want to run a marathon", "Ana wants to run a marathon"),
        ("can't stand coriander", "Ana cannot stand coriander"),
        ("Haven't smoked for years", "Ana has not smoked for years"),
        ("not a good swimmer", "Ana is not a good swimmer"),
        ("allergic to penicillin", "Ana is allergic to penicillin"),
        ("Married since 2015", "Ana has been married since 2015"),
        ("Born in Chile", "Ana was born in Chile"),
        ("Thinking of moving", "Ana is thinking of moving"),
        ("my teenage son", "Ana has a teenage son"),
        ("the kids", "Ana has kids"),
        ("left hip hurts", "Left hip hurts"),
        ("Walking helps", "Walking helps"),
        ("gone since May 2024", "Gone since May 2024"),
    ],
)
def test_a_subject_that_was_left_out_is_put_in(quote: str, statement: str) -> None:
    """Where the first words ask for one; a noun or a gerund with its own verb does not."""
    assert told(quote).lower() == statement.lower()


@each(
    ("quote", "statement"),
    [
        ("don't call me before 9", "Ana wants the assistant not to call them before 9"),
        ("Please keep answers short", "Ana wants the assistant to keep answers short"),
        ("put the budgie down this morning", "Ana put the budgie down on the morning of 14 May 2025"),
    ],
)
def test_an_order_is_told_as_a_wish(quote: str, statement: str) -> None:
    """To the assistant, of what the person prefers; not so what tells by its time that it was done."""
    assert told(quote, FactKind.PREFERENCE) == statement


@each("quote", ["under 4 hours", "no power there", "page 17", "Priya is a nurse"])
def test_words_that_name_nobody_stay(quote: str) -> None:
    """They get no frame."""
    assert told(quote).lower() == quote.lower()


@each(
    ("quote", "statement"),
    [
        ("lol ok so I moved to Porto \U0001f389\U0001f389!!!", "Ana moved to Porto"),
        ("Honestly, I hate mornings, tbh", "Ana hates mornings"),
        ("yes I do smoke", "Ana does smoke"),
        ("btw: my dog is called Rex :)", "Ana's dog is called Rex"),
        ("I work w/ kids bc I like them", "Ana works with kids because they like them"),
        ("\u201cI quit\u201d, my boss said", '"I quit", Ana\'s boss said'),
    ],
)
def test_chat_is_told_plainly(quote: str, statement: str) -> None:
    """Short forms are written out, what opens or closes a sentence idly goes, quoted words stay."""
    assert told(quote) == statement


@each(
    ("quote", "statement"),
    [
        ("I put the deposit down yesterday", "Ana put the deposit down on 13 May 2025"),
        ("I put milk in first", "Ana puts milk in first"),
        ("I ran 11 km on saturday", "Ana ran 11 km on Saturday 10 May 2025"),
        ("I'm gonna be a dad in september", "Ana is going to be a dad in September 2025"),
        ('I told him "see you tomorrow"', 'Ana told him "see you tomorrow"'),
    ],
)
def test_dates_become_absolute(quote: str, statement: str) -> None:
    """Outside of quotation marks."""
    assert told(quote) == statement


def test_a_name_that_is_also_a_month_stays_a_name() -> None:
    """The author is called April."""
    assert told("They call me April", author="April") == "They call April April"


@each(
    "statement",
    [
        "Ana lives in Lisbon with two cats",
        "Ana has moved to Porto in May 2025",
        "Ana's wife Clara hates it when they smoke",
        "Ana ran 11 km on Saturday 10 May 2025",
        "When it rains Ana runs",
    ],
)
def test_what_names_the_author_already_comes_back(statement: str) -> None:
    """A statement in the third person is one."""
    assert told(statement) == statement


AUTHORS = st.sampled_from(["Ana", "Søren", "Wei Ting", "O'Brien", "April", "user"])
PHRASES = st.lists(
    st.sampled_from(
        "I we my me us mine myself I'm I've I'd we'll don't and but because when on in since May Monday yesterday two "
        "weeks ago run runs moved the a dog not never always , . ! ? - \" ' ( ) : love moving to you I".split()
    ),
    max_size=14,
).map(" ".join)


@given(quote=st.text(max_size=80) | PHRASES, author=AUTHORS, kind=st.sampled_from(FactKind))
def test_it_is_one_line_whatever_was_said(quote: str, author: str, kind: FactKind) -> None:
    """Any text gives one."""
    assert "\n" not in told(quote, kind, author=author)


@given(said=PHRASES, author=AUTHORS)
def test_nobody_speaks_of_themselves(said: str, author: str) -> None:
    """Outside of quotation marks no "I" is left, nor "me", nor "my"."""
    statement = told(said.replace('"', ""), author=author)
    assert not {"I", "me", "my", "we", "our"} & set(statement.replace("'", " ").split())


@given(quote=PHRASES, kind=st.sampled_from(FactKind))
def test_telling_again_changes_nothing(quote: str, kind: FactKind) -> None:
    """A statement of one sentence stays the statement it is."""
    once = told(re.sub(r"[.!?]", "", quote), kind)
    assert told(once, kind) == once


@each(
    ("said", "spelled"),
    [
        ("mums got a cold", "my mum's got a cold"),
        ("and dad lives in Leeds", "and my dad lives in Leeds"),
        ("my sisters a nurse", "my sister's a nurse"),
        ("my brothers car is gone", "my brother's car is gone"),
        ("shes off to my gfs", "she's off to my gfs"),
        ("my brother rhys is ill", "my brother Rhys is ill"),
        ("dev is my flatmate", "Dev is my flatmate"),
        ("drew is my flatmate", "Drew is my flatmate"),
        ("mums been ill", "my mum's been ill"),
        ("My wife Megan, she's a hairdresser", "My wife Megan's a hairdresser"),
        ("My son Ben, he works nights", "My son Ben works nights"),
    ],
)
def test_people_are_spelled_well(said: str, spelled: str) -> None:
    """Where who is meant was written without its mark or capital, or said twice."""
    assert well_spelled(said) == spelled


@each(
    "said",
    [
        "the mums at school are nice",
        "our mums and dads",
        "two dads came",
        "my sisters are twins",
        "my brothers in Leeds have a band",
        "dad jokes",
        "gran turismo is great",
        "my dads got married in June",
        "my mums split up",
        "my dads run a bakery",
        "my mums chris and sam are vegan",
        "my dog walker has broken her leg",
        "mum and I went",
        "my brother always has a cold",
        "that is my dog",
        "my daughter, he said, is fine",
    ],
)
def test_other_words_stay_as_they_are_spelled(said: str) -> None:
    """Several of them, a word that is no name, or nobody who is named first."""
    assert well_spelled(said) == said


def test_a_name_in_small_letters_is_one_where_it_was_read_so() -> None:
    """And owns what follows where it was written before without the "s"."""
    assert well_spelled("priya hates figs", "priya") == "Priya hates figs"
    assert well_spelled("priyas birthday", "priyas", "priya") == "Priya's birthday"
