"""The reader: one run of a small encoder tells of each sentence in its place what was meant, of whom, and its worth.

The encoder is that of the embedding model with a trained difference of low rank (``reader.safetensors``, made in the
laboratory and put into ``reader.onnx`` by ``model install``). Linear heads read what it makes of each word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from yesteryear.core.attributes import FactKind, may_be_of
from yesteryear.core.language.clauses import clause_spans
from yesteryear.core.language.sentences import Span
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import (
    MEANT,
    READ_WITH,
    Before,
    Effect,
    MessageReading,
    ReadSentence,
    ReadStatement,
    SpeakerStance,
    Whose,
    with_over,
)
from yesteryear.core.vectors import Matrix
from yesteryear.providers.minilm.discourse import MOST_WINDOWS, Discourse, DiscourseModel, own_sentences
from yesteryear.providers.minilm.placing import Window, uncut, whole_word, windows
from yesteryear.providers.minilm.trained import ReadingModel, TrainedHeads
from yesteryear.providers.minilm.weights import PARTS, READER, READS_BY

_MOST_HEARD = 2  # messages before it that are read with one, to tell what that does to a fact
_LEAST_WORTH = 0.2  # worth, in [0, 1], from which a statement is told of
_OF_SENTENCE, _BROUGHT = 0.5, -1.0
"""How heavy ``discourse`` weighs beside the reader's own head, and the log odds from which a sentence is somebody
else's: the head tells messages that bring others' words along, ``discourse`` which of their sentences those are.
Source: of two sets held out, which were looked at before, .88 and .93 of others' sentences are found (.83 and .95 by
the head alone), .08 and .28 of the person's own beside them are taken along (.12 and .44), and of sentences of friends
(LoCoMo) .035 are taken for others' (.037)."""
_EVEN = 0.5  # probability, in [0, 1], from which a yes is likelier than a no
_CLOSE = 0.1  # difference of probability, in [0, 1], below which the second kind is told too
_EN = vocabulary("reading")
_JOINTS = frozenset(",;.:()-–—…") | _EN.words("joints")  # what two statements in one sentence are joined by
_BEFORE_SO = _EN.words("before_so")
_SUBJECTS = frozenset("'’") | _EN.words("subjects")  # what a statement begins with and tags often leave out
_NONE, _BEGINS, _GOES_ON = 0, 1, 2  # tags of a piece: in no statement, at the beginning of one, further on in one
_OWNER = re.compile(r"['’]s?$")


class MiniLMReader(ReadingModel):
    """Reads messages on this machine, always the same: 10 ms of one processor for 40 words and what was said before."""

    def __init__(self, folder: Path) -> None:
        """Remember where the model lies."""
        super().__init__(folder, PARTS["reader"])
        self._discourse = DiscourseModel(folder, PARTS["discourse"])
        self._effects = EffectsModel(folder, PARTS["effects"])

    def close(self) -> None:
        """Let go of the models."""
        super().close()
        self._discourse.close()
        self._effects.close()

    @property
    def version(self) -> str:
        """Which reader this is; stored with what it has read."""
        return READS_BY

    def read(self, text: str, *, before: Sequence[Before] = ()) -> MessageReading:
        """Return a message as it was meant in its place; ``before`` is what was said before it, the latest last."""
        encoder, heads = self._encoder(), self._heads
        spans = list(clause_spans(text))
        discourse = self._discourse.read(text, spans, before=before)
        seen = [
            _SeenWindow(window, self._run(encoder, tokens=window.tokens, own=window.own), heads, text, discourse)
            for window in islice(windows(text, spans, before[-READ_WITH:], encoder.words), MOST_WINDOWS)
        ]
        sentences = tuple(sentence for one in seen for sentence in one.sentences(spans))
        vector = np.mean([one.vector for one in seen], axis=0) if seen else None
        kept = max((heads.chance("keep", one.vector) for one in seen), default=0.0)
        surest = max((sentence.worth for sentence in sentences), default=0.0)
        return MessageReading(READER, sentences, vector, (kept + surest) / 2, tuple(discourse.retracted))

    def effects(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> dict[Effect, float]:
        """Return how likely a message does what to a known fact, in [0, 1]; together they make 1."""
        return self._effects.read(fact, text, before=before)


def _meant(stances: Mapping[str, float]) -> float:
    """Return the probability that something was meant, the same in every process, as sets have no order."""
    return math.fsum(stances[stance] for stance in MEANT)


class EffectsModel(ReadingModel):
    """Tells what a message does to a known fact; some 5 ms of one processor for both.

    Its encoder is the reader's with a further difference (``effects.safetensors``), which was taught nothing but this.
    """

    def read(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> dict[Effect, float]:
        """Return how likely a message does what to a known fact, in [0, 1]; together they make 1.

        One head tells whether it ends it, another what else it does, or how. The fact stands right before the message.
        """
        encoder, heads = self._encoder(), self._heads
        placed = [*before[-_MOST_HEARD:], Before("known", fact)]
        window = next(windows(text, [(0, len(text))], placed, encoder.words), None)
        known = len(encoder.words.pieces(fact))
        if window is None or not known:
            return {Effect.NONE: 1.0}
        hidden = self._run(encoder, tokens=window.tokens, own=window.own)
        end = len(window.lead) + 1
        about, said = hidden[max(1, end - known) : end].mean(axis=0), hidden[window.first - 1 :].mean(axis=0)
        pair = np.concatenate([hidden[0], about, said, about * said])
        found = {Effect(name): share for name, share in heads.probabilities("effect", pair).items()}
        return with_over(found, heads.chance("over", pair))


class _SeenWindow:
    """What the encoder made of a window, while heads read it."""

    def __init__(self, window: Window, hidden: Matrix, heads: TrainedHeads, text: str, discourse: Discourse) -> None:
        self._window, self._hidden, self._heads, self._text, self._discourse = window, hidden, heads, text, discourse
        own = window.first + len(window.pieces)
        self._heard = fold("\n".join(window.said))
        self.vector: Matrix = hidden[window.first - 1 : own + 1].mean(axis=0)
        tags = heads.logits("tags", hidden[window.first : own])
        self._tags = self._with_subjects(tags.argmax(axis=1).tolist())

    def sentences(self, spans: Sequence[Span]) -> Iterator[ReadSentence]:
        """Yield the sentences that stand in the window, as they are among those around them."""
        for each in own_sentences(self._window, spans):
            begin, end = (token - self._window.first for token in each.tokens)
            yield self._sentence(each.span, range(begin, end))

    def _sentence(self, span: Span, places: range) -> ReadSentence:
        own = self._mean(places[0], places[-1])
        vector = np.concatenate([own, self.vector])
        heads = self._heads
        odds = float(heads.logits("brought", vector)[0]) + _OF_SENTENCE * self._discourse.brought.get(span, 0.0)
        is_brought = odds >= _BROUGHT
        worth = 1 - heads.probabilities("worth", vector)["0"]
        stances = heads.probabilities("stance", vector)
        stance = SpeakerStance.QUOTED if is_brought else SpeakerStance(max(stances, key=lambda name: stances[name]))
        meant = _meant(stances)
        runs = () if is_brought else self._runs(places, worth)
        found = (self._statement(first, last, own, (worth, meant), span) for first, last in runs)
        return ReadSentence(
            *span,
            worth,
            stance,
            heads.chance("answers", vector) > _EVEN,
            tuple(statement for statement in found if statement.worth >= _LEAST_WORTH),
            is_brought,
            vector=own / np.linalg.norm(own),
        )

    def _runs(self, places: Sequence[int], worth: float) -> list[tuple[int, int]]:
        """Return the first and last piece of each statement of a sentence, which tags behind a joint part."""
        starts = [places[0]] + [place for place in places[1:] if self._opens(place)]
        runs = [
            (start, self._last(start, following - 1))
            for start, following in pairwise([*starts, places[-1] + 1])
            if any(tag != _NONE for tag in self._tags[start:following])
        ]
        return runs if runs or worth < _LEAST_WORTH else [(places[0], places[-1])]

    def _last(self, first: int, last: int) -> int:
        """Return the last piece of a part without what joins it to the next."""
        while last > first and self._piece(last) in _JOINTS and last + 1 < len(self._tags):
            last -= 1
        return last

    def _opens(self, place: int) -> bool:
        """Tell whether a statement begins at a piece, behind what joins it to another."""
        is_new = self._tags[place] == _BEGINS or self._tags[place - 1] == _NONE
        return self._tags[place] != _NONE and is_new and self._joins(place - 1)

    def _joins(self, place: int) -> bool:
        """Tell whether a piece may join two statements, which "so" in "so excited" does not."""
        piece = self._piece(place)
        return piece in _JOINTS and not (piece == "so" and place and self._piece(place - 1) in _BEFORE_SO)

    def _piece(self, place: int) -> str:
        piece = self._window.pieces[place]
        return self._text[piece.start : piece.end].lower()

    def _with_subjects(self, tags: list[int]) -> list[int]:
        """Return tags with "I", "my" and the like taken in before what is said of them."""
        for place in range(len(tags) - 2, -1, -1):
            if tags[place] == _NONE and tags[place + 1] != _NONE and self._piece(place) in _SUBJECTS:
                tags[place : place + 2] = tags[place + 1], _GOES_ON
        return tags

    def _statement(
        self, first: int, last: int, sentence: Matrix, likely: tuple[float, float], bounds: Span
    ) -> ReadStatement:
        unit = np.concatenate([self._mean(first, last), sentence])
        heads = self._heads
        stances, kinds = heads.probabilities("u_stance", unit), heads.probabilities("kind", unit)
        kind, second = sorted(kinds, key=lambda name: -kinds[name])[:2]
        attributes, whose = heads.probabilities("attribute", unit), heads.probabilities("holder", unit)
        likeliest = sorted(attributes, key=lambda name: -attributes[name])
        attribute = next((name for name in likeliest if may_be_of(name, self._heard)), "other")
        holder = Whose(max(whose, key=lambda name: whose[name]))
        start, end = self._words(first, last, bounds)
        worth, meant = likely
        return ReadStatement(
            start=start,
            end=end,
            worth=(worth + heads.chance("told", unit)) / 2 * min(meant, _meant(stances)),
            stance=SpeakerStance(max(stances, key=lambda name: stances[name])),
            kind=FactKind(kind),
            whose=holder,
            second_kind=FactKind(second) if kinds[kind] - kinds[second] < _CLOSE else None,
            attribute="" if attribute == "other" else attribute,
            name="" if holder is Whose.SELF else self._name(unit),
            is_alone=self._discourse.is_alone((start, end), bounds),
        )

    def _words(self, first: int, last: int, bounds: Span) -> Span:
        """Return where the words of some pieces begin and end: no word is cut, nor the mark at a sentence's end."""
        pieces = self._window.pieces
        start, end = uncut(self._text, max(bounds[0], pieces[first].start), min(bounds[1], pieces[last].end), bounds)
        return start, bounds[1] if not any(map(str.isalnum, self._text[end : bounds[1]])) else end

    def _mean(self, first: int, last: int) -> Matrix:
        begin = self._window.first
        mean: Matrix = self._hidden[begin + first : begin + last + 1].mean(axis=0)
        return mean

    def _name(self, unit: Matrix) -> str:
        """Return the word by which the person, pet or thing is called there or before; empty where none is."""
        token = self._heads.point(unit, self._hidden)
        window = self._window
        if 1 <= token <= len(window.lead):
            return _OWNER.sub("", window.word_before(token))
        piece = token - window.first
        if not 0 <= piece < len(window.pieces):
            return ""
        return _OWNER.sub("", whole_word(self._text, window.pieces[piece]))
