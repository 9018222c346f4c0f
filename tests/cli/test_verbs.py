"""The commands that are verbs: what they show people, and what they give machines."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import yesteryear
from tests.cli.stage import Run, all_messages, opened
from yesteryear.core.rows.queries import EpisodeQuery
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import EmbedderProfile
from yesteryear.ports import Transaction
from yesteryear.providers.hashing import HashingEmbedder
from yesteryear.providers.llm.prompting import DIGEST
from yesteryear.storage.sqlite.store import SQLiteStore


def test_observe_takes_down_what_was_said(run: Run) -> None:
    """With who said it, where, when and under which id."""
    done = run(
        "observe", "I moved my runs to the morning", "--user", "ana", "--author", "Ana", "--conversation", "c1",
        "--at", "2026-03-02T07:41:10+00:00", "--id", "m-17", "--store", "m.db",
    )  # fmt: skip
    assert done.code == 0
    assert done.stdout == "taken down: message 1 of conversation 'c1'\n"
    [message] = all_messages("m.db")
    assert (message.author, message.external_id, message.at.hour) == ("Ana", "m-17", 7)


def test_observing_the_same_id_again_adds_nothing(run: Run) -> None:
    """And says that it is known."""
    command = ("observe", "hello", "--id", "m-1", "--user", "ana", "--store", "m.db")
    assert run(*command, "--json").json["is_new"]
    again = run(*command)
    assert again.stdout == "known already: message 1 of conversation 'default'\n"
    assert len(all_messages("m.db")) == 1


def test_observe_reads_stdin(run: Run) -> None:
    """Long texts come through a pipe."""
    run("observe", "-", "--user", "ana", "--store", "m.db", stdin="first line\nsecond line\n")
    assert all_messages("m.db")[0].content == "first line\nsecond line\n"


def test_observe_refuses_what_it_cannot_read(run: Run) -> None:
    """Replacing letters in silence would change what was said; the place of the first is named."""
    done = run("observe", "-", "--user", "ana", "--store", "m.db", "--json", stdin="Füße".encode("latin-1"))
    assert (done.code, done.json["error"]["code"]) == (1, "input")
    assert "stdin is not UTF-8: byte 2 is 0xfc" in done.stderr
    assert not Path("m.db").exists()


def test_observe_with_flush_works_it_in(run: Run) -> None:
    """The episode is there when the command returns."""
    done = run("observe", "Please remember that I am allergic to nuts", "--user", "ana", "--flush", "--store", "m.db")
    assert "worked in: 1 episode" in done.stdout
    with opened("m.db") as memory:
        assert len(memory.episodes(status="active")) == 1


def test_observe_says_which_secrets_were_cut_out(run: Run) -> None:
    """Nobody should look for them later."""
    done = run("observe", "my password is: hunter2-Horse!", "--user", "ana", "--store", "m.db")
    assert "cut out before it was stored: password" in done.stdout


def test_context_goes_to_stdout_and_its_figures_to_stderr(run: Run, store: Path) -> None:
    """So that it can be piped to a model as it is."""
    done = run("context", "What must I not eat? Walnuts?", "--store", store, "--budget", "300")
    assert done.stdout.startswith("=== MEMORY CONTEXT ===")
    assert "allergic to walnuts" in done.stdout
    assert "of 300 tokens" in done.stderr
    assert "tokens;" not in done.stdout


def test_context_as_json_names_the_messages_behind_it(run: Run, store: Path) -> None:
    """By the ids that they came with."""
    found = run("context", "walnuts?", "--store", store, "--json").json
    assert found["tokens"] <= found["budget"] == 1000
    assert "m-7" in {name for item in found["items"] for name in item["messages"]}


def test_context_of_a_session_shows_its_last_messages_apart(run: Run, store: Path) -> None:
    """They have a budget of their own."""
    done = run("context", "and what about the huts?", "--conversation", "day-2", "--store", store)
    assert "This session so far" in done.stdout
    assert "Then book the huts early." in done.stdout


def test_context_looks_back_from_the_time_given(run: Run, store: Path) -> None:
    """Dates are told as seen from then."""
    done = run("context", "walnuts", "--at", "2026-03-05T09:00:00+00:00", "--store", store)
    assert "3 March 2026 (2 days ago)" in done.stdout


def test_recall_shows_scores_and_their_signals(run: Run, store: Path) -> None:
    """Best first."""
    done = run("recall", "walnuts", "--limit", "2", "--store", store)
    first, text = done.stdout.splitlines()[:2]
    assert first.startswith("1. ")
    assert "words" in first
    assert "walnuts" in text
    scores = [hit["score"] for hit in run("recall", "walnuts", "--store", store, "--json").json["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_recall_can_be_narrowed(run: Run, store: Path) -> None:
    """By kind, author, conversation and time."""
    narrow = ("--kind", "excerpt", "--author", "Ana", "--conversation", "day-2", "--until", "2026-03-03T00:00:00+00:00")
    hits = run("recall", "my sister Lena in Porto", *narrow, "--store", store, "--json").json["hits"]
    assert hits
    assert {(hit["grain"], hit["author"], hit["conversation"]) for hit in hits} == {("excerpt", "Ana", "day-2")}


def test_a_date_will_do_for_an_instant(run: Run, store: Path) -> None:
    """It begins at midnight UTC; the talk goes over two days."""
    rows = run("messages", "--since", "2026-03-03", "--store", store, "--json").json_lines
    assert {row["conversation"] for row in rows} == {"day-3"}


def test_messages_come_in_pages_that_join(run: Run, store: Path) -> None:
    """The note on stderr says how to go on."""
    first = run("messages", "--limit", "5", "--store", store, "--json")
    assert f"--after {first.json_lines[-1]['id']}" in first.stderr
    rest = run("messages", "--after", first.json_lines[-1]["id"], "--store", store, "--json")
    assert rest.stderr == ""
    ids = [row["external_id"] for row in first.json_lines + rest.json_lines]
    assert ids == [f"m-{n}" for n in range(1, 9)]


def test_messages_show_what_the_gate_decided(run: Run, store: Path) -> None:
    """For people: time, conversation, id, verdict, and the text as it is."""
    lines = run("messages", "--conversation", "day-3", "--store", store).stdout.splitlines()
    assert lines[4].startswith("2026-03-03 12:07  day-3  m-7  (keep: explicit_request)")
    assert lines[5] == "  Ana: Please remember that I am allergic to walnuts."


def test_episodes_are_shown_newest_first(run: Run, store: Path) -> None:
    """Each with its day, topic, state, importance and summary."""
    rows = run("episodes", "--store", store, "--json").json_lines
    assert [row["conversation"] for row in rows] == ["day-3", "day-2"]
    shown = run("episodes", "--limit", "1", "--store", store)
    assert shown.stdout.startswith(f"2026-03-03  {rows[0]['digest']['topic']}")
    assert f"importance {rows[0]['importance']:.2f}" in shown.stdout
    assert f"--after {rows[0]['id']}" in shown.stderr


def test_the_gate_shows_what_was_kept_and_skipped_and_why(run: Run, store: Path) -> None:
    """A line an exchange, and the totals of each reason."""
    found = run("gate", "--store", store, "--json").json
    exchanges = {tuple(row["messages"]): row for row in found["exchanges"]}
    assert exchanges["m-7", "m-8"]["outcome"] == "keep"
    assert exchanges["m-7", "m-8"]["reason"] == "explicit_request"
    assert exchanges["m-5", "m-6"]["outcome"] == "skip"
    assert sum(map(len, exchanges)) == 8
    assert found["waiting"] == 0
    assert found["totals"]["keep"]["explicit_request"] == 1
    lines = run("gate", "--store", store).stdout.splitlines()
    [skipped] = [line for line in lines if "ok thanks" in line]
    assert skipped.split()[:2] == ["skip", exchanges["m-5", "m-6"]["reason"]]


@pytest.mark.parametrize(("option", "outcome"), [("--kept", "keep"), ("--skipped", "skip")])
def test_the_gate_can_show_one_side_only(run: Run, store: Path, option: str, outcome: str) -> None:
    """The totals stay those of both."""
    found = run("gate", option, "--store", store, "--json").json
    assert {row["outcome"] for row in found["exchanges"]} == {outcome}
    assert sum(found["totals"]["keep"].values()) + sum(found["totals"]["skip"].values()) == 4


def test_the_gate_shows_what_a_score_is_made_of(run: Run, store: Path) -> None:
    """With --features, every one that says something."""
    done = run("gate", "--skipped", "--features", "--limit", "1", "--store", store)
    [row] = run("gate", "--skipped", "--limit", "1", "--store", store, "--json").json["exchanges"]
    for name, value in row["features"].items():
        assert (f"{name} {value:.2f}" in done.stdout) == (value != 0)


def test_the_gate_tells_what_it_has_not_judged_yet(run: Run, talk: Path) -> None:
    """Nothing is shown of it, and it says what to run."""
    run("import", talk, "--user", "ana", "--store", "m.db", "--no-flush")
    done = run("gate", "--store", "m.db")
    assert "8 messages not judged yet: `yesteryear worker --once` does it" in done.stdout


def test_stats_count_everybody_or_the_one_named(run: Run, store: Path) -> None:
    """With the store's own figures."""
    run("observe", "hello", "--user", "ben", "--store", store)
    everybody = run("stats", "--store", store, "--json").json
    assert [person["user"] for person in everybody["people"]] == ["ana", "ben"]
    assert everybody["store"]["durability"] == "full"
    assert [row["user"] for row in run("stats", "--user", "ben", "--store", store, "--json").json["people"]] == ["ben"]


def test_stats_cut_no_names_where_the_terminal_is_narrow(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The figures go on on the next line; two names alike up to where they were cut would tell nothing."""
    monkeypatch.setenv("COLUMNS", "40")
    shown = run("stats", "--store", store).stdout
    assert re.search(r"^is_fallback_embedder  (yes|no) *$", shown, re.MULTILINE)
    assert "…" not in shown


def test_a_person_need_not_be_named_where_there_is_only_one(run: Run, store: Path) -> None:
    """With two, the command asks who is meant and names them."""
    assert run("episodes", "--store", store).code == 0
    run("observe", "hello", "--user", "ben", "--store", store)
    asked = run("episodes", "--store", store)
    assert asked.code == 1
    assert asked.stderr == "error: whose memory? pass --user NAME; 2 people are there: ana, ben\n"


def test_somebody_unknown_is_noted(run: Run, store: Path) -> None:
    """It may be a slip of the keyboard."""
    done = run("context", "walnuts", "--user", "anna", "--store", store)
    assert done.stdout == ""
    assert "'anna' is not in this store; 1 person is there: ana" in done.stderr


def test_the_user_may_come_from_the_environment(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As may the store."""
    run("observe", "hello", "--user", "ben", "--store", store)
    monkeypatch.setenv("YESTERYEAR_USER", "ben")
    monkeypatch.setenv("YESTERYEAR_STORE", str(store))
    assert [row["content"] for row in run("messages", "--json").json_lines] == ["hello"]


def test_a_project_sees_its_own_messages_and_those_of_none(run: Run, store: Path) -> None:
    """And no other project's."""
    run("observe", "chapter two is done", "--user", "ana", "--project", "thesis", "--store", store)
    assert len(run("messages", "--project", "thesis", "--store", store, "--json").json_lines) == 9
    assert len(run("messages", "--project", "garden", "--store", store, "--json").json_lines) == 8


class OlderEmbedder(HashingEmbedder):
    """The same vectors under another model's name."""

    @property
    def profile(self) -> EmbedderProfile:
        """Another model."""
        return replace(super().profile, model="older")


def read_by_another(path: Path) -> int:
    """Let all episodes of ana be read by a reader of before; return how many there are."""
    with closing(SQLiteStore(path)) as store:

        def write(tx: Transaction) -> int:
            episodes = tx.episodes.page(EpisodeQuery())
            for row in episodes:
                assert row.digest is not None
                tx.episodes.update(replace(row, digest=replace(row.digest, reader="old-1")), expecting=row.status)
            return len(episodes)

        return store.write(Scope("ana"), write)


def test_reread_has_old_talk_read_by_what_reads_now(run: Run, store: Path) -> None:
    """It says what it would do, does it, and has nothing to do then; doctor and stats tell that there is need."""
    number = read_by_another(store)
    checks = {check["name"]: check for check in run("doctor", "--store", store, "--json").json["checks"]}
    assert checks["reader"]["state"] == "weak"
    assert "yesteryear reread" in checks["reader"]["advice"]
    [person] = run("stats", "--store", store, "--json").json["people"]
    assert (person["reading.by_reader"], person["reading.by_others"]) == ({"old-1": number}, number)
    dry = run("reread", "--store", store, "--dry-run")
    assert dry.stdout.endswith("of 1 person would be read again by words-1; nothing was changed\n")
    done = run("reread", "--store", store, "--json")
    assert done.json == {"reader": "words-1", "episodes": number, "read": number, "unfinished": [], "is_dry": False}
    again = run("reread", "--store", store)
    assert again.stdout == "nothing to do: all episodes whose words are left were read by words-1\n"


def test_reread_asks_before_a_language_model_reads(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how many calls that is; without a yes nothing is done."""
    number = read_by_another(store)
    monkeypatch.setenv("YESTERYEAR_ANALYST", "openai:gpt-4o-mini")
    monkeypatch.setenv("YESTERYEAR_ANALYST_URL", "http://127.0.0.1:9/v1")
    dry = run("reread", "--store", store, "--dry-run", "--json")
    assert (dry.json["reader"], dry.json["episodes"]) == (DIGEST, number)
    done = run("reread", "--store", store)
    assert done.code == 2
    assert f"pass --yes to have {number} episode" in done.stderr
    [person] = run("stats", "--store", store, "--json").json["people"]
    assert person["reading.by_reader"] == {"old-1": number}


def test_reembed_changes_to_the_embedder_in_use(run: Run, talk: Path) -> None:
    """All vectors are made anew, then the old ones are dropped; after that there is nothing to do."""
    run("import", talk, "--user", "ana", "--store", "m.db", "--no-flush")
    with yesteryear.open("m.db", worker="none", embedder=OlderEmbedder()) as engine:
        engine.memory(user="ana").flush()
    done = run("reembed", "--store", "m.db")
    assert done.code == 0
    [person] = run("stats", "--store", "m.db", "--json").json["people"]
    made = 10 + person["facts.tentative"]
    assert re.match(r"1\d vectors of hashing", done.stdout)
    assert person["vectors.by_model"] == {person["vectors.model"]: made}
    again = run("reembed", "--store", "m.db")
    assert again.stdout.startswith("nothing to do: all vectors of 1 person are of hashing")


def test_reembed_leaves_open_episodes_open(run: Run, store: Path) -> None:
    """It makes vectors; ending somebody's episode is not its business."""
    run("observe", "by the way", "--user", "ana", "--store", store)
    with yesteryear.open(store, worker="none", embedder=OlderEmbedder()) as engine:
        assert engine.memory(user="ana").stats()["messages.open"] == 1
    run("reembed", "--store", store)
    assert run("stats", "--store", store, "--json").json["people"][0]["messages.open"] == 1


def test_reembed_does_not_change_to_an_embedder_that_only_stands_in(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vectors of the real one stay, and it says what to install."""
    with yesteryear.open(store, worker="none", embedder=OlderEmbedder()) as engine:
        engine.memory(user="ben").observe("hello there, I live in Porto")
        engine.memory(user="ben").flush()
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "auto")
    monkeypatch.setenv("YESTERYEAR_MODEL_FOLDER", str(tmp_path / "no-model"))
    done = run("reembed", "--store", store)
    assert done.code == 1
    assert "only stands in" in done.stderr
    assert "yesteryear model install" in done.stderr
