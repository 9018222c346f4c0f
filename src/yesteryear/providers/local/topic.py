"""Name what a talk was about, in the words of those who talked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from yesteryear.core.episode import MAX_TOPIC_CHARS
from yesteryear.core.language.passages import split_passages
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem
from yesteryear.core.language.topics import topic_stems
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.reading import Sentence

_LEXICON = vocabulary("lexicon")

_PHRASE_WORDS = 3
"""Words of a phrase at most."""
_PHRASES = 3
"""Phrases named at most."""
_TITLE_CHARS = 60
"""Characters the phrases fill at most."""
_TITLE_WORDS = 8
"""Words of a title that is the beginning of a sentence."""
_OTHERS = 0.5
"""What a mention by an assistant counts beside one by a user."""
_FIRST = 1.5
"""How much more a word counts that stands in the users' first sentences."""
_FIRST_SENTENCES = 3
"""Sentences by users that count as first."""
_NAMED = 1.3
"""How much more a phrase counts that follows an article or "my"."""
_LONGER = 0.35
"""How much more it counts for each word from the second on."""
_ARTICLES = vocabulary("topics").words("articles")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*|\d[\w.,:]*\w|\d")
_BREAK = re.compile(r"[.,;:!?()\"“”…\n]| - | – | — ")


def name_topic(sentences: Sequence[Sentence]) -> str:
    """Return a brief title: the two or three phrases most talked about, by the users above all.

    Returns:
        Up to 60 characters, or one long phrase, never above MAX_TOPIC_CHARS; the beginning of the first sentence
        where no phrase stands out; empty where nothing was read.
    """
    weights = _weigh(sentences)
    phrases = _phrases([said for said in sentences if said.is_users] or sentences)
    scores = {phrase: _score(phrase, weights) * named for phrase, named in phrases.items()}
    chosen: list[str] = []
    used: set[str] = set()
    for phrase in sorted(scores, key=lambda phrase: -scores[phrase]):
        roots = topic_stems(phrase)
        fits = len(", ".join([*chosen, phrase])) <= _TITLE_CHARS
        if scores[phrase] > 0 and not roots & used and (fits or not chosen):
            chosen.append(phrase)
            used |= roots
        if len(chosen) == _PHRASES:
            break
    title = ", ".join(chosen) or (_beginning(sentences[0].text) if sentences else "")
    return (title[:1].upper() + title[1:])[:MAX_TOPIC_CHARS]


def _beginning(text: str) -> str:
    first, *further = split_passages(text, words=_TITLE_WORDS)
    return f"{first}…" if further else first


def _weigh(sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return how much each telling stem is talked about: in how many messages, by whom, how early."""
    weights: dict[str, float] = defaultdict(float)
    seen: set[tuple[str, str]] = set()
    users = 0
    for sentence in sentences:
        users += sentence.is_users
        is_first = sentence.is_users and users <= _FIRST_SENTENCES
        for root in topic_stems(sentence.text):
            if (root, sentence.message.id) not in seen:
                seen.add((root, sentence.message.id))
                weights[root] += (1 if sentence.is_users else _OTHERS) * (_FIRST if is_first else 1)
    return weights


def _phrases(sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return runs of up to three content words as they were written, in order of first mention.

    The value is how much speaks for their naming a thing: more after an article or "my", and for more than one word.
    """
    found: dict[str, float] = {}
    for sentence in sentences:
        for part in _BREAK.split(sentence.text):
            before, run = "", []
            for word in [*_WORD.findall(part), ""]:
                if word and not _is_grammar(word):
                    run.append(word)
                    continue
                for start in range(len(run)):
                    for size in range(1, min(len(run) - start, _PHRASE_WORDS) + 1):
                        named = _NAMED if start == 0 and fold(before) in _ARTICLES else 1.0
                        phrase = " ".join(run[start : start + size])
                        found[phrase] = max(found.get(phrase, 0.0), named * (1 + _LONGER * (size - 1)))
                before, run = word, []
    return found


def _is_grammar(word: str) -> bool:
    folded = fold(word)
    return folded in STOP_WORDS or folded in _LEXICON.words("fillers")


def _score(phrase: str, weights: Mapping[str, float]) -> float:
    """Return the mean weight of the phrase's words; 0 where one of them says nothing."""
    known = [weights.get(stem(fold(word)), 0.0) for word in phrase.split()]
    return sum(known) / len(known) if all(known) else 0.0
