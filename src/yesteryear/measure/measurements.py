"""Which numbers of a message measure its speaker's life, what they measure, and when. Rules, for English.

A number counts where words of its sentence tell what it measures, its unit can measure that, and nothing says that it
is somebody else's, imagined, asked, only planned, or did not happen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import NamedTuple

from yesteryear.core.language.dates import ToldPeriod, find_told
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import STOP_WORDS, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.measurement import Manner, Measurement, Nature
from yesteryear.core.time import local
from yesteryear.core.wallclock import Grain
from yesteryear.measure.place import JOINT, Place, is_no_payment, is_of_others, nature_of, per_of, places, way_of
from yesteryear.measure.quantities import MOST_CHARS, Quantity, find_quantities
from yesteryear.measure.table import COUNTED as _COUNT
from yesteryear.measure.table import IN_TWO_UNITS, LEVELS, MONEY, Measure, converted, measures, understood

_EN = vocabulary("measures")
_ANEW = vocabulary("series")
NAP = "nap"  # what sleep beside that of a night is called
_TOLD_CHARS = 1_000
"""Characters of a message in which it is looked for that it corrects or repeats: who does so says it at once."""
_PAID_CHARS = 34  # characters before a number in which it is told that it was paid
_FIGURE = re.compile(r"\d")
_BEFORE_CHARS = 20  # characters right before a number in which the same is looked for
_JOKED_CHARS = 60  # characters behind a number in which it is looked for that it was a joke
_OF_BODIES = {"kg": (40.0, 160.0), "lb": (100.0, 350.0), "degC": (35.0, 42.0), "degF": (95.0, 107.0)}
"""What somebody may weigh, and how warm they may be, who says no more than a number with its unit."""
_LIKE_MONEY = 2  # decimals of a number without a unit that is money more often than not: "lunch, 8.50"
_MOST_APART = 3  # how many times as large as another one of the same a number is that goes on from it
_MOST_WRONG = 5  # how many times as large as a number without a unit that which it corrects is, or the other way round
_MOST_COUNTED = 5_000  # largest number of things that somebody counts of their own deeds
_MOST_DAYS = 31  # how many times what somebody has of a day they may have of the stretch that a sentence names
_OPENING_WORDS = 5
"""Words of a message within which a number may answer what was asked before, and of a sentence within which one may
go on from the sentence before."""
_TOLD_BARE = frozenset({"hour", "km", "step", "word", "coffee", "cigarette", "kcal", "drink"})
"""First units that are left out right beside the word that tells what is measured: "slept 6", "steps: 4120"."""
_SELDOM_ONE = frozenset({"step", "word", "page", "day", "kcal"})
"""Units of which a single one is a figure of speech: "a step forward", "one word"."""
_PLURAL = re.compile(r"[^s]s$", re.IGNORECASE)
_PURPOSES = frozenset(word for kinds in _EN.table("purposes").values() for word in kinds.split())
"""What money is often for, by a word."""
_PURPOSES_BEFORE = ("spending_on", "asks_kind", "what_costs", "bought", "paid_for", "listed", "grabbed")
"""Patterns that find before a sum what it was for, the surest first."""
_NO_PURPOSE = STOP_WORDS | _EN.words("no_purchases")
_UNITS_UNTOLD = frozenset({"weight", "lift", "mark", "temperature", "run", "walk", "cycle", "swim", *MONEY})
"""Measures that have several units in common use: a number without one is left so."""


@dataclass(frozen=True, slots=True)
class NearnessPolicy:
    """How near a word has to stand to a number to tell what it measures: characters between, and more for obstacles.

    Source: chosen on 700 labelled messages of four writers; two other writers' are held out (``bench measure``).
    """

    most: int = 75  # largest distance at which it tells, in characters with what is added; at least 0
    joint: int = 8  # added for each boundary of clauses between the two; at least 0
    behind: int = 8  # added where the word stands behind the number; at least 0
    number: int = 15  # added for each other number between the two; at least 0
    asked: int = 45  # the distance of what was asked before, and of the sentence before in the message; at least 0
    alone: int = 40  # the distance of a unit that tells by itself; at least 0
    told_bare: int = 30
    """The largest distance where there is no unit, of what is often told so: "sugar 131"; at least 0."""
    bare: int = 9  # the largest distance where a unit was left out: "slept 6"; at least 0


_NEAR = NearnessPolicy()


def find_measurements(
    text: str, *, at: datetime, zone: str | None, question: str = "", earlier: Sequence[Measurement] = ()
) -> list[Measurement]:
    """Return what a message tells of its speaker's life in numbers, in order; time is linear in the text.

    Args:
        text: The message.
        at: When it was said, aware.
        zone: IANA zone of the person then, or None for UTC; days are theirs.
        question: What they were asked just before.
        earlier: What they told just before, which the message may correct: "sorry, it was 28 euros".
    """
    quantities = find_quantities(text)
    if not quantities:
        return []
    own, _ = own_words(text)
    said = _Said(text, at, zone)
    found: list[Measurement] = []
    spoken, topic = "", None
    for begin, end in sentence_spans(text):
        here = [each for each in quantities if begin <= each.start < end]
        last = ""
        for place in places(text[begin:end], here, begin):
            if text[place.quantity.start : place.quantity.end] not in own:
                continue
            asked = question if len(text[: place.quantity.start].split()) < _OPENING_WORDS else ""
            heard = spoken if len(place.before.split()) < _OPENING_WORDS and place.unit != "hour" else ""
            measure, what = _measured(place, _Around(asked, heard, last, topic))
            read = _measure(_in_unit_of(place, measure, topic), said, measure, what)
            topic = (measure, _in_unit_of(place, measure, topic).quantity) if measure else topic
            if place.unit == "bare" and not place.before.strip() and found and found[-1].value == place.quantity.value:
                continue  # said once more: "Four coffees before noon. Four."
            if found and _EN["corrected"].search(text[found[-1].end : place.quantity.start]):
                right = _instead(found[-1], read, place)
                read, found = (right, found[:-1]) if right is not None else (read, found)
            elif read is None and said.manner(place.quantity.start) is Manner.CORRECTS:
                so_far = {each.value for each in quantities if each.start < place.quantity.start}
                told = (_instead(row, None, place) for row in reversed(earlier) if so_far <= {row.value})
                right = next(filter(None, told), None)
                read = right and replace(right, manner=Manner.CORRECTS)
            if read is None:
                continue
            told_before = {(row.measure, row.value, row.unit) for row in found}
            if read.manner is Manner.REPEATS and (read.measure, read.value, read.unit) in told_before:
                continue  # "8 hours, and those 8 hours felt like 80"
            last = read.measure
            found.append(read)
        spoken = text[begin:end]
    return _without_jokes(text, found)


@dataclass(frozen=True, slots=True)
class _Said:
    """A message: its words, and when and where they were said."""

    text: str
    at: datetime
    zone: str | None

    def manner(self, start: int) -> Manner:
        """Return how the number is told that begins here."""
        opening = self.text[:_TOLD_CHARS]
        corrects = _ANEW["corrects"].search(opening)
        if corrects and corrects.start() <= start:
            return Manner.CORRECTS
        says_that = _ANEW["that_one"].search(self.text[max(0, start - _BEFORE_CHARS) : start])
        return Manner.REPEATS if says_that or _ANEW["repeats"].search(opening) else Manner.FIRST


def _without_jokes(text: str, found: list[Measurement]) -> list[Measurement]:
    """Return numbers but those of a sentence behind which it is said that it was none: "lol, just kidding"."""
    for joke in _EN["joked"].finditer(text[:MOST_CHARS]) if found else ():
        last = max((row.end for row in found if row.end <= joke.start()), default=-_JOKED_CHARS)
        if joke.start() - last < _JOKED_CHARS:
            begin = max(begin for begin, _ in sentence_spans(text) if begin < last)
            found = [row for row in found if not begin <= row.start < last]
    return found


def _instead(before: Measurement, read: Measurement | None, place: Place) -> Measurement | None:
    """Return what takes the place of a number that was corrected: "9 miles, no hang on, 8"; None where nothing does."""
    if read is not None:
        what = before.what or read.what
        return replace(read, what=what, manner=before.manner) if read.measure == before.measure else None
    quantity = place.quantity
    is_near = before.value <= quantity.value * _MOST_WRONG and quantity.value <= before.value * _MOST_WRONG
    is_alike = not quantity.is_money and before.measure in measures()
    in_its_unit = converted(quantity.value, before.measure, quantity.unit, before.unit) if is_alike else None
    is_other = not is_near if place.is_bare else quantity.unit != before.unit and in_its_unit is None
    if is_other or is_of_others(place) or _EN["denied"].search(place.clause_before):
        return None
    unit = before.unit if place.is_bare else quantity.unit
    return replace(before, value=quantity.value, high=quantity.high, unit=unit, start=quantity.start, end=quantity.end)


class _Around(NamedTuple):
    """What may tell what a number measures, beside the words of its sentence."""

    asked: str  # what was asked before
    heard: str  # the sentence before
    last: str  # the measure that was told last in its sentence
    topic: tuple[str, Quantity] | None  # the number before, with what it measures, whoever it is of


def _measured(place: Place, around: _Around) -> tuple[str, str]:
    """Return what a quantity measures, and of what it counts how many; empty for nothing.

    Where nothing else tells, it is another number of the ``last`` deed told in its sentence: "ran 4 km, 31 minutes", or
    of the ``topic``, which is what the number before was of.
    """
    measure, last = _nearest(place, around.asked, around.heard), around.last
    if measure:
        return measure, ""
    if last in IN_TWO_UNITS and place.unit in measures()[last].units:
        return last, ""
    beside = f"{place.clause_before[-_PAID_CHARS:]}\0{place.behind}"
    if last in MONEY and place.is_bare and _EN["next_sum"].match(beside):
        return last, ""
    if around.topic is not None and _goes_on(place, *around.topic):
        return around.topic[0], ""
    return _counted(place, last)


def _goes_on(place: Place, measure: str, before: Quantity) -> bool:
    """Tell whether a number is another one of what the number before it was of: "usually 6 hours, today only 4"."""
    quantity = place.quantity
    is_joined = _EN["joined"].search(place.before) and _EN["go_on_behind"].match(place.behind)
    is_like = place.ends_its_phrase or is_joined if place.is_bare else quantity.unit == before.unit
    is_near = before.value / _MOST_APART <= quantity.value <= before.value * _MOST_APART
    goes_on = is_joined or _EN["go_on"].search(place.before)
    return bool(is_like and is_near and measure in measures() and goes_on)


def _in_unit_of(place: Place, measure: str, topic: tuple[str, Quantity] | None) -> Place:
    """Return a number without a unit in that of the one that it goes on from: "didn't run 5 km, only 3"; "5k" in km."""
    quantity = place.quantity
    if quantity.unit or measure not in measures():
        return place
    if place.is_of_kilometres and "k" in measures()[measure].units:
        high = None if quantity.high is None else quantity.high / 1000
        value = quantity.value if high is not None and quantity.value < high else quantity.value / 1000  # 5 to 6k
        return replace(place, quantity=replace(quantity, value=value, unit="km", high=high))
    if topic is None or topic[0] != measure or not _goes_on(place, *topic):
        return place
    return replace(place, quantity=replace(quantity, unit=topic[1].unit, is_money=topic[1].is_money))


def _measure(place: Place, said: _Said, measure: str, what: str) -> Measurement | None:
    """Return a quantity with what it measures; None where it is none of the speaker's."""
    nature = nature_of(place, measure) if measure else None
    if nature is None or (measure in MONEY and nature is not Nature.TARGET and is_no_payment(place, measure)):
        return None
    (value, high), unit = _value(place, measure, nature)
    known = measures().get(measure)
    if known and nature is not Nature.CHANGE:
        most = known.most * (_MOST_DAYS if _EN["stretch"].search(place.sentence) else 1)
        in_first = converted(value, measure, unit, known.units[0])
        if not known.least <= (value if in_first is None else in_first) <= most:
            return None
    if measure in MONEY:
        what = _purpose(place)
    elif known and known.apart and known.apart.search(place.sentence):
        what = NAP
    first, last_day = _days_of(place, measure, nature, said)
    start, end = place.quantity.start, place.quantity.end
    per = per_of(place) if nature in (Nature.USUAL, Nature.TARGET) else ""
    manner = said.manner(start)
    return Measurement(measure, value, unit, start, end, first, last_day, high, nature, per, what, manner)


def _nearest(place: Place, asked: str, heard: str) -> str:
    """Return the measure whose word stands nearest to a quantity that has one of its units; empty for none."""
    best, nearest = "", _NEAR.most + 1
    obstacles = {"joint": _NEAR.joint, "behind": _NEAR.behind, "number": _NEAR.number}
    for measure in measures().values():
        may_go_on = heard and place.unit != "bare"
        is_asked = measure.asked.search(asked) or (may_go_on and measure.pattern.search(heard))
        most = _reach(place, measure, is_told=bool(is_asked))
        is_bare = place.is_bare and not place.is_of_kilometres
        if not most or (is_bare and not measure.least <= place.quantity.value <= measure.most):
            continue
        spans = (match.span() for match in measure.pattern.finditer(place.sentence))
        distance = min((each for span in spans if (each := place.distance(span, **obstacles)) <= most), default=nearest)
        if _tells_alone(place, measure):
            distance = min(distance, _NEAR.alone)
        if distance > _NEAR.most and (measure.name not in MONEY or measure.asked is not measure.pattern):
            distance = _NEAR.asked if is_asked else distance
        if measure.name == "weight" and place.unit in measure.units[:4] and way_of(place, "weight"):
            distance = min(distance, _NEAR.asked)
        if distance < nearest:
            best, nearest = measure.name, distance
    return best


def _reach(place: Place, measure: Measure, *, is_told: bool) -> int:
    """Return from how far a word may tell that a quantity is of a measure; 0 where it has no unit for it.

    A unit that needs its word has it in the sentence, or was told of (``is_told``) before.
    """
    is_of_a_thing = place.unit not in ("hour", "minute") and _EN["product"].match(place.behind)
    is_one_of_many = place.unit in _SELDOM_ONE and place.quantity.value <= 1
    is_a_kind = (
        measure.is_alone
        and place.quantity.value <= 1
        and _EN["one"].match(place.said)
        and not _EN["consumed"].search(place.before[-_PAID_CHARS:])
    )
    if is_of_a_thing or is_one_of_many or is_a_kind:
        return 0
    if place.unit in measure.units and place.unit != "bare":
        is_told = is_told and not place.behind.startswith(" of ")  # "2 cups of flour", whatever was told before
        needs_its_word = place.unit == measure.needs and not (is_told or measure.pattern.search(place.sentence))
        return 0 if needs_its_word else _NEAR.most
    if "bare" in measure.units and place.is_bare:
        told_behind = measure.pattern.match(place.behind.lstrip())
        is_told_behind = told_behind is not None and not _PLURAL.search(told_behind[0])  # "3 tests" are counted
        return _NEAR.told_bare if place.ends_its_phrase or is_told_behind else 0
    if place.is_of_kilometres and "k" in measure.units:
        return _NEAR.most
    if not place.is_bare:
        return 0
    is_like_money = _decimals(place.said) == _LIKE_MONEY
    if measure.name in MONEY:
        return _NEAR.most if is_like_money or _is_paid(place) else 0
    is_next_to_its_word = measure.units[0] in _TOLD_BARE and place.ends_its_phrase
    return _NEAR.bare if is_next_to_its_word and not (is_like_money or place.before.endswith(" for ")) else 0


def _is_paid(place: Place) -> bool:
    """Tell whether it is told before a number that so much was paid: "paid 40", "paid the rent today, 1,450"."""
    if place.is_bare and _EN["counted_things"].match(place.behind):
        return False
    before = place.clause_before if place.clause_before.strip() else place.before
    near = f"{before[-_PAID_CHARS:]}\0"
    paid = _EN["pays"].search(near)
    return paid is not None and _FIGURE.search(near, paid.end()) is None


def _decimals(said: str) -> int:
    return len(said) - 1 - max(said.rfind("."), said.rfind(",")) if set(".,") & set(said) else 0


def _tells_alone(place: Place, measure: Measure) -> bool:
    """Tell whether a unit, or a value that only bodies have, needs no word that tells what it measures."""
    value, unit = place.quantity.value, place.quantity.unit
    if measure.name in ("temperature", "weight"):
        least, most = _OF_BODIES.get(unit, (1.0, 0.0))
        return place.unit in measure.units and (unit == "stone" or least <= value <= most)
    if measure.name == "spent":
        is_sum = (place.unit == "money" and unit != "") or (place.is_bare and _is_paid(place))
        return is_sum and bool(_purpose(place))
    return measure.is_alone and place.unit in measure.units and place.unit != "bare"


def _counted(place: Place, last: str) -> tuple[str, str]:
    """Return what a bare number counts that the speaker did: "sent eleven portfolio mails"; empty for nothing."""
    if place.unit == "rep":
        return _COUNT, place.said.split()[-1].lower()
    if not place.is_bare or place.quantity.value > _MOST_COUNTED:
        return "", ""
    what, did = _EN["of_what"].match(place.behind), _EN["counts"].search(place.before)
    begins = _EN["begins"].match(place.before)
    is_now = what and begins and (begins["now"] or _EN["counted_now"].match(place.behind, what.end()))
    is_counted = did or is_now or last == _COUNT  # "27 deliveries today", "threw 30 mugs and 12 bowls"
    return (_COUNT, what["what"].strip().lower()) if what and is_counted else ("", "")


def _value(place: Place, measure: str, nature: Nature) -> tuple[tuple[float, float | None], str]:
    """Return a value, the other end of its range, and its unit, as said or as it goes without saying.

    A difference has its sign, and the end that is nearer to nothing comes first.
    """
    unit, known = place.quantity.unit, measures().get(measure)
    if known and not unit and measure not in _UNITS_UNTOLD:
        unit = "/10" if known.units[0] == "ten" else understood(measure, place.quantity.value, known.units[0])
    factor = way_of(place, measure) if nature is Nature.CHANGE else 1
    value, high = place.quantity.value, place.quantity.high
    return (value * factor, None if high is None else high * factor), unit


def _purpose(place: Place) -> str:
    """Return what money was for, or came from, as said; empty where that is not told."""
    told = (
        *((name, place.behind) for name in ("for_what", "sized")),
        *((name, place.before) for name in _PURPOSES_BEFORE),
        ("at_where", place.behind),
    )
    found = (match["what"].strip().removesuffix("'s") for name, text in told if (match := _EN[name].search(text)))
    named = (word for word in reversed(words(place.before)) if word in _PURPOSES)
    return next((what for what in found if not set(words(what)) <= _NO_PURPOSE), next(named, ""))


def _days_of(place: Place, measure: str, nature: Nature, said: _Said) -> tuple[date, date]:
    """Return the days that a number is about: those named nearest to it, else the day it was said."""
    today = local(said.at, said.zone).date()
    if nature in (Nature.MEASURED, Nature.CHANGE):
        without_number = f"{place.before}{' ' * (place.end - place.start)}{place.behind}"  # "four hours yesterday"
        told = [
            each
            for each in find_told(without_number, now=said.at, zone=said.zone)
            if each.behind is not None and _bears_on(each, place, measure, nature)
        ]
        if told:
            return _days(min(told, key=lambda each: _gap(place, each)), measure, today=today, zone=said.zone)
    return today, today


def _bears_on(told: ToldPeriod, place: Place, measure: str, nature: Nature) -> bool:
    """Tell whether a time may be that of a number: it is not what it is compared with, nor of another deed alone.

    What opens a clause holds for what follows: "yesterday I ran 5 km and walked 3". What closes one holds for what it
    closes: "slept 7 hours last night, and lunch was 12 euros".
    """
    before = place.sentence[: told.start]
    if nature is Nature.MEASURED:
        is_of_a_level = measure in LEVELS and _EN["since"].search(before)
        if is_of_a_level or _EN["compared_with"].search(before):
            return False
    if not JOINT.search(place.sentence, *_between(place, told)):
        return True
    begin = max((joint.end() for joint in JOINT.finditer(before)), default=0)
    end = next((joint.start() for joint in JOINT.finditer(place.sentence, told.end)), len(place.sentence))
    opens = _EN["opens"].match(before[begin:]) is not None
    is_behind = told.start >= place.end
    first = told.end if opens else begin
    has_its_own = any(first <= other < end and not _EN["one"].match(place.sentence, other) for other in place.others)
    return not has_its_own if opens == is_behind else True


def _between(place: Place, told: ToldPeriod) -> tuple[int, int]:
    return (told.end, place.start) if told.end <= place.start else (place.end, told.start)


def _gap(place: Place, told: ToldPeriod) -> int:
    start, end = _between(place, told)
    return max(0, end - start) + 20 * len(JOINT.findall(place.sentence[start:end]))


def _days(told: ToldPeriod, measure: str, *, today: date, zone: str | None) -> tuple[date, date]:
    """Return the first and last day of a time that is named; what was slept in a night is of the day that follows."""
    period = told.behind
    if period is None:
        return today, today
    first = local(period.start, zone).date()
    last = (local(period.end, zone) - timedelta(hours=1)).date()
    if period.grain is Grain.HOURS:
        first = last = min(last, today) if measure == "sleep" else first
    return min(first, today), min(max(first, last), today)
