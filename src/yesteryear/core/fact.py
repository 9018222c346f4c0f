"""What is believed about a person: statements with evidence, and how they come of what was told.

A fact is one statement as it was first told. Its status, how sure we are and what took its place follow from evidence,
verdicts on pairs and what the person said by hand, so the same things told in another order give the same belief.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from typing import NamedTuple

from yesteryear.core.attributes import Cardinality, FactKind, Volatility, attributes
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.invisible_text import seen
from yesteryear.core.language.sentences import fingerprint, sentence_spans, split_sentences
from yesteryear.core.message import Message
from yesteryear.core.results import Plain
from yesteryear.core.scope import Scope
from yesteryear.core.time import earlier, later
from yesteryear.errors import InvalidTransition

_MOST_WORDS = 25  # words of the longest statement that counts as one; the longest of the annotated facts has 19
_MARKS = str.maketrans(dict.fromkeys('"“”„«»', "'"))
_FRAMED = re.compile(
    r'(?:Asked "(?P<heard>.+)", )?[^"]+? said(?: of (?P<of>[^:"]+?))?(?: on [0-9-]{10})?: "(?P<words>.+)"',
    re.DOTALL,
)
_OPENING_WORDS = 5  # words in which a heading would end, as in "Ana's goal for 2025: ..."
PROJECT_KINDS = frozenset({FactKind.GOAL, FactKind.BLOCKER, FactKind.DECISION})  # of the project they were told in
OVERDUE_DAYS = 14.0  # days for which a task that was to be done by some day stays open beyond it; set by hand
_BEGINS_WITHIN = timedelta(days=31)  # after which an event with a beginning and no end is open no more: "in June"
OPEN_KINDS = PROJECT_KINDS  # kinds that can be settled: a blocker is resolved, a goal reached, a decision reversed


class FactStatus(StrEnum):
    """Where a fact stands in its life."""

    TENTATIVE = "tentative"
    STABLE = "stable"  # several sessions speak for it, or the person confirmed it
    NEEDS_REVIEW = "needs_review"  # what it rested on no longer holds
    DEPRECATED = "deprecated"  # too unsure to be used, or refuted; kept
    MERGED = "merged"  # another fact says the same, or more; `canonical_id` names it
    SUPERSEDED = "superseded"  # it held until `valid_to`; `superseded_by` names what holds since
    FORGOTTEN = "forgotten"  # nothing of it is left but that it was there


LIVE = frozenset({FactStatus.TENTATIVE, FactStatus.STABLE, FactStatus.NEEDS_REVIEW})  # statuses of facts that count now

TOLD_IN = "told_in"
"""Property of a forgotten fact: ids of messages that told it and stay, divided by spaces; read again they tell nothing
new, for it might come back in other words. Not there where the fact was forgotten before this was written down."""
BROUGHT_IN = "brought_in"  # property: id of a message that brought text which may concern it, until that was asked


class Authority(IntEnum):
    """Whose word a statement is; one of less authority never supersedes one of more."""

    INFERRED = 1  # distilled from what happened several times
    OBSERVED = 2  # seen in what was said about something else
    CONFIRMED = 3  # the person said yes to it
    SAID = 4  # the person said it


class Modality(StrEnum):
    """How a statement was meant."""

    ASSERTED = "asserted"
    PLANNED = "planned"
    PAST = "past"
    UNCERTAIN = "uncertain"
    WISHED = "wished"


class Form(StrEnum):
    """How a statement is worded; none of them changes what was said."""

    PLAIN = "plain"  # third person, everything named: Joel is a vegetarian.
    ANSWER = "answer"  # the question and the words said: Asked "Any allergies?", Joel said: "Nuts."
    QUOTE = "quote"  # the words said, with who said them: Joel said of Priya: "She can't have nuts."


class Stance(StrEnum):
    """What a piece of evidence does."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    ECHO = "echo"  # it repeats what a context had shown, and counts for nothing


TASTE, FAVOURITE, AIM = "taste ", "favourite ", "aim "
"""What begins the attribute of a slot that has a name in it: of the thing that is liked or not, of the kind of which
something is the favourite, and of what somebody is after so many of. Two names leave each other alone."""


@dataclass(frozen=True, slots=True)
class Slot(Plain):
    """What a statement fills in, where it can be told: Ana's residence is Lisbon."""

    attribute: str
    """In lower case and one word for one thing: "residence", "job", "pet"."""
    value: str
    cardinality: Cardinality = Cardinality.MULTI


class LoopState(StrEnum):
    """Where something that gets done stands."""

    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"
    LAPSED = "lapsed"  # its time is over, or it has begun, and nobody said what became of it


SETTLES = "settles"  # property: "yes" where it says that a goal is reached, a blocker gone, a plan or decision dropped
RESOLVED_BY = "resolved_by"  # property: "person" where it was settled by hand
SETTLED_AS = "settled_as"  # property: "dropped" where it was given up; done where there is none
DISPUTED_BY = "disputed_by"  # property: ids of facts, divided by spaces, of which only it or they can hold
DOUBTED_BY = "doubted_by"  # property: ids of later facts, divided by spaces, after which it may no longer hold
SOMEBODY = "somebody"  # holder of what was said of somebody whom nothing names; two of them need not be one
CONFIDENTIAL = "confidential"  # property: "yes" where the person asked that nobody be told
ASKED_TO_REMEMBER = "asked_to_remember"  # property: "yes" where they asked that it be remembered
IN_PLACE_OF = "in_place_of"  # property: ids of facts on the person's safety whose place it took, told along with it
TELLS_ALONG = "tells_along"
"""Property of a quote: facts whose words stand in it beside its own, and where: "ID:START-END ID:START-END", offsets in
the statement, the end exclusive. They are not told with it once they are over. Before the id of what ended a sentence
that is nobody's own stands ``ENDED_BY``."""
ENDED_BY = "<"


ANSWER = "answer"  # ends the id of evidence that answers a question


def stands_alone(statement: str, subject: str, form: Form = Form.PLAIN, *, holder: str = "") -> bool:
    """Tell whether a statement says whom it is about and is one.

    A plain one does that opens with the person, or with the ``holder`` it is about, in a sentence not too long; a quote
    and an answer do that name who said the words, and an answer what they were asked. What does not may still be found
    by searching, but is offered to nobody unasked.
    """
    if form is not Form.PLAIN:
        asked = 'Asked ".+", ' if form is Form.ANSWER else ""
        said = rf'{asked}{re.escape(subject)} said(?: of [^:"]+)?(?: on [0-9-]{{10}})?: ".+"'
        return re.fullmatch(said, statement, re.DOTALL) is not None
    whom = holder if holder and statement.startswith(holder) else subject
    opening = " ".join(statement.removeprefix(whom).split()[:_OPENING_WORDS])
    is_about_them = statement.startswith(whom) and ":" not in opening  # else it is a heading and a quote
    is_one = len(list(sentence_spans(statement))) == 1 and len(statement.split()) <= _MOST_WORDS
    return is_about_them and is_one


def as_quoted(text: str) -> str:
    """Return words as they stand between the quotation marks of a statement: one line, with no such marks inside."""
    return " ".join(text.translate(_MARKS).split())


class SaidWords(NamedTuple):
    """What stands in a statement that is an answer or a quote."""

    asked: str  # the question; empty in a quote
    of: str  # of whom they were said, where the words do not name them; else empty
    words: str


def said_words(statement: str, form: Form) -> SaidWords:
    """Return what was asked and said in a statement; its own words where it is plain."""
    found = _FRAMED.fullmatch(statement) if form is not Form.PLAIN else None
    return SaidWords(found["heard"] or "", found["of"] or "", found["words"]) if found else SaidWords("", "", statement)


def words_of(statement: str, form: Form) -> str:
    """Return a statement without the frame that tells who said it: what was asked, and the words that were said.

    What is compared and searched by meaning; the frame is the same in all quotes, and would make them alike.
    """
    return " ".join(filter(None, said_words(statement, form)))


@dataclass(frozen=True, slots=True)
class FactDraft(Plain):
    """A statement that an analyst found in what somebody wrote, not yet compared with what is known."""

    statement: str
    """One atomic statement in its ``form``, with the person's name; dates in a plain one are absolute."""
    kind: FactKind
    subject: str
    """The person it is about, as they are named."""
    quote: str
    """The words it rests on; a part of the message."""
    message_id: str
    confidence: float
    """How sure the analyst is that the person states this, in [0, 1]."""
    slot: Slot | None = None
    volatility: Volatility = Volatility.NORMAL
    modality: Modality = Modality.ASSERTED
    is_negative: bool = False
    """Whether it says that something is not so."""
    second_kind: FactKind | None = None
    """The other kind it may be, where the two were close."""
    valid_from: datetime | None = None
    """From when it holds in the world, where that was said."""
    valid_to: datetime | None = None
    """Until when it holds (exclusive), where that was said."""
    is_settled: bool = False
    """Whether it says that a goal is reached, a blocker gone or a decision reversed."""
    authority: Authority = Authority.SAID
    attribute: str = ""
    """What of the holder it tells, a name of ``core.attributes``; empty where none fits."""
    holder: str = ""
    """Whose it is, by name or tie as it was said: "Priya", "mum"; empty where it is the subject's own."""
    form: Form = Form.PLAIN
    reader: str = ""
    """What read it, with its version; empty for what was made before readers had one."""
    is_confidential: bool = False
    """Whether the person asked that nobody be told."""
    is_asked_for: bool = False
    """Whether the person asked that it be remembered."""


@dataclass(frozen=True, slots=True)
class Evidence(Plain):
    """What one message, or the person's own hand, says for or against a fact."""

    id: str
    fact_id: str
    stance: Stance
    said_at: datetime
    """When it was said (UTC)."""
    recorded_at: datetime
    session: str
    """The conversation it was said in; belief counts the sittings, whatever conversations they are of."""
    author: str
    weight: float
    """How sure whoever drew the fact from it was, in [0, 1]."""
    quote: str = ""
    message_id: str | None = None
    """None for what the person did by hand."""
    episode_id: str | None = None
    authority: Authority = Authority.SAID

    @property
    def is_answer(self) -> bool:
        """Whether it is the person's answer to a question about the fact."""
        return self.id == f"{self.message_id}:{ANSWER}"


@dataclass(frozen=True, slots=True)
class Fact(Plain):
    """An atomic statement believed about a person."""

    id: str
    scope: Scope  # the project for goals, blockers and decisions told in one; none for all others
    statement: str
    kind: FactKind
    subject: str
    first_observed: datetime  # when its first evidence was said
    recorded_at: datetime  # when it became known to us
    slot: Slot | None = None
    volatility: Volatility = Volatility.NORMAL
    modality: Modality = Modality.ASSERTED
    is_negative: bool = False
    authority: Authority = Authority.SAID
    status: FactStatus = FactStatus.TENTATIVE
    confidence: float = 0.0  # how sure we are that it is true, as of its last evidence, in [0, 1]
    last_confirmed: datetime | None = None  # when its last support was said
    sessions: int = 0  # in how many sessions it was supported
    valid_from: datetime | None = None
    valid_to: datetime | None = None  # until when it held (exclusive); None while it does
    resolved_at: datetime | None = None  # when a goal was reached, a blocker went or a decision was reversed
    retracted_at: datetime | None = None  # when we ceased to believe it; None while we do
    canonical_id: str | None = None  # the fact that says the same or more; that one is not merged itself
    superseded_by: str | None = None
    pinned: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)
    """What else is known: the other kind it may be, why it needs review."""
    attribute: str = ""  # what of the holder it tells, a name of `core.attributes`; empty where none fits
    holder: str = ""  # whose it is, by name or tie as it was said; empty where it is the subject's own
    form: Form = Form.PLAIN
    reader: str = ""  # what read it, with its version; empty for what was made before readers had one
    due_at: datetime | None = None  # when it is due to be embedded and compared; None when nothing is to be done
    attempts: int = 0
    error: str | None = None
    rev: int = 0

    @property
    def is_live(self) -> bool:
        """Whether it counts now."""
        return self.status in LIVE

    @property
    def is_loop(self) -> bool:
        """Whether it is something that gets done: a goal, blocker, decision, or what is planned; not that it was."""
        return (self.kind in OPEN_KINDS or self.modality is Modality.PLANNED) and self.properties.get(SETTLES) != "yes"

    @property
    def is_open(self) -> bool:
        """Whether it is such a thing and not settled yet."""
        return self.is_loop and self.is_live and self.resolved_at is None

    @property
    def due_by(self) -> datetime | None:
        """When such a thing is to be: what is planned when it begins, else its last moment; None where untold."""
        if self.modality is Modality.PLANNED and self.valid_from is not None:
            return self.valid_from
        return earlier(self.valid_to, timedelta.resolution) if self.is_loop and self.valid_to is not None else None

    def loop_at(self, now: datetime) -> LoopState | None:
        """Return where such a thing stands at ``now``; None where it is nothing that gets done, or counts no more."""
        if not self.is_loop or not self.is_live:
            return None
        if self.resolved_at is not None:
            return LoopState(self.properties.get(SETTLED_AS, LoopState.DONE))
        begins = self.valid_from if self.kind is FactKind.EVENT and self.valid_to is None else None
        is_over = begins is not None and now >= later(begins, _BEGINS_WITHIN)
        return LoopState.OPEN if self.is_current(now) and not is_over else LoopState.LAPSED

    @property
    def is_well_known(self) -> bool:
        """Whether it fills a slot, was told in several sessions or confirmed, or pinned: it may stand unasked."""
        return self.pinned or self.slot is not None or self.status is FactStatus.STABLE

    @property
    def is_safety(self) -> bool:
        """Whether a mistake about it may harm somebody, by its attribute."""
        known = attributes().get(self.attribute)
        return known is not None and known.is_safety

    @property
    def lapses_at(self) -> datetime | None:
        """When it ceases to count for want of news: at its end, of an open task some days later; None for never."""
        if self.valid_to is None or self.attribute != "task" or not self.is_open:
            return self.valid_to
        return later(self.valid_to, timedelta(days=OVERDUE_DAYS))

    def is_current(self, now: datetime) -> bool:
        """Tell whether it counts at ``now``, and has not ceased to hold, or lapsed, by then."""
        return self.is_live and (self.lapses_at is None or now < self.lapses_at)

    def is_overdue(self, now: datetime) -> bool:
        """Tell whether it is a task that was to be done by ``now`` and has not lapsed yet."""
        return self.is_current(now) and self.valid_to is not None and self.valid_to <= now

    def holds_at(self, instant: datetime) -> bool:
        """Tell whether it was true in the world at an instant: in [valid_from, valid_to)."""
        begins = self.valid_from or self.first_observed
        return begins <= instant and (self.valid_to is None or instant < self.valid_to)

    def blank(self) -> Fact:
        """Return what is left of this fact once it is forgotten: that it was there."""
        return Fact(
            id=self.id,
            scope=self.scope,
            statement="",
            kind=self.kind,
            subject="",
            first_observed=self.first_observed,
            recorded_at=self.recorded_at,
            status=FactStatus.FORGOTTEN,
            properties={name: ids for name, ids in self.properties.items() if name == TOLD_IN},
        )

    def moved_to(self, status: FactStatus, **changes: object) -> Fact:
        """Return this fact in another status; the one way to change it.

        Belief is computed anew from all that is known, so a fact may go anywhere, even back. Raises InvalidTransition:
        it was forgotten.
        """
        if self.status is FactStatus.FORGOTTEN and status is not self.status:
            raise InvalidTransition(f"fact {self.id!r} is {self.status}; it cannot become {status}")
        return replace(self, status=status, **changes)  # type: ignore[arg-type]


AS_TOLD = (
    *("statement", "kind", "subject", "slot", "volatility", "modality", "is_negative", "authority"),
    *("valid_from", "valid_to", "attribute", "holder", "form", "reader"),
)
"""What a fact takes over from the draft that told it, by name."""


@dataclass(frozen=True, slots=True)
class FactVersion(Plain):
    """A fact as it was after a change: the whole of it, so that any moment can be looked back at."""

    fact: Fact
    number: int  # from 1
    at: datetime  # when it changed
    cause: str  # what changed it: told, reinforced, merged, superseded, night, corrected, confirmed, undone
    cycle: str | None = None  # id of the night that did it
    is_by_hand: bool = False  # whether the person or the application said so by a verb


def fact_of(draft: FactDraft, message: Message, fact_id: str, *, now: datetime) -> Fact:
    """Return the fact that a draft states in a message, due to be compared with what is known."""
    told_in = message.scope
    stands = draft.kind in OPEN_KINDS and draft.volatility is Volatility.VOLATILE  # it does until it is settled
    second = {"second_kind": draft.second_kind.value} if draft.second_kind else {}
    marks = {SETTLES: draft.is_settled, CONFIDENTIAL: draft.is_confidential, ASKED_TO_REMEMBER: draft.is_asked_for}
    told = {name: getattr(draft, name) for name in AS_TOLD}
    told["statement"] = seen(draft.statement)
    told["volatility"] = Volatility.NORMAL if stands else draft.volatility
    return Fact(
        **told,
        id=fact_id,
        scope=Scope(told_in.user, told_in.tenant, told_in.project if draft.kind in PROJECT_KINDS else None),
        first_observed=message.at,
        recorded_at=now,
        properties=second | {name: "yes" for name, is_so in marks.items() if is_so},
        due_at=now,
    )


def evidence_of(draft: FactDraft, message: Message, fact_id: str, *, episode_id: str | None, now: datetime) -> Evidence:
    """Return what a message, held by an episode, says for the fact that a draft states."""
    return Evidence(
        id=f"{message.id}:{fingerprint(draft.quote):016x}",
        fact_id=fact_id,
        stance=Stance.SUPPORTS,
        said_at=message.at,
        recorded_at=now,
        session=message.conversation,
        author=message.author,
        weight=draft.confidence,
        quote=draft.quote,
        message_id=message.id,
        episode_id=episode_id,
        authority=draft.authority,
    )


def was_shown(events: Iterable[RecallEvent], fact: Fact, draft: FactDraft, message: Message) -> bool:
    """Tell whether a context had shown a fact, or the sentences of a message it rests on, before that was said."""
    before = [event for event in events if event.at < message.at]
    if not before:
        return False
    around = (sentence for sentence in split_sentences(message.content) if draft.quote in sentence)
    said = {fingerprint(sentence) for sentence in (draft.statement, *split_sentences(draft.quote), *around)}
    return any(fact.id in event.items or said & set(event.fingerprints) for event in before)
