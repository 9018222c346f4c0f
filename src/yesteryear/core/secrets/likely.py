"""Words that are secrets as far as the words around them tell: what no form and no name gives away.

A trained head reads the shape of each word that could be one, and what stands around it: "yes, the second account.
Figtree2211" names no password. It adds to the rules and takes nothing from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from yesteryear.core.heads import find_head
from yesteryear.core.secrets.plausible import is_placeholder
from yesteryear.core.secrets.spans import Piece, SecretSpan

HEAD = "secrets"
SECRET, ORDINARY = "secret", "ordinary"
LEAST_LOGIT = 1.8
"""Log odds from which a word is taken for a secret: a probability of .86. Source: the folds of the training rows,
where it keeps what is cut without being a secret at 2 %; see the model card."""
_MARKS = ".,!?;:()[]{}<>\"'`*"
_WORD = re.compile(r"\S+")
_DIGIT = re.compile(r"\d")
_SHORTEST, _LONGEST = 4, 64  # characters of a word that could be a secret
_FEWEST_DIGITS, _FEWEST_LETTERS = 3, 3  # digits of such a word, or letters beside fewer
_SHAPE_CHARS, _OUTLINE_CHARS, _MOST_COUNTED, _MOST_DIGITS = 20, 16, 20, 10  # of a shape that are told apart
_BEFORE, _NEAR, _BEHIND = 8, 3, 4  # how many words before are read, and which of them are near; how many behind
_GRAM = 4  # characters of the parts of a word, which tell alike forms of it in many languages


class SecretCandidate(NamedTuple):
    """A word that could be a secret."""

    start: int
    end: int
    features: frozenset[str]  # of its shape and the words next to it


def find_likely(piece: Piece) -> Iterator[SecretSpan]:
    """Find words that are secrets as their shape and the words around them tell."""
    weights = _weights() if _DIGIT.search(piece.low) else {}
    if not weights:
        return
    rest = weights[""] + sum(weights.get(name, 0.0) for name in bag_of(piece))
    for one in candidates(piece):
        if sum(weights.get(name, 0.0) for name in one.features) + rest >= LEAST_LOGIT:
            word = piece.text[one.start : one.end]
            if not is_placeholder(word):
                yield SecretSpan(one.start, one.end, "password" if any(map(str.isalpha, word)) else "pin")


def bag_of(piece: Piece) -> frozenset[str]:
    """Return what the head reads of all words of a piece together."""
    return frozenset(f"in {word.strip(_MARKS)}" for word in piece.low.split())


def candidates(piece: Piece) -> Iterator[SecretCandidate]:
    """Yield the words that could be secrets, and what the head reads of each."""
    words = [(found.start(), found[0]) for found in _WORD.finditer(piece.text)]
    bare = [word.lower().strip(_MARKS) for _, word in words]
    for place, (at, word) in enumerate(words):
        core = word.strip(_MARKS)
        if _SHORTEST <= len(core) <= _LONGEST and _could_be(core) and "[redacted" not in word:
            start = at + word.index(core)
            features = _of_shape(core) | frozenset(_of_context(words, bare, place))
            yield SecretCandidate(start, start + len(core), features)


def _could_be(core: str) -> bool:
    digits, letters = sum(map(str.isdigit, core)), sum(map(str.isalpha, core))
    return digits >= _FEWEST_DIGITS or (digits > 0 and letters >= _FEWEST_LETTERS)


def _of_shape(core: str) -> frozenset[str]:
    shape = re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d", "9", core)))
    digits = sum(map(str.isdigit, core))
    return frozenset(
        {
            f"shape {shape[:_SHAPE_CHARS]}",
            f"outline {re.sub('9+', '9', shape)[:_OUTLINE_CHARS]}",
            f"length {min(len(core), _MOST_COUNTED)}",
            f"digits {min(digits, _MOST_DIGITS)}",
            f"mixed {0 < digits < len(core)}",
            f"capital {core[0].isupper()}",
        }
    )


def _of_context(words: list[tuple[int, str]], bare: list[str], place: int) -> Iterator[str]:
    for other in range(max(0, place - _BEFORE), min(len(words), place + _BEHIND + 1)):
        away = other - place
        if away:
            side = "before" if away < 0 else "behind"
            yield f"{side} {'next' if abs(away) == 1 else 'near' if -_NEAR <= away < 0 else 'far'} {bare[other]}"
            yield from (f"{side} *{bare[other][at : at + _GRAM]}" for at in range(len(bare[other]) - _GRAM + 1))
    yield f"first {place == 0}"
    yield f"last {place == len(words) - 1}"
    if place and (mark := words[place - 1][1][-1]) in ":=?,.":
        yield f"mark before {mark}"
    if (mark := words[place][1][-1]) in _MARKS:
        yield f"mark behind {mark}"


@cache
def _weights() -> Mapping[str, float]:
    """Return log odds by feature, those of the bias under no name; empty where no such head is shipped."""
    head = find_head(HEAD)
    if head is None:
        return {}
    secret, ordinary = head.classes.index(SECRET), head.classes.index(ORDINARY)
    odds = (head.weights[secret] - head.weights[ordinary]) / head.scale
    bias = float(head.bias[secret] - head.bias[ordinary] - odds @ head.mean)
    return dict(zip(head.features, odds.tolist(), strict=True)) | {"": bias}
