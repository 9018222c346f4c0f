"""STEP: answer a question about how things bear on each other, from the edges of a scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

from yesteryear.core.fact import Fact
from yesteryear.core.language.tokens import stems
from yesteryear.core.relation import IN_WORDS, Edge
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import Matrix, Purpose, VectorGrain
from yesteryear.errors import ProviderError
from yesteryear.ports import Ports, Transaction
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.index_cache import IndexCache
from yesteryear.recall.ranking import RecallPolicy
from yesteryear.recall.retrieve import retrieve
from yesteryear.relate.inference import (
    End,
    Finding,
    GraphQuestion,
    asked_about,
    asked_relation,
    find_path,
    infer,
    is_one,
    standing,
)
from yesteryear.relate.views import EdgeView, GraphAnswer, GraphEnd, GraphLine, GraphView, view_edge, view_node

_FACTS = RecallFilter(grains=frozenset({VectorGrain.FACT}))


_SEEDS = 12  # facts nearest to what is asked about, from which edges are walked along
_STEPS = 3  # edges walked along from each. Source: ``inference.MOST_STEPS`` less the seed's own
_SEEN_WHOLE = 100  # edges up to which a graph is looked at as a whole
_MOST_EDGES = 2_000  # edges that are looked at, at most; what more there are a note tells
_MOST_ENDS = 40  # ends whose words are compared with what is asked about by meaning
_LIKE = 0.35  # least likeness in [0, 1], by words or meaning, of an end to what is asked. Source: labelled situations
_BEHIND = 0.05  # by how much, in [0, 1], an end may be less like it than the one that is most so
_ONE = 0.7  # least likeness in [0, 1], by meaning, of two ends that are one thing. Source: labelled situations
ONE_THING = "both ends of the path are one thing"
_MOST_LINES = 5  # answers to a question in talk, at most


@dataclass(frozen=True, slots=True)
class AskedGraph:
    """What is asked of a graph."""

    question: GraphQuestion
    of: str  # what is asked about: words, or the id of a fact; empty for all
    to: str  # of a path, where it leads
    now: datetime
    limit: int  # most answers; where all edges are asked for, most of these


def graph_lines(
    ports: Ports, index_cache: IndexCache, scope: Scope, message: str, *, now: datetime, recall: RecallPolicy
) -> list[GraphLine]:
    """Return what answers a message that asks how things bear on each other, the nearest first; none for all others."""
    asked = asked_relation(message)
    if asked is None:
        return []
    with ports.store.read(scope) as tx:
        if not tx.edges.standing(limit=1):
            return []
    sought = AskedGraph(asked.question, asked.of, asked.to, now, _MOST_LINES)
    found = ask_graph(ports, index_cache, scope, sought, recall=recall)
    edges, lines = {edge.id: edge for edge in found.edges}, {}
    for answer in found.answers:
        proof = [edges[edge_id] for edge_id in answer.proof]
        said = dict.fromkeys(edge.message for edge in proof if edge.message)
        lines[answer.proof] = GraphLine(proof[0].id, "; ".join(map(_told, proof)), tuple(said))
    return list(lines.values())


def _told(edge: EdgeView) -> str:
    """Return an edge in a line, with the words that say it."""
    told = f"{edge.source.words} {IN_WORDS[edge.relation]} {edge.target.words}"
    return f'{told} (said: "{edge.quote}")' if edge.quote else f"{told} (inferred: {edge.why})"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What of a graph is looked at for one question."""

    edges: list[Edge]  # between what stands for their facts
    facts: dict[str, Fact]  # those at their ends, and what these were merged into, by id
    names: dict[str, str]  # the caller's own ids of the messages that tell them, by ours
    notes: tuple[str, ...]

    def stands_for(self, name: str) -> str:
        """Return the fact that stands for one."""
        return (self.facts[name].canonical_id if name in self.facts else None) or name

    def words_of(self, end: End) -> str:
        """Return what an end is in words."""
        return end.words or self.facts[end.fact].statement


def ask_graph(
    ports: Ports, index_cache: IndexCache, scope: Scope, asked: AskedGraph, *, recall: RecallPolicy
) -> GraphView:
    """Return what answers a question, with the edges that prove it."""

    def near(text: str) -> list[str]:
        with ports.store.read(scope) as tx:
            if tx.facts.get([text]):
                return [text]
        hits = retrieve(ports, index_cache, scope, text, now=asked.now, policy=recall, only=_FACTS, limit=_SEEDS)
        return [hit.id for hit in hits]

    sought = {text: near(text) for text in (asked.of, asked.to) if text}
    with ports.store.read(scope) as tx:
        seeds = list(dict.fromkeys(fact_id for ids in sought.values() for fact_id in ids))
        by_words = any(ids != [text] for text, ids in sought.items())
        is_of_one = asked.question is GraphQuestion.ALL and not by_words
        seen = _look(tx, seeds if sought else None, asked.now, 1 if is_of_one else _STEPS, by_words=by_words)
    if asked.question is GraphQuestion.ALL and not by_words:
        edges = [edge for edge in seen.edges if not sought or seen.stands_for(asked.of) in (edge.source, edge.target)]
        return _shown(seen, edges[: asked.limit], (), asked.now)
    meaning = _Meaning(ports, seen)
    about = [meaning.ends_of(text, ids, asked.question) for text, ids in sought.items()]
    found = _answered(asked, seen.edges, about, meaning)[: asked.limit]
    if asked.question is GraphQuestion.PATH and not found and _is_one_thing(about, meaning):
        seen = replace(seen, notes=(*seen.notes, ONE_THING))
    proofs = list({edge.id: edge for answer in found for edge in answer.proof}.values())
    return _shown(seen, proofs, () if asked.question is GraphQuestion.ALL else found, asked.now)


def _is_one_thing(about: Sequence[Sequence[End]], meaning: _Meaning) -> bool:
    """Tell whether both ends of a path are meant by one thing, be it in other words."""
    pairs = product(about[0], about[-1])
    return any(one == other or is_one(one, other) or meaning.is_like(one, other) for one, other in pairs)


def _look(tx: Transaction, seeds: Sequence[str] | None, now: datetime, steps: int, *, by_words: bool) -> _Seen:
    """Return the edges around some facts, or all, between what counts now; all of a few where words were searched."""
    most = _MOST_EDGES if seeds is None else _SEEN_WHOLE + 1 if by_words else 0
    rows = tx.edges.standing(limit=most) if most else []
    if seeds is not None and not 0 < len(rows) < most:
        seeds = [*seeds, *(fact.id for fact in tx.facts.merged_into(seeds))]
        rows = tx.edges.around(seeds, steps=steps, limit=_MOST_EDGES)
    ends = tx.facts.get(list(dict.fromkeys(name for edge in rows for name in (edge.source, edge.target))))
    ends += tx.facts.get([fact.canonical_id for fact in ends if fact.canonical_id])
    facts = {fact.id: fact for fact in ends if fact.canonical_id or (fact.is_current(now) and fact.resolved_at is None)}
    roots = {name: fact.canonical_id or name for name, fact in facts.items() if (fact.canonical_id or name) in facts}
    said = tx.messages.get(list(dict.fromkeys(edge.message_id for edge in rows if edge.message_id)))
    names = {row.id: row.external_id for row in said if row.external_id}
    notes = (f"only {_MOST_EDGES} edges were looked at",) if len(rows) >= _MOST_EDGES else ()
    return _Seen(standing(rows, roots), facts, names, notes)


def _answered(
    asked: AskedGraph, edges: Sequence[Edge], about: Sequence[Sequence[End]], meaning: _Meaning
) -> Sequence[Finding]:
    if asked.question is GraphQuestion.PATH:
        return find_path(edges, about[0], about[1], is_like=meaning.is_like) if len(about) > 1 else ()
    question = GraphQuestion.RELATED if asked.question is GraphQuestion.ALL else asked.question
    if about and not about[0]:
        return ()
    return infer(question, edges, about[0] if about else (), is_like=meaning.is_like)


def _shown(seen: _Seen, edges: Sequence[Edge], found: Sequence[Finding], now: datetime) -> GraphView:
    ids = sorted({name for edge in edges for name in (edge.source, edge.target)})
    answers = (
        GraphAnswer(GraphEnd(each.end.fact, seen.words_of(each.end)), tuple(edge.id for edge in each.proof))
        for each in found
    )
    return GraphView(
        nodes=tuple(view_node(seen.facts[name], now) for name in ids),
        edges=tuple(view_edge(edge, seen.facts, seen.names) for edge in edges),
        answers=tuple(answers),
        notes=seen.notes,
    )


class _Meaning:
    """Tells which ends mean what is asked about, and which of them are one thing, by words and by meaning."""

    def __init__(self, ports: Ports, seen: _Seen) -> None:
        self._ports, self._seen = ports, seen
        self._vectors: dict[str, Matrix] = {}

    def ends_of(self, text: str, near: Sequence[str], question: GraphQuestion) -> list[End]:
        """Return the ends that words mean, of the facts nearest to them; of a fact whose id they are the whole.

        Only such as the question can be about: what blocks is asked of what is blocked.
        """
        facts = self._seen.facts
        if list(near) == [text]:
            return [End(facts[text].canonical_id or text, "")] if text in facts else []
        rank = {facts[name].canonical_id or name: place for place, name in enumerate(near) if name in facts}
        ends = asked_about(question, self._seen.edges)
        ends = sorted(ends, key=lambda end: rank.get(end.fact, len(rank)))[:_MOST_ENDS]
        self._embed([text, *(self._seen.words_of(end) for end in ends)])
        scores = [self._likeness(text, self._seen.words_of(end), is_whole=not end.words) for end in ends]
        least = max([_LIKE, *(score - _BEHIND for score in scores)])
        return [end for end, score in zip(ends, scores, strict=True) if score >= least]

    def is_like(self, one: End, other: End) -> bool:
        """Tell whether two ends mean one thing; only of those that were looked at."""
        return bool(self._vectors) and self._cosine(*map(self._seen.words_of, (one, other))) >= _ONE

    def _embed(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        try:
            vectors = self._ports.embedder.embed(new, purpose=Purpose.DOCUMENT) if new else ()
        except ProviderError:
            return  # words must do; recall has told of it
        self._vectors |= dict(zip(new, vectors, strict=True))

    def _likeness(self, text: str, words: str, *, is_whole: bool) -> float:
        sought, said = set(stems(text)), set(stems(words))
        least = max(len(sought), len(said)) if is_whole else min(len(sought), len(said))  # a fact tells much
        shared = len(sought & said) / least if sought and said else 0.0
        return max(shared, self._cosine(text, words))

    def _cosine(self, one: str, other: str) -> float:
        if one in self._vectors and other in self._vectors:
            return max(0.0, float(self._vectors[one] @ self._vectors[other]))
        return 0.0
