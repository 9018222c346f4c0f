"""Messages are found by how they were read in their place, too, and what tells of that goes with their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.readings import ScriptedReader, a_reading
from tests.worker.one_life import OtherEmbedder
from tests.workshop import SOUND, Workshop, damage, open_workshop
from yesteryear.core.reading import MessageReading
from yesteryear.core.vectors import CONTEXTUAL, Matrix
from yesteryear.sync.engine import Engine

MODEL = f"{CONTEXTUAL}by-hand"
RENT = "It is 555 from Friday on, my goodness."
OTHERS = ("My sister Mia lives in Leeds.", "I baked bread again.", "My back hurts since the move.", "I am on call now.")
QUESTION = "What do I put down for the flat each week?"


def _vector(*values: float) -> Matrix:
    return np.array(values, dtype=np.float32)


class TopicReader(ScriptedReader):
    """Has understood that the rent was told, which the words do not say."""

    def __init__(self, version: str = "by-hand-1") -> None:
        super().__init__(self._read)
        self.version = version

    def _read(self, text: str) -> MessageReading:
        vector = _vector(1, 0) if text == RENT else _vector(0, 1)
        return replace(a_reading(text, worth=0.9), reader=self.version, vector=vector)


@dataclass(frozen=True)
class Topics:
    """Every question is about the rent."""

    name: str = MODEL
    asked_by: str = "hashing-v1"

    def of_message(self, reading: MessageReading) -> Matrix | None:
        """Return its topic."""
        return reading.vector

    def of_question(self, vector: Matrix) -> Matrix:
        """Return what is sought."""
        return _vector(1, -1)


@contextmanager
def remembering(place: Path | str, *, contextual: Topics | None = Topics()) -> Iterator[Workshop]:
    """Lend a workshop in which everything was told and read."""
    with open_workshop(place) as shop:
        ported = with_ports(shop, contextual=contextual)
        for number, text in enumerate([*OTHERS, RENT]):
            ported.memory().observe(text, id=f"m-{number}", conversation="kitchen")
        ported.memory().flush()
        yield ported


def with_ports(shop: Workshop, *, contextual: Topics | None, version: str = "by-hand-1") -> Workshop:
    """Return the same workshop with a reader and what compares questions with readings."""
    ports = replace(shop.ports, reader=TopicReader(version), contextual=contextual)
    return replace(shop, ports=ports, engine=Engine(ports, shop.policies))


def kept(shop: Workshop) -> int:
    """Return of how many messages it is kept how they were read."""
    with shop.ports.store.read(shop.memory().scope) as tx:
        return len(tx.vectors.load(MODEL))


def test_what_was_read_finds_what_words_do_not(place: Path | str) -> None:
    """The first hit is what was understood as the answer, and the signal says so; without readings it is another."""
    with remembering(place) as shop:
        best = shop.memory().recall(QUESTION, limit=5, kinds=["excerpt"])
        assert best[0].text == RENT
        assert best[0].signals["contextual"] > 0
        assert kept(shop) == 1 + len(OTHERS)
        assert damage(shop.memory()) == SOUND
        blind = with_ports(shop, contextual=None).memory().recall(QUESTION, limit=5, kinds=["excerpt"])
        assert all("contextual" not in hit.signals for hit in blind)
        assert blind[0].text != RENT


def test_what_is_forgotten_leaves_no_reading(place: Path | str) -> None:
    """The vector of a reading tells much of its text."""
    with remembering(place) as shop:
        shop.memory().forget("m-4")
        shop.memory().flush()
        assert kept(shop) == len(OTHERS)
        assert all("555" not in hit.text for hit in shop.memory().recall(QUESTION, limit=10))


def test_what_was_read_with_the_forgotten_tells_of_it_no_more(place: Path | str) -> None:
    """Of the messages that were read with it before them; what was read anew without it has a vector again."""
    with remembering(place) as shop:
        assert shop.memory().recall(QUESTION, limit=5, kinds=["excerpt"])[0].text == RENT
        shop.memory().forget("m-3")
        with shop.ports.store.read(shop.memory().scope) as tx:
            rows = {row.external_id: row.id for row in tx.messages.get([row.ref for row in tx.vectors.load(MODEL)])}
            vectors = {row.ref: row.vector for row in tx.vectors.load(MODEL)}
        assert "m-3" not in rows
        assert not vectors[rows["m-4"]].any()
        assert vectors[rows["m-2"]].any()
        signals = shop.memory().recall(QUESTION, limit=5, kinds=["excerpt"])
        assert all("contextual" not in hit.signals for hit in signals if hit.text == RENT)


def test_as_many_messages_were_read_with_it_as_a_reader_is_given(place: Path | str) -> None:
    """Where some of those between are tools' or empty, one further behind was among the last with words."""
    with remembering(place) as shop:
        shop.memory().forget("m-0")
        with shop.ports.store.read(shop.memory().scope) as tx:
            assert not any(row.vector.any() for row in tx.vectors.load(MODEL))


def test_words_that_are_not_kept_leave_no_reading(place: Path | str) -> None:
    """Where only digests are kept, nothing of a message's own words stays."""
    with open_workshop(place, keep_verbatim=False) as shop:
        ported = with_ports(shop, contextual=Topics())
        ported.memory().observe(RENT)
        ported.memory().flush()
        assert kept(ported) == 0


def test_another_embedding_model_leaves_readings_alone(place: Path | str) -> None:
    """They are the reader's; while questions are embedded by another model they just do not count."""
    with remembering(place) as shop:
        shop.work(embedder=OtherEmbedder())
        assert shop.memory().stats()["vectors.model"] == "other-v1"
        assert kept(shop) == 1 + len(OTHERS)
        assert all("contextual" not in hit.signals for hit in shop.memory().recall(QUESTION, limit=5))


def test_reading_again_brings_readings_to_old_talk(place: Path | str) -> None:
    """What was read before anything was compared with it gets its vectors when it is read again."""
    with remembering(place, contextual=None) as before:
        assert kept(before) == 0
        shop = with_ports(before, contextual=Topics(), version="by-hand-2")
        before_that = shop.memory().recall(QUESTION, limit=5, kinds=["excerpt"])
        assert all("contextual" not in hit.signals for hit in before_that)
        shop.memory().reread()
        shop.work()
        assert kept(shop) == 1 + len(OTHERS)
        assert shop.memory().recall(QUESTION, limit=5, kinds=["excerpt"])[0].text == RENT


def test_an_export_takes_readings_along(place: Path | str, tmp_path: Path) -> None:
    """Who moves finds as before, though the words are of another embedding model there."""
    with remembering(place) as shop, open_workshop(":memory:") as other:
        shop.memory().export(tmp_path / "out.zip")
        there = with_ports(other, contextual=Topics())
        there.memory().import_(tmp_path / "out.zip")
        there.memory().flush()
        assert kept(there) == 1 + len(OTHERS)
        assert there.memory().recall(QUESTION, limit=5, kinds=["excerpt"])[0].text == RENT
