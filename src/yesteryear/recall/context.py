"""STEP: the small text that goes before a model for its next reply.

Who the person is and what is believed, the last episodes, excerpts that bear on the message, and a question that may be
asked. The session's last messages have a budget of their own. What was shown is noted, without anybody waiting for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import islice
from typing import Annotated, TypeAlias

import numpy as np

from yesteryear.core.access.arguments import Within
from yesteryear.core.episode import Episode
from yesteryear.core.hits import RecallEvent
from yesteryear.core.language.discourse import is_idle
from yesteryear.core.language.sentences import fingerprints, split_passages, split_sentences
from yesteryear.core.language.tokens import bare_words
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.message import Role
from yesteryear.core.results import Plain
from yesteryear.core.rows.queries import IndexedMessage
from yesteryear.core.ruling import Question
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import earlier, to_microseconds
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import BudgetError, YesteryearError
from yesteryear.measure.answer import NumberLine, answer, asked_number
from yesteryear.ports import Ports, TokenCounter, Transaction
from yesteryear.recall.agenda import AgendaEntry, asked_agenda, list_agenda
from yesteryear.recall.budget import (
    NO_ROOM,
    Candidate,
    Choice,
    ContextPolicy,
    LanePolicy,
    Packed,
    Rejection,
    needs_memory,
    pack,
    without_room,
)
from yesteryear.recall.candidates import CandidateBuilder, about_tokens, choose_facts, last_episodes, remembering
from yesteryear.recall.graph import graph_lines
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.index_cache import IndexCache
from yesteryear.recall.numbers import read_numbers
from yesteryear.recall.prefix import Day, PrefixChanges, make_prefix, read_day
from yesteryear.recall.ranking import Ranking, RecallPolicy
from yesteryear.recall.render import NUMBER, WRITERS, Layout, Writer, recent_line, render
from yesteryear.recall.retrieve import MAX_QUESTION_CHARS, Reading, ReadQuestion, embed_question, read_question
from yesteryear.recall.units import ROLE_CODES
from yesteryear.recall.view import view_of
from yesteryear.relate.views import GraphLine

log = logging.getLogger("yesteryear.recall")

FRAME = "frame"  # what stands around all lanes
MAX_BUDGET = 1_000_000  # largest budget in tokens
Tokens: TypeAlias = Annotated[int, Within(0, MAX_BUDGET)]  # a budget
_BEARING = RecallFilter(only_bare_episodes=True)
_BEARING_TALK = RecallFilter(only_bare_episodes=True, kinds=frozenset())
_EPISODES = RecallFilter(grains=frozenset({VectorGrain.EPISODE}))
_NO_ROWS = frozenset({"questions", "numbers", "graph"})  # lanes whose items have no row that was shown with them
_LONGEST_TOKEN = 128  # characters of the longest token there is; a line with more for each token of room is not counted
_JUST_SAID_READ = 100  # passages of what was just said, the newest, that are looked through for what may harm


@dataclass(frozen=True, slots=True)
class ContextItem(Plain):
    """One memory in a context."""

    id: str
    lane: str
    text: str
    """As shown."""
    tokens: int
    """What the context grew by when it joined: its line, and a date or heading where it was the first below it."""
    messages: tuple[str, ...]
    """Ids of the messages behind it: the caller's own where given."""
    signals: Mapping[str, float] = field(default_factory=dict)
    """What the score is made of, by name."""
    score: float = 0.0
    is_earlier: bool = False
    """Whether another item states the same value anew."""


@dataclass(frozen=True, slots=True)
class Dropped(Plain):
    """A memory that found no place, and why."""

    id: str
    lane: str
    tokens: int | None
    """What it would have cost; None where that was not asked: nothing new in it, its kind full, or it came too late."""
    reason: str
    """"no room", "already said" or "enough of its kind"."""
    score: float = 0.0
    text: str = ""
    """As it would have been shown, in full; an episode without its number."""
    messages: tuple[str, ...] = ()
    """Ids of the messages behind it: the caller's own where given."""


@dataclass(frozen=True, slots=True)
class Context(Plain):
    """What to put before a model."""

    text: str
    """``prefix`` and ``tail``, one below the other; in XML and JSON as one. Empty where nothing is said or has room."""
    tokens: int
    """Cost of the prefix and the tail; never above ``budget``."""
    budget: int
    prefix: str = ""
    """What stands whatever is asked, framed: the same to the byte for one budget and layout until a night, a due date
    or an explicit word changes it. It belongs at the end of the system text, so that a provider may keep it."""
    tail: str = ""
    """What bears on the message, and what the day has changed of the prefix, framed. It belongs last."""
    prefix_tokens: int = 0
    prefix_hash: str = ""
    """BLAKE2b of the prefix, 16 bytes in hexadecimal; empty where there is none."""
    items: tuple[ContextItem, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    recent: tuple[str, ...] = ()
    """The session's last messages, one line each, oldest first; within a budget of its own."""
    recent_tokens: int = 0
    layout: Layout = Layout.TEXT
    """How ``text`` is written."""
    notes: tuple[str, ...] = ()
    """In which way this is less than it could be."""
    questions: tuple[Question, ...] = ()
    """What the agent may ask the person, to settle what is unsure; at most one."""
    reading: Reading = field(default_factory=Reading)
    """How the message was understood."""

    @property
    def lanes(self) -> dict[str, tuple[ContextItem, ...]]:
        """The items by lane, in the order shown."""
        names = dict.fromkeys(item.lane for item in self.items)
        return {name: tuple(item for item in self.items if item.lane == name) for name in names}

    @property
    def spent(self) -> dict[str, int]:
        """The tokens of each lane with its heading, and those of the frame; their sum is ``tokens``."""
        spent: dict[str, int] = {}
        for item in self.items:
            spent[item.lane] = spent.get(item.lane, 0) + item.tokens
        return spent | {FRAME: self.tokens - sum(spent.values())}

    def prefix_changes(self, before: str) -> PrefixChanges:
        """Return which lines came into the prefix and went since an earlier one that the caller has kept."""
        return PrefixChanges.between(before, self.prefix)

    def displaced(self) -> dict[int, Dropped]:
        """Return by the number of an item, from 0, the best memory that would have had room in its place.

        Best is what was served first of all that found no room. It would have had room where it costs at most as much
        as the item and what was left of the budget, and its lane stays within its maximum. Costs are those named when
        it was its turn, so they may be off by a date line that two memories would share.
        """
        left, spent, lanes = self.budget - self.tokens, self.spent, ContextPolicy().lanes(is_asked=True)
        waiting = [(each, each.tokens) for each in self.dropped if each.reason == NO_ROOM and each.lane in lanes]
        found = {}
        for number, item in enumerate(self.items):
            if item.lane not in lanes:
                continue  # it stands there whatever is asked
            for refused, tokens in waiting:
                lane_left = int(lanes[refused.lane].max_share * self.budget) - spent.get(refused.lane, 0)
                lane_room = lane_left + (item.tokens if item.lane == refused.lane else 0)
                if tokens is not None and tokens <= min(item.tokens + left, lane_room):
                    found[number] = refused
                    break
        return found


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a caller asks for."""

    message: str  # what the person just said, or a question; may be empty, which gives the history only
    now: datetime  # from when dates are seen
    conversation: str | None = None  # the session it is said in; its last messages become ``recent``
    budget: int | None = None  # most tokens of the text; the policy's when None
    recent_budget: int | None = None  # most tokens of ``recent``; the policy's when None
    speaker: Role | None = Role.USER  # whose words are preferred where a person talks with an assistant; None: nobody's
    layout: Layout = Layout.TEXT
    is_dry: bool = False  # whether it is shown to nobody, and so is not noted


@dataclass(frozen=True, slots=True)
class ContextBegun:
    """A request, and all that had to be read for it in one look at the rows."""

    request: ContextRequest
    budget: int
    recent: Mapping[str, str]  # the session's last messages by their ids, oldest first; one line each
    recent_tokens: int
    question: ReadQuestion
    night: datetime  # the last hour of nights in the person's own zone, from which the prefix is seen
    day: Day  # what has come or changed of facts since then
    told: Mapping[str, Sequence[NumberLine | GraphLine]] = field(default_factory=dict)
    """What answers the message where it asks for a number, or how things bear on each other, by lane."""


def begin_context(
    tx: Transaction,
    index_cache: IndexCache,
    tokens: TokenCounter,
    request: ContextRequest,
    policy: ContextPolicy,
    *,
    last_night: Callable[[str | None], datetime],
) -> ContextBegun:
    """Read what a context needs of the rows: the session's last messages, and what is new for the index.

    ``last_night`` tells by a time zone when the last night was to begin. Raises BudgetError: a budget is negative or
    beyond MAX_BUDGET.
    """
    budget = _check_budget(request.budget, policy.budget)
    recent_budget = _check_budget(request.recent_budget, policy.recent_budget)
    with index_cache.borrow_as_of(tx) as index:
        count = remembering(index.shown.costs, tokens.count)
        recent, spent = _read_recent(tx, count, request.conversation, recent_budget, policy)
        question = read_question(index, tx.scope, request.message, now=request.now, speaker=request.speaker)
        since = last_night(question.reading.zone)
        day = read_day(tx, index, since) if policy.max_facts else {}
    asked = asked_number(request.message, now=request.now, zone=question.reading.zone)
    told = {"numbers": answer(asked, read_numbers(tx, until=request.now))} if asked is not None else {}
    return ContextBegun(request, budget, recent, spent, question, since, day, told)


def finish_context(
    ports: Ports,
    index_cache: IndexCache,
    scope: Scope,
    begun: ContextBegun,
    *,
    policy: ContextPolicy,
    recall: RecallPolicy,
    question: Question | None = None,
) -> Context:
    """Embed the message, rank what is remembered, and fill the budget.

    ``begun`` is what ``begin_context`` has read in this scope; its transaction may be over. ``question`` is what the
    agent may ask the person.
    """
    request, budget = begun.request, begun.budget
    asked = embed_question(ports, begun.question)
    graph = graph_lines(ports, index_cache, scope, request.message, now=request.now, recall=recall)
    begun = replace(begun, told={**begun.told, "graph": graph})
    with index_cache.borrow(ports.store, scope, at_least=asked.rev) as index:
        only = _BEARING if policy.max_facts else _BEARING_TALK  # facts that are not shown weigh nothing anywhere
        most = policy.most_candidates(budget)
        ranking = asked.rank(ports.store, index, scope, policy=recall, only=only, limit=most, is_passive=True)
        count = remembering(index.shown.costs, ports.tokens.count)
        standing, bearing = _choose(ranking, begun, question, policy, count)
        shown = [render(packed.choices, request.layout) for packed in (standing, bearing)]
        choices, lines = [*standing.choices, *bearing.choices], [line for _, lines in shown for line in lines]
        found = [row for choice in choices if (row := choice.candidate.position) is not None]
        signals, writer = ranking.signals_at(found), WRITERS[request.layout]
        items = tuple(_item(choice, line, signals, ranking) for choice, line in zip(choices, lines, strict=True))
        refusals = [*standing.refusals, *bearing.refusals]
        dropped = tuple(_dropped(refusal, ranking, writer) for refusal in refusals)
        generation = index.generation
    if not request.is_dry:
        _note_recall(ports, scope, request, choices, generation=generation)
    prefix, tail = (text for text, _ in shown)
    return Context(
        text=writer.joined(prefix, tail),
        tokens=standing.tokens + bearing.tokens,
        budget=budget,
        prefix=prefix,
        tail=tail,
        prefix_tokens=standing.tokens,
        prefix_hash=blake2b(prefix.encode(), digest_size=16).hexdigest() if prefix else "",
        items=items,
        dropped=dropped,
        recent=tuple(begun.recent.values()),
        recent_tokens=begun.recent_tokens,
        layout=request.layout,
        notes=asked.notes + without_room(budget, refusals, is_empty=not choices),
        questions=() if question is None else (question,),
        reading=asked.reading,
    )


def _choose(
    ranking: Ranking, begun: ContextBegun, question: Question | None, policy: ContextPolicy, count: Callable[[str], int]
) -> tuple[Packed, Packed]:
    """Return what stands in the prefix, and what stands in the tail within what is left of the budget."""
    layout, budget = begun.request.layout, begun.budget
    writer, builder = WRITERS[layout], CandidateBuilder(ranking, layout, policy)

    def packed(
        candidates: Sequence[Candidate], lanes: Mapping[str, LanePolicy], room: int, spent: Packed | None = None
    ) -> Packed:
        headed = {name: (lane, writer.heading(name)) for name, lane in lanes.items()}
        return pack(candidates, headed, budget=room, frame=writer.frame, count=count, misses=policy.misses, after=spent)

    prefix = make_prefix(ranking, builder, begun.day, night=begun.night, policy=policy.standing)
    standing = packed(prefix.stands, policy.prefix_lanes(), policy.standing.room(budget))
    agenda = [builder.agenda(entry, rank) for rank, entry in enumerate(_agenda(ranking, begun, policy))]
    shown = {choice.candidate.id for choice in standing.choices} | {each.id for each in prefix.news}
    in_project, has_question = ranking.view.scope.project is not None, question is not None
    lanes = policy.lanes(is_asked=ranking.is_asked, in_project=in_project, has_question=has_question)
    others = _candidates(ranking, builder, begun, question, policy, but=shown)
    return standing, packed([*prefix.news, *agenda, *others], lanes, budget, standing)


def _agenda(ranking: Ranking, begun: ContextBegun, policy: ContextPolicy) -> list[AgendaEntry]:
    """Return what is to be done or set for a day, where the message asks for that."""
    view, message, now = ranking.view, begun.request.message, begun.request.now
    vector, model = ranking.asked.vector, view.index.model
    asked = asked_agenda(message, vector, policy.on_agenda, model=model, now=now, zone=view.zone)
    if asked is None or not policy.max_facts:
        return []
    return list_agenda(map(view.fact, view.facts.tolist()), asked, policy.on_agenda, now=now)


def _candidates(
    ranking: Ranking,
    builder: CandidateBuilder,
    begun: ContextBegun,
    question: Question | None,
    policy: ContextPolicy,
    *,
    but: Collection[str],
) -> list[Candidate]:
    """Return all that competes for the tail: last episodes, facts ``but`` some, excerpts, a question, what is asked.

    On what says nothing ("thanks love") neither facts nor excerpts bear, but for what was just said; on what needs no
    memory ("what's the square root of 144?") only those that would be likely wherever something was needed.
    """
    request = begun.request
    need = _need(ranking, request)
    positions = _positions(ranking, begun, policy, need)
    facts = choose_facts(ranking, policy, but=but, need=need) if need else ()
    episodes = view_of(ranking.view.index, ranking.view.scope, _EPISODES)
    history = [
        position
        for position in last_episodes(episodes, now=request.now, policy=policy)
        if isinstance(episode := episodes.unit(position).source, Episode)
        and not begun.recent.keys() >= set(episode.message_ids)
    ]
    return [
        *(builder.past(episodes, position, rank) for rank, position in enumerate(history)),
        *(builder.fact(fact, rank) for rank, fact in enumerate(facts)),
        *(builder.found(position) for position in positions),
        *([] if question is None else [builder.question(question)]),
        *(builder.asked(lane, line, rank) for lane, lines in begun.told.items() for rank, line in enumerate(lines)),
    ]


def _need(ranking: Ranking, request: ContextRequest) -> float:
    """Return how likely a message needs anything remembered, in [0, 1].

    Not at all where it says nothing; for sure where it names somebody who speaks here or of whom something is known.
    """
    if is_idle(request.message):
        return 0.0
    view, message = ranking.view, request.message[:MAX_QUESTION_CHARS]
    if ranking.asked.authors or not view.holders.isdisjoint(bare_words(message)):
        return 1.0
    return needs_memory(message, ranking.asked.vector, model=view.index.model)


def _positions(ranking: Ranking, begun: ContextBegun, policy: ContextPolicy, need: float) -> Iterator[int]:
    """Yield the positions of excerpts and episodes that may be shown, until there are enough to choose from.

    What the model is shown anyway is passed over: the session's last messages, and the message itself.
    """
    asked = set(split_passages(begun.request.message[:MAX_QUESTION_CHARS]))
    offered, tokens = 0, 0.0
    first = policy.above_floor if need >= policy.needed else 0
    bearing = [*ranking.best[:first], *ranking.likely(ranking.best[first:], policy, need=need)]
    for position in dict.fromkeys([*bearing, *_just_said(ranking, begun.request, policy)]):
        unit = ranking.view.unit(position)
        if unit.source.id in begun.recent or unit.text in asked:
            continue
        yield position
        offered += 1
        tokens += about_tokens(unit.text)
        if offered >= policy.fewest_candidates and tokens > policy.candidate_budgets * begun.budget:
            return


def _just_said(ranking: Ranking, request: ContextRequest, policy: ContextPolicy) -> list[int]:
    """Return the positions of what the person said last elsewhere and nobody has worked on yet.

    What may harm with the next meal or advice comes first, then the newest. It has no vector, is in no episode and no
    fact, so where a question shares no word with it nothing else would bring it up.
    """
    view, rows = ranking.view, ranking.view.rows
    since = to_microseconds(earlier(request.now, timedelta(days=1)))
    is_open = (rows["role"] == ROLE_CODES[Role.USER]) & ~rows["has_vector"] & ~rows["only_asks"] & (rows["at"] >= since)
    found = np.flatnonzero(is_open & ~view.is_fact)
    newest = found[np.argsort(rows["at"][found], kind="stable")][::-1].tolist()

    def is_waiting(position: int) -> bool:
        said = view.unit(position).source
        return isinstance(said, IndexedMessage) and said.reason is None and said.key.name != request.conversation

    some = list(islice(filter(is_waiting, newest), _JUST_SAID_READ))
    some.sort(key=lambda position: not read_bearing(view.unit(position).text).harms_at_once)
    return some[: policy.most_just_said]


def _check_budget(asked: int | None, usual: int) -> int:
    budget = usual if asked is None else asked
    if isinstance(budget, bool) or not isinstance(budget, int) or not 0 <= budget <= MAX_BUDGET:
        raise BudgetError(f"a budget is a whole number of tokens from 0 to {MAX_BUDGET}, not {budget!r}")
    return budget


def _read_recent(
    tx: Transaction, count: Callable[[str], int], conversation: str | None, budget: int, policy: ContextPolicy
) -> tuple[dict[str, str], int]:
    """Return the last messages of the session that fit, whole, by their ids, and what they cost."""
    if conversation is None or not budget:
        return {}, 0
    key = ConversationKey(tx.scope.project, tx.scope.agent, conversation)
    last = tx.messages.tail(key, limit=policy.recent_messages)
    fitting: dict[str, str] = {}
    left = budget
    for message in reversed([message for message in last if message.content]):
        line = recent_line(message)
        if len(line) > _LONGEST_TOKEN * left or (cost := count(f"{line}\n")) > left:
            break
        left -= cost
        fitting[message.id] = line
    return dict(reversed(fitting.items())), budget - left


def _item(choice: Choice, line: str, signals: Mapping[int, dict[str, float]], ranking: Ranking) -> ContextItem:
    candidate, position = choice.candidate, choice.candidate.position
    return ContextItem.of(
        candidate,
        text=line,
        tokens=choice.tokens,
        signals={} if position is None else signals[position],
        score=_score(candidate, ranking),
        is_earlier=candidate.is_earlier or position in ranking.outdated.whole,
    )


def _dropped(refusal: Rejection, ranking: Ranking, writer: Writer) -> Dropped:
    candidate = refusal.candidate
    line = writer.finish(candidate.renderings[0].named)
    return Dropped.of(
        candidate,
        tokens=refusal.tokens,
        reason=refusal.reason,
        score=_score(candidate, ranking),
        text=line.removeprefix(NUMBER if candidate.lane == "history" else "").rstrip("\n"),
    )


def _score(candidate: Candidate, ranking: Ranking) -> float:
    return 0.0 if candidate.position is None else float(ranking.scores[candidate.position])


def _note_recall(
    ports: Ports, scope: Scope, request: ContextRequest, choices: Sequence[Choice], *, generation: int
) -> None:
    """Write down what was shown, without waiting: it keeps echoes from becoming evidence later."""
    if not choices:
        return
    event = RecallEvent(
        id=ports.ids.new(to_microseconds(request.now) // 1000),
        key=ConversationKey(scope.project, scope.agent, request.conversation or ""),
        at=request.now,
        items=tuple(dict.fromkeys(choice.candidate.id for choice in choices if choice.candidate.lane not in _NO_ROWS)),
        fingerprints=tuple(dict.fromkeys(said for choice in choices for said in sorted(choice.rendering.says))),
        asked=tuple(sorted(fingerprints(split_sentences(request.message[:MAX_QUESTION_CHARS])))),
    )

    def append(tx: Transaction) -> None:
        if tx.owner().generation == generation:  # else they were erased meanwhile
            tx.recalls.append(event)

    # Urgent calls share a commit; a queue of notes must not hold up the worker.
    try:
        noting = ports.store.submit(scope, append, urgent=True)
    except YesteryearError as exc:  # the context is made; a note is not worth losing it
        _log_unnoted(exc)
    else:
        noting.add_done_callback(lambda done: _log_unnoted(done.exception()))


def _log_unnoted(error: BaseException | None) -> None:
    if error is not None:
        log.warning("what a context showed could not be written down: %s", error)
