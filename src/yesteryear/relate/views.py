"""The graph as it is shown: nodes, edges between them, and what answers a question, with its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Fact, LoopState
from yesteryear.core.relation import Basis, Edge, Relation
from yesteryear.core.results import Plain


@dataclass(frozen=True, slots=True)
class GraphEnd(Plain):
    """One end of an edge."""

    fact: str
    """Id of the fact that it is, or that tells of it."""
    words: str
    """What it is in the person's words; where the fact as a whole is meant its statement."""


@dataclass(frozen=True, slots=True)
class EdgeView(Plain):
    """One thing bears on another, as it is shown."""

    id: str
    relation: Relation
    source: GraphEnd
    target: GraphEnd
    basis: Basis
    """Whether somebody said so, or it is only inferred."""
    confidence: float
    """How sure we are that it is so, in [0, 1]."""
    quote: str
    """The words that say it; empty where nobody did."""
    why: str
    """What makes us think so, where nobody said it; else empty."""
    message: str | None
    """Id of the message that says it; the caller's where given. None where nobody did."""
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class GraphNode(Plain):
    """A fact that bears on another."""

    id: str
    statement: str
    kind: FactKind
    subject: str
    holder: str
    """Whose it is, by name or tie as it was said; empty where it is the subject's own."""
    loop: LoopState | None
    """Where something that gets done stands; None for all else."""


@dataclass(frozen=True, slots=True)
class GraphAnswer(Plain):
    """One thing that answers what was asked."""

    what: GraphEnd
    proof: tuple[str, ...]
    """Ids of the edges from what was asked about to it, in this order."""


@dataclass(frozen=True, slots=True)
class GraphView(Plain):
    """What bears on what, and what that answers."""

    nodes: tuple[GraphNode, ...]
    """Every fact that an edge names, by id."""
    edges: tuple[EdgeView, ...]
    """Those of the proofs; where all were asked for, all, by source and target."""
    answers: tuple[GraphAnswer, ...] = ()
    """The nearest first; on a path in its order. None where nothing is known, or all were asked for."""
    notes: tuple[str, ...] = ()
    """In which way the result is less than it could be."""


class GraphLine(NamedTuple):
    """One answer to what was asked in talk."""

    id: str  # of the edge that it rests on first
    text: str  # what it is, and the words that say so
    messages: tuple[str, ...]  # ids of the messages behind it, the caller's own where given


def view_edge(edge: Edge, facts: Mapping[str, Fact], names: Mapping[str, str]) -> EdgeView:
    """Return an edge between two of the facts as it is shown; ``names`` are the caller's ids of messages, by ours."""
    return EdgeView.of(
        edge,
        source=GraphEnd(edge.source, edge.source_words or facts[edge.source].statement),
        target=GraphEnd(edge.target, edge.target_words or facts[edge.target].statement),
        message=names.get(edge.message_id, edge.message_id) if edge.message_id else None,
    )


def view_node(fact: Fact, now: datetime) -> GraphNode:
    """Return a fact as a node."""
    return GraphNode.of(fact, loop=fact.loop_at(now))
