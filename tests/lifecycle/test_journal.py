"""How long the words themselves are kept, and which are never written down."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import yesteryear
from tests.workshop import MORNING_RUNS, NOON, SOUND, damage, open_workshop
from yesteryear.core.episode import gist_lines

QUESTION = "what's 17 times 3?"


def contents(memory: yesteryear.Memory) -> dict[str, str]:
    """Return the text of each message by the caller's id."""
    return {message.name: message.content for message in memory.messages()}


def test_without_verbatim_no_transcript_is_left(place: Path | str) -> None:
    """Once digested, messages lose their text and their vectors; the episode's summary remains and is found."""
    with open_workshop(place, keep_verbatim=False) as shop:
        memory = shop.memory()
        memory.observe(MORNING_RUNS, conversation="phone", id="kept")
        memory.observe("The password of the museum is in the blue folder, I think.", conversation="phone", id="aside")
        memory.observe(QUESTION, conversation="desk", id="skipped")
        memory.flush()
        assert set(contents(memory).values()) == {""}
        digests = [episode.digest for episode in memory.episodes() if episode.digest is not None]
        facts = memory.facts(status="all")
        left = sum(1 + len(gist_lines(digest)) for digest in digests) + len(facts)
        assert memory.stats()["vectors.by_model"] == {"hashing-v1": left}
        assert [row.quote for fact in facts for row in memory.why(fact.id).fact.evidence if row.quote] == []
        hits = memory.recall("When do I run in the morning?")
        assert {str(hit.grain) for hit in hits} <= {"episode", "fact"}
        assert damage(memory) == SOUND


def test_without_verbatim_the_file_holds_no_transcript_either(tmp_path: Path) -> None:
    """What the journal gave up is not in any row of the file."""
    path = tmp_path / "memory.db"
    with open_workshop(path, keep_verbatim=False) as shop:
        shop.memory().observe(QUESTION)
        shop.memory().flush()
    with closing(sqlite3.connect(path)) as connection:
        assert QUESTION not in "\n".join(connection.iterdump())


def test_skipped_text_is_erased_after_its_time(place: Path | str) -> None:
    """Until then it can be found; then the worker erases it, and what was kept stays."""
    with open_workshop(place, journal_retention_days=30) as shop:
        memory = shop.memory()
        kept = f"Please remember: {MORNING_RUNS}"
        memory.observe(kept, conversation="phone", id="kept")
        memory.observe(QUESTION, conversation="desk", id="skipped")
        memory.flush()
        shop.clock.advance(timedelta(days=29))
        assert shop.work().expired == 0
        assert memory.recall("17 times 3", kinds=["excerpt"])[0].messages == ("skipped",)
        shop.clock.advance(timedelta(days=1))
        assert shop.work().expired == 1
        assert contents(memory) == {"kept": kept, "skipped": ""}
        assert "skipped" not in [name for hit in memory.recall("17 times 3") for name in hit.messages]
        assert memory.messages(outcome="skip")[0].verdict is not None
        assert damage(memory) == SOUND


def test_skipped_text_stays_until_somebody_says_otherwise(place: Path | str) -> None:
    """The gate sorts: what it took for nothing is in no episode, but its words are found years later."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        memory.observe(QUESTION, conversation="desk", id="skipped")
        memory.flush()
        assert memory.messages()[0].expires_at is None
        for _ in range(5):
            shop.clock.advance(timedelta(days=365))
            shop.work()
            assert memory.fade().expired == ()
        assert (contents(memory), memory.episodes()) == ({"skipped": QUESTION}, [])
        assert memory.recall("17 times 3", kinds=["excerpt"])[0].messages == ("skipped",)
        memory.configure(journal_retention_days=30)
        shop.work()
        assert contents(memory) == {"skipped": ""}


def test_a_shorter_retention_holds_for_what_was_said_before(place: Path | str) -> None:
    """Whoever wants skipped text gone sooner does not have to wait the old time out."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        memory.observe(QUESTION, conversation="desk", id="skipped")
        memory.flush()
        shop.clock.advance(timedelta(days=8))
        assert shop.work().expired == 0
        memory.configure(journal_retention_days=7)
        assert shop.work().expired == 1
        assert contents(memory) == {"skipped": ""}


def test_an_old_history_is_not_erased_on_its_first_night(place: Path | str) -> None:
    """Skipped text of an import is kept as long as any other, counted from when it was recorded."""
    with open_workshop(place, journal_retention_days=30) as shop:
        memory = shop.memory()
        memory.observe(QUESTION, conversation="desk", id="skipped", at=NOON - timedelta(days=900))
        memory.flush()
        shop.clock.advance(timedelta(days=29))
        assert shop.work().expired == 0
        shop.clock.advance(timedelta(days=1))
        assert shop.work().expired == 1


def test_an_erased_message_is_still_the_same_message(place: Path | str) -> None:
    """Sending it again after its text was erased neither fails nor brings it back."""
    with open_workshop(place, journal_retention_days=30) as shop:
        memory = shop.memory()
        memory.observe(QUESTION, conversation="desk", id="skipped")
        memory.flush()
        shop.clock.advance(timedelta(days=30))
        shop.work()
        assert memory.observe(QUESTION, conversation="desk", id="skipped").is_new is False
        memory.flush()
        assert contents(memory) == {"skipped": ""}


def test_secrets_are_never_written_down(tmp_path: Path) -> None:
    """A key is cut out before anything is stored, and the receipt says so."""
    path = tmp_path / "memory.db"
    key = "sk-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5oQ7"
    with open_workshop(path) as shop:
        receipt = shop.memory().observe(f"My new API key is {key}, keep it safe.")
        shop.memory().flush()
        assert receipt.redactions
    with closing(sqlite3.connect(path)) as connection:
        assert key not in "\n".join(connection.iterdump())
