"""What a context may show: facts, excerpts and episodes, turned into offers that compete for its budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import inf, log
from typing import NamedTuple, TypeAlias

import numpy as np

from yesteryear.core.confidence import confidence_now
from yesteryear.core.episode import Episode
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.language.fingerprints import fingerprints
from yesteryear.core.language.injection import shows_orders
from yesteryear.core.language.passages import mark_cuts
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.topics import trim_filler
from yesteryear.core.language.unseen import told_apart
from yesteryear.core.queries import IndexedMessage
from yesteryear.core.question import Question
from yesteryear.core.time import local, say_day, to_microseconds
from yesteryear.recall.budget import LanePolicy, Offer, PackingPolicy, Rendering, Wrap
from yesteryear.recall.known import FactLane, heading_of, note_of
from yesteryear.recall.ranking import Ranking, best_units
from yesteryear.recall.render import WRITERS, Layout, Shown, ShownLately, defuse, quoted
from yesteryear.recall.units import Unit
from yesteryear.recall.view import View

_CHARS_PER_TOKEN = 4.4
"""English; good enough to rank by length, and to guess what would fill a budget."""


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """What a context is made of."""

    budget: int = 1000
    """Tokens of a context, unless the caller says otherwise (document B)."""
    recent_budget: int = 500
    """Tokens of the session's last messages, outside the budget."""
    recent_messages: int = 20
    """Most of the session's last messages that are shown (document A: the last 10 to 20)."""
    max_episodes: int = 3
    """Most episodes in the history lane (document A: max_episodes_retrieved)."""
    max_facts: int = 10
    """Most facts, in all lanes together (document A: max_facts_retrieved)."""
    max_profile: int = 3
    """Most facts that tell who the person is whatever is asked, beside pinned ones."""
    max_open: int = 3
    """Most open goals, decisions and blockers of a project that compete there whatever is asked."""
    profile: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.025, max_share=0.1, weight=1.0))
    """Who the person is, and what was pinned: in the minimum the same for every question, like the history."""
    tactical: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.02, max_share=0.1, weight=1.0))
    """Open goals, decisions and blockers. The minimum is kept within a project only, and taken from the history's."""
    strengths: LanePolicy = field(default_factory=lambda: LanePolicy(max_share=0.1, weight=1.0))
    """Strengths and what has worked, as far as they bear on the message."""
    preferences: LanePolicy = field(default_factory=lambda: LanePolicy(max_share=0.1, weight=1.0))
    """Preferences and habits, as far as they bear on the message."""
    facts: LanePolicy = field(default_factory=lambda: LanePolicy(max_share=0.2, weight=1.0))
    """What else of the facts bears on the message."""
    questions: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.035, max_share=0.035))
    """What the agent may ask; where there is something, this is taken from the history's."""
    history: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.08, max_share=0.08, weight=-2.0))
    """The last episodes: no more than their minimum, so that they are the same for every question and what a model has
    read of them may be kept. Each 50 of 1000 tokens cost about .004 of recall; with the frame, the minimums of all
    lanes take at most 130 of them."""
    relevant: LanePolicy = field(default_factory=LanePolicy)
    """Excerpts that bear on the message; they take what is left."""
    important: float = 0.6
    """Importance in [0, 1] from which an episode of the last days comes before newer ones (document B, section 5.2)."""
    important_days: float = 7.0
    """What counts as the last days (document B, section 5.2)."""
    length_penalty: float = 0.25
    """Score that an excerpt loses for each factor e of its length in tokens, at least 0: what counts is the gain per
    token."""
    tokens_per_candidate: int = 12
    """At most one hit competes for a place for each so many tokens of the budget; at least 1."""
    fewest_candidates: int = 24
    """Hits that compete even for a small budget."""
    floor: float = 0.25
    """Part of the best hit's score, in [0, 1], below which a hit does not bear on the message: a budget is a limit, not
    a target. Source: five long talks of development data: at .25 no evidence is lost; at .45 a context costs 17 % less
    and holds .004 less of it, but in short talks that were not used to choose it .10 less."""
    stands_out: float = 5.0
    """Score of the best hit, in deviations, from which there is a floor: below, all hits are about as good. Source: on
    the talks above the best hit scores 7 to 14, among hundreds of like messages under 4."""
    above_floor: int = 6
    """Best hits that compete whatever the floor, at least 0: in a short memory little stands out."""
    most_just_said: int = 4
    """Most passages of what was just said in other conversations that compete whatever is asked; at least 0."""
    candidate_budgets: float = 1.15
    """Beyond those, hits compete until they would fill the budget so many times over; at least 1."""
    packing: PackingPolicy = field(default_factory=PackingPolicy)

    def lanes(self, *, is_asked: bool, in_project: bool = False, has_question: bool = False) -> dict[str, LanePolicy]:
        """Return the policy of each lane, in the order in which they are served.

        Args:
            is_asked: Whether anything bears on the message; where nothing does, facts get what they may have at most,
                and the history may take all that is left.
            in_project: Whether it is for one project, whose open goals, decisions and blockers then have their place.
            has_question: Whether there is something to ask.
        """
        share = self.history.max_share
        share -= self.tactical.min_share * in_project + self.questions.min_share * has_question
        history = replace(self.history, min_share=share, max_share=share, max_items=self.max_episodes)
        known = {
            "profile": self.profile,
            "tactical": self.tactical if in_project else replace(self.tactical, min_share=0.0),
            "strengths": self.strengths,
            "preferences": self.preferences,
            "facts": self.facts,
        }
        if not is_asked:
            history = replace(history, min_share=1.0, max_share=1.0)
            known = {name: replace(lane, min_share=lane.max_share) for name, lane in known.items()}
        return known | {"questions": self.questions, "history": history, "relevant": self.relevant}

    def most_candidates(self, budget: int) -> int:
        """Return how many hits compete at most for a budget in tokens."""
        return max(self.fewest_candidates, budget // self.tokens_per_candidate)


class OfferedMemory(NamedTuple):
    """One memory that may be shown, whatever its grain."""

    id: str
    messages: tuple[str, ...]
    """Ids of the messages behind it: the caller's own where given."""
    position: int | None = None
    """In the ranking; None for what is there whatever is asked."""
    is_earlier: bool = False
    """Whether it is a fact that held until another took its place."""


MemoryOffer: TypeAlias = Offer[OfferedMemory]


@dataclass(frozen=True, slots=True)
class Past:
    """An episode and the names of its messages."""

    episode: Episode
    messages: tuple[str, ...]
    place: tuple[object, ...]
    """Where it stands among the others."""


def last_episodes(view: View, *, now: datetime, policy: ContextPolicy) -> list[Past]:
    """Return the episodes of the history, the most wanted first: important ones of the last days, then the newest.

    Args:
        view: Episodes only.
        now: From when the last days are seen.
        policy: How many, and what is important.
    """
    since = to_microseconds(now) - timedelta(days=policy.important_days) // timedelta(microseconds=1)
    rows = view.rows
    is_important = (rows["importance"] >= policy.important) & (rows["at"] >= since)
    after_all_others = np.max(rows["at"], initial=since) + 1
    wish = rows["at"] - np.where(is_important, since, after_all_others)  # below 0 where not important
    most_wanted = best_units(view, np.arange(len(view)), wish.astype(np.float64), policy.max_episodes)
    units = [view.unit(position) for position in most_wanted]
    return [
        Past(unit.source, view.index.names(unit.source.message_ids), unit.place)
        for unit in units
        if isinstance(unit.source, Episode)
    ]


class OfferDesk:
    """Turns the memories of one context into offers; what was made for an earlier context is not made again."""

    def __init__(
        self,
        shown: ShownLately,
        layout: Layout,
        *,
        now: datetime,
        policy: ContextPolicy,
        authors: Iterable[str] = (),
    ) -> None:
        """Remember what all offers of a context share.

        Args:
            shown: Of the owner's index.
            layout: How the context is written.
            now: From when days are said.
            policy: What a context is made of.
            authors: All who speak; those whose names look alike are told apart.
        """
        self._names = told_apart(frozenset(authors))
        self._shown = shown
        self._layout = layout.value
        self._writer = WRITERS[layout]
        self._now = now
        self._policy = policy
        self._headers: dict[str, Wrap] = {}

    def past(self, past: Past, rank: int) -> MemoryOffer:
        """Return an entry of the history, after ``rank`` others that are wanted more."""
        digest = past.episode.digest
        told = f"{digest.topic}\n{digest.summary}" if digest else ""
        shown = self._episode(past, told, is_numbered=True)
        return self._offer(OfferedMemory(past.episode.id, past.messages), "history", -float(rank), shown)

    def fact(self, ranking: Ranking, known: FactLane, rank: int) -> MemoryOffer:
        """Return a fact, after ``rank`` others that are wanted more where none of them was asked for."""
        fact, told_in = known.fact, ranking.view.told_in(known.position)
        renderings = self._fact(known, confidence_now(fact, ranking.confidence, now=self._now), ranking.view.zone)
        length = log(about_tokens(fact.statement))
        bearing = float(ranking.scores[known.position]) - self._policy.length_penalty * length
        messages = tuple(message.name for message in told_in)
        position = None if known.is_standing else known.position
        heading = heading_of(fact, known.lane)
        may_be_spared = known.lane == "facts" and not known.rivals
        return Offer(
            item=OfferedMemory(fact.id, messages, position, is_earlier=not fact.is_current(self._now)),
            lane=known.lane,
            worth=-float(rank) if known.is_standing else bearing,
            place=(heading, fact.first_observed, fact.statement, fact.scope.project or ""),
            renderings=renderings,
            group=heading,
            header=self._writer.group(heading) if heading else ("", ""),
            source=fact.id,
            retells=frozenset(message.id for message in told_in) if may_be_spared else frozenset(),
            merit=inf if fact.pinned else bearing if ranking.is_asked else None,
        )

    def _fact(self, known: FactLane, confidence: float, zone: str | None) -> tuple[Rendering, ...]:
        """Return a fact with what there is to note about it, and where it can do without, without."""
        fact = known.fact
        note = note_of(fact, confidence=confidence, now=self._now, zone=zone, rivals=known.rivals)
        key = (self._layout, fact.id, fact.statement, note, self._names.get(fact.subject))
        shown = self._shown.facts.get(key)
        if shown is None:
            statement, says = self._shown_statement(fact), fingerprints([fact.statement])
            is_over = not fact.is_current(self._now)
            needs_note = is_over or bool(known.rivals) or fact.status is FactStatus.NEEDS_REVIEW
            shown = self._shown.facts[key] = tuple(
                self._writer.fact(statement, defuse(noted), is_former=is_over)._replace(says=says)
                for noted in ((note,) if needs_note else (note, ""))
            )
        return shown

    def _shown_statement(self, fact: Fact) -> str:
        """Return a statement with a name that nobody mistakes; what reads like orders as what somebody said."""
        statement, name = defuse(fact.statement), self._names.get(fact.subject)
        if shows_orders(statement):
            return f"{defuse(name or fact.subject)} said {quoted(statement)}"
        if name is not None and fact.subject in statement:
            return statement.replace(fact.subject, defuse(name), 1)
        return statement

    def question(self, question: Question) -> MemoryOffer:
        """Return a question that the agent may ask."""
        return Offer(
            item=OfferedMemory(question.id, ()),
            lane="questions",
            worth=0.0,
            place=(question.text,),
            renderings=(self._writer.question(defuse(question.text)),),
        )

    def found(self, ranking: Ranking, position: int) -> MemoryOffer:
        """Return a ranked unit: an excerpt under the date of its sitting, or an episode of which no text is left."""
        unit = ranking.view.unit(position)
        source, messages = unit.source, ranking.view.names(position)
        if isinstance(source, Episode) and unit.is_whole_episode:
            shown = self._episode(Past(source, messages, unit.place), unit.text, is_numbered=False)
        else:
            shown = self._excerpt(unit, messages, is_earlier=position in ranking.earlier)
        worth = float(ranking.scores[position]) - self._policy.length_penalty * shown.log_length
        return self._offer(OfferedMemory(source.id, shown.messages, position), "relevant", worth, shown)

    def _offer(self, memory: OfferedMemory, lane: str, worth: float, shown: Shown) -> MemoryOffer:
        return Offer(
            item=memory,
            lane=lane,
            worth=worth,
            place=shown.place,
            renderings=shown.renderings,
            group=shown.sitting or memory.id,
            header=self._headers[shown.sitting] if shown.sitting else ("", ""),
            source=memory.id,
            speaker=shown.speaker,
        )

    def _excerpt(self, unit: Unit, messages: tuple[str, ...], *, is_earlier: bool) -> Shown:
        author = self._names.get(unit.author, unit.author)
        key = (self._layout, unit.source.id, unit.part, is_earlier, author)
        shown = self._shown.units.get(key)
        if shown is None:
            sentences = split_sentences(unit.text)
            kept = trim_filler(sentences)
            whole = unit.source.content if isinstance(unit.source, IndexedMessage) else unit.text
            passage = mark_cuts(unit.text, whole, part=unit.part)
            text = defuse(" ".join(kept) if len(kept) < len(sentences) else passage)
            text = quoted(text) if shows_orders(text) else text
            is_marked = is_earlier or unit.is_brought
            line = self._writer.excerpt(defuse(author), text, is_earlier=is_earlier, is_brought=unit.is_brought)
            shown = self._shown.units[key] = Shown(
                renderings=(line._replace(says=fingerprints(kept)),),
                log_length=log(about_tokens(text)),
                place=unit.place,
                messages=messages,
                speaker="" if is_marked else unit.author,  # else the next line would stand bare below the mark
                sitting=_sitting(unit),
            )
        if shown.sitting not in self._headers:
            day = say_day(unit.at, now=self._now, zone=unit.zone)
            self._headers[shown.sitting] = self._writer.header(day)
        return shown

    def _episode(self, past: Past, told: str, *, is_numbered: bool) -> Shown:
        """Return an episode, told as its topic and below it its summary: with the summary, or as one line."""
        episode = past.episode
        day = say_day(episode.ended_at, now=self._now, zone=episode.zone)
        key = (self._layout, episode.id, day, is_numbered)
        shown = self._shown.units.get(key)
        if shown is None:
            topic, _, summary = (defuse(part) for part in told.partition("\n"))
            renderings = tuple(
                self._writer.episode(day, topic, text, is_numbered=is_numbered)._replace(
                    says=fingerprints([topic, *split_sentences(text)])
                )
                for text in ((summary, "") if summary else ("",))
            )
            shown = self._shown.units[key] = Shown(renderings, log(about_tokens(told)), past.place, past.messages)
        return shown


def _sitting(unit: Unit) -> str:
    """Return what the excerpts below one date line have in common; one text, since texts are looked up fast."""
    zone, key = unit.zone, unit.key
    day = local(unit.at, zone).date().isoformat()
    return "\0".join([day, zone or "", key.name, key.project or "", key.agent or ""])


def about_tokens(text: str) -> float:
    """Return a guess of what a text costs."""
    return max(1.0, len(text) / _CHARS_PER_TOKEN)
