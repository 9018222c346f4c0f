"""Two statements side by side."""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from tests.concepts import ConceptEmbedder
from tests.each import each
from yesteryear.core.vectors import Matrix
from yesteryear.providers.local.verdicts.compare import (
    compare,
    is_word,
    likeness,
    pair_vectors,
    step_features,
    texts_to_embed,
    word_features,
)
from yesteryear.providers.local.verdicts.parsed_claim import parse_claim

EMBEDDER = ConceptEmbedder({"city": {"Lisbon", "Porto"}, "dog": {"dog", "terrier"}})


def features(a: str, b: str, *, days: float = 30) -> dict[str, float]:
    """Return the named features of two statements."""
    return compare(parse_claim(a), parse_claim(b), timedelta(days=days))


def vectors_of(a: str, b: str) -> dict[str, Matrix]:
    """Return the vectors that two statements need."""
    texts = texts_to_embed(parse_claim(a), parse_claim(b))
    return dict(zip(texts, EMBEDDER.embed(texts), strict=True))


@each(
    ("a", "b", "speaks"),
    [
        ("Ana lives in Lisbon", "Ben lives in Lisbon", "other_owner"),
        ("Ana is tall", "Ana's sister is tall", "relative_differs"),
        ("Ana's left knee hurts", "Ana's right knee is fine", "sides_clash"),
        ("Ana drives a Fiat", "Ana drives a Skoda", "names_clash"),
        ("Ana reports to Ben", "Ben reports to Ana", "names_swapped"),
        ("Ana weighs 61 kg", "Ana weighs 74 kg", "number_clash"),
        ("Ana married in 2018", "Ana married in 2019", "years_clash"),
        ("Ana swims on Mondays", "Ana swims on Thursdays", "weekdays_clash"),
        ("Ana gets up at 6 am", "Ana gets up at 9 am", "clock_clash"),
        ("The lease allows dogs", "The lease forbids dogs", "opposed"),
        ("Ana eats meat", "Ana does not eat meat", "denied"),
        ("It is true that Ana eats meat", "It is not at all true that Ana eats meat", "only_negated"),
    ],
)
def test_what_speaks_against_one_fact_is_noticed(a: str, b: str, speaks: str) -> None:
    """In either order."""
    assert features(a, b)[speaks] > 0
    assert features(b, a)[speaks] > 0


@each(
    ("a", "b", "silent"),
    [
        ("Ana weighs 61 kg", "Ana weighs 61,000 g", "number_clash"),
        ("Ana weighs about 60 kg", "Ana weighs 61 kg", "number_clash"),
        ("Ana goes to bed at 11 pm", "Ana goes to bed at 11", "clock_clash"),
        ("Ana lives in Lisbon", "ana lives in lisbon", "other_owner"),
        ("The lease allows dogs", "The lease permits dogs", "opposed"),
        ("Ana is rich", "Ana is not poor", "opposed"),
        ("Ana never eats meat", "Ana doesn't eat meat", "denied"),
    ],
)
def test_the_same_in_other_words_is_no_clash(a: str, b: str, silent: str) -> None:
    """Other units, roundings, spellings, synonyms and double negation."""
    assert features(a, b)[silent] == 0


def test_all_pairs_have_the_same_features() -> None:
    """A head needs each of them; words apart."""
    names = tuple(features("Ana has two cats", "It rains"))
    assert names == tuple(features("", ""))
    assert not any(map(is_word, names))
    assert all(map(is_word, word_features(parse_claim("Ana swims"), parse_claim("Ana runs"))))


def test_time_between_counts_from_nothing() -> None:
    """Order is the caller's; a gap below 0 is none."""
    assert features("a", "b", days=-3)["same_time"] == features("a", "b", days=0)["same_time"] == 1
    assert features("a", "b", days=1)["gap"] < features("a", "b", days=100)["gap"]


def test_a_step_is_reached_by_what_lies_above_it() -> None:
    """So that a linear head can tell little from none and most from all."""
    steps = step_features({"jaccard": 0.4})
    assert [name for name, value in steps.items() if value] == ["jaccard>0", "jaccard>0.15", "jaccard>0.3"]
    assert "jaccard>0.5" in steps


def test_vectors_tell_how_alike_statements_are() -> None:
    """And are read as distance, direction and what both together are more than each."""
    near, far = ("Ana has a dog", "Ana has a terrier"), ("Ana has a dog", "Ana likes Porto")
    alike = [likeness(parse_claim(a), parse_claim(b), vectors_of(a, b))["cosine"] for a, b in (near, far)]
    assert alike[0] > alike[1]
    a, b = map(parse_claim, near)
    one, other = pair_vectors(a, b, vectors_of(*near)), pair_vectors(b, a, vectors_of(*near[::-1]))
    distance, direction, _ = np.split(one, 3)
    mirrored_distance, mirrored_direction, _ = np.split(other, 3)
    np.testing.assert_allclose(distance, mirrored_distance)
    np.testing.assert_allclose(direction, -mirrored_direction)
