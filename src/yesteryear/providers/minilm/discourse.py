"""Reads sentences among those around them: whose words they are, what is taken back, what is understood by itself.

The encoder is the reader's with a further difference (``discourse.safetensors``, made in the laboratory and put into
``discourse.onnx`` by ``model install``): it was taught nothing but this, and sees more of what was said before. Linear
heads read of it the mean of each sentence beside that of the message, or of a statement beside its sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from yesteryear.core.language.sentences import Span, sentence_spans
from yesteryear.core.reading import Before, RetractedSentence
from yesteryear.core.vectors import Matrix
from yesteryear.providers.minilm.placing import Window, windows
from yesteryear.providers.minilm.trained import ReadingModel, trained

MOST_BEFORE = 112
"""Pieces read of what was said before; with those of a window and three marks they fit into ``MAX_TOKENS``."""
MOST_WINDOWS = 16  # windows read of one message, 2,000 pieces of words: who writes more has pasted it
_ALONE = 0.65
"""Probability, in [0, 1], from which a statement is understood by itself. Source: three in four such are, of 567 that
people judged; a fact that is told without what it hangs on is also compared without it."""
_NOT_MEANT, _BACK = -0.4, -0.7
"""Log odds from which a sentence was not meant as it stands, and from which a message takes back one said before it.

Source: chosen with held-out sets in view. Of what was not meant .50 is found, with .01 of sentences of ordinary talk;
of what is taken back later .36, with .02 (from 0 on .23; from -1 on .42, but four in five of what is taken for such in
lives still hold).
"""


@dataclass(slots=True)
class Discourse:
    """What the sentences of a message are among those around them."""

    brought: dict[Span, float] = field(default_factory=dict)  # of each, the log odds that it is somebody else's
    retracted: list[RetractedSentence] = field(default_factory=list)  # what the message takes back, in it and before it
    seen: list[tuple[Window, Matrix]] = field(default_factory=list)
    """Its windows, and the vector of each of their tokens, shape (tokens, 384)."""

    def is_alone(self, statement: Span, sentence: Span) -> bool:
        """Tell whether a statement, in a sentence of the message, is understood without what was said before."""
        for window, hidden in self.seen:
            spans = [tokens_of(window, *span) for span in (statement, sentence)]
            if all(spans):
                vector = np.concatenate([hidden[slice(*span)].mean(axis=0) for span in spans if span])
                return trained("discourse").chance("alone", vector) > _ALONE
        return True


class DiscourseModel(ReadingModel):
    """Some 10 ms of one processor for a message of 40 words with what was said before."""

    def read(self, text: str, sentences: Sequence[Span], *, before: Sequence[Before] = ()) -> Discourse:
        """Return what the ``sentences`` of a message are; ``before`` is what was said before, the latest last."""
        encoder, heads = self._encoder(), self._heads
        found = Discourse()
        read = windows(text, sentences, before, encoder.words, most_before=MOST_BEFORE)
        for window in islice(read, MOST_WINDOWS):
            hidden = self._run(encoder, tokens=window.tokens, own=window.own)
            found.seen.append((window, hidden))
            placed = [*sentences_before(window, before), *own_sentences(window, sentences)]
            vectors = np.array([hidden[slice(*each.tokens)].mean(axis=0) for each in placed])
            message = np.broadcast_to(hidden[window.first :].mean(axis=0), vectors.shape)
            brought = heads.logits("brought", np.hstack([vectors, message]))[:, 0].tolist()
            back = heads.logits("back", np.hstack([vectors, message, vectors * message]))[:, 0]
            for each, odds, odds_back in zip(placed, brought, back, strict=True):
                is_own = each.message == len(before)
                source = "" if is_own else before[each.message].id
                if is_own:
                    found.brought[each.span] = odds
                if odds_back >= (_NOT_MEANT if is_own else _BACK) and (is_own or source):
                    found.retracted.append(RetractedSentence(source, *each.span))
        return found


def tokens_of(window: Window, start: int, end: int) -> Span | None:
    """Return the tokens that stand for some characters of the message; None where there are none."""
    inside = [place for place, piece in enumerate(window.pieces) if piece.start < end and piece.end > start]
    return (inside[0] + window.first, inside[-1] + window.first + 1) if inside else None


class PlacedSentence(NamedTuple):
    """A sentence that stands in a window as a whole."""

    message: int  # which of those before; behind the last of them, the message that is read
    span: Span
    text: str
    tokens: Span  # where its tokens begin and end in the window


def own_sentences(window: Window, sentences: Sequence[Span]) -> Iterator[PlacedSentence]:
    """Yield the sentences of a message that stand in a window; of one that is too long the part that is there."""
    begins, ends = window.pieces[0].start, window.pieces[-1].end
    *_, text = window.said
    for start, end in sentences:
        if end <= begins or start >= ends:  # a long message has thousands of sentences in other windows
            continue
        places = [place for place, piece in enumerate(window.pieces) if start <= piece.start and piece.end <= end]
        if places:
            tokens = window.first + places[0], window.first + places[-1] + 1
            yield PlacedSentence(len(window.said) - 1, (start, end), text[start:end], tokens)


def sentences_before(window: Window, before: Sequence[Before]) -> Iterator[PlacedSentence]:
    """Yield the whole sentences that the same person said before, as far as they stand in a window."""
    for place, said in enumerate(before):
        if said.who != "me":
            continue
        pieces = [(token, piece) for token, piece in enumerate(window.lead, 1) if piece.text == place and piece.end]
        for start, end in sentence_spans(said.text) if pieces else ():
            tokens = [token for token, piece in pieces if start <= piece.start and piece.end <= end]
            if tokens and pieces[0][1].start <= start:
                yield PlacedSentence(place, (start, end), said.text[start:end], (tokens[0], tokens[-1] + 1))
