"""What two statements are to each other, and what that is sure enough for: slots by rule, then heads, then guards.

In doubt both statements stay: a wrong merge destroys, a missed one costs a line.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from yesteryear.core.attributes import Cardinality
from yesteryear.core.heads import LinearHead, find_head
from yesteryear.core.language.tokens import stem, words
from yesteryear.core.ruling import Act, Claim, ClaimPair, Judgement, PairVerdict
from yesteryear.core.vectors import Matrix
from yesteryear.errors import ConfigError, ProviderError
from yesteryear.providers.local.vectors import TextVectors
from yesteryear.providers.local.verdicts.compare import (
    compare,
    is_word,
    likeness,
    pair_vectors,
    step_features,
    texts_to_embed,
    word_features,
)
from yesteryear.providers.local.verdicts.parsed_claim import ParsedClaim, parse_claim

if TYPE_CHECKING:
    from yesteryear.ports import Embedder

HEAD = "verdict"
"""Name of the head, with vectors and without."""

log = logging.getLogger("yesteryear.providers")


@dataclass(frozen=True, slots=True)
class JudgePolicy:
    """From which probability a verdict is acted on."""

    fold: float = 0.77
    """P(duplicate) + P(refines), in [0, 1], from which the less specific is merged. Source: pairs held out; lower
    merges more and is wrong more often than in 3 of 100 cases."""
    supersede: float = 0.85
    """P(updates), in [0, 1], from which the later takes the earlier's place. Source: as above, 7 of 100."""
    ask: float = 0.73
    """P(updates) + P(contradicts), in [0, 1], from which the person is asked. Source: as above, 10 of 100."""


WITHOUT_VECTORS = JudgePolicy(fold=0.9, supersede=0.86, ask=0.84)
"""From where to act on heads that read words alone and are wrong more often. Source: pairs held out."""


class PairReading(NamedTuple):
    """What a head reads of a pair."""

    features: Mapping[str, float]
    values: Matrix | None
    """Of the statements' vectors, as ``pair_vectors`` gives them; None where there are none."""


def judge_pairs(
    pairs: Sequence[ClaimPair],
    embedder: Embedder | None = None,
    kept: TextVectors | None = None,
    *,
    yield_to_foreground: Callable[[], None],
) -> list[Judgement]:
    """Return a judgement for each pair, in order, by rules and trained heads.

    Of each pair the statement said earlier comes first; of two said at the same instant either. Without an embedder, or
    when it fails, heads that read words alone decide. What was embedded before is kept, and whoever waits may go first.
    """
    vectors: Mapping[str, Matrix] = {}
    if embedder and find_head(HEAD, model=embedder.profile.model):
        texts = [text for pair in pairs for text in texts_to_embed(*claims_of(put_in_order(pair)))]
        try:
            vectors = (kept or TextVectors()).of(texts, embedder, yield_to_foreground=yield_to_foreground)
        except ProviderError as exc:
            log.warning("pairs of facts are judged without vectors: %s", exc.code)
    head = verdict_head(embedder.profile.model if embedder and vectors else None)
    policy = JudgePolicy() if vectors else WITHOUT_VECTORS
    found = []
    for pair in pairs:
        yield_to_foreground()
        found.append(judge_pair(pair, head, vectors, policy))
    return found


def verdict_head(model: str | None) -> LinearHead:
    """Return the shipped head for an embedder's model; for None that without vectors."""
    found = find_head(HEAD, model=model)
    if found is None:
        raise ConfigError("the weights of verdicts are missing; reinstall yesteryear")
    return found


def judge_pair(pair: ClaimPair, head: LinearHead, vectors: Mapping[str, Matrix], policy: JudgePolicy) -> Judgement:
    """Return what a pair's later statement does to the earlier, and what that is sure enough for.

    The head was trained on ``read_pair``; vectors are as that takes them, none for a head without a model.
    """
    ordered = put_in_order(pair)
    found = _judge_slots(ordered, *claims_of(ordered)) or _judge_texts(ordered, head, vectors, policy)
    return found if ordered == pair else replace(found, keeps_later=not found.keeps_later)


def put_in_order(pair: ClaimPair) -> ClaimPair:
    """Return a pair so that of two statements of one instant it makes no difference which was named first."""
    is_turned = pair.earlier.at == pair.later.at and _order(pair.later) < _order(pair.earlier)
    return ClaimPair(pair.later, pair.earlier) if is_turned else pair


def _order(claim: Claim) -> tuple[int, int, str]:
    """Return what tells which of two claims of one instant is the later: it tells of a change, or says more."""
    frame = parse_claim(claim.text)
    return frame.cues["change"], len(frame.content), claim.text


def claims_of(pair: ClaimPair) -> tuple[ParsedClaim, ParsedClaim]:
    """Return what both statements say."""
    return parse_claim(pair.earlier.text), parse_claim(pair.later.text)


def read_pair(pair: ClaimPair, vectors: Mapping[str, Matrix]) -> PairReading:
    """Return what a head reads of a pair, which is in order; with no vectors, what words alone tell."""
    a, b = claims_of(pair)
    features = compare(a, b, pair.later.at - pair.earlier.at)
    if vectors:
        features |= likeness(a, b, vectors)
    values = pair_vectors(a, b, vectors) if vectors else None
    return PairReading(features | step_features(features) | word_features(a, b), values)


def _judge_texts(pair: ClaimPair, head: LinearHead, vectors: Mapping[str, Matrix], policy: JudgePolicy) -> Judgement:
    features, values = read_pair(pair, vectors)
    known = {**dict.fromkeys(filter(is_word, head.features), 0.0), **features}  # words that neither says
    scores = {PairVerdict(name): score for name, score in head.probabilities(known, values).items()}
    act, rule = decide(pair, features, scores, policy)
    a, b = claims_of(pair)
    says_more = scores[PairVerdict.REFINES] >= scores[PairVerdict.DUPLICATE] or b.detail >= a.detail
    verdict = max(scores, key=lambda each: scores[each])
    return Judgement(verdict, act, keeps_later=says_more, scores=scores, rule=rule)


def decide(
    pair: ClaimPair, features: Mapping[str, float], scores: Mapping[PairVerdict, float], policy: JudgePolicy
) -> tuple[Act, str]:
    """Return the act that scores are sure enough for, and the guard that forbade one, if any did."""
    changed = scores[PairVerdict.UPDATES]
    if scores[PairVerdict.DUPLICATE] + scores[PairVerdict.REFINES] >= policy.fold:
        guard = _guard(pair, features, _NEVER_ONE)
        return (Act.NOTHING, guard) if guard else (Act.FOLD, "")
    if changed < policy.supersede and changed + scores[PairVerdict.CONTRADICTS] < policy.ask:
        return Act.NOTHING, ""
    if guard := _guard(pair, features, _NEVER_AT_ODDS):
        return Act.NOTHING, guard
    if changed < policy.supersede or pair.earlier.at >= pair.later.at:
        return Act.ASK, ""
    return (Act.SUPERSEDE, "") if pair.earlier.authority <= pair.later.authority else (Act.ASK, "less authority")


_NEVER_AT_ODDS: Mapping[str, tuple[str, ...]] = {
    "another subject": ("relative_differs", "other_owner"),
    "another case": ("sides_clash",),
}
"""Features that speak for two matters of which both may hold, by what they say."""
_NEVER_ONE: Mapping[str, tuple[str, ...]] = {
    **_NEVER_AT_ODDS,
    "opposites": ("opposed", "denied", "only_negated"),
    "other values": ("number_clash", "years_clash", "months_clash", "days_clash", "weekdays_clash", "clock_clash"),
    "other names": ("names_clash", "names_swapped"),
}
"""Features of which none may speak in a pair that is merged: a wrong merge is the one mistake nobody would notice."""


def _guard(pair: ClaimPair, features: Mapping[str, float], guards: Mapping[str, tuple[str, ...]]) -> str:
    """Return the first guard that forbids to act on a pair, or nothing."""
    if _is_other_subject(pair):
        return "another subject"
    return next((guard for guard, names in guards.items() if any(features[name] for name in names)), "")


def _judge_slots(pair: ClaimPair, a: ParsedClaim, b: ParsedClaim) -> Judgement | None:
    """Return what follows from the slots alone, or None where they do not decide: a value said anew takes the place.

    Both must fill the same single-valued attribute of one subject. The same value is the same statement; of values of
    which one holds all words of the other, that one says more; another value said later takes the place of the earlier,
    unless it has less authority, or both tell of the past or of what never changes; else the person is asked.
    """
    one, other = pair.earlier.slot, pair.later.slot
    if one is None or other is None or _is_other_subject(pair) or a.relative != b.relative:
        return None
    is_single = one.cardinality is other.cardinality is Cardinality.SINGLE
    if not is_single or one.attribute.casefold() != other.attribute.casefold():
        return None
    was, now = (frozenset(map(stem, words(slot.value))) for slot in (one, other))
    if not was or not now or (pair.earlier.is_negative and pair.later.is_negative and was != now):
        return None
    if pair.earlier.is_negative != pair.later.is_negative:
        return _clash(pair, a, b) if was == now else None
    if was == now:
        return Judgement(PairVerdict.DUPLICATE, Act.FOLD, keeps_later=b.detail >= a.detail, rule="same value")
    if was < now or now < was:
        return Judgement(PairVerdict.REFINES, Act.FOLD, keeps_later=was < now, rule="value with more words")
    return _clash(pair, a, b)


def _is_other_subject(pair: ClaimPair) -> bool:
    """Tell whether the claims are known to be about different people or things."""
    one, other = pair.earlier.subject.casefold(), pair.later.subject.casefold()
    return bool(one and other) and one != other


def _clash(pair: ClaimPair, a: ParsedClaim, b: ParsedClaim) -> Judgement:
    is_fixed = all(frame.cues["past"] or frame.cues["timeless"] for frame in (a, b))
    if pair.earlier.at < pair.later.at and pair.earlier.authority <= pair.later.authority and not is_fixed:
        return Judgement(PairVerdict.UPDATES, Act.SUPERSEDE, rule="other value, said later")
    return Judgement(PairVerdict.CONTRADICTS, Act.ASK, rule="other value, not to be ordered")
