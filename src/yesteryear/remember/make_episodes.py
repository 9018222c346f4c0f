"""STEP: from open messages to episodes waiting for their vectors.

Cut what has ended, judge its exchanges, digest what is worth it, write each stretch in one transaction. Everything that
takes time happens before the transaction; the transaction checks that nobody else has done the work meanwhile.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import compress

from yesteryear.core.episode import Detail, Digest, Episode, EpisodeStatus, Talk, frame_episode, heard_before
from yesteryear.core.fact import LIVE, Evidence
from yesteryear.core.language.requests import read_forget_request
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.told.tasks import done_barely
from yesteryear.core.message import ASKS, Conversation, Exchange, Message, Outcome, Reason, Role, Source, Verdict
from yesteryear.core.reading import HEARD, READ_WITH, MessageReading, place_after
from yesteryear.core.retracted import MOST_BEHIND, correction_by, find_retracted
from yesteryear.core.rows.due_work import RetryPolicy
from yesteryear.core.rows.queries import EpisodeQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import to_microseconds
from yesteryear.core.vectors import StoredVector, VectorGrain
from yesteryear.core.whose_words import find_brought, tell_sources, with_source
from yesteryear.errors import ProviderError, Stale
from yesteryear.measure.told import with_numbers
from yesteryear.ports import ContextualModel, IdSource, Ports, ReadsItself, Store, Transaction
from yesteryear.relate.edges import told_edges
from yesteryear.remember.answers import said_before, take_answers
from yesteryear.remember.gate import GatePolicy, judge
from yesteryear.remember.importance import ImportancePolicy, importance
from yesteryear.remember.journal import JournalPolicy, request_verdict, tail_due_at, text_ends_at
from yesteryear.remember.known import KnownPolicy, render_known
from yesteryear.remember.put_right import deny_retracted, put_holders_right, put_values_right
from yesteryear.remember.segment import Segment, SegmentPolicy, cut_segments, group_exchanges
from yesteryear.remember.statements import FactPolicy, ToldStretch, raise_doubts, write_statements

log = logging.getLogger("yesteryear.remember")

_BEFORE = HEARD  # messages before a stretch that are read: its first is read after them, and they may announce a text
_READ_AHEAD = 8  # how many episodes' worth of open messages are read at once


@dataclass(frozen=True, slots=True)
class RememberPolicy:
    """The policies of this stage."""

    journal: JournalPolicy = field(default_factory=JournalPolicy)
    segment: SegmentPolicy = field(default_factory=SegmentPolicy)
    gate: GatePolicy = field(default_factory=GatePolicy)
    importance: ImportancePolicy = field(default_factory=ImportancePolicy)
    known: KnownPolicy = field(default_factory=KnownPolicy)
    facts: FactPolicy = field(default_factory=FactPolicy)
    retry: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass(frozen=True, slots=True)
class Judged:
    """A stretch of talk that was read and judged, not yet written."""

    messages: tuple[Message, ...]  # of the stretch, with the verdicts that they have now, and the numbers they tell
    digest: Digest | None  # None when nothing is worth an episode
    readings: Mapping[str, MessageReading] = field(default_factory=dict)  # of those that were read, by their ids


@dataclass(frozen=True, slots=True)
class _Tail:
    """A conversation's open messages, from the first on, as they were read."""

    conversation: Conversation
    messages: list[Message]
    before: list[Message]  # a few
    authors: Sequence[str]  # who has spoken
    generation: int

    @property
    def is_whole(self) -> bool:
        """Whether the newest message is among them."""
        return self.messages[-1].seq == self.conversation.last_seq

    def idle(self, now: datetime) -> timedelta:
        """Return for how long nothing has been said after these messages."""
        last = self.conversation.last_recorded_at
        return now - last if last is not None and self.is_whole else timedelta(0)


def ingest(
    ports: Ports,
    scope: Scope,
    key: ConversationKey,
    *,
    policy: RememberPolicy,
    now: datetime,
    close_all: bool = False,
    should_continue: Callable[[], bool] = lambda: True,
) -> int:
    """Cut, judge, digest and write everything of one conversation that has ended; return how many episodes came of it.

    ``close_all`` ends the open tail too. ``should_continue`` is asked before each stretch; what is left when it says no
    is done another time. Raises Stale: another worker has done some of it meanwhile, and nothing was done twice; and
    ProviderError: the analyst failed.
    """
    store = ports.store
    written = 0
    while (tail := _read_tail(store, scope, key, limit=policy.segment.message_threshold * _READ_AHEAD)) is not None:
        closed, ends = tail.conversation.closed_seq, close_all and tail.is_whole
        cut = partial(cut_segments, close_through=closed, close_all=ends, idle=tail.idle(now))
        segments = cut(tail.messages, policy.segment)
        before = tail.before
        for segment in segments:
            if not should_continue():
                return written
            stretch = segment.messages
            judged = judge_segment(stretch, ports, policy=policy, before=before, authors=tail.authors)
            write_down = partial(_write_segment, judged=judged, segment=segment, seen=tail, policy=policy, now=now)
            store.write(scope, partial(write_down, ports=ports))
            written += judged.digest is not None
            known = {row.id: row for row in judged.messages}  # with the numbers that what follows may correct
            before = [*before, *(known.get(row.id, row) for row in stretch)][-_BEFORE:]
        if tail.is_whole:
            if not segments:
                store.write(scope, partial(_postpone, seen=tail.conversation, policy=policy.segment))
            break
    return written


def judge_segment(
    messages: Sequence[Message],
    ports: Ports,
    *,
    policy: RememberPolicy,
    before: Sequence[Message] = (),
    authors: Sequence[str] = (),
) -> Judged:
    """Judge each exchange of a stretch and digest those worth keeping; writes nothing.

    What was forgotten before it was judged takes no part. What was brought along as a whole says nothing of anybody.
    """
    previous = before[-1] if before else None
    brought = find_brought([message for message in messages if message.verdict is None], before=before)
    asked = _with_requests(messages, previous, brought)
    exchanges = _exchanges([message for message in asked if message.verdict is None], brought)
    readings = _read_all(exchanges, ports, before=_same_sitting(before, messages[0], policy.segment))
    verdicts: list[Verdict] = []
    for exchange in exchanges:
        ports.store.yield_to_foreground()
        verdicts.append(judge(exchange, policy.gate, previous=previous, readings=readings))
        previous = exchange.messages[-1]
    verdicts = _with_what_hangs_on_them(exchanges, verdicts)
    to_digest = [index for index, verdict in enumerate(verdicts) if verdict.outcome is not Outcome.SKIP]
    digest = None
    if to_digest:
        known = known_before(ports, messages, policy.known)
        said, gated = tuple(exchanges[index] for index in to_digest), tuple(verdicts[index] for index in to_digest)
        own = [message for message in asked if message.id not in brought]
        retracted = find_retracted(own, before=before, readings=readings)
        talk = Talk(said, gated, readings, known, retracted, _heard(said, [*before, *asked], policy))
        digest = _digest(ports, talk)
        for position, index in enumerate(to_digest):
            verdicts[index] = digest.verdicts.get(position, verdicts[index]).settled()
    if all(verdict.outcome is Outcome.SKIP for verdict in verdicts):
        digest = None
    speaking = {*authors, *(message.author for message in messages if message.role is Role.USER)}
    sources = tell_sources(exchanges, speaking, readings)
    told = {
        message.id: with_source(message, replace(verdict, features={}) if place else verdict, sources)
        for exchange, verdict in zip(exchanges, verdicts, strict=True)
        for place, message in enumerate(exchange.messages)  # the features stand with the first message only
    }
    are_new = (row.id in told or row.verdict is not was.verdict for row, was in zip(asked, messages, strict=True))
    judged = [told.get(row.id, row) for row in compress(asked, are_new)]
    return Judged(tuple(with_numbers(judged, readings, around=[*before, *asked])), digest, readings)


def _with_what_hangs_on_them(exchanges: Sequence[Exchange], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts with what hangs on a kept exchange kept with it: "no wait, York", or "done!" behind a task.

    What a rule settled stays as it is.
    """
    found: list[Verdict] = []
    line: deque[Message] = deque(maxlen=MOST_BEHIND)
    kept: dict[str, Verdict] = {}  # by the messages of their exchanges
    for exchange, verdict in zip(exchanges, verdicts, strict=True):
        settled = verdict
        for message in exchange.messages:
            if verdict.rule is None and verdict.outcome is not Outcome.KEEP and message in exchange.told:
                then = correction_by(message, [*line])
                own = [row for row in [*line][-READ_WITH:] if row.author == message.author and row.id in kept]
                if then is not None and (of := kept.get(then.said.id)):
                    reason = of.reason if of.outcome is Outcome.KEEP else Reason.PERSONAL
                    settled = replace(verdict, outcome=Outcome.KEEP, reason=reason, score=1.0, rule="puts_right")
                elif done_barely((each for row in own for each in split_sentences(row.content)), message.content):
                    keep, why = Outcome.KEEP, Reason.PERSONAL
                    settled = replace(verdict, outcome=keep, reason=why, score=1.0, rule="kept_by_form")
            line.append(message)
        if settled.outcome is not Outcome.SKIP:
            kept |= {message.id: settled for message in exchange.messages}
        found.append(settled)
    return found


def _with_requests(messages: Sequence[Message], previous: Message | None, brought: Collection[str]) -> list[Message]:
    """Return messages with a verdict on those that ask to forget what is being said, and on the replies to them."""
    found: list[Message] = []
    asked = previous.verdict if previous is not None and previous.is_of_request else None
    for message in messages:
        if message.role is Role.USER:
            verdict = message.verdict
            if verdict is None and message.id not in brought:
                verdict = request_verdict(read_forget_request(message.content))
            message = replace(message, verdict=verdict)  # noqa: PLW2901 - the same message, judged
            asked = verdict if message.is_of_request else None
        elif asked is not None and message.verdict is None and message.content:
            bare = replace(asked, features={}, rule=ASKS)
            message = replace(message, verdict=bare)  # noqa: PLW2901 - as above
        found.append(message)
    return found


def _read_all(
    exchanges: Sequence[Exchange], ports: Ports, *, before: Sequence[Message] = ()
) -> dict[str, MessageReading]:
    """Return what people said in their own words as it was read in its place, by message.

    What was said ``before`` the stretch tells how its first messages were meant. Where the reader fails, that and what
    follows is left out, and so read by words.
    """
    readings: dict[str, MessageReading] = {}
    said = list(before)
    for exchange in exchanges:
        for message in exchange.messages:
            if message in exchange.told and message.content:
                ports.store.yield_to_foreground()
                try:
                    readings[message.id] = ports.reader.read(
                        message.content, before=place_after(said[-HEARD:], message.author)
                    )
                except ProviderError as exc:
                    log.warning("what was said is read by words alone, for the reader failed: %s", exc)
                    return readings
            said.append(message)
    return readings


def _heard(exchanges: Sequence[Exchange], line: Sequence[Message], policy: RememberPolicy) -> dict[str, Message]:
    """Return what was heard before exchanges; nothing where no words are kept, by which it could be forgotten."""
    return heard_before(exchanges, line, pause=policy.segment.pause) if policy.journal.keep_verbatim else {}


def _same_sitting(before: Sequence[Message], first: Message, policy: SegmentPolicy) -> list[Message]:
    """Return those of the messages before one that no pause parts from it, but for what was asked to be forgotten."""
    near: list[Message] = []
    for message in reversed(before):
        if (near[-1] if near else first).at - message.at >= policy.pause:
            break
        near.append(message)
    return [message for message in reversed(near) if not message.is_of_request]


def _digest(ports: Ports, talk: Talk) -> Digest:
    """Have a talk that was read digested, and say who read it; nobody did alone where words stood in for some of it."""
    digest = ports.analyst.digest(talk, yield_to_foreground=ports.store.yield_to_foreground)
    said = {message.id for exchange in talk.exchanges for message in exchange.told if message.content}
    return digest if digest.reader or said - talk.readings.keys() else replace(digest, reader=ports.reader.version)


def state_facts(
    tx: Transaction, judged: Judged, episode_id: str, ids: IdSource, *, policy: RememberPolicy, now: datetime
) -> list[Evidence]:
    """Write what the person stated in a stretch, as facts that are due to be compared; return what speaks for them."""
    digest, keeps_words = judged.digest or Digest("", ""), policy.journal.keep_verbatim
    stretch = ToldStretch(tx, judged.messages, ids, now, episode_id, keeps_words)
    told = write_statements(stretch, digest.facts, policy.facts)
    if keeps_words:  # what bears on what is told by words alone
        facts = tx.facts.get(list({row.fact_id: None for row in told}))
        tx.edges.put(told_edges(digest.relations, told, facts, {row.id: row.scope for row in judged.messages}, now=now))
    return told


def redigest(
    ports: Ports,
    scope: Scope,
    episode: Episode,
    *,
    policy: RememberPolicy,
    state: Callable[[Transaction, Judged], None],
) -> None:
    """Digest a stretch again, and leave its episode PENDING with it, or ARCHIVED if it is empty.

    Either its digest had failed, or some of its messages were forgotten; then the verdicts on the others stand, and so
    does its importance. ``state`` writes what the person is now read to have stated in it.

    Raises Stale: somebody else has done it; and ProviderError: the analyst failed again.
    """
    with ports.store.read(scope) as tx:
        messages = tx.messages.get(episode.message_ids)
        before = said_before(tx, episode.key, episode.first_seq, most=_BEFORE)
        around, authors = read_around(tx, episode), tx.messages.authors(episode.key)
    if all(message.verdict is not None for message in messages):
        judged = digest_again(ports, messages, policy=policy, around=around)
    else:
        judged = judge_segment(messages, ports, policy=policy, before=before, authors=authors)

    def write(tx: Transaction) -> None:
        check_unchanged(tx, messages)
        if judged.digest is None:  # nothing of it is worth keeping after all
            nothing = Digest(topic="", summary="")
            active = episode.moved_to(EpisodeStatus.ACTIVE, digest=nothing, message_ids=(), next_try=None, error=None)
            changed = active.moved_to(EpisodeStatus.ARCHIVED)
        else:
            changed = _digested(episode, judged, judged.digest, policy)
        tx.messages.update(_settled(judged.messages, episode.id, policy.journal, episode.recorded_at))
        keep_readings(tx, judged, ports.contextual, policy.journal)
        tx.episodes.update(changed, expecting=EpisodeStatus.PENDING)
        state(tx, judged)

    ports.store.write(scope, write)


def digest_again(
    ports: Ports, messages: Sequence[Message], *, policy: RememberPolicy, around: Sequence[Message] = ()
) -> Judged:
    """Read messages of an episode that were judged once more and digest them anew; writes nothing.

    What they tell is read in its place, as ``read_around`` returns it.
    """
    talk = talk_of(messages, known_before(ports, messages, policy.known))
    before = [row for row in around if row.seq < messages[0].seq]
    readings = _read_all(talk.exchanges, ports, before=_same_sitting(before, messages[0], policy.segment))
    heard = _heard(talk.exchanges, around, policy)
    talk = replace(talk, retracted=find_retracted(around or messages, readings=readings), heard=heard)
    told = with_numbers(messages, readings, around=around)
    return Judged(tuple(told), _digest(ports, replace(talk, readings=readings)), readings)


def read_around(tx: Transaction, episode: Episode) -> list[Message]:
    """Return the stretch of talk of an episode, with what was not kept of it and a few messages before."""
    after = max(0, episode.first_seq - 1 - _BEFORE)
    return tx.messages.span(episode.key, after=after, limit=episode.last_seq - after)


def keep_readings(tx: Transaction, judged: Judged, model: ContextualModel | None, policy: JournalPolicy) -> None:
    """Write how messages were read in their place, as vectors, where their words are kept."""
    if model is None or not policy.keep_verbatim:
        return
    read = ((message_id, model.of_message(reading)) for message_id, reading in judged.readings.items())
    rows = [StoredVector(VectorGrain.EXCERPT, name, 0, vector) for name, vector in read if vector is not None]
    tx.vectors.put(model.name, rows)


def give_up(
    ports: Ports, scope: Scope, key: ConversationKey, *, error: str, policy: RememberPolicy, now: datetime
) -> None:
    """Set aside the next stretch of a conversation as a FAILED episode, so that what follows is not held up."""

    def write(tx: Transaction) -> None:
        conversation = tx.conversations.get(key)
        if conversation is None or not conversation.open_messages:
            return
        window = tx.messages.span(key, after=conversation.settled_seq, limit=policy.segment.message_threshold * 2)
        segment = cut_segments(window, policy.segment, close_all=True)[0]
        new_id = ports.ids.new(to_microseconds(now) // 1000)
        episode = frame_episode(segment.messages, new_id, now=now, closed_by=segment.closed_by.value)
        tx.messages.update([replace(message, episode_id=episode.id) for message in segment.messages])
        tx.episodes.insert(replace(episode, status=EpisodeStatus.FAILED, attempts=conversation.attempts, error=error))
        tx.conversations.save(_settle_through(conversation, segment.messages[-1].seq, policy.segment))

    ports.store.write(scope, write)


def _read_tail(store: Store, scope: Scope, key: ConversationKey, *, limit: int) -> _Tail | None:
    with store.read(scope) as tx:
        conversation = tx.conversations.get(key)
        if conversation is None or not conversation.open_messages:
            return None
        settled = conversation.settled_seq
        before = said_before(tx, key, settled + 1, most=_BEFORE)
        messages = tx.messages.span(key, after=settled, limit=limit)
        return _Tail(conversation, messages, before, tx.messages.authors(key), tx.owner().generation)


def _write_segment(
    tx: Transaction,
    judged: Judged,
    segment: Segment,
    seen: _Tail,
    ports: Ports,
    *,
    policy: RememberPolicy,
    now: datetime,
) -> None:
    first, last, key = segment.messages[0].seq, segment.messages[-1].seq, seen.conversation.key
    conversation = tx.conversations.get(key)
    is_as_seen = tx.owner().generation == seen.generation
    if conversation is None or conversation.settled_seq != first - 1 or not is_as_seen:
        raise Stale(f"messages {first} to {last} of {key.name!r} were worked through by somebody else")
    check_unchanged(tx, segment.messages)
    episode_id = ports.ids.new(to_microseconds(now) // 1000) if judged.digest else None
    tx.messages.update(_settled(judged.messages, episode_id, policy.journal, now))
    keep_readings(tx, judged, ports.contextual, policy.journal)
    raise_doubts(tx, judged.messages)
    stretch = ToldStretch(tx, judged.messages, ports.ids, now, episode_id, policy.journal.keep_verbatim)
    take_answers(stretch)
    deny_retracted(stretch, judged.readings)
    put_values_right(stretch)
    if judged.digest is not None and episode_id is not None:
        framed = frame_episode(judged.messages, episode_id, now=now, closed_by=segment.closed_by.value)
        tx.episodes.insert(replace(_digested(framed, judged, judged.digest, policy), next_try=now))
        state_facts(tx, judged, episode_id, ports.ids, policy=policy, now=now)
    put_holders_right(stretch)
    tx.conversations.save(_settle_through(conversation, last, policy.segment))


def _digested(episode: Episode, judged: Judged, digest: Digest, policy: RememberPolicy) -> Episode:
    """Return an episode with the kept messages of its stretch and what is said about them; its importance stays."""
    return replace(
        episode,
        message_ids=tuple(message.id for message in judged.messages if message.is_kept),
        digest=digest,
        importance=episode.importance or importance(digest.signals, policy.importance),
        detail=Detail.VIVID if policy.journal.keep_verbatim else Detail.GIST,
    )


def known_before(ports: Ports, messages: Sequence[Message], policy: KnownPolicy) -> tuple[str, ...]:
    """Return what was known before some messages of one conversation, as far as their scope may see it.

    Only for an analyst who reads it: all that is believed of the owner is gone through.
    """
    if not isinstance(ports.analyst, ReadsItself):
        return ()
    begun = min(message.at for message in messages)
    with ports.store.read(messages[0].scope) as tx:
        last = tx.episodes.page(EpisodeQuery(limit=1, until=begun))
        return render_known(tx.facts.all(LIVE), last[0] if last else None, policy, at=begun)


def talk_of(messages: Sequence[Message], known: tuple[str, ...]) -> Talk:
    """Return messages that were kept, and what was known before, as what an analyst is given."""
    exchanges = _exchanges(messages, {message.id for message in messages if message.source is Source.BROUGHT})
    verdicts = (exchange.messages[0].verdict for exchange in exchanges)
    return Talk(tuple(exchanges), tuple(filter(None, verdicts)), known=known)


def _exchanges(messages: Sequence[Message], brought: Collection[str]) -> list[Exchange]:
    """Return messages in exchanges, each with the ids of those that were brought along."""
    return [
        replace(exchange, brought=frozenset(row.id for row in exchange.messages if row.id in brought))
        for exchange in group_exchanges(messages)
    ]


def check_unchanged(tx: Transaction, messages: Sequence[Message]) -> None:
    """Refuse to write what was made of messages that were changed meanwhile, as when they were forgotten."""
    current = tx.messages.get([message.id for message in messages])
    if [message.rev for message in current] != [message.rev for message in messages]:
        raise Stale("some of the messages were forgotten or changed meanwhile")


def _settle_through(conversation: Conversation, seq: int, policy: SegmentPolicy) -> Conversation:
    settled = replace(conversation, settled_seq=seq, attempts=0, error=None)
    return replace(settled, due_at=tail_due_at(settled, policy))


def _postpone(tx: Transaction, seen: Conversation, policy: SegmentPolicy) -> None:
    """Nothing has ended yet: look again after the pause, unless something was said since."""
    conversation = tx.conversations.get(seen.key)
    if conversation is None or seen.last_recorded_at is None:
        return
    if (conversation.last_seq, conversation.closed_seq) == (seen.last_seq, seen.closed_seq):
        due_at = seen.last_recorded_at + policy.pause
        tx.conversations.save(replace(conversation, due_at=due_at))


def _settled(
    messages: Sequence[Message], episode_id: str | None, policy: JournalPolicy, now: datetime
) -> list[Message]:
    """Return the messages as they are after the gate: kept ones in their episode, skipped ones with any last day."""
    settled = []
    for message in messages:
        row = replace(message, episode_id=episode_id if message.is_kept else None, expires_at=None, vector_due_at=now)
        if message.asks_to_forget:  # it is obeyed with the next look, and what it says goes with it
            row = replace(row, expires_at=now)
        elif not policy.keep_verbatim:
            row = replace(row, content="", vector_due_at=None)
        elif not message.is_kept:
            row = replace(row, expires_at=text_ends_at(message, policy))
        settled.append(row)
    return settled
