"""Rows as lines of an export: nothing is lost on the way there and back, and nothing else gets in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.each import each
from tests.exports import BEN, fill
from tests.rows import ANA, KEPT, SLEEP, STEPS
from yesteryear.core.fact import Form
from yesteryear.core.measurement import Manner
from yesteryear.core.scope import Scope
from yesteryear.errors import BadExport, InputError
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.testing.builders import a_message
from yesteryear.transfer.kinds import (
    CYCLES,
    EDGES,
    EPISODES,
    EVIDENCE,
    FACTS,
    KINDS,
    MESSAGES,
    RECALLS,
    RULINGS,
    SETTINGS,
    VECTORS,
    VERSIONS,
    Dump,
    RowKind,
    dump_line,
)
from yesteryear.transfer.reader import StoreReader


@pytest.fixture
def life() -> Iterator[Dump]:
    """Return a dump with every kind of row."""
    with closing(InMemoryStore()) as store:
        fill(store)
        with store.read(ANA) as tx:
            yield StoreReader(tx)


def spoil(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the line of a message after a change."""
    row = json.loads(dump_line(MESSAGES.plain(a_message(verdict=KEPT))))
    change(row)
    return json.dumps(row).encode()


@each("kind", KINDS)
def test_a_line_gives_the_same_line_again(kind: RowKind[Any], life: Dump) -> None:
    """What is read of a line is all that stands in it, whoever it is read for."""
    lines = list(kind.lines(life))
    assert lines
    assert [dump_line(kind.plain(kind.parse(line, BEN))) for line in lines] == lines


@each("kind", KINDS)
def test_every_field_has_to_be_there_and_no_other(kind: RowKind[Any], life: Dump) -> None:
    """A file of another version must not be half understood."""
    row = json.loads(next(kind.lines(life)))
    added = {name for name, value in kind.later.items() if not isinstance(value, dict)}
    for name in row.keys() - added:
        with pytest.raises(BadExport, match=f"{name} is missing"):
            kind.parse(json.dumps({key: row[key] for key in row if key != name}).encode(), BEN)
    with pytest.raises(BadExport, match="unknown field 'mood'"):
        kind.parse(json.dumps({**row, "mood": 1}).encode(), BEN)


def test_nights_of_before_there_were_models_are_taken_in(life: Dump) -> None:
    """No model had read anything then."""
    row = json.loads(next(CYCLES.lines(life)))
    old = {name: value for name, value in row.items() if name not in CYCLES.later}
    assert CYCLES.plain(CYCLES.parse(json.dumps(old).encode(), BEN)) == CYCLES.plain(
        CYCLES.parse(json.dumps({**row, **CYCLES.later}).encode(), BEN)
    )


def test_messages_of_before_numbers_were_told_are_taken_in(life: Dump) -> None:
    """They tell none."""
    lines = list(map(json.loads, MESSAGES.lines(life)))
    assert any(row["numbers"] for row in lines)
    for row in lines:
        del row["numbers"]
        assert MESSAGES.parse(json.dumps(row).encode(), BEN).numbers == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nature": "guessed"}, "nature is one of measured, usual, target, change"),
        ({"first_day": "yesterday"}, "first_day"),
        ({"value": "8381"}, "value: expected `float`"),
        ({"start": -1}, "start is a whole number"),
        ({"value": 2.0**60}, "value is a finite number"),
        ({"mood": 1}, "unknown field 'mood'"),
    ],
)
def test_a_number_that_is_none_is_refused(changes: dict[str, object], said: str) -> None:
    """As all else in a file that somebody hands in."""
    row = json.loads(dump_line(MESSAGES.plain(a_message(numbers=(STEPS, SLEEP)))))
    assert MESSAGES.parse(json.dumps(row).encode(), BEN).numbers == (STEPS, SLEEP)
    row["numbers"][1] |= changes
    with pytest.raises(BadExport, match=said):
        MESSAGES.parse(json.dumps(row).encode(), BEN)


def test_numbers_of_before_it_was_kept_how_they_are_told_are_taken_in() -> None:
    """As told first."""
    row = json.loads(dump_line(MESSAGES.plain(a_message(numbers=(STEPS, SLEEP)))))
    for number in row["numbers"]:
        del number["manner"]
    found = MESSAGES.parse(json.dumps(row).encode(), BEN).numbers
    assert found == (STEPS, replace(SLEEP, manner=Manner.FIRST))
    del row["numbers"]
    assert MESSAGES.parse(json.dumps(row).encode(), BEN).numbers == ()


def test_facts_of_before_there_were_attributes_are_taken_in(life: Dump) -> None:
    """What they tell of whom was not known then; the fact within a version is one of them."""
    fact, version = json.loads(next(FACTS.lines(life))), json.loads(next(VERSIONS.lines(life)))
    for plain in (fact, version["fact"]):
        for name in FACTS.later:
            del plain[name]
    rows = FACTS.parse(json.dumps(fact).encode(), BEN), VERSIONS.parse(json.dumps(version).encode(), BEN).fact
    for row in rows:
        assert (row.attribute, row.holder, row.form, row.reader) == ("", "", Form.PLAIN, "")


def test_a_line_names_nobody(life: Dump) -> None:
    """Neither tenant nor user stand in a line, so it is the same in another's memory."""
    said = {name for kind in KINDS for line in kind.lines(life) for name in json.loads(line)}
    assert not said & {"tenant", "user", "scope", "rev", "lease_by"}


def test_rows_go_where_the_target_says() -> None:
    """A target with a project or agent gives it to every row; one without leaves it as it was."""
    line = dump_line(MESSAGES.plain(a_message(scope=Scope(user="ana", project="thesis"))))
    assert MESSAGES.parse(line, BEN).scope == Scope(user="ben", project="thesis")
    assert MESSAGES.parse(line, Scope(user="ben", project="taxes", agent="tutor")).key == ("taxes", "tutor", "c1")


@each(
    "line",
    [
        b"",
        b"[]",
        b"nonsense",
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"seq":' + b"9" * 5000 + b"}",
        spoil(lambda row: row.update(seq=0)),
        spoil(lambda row: row.update(seq=True)),
        spoil(lambda row: row.update(seq=1.5)),
        spoil(lambda row: row.update(seq=2**63)),
        spoil(lambda row: row.update(role="king")),
        spoil(lambda row: row.update(role=["user"])),
        spoil(lambda row: row.update(content=None)),
        spoil(lambda row: row.update(content="broken \ud800")),
        spoil(lambda row: row.update(author="")),
        spoil(lambda row: row.update(author="x" * 201)),
        spoil(lambda row: row.update(conversation="a\nb")),
        spoil(lambda row: row.update(zone="Middle/Earth")),
        spoil(lambda row: row.update(zone="../../etc/passwd")),
        spoil(lambda row: row.update(at="yesterday")),
        spoil(lambda row: row.update(at="2026-03-02T12:00:00")),
        spoil(lambda row: row.update(at="2026-03-02T12:00:00+01:00")),
        spoil(lambda row: row.update(at="0000-03-02T12:00:00+00:00")),
        spoil(lambda row: row.update(at=1)),
        spoil(lambda row: row.update(attempts=-1)),
        spoil(lambda row: row.update(verdict="keep")),
        spoil(lambda row: row["verdict"].update(mood=1)),
        spoil(lambda row: row["verdict"].update(outcome="perhaps")),
        spoil(lambda row: row["verdict"].update(score=1.5)),
        spoil(lambda row: row["verdict"].update(score=float("nan"))),
        spoil(lambda row: row["verdict"].update(score=float("inf"))),
        spoil(lambda row: row["verdict"].update(features={"self": "much"})),
        spoil(lambda row: row["verdict"].update(features=[])),
        spoil(lambda row: row["verdict"].update(features={"self": 1})).replace(b'"self": 1', b'"self": 1e999'),
    ],
)
def test_what_does_not_fit_is_refused(line: bytes) -> None:
    """What is let through here reaches the store."""
    with pytest.raises(InputError):
        MESSAGES.parse(line, BEN)


@each(
    ("kind", "name", "value"),
    [
        (VECTORS, "vector", ""),
        (VECTORS, "vector", "????"),
        (VECTORS, "vector", "AA=="),
        (VECTORS, "vector", "AHw="),
        (VECTORS, "grain", "dream"),
        (VECTORS, "part", -1),
        (RECALLS, "fingerprints", [2**64]),
        (RECALLS, "fingerprints", [0.5]),
        (RECALLS, "items", "e1"),
        (RECALLS, "settled", 1),
        (EPISODES, "status", "dreamt"),
        (EPISODES, "importance", -0.5),
        (EPISODES, "recalls", ["never"]),
        (EPISODES, "message_ids", [""]),
        (SETTINGS, "values", {"a": None}),
        (SETTINGS, "values", {"a": [1]}),
        (SETTINGS, "values", {"": 1}),
        (SETTINGS, "values", {f"setting {number}": 1 for number in range(101)}),
        (SETTINGS, "values", {"a": "x" * 1001}),
        (SETTINGS, "project", ""),
        (FACTS, "id", ""),
        (FACTS, "id", 7),
        (FACTS, "statement", ""),
        (FACTS, "statement", "broken \ud800"),
        (FACTS, "kind", "mood"),
        (FACTS, "status", "dreamt"),
        (FACTS, "status", "forgotten"),
        (FACTS, "authority", 9),
        (FACTS, "confidence", 1.5),
        (FACTS, "confidence", -0.1),
        (FACTS, "confidence", float("nan")),
        (FACTS, "confidence", float("inf")),
        (FACTS, "confidence", "0.5"),
        (FACTS, "sessions", -1),
        (FACTS, "sessions", 0.5),
        (FACTS, "sessions", 2**64),
        (FACTS, "first_observed", "2026-03-02T12:00:00"),
        (FACTS, "first_observed", "2026-03-02T12:00:00+01:00"),
        (FACTS, "first_observed", "yesterday"),
        (FACTS, "slot", {"attribute": "pet", "value": "cat"}),
        (FACTS, "slot", {"attribute": "pet", "value": "cat", "cardinality": "multi", "mood": 1}),
        (FACTS, "properties", {"review": 1}),
        (FACTS, "properties", {"review": "broken \ud800"}),
        (FACTS, "project", ""),
        (FACTS, "pinned", 1),
        (VERSIONS, "number", 0),
        (VERSIONS, "fact", {}),
        (VERSIONS, "fact", "f1"),
        (EVIDENCE, "stance", "whispers"),
        (EVIDENCE, "weight", 1.5),
        (EVIDENCE, "id", ""),
        (RULINGS, "judgement", {"verdict": "duplicate"}),
        (RULINGS, "later", "f-2"),
        (RULINGS, "conflict", "perhaps"),
        (EDGES, "relation", "loves"),
        (EDGES, "target", "f-3"),
        (CYCLES, "state", "asleep"),
        (CYCLES, "judged", -1),
        (CYCLES, "changes", [{"fact_id": "f1"}]),
        (CYCLES, "facts", {"stable": -1}),
    ],
)
def test_what_does_not_fit_elsewhere_is_refused_too(kind: RowKind[Any], name: str, value: object, life: Dump) -> None:
    """Vectors are finite numbers, hashes have 64 bits, flags are flags."""
    row = json.loads(next(kind.lines(life)))
    with pytest.raises(InputError):
        kind.parse(json.dumps({**row, name: value}).encode(), BEN)


def test_facts_go_where_the_target_says(life: Dump) -> None:
    """With all that is about them: the owner of a version's fact, too."""
    taxes = Scope(user="ben", project="taxes")
    for kind in (FACTS, RULINGS, EDGES):
        (line, *_) = kind.lines(life)
        assert kind.parse(line, taxes).scope == taxes
    (line, *_) = VERSIONS.lines(life)
    assert VERSIONS.parse(line, taxes).fact.scope == taxes


def test_what_is_nested_has_all_its_fields_and_no_other(life: Dump) -> None:
    """A judgement within a ruling, a change within a night, the fact within a version."""
    spoilt: list[tuple[RowKind[Any], Callable[[dict[str, Any]], Any]]] = [
        (RULINGS, lambda row: row["judgement"].update(mood=1)),
        (RULINGS, lambda row: row["judgement"].pop("rule")),
        (RULINGS, lambda row: row["judgement"]["scores"].update(contradicts=1.5)),
        (CYCLES, lambda row: row["changes"][0].update(mood=1)),
        (CYCLES, lambda row: row["changes"][0].update(confidence=[0.5, 2])),
        (CYCLES, lambda row: row["changes"][0].update(statement="Ana has a cat.")),
        (VERSIONS, lambda row: row["fact"].update(tenant="acme")),
        (VERSIONS, lambda row: row["fact"].update(scope={})),
        (VERSIONS, lambda row: row["fact"].pop("pinned")),
        (VERSIONS, lambda row: row["fact"].update(confidence=2)),
    ]
    for kind, change in spoilt:
        row = json.loads(next(kind.lines(life)))
        change(row)
        with pytest.raises(InputError):
            kind.parse(json.dumps(row).encode(), BEN)


def test_a_vector_keeps_its_sixteen_bits(life: Dump) -> None:
    """Base64 of float16 holds what a store holds, not less and not more."""
    for vector in life.rows(VECTORS):
        again = VECTORS.parse(dump_line(VECTORS.plain(vector)), BEN)
        assert again.model == vector.model
        assert np.array_equal(again.stored.vector, vector.stored.vector)
