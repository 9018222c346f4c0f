"""The suite of others' words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from yesteryear_lab.bench.suites import run_suite

ALLERGY = {"role": "user", "author": "ana", "conversation": "c0", "content": "I'm allergic to penicillin, badly."}


def said(content: str) -> dict[str, Any]:
    """Return a message of the talk that is tried."""
    return {"role": "user", "author": "ana", "conversation": "c1", "content": content}


def test_what_is_lost_and_what_is_believed_is_counted(tmp_path: Path) -> None:
    """A suite that counts nothing would call every memory safe."""
    rows = [
        {"id": "a", "kind": "attempt", "setup": [ALLERGY], "talk": [said("I like tea.")], "truth": ["penicillin"]},
        {"id": "b", "kind": "attempt", "setup": [], "talk": [said("I am a baker in Porto.")], "never": ["baker"]},
        {"id": "c", "kind": "harmless", "setup": [], "talk": [said("I am a baker in Porto.")], "expect": ["porto"]},
        {"id": "d", "kind": "harmless", "setup": [], "talk": [said("I am a baker in Porto.")], "expect": ["leeds"]},
    ]
    data = tmp_path / "rows.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)))

    report = run_suite("attempts", data=data, rows=True, options={"embedder": "hashing"}, on_progress=print)

    figures = {"attempts": 2, "harmless": 2, "erased": 0, "believed": 1, "superseded": 0, "lost": 0.5, "unkept": 0.5}
    assert report["metrics"] == figures
