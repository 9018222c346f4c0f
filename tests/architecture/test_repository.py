"""What the files of the repository must hold, and must not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import ROOT
from tests.each import each

TEXT = {".py", ".md", ".toml", ".sql", ".json", ".jsonl", ".txt", ".cfg", ".yaml", ".yml", ".lock", ""}
PLACES = ("src", "lab/yesteryear_lab", "tests", "docs", "examples", "tools", ".ci")
MADE = ("__pycache__", "weights")

OF_ONE_MACHINE = [
    re.compile(form)
    for form in (
        r"/(?<![\w.]/)(?:home|Users|root|work|opt|mnt)/\w+",
        r":(?<=\b[A-Z]:)\\\\?Users\b",
        r"(?:pypi|pythonhosted|npmjs|crates|debian)\.(?:org|com|io)\b",
        r"1(?<!\w1)(?:0|92\.168|72\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}\b",
    )
]
"""Home folders and other absolute folders, hosts of registries, addresses of private networks.

Each begins with what is rare, and looks at what stands before it afterwards: a search takes a tenth of the time.
"""


def machines_in(text: str) -> list[str]:
    """Return what names one machine in a text."""
    return [match[0] for form in OF_ONE_MACHINE for match in form.finditer(text)]


def text_files() -> Iterator[Path]:
    """Yield the text files of the repository."""
    inside = (path for place in PLACES for path in (ROOT / place).rglob("*"))
    for path in (*ROOT.iterdir(), *inside):
        parts = path.relative_to(ROOT).parts
        is_made = any(part in MADE or (part.startswith(".") and part not in PLACES) for part in parts[:-1])
        if path.is_file() and path.suffix in TEXT and not is_made:
            yield path


def test_no_file_names_a_machine() -> None:
    """A path or host of one machine means nothing on another, and may tell what nobody should know."""
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in text_files()
        if path != Path(__file__)
        for name in machines_in(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@each("text", ["see /home/ana/notes", "/Users/ana", "C:\\Users\\ana", "https://pypi.org/simple", "at 192.168.1.7"])
def test_machines_are_recognised(text: str) -> None:
    """The search above must find what it is for."""
    assert machines_in(text)


@each("text", ["docs/home/start.md", "10.5 days", "127.0.0.1", "python.org", "GET /users/1"])
def test_ordinary_text_names_no_machine(text: str) -> None:
    """A search that finds everything will be switched off."""
    assert not machines_in(text)


def test_the_licence_and_notices_are_there() -> None:
    """Others may use this only if they can read on which terms."""
    assert "Version 2.0, January 2004" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "sentence-transformers/all-MiniLM-L6-v2" in (ROOT / "NOTICE").read_text(encoding="utf-8")
