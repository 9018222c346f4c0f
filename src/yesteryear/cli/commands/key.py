"""``yesteryear key``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yesteryear.cli.invocation import DEFAULT_TENANT, PERSON, Invocation, command
from yesteryear.cli.output import cell, table
from yesteryear.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    from yesteryear.api.keys.ring import HeldKey, KeyRing
    from yesteryear.core.keys import ApiKey


class RightName(StrEnum):
    """What a key allows, as it is named on the command line."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@command(*PERSON)
def create(
    call: Invocation,
    name: Annotated[str, typer.Argument(help="What to call it, such as laptop.")],
    *,
    is_for_everybody: Annotated[
        bool, typer.Option("--everybody", help="For the memories of all people of the tenant.")
    ] = False,
    right: Annotated[RightName, typer.Option(help="The most that it allows.")] = RightName.WRITE,
    days: Annotated[int, typer.Option(help="For how many days it holds; 0 for ever.", min=0, max=36_500)] = 90,
) -> None:
    """Make an API key, for one person or, with --everybody, for all people of a tenant.

    The key is shown once: only a hash of it is kept. Whoever has it sends it as `Authorization: Bearer <key>`. A key
    for everybody is for an application, which says in the header X-Yesteryear-User whose memory it means.

    The right to write holds that to read, and that to admin both: it also allows to erase, export and configure.

    Example:
      yesteryear key create laptop --user ana
      yesteryear key create chat-service --everybody --days 0
    """
    from yesteryear.core.keys import Right

    if (call.user is None) is not is_for_everybody:
        raise InputError("for whose memory? pass either --user NAME or --everybody")
    with _ring(call, may_create=True) as ring:
        tenant = DEFAULT_TENANT if call.tenant is None else call.tenant
        expires_at = ring.clock.now() + timedelta(days=days) if days else None
        token, key = ring.create(tenant, call.user, name=name, right=Right[right.name], expires_at=expires_at)
    whose = f"the memory of {call.user!r}" if call.user else f"the memories of everybody in the tenant {tenant!r}"
    if call.output.is_json:
        call.output.document({"token": token.text, "id": key.id, "tenant": tenant, "user": call.user, **_facts(key)})
        return
    call.output.say(token.text)
    until = f"until {key.expires_at:%Y-%m-%d}" if key.expires_at else "for ever"
    call.output.note(f"key {key.id}: may {right.value} {whose}, {until}. Keep it now, it is not shown again.")


@command(*PERSON)
def list_keys(call: Invocation) -> None:
    """List API keys: of a tenant and all its people, or of the person named.

    Shown are ids, names, rights and when each was used last, by day; never a key itself.

    Example:
      yesteryear key list --json
    """
    with _ring(call) as ring:
        held = ring.list(DEFAULT_TENANT if call.tenant is None else call.tenant, call.user)
        now = ring.clock.now()
    if call.output.is_json:
        call.output.document({"keys": [_described(each, now) for each in held]})
        return
    if not held:
        call.output.say("no keys; make one with `yesteryear key create`")
        return
    shown = table("id", "name", "for", "may", "made", "ends", "last used", "is")
    for each in held:
        row = _described(each, now)
        days = (row[name][:10] if row[name] else "" for name in ("created_at", "expires_at", "last_used"))
        shown.add_row(*map(cell, (row["id"], row["name"], each.user or "everybody", row["right"], *days, row["state"])))
    call.output.show(shown)


@command(*PERSON)
def revoke(
    call: Invocation,
    key_id: Annotated[str, typer.Argument(metavar="ID", help="As `yesteryear key list` shows it.")],
) -> None:
    """Revoke an API key: from now on it opens nothing.

    Servers that run notice within two seconds. Revoking twice is harmless.

    Example:
      yesteryear key revoke 5zr3x6v2k7aqjd4n
    """
    with _ring(call) as ring:
        held = ring.revoke(DEFAULT_TENANT if call.tenant is None else call.tenant, key_id)
        now = ring.clock.now()
    if call.output.is_json:
        call.output.document(_described(held, now))
    else:
        call.output.say(f"key {key_id} ({held.key.name}) opens nothing any more")


@contextmanager
def _ring(call: Invocation, *, may_create: bool = False) -> Iterator[KeyRing]:
    """Open the keys of a store, without models."""
    from yesteryear.api.keys.ring import KeyRing
    from yesteryear.bootstrap.stores import build_store
    from yesteryear.providers.clock import SystemClock

    if not may_create:
        call.check_exists()
    store = build_store(call.settings())
    try:
        yield KeyRing(store, SystemClock())
    finally:
        store.close()


def _facts(key: ApiKey) -> dict[str, Any]:
    shown = key.to_dict()
    del shown["digest"]
    return {**shown, "right": key.right.name.lower()}


def _described(held: HeldKey, now: datetime) -> dict[str, Any]:
    key = held.key
    state = "valid" if key.is_valid(now) else "revoked" if key.revoked_at else "expired"
    return {"tenant": held.tenant, "user": held.user, **_facts(key), "state": state}
