"""A reader that knows words alone: it stands in where the model is not installed, and finds what is said plainly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yesteryear.core.attributes import FactKind
from yesteryear.core.language.clauses import clause_spans
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.told.about_oneself import Concern, says_of_oneself
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import Before, Effect, MessageReading, ReadSentence, ReadStatement, SpeakerStance, Whose

_EN, _LEXICON = vocabulary("meaning"), vocabulary("lexicon")
_STANCES = {"imagined": SpeakerStance.IMAGINED, "wishes": SpeakerStance.WISHED, "planned": SpeakerStance.PLANNED}
_PLAIN = 0.75
"""Worth of what is plainly said of oneself or one's people. Source: of 481 judged statements of such a form."""
_SENTENCES = 300  # sentences read of one message, from its beginning


@dataclass(frozen=True, slots=True)
class WordReader:
    """Reads by patterns. Deterministic, without state."""

    version: str = "words-1"

    def read(self, text: str, *, before: Sequence[Before] = ()) -> MessageReading:
        """Return the sentences that plainly tell of their speaker or of the speaker's people."""
        question = before[-1].text if before and before[-1].who != "me" else ""
        spans = list(clause_spans(text))[:_SENTENCES]
        sentences = [_read(text, start, end, question if len(spans) == 1 else "") for start, end in spans]
        return MessageReading(
            self.version, tuple(sentences), is_worth=max((sentence.worth for sentence in sentences), default=0.0)
        )

    def effects(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> dict[Effect, float]:  # noqa: ARG002
        """Return nothing: words alone do not tell."""
        return {}

    def close(self) -> None:
        """Nothing is held."""


def _read(text: str, start: int, end: int, question: str) -> ReadSentence:
    said = text[start:end]
    folded = fold(said)
    concern = says_of_oneself(said, question=question)
    stance = _stance(said, folded)
    answers = bool(question) and concern is not None and says_of_oneself(said) is None
    if concern is None or stance in (SpeakerStance.ASKED, SpeakerStance.IMAGINED):
        return ReadSentence(start, end, 0.0, stance, answers)
    kind = FactKind.RELATIONSHIP if concern is Concern.PEOPLE else _kind(folded, stance)
    told = ReadStatement(start, end, _PLAIN, stance, kind, Whose.SELF, is_alone=not answers)
    return ReadSentence(start, end, _PLAIN, stance, answers, (told,))


def _stance(said: str, folded: str) -> SpeakerStance:
    if said.rstrip().endswith("?") or _LEXICON["question"].match(folded):
        return SpeakerStance.ASKED
    return next((stance for name, stance in _STANCES.items() if _EN[name].search(folded)), SpeakerStance.HOLDS)


def _kind(folded: str, stance: SpeakerStance) -> FactKind:
    if stance in (SpeakerStance.WISHED, SpeakerStance.PLANNED):
        return FactKind.GOAL
    if _EN["decides"].search(folded):
        return FactKind.DECISION
    is_taste = _LEXICON["taste"].search(folded) and not _LEXICON["health"].search(folded)
    return FactKind.PREFERENCE if is_taste else FactKind.IDENTITY
