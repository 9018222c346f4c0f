"""What a talk was about: its topic, the sentences that say most, its key points and decisions, in the words said.

Sentences are ranked by what they share with the whole and how they are worded, then picked so that each adds something.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import MAX_TOPIC_CHARS
from yesteryear.core.fact import FactDraft
from yesteryear.core.language.discourse import begins_with, topic_stems
from yesteryear.core.language.sentences import split_passages
from yesteryear.core.language.token_estimate import estimate_tokens
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Source
from yesteryear.providers.local.reading import Sentence

_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z]\w+")
_ENDS = re.compile(r"[\w)\]%°€$£]$")
_PHRASE_WORDS = 3  # words of a phrase at most
_PHRASES = 3  # phrases named at most
_TITLE_CHARS = 60  # characters the phrases fill at most
_TITLE_WORDS = 8  # words of a title that is the beginning of a sentence
_OTHERS = 0.5  # what a mention by an assistant counts beside one by a user
_FIRST = 1.5  # how much more a word counts that stands in the users' first sentences
_FIRST_SENTENCES = 3  # sentences by users that count as first
_NAMED = 1.3  # how much more a phrase counts that follows an article or "my"
_LONGER = 0.35  # how much more it counts for each word from the second on
_ARTICLES = vocabulary("topics").words("articles")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*|\d[\w.,:]*\w|\d")
_BREAK = re.compile(r"[.,;:!?()\"“”…\n]| - | – | — ")
_DECISIONS = vocabulary("decisions")
MOST_DECISIONS = 8  # decisions named at most; the latest, for they may overturn the others
SHORT_DECISION_WORDS = 25
"""Most words of a message that is shown whole when it decides something: "that's settled" says nothing alone."""
_BARE_WORDS = 7  # words up to which a sentence of a longer message is shown with the one before it
_SAME_CHARS = 20  # characters that a quote and a sentence must share at their beginning to be the same


@dataclass(frozen=True, slots=True)
class SummaryPolicy:
    """How much is told, and what speaks for telling a sentence.

    The weights add to a cosine in [0, 1] and are set by hand; a sentence is worth telling when its sum is positive.
    """

    least_tokens: int = 100
    """Estimated tokens up to which weaker sentences are told too. Source: document A, 100 to 150 tokens."""
    most_tokens: int = 150  # estimated tokens that are never exceeded, unless by a single sentence
    key_points: int = 5  # key points at most
    repetition: float = 0.7  # what likeness to a sentence already told costs, per unit of cosine
    floor: float = -0.25  # worth below which a sentence is not told even to fill up
    decision: float = 0.4  # the person decides something
    personal: float = 0.25  # who they are and what holds for long
    life: float = 0.25  # births, deaths, illness, union and parting, promises
    figure: float = 0.15  # numbers and dates
    name: float = 0.15  # names
    emotion: float = 0.15  # feelings
    assistant: float = -0.45  # somebody in the role of an assistant says it
    question: float = -0.35  # it asks
    task: float = -0.35  # it sets a task
    passing: float = -0.25  # it holds for minutes or hours only, or is invented
    thin: float = -0.35  # it has fewer than three content words
    leaning: float = -0.1  # it leans on what was said before it


_POLICY = SummaryPolicy()


def summarise(sentences: Sequence[Sentence], *, yield_to_foreground: Callable[[], None]) -> tuple[str, tuple[str, ...]]:
    """Return a summary and the key points; both empty where nothing was read.

    The one is whole sentences in their order, with the speakers' names where there is more than one or theirs is not
    just a role; the others are the users' strongest statements in their order.
    """
    sentences = list({sentence.folded: sentence for sentence in reversed(sentences)}.values())[::-1]
    ranked = _pick(sentences, yield_to_foreground=yield_to_foreground)
    told: list[Sentence] = []
    tokens = 0
    for sentence, worth in ranked:
        yield_to_foreground()
        if told and (worth < _POLICY.floor or (worth <= 0 and tokens >= _POLICY.least_tokens)):
            break
        longer = _in_order([*told, sentence], sentences)
        cost = estimate_tokens(_render(longer))
        if cost <= _POLICY.most_tokens or not told:
            told, tokens = longer, cost
    points = [said for said, worth in ranked if said.is_users and said.is_statement and worth > 0][: _POLICY.key_points]
    has_others = len({point.message.author for point in points}) > 1
    speakers = ((f"{_speaker(point)}: " if has_others else "", point) for point in _in_order(points, sentences))
    return _render(told), tuple(speaker + _closed(point.text) for speaker, point in speakers)


def _pick(sentences: Sequence[Sentence], *, yield_to_foreground: Callable[[], None]) -> list[tuple[Sentence, float]]:
    """Return sentences by what each adds to those before it, with that worth; ties go to what was said first."""
    vectors = _vectors(sentences)
    centre = vectors[[sentence.is_users for sentence in sentences]].sum(axis=0)
    worth = vectors @ (centre / (np.linalg.norm(centre) or 1.0))
    for place, sentence in enumerate(sentences):
        yield_to_foreground()
        worth[place] += _wording(sentence)
    likeness = np.zeros(len(sentences))
    picked: list[tuple[Sentence, float]] = []
    while len(picked) < min(len(sentences), _POLICY.key_points + _POLICY.most_tokens // 4):
        yield_to_foreground()
        added = worth - _POLICY.repetition * likeness
        best = int(added.round(9).argmax())  # rounded, for sums of the same numbers tie
        picked.append((sentences[best], float(added[best])))
        likeness = np.maximum(likeness, vectors @ vectors[best])
        worth[best] = -np.inf
    return picked


def _wording(sentence: Sentence) -> float:
    is_figure = _NUMBER.search(sentence.folded) is not None or sentence.says("date")
    return (
        _POLICY.decision * decides(sentence)
        + _POLICY.personal * sentence.says("identity", "lasting")
        + _POLICY.life * sentence.says("life_event")
        + _POLICY.figure * is_figure
        + _POLICY.name * bool(_NAME.search(sentence.text))
        + _POLICY.emotion * sentence.says("emotion")
        + _POLICY.assistant * (not sentence.is_users)
        + _POLICY.question * sentence.is_question
        + _POLICY.task * sentence.is_task
        + _POLICY.passing * sentence.says("passing", "fiction")
        + _POLICY.thin * (len(set(sentence.stems)) < 3)
        + _POLICY.leaning * begins_with("continuations", sentence.text)
    )


def _vectors(sentences: Sequence[Sentence]) -> npt.NDArray[np.float64]:
    """Return one unit row of tf-idf weights for each sentence, zero for one without words; sentences are documents."""
    spread = Counter(root for sentence in sentences for root in set(sentence.stems))
    columns = {root: column for column, root in enumerate(spread)}
    counts = np.zeros((len(sentences), len(columns)))
    for row, sentence in zip(counts, sentences, strict=True):
        for root in sentence.stems:
            row[columns[root]] += 1
    weights = counts * np.log(1 + len(sentences) / np.array(list(spread.values())))
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    return weights / np.where(lengths, lengths, 1.0)


def _in_order(chosen: Sequence[Sentence], sentences: Sequence[Sentence]) -> list[Sentence]:
    wanted = set(map(id, chosen))
    return [sentence for sentence in sentences if id(sentence) in wanted]


def _render(told: Sequence[Sentence]) -> str:
    speakers = {_speaker(sentence) for sentence in told}
    is_plain = len(speakers) == 1 and told[0].is_own and told[0].message.author.casefold() == told[0].message.role.value
    lines = ((speaker, " ".join(_closed(each.text) for each in said)) for speaker, said in groupby(told, key=_speaker))
    return " ".join(said if is_plain else f"{speaker}: {said}" for speaker, said in lines)


def _speaker(sentence: Sentence) -> str:
    author = sentence.message.author or sentence.message.role.value
    return author if sentence.is_own else f"{author} ({Source.BROUGHT.value})"


def _closed(text: str) -> str:
    """Return the sentence with a full stop where it has none, so that the next one stands apart."""
    return f"{text}." if _ENDS.search(text) else text


def name_topic(sentences: Sequence[Sentence]) -> str:
    """Return a brief title: the two or three phrases most talked about, by the users above all.

    Up to 60 characters, or one long phrase, never above MAX_TOPIC_CHARS; the beginning of the first sentence where no
    phrase stands out; empty where nothing was read.
    """
    weights = _weigh(sentences)
    phrases = _phrases([said for said in sentences if said.is_users] or sentences)
    scores: dict[str, float] = {}
    for phrase, named in phrases.items():
        known = [weights.get(stem(fold(word)), 0.0) for word in phrase.split()]
        scores[phrase] = sum(known) / len(known) * named if all(known) else 0.0
    chosen: list[str] = []
    used: set[str] = set()
    for phrase in sorted(scores, key=lambda phrase: -scores[phrase]):
        roots = topic_stems(phrase)
        fits = not chosen or len(", ".join([*chosen, phrase])) <= _TITLE_CHARS
        if scores[phrase] > 0 and not roots & used and fits and len(chosen) < _PHRASES:
            chosen.append(phrase)
            used |= roots
    title = ", ".join(chosen)
    if sentences and not title:
        first, *further = split_passages(sentences[0].text, words=_TITLE_WORDS)
        title = f"{first}…" if further else first
    return (title[:1].upper() + title[1:])[:MAX_TOPIC_CHARS]


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
    grammar = STOP_WORDS | vocabulary("lexicon").words("fillers")
    for sentence in sentences:
        for part in _BREAK.split(sentence.text):
            before, run = "", []
            for word in [*_WORD.findall(part), ""]:
                if word and fold(word) not in grammar:
                    run.append(word)
                    continue
                for start in range(len(run)):
                    for size in range(1, min(len(run) - start, _PHRASE_WORDS) + 1):
                        named = _NAMED if start == 0 and fold(before) in _ARTICLES else 1.0
                        phrase = " ".join(run[start : start + size])
                        found[phrase] = max(found.get(phrase, 0.0), named * (1 + _LONGER * (size - 1)))
                before, run = word, []
    return found


def find_decisions(sentences: Sequence[Sentence], facts: Sequence[FactDraft] = ()) -> tuple[str, ...]:
    """Return what the users say they have decided, in order; neither what they weigh nor what they imagine.

    Of the facts they state, those of the kind decision are told too.
    """
    quotes: dict[str, list[str]] = {}
    for fact in facts:
        if fact.kind is FactKind.DECISION and not _DECISIONS["open"].search(fold(fact.quote)):
            quotes.setdefault(fact.message_id, []).append(fact.quote)
    found: dict[str, None] = {}
    for message_id, said in groupby(sentences, key=lambda sentence: sentence.message.id):
        found.update(dict.fromkeys(_decisions_in(list(said), quotes.get(message_id, []))))
    return tuple(found)[-MOST_DECISIONS:]


def decides(sentence: Sentence) -> bool:
    """Tell whether the sentence states a decision, or what somebody is set to do."""
    return _is_decided(sentence) or (_is_meant(sentence) and _DECISIONS["intends"].search(sentence.folded) is not None)


def _decisions_in(sentences: Sequence[Sentence], quotes: Sequence[str]) -> Iterator[str]:
    settling = [place for place, sentence in enumerate(sentences) if _is_decided(sentence)]
    if not (settling or quotes):
        return
    if sum(len(sentence.text.split()) for sentence in sentences) <= SHORT_DECISION_WORDS:
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
    return _is_meant(sentence) and _DECISIONS["settles"].search(sentence.folded) is not None


def _is_meant(sentence: Sentence) -> bool:
    return not (sentence.is_question or _DECISIONS["open"].search(sentence.folded) or sentence.says("fiction"))
