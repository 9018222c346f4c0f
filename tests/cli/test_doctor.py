"""``yesteryear doctor`` finds what is amiss, says what to do, and touches nothing."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

import yesteryear
from tests.analysts import SideBySide
from tests.cli.stage import Finished, Run, dead_worker, lease
from tests.llm.server import embedded, refused, said, serving
from yesteryear.core.episode import Digest, Talk
from yesteryear.core.scope import Scope
from yesteryear.errors import ProviderError
from yesteryear.providers.minilm.weights import MODEL
from yesteryear.storage.sqlite.store import SQLiteStore

pytestmark = pytest.mark.sampled


class AwayAnalyst(SideBySide):
    """Never answers."""

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Fail."""
        raise ProviderError("the analyst is away")


def checks(done: Finished) -> dict[str, dict[str, Any]]:
    """Return the findings by name."""
    return {check["name"]: check for check in done.json["checks"]}


def test_a_sound_store_is_told_to_be_sound(run: Run, store: Path) -> None:
    """Versions, schema, integrity, durability as SQLite reads it back, work, and each setting with its origin."""
    done = run("doctor", "--store", store, "--json")
    assert done.code == 0
    found = checks(done)
    assert {check["state"] for check in found.values()} == {"fine"}
    assert found["durability"]["found"] == "full; SQLite reads back synchronous = 2"
    assert found["pages"]["found"] == "ok"
    assert found["people"]["found"] == "1"
    settings = done.json["settings"]
    assert settings["store"] == {"value": str(store), "origin": "argument"}
    assert settings["embedder"] == {"value": "hashing", "origin": "YESTERYEAR_EMBEDDER"}
    assert settings["worker"] == {"value": "thread", "origin": "default"}


def test_it_reads_well(run: Run, store: Path) -> None:
    """A line a check, its state first; then the settings."""
    Path("yesteryear.toml").write_text("context_budget = 800\n")
    lines = run("doctor", "--store", store).stdout.splitlines()
    assert lines[0].startswith("fine   python: ")
    assert [line.split() for line in lines if line.startswith("context_budget")] == [
        ["context_budget", "800", "yesteryear.toml"]
    ]


def test_no_store_yet_is_no_fault_and_none_is_made(run: Run) -> None:
    """It says how to begin one."""
    done = run("doctor", "--json")
    assert done.code == 0
    assert checks(done)["store"]["found"] == "none yet"
    assert list(Path().iterdir()) == []


def test_a_missing_model_is_weak_and_says_what_to_run(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It becomes wrong when that model was asked for by name."""
    monkeypatch.setenv("YESTERYEAR_MODEL_FOLDER", str(tmp_path / "no-model"))
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "auto")
    weak = run("doctor", "--json")
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "minilm")
    wrong = run("doctor", "--json")
    assert (weak.code, checks(weak)["model"]["state"]) == (0, "weak")
    assert (wrong.code, checks(wrong)["model"]["state"]) == (1, "wrong")
    assert checks(weak)["model"]["advice"] == checks(wrong)["model"]["advice"] == "run: yesteryear model install"


def test_a_model_of_an_older_version_is_weak(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Questions are embedded like documents, and talk is read by words, until it is installed once more."""
    contents = {name: name.encode() for name in ("model.onnx", "vocab.txt")}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    about = {"model": MODEL, "source": "", "sha256": hashes, "cosine_mean": 1, "cosine_min": 1, "checked_with": ""}
    (tmp_path / "manifest.json").write_text(json.dumps(about))
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "auto")
    monkeypatch.setenv("YESTERYEAR_MODEL_FOLDER", str(tmp_path))
    made = checks(run("doctor", "--store", store, "--json"))
    for name in ("model", "reader"):
        assert (made[name]["state"], made[name]["advice"]) == ("weak", "run: yesteryear model install")
    assert "older version" in " ".join(run("model", "status").stderr.split())


def test_a_changed_model_is_found_by_its_hash(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Half a file is worse than none."""
    for name in ("model.onnx", "vocab.txt"):
        (tmp_path / name).write_text("cut off")
    (tmp_path / "manifest.json").write_text(
        '{"model": "minilm-l6-v2-int8", "source": "", "sha256": {"model.onnx": "0", "vocab.txt": "0"},'
        ' "cosine_mean": 1, "cosine_min": 1, "checked_with": ""}'
    )
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "auto")
    monkeypatch.setenv("YESTERYEAR_MODEL_FOLDER", str(tmp_path))
    done = run("doctor", "--json")
    assert (done.code, checks(done)["model"]["state"]) == (1, "wrong")
    assert "changed or broken" in checks(done)["model"]["found"]
    assert run("model", "status", "--json").json["error"]["code"] == "provider_unavailable"


def test_work_that_was_given_up_is_found_and_can_be_put_back(run: Run, talk: Path) -> None:
    """`episodes --status failed` shows it, `--retry` makes it due again, and then all is well."""
    run("import", talk, "--user", "ana", "--store", "m.db", "--no-flush")
    clock = yesteryear.ReplayClock(datetime.now(UTC))
    with yesteryear.open("m.db", worker="none", analyst=AwayAnalyst(), clock=clock) as engine:
        memory = engine.memory(user="ana")
        while memory.stats().get("episodes.failed", 0) < 2:
            memory.flush()
            clock.advance(timedelta(hours=1))
    sick = run("doctor", "--store", "m.db", "--json")
    assert (sick.code, checks(sick)["failed work"]["state"]) == (1, "wrong")
    assert "--retry" in checks(sick)["failed work"]["advice"]
    shown = run("episodes", "--status", "failed", "--store", "m.db").stdout
    assert "attempts failed: the analyst is away" in shown
    assert run("episodes", "--retry", "--store", "m.db", "--json").json == {"retried": 2}
    assert run("worker", "--once", "--store", "m.db").code == 0
    assert run("doctor", "--store", "m.db").code == 0
    assert run("episodes", "--retry", "--store", "m.db").stdout == "nothing was given up\n"


def test_work_that_nobody_does_and_workers_that_died_are_told(run: Run, talk: Path) -> None:
    """Neither is wrong: a worker sets both right."""
    run("import", talk, "--user", "ana", "--store", "m.db", "--no-flush")
    with closing(SQLiteStore(Path("m.db"))) as store:
        long_ago = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)

        def make_due(tx: Any) -> None:
            for conversation in tx.conversations.list():
                tx.conversations.save(replace(conversation, due_at=long_ago))

        store.write(Scope(user="ana"), make_due)
    lease("m.db", dead_worker(), hours=1)
    done = run("doctor", "--store", "m.db", "--json")
    assert done.code == 0
    found = checks(done)
    assert found["due work"]["found"] == "waits since 2026-03-03 12:00 UTC"
    assert found["workers"]["found"] == "1 worker died at work"
    assert found["due work"]["state"] == found["workers"]["state"] == "weak"


def test_a_damaged_store_is_a_finding(run: Run, store: Path) -> None:
    """The doctor does not die of it."""
    store.write_bytes(b"this is no database" * 1000)
    done = run("doctor", "--store", store, "--json")
    assert (done.code, checks(done)["store"]["state"]) == (1, "wrong")


def test_a_page_that_was_overwritten_is_found(run: Run, store: Path) -> None:
    """The full check reads the whole file."""
    pages = bytearray(store.read_bytes())
    pages[-4096:] = b"\xff" * 4096
    store.write_bytes(pages)
    done = run("doctor", "--store", store, "--json")
    assert done.code == 1
    assert "wrong" in {check["state"] for check in checks(done).values()}


def test_a_setting_that_does_not_fit_is_a_finding(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its name; the store is not looked at under settings that are wrong."""
    monkeypatch.setenv("YESTERYEAR_EPISODE_MESSAGE_THRESHOLD", "1")
    done = run("doctor", "--store", store, "--json")
    assert (done.code, checks(done)["settings"]["state"]) == (1, "wrong")
    assert "episode_message_threshold" in checks(done)["settings"]["found"]


def test_a_postgres_is_told_with_what_it_stands_on(run: Run, postgres_url: str) -> None:
    """The server, pgvector, whether the role is above row security; no password anywhere."""
    place = postgres_url.replace("://app@", "://app:open-sesame@")
    done = run("doctor", "--store", place, "--json")
    found = checks(done)
    assert "pgvector" in found["server"]["found"]
    assert found["schema"]["state"] == found["row security"]["state"] == found["connections"]["state"] == "fine"
    assert found["durability"]["state"] == "wrong"  # the tests' server does not wait for its disk
    assert found["durability"]["advice"]
    assert "open-sesame" not in done.stdout


def test_a_postgres_whose_role_is_above_row_security_is_weak(run: Run, postgres_url: str) -> None:
    """It works; the second wall is not there."""
    done = run("doctor", "--store", postgres_url.replace("://app@", "://postgres@"), "--json")
    assert checks(done)["row security"]["state"] == "weak"
    assert "BYPASSRLS" in checks(done)["row security"]["advice"]


def test_a_postgres_that_cannot_be_reached_is_wrong(run: Run) -> None:
    """With what to do, and an exit code to tell by."""
    done = run("doctor", "--store", "postgresql://app:open-sesame@127.0.0.1:1/memory", "--json")
    assert done.code == 1
    assert checks(done)["store"]["state"] == "wrong"
    assert "open-sesame" not in done.stdout


def test_without_a_model_named_nothing_leaves_the_machine(run: Run) -> None:
    """And it says so."""
    [check] = [check for check in run("doctor", "--json").json["checks"] if check["name"] == "models"]
    assert check["found"] == "nothing leaves this machine"


def test_a_model_that_refuses_its_key_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only when it is called; without a call the name is all there is to look at."""
    with serving(lambda _, __: refused(401, code="invalid_api_key")) as server:
        monkeypatch.setenv("YESTERYEAR_ANALYST", "openai:tiny")
        monkeypatch.setenv("YESTERYEAR_ANALYST_URL", server.url)
        assert run("doctor").code == 0
        done = run("doctor", "--call")
    assert done.code == 1
    assert "the key for 'openai:tiny' was refused" in done.stdout


@pytest.mark.heavy
def test_models_that_answer_are_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One request each."""
    with serving(lambda _, seen: embedded([[1.0, 0.0]]) if "input" in seen.body else said("Yes")) as server:
        for name in ("ANALYST", "EMBEDDER"):
            monkeypatch.setenv(f"YESTERYEAR_{name}", "openai:tiny")
            monkeypatch.setenv(f"YESTERYEAR_{name}_URL", server.url)
        monkeypatch.setenv("YESTERYEAR_EMBEDDER_DIMENSION", "2")
        done = run("doctor", "--call", "--json")
        assert len(server.seen) == 2
    [check] = [check for check in done.json["checks"] if check["name"] == "models"]
    assert (check["state"], check["found"]) == ("fine", "openai:tiny, openai:tiny: answered")


@pytest.mark.heavy
def test_a_model_without_a_key_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without calling anybody."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("YESTERYEAR_ANALYST", "anthropic:claude-haiku-4-5")
    done = run("doctor")
    assert done.code == 1
    assert "set ANTHROPIC_API_KEY" in done.stdout


def test_b10_a_store_that_others_may_read_is_told(run: Run, store: Path) -> None:
    """Stores of before are; it works, and their owner may want it so."""
    store.chmod(0o644)
    done = run("doctor", "--store", store, "--json")
    assert (done.code, checks(done)["permissions"]["state"]) == (0, "weak")
    assert "memory.db" in checks(done)["permissions"]["found"]
    assert "chmod go-rwx" in checks(done)["permissions"]["advice"]
    store.chmod(0o600)
    assert "permissions" not in checks(run("doctor", "--store", store, "--json"))


@pytest.fixture
def full_store(tmp_path: Path) -> Path:
    """A store with rows of all kinds, some of them long."""
    path = tmp_path / "full.db"
    with yesteryear.open(path, worker="none", embedder="hashing") as engine:
        memory = engine.memory(user="ana")
        for number in range(40):
            walk = "We walked by the river. " * 8 * (number % 7)
            said = f"My sister Lena{number} lives in Porto and I visit her. {walk}"
            memory.observe(said, conversation=f"c{number % 5}")
        memory.flush()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@pytest.mark.parametrize("kind", ["noise", "zeros"])
def test_b24_a_damaged_page_is_named_whatever_it_holds(run: Run, full_store: Path, tmp_path: Path, kind: str) -> None:
    """A memory that was lost silently is worse than one that is known to be; free pages hold nothing to lose."""
    whole = full_store.read_bytes()
    assert run("doctor", "--store", full_store).code == 0
    size = int.from_bytes(whole[16:18], "big")
    random = Random(24)
    pages = len(whole) // size
    silent = []
    for page in random.sample(range(1, pages), min(12, pages - 1)):
        damage = random.randbytes(size) if kind == "noise" else bytes(size)
        broken = tmp_path / "broken.db"
        broken.write_bytes(whole[: page * size] + damage + whole[(page + 1) * size :])
        done = run("doctor", "--store", broken, "--json")
        if done.code == 0:
            silent.append(page)
        else:
            advice = [check["advice"] for check in checks(done).values() if check["state"] == "wrong"]
            assert any("restore it from" in said for said in advice), advice
        for beside in tmp_path.glob("broken.db-*"):
            beside.unlink()
    assert [page for page in silent if page not in free_pages(full_store, size)] == []


@pytest.mark.heavy
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE episode SET digest = substr(digest, 1, 20)",
        "UPDATE episode SET message_ids = '[\"nobody\"]'",
        "UPDATE vector SET vector = zeroblob(length(vector))",
        "UPDATE vector SET vector = zeroblob(3)",
        "UPDATE message SET content = CAST(x'c328' AS TEXT) WHERE seq = 1",
        "UPDATE message SET content = content || CAST(zeroblob(40) AS TEXT) WHERE seq = 1",
        "UPDATE message SET role = 'nobody' WHERE seq = 1",
    ],
)
def test_b24_what_a_look_at_pages_misses_is_found_in_the_rows(run: Run, full_store: Path, statement: str) -> None:
    """Half a digest, a vector of zeros, text that is none: SQLite takes them as they are."""
    with closing(sqlite3.connect(full_store, isolation_level=None)) as connection:
        connection.execute(statement)
    done = run("doctor", "--store", full_store, "--json")
    assert (done.code, checks(done)["pages"]["state"], checks(done)["rows"]["state"]) == (1, "fine", "wrong")
    assert "restore it from" in checks(done)["rows"]["advice"]
    assert "rows" not in checks(run("doctor", "--store", full_store, "--json", "--quick"))


def free_pages(path: Path, size: int) -> set[int]:
    """Return the numbers, from 0, of pages that hold nothing: leaves of the list of free ones."""
    raw, found = path.read_bytes(), set()
    trunk = int.from_bytes(raw[32:36], "big")
    while trunk:
        page = raw[(trunk - 1) * size : trunk * size]
        count = int.from_bytes(page[4:8], "big")
        found |= {int.from_bytes(page[8 + 4 * i : 12 + 4 * i], "big") - 1 for i in range(count)}
        trunk = int.from_bytes(page[:4], "big")
    return found
