"""Dates as people tell them, resolved by tense and said in full."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.dates import Period
from yesteryear.core.wallclock import Grain
from yesteryear.providers.local.facts.spoken_dates import find_dates, needs_its_day, say_dates

WEDNESDAY = datetime(2025, 5, 14, 12, tzinfo=UTC)


def said(text: str, *, at: datetime = WEDNESDAY, zone: str | None = None) -> str:
    """Return a text told on 14 May 2025 with its dates made absolute."""
    return say_dates(text, at=at, zone=zone)


@each(
    ("text", "absolute"),
    [
        ("I ran on saturday", "I ran on Saturday 10 May 2025"),
        ("hurt my knee on saturday", "hurt my knee on Saturday 10 May 2025"),
        ("I start on Monday", "I start on Monday 19 May 2025"),
        ("Friday is my last day", "Friday 16 May 2025 is my last day"),
        ("the bank unfroze it on Wednesday", "the bank unfroze it on Wednesday 14 May 2025"),
        ("i'll ask her monday", "i'll ask her on Monday 19 May 2025"),
        ("my wedding is in June", "my wedding is in June 2025"),
        ("results come out in may", "results come out in May 2025"),
        ("I moved to Lyon in September", "I moved to Lyon in September 2024"),
        ("by 3 March I want to finish", "by 3 March 2026 I want to finish"),
        ("on 7 May I turned 40", "on 7 May 2025 I turned 40"),
        ("In April", "In April 2025"),
        ("we fly at Christmas", "we fly at Christmas"),
        ("I want to open before Christmas of next year", "I want to open before Christmas 2026"),
        ("I finished in early June", "I finished in early June 2024"),
        ("planned for July", "planned for July 2025"),
        ("booked a cottage, 3 to 9 July", "booked a cottage, 3 to 9 July 2025"),
        ("I fast till about 19 june", "I fast till about 19 June 2025"),
        ("no running til july", "no running til July 2025"),
        ("see u tmrw", "see u on 15 May 2025"),
        ("come back in 3 wks", "come back around 4 June 2025"),
        ("until about friday", "until about Friday 16 May 2025"),
        ("last nite's dinner", "the night of 13 May 2025 dinner"),
        ("the party is sat 7 june", "the party is sat 7 June 2025"),
        ("the party is sat the 7th", "the party is on 7 June 2025"),
        ("she sat 3rd in line", "she sat 3rd in line"),
        ("dinner with Tomo", "dinner with Tomo"),
        ("they have given us the 30th of June", "they have given us the 30th of June 2025"),
        ("the road is closed until 3 July", "the road is closed until 3 July 2025"),
        ("I lived there until April", "I lived there until April 2025"),
    ],
)
def test_the_tense_tells_which_one_is_meant(text: str, absolute: str) -> None:
    """Past forms nearby mean the last one; else it is to come, and a month that is just over was."""
    assert said(text) == absolute


@each(
    ("text", "absolute"),
    [
        ("I quit yesterday", "I quit on 13 May 2025"),
        ("defended my thesis today!", "defended my thesis on 14 May 2025!"),
        ("last week I got it", "in the week of 5 May 2025 I got it"),
        ("last month", "in April 2025"),
        ("this year I turn 40", "in 2025 I turn 40"),
        ("last summer I went", "in summer 2024 I went"),
        ("last winter I went", "in winter 2024/25 I went"),
        ("this morning he called", "on the morning of 14 May 2025 he called"),
        ("tonight I sing", "on the evening of 14 May 2025 I sing"),
        ("two weeks ago we moved", "around 30 April 2025 we moved"),
        ("ten years ago I left", "around 2015 I left"),
        ("I fly in two weeks", "I fly around 28 May 2025"),
        ("in 3 days it ends", "on 17 May 2025 it ends"),
        ("over the weekend I painted", "on the weekend of 10 May 2025 I painted"),
        ("tomorrow's exam", "the 15 May 2025 exam"),
        ("since last year", "since 2024"),
        ("until the end of May", "until the end of May 2025"),
        ("from the 1st of July I rest", "from the 1st of July 2025 I rest"),
        ("I swim in the summer of 2026", "I swim in the summer of 2026"),
        ("on 2025-05-07 and on 7/5", "on 2025-05-07 and on 7/5"),
    ],
)
def test_dates_are_said_as_exactly_as_they_were_told(text: str, absolute: str) -> None:
    """A day stays a day and a month a month; what says its year stays as it is."""
    assert said(text) == absolute


@each(
    "text",
    "every Monday I swim|our Thursday writing group|I always swim on Saturday|in winter I sleep badly|on a Friday"
    "|I swim on Monday and Friday|Wednesday evenings are mine|the last Friday of the month|on paper I'd apply tomorrow"
    "|May I ask?|she may come|after the fall at our wedding|I lost 5 kg in two weeks|in 90 days|for three weeks"
    "|usually I call them at Christmas".split("|"),
)
def test_what_comes_again_is_no_date(text: str) -> None:
    """Habits, cases that are put, and lengths of time stay as they are."""
    assert said(text) == text


def test_the_day_is_the_one_it_was_for_the_person() -> None:
    """Late in the evening in London it is tomorrow in Tokyo."""
    late = datetime(2025, 5, 14, 20, tzinfo=UTC)
    assert said("I quit today", at=late, zone="Asia/Tokyo") == "I quit on 15 May 2025"
    assert said("I quit today", at=late, zone="Europe/London") == "I quit on 14 May 2025"


def test_a_bound_is_kept_with_its_date() -> None:
    """What opens a stretch and what closes one; a deadline does neither."""
    since, until = find_dates("I am here since April until Friday", at=WEDNESDAY, zone=None)
    assert (since.begins_at, since.ends_at) == (datetime(2025, 4, 1, tzinfo=UTC), None)
    assert (until.begins_at, until.ends_at) == (None, datetime(2025, 5, 17, tzinfo=UTC))
    assert since.period.grain is Grain.MONTH
    (after,) = find_dates("after March 2026 I rest", at=WEDNESDAY, zone=None)
    assert after.begins_at == datetime(2026, 4, 1, tzinfo=UTC)
    (deadline,) = find_dates("I want it done before June 2025", at=WEDNESDAY, zone=None)
    assert (deadline.begins_at, deadline.ends_at) == (None, None)


def test_a_person_is_no_month() -> None:
    """April is somebody's name here."""
    assert find_dates("April moved", at=WEDNESDAY, zone=None, names=frozenset({"april"})) == []


@given(
    text=st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            "coming after before fortnight a end early if would 28th 31 till - "
            "on in the last next this every May March monday Friday week month year 3 7th 2024 two ago since until by "
            "from to and tomorrow yesterday tonight morning summer Christmas of before I ran will 's , .".split()
        ),
        max_size=12,
    ).map(" ".join),
    at=st.datetimes(timezones=st.just(UTC)),
    zone=st.sampled_from([None, "Pacific/Auckland", "America/Los_Angeles"]),
)
def test_any_text_at_any_time_can_be_told(text: str, at: datetime, zone: str | None) -> None:
    """Dates lie in the text, one after the other."""
    dates = find_dates(text, at=at, zone=zone)
    assert all(0 <= date.start < date.end <= len(text) for date in dates)
    assert all(date.period.start < date.period.end for date in dates)
    say_dates(text, at=at, zone=zone)


@each(
    ("text", "said"),
    [
        ("I signed up for the half on sunday 10 may", "Sunday 10 May 2026"),
        ("walls painted by friday 1 may", "Friday 1 May 2026"),
        ("I ran it on saturday 10 may", "Saturday 10 May 2025"),
    ],
)
def test_a_weekday_tells_which_year_is_meant(text: str, said: str) -> None:
    """Whatever the tense of the verb before it."""
    assert said in say_dates(text, at=datetime(2026, 3, 12, 9, tzinfo=UTC), zone=None)


@each(
    ("text", "absolute"),
    [
        ("this monday we fly", "on Monday 19 May 2025 we fly"),
        ("this monday we flew", "on Monday 12 May 2025 we flew"),
        ("next monday I have an exam", "on Monday 19 May 2025 I have an exam"),
        ("last friday I fell", "on Friday 9 May 2025 I fell"),
        ("this coming friday I fly", "on Friday 16 May 2025 I fly"),
        ("friday next week I fly", "on Friday 23 May 2025 I fly"),
        ("next week on friday I fly", "on Friday 23 May 2025 I fly"),
        ("on monday last week I fell", "on Monday 5 May 2025 I fell"),
        ("rent is due the 1st", "rent is due on 1 June 2025"),
        ("rent went up on the 1st", "rent went up on 1 May 2025"),
        ("due the 5th of next month", "due on 5 June 2025"),
        ("dentist is the 28th", "dentist is on 28 May 2025"),
        ("friday the 13th we fly", "on 13 June 2025 we fly"),
        ("a week on tuesday I have the scan", "on Tuesday 27 May 2025 I have the scan"),
        ("scan tuesday week", "scan on Tuesday 27 May 2025"),
        ("scan a fortnight on friday", "scan on Friday 30 May 2025"),
        ("scan a week tomorrow", "scan on 22 May 2025"),
        ("three weeks from now we fly", "around 4 June 2025 we fly"),
        ("we fly in three weeks", "we fly around 4 June 2025"),
        ("in a month's time I retire", "around June 2025 I retire"),
        ("a fortnight ago I quit", "around 30 April 2025 I quit"),
        ("a few days ago I quit", "around 11 May 2025 I quit"),
        ("the weekend after next we paint", "on the weekend of 31 May 2025 we paint"),
        ("the week before last I was ill", "in the week of 28 April 2025 I was ill"),
        ("this weekend we paint", "on the weekend of 17 May 2025 we paint"),
        ("was away this weekend", "was away on the weekend of 10 May 2025"),
        ("by the end of the month I pay", "by the end of May 2025 I pay"),
        ("early next week I fly", "early in the week of 19 May 2025 I fly"),
        ("we marry in july next year", "we marry in July 2026"),
        ("off to Rome 12 to 19 sept", "off to Rome 12 to 19 Sept 2025"),
        ("holiday 19 till 24 march", "holiday 19 till 24 March 2026"),
        ("we were in Rome 12 to 19 april", "we were in Rome 12 to 19 April 2025"),
        ("I'm away from the 3rd to the 7th", "I'm away from 3 June to 7 June 2025"),
        ("I was off from the 3rd to the 7th", "I was off from 3 May to 7 May 2025"),
        ("off between the 3rd and the 7th", "off between 3 June and 7 June 2025"),
        ("we're away from the 12th till the 16th", "we're away from 12 May to 16 May 2025"),
        ("I'm off monday to friday next week", "I'm off from 19 May to 23 May 2025"),
        ("away 28 dec to 3 jan", "away 28 Dec to 3 Jan 2026"),
        ("dentist got moved to friday", "dentist got moved to Friday 16 May 2025"),
        ("interview moved from friday to monday", "interview moved from friday to Monday 19 May 2025"),
        ("it was postponed from 12 June to 26 June", "it was postponed from 12 June to 26 June 2025"),
        ("pushed back from the 12th to the 26th", "pushed back from the 12th to 26 May 2025"),
        ("The eye test is on the 20th now.", "The eye test is on 20 May 2025 now."),
        ("it's on the 20th instead", "it's on 20 May 2025 instead"),
        ("it's on Thursday, not Friday", "it's on Thursday 15 May 2025, not Friday"),
        ("it's on Thursday instead of Friday", "it's on Thursday 15 May 2025 instead of Friday"),
        ("I was told I start on monday", "I was told I start on Monday 19 May 2025"),
        ("I decided to go on friday", "I decided to go on Friday 16 May 2025"),
        ("we agreed on monday to split", "we agreed on Monday 12 May 2025 to split"),
        ("moved here last year, exam on friday", "moved here in 2024, exam on Friday 16 May 2025"),
        ("I've got an exam on friday", "I've got an exam on Friday 16 May 2025"),
        ("I'll quit at the end of june", "I'll quit at the end of June 2025"),
        ("boss wants it done before the 20th", "boss wants it done before 20 May 2025"),
        ("dentist on 13/6", "dentist on 13 June 2025"),
        ("mum's having her hip done on the 9th", "mum's having her hip done on 9 June 2025"),
        ("a week next tuesday I have the scan", "on Tuesday 27 May 2025 I have the scan"),
        ("changed my course from september", "changed my course from September 2025"),
        ("they reduced our hours from march", "they reduced our hours from March 2025"),
        ("in Greece 3rd of august to the 17th", "in Greece from 3 August to 17 August 2025"),
        ("tomorrow's my last day", "15 May 2025 is my last day"),
        ("the 28th works for me", "28 May 2025 works for me"),
        ("party 9 june at ours", "party 9 June 2025 at ours"),
        ("I will probably move in autumn", "I will probably move in autumn 2025"),
        ("around the 20th I fly", "around 20 May 2025 I fly"),
        ("in the summer we're going to Spain", "in the summer of 2025 we're going to Spain"),
    ],
)
def test_dates_as_people_say_them(text: str, absolute: str) -> None:
    """What is planned is ahead and what happened behind, as near as the words allow."""
    assert said(text) == absolute


@each(
    ("text", "day"),
    [
        ("I made a dentist appointment for the 20th.", "20 May"),
        ("I made an appointment with the bank for Friday at 2.", "Friday 16 May"),
        ("I got a vet appointment for Thursday.", "Thursday 15 May"),
        ("Reserved a table at Luigi's for the 13th at 7.", "13 June"),
        ("I cancelled my haircut for friday", "Friday 16 May"),
        ("I signed up for a race on the 28th.", "28 May"),
        ("I bought tickets for the concert on the 12th.", "12 June"),
        ("I've been asked to give a speech on Friday.", "Friday 16 May"),
        ("I've been asked to babysit on Friday.", "Friday 16 May"),
        ("they offered me an interview on monday", "Monday 19 May"),
        ("I got a dentist appointment on Monday", "Monday 19 May"),
        ("my doctor referred me for a scan on the 24th", "24 May"),
        ("got a date on friday!!", "Friday 16 May"),
        ("Got a parents evening on Monday at 6pm", "Monday 19 May"),
        ("got an interview at York hospital on thursday, 2pm", "Thursday 15 May"),
        ("We decided on Wales for the summer, 1-8 august", "1-8 August"),
        ("My brother has a wedding and is flying out on 14 June.", "14 June"),
        ("My dad has chemo, starting on 9 June.", "9 June"),
        ("I do my driving test on Thursday.", "Thursday 15 May"),
    ],
)
def test_what_is_arranged_for_a_day_is_ahead(text: str, day: str) -> None:
    """Whatever the tense in which somebody tells that they did so."""
    assert f"{day} 2025" in said(text)


@each(
    ("text", "day"),
    [
        ("I bought a coat on the 12th", "12 May"),
        ("I got a cold on Thursday", "Thursday 8 May"),
        ("I made dinner for Tom on Thursday", "Thursday 8 May"),
        ("I made an appointment on Friday", "Friday 9 May"),
        ("I signed up on Friday", "Friday 9 May"),
        ("I bought tickets on Friday", "Friday 9 May"),
        ("I signed up for a race on the 12th and ran it", "12 May"),
        ("I was asked to leave the party on Saturday", "Saturday 10 May"),
        ("our teacher gave us a test on Friday", "Friday 9 May"),
        ("I met Tom at a party on Saturday", "Saturday 10 May"),
        ("Heart attack on Sunday.", "Sunday 11 May"),
    ],
)
def test_what_was_done_on_a_day_is_behind(text: str, day: str) -> None:
    """Nothing was arranged for it, or only on it."""
    assert f"{day} 2025" in said(text)


@each(
    "text",
    "if they offered I'd move tomorrow|would love to go in may|wish it were friday"
    "|we'll stay in on saturday if it rains|if it rains on saturday, we stay in|if it rains, we stay in on saturday"
    "|what if I started on monday|I was supposed to start on monday|could do tuesday|imagine we moved next month".split(
        "|"
    ),
)
def test_what_is_wished_or_put_as_a_case_dates_nothing(text: str) -> None:
    """It may never come to it."""
    assert said(text) == text


@each(
    "text",
    "my son turns 5 in may|my birthday is 9 may|our anniversary is the 12th of august|I was born on 5 june"
    "|next friday I fly|next june we're in Cork|the friday after next we paint|dentist on 5/2|dentist on 30 february"
    "|wedding on sunday 14 june|I came in the 3rd|I work monday to friday"
    "|I lost 5kg in three weeks|I read two books in a week|I can do it in two weeks"
    "|grandad died on easter monday|he told me he was leaving on friday".split("|"),
)
def test_no_date_is_guessed(text: str) -> None:
    """What comes each year has no year, and what can be understood in two ways stays as it was said."""
    assert said(text) == text


@each(
    ("text", "needs"),
    [
        ("I fly next friday", True),
        ("since the last Friday of May 2025", False),
        ("Ana flies on Monday 5 May 2025", False),
    ],
)
def test_some_times_need_the_day_they_were_said(text: str, needs: bool) -> None:
    """What is left of a date that was not made absolute."""
    assert needs_its_day(text, at=WEDNESDAY, zone=None) is needs


ZONES = (None, "Pacific/Auckland", "America/Los_Angeles", "Asia/Kolkata", "Europe/London")
DAYS = st.dates(min_value=date(2023, 1, 1), max_value=date(2030, 12, 31))
HOURS = st.times(max_value=time(23, 59))


def meant(text: str, day: date, hour: time, zone: str | None) -> tuple[date, date]:
    """Return the first and the last day of the one date in a text that was told at an hour of a day in a zone."""
    at = datetime.combine(day, hour, ZoneInfo(zone or "UTC"))
    (found,) = find_dates(text, at=at.astimezone(UTC), zone=zone)
    return days_of(found.period, zone)


def days_of(period: Period, zone: str | None) -> tuple[date, date]:
    """Return the first and the last day of a period in a zone."""
    place = ZoneInfo(zone or "UTC")
    return period.start.astimezone(place).date(), (period.end - timedelta(hours=1)).astimezone(place).date()


@each("zone", ZONES)
def test_a_weekday_is_on_the_right_side_of_every_day(zone: str | None) -> None:
    """Within seven days: to come after today, past by today at the latest; a year has every change of the clocks."""
    for number in range(366):
        day = date(2023, 1, 1) + timedelta(days=number)
        weekday = number % 5 * 3 % 7
        name = calendar.day_name[weekday].lower()
        ahead, _ = meant(f"on {name} we go", day, time(number % 24), zone)
        behind, _ = meant(f"we went on {name}", day, time(number % 24), zone)
        assert ahead.weekday() == behind.weekday() == weekday
        assert 1 <= (ahead - day).days <= 7
        assert 0 <= (day - behind).days <= 6


@given(day=DAYS, hour=HOURS, zone=st.sampled_from(ZONES), weekday=st.integers(0, 6))
def test_this_last_and_a_week_on(day: date, hour: time, zone: str | None, weekday: int) -> None:
    """Last is before today; this is of the week or to come; a week on is seven days after the coming one."""
    name = calendar.day_name[weekday].lower()
    last, _ = meant(f"last {name} I fell", day, hour, zone)
    this, _ = meant(f"this {name} we fly", day, hour, zone)
    coming, _ = meant(f"we fly {name}", day, hour, zone)
    later, _ = meant(f"we fly a week on {name}", day, hour, zone)
    assert {last.weekday(), this.weekday(), later.weekday()} == {weekday}
    assert 1 <= (day - last).days <= 7
    assert 0 <= (this - day).days <= 6
    assert later - coming == timedelta(days=7)


@given(day=DAYS, hour=HOURS, zone=st.sampled_from(ZONES), number=st.integers(1, 31))
def test_a_day_of_the_month_is_the_nearest(day: date, hour: time, zone: str | None, number: int) -> None:
    """Ahead for what is planned, behind for what happened; no month is left out that has such a day."""
    ahead, _ = meant(f"we fly on the {number}th", day, hour, zone)
    behind, _ = meant(f"we flew on the {number}th", day, hour, zone)
    assert ahead.day == behind.day == number
    assert behind <= day <= ahead
    between = (behind + timedelta(days=past) for past in range(1, (ahead - behind).days))
    assert all(other.day != number or other == day for other in between)


@given(
    day=DAYS,
    hour=HOURS,
    zone=st.sampled_from(ZONES),
    ends=st.tuples(st.integers(1, 28), st.integers(1, 28)).map(sorted),
)
def test_a_stretch_is_ordered_and_not_over(day: date, hour: time, zone: str | None, ends: list[int]) -> None:
    """In the year or month that fits the tense."""
    first, last = ends
    for text, longest in ((f"{first} to {last} sept", 366), (f"from the {first}th to the {last}th", 62)):
        begin, end = meant(f"we'll be away {text}", day, hour, zone)
        assert (begin.day, end.day) == (first, last)
        assert begin <= end
        assert 0 <= (end - day).days <= longest
        begin, end = meant(f"we were away {text}", day, hour, zone)
        assert begin <= day
        assert (begin.day, end.day) == (first, last)
