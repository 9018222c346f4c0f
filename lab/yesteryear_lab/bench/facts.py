"""Suite: annotated dialogs. What is believed after them, is it true, and do changes end as they should?

Each dialog is a conversation of its own. Dialogs of one series are told to one memory in their order, with a night
after each; all others have a memory each. Statements are compared as ``bench.fact_scores`` does it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import yesteryear
from yesteryear.core.heads import shipped
from yesteryear.errors import InputError
from yesteryear_lab.bench.fact_scores import (
    DialogRow,
    Found,
    Told,
    judge_change,
    lost_facts,
    score_decisions,
    score_statements,
    standing_facts,
    tells,
)
from yesteryear_lab.bench.report import (
    MOST_FACTS,
    Metrics,
    Progress,
    Report,
    StoreOptions,
    as_suite,
    count_seen,
    open_idle,
    scratch_folder,
)
from yesteryear_lab.figures import rounded, share
from yesteryear_lab.training.rows import read_as, read_numbered
from yesteryear_lab.training.weights import fingerprint

_HEADS = "gate"  # under which the rows are listed that the heads for facts were trained on
_NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class FactsOptions(StoreOptions):
    """What can be asked of this suite."""

    analyst: str = "auto"  # who reads: "local", or a language model by name


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a memory made of a dialog."""

    row: DialogRow
    facts: tuple[Told, ...]  # statements that rest on it, as they stood after it
    decisions: tuple[Found, ...]
    user_state: str
    emotion: str


@as_suite(
    "annotated dialogs: what is believed, what is made up, and whether changes end well",
    FactsOptions,
    needs="JSON Lines of {id, author, messages, facts, not_facts, ...}",
)
def suite(data: Path, options: FactsOptions, say: Progress) -> Report:
    """Tell every dialog, let the nights pass, and compare what is believed with the annotations."""
    return measure_facts(read_annotated(data), options, say, analyst=lambda _: options.analyst)


def measure_facts(
    told: Sequence[DialogRow],
    options: FactsOptions,
    on_progress: Progress,
    *,
    analyst: Callable[[yesteryear.ReplayClock], Any],
) -> Report:
    """Do the same with dialogs that were read, and an analyst of one's own."""
    outcomes: list[Outcome] = []
    ends: list[Metrics] = []
    clock = yesteryear.ReplayClock(told[0].messages[0].at)
    given = {"analyst": analyst(clock), "clock": clock, "durability": "normal"}
    with (
        scratch_folder(options.folder) as folder,
        open_idle(folder / "facts.db", embedder=options.embedder, **given) as engine,
    ):
        for name, dialogs in _by_series(told).items():
            on_progress(f"{name}: {len(dialogs)} dialogs")
            memory = engine.memory(user=name)
            lived = [_live(memory, clock, dialog) for dialog in dialogs]
            outcomes += lived
            ends += _changes(memory, lived) if len(dialogs) > 1 else []
        settings: Metrics = {"embedder": engine.describe()["embedder"]}
        settings["usage"] = [spent.to_dict() for spent in engine.usage()]
    trained_on = shipped().seen.get(_HEADS)
    rows = [_entry(outcome, trained_on) for outcome in outcomes]
    settings["seen"] = count_seen(rows, trained_on)
    metrics = _figures(outcomes) | _change_figures(ends)
    return Report(len(rows), metrics, _baselines(outcomes), settings, [*rows, *ends])


def read_annotated(path: Path) -> list[DialogRow]:
    """Return the annotated dialogs of a file."""
    dialogs = [read_as(DialogRow, row, f"{where}, {row.get('id')}") for where, row in read_numbered(path)]
    for dialog in dialogs:
        if not any(said.is_users for said in dialog.messages):
            raise InputError(f"{path.name}: in the dialog {dialog.id!r} nobody speaks in the role of the user")
    if not dialogs:
        raise InputError(f"{path} has no rows; each line is an annotated dialog")
    return dialogs


def _by_series(dialogs: Sequence[DialogRow]) -> dict[str, list[DialogRow]]:
    series: dict[str, list[DialogRow]] = {}
    for dialog in sorted(dialogs, key=lambda each: (each.order, each.messages[0].at)):
        series.setdefault(dialog.series or dialog.id, []).append(dialog)
    return {name: series[name] for name in dict.fromkeys(each.series or each.id for each in dialogs)}


def _live(memory: yesteryear.Memory, clock: yesteryear.ReplayClock, row: DialogRow) -> Outcome:
    for number, said in enumerate(row.messages):
        clock.set(said.at)
        memory.observe(
            said.content,
            role=said.role,
            author=said.author or (row.author if said.is_users else said.role.value),
            conversation=row.id,
            at=said.at,
            id=f"{row.id}#{number}",
        )
    memory.flush()
    facts = _told_in(memory, row)
    last = row.messages[-1].at
    night = datetime.combine(last.date() + timedelta(days=1), time(), last.tzinfo)
    clock.set(night)
    memory.consolidate(at=night)
    memory.flush()
    decisions = [Found(fact.statement, fact.places) for fact in facts if fact.kind == yesteryear.FactKind.DECISION]
    states, emotions = Counter[str](), Counter[str]()
    for episode in memory.episodes(conversation=row.id):
        if digest := episode.digest:
            decisions += [Found(text, _places_of(text, row)) for text in digest.decisions]
            states[digest.user_state.value] += len(episode.message_ids)
            emotions[(digest.emotions or (_NEUTRAL,))[0]] += len(episode.message_ids)
    return Outcome(row, tuple(facts), tuple(_without_repeats(decisions)), _most(states), _most(emotions))


def _told_in(memory: yesteryear.Memory, row: DialogRow) -> list[Told]:
    """Return the facts that rest on messages of a dialog, whatever became of them since."""
    found = [fact for fact in _all_facts(memory, row.id) if fact.places]
    merged = {fact.canonical_id for fact in found if fact.canonical_id}
    # one that others were merged into shows their messages as its own
    return [fact for fact in found if fact.id not in merged or fact.first_at >= row.messages[0].at]


def _all_facts(memory: yesteryear.Memory, dialog: str = "") -> list[Told]:
    """Return all facts of a memory, with the places of those messages of a dialog that each rests on."""
    current = {fact.id for fact in memory.facts(limit=MOST_FACTS)}
    return [
        Told(
            id=fact.id,
            statement=fact.statement,
            kind=fact.kind.value,
            status=fact.status,
            is_current=fact.id in current,
            confidence=fact.confidence,
            first_at=fact.first_observed,
            canonical_id=fact.canonical_id,
            superseded_by=fact.superseded_by,
            places=frozenset(
                int(place) for name, _, place in (name.rpartition("#") for name in fact.messages) if name == dialog
            ),
        )
        for fact in memory.facts(status="all", limit=MOST_FACTS)
    ]


def _places_of(text: str, row: DialogRow) -> frozenset[int]:
    """Return the places of the user's messages that hold a text."""
    bare = text.strip(" .…")
    return frozenset(
        place for place, said in enumerate(row.messages) if said.is_users and bare and bare in said.content
    )


def _without_repeats(decisions: Iterable[Found]) -> list[Found]:
    """Return decisions told twice, as a fact and by the digest, once."""
    kept: list[Found] = []
    for one in decisions:
        if not one.places or not any(one.places <= other.places for other in kept):
            kept.append(one)
    return kept


def _most(sums: Counter[str]) -> str:
    """Return the name with the most weight, the first of equals; neutral where there is none."""
    return sums.most_common(1)[0][0] if sums else _NEUTRAL


def _changes(memory: yesteryear.Memory, lived: Sequence[Outcome]) -> list[Metrics]:
    """Return how each marked change of a series ended, and which facts were lost that should still stand."""
    believed = _all_facts(memory)
    conflicts = [(each.earlier.id, each.later.id) for each in memory.conflicts(resolved=True)]
    told = [(outcome.row.id, change) for outcome in lived for change in outcome.row.changes]
    marked = [change for _, change in told]
    entries: list[Metrics] = []
    for dialog, change in told:
        is_ok = judge_change(change, believed, conflicts, later=marked[marked.index(change) + 1 :])
        shown = {
            side: [_end(fact, believed) for fact in believed if tells(fact.statement, getattr(change, side))]
            for side in ("fact_before", "fact_now")
        }
        entries.append({"id": dialog, "change": asdict(change), "ok": is_ok, "ended": shown})
    standing = standing_facts([(outcome.row, outcome.facts) for outcome in lived], marked)
    ids = {fact.id for fact in lost_facts(standing, believed)}
    lost = [_end(fact, believed) for fact in believed if fact.id in ids]
    return [*entries, {"series": lived[0].row.series, "standing": len(standing), "lost": lost}]


def _end(fact: Told, believed: Sequence[Told]) -> Metrics:
    """Return how a fact stands at the end, and what took its place."""
    place = next((each.statement for each in believed if each.id == (fact.canonical_id or fact.superseded_by)), None)
    return {"statement": fact.statement, "status": fact.status.value, "gave_way_to": place}


def _entry(outcome: Outcome, trained_on: frozenset[str] | None) -> Metrics:
    row = outcome.row
    gold = [{"kind": fact.kind, "all_of": fact.all_of, "evidence": sorted(fact.evidence)} for fact in row.facts]
    facts = [
        {
            "statement": fact.statement,
            "kind": fact.kind,
            "confidence": round(fact.confidence, 4),
            "status": fact.status.value,
            "messages": sorted(fact.places),
        }
        for fact in outcome.facts
    ]
    return {
        "id": row.id,
        "gold": {
            "facts": gold,
            "user_state": row.user_state,
            "emotion": row.emotion,
            "decisions": row.decisions,
        },
        "facts": facts,
        "decisions": [decision.statement for decision in outcome.decisions],
        "user_state": outcome.user_state,
        "emotion": outcome.emotion,
        "seen": trained_on is not None and fingerprint([said.content for said in row.messages]) in trained_on,
    }


def _figures(outcomes: Sequence[Outcome]) -> Metrics:
    rows = [each.row for each in outcomes]
    figures = score_statements(rows, [each.facts for each in outcomes])
    for name in ("user_state", "emotion"):
        labelled = [(getattr(each.row, name), getattr(each, name)) for each in outcomes]
        figures[f"{name}_accuracy"] = share(answer == label for label, answer in labelled if label)
    return rounded(figures | score_decisions(rows, [each.decisions for each in outcomes]))


def _change_figures(ends: Sequence[Metrics]) -> Metrics:
    judged = [end for end in ends if "change" in end]
    figures: Metrics = {
        "changes": len(judged),
        "changes_ok": share(end["ok"] for end in judged),
        "standing": sum(end["standing"] for end in ends if "standing" in end),
        "lost": sum(len(end["lost"]) for end in ends if "lost" in end),
    }
    for verdict in sorted({end["change"]["verdict"] for end in judged}):
        figures[f"changes_ok.{verdict}"] = share(end["ok"] for end in judged if end["change"]["verdict"] == verdict)
    return figures


def _baselines(outcomes: Sequence[Outcome]) -> dict[str, Metrics]:
    """Return what telling every user message as it stands would come to, and always naming what is most frequent."""
    rows = [outcome.row for outcome in outcomes]
    everything = [
        [
            Found(f"{said.author or row.author}: {said.content}", frozenset({place}))
            for place, said in enumerate(row.messages)
            if said.is_users
        ]
        for row in rows
    ]
    scores = rounded(score_statements(rows, everything))
    return {
        "every_message": {name: each for name, each in scores.items() if name not in ("calibration", "kind_accuracy")},
        "majority": {
            "user_state_accuracy": _most_share(row.user_state for row in rows),
            "emotion_accuracy": _most_share(row.emotion for row in rows),
            "kind_accuracy": _most_share(fact.kind for row in rows for fact in row.facts),
        },
    }


def _most_share(names: Iterable[str]) -> float | None:
    """Return what always naming the most frequent one would come to; None where none is named."""
    counts = Counter(filter(None, names))
    return round(max(counts.values()) / counts.total(), 4) if counts else None
