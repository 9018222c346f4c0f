"""Ana talks with her assistant, and episodes come of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import yesteryear
from tests.workshop import NOON, SOUND, damage, open_workshop
from yesteryear.results import EpisodeStatus, Reason

MARATHON = (
    "I signed up for the Lisbon marathon in October, my first one.",
    "Congratulations! How will you train?",
    "I decided to run four mornings a week, before work. Evenings never worked for me.",
    "Four mornings sounds solid.",
    "I'm nervous about my left knee though, it hurt all spring.",
    "Then build up slowly.",
)
DULL = ("hi", "Hello!", "thanks", "You're welcome.", "ok", "Anything else?")


def talk(memory: yesteryear.Memory, lines: tuple[str, ...], *, conversation: str = "phone") -> None:
    """Let Ana and the assistant speak in turn."""
    for number, line in enumerate(lines):
        role, author = ("assistant", "Assistant") if number % 2 else ("user", "Ana")
        memory.observe(line, role=role, author=author, conversation=conversation)


def test_a_conversation_becomes_an_episode(place: Path | str) -> None:
    """Half an hour after the last word the talk about the marathon is one episode that says what it was about."""
    with open_workshop(place, threshold=15) as shop:
        memory = shop.memory()
        talk(memory, MARATHON)
        assert memory.episodes() == []
        shop.clock.advance(timedelta(minutes=30))
        shop.work()
        (episode,) = memory.episodes()
        assert episode.status is EpisodeStatus.ACTIVE
        assert episode.digest is not None
        assert episode.digest.topic
        assert "marathon" in episode.digest.summary
        assert 0 < episode.importance <= 1
        assert (episode.first_seq, episode.last_seq) == (1, 6)
        assert damage(memory) == SOUND


def test_a_pause_divides_two_episodes(place: Path | str) -> None:
    """What is said the next day in the same conversation belongs to another episode."""
    with open_workshop(place, threshold=15) as shop:
        memory = shop.memory()
        talk(memory, MARATHON[:2])
        shop.clock.advance(timedelta(days=1))
        talk(memory, MARATHON[2:])
        memory.flush()
        assert sorted((episode.first_seq, episode.last_seq) for episode in memory.episodes()) == [(1, 2), (3, 6)]


def test_fifteen_messages_are_enough(place: Path | str) -> None:
    """A talk that never pauses becomes an episode all the same, as soon as fifteen messages were exchanged."""
    with open_workshop(place, threshold=15) as shop:
        memory = shop.memory()
        talk(memory, MARATHON * 3)
        shop.work()
        (episode,) = memory.episodes()
        assert 15 <= episode.last_seq - episode.first_seq + 1 <= 17


def test_a_dull_stretch_leaves_no_episode(place: Path | str) -> None:
    """Greetings and thanks are judged, skipped with a reason, and become nothing more."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        talk(memory, DULL)
        memory.flush()
        assert memory.episodes() == []
        verdicts = [message.verdict for message in memory.messages(outcome="skip")]
        assert len(verdicts) == len(DULL)
        assert {verdict.reason for verdict in verdicts if verdict} <= {
            Reason.TRIVIAL,
            Reason.ASSISTANT_ONLY,
        }


def test_an_episode_ends_when_told_to(place: Path | str) -> None:
    """close_episode() ends the present episode; what comes next belongs to another one."""
    with open_workshop(place, threshold=15) as shop:
        memory = shop.memory()
        talk(memory, MARATHON[:4])
        memory.close_episode("phone")
        talk(memory, MARATHON[4:])
        shop.work()
        (episode,) = memory.episodes()
        assert (episode.first_seq, episode.last_seq, episode.closed_by) == (1, 4, "hand")


def test_what_was_just_said_is_found_at_once(place: Path | str) -> None:
    """Nobody has worked yet, and still the words are there."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        talk(memory, MARATHON[:1])
        assert "marathon" in memory.context("How is the marathon coming along?").text
        assert memory.recall("marathon")[0].messages == (memory.messages()[0].id,)


def test_recall_names_the_messages_behind_it(place: Path | str) -> None:
    """Whoever gave ids of their own is told those."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        memory.observe(MARATHON[0], conversation="phone", id="tg-71")
        memory.observe(MARATHON[4], conversation="phone", id="tg-72")
        memory.flush()
        assert memory.recall("Which knee hurts?", kinds=["excerpt"])[0].messages == ("tg-72",)
        named = {name for item in memory.context("Which knee hurts?").items for name in item.messages}
        assert "tg-72" in named


def test_flush_leaves_nothing_due(place: Path | str) -> None:
    """Afterwards every message was judged, every episode is active, every text has its vector."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        for conversation in ("phone", "desk", "car"):
            talk(memory, MARATHON + DULL, conversation=conversation)
        memory.flush()
        assert damage(memory) == SOUND
        assert shop.ports.store.due(shop.clock.now(), limit=10) == []
        assert memory.flush().episodes == 0


def test_the_same_message_twice_is_one_message(place: Path | str) -> None:
    """An application that repeats itself after a crash of its own changes nothing, before the work and after it."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        first = memory.observe(MARATHON[0], conversation="phone", id="tg-71")
        again = memory.observe(MARATHON[0], conversation="phone", id="tg-71")
        memory.flush()
        later = memory.observe(MARATHON[0], conversation="phone", id="tg-71")
        assert (first.is_new, again.is_new, later.is_new) == (True, False, False)
        assert first.id == again.id == later.id
        assert len(memory.messages()) == 1
        assert damage(memory) == SOUND


def test_an_imported_history_keeps_its_dates(place: Path | str) -> None:
    """Talk of three years ago becomes episodes of three years ago, told as such."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        then = NOON - timedelta(days=3 * 365)
        memory.observe(
            [
                {"content": line, "author": "Ana", "at": then + timedelta(minutes=number)}
                for number, line in enumerate(MARATHON[::2])
            ],
            conversation="old phone",
        )
        memory.flush()
        (episode,) = memory.episodes()
        assert (episode.started_at, episode.ended_at) == (then, then + timedelta(minutes=2))
        assert "2023" in memory.context("What about the marathon?").text
