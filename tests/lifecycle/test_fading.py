"""Memories fade within bounds: what is left of them, what keeps them, and how they come back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.workshop import NOON, SOUND, Workshop, damage, open_workshop, tell
from yesteryear.core.episode import Episode
from yesteryear.errors import InputError, NotFound

QUESTION = "what's 17 times 3?"
SISTER = "My sister Lena cannot eat nuts, and her cat is called Pixel."
BROTHER = "My brother Paulo works as a nurse in Porto."
BREAD = "We decided to bake our own bread from now on."
REQUEST = "Please remember that my passport lies in the blue box."
FAR = timedelta(days=4000)
"""After which everything has faded."""


def say(memory: yesteryear.Memory, text: str, *, conversation: str = "kitchen", **more: Any) -> Episode:
    """Say something and return the episode that was made of it."""
    memory.observe(text, conversation=conversation, **more)
    memory.flush()
    return memory.episodes(conversation=conversation)[0]


def found(memory: yesteryear.Memory, question: str, **more: Any) -> list[str]:
    """Return the texts that are found."""
    return [hit.text for hit in memory.recall(question, **more)]


def states(memory: yesteryear.Memory) -> list[tuple[str, str]]:
    """Return detail and status of each episode, the first that was told first."""
    return [(str(row.detail), str(row.status)) for row in reversed(memory.episodes(limit=1000))]


def when(shop: Workshop, episode: Episode, step: str) -> datetime:
    """Return when an episode becomes gist, or is archived, as ``why`` foretells it."""
    told = shop.memory().why(episode.id).episode
    assert told is not None
    moment: datetime = getattr(told, step)
    return moment


def test_words_go_first_then_the_gist_leaves_recall(place: Path | str) -> None:
    """On the days that were foretold; what is left of it is found by its sentences, at last only on request."""
    with open_workshop(place, fact_extraction_enabled=False) as shop:
        memory = shop.memory()
        episode = say(memory, SISTER, id="m-1")
        shop.clock.set(when(shop, episode, "gist_at") - timedelta(seconds=1))
        assert shop.work().faded == 0
        assert memory.messages()[0].content == SISTER
        shop.clock.advance(timedelta(seconds=1))
        assert shop.work().faded == 1
        assert memory.messages()[0].content == ""
        assert states(memory) == [("gist", "active")]
        assert "cannot eat nuts" in found(memory, "What can Lena not eat?")[0]
        assert "cannot eat nuts" in memory.context("What can Lena not eat?").text
        shop.clock.set(when(shop, episode, "archived_at"))
        assert shop.work().faded == 1
        assert states(memory) == [("gist", "archived")]
        assert found(memory, "What can Lena not eat?") == []
        assert memory.context("What can Lena not eat?").text == ""
        assert "cannot eat nuts" in found(memory, "What can Lena not eat?", archived=True)[0]
        assert memory.episodes(status="archived")[0].digest is not None
        assert damage(memory) == SOUND


def test_what_lost_its_words_keeps_no_vectors_of_them(place: Path | str) -> None:
    """A vector tells much of its text; each sentence that is left has one of its own."""
    with open_workshop(place, fact_extraction_enabled=False) as shop:
        memory = shop.memory()
        episode = say(memory, SISTER)
        shop.clock.set(when(shop, episode, "gist_at"))
        shop.work()
        with shop.ports.store.read(memory.scope) as tx:
            refs = {stored.ref for stored in tx.vectors.load("hashing-v1")}
        assert refs == {episode.id}


def test_a_trial_tells_what_would_go_and_leaves_it(place: Path | str) -> None:
    """The same as is done then, for any date."""
    with open_workshop(place, journal_retention_days=30) as shop:
        memory = shop.memory()
        say(memory, SISTER)
        memory.observe(QUESTION, conversation="desk")
        memory.flush()
        before = memory.stats(), states(memory)
        told = memory.fade(at=NOON + FAR, dry_run=True)
        assert (memory.stats(), states(memory)) == before
        done = memory.fade(at=NOON + FAR)
        assert told.is_dry
        assert not done.is_dry
        assert (told.to_gist, told.archived, told.expired) == (done.to_gist, done.archived, done.expired)
        assert (len(done.to_gist), len(done.archived), len(done.expired)) == (1, 1, 1)
        again = memory.fade(at=NOON + FAR)
        assert (again.to_gist, again.archived, again.expired) == ((), (), ())


def test_what_was_asked_to_be_remembered_never_fades(place: Path | str) -> None:
    """Whoever asks for it is taken at their word, for as long as there are years."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        say(memory, REQUEST, conversation="desk")
        say(memory, SISTER)
        for year in (2050, 2100, 9999):
            memory.fade(at=datetime(year, 12, 31, tzinfo=UTC))
        assert states(memory) == [("vivid", "active"), ("gist", "archived")]
        assert memory.recall("Where is my passport?")[0].text == REQUEST


def test_what_is_pinned_never_fades_until_it_is_unpinned(place: Path | str) -> None:
    """By the id of the episode, or of any message in it."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        say(memory, SISTER, id="m-1")
        assert memory.pin("m-1").pinned
        memory.fade(at=NOON + FAR)
        assert states(memory) == [("vivid", "active")]
        assert not memory.unpin(memory.episodes()[0].id).pinned
        assert states(memory) == [("vivid", "active")]
        memory.fade(at=NOON + FAR)
        assert states(memory) == [("gist", "archived")]


@pytest.mark.parametrize("by", ["restore", "pin"])
def test_what_was_archived_can_be_brought_back(place: Path | str, by: str) -> None:
    """With what is left of it; it is found by words and by vectors, and is as if it were new."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        episode = say(memory, SISTER, id="m-1")
        shop.clock.advance(FAR)
        shop.work()
        back = memory.restore("m-1") if by == "restore" else memory.pin(episode.id)
        shop.work()
        assert (back.status, back.restored_at) == ("active", NOON + FAR)
        assert states(memory) == [("gist", "active")]
        assert "cannot eat nuts" in found(memory, "What can Lena not eat?")[0]
        assert memory.stats()["vectors.due"] == 0
        told = memory.why(episode.id).episode
        assert told is not None
        assert (told.strength, told.strengthened_at) == (told.importance, NOON + FAR)
        memory.fade(at=NOON + 2 * FAR)
        assert states(memory) == [("gist", "archived" if by == "restore" else "active")]
        assert damage(memory) == SOUND


def test_what_cannot_be_brought_back_says_why(place: Path | str) -> None:
    """It is not archived, it was not kept, it was forgotten, or nobody here knows it."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        episode = say(memory, SISTER, id="m-1")
        memory.observe(QUESTION, conversation="desk", id="q-1")
        memory.observe(SISTER, conversation="open", id="o-1")
        for verb, name, why in (
            (memory.restore, "m-1", "is active"),
            (memory.pin, "o-1", "not in an episode yet"),
            (memory.restore, "o-1", "not in an episode yet"),
        ):
            with pytest.raises(InputError, match=why):
                verb(name)
        memory.flush()
        with pytest.raises(InputError, match="was not kept"):
            memory.pin("q-1")
        memory.forget(episode.id)
        for verb in (memory.restore, memory.pin, memory.unpin):
            with pytest.raises(InputError, match=r"nothing of it is left|was not kept"):
                verb(episode.id)
        told = []
        for stranger in (memory, shop.memory("ben")):
            for verb in (stranger.restore, stranger.pin, stranger.unpin, stranger.why):
                with pytest.raises(NotFound) as caught:
                    verb("m-9" if stranger is memory else "m-1")
                told.append(str(caught.value).replace("m-9", "m-1"))
        assert len(set(told)) == 1


def test_an_old_history_is_not_old_on_its_first_day(place: Path | str) -> None:
    """Said years ago and recorded today: its age counts from when it was recorded."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        episode = say(memory, SISTER, at=NOON - FAR)
        shop.work()
        assert states(memory) == [("vivid", "active")]
        assert when(shop, episode, "gist_at") > NOON + timedelta(days=50)
        shop.clock.advance(timedelta(days=30))
        assert shop.work().faded == 0


def test_skipped_text_goes_after_its_days_and_not_before(place: Path | str) -> None:
    """By hand as by the worker; what was kept stays."""
    with open_workshop(place, journal_retention_days=7) as shop:
        memory = shop.memory()
        memory.observe(QUESTION, conversation="desk", id="q-1")
        memory.flush()
        shop.clock.advance(timedelta(days=7) - timedelta(microseconds=1))
        assert memory.fade().expired == ()
        shop.clock.advance(timedelta(microseconds=1))
        assert len(memory.fade().expired) == 1
        assert memory.messages()[0].content == ""


def test_a_limit_archives_the_weakest_and_deletes_nothing(place: Path | str) -> None:
    """As soon as another one is there; whoever is brought back takes the place of the next weakest."""
    with open_workshop(place, max_active_episodes=2) as shop:
        memory = shop.memory()
        for number in range(5):
            shop.clock.set(NOON + timedelta(days=number))
            say(memory, f"{SISTER} ({number})", conversation=f"day {number}")
            assert memory.stats()["episodes.active"] == min(number + 1, 2)
        assert [row.conversation for row in memory.episodes(status="active")] == ["day 4", "day 3"]
        assert len(memory.episodes()) == 5
        assert all(message.content for message in memory.messages()), "the words are still there"
        back = memory.restore(memory.episodes(conversation="day 1")[0].id)
        assert back.status == "active"
        shop.work()
        assert [row.conversation for row in memory.episodes(status="active")] == ["day 4", "day 1"]
        assert f"{SISTER} (1)" in found(memory, "What can Lena not eat?")
        assert damage(memory) == SOUND


def test_a_smaller_limit_holds_with_the_next_look(place: Path | str) -> None:
    """Also for what was there before; 0 stands for none."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 20)
        memory.flush()
        memory.configure(max_active_episodes=3)
        memory.fade()
        assert memory.stats()["episodes.active"] == 3
        memory.configure(max_active_episodes=0)
        for row in memory.episodes(status="archived"):
            memory.restore(row.id)
        shop.work()
        assert memory.stats()["episodes.active"] == 5
        assert damage(memory) == SOUND


def test_a_limit_of_words_leaves_the_gist(place: Path | str) -> None:
    """So many messages keep theirs; what the others said is still found, and nothing leaves recall for it."""
    with open_workshop(place, threshold=2) as shop:
        memory = shop.memory()
        say(memory, REQUEST, conversation="desk")
        for number, text in enumerate((BROTHER, SISTER, BREAD)):
            say(memory, text, conversation=f"day {number}")
        memory.configure(max_verbatim_messages=2)
        memory.fade()
        shop.work()
        kept = [message.content for message in memory.messages() if message.content]
        assert len(kept) == 2
        assert REQUEST in kept
        assert memory.stats()["episodes.active"] == 4
        for question, word in (
            ("Where does Paulo work?", "nurse"),
            ("What can Lena not eat?", "nuts"),
            ("bread", "bake"),
        ):
            assert any(word in text for text in found(memory, question)), question
        memory.configure(max_verbatim_messages=1)
        memory.fade()
        assert shop.work().failures == 0
        assert [message.content for message in memory.messages() if message.content] == [REQUEST]
        rev = memory.stats()["rev"]
        memory.fade()
        assert memory.stats()["rev"] == rev
        assert damage(memory) == SOUND


def test_with_fading_switched_off_everything_stays(place: Path | str) -> None:
    """The limits hold all the same; switched on again, what has faded meanwhile goes with the next look."""
    with open_workshop(place, max_active_episodes=2) as shop:
        memory = shop.memory()
        memory.configure(fading=False)
        for number in range(3):
            say(memory, f"{SISTER} ({number})", conversation=f"day {number}")
        shop.clock.advance(FAR)
        assert shop.work().faded == 0
        assert states(memory) == [("vivid", "archived"), *[("vivid", "active")] * 2]
        memory.configure(fading=True)
        assert shop.work().faded == 3
        assert states(memory) == [("gist", "archived")] * 3


def test_a_clock_that_goes_back_does_no_harm(place: Path | str) -> None:
    """What has gone does not come back, what is left does not go sooner, and nothing is due for ever."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        episode = say(memory, SISTER)
        say(memory, f"{SISTER} (2)", conversation="desk")
        shop.clock.set(when(shop, episode, "gist_at"))
        shop.work()
        before = states(memory)
        for back in (1, 100, 20_000):
            shop.clock.set(NOON - timedelta(days=back))
            assert shop.work().faded == 0
            assert memory.fade().to_gist == ()
            assert states(memory) == before
            assert memory.recall("What can Lena not eat?").hits
        shop.clock.set(NOON + FAR)
        shop.work()
        assert states(memory) == [("gist", "archived")] * 2
        assert shop.ports.store.due(shop.clock.now(), limit=9) == []


@pytest.mark.parametrize(
    ("spelt", "the_same"),
    [
        ("2026-03-29T00:59:59+00:00", "2026-03-29T00:59:59Z"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T01:30:00+01:00"),
        ("2100-02-28T23:00:00-01:00", "2100-03-01T00:00:00+00:00"),
        ("9999-12-31T23:59:59+00:00", "9999-12-31T22:59:59-01:00"),
    ],
)
def test_an_instant_fades_alike_however_it_is_spelt(place: Path | str, spelt: str, the_same: str) -> None:
    """When clocks are put back, in the year 2100, which has no leap day, and at the end of all dates."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        say(memory, SISTER)
        one, other = memory.fade(at=spelt, dry_run=True), memory.fade(at=the_same, dry_run=True)
        assert one == other
        memory.fade(at=spelt)
        assert memory.fade(at=the_same).to_gist == ()


def test_fading_is_the_persons_whatever_the_project(place: Path | str) -> None:
    """What belongs to one project is pinned there only, and fades with everything else."""
    with open_workshop(place) as shop:
        thesis, taxes = shop.memory(project="thesis"), shop.memory(project="taxes")
        episode = say(thesis, SISTER, id="m-1")
        for name in ("m-1", episode.id):
            with pytest.raises(NotFound):
                taxes.pin(name)
        assert taxes.fade(at=NOON + FAR).archived == (episode.id,)
        assert states(thesis) == [("gist", "archived")]
        with pytest.raises(InputError, match="without a project"):
            thesis.configure(fading=False)


def test_what_waits_for_its_vectors_may_be_archived_meanwhile(place: Path | str) -> None:
    """Whoever waits for all work to be done does not wait for ever, and nothing stays due."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        tell(memory, 12)
        memory.flush()
        first = memory.episodes()[0].id
        memory.fade(at=when(shop, memory.episodes()[0], "gist_at"))
        memory.configure(max_active_episodes=1)
        memory.pin(first)
        assert memory.flush().failures == 0
        shop.clock.advance(timedelta(days=100))
        shop.work()
        assert memory.stats()["episodes.active"] == 1
        assert shop.ports.store.due(shop.clock.now(), limit=9) == []
