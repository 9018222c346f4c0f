"""What two statements are to each other, and what that is sure enough for.

The order of decision: a slot that both fill is decided by rule; else trained heads tell how likely each verdict is from
subject, values, polarity and time; an act needs a likely verdict and that no guard forbids it. In doubt both statements
stay: a wrong merge destroys, a missed one costs a line.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from yesteryear.core.fact import Cardinality
from yesteryear.core.heads import find_head
from yesteryear.core.language.tokens import stem, words
from yesteryear.core.linear import LinearHead
from yesteryear.core.vectors import Matrix
from yesteryear.core.verdicts import Act, Claim, ClaimPair, Judgement, PairVerdict
from yesteryear.errors import ConfigError, ProviderError
from yesteryear.providers.local.verdicts.compare import compare, is_word, step_features, word_features
from yesteryear.providers.local.verdicts.frame import Frame, read_frame
from yesteryear.providers.local.verdicts.likeness import likeness, pair_vectors, texts_to_embed
from yesteryear.providers.local.verdicts.vectors import TextVectors

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


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Judges pairs of statements by rules and trained heads. Deterministic; safe to call from several threads."""

    embedder: Embedder | None = None
    """Makes the vectors that heads read; without it, or when it fails, heads that read words alone decide."""
    policy: JudgePolicy = field(default_factory=JudgePolicy)
    """From where to act on heads that read vectors."""
    policy_without_vectors: JudgePolicy = WITHOUT_VECTORS
    vectors: TextVectors = field(default_factory=TextVectors)
    """What was embedded before."""

    def judge(self, pairs: Sequence[ClaimPair], *, give_way: Callable[[], None]) -> list[Judgement]:
        """Return a judgement for each pair, in order.

        Args:
            pairs: The statement said earlier first; of two said at the same instant either.
            give_way: Called before each pair, and between texts that are embedded.
        """
        vectors = self._embed(pairs, self.embedder, give_way) if self.embedder else {}
        head = verdict_head(self.embedder.profile.model if self.embedder and vectors else None)
        policy = self.policy if vectors else self.policy_without_vectors
        found = []
        for pair in pairs:
            give_way()
            found.append(judge_pair(pair, head, vectors, policy))
        return found

    def _embed(
        self, pairs: Sequence[ClaimPair], embedder: Embedder, give_way: Callable[[], None]
    ) -> Mapping[str, Matrix]:
        """Return the vectors that the pairs need; none when no head reads them, and when the embedder fails."""
        if find_head(HEAD, model=embedder.profile.model) is None:
            return {}
        texts = [text for pair in pairs for text in texts_to_embed(*frames_of(put_in_order(pair)))]
        try:
            return self.vectors.of(texts, embedder, give_way=give_way)
        except ProviderError as exc:
            log.warning("pairs of facts are judged without vectors: %s", exc.code)
            return {}


def verdict_head(model: str | None) -> LinearHead:
    """Return the shipped head for an embedder's model; for None that without vectors."""
    found = find_head(HEAD, model=model)
    if found is None:
        raise ConfigError("the weights of verdicts are missing; reinstall yesteryear")
    return found


def judge_pair(pair: ClaimPair, head: LinearHead, vectors: Mapping[str, Matrix], policy: JudgePolicy) -> Judgement:
    """Return what a pair's later statement does to the earlier, and what that is sure enough for.

    Args:
        pair: Two statements.
        head: One that was trained on ``read_pair``.
        vectors: As ``read_pair`` takes them; empty for a head without a model.
        policy: From where to act.
    """
    ordered = put_in_order(pair)
    found = _judge_slots(ordered, *frames_of(ordered)) or _judge_texts(ordered, head, vectors, policy)
    return found if ordered == pair else replace(found, keeps_later=not found.keeps_later)


def put_in_order(pair: ClaimPair) -> ClaimPair:
    """Return a pair so that of two statements of one instant it makes no difference which was named first."""
    is_turned = pair.earlier.at == pair.later.at and _order(pair.later) < _order(pair.earlier)
    return ClaimPair(pair.later, pair.earlier) if is_turned else pair


def _order(claim: Claim) -> tuple[int, int, str]:
    """Return what tells which of two claims of one instant is the later: it tells of a change, or says more."""
    frame = read_frame(claim.text)
    return frame.cues["change"], len(frame.content), claim.text


def frames_of(pair: ClaimPair) -> tuple[Frame, Frame]:
    """Return what both statements say."""
    return read_frame(pair.earlier.text), read_frame(pair.later.text)


def read_pair(pair: ClaimPair, vectors: Mapping[str, Matrix]) -> PairReading:
    """Return what a head reads of a pair.

    Args:
        pair: As ``put_in_order`` returns it.
        vectors: Of every text that ``texts_to_embed`` names, by text; empty to leave vectors out.
    """
    a, b = frames_of(pair)
    features = compare(a, b, pair.later.at - pair.earlier.at)
    if vectors:
        features |= likeness(a, b, vectors)
    values = pair_vectors(a, b, vectors) if vectors else None
    return PairReading(features | step_features(features) | word_features(a, b), values)


def _judge_texts(pair: ClaimPair, head: LinearHead, vectors: Mapping[str, Matrix], policy: JudgePolicy) -> Judgement:
    features, values = read_pair(pair, vectors)
    known = {**_absent_words(head.features), **features}
    scores = {PairVerdict(name): score for name, score in head.probabilities(known, values).items()}
    act, rule = decide(pair, features, scores, policy)
    return Judgement(
        verdict=max(scores, key=lambda each: scores[each]),
        act=act,
        keeps_later=_is_later_specific(pair, scores),
        scores=scores,
        rule=rule,
    )


@lru_cache(maxsize=8)
def _absent_words(names: tuple[str, ...]) -> Mapping[str, float]:
    """Return the features of a head that a pair without its words lacks."""
    return MappingProxyType(dict.fromkeys(filter(is_word, names), 0.0))


def decide(
    pair: ClaimPair, features: Mapping[str, float], scores: Mapping[PairVerdict, float], policy: JudgePolicy
) -> tuple[Act, str]:
    """Return the act that scores are sure enough for, and the guard that forbade one, if any did.

    Args:
        pair: Two statements.
        features: As ``read_pair`` names them.
        scores: Probability of each verdict.
        policy: From where to act.
    """
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


def _is_later_specific(pair: ClaimPair, scores: Mapping[PairVerdict, float]) -> bool:
    """Tell whether the later statement is the more specific one, or as specific."""
    a, b = frames_of(pair)
    return scores[PairVerdict.REFINES] >= scores[PairVerdict.DUPLICATE] or b.detail >= a.detail


def _judge_slots(pair: ClaimPair, a: Frame, b: Frame) -> Judgement | None:
    """Return what follows from the slots alone, or None where they do not decide: a value said anew takes the place.

    Both must fill the same single-valued attribute of one subject. The same value is the same statement; of values of
    which one holds all words of the other, that one says more; another value said later takes the place of the earlier,
    unless it has less authority, or both tell of the past or of what never changes; else the person is asked.

    Args:
        pair: The claims, with their slots.
        a: What the earlier says.
        b: What the later says.
    """
    one, other = pair.earlier.slot, pair.later.slot
    if one is None or other is None or _is_other_subject(pair) or a.relative != b.relative:
        return None
    is_single = one.cardinality is other.cardinality is Cardinality.SINGLE
    if not is_single or one.attribute.casefold() != other.attribute.casefold():
        return None
    was, now = _key(one.value), _key(other.value)
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


def _key(value: str) -> frozenset[str]:
    return frozenset(map(stem, words(value)))


def _clash(pair: ClaimPair, a: Frame, b: Frame) -> Judgement:
    is_fixed = all(frame.cues["past"] or frame.cues["timeless"] for frame in (a, b))
    if pair.earlier.at < pair.later.at and pair.earlier.authority <= pair.later.authority and not is_fixed:
        return Judgement(PairVerdict.UPDATES, Act.SUPERSEDE, rule="other value, said later")
    return Judgement(PairVerdict.CONTRADICTS, Act.ASK, rule="other value, not to be ordered")
