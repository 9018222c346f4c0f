"""The reader: one run of a small encoder tells of each sentence in its place what was meant, of whom, and its worth.

The encoder is that of the embedding model with a trained difference in its upper layers (``reader.safetensors``, made in
the laboratory and put into ``reader.onnx`` by ``model install``). What it makes of each word is read by linear heads.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from yesteryear.core.fact import FactKind
from yesteryear.core.language.sentences import sentence_spans
from yesteryear.core.reading import MEANT, Before, Reading, ReadSentence, ReadStatement, SpeakerStance, Whose
from yesteryear.core.vectors import Matrix
from yesteryear.errors import ProviderError, ProviderUnavailable
from yesteryear.providers.minilm.embedder import LOADING_ERRORS, RUNTIME_ERRORS, WordPiece, open_session
from yesteryear.providers.minilm.placing import Window, windows
from yesteryear.providers.minilm.trained import TrainedReader, trained_reader
from yesteryear.providers.minilm.weights import INSTALL_ADVICE, READER, READER_FILE, VOCABULARY_FILE, verify

_MOST_WINDOWS = 16
"""Windows read of one message, 2,000 pieces of words: who writes more has pasted it."""
_LEAST_WORTH = 0.2
"""Worth, in [0, 1], from which a statement is told of."""
_CLOSE = 0.1
"""Difference of probability, in [0, 1], below which the second kind is told too."""
_NONE, _BEGINS = 0, 1
"""Tags of a piece: in no statement, at the beginning of one; all others go on with one."""
_OWNER = re.compile(r"['’]s?$")


class MiniLMReader:
    """Reads messages on this machine; some 10 ms of one processor for one of 40 words with what was said before.

    The model is loaded when it is first needed. Deterministic; safe to use from several threads.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self._folder = folder
        self._threads = threads
        self._loading = threading.Lock()
        self._loaded: _Loaded | None = None

    @property
    def version(self) -> str:
        """Which reader this is; stored with what it has read."""
        return READER

    def read(self, text: str, *, before: Sequence[Before] = ()) -> Reading:
        """Return a message as it was meant in its place; ``before`` is what was said before it, the latest last.

        Raises:
            ProviderUnavailable: the model's files are missing, unreadable or of another version.
            ProviderError: the runtime failed on a text.
        """
        loaded = self._model()
        spans = list(sentence_spans(text))
        sentences: list[ReadSentence] = []
        vectors: list[Matrix] = []
        kept = [0.0]
        for window in islice(windows(text, spans, before, loaded.words), _MOST_WINDOWS):
            hidden = loaded.hidden(window)
            seen = _SeenWindow(window, hidden, loaded.heads, text)
            vectors.append(seen.vector)
            kept.append(seen.keep())
            sentences += seen.sentences(spans)
        vector = np.mean(vectors, axis=0) if vectors else None
        worth = max(kept)
        return Reading(READER, tuple(sentences), vector, worth, {})

    def effects(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> dict[str, float]:
        """Return how likely a message does what to a known fact, by name, in [0, 1]; together they make 1.

        Raises:
            ProviderError: see ``read``.
        """
        loaded = self._model()
        placed = [*before[-2:], Before("known", fact)]
        window = next(windows(text, list(sentence_spans(text)), placed, loaded.words), None)
        if window is None:
            return {"none": 1.0}
        hidden = loaded.hidden(window)
        known = sum(1 for _ in loaded.words.pieces(fact))
        end = len(window.before) + 1
        about, said = hidden[max(1, end - known) : end].mean(axis=0), hidden[window.first - 1 :].mean(axis=0)
        pair = np.concatenate([hidden[0], about, said, about * said])
        return loaded.heads.probabilities("effect", pair)

    def close(self) -> None:
        """Let go of the model; reading again would load it again."""
        with self._loading:
            self._loaded = None

    def _model(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                manifest = verify(self._folder)
                if manifest.reader != READER:
                    raise ProviderUnavailable(f"{self._folder} holds the reader {manifest.reader!r}; {INSTALL_ADVICE}")
                try:
                    self._loaded = _Loaded(self._folder, self._threads)
                except LOADING_ERRORS as exc:
                    raise ProviderUnavailable(
                        f"the reader in {self._folder} cannot be loaded ({exc}); {INSTALL_ADVICE}"
                    ) from exc
            return self._loaded


class _Loaded:
    """The model in memory."""

    def __init__(self, folder: Path, threads: int) -> None:
        self.words = WordPiece.of_file(folder / VOCABULARY_FILE)
        self.heads = trained_reader()
        self._session = open_session(folder / READER_FILE, threads=threads)

    def hidden(self, window: Window) -> Matrix:
        """Return shape (tokens, 384)."""
        try:
            found: Matrix = self._session.run(None, {"tokens": window.tokens, "own": window.own})[0]
        except RUNTIME_ERRORS as exc:
            raise ProviderError(f"the reader failed: {exc}") from exc
        return found


class _SeenWindow:
    """What the encoder made of a window, while heads read it."""

    def __init__(self, window: Window, hidden: Matrix, heads: TrainedReader, text: str) -> None:
        self._window, self._hidden, self._heads, self._text = window, hidden, heads, text
        own = window.first + len(window.pieces)
        self.vector: Matrix = hidden[window.first - 1 : own + 1].mean(axis=0)
        tags = heads.logits("tags", hidden[window.first : own])
        self._tags = [_NONE if row[_NONE] >= max(row[1:]) else 1 + int(np.argmax(row[1:])) for row in tags]

    def keep(self) -> float:
        """Return how likely any of it is worth keeping, in [0, 1]."""
        return self._heads.chance("keep", self.vector)

    def sentences(self, spans: Sequence[tuple[int, int]]) -> Iterator[ReadSentence]:
        """Yield the sentences that begin in the window."""
        pieces = self._window.pieces
        for start, end in spans:
            places = [place for place, piece in enumerate(pieces) if start <= piece.start and piece.end <= end]
            if places:
                yield self._sentence(start, end, places)

    def _sentence(self, start: int, end: int, places: list[int]) -> ReadSentence:
        own = self._mean(places[0], places[-1])
        vector = np.concatenate([own, self.vector])
        heads = self._heads
        worth = 1 - heads.probabilities("worth", vector)["0"]
        stances = heads.probabilities("stance", vector)
        found = (self._statement(first, last, own, worth, (start, end)) for first, last in self._runs(places, worth))
        return ReadSentence(
            start,
            end,
            worth,
            SpeakerStance(max(stances, key=lambda name: stances[name])),
            heads.chance("answers", vector) > 0.5,  # noqa: PLR2004 - even odds
            tuple(statement for statement in found if statement.worth >= _LEAST_WORTH),
            vector,
        )

    def _runs(self, places: Sequence[int], worth: float) -> list[tuple[int, int]]:
        """Return the first and last piece of each statement; the whole sentence where it is one and has no tags."""
        runs: list[tuple[int, int]] = []
        for place in places:
            tag = self._tags[place]
            if tag == _NONE:
                continue
            goes_on = runs and runs[-1][1] == place - 1 and (tag != _BEGINS or self._is_inside_word(place))
            if goes_on:
                runs[-1] = (runs[-1][0], place)
            else:
                runs.append((place, place))
        return runs if runs or worth < _LEAST_WORTH else [(places[0], places[-1])]

    def _is_inside_word(self, place: int) -> bool:
        pieces = self._window.pieces
        return place > 0 and pieces[place - 1].end == pieces[place].start

    def _statement(
        self, first: int, last: int, sentence: Matrix, worth: float, bounds: tuple[int, int]
    ) -> ReadStatement:
        unit = np.concatenate([self._mean(first, last), sentence])
        heads = self._heads
        stances, kinds = heads.probabilities("u_stance", unit), heads.probabilities("kind", unit)
        kind, second = sorted(kinds, key=lambda name: -kinds[name])[:2]
        attributes, whose = heads.probabilities("attribute", unit), heads.probabilities("holder", unit)
        attribute = max(attributes, key=lambda name: attributes[name])
        holder = Whose(max(whose, key=lambda name: whose[name]))
        weights = heads.probabilities("u_worth", unit)
        start, end = self._words(first, last, bounds)
        return ReadStatement(
            start=start,
            end=end,
            worth=worth * sum(stances[stance] for stance in MEANT),
            weight=weights["2"] + 2 * weights["3"],
            stance=SpeakerStance(max(stances, key=lambda name: stances[name])),
            kind=FactKind(kind),
            whose=holder,
            second_kind=FactKind(second) if kinds[kind] - kinds[second] < _CLOSE else None,
            attribute="" if attribute == "other" else attribute,
            name="" if holder is Whose.SELF else self._name(unit),
            is_alone=heads.chance("alone", unit) > 0.5,  # noqa: PLR2004 - even odds
        )

    def _words(self, first: int, last: int, bounds: tuple[int, int]) -> tuple[int, int]:
        """Return where the words of some pieces begin and end: no word is cut."""
        start, end = self._window.pieces[first].start, self._window.pieces[last].end
        while start > bounds[0] and self._text[start - 1].isalnum():
            start -= 1
        while end < bounds[1] and self._text[end].isalnum():
            end += 1
        return start, end

    def _mean(self, first: int, last: int) -> Matrix:
        begin = self._window.first
        mean: Matrix = self._hidden[begin + first : begin + last + 1].mean(axis=0)
        return mean

    def _name(self, unit: Matrix) -> str:
        """Return the word by which the person, pet or thing is called there or before; empty where none is."""
        token = self._heads.point(unit, self._hidden)
        window = self._window
        if 1 <= token <= len(window.before):
            return _OWNER.sub("", window.before[token - 1])
        piece = token - window.first
        if not 0 <= piece < len(window.pieces):
            return ""
        start, end = self._words(piece, piece, (0, len(self._text)))
        return _OWNER.sub("", self._text[start:end])
