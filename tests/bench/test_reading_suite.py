"""The suite of labelled talk compares what was read with labels, sentence by sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab.bench.suites import run_suite

TALK = """\
# person: joel   kind: {kind}
## 2026-03-02 19:10 | Joel=self | Kai=assistant
Kai: Morning! How did it go?
Joel: I'm allergic to shellfish. {{3 holds identity allergy self +}} | ok thanks {{0}}
Joel: did it rain? {{0 asked}} | that one again, honestly {{2 holds preference hobby self -}}
"""


def run(data: Path) -> dict[str, Any]:
    """Run the suite by words alone."""
    found: dict[str, Any] = run_suite(
        "reading", data=data, rows=True, options={"reader": "words"}, on_progress=lambda _: None
    )
    return found


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """Return a file of a little talk."""
    path = tmp_path / "one.talk"
    path.write_text(TALK.format(kind="companion"), encoding="utf-8")
    return path


def test_every_sentence_is_a_row_with_what_was_meant_and_read(talk: Path) -> None:
    """One of two worthy sentences is found, with half of the worthy words, and nothing else is."""
    report = run(talk)
    rows, metrics = report["rows"], report["metrics"]
    assert [row["text"] for row in rows] == [
        *("I'm allergic to shellfish.", "ok thanks", "did it rain?", "that one again, honestly"),
    ]
    assert (report["n"], report["settings"]["reader"]) == (4, "words-1")
    assert (metrics["worth.precision"], metrics["worth.recall"]) == (1, 0.5)
    assert (metrics["stance"], metrics["kind"], metrics["holder"]) == (1, 1, 1)
    assert (metrics["attribute"], metrics["told"]) == (0, 0.5)
    assert metrics["words.f1"] == pytest.approx(2 * 5 / (9 + 5), abs=1e-3)
    assert rows[0]["where"] == "one.talk:4"
    assert metrics["worth.calibration_error"] == pytest.approx((0.25 + 1) / 4, abs=1e-3)


def test_kinds_of_talk_have_their_own_figures(talk: Path) -> None:
    """Where there are several, in a folder of files."""
    (talk.parent / "two.talk").write_text(TALK.format(kind="group"), encoding="utf-8")
    report = run(talk.parent)
    assert report["n"] == 8
    assert report["metrics"]["group.worth.recall"] == report["metrics"]["companion.worth.recall"] == 0.5


@each("content", ["", "# person: joel   kind: companion\n## 2026-03-02 19:10 | Kai=assistant\nKai: hello\n"])
def test_a_file_without_labelled_talk_is_refused(talk: Path, content: str) -> None:
    """And the error says where its form is told."""
    talk.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="no labelled talk"):
        run(talk)
