"""How a statement was meant: asserted, planned, wished or past; denied or not; and from when until when it holds.

Rules over named cues; English. They read the person's own words rather than the statement made of them, for the small
words tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.fact import OPEN_KINDS, FactKind, Modality, Volatility
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.facts.saying import SaidDate, find_dates

_EN = vocabulary("meaning")
_LEXICON = vocabulary("lexicon")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the words of a fact say about its standing."""

    modality: Modality
    is_negative: bool
    """Whether they say that something is not so."""
    volatility: Volatility
    is_settled: bool
    """Whether they say that a goal is reached, a blocker gone or a decision reversed."""
    valid_from: datetime | None = None
    """From when it holds, where that was said."""
    valid_to: datetime | None = None
    """Until when it holds (exclusive), where that was said."""


def read_meaning(quote: str, *, kind: FactKind, at: datetime, zone: str | None) -> Meaning:
    """Return how the words of a fact were meant.

    Args:
        quote: What the person wrote.
        kind: What kind of fact it is.
        at: When they wrote it; an aware instant.
        zone: IANA zone in which their days begin; UTC where it is not known.

    Raises:
        InputError: there is no such zone.
    """
    dates = find_dates(quote, at=at, zone=zone)
    folded = fold(_without_dates(quote, dates))
    modality = _modality(folded, kind, dates)
    is_settled = kind in OPEN_KINDS and _EN["settled"].search(folded) is not None and modality is not Modality.WISHED
    is_state = kind is not FactKind.EVENT and modality is Modality.ASSERTED
    begins, ends = _validity(folded, dates, is_state=is_state, at=at)
    return Meaning(
        modality=modality,
        is_negative=_is_negative(folded, kind),
        volatility=_volatility(folded, kind, modality),
        is_settled=is_settled,
        valid_from=begins,
        valid_to=ends,
    )


_SLOW_KINDS = frozenset(
    {FactKind.IDENTITY, FactKind.BELIEF, FactKind.STRENGTH, FactKind.RELATIONSHIP, FactKind.PREFERENCE}
)


def _modality(folded: str, kind: FactKind, dates: list[SaidDate]) -> Modality:
    """Return how something was meant: wishes first, for "could" and "will" stand in them too."""
    if _EN["wishes"].search(folded):
        return Modality.WISHED
    if _EN["uncertain"].search(folded) and not (kind is FactKind.BELIEF and _EN["believes"].search(folded)):
        return Modality.UNCERTAIN
    if kind not in (FactKind.PREFERENCE, FactKind.BELIEF) and _EN["wished"].search(folded):
        return Modality.WISHED
    is_ahead = any(not date.is_past for date in dates)
    if kind in (FactKind.DECISION, FactKind.EVENT, FactKind.WORK_PATTERN, FactKind.GOAL) and (
        _EN["planned"].search(folded) or (is_ahead and kind is not FactKind.WORK_PATTERN)
    ):
        return Modality.PLANNED
    if _EN["past"].search(folded) and kind is not FactKind.EVENT:
        return Modality.PAST
    return Modality.ASSERTED


def _without_dates(quote: str, dates: list[SaidDate]) -> str:
    """Return the words without the dates among them: the month of May is no "may"."""
    for date in reversed(dates):
        quote = f"{quote[: date.start]}-{quote[date.end :]}"
    return quote


def _is_negative(folded: str, kind: FactKind) -> bool:
    """Tell whether the main clause denies something; that something is missing is what makes a blocker."""
    if kind is FactKind.BLOCKER:
        return False
    if kind is FactKind.SUCCESS_PATTERN:
        return _EN["fails"].search(folded) is not None
    clauses = [
        clause for clause in _EN["clause_end"].split(_EN["not_denied"].sub(" ", folded)) if len(clause.split()) > 1
    ]
    return bool(clauses) and _EN["negated"].search(clauses[0]) is not None


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
    folded: str, dates: list[SaidDate], *, is_state: bool, at: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return from when and until when something holds, as far as its dates say so."""
    begins = next(filter(None, (date.begins_at for date in dates)), None)
    ends = next(filter(None, (date.ends_at for date in dates)), None)
    if begins is None and _EN["changed"].search(folded):
        begins = next((date.period.start for date in dates if date.is_past and date.ends_at is None), None)
    if begins is None and ends is None and is_state:
        present = (date.period for date in dates if not date.is_past and date.period.start <= at < date.period.end)
        now = next(present, None)
        return (now.start, now.end) if now else (None, None)
    return (None, None) if begins and ends and begins >= ends else (begins, ends)
