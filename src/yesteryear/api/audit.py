"""STEP: what comes through a door leaves a trail: who changed what, and who was refused; never what was said.

A change waits for its row, so that whoever got an answer finds it in the audit; a refusal does not wait; what only
looks writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from yesteryear.api.access import Principal
from yesteryear.core.access.audit import DONE, AuditDraft, AuditEntry
from yesteryear.core.scope import Scope, hash_person
from yesteryear.memory.calls import AsyncCalls
from yesteryear.ports import Clock, Store

_ROWS_A_PAGE = 1000
_MOST_IDS = 20  # most ids of a row; its count tells of all
_OUR_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
"""What an id of ours looks like: a caller's own might hold a name."""


@dataclass(frozen=True, slots=True)
class AuditLog:
    """The audit of the owners in a store."""

    store: Store
    clock: Clock

    def refuse(self, principal: Principal, verb: str, outcome: str) -> None:
        """Note that somebody was refused, in their own audit: they reach no other one. Does not wait."""
        own = Scope.everybody(principal.tenant) if principal.user is None else Scope(principal.user, principal.tenant)
        draft = AuditDraft(self.clock.now(), principal.name, verb, outcome)
        self.store.submit(own, lambda tx: tx.audit.append(draft))

    async def note(self, principal: Principal, scope: Scope, verb: str, result: object, outcome: str = DONE) -> None:
        """Note what somebody did, and wait until it is on disk.

        The audit of a person goes with them; that they were erased stands in the tenant's, under the hash that is on
        their receipt, and nobody is named who can be that person.
        """
        owner, name = Scope(scope.user, scope.tenant), principal.name
        count, ids = touched(result)
        if verb == "erase":
            person = hash_person(scope.owner)
            owner, ids = Scope.everybody(scope.tenant), (person,)
            name = name if principal.user is None else person
        draft = AuditDraft(self.clock.now(), name, verb, outcome, count, ids)
        await AsyncCalls().write(self.store, owner, lambda tx: tx.audit.append(draft))

    def rows(self, scope: Scope) -> Iterator[AuditEntry]:
        """Yield all rows of an owner, oldest first, also those that are added meanwhile."""
        page: list[AuditEntry] = []
        while True:
            with self.store.read(scope) as tx:
                page = tx.audit.page(after=page[-1].seq if page else 0, limit=_ROWS_A_PAGE)
            if not page:
                return
            yield from page


def touched(result: object) -> tuple[int, tuple[str, ...]]:
    """Return how many rows a result of a verb is about, as far as it tells, and the ids of the first that we made."""
    if isinstance(result, int):
        return result, ()
    if isinstance(result, Mapping):
        return len(result), ()
    ids: list[str] = []
    for row in result if isinstance(result, Sequence) and not isinstance(result, str) else [result]:
        one, several = getattr(row, "id", None), getattr(row, "ids", None)
        ids += map(str, several if several is not None else [] if one is None else [one])
    return len(ids), tuple(name for name in ids if _OUR_ID.fullmatch(name))[:_MOST_IDS]
