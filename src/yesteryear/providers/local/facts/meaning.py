"""How a statement was meant: asserted, planned, wished or past; denied or not; and from when until when it holds.

Rules over named cues; English. They read the person's own words rather than the statement made of them, for the small
words tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.fact import OPEN_KINDS, FactKind, Modality, Volatility
from yesteryear.core.language.lexicon import PASSING, fold, phrases
from yesteryear.providers.local.facts.saying import SaidDate, find_dates


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
    is_settled = kind in OPEN_KINDS and _SETTLED.search(folded) is not None and modality is not Modality.WISHED
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


_WISHED = phrases(
    r"""
    wish wished i'd_(?:\w+_)?(?:love|like|give|kill|prefer_to) would_(?:\w+_)?(?:love|like|be_nice|give) want wants
    dream(?:s|ing)?_(?:of|about|is) my_dream dream hope hopes hoping hopefully someday some_day one_day ideally
    if_only long_to fantasi[sz]e looking_forward aim aiming trying_to i'd_have_liked my_goal
    """
)
_WISHES = phrases(r"(?:i|we)_(?:\w+_)?wish(?:ed)? wish if_only")
"""What one can only wish for; "could" and "might" after it are no doubts."""
_UNCERTAIN = phrases(
    r"""
    maybe perhaps possibly probably might may could not_sure unsure not_certain i_(?:think|guess|suppose|doubt|suspect)
    undecided thinking_(?:of|about) considering wondering torn depends haven't_decided don't_know dunno no_idea
    leaning if_all_goes_well seems? seemingly apparently supposedly either fifty-fifty 50/50 tempted toying
    """
)
_BELIEVES = phrases("i_(?:think|guess|suppose|believe) i've_always_(?:thought|believed)")
_PLANNED = phrases(
    r"""
    i'll we'll will going_to gonna plan(?:s|ning)? planned_for scheduled booked about_to starting from_now_on
    (?:i'm|we're|i_am|we_are|im)_(?:moving|flying|going|leaving|starting|quitting|getting|marrying|having|taking|giving
    |buying|selling|switching|stopping|retiring|travelling|visiting|running|doing)
    decided_(?:to|on|against) tomorrow shall intend
    """.replace("\n    |", "|")
)
_PAST = phrases(
    r"""
    used_to as_a_(?:kid|child|boy|girl|teenager|student) back_(?:when|then|in) in_my_(?:twenties|teens|youth|thirties)
    when_i_was years_ago once_upon formerly previously in_the_(?:past|old_days) i_was i_had we_had we_were my_late
    at_school at_uni growing_up was_(?:a|an|the|my|in|at|on) (?:quit|stopped|gave_up|given_up)
    """
)
_NEGATED = phrases(
    r"""
    not no never none nobody nothing nowhere neither nor without \w+n't cannot dont cant wont didnt doesnt isnt
    cancelled can't_stand decided_against
    done_with no_longer hate hates refuse avoid stopped quit gave_up given_up hardly barely rarely lost called_off
    """
)
_NOT_DENIED = phrases(
    r"""
    not_only not_just no_wonder no_doubt no_problem no_matter why_not not_bad can't_wait couldn't_be_happier
    nothing_but never_mind no_idea not_sure don't_mind can't_live_without not_long_ago not_far no._\d+ without_fail
    if_not or_not no_longer_than not_until don't_miss
    """
)
_FAILS = phrases(
    r"""
    (?:did|does|do)_nothing (?:did|does|do|is|was)(?:n't|_not)_(?:\w+_)?(?:help|work|do|good|any|for)
    never_(?:\w+_)?(?:helps?|helped|works?|worked|did|do|again|get|got|stick|stuck) never useless worse ruins? kills?
    backfir\w+ makes?_me_(?:sick|slow|tired|ill|worse|anxious|nervous)
    """
)
"""Says of something that it does not help."""
_CLAUSE_END = re.compile(
    r"[,;.:!?()\n]|\s[-\u2013\u2014]+\s"
    r"|\b(?:because|since|when|whenever|if|unless|so that|as long as|but|who|which|that)\b"
)
_SETTLED = phrases(
    r"""
    sorted solved resolved fixed unblocked unfroze works?_again working_again back_to_normal cancelled never_mind_the
    (?:is|are|was|got|finally|all)_(?:over|done|finished|gone|cleared|approved|healed|settled)
    no_longer_(?:a_problem|an_issue|blocked|stuck|need|want|hurts?)
    not_(?:a_problem|an_issue|stuck)_(?:anymore|any_more) (?:is|are)n't_(?:a_problem|an_issue)_(?:anymore|any_more)
    (?:got|came|went|pulled)_through got_(?:it|them)_working (?:arrived|came)_(?:today|yesterday)
    (?:i|we)_(?:did_it|made_it|passed|finished|reached|achieved|managed|crossed|completed|submitted|defended|graduated)
    (?:i|we)(?:'ve|_have|_finally)_(?:\w+_)?(?:passed|finished|reached|achieved|managed|completed|submitted|run|ran)
    (?:finally|just)_(?:passed|finished|reached|achieved|completed|submitted|ran|got) done_with_(?:it|that|the)
    changed_(?:my|our)_mind called_(?:it|the_\w+)_off not_(?:doing|going)_\w+(?:_\w+)?_(?:after_all|anymore) after_all
    scrap(?:ped)?_(?:it|that|the_\w+) dropped_(?:it|that|the_(?:plan|idea)) gave_up given_up
    """
)
_STATIC = phrases(
    r"""
    born birthday birthplace grew_up maiden_name my_name i_was_named native mother_tongue blood_type left-handed
    right-handed colou?r-?blind allergic allergy coeliac celiac died passed_away graduated adopted deaf blind dyslexic
    autistic first_language my_(?:real|full)_name years_ago as_a_(?:kid|child) raised (?:19|20)\d\d
    """
)
_SLOW_KINDS = frozenset(
    {FactKind.IDENTITY, FactKind.BELIEF, FactKind.STRENGTH, FactKind.RELATIONSHIP, FactKind.PREFERENCE}
)


def _modality(folded: str, kind: FactKind, dates: list[SaidDate]) -> Modality:
    """Return how something was meant: wishes first, for "could" and "will" stand in them too."""
    if _WISHES.search(folded):
        return Modality.WISHED
    if _UNCERTAIN.search(folded) and not (kind is FactKind.BELIEF and _BELIEVES.search(folded)):
        return Modality.UNCERTAIN
    if kind not in (FactKind.PREFERENCE, FactKind.BELIEF) and _WISHED.search(folded):
        return Modality.WISHED
    is_ahead = any(not date.is_past for date in dates)
    if kind in (FactKind.DECISION, FactKind.EVENT, FactKind.WORK_PATTERN, FactKind.GOAL) and (
        _PLANNED.search(folded) or (is_ahead and kind is not FactKind.WORK_PATTERN)
    ):
        return Modality.PLANNED
    if _PAST.search(folded) and kind is not FactKind.EVENT:
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
        return _FAILS.search(folded) is not None
    clauses = [clause for clause in _CLAUSE_END.split(_NOT_DENIED.sub(" ", folded)) if len(clause.split()) > 1]
    return bool(clauses) and _NEGATED.search(clauses[0]) is not None


def _volatility(folded: str, kind: FactKind, modality: Modality) -> Volatility:
    """Return how soon something may no longer hold: what happened stays, a mood or an ache goes."""
    if modality is Modality.PAST or _STATIC.search(folded):
        return Volatility.STATIC
    if kind is FactKind.EVENT:
        return Volatility.NORMAL if modality is Modality.PLANNED else Volatility.STATIC
    if PASSING.search(folded):
        return Volatility.VOLATILE
    is_lasting = kind in _SLOW_KINDS and modality is not Modality.UNCERTAIN
    return Volatility.SLOW if is_lasting else Volatility.NORMAL


_CHANGED = phrases(
    r"""
    moved started joined quit left began became switched stopped bought sold got married divorced retired adopted
    changed gave_up given_up hired promoted broke_up split_up
    """
)
"""What was otherwise before."""


def _validity(
    folded: str, dates: list[SaidDate], *, is_state: bool, at: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return from when and until when something holds, as far as its dates say so."""
    begins = next(filter(None, (date.begins_at for date in dates)), None)
    ends = next(filter(None, (date.ends_at for date in dates)), None)
    if begins is None and _CHANGED.search(folded):
        begins = next((date.period.start for date in dates if date.is_past and date.ends_at is None), None)
    if begins is None and ends is None and is_state:
        present = (date.period for date in dates if not date.is_past and date.period.start <= at < date.period.end)
        now = next(present, None)
        return (now.start, now.end) if now else (None, None)
    return (None, None) if begins and ends and begins >= ends else (begins, ends)
