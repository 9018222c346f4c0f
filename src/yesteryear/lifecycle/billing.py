"""STEP: put what models cost on the account of the person they worked for, and write it down.

Usage is written beside the work and not with it: a call costs too when its answer is thrown away, because it was no
good or because the work was undone meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from yesteryear.core.scope import Scope
from yesteryear.core.time import to_microseconds
from yesteryear.core.usage import (
    Account,
    BudgetPolicy,
    ModelCall,
    UsageSum,
    midnight_after,
    midnight_before,
    sum_up,
    total_usd,
)
from yesteryear.ports import Embedder, Paid, Ports, Store, Transaction

Model = TypeVar("Model")


class UsageMeter:
    """The account of one owner, and ports whose models put their calls on it. Not for several threads."""

    def __init__(self, ports: Ports, scope: Scope) -> None:
        self._own = ports
        self._scope = scope.owner.scope
        self._account = Account()
        self.ports = _on_account(ports, self._account)  # use these, and nothing is forgotten

    def limit(self, budget: BudgetPolicy) -> None:
        """Let models cost no more than what is left of the day's budget."""
        if not budget.daily_usd or not isinstance(self._own.analyst, Paid):
            return
        now = self._own.clock.now()
        with self._own.store.read(self._scope) as tx:
            spent = total_usd(tx.usages.between(midnight_before(now), midnight_after(now)))
        self._account.left_usd = budget.daily_usd - spent

    def pay(self, *, waits: bool = True) -> None:
        """Write down the calls since the last time; a reader does not wait for the disk, and may lose some."""
        calls = self._account.settle()
        if not calls:
            return
        ids = [self._own.ids.new(to_microseconds(call.at) // 1000) for call in calls]

        def write(tx: Transaction) -> None:
            if tx.owner().rev:  # nobody, or nobody any more: their name must not come back for a bill
                tx.usages.add(ids, calls)

        (self._own.store.write if waits else self._own.store.submit)(self._scope, write)


@contextmanager
def metered(ports: Ports, scope: Scope, budget: BudgetPolicy | None = None) -> Iterator[Ports]:
    """Lend ports whose models put their calls on an owner's account, and write these down in the end.

    Project and agent of the scope do not matter. What only reads has no ``budget``: it embeds a question at most, and
    need not wait.
    """
    meter = UsageMeter(ports, scope)
    if budget is not None:
        meter.limit(budget)
    try:
        yield meter.ports
    finally:
        meter.pay(waits=budget is not None)


def read_usage(store: Store, scopes: Sequence[Scope], *, since: datetime, until: datetime) -> list[UsageSum]:
    """Return what models have cost some owners in [since, until), summed by day, purpose and model."""
    calls: list[ModelCall] = []
    for scope in scopes:
        with store.read(scope) as tx:
            calls += tx.usages.between(since, until)
    return sum_up(calls)


def _on_account(ports: Ports, account: Account) -> Ports:
    def lend(model: Model) -> Model:
        return model.on(account) if isinstance(model, Paid) else model

    def find(model: str) -> Embedder | None:
        return lend(ports.other_embedder(model))

    return replace(ports, analyst=lend(ports.analyst), embedder=lend(ports.embedder), other_embedder=find)
