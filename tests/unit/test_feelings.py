"""How the analyst tells feelings and states: by heads where their vectors are at hand, else by words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.each import each
from tests.readings import BY_HAND, a_reading
from yesteryear.core.episode import Digest, Talk, UserState
from yesteryear.core.message import Outcome, Reason, Verdict
from yesteryear.core.vectors import Matrix
from yesteryear.ports import Reader
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.providers.local.feelings import (
    EMOTIONS,
    FACES,
    FEWEST,
    NEUTRAL,
    SENTENCES,
    STATES,
    FeelingHeads,
    count_cues,
    find_feeling_heads,
    pick_sentences,
    sound_like,
    talk_features,
    tell,
)
from yesteryear.providers.local.reading import Sentence, read_talk
from yesteryear.providers.minilm.weights import DIMENSION, READER, find_model
from yesteryear.providers.registry import build_reader
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message

KEPT = Verdict(Outcome.KEEP, Reason.PERSONAL, score=0.9, threshold=0.5)

WIDOWER = (
    "I still set the table for two",
    "his slippers are by the door and I can't move them",
    "the piano has been closed since the spring",
    "our friends have stopped asking me over",
    "in the evening I talk to his photograph",
    "it is so quiet here now",
)
WAITING = (
    "three weeks and the ministry has not answered",
    "until they stamp the form I may not open the shop",
    "the landlord wants the rent all the same",
    "I rang them again, nobody picks up",
    "the oven stands there in its box",
    "without that paper the bank gives me nothing",
)
PLAIN = (
    "I have two shops, one in Porto and one in Braga",
    "the shop in Braga opens at nine",
    "which of the two routes is shorter?",
    "we use the van on Mondays and Thursdays",
    "put the list in a table please",
    "the warehouse is on the second floor",
)


def tone(emotion: str) -> Matrix:
    """Return the unit vector that sounds most like an emotion to the shipped head."""
    weights = heads_for(READER)[0].of_sentence
    assert weights.vector_weights is not None
    row = weights.vector_weights[weights.classes.index(emotion)]
    return np.asarray(row / np.linalg.norm(row), dtype=np.float32)


def heads_for(reader: str) -> tuple[FeelingHeads, FeelingHeads]:
    """Return the shipped heads for what a reader makes of sentences."""
    found = find_feeling_heads(reader)
    assert found is not None
    return found


def talk_of(*texts: str) -> Talk:
    """Return what one person says, all kept."""
    exchanges = tuple(group_exchanges([a_message(text, seq=seq) for seq, text in enumerate(texts, 1)]))
    return Talk(exchanges, (KEPT,) * len(exchanges))


def read_as(talk: Talk, vector: Matrix, *, reader: str = READER) -> Talk:
    """Return a talk of which each message was read as one sentence with the same vector."""
    readings = {}
    for message in (message for exchange in talk.exchanges for message in exchange.messages):
        plain = a_reading(message.content)
        sentences = tuple(replace(sentence, vector=vector) for sentence in plain.sentences)
        readings[message.id] = replace(plain, reader=reader, sentences=sentences)
    return replace(talk, readings=readings)


def digest(talk: Talk) -> Digest:
    """Return what the analyst makes of a talk."""
    return LocalAnalyst().digest(talk, yield_to_foreground=go_on)


def go_on() -> None:
    """Give way to nobody."""


def sentences_of(*texts: str) -> list[Sentence]:
    """Return what one person says, sentence by sentence."""
    return list(read_talk(talk_of(*texts), yield_to_foreground=lambda: None).sentences)


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    """Return the reader that the heads were trained with."""
    if find_model() is None:
        pytest.skip("the reader is not installed: run `yesteryear model install`")
    built = build_reader("minilm")
    yield built
    built.close()


def read_by(reader: Reader, talk: Talk) -> Talk:
    """Return a talk as a reader reads it."""
    messages = [message for exchange in talk.exchanges for message in exchange.messages]
    return replace(talk, readings={message.id: reader.read(message.content) for message in messages})


def test_a_feeling_without_a_word_for_it_is_told_by_vectors(reader: Reader) -> None:
    """Nobody who sets the table for a dead man needs to say that it is sad."""
    assert digest(talk_of(*WIDOWER)).emotions == ()
    assert digest(read_by(reader, talk_of(*WIDOWER))).emotions[0] == "sadness"


def test_a_state_without_a_word_for_it_is_told_by_vectors(reader: Reader) -> None:
    """Who may not go on is blocked, in whatever words."""
    assert digest(read_by(reader, talk_of(*WAITING))).user_state is UserState.BLOCKED


def test_plain_talk_shows_no_emotion(reader: Reader) -> None:
    """Heads do not have to find a feeling in everything."""
    assert digest(read_by(reader, talk_of(*PLAIN))).emotions == ()


@each("emotion", EMOTIONS)
def test_what_sounds_like_an_emotion_throughout_shows_it(emotion: str) -> None:
    """The vectors alone decide where no word does."""
    assert digest(read_as(talk_of(*PLAIN), tone(emotion))).emotions[0] == emotion


def test_what_sounds_neutral_throughout_shows_no_emotion() -> None:
    """Silence is an answer."""
    assert digest(read_as(talk_of(*PLAIN), tone(NEUTRAL))).emotions == ()


def test_another_reader_leaves_it_to_the_words() -> None:
    """Vectors that the heads do not know mean nothing to them."""
    assert find_feeling_heads(BY_HAND) is None
    talk = talk_of(*WAITING)
    read, plain = digest(read_as(talk, tone("joy"), reader=BY_HAND)), digest(talk)
    assert replace(read, facts=()) == replace(plain, facts=())


def test_what_was_not_read_in_part_is_left_to_the_words() -> None:
    """A message that could not be read has no vectors, and half a talk tells nothing."""
    talk = read_as(talk_of(*WAITING), tone("joy"))
    readings = dict(talk.readings)
    readings.popitem()
    found = digest(replace(talk, readings=readings))
    assert (found.emotions, found.user_state) == (
        digest(talk_of(*WAITING)).emotions,
        digest(talk_of(*WAITING)).user_state,
    )


def test_a_short_talk_is_left_to_the_words() -> None:
    """The heads never saw one, and would guess."""
    assert digest(read_as(talk_of(*PLAIN[: FEWEST - 1]), tone("joy"))).emotions == ()


def test_importance_does_not_depend_on_the_reader() -> None:
    """The weight of emotion comes from words, so the same talk matters as much with any reader."""
    talk = talk_of(*WIDOWER)
    assert digest(read_as(talk, tone("joy"))).signals["emotion"] == digest(talk).signals["emotion"]


def test_the_picked_sentences_are_spread_over_the_talk() -> None:
    """From the first to the last, in order, none twice."""
    sentences = sentences_of(*(f"On day {day} we sold bread." for day in range(73)))
    picked = pick_sentences(sentences)
    places = [sentences.index(sentence) for sentence in picked]
    assert len(picked) == SENTENCES
    assert places == sorted(set(places))
    assert (places[0], places[-1]) == (0, 72)
    assert pick_sentences(sentences[:SENTENCES]) == sentences[:SENTENCES]


def test_a_close_call_is_not_told() -> None:
    """Where two candidates are nearly as likely, neither is named."""
    assert tell({"joy": 0.5, "pride": 0.3, NEUTRAL: 0.2}) == "joy"
    assert tell({"joy": 0.405, "pride": 0.4, NEUTRAL: 0.195}) == NEUTRAL


def test_cues_are_counted_by_sentence() -> None:
    """What is denied does not count, and a row of faces counts once."""
    sentences = sentences_of("I'm afraid, so afraid. I'm not afraid.", "we won 🥳🎉😊")
    cues = count_cues(sentences, EMOTIONS, FACES, yield_to_foreground=lambda: None)
    assert cues["fear"] == [2, 0, 0]
    assert cues["joy"] == [0, 0, 1]


def test_features_tell_where_cues_stand() -> None:
    """First message, last third and all of the talk are counted apart."""
    sentences = sentences_of("I'm afraid", "the shop is open", "it rains", "I was so scared")
    cues = count_cues(sentences, EMOTIONS, yield_to_foreground=lambda: None)
    rows = talk_features(sentences, cues, {"fear": [1.0, 0.0, 0.0, 3.0], NEUTRAL: [0.0, 2.0, 2.0, 0.0]})
    fear, neutral = rows["fear"], rows[NEUTRAL]
    assert np.expm1([fear["cues"], fear["first_cues"], fear["late_cues"]]) == pytest.approx([2, 1, 1])
    assert fear["cue_rate"] == 0.5
    assert [fear[name] for name in ("sounds_most", "sounds_mean", "sounds_last")] == [3, 1, 3]
    assert [neutral[name] for name in ("cues", "sounds_most", "is_neutral", "is_fear")] == [0, 2, 1, 0]


def test_the_shipped_heads_know_every_emotion_and_state() -> None:
    """A name added to the lists needs rows to train on."""
    emotion, state = heads_for(READER)
    assert set(emotion.of_sentence.classes) == {*EMOTIONS, NEUTRAL}
    assert set(state.of_sentence.classes) == {*UserState} == {*STATES, UserState.NEUTRAL}
    assert set(sound_like(emotion.of_sentence, np.zeros((1, DIMENSION), np.float32))) == {*EMOTIONS, NEUTRAL}
