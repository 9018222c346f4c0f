"""Draft facts from a talk: what its users state about themselves or their lives, one atomic statement each.

Only what somebody in the role of a user says in their own words counts. Left out are messages that carry orders to an
assistant, passages that were quoted or pasted, parts played in a game, and what is imagined or said in jest. What stays
unsure is not drafted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yesteryear.core.episode import Talk
from yesteryear.core.fact import FactDraft, FactKind, stands_alone
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Message, Outcome, Role
from yesteryear.core.vectors import Matrix, Purpose
from yesteryear.errors import ProviderError
from yesteryear.providers.local.facts.kinds import tell_kind
from yesteryear.providers.local.facts.meaning import read_meaning
from yesteryear.providers.local.facts.rewriting import rewrite
from yesteryear.providers.local.facts.selecting import FactHeads, Run, SelectPolicy, find_fact_heads, select_runs
from yesteryear.providers.local.facts.slots import find_slot
from yesteryear.providers.local.facts.units import Joint
from yesteryear.providers.local.facts.utterance import Utterance, read_utterance

_EN = vocabulary("meaning")
_LEXICON = vocabulary("lexicon")

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

MESSAGE_CHARS = 4_000
"""Characters read of one message, from its beginning: who writes more has pasted it."""
UNITS = 300
"""Units read of one talk, so that its time is bounded."""

_OWN_WORDS = 3
"""Fewest words of their own around a quotation that make a statement the speaker's."""

log = logging.getLogger("yesteryear.providers")


class _Told(NamedTuple):
    """What a run of units states."""

    run: Run
    quote: str
    kind: FactKind
    second_kind: FactKind | None
    statement: str


class SaidSentence(NamedTuple):
    """What a user said, and what somebody else said just before."""

    message: Message
    before: str


def draft_facts(
    talk: Talk,
    embedder: Embedder | None,
    *,
    give_way: Callable[[], None],
    heads: FactHeads | None = None,
    policy: SelectPolicy | None = None,
) -> tuple[FactDraft, ...]:
    """Return the facts that users state, in the order they are stated.

    Args:
        talk: Exchanges that the gate did not skip; those it was unsure of count if its score says keep.
        embedder: Makes the vectors that the heads read, where some were trained with its model. Without it, and when
            it fails, heads that read words alone decide.
        give_way: Called before each message, each text that is embedded and each fact.
        heads: Others than those shipped; they read the vectors of ``embedder``, or none.
        policy: How sure to be.
    """
    policy = policy or SelectPolicy()
    reader = heads or (find_fact_heads(embedder.profile.model) if embedder else None)
    found: list[FactDraft] = []
    units = 0
    for said in own_statements(talk):
        give_way()
        utterance = read_own_words(said)
        units += len(utterance.units)
        if units > UNITS:
            break
        if reader and reader.unit.model and embedder and utterance.units:
            try:
                utterance = _with_vectors(utterance, embedder, give_way=give_way)
            except ProviderError as exc:
                log.warning("facts are told by words alone, for the embedder failed (%s)", exc.code)
                reader = None
        if reader := reader or find_fact_heads(None):
            for draft in draft_statements(said.message, utterance, reader, policy):
                give_way()
                found.append(draft)
    return tuple(found)


def _with_vectors(utterance: Utterance, embedder: Embedder, *, give_way: Callable[[], None]) -> Utterance:
    """Return the utterance with vectors, made one by one so that others may go first."""
    vectors: dict[str, Matrix] = {}
    for text in utterance.texts:
        if text not in vectors:
            give_way()
            vectors[text] = embedder.embed([text], purpose=Purpose.DOCUMENT)[0]
    return replace(utterance, vectors=np.stack([vectors[text] for text in utterance.texts]))


def draft_statements(
    message: Message, utterance: Utterance, heads: FactHeads, policy: SelectPolicy
) -> Iterator[FactDraft]:
    """Yield the facts that a message states, in order.

    Args:
        message: What was said.
        utterance: The same, as the heads read it; with vectors exactly when they have a model.
        heads: Find the units, and tell the kind.
        policy: How sure to be.
    """
    for run in select_runs(utterance, heads, policy):
        for told in _told_apart(message, utterance, run, heads, policy):
            meaning = read_meaning(told.quote, kind=told.kind, at=message.at, zone=message.zone)
            yield FactDraft(
                statement=told.statement,
                kind=told.kind,
                subject=message.author,
                quote=told.quote,
                message_id=message.id,
                confidence=told.run.probability,
                slot=find_slot(told.statement, subject=message.author, kind=told.kind),
                volatility=meaning.volatility,
                modality=meaning.modality,
                is_negative=meaning.is_negative,
                second_kind=told.second_kind,
                valid_from=meaning.valid_from,
                valid_to=meaning.valid_to,
                is_settled=meaning.is_settled,
            )


def _told_apart(
    message: Message, utterance: Utterance, run: Run, heads: FactHeads, policy: SelectPolicy
) -> Iterator[_Told]:
    """Yield what a run states: as one, or sentence by sentence where neighbours both stand alone and are likely enough.

    What stands in a statement with others cannot be changed without them.
    """
    grown: list[tuple[Run, bool]] = []
    for sentence in _sentences(utterance, run):
        told = _tell(message, utterance, sentence, heads)
        is_one = (
            told is not None and sentence.probability >= policy.apart and stands_alone(told.statement, message.author)
        )
        if grown and not (is_one and grown[-1][1]):
            before, was_one = grown.pop()
            grown.append((run.part(before.first, sentence.last), was_one and is_one))
        else:
            grown.append((sentence, is_one))
    for part, _ in grown:
        if told := _tell(message, utterance, part, heads):
            yield told


def _sentences(utterance: Utterance, run: Run) -> Iterator[Run]:
    """Yield the parts of a run that sentences cut it into."""
    opens = [place for place in run.places if utterance.units[place].joint in (Joint.START, Joint.SENTENCE)]
    starts = sorted({run.first, *opens})
    for first, following in pairwise([*starts, run.last + 1]):
        yield run.part(first, following - 1)


def _tell(message: Message, utterance: Utterance, run: Run, heads: FactHeads) -> _Told | None:
    """Return what a run states; None where that are hardly words of the speaker's own."""
    quote = quote_of(message.content, utterance, run)
    if not quote:
        return None
    kind, second_kind = tell_kind(utterance, run.places, heads.kind)
    question = utterance.question if utterance.is_short_answer else ""
    statement = rewrite(quote, author=message.author, at=message.at, zone=message.zone, kind=kind, question=question)
    return _Told(run, quote, kind, second_kind, statement) if statement else None


def own_statements(talk: Talk) -> Iterator[SaidSentence]:
    """Yield what users say as themselves: no orders to an assistant, and no part in a game."""
    previous: Message | None = None
    is_playing = False
    for exchange, verdict in zip(talk.exchanges, talk.verdicts, strict=True):
        is_kept = verdict.settled().outcome is not Outcome.SKIP
        for message in exchange.messages:
            before = previous.content if previous and previous.author != message.author else ""
            previous = message
            if message.role is not Role.USER:
                continue
            is_playing = opens_play(message.content) or (is_playing and plays_on(before))
            is_own = message.id not in exchange.brought
            if is_kept and is_own and not is_playing and not looks_injected(message.content[:MESSAGE_CHARS]):
                yield SaidSentence(message, before)


def read_own_words(said: SaidSentence) -> Utterance:
    """Return what a user said as the heads read it."""
    return read_utterance(said.message.content, before=said.before[-MESSAGE_CHARS:], chars=MESSAGE_CHARS)


def quote_of(content: str, utterance: Utterance, run: Run) -> str:
    """Return the words of a message that a run rests on, without an opening conjunction; a part of the message.

    Empty when most of them are quoted from somebody else.
    """
    start, end = utterance.units[run.first].start, utterance.units[run.last].end
    own = utterance.text[start:end]
    if content[start:end] != own and len(words(own)) < _OWN_WORDS:
        return ""
    opener = _EN["opener"].match(content, start, end)
    return content[opener.end() if opener else start : end]


def opens_play(text: str) -> bool:
    """Tell whether a message opens a game in which parts are played."""
    return _EN["opens_play"].search(fold(text)) is not None


def plays_on(text: str) -> bool:
    """Tell whether a message speaks as in a game: of another world, or giving out parts."""
    folded = fold(text)
    return any(world.search(folded) for world in (_LEXICON["fiction"], _LEXICON["fantasy"], _LEXICON["role"]))
