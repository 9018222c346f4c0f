"""One scope's memory while it is open: what verbs, and the steps behind them, stand on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeVar

from yesteryear.consolidate.belief.question_selector import QuestionSelector
from yesteryear.core.scope import Scope
from yesteryear.lifecycle.billing import metered
from yesteryear.policies import Policies, policies_in
from yesteryear.ports import Ports, Transaction
from yesteryear.recall.index_cache import IndexCache

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """One scope's memory, with all that works on it. Holds nothing of its own."""

    scope: Scope
    ports: Ports
    policies: Policies  # the engine's; what a person has set comes on top
    index_cache: IndexCache
    question_selector: QuestionSelector

    @property
    def owner(self) -> Scope:
        """All of the person's memory: limits are theirs, whatever the project."""
        return self.scope.owner.scope

    def look(self, question: Callable[[Transaction], T]) -> T:
        """Ask the rows that this scope sees."""
        with self.ports.store.read(self.scope) as tx:
            return question(tx)

    def own_policies(self, tx: Transaction) -> Policies:
        """Return the policies of the person, whatever the project."""
        return policies_in(tx, None, self.policies)

    def asking(self, step: Callable[Concatenate[Ports, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step that only reads, with ports that put the vector of a question on the person's account."""
        with metered(self.ports, self.scope) as ports:
            return step(ports, *args, **kwargs)

    def metered(self, step: Callable[Concatenate[Ports, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step with ports whose models cost no more than is left of the person's budget."""
        with metered(self.ports, self.scope, self.look(self.own_policies).budget) as ports:
            return step(ports, *args, **kwargs)
