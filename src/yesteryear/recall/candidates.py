"""What a context may show: facts, excerpts and episodes, turned into candidates that compete for its budget.

Facts stand in document A's lanes for blockers, strengths and success patterns, and in its medium-term tier (open goals,
decisions and blockers); what a question brings up beside them is known facts. ``recall.prefix`` has what stands always.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from math import inf, log
from typing import NamedTuple

import numpy as np

from yesteryear.core.attributes import FactKind
from yesteryear.core.ended import words_that_hold
from yesteryear.core.fact import DISPUTED_BY, DOUBTED_BY, Fact, FactStatus, Form
from yesteryear.core.fading.confidence import confidence_now
from yesteryear.core.language.discourse import trim_filler
from yesteryear.core.language.injection import shows_orders
from yesteryear.core.language.invisible_text import told_apart
from yesteryear.core.language.sentences import fingerprints, mark_cuts, split_sentences
from yesteryear.core.rows.queries import IndexedMessage
from yesteryear.core.ruling import Question
from yesteryear.core.time import local, say_date, say_day, say_month, to_microseconds
from yesteryear.measure.answer import NumberLine
from yesteryear.recall.agenda import AgendaEntry
from yesteryear.recall.budget import Candidate, ContextPolicy, Rendering, Wrap
from yesteryear.recall.ranking import Ranking, best_units
from yesteryear.recall.render import (
    BLOCKERS,
    BROUGHT,
    DOUBTED,
    EARLIER,
    PARTLY_EARLIER,
    PLANS,
    WRITERS,
    Layout,
    defuse,
    quoted,
)
from yesteryear.recall.signals import sure_enough
from yesteryear.recall.units import Unit
from yesteryear.recall.view import View
from yesteryear.relate.views import GraphLine

_LANES: Mapping[FactKind, str] = {
    FactKind.PREFERENCE: "preferences",
    FactKind.WORK_PATTERN: "preferences",
    FactKind.STRENGTH: "strengths",
    FactKind.SUCCESS_PATTERN: "strengths",
    FactKind.BLOCKER: "tactical",
    FactKind.GOAL: "tactical",
    FactKind.DECISION: "tactical",
}
"""Where facts of a kind stand while they hold; all others among the known facts."""
_SAFE = 0.7  # confidence in [0, 1] from which nothing is said about it
_BRACKETS = frozenset("()[]{}")  # signs that would end a note before its end
_CHARS_PER_TOKEN = 4.4  # English; good enough to rank by length, and to guess what would fill a budget
_COSTS_KEPT = 50_000  # most lines of one owner whose cost is remembered


def remembering(costs: dict[str, int], count_tokens: Callable[[str], int]) -> Callable[[str], int]:
    """Return a counter that looks up in ``costs`` what it has counted before, and notes there what it counts."""
    if len(costs) > _COSTS_KEPT:
        costs.clear()

    def count(lines: str) -> int:
        if lines not in costs:
            costs[lines] = count_tokens(lines)
        return costs[lines]

    return count


def last_episodes(view: View, *, now: datetime, policy: ContextPolicy) -> list[int]:
    """Return the positions of the episodes of the history, the most wanted first, in a view of episodes only.

    Important ones of the last days come before the newest.
    """
    since = to_microseconds(now) - timedelta(days=policy.important_days) // timedelta(microseconds=1)
    rows = view.rows
    is_important = (rows["importance"] >= policy.important) & (rows["at"] >= since)
    after_all_others = np.max(rows["at"], initial=since) + 1
    requested = rows["at"] - np.where(is_important, since, after_all_others)  # below 0 where not important
    return best_units(view, np.arange(len(view)), requested.astype(np.float64), policy.max_episodes)


class CandidateBuilder:
    """Turns the memories of one context into candidates; what was made for an earlier context is not made again."""

    def __init__(self, ranking: Ranking, layout: Layout, policy: ContextPolicy) -> None:
        """Remember what all candidates share; authors whose names look alike are told apart."""
        index = ranking.view.index
        self._ranking, self._policy = ranking, policy
        self._names, self._shown = told_apart(frozenset(index.authors)), index.shown
        self._layout, self._writer = layout.value, WRITERS[layout]
        self._now = ranking.asked.now
        self._headers: dict[Hashable, Wrap] = {}

    def past(self, episodes: View, position: int, rank: int) -> Candidate:
        """Return an entry of the history, after ``rank`` others that are wanted more."""
        shown, _ = self._episode(episodes, position, "history")
        return shown._replace(worth=-float(rank))

    def fact(self, known: FactLane, rank: int) -> Candidate:
        """Return a fact, after ``rank`` others that are wanted more where none of them was asked for."""
        ranking, fact = self._ranking, known.fact
        told_in = ranking.view.told_in(known.position)
        bearing = self._worth(known.position, log(about_tokens(fact.statement)))
        heading = ""
        if known.lane == "tactical":
            heading = BLOCKERS if fact.kind is FactKind.BLOCKER else PLANS
        may_be_spared = known.lane == "facts" and not known.rivals
        return Candidate(
            id=fact.id,
            lane=known.lane,
            worth=-float(rank) if known.is_standing else bearing,
            place=(heading, fact.first_observed, fact.statement, fact.scope.project or ""),
            renderings=self._fact(fact, rivals=known.rivals),
            group=heading,
            header=self._writer.group(heading),
            messages=tuple(message.name for message in told_in),
            position=None if known.is_standing else known.position,
            is_earlier=not fact.is_current(self._now),
            retells=frozenset(message.id for message in told_in) if may_be_spared else frozenset(),
            merit=inf if fact.pinned else bearing if ranking.is_asked else None,
        )

    def standing(self, fact: Fact, lane: str, *, rank: int, rivals: tuple[Fact, ...] = ()) -> Candidate:
        """Return a fact that stands whatever is asked, after ``rank`` others; it does not say how sure it is today."""
        told_in = self._ranking.view.index.sources(fact.id, self._ranking.view.scope)
        return Candidate(
            id=fact.id,
            lane=lane,
            worth=-float(rank),
            place=(rank,),
            renderings=self._fact(fact, rivals=rivals, confidence=1.0)[-1:],  # noted only where it needs to be
            messages=tuple(message.name for message in told_in),
            is_earlier=not fact.is_current(self._now),
            merit=inf,
        )

    def agenda(self, entry: AgendaEntry, rank: int) -> Candidate:
        """Return something to be done or set for a day, after ``rank`` others, with its day."""
        fact, told_in = entry.fact, self._ranking.view.index.sources(entry.fact.id, self._ranking.view.scope)
        note = _say_due(entry.due, is_overdue=entry.is_overdue, zone=self._ranking.view.zone) if entry.due else ""
        if fact.status is FactStatus.NEEDS_REVIEW or DOUBTED_BY in fact.properties:
            note = f"{note}; {DOUBTED}".removeprefix("; ")
        told = words_that_hold(fact, self._ranking.view.seen, now=self._now)
        shown = self._writer.fact(self._shown_statement(fact, told), note, is_former=False)
        return Candidate(
            id=fact.id,
            lane="agenda",
            worth=-float(rank),
            place=(rank,),
            renderings=(shown._replace(says=fingerprints([fact.statement])),),
            messages=tuple(message.name for message in told_in),
            merit=inf,
        )

    def _fact(self, fact: Fact, *, rivals: tuple[Fact, ...], confidence: float | None = None) -> tuple[Rendering, ...]:
        """Return a fact with what there is to note about it, and where it can do without, without."""
        zone = self._ranking.view.zone
        if confidence is None:
            confidence = confidence_now(fact, self._ranking.confidence, now=self._now)
        note = note_of(fact, confidence=confidence, now=self._now, zone=zone, rivals=rivals)
        told = words_that_hold(fact, self._ranking.view.seen, now=self._now)
        key = (self._layout, fact.id, told, note, self._names.get(fact.subject))
        if key not in self._shown.facts:
            statement, says = self._shown_statement(fact, told), fingerprints([fact.statement])
            is_over = not fact.is_current(self._now)
            is_doubted = fact.status is FactStatus.NEEDS_REVIEW or DOUBTED_BY in fact.properties
            self._shown.facts[key] = tuple(
                self._writer.fact(statement, defuse(noted), is_former=is_over)._replace(says=says)
                for noted in ((note,) if is_over or rivals or is_doubted else (note, ""))
            )
        return self._shown.facts[key]

    def _shown_statement(self, fact: Fact, told: str) -> str:
        """Return a statement with a name that nobody mistakes; what reads like orders as what somebody said."""
        statement, name = defuse(told), self._names.get(fact.subject)
        if shows_orders(statement):
            return f"{defuse(name or fact.subject)} said {quoted(statement)}"
        if name is not None and fact.subject in statement:
            return statement.replace(fact.subject, defuse(name), 1)
        return statement

    def question(self, question: Question) -> Candidate:
        """Return a question that the agent may ask."""
        shown = self._writer.question(defuse(question.text))
        return Candidate(question.id, "questions", worth=0.0, place=(question.text,), renderings=(shown,))

    def asked(self, lane: str, line: NumberLine | GraphLine, rank: int) -> Candidate:
        """Return what answers a question for a number, or for what bears on what, after ``rank`` others."""
        shown = (self._writer.fact(defuse(line.text), "", is_former=False),)
        return Candidate(line.id, lane, -float(rank), (rank,), shown, messages=line.messages, merit=inf)

    def found(self, position: int) -> Candidate:
        """Return a ranked unit: an excerpt under the date of its sitting, or an episode of which no text is left."""
        view = self._ranking.view
        unit = view.unit(position)
        if unit.is_whole_episode:
            shown, length = self._episode(view, position, "relevant")
            return shown._replace(worth=self._worth(position, length), position=position)
        shown, length = self._excerpt(position)
        if shown.group not in self._headers:
            day = say_day(unit.at, now=self._now, zone=unit.zone)
            self._headers[shown.group] = self._writer.header(day)
        header = self._headers[shown.group]
        return shown._replace(worth=self._worth(position, length), position=position, header=header)

    def _worth(self, position: int, log_length: float) -> float:
        return float(self._ranking.scores[position]) - self._policy.length_penalty * log_length

    def _excerpt(self, position: int) -> tuple[Candidate, float]:
        """Return an excerpt, as yet without its worth and header, and the logarithm of its length in tokens."""
        view = self._ranking.view
        unit = view.unit(position)
        author = self._names.get(unit.author, unit.author)
        notes = [BROUGHT] if unit.is_brought else []
        outdated = self._ranking.outdated
        notes += [self._earlier(position)] if position in outdated.whole else []
        notes += [PARTLY_EARLIER] if position in outdated.partly else []
        notes += [DOUBTED] if position in outdated.doubted else []
        key = (self._layout, unit.source.id, unit.part, author, ", ".join(notes))
        if key not in self._shown.units:
            sentences = split_sentences(unit.text)
            kept = trim_filler(sentences)
            whole = unit.source.content if isinstance(unit.source, IndexedMessage) else unit.text
            passage = mark_cuts(unit.text, whole, part=unit.part)
            text = defuse(" ".join(kept) if len(kept) < len(sentences) else passage)
            text = quoted(text) if shows_orders(text) else text
            line = self._writer.excerpt(defuse(author), text, *notes)
            candidate = Candidate(
                id=unit.source.id,
                lane="relevant",
                worth=0.0,
                place=unit.place,
                renderings=(line._replace(says=fingerprints(kept)),),
                group=_sitting(unit),
                speaker="" if notes else unit.author,  # else the next line would stand bare below the mark
                messages=view.names(position),
            )
            self._shown.units[key] = candidate, log(about_tokens(text))
        return self._shown.units[key]

    def _earlier(self, position: int) -> str:
        """Return what is noted of words that hold no more: what holds in their place, where that is told plainly."""
        now = self._ranking.view.successor(position)
        if now is None or now.form is not Form.PLAIN:
            return EARLIER  # words that somebody said are long, and stand for themselves
        statement = self._shown_statement(now, now.statement).rstrip(".")
        return EARLIER if _BRACKETS & set(statement) else f"{EARLIER}; now: {statement}"

    def _episode(self, view: View, position: int, lane: str) -> tuple[Candidate, float]:
        """Return an episode, with its topic and summary or as one line, and the logarithm of its length in tokens."""
        unit = view.unit(position)
        day = say_day(unit.at, now=self._now, zone=unit.zone)
        key = (self._layout, unit.source.id, day, lane)
        if key not in self._shown.units:
            topic, _, summary = (defuse(part) for part in unit.text.partition("\n"))
            renderings = tuple(
                self._writer.episode(day, topic, text, is_numbered=lane == "history")._replace(
                    says=fingerprints([topic, *split_sentences(text)])
                )
                for text in ((summary, "") if summary else ("",))
            )
            name, messages = unit.source.id, view.names(position)
            candidate = Candidate(name, lane, 0.0, unit.place, renderings, group=name, messages=messages)
            self._shown.units[key] = candidate, log(about_tokens(unit.text))
        return self._shown.units[key]


def _sitting(unit: Unit) -> str:
    """Return what the excerpts below one date line have in common; one text, since texts are looked up fast."""
    zone, key = unit.zone, unit.key
    day = local(unit.at, zone).date().isoformat()
    return "\0".join([day, zone or "", key.name, key.project or "", key.agent or ""])


def about_tokens(text: str) -> float:
    """Return a guess of what a text costs."""
    return max(1.0, len(text) / _CHARS_PER_TOKEN)


class FactLane(NamedTuple):
    """A fact that a context may show."""

    position: int  # in the ranking
    fact: Fact
    lane: str
    is_standing: bool  # whether it stands there whatever is asked
    rivals: tuple[Fact, ...] = ()  # facts on the person's safety or identity of which only one can hold, or it


def choose_facts(
    ranking: Ranking, policy: ContextPolicy, *, but: Collection[str] = (), need: float = 1.0
) -> list[FactLane]:
    """Return the facts that may be shown, ``but`` those that are anyway: what bears best on the question.

    Only facts that are sure enough to be shown unasked, and likely enough to bear on it, by how much it needs anything,
    ``need`` in [0, 1]; where nothing bears on the question, all stand by themselves.
    """
    view, most = ranking.view, policy.max_facts
    if not most or not len(view.facts):
        return []
    sure = set(sure_enough(view, view.facts, ranking.confidence, now=ranking.asked.now, is_passive=True).tolist())
    if ranking.is_asked:
        still_open = islice(filter(sure.__contains__, _open_in_project(ranking)), policy.max_open)
        likely = ranking.likely(ranking.facts, policy, need=need)
        wanted: Iterable[int] = dict.fromkeys([*still_open, *likely])
    else:
        wanted = filter(sure.__contains__, view.standing)
    others = (position for position in wanted if view.fact(position).id not in but)
    return _with_company(
        ranking, [_known(ranking, position, is_standing=not ranking.is_asked) for position in islice(others, most)]
    )


def _with_company(ranking: Ranking, chosen: list[FactLane]) -> list[FactLane]:
    """Return facts, each with those of which only one or it can hold: neither is told alone."""
    if not any(DISPUTED_BY in known.fact.properties for known in chosen):
        return chosen
    places = {ranking.view.fact(position).id: position for position in ranking.view.facts.tolist()}

    def rivals(fact: Fact) -> list[int]:
        return [places[name] for name in fact.properties.get(DISPUTED_BY, "").split() if name in places]

    found: dict[int, FactLane] = {}
    for known in chosen:
        found.setdefault(known.position, known)
        for other in rivals(known.fact):
            found.setdefault(other, _known(ranking, other, is_standing=known.is_standing))
    return [known._replace(rivals=tuple(map(ranking.view.fact, rivals(known.fact)))) for known in found.values()]


def _known(ranking: Ranking, position: int, *, is_standing: bool) -> FactLane:
    fact = ranking.view.fact(position)
    return FactLane(position, fact, lane_of(fact, now=ranking.asked.now), is_standing)


def _open_in_project(ranking: Ranking) -> list[int]:
    """Return the project's own goals, decisions and blockers that are not settled, by their scores."""
    view, project = ranking.view, ranking.view.scope.project
    own = [p for p in view.standing if view.fact(p).scope.project == project and view.fact(p).is_open]
    return sorted(own, key=lambda position: -ranking.scores[position]) if project is not None else []


def lane_of(fact: Fact, *, now: datetime) -> str:
    """Return the lane in which a fact stands at ``now``, beside the prefix."""
    if not fact.is_current(now):
        return "facts"
    lane = _LANES.get(fact.kind, "facts")
    return "facts" if lane == "tactical" and not fact.is_open else lane


def _say_due(due: datetime, *, is_overdue: bool, zone: str | None) -> str:
    day = say_date(due, zone=zone)
    return f"was due {day}; not said what became of it" if is_overdue else f"due {day}"


def note_of(fact: Fact, *, confidence: float, now: datetime, zone: str | None, rivals: Iterable[Fact] = ()) -> str:
    """Return what is noted about a fact: since when, how often it was told, how sure it is, what it disagrees with.

    Of it and its ``rivals`` only one can hold; the person has not said which.
    """
    is_over = not fact.is_current(now)
    last, *days = (say_date(one.last_confirmed or one.first_observed, zone=zone) for one in (fact, *rivals))
    told = f"told {fact.sessions} times" if fact.sessions > 1 else ""
    if is_over:
        notes = [f"until {say_month(fact.valid_to, zone=zone)}" if fact.valid_to else "no longer", told]
    elif fact.due_by is not None and fact.is_overdue(now):
        notes = [_say_due(fact.due_by, is_overdue=True, zone=zone), told]
    elif fact.valid_from is not None:
        notes = [f"{'since' if fact.valid_from <= now else 'from'} {say_date(fact.valid_from, zone=zone)}", told]
    else:
        notes = [f"{told}, last {last}" if told else f"told {last}"]
    if fact.resolved_at is not None:
        notes.append(f"done or off since {say_date(fact.resolved_at, zone=zone)}")
    if fact.status is FactStatus.NEEDS_REVIEW:
        reason = fact.properties.get("review", "")
        notes.append(f"{DOUBTED}: {reason}" if reason else DOUBTED)
    elif DOUBTED_BY in fact.properties and not is_over:
        notes.append(DOUBTED)
    elif confidence < _SAFE and not is_over:
        notes.append(f"confidence {confidence:.0%}")
    if days:
        notes += [] if any(note.endswith(last) for note in notes) else [f"told {last}"]
        notes.append(f"disagrees with what was told {' and '.join(dict.fromkeys(days))}; not settled which holds")
    return "; ".join(filter(None, notes))
