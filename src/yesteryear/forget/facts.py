"""STEP: what rows hold of what is forgotten, and what becomes of facts: what has nothing else to rest on goes with it.

A fact goes when nobody asks for it, but all that spoke for it is forgotten, or one of the messages that a model made it
of; what is left of the others is settled anew by whoever works through due facts. Looks through all of the owner's
rows: a fact of one project may bear on another's.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from yesteryear.core.episode import Episode
from yesteryear.core.fact import TOLD_IN, Authority, Evidence, Fact, Form, Stance, as_quoted
from yesteryear.core.language.requests import speaks_of, subject_keys
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.told.relations import find_relations
from yesteryear.core.message import Message
from yesteryear.core.people import people_of
from yesteryear.core.relation import Basis, Edge, Relation
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import due_from
from yesteryear.core.ruling import Act
from yesteryear.ports import Transaction


class Because(StrEnum):
    """Why a fact is forgotten."""

    ASKED = "asked"  # it was named
    SAYS_THE_SAME = "says_the_same"  # it is merged into one that was named
    EVIDENCE = "evidence"  # nothing that spoke for it is left
    RESTED_ON_IT = "rested_on_it"  # it was inferred from what is forgotten, or from facts that are


_NAMED = frozenset({Because.ASKED, Because.SAYS_THE_SAME})


@dataclass(frozen=True, slots=True)
class LeavingFact(Plain):
    """A fact that is forgotten, as it was."""

    id: str
    statement: str
    because: Because


@dataclass(frozen=True, slots=True)
class Fallout:
    """What forgetting something does to facts."""

    leaving: tuple[LeavingFact, ...] = ()  # by when they were first told
    evidence: tuple[Evidence, ...] = ()  # what goes of the evidence of others, and of theirs
    shaken: tuple[str, ...] = ()  # ids of those that stay and have to be settled anew
    edges: tuple[Edge, ...] = ()  # how others bear on each other, as messages say it that go
    edges_told_too: tuple[Edge, ...] = ()  # those of them that another message says in the same words, as it says them
    texts: tuple[bytes, ...] = field(default=(), repr=False)  # what the rows hold that go, as it stands in them


def texts_of(episode: Episode) -> list[str]:
    """Return the texts that an episode's row holds."""
    digest = episode.digest
    if digest is None:
        return []
    return [text for text in (digest.topic, digest.summary, *digest.key_points, *digest.decisions) if text]


def stored_texts(texts: Iterable[str]) -> list[bytes]:
    """Return texts as they stand in rows, where JSON holds them; empty ones are left out."""
    return [json.dumps(text, ensure_ascii=False)[1:-1].encode() for text in texts if text]


def traces_of_numbers(messages: Iterable[Message]) -> list[bytes]:
    """Return an empty trace for each number without words: no search finds figures, so files are written anew."""
    return [b"" for row in messages if row.numbers and not row.content]


def facts_about(tx: Transaction, subject: str) -> list[Fact]:
    """Return the facts, believed or not, that speak of a subject or are about whom it names, but of no namesakes."""
    keys, facts = subject_keys(subject), tx.facts.all()
    people = people_of(facts, tx.evidence.all())
    theirs = people.held_by(subject)
    others = people.of_namesakes(subject) if theirs else frozenset()
    return [fact for fact in facts if fact.id in theirs or (fact.id not in others and speaks_of(fact.statement, keys))]


_HEARD_CHARS = 80  # characters of a sentence by which it is found in a statement: long ones are quoted in part


def fall_out(
    tx: Transaction, *, messages: Collection[str] = (), facts: Collection[str] = (), evidence: Collection[Evidence] = ()
) -> Fallout:
    """Return what follows for facts where some messages and facts are forgotten, or some evidence is none any more."""
    lost = [*tx.evidence.of_messages(list(messages)), *evidence]
    if not (lost or facts or messages):
        return Fallout()
    known = {fact.id: fact for fact in tx.facts.all()}
    edges = tx.edges.all()
    because: dict[str, Because] = {}

    def go(names: Iterable[str], why: Because) -> None:
        because.update((name, why) for name in list(names) if name in known and name not in because)

    touched = {row.fact_id for row in lost}
    supported = {row.fact_id for row in _left(tx, touched, lost) if row.stance is Stance.SUPPORTS}
    go(facts, Because.ASKED)
    go((fact.id for fact in known.values() if fact.canonical_id in because), Because.SAYS_THE_SAME)
    go(_quoting(tx, messages, known), Because.RESTED_ON_IT)
    go(touched - supported, Because.EVIDENCE)
    go(_inferred_from(tx, known, lost), Because.RESTED_ON_IT)
    go(_dependents(known, edges, because.keys()), Because.RESTED_ON_IT)
    leaving = [LeavingFact(fact.id, fact.statement, because[fact.id]) for fact in known.values() if fact.id in because]
    gone = {fact.id for fact in leaving}
    near = touched | _neighbours(tx, known, edges, gone) | _held_by_others(tx, known, gone)
    texts = [fact.statement for fact in leaving]
    texts += [row.quote for row in (*lost, *tx.evidence.of(list(gone)))]
    said = [edge for edge in edges if edge.message_id is not None and edge.message_id in messages]
    told_too = list(_told_too(tx, [edge for edge in said if gone.isdisjoint((edge.source, edge.target))], lost))
    kept_texts = {text for edge in told_too for text in edge.texts}
    texts += [text for edge in said for text in edge.texts if text not in kept_texts]
    texts += [text for edge in edges if not gone.isdisjoint((edge.source, edge.target)) for text in edge.texts]
    return Fallout(
        leaving=tuple(leaving),
        evidence=tuple(lost),
        shaken=tuple(fact_id for fact_id in known if fact_id in near - gone),
        edges=tuple(said),
        edges_told_too=tuple(told_too),
        texts=tuple(stored_texts(texts)),
    )


def let_fall(tx: Transaction, fallout: Fallout, *, now: datetime) -> None:
    """Forget the facts that go, and make due what has to be settled anew.

    What is left of one that was named tells which messages had told it and stay, so that it does not come back when
    they are read again.
    """
    gone = [fact.id for fact in fallout.leaving]
    tx.evidence.remove(fallout.evidence)
    tx.edges.remove(fallout.edges)
    tx.edges.put(fallout.edges_told_too, is_by_hand=True)
    named = [fact.id for fact in fallout.leaving if fact.because in _NAMED]
    told_in = dict.fromkeys(gone, "")
    for row in tx.evidence.of(named):
        told_in[row.fact_id] += f" {row.message_id}" if row.message_id else ""
    tx.facts.update([replace(fact, properties={TOLD_IN: told_in[fact.id].strip()}) for fact in tx.facts.get(gone)])
    tx.facts.forget(gone)
    tx.recalls.forget(gone)
    shaken = tx.facts.get(fallout.shaken)
    tx.facts.update([due_from(fact, now) for fact in shaken])


def _left(tx: Transaction, fact_ids: Collection[str], lost: Sequence[Evidence]) -> list[Evidence]:
    gone = {(row.fact_id, row.id) for row in lost}
    return [row for row in tx.evidence.of(list(fact_ids)) if (row.fact_id, row.id) not in gone]


def _told_too(tx: Transaction, edges: Sequence[Edge], lost: Sequence[Evidence]) -> Iterator[Edge]:
    """Yield edges of messages that go as another one says them, which told the same facts in words that hold both ends.

    A message says each relation of two facts, and the last one that did stands with it.
    """
    left = _left(tx, {end for edge in edges for end in (edge.source, edge.target)}, lost)
    rows = [row for row in left if row.message_id and row.stance is Stance.SUPPORTS and row.quote]
    by_id = {row.id: row for row in tx.messages.get([row.message_id for row in rows if row.message_id])}
    for edge in edges:
        also = {row.message_id for row in rows if row.fact_id == edge.target}
        for row in rows if edge.quote else ():
            said, message = fold(row.quote), by_id.get(row.message_id or "")
            is_whole = all(fold(end) in said for end in (edge.source_words, edge.target_words))
            says_so = is_whole and any(told.relation is edge.relation for told in find_relations(row.quote))
            if row.fact_id == edge.source and row.message_id in also and says_so and message is not None:
                yield replace(edge, scope=message.scope, message_id=message.id, quote=row.quote)
                break


def _quoting(tx: Transaction, messages: Collection[str], known: Mapping[str, Fact]) -> set[str]:
    """Return the facts, told in the same conversations, in whose statements words of some messages stand.

    A question that was answered, the sentence before the one that tells it, or the name of whom it tells, where the
    words that it rests on do not say it: those rest on another message. Not where a message that stays says the same.
    """
    rows = tx.messages.get(list(messages))
    heard = {as_quoted(said) for row in rows for said in split_sentences(row.content)} - {""}
    names = {name for row in rows for name in words(fold(row.content))}
    framed = [fact.id for fact in known.values() if fact.form is not Form.PLAIN] if heard else []
    places = {row.conversation for row in rows}
    own: dict[str, str] = defaultdict(str)
    left: dict[str, str] = defaultdict(str)
    for row in tx.evidence.of(framed):
        if row.session in places:
            own[row.fact_id] += f" {row.quote}"
        if row.message_id not in messages:
            left[row.fact_id] += f" {as_quoted(row.quote)}"

    def is_heard(fact: Fact) -> bool:
        holder = fold(fact.holder)
        is_named_there = bool(holder) and holder in names and holder not in words(fold(own[fact.id]))
        return is_named_there or any(
            said[:_HEARD_CHARS] in fact.statement and said not in left[fact.id] for said in heard
        )

    return {fact_id for fact_id in own if is_heard(known[fact_id])}


def _inferred_from(tx: Transaction, known: Mapping[str, Fact], lost: Sequence[Evidence]) -> set[str]:
    """Return what a model made of several messages, one of which goes, and nobody said: it may hold the words."""
    made = {row.fact_id for row in lost if row.authority is Authority.INFERRED and row.fact_id in known}
    said = {row.fact_id for row in _left(tx, made, lost) if row.authority is not Authority.INFERRED}
    return {fact_id for fact_id in made - said if known[fact_id].authority is Authority.INFERRED}


def _dependents(known: Mapping[str, Fact], edges: Iterable[Edge], gone: Collection[str]) -> set[str]:
    """Return the inferred facts that rest on nothing but what goes, directly or by way of others."""
    rests_on: dict[str, set[str]] = {}
    for edge in edges:
        source = known.get(edge.source)
        is_resting = edge.relation is Relation.DEPENDS_ON and edge.basis is Basis.RESTS
        if is_resting and source is not None and source.authority is Authority.INFERRED:
            rests_on.setdefault(edge.source, set()).add(edge.target)
    found: set[str] = set()
    while more := {name for name, on in rests_on.items() if name not in found and on <= found.union(gone)}:
        found |= more
    return found.difference(gone)


def _held_by_others(tx: Transaction, known: Mapping[str, Fact], gone: set[str]) -> set[str]:
    """Return the facts whose holder is another person once what goes does not tell who is meant."""
    said = tx.evidence.all()
    before = people_of(known.values(), said)
    after = people_of([fact for fact in known.values() if fact.id not in gone], said)
    return {fact.id for fact in known.values() if before.holder_of(fact) != after.holder_of(fact)}


def _neighbours(tx: Transaction, known: Mapping[str, Fact], edges: Iterable[Edge], gone: set[str]) -> set[str]:
    """Return the facts whose belief was moved by those that go, and those themselves."""
    moved = {fact.id for fact in known.values() if gone & {fact.canonical_id, fact.superseded_by}}
    judged = [row for row in tx.rulings.of(list(gone)) if row.counts]  # a guess weighs less beside each other one
    pairs = [row.pair for row in judged if row.act is not Act.NOTHING or row.judgement.is_guess]
    pairs += [(edge.source, edge.target) for edge in edges if not gone.isdisjoint((edge.source, edge.target))]
    return moved.union(*pairs)
