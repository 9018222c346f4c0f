"""What is done about two statements: slots first, then heads, and guards last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.concepts import ConceptEmbedder
from tests.each import each
from yesteryear.core.attributes import Cardinality
from yesteryear.core.fact import Authority, Slot
from yesteryear.core.ruling import Act, Claim, ClaimPair, Judgement, PairVerdict
from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose
from yesteryear.errors import ProviderUnavailable
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.local.vectors import TextVectors
from yesteryear.providers.local.verdicts.judging import JudgePolicy, decide, judge_pairs, read_pair, verdict_head
from yesteryear.providers.minilm.embedder import PROFILE

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = MAY + timedelta(days=31)


def home(place: str, cardinality: Cardinality = Cardinality.SINGLE) -> Slot:
    """Return where somebody lives."""
    return Slot("residence", place, cardinality)


def judge(earlier: Claim, later: Claim) -> Judgement:
    """Judge a pair without vectors."""
    [found] = judge_pairs([ClaimPair(earlier, later)], yield_to_foreground=lambda: None)
    return found


def lives(place: str, at: datetime, **more: Any) -> Claim:
    """Return a claim with its slot."""
    return Claim(f"Ana lives in {place}", at, "Ana", slot=home(place))._replace(**more)


def test_the_same_value_folds_and_another_said_later_supersedes() -> None:
    """By rule, however sure the head is."""
    same, other = judge(lives("Lisbon", MAY), lives("lisbon", JUNE)), judge(lives("Lisbon", MAY), lives("Porto", JUNE))
    assert (same.verdict, same.act, same.scores) == (PairVerdict.DUPLICATE, Act.FOLD, {})
    assert (other.verdict, other.act, other.rule) == (PairVerdict.UPDATES, Act.SUPERSEDE, "other value, said later")


def test_a_value_with_more_words_stays() -> None:
    """Whichever was said first."""
    more, less = lives("Lisbon, Portugal", MAY), lives("Lisbon", MAY)
    assert judge(less, more._replace(at=JUNE)).keeps_later
    found = judge(more, less._replace(at=JUNE))
    assert (found.act, found.keeps_later) == (Act.FOLD, False)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (lives("Lisbon", MAY), lives("Porto", MAY)),
        (lives("Lisbon", MAY), lives("Porto", JUNE, authority=Authority.INFERRED)),
        (lives("Lisbon", MAY, text="Ana was born in Lisbon"), lives("Porto", JUNE, text="Ana was born in Porto")),
        (lives("Lisbon", MAY), lives("Lisbon", MAY, is_negative=True)),
    ],
    ids=["at the same time", "of less authority", "of the past", "the opposite"],
)
def test_values_that_cannot_be_ordered_are_asked_about(earlier: Claim, later: Claim) -> None:
    """Neither takes the other's place by itself."""
    found = judge(earlier, later)
    assert (found.verdict, found.act) == (PairVerdict.CONTRADICTS, Act.ASK)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (lives("Lisbon", MAY, slot=None), lives("Porto", JUNE)),
        (lives("Lisbon", MAY, slot=home("Lisbon", Cardinality.MULTI)), lives("Porto", JUNE)),
        (lives("Lisbon", MAY), lives("Porto", JUNE, slot=Slot("job", "Porto", Cardinality.SINGLE))),
        (lives("Lisbon", MAY), lives("Porto", JUNE, subject="Ben", text="Ben lives in Porto")),
        (lives("Lisbon", MAY), lives("Porto", JUNE, is_negative=True)),
        (lives("Lisbon", MAY, is_negative=True), lives("Porto", JUNE, is_negative=True)),
    ],
    ids=["unknown", "of several values", "of another kind", "of another person", "denied", "both denied"],
)
def test_slots_that_do_not_decide_leave_it_to_the_head(earlier: Claim, later: Claim) -> None:
    """Which gives every verdict a probability."""
    assert set(judge(earlier, later).scores) == set(PairVerdict)


def sure(verdict: PairVerdict) -> dict[PairVerdict, float]:
    """Return scores that leave no doubt."""
    return {each: float(each is verdict) for each in PairVerdict}


def act(a: str, b: str, verdict: PairVerdict, *, days: int = 31, authority: Authority = Authority.SAID) -> Act:
    """Return what is done about two statements whose verdict is certain."""
    pair = ClaimPair(Claim(a, MAY), Claim(b, MAY + timedelta(days=days), authority=authority))
    return decide(pair, read_pair(pair, {}).features, sure(verdict), JudgePolicy())[0]


@each(
    ("a", "b"),
    [
        ("Ana is allergic to nuts", "Ana is not allergic to nuts"),
        ("Ana eats meat", "Ana never eats meat"),
        ("The lease allows dogs", "The lease forbids dogs"),
        ("Ana loves opera", "Ana hates opera"),
        ("Ana weighs 61 kg", "Ana weighs 74 kg"),
        ("Ana's exam is on 3 May", "Ana's exam is on 9 May"),
        ("Ana drives a Fiat", "Ana drives a Skoda"),
        ("Ana reports to Ben", "Ben reports to Ana"),
        ("Ana is tall", "Ana's sister is tall"),
        ("Ana is a nurse", "Ben is a nurse"),
        ("Ana's left knee hurts", "Ana's right knee hurts"),
    ],
)
@each("verdict", [PairVerdict.DUPLICATE, PairVerdict.REFINES])
def test_what_clashes_is_never_merged(a: str, b: str, verdict: PairVerdict) -> None:
    """Not even when the head is certain: vectors of opposites are alike."""
    assert act(a, b, verdict) is Act.NOTHING
    assert act(b, a, verdict) is Act.NOTHING


def test_certain_verdicts_are_acted_on_where_nothing_forbids_it() -> None:
    """The guards let ordinary pairs pass."""
    assert act("Ana has a dog", "Ana owns a dog", PairVerdict.DUPLICATE) is Act.FOLD
    assert act("Ana lives in Lisbon", "Ana moved to Porto", PairVerdict.UPDATES) is Act.SUPERSEDE
    assert act("Ana lives in Lisbon", "Ana grew up in Porto", PairVerdict.CONTRADICTS) is Act.ASK
    for verdict in (PairVerdict.COEXISTS, PairVerdict.UNRELATED):
        assert act("Ana has a dog", "Ana owns a dog", verdict) is Act.NOTHING


def test_only_what_is_later_and_of_no_less_authority_supersedes() -> None:
    """Else the person is asked."""
    move = ("Ana lives in Lisbon", "Ana moved to Porto", PairVerdict.UPDATES)
    assert act(*move, days=0) is Act.ASK
    assert act(*move, authority=Authority.CONFIRMED) is Act.ASK


def test_other_people_and_other_cases_are_at_odds_with_nobody() -> None:
    """Both may hold."""
    for a, b in (("Ana is tall", "Ana's sister is short"), ("Ana's left knee hurts", "Ana's right knee is fine")):
        assert act(a, b, PairVerdict.UPDATES) is act(a, b, PairVerdict.CONTRADICTS) is Act.NOTHING


def test_the_more_specific_statement_stays() -> None:
    """Whichever was said first."""
    rough, exact = Claim("Ana has a dog", MAY), Claim("Ana has a dog called Bruno that fears thunder", MAY)
    assert judge(rough, exact._replace(at=JUNE)).keeps_later
    assert judge(exact, rough).keeps_later is not judge(rough, exact).keeps_later


class BrokenEmbedder:
    """An embedder whose model cannot be read."""

    profile = PROFILE

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Fail."""
        raise ProviderUnavailable("no model")

    def close(self) -> None:
        """Do nothing."""


def test_without_a_model_words_alone_decide(caplog: pytest.LogCaptureFixture) -> None:
    """A failing embedder is told in the log; one that no head was trained with is not even asked."""
    pair = ClaimPair(Claim("Ana has a dog", MAY), Claim("Ana has a dog called Bruno", JUNE))
    plain = judge_pairs([pair], yield_to_foreground=lambda: None)
    assert LocalAnalyst(embedder=BrokenEmbedder()).judge([pair], yield_to_foreground=lambda: None) == plain
    assert "without vectors" in caplog.text
    assert judge_pairs([pair], ConceptEmbedder({}), yield_to_foreground=lambda: None) == plain


def test_heads_are_shipped_for_vectors_and_without() -> None:
    """Both know the six verdicts."""
    for head in (verdict_head(None), verdict_head(PROFILE.model)):
        assert set(head.classes) == {verdict.value for verdict in PairVerdict}


class CountingEmbedder:
    """Counts what it is asked, under the name of a model that a head was trained with."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.asked: list[str] = []
        self.profile = EmbedderProfile(PROFILE.model, PROFILE.dimension, 0.9, 0.5, 0.3)
        self._inner = ConceptEmbedder({str(number): {f"word{number}"} for number in range(PROFILE.dimension - 32)})

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return vectors of the right size."""
        self.asked += texts
        return self._inner.embed(texts, purpose=purpose)

    def close(self) -> None:
        """Do nothing."""


def test_a_text_is_embedded_once() -> None:
    """However many pairs it stands in, and however often they are judged."""
    embedder = CountingEmbedder()
    kept = TextVectors()
    claims = [Claim(f"Ana has {number} cats", MAY + timedelta(days=number)) for number in range(4)]
    pairs = [ClaimPair(claims[0], claims[1]), ClaimPair(claims[0], claims[2]), ClaimPair(claims[1], claims[3])]
    first = judge_pairs(pairs, embedder, kept, yield_to_foreground=lambda: None)
    asked = list(embedder.asked)
    assert judge_pairs(pairs, embedder, kept, yield_to_foreground=lambda: None) == first
    assert len(asked) == len(set(asked)) == len(embedder.asked)
