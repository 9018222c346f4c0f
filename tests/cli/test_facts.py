"""What is believed, at the command line: ``facts``, ``why`` of one, the person's word on it, what changed."""

from __future__ import annotations

import re
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.analysts import ScriptedAnalyst
from tests.cli.stage import Run
from tests.lifecycle.test_people import LEEDS, STATES, YORK
from tests.script import BLOCKED, GOAL, HATES, LISBON, LOVES, NUTS, PORTO, RUNS, RUNS_EARLY, open_play, say, statement
from tests.workshop import NOON, open_workshop

TOLD = (PORTO, NUTS, RUNS, LOVES, GOAL, BLOCKED, RUNS_EARLY, HATES, LISBON)
"""A day each, in a conversation of its own."""
NOW = ("--at", "2026-03-12")


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that knows of nine days of Ana's; nobody writes to it."""
    place = tmp_path_factory.mktemp("lived") / "life.db"
    with open_play(place, embedder="hashing") as shop:
        for number, text in enumerate(TOLD):
            shop.clock.set(NOON + timedelta(days=number))
            say(shop.memory(), text, conversation=f"day {number}", id=f"m-{number}")
    return place


@pytest.fixture
def life(lived: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(lived, tmp_path))


def facts_in(run: Run, store: Path, *args: str) -> dict[str, dict[str, Any]]:
    """Return facts by their statements."""
    return {fact["statement"]: fact for fact in run("facts", "--store", store, *args, "--json").json_lines}


def id_of(run: Run, store: Path, text: str) -> str:
    """Return the id of the fact that a text states, whatever became of it."""
    found: str = facts_in(run, store, "--status", "all")[statement(text)]["id"]
    return found


def test_facts_are_listed_with_what_is_needed_to_speak_of_them(run: Run, life: Path) -> None:
    """Statement, kind, status, how sure, since when, how often told, and the id, whole."""
    found = facts_in(run, life, *NOW)
    shown = run("facts", *NOW, "--store", life, env={"COLUMNS": "80"}).stdout
    lines = shown.splitlines()
    assert lines[0].split() == ["statement", "kind", "sure", "since", "told"]
    for fact in found.values():
        at = lines.index(next(line for line in lines if line.startswith(fact["id"])))
        assert fact["statement"][:20] in lines[at - 1] + lines[at - 2]
        assert f"{fact['confidence']:.2f}" in lines[at - 1] + lines[at - 2]
        assert fact["status"] in lines[at] + lines[at - 1]
    assert max(map(len, lines)) <= 80
    assert statement(PORTO) not in shown


def test_facts_can_be_asked_for_by_kind_status_and_openness(run: Run, life: Path) -> None:
    """Each filter leaves what it names."""
    assert set(facts_in(run, life, "--kind", "goal", "--kind", "blocker")) == {statement(GOAL), statement(BLOCKED)}
    assert set(facts_in(run, life, "--open")) == {statement(GOAL), statement(BLOCKED)}
    assert set(facts_in(run, life, "--status", "merged")) == {statement(RUNS)}
    assert set(facts_in(run, life, "--status", "superseded")) == {statement(PORTO)}
    assert facts_in(run, life, "--subject", "nobody") == {}
    assert "no such facts" in run("facts", "--subject", "nobody", "--store", life).stderr
    assert "there may be more than these 2" in run("facts", "--limit", "2", "--store", life).stderr


def test_facts_can_be_asked_for_by_what_they_tell_of_whom(run: Run, life: Path) -> None:
    """It stands below the statement and in ``why``; of an attribute that is none those that may be meant are named."""
    found = facts_in(run, life, "--attribute", "allergy", "--holder", "lena")
    assert set(found) == {statement(NUTS)}
    assert (found[statement(NUTS)]["attribute"], found[statement(NUTS)]["holder"]) == ("allergy", "Lena")
    assert facts_in(run, life, "--attribute", "diet", "--holder", "Lena") == {}
    lines = [line.strip() for line in run("facts", "--store", life, env={"COLUMNS": "80"}).stdout.splitlines()]
    assert any(line.startswith("allergy of Lena ") for line in lines)
    assert any(line.startswith("home ") for line in lines)
    refused = run("facts", "--attribute", "alergy", "--store", life)
    assert (refused.code, "near are: allergy" in refused.stderr) == (1, True)
    shown = " ".join(run("why", id_of(run, life, NUTS), "--store", life).stdout.split())
    assert "tells allergy of Lena" in shown
    assert "read by script-1, as a plain statement" in shown


def test_the_past_can_be_asked_for(run: Run, life: Path) -> None:
    """What held then, and what was known then; a day begins at midnight UTC."""
    assert statement(PORTO) in facts_in(run, life, "--as-of", "2026-03-05")
    assert statement(LISBON) not in facts_in(run, life, "--as-of", "2026-03-05")
    assert set(facts_in(run, life, "--known-at", "2026-03-03")) == {statement(PORTO)}


def test_confidence_sinks_with_the_present(run: Run, life: Path) -> None:
    """A goal of which nothing more is heard is less sure a month later."""
    now, later = (facts_in(run, life, "--at", at)[statement(GOAL)] for at in ("2026-03-12", "2026-04-12"))
    assert later["confidence"] < now["confidence"]


def test_why_shows_what_a_fact_rests_on(run: Run, life: Path) -> None:
    """Every quote with its day and message, also those of what was merged into it, and what will be left of it."""
    found = run("why", id_of(run, life, RUNS_EARLY), *NOW, "--store", life, env={"COLUMNS": "100"})
    assert found.stdout.startswith(f"{statement(RUNS_EARLY)}\n")
    shown = " ".join(found.stdout.split())
    for text, number, day in ((RUNS, 2, "2026-03-04"), (RUNS_EARLY, 6, "2026-03-08")):
        assert f"{day} for 0.90 Ana, m-{number} of day {number}" in shown
        assert f'"{text}"' in shown
    assert f"taken to say: {statement(RUNS)}" in shown
    assert f"says also {statement(RUNS)}" in shown
    assert "stable: several sittings, or the person's word, speak for it" in shown
    assert re.search(r"without news +\d\.\d\d in 30 days", found.stdout)
    assert re.search(r"history +2026-03-08 +\w+ \d\.\d\d", found.stdout)
    assert max(map(len, found.stdout.splitlines())) <= 100


def test_why_of_a_fact_that_gave_way_names_its_successor(run: Run, life: Path) -> None:
    """With the verdict on the two, and until when it held."""
    old, new = id_of(run, life, PORTO), id_of(run, life, LISBON)
    shown = run("why", old, "--store", life).stdout
    assert f"; see {new}" in " ".join(shown.split())
    assert "until 2026-03-10" in shown
    assert "updates, 0.97, judged by local, supersede; said later:" in " ".join(shown.split())
    why = run("why", old, "--store", life, "--json").json["fact"]
    assert (why["superseded_by"], why["status"]) == (new, "superseded")


def test_why_of_a_fact_explains_its_place_in_a_context(run: Run, life: Path) -> None:
    """As it does for messages."""
    name = id_of(run, life, LISBON)
    shown = run("why", name, *NOW, "--message", "Where do I live?", "--store", life).stdout
    assert "In the context for this message" in shown
    place = run("why", name, *NOW, "--message", "Where do I live?", "--store", life, "--json").json["context"]
    assert [item["id"] for item in place["items"]] == [name]


def test_a_person_can_say_yes_and_no(run: Run, life: Path) -> None:
    """What was confirmed is stable, what was refuted is not believed, and may be believed again."""
    yes = run("confirm", id_of(run, life, NUTS), "--store", life)
    assert yes.stdout.startswith(f"Confirmed: {statement(NUTS)}\n")
    assert facts_in(run, life)[statement(NUTS)]["status"] == "stable"
    no = run("refute", id_of(run, life, NUTS), "--store", life)
    assert no.stdout.startswith(f"Refuted: {statement(NUTS)}\n")
    assert statement(NUTS) not in facts_in(run, life)
    again = run("restore", id_of(run, life, NUTS), "--store", life)
    assert again.stdout.startswith(f"Believed again: {statement(NUTS)}\n")
    assert statement(NUTS) in facts_in(run, life)


def test_a_correction_says_whether_the_fact_was_ever_right(run: Run, life: Path) -> None:
    """With a day it held until then; without one it never did."""
    moved = run("correct", id_of(run, life, LISBON), "Ana lives in Faro.", "--since", "2026-03-11", "--store", life)
    assert moved.stdout.startswith("Now believed: Ana lives in Faro.\n")
    assert statement(LISBON) in facts_in(run, life, "--as-of", "2026-03-10T18:00:00+00:00")
    assert {"Ana lives in Faro."} <= set(facts_in(run, life)) - {statement(LISBON)}
    run("correct", id_of(run, life, NUTS), "Lena is allergic to walnuts.", "--store", life)
    assert statement(NUTS) not in facts_in(run, life, "--as-of", "2026-03-10T18:00:00+00:00")
    assert "Lena is allergic to walnuts." in facts_in(run, life)


def test_a_goal_can_be_resolved_and_taken_back(run: Run, life: Path) -> None:
    """It is not open any more from the day that is said."""
    done = run("resolve", id_of(run, life, GOAL), "--at", "2026-03-11", "--store", life)
    assert done.stdout.startswith(f"Resolved: {statement(GOAL)}\n")
    assert "resolved 2026-03-11" in done.stdout
    assert set(facts_in(run, life, "--open")) == {statement(BLOCKED)}
    run("restore", id_of(run, life, GOAL), "--store", life)
    assert set(facts_in(run, life, "--open")) == {statement(GOAL), statement(BLOCKED)}


def test_b02_both_sides_of_a_conflict_may_hold(run: Run, life: Path) -> None:
    """The question is settled, and both stay."""
    [conflict] = run("conflicts", "--store", life, "--json").json_lines
    ids = conflict["later"]["id"], conflict["earlier"]["id"]
    assert "both hold" in run("both-hold", *ids, "--store", life).stdout
    assert run("conflicts", "--store", life).stderr == "nothing is in conflict\n"
    assert {row["id"] for row in run("facts", "--store", life, "--json").json_lines} >= set(ids)


def test_conflicts_show_both_sides_until_one_is_settled(run: Run, life: Path) -> None:
    """With the days on which they were said, and the ids to settle them by."""
    [conflict] = run("conflicts", "--store", life, "--json").json_lines
    shown = run("conflicts", "--store", life).stdout
    assert shown.startswith("contradicts, open, asked since 2026-03-09\n")
    for side, text, day in (("earlier", LOVES, "2026-03-05"), ("later", HATES, "2026-03-09")):
        assert f"  {day}  {statement(text)}\n" in shown
        assert conflict[side]["id"] in shown
    run("confirm", conflict["later"]["id"], "--store", life)
    assert run("conflicts", "--store", life).stderr == "nothing is in conflict\n"
    assert "settled on" in run("conflicts", "--resolved", "--store", life).stdout


def test_a_diff_tells_what_changed_in_what_is_believed(run: Run, life: Path) -> None:
    """What came, what went and what took its place, what is surer or less sure."""
    found = run("diff", "2026-03-07", "2026-03-11", "--store", life)
    assert f"{statement(PORTO)} (superseded) → {statement(LISBON)}" in found.stdout
    assert statement(LISBON) in found.stdout.split("Not believed any more")[0]
    assert f"{statement(LOVES)} (sure 0.90 → 0.45)" in found.stdout
    assert "nothing changed" in run("diff", "2026-03-11", "2026-03-11", "--store", life).stderr
    document = run("diff", "2026-03-07", "2026-03-11", "--store", life, "--json").json
    assert {fact["statement"] for fact in document["lost"]} == {statement(PORTO), statement(RUNS)}


def test_a_fact_can_be_pinned_and_forgotten(run: Run, life: Path) -> None:
    """By its id, as an episode; what is forgotten stands in no list."""
    name = id_of(run, life, NUTS)
    assert statement(NUTS) in run("pin", name, "--store", life).stdout
    assert facts_in(run, life)[statement(NUTS)]["pinned"]
    assert run("unpin", name, "--store", life).stdout.startswith("Not pinned: it fades as others do.\n")
    dry = run("forget", name, "--dry-run", "--store", life)
    assert f"{statement(NUTS)} (named)" in dry.stdout
    assert "\nForgotten: 1 fact.\n" in run("forget", name, "--yes", "--store", life).stdout
    assert statement(NUTS) not in facts_in(run, life, "--status", "all")
    assert NUTS in run("messages", "--store", life, "--json").stdout


def test_facts_can_be_drawn_from_an_episode_by_hand(run: Run, life: Path) -> None:
    """Doing it again adds no fact and no evidence for one."""
    first, again = (run("extract", "m-1", "--store", life, "--json").json_lines for _ in range(2))
    assert [{**fact, "version": 0} for fact in again] == [{**fact, "version": 0} for fact in first]
    assert statement(NUTS) in {fact["statement"] for fact in first}


@pytest.mark.parametrize("command", ["facts", "conflicts", "diff", "why", "consolidate", "pin"])
def test_pages_about_facts_fit_a_narrow_terminal_and_a_pipe(run: Run, life: Path, command: str) -> None:
    """Eighty columns, nothing at the ends of lines, and nothing of a statement that would take over a terminal."""
    hostile = "Ana likes \x1b[31mred\x1b[0m \u202e soups " + "with a great many things in them " * 5
    name = run("correct", id_of(run, life, NUTS), hostile, "--store", life, "--json").json["id"]
    args = {"diff": ["2026-03-01"], "why": [name], "pin": [name]}
    done = run(command, *args.get(command, []), "--store", life, env={"COLUMNS": "80"})
    assert done.code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]| $", done.stdout, re.MULTILINE)
    assert "soups" in done.stdout or command in ("conflicts", "consolidate")


@pytest.mark.parametrize("command", ["confirm", "refute", "resolve", "correct", "extract"])
def test_an_unknown_fact_is_told(run: Run, life: Path, command: str) -> None:
    """With its id."""
    more = ["other"] if command == "correct" else []
    done = run(command, "nobody-has-this", *more, "--store", life, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "not_found")
    assert "nobody-has-this" in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ["facts", "--kind", "mood"],
        ["facts", "--status", "lost"],
        ["facts", "--as-of", "soon"],
        ["diff", "2026-03-11", "2026-03-01"],
        ["diff", "lately"],
        ["consolidate", "--at", "tonight"],
    ],
)
def test_what_cannot_be_used_is_told(run: Run, life: Path, args: list[str]) -> None:
    """As an error of ours."""
    done = run(*args, "--store", life, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "input")


def test_what_is_open_is_listed_until_it_is_dropped(run: Run, life: Path) -> None:
    """And left out where only what is due is asked for: neither has a time."""
    goal, blocked = statement(GOAL), statement(BLOCKED)

    def listed(*args: str) -> list[str]:
        return [row["statement"] for row in run("open-loops", *NOW, *args, "--store", life, "--json").json_lines]

    assert listed() == [goal, blocked]
    assert listed("--until", "2026-12-31") == []
    done = run("resolve", id_of(run, life, GOAL), "--outcome", "dropped", "--store", life)
    assert done.stdout.startswith(f"Dropped: {goal}")
    assert listed() == [blocked]
    wrong = run("resolve", id_of(run, life, BLOCKED), "--outcome", "lapsed", "--store", life)
    assert "outcome is done or dropped" in wrong.stderr


def test_what_is_never_done_cannot_be_resolved(run: Run, life: Path) -> None:
    """And a fact cannot be corrected to what it says."""
    done = run("resolve", id_of(run, life, NUTS), "--store", life)
    assert (done.code, "not something that gets done" in done.stderr) == (1, True)
    done = run("correct", id_of(run, life, NUTS), statement(NUTS), "--store", life)
    assert (done.code, "use confirm" in done.stderr) == (1, True)


def test_people_are_listed_joined_and_parted(run: Run, tmp_path: Path) -> None:
    """By the names they are listed under; an unknown one is refused with what to do."""
    place = tmp_path / "people.db"
    with open_workshop(place, analyst=ScriptedAnalyst(STATES)) as shop:
        say(shop.memory(), LEEDS, YORK)
    rows = run("people", "--store", place, "--json").json_lines
    assert [(row["name"], row["ties"], row["facts"]) for row in rows] == [("Priya", [], 1), ("partner", ["partner"], 1)]
    assert "Priya, partner" in run("same", "my partner", "Priya", "--store", place).stdout
    assert len(facts_in(run, place, "--holder", "Priya")) == 2
    assert len(run("not-same", "my partner", "Priya", "--store", place, "--json").json_lines) == 2
    assert "people() lists who is known" in run("same", "Zoe", "Priya", "--store", place).stderr
    empty = tmp_path / "empty.db"
    with open_workshop(empty, analyst=ScriptedAnalyst({})) as shop:
        say(shop.memory(), "I like rain")
    assert run("people", "--store", empty).stderr == "nobody is known\n"
