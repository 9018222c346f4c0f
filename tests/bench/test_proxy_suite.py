"""The proxy suite measures real servers on sockets and says how ours stands to a bare one."""

from __future__ import annotations

from pathlib import Path

import pytest

from yesteryear.errors import InputError
from yesteryear_lab.bench.suites import run_suite


@pytest.mark.heavy
def test_the_proxy_suite_compares_with_a_bare_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request is in the rows; without a user nothing is recalled, with one something is, or it was late."""
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "hashing")
    options = {"rounds": "20", "runs": "1", "memories": "40", "folder": str(tmp_path)}
    report = run_suite("proxy", data=None, rows=True, options=options, on_progress=lambda _: None)
    metrics, rows = report["metrics"], report["rows"]
    assert isinstance(metrics, dict)
    assert isinstance(rows, list)
    assert {name: sum(row["way"] == name for row in rows) for name in ("bare", "off", "beside", "on")} == {
        "bare": 20,
        "off": 20,
        "beside": 20,
        "on": 20,
    }
    assert {row["memory"] for row in rows if row["way"] == "off"} == {"none"}
    assert metrics["on_used_share"] + metrics["on_late_share"] == 1
    assert metrics["off_p50_first_ratio"] > 0


def test_the_proxy_suite_makes_its_own_talk(tmp_path: Path) -> None:
    """Data or absurd options are refused."""
    with pytest.raises(InputError, match="leave --data out"):
        run_suite("proxy", data=tmp_path, rows=False, options={}, on_progress=lambda _: None)
    with pytest.raises(InputError, match="rounds is at least 20"):
        run_suite("proxy", data=None, rows=False, options={"rounds": "1"}, on_progress=lambda _: None)
