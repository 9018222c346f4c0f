"""How the heads for feelings are trained, and the rows they are trained on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.concepts import ConceptEmbedder
from tests.each import each
from yesteryear.core.episode import UserState
from yesteryear.core.reading import Before, MessageReading, ReadSentence, SpeakerStance
from yesteryear.core.vectors import Purpose
from yesteryear.providers.local.feelings import ANOTHER, CUE_FEATURES, EMOTIONS, NEUTRAL, SOUND_FEATURES, THE_ONE
from yesteryear_lab import LABELLED
from yesteryear_lab.training.feelings import RECIPES, TALKS, TOLD, FeelingRecipe
from yesteryear_lab.training.recipe import Fitted, Materials
from yesteryear_lab.training.rows import read_rows

ROWS = LABELLED
LABELS = {"emotion": {*EMOTIONS, NEUTRAL}, "user_state": {*UserState}}
CONCEPTS = ConceptEmbedder(
    {"grief": {"miss", "cried", "funeral"}, "wait": {"permit", "waiting"}, "win": {"won", "cake"}}
)


class ConceptReader:
    """Gives each text, as one sentence, the vector of its concepts."""

    version = CONCEPTS.profile.model

    def read(self, text: str, *, before: Sequence[Before] = ()) -> MessageReading:
        """Return the text as one sentence."""
        [vector] = CONCEPTS.embed([text], purpose=Purpose.DOCUMENT)
        return MessageReading(
            self.version, (ReadSentence(0, len(text), 0.0, SpeakerStance.HOLDS, False, vector=vector),)
        )

    def close(self) -> None:
        """Hold nothing."""


@pytest.fixture
def materials() -> Materials:
    """Return the labelled rows with an embedder that is quick and the same on every machine."""
    return Materials(ROWS, CONCEPTS, ConceptReader(), lambda _: None)


def key(fitted: Fitted) -> list[str]:
    """Return what can be compared of trained heads."""
    return [repr((head.name, head.bias.tolist(), head.weights.tolist())) for head in fitted.heads]


@pytest.mark.heavy
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_two_heads_are_trained_that_fit_together(recipe: FeelingRecipe, materials: Materials) -> None:
    """One reads vectors of this embedder, the other the features that the first and the words give."""
    of_sentence, of_talk = recipe.fit(materials).heads
    assert (of_sentence.name, of_sentence.model) == (f"{recipe.name}_of_sentence", CONCEPTS.profile.model)
    assert set(of_sentence.classes) == LABELS[recipe.name]
    assert (of_talk.name, of_talk.model, set(of_talk.classes)) == (recipe.name, None, {THE_ONE, ANOTHER})
    names = {f"is_{label}" for label in LABELS[recipe.name]}
    assert set(of_talk.features) == {*CUE_FEATURES, *SOUND_FEATURES, *names}


@pytest.mark.heavy
def test_training_twice_gives_the_same_heads(materials: Materials) -> None:
    """Nothing depends on chance."""
    assert key(RECIPES[1].fit(materials)) == key(RECIPES[1].fit(materials))


@pytest.mark.heavy
def test_the_figures_show_both_ways_on_each_file(materials: Materials) -> None:
    """What decides without vectors, and what is shipped."""
    macro_f1, by_label = RECIPES[1].cross_validate(materials)
    assert [name for name, _ in macro_f1.rows] == ["word lists, used without vectors", "as shipped"]
    assert macro_f1.columns == tuple(name.removesuffix(".jsonl") for name in TALKS)
    assert all(0 <= figure <= 1 for _, row in macro_f1.rows for figure in row)
    assert sum(talks for _, (talks, *_) in by_label.rows) == 180


@each("name", LABELS)
def test_every_label_has_rows_to_train_on(name: str) -> None:
    """A label without rows would never be told."""
    assert {row[name] for row in read_rows(ROWS / TOLD, needs=("text",)) if name in row} == LABELS[name]
    for file in TALKS:
        assert {row[name] for row in read_rows(ROWS / file, needs=(name,))} == LABELS[name]


def test_no_sentence_that_is_trained_on_stands_in_a_talk() -> None:
    """Else the talks that are held out would have been seen."""
    told = {row["text"].casefold().strip(" .!") for row in read_rows(ROWS / TOLD, needs=("text",))}
    said = "\n".join(
        message["content"].casefold() for file in TALKS for row in read_rows(ROWS / file) for message in row["messages"]
    )
    long = [text for text in told if len(text.split()) > 3]
    assert len(long) > 500
    assert [text for text in long if text in said] == []
