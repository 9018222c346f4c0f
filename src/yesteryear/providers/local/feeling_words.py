"""Words and emoji that show how a person feels and how they stand to what they are doing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.providers.local.reading import Sentence

_EN = vocabulary("feelings")
Cues: TypeAlias = Mapping[str, Sequence[int]]
"""How often each emotion or state is shown in each sentence."""

NO_FACES: Mapping[str, str] = MappingProxyType({})
"""For what has no emoji."""
_LOOK_BACK = 32
"""Characters before a cue in which a negation takes its sense away."""
EMOTIONS = _EN.group("emotions")
"""Cues of each emotion; without any the talk is neutral."""
FACES: Mapping[str, str] = _EN.table("faces")
"""Emoji that show an emotion."""
STATES = _EN.group("states")
"""Cues of each state; without any, or with two alike, the state is neutral."""


def count_cues(
    sentences: Sequence[Sentence],
    patterns: Mapping[str, re.Pattern[str]],
    faces: Mapping[str, str] = NO_FACES,
    *,
    give_way: Callable[[], None],
) -> Cues:
    """Return how often each name is shown in each sentence; what is denied does not count.

    Args:
        sentences: Of the users.
        patterns: Words, by name.
        faces: Emoji, by name; however many stand in a sentence, they count once.
        give_way: Called before each name.
    """
    found = {}
    for name, pattern in patterns.items():
        give_way()
        shown = faces.get(name, "")
        found[str(name)] = [_count(sentence, pattern, shown) for sentence in sentences]
    return found


def _count(sentence: Sentence, pattern: re.Pattern[str], faces: str) -> int:
    words = sum(
        1
        for cue in pattern.finditer(sentence.folded)
        if not _EN["negated"].search(sentence.folded, max(0, cue.start() - _LOOK_BACK), cue.start())
    )
    return words + any(face in sentence.text for face in faces)
