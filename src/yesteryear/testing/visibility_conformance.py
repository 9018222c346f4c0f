"""Who sees what: projects and agents of one owner, and owners among each other."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.message import Message
from yesteryear.core.queries import Changes, EpisodeQuery, MessageQuery
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.errors import InputError
from yesteryear.ports import Store, Transaction
from yesteryear.testing.builders import a_message
from yesteryear.testing.forgetting_conformance import ASKED
from yesteryear.testing.rows import ANA, SKIPPED, TALK, a_vector, add, an_episode, at, in_scope

VISIBLE = {
    (None, None): "general, thesis, taxes, tutor, thesis+tutor",
    ("thesis", None): "general, thesis, tutor, thesis+tutor",
    ("taxes", None): "general, taxes, tutor",
    (None, "tutor"): "general, thesis, taxes, tutor, thesis+tutor",
    ("thesis", "tutor"): "general, thesis, tutor, thesis+tutor",
    ("thesis", "coach"): "general, thesis",
    ("other", "other"): "general",
}
"""Which rows a scope sees, by its project and agent."""

ROWS = {
    "general": (None, None),
    "thesis": ("thesis", None),
    "taxes": ("taxes", None),
    "tutor": (None, "tutor"),
    "thesis+tutor": ("thesis", "tutor"),
}

READS: dict[str, Callable[[Transaction], list[str]]] = {
    "messages.get": lambda tx: [row.content for row in tx.messages.get([f"m-{name}" for name in ROWS])],
    "messages.page": lambda tx: [row.content for row in tx.messages.page(MessageQuery())],
    "messages.due": lambda tx: [row.content for row in tx.messages.due(at(0), limit=9)],
    "messages.named": lambda tx: [row.content for row in tx.messages.named(["x"])],
    "messages.forget_requests": lambda tx: [row.content for row in tx.messages.forget_requests(at(0), limit=9)],
    "messages.verbatim": lambda tx: [row.id.removeprefix("m-") for row in tx.messages.verbatim()],
    "messages.tail": lambda tx: [
        row.content for where in ROWS.values() for row in tx.messages.tail(_key(where), limit=9)
    ],
    "messages.span": lambda tx: [
        row.content for where in ROWS.values() for row in tx.messages.span(_key(where), after=0, limit=9)
    ],
    "messages.authors": lambda tx: [name for where in ROWS.values() for name in tx.messages.authors(_key(where))],
    "messages.by_external_id": lambda tx: [
        row.content for where in ROWS.values() if (row := tx.messages.by_external_id(_key(where), "x"))
    ],
    "conversations.get": lambda tx: [
        row.error or "" for where in ROWS.values() if (row := tx.conversations.get(_key(where)))
    ],
    "conversations.list": lambda tx: [row.error or "" for row in tx.conversations.list()],
    "conversations.due": lambda tx: [row.error or "" for row in tx.conversations.due(at(0), limit=9)],
    "episodes.get": lambda tx: [row.error or "" for row in tx.episodes.get([f"e-{name}" for name in ROWS])],
    "episodes.page": lambda tx: [row.error or "" for row in tx.episodes.page(EpisodeQuery())],
    "episodes.due": lambda tx: [row.error or "" for row in tx.episodes.due(at(0), limit=9)],
    "episodes.traces": lambda tx: [trace.id.removeprefix("e-") for trace in tx.episodes.traces()],
    "recalls.latest": lambda tx: [
        event.id for where in ROWS.values() for event in tx.recalls.latest(_key(where), limit=9)
    ],
    "recalls.open": lambda tx: [event.id for where in ROWS.values() for event in tx.recalls.open(_key(where), limit=9)],
    "recalls.page": lambda tx: [event.id for event in tx.recalls.page()],
}


def _key(where: tuple[str | None, str | None]) -> ConversationKey:
    return ConversationKey(*where, "c1")


def assert_visible(store: Store, reads: Mapping[str, Callable[[Transaction], list[str]]]) -> None:
    """Ask every question through every scope, and compare the names that are found with what the scope sees."""
    for (project, agent), names in VISIBLE.items():
        with store.read(in_scope(project, agent)) as tx:
            found = {read: sorted(ask(tx)) for read, ask in reads.items()}
        assert found == dict.fromkeys(reads, sorted(names.split(", "))), f"seen through {project} and {agent}"


class VisibilityConformance:
    """What one scope sees of another's rows."""

    def test_a_scope_sees_its_rows_and_the_general_ones(self, store: Store) -> None:
        """A project or agent named by the scope hides those of others; none named hides nothing."""
        rows: list[Message | Episode | Conversation] = []
        for name, where in ROWS.items():
            message = a_message(name, id=f"m-{name}", author=name, scope=in_scope(*where), external_id="x")
            rows += [
                replace(message, vector_due_at=at(0), expires_at=at(0), verdict=ASKED),
                an_episode(
                    f"e-{name}", scope=in_scope(*where), error=name, next_try=at(0), status=EpisodeStatus.ACTIVE
                ),
                Conversation(_key(where), error=name, due_at=at(0)),
            ]
        add(store, *rows)

        def note(tx: Transaction) -> None:
            for name, where in ROWS.items():
                tx.recalls.append(RecallEvent(name, _key(where), at(0), (), ()))

        store.write(ANA, note)
        assert_visible(store, READS)
        for (project, agent), names in VISIBLE.items():
            with store.read(in_scope(project, agent)) as tx:
                counts, active = tx.counts(), tx.episodes.count_active()
            found = (active, counts["messages.skip"], counts["episodes.active"], counts["vectors.due"])
            assert found == (len(names.split(", ")),) * 4

        def skip(tx: Transaction) -> None:
            asking = tx.messages.page(MessageQuery())
            tx.messages.update([replace(row, verdict=SKIPPED) for row in asking])

        store.write(ANA, skip)  # what asks to be forgotten does not simply expire
        assert_visible(
            store, {"messages.expired": lambda tx: [row.content for row in tx.messages.expired(at(0), limit=9)]}
        )

    @pytest.mark.parametrize("stranger", [Scope("ben"), Scope("ana", tenant="acme"), Scope("Ana")])
    def test_owners_never_meet(self, store: Store, stranger: Scope) -> None:
        """Another user, or the same name with another tenant, finds nothing and changes nothing."""

        def fill(tx: Transaction) -> None:
            message = a_message(external_id="x", vector_due_at=at(0), expires_at=at(0), verdict=ASKED)
            tx.messages.insert(message)
            tx.conversations.save(Conversation(TALK, due_at=at(0)))
            tx.episodes.insert(an_episode(next_try=at(0), status=EpisodeStatus.ACTIVE))
            tx.vectors.put("m", [a_vector("c1-1", 1, 0)])
            tx.overrides.save(None, {"a": 1})
            tx.recalls.append(RecallEvent("r1", TALK, at(0), (), ()))

        store.write(ANA, fill)
        store.write(stranger, lambda tx: tx.vectors.forget(["c1-1"]))
        assert store.write(stranger, lambda tx: tx.vectors.drop("m")) == 0
        with store.read(stranger) as tx:
            assert not any(tx.messages.page(MessageQuery()) + tx.messages.get(["c1-1"]))
            assert not tx.messages.span(TALK, after=0, limit=9) + tx.messages.due(at(9), limit=9)
            assert not tx.messages.expired(at(9), limit=9)
            assert tx.messages.by_external_id(TALK, "x") is None
            assert not tx.messages.named(["x", "c1-1"]) + tx.messages.tail(TALK, limit=9)
            assert not tx.messages.forget_requests(at(9), limit=9)
            assert not tx.messages.verbatim()
            assert not tx.episodes.traces()
            assert not tx.recalls.open(TALK, limit=9) + tx.recalls.page()
            assert not tx.overrides.all()
            assert tx.messages.authors(TALK) == []
            assert tx.conversations.get(TALK) is None
            assert not tx.conversations.list() + tx.conversations.due(at(9), limit=9)
            assert not tx.episodes.page(EpisodeQuery()) + tx.episodes.get(["e1"]) + tx.episodes.due(at(9), limit=9)
            assert not tx.vectors.load("m") + tx.recalls.latest(TALK, limit=9)
            assert not tx.vectors.models()
            assert not tx.overrides.get(None)
            assert tx.changes(0) == Changes(rev=0, generation=0)
            assert set(tx.counts().values()) <= {0}
        with store.read(ANA) as tx:
            assert tx.vectors.models() == {"m": 1}

    @pytest.mark.parametrize("row", [a_message(scope=Scope("ben")), an_episode(scope=Scope("ben"))])
    def test_a_row_of_another_owner_is_not_written(self, store: Store, row: Message | Episode) -> None:
        """A transaction belongs to one owner, whatever its rows say."""
        with pytest.raises(InputError):
            add(store, row)
        assert store.owners() == []
