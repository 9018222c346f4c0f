"""Running the installed model: text in, unit vectors out, in this process and without a network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows
from yesteryear.errors import ProviderError, ProviderUnavailable
from yesteryear.providers.minilm.weights import (
    DIMENSION,
    INSTALL_ADVICE,
    MODEL,
    MODEL_FILE,
    VOCABULARY_FILE,
    verify,
)
from yesteryear.providers.minilm.wordpiece import WordPiece

PROFILE = EmbedderProfile(model=MODEL, dimension=DIMENSION, duplicate=0.85, candidate=0.45, related=0.35)
"""Thresholds from 1,200 labelled pairs of facts and as many random pairs. At or above 0.45 lie 97 % of the pairs
that repeat, refine, change or contradict each other and 0.3 % of random ones; above 0.35, 97 % of pairs with a
common subject and 0.7 % of random ones; above 0.85, half of the paraphrases and, since a contradiction reads much
the same, a quarter of all others on that subject: a cosine nominates, a rule decides."""

RUNTIME_ERRORS: tuple[type[Exception], ...] = tuple(
    error for error in vars(runtime).values() if isinstance(error, type) and issubclass(error, Exception)
)
"""What onnxruntime raises; its errors have no common class of their own."""
_LOADING_ERRORS: tuple[type[Exception], ...] = (OSError, *RUNTIME_ERRORS)


class SentenceModel:
    """A loaded model with its tokenizer."""

    def __init__(self, model: Path | bytes, vocabulary: Path, *, threads: int) -> None:
        self._tokens = WordPiece(vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # An idle worker must cost nothing: by default the runtime's threads wait in a busy loop.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            model if isinstance(model, bytes) else str(model), options, providers=["CPUExecutionProvider"]
        )

    def mean(self, text: str) -> npt.NDArray[np.float32]:
        """Return the mean of the token vectors of ``text``, shape (384,)."""
        tokens = np.array(self._tokens.encode(text), dtype=np.int64)
        mean: npt.NDArray[np.float32] = self._session.run(None, {"tokens": tokens})[0]
        return mean


class MiniLMEmbedder:
    """all-MiniLM-L6-v2 with weights of 8 bits; about 2 ms of one processor for a message of 20 tokens.

    Each text is run by itself, so that its vector does not depend on its company. At most 256 tokens of a text are
    read; questions and documents are treated alike. The model is loaded when it is first needed (a tenth of a
    second). Safe to use from several threads.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        """Remember where the model lies; nothing is read yet.

        Args:
            folder: What ``weights.find_model`` returned.
            threads: Threads that share the work on one text.
        """
        self._folder = folder
        self._threads = threads
        self._loading = threading.Lock()
        self._model: SentenceModel | None = None

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""
        return PROFILE

    def embed(self, texts: Sequence[str], *, purpose: Purpose = Purpose.DOCUMENT) -> Matrix:  # noqa: ARG002
        """Return shape (len(texts), 384), float32, rows of unit length.

        Raises:
            ProviderUnavailable: the model's files are missing, unreadable or not as they were installed.
            ProviderError: the runtime failed on a text.
        """
        model = self._loaded()
        means = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(means, texts, strict=True):
            try:
                row[:] = model.mean(text)
            except RUNTIME_ERRORS as exc:
                raise ProviderError(f"the embedding model failed: {exc}") from exc
        return unit_rows(means)

    def close(self) -> None:
        """Let go of the model; embedding again would load it again."""
        with self._loading:
            self._model = None

    def _loaded(self) -> SentenceModel:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> SentenceModel:
        verify(self._folder)  # half a vocabulary would still load, and give vectors that are quietly wrong
        try:
            return SentenceModel(self._folder / MODEL_FILE, self._folder / VOCABULARY_FILE, threads=self._threads)
        except _LOADING_ERRORS as exc:
            raise ProviderUnavailable(
                f"the embedding model in {self._folder} cannot be loaded ({exc}); {INSTALL_ADVICE}"
            ) from exc
