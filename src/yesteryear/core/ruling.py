"""What two statements are to each other, as it is kept; how facts bear on one another; what may be asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Authority, Slot
from yesteryear.core.results import Plain
from yesteryear.core.scope import Scope

PERSON = "person"  # who judged, and who resolved, where the person did
OVER_BEFORE = "a task that was over before"
"""The rule by which the earlier of two statements tells that what the later tells to be done was done or dropped: told
again after the later, in the same words, it settles that."""

TOLD_TOGETHER = "told together, and not near enough to be more than the same"
"""The rule by which nothing follows of what a judge says of two facts that are compared for being told in talk on one
subject, but that they say the same: which talk is on one subject changes with all that is told later."""


class PairVerdict(StrEnum):
    """What the later of two statements does to the earlier."""

    DUPLICATE = "duplicate"  # says the same
    REFINES = "refines"  # says the same and more
    UPDATES = "updates"  # tells a change: the earlier held until then
    ENDS = "ends"  # tells that the earlier is over, dropped or cancelled, and nothing took its place
    COMPLETES = "completes"  # tells that it is done, or has happened
    CONTRADICTS = "contradicts"  # both cannot be true, and neither is the later state of the other
    COEXISTS = "coexists"  # both hold, on one subject
    UNRELATED = "unrelated"


ENDING = frozenset({PairVerdict.ENDS, PairVerdict.COMPLETES})  # by which the earlier is over, nothing in its place

OVER_VERDICTS = (PairVerdict.UPDATES, PairVerdict.ENDS, PairVerdict.COMPLETES, PairVerdict.CONTRADICTS)
"""Verdicts by which the earlier holds no more."""


class Act(StrEnum):
    """What a verdict is sure enough for."""

    NOTHING = "nothing"  # both stay side by side
    DOUBT = "doubt"  # the earlier stays, and is told as what may no longer hold
    FOLD = "fold"  # the less specific is merged into the more specific
    SUPERSEDE = "supersede"  # the later takes the place of the earlier
    ASK = "ask"  # it changed or contradicts: a question for the person


class Claim(NamedTuple):
    """A statement as a pair is judged."""

    text: str
    at: datetime  # when it was first said (UTC)
    subject: str = ""  # whom it is about; empty where it is not known apart from the text
    kind: FactKind | None = None
    slot: Slot | None = None
    is_negative: bool = False
    authority: Authority = Authority.SAID
    attribute: str = ""
    holder: str = ""
    words: str = ""  # as it was said first; empty where that is not known
    asked: str = ""  # the question that the words answer

    @property
    def said(self) -> str:
        """The words that were said, as far as they are known."""
        return self.words or self.text


class ClaimPair(NamedTuple):
    """Two statements, the one said earlier first."""

    earlier: Claim
    later: Claim


@dataclass(frozen=True, slots=True)
class Judgement(Plain):
    """A verdict on a pair, how likely each one is, and what it is sure enough for."""

    verdict: PairVerdict
    act: Act = Act.NOTHING
    keeps_later: bool = True  # for FOLD: whether the later of the two is the more specific; it stays
    scores: Mapping[PairVerdict, float] = field(default_factory=dict)
    """Probability of each verdict, in [0, 1]; empty where a rule decided."""
    rule: str = ""  # the rule that decided or forbade to act; empty where the scores alone did
    judge: str = "local"
    """Who judged: "local" or a language model by name; "local: " and the reason where it stood in for one."""

    @property
    def is_guess(self) -> bool:
        """Whether probabilities alone decided, and no rule."""
        return bool(self.scores) and not self.rule

    @property
    def over(self) -> float:
        """Probability that the earlier holds no more, in [0, 1], as the judge gives it; 0 where a rule decided."""
        return sum(self.scores.get(each, 0.0) for each in OVER_VERDICTS)


@dataclass(frozen=True, slots=True)
class ActPolicy:
    """From which probability that the earlier of two facts holds no more something follows."""

    over: float = 0.5
    """In [0, 1], from which the later takes its place. Source: of pairs of two lives by a writer of whom nothing was
    taught 35 of 45 are right from there, from .6 on 24 of 32."""
    doubt: float = 0.35  # in [0, 1], from which the earlier is told as what may no longer hold; chosen with ``over``


def act_on(over: float, earlier: Authority, later: Authority, policy: ActPolicy) -> Act:
    """Return what it is sure enough for that the earlier holds no more; a weaker word takes no stronger one's place."""
    if over < policy.over:
        return Act.DOUBT if over >= policy.doubt else Act.NOTHING
    return Act.SUPERSEDE if earlier <= later else Act.ASK


def surest(scores: Mapping[PairVerdict, float], act: Act) -> PairVerdict:
    """Return the likeliest verdict, of those that an act follows from."""
    return max(OVER_VERDICTS if act in (Act.SUPERSEDE, Act.ASK) else scores, key=lambda each: scores.get(each, 0.0))


class ConflictState(StrEnum):
    """Where a question between two facts stands."""

    OPEN = "open"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Ruling(Plain):
    """What two facts are to each other. There is one for a pair; a person's word replaces a judge's."""

    scope: Scope  # the narrower one of the two facts'
    earlier: str  # id of the fact that was told first
    later: str
    judgement: Judgement
    ruled_at: datetime
    by_person: bool = False  # whether the person decided it
    cycle: str | None = None  # id of the night that judged
    is_void: bool = False  # whether it was undone: it counts for nothing, and the pair is not judged again
    set_aside_by: str | None = None
    """Id of the night that found other facts nearer to both: until a night finds otherwise it counts for nothing, so
    that what is believed does not depend on which of many like facts was learnt first."""
    of_one: bool | None = None
    """Whether the two had one holder when they were judged, by which a judge's word stands; None: the same name."""
    conflict: ConflictState | None = None
    """Whether it is, or was, a question for the person; None where there is nothing to ask."""
    settled_at: datetime | None = None
    settled_by: str = ""
    """What settled the question: told again, confirmed, refuted, authority, both hold, gone or undone."""
    asked_at: datetime | None = None  # when a context last offered the question

    @property
    def pair(self) -> tuple[str, str]:
        """The two ids in alphabetical order: the key of the row."""
        return (self.earlier, self.later) if self.earlier < self.later else (self.later, self.earlier)

    @property
    def counts(self) -> bool:
        """Whether belief follows from it: it was neither undone nor set aside, nor judged beyond its ground."""
        return not self.is_void and self.set_aside_by is None and self.judgement.rule != TOLD_TOGETHER

    def told_together(self) -> Ruling:
        """Return this where two facts say the same, else without anything that follows from it."""
        if self.judgement.act is Act.FOLD:
            return self
        return replace(self, judgement=replace(self.judgement, act=Act.NOTHING, rule=TOLD_TOGETHER))

    def both_hold(self, now: datetime) -> Ruling:
        """Return this with the person's word, given now, that neither side gives way."""
        return replace(
            self,
            judgement=Judgement(PairVerdict.COEXISTS, rule="both hold", judge=PERSON),
            by_person=True,
            ruled_at=now,
            cycle=None,
            is_void=False,
            set_aside_by=None,
            conflict=self.conflict and ConflictState.RESOLVED,
            settled_at=now,
            settled_by="both hold",
        )

    @property
    def act(self) -> Act:
        """What it is sure enough for; nothing where it does not count."""
        return self.judgement.act if self.counts else Act.NOTHING


ASKED_AT = "asked_at"  # property of a fact: when a context last offered a question about it, in ISO 8601
ASKED_WHAT = "asked_what"  # property of a fact: the id of that question
ASKED = "asked "  # begins a property of a fact, before the id of a question: how often it was offered


@dataclass(frozen=True, slots=True)
class Question(Plain):
    """One short question about facts, offered with a context."""

    id: str
    """The same for the same question, however often it is offered."""
    text: str
    """As it may be asked, to the person themself."""
    fact_ids: tuple[str, ...]
    """The facts that the answer would settle."""
    worth: float
    """How much the answer would settle; higher is better, comparable within one owner."""
