"""Words that stand nowhere else, in every kind of row of one person, between the rows of others."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.belief_rows import a_night, a_ruling, a_version, an_edge, evidence_for
from tests.rows import at
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Digest, Episode, EpisodeStatus
from yesteryear.core.fact import Evidence, Fact, Slot
from yesteryear.core.hits import RecallEvent
from yesteryear.core.message import Conversation, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.night_report import FactChange
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.vectors import StoredVector, VectorGrain, unit_rows
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message

HOW_MANY = 250
ROUNDS = 26
"""Messages of each person; they are written in turn, so that pages hold rows of both."""
BEN = Scope(user="ben")


@dataclass(frozen=True, slots=True)
class Planted:
    """Somebody who is going to be erased."""

    scope: Scope
    words: frozenset[str]
    """All that must be gone, the person's own name among them."""


class _Words:
    """Gives out words, each once."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.given: list[str] = []

    def __call__(self) -> str:
        letters = "".join(self._chance.choices("bcdfghjklmnpqrstvwxz", k=9))
        self.given.append(f"{letters}{len(self.given):03d}")
        return self.given[-1]


def plant(store: Store, *, seed: int) -> Planted:
    """Write a life with ``HOW_MANY`` words in it, and that of ben beside it."""
    chance = random.Random(seed)
    word, plain = _Words(chance), _Words(random.Random(-seed - 1))
    ana = Scope(user=word())
    for number in range(ROUNDS):
        for scope, name in ((ana, word), (BEN, plain)):
            for work in _works(scope, number, name, chance):
                store.write(scope, work)
    store.write(ana, _beside_the_rows(word))
    number = ROUNDS
    while len(word.given) < HOW_MANY:  # the rest is short messages
        number += 1
        row = a_message(word(), seq=number, id=f"left-{number}", scope=ana, conversation="left")
        store.write(ana, lambda tx, row=row: tx.messages.insert(row))  # type: ignore[misc]
    return Planted(ana, frozenset(word.given))


def left_in(folder: Path, words: Collection[str]) -> dict[str, list[str]]:
    """Return which of the words the files of a folder hold, by the name of the file.

    Another process copies the files first: one that opened and closed them here would end the locks of a database that
    is open in this process.
    """
    found: dict[str, list[str]] = {}
    with TemporaryDirectory() as copies:
        subprocess.run(["cp", "-r", f"{folder}/.", copies], check=True)
        for file in sorted(path for path in Path(copies).rglob("*") if path.is_file()):
            held = file.read_bytes()
            if here := sorted(word for word in words if word.encode() in held):
                found[str(file.relative_to(copies))] = here
    return found


def _works(scope: Scope, number: int, word: _Words, chance: random.Random) -> Iterator[Callable[[Transaction], object]]:
    """Yield transactions as a worker makes them: a message, later what was decided about it, sometimes an episode."""
    is_rare = number % 3 == 0
    where = replace(scope, project=word(), agent=word()) if is_rare and number < 24 else scope
    told = Message(
        id=f"{scope.user[0]}-{number}",
        scope=where,
        conversation=word() if is_rare else f"the kitchen of {scope.user}",
        seq=number + 1,
        role=Role.USER,
        author=word() if number % 2 else "Ana",
        content=_text(number, word, chance),
        at=at(number),
        recorded_at=at(number),
        external_id=word() if number % 2 else None,
    )
    yield lambda tx: tx.messages.insert(told)
    verdict = Verdict(Outcome.KEEP, Reason.PERSONAL, 0.5, 0.5, word() if is_rare else None, {word(): 1.0})
    judged = replace(told, verdict=verdict, episode_id=f"e-{number}", error=word() if number % 5 == 0 else None)
    yield lambda tx: tx.messages.update([judged])
    vector = unit_rows([[chance.gauss(0, 1) for _ in range(64)]])[0]
    yield lambda tx: tx.vectors.put("hashing-v1", [StoredVector(VectorGrain.EXCERPT, told.id, 0, vector)])
    if is_rare:
        episode = _episode(judged, word)
        active = replace(episode, status=EpisodeStatus.ACTIVE, error=word() if number % 2 else None)
        yield lambda tx: tx.episodes.insert(episode)
        yield lambda tx: tx.episodes.update(active, expecting=EpisodeStatus.PENDING)
        yield _believing(judged, word)


def _text(number: int, word: _Words, chance: random.Random) -> str:
    """Return a text with words in it: the word alone, a sentence, or so much that it needs overflow pages."""
    if number % 3 == 0:
        return word()
    if number % 3 == 1:
        return f"{word()} {number} {word()}"
    talk = ("".join(chance.choices("aeiou nrst", k=chance.randrange(500, 3500))) for _ in range(3))
    return " ".join(f"{part} {word()}" for part in talk)


def _episode(message: Message, word: _Words) -> Episode:
    digest = Digest(
        topic=word(),
        summary=f"{word()} on day {message.seq}",
        key_points=(word(),),
        decisions=(word(),),
        emotions=(word(),),
        signals={word(): 0.5},
        analyst=word(),
    )
    return Episode(
        id=f"e-{message.id}",
        scope=message.scope,
        conversation=message.conversation,
        first_seq=message.seq,
        last_seq=message.seq,
        message_ids=(message.id,),
        started_at=message.at,
        ended_at=message.at,
        recorded_at=message.at,
        digest=digest,
        importance=0.5,
    )


def _believing(message: Message, word: _Words) -> Callable[[Transaction], None]:
    """Return work that believes something since a message was said, and knows what it is to another thing believed."""
    scope = replace(message.scope, agent=None)
    facts = [
        Fact(
            id=f"f-{message.id}-{place}",
            scope=scope,
            statement=f"{word()} on day {message.seq}",
            kind=FactKind.GOAL,
            subject=word(),
            first_observed=message.at,
            recorded_at=message.at,
            slot=Slot(word(), word()),
            properties={word(): word()},
            error=word(),
        )
        for place in range(2)
    ]
    one, other = (fact.id for fact in facts)

    def evidence(fact_id: str) -> Evidence:
        return evidence_for(fact_id, message.id, quote=word(), author=word(), session=word())

    rows = [evidence(one), evidence(other)]
    versions = [a_version(fact, cause=word()) for fact in facts]
    ruling = a_ruling(one, other, scope=scope, settled_by=word())
    edge = an_edge(one, other, scope=scope, why=word())
    night = a_night(f"n-{message.id}", changes=(FactChange(one, word(), "merged", word()),))

    def work(tx: Transaction) -> None:
        tx.facts.insert(facts)
        tx.facts.update(facts)
        tx.versions.add(versions)
        tx.evidence.add(rows)
        tx.rulings.save([ruling])
        tx.edges.put([edge])
        tx.cycles.save(night)
        tx.vectors.put("hashing-v1", [StoredVector(VectorGrain.FACT, one, 0, unit_rows([[1.0] * 64])[0])])

    return work


def _beside_the_rows(word: _Words) -> Callable[[Transaction], None]:
    """Return work that writes into the other tables: conversations, settings, what contexts showed, the lease."""

    def work(tx: Transaction) -> None:
        for number in range(6):
            key = ConversationKey(word() if number % 2 else None, None, word())
            tx.conversations.save(Conversation(key, zone=word(), last_seq=3, error=word()))
            tx.recalls.append(RecallEvent(f"r-{number}", key, at(number), (word(), "e-0"), (number,), (7,)))
            tx.recalls.append(RecallEvent(f"s-{number}", ConversationKey(None, None, word()), at(number), (), ()))
        tx.overrides.save(None, {"canary": word(), word(): 1})
        tx.overrides.save(word(), {"canary": word()})
        tx.vectors.put(word(), [StoredVector(VectorGrain.EPISODE, word(), 0, unit_rows([[1.0, 2.0]])[0])])
        tx.save_owner(replace(tx.owner(), model=word(), next_model=word(), lease_by=word(), lease_until=at(1)))

    return work
