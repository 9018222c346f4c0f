"""What every store has to do with what was asked to be forgotten; part of ``StoreConformance``."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from dataclasses import replace

from yesteryear.core.fact import FactVersion
from yesteryear.core.forgetting import Forgetting, Withheld
from yesteryear.core.scope import Scope
from yesteryear.ports import Store
from yesteryear.testing.belief_rows import a_fact
from yesteryear.testing.builders import a_message
from yesteryear.testing.rows import ANA, SKIPPED, an_episode, at, in_scope


def set_aside(name: str = "c1-1", **changes: object) -> Forgetting:
    """Return a message that was hidden."""
    row = Forgetting(ANA, Withheld.MESSAGE, name, "c1-9", "ana", at(1), at(9), message=a_message(id=name))
    return replace(row, **changes)  # type: ignore[arg-type]


class WithheldConformance:
    """What was asked in talk to be forgotten, and is not erased yet."""

    def test_what_is_laid_aside_comes_back_as_it_was(self, store: Store) -> None:
        """Whatever it is; the same thing asked for twice by one message is there once."""
        fact = a_fact("f1")
        versions = (FactVersion(fact, 1, at(1), "told"),)
        rows = [
            set_aside(message=a_message(verdict=SKIPPED)),
            set_aside("f1", kind=Withheld.FACT, message=None, fact=fact, versions=versions),
            set_aside("e1", kind=Withheld.EPISODE, message=None, episode=an_episode()),
            set_aside("c1-9", kind=Withheld.PROPOSAL, subjects=("Laura",), named="Laura", shown_at=at(2)),
        ]
        store.write(ANA, lambda tx: tx.forgettings.save([set_aside(until=at(3)), *rows]))
        with store.read(ANA) as tx:
            assert tx.forgettings.all() == [rows[2], rows[1], rows[0], rows[3]]
            assert tx.forgettings.all(Withheld.FACT) == [rows[1]]
            assert tx.forgettings.of(["f1", "nobody"]) == [rows[1]]
            assert len(tx.forgettings.asked_by("c1-9")) == 4
            assert tx.forgettings.asked_by("c1-8") == []

    def test_one_thing_may_be_asked_for_by_two(self, store: Store) -> None:
        """An episode loses messages by one request, and is hidden by the next."""
        other = set_aside(asked_by="c1-8")
        store.write(ANA, lambda tx: tx.forgettings.save([set_aside(), other]))
        store.write(ANA, lambda tx: tx.forgettings.remove([set_aside()]))
        with store.read(ANA) as tx:
            assert tx.forgettings.of(["c1-1"]) == [other]

    def test_what_is_due_is_told_the_first_first(self, store: Store) -> None:
        """And the worker hears of the owner."""
        rows = [set_aside("b", until=at(5)), set_aside("a", until=at(4)), set_aside("c", until=at(7))]
        store.write(ANA, lambda tx: tx.forgettings.save(rows))
        assert store.due(at(3), limit=9) == []
        assert store.due(at(5), limit=9) == [ANA.owner]
        with store.read(ANA) as tx:
            assert [row.id for row in tx.forgettings.due(at(5), limit=9)] == ["a", "b"]
            assert [row.id for row in tx.forgettings.due(at(5), limit=1)] == ["a"]

    def test_another_project_sees_nothing_of_it(self, store: Store) -> None:
        """Nor does another person."""
        thesis = in_scope("thesis")
        store.write(ANA, lambda tx: tx.forgettings.save([set_aside(scope=thesis)]))
        for scope, count in (
            (thesis, 1),
            (ANA, 1),
            (in_scope("taxes"), 0),
            (Scope("ben"), 0),
            (Scope("ana", tenant="acme"), 0),
        ):
            with store.read(scope) as tx:
                assert len(tx.forgettings.all()) == count
