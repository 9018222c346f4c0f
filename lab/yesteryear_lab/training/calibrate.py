"""Measure at which cosines an embedder's texts count as alike, on labelled pairs of facts.

Thresholds belong to a model: of one, 0.7 says that two facts have nothing to do with each other, of another, that they
say the same. They only nominate pairs for judgement, so a candidate that is missed costs more than one too many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from yesteryear.core.results import Plain
from yesteryear.core.ruling import PairVerdict
from yesteryear.core.vectors import Matrix
from yesteryear.errors import ConfigError, InputError
from yesteryear_lab.figures import mean
from yesteryear_lab.training.pairs import PairRow, read_pair_rows

_MISSED = 0.03
"""Share, in [0, 1], of the pairs worth a look, and of those on one subject, that may lie below the threshold."""
_PAIRS_FILES = "pairs-*.jsonl"
_DECIMALS = 3
_SEED = 7
_WORTHY = frozenset(PairVerdict) - {PairVerdict.COEXISTS, PairVerdict.UNRELATED}
_ON_ONE_SUBJECT = frozenset(PairVerdict) - {PairVerdict.UNRELATED}


@dataclass(frozen=True, slots=True)
class Calibration(Plain):
    """Cosines at which texts of a model count as alike, and what lies above each."""

    dimension: int
    pairs: int
    duplicate: float  # half of the pairs that say the same lie at or above it
    candidate: float  # 97 % of the pairs that repeat, refine, change or contradict each other do
    related: float  # 97 % of the pairs on one subject do
    duplicate_else: float  # share of all other pairs on one subject at or above ``duplicate``
    candidate_random: float  # share of random pairs at or above ``candidate``
    related_random: float  # share of random pairs at or above ``related``


def read_all_pairs(folder: Path) -> list[PairRow]:
    """Return the labelled pairs of a folder."""
    files = sorted(folder.glob(_PAIRS_FILES))
    if not files:
        raise InputError(f"{folder} holds no {_PAIRS_FILES}; the repository has them in lab/labelled")
    return [row for file in files for row in read_pair_rows(file)]


def calibrate(rows: Sequence[PairRow], embed: Callable[[Sequence[str]], Matrix]) -> Calibration:
    """Return the thresholds of an embedder, from labelled pairs of each verdict; ``embed`` returns unit vectors."""
    vectors = embed([text for row in rows for text in row.texts])
    earlier, later = vectors[::2], vectors[1::2]
    cosines: npt.NDArray[np.float32] = np.einsum("ij,ij->i", earlier, later)
    others = np.random.default_rng(_SEED).permutation(len(rows))
    random = np.einsum("ij,ij->i", earlier, later[others])[others != np.arange(len(rows))]

    def of(verdicts: Collection[PairVerdict]) -> npt.NDArray[np.float32]:
        return cosines[[row.gold in verdicts for row in rows]]

    same, on_subject = of({PairVerdict.DUPLICATE}), of(_ON_ONE_SUBJECT)
    if not len(same) or not len(on_subject):
        raise InputError("pairs of every verdict are needed to calibrate")
    duplicate = float(np.quantile(same, 0.5))
    candidate = float(np.quantile(of(_WORTHY), _MISSED))
    related = min(candidate, float(np.quantile(on_subject, _MISSED)))
    else_alike = of(_ON_ONE_SUBJECT - {PairVerdict.DUPLICATE})
    above = ((else_alike, duplicate), (random, candidate), (random, related))
    shares = (mean((part >= threshold).tolist()) for part, threshold in above)
    figures = (duplicate, candidate, related, *shares)
    return Calibration(vectors.shape[1], len(rows), *(round(figure, _DECIMALS) for figure in figures))


def write_profile(path: Path, name: str, *, dimension: int, **cosines: float) -> None:
    """Write what was measured of an embedding model, for the setting ``embedder_profile``."""
    lines = ["# Written by `yesteryear calibrate`.", f'["{name.partition("@")[0]}"]', f"dimension = {dimension}"]
    lines += [f"{threshold} = {cosine:.3f}" for threshold, cosine in cosines.items()]
    try:
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    except OSError as exc:
        raise ConfigError(f"{path} cannot be written: {exc.strerror}") from exc
