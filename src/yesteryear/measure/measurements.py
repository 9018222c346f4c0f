"""Which numbers of a message measure its speaker's life, what they measure, and when. Rules, for English.

A number counts where words of its sentence tell what it measures, its unit can measure that, and nothing says that it
is somebody else's, imagined, asked, only planned, or did not happen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from typing import NamedTuple

from yesteryear.core.language.dates import ToldPeriod, find_told
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.language.tokens import STOP_WORDS, fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.measurement import Measurement, Nature
from yesteryear.core.time import local
from yesteryear.core.wallclock import Grain
from yesteryear.measure.quantities import Quantity, find_quantities

_EN = vocabulary("measures")
_JOINT = re.compile(r"[,;:()–—]\s|\s-+\s|\s(?:and|but|so|then|while|because|plus|when)\s", re.IGNORECASE)
"""Between two clauses of a sentence."""
_SCOPE = re.compile(
    rf"(?:{_JOINT.pattern})(?=(?:i|i['’]\w+|im|ive|my|mine|we|he|she|they|the|today|yesterday|then|now)\b)",
    re.IGNORECASE,
)
"""Between two clauses of which the second says anew who it is about, or when."""
MOST_AROUND = 240
"""Characters on each side of a number that are looked at, so that time is linear in the text."""
_SHORT_WORDS = 4
"""Words of a sentence up to which what was said before it tells what it measures."""
_OPENING_WORDS = 5
"""Words of a message within which a number may answer what was asked before."""
_MOST_DISTANCES = 1_000
"""Above which a number with a "k" is no distance in kilometres."""


@dataclass(frozen=True, slots=True)
class NearnessPolicy:
    """How near a word has to stand to a number to tell what it measures: characters between, and more for obstacles.

    Source: chosen on 300 labelled messages of two writers; two other writers' are held out (``bench measure``).
    """

    most: int = 60
    """Largest distance at which it tells, in characters with what is added; at least 0."""
    joint: int = 12
    """Added for each boundary of clauses between the two; at least 0."""
    behind: int = 8
    """Added where the word stands behind the number; at least 0."""
    number: int = 15
    """Added for each other number between the two; at least 0."""
    asked: int = 45
    """The distance of what was asked before, and of the sentence before in the message; at least 0."""
    alone: int = 40
    """The distance of a unit that tells by itself; at least 0."""
    nothing_between: int = 3
    """The same where its units tell by themselves, and are left out here: "steps: 4120"; at least 0."""
    bare: int = 20
    """The largest at which a word tells what a number measures that lacks its unit; at least 0."""


_NEARNESS = NearnessPolicy()


class Measure(NamedTuple):
    """A row of the table of measures."""

    name: str
    units: tuple[str, ...]
    pattern: re.Pattern[str]
    asked: re.Pattern[str]
    """What a question has that asks for it."""
    fold: str
    """How the values of a day come together: their ``sum``, the ``last``, the ``most`` or the ``mean``."""
    least: float
    most: float
    is_alone: bool
    """Whether its units tell by themselves what they measure."""
    needs: str
    """The one of its units that does not."""


@cache
def measures() -> dict[str, Measure]:
    """Return what is measured, by name, in the order in which the nearer of two is looked for."""
    return {
        row["name"]: Measure(
            row["name"],
            tuple(row["units"].split()),
            re.compile(row["pattern"], re.IGNORECASE),
            re.compile("|".join(filter(None, (row["pattern"], row.get("asked")))), re.IGNORECASE),
            row["fold"],
            float(row["least"]),
            float(row["most"]),
            bool(row.get("alone", False)),
            row.get("needs", ""),
        )
        for row in _EN.rows("measures")
    }


@dataclass(frozen=True, slots=True)
class _Place:
    """A quantity in its sentence, with all that its text tells."""

    quantity: Quantity
    sentence: str
    start: int
    """Where the quantity begins in the sentence."""
    end: int
    others: tuple[tuple[int, int], ...]
    """Places of the other quantities of the sentence."""

    @property
    def before(self) -> str:
        return self.sentence[: self.start]

    @property
    def behind(self) -> str:
        return self.sentence[self.end :]

    @property
    def clause_before(self) -> str:
        *_, last = _JOINT.split(self.before)
        return last

    @property
    def scope_before(self) -> str:
        """What is said before it of the same person and time."""
        *_, last = _SCOPE.split(self.before)
        return last

    @property
    def clause_behind(self) -> str:
        return _JOINT.split(self.behind)[0]

    @property
    def unit(self) -> str:
        """Of which sort its unit is, as the table of measures says it."""
        quantity = self.quantity
        if quantity.is_money:
            return "money"
        if quantity.unit.startswith("/"):
            return {"/10": "ten", "/5": "ten", "/20": "twenty"}.get(quantity.unit, "hundred")
        return quantity.unit or "bare"

    @property
    def is_kilo(self) -> bool:
        """Whether it is a number of thousands that may be kilometres: "11.2k"."""
        said = self.sentence[self.start : self.end]
        return not self.quantity.unit and said[-1:] in "kK" and self.quantity.value / 1000 < _MOST_DISTANCES


def find_measurements(
    text: str, *, at: datetime, zone: str | None, question: str = "", policy: NearnessPolicy = _NEARNESS
) -> list[Measurement]:
    """Return what a message tells of its speaker's life in numbers, in order.

    Args:
        text: The message.
        at: When it was said, aware.
        zone: IANA zone of the person then, or None for UTC; days are theirs.
        question: What they were asked just before.
        policy: How near words have to stand.
    """
    quantities = find_quantities(text)
    if not quantities:
        return []
    own, _ = own_words(text)
    found: list[Measurement] = []
    spoken = ""
    for begin, end in sentence_spans(text):
        sentence = text[begin:end]
        here = [each for each in quantities if begin <= each.start < end]
        is_own = not here or sentence.strip() in own or all(text[q.start : q.end] in own for q in here)
        if is_own:
            last = ""
            for place in _places(sentence, here, begin):
                asked = question if len(text[: place.quantity.start].split()) < _OPENING_WORDS else ""
                heard = spoken if len(sentence.split()) <= _SHORT_WORDS else ""
                read = _measure(place, tuple(filter(None, (heard, asked))), policy, last)
                corrects = _corrects(text, place.quantity, found)
                if corrects and (read is None or read.measure == found[-1].measure):
                    read = read or _like(found[-1], place.quantity)
                    found.pop()
                if read is not None:
                    last = read.measure
                    found.append(_dated(place, read, at=at, zone=zone))
        spoken = sentence
    return found


def _corrects(text: str, quantity: Quantity, found: Sequence[Measurement]) -> bool:
    """Tell whether a number takes the place of the one before it: "9 miles, no hang on, 8"."""
    return bool(found) and _EN["corrected"].search(text[found[-1].end : quantity.start]) is not None


def _like(last: Measurement, quantity: Quantity) -> Measurement:
    return replace(last, value=quantity.value, high=quantity.high, start=quantity.start, end=quantity.end)


def _places(sentence: str, quantities: Sequence[Quantity], begin: int) -> Iterator[_Place]:
    """Yield the quantities of a sentence that begins at ``begin``, each with what of it stands near."""
    for quantity in quantities:
        first = max(0, quantity.start - begin - MOST_AROUND)
        near = sentence[first : quantity.end - begin + MOST_AROUND]
        spans = [(each.start - begin - first, each.end - begin - first) for each in quantities]
        own = (quantity.start - begin - first, min(quantity.end - begin - first, len(near)))
        yield _Place(quantity, near, *own, tuple(span for span in spans if span[0] != own[0]))


def _measure(place: _Place, elsewhere: Sequence[str], policy: NearnessPolicy, last: str) -> Measurement | None:
    """Return what a quantity measures, not yet dated; None where it is none of the speaker's.

    Where nothing else tells, it is another number of the ``last`` deed told in its sentence: "ran 4 km, 31 minutes".
    """
    found = _nearest(place, elsewhere, policy) or _counted(place)
    if found is None and last in measures() and place.unit in measures()[last].units and last in _IN_TWO_UNITS:
        found = last, ""
    if found is None:
        return None
    measure, what = found
    nature = _nature(place, measure)
    if nature is None or (measure == "spent" and _is_only_priced(place)):
        return None
    read = Measurement(
        measure,
        *_value(place, measure, nature),
        place.quantity.start,
        place.quantity.end,
        date.min,
        date.min,
        place.quantity.high,
        nature,
        _per(place) if nature in (Nature.USUAL, Nature.TARGET) else "",
        what or (_purpose(place) if place.unit == "money" or measure in _MONEY else ""),
    )
    known = measures().get(measure)
    if known and nature is not Nature.CHANGE and not known.least <= _base(read) <= known.most:
        return None
    return read


_IN_TWO_UNITS = frozenset({"run", "walk", "cycle", "swim", "exercise"})
"""What is told by how far and by how long."""
_MONEY = frozenset({"spent", "earned", "saved"})


def _base(read: Measurement) -> float:
    """Return a value roughly in the first unit of its measure, for what is beyond all that may be."""
    return read.value * {"minute": 1 / 60, "stone": 6.35, "lb": 0.45, "gram": 0.001}.get(read.unit, 1.0)


def _nearest(place: _Place, elsewhere: Sequence[str], policy: NearnessPolicy) -> tuple[str, str] | None:
    """Return the measure whose word stands nearest to a quantity that has one of its units."""
    best, nearest = None, policy.most + 1
    for measure in measures().values():
        if not _fits(place, measure):
            continue
        distances = [_distance(place, match.span(), policy) for match in measure.pattern.finditer(place.sentence)]
        distance = min(distances, default=policy.most + 1)
        if place.unit == "bare" and "bare" not in measure.units:
            near = policy.nothing_between if measure.is_alone else policy.bare
            distance = distance if distance <= near else policy.most + 1
        if _tells_alone(place, measure):
            distance = min(distance, policy.alone)
        if distance > policy.most and "money" not in measure.units and any(map(measure.asked.search, elsewhere)):
            distance = policy.asked
        if distance < nearest:
            best, nearest = measure.name, distance
    return (best, "") if best else None


def _fits(place: _Place, measure: Measure) -> bool:
    """Tell whether a measure has the unit of a quantity, or is told in bare numbers."""
    if place.unit in measure.units and not (place.unit == "bare" and _is_one(place)):
        return place.unit != measure.needs or measure.pattern.search(place.sentence) is not None
    if place.is_kilo and "k" in measure.units:
        return True
    if "money" in measure.units:
        return place.unit == "bare" and _EN["pays"].search(place.clause_before[-20:]) is not None
    return place.unit == "bare" and not _is_one(place) and (measure.is_alone or measure.name == "sleep")


def _is_one(place: _Place) -> bool:
    """Tell whether a number is a mere "one", which seldom counts."""
    return place.sentence[place.start : place.end].lower() == "one"


def _tells_alone(place: _Place, measure: Measure) -> bool:
    """Tell whether a unit, or a temperature that only bodies have, needs no word that tells what it measures."""
    value, unit = place.quantity.value, place.quantity.unit
    if measure.name == "temperature":
        return (unit == "degC" and 35 <= value <= 42) or (unit == "degF" and 95 <= value <= 107)
    if measure.name == "weight":
        return unit == "stone" or (unit in _OF_BODIES and _OF_BODIES[unit][0] <= value <= _OF_BODIES[unit][1])
    if measure.name == "spent":
        return place.unit == "money" and place.quantity.unit != ""
    return measure.is_alone and place.unit != "bare"


_OF_BODIES = {"kg": (40, 160), "lb": (100, 350)}
"""What somebody may weigh who says no more than a number with its unit."""


def _distance(place: _Place, span: tuple[int, int], policy: NearnessPolicy) -> int:
    start, end = span
    if start < place.end and place.start < end:
        return 0
    is_behind = start >= place.end
    between = (place.end, start) if is_behind else (end, place.start)
    joints = len(_JOINT.findall(place.sentence[between[0] : between[1]]))
    numbers = sum(between[0] <= other < between[1] for other, _ in place.others)
    return between[1] - between[0] + policy.joint * joints + policy.number * numbers + policy.behind * is_behind


def _counted(place: _Place) -> tuple[str, str] | None:
    """Return what a bare number counts that the speaker did: "sent eleven portfolio mails"."""
    if place.unit == "rep":
        said = place.sentence[place.start : place.end].split()[-1]
        return "count", said
    if place.unit != "bare" or not _EN["counts"].search(place.before):
        return None
    what = _EN["of_what"].match(place.behind)
    return ("count", what["what"].strip()) if what else None


def _nature(place: _Place, measure: str) -> Nature | None:
    """Return what a number is of; None where it is somebody else's, or was not so."""
    ends_asking = place.sentence.rstrip().endswith("?") and not _JOINT.search(place.behind)
    if ends_asking or _EN["asks"].match(place.sentence) or _is_of_others(place):
        return None
    is_rate = _EN["rate"].match(place.behind.lstrip(" ,-")) or _EN["usual"].search(place.sentence)
    if _EN["target"].search(f"{place.before[-70:]}\0{place.clause_behind}"):
        return Nature.TARGET
    if _EN["imagined"].search(place.before) or _EN["supposed"].search(place.scope_before):
        return None
    if (
        _EN["planned"].search(place.scope_before)
        or _EN["planned"].search(place.clause_behind)
        or _EN["denied"].search(place.clause_before)
    ):
        return None
    if _way(place, measure):
        return Nature.CHANGE
    return Nature.USUAL if is_rate else Nature.MEASURED


def _way(place: _Place, measure: str) -> int:
    """Return -1 where a number is how much less something is than before, 1 for how much more, 0 for neither."""
    is_compared = measure == "weight" or _EN["than"].search(place.behind) is not None
    if is_compared and _EN["less"].match(place.behind):
        return -1
    if is_compared and _EN["more"].match(place.behind):
        return 1
    if measure not in _LEVELS:
        return 0
    return -1 if _EN["fell"].search(place.before) else 1 if _EN["rose"].search(place.before) else 0


_LEVELS = frozenset({"weight", "glucose", "heart_rate", "body_fat"})
"""What somebody has at any time, so that "down 3" tells a difference."""


def _is_of_others(place: _Place) -> bool:
    """Tell whether somebody else than the speaker does or is what a number tells: the last who is named before it."""
    plain = _EN["by_the_way"].sub(lambda found: " " * len(found[0]), place.before)
    own = max((match.end() for match in _EN["own"].finditer(plain)), default=-1)
    others = max((match.end() for match in (*_EN["others"].finditer(plain), *_named(plain))), default=-1)
    return others > own or bool(_EN["quoted"].search(place.before))


def _named(text: str) -> Iterator[re.Match[str]]:
    """Yield where somebody is called by name, who does or is something; "Sugar was 131" names nobody."""
    for found in _EN["others_named"].finditer(text):
        name = found["name"]
        is_known = any(measure.pattern.search(name) for measure in measures().values())
        if not is_known and fold(name) not in STOP_WORDS and fold(name) not in _EN.words("no_names"):
            yield found


def _is_only_priced(place: _Place) -> bool:
    paid = re.search(r"\b(?:spen[dt]|paid|bought|cost me|set me back|i got|ordered)\b", place.sentence, re.IGNORECASE)
    return paid is None and bool(_EN["priced"].search(place.sentence))


def _value(place: _Place, measure: str, nature: Nature) -> tuple[float, str]:
    value, unit = place.quantity.value, place.quantity.unit
    if place.is_kilo and "k" in measures().get(measure, measures()["run"]).units:
        value, unit = value / 1000, "km"
    elif not unit and measure not in _MONEY and measure in measures():
        first = measures()[measure].units[0]
        unit = {"ten": "/10", "twenty": "", "weight": ""}.get(first, first)
        unit = "" if measure in ("weight", "lift", "mark", "temperature") else unit
    if nature is Nature.CHANGE:
        value *= _way(place, measure)
    return value, unit


def _per(place: _Place) -> str:
    found = _EN["rate"].search(place.behind[:40]) or _EN["rate"].search(place.sentence)
    if found is None:
        return ""
    if found["per"]:
        return {"night": "day", "morning": "day", "evening": "day", "shift": "day"}.get(
            found["per"].lower(), found["per"].lower()
        )
    return "day" if found["daily"] else "week" if found["weekly"] else "month"


def _purpose(place: _Place) -> str:
    """Return what money was for, or came from, as said."""
    for name, text in (
        ("for_what", place.behind),
        ("what_costs", place.before),
        ("bought", place.before),
        ("listed", place.before),
    ):
        found = _EN[name].search(text)
        if found:
            return found["what"].strip()
    return ""


def _dated(place: _Place, read: Measurement, *, at: datetime, zone: str | None) -> Measurement:
    """Return a measurement with the days that it is about."""
    today = local(at, zone).date()
    if read.nature in (Nature.USUAL, Nature.TARGET):
        return replace(read, first_day=today, last_day=today)
    told = [each for each in find_told(place.sentence, now=at, zone=zone) if each.behind is not None]
    if not told:
        return replace(read, first_day=today, last_day=today)
    nearest = min(told, key=lambda each: _gap(place, each))
    first, last = _days(nearest, read.measure, today=today, zone=zone)
    return replace(read, first_day=first, last_day=last)


def _gap(place: _Place, told: ToldPeriod) -> int:
    start, end = (told.end, place.start) if told.end <= place.start else (place.end, told.start)
    return max(0, end - start) + 20 * len(_JOINT.findall(place.sentence[start:end]))


def _days(told: ToldPeriod, measure: str, *, today: date, zone: str | None) -> tuple[date, date]:
    period = told.behind
    if period is None:
        return today, today
    first = local(period.start, zone).date()
    last = (local(period.end, zone) - timedelta(hours=1)).date()
    if period.grain is Grain.HOURS:
        is_night = last > first
        last = first = min(last, today) if measure == "sleep" and is_night else first
    return min(first, today), min(max(first, last), today)
