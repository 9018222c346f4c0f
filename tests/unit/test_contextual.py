"""What a question and a reading are compared by."""

from __future__ import annotations

import numpy as np
import pytest

from tests.readings import a_reading
from yesteryear.core.reading import MessageReading
from yesteryear.core.vectors import CONTEXTUAL
from yesteryear.providers.local.word_reader import WordReader
from yesteryear.providers.minilm.trained import MiniLMContextual
from yesteryear.providers.minilm.weights import DIMENSION, READER
from yesteryear.providers.registry import build_contextual


def a_vector(seed: int) -> np.ndarray:
    """Return a vector as a model makes one."""
    return np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)


def test_questions_and_messages_meet_in_one_space() -> None:
    """Both have as many numbers; how long a reader's vector is makes no difference."""
    model = MiniLMContextual()
    said = model.of_message(MessageReading(READER, vector=a_vector(1)))
    longer = model.of_message(MessageReading(READER, vector=3 * a_vector(1)))
    assert said is not None
    assert longer == pytest.approx(said, rel=1e-5)
    assert said.shape == model.of_question(a_vector(2)).shape
    assert model.name.startswith(CONTEXTUAL)


def test_what_another_reader_made_is_not_compared() -> None:
    """Nor what was read by words alone."""
    model = MiniLMContextual()
    assert model.of_message(a_reading("I live in Porto.")) is None
    assert model.of_message(MessageReading(READER)) is None


def test_another_reader_has_nothing_to_compare_by() -> None:
    """The maps were taught for one."""
    assert build_contextual(WordReader()) is None
