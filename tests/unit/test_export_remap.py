"""How rows come to an owner: with the vectors that serve there, and in conversations that grow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from tests.rows import KEPT, TALK, a_vector, an_episode, at
from yesteryear.core.episode import EpisodeStatus
from yesteryear.core.message import Conversation, Message
from yesteryear.core.vectors import VectorGrain
from yesteryear.testing.builders import NOON, a_message
from yesteryear.transfer.kinds import Models, ModelVector
from yesteryear.transfer.load import ROWS_A_WRITE, Loaded, VectorsByRow, batches, fit, grow

M, N, NONE = Models("m", None), Models("n", None), Models(None, None)
FINAL = Conversation(
    TALK, "Europe/Lisbon", last_seq=20, settled_seq=15, closed_seq=12, last_at=at(20), due_at=at(50), error="late"
)


def vectors(ref: str, *models: str) -> tuple[ModelVector, ...]:
    """Return a vector of each model."""
    return tuple(ModelVector(model, a_vector(ref, 1, 2)) for model in models)


def said(seq: int) -> Message:
    """Return a message of the conversation."""
    return a_message(seq=seq, minutes=seq, zone="Asia/Tokyo")


def test_rows_get_their_vectors_in_one_walk() -> None:
    """Those of messages come first, then those of episodes; a row may have none."""
    messages = [a_message(seq=seq) for seq in (1, 2, 3)]
    rows = [*vectors("c1-1", "m", "n"), *vectors("c1-3", "m"), *vectors("e1", "m")]
    by_row = VectorsByRow(iter(rows))
    assert [len(one.vectors) for one in by_row.load(messages)] == [2, 0, 1]
    assert [one.vectors for one in by_row.load([an_episode("e1")])] == [tuple(rows[-1:])]


@given(weights=st.lists(st.integers(0, 2 * ROWS_A_WRITE), max_size=40))
def test_batches_are_small_and_whole(weights: list[int]) -> None:
    """Nothing is lost or moved; only a single row with many vectors exceeds what a transaction may have."""
    rows = [Loaded(said(seq), vectors("x", *["m"] * weight)) for seq, weight in enumerate(weights, start=1)]
    found = list(batches(rows))
    assert [one for batch, _ in found for one in batch] == rows
    for batch, following in found:
        assert len(batch) == 1 or sum(1 + len(one.vectors) for one in batch) <= ROWS_A_WRITE
        behind = batch[-1].row.seq + 1
        assert following == (said(behind) if behind <= len(rows) else None)


@each("models", [M, NONE, Models("m", "n")])
def test_the_same_models_change_nothing(models: Models) -> None:
    """Rows stay as they were, what was given up stays given up."""
    row = Loaded(a_message(verdict=KEPT, attempts=5, error="given up"), vectors("c1-1", "m"))
    assert fit(row, here=models, theirs=models, now=NOON) is row


def test_vectors_of_a_model_that_serves_nobody_here_are_left_out() -> None:
    """And what now lacks one of the owner's own is due for it."""
    message = fit(Loaded(a_message(verdict=KEPT), vectors("c1-1", "m")), here=N, theirs=M, now=at(9))
    assert (message.row.vector_due_at, message.vectors) == (at(9), ())
    episode = an_episode(status=EpisodeStatus.ACTIVE)
    fitted = fit(Loaded(episode, vectors("e1", "m")), here=N, theirs=M, now=at(9))
    assert (fitted.row.next_try, fitted.vectors) == (at(9), ())


@pytest.mark.parametrize("row", [a_message(), a_message("", verdict=KEPT)], ids=["open", "erased"])
def test_what_gets_no_vector_is_not_due(row: Message) -> None:
    """The gate has not seen it, or nothing is left of it; an archived episode needs none either."""
    assert fit(Loaded(row, ()), here=N, theirs=M, now=at(9)).row == row
    archived = an_episode(status=EpisodeStatus.ARCHIVED)
    assert fit(Loaded(archived, ()), here=N, theirs=M, now=at(9)).row == archived


def test_a_change_of_model_needs_the_next_ones_vectors() -> None:
    """While a memory changes its model both serve, and what lacks the next one's is due."""
    here = Models("m", "n")
    old = fit(Loaded(a_message(verdict=KEPT), vectors("c1-1", "m", "x")), here=here, theirs=M, now=at(9))
    assert [vector.model for vector in old.vectors] == ["m"]
    assert old.row.vector_due_at == at(9)
    new = fit(Loaded(a_message(verdict=KEPT), vectors("c1-1", "n", "x")), here=here, theirs=N, now=at(9))
    assert [vector.model for vector in new.vectors] == ["n"]
    assert new.row.vector_due_at is None


def test_a_conversation_ends_as_it_was() -> None:
    """With its last message it is what it was where it comes from, due times and errors too."""
    assert grow(None, FINAL, None) == FINAL
    assert grow(grow(None, FINAL, said(10)), FINAL, None) == FINAL


@given(cuts=st.lists(st.integers(1, 19), unique=True).map(sorted))
def test_a_conversation_never_says_more_than_is_there(cuts: list[int]) -> None:
    """However it is cut: counters cover what has come, nothing is due before the end, and the end is the same."""
    here: Conversation | None = None
    for seq in cuts:
        here = grow(here, FINAL, said(seq))
        assert (here.last_seq, here.settled_seq, here.closed_seq) == (seq, min(seq, 15), min(seq, 12))
        assert (here.due_at, here.error, here.last_at, here.zone) == (None, None, at(seq), "Europe/Lisbon")
    assert grow(here, FINAL, None) == FINAL


def test_what_has_gone_on_here_stays() -> None:
    """Somebody has spoken, or worked on the open end, meanwhile: it is not done again."""
    longer = replace(FINAL, last_seq=21, settled_seq=20, due_at=at(60), error=None)
    for upto in (said(18), None):
        assert grow(longer, FINAL, upto) is longer
    worked = replace(grow(None, FINAL, said(18)), settled_seq=18)
    assert grow(worked, FINAL, said(19)).settled_seq == 18
    assert grow(worked, FINAL, None) == replace(FINAL, settled_seq=18)


def test_a_gist_keeps_all_its_vectors() -> None:
    """An episode of which only sentences are left has a vector for each."""
    gist = tuple(ModelVector("m", a_vector("e1", 1, part, part=part, grain=VectorGrain.EPISODE)) for part in range(5))
    loaded = next(VectorsByRow(iter(gist)).load([an_episode("e1")]))
    assert fit(loaded, here=Models("m", "n"), theirs=M, now=NOON).vectors == gist
