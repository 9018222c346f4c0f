"""Facts and all that is kept about them, as lines of an export and back.

A line holds the fields of its row, those of a version the whole fact; see ``lines`` for what it leaves out. How a fact
of one kind looks is told by its type, so here stands only what a type does not tell: ranges, and what belongs together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields as fields_of
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from yesteryear.core.cycle import CycleReport
from yesteryear.core.edge import Edge
from yesteryear.core.fact import Evidence, Fact, FactStatus, FactVersion
from yesteryear.core.ruling import Ruling
from yesteryear.core.scope import Scope, check_name
from yesteryear.errors import BadExport
from yesteryear.takeout.fields import MAX_WHOLE, Fields, parse_text
from yesteryear.takeout.kind import Kind

Row = TypeVar("Row", Fact, FactVersion, Evidence, Ruling, Edge, CycleReport)

ADDED_TO_CYCLES: Mapping[str, object] = MappingProxyType({"distilled": 0, "undistilled": 0, "read": []})
"""Fields that nights of an export of version 2 lack, and what they would say."""
_NO_OFFSET = timedelta(0)


def _plain(row: object) -> dict[str, Any]:
    """Return the fields of a row, without tenant, user and counter; instants stay as they are."""
    found: dict[str, Any] = msgspec.to_builtins(row, builtin_types=(datetime,))
    return _unowned(found)


def _unowned(row: dict[str, Any]) -> dict[str, Any]:
    left = {name: _unowned(value) if name == "fact" else value for name, value in row.items() if name != "rev"}
    if "scope" in left:
        scope = left.pop("scope")
        left |= {"project": scope["project"], "agent": scope["agent"]}
    return left


def _owned(plain: dict[str, Any], target: Scope) -> dict[str, Any]:
    """Return the fields of a row that belongs to somebody, and where they name a project or agent, to that."""
    row = dict(plain)
    if isinstance(inner := row.get("fact"), dict):
        row["fact"] = _owned(inner, target)
    if {"project", "agent"} <= row.keys():
        project, agent = row.pop("project"), row.pop("agent")
        where = {"project": target.project or project, "agent": target.agent or agent}
        row["scope"] = {"tenant": target.tenant, "user": target.user, **where}
    return row


def _reader(
    kind: type[Row], check: Callable[[Row], None], later: Mapping[str, object]
) -> Callable[[Fields, Scope], Row]:
    """Return what makes rows of a kind out of lines; ``later`` stands for fields that exports did not always have."""
    names = {field.name for field in fields_of(kind)} - {"rev"}
    expected = names - {"scope"} | {"project", "agent"} if "scope" in names else names

    def read(fields: Fields, target: Scope) -> Row:
        plain = {**later, **fields.rest(expected - later.keys())}
        try:
            row = msgspec.convert(_owned(plain, target), kind)
        except msgspec.ValidationError as exc:
            raise BadExport(f"this is no row of its kind: {exc}") from exc
        _compare(plain, _plain(row), "the row")
        check(row)
        return row

    return read


def _compare(given: object, made: object, name: str) -> None:
    """Make sure that a row holds all that was given and nothing else, texts that can be stored, instants in UTC."""
    if isinstance(made, str):
        if not made.isascii():
            parse_text(name, made)
    elif isinstance(made, datetime):
        if made.utcoffset() != _NO_OFFSET:
            raise BadExport(f"{name} is a time in UTC, not {given!r:.80}")
    elif isinstance(given, dict) and isinstance(made, dict):
        if strange := sorted(given.keys() ^ made.keys()):
            raise BadExport(f"there is an unknown field {strange[0]!r} in {name}, or it is missing")
        for key in given:
            _compare(given[key], made[key], key if key.isascii() else parse_text(name, key))
    elif isinstance(given, list) and isinstance(made, list | tuple):
        for one, other in zip(given, made, strict=True):
            _compare(one, other, name)


def _check_fact(fact: Fact) -> None:
    check_name("id", fact.id)
    _check_share("confidence", [fact.confidence])
    _check_count("sessions", fact.sessions, fact.attempts)
    if fact.status is FactStatus.FORGOTTEN and fact != fact.blank():
        raise BadExport(f"fact {fact.id!r} is forgotten, and something is told of it")
    if fact.status is not FactStatus.FORGOTTEN and not fact.statement:
        raise BadExport(f"fact {fact.id!r} states nothing")


def _check_version(version: FactVersion) -> None:
    _check_fact(version.fact)
    _check_count("number", version.number - 1)


def _check_evidence(row: Evidence) -> None:
    check_name("id", row.id)
    _check_share("weight", [row.weight])


def _check_ruling(ruling: Ruling) -> None:
    _check_share("scores", ruling.judgement.scores.values())
    if ruling.earlier == ruling.later:
        raise BadExport(f"fact {ruling.earlier!r} is compared with itself")


def _check_edge(edge: Edge) -> None:
    if edge.source == edge.target:
        raise BadExport(f"fact {edge.source!r} bears on itself")


def _check_cycle(report: CycleReport) -> None:
    check_name("id", report.id)
    _check_share("confidence", (share for change in report.changes for share in change.confidence))
    numbers = (report.episodes, report.clusters, report.judged, report.conflicts_opened, report.conflicts_settled)
    _check_count("a number", *numbers, report.faded, report.distilled, report.undistilled, *report.facts.values())
    for episode_id in report.read:
        check_name("read", episode_id)
    if any(change.statement for change in report.changes):
        raise BadExport(f"night {report.id!r} holds statements; they stand with the facts")


def _check_share(name: str, values: Iterable[float]) -> None:
    for value in values:
        if not 0 <= value <= 1:
            raise BadExport(f"{name} is a number from 0 to 1, not {value!r}")


def _check_count(name: str, *values: int) -> None:
    if not 0 <= min(values) <= max(values) <= MAX_WHOLE:
        raise BadExport(f"{name} is too low or too high")


def _kind(
    name: str,
    rows: Callable[..., Any],
    kind: type[Row],
    check: Callable[[Row], None],
    later: Mapping[str, object] = MappingProxyType({}),
) -> Kind[Row]:
    return Kind(name, rows, _plain, _reader(kind, check, later))


FACTS = _kind("facts", lambda life: life.facts(), Fact, _check_fact)
VERSIONS = _kind("versions", lambda life: life.versions(), FactVersion, _check_version)
EVIDENCE = _kind("evidence", lambda life: life.evidence(), Evidence, _check_evidence)
RULINGS = _kind("rulings", lambda life: life.rulings(), Ruling, _check_ruling)
EDGES = _kind("edges", lambda life: life.edges(), Edge, _check_edge)
CYCLES = _kind("cycles", lambda life: life.cycles(), CycleReport, _check_cycle, later=ADDED_TO_CYCLES)

BELIEFS = (FACTS, VERSIONS, EVIDENCE, RULINGS, EDGES, CYCLES)
"""What an export holds of facts, in the order of the files."""
