"""How the words of a fact were meant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.fact import FactDraft, Modality
from yesteryear.providers.local.facts.meaning import read_meaning

WEDNESDAY = datetime(2025, 5, 14, 12, tzinfo=UTC)


def drafted(quote: str, kind: FactKind) -> FactDraft:
    """Return a fact that rests on words."""
    return FactDraft("", kind, "Ana", quote, "m", 1.0)


def meant(quote: str, kind: FactKind = FactKind.IDENTITY) -> FactDraft:
    """Return how words of 14 May 2025 were meant."""
    return read_meaning(drafted(quote, kind), at=WEDNESDAY, zone=None)


def day(year: int, month: int, number: int = 1) -> datetime:
    """Return the beginning of a day."""
    return datetime(year, month, number, tzinfo=UTC)


@each(
    ("modality", "kind", "quote"),
    [
        (Modality.ASSERTED, FactKind.IDENTITY, "I live in Lisbon"),
        (Modality.ASSERTED, FactKind.BELIEF, "I think rest is overrated"),
        (Modality.ASSERTED, FactKind.PREFERENCE, "I want short answers"),
        (Modality.ASSERTED, FactKind.EVENT, "I moved to Porto in March"),
        (Modality.WISHED, FactKind.GOAL, "I wish I could play the cello"),
        (Modality.WISHED, FactKind.GOAL, "one day I'd love to see snow"),
        (Modality.UNCERTAIN, FactKind.DECISION, "maybe I'll quit, not sure yet"),
        (Modality.UNCERTAIN, FactKind.EVENT, "I might move to Oslo"),
        (Modality.PLANNED, FactKind.DECISION, "I'm going to sell the car"),
        (Modality.PLANNED, FactKind.EVENT, "results come out in June"),
        (Modality.PLANNED, FactKind.EVENT, "we fly in May"),
        (Modality.PAST, FactKind.WORK_PATTERN, "I used to write at night"),
        (Modality.PAST, FactKind.STRENGTH, "as a kid I was good at chess"),
    ],
)
def test_modality(modality: Modality, kind: FactKind, quote: str) -> None:
    """Plans, wishes, doubts and what was are told from what is; the month of May is no doubt."""
    assert meant(quote, kind).modality is modality


@each(
    ("kind", "quote"),
    [
        (FactKind.IDENTITY, "I don't eat meat"),
        (FactKind.PREFERENCE, "I hate mornings"),
        (FactKind.STRENGTH, "not a good swimmer"),
        (FactKind.SUCCESS_PATTERN, "meditation did nothing for me"),
        (FactKind.DECISION, "I decided against the dog"),
        (FactKind.RELATIONSHIP, "my brother never calls"),
    ],
)
def test_what_is_denied(kind: FactKind, quote: str) -> None:
    """The main clause says that something is not so."""
    assert meant(quote, kind).is_negative


@each(
    ("kind", "quote"),
    [
        (FactKind.IDENTITY, "I live in Lisbon"),
        (FactKind.BLOCKER, "I can't sleep"),
        (FactKind.BELIEF, "I believe that nobody reads contracts"),
        (FactKind.WORK_PATTERN, "I train alone because I don't like to be watched"),
        (FactKind.SUCCESS_PATTERN, "I sleep better when there is no phone in the room"),
        (FactKind.EVENT, "I can't wait for the wedding"),
    ],
)
def test_what_is_not_denied(kind: FactKind, quote: str) -> None:
    """A side clause, what makes a blocker, and an idiom deny nothing."""
    assert not meant(quote, kind).is_negative


@each(
    ("volatility", "kind", "quote"),
    [
        (Volatility.STATIC, FactKind.IDENTITY, "I'm allergic to nuts"),
        (Volatility.STATIC, FactKind.IDENTITY, "I was born in Chile"),
        (Volatility.STATIC, FactKind.EVENT, "I sold the car"),
        (Volatility.SLOW, FactKind.IDENTITY, "I work at a bank"),
        (Volatility.NORMAL, FactKind.WORK_PATTERN, "I run in the mornings"),
        (Volatility.NORMAL, FactKind.BLOCKER, "I'm stuck on the visa"),
        (Volatility.VOLATILE, FactKind.IDENTITY, "I'm so tired right now"),
        (Volatility.NORMAL, FactKind.DECISION, "I might quit"),
    ],
)
def test_volatility(volatility: Volatility, kind: FactKind, quote: str) -> None:
    """A birthplace stays, a mood goes."""
    assert meant(quote, kind).volatility is volatility


@each(
    ("kind", "quote"),
    [
        (FactKind.BLOCKER, "that is sorted, the bank unfroze the account"),
        (FactKind.BLOCKER, "the knee is not a problem anymore"),
        (FactKind.BLOCKER, "my shoulder is completely healed"),
        (FactKind.GOAL, "I finished the marathon!!"),
        (FactKind.DECISION, "we called the wedding off after all"),
    ],
)
def test_what_is_settled(kind: FactKind, quote: str) -> None:
    """A blocker gone, a goal reached, a decision reversed."""
    assert meant(quote, kind).is_settled


@each(
    ("kind", "quote"),
    [
        (FactKind.BLOCKER, "the visa is stuck"),
        (FactKind.BLOCKER, "my shoulder isn't fully healed"),
        (FactKind.GOAL, "I want to have it finished by June"),
        (FactKind.IDENTITY, "the house is finished"),
    ],
)
def test_what_is_open(kind: FactKind, quote: str) -> None:
    """What is only wished for is not reached, and other kinds are never done."""
    assert not meant(quote, kind).is_settled


@each(
    ("quote", "begins", "ends"),
    [
        ("I live in Lisbon", None, None),
        ("I've been on leave since April", day(2025, 4), None),
        ("from July on I only work mornings", day(2025, 7), None),
        ("I moved to Porto in March", day(2025, 3), None),
        ("I lived in Lyon until 2020", None, day(2021, 1)),
        ("I was in Rome from 3 to 9 March", day(2025, 3, 3), day(2025, 3, 10)),
        ("I'm in Berlin this week", day(2025, 5, 12), day(2025, 5, 19)),
        ("my exam is on 3 June", day(2025, 6, 3), day(2025, 6, 4)),
        ("I run every Monday", None, None),
        ("band practice is Sunday", None, None),
        ("the bins go out on Thursday now", None, None),
        ("I'm off dairy for a month", None, WEDNESDAY + timedelta(days=30)),
        ("I've been off dairy for a month", None, None),
        ("the road is closed until 3 June", None, day(2025, 6, 4)),
        ("an insulin jab twice a day from tomorrow", day(2025, 5, 15), None),
        ("from July I only work mornings", day(2025, 7), None),
        ("I'm stuck in traffic", None, WEDNESDAY + timedelta(days=1)),
        ("I have a streaming cold", None, WEDNESDAY + timedelta(days=21)),
        ("I always get a cold in winter", None, None),
        ("I was put on metformin because of a sore throat", None, None),
    ],
)
def test_when_it_holds(quote: str, begins: datetime | None, ends: datetime | None) -> None:
    """As far as the words say so; a day on which something takes place is not when it begins to be so."""
    meaning = meant(quote, FactKind.IDENTITY)
    assert (meaning.valid_from, meaning.valid_to) == (begins, ends)


@each(
    ("quote", "begins", "ends"),
    [
        ("my exam is on 3 June", day(2025, 6, 3), day(2025, 6, 4)),
        ("dentist on the 28th", day(2025, 5, 28), day(2025, 5, 29)),
        ("we're in Rome 12 to 19 sept", day(2025, 9, 12), day(2025, 9, 20)),
        ("I'm away until the 20th", None, day(2025, 5, 21)),
        ("I start the new job on 14 june", day(2025, 6, 14), None),
        ("we're moving to Leeds in august", day(2025, 8), None),
        ("moved here last year, exam on friday", day(2025, 5, 16), day(2025, 5, 17)),
        ("I fly on friday, back on sunday", day(2025, 5, 16), day(2025, 5, 19)),
        ("I have to submit by friday", None, day(2025, 5, 17)),
        ("I want to be done before June 2025", None, None),
        ("we need to leave before june", None, day(2025, 6)),
        ("her birthday is on friday", None, None),
        ("she turns 5 in may", None, None),
        ("if they offered I'd move tomorrow", None, None),
    ],
)
def test_when_what_is_planned_takes_place(quote: str, begins: datetime | None, ends: datetime | None) -> None:
    """On its days, or until it is due; what begins has no end, and a birthday neither begins nor ends."""
    meaning = meant(quote, FactKind.EVENT)
    assert (meaning.valid_from, meaning.valid_to) == (begins, ends)


def test_a_planned_day_is_one_where_the_person_lives() -> None:
    """It begins at midnight in Auckland; how words were read to be meant counts more than their form."""
    late = datetime(2025, 5, 14, 20, tzinfo=UTC)
    draft = drafted("tomorrow", FactKind.IDENTITY)
    meaning = read_meaning(draft, at=late, zone="Pacific/Auckland", modality=Modality.PLANNED)
    assert meaning.modality is Modality.PLANNED
    assert meaning.valid_from == datetime(2025, 5, 15, 12, tzinfo=UTC)
    assert meaning.valid_to == datetime(2025, 5, 16, 12, tzinfo=UTC)


def test_no_day_ends_an_allergy_that_is_told_beside_it() -> None:
    """What is taken for it does, and an allergy that is denied is dated as anything else."""
    meaning = meant("he's allergic to cats, so Pickle is out from thursday", FactKind.IDENTITY)
    assert (meaning.valid_from, meaning.valid_to) == (None, None)
    for passing in ("I'm on antibiotics until the 20th", "I'm not allergic until the 20th"):
        assert meant(passing, FactKind.IDENTITY).valid_to == day(2025, 5, 21)


def test_an_event_does_not_end_with_its_day() -> None:
    """That it took place stays true."""
    meaning = meant("defended my thesis today", FactKind.EVENT)
    assert (meaning.valid_from, meaning.valid_to) == (None, None)


@given(quote=st.text(), kind=st.sampled_from(FactKind), at=st.datetimes(timezones=st.just(UTC)))
def test_any_words_can_be_read(quote: str, kind: FactKind, at: datetime) -> None:
    """What holds from some time on does not end before."""
    meaning = read_meaning(drafted(f"since yesterday until tomorrow {quote}", kind), at=at, zone=None)
    assert meaning.valid_from is None or meaning.valid_to is None or meaning.valid_from < meaning.valid_to
