"""Nobody gets a word of anybody whom their key does not reach, at whichever door they ask, whatever they ask for."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from tests.doors.proxy.upstream import Upstream, serving, streamed, whole
from tests.doors.strangers.asks import Names, Template, random_template
from tests.doors.strangers.knocking import Answer, Ask, knock
from tests.doors.strangers.world import (
    ID,
    MARK,
    PROVIDER_KEY,
    UNREACHED,
    Holder,
    Person,
    World,
    a_cursor,
    all_of,
    peopled,
)
from yesteryear.api.inspector.visit import ROOT

SEED = 8
_ROUNDS = 4
"""How often a memory is asked until it is at rest."""
_VALID = 0.85
"""How often somebody has a key that opens something."""


@pytest.mark.heavy
def test_six_hundred_strangers_learn_nothing(tmp_path: Path) -> None:
    """At random at all doors; the small form of the next one."""
    asyncio.run(_knock_often(tmp_path, 600))


@pytest.mark.heavy
@pytest.mark.exhaustive
def test_a_hundred_thousand_strangers_learn_nothing(tmp_path: Path) -> None:
    """No word and no id of others is in any answer, and theirs are answered as those that do not exist."""
    asyncio.run(_knock_often(tmp_path, 100_000))


def test_a_word_of_somebody_else_is_noticed() -> None:
    """In whatever case it comes; not where the question had it."""
    ana, bob = Person.of("acme", "ana"), Person.of("acme", "bob")
    world = World([ana, bob], [])
    for person in (ana, bob):
        world.learn(person, person.word)
    told = f"{ana.word} and {bob.word.title()}".encode()
    assert world.foreign(told, ana, b"") == {bob.word.encode()}
    assert world.foreign(told, None, b"") == {ana.word.encode(), bob.word.encode()}
    assert world.foreign(told, ana, bob.word.encode()) == set()


async def _knock_often(folder: Path, how_many: int) -> None:
    with serving(lambda seen: streamed("Good.") if seen.body["stream"] else whole("Good.")) as upstream:
        async with peopled(folder / "memory.db", upstream.url) as (world, auth_context, app):
            crowd = Crowd(world, app, upstream)
            await crowd.knock(how_many)
            crowd.assert_meaningful()
            for person in world.people:
                if person.tenant == UNREACHED:
                    memory = auth_context.engine.memory(user=person.user, tenant=person.tenant)
                    assert await all_of(memory) == person.book, "a stranger changed something"


@dataclass
class Crowd:
    """Strangers who knock one after another, and what they got."""

    world: World
    app: ASGIApp
    upstream: Upstream
    chance: random.Random = field(default_factory=lambda: random.Random(SEED))
    said: dict[tuple[str, str | None], set[bytes]] = field(default_factory=lambda: defaultdict(set))
    """Names and ids that somebody was asked about with: what was asked for is kept, so it stands in an export."""
    asked: int = 0
    named: dict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    """People whom holders of a tenant's key have asked for: from then on the tenant has somebody of that name."""
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)

    async def knock(self, how_many: int) -> None:
        """Ask so often."""
        while self.asked < how_many:
            template, names = random_template(self.chance), self._names()
            ask = template(names)
            answer = await self._ask(ask, names)
            if not names.is_own:
                twin = replace(names, id=self.world.twin(names.id))
                await self._compare(ask, names, answer, template, twin)
            if names.user is not None and names.holder.user not in (None, names.user):
                twin = replace(names, user=self.world.twin(names.user))
                await self._compare(ask, names, answer, template, twin)

    def _names(self) -> Names:
        chance, world = self.chance, self.world
        is_valid = chance.random() < _VALID
        holder = chance.choice([each for each in world.holders if each.is_valid == is_valid])
        near = [each.user for each in world.people if each.tenant == holder.tenant]
        user = chance.choice([None, None, holder.user or chance.choice(near), chance.choice(world.people).user])
        reached = world.reached(holder, user)
        person = chance.choice([reached or world.people[0], *world.people])
        name = chance.choice([*person.ids, f"{person.talk} 0"])
        return Names(holder, user, name, is_own=person is reached, reaches=reached is not None)

    async def _ask(self, ask: Ask, names: Names) -> Answer:
        if names.user is not None and names.holder.user is None:
            self.named[names.holder.tenant] |= {*MARK.findall(names.user.encode())}
        answer = await knock(self.app, ask)
        self.asked += 1
        self.statuses[ask.door, answer.status] += 1
        assert answer.status < 500, f"{ask}: {answer}"
        known, told = self.world.reached(names.holder, names.user), answer.bytes()
        said = ask.bytes() + (names.id.encode() if a_cursor(names.id) in ask.path else b"")
        foreign = self.world.foreign(told, known, said)
        heard = self.said[names.holder.tenant, names.user or names.holder.user]
        heard |= {*MARK.findall(said), *ID.findall(said)}
        foreign -= heard if answer.is_archive else set()
        if ask.path == ROOT:
            foreign -= self._listed(names.holder)
        for seen in self.upstream.seen:
            passed = " ".join([seen.path, *seen.headers.values()]).encode() + seen.raw
            foreign |= self.world.foreign(passed, known, b"")
            assert b"yy_" not in passed, f"{ask}: {seen}"
        self.upstream.seen.clear()
        assert not foreign, f"{foreign} of others in the answer to {ask}: {told!r}"
        assert PROVIDER_KEY.encode() not in told, f"{ask}: {answer}"
        return answer

    def _listed(self, holder: Holder) -> set[bytes]:
        """Return the names of those whom somebody may choose from: their own, or all of their tenant."""
        if not holder.is_valid:
            return set()
        if holder.user is not None:
            return {*MARK.findall(holder.user.encode())}
        theirs = (person.user for person in self.world.people if person.tenant == holder.tenant)
        return {*MARK.findall(" ".join(theirs).encode())} | self.named[holder.tenant]

    async def _compare(self, ask: Ask, names: Names, answer: Answer, template: Template, twin: Names) -> None:
        """Ask the same with a name that nobody has, and get the same.

        A memory that answers may note that it did, and put another question to its person next time: so both are
        asked until it comes to rest.
        """
        if (twin_ask := template(twin)) == ask:
            return
        for _ in range(_ROUNDS):
            other = await self._ask(twin_ask, twin)
            if answer.status == other.status and _plain(answer) == _plain(other):
                return
            answer = await self._ask(ask, names)
        pytest.fail(f"{ask}\n{answer.status} {other.status}\n{_first_difference(_plain(answer), _plain(other))}")

    def assert_meaningful(self) -> None:
        """Every door answered somebody, and sent somebody away."""
        for door in ("rest", "graphql", "mcp", "pages", "proxy"):
            assert self.statuses[door, HTTPStatus.OK] > self.asked / 100, door
            assert self.statuses[door, HTTPStatus.UNAUTHORIZED], door


def _plain(answer: Answer) -> bytes:
    """Return an answer without names and ids; nothing of an archive, whose every byte follows from them."""
    return b"" if answer.is_archive else ID.sub(b"ID", MARK.sub(b"MARK", answer.body))


def _first_difference(one: bytes, other: bytes) -> str:
    """Return where two answers part."""
    place = next((number for number, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), 0)
    around = slice(max(0, place - 200), place + 200)
    return f"{one[around]!r}\n{other[around]!r}"
