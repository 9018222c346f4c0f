"""Draft facts from a talk: what its users state in their own words about themselves, one atomic statement each.

Left out are orders to an assistant, what was quoted or pasted, parts played in a game, and what stays unsure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from yesteryear.core.episode import Talk
from yesteryear.core.fact import FactDraft, stands_alone
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Message, Outcome, Role
from yesteryear.providers.local.facts.meaning import find_slot, read_meaning
from yesteryear.providers.local.facts.rewriting import rewrite
from yesteryear.providers.local.facts.selecting import (
    FactHeads,
    Run,
    SelectPolicy,
    find_fact_heads,
    select_runs,
    tell_kind,
)
from yesteryear.providers.local.facts.utterance import Joint, Utterance, read_utterance
from yesteryear.providers.local.vectors import embed_one_by_one

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


class SaidSentence(NamedTuple):
    """What a user said, and what somebody else said just before."""

    message: Message
    before: str


def draft_facts(
    talk: Talk,
    embedder: Embedder | None,
    *,
    yield_to_foreground: Callable[[], None],
    heads: FactHeads | None = None,
    policy: SelectPolicy | None = None,
) -> tuple[FactDraft, ...]:
    """Return the facts that users state, in the order they are stated.

    Args:
        talk: Exchanges that the gate did not skip; those it was unsure of count if its score says keep.
        embedder: Makes the vectors that the heads read, where some were trained with its model. Without it, and when
            it fails, heads that read words alone decide.
        yield_to_foreground: Called before each message, each text that is embedded and each fact.
        heads: Others than those shipped; they read the vectors of ``embedder``, or none.
        policy: How sure to be.
    """
    policy = policy or SelectPolicy()
    reader = heads or (find_fact_heads(embedder.profile.model) if embedder else None)
    found: list[FactDraft] = []
    units = 0
    for said in own_statements(talk):
        yield_to_foreground()
        utterance = read_own_words(said)
        units += len(utterance.units)
        if units > UNITS:
            break
        if reader and reader.unit.model and embedder and utterance.units:
            vectors = embed_one_by_one(utterance.texts, embedder, "facts are told by words alone", yield_to_foreground)
            reader = None if vectors is None else reader
            utterance = replace(utterance, vectors=vectors)
        if reader := reader or find_fact_heads(None):
            for draft in draft_statements(said.message, utterance, reader, policy):
                yield_to_foreground()
                found.append(draft)
    return tuple(found)


def draft_statements(
    message: Message, utterance: Utterance, heads: FactHeads, policy: SelectPolicy
) -> Iterator[FactDraft]:
    """Yield the facts that a message states, in order; the utterance has vectors if the heads have a model.

    A run is told as one, or sentence by sentence where neighbours both stand alone and are likely enough: what stands
    in a statement with others cannot be changed without them.
    """
    for run in select_runs(utterance, heads, policy):
        grown: list[tuple[Run, FactDraft | None, bool]] = []
        for sentence in _sentences(utterance, run):
            draft = _draft(message, utterance, sentence, heads)
            is_one = (
                draft is not None
                and sentence.probability >= policy.apart
                and stands_alone(draft.statement, message.author)
            )
            if grown and not (is_one and grown[-1][2]):
                before, _, was_one = grown.pop()
                both = run.part(before.first, sentence.last)
                grown.append((both, _draft(message, utterance, both, heads), was_one and is_one))
            else:
                grown.append((sentence, draft, is_one))
        yield from (draft for _, draft, _ in grown if draft)


def _sentences(utterance: Utterance, run: Run) -> Iterator[Run]:
    """Yield the parts of a run that sentences cut it into."""
    opens = [place for place in run.places if utterance.units[place].joint in (Joint.START, Joint.SENTENCE)]
    starts = sorted({run.first, *opens})
    for first, following in pairwise([*starts, run.last + 1]):
        yield run.part(first, following - 1)


def _draft(message: Message, utterance: Utterance, run: Run, heads: FactHeads) -> FactDraft | None:
    """Return what a run states; None where that are hardly words of the speaker's own."""
    start, end = utterance.units[run.first].start, utterance.units[run.last].end
    own = utterance.text[start:end]
    if message.content[start:end] != own and len(words(own)) < _OWN_WORDS:
        return None
    opener = _EN["opener"].match(message.content, start, end)
    quote = message.content[opener.end() if opener else start : end]
    if not quote:
        return None
    kind, second_kind = tell_kind(utterance, run.places, heads.kind)
    question = utterance.question if utterance.is_short_answer else ""
    statement = rewrite(quote, author=message.author, at=message.at, zone=message.zone, kind=kind, question=question)
    if not statement:
        return None
    meaning = read_meaning(quote, kind=kind, at=message.at, zone=message.zone)
    return FactDraft(
        statement=statement,
        kind=kind,
        subject=message.author,
        quote=quote,
        message_id=message.id,
        confidence=run.probability,
        slot=find_slot(statement, subject=message.author, kind=kind),
        volatility=meaning.volatility,
        modality=meaning.modality,
        is_negative=meaning.is_negative,
        second_kind=second_kind,
        valid_from=meaning.valid_from,
        valid_to=meaning.valid_to,
        is_settled=meaning.is_settled,
    )


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
            opens = _EN["opens_play"].search(fold(message.content)) is not None
            is_playing = opens or (is_playing and _plays_on(before))
            is_own = message.id not in exchange.brought
            if is_kept and is_own and not is_playing and not looks_injected(message.content[:MESSAGE_CHARS]):
                yield SaidSentence(message, before)


def read_own_words(said: SaidSentence) -> Utterance:
    """Return what a user said as the heads read it."""
    return read_utterance(said.message.content, before=said.before[-MESSAGE_CHARS:], chars=MESSAGE_CHARS)


def _plays_on(text: str) -> bool:
    """Tell whether a message speaks as in a game: of another world, or giving out parts."""
    folded = fold(text)
    return any(_LEXICON[world].search(folded) for world in ("fiction", "fantasy", "role"))
