"""Old talk is read again by a newer reader: what only the old one told goes, what people did by hand stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.workshop import SOUND, Workshop, damage, open_workshop
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Detail, EpisodeStatus
from yesteryear.core.fact import TOLD_IN, FactStatus
from yesteryear.core.reading import Before, Effect, MessageReading, ReadSentence, ReadStatement, SpeakerStance, Whose
from yesteryear.errors import ProviderError, ProviderUnavailable, Stale
from yesteryear.lifecycle.drain import Drained
from yesteryear.lifecycle.reread import Rereading, reread
from yesteryear.ports import Transaction
from yesteryear.sync.engine import Engine

LIVES, GROWS, CLIMBS = "user lives in Porto", "user grows coriander", "user climbs at the club"
ALLERGIC, FRIDAY = "user is allergic to nuts", "user climbs at the club every Friday"
PORTO = "I live in Porto with my sister."
CORIANDER = "I grow coriander, and I am allergic to nuts."
FRIDAYS = "I climb at the club every Friday."


@dataclass(frozen=True)
class PhraseReader:
    """Reads the phrases that it knows as statements of the speaker about themself."""

    version: str
    phrases: tuple[str, ...]
    trouble: BaseException | None = None
    """What comes of reading ``stumbles_over``."""
    stumbles_over: str = "coriander"

    def read(self, text: str, *, before: Sequence[Before] = ()) -> MessageReading:
        """Return the phrases that stand in a text."""
        if self.trouble is not None and self.stumbles_over in text:
            raise self.trouble
        spans = [(text.index(phrase), len(phrase)) for phrase in self.phrases if phrase in text]
        said = tuple(_read(start, start + length) for start, length in sorted(spans))
        return MessageReading(self.version, said, is_worth=0.9 if said else 0.0)

    def effects(self, fact: str, text: str, *, before: Sequence[Before] = ()) -> dict[Effect, float]:
        """Tell nothing."""
        return {}

    def close(self) -> None:
        """Nothing is held."""


def _read(start: int, end: int) -> ReadSentence:
    holds, identity = SpeakerStance.HOLDS, FactKind.IDENTITY
    told = ReadStatement(start, end, 0.9, holds, identity, Whose.SELF)
    return ReadSentence(start, end, 0.9, holds, answers=False, statements=(told,))


OLD = PhraseReader("old-1", ("I live in Porto", "I grow coriander", "I climb at the club"))
NEW = PhraseReader("new-2", ("I live in Porto", "I am allergic to nuts", "I climb at the club every Friday"))


def with_reader(shop: Workshop, reader: PhraseReader) -> Workshop:
    """Return the same workshop with another reader."""
    ports = replace(shop.ports, reader=reader)
    return replace(shop, ports=ports, engine=Engine(ports, shop.policies))


@contextmanager
def told(place: Path | str, *said: str) -> Iterator[tuple[Workshop, Workshop]]:
    """Yield two workshops over one store in which something was said and read: of the old reader, and of the new."""
    with open_workshop(place) as shop:
        old = with_reader(shop, OLD)
        for number, text in enumerate(said or (PORTO, CORIANDER, FRIDAYS)):
            old.memory().observe(text, id=f"m-{number}", conversation=f"c-{number}")
        old.memory().flush()
        yield old, with_reader(shop, NEW)


def statements(shop: Workshop) -> dict[str, str]:
    """Return what is believed, and who read it."""
    memory = shop.memory()
    found = {}
    for fact in memory.facts():
        why = memory.why(fact.id).fact
        found[fact.statement] = why.reader if why else ""
    return found


def fact_id(shop: Workshop, statement: str) -> str:
    """Return the id of what is believed."""
    return next(fact.id for fact in shop.memory().facts() if fact.statement == statement)


def read_by(shop: Workshop) -> dict[str, int]:
    """Return how many episodes were read by whom."""
    found: dict[str, int] = shop.memory().stats()["reading.by_reader"]
    return found


def test_what_only_the_old_reader_told_goes(place: Path | str) -> None:
    """What both told stays with its history and says that it was read anew; so do digests."""
    with told(place) as (old, new):
        assert statements(old) == dict.fromkeys([LIVES, GROWS, CLIMBS], "old-1")
        lives = fact_id(old, LIVES)
        assert new.memory().reread(dry_run=True) == Rereading("new-2", 3, is_dry=True)
        assert new.work() == Drained()
        assert new.memory().stats()["reading.by_others"] == 3
        assert new.memory().reread() == Rereading("new-2", 3)
        assert new.work() == Drained(rereadings=3, vectors=3, facts=3)
        assert statements(new) == dict.fromkeys([LIVES, ALLERGIC, FRIDAY], "new-2")
        assert fact_id(new, LIVES) == lives
        why = new.memory().why(lives)
        assert why.fact is not None
        assert [version.number for version in why.fact.versions] == [1, 2]
        assert read_by(new) == {"new-2": 3}
        episode = new.memory().why("m-1").episode
        assert episode is not None
        assert (episode.reader, episode.status) == ("new-2", "active")


def test_there_is_nothing_to_do_twice(place: Path | str) -> None:
    """What was read by the present reader is left alone."""
    with told(place) as (_, new):
        new.memory().reread()
        new.work()
        assert new.memory().reread() == Rereading("new-2", 0)
        assert new.engine.reread() == Rereading("new-2", 0)
        assert new.work() == Drained()


def test_everybody_is_read_again_or_one_alone(place: Path | str) -> None:
    """The engine's verb is for operators."""
    with told(place) as (old, new):
        old.memory("ben").observe(PORTO)
        old.memory("ben").flush()
        assert new.engine.reread(dry_run=True).episodes == 4
        assert new.engine.reread(user="ben").episodes == 1
        assert new.work().rereadings == 1
        assert new.engine.reread().episodes == 3


def test_two_readers_stand_in_one_store(place: Path | str) -> None:
    """Without being asked nothing is read again; each fact says who read it."""
    with told(place, PORTO) as (_, new):
        new.memory().observe(FRIDAYS, conversation="later")
        new.memory().flush()
        assert new.work() == Drained()
        assert statements(new) == {LIVES: "old-1", FRIDAY: "new-2"}
        assert read_by(new) == {"old-1": 1, "new-2": 1}


def test_what_is_said_now_does_not_wait(place: Path | str) -> None:
    """A flush ends what is being said and leaves the old talk to the worker; meanwhile that is found as it was."""
    with told(place) as (_, new):
        new.memory().reread()
        new.memory().observe("I live in Porto, still.", conversation="later")
        assert new.memory().flush().rereadings == 0
        assert new.memory().recall("coriander")
        assert new.work().rereadings == 3


def test_a_kill_in_the_middle_does_no_harm(place: Path | str) -> None:
    """What was read is kept, the rest is read by whoever works next."""
    with told(place) as (old, new):
        new.memory().reread()
        with pytest.raises(KeyboardInterrupt):
            with_reader(new, replace(NEW, trouble=KeyboardInterrupt())).work()
        assert read_by(new) == {"new-2": 1, "old-1": 2}
        assert old.work().rereadings == 0  # it is not the one that was asked
        assert new.memory().reread().episodes == 2
        assert new.work().rereadings == 2
        assert set(statements(new)) == {LIVES, ALLERGIC, FRIDAY}
        assert damage(new.memory()) == SOUND


def test_what_cannot_be_read_stays_as_it_was(place: Path | str) -> None:
    """The failure is written on the row, and it is tried again later."""
    with told(place) as (_, new):
        new.memory().reread()
        done = with_reader(new, replace(NEW, trouble=ProviderError("out of order"))).work()
        assert (done.rereadings, done.failures) == (2, 1)
        assert set(statements(new)) == {LIVES, GROWS, FRIDAY}
        assert new.work().rereadings == 0
        new.clock.advance(timedelta(hours=1))
        assert new.work().rereadings == 1
        assert set(statements(new)) == {LIVES, ALLERGIC, FRIDAY}


def test_what_is_archived_is_read_too(place: Path | str) -> None:
    """It stays in the archive, and tries again where it cannot be read."""
    with told(place, CORIANDER) as (_, new):
        [episode] = new.memory().episodes()
        archived = episode.moved_to(EpisodeStatus.ARCHIVED)
        new.ports.store.write(episode.scope, lambda tx: tx.episodes.update(archived, expecting=episode.status))
        new.memory().reread()
        assert with_reader(new, replace(NEW, trouble=ProviderError("out of order"))).work().failures == 1
        assert new.memory().reread().episodes == 1  # at once, not when it would be tried again
        assert new.work().rereadings == 1
        [episode] = new.memory().episodes()
        assert (episode.status, episode.next_try) == (EpisodeStatus.ARCHIVED, None)
        assert set(statements(new)) == {ALLERGIC}


@pytest.mark.parametrize("detail", [Detail.DIM, Detail.GIST])
def test_words_that_are_gone_are_not_read(place: Path | str, detail: Detail) -> None:
    """An episode that has lost some stays as it was read, with the facts that it told."""
    with told(place, CORIANDER, FRIDAYS) as (_, new):
        episode = new.memory().why("m-0").episode
        assert episode is not None
        new.memory().reread()
        new.ports.store.write(new.memory().scope, lambda tx: without_words(tx, episode.id, "m-0", detail))
        new.work()
        assert set(statements(new)) == {GROWS, FRIDAY}
        [row] = [row for row in new.memory().episodes() if row.id == episode.id]
        assert row.digest is not None
        assert (row.digest.topic, row.digest.next_reader, row.next_try) == (episode.topic, "", None)
        assert new.memory().reread().episodes == 0


def without_words(tx: Transaction, episode_id: str, name: str, detail: Detail) -> None:
    """Let a message lose its words, as if they had faded."""
    tx.messages.update([replace(message, content="") for message in tx.messages.named([name])])
    for episode in tx.episodes.get([episode_id]):
        tx.episodes.update(replace(episode, detail=detail), expecting=episode.status)


def test_a_mark_of_another_reader_is_taken_back(place: Path | str) -> None:
    """Whoever is asked last reads."""
    with told(place) as (old, new):
        new.memory().reread()
        assert old.memory().reread().episodes == 0
        assert new.work().rereadings == 0
        assert read_by(new) == {"old-1": 3}


def test_a_reader_that_stands_in_reads_nothing_again(place: Path | str) -> None:
    """Words alone would tell less than the reader whose model is not installed."""
    with told(place) as (old, new):
        poor = replace(new, engine=Engine(replace(new.ports, is_fallback_reader=True), new.policies))
        assert poor.memory().reread(dry_run=True).episodes == 3
        with pytest.raises(ProviderUnavailable, match="yesteryear model install"):
            poor.memory().reread()
        assert read_by(old) == {"old-1": 3}


def test_facts_that_are_off_stay_as_they_are(place: Path | str) -> None:
    """Whoever wants none drawn does not lose those that there are."""
    with told(place) as (_, new):
        new.memory().configure(fact_extraction_enabled=False)
        new.memory().reread()
        assert new.work().rereadings == 3
        assert set(statements(new)) == {LIVES, GROWS, CLIMBS}


BY_HAND: dict[str, tuple[Callable[[yesteryear.Memory, str], object], set[str]]] = {
    "confirmed": (lambda memory, fact: memory.confirm(fact), {LIVES, GROWS, CLIMBS}),
    "pinned": (lambda memory, fact: memory.pin(fact), {LIVES, GROWS, CLIMBS}),
    "refuted": (lambda memory, fact: memory.refute(fact), {LIVES, GROWS}),
    "corrected": (lambda memory, fact: memory.correct(fact, "user rows"), {LIVES, GROWS, "user rows"}),
    "forgotten": (lambda memory, fact: memory.forget(fact), {LIVES, GROWS}),
    "message forgotten": (lambda memory, _: memory.forget("m-2"), {LIVES, GROWS}),
}
"""What a person does to the fact that they climb at the club, and what is believed then."""


@pytest.mark.parametrize(("act", "believed"), BY_HAND.values(), ids=BY_HAND)
def test_what_was_done_by_hand_stays(
    place: Path | str, act: Callable[[yesteryear.Memory, str], object], believed: set[str]
) -> None:
    """It does not come back in other words either, though the new reader says more."""
    with told(place) as (old, new):
        act(old.memory(), fact_id(old, CLIMBS))
        old.work()
        assert set(statements(old)) == believed
        new.memory().reread()
        new.work()
        assert set(statements(new)) == believed - {GROWS} | {ALLERGIC}


def test_what_was_forgotten_long_ago_does_not_come_back(place: Path | str) -> None:
    """Where it was not written down yet in which messages it was told, the instant of the first tells."""
    with told(place) as (old, new):
        climbs = fact_id(old, CLIMBS)
        old.memory().forget(climbs)
        scope = old.memory().scope
        with old.ports.store.read(scope) as tx:
            left = next(fact for fact in tx.facts.all([FactStatus.FORGOTTEN]) if fact.id == climbs)
        assert left.properties.keys() == {TOLD_IN}

        def as_before(tx: Transaction) -> None:
            tx.withdraw(facts=[climbs])
            tx.facts.insert([replace(left, properties={}, rev=0)])

        old.ports.store.write(scope, as_before)
        new.memory().reread()
        new.work()
        assert FRIDAY not in statements(new)


def test_an_episode_that_was_changed_meanwhile_keeps_that(place: Path | str) -> None:
    """A pin that comes while it is read is not lost; it is read another time."""
    with told(place, CORIANDER) as (_, new):
        new.memory().reread()
        [episode] = new.memory().episodes()
        new.memory().pin(episode.id)
        policy = new.policies.remember
        with pytest.raises(Stale):
            reread(new.ports, episode.scope, episode, policy=policy, now=new.clock.now())
        new.work()
        [episode] = new.memory().episodes()
        assert episode.pinned
        assert read_by(new) == {"new-2": 1}


def test_what_was_dismissed_stays_so_in_other_words(place: Path | str) -> None:
    """The newer reader tells the same sentence as another fact; that the person said no to what it says stays."""
    words = "I can't climb at the club because of my back"
    with open_workshop(place) as shop:
        old = with_reader(shop, PhraseReader("old-1", (words,)))
        old.memory().observe(f"Listen now. {words}.", id="m", conversation="c")
        old.memory().flush()
        [edge] = old.memory().graph().edges
        old.memory().dismiss(edge.id)
        new = with_reader(shop, PhraseReader("new-2", (f"Listen now. {words}",)))
        before = statements(new)
        new.memory().reread()
        new.work()
        assert statements(new).keys() != before.keys()
        assert new.memory().graph().edges == ()
        [anew] = new.memory().facts()
        assert new.memory().dismiss(f"blocks:{anew.id}:{anew.id}", restored=True).quote == f"{words}."
