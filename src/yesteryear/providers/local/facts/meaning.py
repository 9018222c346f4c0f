"""How a statement was meant (asserted, planned, wished, past or denied), how long it holds, its slot, what it repeats.

English. Better no slot than a wrong one, for two values of a single-valued slot cannot both be true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from yesteryear.core.attributes import Cardinality, FactKind, Volatility, attributes
from yesteryear.core.fact import AIM, OPEN_KINDS, FactDraft, Form, Modality, Slot, said_words
from yesteryear.core.language import datewords
from yesteryear.core.language.dates import find_told
from yesteryear.core.language.sentences import outside
from yesteryear.core.language.tokens import fold, stem, words
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.language.verbs import is_past
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.time import later
from yesteryear.core.wallclock import Grain
from yesteryear.providers.local.facts.spoken_dates import SaidDate, find_dates

_EN = vocabulary("meaning")
_LEXICON, _SLOTS = vocabulary("lexicon"), vocabulary("slots")

_SLOW_KINDS = (FactKind.IDENTITY, FactKind.BELIEF, FactKind.STRENGTH, FactKind.RELATIONSHIP, FactKind.PREFERENCE)
_PLANNED_KINDS = frozenset({FactKind.DECISION, FactKind.EVENT, FactKind.WORK_PATTERN, FactKind.GOAL})
_DATED_KINDS = (FactKind.IDENTITY, FactKind.BLOCKER, FactKind.RELATIONSHIP, FactKind.STRENGTH)
"""Kinds that tell what is so; with a day to come they tell what will be, unless it lasts for years."""
_SLOTLESS_KINDS = (FactKind.GOAL, FactKind.BELIEF, FactKind.SUCCESS_PATTERN)  # what is wished or held, not what is
_A_DAY = (Grain.HOURS, Grain.DAY)
_A_YEAR = timedelta(days=365)
_PASSES = {"for_hours": timedelta(days=1), "for_weeks": timedelta(days=21)}
"""How long is told as so what passes by itself. Source: chosen; a cold is over in ten days, a cough in eighteen (Ebell
and others, 2013)."""
_UNITS = {name: timedelta(days=days) for name, days in (("day", 1), ("week", 7), ("fortnight", 14), ("month", 30))}
"""Of a stretch from now on. A month is one of thirty days: who says "for a month" counts none of them."""
_ACTIVITIES, _RELATIONS = _SLOTS.table("activities"), _SLOTS.table("relations")
_ONLY_ONE = frozenset(_SLOTS.listed("only_one"))
"""Relations of which one mostly has one: what is single for them is single in the slot as well."""
_RELATIVE = re.compile(
    rf"'s (?:(?:older|younger|little|big|twin) )?(?P<relation>{'|'.join(sorted(_RELATIONS, key=len, reverse=True))})"
    r"(?: (?P<name>[A-Z]\w+))?(?= \w|'s )"
)


def read_meaning(draft: FactDraft, *, at: datetime, zone: str | None, modality: Modality | None = None) -> FactDraft:
    """Return a draft with what its words say about its standing: modality, volatility, validity, denied or settled.

    They were written at an instant; their days begin in an IANA zone, or UTC. ``modality`` is how they were read to be
    meant, where that is known. Settled is a goal that is reached, a blocker that is gone, a decision that is reversed.
    """
    kind = draft.kind
    dates = find_dates(draft.quote, at=at, zone=zone)
    told = find_told(draft.quote, now=at, zone=zone)  # the month of May is no "may"
    folded = fold("-".join(outside(draft.quote, ((date.start, date.end) for date in told))))
    known = attributes().get(draft.attribute)
    lasts = known is not None and known.volatility in (Volatility.STATIC, Volatility.SLOW)
    said = _modality(folded, kind, dates, lasts=lasts, at=at)
    modality = modality or said
    is_state = kind is not FactKind.EVENT and said is Modality.ASSERTED
    is_planned = modality is Modality.PLANNED
    begins, ends = _validity(folded, dates, kind, is_state=is_state, is_planned=is_planned, lasts=lasts, at=at)
    if read_bearing(draft.quote).stays:
        begins = ends = None
    if ends is None and is_state and draft.attribute == "age":
        ends = later(begins or at, _A_YEAR)
    if begins is None and ends is None and modality in (Modality.ASSERTED, Modality.UNCERTAIN, Modality.PAST):
        ends = _until_over(folded, at) or _until_passed(folded, at)
    return replace(
        draft,
        modality=modality,
        is_negative=_is_negative(folded, kind),
        volatility=_volatility(folded, kind, said),
        is_settled=kind in OPEN_KINDS and _EN["settled"].search(folded) is not None and said is not Modality.WISHED,
        valid_from=begins,
        valid_to=ends,
    )


def join_overlapping(drafts: Iterable[FactDraft]) -> list[FactDraft]:
    """Return the drafts of one message with one that is quoted again within the next as a part of that.

    The joint one is what the one on somebody's safety was, else the surer of the two, in the words of both.
    """
    found: list[FactDraft] = []
    for draft in drafts:
        before = found[-1] if found else draft
        one, other = said_words(before.statement, before.form), said_words(draft.statement, draft.form)
        is_within = Form.PLAIN not in (before.form, draft.form) and f" {one.words} " in f" {other.words} "
        if not (found and is_within and before.holder.casefold() == draft.holder.casefold()):
            found.append(draft)
            continue
        statement, form = draft.statement, draft.form
        if one.asked and not other.asked:
            statement, form = f'{before.statement[: -len(one.words) - 1]}{other.words}"', Form.ANSWER
        surer = before if _weight(before) > _weight(draft) else draft
        found[-1] = replace(
            surer,
            statement=statement,
            form=form,
            valid_from=surer.valid_from or draft.valid_from,
            valid_to=surer.valid_to or draft.valid_to,
            is_asked_for=before.is_asked_for or draft.is_asked_for,
        )
    return found


def _weight(draft: FactDraft) -> tuple[bool, float]:
    """Return what tells which of two joined drafts the joint one is: the one on somebody's safety, then the surer."""
    known = attributes().get(draft.attribute)
    return known is not None and known.is_safety, draft.confidence


def _modality(folded: str, kind: FactKind, dates: list[SaidDate], *, lasts: bool, at: datetime) -> Modality:
    """Return how something was meant: wishes first, for "could" and "will" stand in them too."""
    if _EN["wishes"].search(folded):
        return Modality.WISHED
    if _EN["uncertain"].search(folded) and not (kind is FactKind.BELIEF and _EN["believes"].search(folded)):
        return Modality.UNCERTAIN
    if kind not in (FactKind.PREFERENCE, FactKind.BELIEF) and _EN["wished"].search(folded):
        return Modality.WISHED
    is_planned = kind in _PLANNED_KINDS and _EN["planned"].search(folded) is not None
    is_ahead = kind in _PLANNED_KINDS - {FactKind.WORK_PATTERN} and not all(date.is_past for date in dates)
    will_be = kind in _DATED_KINDS and not lasts and any(not date.bound and date.period.start > at for date in dates)
    if is_planned or is_ahead or will_be:
        return Modality.PLANNED
    if _EN["past"].search(folded) and kind is not FactKind.EVENT:
        return Modality.PAST
    return Modality.ASSERTED


def _is_negative(folded: str, kind: FactKind) -> bool:
    """Tell whether the main clause denies something; that something is missing is what makes a blocker."""
    if kind is FactKind.BLOCKER:
        return False
    if kind is FactKind.SUCCESS_PATTERN:
        return _EN["fails"].search(folded) is not None
    clauses = _EN["clause_end"].split(_EN["not_denied"].sub(" ", folded))
    return _EN["negated"].search(next((each for each in clauses if len(each.split()) > 1), "")) is not None


def _volatility(folded: str, kind: FactKind, modality: Modality) -> Volatility:
    """Return how soon something may no longer hold: what happened stays, a mood or an ache goes."""
    if modality is Modality.PAST or _EN["static"].search(folded):
        return Volatility.STATIC
    if kind is FactKind.EVENT:
        return Volatility.NORMAL if modality is Modality.PLANNED else Volatility.STATIC
    if _LEXICON["passing"].search(folded):
        return Volatility.VOLATILE
    is_lasting = kind in _SLOW_KINDS and modality is not Modality.UNCERTAIN
    return Volatility.SLOW if is_lasting else Volatility.NORMAL


def _validity(
    folded: str, dates: list[SaidDate], kind: FactKind, *, is_state: bool, is_planned: bool, lasts: bool, at: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return from when and until when something holds, as far as its dates say so.

    What is planned holds on its days, or until it is due; what begins then has no end, and a birthday comes again. What
    lasts for years (an age, a home) and is told of today begins today.
    """
    begins = next(filter(None, (date.begins_at for date in dates)), None)
    ends = next(filter(None, (date.ends_at for date in dates)), None)
    is_open = begins is None and ends is None
    ahead = [date.period for date in dates if not (date.is_past or date.bound)]
    if is_open and is_planned and ahead and not _EN["yearly"].search(folded):
        over = max(period.end for period in ahead)
        return min(period.start for period in ahead), None if _EN["begins"].search(folded) else over
    due = [date.due_by for date in dates if date.due_by is not None and not date.is_past]
    if is_open and (is_planned or kind in OPEN_KINDS) and due:
        return None, min(due)
    if begins is None and _EN["changed"].search(folded):
        begins = next((date.period.start for date in dates if date.is_past and date.ends_at is None), None)
    if begins is None and ends is None and is_state:
        present = (date.period for date in dates if not date.is_past and date.period.start <= at < date.period.end)
        now = next(present, None)
        begins_now = lasts and now is not None and now.grain in _A_DAY  # "she is ten today"
        return (now.start, None if begins_now else now.end) if now else (None, None)
    return (None, None) if begins and ends and begins >= ends else (begins, ends)


def _until_over(folded: str, at: datetime) -> datetime | None:
    """Return until when something goes on that is told to last so long from now: "off dairy for a month"."""
    found = _EN["for_so_long"].search(folded)
    before = words(folded[: found.start()]) if found else []
    if found is None or any(word in _EN.words("has_lasted") or is_past(word) for word in before):
        return None
    count = int(found["count"]) if found["count"].isdecimal() else datewords.NUMBERS[found["count"]]
    return later(at, count * _UNITS[found["unit"]])


def _until_passed(folded: str, at: datetime) -> datetime | None:
    """Return until when what passes by itself may be so: hunger, a cold; None for what stays or comes again."""
    if _EN["stays_so"].search(folded):
        return None
    return next((later(at, stretch) for name, stretch in _PASSES.items() if _EN[name].search(folded)), None)


def find_slot(statement: str, *, subject: str, kind: FactKind) -> Slot | None:
    """Return the slot that a statement in the third person fills in with what holds now.

    The subject's name stands in the statement, as ``rewrite`` returns it. None for what was, what is planned, denied or
    unsure, and wherever no rule applies. What is told of a relative has the relation before the attribute ("sister
    residence").
    """
    if kind in _SLOTLESS_KINDS or not subject:
        return None
    person = re.match(rf"(?:(?:Now|Currently),? )?{re.escape(subject)}", statement)
    if person is None:
        return None
    told = statement[person.end() :]
    own, relative = _slot_of(told), _RELATIVE.match(told)
    slot = _slot_of(told[relative.end() :]) if relative and not own else None
    if slot is None or relative is None:
        return own
    relation, name = _RELATIONS[relative["relation"]], (relative["name"] or "").lower()
    is_one = relation in _ONLY_ONE
    whose = relation if is_one or not name else f"{relation} {name}"
    cardinality = slot.cardinality if is_one or name else Cardinality.MULTI  # single where it is clear who is meant
    return Slot(f"{whose} {slot.attribute}", slot.value, cardinality)


def find_aim(quote: str) -> Slot | None:
    """Return what somebody is after in numbers: $40 a week on coffee, 8,000 steps a day; one at a time of each."""
    found = next(filter(None, (pattern.search(fold(quote)) for pattern in _aim_rules())), None)
    if found is None:
        return None
    which = " ".join(map(stem, words(found["which"] or "spending")))
    return Slot(f"{AIM}{which} a {found['per']}", found["value"].rstrip(".,"), Cardinality.SINGLE)


@cache
def _aim_rules() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(row["pattern"]) for row in _SLOTS.rows("aims"))


def _slot_of(told: str) -> Slot | None:
    for attribute, cardinality, pattern in _slot_rules():
        found = pattern.match(told)
        if found and not _EN["unmeant"].search(found[0]) and not _EN["ended"].match(told, found.end()):
            groups = found.groupdict("")
            which, activity = groups.get("which", "").lower(), _ACTIVITIES.get(groups.get("activity", ""), "")
            value = _EN["plural_part"].sub(r"\1", _EN["trimmed"].sub("", groups["value"].strip()))
            return Slot(attribute.format(which=which, activity=activity), value, cardinality)
    return None


@cache
def _slot_rules() -> tuple[tuple[str, Cardinality, re.Pattern[str]], ...]:
    """Return the attribute, how many values it has, and what is said after a name, for each rule in order."""
    rows = [(lead, row) for lead, forms in ((" ", "does"), ("'s ", "owns")) for row in _SLOTS.rows(forms)]
    return tuple(
        (
            row["attribute"],
            Cardinality.MULTI if row.get("many") else Cardinality.SINGLE,
            re.compile(lead + row["pattern"]),
        )
        for lead, row in rows
    )
