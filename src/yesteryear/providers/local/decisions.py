"""Sentences in which the person says what they have decided (English)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import FactDraft
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.reading import Sentence

_EN = vocabulary("decisions")

MOST = 8  # decisions named at most; the latest, for they may overturn the others
SHORT_WORDS = 25
"""Most words of a message that is shown whole when it decides something: "that's settled" says nothing alone."""
_BARE_WORDS = 7  # words up to which a sentence of a longer message is shown with the one before it
_SAME_CHARS = 20  # characters that a quote and a sentence must share at their beginning to be the same


def find_decisions(sentences: Sequence[Sentence], facts: Sequence[FactDraft] = ()) -> tuple[str, ...]:
    """Return what the users say they have decided, in order; neither what they weigh nor what they imagine.

    Of the facts they state, those of the kind decision are told too.
    """
    quotes: dict[str, list[str]] = {}
    for fact in facts:
        if fact.kind is FactKind.DECISION and not _EN["open"].search(fold(fact.quote)):
            quotes.setdefault(fact.message_id, []).append(fact.quote)
    found: dict[str, None] = {}
    for message_id, said in groupby(sentences, key=lambda sentence: sentence.message.id):
        found.update(dict.fromkeys(_decisions_in(list(said), quotes.get(message_id, []))))
    return tuple(found)[-MOST:]


def decides(sentence: Sentence) -> bool:
    """Tell whether the sentence states a decision, or what somebody is set to do."""
    return _is_decided(sentence) or (_is_meant(sentence) and _EN["intends"].search(sentence.folded) is not None)


def _decisions_in(sentences: Sequence[Sentence], quotes: Sequence[str]) -> Iterator[str]:
    settling = [place for place, sentence in enumerate(sentences) if _is_decided(sentence)]
    if not (settling or quotes):
        return
    if sum(len(sentence.text.split()) for sentence in sentences) <= SHORT_WORDS:
        yield " ".join(sentence.text for sentence in sentences if not sentence.is_question) or sentences[0].text
        return
    texts = []
    for place in settling:
        text = sentences[place].text
        is_bare = place > 0 and len(text.split()) <= _BARE_WORDS
        texts.append(f"{sentences[place - 1].text} {text}" if is_bare else text)
    yield from texts
    for quote in quotes:
        start = quote[:_SAME_CHARS]
        if not any(quote in text or text in quote or start in text or text[:_SAME_CHARS] in quote for text in texts):
            yield quote


def _is_decided(sentence: Sentence) -> bool:
    return _is_meant(sentence) and _EN["settles"].search(sentence.folded) is not None


def _is_meant(sentence: Sentence) -> bool:
    return not (sentence.is_question or _EN["open"].search(sentence.folded) or sentence.says("fiction"))
