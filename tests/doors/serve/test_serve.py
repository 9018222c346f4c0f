"""``yesteryear serve`` as operators meet it: where it listens, how it stops, what survives."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import httpx
import pytest

import yesteryear
from tests.doors.serve.stage import MAIN, WAIT_S, Running, all_messages, kept, rough_door, started, yesteryear_serve
from yesteryear.config.trust import TrustedFolders, config_folder
from yesteryear_lab.postgres_server import PostgresServer

ANA = {"x-yesteryear-user": "ana"}


def test_it_says_where_it_listens_and_answers_there(tmp_path: Path) -> None:
    """On the loopback address, without a key; the port is free; nothing but JSON on stdout with --json."""
    with yesteryear_serve("memory.db", tmp_path) as (server, said):
        assert said["url"] == server.url
        assert any("model install" in note for note in said["notes"]) or said["notes"] == []
        assert httpx.get(f"{server.url}/health/ready").json()["checks"] == {
            "store": True,
            "schema": True,
            "worker": True,
        }
        assert server.stop() == 0
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""
    log = server.log.read_text()
    assert f"listening at {server.url}" in log
    assert "/health/ready" in log
    assert log.splitlines()[-1] == "stopped"


@pytest.mark.heavy
def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    """With what to do; no store is made for it."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        code, log = run_serve(tmp_path, "--port", port)
    assert code == 1
    assert f"cannot listen at 127.0.0.1, port {port}" in log
    assert "--port" in log
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.heavy
def test_other_machines_are_not_let_in_without_keys(tmp_path: Path) -> None:
    """Where others can reach it, everybody has to say who they are; on this machine too."""
    with yesteryear_serve("memory.db", tmp_path, "--host", "0.0.0.0") as (server, said):  # noqa: S104 - for the test
        url = said["url"].replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        assert [httpx.get(f"{url}{path}", headers=ANA).status_code for path in ("/v1/stats", "/health/live")] == [
            401,
            200,
        ]
        assert server.stop() == 0


@pytest.mark.heavy
def test_the_gate_cannot_be_left_open_to_other_machines(tmp_path: Path) -> None:
    """It says what to do."""
    code, log = run_serve(tmp_path, "--host", "0.0.0.0", YESTERYEAR_AUTH="off")  # noqa: S104
    assert code == 1
    assert "yesteryear key create" in log


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("name", "value"), [("SERVE_PORT", "tcp://service:8377"), ("SERVE_PORT", "70000"), ("SERVE_BODY_MB", "-1")]
)
def test_a_setting_that_does_not_fit_is_told(tmp_path: Path, name: str, value: str) -> None:
    """By its name, and nothing is served."""
    code, log = run_serve(tmp_path, **{f"YESTERYEAR_{name}": value})
    assert code == 1
    assert name.lower() in log.lower()


@pytest.mark.heavy
@pytest.mark.parametrize("module", ["uvicorn", "fastapi", "prometheus_client"])
def test_what_is_not_installed_is_told(tmp_path: Path, module: str) -> None:
    """With the extra that brings it."""
    (tmp_path / f"{module}.py").write_text("raise ImportError('not here')\n")
    code, log = run_serve(tmp_path)
    assert code == 1
    assert "pip install 'yesteryear[server]'" in log


@pytest.mark.heavy
def test_settings_reach_the_guards(tmp_path: Path) -> None:
    """Hosts, the longest body, the access log and the worker."""
    file = tmp_path / "yesteryear.toml"
    file.write_text('serve_hosts = "memory.example, other.example"\nserve_body_mb = 1\naccess_log = false\n')
    TrustedFolders(config_folder()).allow(file, file.read_bytes())
    with yesteryear_serve("memory.db", tmp_path, "--no-worker") as (server, _):
        for host, status in (("other.example", 303), ("evil.example", 421)):
            assert httpx.get(server.url, headers={"host": host}).status_code == status
        assert httpx.post(server.url, content=b"x" * 1024 * 1025).status_code == 413
        assert "yesteryear_worker_alive 0.0" in httpx.get(f"{server.url}/metrics").text
        assert server.log_lines() == []


@pytest.mark.heavy
def test_the_bare_address_leads_to_the_pages(tmp_path: Path) -> None:
    """Whoever opens what was printed sees something; a path that is not there says where to look."""
    with yesteryear_serve("memory.db", tmp_path, "--no-worker") as (server, _):
        shown = httpx.get(server.url, follow_redirects=True)
        assert (shown.status_code, shown.url.path) == (200, "/mind")
        assert "/openapi.json" in httpx.get(f"{server.url}/v1").json()["detail"]


@pytest.mark.heavy
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_requests_finish(tmp_path: Path, number: signal.Signals) -> None:
    """Who was asked before is answered, nobody is afterwards, and what was put off is written."""
    with rough_door(tmp_path / "memory.db") as server, httpx.Client(base_url=server.url) as client:
        client.post("/rough/later", content="a word in the background").raise_for_status()
        answers: list[str] = []
        asking = threading.Thread(target=lambda: answers.append(client.get("/rough/slow/1").text))
        asking.start()
        assert server.process.stdout is not None
        assert server.process.stdout.readline() == "slow\n"
        server.process.send_signal(number)
        wait_until_deaf(server)
        asking.join()
        assert server.process.wait(WAIT_S) == 0
    assert answers == ["done"]
    with yesteryear.open(tmp_path / "memory.db", worker="none", embedder="hashing") as engine:
        assert [message.content for message in all_messages(engine.memory(user="ana"))] == ["a word in the background"]


@pytest.mark.heavy
def test_it_does_not_wait_for_ever(tmp_path: Path) -> None:
    """A request that takes longer than serve_stop_timeout is cut off; a client who only holds a connection is too."""
    with rough_door(tmp_path / "memory.db") as server, server.connect() as connection, server.connect():
        connection.sendall(b"GET /rough/slow/300 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert server.process.stdout is not None
        assert server.process.stdout.readline() == "slow\n"
        assert server.stop() == 0


@pytest.mark.heavy
def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    """The process ends as one that was killed does; what was acknowledged stays."""
    with rough_door(tmp_path / "memory.db") as server:
        httpx.post(f"{server.url}/v1/messages", json={"content": "I moved.", "id": "m-1"}, headers=ANA)
        with server.connect() as connection:  # only now: one that asks nothing for long is closed
            connection.sendall(b"GET /rough/slow/300 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert server.process.stdout is not None
            assert server.process.stdout.readline() == "slow\n"
            server.process.terminate()
            wait_until_deaf(server)  # two signals that come at once are one
            assert server.process.poll() is None
            server.process.terminate()
            assert server.process.wait(WAIT_S) == 128 + signal.SIGTERM
    assert kept(tmp_path / "memory.db") == ["m-1"]


@pytest.mark.heavy
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_what_was_acknowledged_survives_the_end(tmp_path: Path, end: signal.Signals) -> None:
    """Eight clients write while the server ends, three times over, with the worker at work; nothing is there twice."""
    store, acknowledged = tmp_path / "memory.db", set[str]()
    for life in range(3):
        with rough_door(store) as server:
            writers = [
                threading.Thread(target=write_until_it_ends, args=(server, f"{life}-{number}", acknowledged))
                for number in range(8)
            ]
            enough, patience = len(acknowledged) + 15, time.monotonic() + WAIT_S
            for writer in writers:
                writer.start()
            while len(acknowledged) < enough and time.monotonic() < patience:
                time.sleep(0.05)
            server.process.send_signal(end)
            server.process.wait(WAIT_S)
            for writer in writers:
                writer.join()
    found = kept(store)
    assert len(acknowledged) > 30
    assert acknowledged <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.heavy
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """The small form of the above."""
    with rough_door(tmp_path / "memory.db") as server:
        for number in range(5):
            said = {"content": "I moved.", "id": f"m-{number}"}
            httpx.post(f"{server.url}/v1/messages", json=said, headers=ANA).raise_for_status()
        server.process.kill()
    assert kept(tmp_path / "memory.db") == [f"m-{number}" for number in range(5)]


def wait_until_deaf(server: Running) -> None:
    """Wait until a server that was told to stop takes no connection any more; it may still answer on those it has."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            server.connect().close()
        except OSError:
            return
        time.sleep(0.02)
    raise AssertionError("it goes on listening")


def write_until_it_ends(server: Running, name: str, acknowledged: set[str]) -> None:
    """Send messages one after another until nobody answers, and note which were taken."""
    with httpx.Client(base_url=server.url, headers=ANA) as client:
        for number in range(10_000):
            said = {"content": f"I ran {number} miles.", "conversation": name, "id": f"{name}-{number}"}
            try:
                reply = client.post("/v1/messages", json=said)
            except httpx.HTTPError:
                return
            if reply.status_code == 201:
                acknowledged.add(said["id"])


@pytest.mark.heavy
def test_processes_share_a_postgres(postgres_url: str, tmp_path: Path) -> None:
    """Two that serve without a worker, each at its port, and one that only works."""
    door = ["-m", "yesteryear_lab.bench.load.servers", "doors"]
    with (
        started([*door, postgres_url, "none", "hashing"], tmp_path) as (
            first,
            _,
        ),
        started([*door, postgres_url, "none", "hashing"], tmp_path) as (
            second,
            _,
        ),
    ):
        ports = [int(process.stdout.readline()) for process in (first, second) if process.stdout is not None]
        for number, port in enumerate([*ports, *ports]):
            said = {"content": f"I ran {number} miles before breakfast.", "id": f"m-{number}"}
            httpx.post(f"http://127.0.0.1:{port}/v1/messages", json=said, headers=ANA).raise_for_status()
        worker = ["-c", MAIN, "worker", "--once", "--store", postgres_url]
        with yesteryear.open(postgres_url, worker="none", embedder="hashing") as engine:
            engine.memory(user="ana").close_episode()
        with started(worker, tmp_path) as (process, log):
            assert process.wait(WAIT_S) == 0, log.read_text()
        found = httpx.post(f"http://127.0.0.1:{ports[0]}/v1/context", json={"message": "miles"}, headers=ANA).json()
        assert "3 miles before breakfast" in found["text"]
        with yesteryear.open(postgres_url, worker="none", embedder="hashing") as engine:
            assert engine.memory(user="ana").stats()["episodes.active"] == 1


@pytest.mark.heavy
def test_a_postgres_that_dies_makes_unready_until_it_is_back(tmp_path: Path) -> None:
    """The process lives on, and answers again without being started anew."""
    with PostgresServer() as database:
        database.execute("CREATE ROLE app LOGIN", "CREATE DATABASE memory OWNER app")
        database.execute("CREATE EXTENSION vector", database="memory")
        with yesteryear_serve(database.url("memory", role="app"), tmp_path, "--no-worker") as (server, _):
            assert httpx.get(f"{server.url}/health/ready").status_code == 200
            database.kill()
            assert httpx.get(f"{server.url}/health/ready", timeout=WAIT_S).status_code == 503
            assert server.is_alive()
            database.start()
            ready = httpx.get(f"{server.url}/health/ready", timeout=WAIT_S)
            assert ready.status_code == 200, server.log.read_text()


@pytest.mark.heavy
def test_b16_cookies_are_for_tls_alone_where_tls_is_in_front(tmp_path: Path) -> None:
    """The key that somebody logged in with would be sent in the clear by the first link without TLS."""
    store = str(tmp_path / "memory.db")
    with yesteryear_serve(store, tmp_path, YESTERYEAR_AUTH="on") as (server, _):
        for headers, is_secure in (({}, False), ({"x-forwarded-proto": "https"}, True)):
            page = httpx.get(f"{server.url}/mind/login", headers=headers)
            assert ("secure" in page.headers["set-cookie"].lower()) is is_secure
    with yesteryear_serve(store, tmp_path, YESTERYEAR_AUTH="on", YESTERYEAR_SERVE_URL="https://memory.example") as (
        server,
        _,
    ):
        page = httpx.get(f"{server.url}/mind/login", headers={"host": "memory.example"})
        assert "secure" in page.headers["set-cookie"].lower()
        assert page.headers["strict-transport-security"].startswith("max-age=")
    assert "serve_url" in run_serve(tmp_path, YESTERYEAR_SERVE_URL="memory.example")[1]


@pytest.mark.heavy
def test_b25_what_needs_no_key_holds_no_memory_and_is_told(tmp_path: Path) -> None:
    """The description of the doors is the same for everybody, and the how-to says that everybody gets it."""
    with yesteryear_serve(str(tmp_path / "memory.db"), tmp_path, YESTERYEAR_AUTH="on") as (server, _):
        told = (Path(__file__).parents[3] / "docs/how-to/secure-a-server.md").read_text(encoding="utf-8")
        for path in ("/openapi.json", "/health/live", "/health/ready", "/metrics", "/mind/login"):
            assert httpx.get(f"{server.url}{path}").status_code == 200
            assert f"`{path}`" in told
        for path in ("/v1/facts", "/v1/events", "/mcp", "/v1/export"):
            assert httpx.get(f"{server.url}{path}").status_code in (401, 405)


def run_serve(folder: Path, *options: str, **environ: str) -> tuple[int, str]:
    """Run ``yesteryear serve`` until it ends by itself; return its exit code and what it said."""
    command = ["-c", MAIN, "serve", "--store", str(folder / "memory.db"), *options]
    with started(command, folder, **environ) as (process, log):
        try:
            code = process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            pytest.fail(f"it serves: {log.read_text()}")
        return code, log.read_text()
