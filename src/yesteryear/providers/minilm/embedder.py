"""Running the installed model: text in, word pieces, unit vectors out, in this process and without a network."""

from __future__ import annotations

import re
import string
import threading
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose, unit_rows
from yesteryear.errors import ProviderError, ProviderUnavailable
from yesteryear.providers.minilm.weights import (
    DIMENSION,
    INSTALL_ADVICE,
    MAX_TOKENS,
    MODEL,
    PARTS,
    VOCABULARY_FILE,
    Manifest,
    ModelPart,
    share,
    verify,
)

PROFILE = EmbedderProfile(model=MODEL, dimension=DIMENSION, duplicate=0.85, candidate=0.45, related=0.35)
"""Thresholds from 1,200 labelled pairs of facts and as many random pairs. At or above 0.45 lie 97 % of the pairs
that repeat, refine, change or contradict each other and 0.3 % of random ones; above 0.35, 97 % of pairs with a
common subject and 0.7 % of random ones; above 0.85, half of the paraphrases and, since a contradiction reads much
the same, a quarter of all others on that subject: a cosine nominates, a rule decides."""

Numbers: TypeAlias = npt.NDArray[np.int64]
RUNTIME_ERRORS: tuple[type[Exception], ...] = tuple(
    error for error in vars(runtime).values() if isinstance(error, type) and issubclass(error, Exception)
)
"""What onnxruntime raises; its errors have no common class of their own."""
_LOADING_ERRORS: tuple[type[Exception], ...] = (OSError, *RUNTIME_ERRORS)
_READ_CHARACTERS = 16_384
"""Characters looked at before the rest is left out: 64 for each token, so that a megabyte costs no more than a
page."""
_KEPT_WORDS, _KEPT_TEXTS = 20_000, 256  # of which the pieces are kept
_LONGEST_WORD = 100
"""Longest word, in characters, that is split into pieces; longer ones are unknown. Source: the BERT tokenizer."""
_KEPT_SPACES = "\t\n\r"
_WORD = re.compile("[^ ]+")
_INVISIBLE = ("Cc", "Cf", "Co", "Cs")  # not Cn: what this Python has no name for yet may be a new emoji
_IDEOGRAPH = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"  # the reference skips 2B820-2B91F, and the model was trained with it
)


class Encoder:
    """A loaded model with its tokenizer."""

    def __init__(self, model: Path | bytes, vocabulary: Path) -> None:
        self.words = WordPiece.of_file(vocabulary)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # It costs nothing while it is idle: by default the runtime's threads wait in a busy loop.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        place = model if isinstance(model, bytes) else str(model)
        self._session = onnxruntime.InferenceSession(place, options, providers=["CPUExecutionProvider"])

    def run(self, **inputs: Numbers) -> Matrix:
        """Return what the model makes of numbers of tokens: a vector, or one of each token."""
        found: Matrix = self._session.run(None, inputs)[0]
        return found

    def tokens(self, text: str) -> Numbers:
        """Return the numbers of a text's tokens, shape (tokens,)."""
        return np.array(self.words.encode(text), dtype=np.int64)


class InstalledModel:
    """A model of a folder, loaded when it is first needed, unless it is already. Safe to use from several threads.

    ProviderUnavailable says that its files are missing, unreadable or not as they were installed, ProviderError that
    the runtime failed on a text.
    """

    def __init__(self, folder: Path, part: ModelPart) -> None:
        self._folder, self._part = folder, part
        self._loading = threading.Lock()
        self._loaded: Encoder | None = None

    def close(self) -> None:
        """Let go of the model; using it again would load it again where nobody else has it."""
        with self._loading:
            self._loaded = None

    def _encoder(self) -> Encoder:
        with self._loading:
            if self._loaded is None:
                self._loaded = share(self._folder, self._part.file, self._load)
            return self._loaded

    def _load(self) -> Encoder:
        # Half a vocabulary would still load, and give vectors that are quietly wrong.
        self._check(verify(self._folder))
        try:
            return Encoder(self._folder / self._part.file, self._folder / VOCABULARY_FILE)
        except _LOADING_ERRORS as exc:
            told = f"{self._part.what} in {self._folder} cannot be loaded ({exc}); {INSTALL_ADVICE}"
            raise ProviderUnavailable(told) from exc

    def _check(self, manifest: Manifest) -> None:
        """Raise ProviderUnavailable where a folder that is whole holds another version."""

    def _run(self, encoder: Encoder, **inputs: Numbers) -> Matrix:
        try:
            return encoder.run(**inputs)
        except RUNTIME_ERRORS as exc:
            raise ProviderError(f"{self._part.what} failed: {exc}") from exc


class _TextModel(InstalledModel):
    """Makes a vector of a whole text."""

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """Return the means of the texts' token vectors, of unit length."""
        encoder = self._encoder()
        means = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(means, texts, strict=True):
            row[:] = self._run(encoder, tokens=encoder.tokens(text))
        return unit_rows(means)


class MiniLMEmbedder:
    """all-MiniLM-L6-v2 with weights of 8 bits; about 2 ms of one processor for a message of 20 tokens.

    Each text is run by itself, so that its vector does not depend on its company. At most 256 tokens of a text are
    read. Questions are embedded by a copy with a trained difference, near to what answers them rather than to what
    sounds like them; where an older version was installed, as everything else.
    """

    def __init__(self, folder: Path) -> None:
        """Remember where the model lies; each half is loaded when it is first needed."""
        asking = PARTS["questions"]
        documents = _TextModel(folder, PARTS["model"])
        questions = _TextModel(folder, asking) if (folder / asking.file).is_file() else documents
        self._models = {Purpose.DOCUMENT: documents, Purpose.QUERY: questions}

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""
        return PROFILE

    def close(self) -> None:
        """Let go of the models; using them again would load them again where nobody else has them."""
        for model in self._models.values():
            model.close()

    def embed(self, texts: Sequence[str], *, purpose: Purpose = Purpose.DOCUMENT) -> Matrix:
        """Return shape (len(texts), 384), float32, rows of unit length."""
        return self._models[purpose].vectors(texts)


class _Spelling(dict[int, str]):
    """How each character is written before words are split, found out when it is first met.

    Control characters and accents vanish, letters become small, punctuation and ideographs stand alone.
    """

    def __missing__(self, code: int) -> str:
        spelling = self[code] = self._spell(chr(code))
        return spelling

    @staticmethod
    def _spell(character: str) -> str:
        category = unicodedata.category(character)
        if character in _KEPT_SPACES or category.startswith("Z"):
            return " "
        if category in _INVISIBLE or character == "\ufffd":
            return ""
        plain = unicodedata.normalize("NFD", character)
        letters = "".join(letter.lower() for letter in plain if unicodedata.category(letter) != "Mn")
        if _IDEOGRAPH.match(character):
            return f" {letters} "
        marks = {letter for letter in letters if letter in string.punctuation or unicodedata.category(letter)[0] == "P"}
        return "".join(f" {letter} " if letter in marks else letter for letter in letters)


class TokenPiece(NamedTuple):
    """A piece of a word, and the characters of the text that it stands for."""

    number: int
    start: int
    end: int


class WordPiece:
    """The uncased BERT tokenizer: splits text into the pieces of one vocabulary, longest first. Thread-safe.

    Agrees with the reference implementation on ordinary text of any script, with one deliberate difference: markers
    such as ``[SEP]`` that somebody writes in a message are read as text, never as the marker itself.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._ids: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown, self.start, self.end = (self._ids[marker] for marker in ("[UNK]", "[CLS]", "[SEP]"))
        self._longest = max(map(len, self._ids))
        self._spelling = _Spelling()
        # Words are said again and again, and a message is read anew with each of those behind it.
        self._split = lru_cache(maxsize=_KEPT_WORDS)(self._split_word)
        self.pieces = lru_cache(maxsize=_KEPT_TEXTS)(self._pieces)

    @classmethod
    def of_file(cls, path: Path) -> WordPiece:
        """Return the tokenizer of a vocabulary, a piece a line."""
        return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of ``text`` between the two markers, at most ``MAX_TOKENS`` of them."""
        room = MAX_TOKENS - 2
        pieces: list[int] = []
        for word in text[:_READ_CHARACTERS].translate(self._spelling).split(" "):
            pieces += [number for number, _ in self._split(word)]
            if len(pieces) >= room:
                break
        return [self.start, *pieces[:room], self.end]

    def _pieces(self, text: str) -> tuple[TokenPiece, ...]:
        """Return the pieces of ``text`` in order, each with the characters it stands for."""
        places: list[int] = []
        spelled = []
        found: list[TokenPiece] = []
        for place, character in enumerate(text):
            spelling = self._spelling[ord(character)]
            spelled.append(spelling)
            places += [place] * len(spelling)
        for word in _WORD.finditer("".join(spelled)):
            start = word.start()
            for number, length in self._split(word[0]):
                found.append(TokenPiece(number, places[start], places[start + length - 1] + 1))
                start += length
        return tuple(found)

    def _split_word(self, word: str) -> list[tuple[int, int]]:
        """Return the pieces of a word, longest first, and how many of its letters each one takes."""
        if len(word) > _LONGEST_WORD:
            return [(self._unknown, len(word))]
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [(self._unknown, len(word))]
            found.append((number, end - start))
            start = end
        return found
