"""Keeping and letting fade: ``why``, ``pin``, ``unpin``, ``fade``, ``restore``, and what other commands show of it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.stage import TALK, Run, all_messages, invoke, write_talk
from yesteryear.cli.commands.intake import say_drained
from yesteryear.lifecycle.drain import Drained

LATER = "2040-01-31"
"""By then everything has faded that can."""
BARS = re.compile(r"^   (\w[\w ]*?) +([+-]\d\.\d\d)  ", re.MULTILINE)


@pytest.fixture(autouse=True)
def _a_cap_for_what_was_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of themselves skipped messages keep their words."""
    monkeypatch.setenv("YESTERYEAR_JOURNAL_RETENTION_DAYS", "30")


@pytest.fixture(scope="module")
def capped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of ``store``, made once."""
    folder = tmp_path_factory.mktemp("capped")
    talk, place = write_talk(folder / "talk.jsonl", TALK), folder / "memory.db"
    settings = {"YESTERYEAR_EMBEDDER": "hashing", "YESTERYEAR_JOURNAL_RETENTION_DAYS": "30"}
    assert invoke("import", talk, "--user", "ana", "--store", place, env=settings).code == 0
    return place


@pytest.fixture
def store(capped: Path, tmp_path: Path) -> Path:
    """A store that was told of the cap from its first message."""
    shutil.copy(capped, tmp_path / "memory.db")
    return Path("memory.db")


@pytest.fixture
def faded(run: Run, store: Path) -> Path:
    """The store after years: the walk with Lena is archived, the allergy is as it was."""
    assert run("fade", "--yes", "--at", LATER, "--store", store).code == 0
    return store


def episode_of(run: Run, store: Path, message: str) -> dict[str, Any]:
    """Return the episode that holds a message, as ``why`` explains it."""
    found: dict[str, Any] = run("why", message, "--store", store, "--json").json["episode"]
    return found


def fields_of(shown: str) -> dict[str, str]:
    """Return what a page says by the name of the line."""
    return dict(re.findall(r"^   (\w+(?:[ -]\w+)*) {2,}(.+)$", shown, re.MULTILINE))


def test_why_shows_what_an_importance_is_the_sum_of(run: Run, store: Path) -> None:
    """Factor by factor, the largest first; they add up."""
    why = episode_of(run, store, "m-1")
    shown = run("why", why["id"], "--store", store).stdout
    parts = [(name, float(value)) for name, value in BARS.findall(shown)]
    assert [name for name, _ in parts] == [factor["name"] for factor in why["factors"]]
    assert sum(value for _, value in parts) == pytest.approx(why["importance"], abs=0.005 * len(parts))
    assert fields_of(shown)["importance"] == f"{why['importance']:.2f}, the sum of"
    assert shown.startswith(f"{why['topic']}\n")


def test_why_tells_when_an_episode_fades(run: Run, store: Path) -> None:
    """First its words, then all of it; from its half-life and since when it counts."""
    why = episode_of(run, store, "m-1")
    shown = run("why", "m-1", "--store", store).stdout
    words, recall = re.findall(r"(?:its words go|it leaves recall) on \d+ \w+ (\d{4})$", shown, re.MULTILINE)
    assert (words, recall) == (why["gist_at"][:4], why["archived_at"][:4])
    assert fields_of(shown)["half-life"].startswith(f"{why['half_life_days']:.0f} days, counted from ")
    assert fields_of(shown)["state"] == "active: found by recall; its words are there"


def test_why_looks_from_the_day_given(run: Run, store: Path) -> None:
    """Strength is that of then, and what is overdue is said to be."""
    now, then = (run("why", "m-1", "--store", store, *at, "--json").json["episode"] for at in ((), ("--at", LATER)))
    assert then["strength"] < now["strength"] == pytest.approx(now["importance"], abs=0.01)
    shown = run("why", "m-1", "--at", LATER, "--store", store).stdout
    assert "its words are due to go since" in shown
    assert "it is due to leave recall since" in shown


def test_why_tells_what_never_fades(run: Run, store: Path) -> None:
    """Because the person asked for it, because somebody pinned it, or because nothing fades here."""
    assert fields_of(run("why", "m-7", "--store", store).stdout)["fades"] == (
        "never: the person asked that it be remembered"
    )
    run("pin", "m-1", "--store", store)
    assert fields_of(run("why", "m-1", "--store", store).stdout)["fades"] == "never: it is pinned"
    run("unpin", "m-1", "--store", store)
    off = run("why", "m-1", "--store", store, env={"YESTERYEAR_FADING": "false"}).stdout
    assert fields_of(off)["fades"] == "never: fading is switched off"


def test_why_explains_a_skipped_message(run: Run, store: Path) -> None:
    """The verdict, what decided, the features the largest first, until when its words stay; no episode holds it."""
    found = run("why", "m-5", "--store", store)
    why = run("why", "m-5", "--store", store, "--json").json["message"]
    fields = fields_of(found.stdout)
    assert found.stdout.startswith("Ana: ok thanks\n")
    assert fields["verdict"] == f"skip: {why['reason']}"
    assert fields["its words"].startswith("stay until ")
    ground = f"{why['score']:.2f}; {why['threshold']:.2f} or more is kept" if why["rule"] is None else why["rule"]
    assert ground in fields["decided by"]
    sizes = [abs(float(value)) for _, value in BARS.findall(found.stdout)]
    assert sizes == sorted(sizes, reverse=True)
    assert {name for name, _ in BARS.findall(found.stdout)} == {
        name for name, value in why["features"].items() if value
    }
    assert "no episode holds it" in found.stderr


def test_why_of_a_kept_message_goes_on_with_its_episode(run: Run, store: Path) -> None:
    """Whichever id is asked for: the caller's own or ours."""
    [ours] = [message.id for message in all_messages(store) if message.external_id == "m-7"]
    for name in ("m-7", ours):
        message, episode = run("why", name, "--store", store).stdout.split("\n\n")
        assert "verdict        keep: explicit_request" in message
        assert "walnuts" in message.splitlines()[0]
        assert episode_of(run, store, "m-7")["id"] in episode


def test_why_says_what_waits(run: Run, talk: Path) -> None:
    """A message that the gate has not seen has no verdict."""
    run("import", talk, "--user", "ana", "--store", "m.db", "--no-flush")
    assert "none yet: it waits to be worked in" in run("why", "m-1", "--store", "m.db").stdout


def test_why_shows_days_in_the_persons_zone(run: Run) -> None:
    """Half past eleven in the evening of Auckland is noon in UTC."""
    said = ("--at", "2026-03-02T23:30:00+13:00", "--zone", "Pacific/Auckland")
    run("observe", "I moved to Dunedin", "--id", "m-1", "--user", "ana", *said, "--store", "m.db")
    seen = ("--at", "2026-03-02T12:00:00+00:00", "--store", "m.db")
    assert fields_of(run("why", "m-1", *seen).stdout)["said"] == "2 March 2026 (yesterday)"


def test_why_of_a_message_explains_its_place_in_a_context(run: Run, store: Path) -> None:
    """Lane, tokens, score and signals, as ``context --explain`` has them."""
    asked = ("What must I not eat? Walnuts?", "--at", "2026-03-05T09:00:00+00:00", "--store", store)
    items = run("context", *asked, "--json").json["items"]
    [number] = [at for at, item in enumerate(items) if item["messages"] == ["m-7"] and item["lane"] == "relevant"]
    place = run("why", "m-7", "--message", *asked, "--json").json["context"]
    assert number in [item["number"] for item in place["items"]]
    assert items[number].items() <= next(item for item in place["items"] if item["number"] == number).items()
    shown = run("why", "m-7", "--message", *asked).stdout
    assert f"{number + 1}. {items[number]['lane']}  {items[number]['tokens']} tokens" in shown
    for name, value in items[number]["signals"].items():
        assert re.search(rf"^ +{name} +{re.escape(f'{value:+.2f}')}", shown, re.MULTILINE)


def test_why_of_a_message_tells_what_it_kept_out_or_why_it_was_left_out(run: Run, tmp_path: Path) -> None:
    """Of more than fits, one side stands in the context and the other among what was left out."""
    said = [
        (("user", "assistant")[n % 2], f"Walnuts, note {n}: {'very ' * (n % 7)}good in cake {n}") for n in range(40)
    ]
    run("import", write_talk(tmp_path / "long.jsonl", said), "--user", "ana", "--store", "long.db")
    asked = ("walnuts?", "--budget", "150", "--store", "long.db", "--json")
    found = run("context", *asked, "--explain").json
    [taken, *_] = [found["items"][int(number)] for number in found["displaced"]]
    [left, *_] = [row for row in found["dropped"] if row["messages"] and row["lane"] == "relevant"]
    why = ("--message", "walnuts?", "--budget", "150", "--store", "long.db")
    place = run("why", taken["messages"][0], *why, "--json").json["context"]
    assert any(item["displaced"] is not None for item in place["items"])
    assert "instead of" in run("why", taken["messages"][0], *why).stdout
    refused = run("why", left["messages"][0], *why, "--json").json["context"]["dropped"]
    assert left["reason"] in {row["reason"] for row in refused}
    assert "What was left out" in run("why", left["messages"][0], *why).stdout


def test_why_says_that_something_is_in_no_context(run: Run, faded: Path) -> None:
    """Of what has lost its words there is nothing to show."""
    shown = run("why", "m-5", "--message", "walnuts?", "--store", faded).stdout
    assert "its words      are gone" in shown
    assert "neither in it nor among what was left out" in shown


def test_fading_is_shown_before_it_is_done(run: Run, store: Path) -> None:
    """A dry run names what would go, and leaves everything as it was."""
    before = run("episodes", "--store", store, "--json").json_lines
    dry = run("fade", "--dry-run", "--at", LATER, "--store", store)
    topic = episode_of(run, store, "m-1")["topic"][:20]
    assert re.search(rf"The words go, the gist stays: 1 episode\n.*\n.*{topic}", dry.stdout)
    assert "Leave recall: 1 episode" in dry.stdout
    assert "Lose their words by themselves: 2 messages" in dry.stdout
    assert "ok thanks" in dry.stdout
    assert "nothing was done: that is how it would be by 2040-01-31 00:00 UTC" in dry.stderr
    assert run("episodes", "--store", store, "--json").json_lines == before


def test_what_has_faded_is_gone_and_the_rest_is_not(run: Run, faded: Path) -> None:
    """The words of the weak episode; never those that the person asked to keep. Twice is once."""
    texts = {message.external_id: message.content for message in all_messages(faded)}
    assert [name for name, text in texts.items() if not text] == ["m-1", "m-2", "m-3", "m-4", "m-5", "m-6"]
    again = run("fade", "--yes", "--at", LATER, "--store", faded)
    assert again.stdout == "nothing fades: nothing is due by 2040-01-31 00:00 UTC\n"


def test_a_fade_as_json_names_what_went(run: Run, store: Path) -> None:
    """By our ids, and from when it was seen."""
    ids = {message.external_id: message.id for message in all_messages(store)}
    done = run("fade", "--yes", "--at", LATER, "--store", store, "--json").json
    assert done["archived"] == done["to_gist"] == [episode_of(run, store, "m-1")["id"]]
    assert set(done["expired"]) == {ids["m-5"], ids["m-6"]}
    assert (done["at"], done["is_dry"]) == ("2040-01-31T00:00:00+00:00", False)


@pytest.mark.parametrize("at", ["soon", "2040-13-01", "2040-01-31T00:00:00"])
def test_a_day_that_is_none_is_refused(run: Run, store: Path, at: str) -> None:
    """So is a time without a zone; nothing fades."""
    done = run("fade", "--yes", "--at", at, "--store", store, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "input")
    assert all(message.content for message in all_messages(store))


def test_a_pinned_episode_does_not_fade(run: Run, store: Path) -> None:
    """Until it is unpinned again."""
    pinned = run("pin", "m-1", "--store", store)
    assert pinned.stdout.startswith("Pinned: it never fades.\n")
    assert "pinned, " in pinned.stdout
    assert "to_gist" not in run("fade", "--yes", "--at", LATER, "--store", store).stdout
    assert episode_of(run, store, "m-1")["detail"] == "vivid"
    assert run("unpin", "m-1", "--store", store).stdout.startswith("Not pinned: it fades as others do.\n")
    run("fade", "--yes", "--at", LATER, "--store", store)
    assert episode_of(run, store, "m-1")["detail"] == "gist"


def test_unpinning_what_was_asked_to_be_kept_says_that_it_is_kept(run: Run, store: Path) -> None:
    """The person's word counts, whatever was pinned."""
    assert "yet it never fades" in run("unpin", "m-7", "--store", store).stdout


def test_an_archived_episode_is_found_on_request_and_comes_back(run: Run, faded: Path) -> None:
    """With what is left of it: its summary."""
    ask = ("recall", "my sister Lena in Porto", "--kind", "excerpt", "--kind", "episode", "--store", faded)
    plain = run(*ask, "--json").json["hits"]
    assert not [hit for hit in plain if "Lena" in hit["text"]]
    assert [hit for hit in run(*ask, "--archived", "--json").json["hits"] if "Lena" in hit["text"]]
    archived = run("episodes", "--status", "archived", "--store", faded).stdout
    assert "archived, gist, " in archived
    assert "it has left recall; `yesteryear restore` brings it back" in run("why", "m-1", "--store", faded).stdout
    assert run("restore", "m-1", "--store", faded).stdout.startswith("Back in recall.\n")
    assert [hit for hit in run(*ask, "--json").json["hits"] if "Lena" in hit["text"]]


def test_nothing_found_points_to_what_has_left_recall(run: Run, faded: Path) -> None:
    """Unless it was looked into already."""
    ask = ("recall", "Lena", "--kind", "excerpt", "--until", "2026-03-03T00:00:00+00:00", "--store", faded)
    assert "--archived looks into what has left recall, too" in run(*ask).stderr
    assert "--archived" not in run(*ask, "--archived", "--until", "2000-01-01T00:00:00+00:00").stderr


def test_episodes_tell_when_they_fade(run: Run, store: Path) -> None:
    """Or that they never do."""
    allergy, walk = run("episodes", "--store", store).stdout.split("2026-03-02  ")
    assert "never fades, " in allergy
    assert f"fades {episode_of(run, store, 'm-1')['gist_at'][:10]}, " in walk


@pytest.mark.parametrize("command", ["why", "pin", "unpin", "restore", "forget"])
def test_an_unknown_id_is_told(run: Run, store: Path, command: str) -> None:
    """Another person's id is as unknown as one that nobody has."""
    run("observe", "hello", "--user", "ben", "--id", "b-1", "--store", store)
    for name in ("b-1", "nobody-has-this"):
        done = run(command, name, "--user", "ana", "--store", store, "--json")
        assert (done.code, done.json["error"]["code"]) == (1, "not_found")
        assert name in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["pin", "m-5"], "was not kept"),
        (["restore", "m-1"], "only an archived one can be restored"),
    ],
)
def test_what_cannot_be_kept_or_brought_back_is_told(run: Run, store: Path, args: list[str], said: str) -> None:
    """With the reason."""
    done = run(*args, "--store", store, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "input")
    assert said in done.stderr


def test_why_shows_that_a_request_to_forget_was_obeyed(run: Run, store: Path) -> None:
    """Once it was said yes to; its own words are gone too, and who asked is told."""
    ask = ("observe", "Please forget what I said about walnuts.", "--id", "m-9", "--conversation", "day-4")
    run(*ask, "--user", "ana", "--flush", "--store", store)
    [proposal] = run("proposals", "--store", store, "--json").json_lines
    assert run("confirm", proposal["id"], "--store", store).code == 0
    shown = run("why", "m-9", "--store", store).stdout
    assert "because user" in fields_of(shown)["forgotten"]
    assert fields_of(shown)["its words"] == "are gone"
    assert "walnuts" not in run("messages", "--store", store).stdout


def test_a_worker_says_what_faded_and_what_was_forgotten() -> None:
    """Beside what it made."""
    done = Drained(episodes=1, vectors=2, expired=3, faded=4, forgotten=5)
    assert say_drained(done) == (
        "1 episode, 2 vectors, 3 skipped texts erased, 4 episodes faded, 5 messages forgotten as asked"
    )
