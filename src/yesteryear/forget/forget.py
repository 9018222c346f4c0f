"""STEP: forgetting messages, so that neither they nor what was made of them is left.

Words go, numbers go, vectors go, what contexts had shown of them goes; an episode that held some of them is digested
anew without them, or is forgotten as a whole where its words are gone and nobody can tell any more what its gist was
made of. Facts go that rested on them alone; those for which something else speaks stay. What is left is that something
was said: conversation, place, role, author and instant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import numpy as np

from yesteryear.core.episode import Detail, Episode, EpisodeStatus
from yesteryear.core.erasure import Erasure, Scrubbed
from yesteryear.core.fact import Fact, FactStatus
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.message import BY_HAND, Message, Outcome, Reason, Verdict
from yesteryear.core.reading import HEARD
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import batches, due_from
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery, rows_of
from yesteryear.core.scope import Scope, hash_person
from yesteryear.core.vectors import CONTEXTUAL, pack_vector
from yesteryear.errors import InputError, NotFound
from yesteryear.forget.facts import (
    Because,
    LeavingFact,
    fall_out,
    let_fall,
    stored_texts,
    texts_of,
    traces_of_numbers,
)
from yesteryear.forget.seal import Sealing, resting_on, traces_of_hidden
from yesteryear.ports import Store, Transaction

_ROWS_A_PAGE = 1000
_MESSAGES_A_WRITE = 64


@dataclass(frozen=True, slots=True)
class Leaving(Plain):
    """A message that is forgotten, as it was."""

    id: str
    name: str
    """The caller's own id where given, else ours."""
    conversation: str
    author: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Forgotten(Plain):
    """What was forgotten, or with ``is_dry`` what would be."""

    messages: tuple[Leaving, ...] = ()
    """In the order in which they were said, conversation by conversation; with their text only where ``is_dry``."""
    episodes: tuple[str, ...] = ()
    """Ids of episodes of which nothing is left."""
    reduced: tuple[str, ...] = ()
    """Ids of episodes that are digested anew without those messages."""
    facts: tuple[LeavingFact, ...] = ()
    """By when they were first told; with their statement only where ``is_dry``."""
    scrubbed: Scrubbed = field(default_factory=Scrubbed)
    """What was done to the files."""
    is_dry: bool = False
    """Whether nothing was done."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the messages and of the facts that were named, as ``forget`` takes them: all else goes with those."""
        named = (fact.id for fact in self.facts if fact.because is Because.ASKED)
        return (*(message.id for message in self.messages), *named)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be forgotten."""

    messages: tuple[Message, ...] = ()
    episodes: tuple[Episode, ...] = ()  # those that are forgotten as a whole
    facts: tuple[Fact, ...] = ()  # those that are forgotten by name

    @property
    def ids(self) -> list[str]:
        """Ids of all of them."""
        talk = [*(row.id for row in self.messages), *(row.id for row in self.episodes)]
        return [*talk, *(row.id for row in self.facts)]


def choose(tx: Transaction, names: Sequence[str]) -> Chosen:
    """Return the messages, episodes and facts with these ids, and all messages of those episodes.

    A message may be named by the caller's own id. The messages that a fact rests on are not chosen by it: where they
    are digested anew, or somebody says the same again, it is stated anew. To have it gone for good, name them.
    """
    episodes, facts = tx.episodes.get(names), tx.facts.get(names)
    ours = {row.id for row in episodes} | {row.id for row in facts}
    messages = tx.messages.named([name for name in names if name not in ours])
    known = ours | {name for row in messages for name in (row.id, row.external_id)}
    unknown = [name for name in names if name not in known]
    if unknown and (gone := {fact.id for fact in tx.facts.all([FactStatus.FORGOTTEN])}):
        unknown = [name for name in unknown if name not in gone]
    if unknown:
        raise NotFound(
            f"nothing here has the id {unknown[0]!r}; ids stand in messages(), episodes(), facts() and contexts"
        )
    for name in names:
        meant = [message for message in messages if name == message.external_id]
        if len(meant) > 1 and all(name != message.id for message in messages):
            raise InputError(f"{name!r} is the id of {len(meant)} messages of different conversations; pass our ids")
    for episode in episodes:  # all of its stretch of talk, those too that were not kept
        messages += tx.messages.span(
            episode.key, after=episode.first_seq - 1, limit=episode.last_seq - episode.first_seq + 1
        )
    return Chosen(tuple({row.id: row for row in messages}.values()), tuple(episodes), tuple(facts))


def choose_span(tx: Transaction, *, conversation: str | None, since: datetime | None, until: datetime | None) -> Chosen:
    """Return the messages of a conversation or a time span, and the episodes that lie whole within it."""
    said = MessageQuery(limit=_ROWS_A_PAGE, conversation=conversation, since=since, until=until)
    held = EpisodeQuery(limit=_ROWS_A_PAGE, conversation=conversation, since=since, until=until)
    messages = sorted(rows_of(tx.messages.page, said), key=lambda row: (row.conversation, row.seq))
    episodes = [row for row in rows_of(tx.episodes.page, held) if since is None or row.started_at >= since]
    return Chosen(tuple(messages), tuple(episodes))


def forget(
    store: Store,
    scope: Scope,
    chosen: Chosen,
    *,
    now: datetime,
    is_dry: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Forgotten:
    """Forget what was chosen, whatever the project, and clean the files of it; where it fails, begin again to go on."""
    owner = scope.owner.scope
    with store.read(owner) as tx:
        planned, removed = plan(tx, chosen)
        laid_aside = resting_on(tx, chosen.ids)
        removed += traces_of_hidden(laid_aside)
    if is_dry:
        return planned
    messages = tuple(replace(message, text="") for message in planned.messages)
    facts = tuple(replace(fact, statement="") for fact in planned.facts)
    told = replace(planned, messages=messages, facts=facts, is_dry=False)
    if not removed and not planned.messages and not planned.episodes:
        return told
    with cleaning(store, owner, removed, now=now) as cleaned:
        carry_out(store, owner, planned, now=now, on_progress=on_progress)
        store.write(owner, lambda tx: tx.forgettings.remove(laid_aside))
    return replace(told, scrubbed=cleaned[0])


@contextmanager
def cleaning(store: Store, scope: Scope, removed: Collection[bytes], *, now: datetime) -> Iterator[list[Scrubbed]]:
    """Clean the files of what is removed within the block, also where not all of it could be done.

    A note says beforehand that they are to be cleaned. The worker goes by it after a kill, or where a reader waits.
    Yields a list that holds what was done to the files, once the block has ended.
    """
    note = Erasure(scope.tenant, f"{hash_person(scope.owner)}/forgotten", 0, now)
    store.note_erasure(note.sealed())
    cleaned: list[Scrubbed] = []
    try:
        yield cleaned
    finally:
        cleaned.append(store.scrub(removed))
        is_pending = bool(cleaned[0].waits_for)
        store.note_erasure(replace(note, scrubbed=cleaned[0], is_pending=is_pending).sealed())


def plan(tx: Transaction, chosen: Chosen) -> tuple[Forgotten, list[bytes]]:
    """Return what would be forgotten, and all that its rows hold, as it stands in them."""
    told = [row for row in chosen.messages if _holds_anything(row)]
    removed = [text.encode() for row in told for text in (row.content, *split_sentences(row.content)) if text]
    removed += traces_of_numbers(told)
    episodes = {episode.id: episode for episode in chosen.episodes}
    reduced: list[str] = []
    for touched in tx.episodes.get(list({row.episode_id: None for row in told if row.episode_id})):
        if touched.id in episodes:
            continue
        if _left_of(tx, touched, told):
            reduced.append(touched.id)  # what its digest quotes of the others stays
        else:
            episodes[touched.id] = touched
    removed += stored_texts(text for episode in episodes.values() for text in texts_of(episode))
    fallout = fall_out(tx, messages=[row.id for row in told], facts=[fact.id for fact in chosen.facts])
    removed += fallout.texts
    removed += vectors_of(tx, [*(row.id for row in told), *(fact.id for fact in fallout.leaving), *episodes])
    leaving = tuple(map(Leaving.of, told))
    return Forgotten(leaving, tuple(episodes), tuple(reduced), fallout.leaving, is_dry=True), removed


def carry_out(
    store: Store,
    scope: Scope,
    planned: Forgotten,
    *,
    now: datetime,
    rule: str = BY_HAND,
    sealing: Sealing | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Take what was planned out of the rows, in small transactions.

    The messages' verdicts name the ``rule``. ``sealing`` lays aside what goes, so that it can be brought back.
    """
    named = [fact.id for fact in planned.facts if fact.because is Because.ASKED]
    for ids in batches(named, _MESSAGES_A_WRITE):  # first: what says the same as these goes only while they are there
        store.write(scope, partial(forget_rows, facts=ids, now=now, sealing=sealing))
    done = 0
    for batch in batches(planned.messages, _MESSAGES_A_WRITE):
        store.yield_to_foreground()
        ids = [row.id for row in batch]
        store.write(scope, partial(forget_rows, messages=ids, rule=rule, now=now, sealing=sealing))
        done += len(batch)
        on_progress(done)
    for ids in batches(planned.episodes, _MESSAGES_A_WRITE):
        store.write(scope, partial(_forget_episodes, ids=ids, now=now, sealing=sealing))


def vectors_of(tx: Transaction, refs: Sequence[str] | None) -> list[bytes]:
    """Return the packed vectors of some messages, episodes and facts, or of all; they tell much of the texts."""
    models = tx.vectors.models()
    return [pack_vector(stored.vector) for model in models for stored in tx.vectors.load(model, refs=refs)]


def forget_rows(
    tx: Transaction,
    *,
    messages: Sequence[str] = (),
    facts: Sequence[str] = (),
    rule: str = BY_HAND,
    now: datetime,
    sealing: Sealing | None = None,
) -> None:
    """Take messages and facts, with all that was made of them or rested on them alone, out of the rows.

    Of which nothing is left, those stay as they are. ``rule`` and ``sealing`` as in ``carry_out``.
    """
    going = [row for row in tx.messages.get(messages) if _holds_anything(row)]
    for episode in tx.episodes.get(list({row.episode_id: None for row in going if row.episode_id})):
        _reduce_episode(tx, episode, _left_of(tx, episode, going), now, sealing)
    ids = [row.id for row in going]
    fallout = fall_out(tx, messages=ids, facts=facts)
    if sealing is not None:
        sealing.messages(tx, going)
        sealing.facts(tx, [fact.id for fact in fallout.leaving])
    verdict = Verdict(Outcome.SKIP, Reason.FORGET_REQUEST, 0.0, 0.0, rule)
    bare = [replace(row, content="", numbers=(), verdict=verdict, episode_id=None, expires_at=None) for row in going]
    tx.messages.update([due_from(row, None) for row in bare])
    tx.vectors.forget(ids)
    _empty_readings_after(tx, going)
    tx.recalls.forget(ids)
    let_fall(tx, fallout, now=now)


def _empty_readings_after(tx: Transaction, going: Sequence[Message]) -> None:
    """Empty the vectors of messages that were read with what goes before them: such a vector tells of that, too."""
    models = [model for model in tx.vectors.models() if model.startswith(CONTEXTUAL)]
    gone = {(row.key, row.seq) for row in going} if models else set()
    ends = [(key, seq) for key, seq in gone if not {(key, seq + n) for n in range(1, HEARD + 1)} <= gone]
    after = {row.id: row for key, seq in ends for row in tx.messages.span(key, after=seq, limit=HEARD)}
    for model in models:
        read = tx.vectors.load(model, refs=list(after))
        tx.vectors.put(model, [replace(row, vector=np.zeros_like(row.vector)) for row in read])
    tx.messages.update(list(after.values()))  # so that indexes look at them again


def _forget_episodes(tx: Transaction, ids: Sequence[str], now: datetime, sealing: Sealing | None) -> None:
    for episode in tx.episodes.get(ids):
        _reduce_episode(tx, episode, (), now, sealing)


def _reduce_episode(
    tx: Transaction, episode: Episode, left: tuple[str, ...], now: datetime, sealing: Sealing | None
) -> None:
    """Let an episode be digested anew from the messages that are left, or forget it; nothing of its digest stays."""
    if episode.status is EpisodeStatus.FORGOTTEN:
        return
    if sealing is not None:
        sealing.episodes(tx, [episode])
    bare = due_from(replace(episode, digest=None, message_ids=left, fades_at=None), now if left else None)
    if not left:
        bare = replace(bare, importance=0.0, pinned=False, recalls=()).moved_to(EpisodeStatus.FORGOTTEN)
    else:
        bare = replace(bare, detail=Detail.VIVID)
        bare = bare if bare.status is EpisodeStatus.PENDING else bare.moved_to(EpisodeStatus.PENDING)
    tx.episodes.update(bare, expecting=episode.status)
    tx.vectors.forget([episode.id])
    tx.recalls.forget([episode.id])


def _left_of(tx: Transaction, episode: Episode, going: Sequence[Message]) -> tuple[str, ...]:
    """Return the messages of an episode that still have their words, without those that go."""
    gone = {row.id for row in going}
    return tuple(row.id for row in tx.messages.get(episode.message_ids) if row.content and row.id not in gone)


def _holds_anything(message: Message) -> bool:
    """Tell whether something of a message is left: its words, its numbers, or a part in the gist of its episode."""
    return bool(message.content or message.numbers) or message.episode_id is not None
