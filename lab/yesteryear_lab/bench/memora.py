"""Suite: Memora (geniesinc/Memora). What is kept of a month with an assistant, and is what was dropped told no more?

Texts are compared in lower case and without anything that is no word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from yesteryear.results import SeriesView
from yesteryear_lab.bench.evidence import plain
from yesteryear_lab.bench.report import Metrics, Progress, Report, all_messages, as_suite, believed, read_names, rows_by
from yesteryear_lab.bench.retold import RetoldOptions, Sitting, ending, read_json, report_all, retell
from yesteryear_lab.figures import detection, mean, ratio, rounded

_MORNING, _EVENING = timedelta(hours=6), timedelta(hours=23)  # when talk begins on a day, and when questions are asked
_TURN, _SESSION, _REST = timedelta(seconds=15), timedelta(minutes=2), timedelta(hours=12)
"""Before each turn, after each session, and after all."""
_ASSISTANTS = ("ai_agent", "assistant")
_GROUPS = {"preference": "pref", "goal": "pref", "todo_list": "task", "calendar_event": "task"}
"""Of what is looked for in facts, by the type of session, or the category of an activity."""
_MEASURES = {"food_expenses": ("spent", "amount"), "step_tracker": ("steps", "step_count")}
"""Of activities that are told in numbers: what is measured, and where the number stands."""
_STEM = 5  # letters by which a purpose is known: grocery and groceries are one
_CLOSE = 0.001  # share by which the total of a week may differ
_ENDED = ending("removed|went off|lost interest|outdated|did not|does not")


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _values(found: object) -> set[str]:
    """Return every ``value`` in data, however deep."""
    if isinstance(found, dict) and "value" in found:
        return {str(found["value"])}
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return set().union(*map(_values, parts))


class Turn(msgspec.Struct):
    """What one side says."""

    turn: int
    speaker: str
    message: str
    share_memory: bool


class Session(msgspec.Struct):
    """A talk, and what its authors meant it to tell."""

    session_id: int
    session_type: str
    date: str
    conversation: list[Turn]
    operation: str | None = None
    operation_details: dict[str, Any] | None = None

    @property
    def day(self) -> datetime:
        """The midnight before it."""
        return _day(self.date)


class Question(msgspec.Struct):
    """What is asked, and which values that needs or must not meet."""

    question: str
    question_date: str
    memory_evidence: Any = None
    forgetting_evidence: Any = None


class Questions(msgspec.Struct):
    """By task."""

    questions: dict[str, list[Question]]


@dataclass(frozen=True, slots=True)
class MemoraOptions(RetoldOptions):
    """What can be asked of this suite."""

    personas: str = ""  # names of their folders, with commas between; all where empty


@as_suite(
    "a month with an assistant (Memora): what is kept, believed and forgotten",
    MemoraOptions,
    needs="a folder of persona folders, each with conversations/*.json",
)
def suite(data: Path, options: MemoraOptions, say: Progress) -> Report:
    """Live through the month of each persona, and look at what is kept, believed and shown."""
    names = read_names("personas", options.personas, sorted(path.parent.name for path in data.glob("*/conversations")))
    return report_all("persona", ((name, _live(data / name, options)) for name in names), _figures, say)


def _live(folder: Path, options: MemoraOptions) -> Iterator[Metrics]:
    """Yield a row for each message of the user, each thing that holds or has ended, and each question."""
    sessions = [read_json(path, Session) for path in sorted(folder.glob("conversations/*.json"))]
    questions_at = next(folder.glob("evaluation_questions_*.json"), folder / "evaluation_questions")
    asked = read_json(questions_at, Questions).questions
    sittings = list(_sittings(sessions))
    with retell(sittings, user="robin", rest=_SESSION + _REST, embedder=options.embedder) as (memory, end):
        kept = {message.external_id for message in all_messages(memory, outcome="keep")}
        for session, sitting in zip(sessions, sittings, strict=True):
            for turn, message in zip(session.conversation, sitting.messages, strict=True):
                if message["role"] == "user":
                    yield {"message": message["id"], "shared": turn.share_memory, "kept": message["id"] in kept}
        yield from _numbers(sessions, memory.metrics())
        facts = list(map(plain, believed(memory)))
        for (group, item), holds in _outcomes(sessions).items():
            is_told = any(_tells(fact, item) and not _ENDED.search(fact) for fact in facts)
            yield {"group": group, "item": item, "holds": holds, "told": is_told}
        for task, questions in asked.items():
            for question in questions:
                at = max(_day(question.question_date) + _EVENING, end - _REST)
                text = memory.context(
                    question.question, budget=options.budget, conversation="probe", at=at, dry_run=True
                ).text
                yield {"task": task, "question": question.question} | _compare(question, text)


def _sittings(sessions: Sequence[Session]) -> Iterator[Sitting]:
    """Yield the sessions with their times, and a rest before each day that ends in the morning, or later if it must."""
    day = at = datetime.min.replace(tzinfo=UTC)
    for session in sessions:
        rested_until = None if session.day == day else max(at, session.day + _MORNING)
        day, at = session.day, rested_until or at
        messages = []
        for turn in session.conversation:
            at += _TURN
            name = f"s{session.session_id}"
            speaker = {"role": "assistant"} if turn.speaker in _ASSISTANTS else {"role": "user", "author": "Robin"}
            said = {"id": f"{name}t{turn.turn}", "conversation": name, "content": turn.message, "at": at}
            messages.append(said | speaker)
        yield Sitting(messages, rested_until)
        at += _SESSION


def _outcomes(sessions: Sequence[Session]) -> dict[tuple[str, str], bool]:
    """Return whether each thing that was ever spoken of, by group and name, holds in the end."""
    holds: dict[tuple[str, str], bool] = {}
    for session in sessions:
        details, kind = session.operation_details or {}, session.session_type
        group = _GROUPS.get(str(details.get("category")) if kind == "activity" else kind)
        name = _name_of(details.get("item"))
        if kind == "goal":
            name = f"{name} {details.get('subcategory', '')}".replace("_", " ")
        if group is None or not name:
            continue
        if session.operation == "update" and details.get("old_item"):
            holds[group, _name_of(details["old_item"])] = False
        holds[group, name] = session.operation != "delete"
    return holds


def _numbers(sessions: Sequence[Session], known: Sequence[SeriesView]) -> Iterator[Metrics]:
    """Yield a row for each week of what was spent on a kind of food, and of steps: what it is, and what is known."""
    wanted: dict[tuple[str, str, int], float] = defaultdict(float)
    for session in sessions:
        details = session.operation_details or {}
        measure, field = _MEASURES.get(str(details.get("category")), ("", ""))
        if measure and session.operation == "add":
            item = details["item"]
            wanted[measure, item.get("expense_type", ""), _week(session.day.date())] += item[field]
    told: dict[tuple[str, str, int], float] = defaultdict(float)
    for series in known:
        for point in series.points:
            told[series.measure, series.what[:_STEM], _week(point.first_day)] += point.value
    for (measure, what, week), total in wanted.items():
        found = told[measure, what[:_STEM], week]
        yield {"measure": measure, "what": what, "week": week, "total": total, "found": found}


def _week(day: date) -> int:
    """Return which week of its month a day is of, as the questions count them: from its first day on."""
    return (day.day - 1) // 7


def _name_of(item: object) -> str:
    if isinstance(item, dict):
        return item.get("description") or item.get("event_name") or item.get("expense_type") or ""
    return str(item)


def _compare(question: Question, context: str) -> Metrics:
    """Return what a question needs and what has gone since, and what of both stands in a context as if it held."""
    lines = [plain(line) for line in context.splitlines()]
    text, holding = " ".join(lines), [line for line in lines if not _ENDED.search(line)]
    need = _values(question.memory_evidence)
    gone = _values(question.forgetting_evidence) - need
    return {
        "need": sorted(need),
        "in": sorted(value for value in need if (name := plain(value)) and name in text),
        "gone": sorted(gone),
        "stale": sorted(value for value in gone if (name := plain(value)) and any(name in line for line in holding)),
    }


def _tells(fact: str, item: str) -> bool:
    """Tell whether a plain statement holds a name, or the first six letters of its longer words and its numbers."""
    name = plain(item)
    parts = [word[:6] for word in name.split() if len(word) > 3 or word.isdigit()]
    return name in fact or (bool(parts) and all(part in fact for part in parts))


def _figures(rows: Sequence[Metrics]) -> Metrics:
    gate = ((row["shared"], row["kept"]) for row in rows if "kept" in row)
    figures: Metrics = {f"gate.{name}": value for name, value in detection(gate).items()}
    for group in ("pref", "task"):
        things = [row for row in rows if row.get("group") == group]
        figures[f"{group}.known"] = mean(row["told"] for row in things if row["holds"])
        figures[f"{group}.stale"] = mean(row["told"] for row in things if not row["holds"])
    if weeks := [row for row in rows if "week" in row]:
        figures["numbers.weeks"] = len(weeks)
        figures["numbers.right"] = mean(abs(row["found"] - row["total"]) <= _CLOSE * row["total"] for row in weeks)
    for task, asked in rows_by(rows, "task").items():
        figures[f"fama.{task}.in"], figures[f"fama.{task}.out"] = _fama(asked)
    return rounded(figures | {"fama.score": mean(_fama([row for row in rows if "task" in row]))})


def _fama(asked: Sequence[Metrics]) -> tuple[float, float]:
    """Return the share of what is needed that is there, and of what has gone that is not there as if it still held."""
    counts = {name: sum(len(row[name]) for row in asked) for name in ("in", "need", "stale", "gone")}
    return ratio(counts["in"], counts["need"]), 1 - ratio(counts["stale"], counts["gone"])
