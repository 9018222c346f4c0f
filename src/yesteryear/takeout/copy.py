"""STEP: copying every owner's rows from one store into another, such as from a plain file into an encrypted one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from yesteryear.core.plain import Plain
from yesteryear.core.scope import Owner, Scope
from yesteryear.core.time import EPOCH
from yesteryear.errors import Conflict
from yesteryear.ports import Store, Transaction
from yesteryear.takeout.arrival import Arrival
from yesteryear.takeout.known import count_known
from yesteryear.takeout.life import Life
from yesteryear.takeout.lines import KINDS
from yesteryear.takeout.walk import Walk


@dataclass(frozen=True, slots=True)
class Copied(Plain):
    """What was copied; all of it was compared with where it came from."""

    owners: int = 0
    """Owners that are whole in the target."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows that were written, by kind; what was there already is not counted."""


def copy_store(
    source: Store,
    target: Store,
    *,
    on_progress: Callable[[int, int], None] = lambda _, __: None,
) -> Copied:
    """Copy all owners with all their rows, and compare.

    No worker may run on the target meanwhile. After a kill the same call goes on where it was; who is whole already is
    only compared.

    Args:
        source: Where the rows are; each owner's are read from one moment.
        target: Where they go.
        on_progress: Called with the number of owners that are done, and of all of them.

    Raises:
        Conflict: the target holds other rows of an owner; the message names them.
        StorageUnavailable: the target is full or locked; what was copied stays.
    """
    owners, rows = source.owners(), Counter[str]()
    for done, owner in enumerate(owners):
        on_progress(done, len(owners))
        rows.update(_copy_owner(source, target, owner))
    on_progress(len(owners), len(owners))
    return Copied(len(owners), {kind: count for kind, count in rows.items() if count})


def _copy_owner(source: Store, target: Store, owner: Owner) -> Mapping[str, int]:
    scope = Scope(tenant=owner.tenant, user=owner.user)
    with source.read(scope) as tx:
        life, erasure = Walk(tx), tx.erasure()
        generation, night_at = tx.owner().generation, tx.owner().night_at
        expected = digest_life(life)

        def begin(there: Transaction) -> int:
            """Give the owner the same generation, so that no receipt and no index of theirs is mistaken for another.

            Their next night comes when it would have come.
            """
            if erasure is not None:
                there.save_erasure(erasure)
            state = there.owner()
            there.save_owner(replace(state, generation=max(state.generation, generation), night_at=night_at))
            return there.owner().generation

        generation = target.write(scope, begin)
        if _digest_in(target, scope) == expected:
            return {}
        with target.read(scope) as there:
            count_known(there, life)
        arrival = Arrival(target, scope, life, generation=generation, now=EPOCH)  # the models are alike: nothing is due
        arrival.run()
        if _digest_in(target, scope) != expected:
            raise Conflict(
                f"the target holds other rows of {owner.user!r} (tenant {owner.tenant!r}) than the source; "
                "copy into a new store"
            )
    return arrival.added


def digest_life(life: Life) -> str:
    """Return a hash of all rows of a life, the same wherever they are."""
    digest = sha256(repr(life.models).encode())
    for kind in KINDS:
        digest.update(kind.name.encode())
        for line in kind.lines(life):
            digest.update(line)
    return digest.hexdigest()


def _digest_in(store: Store, scope: Scope) -> str:
    with store.read(scope) as tx:
        return digest_life(Walk(tx))
