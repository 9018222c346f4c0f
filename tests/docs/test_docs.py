"""What the docs show works: their code runs, their links lead somewhere, every command is explained."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from tests.each import each
from yesteryear.cli.app import build_app
from yesteryear.config.settings import HARMLESS, SETTINGS
from yesteryear.policies import OVERRIDABLE

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```python(?P<how>[^\n]*)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
README_CODE_BY_LINE = 25


@dataclass(frozen=True)
class Block:
    """One piece of Python in a page."""

    page: Path
    line: int
    """Number of its first line in the page, from 1."""
    code: str
    runs: bool
    """False for blocks marked ``python no-run``: they need what a test has not, such as somebody's key."""

    def compiled(self) -> object:
        """Return its code, with the line numbers of the page."""
        return compile("\n" * (self.line - 1) + self.code, str(self.page.relative_to(ROOT)), "exec")


def blocks(page: Path) -> Iterator[Block]:
    """Yield the Python of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        how = match["how"].strip()
        assert how in ("", "no-run"), f"{page.name}: a block is marked {how!r}; only no-run is known"
        yield Block(page, text.count("\n", 0, match.start("code")) + 1, match["code"], runs=not how)


def with_code() -> list[Path]:
    """Return the pages that hold Python."""
    return [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", with_code(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks run in order, in one namespace and an empty folder, as somebody would paste them."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        code = block.compiled()
        if block.runs:
            exec(code, namespace)  # type: ignore[call-overload]  # noqa: S102 - that is what this test is for


def test_the_readme_shows_code_early() -> None:
    """Whoever looks for a library wants to see it used before reading about it."""
    first = next(blocks(ROOT / "README.md"))
    assert first.line <= README_CODE_BY_LINE
    assert first.runs


@each("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    """A link to a file that was moved is worse than none."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_command_is_explained() -> None:
    """A command that stands in no page is found by nobody."""
    pages = [ROOT / "README.md", *(ROOT / "docs" / "reference").rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    names = list(command_names(typer.main.get_command(build_app()), "yesteryear"))
    assert len(names) > 10
    assert [name for name in names if not re.search(rf"{name}\b", text)] == []


def test_every_setting_is_explained() -> None:
    """A setting that stands in no page is used by nobody, and a wrong default misleads everybody."""
    rows = re.findall(
        r"^\| `(\w+)` \| `?([^|`]*)`? \|", (ROOT / "docs/reference/settings.md").read_text(), re.MULTILINE
    )
    shown = dict(rows[: len(SETTINGS)])
    assert shown == {
        name: str(known.default).lower() if isinstance(known.default, bool) else str(known.default)
        for name, known in SETTINGS.items()
    }
    assert [name for name, _ in rows[len(SETTINGS) :]] == list(OVERRIDABLE)


def test_b04_what_any_folder_may_set_is_explained() -> None:
    """Whoever writes a file for a project has to know what will be taken from it."""
    text = (ROOT / "docs/reference/settings.md").read_text()
    marked = dict(re.findall(r"^\| `(\w+)` \|[^|]*\| (any folder|) \| ", text, re.MULTILINE))
    assert marked == {name: "any folder" if name in HARMLESS else "" for name in SETTINGS}


def command_names(command: object, name: str) -> Iterator[str]:
    """Yield the full names of all commands below a group, such as ``yesteryear model install``."""
    below = getattr(command, "commands", {})
    if not below:
        yield name
    for part, child in below.items():
        yield from command_names(child, f"{name} {part}")
