"""Choose the sentences that say most: an extractive summary and the key points of a talk.

Sentences are ranked by what they share with the whole and by what their wording shows, then picked one by one so that
each adds something (maximal marginal relevance). Nothing is rewritten: only what was said, by whom, in its order.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from yesteryear.core.language.estimate import estimate_tokens
from yesteryear.core.language.topics import continues
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Source
from yesteryear.providers.local.decisions import decides
from yesteryear.providers.local.reading import Sentence

_LEXICON = vocabulary("lexicon")

_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z]\w+")
_ENDS = re.compile(r"[\w)\]%°€$£]$")


@dataclass(frozen=True, slots=True)
class SummaryPolicy:
    """How much is told, and what speaks for telling a sentence.

    The weights add to a cosine in [0, 1] and are set by hand; a sentence is worth telling when its sum is positive.
    """

    least_tokens: int = 100
    """Estimated tokens up to which weaker sentences are told too. Source: document A, 100 to 150 tokens."""
    most_tokens: int = 150
    """Estimated tokens that are never exceeded, unless by a single sentence."""
    key_points: int = 5
    """Key points at most."""
    repetition: float = 0.7
    """What likeness to a sentence already told costs, per unit of cosine."""
    floor: float = -0.25
    """Worth below which a sentence is not told even to fill up."""
    decision: float = 0.4
    """The person decides something."""
    personal: float = 0.25
    """Who they are and what holds for long."""
    life: float = 0.25
    """Births, deaths, illness, union and parting, promises."""
    figure: float = 0.15
    """Numbers and dates."""
    name: float = 0.15
    """Names."""
    emotion: float = 0.15
    """Feelings."""
    assistant: float = -0.45
    """Somebody in the role of an assistant says it."""
    question: float = -0.35
    """It asks."""
    task: float = -0.35
    """It sets a task."""
    passing: float = -0.25
    """It holds for minutes or hours only, or is invented."""
    thin: float = -0.35
    """It has fewer than three content words."""
    leaning: float = -0.1
    """It leans on what was said before it."""


def summarise(
    sentences: Sequence[Sentence], policy: SummaryPolicy, *, give_way: Callable[[], None]
) -> tuple[str, tuple[str, ...]]:
    """Return a summary and the key points.

    Returns:
        The summary, whole sentences in their order, with the speakers' names where there is more than one or theirs
        is not just a role; and the users' strongest statements in their order. Both empty where nothing was read.
    """
    sentences = list({sentence.folded: sentence for sentence in reversed(sentences)}.values())[::-1]
    ranked = _pick(sentences, policy, give_way=give_way)
    told: list[Sentence] = []
    tokens = 0
    for sentence, worth in ranked:
        give_way()
        if told and (worth < policy.floor or (worth <= 0 and tokens >= policy.least_tokens)):
            break
        longer = _in_order([*told, sentence], sentences)
        cost = estimate_tokens(_render(longer))
        if cost <= policy.most_tokens or not told:
            told, tokens = longer, cost
    points = [said for said, worth in ranked if said.is_users and said.is_statement and worth > 0][: policy.key_points]
    has_others = len({point.message.author for point in points}) > 1
    return _render(told), tuple(
        f"{_speaker(point)}: {_closed(point.text)}" if has_others else _closed(point.text)
        for point in _in_order(points, sentences)
    )


def _pick(
    sentences: Sequence[Sentence], policy: SummaryPolicy, *, give_way: Callable[[], None]
) -> list[tuple[Sentence, float]]:
    """Return sentences by what each adds to those before it, with that worth; ties go to what was said first."""
    vectors = _vectors(sentences)
    centre = _unit(_sum(vector for vector, said in zip(vectors, sentences, strict=True) if said.is_users))
    worth: list[float] = []
    for vector, sentence in zip(vectors, sentences, strict=True):
        give_way()
        worth.append(_dot(vector, centre) + _wording(sentence, policy))
    likeness = [0.0] * len(sentences)
    left = list(range(len(sentences)))
    picked: list[tuple[Sentence, float]] = []
    enough = policy.key_points + policy.most_tokens // 4
    while left and len(picked) < enough:
        give_way()
        best = max(left, key=lambda index: worth[index] - policy.repetition * likeness[index])
        picked.append((sentences[best], worth[best] - policy.repetition * likeness[best]))
        left.remove(best)
        for index in left:
            likeness[index] = max(likeness[index], _dot(vectors[index], vectors[best]))
    return picked


def _wording(sentence: Sentence, policy: SummaryPolicy) -> float:
    folded = sentence.folded
    is_personal = _LEXICON["identity"].search(folded) or _LEXICON["lasting"].search(folded)
    is_figure = _NUMBER.search(folded) or _LEXICON["date"].search(folded)
    is_passing = _LEXICON["passing"].search(folded) or _LEXICON["fiction"].search(folded)
    return (
        policy.decision * decides(sentence)
        + policy.personal * bool(is_personal)
        + policy.life * bool(_LEXICON["life_event"].search(folded))
        + policy.figure * bool(is_figure)
        + policy.name * bool(_NAME.search(sentence.text))
        + policy.emotion * bool(_LEXICON["emotion"].search(folded))
        + policy.assistant * (not sentence.is_users)
        + policy.question * sentence.is_question
        + policy.task * sentence.is_task
        + policy.passing * bool(is_passing)
        + policy.thin * (len(set(sentence.stems)) < 3)
        + policy.leaning * continues(sentence.text)
    )


def _vectors(sentences: Sequence[Sentence]) -> list[dict[str, float]]:
    """Return one unit vector of tf-idf weights for each sentence; the documents are the sentences."""
    spread = Counter(stem for sentence in sentences for stem in set(sentence.stems))
    rarity = {stem: math.log(1 + len(sentences) / count) for stem, count in spread.items()}
    return [
        _unit({stem: count * rarity[stem] for stem, count in Counter(sentence.stems).items()}) for sentence in sentences
    ]


def _sum(vectors: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = defaultdict(float)
    for vector in vectors:
        for stem, value in vector.items():
            total[stem] += value
    return total


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {stem: value / length for stem, value in vector.items()} if length else {}


def _dot(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    if len(left) > len(right):
        left, right = right, left
    return sum(value * right.get(stem, 0.0) for stem, value in left.items())


def _in_order(chosen: Sequence[Sentence], sentences: Sequence[Sentence]) -> list[Sentence]:
    wanted = set(map(id, chosen))
    return [sentence for sentence in sentences if id(sentence) in wanted]


def _render(told: Sequence[Sentence]) -> str:
    speakers = {_speaker(sentence) for sentence in told}
    is_plain = len(speakers) == 1 and told[0].is_own and told[0].message.author.casefold() == told[0].message.role.value
    parts: list[str] = []
    speaker = ""
    for sentence in told:
        said = _closed(sentence.text)
        if not is_plain and _speaker(sentence) != speaker:
            speaker = _speaker(sentence)
            said = f"{speaker}: {said}"
        parts.append(said)
    return " ".join(parts)


def _speaker(sentence: Sentence) -> str:
    author = sentence.message.author or sentence.message.role.value
    return author if sentence.is_own else f"{author} ({Source.BROUGHT.value})"


def _closed(text: str) -> str:
    """Return the sentence with a full stop where it has none, so that the next one stands apart."""
    return f"{text}." if _ENDS.search(text) else text
