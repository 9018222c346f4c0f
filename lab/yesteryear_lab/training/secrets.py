"""The head that tells a secret by its shape and the words around it; see ``core.secrets.likely``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from yesteryear.core.heads import LinearHead
from yesteryear.core.secrets.likely import HEAD, LEAST_LOGIT, ORDINARY, SECRET, SecretCandidate, bag_of, candidates
from yesteryear.core.secrets.redact import redact
from yesteryear.core.secrets.spans import Piece, fold
from yesteryear.errors import InputError
from yesteryear_lab.figures import mean
from yesteryear_lab.training.fit import FitPolicy, deal_folds, regression_of
from yesteryear_lab.training.recipe import Fitted, Materials, Table
from yesteryear_lab.training.rows import read_rows
from yesteryear_lab.training.weights import fingerprint, rounded

_FILE = "secrets.jsonl"
_HELD_OUT = Path("held-out")
_LONGEST_TALK = 400  # longest text, in characters, of other labelled rows that is taken for talk without a secret
_FEWEST_ROWS = 2  # a feature of fewer words says nothing that holds elsewhere
_LEAST_WEIGHT = 0.08  # smaller weights, in log odds, are left out
_POLICY = FitPolicy(inverse_l2=1.0)


@dataclass(frozen=True, slots=True)
class _Row:
    text: str
    secret: str | None

    def candidates(self) -> list[SecretCandidate]:
        folded = fold(self.text).text
        piece = Piece(folded, folded.lower())
        bag = bag_of(piece)
        return [one._replace(features=one.features | bag) for one in candidates(piece)]

    def is_secret(self, one: SecretCandidate) -> bool:
        """Tell whether a candidate is the secret, or a part of it."""
        secret = "" if self.secret is None else fold(self.secret).text
        word = fold(self.text).text[one.start : one.end]
        return bool(secret) and (word in secret or secret in word)


class SecretsRecipe:
    """Trains on the labelled secrets, and on other labelled talk, which has none that the rules would not find."""

    name = HEAD
    about = (
        "Tells whether a word is a secret: reads its shape, and the words around it with their parts of four "
        "letters. It adds to the rules of `core/secrets`, and takes nothing from them. Reads no vectors."
    )

    def fit(self, materials: Materials) -> Fitted:
        """Train on all rows but those held out."""
        rows, talk = _read(materials.rows / _FILE), _talk(materials.rows)
        seen = frozenset(fingerprint([row.text]) for row in rows)
        counts = ((_FILE, len(rows)), *((name, len(texts)) for name, texts in talk.items()))
        return Fitted((_fit([*rows, *chain(*talk.values())]),), seen, counts)

    def cross_validate(self, materials: Materials) -> Sequence[Table]:
        """Judge by folds, and by the rows held out."""
        rows, talk = _read(materials.rows / _FILE), list(chain(*_talk(materials.rows).values()))
        materials.on_progress(f"{self.name}: {len(rows)} rows, {len(talk)} texts of other talk")
        flagged: list[tuple[_Row, bool]] = []
        for train, test in deal_folds(["" if row.secret is None else SECRET for row in rows], range(len(rows))):
            half = [one for number, one in enumerate(talk) if number % 2]
            head = _fit([*(rows[at] for at in train.tolist()), *half])
            flagged += [(rows[at], _flags(head, rows[at])) for at in test.tolist()]
        head = _fit([*rows, *talk])
        held = sorted((materials.rows / _HELD_OUT).glob("secrets*.jsonl"))
        figures = [_figures(flagged)]
        figures += [_figures([(row, _flags(head, row)) for row in _read(path)]) for path in held]
        names = ("leaks, rules alone", "leaks, with the head", "false, rules alone", "false, with the head")
        title = "what is cut out of texts with a secret, and of such as only look so; shares"
        columns = ("folds", *((_HELD_OUT / path.name).as_posix() for path in held))
        note = "The rules were written with the rows of the folds in sight, not with those held out."
        return (Table(title, columns, tuple(zip(names, zip(*figures, strict=True), strict=True)), note),)


def _read(path: Path) -> list[_Row]:
    return [_Row(row["text"], row["secret"]) for row in read_rows(path, needs=("text", "secret"))]


def _talk(folder: Path) -> dict[str, list[_Row]]:
    """Return, by file, other labelled texts with a word that could be a secret and none that the rules find."""
    found: dict[str, list[_Row]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        lines = [] if path.name == _FILE else path.read_text(encoding="utf-8").splitlines()
        texts = dict.fromkeys(text for line in lines for text in _texts(json.loads(line)))
        rows = [_Row(text, None) for text in texts if " " in text and len(text) <= _LONGEST_TALK]
        rows = [row for row in rows if row.candidates() and not redact(row.text, guesses=False).kinds]
        if rows:
            found[path.name] = rows
    return found


def _texts(entry: Any) -> Iterator[str]:  # noqa: ANN401 - whatever stands in a row
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict | list):
        for below in entry.values() if isinstance(entry, dict) else entry:
            yield from _texts(below)


def _fit(rows: Sequence[_Row]) -> LinearHead:
    words = [(one.features, row.is_secret(one)) for row in rows for one in row.candidates()]
    counts = Counter(name for features, _ in words for name in features)
    names = sorted(name for name, count in counts.items() if count >= _FEWEST_ROWS)
    places = {name: place for place, name in enumerate(names)}
    columns = np.zeros((len(words), len(names)))
    for number, (features, _) in enumerate(words):
        columns[number, [places[name] for name in features if name in places]] = 1
    regression = regression_of(_POLICY)
    regression.fit(columns, [is_secret for _, is_secret in words])
    odds = np.asarray(regression.coef_)[0]
    kept = np.flatnonzero(np.abs(odds) >= _LEAST_WEIGHT)
    half, bias = odds[kept] / 2, float(regression.intercept_[0]) / 2
    return rounded(
        LinearHead(
            name=HEAD,
            classes=(ORDINARY, SECRET),
            features=tuple(names[place] for place in kept.tolist()),
            mean=np.zeros(len(kept), dtype=np.float32),
            scale=np.ones(len(kept), dtype=np.float32),
            weights=np.vstack([-half, half]).astype(np.float32),
            bias=np.array([-bias, bias], dtype=np.float32),
        )
    )


def _flags(head: LinearHead, row: _Row) -> bool:
    """Tell whether the head takes a word of the row's secret for one; of a row without, any word."""
    odds = dict(zip(head.features, (head.weights[1] - head.weights[0]).tolist(), strict=True))
    bias = float(head.bias[1] - head.bias[0])
    return any(
        bias + sum(odds.get(name, 0.0) for name in one.features) >= LEAST_LOGIT
        for one in row.candidates()
        if row.secret is None or row.is_secret(one)
    )


def _figures(flagged: Sequence[tuple[_Row, bool]]) -> tuple[float, float, float, float]:
    """Return the shares of leaks and of false ones, each by the rules alone and with the head."""
    ruled = [(row, redact(row.text, guesses=False).text, is_found) for row, is_found in flagged]
    leaks = [(row.secret in text, is_found) for row, text, is_found in ruled if row.secret]
    false = [(text != row.text, is_found) for row, text, is_found in ruled if row.secret is None]
    if not (leaks and false):
        raise InputError("rows with a secret and rows without one are needed, or nothing can be said of either")
    return (
        mean(is_left for is_left, _ in leaks),
        mean(is_left and not is_found for is_left, is_found in leaks),
        mean(is_cut for is_cut, _ in false),
        mean(is_cut or is_found for is_cut, is_found in false),
    )


RECIPE = SecretsRecipe()
