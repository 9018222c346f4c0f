"""The verbs of the graph: how the things in a person's life bear on each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import compress
from typing import Annotated

from yesteryear.core.access.arguments import (
    Id,
    Instant,
    Name,
    OneOf,
    PageLimit,
    check_limit,
    optional_name,
    parse_choice,
    parse_id,
)
from yesteryear.core.fact import Fact
from yesteryear.core.relation import Basis, Edge
from yesteryear.errors import InputError, NotFound
from yesteryear.memory.calls import ScopedVerbs
from yesteryear.ports import Transaction
from yesteryear.recall.graph import AskedGraph, ask_graph
from yesteryear.relate.inference import GraphQuestion
from yesteryear.relate.views import EdgeView, GraphView, view_edge


class GraphVerbs(ScopedVerbs):
    """What bears on what in one scope."""

    async def graph(
        self,
        question: Annotated[str, OneOf(GraphQuestion)] = "all",
        *,
        of: Name | None = None,
        to: Name | None = None,
        at: Instant | None = None,
        limit: PageLimit = 100,
    ) -> GraphView:
        """Return how things in the person's life bear on each other, and what that answers.

        An edge is what somebody said ("I can't train because of my knee"), or what fits though nobody said so; it
        counts while both of its ends do. Every answer comes with the edges that prove it, and these with the words
        that say so.

        Args:
            question: "blocking" (what stands in the way of it), "supporting" (what helps it or is a part of it),
                "conflicts" (what it cannot go together with), "causes" (what it came of), "related" (what has to do
                with it), "path" (how two things hang together), or "all" for the edges themselves, with the id of a
                fact those of it.
            of: What is asked about, in any words, or the id of a fact. May be left out for all conflicts and all edges.
            to: Of a path, where it leads, likewise.
            at: The present, at which what has ceased to hold does not count; the clock's where not given.
            limit: Most answers, or edges where all were asked for, 1 to 1000.

        Raises:
            InputError: an argument cannot be used, or the question needs ``of`` or ``to``.
        """
        kind = parse_choice("question", GraphQuestion, question)
        about, aim = ((optional_name(label, name) or "").strip() for label, name in (("of", of), ("to", to)))
        asked = AskedGraph(kind, about, aim, self._now(at), check_limit(limit))
        if not asked.of and asked.question not in (GraphQuestion.ALL, GraphQuestion.CONFLICTS):
            raise InputError(f"the question {asked.question.value!r} is about something: say of what, with `of`")
        if asked.question is GraphQuestion.PATH and not asked.to:
            raise InputError("a path leads somewhere: say where, with `to`")
        if asked.to and asked.question is not GraphQuestion.PATH:
            raise InputError(f"the question {asked.question.value!r} leads nowhere: leave `to` out, or ask for a path")
        policies = self._open.policies
        return await self._calls.run(
            self._open.asking, ask_graph, self._open.index_cache, self._open.scope, asked, recall=policies.recall
        )

    async def dismiss(self, id: Id, *, restored: bool = False) -> EdgeView:
        """Note that the person said that one thing does not bear on another: nothing brings the edge back but they.

        Args:
            id: Of the edge, as ``graph`` tells it.
            restored: Take it back: the edge counts again.
        """
        name = parse_id(id)

        def write(tx: Transaction) -> EdgeView:
            found, facts = _find(tx, name)
            now = [replace(edge, basis=_known_by(edge) if restored else Basis.DISMISSED) for edge in found]
            is_other = [(edge.basis is Basis.DISMISSED) is restored for edge in found]
            if any(is_other):
                tx.edges.put(list(compress(now, is_other)), is_by_hand=True)
            (_, source, target), edge = name.split(":"), max(now, key=lambda edge: edge.confidence)
            said = tx.messages.get([edge.message_id]) if edge.message_id else []
            shown = replace(edge, source=source, target=target)
            return view_edge(shown, facts, {row.id: row.external_id for row in said if row.external_id})

        return await self._calls.write(self._open.ports.store, self._open.scope, write)


def _known_by(edge: Edge) -> Basis:
    return Basis.TOLD if edge.quote else Basis.INFERRED


def _find(tx: Transaction, name: str) -> tuple[list[Edge], Mapping[str, Fact]]:
    """Return all edges that ``graph`` tells by an id, with the facts they may name.

    These are more than one where facts were merged: ``graph`` tells the surest by the ids of what stands for its ends.
    """
    edges = [edge for edge in tx.edges.all() if edge.basis is not Basis.RESTS]
    ends = tx.facts.get(list(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))))
    roots = {fact.id: fact.canonical_id or fact.id for fact in ends}
    merged = (replace(edge, source=roots.get(edge.source, ""), target=roots.get(edge.target, "")) for edge in edges)
    found = [edge for edge, root in zip(edges, merged, strict=True) if name in (edge.id, root.id)]
    said = {(edge.message_id, edge.relation) for edge in found if edge.message_id and edge.quote}
    found += [edge for edge in edges if not edge.quote and (edge.message_id, edge.relation) in said]  # made of these
    if not found:
        raise NotFound(f"no edge {name!r} here; graph() tells their ids")
    named = {fact.id: fact for fact in ends} | {fact.id: fact for fact in tx.facts.get(name.split(":")[1:])}
    return found, named
