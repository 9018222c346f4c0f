"""Labelled pairs of statements, as the judge meets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from yesteryear.core.heads.codec import fingerprint
from yesteryear.core.verdicts import Claim, ClaimPair, PairVerdict
from yesteryear.errors import InputError
from yesteryear_lab.training.rows import Row, read_rows

_LABELS: Mapping[str, PairVerdict] = {**{each.value: each for each in PairVerdict}, "coexist": PairVerdict.COEXISTS}
_NEEDS = ("id", "a", "b", "verdict")


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two statements and what the later does to the earlier."""

    id: str
    pair: ClaimPair
    gold: PairVerdict

    @property
    def texts(self) -> tuple[str, str]:
        """What both say."""
        return self.pair.earlier.text, self.pair.later.text

    @property
    def fingerprint(self) -> str:
        """What stands for the row among those a head was trained on."""
        return fingerprint(self.texts)


def read_pair_rows(path: Path) -> list[PairRow]:
    """Read a file of labelled pairs.

    Args:
        path: Of JSON Lines: ``{id, a: {text, at}, b: {text, at}, verdict}``; ``at`` is a date or an instant, in UTC
            where no offset is named, and ``a`` is the statement said earlier.

    Raises:
        InputError: the file is missing or has no rows, or a row is no labelled pair; names the row.
    """
    rows = [_parse(row, path.name) for row in read_rows(path.parent, path.name, needs=_NEEDS)]
    if not rows:
        raise InputError(f"{path} has no rows; each line is an object with {', '.join(_NEEDS)}")
    return rows


def _parse(row: Row, name: str) -> PairRow:
    where = f"{name}, row {row['id']!r}"
    if row["verdict"] not in _LABELS:
        raise InputError(f"{where}: verdict is one of {', '.join(_LABELS)}, not {row['verdict']!r}")
    pair = ClaimPair(*(_claim(row[side], f"{where}, {side}") for side in ("a", "b")))
    return PairRow(str(row["id"]), pair, _LABELS[row["verdict"]])


def _claim(said: object, where: str) -> Claim:
    text, at = (said.get("text"), said.get("at")) if isinstance(said, Mapping) else (None, None)
    if not isinstance(text, str) or not text.strip() or not isinstance(at, str):
        raise InputError(f"{where}: an object with text and at is expected")
    try:
        instant = datetime.fromisoformat(at)
    except ValueError as exc:
        raise InputError(f"{where}: at is a date or an instant, such as 2026-01-03, not {at!r}") from exc
    return Claim(text, instant.replace(tzinfo=instant.tzinfo or UTC))
