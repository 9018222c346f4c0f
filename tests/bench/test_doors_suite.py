"""The doors suite tells every figure it promises, and notices what a server loses or refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from yesteryear.errors import InputError, YesteryearError
from yesteryear_lab.bench.load.processes import Client, Server
from yesteryear_lab.bench.suites import run_suite

SMALLEST: dict[str, str] = {
    "messages": "30",
    "pairs": "20",
    "runs": "1",
    "clients": "6",
    "people": "2",
    "seconds": "0.5",
    "embedder": "hashing",
}


def run(**options: str) -> dict[str, Any]:
    """Run the suite and return its report."""
    return run_suite("doors", data=None, rows=True, options=options, on_progress=lambda _: None)


@pytest.mark.heavy
def test_it_tells_all_its_figures(tmp_path: Path) -> None:
    """The ratio can be computed from the rows, nothing is lost, and nothing is left in the folder."""
    report = run(folder=str(tmp_path), **SMALLEST)
    metrics = report["metrics"]
    assert len(report["rows"]) == 20
    times = {name: sorted(row[name] for row in report["rows"])[10] for name in ("ours_ms", "bare_ms")}
    assert metrics["context_p50_ratio"] == pytest.approx(times["ours_ms"] / times["bare_ms"], abs=0.01)
    assert report["baselines"]["bare"]["context_p50_ms"] > 0
    assert metrics["context_call_p50_ms"] > 0
    assert metrics["context_endpoint_p50_ms"] > 0
    assert (metrics["crowd_errors"], metrics["crowd_lost"], metrics["crowd_unfinished"]) == (0, 0, 0)
    assert metrics["crowd_acknowledged"] >= 6
    assert metrics["crowd_requests"] == 2 * metrics["crowd_acknowledged"]
    assert json.loads(json.dumps(report)) == report
    assert list(tmp_path.iterdir()) == []


@each(
    "few",
    [{"messages": "3"}, {"pairs": "3"}, {"runs": "0"}, {"clients": "0"}, {"people": "0"}, {"seconds": "0"}],
)
def test_too_little_to_measure_is_refused(few: dict[str, str]) -> None:
    """The message says how much it takes."""
    with pytest.raises(InputError, match=r"at least|above"):
        run(**few)


@pytest.mark.heavy
def test_its_client_notices_what_goes_wrong(tmp_path: Path) -> None:
    """A refusal is no success, and a server that is gone is an error."""
    with Server("doors", str(tmp_path / "memory.db"), "none", "hashing") as server:
        client = Client(server.port, "ana")
        with pytest.raises(YesteryearError, match="422"):
            client.post("/v1/context", {"message": "Lena?", "budget": -1})
        client.close()
        server.stop()
        with pytest.raises(OSError, match="refused"):
            client.post("/v1/context", {"message": "Lena?"})
