"""Fading over whole lives: when and how often somebody looks makes no difference, and limits hold at every instant."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.properties.examples import examples
from tests.rows import ANA, DIGEST, KEPT, SKIPPED, a_vector, an_episode
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.consolidate.retention.fade import FadePolicy
from yesteryear.consolidate.retention.feedback import UptakePolicy, with_recall
from yesteryear.consolidate.retention.sweep import fade, schedule_fading
from yesteryear.core.episode import Detail, Episode, EpisodeStatus
from yesteryear.core.fading.half_life import StrengthPolicy, strength_of
from yesteryear.core.message import Message
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.lifecycle.by_hand import with_pin
from yesteryear.ports import Store, Transaction
from yesteryear.storage.sqlite.in_memory import InMemoryStore
from yesteryear.sync.engine import Engine
from yesteryear.testing.builders import a_message

pytestmark = pytest.mark.sampled

T = TypeVar("T")
DAYS = 300
"""Length of a life."""
QUICK = FadePolicy(strength=StrengthPolicy(half_life_days=6.0), gist_below=0.25, archive_below=0.05)
"""Fades within weeks, so that a life sees all of it."""


@dataclass(frozen=True, slots=True)
class AuditDraft:
    """Something that happens in a life."""

    day: float
    kind: str
    """tell, recall, pin or unpin."""
    number: int
    """Of the episode."""
    importance: float = 0.0
    is_asked: bool = False

    @property
    def at(self) -> datetime:
        """When it happens."""
        return NOON + timedelta(days=self.day)


@st.composite
def lives(draw: st.DrawFn) -> list[AuditDraft]:
    """Return a life: up to nine episodes, and what is recalled and pinned of them later."""
    days = st.floats(0, DAYS).map(lambda day: round(day, 2))
    deeds = []
    for number in range(draw(st.integers(1, 9))):
        told = draw(days)
        deeds.append(AuditDraft(told, "tell", number, draw(st.floats(0, 1)), draw(st.integers(0, 9)) == 0))
        kinds = st.lists(st.tuples(days, st.sampled_from(["recall", "recall", "pin", "unpin"])), max_size=5)
        deeds += [AuditDraft(day, kind, number) for day, kind in draw(kinds) if day >= told]
    return sorted(deeds, key=lambda draft: (draft.day, draft.kind != "tell", draft.number))


def live(
    opened: ExitStack, deeds: Sequence[AuditDraft], looks: Sequence[float], policy: FadePolicy
) -> tuple[Store, list[AuditDraft]]:
    """Live a life and look whether something has faded on these days; return what is left, and what could be done.

    Nobody takes up or pins what they do not find any more, or what is due to go: that would depend on the looks.
    """
    store, done = opened.enter_context(closing(InMemoryStore())), []
    ahead = sorted(looks)
    for draft in deeds:
        while ahead and ahead[0] <= draft.day:
            fade(store, ANA, policy, now=NOON + timedelta(days=ahead.pop(0)))
        if store.write(ANA, lambda tx, draft=draft: do(tx, draft, policy)):  # type: ignore[misc]
            done.append(draft)
    for day in ahead:
        fade(store, ANA, policy, now=NOON + timedelta(days=day))
    return store, done


def do(tx: Transaction, draft: AuditDraft, policy: FadePolicy) -> bool:
    """Do a deed as the steps do; tell whether it could be done."""
    name = f"e{draft.number}"
    if draft.kind == "tell":
        _tell(tx, draft)
        schedule_fading(tx, name, policy, now=draft.at)
        return True
    for episode in tx.episodes.get([name]):
        if episode.status is not EpisodeStatus.ACTIVE or episode.detail is not Detail.VIVID:
            return False
        if draft.kind == "recall":
            recalls = with_recall(episode.recalls, draft.at, UptakePolicy())
            tx.episodes.update(replace(episode, recalls=recalls), expecting=EpisodeStatus.ACTIVE)
        else:
            changed = with_pin(episode, draft.at, pinned=draft.kind == "pin")
            tx.episodes.update(changed, expecting=episode.status)
        schedule_fading(tx, name, policy, now=draft.at)
    return True


def _tell(tx: Transaction, draft: AuditDraft) -> None:
    """Write an episode of two messages, and one that was skipped, as they are once they have their vectors."""
    talk = f"t{draft.number}"
    said = {"conversation": talk, "at": draft.at, "recorded_at": draft.at}
    for seq in (1, 2):
        tx.messages.insert(a_message(seq=seq, verdict=KEPT, episode_id=f"e{draft.number}", **said))  # type: ignore[arg-type]
    expires_at = draft.at + timedelta(days=30)
    tx.messages.insert(a_message(seq=3, verdict=SKIPPED, expires_at=expires_at, **said))  # type: ignore[arg-type]
    tx.vectors.put("m", [a_vector(f"{talk}-{seq}", 1, 0) for seq in (1, 2, 3)])
    signals = {"explicit_request": float(draft.is_asked)}
    tx.episodes.insert(
        an_episode(
            f"e{draft.number}",
            message_ids=(f"{talk}-1", f"{talk}-2"),
            status=EpisodeStatus.ACTIVE,
            started_at=draft.at,
            ended_at=draft.at,
            recorded_at=draft.at,
            importance=draft.importance,
            digest=replace(DIGEST, signals=signals),
        )
    )


def rows(store: Store, scope: Scope = ANA) -> dict[str, list[Any]]:
    """Return all rows, without their counters and without when they wait for a worker."""
    with store.read(scope) as tx:
        messages: list[Message] = tx.messages.page(MessageQuery(limit=10_000))
        episodes: list[Episode] = tx.episodes.page(EpisodeQuery(limit=10_000))
    return {
        "messages": [replace(row, rev=0) for row in messages],
        "episodes": [replace(row, rev=0, next_try=None) for row in episodes],
    }


NIGHTLY = [float(day) for day in range(0, DAYS + 1, 6)]
"""Often enough that every step of fading is taken before the next one is due."""
LOOKS = st.lists(st.floats(0, DAYS), max_size=12)


FADED_UNSEEN = [AuditDraft(0, "tell", 0, 1.0), AuditDraft(150, "tell", 1, 0.02), AuditDraft(162, "tell", 2, 0.5)]
"""When the third one is told, the first has faded although it was strong; so the second need not give way."""


@examples(15)
@example(FADED_UNSEEN, [], 2, 165.0)
@given(lives(), LOOKS, st.sampled_from([0, 1, 2, 4]), st.floats(0, DAYS))
def test_looking_every_night_now_and_then_or_once_at_the_end_gives_the_same(
    deeds: list[AuditDraft], looks: list[float], most: int, end: float
) -> None:
    """Whatever was recalled and pinned in between, and however many episodes may be found."""
    policy = replace(QUICK, max_active=most)
    lived = [draft for draft in deeds if draft.day <= end]
    with ExitStack() as opened:
        nightly, done = live(opened, lived, [*(day for day in NIGHTLY if day <= end), end], policy)
        now_and_then, _ = live(opened, done, [*(day for day in looks if day <= end), end], policy)
        late, _ = live(opened, done, [end], policy)
        assert rows(now_and_then) == rows(nightly)
        assert rows(late) == rows(nightly)


@examples(10)
@given(lives(), LOOKS, st.sampled_from([0, 2]), st.sampled_from([0, 3]))
def test_looking_twice_changes_nothing(deeds: list[AuditDraft], looks: list[float], most: int, words: int) -> None:
    """Not even a counter: whoever looks again has nothing to write."""
    policy = replace(QUICK, max_active=most, max_verbatim=words)
    with ExitStack() as opened:
        store, _ = live(opened, deeds, [*looks, DAYS], policy)
        now = NOON + timedelta(days=DAYS)
        with store.read(ANA) as tx:
            before = tx.owner().rev
        again = fade(store, ANA, policy, now=now)
        with store.read(ANA) as tx:
            assert tx.owner().rev == before
        assert (again.to_gist, again.archived, again.expired) == ((), (), ())


@examples(10)
@given(lives(), st.randoms(use_true_random=False))
def test_the_order_in_which_things_became_known_makes_no_difference(deeds: list[AuditDraft], chance: Random) -> None:
    """Recalls may be noticed late and episodes digested in any order, as long as nobody has looked."""
    policy = QUICK
    told = [draft for draft in deeds if draft.kind == "tell"]
    recalled = spaced([draft for draft in deeds if draft.kind == "recall"])
    with ExitStack() as opened:
        in_order, _ = live(opened, [*told, *recalled], [], policy)
        chance.shuffle(told)
        chance.shuffle(recalled)
        shuffled, _ = live(opened, [*told, *recalled], [], policy)
        for store in (in_order, shuffled):
            fade(store, ANA, policy, now=NOON + timedelta(days=DAYS))
        assert rows(in_order) == rows(shuffled)


def spaced(recalled: Sequence[AuditDraft]) -> list[AuditDraft]:
    """Return recalls without those that follow another one of the episode within a day: the first known one counts."""
    kept: list[AuditDraft] = []
    for draft in recalled:
        if all(draft.number != other.number or draft.day - other.day >= 1 for other in kept):
            kept.append(draft)
    return kept


@examples(10)
@given(lives(), st.integers(1, 3), st.integers(0, 4))
def test_what_is_held_survives_everything(deeds: list[AuditDraft], most: int, words: int) -> None:
    """Years, a limit of one episode, a limit of one message: words, vectors and all."""
    policy = replace(QUICK, max_active=most, max_verbatim=words)
    held_first = [AuditDraft(0, "tell", 101), AuditDraft(0, "pin", 101), AuditDraft(0, "tell", 100, is_asked=True)]
    with ExitStack() as opened:
        store, _ = live(opened, [*held_first, *deeds], [DAYS], policy)
        for years in (1, 30, 7000):
            fade(store, ANA, policy, now=NOON + timedelta(days=365 * years))
        with store.read(ANA) as tx:
            held = tx.episodes.get(["e100", "e101"])
            said = tx.messages.get([name for episode in held for name in episode.message_ids])
            vectors = tx.vectors.load("m", refs=[row.id for row in said])
        assert [(row.status, row.detail, row.fades_at) for row in held] == [
            (EpisodeStatus.ACTIVE, Detail.VIVID, None)
        ] * 2
        assert (len(said), len(vectors)) == (4, 4)
        assert all(row.content for row in said)


class Watched:
    """A store that is looked at after every transaction; else it is the store it is given."""

    def __init__(self, inner: Store, check: Callable[[Transaction], None]) -> None:
        self._inner = inner
        self._check = check

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, scope: Scope, work: Callable[[Transaction], T], *, urgent: bool = False) -> T:
        """Write, and look."""
        result = self._inner.write(scope, work, urgent=urgent)
        with self._inner.read(Scope(tenant=scope.tenant, user=scope.user)) as tx:
            self._check(tx)
        return result


class Bounds:
    """What has to hold after every transaction: a limit, and who gives way."""

    def __init__(self, policy: FadePolicy, clock: Callable[[], datetime]) -> None:
        self._policy = policy
        self._clock = clock
        self._before: dict[str, Episode] = {}
        self.archived = 0
        """Episodes that gave way so far."""

    def check(self, tx: Transaction) -> None:
        """Compare what is there with the limit and with what was there before."""
        now = self._clock()
        rows = {row.id: row for row in tx.episodes.page(EpisodeQuery(limit=1000))}
        active = [row for row in rows.values() if row.status is EpisodeStatus.ACTIVE]
        assert len(active) <= max(self._policy.max_active, sum(row.is_held for row in active))
        gone = [row for row in rows.values() if row.status is EpisodeStatus.ARCHIVED and self._was_active(row)]
        for row in gone:
            assert not row.is_held
            assert all(self._weight(row, now) <= self._weight(left, now) for left in active if not left.is_held)
        assert self._before.keys() <= rows.keys(), "nothing is deleted"
        self.archived += len(gone)
        self._before = rows

    def _was_active(self, row: Episode) -> bool:
        before = self._before.get(row.id)
        return before is None or before.status is not EpisodeStatus.ARCHIVED

    def _weight(self, row: Episode, now: datetime) -> tuple[float, datetime]:
        return strength_of(row.trace, self._policy.strength, now=now), row.trace.told_at


TALK = [
    "I moved my runs to the morning because the evenings are too hot.",
    "My sister Lena cannot eat nuts.",
    "We decided to bake our own bread from now on.",
    "I am so happy, I got the job in Porto!",
    "Please remember that my passport lies in the blue box.",
    "what's 17 times 3?",
    "I like my tea with lemon.",
]


def live_for_real(
    shop: Workshop, seed: int, *, turns: int, nights: Container[int], pins: dict[int, str] | None = None
) -> dict[int, str]:
    """Let a person talk and pin, a worker work after some turns; return which conversation was pinned in which turn.

    Args:
        shop: Where.
        seed: Of what is said and when.
        turns: How long, in steps of four days.
        nights: The turns after which the worker works.
        pins: What is pinned, by turn; chosen among what does not go that very day where not given.
    """
    chance, memory, pinned = Random(seed), shop.memory(), dict(pins or {})
    for turn in range(turns):
        shop.clock.set(NOON + timedelta(days=4 * turn))
        if chance.random() < 0.3:
            for number, text in enumerate(chance.sample(TALK, 2)):
                memory.observe(f"{text} {chance.choice(TALK)}", conversation=f"turn {turn}", id=f"{turn}-{number}")
            memory.flush()
        if turn % 9 == 8 and pins is None:
            vivid = [row for row in memory.episodes(status="active") if row.detail is Detail.VIVID]
            whole = [row.conversation for row in vivid if row.fades_at and row.fades_at > shop.clock.now()]
            if whole:
                pinned[turn] = Random(turn).choice(whole)
        if turn in pinned:
            memory.pin(memory.episodes(conversation=pinned[turn])[0].id)
        if turn in nights:
            shop.work()
    return pinned


def everything(shop: Workshop) -> dict[str, Any]:
    """Return all rows and vectors in words that do not depend on ids and counters."""
    memory = shop.memory()
    messages, episodes = memory.messages(limit=1000), memory.episodes(limit=1000)
    names = {row.id: row.name for row in messages} | {row.id: row.conversation for row in episodes}
    names |= {fact.id: fact.statement for fact in memory.facts(status="all", limit=1000)}
    with shop.ports.store.read(memory.scope) as tx:
        vectors = [(names[row.ref], row.part) for row in tx.vectors.load("hashing-v1")]
    return {
        "messages": [replace(row, id="", episode_id=names.get(row.episode_id or ""), rev=0) for row in messages],
        "episodes": [replace(row, id="", message_ids=(), rev=0) for row in episodes],
        "vectors": sorted(vectors),
        "stats": {name: value for name, value in memory.stats().items() if name != "rev"},
    }


TURNS = 150


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("seed", "most"),
    [(0, 4), *(pytest.param(seed, most, marks=pytest.mark.matrix) for seed in (1, 2) for most in (0, 4))],
)
def test_a_worker_every_night_now_and_then_or_once_at_the_end_leaves_the_same(seed: int, most: int) -> None:
    """Words, digests, vectors and what is still to be done, after three years of talk and pins."""
    ends, pins = [], None
    for nights in (range(TURNS), Random(-seed).sample(range(TURNS), 9), ()):
        with open_workshop(":memory:", threshold=2, max_active_episodes=most) as shop:
            pins = live_for_real(shop, seed, turns=TURNS, nights=nights, pins=pins)
            shop.work()
            ends.append(everything(shop))
    statuses = {row.status for row in ends[0]["episodes"]}
    assert statuses == ({EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED} if most else {EpisodeStatus.ACTIVE})
    for name in ends[0]:
        assert ends[1][name] == ends[0][name], f"now and then: {name}"
        assert ends[2][name] == ends[0][name], f"once: {name}"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [1, 4])
def test_a_limit_holds_at_every_instant(seed: int, most: int) -> None:
    """After every transaction of flushes, pins and the worker; the weakest give way, among equals the oldest."""
    with open_workshop(":memory:", threshold=2, max_active_episodes=most) as shop:
        bounds = Bounds(shop.policies.consolidate.fade, shop.clock.now)
        watched = Watched(shop.ports.store, bounds.check)
        ports = replace(shop.ports, store=watched)
        with Engine(ports, shop.policies) as engine:
            live_for_real(replace(shop, ports=ports, engine=engine), seed, turns=40, nights=range(0, 40, 5))
    assert bounds.archived
