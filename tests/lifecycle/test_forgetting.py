"""What somebody wants forgotten is forgotten: by every verb, in every engine, in the files, whoever works on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.analysts import SideBySide
from tests.canaries import left_in
from tests.workshop import NOON, SOUND, Workshop, damage, open_workshop
from yesteryear.core.episode import Digest, Talk
from yesteryear.core.results import to_plain
from yesteryear.errors import InputError, NotFound
from yesteryear.forget.forget import Forgotten
from yesteryear.ports import Analyst
from yesteryear.providers.local.analyst import LocalAnalyst

pytestmark = pytest.mark.sampled

SECRET = "My sister Laura has moved in with Tom Quimbelwort."
WORDS = ("Laura", "Quimbelwort")
"""What nothing may hold once it is forgotten."""
BESIDE = "My brother Paulo works as a nurse in Porto."
QUESTION = "Where does Laura live with Quimbelwort?"


def talk(shop: Workshop, *, user: str = "ana") -> yesteryear.Memory:
    """Let two things be said in one episode, and something else in another."""
    memory = shop.memory(user)
    memory.observe(SECRET, conversation="kitchen", id="m-1", author="Ana")
    memory.observe("How nice!", conversation="kitchen", role="assistant", id="m-2")
    memory.observe(BESIDE, conversation="kitchen", id="m-3", author="Ana")
    memory.observe("We decided to bake our own bread from now on.", conversation="desk", id="d-1", author="Ana")
    memory.flush()
    return memory


def everything(memory: yesteryear.Memory) -> str:
    """Return whatever any verb tells."""
    answers: list[Any] = [
        memory.recall(QUESTION, archived=True, limit=100),
        memory.recall(QUESTION, kinds=["episode"], archived=True),
        memory.context(QUESTION, conversation="kitchen"),
        memory.messages(limit=1000),
        [memory.episodes(status=status, limit=1000) for status in (None, "forgotten", "archived", "pending")],
        memory.conversations(),
        memory.stats(),
        [memory.why(message.id) for message in memory.messages(limit=1000)],
        [memory.why(episode.id) for episode in memory.episodes(limit=1000)],
        (memory.facts(status="all", limit=1000), memory.facts(known_at=NOON), memory.conflicts(resolved=True)),
        [memory.why(fact.id) for fact in memory.facts(status="all", limit=1000)],
    ]
    context = memory.context(QUESTION)
    return repr(to_plain([*answers, context])).replace(QUESTION, "")


def told(memory: yesteryear.Memory) -> list[str]:
    """Return which of the words any verb still tells."""
    return [word for word in WORDS if word in everything(memory)]


def ids(memory: yesteryear.Memory) -> dict[str, str]:
    """Return our id of each message by the caller's."""
    return {message.name: message.id for message in memory.messages(limit=1000)}


Way = Callable[[yesteryear.Memory], Forgotten]

WAYS: dict[str, Way] = {
    "the callers' ids": lambda memory: memory.forget("m-2", "m-1", "m-2"),
    "our id": lambda memory: memory.forget(ids(memory)["m-1"]),
    "the episode": lambda memory: memory.forget(memory.episodes(conversation="kitchen")[0].id),
    "the conversation": lambda memory: memory.forget(conversation="kitchen"),
    "a time": lambda memory: memory.forget(since=NOON - timedelta(days=1), until=NOON + timedelta(days=1)),
    "since then": lambda memory: memory.forget(since=NOON, conversation="kitchen"),
    "until then": lambda memory: memory.forget(until=NOON + timedelta(seconds=1)),
    "a subject": lambda memory: memory.forget(*memory.forget(about="Laura Quimbelwort").ids),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_was_forgotten_is_told_by_no_verb(place: Path | str, way: str) -> None:
    """Before and after the rest is digested anew; in this engine, and in one that has the same file open."""
    with open_workshop(place) as shop, open_workshop(place) as other:
        memory = talk(shop)
        assert told(memory) == list(WORDS)
        if isinstance(place, Path):
            assert told(other.memory()) == list(WORDS)
        forgotten = WAYS[way](memory)
        assert not forgotten.is_dry
        assert SECRET not in repr(forgotten)
        assert told(memory) == []
        shop.work()
        for each in (shop, other) if isinstance(place, Path) else (shop,):
            assert told(each.memory()) == []
            assert each.memory().messages()[0].name == "m-1", "that something was said stays"
        assert damage(memory) == SOUND
        if isinstance(place, Path):
            assert left_in(place.parent, WORDS) == {}


def test_what_was_said_beside_it_stays(place: Path | str) -> None:
    """Its episode is digested anew without the words, keeps its importance, and is found."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        (before,) = memory.episodes(conversation="kitchen")
        forgotten = memory.forget("m-1")
        assert ([row.name for row in forgotten.messages], forgotten.reduced) == (["m-1"], (before.id,))
        assert forgotten.episodes == ()
        assert memory.episodes(conversation="kitchen")[0].status == "pending"
        shop.work()
        (after,) = memory.episodes(conversation="kitchen")
        assert (after.id, after.status, after.importance) == (before.id, "active", before.importance)
        assert after.digest is not None
        assert "Paulo" in after.digest.summary
        assert memory.recall("Where does Paulo work?")[0].messages == ("m-3",)
        verdicts = {row.name: row.verdict and row.verdict.reason for row in memory.messages(conversation="kitchen")}
        assert verdicts["m-1"] == "forget_request"
        assert damage(memory) == SOUND


def test_an_episode_of_which_nothing_is_left_is_gone(place: Path | str) -> None:
    """Also the messages of it that were never kept; it can be listed by name only."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        (episode,) = memory.episodes(conversation="kitchen")
        forgotten = memory.forget(episode.id)
        assert [row.name for row in forgotten.messages] == ["m-1", "m-2", "m-3"]
        assert forgotten.episodes == (episode.id,)
        assert {row.content for row in memory.messages(conversation="kitchen")} == {""}
        assert memory.episodes(conversation="kitchen") == []
        (gone,) = memory.episodes(conversation="kitchen", status="forgotten")
        assert (gone.id, gone.digest, gone.importance, gone.message_ids) == (episode.id, None, 0.0, ())


@pytest.mark.parametrize("detail", ["gist", "archived"])
def test_a_gist_whose_message_is_forgotten_goes_as_a_whole(place: Path | str, detail: str) -> None:
    """Nobody can tell any more which of its sentences came from where."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        told_before = memory.why("m-1").episode
        assert told_before is not None
        memory.fade(at=told_before.gist_at if detail == "gist" else told_before.archived_at)
        shop.work()
        assert told(memory) == list(WORDS)
        forgotten = memory.forget("m-1")
        assert forgotten.episodes == (told_before.id,)
        assert told(memory) == []
        shop.work()
        assert told(memory) == []


def test_a_span_takes_the_episodes_that_lie_whole_within_it(place: Path | str) -> None:
    """Of one that reaches beyond it, what was said before stays."""
    with open_workshop(place, threshold=2) as shop:
        memory = shop.memory()
        for number in range(4):
            at = NOON - timedelta(minutes=10 - number)
            memory.observe(f"{SECRET} {BESIDE} ({number})", conversation="c", at=at, id=f"c-{number}")
        memory.flush()
        first, second = reversed(memory.episodes())
        forgotten = memory.forget(since=NOON - timedelta(minutes=9), until=NOON - timedelta(minutes=7))
        assert [row.name for row in forgotten.messages] == ["c-1", "c-2"]
        assert set(forgotten.reduced) == {first.id, second.id}
        forgotten = memory.forget(since=NOON - timedelta(minutes=8), until=NOON)
        assert ([row.name for row in forgotten.messages], forgotten.episodes) == (["c-3"], (second.id,))
        assert [row.name for row in memory.messages() if row.content] == ["c-0"]


def test_forgetting_twice_changes_nothing(place: Path | str) -> None:
    """The id is still known; nothing is left to be forgotten."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        (episode,) = memory.episodes(conversation="kitchen")
        memory.forget(episode.id)
        rev = memory.stats()["rev"]
        for again in (memory.forget("m-1"), memory.forget(episode.id), memory.forget(conversation="kitchen")):
            assert again.messages == ()
        assert memory.stats()["rev"] == rev


def test_a_trial_tells_the_words_and_leaves_them(place: Path | str) -> None:
    """So that the person can see what they are about to lose."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        trial = memory.forget("m-1", dry_run=True)
        assert ([row.text for row in trial.messages], trial.is_dry) == ([SECRET], True)
        assert told(memory) == list(WORDS)
        proposed = memory.forget(about="where Laura lives")
        assert proposed.is_dry
        assert SECRET in [row.text for row in proposed.messages]
        assert told(memory) == list(WORDS)
        assert memory.forget(about="volcanoes of Iceland").is_dry
        done = memory.forget("m-1")
        assert (done.ids, done.reduced) == (trial.ids, trial.reduced)


@pytest.mark.parametrize("user", ["ana", "ben"])
@pytest.mark.parametrize("project", [None, "taxes"])
def test_nobody_learns_whether_somebody_else_said_it(place: Path | str, user: str, project: str | None) -> None:
    """Unknown ids, those of another person and of another project answer the same; and nothing of it is forgotten."""
    with open_workshop(place) as shop:
        memory = shop.memory("ana", project="thesis")
        memory.observe(SECRET, conversation="kitchen", id="m-1")
        memory.flush()
        if (user, project) == ("ana", None):
            return  # without a project all of one's own is seen
        stranger = shop.memory(user, project=project)
        answers = set()
        for name in ("m-1", memory.messages()[0].id, memory.episodes()[0].id, "nobody-ever-said-this"):
            with pytest.raises(NotFound) as caught:
                stranger.forget(name)
            answers.add(str(caught.value).replace(name, "it"))
        assert len(answers) == 1
        assert stranger.forget(conversation="kitchen").messages == ()
        assert stranger.forget(since=NOON - timedelta(days=9)).messages == ()
        assert stranger.forget(about="Laura").messages == ()
        assert told(memory) == list(WORDS)


def test_one_unknown_id_keeps_all_others(place: Path | str) -> None:
    """Nothing is half done: whoever mistyped one of them looks again."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        with pytest.raises(NotFound, match="nobody"):
            memory.forget("m-1", "nobody")
        assert told(memory) == list(WORDS)


def test_an_id_of_several_messages_is_asked_back(place: Path | str) -> None:
    """Two conversations may have given it; ours tells which one is meant."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        memory.observe(BESIDE, conversation="other", id="m-1")
        with pytest.raises(InputError, match="2 messages"):
            memory.forget("m-1")
        memory.forget(next(row.id for row in memory.messages(conversation="other")))
        assert told(memory) == list(WORDS)


@pytest.mark.parametrize(
    ("args", "more"),
    [
        ((), {}),
        ((), {"dry_run": True}),
        (("m-1",), {"conversation": "kitchen"}),
        (("m-1",), {"about": "Laura"}),
        ((), {"about": "Laura", "since": NOON}),
        ((), {"since": "yesterday"}),
        ((), {"conversation": ""}),
        (("",), {}),
        ((7,), {}),
    ],
)
def test_what_cannot_be_meant_is_refused(place: Path | str, args: tuple[Any, ...], more: dict[str, Any]) -> None:
    """Nothing named, two things at once, or what is no id and no time."""
    with open_workshop(place) as shop:
        memory = talk(shop)
        with pytest.raises(InputError):
            memory.forget(*args, **more)
        assert told(memory) == list(WORDS)


class SlowAnalyst(SideBySide):
    """An analyst in whose hands something happens: it is called once, when it has read a talk and not yet answered."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self._happens: Callable[[], object] | None = happens
        self._inner: Analyst = LocalAnalyst()

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Digest, and let it happen before the digest is handed over."""
        made = self._inner.digest(talk, yield_to_foreground=yield_to_foreground)
        happens, self._happens = self._happens, None
        if happens is not None:
            happens()
        return made


@pytest.mark.parametrize("way", ["the callers' ids", "a time"])
@pytest.mark.parametrize("again", [False, True])
def test_what_is_being_digested_does_not_come_back(place: Path | str, way: str, again: bool) -> None:
    """Whoever forgets it meanwhile is obeyed: at its first digest, or while it is digested anew."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        talk_open(memory)
        if again:
            memory.flush()
            memory.forget("m-2")
        else:
            memory.close_episode("kitchen")
        shop.work(analyst=SlowAnalyst(lambda: WAYS[way](memory)))
        shop.work()
        memory.flush()
        assert told(memory) == []
        assert damage(memory) == SOUND
        if isinstance(place, Path):
            assert left_in(place.parent, WORDS) == {}


def talk_open(memory: yesteryear.Memory) -> None:
    """Say the same as ``talk``, and leave it open."""
    memory.observe(SECRET, conversation="kitchen", id="m-1", author="Ana")
    memory.observe(f"{SECRET} I was there.", conversation="kitchen", id="m-2", author="Ana")
    memory.observe(BESIDE, conversation="kitchen", id="m-3", author="Ana")


def test_what_is_being_embedded_does_not_come_back(place: Path | str) -> None:
    """Neither as a vector of the message nor as one of its episode."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        embedder = MeddlingEmbedder(shop.ports.embedder, SECRET, lambda: memory.forget("m-1"))
        talk_open(memory)
        memory.close_episode("kitchen")
        shop.work(embedder=embedder)
        shop.work()
        name = ids(memory)["m-1"]
        with shop.ports.store.read(memory.scope) as tx:
            assert tx.vectors.load("hashing-v1", refs=[name]) == []
        assert damage(memory) == SOUND


class MeddlingEmbedder:
    """An embedder in whose hands something happens once, when it is given a text."""

    def __init__(self, inner: Any, text: str, happens: Callable[[], object]) -> None:
        self._inner = inner
        self._text = text
        self._happens = happens
        self.profile = inner.profile

    def embed(self, texts: Any, *, purpose: Any) -> Any:
        """Embed, and let it happen before the vectors are handed over."""
        vectors = self._inner.embed(texts, purpose=purpose)
        if self._text in texts and self._text:
            self._text = ""
            self._happens()
        return vectors

    def close(self) -> None:
        """Nothing to release."""


def test_an_open_talk_goes_on_without_what_was_forgotten(place: Path | str) -> None:
    """What has not been looked at yet is never digested; what follows is."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        talk_open(memory)
        memory.forget("m-1", "m-2")
        memory.flush()
        assert told(memory) == []
        (episode,) = memory.episodes()
        assert [ids(memory)["m-3"]] == list(episode.message_ids)
        assert damage(memory) == SOUND


def test_a_whole_open_talk_can_be_forgotten(place: Path | str) -> None:
    """Nothing is left to be made of it; and the person can go on talking."""
    with open_workshop(place) as shop:
        memory = shop.memory()
        talk_open(memory)
        memory.forget(conversation="kitchen")
        assert memory.flush().failures == 0
        assert memory.episodes() == []
        memory.observe(BESIDE, conversation="kitchen", id="m-4")
        memory.flush()
        assert len(memory.episodes()) == 1
        assert told(memory) == []


def test_many_can_be_forgotten_while_others_talk(tmp_path: Path) -> None:
    """Without anybody waiting long, and without losing a word of theirs."""
    with open_workshop(tmp_path / "memory.db", threshold=15) as shop:
        memory, ben = shop.memory(), shop.memory("ben")
        memory.observe([{"content": f"{SECRET} ({number})", "id": f"m-{number}"} for number in range(130)])
        stop = threading.Event()
        said: list[str] = []

        def go_on_talking() -> None:
            while not stop.is_set():
                said.append(ben.observe(f"{BESIDE} ({len(said)})").id)

        talker = threading.Thread(target=go_on_talking)
        talker.start()
        told_of: list[int] = []
        forgotten = memory.forget(conversation="default", on_progress=told_of.append)
        stop.set()
        talker.join()
        assert len(forgotten.messages) == told_of[-1] == 130
        assert told(memory) == []
        assert [row.id for row in ben.messages(limit=1000)] == said[:1000]
