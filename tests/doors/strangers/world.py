"""Some people of several tenants, each with words that stand nowhere else; and keys that reach some of them."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import yesteryear
from tests.analysts import ScriptedAnalyst
from tests.concepts import ConceptEmbedder
from tests.script import CONCEPTS, GOAL, HATES, JUDGEMENTS, LISBON, LOVES, NUTS, PORTO, RUNS, STATES
from tests.workshop import NOON
from yesteryear.api.app import build_app, doors_of
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.keyring import KeyRing
from yesteryear.api.proxy.relay import Upstream
from yesteryear.api.rest.requests import write_cursor
from yesteryear.bootstrap.doors import open_auth_context
from yesteryear.core.access.keys import Right

MARK = re.compile(rb"zq[a-z]{5}")
"""What every word looks like that is one person's, or nobody's."""
ID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""What an id of ours looks like."""
SHARED = "the same everywhere"
"""Id of a message that each of them sent, of their own."""
PROVIDER_KEY = "sk-of-the-server"
UNREACHED = "initech"
"""A tenant for which nobody holds a key that opens anything."""
_TEXTS = (PORTO, LOVES, GOAL, RUNS, NUTS, LISBON, HATES)
_HOMES = (("acme", "ana"), ("acme", "bob"), ("globex", "ana"), ("globex", "cyd"), (UNREACHED, "dee"))
"""Who lives where; the two called Ana have one name, with which nobody reaches the other."""


def mark(seed: str) -> str:
    """Return a word that belongs to something, always the same; lower case, since titles and topics change that."""
    return "zq" + "".join(random.Random(seed).choices("abcdefghijklmnoprstuvwxy", k=5))


@dataclass(frozen=True)
class Person:
    """Somebody, and what is theirs alone."""

    tenant: str
    user: str
    word: str
    """In all that they say, and the name under which they say it."""
    talk: str
    """In the names of their conversations."""
    ids: list[str] = field(default_factory=list, compare=False)
    """Of their messages, episodes, facts, conflicts and nights."""
    book: dict[str, object] = field(default_factory=dict, compare=False)
    """All that is kept of them, as it was when nobody had knocked yet."""

    @classmethod
    def of(cls, tenant: str, name: str) -> Person:
        """Return a person with words of their own."""
        home = f"{tenant}/{name}"
        return cls(tenant, f"{name}-{mark(name)}", mark(home), f"kitchen {mark(home + '/talk')}")


@dataclass(frozen=True)
class Holder:
    """Somebody with a key, or with what looks like one."""

    token: str
    tenant: str
    user: str | None
    right: Right
    is_valid: bool = True


@dataclass
class World:
    """All people, all keys, and whose each word is."""

    people: Sequence[Person]
    holders: Sequence[Holder]
    owners: dict[bytes, frozenset[Person]] = field(default_factory=dict)
    """Of words and ids."""
    _twins: dict[str, str] = field(default_factory=dict)

    def reached(self, holder: Holder, user: str | None) -> Person | None:
        """Return whose memory somebody reaches who asks for a user's; None for nobody's."""
        wanted = holder.user if user is None else user
        if not holder.is_valid or holder.user not in (None, wanted):
            return None
        return next((each for each in self.people if (each.tenant, each.user) == (holder.tenant, wanted)), None)

    def learn(self, person: Person, *names: str) -> None:
        """Note that words or ids are a person's."""
        for name in names:
            for found in (*MARK.findall(name.encode()), *ID.findall(name.encode())):
                self.owners[found] = self.owners.get(found, frozenset()) | {person}

    def foreign(self, body: bytes, known: Person | None, said: bytes) -> set[bytes]:
        """Return the words and ids in an answer that are neither of whom was reached nor in the question."""
        lowered = body.lower()
        found = {*MARK.findall(lowered), *ID.findall(lowered)} - {*MARK.findall(said), *ID.findall(said)}
        return {each for each in found if each in self.owners and known not in self.owners[each]}

    def twin(self, name: str) -> str:
        """Return a name or an id that nobody has and that looks like another one; for one always the same."""
        if name not in self._twins:
            chance = random.Random(name)
            # An id begins with its time, and lists go on behind it wherever that is: only its end is another one.
            swapped = ID.sub(lambda found: found[0][:-8] + b"%08x" % chance.getrandbits(32), name.encode())
            self._twins[name] = MARK.sub(lambda _: mark(f"nobody's {name}").encode(), swapped).decode()
        return self._twins[name]


def all_texts(person: Person) -> Mapping[str, str]:
    """Return what somebody says, by what it is made from."""
    return {text: f"{text[:-1]}, says {person.word}." for text in _TEXTS}


def a_mind(people: Sequence[Person]) -> ScriptedAnalyst:
    """Return an analyst that understands all of them."""
    drafts, judgements = {}, {}
    for person in people:
        stated = {text: f"{STATES[text].statement[:-1]}, as {person.word} says." for text in _TEXTS}
        by_statement = {STATES[text].statement: words for text, words in stated.items()}
        for text, said in all_texts(person).items():
            drafts[said] = [replace(STATES[text], statement=stated[text], subject=person.word)]
        for (earlier, later), judged in JUDGEMENTS.items():
            if earlier in by_statement and later in by_statement:
                judgements[by_statement[earlier], by_statement[later]] = judged
    return ScriptedAnalyst(drafts, judgements)


@asynccontextmanager
async def peopled(store: Path, upstream_url: str) -> AsyncIterator[tuple[World, AuthContext, object]]:
    """Open a memory with all of them in it, and the whole application before it."""
    people = [Person.of(tenant, name) for tenant, name in _HOMES]
    clock = yesteryear.ReplayClock(NOON)
    auth_context = open_auth_context(
        store,
        loopback=False,
        clock=clock,
        embedder=ConceptEmbedder(CONCEPTS),
        analyst=a_mind(people),
        auth="on",
        requests_per_minute=10_000_000,  # the limit is tested elsewhere
        worker="none",
        episode_message_threshold=4,
    )
    upstream = Upstream(upstream_url, PROVIDER_KEY)
    app = build_app(auth_context, doors=lambda lent: doors_of(lent, upstream=upstream))
    async with app.router.lifespan_context(app):
        for person in people:
            await _live(auth_context.engine.memory(user=person.user, tenant=person.tenant), person, clock)
        world = World(people, _make_keys(auth_context, people, clock))
        for person in people:
            await _note(world, auth_context, person)
        yield world, auth_context, app


async def _live(memory: yesteryear.AsyncMemory, person: Person, clock: yesteryear.ReplayClock) -> None:
    for number, text in enumerate(all_texts(person).values()):
        where = f"{person.talk} {number // 3}"
        await memory.observe(text, conversation=where, author=person.word, id=f"m{number} {person.talk}")
        await memory.flush()
        clock.advance(timedelta(days=1))
    await memory.observe("I bake bread.", conversation="default", author=person.word, id=SHARED)
    await memory.consolidate()
    await memory.context("Where do I live?")


def _make_keys(auth_context: AuthContext, people: Sequence[Person], clock: yesteryear.ReplayClock) -> list[Holder]:
    assert auth_context.audit_log is not None
    ring = KeyRing(auth_context.audit_log.store, clock)

    def make(tenant: str, user: str | None, right: Right, *, hours: int | None = None) -> tuple[Holder, str]:
        ends = None if hours is None else clock.now() + timedelta(hours=hours)
        token, key = ring.create(tenant, user, name="laptop", right=right, expires_at=ends)
        return Holder(token.text, tenant, user, right), key.id

    ana, bob, other_ana, cyd, dee = (person.user for person in people)
    valid = [
        make("acme", ana, Right.WRITE),
        make("acme", ana, Right.READ),
        make("acme", bob, Right.ADMIN),
        make("acme", None, Right.READ),
        make("acme", None, Right.ADMIN),
        make("globex", other_ana, Right.WRITE),
        make("globex", cyd, Right.READ),
        make("globex", None, Right.WRITE),
    ]
    expired, _ = make(UNREACHED, dee, Right.ADMIN, hours=1)
    clock.advance(timedelta(hours=2))
    revoked, name = make(UNREACHED, None, Right.ADMIN)
    ring.revoke(UNREACHED, name)
    forged = replace(valid[4][0], token=valid[4][0].token[:-4] + "aaaa")
    none = Holder("", "acme", None, Right.ADMIN)
    return [holder for holder, _ in valid] + [
        replace(holder, is_valid=False) for holder in (expired, revoked, forged, none)
    ]


async def _note(world: World, auth_context: AuthContext, person: Person) -> None:
    """Learn which words and ids are a person's, and what is kept of them."""
    memory = auth_context.engine.memory(user=person.user, tenant=person.tenant)
    rows = await all_of(memory)
    person.book.update(rows)
    world.learn(person, person.user, person.word, person.talk)
    for kind in rows.values():
        for row in kind:
            names = {row.id, getattr(row, "name", row.id)} - {SHARED}
            world.learn(person, *names)
            person.ids.extend(sorted(names))


async def all_of(memory: yesteryear.AsyncMemory) -> dict[str, Sequence[object]]:
    """Return all that is kept of somebody."""
    return {
        "messages": await memory.messages(limit=1000),
        "episodes": await memory.episodes(limit=1000),
        "facts": await memory.facts(status="all", limit=1000),
        "conflicts": await memory.conflicts(resolved=True),
        "nights": await memory.nights(limit=1000),
    }


def a_cursor(name: str) -> str:
    """Return a cursor of REST that stands behind a row."""
    return write_cursor(name)
