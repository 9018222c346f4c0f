"""Which numbers of a message measure its speaker's life, what they measure, and when."""

from __future__ import annotations

from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.measurement import Manner, Measurement, Nature
from yesteryear.measure.measurements import find_measurements
from yesteryear.measure.table import measures

WEDNESDAY = datetime(2026, 3, 4, 20, tzinfo=UTC)


def read(text: str, question: str = "") -> list[Measurement]:
    """Return what is told on a Wednesday evening."""
    return find_measurements(text, at=WEDNESDAY, zone="Europe/London", question=question)


def told(text: str, question: str = "") -> list[tuple[str, float, str]]:
    """Return measure, value and unit of what is told."""
    return [(row.measure, round(row.value, 2), row.unit) for row in read(text, question)]


@each(
    ("text", "wanted"),
    [
        ("I walked 8,381 steps today.", [("steps", 8381, "step")]),
        ("I just spent $12.39 on lunch", [("spent", 12.39, "USD")]),
        ("slept terribly, four hours tops", [("sleep", 4, "hour")]),
        ("Ran 4.2k round the block, 31 mins", [("run", 4.2, "km"), ("run", 31, "minute")]),
        ("weighed in at 84.6 kg", [("weight", 84.6, "kg")]),
        ("tiredness 8/10", [("energy", 8, "/10")]),
        ("mood 6/10, energy 4/10", [("mood", 6, "/10"), ("energy", 4, "/10")]),
        ("I smoked seven cigarettes", [("cigarettes", 7, "cigarette")]),
        ("slept from 11 to 7, first proper night", [("sleep", 8, "hour")]),
        ("in bed by 10:30 pm, woke up at 6", [("sleep", 7.5, "hour")]),
        ("slept from ten till six, so about seven hours", [("sleep", 7, "hour")]),
        ("worked nine to five", [("work", 8, "hour")]),
        ("didn't run 5 km, only 3", [("run", 3, "km")]),
        ("I wanted to read 50 pages but only read 20", [("pages", 20, "page")]),
        ("I thought I slept 8 hours but the watch says 6", [("sleep", 6, "hour")]),
        ("I've gone from 82 kilos to 79", [("weight", 79, "kg")]),
        ("I am 72 kilos, I want to be 65", [("weight", 72, "kg"), ("weight", 65, "kg")]),
        ("two glasses of wine on Friday and three on Saturday", [("alcohol", 2, "drink"), ("alcohol", 3, "drink")]),
        ("Couldn't sleep, maybe 3 hours in total", [("sleep", 3, "hour")]),
        ("piano for half an hour. No, I tell a lie, thirty-five minutes", [("practice", 35, "minute")]),
        ("duty again, 8 hours, and those 8 hours felt like 80", [("work", 8, "hour")]),
        ("I haven't smoked for 12 days", [("streak", 12, "day")]),
        ("bought a jacket for 80 and shoes for 120", [("spent", 80, ""), ("spent", 120, "")]),
        ("my knee's about a 5 out of 10", [("pain", 5, "/10")]),
        ("6 hours on my phone", [("screen", 6, "hour")]),
        ("I weighed myself at the gym: 81.3", [("weight", 81.3, "")]),
        ("blood pressure is one thirty four over eighty two", [("blood_pressure", 134, "mmHg")]),
        ("paid £12 for lunch and I left at 2", [("spent", 12, "GBP")]),
        ("I spent 50 euros so I didn't take a taxi", [("spent", 50, "EUR")]),
        ("just wanted to say I ran 4 km", [("run", 4, "km")]),
        ("Coffee is all I live on. three cups today", [("coffee", 3, "cup")]),
        ("Me and Anna walked 8 km", [("walk", 8, "km")]),
        ("ran 5 to 6k", [("run", 5, "km")]),
        ("I ran 5 km. Sorry, my sister weighs 60 kg", [("run", 5, "km")]),
        ("I ran 5 km, sorry, 6 km", [("run", 6, "km")]),
        ('He said "nice" so I ran 5 km.', [("run", 5, "km")]),
        ("worked 45 hours this week", [("work", 45, "hour")]),
        ("I ran 5 km. I did 200 push-ups lol jk", [("run", 5, "km")]),
        ("My sister slept five hours, I got four", [("sleep", 4, "hour")]),
        ("Usually I run 10 km. Today only 6", [("run", 10, "km"), ("run", 6, "km")]),
        ("Spent 740 on the cab and 260 on dinner", [("spent", 740, ""), ("spent", 260, "")]),
        ("bought milk 50 and bread 22", [("spent", 50, ""), ("spent", 22, "")]),
        ("Paid the electricity yesterday, 1,450", [("spent", 1450, "")]),
        ("rent is 780 a month", [("spent", 780, "")]),
        ("Day 12 without sugar", [("streak", 12, "day")]),
        ("forgot to say I ran 4 km", [("run", 4, "km")]),
        ("Ran the race in 26:12", [("run", 26.2, "minute")]),
        ("14 customers today", [("count", 14, "")]),
        ("3 exams today", [("count", 3, "")]),
        ("painted 3 doors and 4 windows today", [("count", 3, ""), ("count", 4, "")]),
        ("hours of sleep: 6", [("sleep", 6, "hour")]),
        ("this morning I weighed 80 kg", [("weight", 80, "kg")]),
        ("my run was 5 km", [("run", 5, "km")]),
        ("two hours of gaming, and I beat level 40", [("screen", 2, "hour")]),
        ("I slept 7 hours, no kidding", [("sleep", 7, "hour")]),
        ("got home and paid 20 euros for the taxi", [("spent", 20, "EUR")]),
        ("got 30 euros back for the shoes", [("earned", 30, "EUR")]),
        ("sugar was 6.8", [("glucose", 6.8, "mmol/L")]),
        ("ran 800 meters", [("run", 800, "meter")]),
        ("I slept 7 hours and 3 kids woke me", [("sleep", 7, "hour")]),
        ("my exam mark: 88!!!!", [("mark", 88, "")]),
        ("Read 80 pages on the tram", [("pages", 80, "page")]),
        ("blood pressure was 132 over 84", [("blood_pressure", 132, "mmHg")]),
        ("I sent eleven applications today", [("count", 11, "")]),
        ("practised the violin for 40 minutes", [("practice", 40, "minute")]),
        ("I got paid 640 euros today", [("earned", 640, "EUR")]),
        ("Put away 60 dollars for a drum kit", [("saved", 60, "USD")]),
        ("my sister ran 10 km, I did 5 km of running", [("run", 5, "km")]),
        ("9 miles run tonight, no hang on, 8", [("run", 8, "mile")]),
        ("I grabbed a coffee for $3.18", [("coffee", 1, "coffee"), ("spent", 3.18, "USD")]),
        (
            "five hours of sleep, two coffees and a glass of wine",
            [("sleep", 5, "hour"), ("coffee", 2, "coffee"), ("alcohol", 1, "drink")],
        ),
    ],
)
def test_what_somebody_measures_of_their_life_is_read(text: str, wanted: list[tuple[str, float, str]]) -> None:
    """With the unit that was said, or that goes without saying."""
    assert told(text) == wanted


@each(
    "text",
    [
        "My sister weighs 61 kg",
        "spent 5 hours on the phone with the bank",
        "checked my son's blood sugar, 212",
        "Jack's temperature was 38.5",
        "Evie's running 39",
        "I used to weigh 90 kilos",
        "The movie is two hours long, I slept",
        "the shop is open from 9 to 5",
        "my shift is from 2 to 10",
        "20 Marlboro are 17 quid now",
        "Tickets cost 30, so we didn't go",
        "I've got lamb chops for four",
        "Coffee is all I live on. Add 2 cups of flour",
        "Tom ran 10 km yesterday",
        "if I ran 10 km I would die",
        "I will run 10 km tomorrow",
        "I didn't run 10 km",
        "should I run 10 km?",
        "is 6 hours of sleep enough for a boy. asking for a friend",
        "the flour comes in a 5 kg bag",
        "He said: “I ran 10 km this morning”",
        "that burrito was a 10/10",
        "I no longer want to run 30 km a week",
        "Forget that I slept 7 hours",
        "two pints of milk",
        "I told you a hundred times",
        "ring me on 0113 496 0182",
        "we meet at 7 on the 12th in room 14",
        "I'm a coffee lover, it's just a small step",
        "Love you <3, those kind words helped",
        "The Pruitts made an offer of $205,000",
        "take 2 cups of flour and half a cup of sugar",
        "I lent Tom 50 euros for lunch",
        "he owes me 20 euros for the taxi",
        "I owe Ana 15 euros for dinner",
        "borrowed 40 dollars from my brother for petrol",
        "Tom paid me back 25 euros for the tickets",
        "I ran 50 km today... just kidding",
        "slept 14 hours lol jk",
        "I spent 9000 euros on shoes! Only joking.",
        "The boots are normally 90 euros",
        "Dad ran 10 km",
        "still those same three coffees today",
        "room 7 has a temperature of 39",
        "if I could save 500 a month",
        "The marathon is 42 km",
        "My suitcase weighs 23 kg",
        "it weighs 4 kg",
        "the flat is 60 m2",
        "the book has 300 pages",
        "My character weighs 80 kg and walked 30 km",
        "ran 12 km in Skyrim",
        "I reached level 12 and have 900 hp",
    ],
)
def test_what_only_looks_so_is_not(text: str) -> None:
    """Somebody else's, imagined, planned, denied, asked, quoted; a thing's size; what is no measure."""
    assert told(text) == []


@each(
    ("text", "nature", "value"),
    [
        ("my goal is 10k steps a day", Nature.TARGET, 10_000),
        ("keep my lunch spending under $115 per week", Nature.TARGET, 115),
        ("keep spending on food under 200", Nature.TARGET, 200),
        ("my food budget is 300", Nature.TARGET, 300),
        ("I want to save 500 a month", Nature.TARGET, 500),
        ("Save 500 a month", Nature.TARGET, 500),
        ("I save 500 a month", Nature.USUAL, 500),
        ("I saved 500 last month", Nature.MEASURED, 500),
        ("I usually sleep 6 hours a night", Nature.USUAL, 6),
        ("lost two kilos since January", Nature.CHANGE, -2),
        ("half a kilo heavier than on Monday", Nature.CHANGE, 0.5),
    ],
)
def test_it_is_told_what_a_number_is_of(text: str, nature: Nature, value: float) -> None:
    """A goal, a habit, or a difference from before."""
    (found,) = read(text)
    assert (found.nature, found.value) == (nature, value)


@each(
    ("text", "first", "last"),
    [
        ("ran 5 km", 4, 4),
        ("ran 5 km yesterday", 3, 3),
        ("slept 5 hours last night", 4, 4),
        ("drank two beers last night", 3, 3),
        ("spent 84 euros on food this week", 2, 4),
        ("on Monday I ran 5 km", 2, 2),
    ],
)
def test_a_number_is_of_the_days_that_are_named(text: str, first: int, last: int) -> None:
    """Else of the day on which it was said; a night's sleep is of the morning."""
    (found,) = read(text)
    assert (found.first_day, found.last_day) == (date(2026, 3, first), date(2026, 3, last))


@each(
    ("text", "question", "wanted"),
    [
        ("barely five", "How did you sleep?", [("sleep", 5, "hour")]),
        ("164.5 pounds, in my robe", "Did you weigh yourself?", [("weight", 164.5, "lb")]),
        ("barely five", "How many are coming?", []),
    ],
)
def test_an_answer_is_understood_by_what_was_asked(
    text: str, question: str, wanted: list[tuple[str, float, str]]
) -> None:
    """A number alone says nothing without it."""
    assert told(text, question) == wanted


@each(
    ("text", "what"),
    [
        ("spent 12 euros on lunch", "lunch"),
        ("keep spending on food under 200", "food"),
        ("my food budget is 300", "food"),
        ("I save 500 a month", ""),
        ("bought new boots, 140 dollars", "boots"),
        ("the parking cost me £11", "parking"),
        ("lasagne again, 9 dollars spent", "lasagne"),
        ("food: 14 euros at the market", "food"),
        ("max 40 euros a week on pizza", "pizza"),
        ("On Monday I paid the vet $142", "vet"),
        ("Sold the old lamp for $75", "lamp"),
        ("Supper was $14 at the station", "Supper"),
        ("spent 31 euros on food. No sorry, 13 euros", "food"),
    ],
)
def test_money_says_what_it_went_on(text: str, what: str) -> None:
    """As it was said."""
    (found,) = read(text)
    assert what in found.what if what else not found.what


@each(
    ("text", "manner"),
    [
        ("I ran 12 km", Manner.FIRST),
        ("I ran 9 km, no wait, 12 km", Manner.FIRST),
        ("no wait, I ran 12 km", Manner.CORRECTS),
        ("Sorry, my run was 12 km", Manner.CORRECTS),
        ("I meant I ran 12 km", Manner.CORRECTS),
        ("oh wait no I ran 12 km", Manner.CORRECTS),
        ("hm, actually it was a run of 12 km", Manner.CORRECTS),
        ("scratch that, ran 12 km", Manner.CORRECTS),
        ("ran not 21 but 12 km", Manner.CORRECTS),
        ("I ran 12 km, not 21", Manner.CORRECTS),
        ("as I said, I ran 12 km", Manner.REPEATS),
        ("like i told you i ran 12 km", Manner.REPEATS),
        ("again: ran 12 km", Manner.REPEATS),
        ("that 12 km run hurt", Manner.REPEATS),
    ],
)
def test_a_number_is_told_as_new_anew_or_once_more(text: str, manner: Manner) -> None:
    """What one message corrects within itself is new; what is said to be wrong is none."""
    (found,) = read(text)
    assert (found.measure, found.value, found.manner) == ("run", 12, manner)


@each(
    ("text", "wanted"),
    [
        ("Sorry, it was 28 euros", [("spent", 28, "EUR", "takeaway", Manner.CORRECTS)]),
        ("no wait, 28", [("spent", 28, "EUR", "takeaway", Manner.CORRECTS)]),
        ("no wait, 28 not 18", [("spent", 28, "EUR", "takeaway", Manner.CORRECTS)]),
        ("Sorry, the meeting is on the 12th, 2 people", []),
        ("Sorry, it was 28 dollars", []),
        ("Sorry, Tom paid 28 euros", []),
        ("28 euros", []),
        ("8 miles round the park. no wait, 7", []),
    ],
)
def test_a_correction_is_of_what_was_told_before(text: str, wanted: list[tuple[str, float, str, str, Manner]]) -> None:
    """It takes what it does not tell from there, but no other currency."""
    earlier = read("Spent 18 euros on takeaway")
    found = find_measurements(text, at=WEDNESDAY, zone=None, earlier=earlier)
    assert [(row.measure, row.value, row.unit, row.what, row.manner) for row in found] == wanted


@each(
    ("text", "days"),
    [
        ("I slept 7 hours last night and drank two coffees", [4, 4]),
        ("Spent 12 euros on lunch, and last night I slept 5 hours", [4, 4]),
        ("ran 5 km and walked 3 km yesterday", [3, 3]),
        ("Yesterday I ran 5 km and walked 3 km", [3, 3]),
        ("ran 5 km on Monday and 7 on Tuesday", [2, 3]),
        ("I weigh 72 kg, 0.6 kg less than on Monday", [4, 2]),
        ("I studied four hours yesterday, today only two", [3, 4]),
    ],
)
def test_a_time_is_of_what_it_opens_or_closes(text: str, days: list[int]) -> None:
    """It does not spread to another deed; what a number is compared with is not its day."""
    assert [row.first_day.day for row in read(text)] == days


@each(
    ("text", "what"),
    [
        ("slept 7 hours", ""),
        ("had a nap for 40 minutes", "nap"),
        ("back to bed, slept another 2 hours", "nap"),
        ("slept an hour this afternoon", "nap"),
    ],
)
def test_a_nap_is_told_from_a_nights_sleep(text: str, what: str) -> None:
    """It is added to it."""
    (found,) = read(text)
    assert (found.measure, found.what) == ("sleep", what)


@given(st.text(max_size=200) | st.sampled_from(["I ran 5 km ", "I spent ", "0x1 ", "½ h "]).map(lambda part: part * 60))
def test_any_text_is_read(text: str) -> None:
    """Without an error; what is read stands in the text and is of the table."""
    for row in read(text):
        assert 0 <= row.start < row.end <= len(text)
        assert row.measure in measures() or row.measure == "count"
        assert row.first_day <= row.last_day <= WEDNESDAY.date()
