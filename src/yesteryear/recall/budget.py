"""What fits: lanes are served first, then whatever is worth most; no line is cut, no budget exceeded.

Every step only adds. What a larger budget leaves out, it leaves out for something that was served before it, or because
too many before it found no room. And how much is needed at all: "what's the square root of 144?" needs no memory.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, log1p
from typing import NamedTuple, TypeAlias

from yesteryear.core.heads import find_head
from yesteryear.core.language.tokens import STOP_WORDS, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.vectors import Matrix
from yesteryear.recall.agenda import AgendaPolicy
from yesteryear.recall.standing import StandingPolicy

NO_ROOM = "no room"
REPEATS = "already said"
ENOUGH = "enough of its kind"
"""Why a candidate was refused."""

_BY_PERSON = vocabulary("questions").words("by_person")

NEED_HEAD = "need"
"""Name of the head that tells from a message's vector as a question, and its function words, what it needs."""
MEMORY, NOTHING = "memory", "nothing"
_FEWEST_WORDS = 3  # of a message below which it is looked for as it stands: "passport number". Source: set by hand
_LENGTH = "length"  # name of the feature that is the logarithm of the number of words, and one
NEED_FEATURES = (*sorted(STOP_WORDS), _LENGTH)
"""Features: which function words there are. Who asks about "my" or "she" asks about what they told."""

Wrap: TypeAlias = tuple[str, str]  # what stands before and after something, as whole lines


@dataclass(frozen=True, slots=True)
class LanePolicy:
    """How much of a context one kind of memory gets."""

    min_share: float = 0.0  # part of the budget in [0, 1] that is kept for this lane as long as it has something to say
    max_share: float = 1.0  # largest part of the budget it may take, in [0, 1]
    max_items: int = 1_000_000  # most items
    weight: float = 0.0
    """Added to the worth of its items when they compete for what is left; in standard deviations of a score."""


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """What a context is made of."""

    budget: int = 1000  # tokens of a context, unless the caller says otherwise (document B)
    recent_budget: int = 500  # tokens of the session's last messages, outside the budget
    recent_messages: int = 20  # most of the session's last messages that are shown (document A: the last 10 to 20)
    max_episodes: int = 3  # most episodes in the history lane (document A: max_episodes_retrieved)
    max_facts: int = 10  # most facts, in all lanes together (document A: max_facts_retrieved)
    max_open: int = 3  # most open goals, decisions and blockers of a project that compete there whatever is asked
    standing: StandingPolicy = field(default_factory=StandingPolicy)  # what stands in the prefix, whatever is asked
    news: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.1, max_share=0.1))
    """What the day has changed of that; it costs nothing where there is nothing."""
    tactical: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.02, max_share=0.1, weight=1.0))
    """Open goals, decisions and blockers. The minimum is kept within a project only, and taken from the history's."""
    strengths: LanePolicy = field(default_factory=lambda: LanePolicy(max_share=0.1, weight=1.0))
    """Strengths and what has worked, as far as they bear on the message."""
    preferences: LanePolicy = field(default_factory=lambda: LanePolicy(max_share=0.1, weight=1.0))
    """Preferences and habits, as far as they bear on the message."""
    facts: LanePolicy = field(default_factory=lambda: LanePolicy(max_share=0.2, weight=1.0))
    """What else of the facts bears on the message."""
    numbers: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.4, max_share=0.4))
    """What is known of a number that is asked for; it costs nothing where none is."""
    graph: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.3, max_share=0.3))
    """What answers a question of how things bear on each other; it costs nothing where none is asked."""
    on_agenda: AgendaPolicy = field(default_factory=AgendaPolicy)
    agenda: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.25, max_share=0.25))
    """What is to be done and set for a day, where that is asked for; it costs nothing where it is not."""
    questions: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.05, max_share=0.05))
    """What the agent may ask; where there is something, this is taken from the history's."""
    history: LanePolicy = field(default_factory=lambda: LanePolicy(min_share=0.08, max_share=0.08, weight=-2.0))
    """The last episodes: no more than their minimum, so that they are the same for every question and what a model has
    read of them may be kept. Each 50 of 1000 tokens cost about .004 of recall; with the frame, the minimums of all
    lanes take at most 130 of them."""
    relevant: LanePolicy = field(default_factory=LanePolicy)  # excerpts that bear on the message; they take the rest
    important: float = 0.6  # importance in [0, 1] from which one of the last days comes first (document B, section 5.2)
    important_days: float = 7.0  # what counts as the last days (document B, section 5.2)
    length_penalty: float = 0.25
    """Score that an excerpt loses for each factor e of its length in tokens, at least 0: what counts is the gain per
    token."""
    tokens_per_candidate: int = 12  # for each so many tokens of the budget one hit may compete; at least 1
    fewest_candidates: int = 24  # hits that compete even for a small budget
    needed: float = 0.3
    """Probability, in [0, 1], that a message needs anything remembered, below which only what is likely enough by
    itself bears on it. Source: of 240 turns by a writer of whom nothing was taught, .69 of those that need nothing are
    below and none of those that need something; of 775 asks of talks .01."""
    relevance_floor: float = 0.002
    """Relevance of an excerpt or fact, in [0, 1], from which it bears on a message that needs something: a budget is a
    limit, not a target. Source: half the questions of five long talks hold .856 of their evidence in 870 tokens where
    it is .859 in 990 without; at .01 .827 in 670, in short talks that are held out .81 in 540 (.93 in 995 without)."""
    near_best: float = 0.01
    """Part of the best one's relevance, in [0, 1], from which it does in any case: where nothing stands out all are
    about as good, and a question may be for three hundred things. Source: set by hand."""
    unneeded_floor: float = 0.05
    """Relevance of an excerpt or fact where a message most likely needs nothing, times how likely it needs something,
    in [0, 1]. Source: set by hand; at .01 such turns still get a third of the excerpts, and half of a short memory."""
    above_floor: int = 6  # best hits that compete whatever the floor where something is needed, at least 0
    most_just_said: int = 4  # most passages just said in other conversations that compete whatever is asked; at least 0
    candidate_budgets: float = 1.15  # beyond those, hits compete until they fill the budget so many times; at least 1
    misses: int = 8  # after so many candidates in a row that do not fit, the rest is left out; at least 1

    def lanes(self, *, is_asked: bool, in_project: bool = False, has_question: bool = False) -> dict[str, LanePolicy]:
        """Return the policy of each lane, in the order in which they are served.

        Where nothing bears on the message, facts get what they may have at most, and the history what is left. In a
        project its open goals, decisions and blockers have their place, and so has a question where there is one.
        """
        share = self.history.max_share
        share -= self.tactical.min_share * in_project + self.questions.min_share * has_question
        history = replace(self.history, min_share=share, max_share=share, max_items=self.max_episodes)
        known = {
            "news": self.news,
            "tactical": self.tactical if in_project else replace(self.tactical, min_share=0.0),
            "strengths": self.strengths,
            "preferences": self.preferences,
            "facts": self.facts,
        }
        if not is_asked:
            history = replace(history, min_share=1.0, max_share=1.0)
            known = {name: replace(lane, min_share=lane.max_share) for name, lane in known.items()}
        known = {"numbers": self.numbers, "graph": self.graph, "agenda": self.agenda, **known}
        return known | {"questions": self.questions, "history": history, "relevant": self.relevant}

    def prefix_lanes(self) -> dict[str, LanePolicy]:
        """Return the policy of each lane of the prefix, in the order in which they are served.

        Safety and the profile have a part of their own, so that neither crowds out the other; what is left of both goes
        by the order of what stands. Source: at .5, .35 and .15 own allergies of development data found no room.
        """
        return {name: LanePolicy(min_share=share) for name, share in (("safety", 0.7), ("profile", 0.3), ("soon", 0.0))}

    def least_relevance(self, need: float, *, best: float) -> float:
        """Return the relevance from which something bears on a message, by how likely that needs anything.

        ``best`` is the relevance of the most likely, in [0, 1].
        """
        if need >= self.needed:
            return min(self.relevance_floor, self.near_best * best)
        return self.unneeded_floor / need if need else inf

    def most_candidates(self, budget: int) -> int:
        """Return how many hits compete at most for a budget in tokens."""
        return max(self.fewest_candidates, budget // self.tokens_per_candidate)


class Rendering(NamedTuple):
    """One way to show an item, as lines with their line breaks."""

    named: str  # with the speaker's name
    bare: str = ""  # for use right below a line of the same speaker; empty where the name must stay
    says: frozenset[int] = frozenset()  # fingerprints of its sentences


class Candidate(NamedTuple):
    """A memory that may be shown, whatever its grain."""

    id: str  # of the message, episode or fact, or of a question
    lane: str
    worth: float  # what it is served by: higher first; ties by the order in which candidates come
    place: tuple[object, ...]  # where it stands among the others of its group; unlike any other's there
    renderings: tuple[Rendering, ...]  # fullest first; at least one. One whose fullest says nothing new is not taken
    group: Hashable = None  # items of one group stand together, under one header
    header: Wrap = ("", "")  # the header, and what closes the group; paid once
    speaker: str = ""
    messages: tuple[str, ...] = ()  # ids of the messages behind it: the caller's own where given
    position: int | None = None  # in the ranking; None for what is there whatever is asked
    is_earlier: bool = False  # whether it is a fact that held until another took its place
    retells: frozenset[str] = frozenset()  # ids of what it says nothing new of: not taken once one of these is shown
    merit: float | None = None  # what it is served by once the minimum of its lane is full; its worth where not given

    @property
    def gain(self) -> float:
        """What it competes by beside other lanes."""
        return self.worth if self.merit is None else self.merit


class Choice(NamedTuple):
    """A candidate that was taken, and how it is shown."""

    candidate: Candidate
    level: int  # which of its renderings
    tokens: int  # what the whole has grown by: line, header and heading

    @property
    def rendering(self) -> Rendering:
        """How it is shown."""
        return self.candidate.renderings[self.level]


class Rejection(NamedTuple):
    """A candidate that was not taken, and why."""

    candidate: Candidate
    reason: str
    tokens: int | None = None  # what it would have cost at least; None where nobody asked


class Packed(NamedTuple):
    """What was taken and what was not."""

    tokens: int  # cost of everything, frame and headings included; 0 where nothing was taken
    choices: list[Choice]  # in the order in which they were served
    refusals: list[Rejection]


def pack(
    candidates: Sequence[Candidate],
    lanes: Mapping[str, tuple[LanePolicy, Wrap]],
    *,
    budget: int,
    frame: Wrap,
    count: Callable[[str], int],
    misses: int,
    after: Packed | None = None,
) -> Packed:
    """Choose what is shown, at a cost of at most ``budget`` tokens.

    First every lane in turn takes its best candidates within its minimum; then the best of all lanes by gain + weight,
    each lane up to its maximum. A candidate that does not fit in full is tried in its shorter renderings, then skipped;
    one that was taken in a shorter rendering is shown fuller in its turn, if there is room.

    The order of ``candidates`` decides ties. ``lanes`` are policy and heading of each, in the order in which they are
    served. ``count`` gives the tokens of whole lines; several cost the sum. What was chosen out of the same budget
    before, ``after``, is said.
    """
    spent, said = (after.tokens, [choice.rendering.says for choice in after.choices]) if after else (0, [])
    left = budget - spent - wrap_cost(frame, count)
    sheet = _Sheet(count, lanes, left=left, budget=budget, said=set().union(*said))
    ranked = sorted(candidates, key=lambda candidate: -candidate.worth)
    for lane, (wanted, _) in lanes.items():
        if wanted.min_share:
            own = [candidate for candidate in ranked if candidate.lane == lane]
            reserve = int(wanted.min_share * budget)
            for candidate in own:  # as many as fit in their shortest rendering, then the best of them fuller
                sheet.refuse(candidate, room=reserve, levels=[-1])
            for candidate in filter(sheet.__contains__, own):
                sheet.show_fuller(candidate, room=reserve)
    ranked.sort(key=lambda candidate: -candidate.gain - lanes[candidate.lane][0].weight)
    refusals = _serve(sheet, ranked, misses)
    return Packed(budget - spent - sheet.left if sheet.choices else 0, list(sheet.choices.values()), refusals)


def _serve(sheet: _Sheet, ranked: Sequence[Candidate], most_misses: int) -> list[Rejection]:
    """Try one after the other, each in the fullest rendering that fits; return what was refused."""
    refusals: list[Rejection] = []
    misses = 0
    waiting = iter(ranked)
    for candidate in waiting:
        room = sheet.rooms[candidate.lane]
        if candidate in sheet:
            sheet.show_fuller(candidate, room=room)
            misses = 0
        elif (refusal := sheet.refuse(candidate, room=room, levels=range(len(candidate.renderings)))) is None:
            misses = 0
        else:
            refusals.append(refusal)
            misses += refusal.tokens is not None and refusal.tokens > sheet.left  # not where its lane is full
            if misses >= most_misses:
                break
    return refusals + [Rejection(candidate, NO_ROOM) for candidate in waiting if candidate not in sheet]


class _Sheet:
    """What has been taken so far."""

    def __init__(
        self,
        count: Callable[[str], int],
        lanes: Mapping[str, tuple[LanePolicy, Wrap]],
        *,
        left: int,
        budget: int,
        said: set[int],
    ) -> None:
        self.choices: dict[int, Choice] = {}  # by the id() of their candidates, in the order in which they were taken
        self.left = left  # tokens that nothing has taken yet
        self.rooms = {lane: int(policy.max_share * budget) for lane, (policy, _) in lanes.items()}
        """How much each lane may ever take."""
        self._count, self._lanes, self._said = count, lanes, said
        self._spent, self._items = dict.fromkeys(lanes, 0), dict.fromkeys(lanes, 0)
        self._groups: dict[Hashable, list[tuple[tuple[object, ...], str, Rendering]]] = {}
        self._shown: set[str] = set()

    def __contains__(self, candidate: Candidate) -> bool:
        return id(candidate) in self.choices

    def refuse(self, candidate: Candidate, *, room: int, levels: Iterable[int]) -> Rejection | None:
        """Take a candidate in the first of some renderings for which its lane has room, or say why not."""
        if not self._has_news(candidate.renderings[0]) or not self._shown.isdisjoint(candidate.retells):
            return Rejection(candidate, REPEATS)
        if self._items[candidate.lane] >= self._lanes[candidate.lane][0].max_items:
            return Rejection(candidate, ENOUGH)
        left = min(room - self._spent[candidate.lane], self.left)
        costs = []
        for level in levels:
            tokens = self._cost(candidate, level)
            if tokens <= left:
                self._take(candidate, level % len(candidate.renderings), tokens)
                return None
            costs.append(tokens)
        return Rejection(candidate, NO_ROOM, min(costs))

    def show_fuller(self, candidate: Candidate, *, room: int) -> None:
        """Show what was taken in the fullest rendering that fits its lane; its neighbours stay as they are."""
        choice = self.choices[id(candidate)]
        lines = self._groups[candidate.lane, candidate.group]
        if len(lines) > 1 and candidate.speaker:
            return  # names would come or go in the lines around it
        at = bisect_left(lines, (candidate.place,))
        left = min(room - self._spent[candidate.lane], self.left)
        for level, fuller in enumerate(candidate.renderings[: choice.level]):
            more = self._count(fuller.named) - self._count(choice.rendering.named)
            if more <= left and (self._has_news(fuller) or fuller.says == choice.rendering.says):
                lines[at] = candidate.place, candidate.speaker, fuller
                self.left -= more
                self._spent[candidate.lane] += more
                self._said |= fuller.says
                self.choices[id(candidate)] = choice._replace(level=level, tokens=choice.tokens + more)
                return

    def _cost(self, candidate: Candidate, level: int) -> int:
        """Return what the whole grows by when a candidate joins it."""
        cost = 0 if self._items[candidate.lane] else wrap_cost(self._lanes[candidate.lane][1], self._count)
        rendering = candidate.renderings[level]
        lines = self._groups.get((candidate.lane, candidate.group))
        if lines is None:
            return cost + wrap_cost(candidate.header, self._count) + self._count(rendering.named)
        at = bisect_left(lines, (candidate.place,))
        above = lines[at - 1][1] if at else None
        cost += self._count(shown_line(rendering, candidate.speaker, above))
        if at < len(lines):  # the line below may gain or lose its speaker's name
            _, speaker, below = lines[at]
            cost += self._count(shown_line(below, speaker, candidate.speaker))
            cost -= self._count(shown_line(below, speaker, above))
        return cost

    def _has_news(self, rendering: Rendering) -> bool:
        return not rendering.says or not rendering.says <= self._said

    def _take(self, candidate: Candidate, level: int, tokens: int) -> None:
        self.choices[id(candidate)] = Choice(candidate, level, tokens)
        self.left -= tokens
        self._spent[candidate.lane] += tokens
        self._items[candidate.lane] += 1
        self._said |= candidate.renderings[level].says
        self._shown.add(candidate.id)
        lines = self._groups.setdefault((candidate.lane, candidate.group), [])
        insort(lines, (candidate.place, candidate.speaker, candidate.renderings[level]), key=lambda line: line[0])


def wrap_cost(around: Wrap, count: Callable[[str], int]) -> int:
    """Return what stands around something costs."""
    before, after = around
    return (count(before) if before else 0) + (count(after) if after else 0)


def shown_line(rendering: Rendering, speaker: str, above: str | None) -> str:
    """Return the line as it stands below a line of the speaker ``above``."""
    return rendering.bare if rendering.bare and speaker == above else rendering.named


def without_room(budget: int, refusals: Sequence[Rejection], *, is_empty: bool) -> tuple[str, ...]:
    """Return what must be said of what found no room: all of it, something on safety, what was asked for."""
    if is_empty:
        return (f"nothing that is remembered fits into a budget of {budget}",) if refusals else ()
    missing = Counter(each.candidate.lane for each in refusals if each.reason == NO_ROOM)
    told = {
        "safety": "facts on safety",
        "numbers": "numbers that were asked for",
        "graph": "answers",
        "agenda": "tasks and dates that were asked for",
    }
    return tuple(
        f"{missing[lane]} {what} find no room in a budget of {budget}" for lane, what in told.items() if missing[lane]
    )


def need_features(text: str, names: Iterable[str] = NEED_FEATURES) -> dict[str, float]:
    """Return by name whether a message has a word, 0 or 1, and how long it is."""
    said = words(text)
    found = dict.fromkeys(names, 0.0)
    return {**found, **{word: 1.0 for word in said if word in found}, _LENGTH: log1p(len(said))}


def needs_memory(text: str, vector: Matrix | None, *, model: str | None) -> float:
    """Return how likely a good reply to a message rests on what was said before, in [0, 1].

    ``vector`` is the message's, shape (dimension,), of ``model``. 1 where there is none that the head reads, of a word
    or two, and of food, drink, medicine, sport, travel and taste: what anybody may ask of these may harm one who must
    not have it.
    """
    head, said = find_head(NEED_HEAD, model=model) if model else None, words(text)
    if head is None or vector is None or len(said) < _FEWEST_WORDS or not _BY_PERSON.isdisjoint(said):
        return 1.0
    return head.probabilities(need_features(text, head.features), vector)[MEMORY]
