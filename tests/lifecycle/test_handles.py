"""A process that may open no more files says so, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sampled

SCRIPT = """
import os, resource, sys
import yesteryear

engine = yesteryear.open(sys.argv[1], embedder="hashing", worker="none")
memory = engine.memory(user="ana")
memory.observe("I live in Porto.")
if sys.argv[2] == "later":
    memory.facts()  # a connection to read with is open
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
try:
    while True:
        os.open(os.devnull, os.O_RDONLY)
except OSError:
    pass
calls = {
    "context": lambda: memory.context("Where do I live?"),
    "open": lambda: yesteryear.open(sys.argv[1] + "2", embedder="hashing", worker="none"),
    "export": lambda: memory.export(sys.argv[1] + ".zip"),
    "import": lambda: memory.import_(sys.argv[1] + ".zip"),
}
for name, call in calls.items():
    try:
        call()
        print(name, "ok")
    except yesteryear.errors.StorageUnavailable as exc:
        print(name, "ulimit -n" in str(exc))
"""


@pytest.mark.parametrize("when", ["at once", "later"])
def test_b23_missing_handles_are_told_as_such(tmp_path: Path, when: str) -> None:
    """A raw OSError of some file that was read for the first time, or advice about permissions, helps nobody."""
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "memory.db"), when]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["context", "True", "open", "True", "export", "True", "import", "True"], done.stderr
