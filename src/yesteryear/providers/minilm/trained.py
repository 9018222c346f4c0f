"""What the laboratory has taught: differences from the published weights, heads that read, and two maps.

Each ``NAME.safetensors`` is written by ``python -m yesteryear_lab.reading.NAME``, but ``reader`` by ``teach`` and
``questions`` by ``ask``; numbers have 16 bits, or 8 with a scale for each row. Cards stand in ``docs/evaluation.md``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from yesteryear.core.heads import softmax
from yesteryear.core.reading import MessageReading
from yesteryear.core.vectors import CONTEXTUAL, Matrix, unit_rows
from yesteryear.errors import ProviderUnavailable
from yesteryear.providers.minilm.build import read_tensors
from yesteryear.providers.minilm.embedder import InstalledModel
from yesteryear.providers.minilm.weights import INSTALL_ADVICE, MODEL, READER, READERS, Manifest

ROW_SCALE = ".scale"  # ends the name of what the rows of a rounded matrix are multiplied by, shape (rows, 1)
_A, _B = ".a", ".b"  # ends of the names of the two factors of a matrix's difference
_ABOUT = "reader"  # under what name a file says what its tensors are
_MAPS, SAID, ASKED, ALWAYS = "contextual", "said", "asked", "always"
"""A file, and names in it: the map of messages and that of questions, shape (64, 384), and what every
question looks for, shape (64,)."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainedHeads:
    """The heads, and the difference by the names of the published weights."""

    tensors: Mapping[str, Matrix]
    classes: Mapping[str, Sequence[str]]  # of each head that chooses, in the order of its rows
    temperatures: Mapping[str, float]
    """What the logits of a head are divided by, so that its probabilities are those seen on talk that was held out."""

    @classmethod
    def of_file(cls, path: Path) -> TrainedHeads:
        """Return what a file holds that was taught."""
        tensors, told = read_tensors(path)
        scales = {name.removesuffix(ROW_SCALE): tensors.pop(name) for name in list(tensors) if name.endswith(ROW_SCALE)}
        about = json.loads(told[_ABOUT])
        tensors |= {name: tensors[name] * scale for name, scale in scales.items()}
        return cls(tensors, about["classes"], about["temperatures"])

    def logits(self, head: str, vectors: Matrix) -> Matrix:
        """Return shape (..., classes), divided by the head's temperature; some heads have a layer before the last."""
        if (first := f"heads.{head}.hidden.weight") in self.tensors:
            vectors = np.maximum(vectors @ self.tensors[first].T + self.tensors[f"heads.{head}.hidden.bias"], 0)
        found: Matrix = vectors @ self.tensors[f"heads.{head}.weight"].T + self.tensors[f"heads.{head}.bias"]
        return found / np.float32(self.temperatures.get(head, 1.0))

    def probabilities(self, head: str, vector: Matrix) -> dict[str, float]:
        """Return the probability of each class, in [0, 1]; together they make 1."""
        shares = softmax(self.logits(head, vector).astype(np.float64)).tolist()
        return dict(zip(self.classes[head], shares, strict=True))

    def chance(self, head: str, vector: Matrix) -> float:
        """Return the probability of a yes, in [0, 1]."""
        return (1 + math.tanh(float(self.logits(head, vector)[0]) / 2)) / 2

    def point(self, statement: Matrix, hidden: Matrix) -> int:
        """Return the token of a window, shape (tokens, 384), that names whose a statement, shape (768,), is; else 0."""
        asked = self.tensors["pointer.weight"] @ statement + self.tensors["pointer.bias"]
        scores = hidden @ asked
        scores[0] = self.tensors["nobody"] @ asked
        return int(np.argmax(scores))


class MiniLMContextual:
    """What a question and a message have in common, by how the message was read where it was said.

    The embedder's vector of a message is of its words alone; the reader's tells what was meant after what had been
    said. Maps bring it, and the embedder's of a question, to where what answers is near.
    """

    name, asked_by = f"{CONTEXTUAL}1", MODEL

    def of_message(self, reading: MessageReading) -> Matrix | None:
        """Return shape (64,), of any length; None where something else has read the message."""
        if reading.vector is None or reading.reader != READER:
            return None
        vector: Matrix = trained(_MAPS).tensors[SAID] @ unit_rows(reading.vector)
        return vector

    def of_question(self, vector: Matrix) -> Matrix:
        """Return shape (64,), of any length."""
        maps = trained(_MAPS).tensors
        sought: Matrix = maps[ASKED] @ vector + maps[ALWAYS]
        return sought


def difference_of(tensors: Mapping[str, Matrix]) -> dict[str, Matrix]:
    """Return what is added to the published weights, by name: the product of its two factors."""
    names = [name.removesuffix(_A) for name in tensors if name.endswith(_A)]
    return {f"{name}.weight": tensors[name + _B] @ tensors[name + _A] for name in names}


@cache
def trained(name: str) -> TrainedHeads:
    """Return what is shipped as ``NAME.safetensors``; read once."""
    return TrainedHeads.of_file(Path(__file__).parent / f"{name}.safetensors")


class ReadingModel(InstalledModel):
    """One of those that read, which all are of one install."""

    @property
    def _heads(self) -> TrainedHeads:
        """What reads of what it makes."""
        return trained(self._part.name)

    def _check(self, manifest: Manifest) -> None:
        if manifest.readers != READERS:
            held, wanted = (" and ".join(map(repr, names)) for names in (manifest.readers, READERS))
            raise ProviderUnavailable(f"{self._folder} holds {held} instead of {wanted}; {INSTALL_ADVICE}")
        try:
            trained(self._part.name)
        except OSError as exc:
            raise ProviderUnavailable(f"the reader's heads cannot be read ({exc}); install yesteryear again") from exc
