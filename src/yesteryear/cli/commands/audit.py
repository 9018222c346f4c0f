"""``yesteryear audit``."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import DEFAULT_TENANT, PERSON, Invocation, command
from yesteryear.cli.output import cell, count, table

if TYPE_CHECKING:
    from yesteryear.cli.output import Output
    from yesteryear.core.audit import AuditEntry, Verified


@command(*PERSON)
def audit(
    call: Invocation,
    *,
    limit: Annotated[int, typer.Option(help="Show so many rows, the newest.", min=0)] = 50,
    head: Annotated[str | None, typer.Option(help="A head noted earlier; fails where it is not in the chain.")] = None,
) -> None:
    """Show who changed what through a server, and whether the record is whole.

    Of the person named, or of the tenant itself: its keys, who was refused, who was erased. Nothing that was said is in
    it. Each row seals the one before; the last line tells whether all of them follow from each other, or which is the
    first that does not. Rows cut off the end, or a chain written anew, show only against a head that was noted
    elsewhere: pass it with --head. Exit code 1 where something is wrong.

    Example:
      yesteryear audit --user ana
      yesteryear audit --json --head 3f0c…
    """
    from yesteryear.api.audit import Trail
    from yesteryear.bootstrap.stores import build_store
    from yesteryear.core.audit import verify
    from yesteryear.core.scope import Scope
    from yesteryear.providers.clock import SystemClock

    call.check_exists()
    tenant = DEFAULT_TENANT if call.tenant is None else call.tenant
    scope = Scope.everybody(tenant) if call.user is None else Scope(call.user, tenant)
    store = build_store(call.settings())
    try:
        newest: deque[AuditEntry] = deque(maxlen=limit)
        found = verify(Trail(store, SystemClock()).rows(scope), head=head, seen=newest.append)
    finally:
        store.close()
    if call.output.is_json:
        call.output.document({"rows": [row.to_dict() for row in newest], "verified": found.to_dict()})
    else:
        _show(newest, found, call.output)
    if not found.is_whole:
        raise typer.Exit(1)


def _show(rows: deque[AuditEntry], found: Verified, output: Output) -> None:
    if rows:
        shown = table("row", "at", "who", "what", "outcome", "rows", rest="ids")
        for row in rows:
            columns = (row.seq, f"{row.at:%Y-%m-%d %H:%M:%S}", row.principal, row.verb, row.outcome, row.count or "")
            shown.add_row(*map(cell, (*columns, " ".join(row.ids))))
        output.show(shown)
    if found.is_whole:
        output.say(f"{count(found.rows, 'row')}, the chain is whole; head {found.head or 'none'}", style="bold")
    elif found.broken_at is None:
        output.say(f"{count(found.rows, 'row')}: {found.reason}", style="bold red")
    else:
        output.say(f"{count(found.rows, 'row')}, broken at row {found.broken_at}: {found.reason}", style="bold red")
