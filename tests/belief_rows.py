"""Rows about facts as a store holds them, built in a line: name what the test is about, the rest has plain defaults."""

from __future__ import annotations

from dataclasses import replace

from tests.rows import ANA, a_vector, at, in_scope
from yesteryear.core.attributes import Cardinality, FactKind, Volatility
from yesteryear.core.fact import Authority, Evidence, Fact, FactStatus, FactVersion, Form, Modality, Slot, Stance
from yesteryear.core.night_report import CycleReport, CycleState, FactChange
from yesteryear.core.relation import Edge, Relation
from yesteryear.core.ruling import Act, ConflictState, Judgement, PairVerdict, Ruling
from yesteryear.core.time import EPOCH
from yesteryear.ports import Transaction


def a_fact(name: str = "f1", statement: str | None = None, *, minutes: float = 0, **changes: object) -> Fact:
    """Return a fact that was first told ``minutes`` after noon; its words name it unless given."""
    fact = Fact(
        id=name,
        scope=ANA,
        statement=statement or f"Ana likes {name}.",
        kind=FactKind.PREFERENCE,
        subject="Ana",
        first_observed=at(minutes),
        recorded_at=at(minutes),
    )
    return replace(fact, **changes)  # type: ignore[arg-type]


def a_full_fact(name: str = "f1") -> Fact:
    """Return a fact with something in every field."""
    return a_fact(
        name,
        "Anas Katze heißt 小花; sie „schnurrt“.",
        scope=in_scope("thesis", "tutor"),
        kind=FactKind.GOAL,
        slot=Slot("cat", "小花", Cardinality.SINGLE),
        volatility=Volatility.SLOW,
        modality=Modality.PLANNED,
        is_negative=True,
        authority=Authority.INFERRED,
        status=FactStatus.SUPERSEDED,
        confidence=0.1 + 0.2,
        last_confirmed=at(1.5),
        sessions=3,
        valid_from=at(-9),
        valid_to=at(9),
        resolved_at=at(8),
        retracted_at=at(7),
        canonical_id="f8",
        superseded_by="f9",
        pinned=True,
        properties={"review": "because", "second_kind": "goal"},
        attribute="pet",
        holder="Özlem",
        form=Form.QUOTE,
        reader="reader-1",
        due_at=at(6),
        attempts=2,
        error="it failed",
    )


def evidence_for(
    fact_id: str = "f1", message_id: str | None = "c1-1", *, minutes: float = 0, **changes: object
) -> Evidence:
    """Return what a message says for a fact, or for None what the person did by hand."""
    row = Evidence(
        id=f"{message_id or 'hand'}:{fact_id}",
        fact_id=fact_id,
        stance=Stance.SUPPORTS,
        said_at=at(minutes),
        recorded_at=at(minutes),
        session="c1",
        author="Ana",
        weight=0.8,
        quote="" if message_id is None else f"I like {fact_id}",
        message_id=message_id,
        episode_id=None if message_id is None else "e1",
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def a_version(fact: Fact, *, minutes: float = 0, cause: str = "told", cycle: str | None = None) -> FactVersion:
    """Return what a fact was after a change; the store numbers it."""
    return FactVersion(fact, 0, at(minutes), cause, cycle)


def a_ruling(earlier: str = "f1", later: str = "f2", **changes: object) -> Ruling:
    """Return a judgement on two facts that asks the person."""
    scores = {PairVerdict.CONTRADICTS: 0.75, PairVerdict.COEXISTS: 0.25}
    judgement = Judgement(PairVerdict.CONTRADICTS, Act.ASK, keeps_later=False, scores=scores, rule="slot")
    row = Ruling(ANA, earlier, later, judgement, at(3), conflict=ConflictState.OPEN)
    return replace(row, **changes)  # type: ignore[arg-type]


def an_edge(source: str = "f1", target: str = "f2", **changes: object) -> Edge:
    """Return that one fact depends on another."""
    return replace(Edge(ANA, source, target, Relation.DEPENDS_ON, at(4), "told together"), **changes)  # type: ignore[arg-type]


def a_night(name: str = "n1", **changes: object) -> CycleReport:
    """Return a night that was done and merged two facts."""
    changed = FactChange("f1", "", "merged", "they say the same", "f2", (0.5, 0.625))
    report = CycleReport(
        name,
        at(5),
        CycleState.DONE,
        episodes=3,
        clusters=1,
        judged=2,
        changes=(changed,),
        conflicts_opened=1,
        conflicts_settled=1,
        faded=4,
        facts={"stable": 1},
    )
    return replace(report, **changes)  # type: ignore[arg-type]


def fill_beliefs(tx: Transaction) -> None:
    """Write three facts and rows of every kind about the first two, or all three."""
    scope = tx.scope
    tx.facts.insert([a_fact(name, scope=scope) for name in ("f1", "f2", "f3")])
    tx.versions.add([a_version(a_fact(name, scope=scope)) for name in ("f1", "f1", "f2")])
    tx.evidence.add([evidence_for("f1"), evidence_for("f2"), evidence_for("f2", None), evidence_for("f3")])
    tx.rulings.save([a_ruling("f1", "f2", scope=scope), a_ruling("f3", "f2", scope=scope)])
    tx.edges.put([an_edge("f1", "f2", scope=scope), an_edge("f2", "f3", scope=scope)])
    tx.cycles.save(a_night())
    tx.vectors.put("m", [a_vector(name, 1, 0) for name in ("f1", "f2", "f3")])
    tx.vectors.put("n", [a_vector("f1", 0, 1)])


def beliefs_in(tx: Transaction) -> list[object]:
    """Return all that is told about facts."""
    return [
        *(*tx.facts.all(), *tx.facts.all(list(FactStatus))),
        *(*tx.facts.get(["f1", "f2", "f3"]), *tx.facts.due(at(99), limit=9)),
        *(*tx.versions.since(EPOCH), *tx.versions.of("f1"), *tx.versions.known_at(at(99))),
        *(*tx.evidence.all(), *tx.evidence.of(["f1", "f2"]), *tx.evidence.of_messages(["c1-1"])),
        *(*tx.rulings.all(), *tx.rulings.of(["f2"]), *tx.edges.all()),
        *(*tx.cycles.latest(limit=9), *filter(None, [tx.cycles.get("n1")])),
        *tx.changes(0).facts,
    ]
