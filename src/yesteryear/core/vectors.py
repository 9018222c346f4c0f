"""Unit vectors and what is known about the model that makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from yesteryear.core.results import Plain
from yesteryear.errors import EmbeddingMismatch

Matrix: TypeAlias = npt.NDArray[np.float32]  # shape (n, dimension), float32; rows of unit length unless said otherwise

CONTEXTUAL = "contextual-"
"""How the names of models begin whose vectors tell of messages as they were read in their place. They stand beside
those of the embedding model, whichever that is, and may be of any length."""


class Purpose(StrEnum):
    """What a text is embedded for; some models treat questions and documents differently."""

    DOCUMENT = "document"
    QUERY = "query"


class VectorGrain(StrEnum):
    """What a vector stands for."""

    EPISODE = "episode"
    EXCERPT = "excerpt"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class EmbedderProfile:
    """A model's name, dimension and the cosines at which its texts count as alike.

    Thresholds belong to the model: a number measured on one says nothing about another.
    """

    model: str  # stored with every vector; two models never meet in one comparison
    dimension: int
    duplicate: float  # cosine in [-1, 1] from which two statements nearly always say the same
    candidate: float  # cosine in [-1, 1] from which a pair is worth a closer look
    related: float  # cosine in [-1, 1] from which two texts share a subject more often than not
    batch: int = 1  # how many texts are best embedded together, at least 1
    is_calibrated: bool = True  # whether the cosines were measured with this model; otherwise they are a guess


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One vector of an episode or fact, or of one passage of a message."""

    grain: VectorGrain
    ref: str  # id of the episode, fact or message
    part: int  # number of the passage within the message, from 0; 0 for episodes
    vector: Matrix  # shape (dimension,), of unit length but for contextual ones


class IndexFate(StrEnum):
    """What became of an index, or would become of it."""

    KEPT = "kept"
    MADE = "made"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class VectorIndex(Plain):
    """A database's index of one owner's vectors of one model, for an owner who has too many to compare them all."""

    name: str  # names nobody
    fate: IndexFate
    tenant: str | None  # none, like the next, where nobody is left whom it could be of
    user: str | None
    model: str | None
    vectors: int  # how many the owner has
    nbytes: int  # what it takes on disk, in bytes; 0 where it is not there


def unit_rows(matrix: npt.ArrayLike) -> Matrix:
    """Return ``matrix`` with every row scaled to length 1; rows of zeros stay zero."""
    rows = np.asarray(matrix, dtype=np.float64)  # squares of small or large values leave the range of float32
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def embed_in_batches(
    embed: Callable[[Sequence[str]], Matrix],
    texts: Sequence[str],
    *,
    batch: int,
    yield_to_foreground: Callable[[], None],
) -> list[Matrix]:
    """Return the vector of each text, ``batch`` of them made at a time, others having their turn before each batch."""
    vectors: list[Matrix] = []
    for start in range(0, len(texts), batch):
        yield_to_foreground()
        vectors += list(embed(texts[start : start + batch]))
    return vectors


def pack_vector(vector: Matrix) -> bytes:
    """Return a vector as little-endian float16 bytes."""
    return np.asarray(vector, dtype="<f2").tobytes()


def unpack_vectors(blobs: Sequence[bytes]) -> Matrix:
    """Return the vectors that ``pack_vector`` stored, which must be of one length, as rows; shape (n, dimension)."""
    if not blobs:
        return np.zeros((0, 0), dtype=np.float32)
    length = len(blobs[0])
    for blob in blobs:
        if len(blob) != length:
            raise EmbeddingMismatch(f"a stored vector has {len(blob) // 2} values where {length // 2} were expected")
    return np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32).reshape(len(blobs), -1)
