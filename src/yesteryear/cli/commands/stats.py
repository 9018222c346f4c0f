"""``yesteryear stats``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from yesteryear.cli.invocation import DEFAULT_TENANT, SCOPE, Invocation, command
from yesteryear.cli.output import Output, cell, table

if TYPE_CHECKING:
    from yesteryear.sync.engine import Engine


@command(*SCOPE)
def stats(call: Invocation) -> None:
    """Count what the store holds.

    Of the person named, or of everybody.

    Example:
      yesteryear stats --store memory.db --json
    """
    with call.open() as engine:
        store = engine.describe()
        people = _people(call, engine)
    if call.output.is_json:
        call.output.document({"store": store, "people": people})
        return
    _show(store, call.output)
    for person in people:
        named = {"user": person.pop("user"), "tenant": person.pop("tenant")}
        call.output.heading(named["user"] if named["tenant"] == DEFAULT_TENANT else "{tenant} / {user}".format(**named))
        _show(person, call.output)


def _people(call: Invocation, engine: Engine) -> list[dict[str, Any]]:
    """Return the numbers of whoever is asked for, with their names."""
    if call.user is not None:
        scopes = [call.memory(engine)]
    else:
        scopes = [
            engine.memory(user=owner.user, tenant=owner.tenant, project=call.project, agent=call.agent)
            for owner in engine.owners()
            if call.tenant in (None, owner.tenant)
        ]
    return [{"tenant": one.scope.tenant, "user": one.scope.user, **one.stats()} for one in scopes]


def _show(values: Mapping[str, Any], output: Output) -> None:
    rows = table("", "")
    rows.show_header = False
    for name, value in _flat(values):
        rows.add_row(cell(name, "dim"), cell(f"{value:,}" if isinstance(value, int) else value))
    output.show(rows)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, bool):
            yield prefix + name, "yes" if value else "no"
        elif value not in (None, [], ""):
            yield prefix + name, value
