"""What the docs say of the REST door is so: its description is current, and the commands of the how-to run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.doors.rest.description import describe
from tests.doors.rest.house import House
from tools import make_openapi

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "how-to" / "rest.md"
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:8377/v1"
"""Of the server, in the how-to."""


def test_the_description_is_current() -> None:
    """``make openapi`` writes it."""
    assert make_openapi.TARGET.read_text(encoding="utf-8") == make_openapi.describe(), "run: make openapi"


@pytest.mark.heavy
@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="the how-to uses curl and jq")
def test_the_commands_of_the_how_to_run(some_house: House, tmp_path: Path) -> None:
    """In order, in one shell, as somebody would paste them; each ends well."""
    text = PAGE.read_text(encoding="utf-8")
    assert ADDRESS in text
    script = "set -euo pipefail\n" + "\n".join(SHELL.findall(text)).replace(ADDRESS, f"{some_house.url}/v1")
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "Lisbon" in done.stdout


def test_the_how_to_names_every_operation() -> None:
    """A path that is new has to be explained."""
    text = PAGE.read_text(encoding="utf-8")
    missing = [path for path in describe()["paths"] if path.removeprefix("/v1") not in text]
    assert not missing
