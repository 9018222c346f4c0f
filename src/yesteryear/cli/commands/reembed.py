"""``yesteryear reembed``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import PERSON, Interrupted, Invocation, command
from yesteryear.cli.output import Output, count

if TYPE_CHECKING:
    from yesteryear.core.scope import Scope
    from yesteryear.policies import Policies
    from yesteryear.ports import Ports


@command(*PERSON)
def reembed(
    call: Invocation,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="auto, minilm, hashing or a provider:model; the setting where not given.",
            metavar="NAME",
        ),
    ] = None,
) -> None:
    """Make all vectors anew with the embedder in use.

    Of the person named, or of everybody. Until a person's are complete, the old ones serve; then they are dropped. It
    may be interrupted at any time: the same command goes on, and so does any worker with the same embedder.

    Example:
      yesteryear model install && yesteryear reembed --store memory.db
    """
    from yesteryear.bootstrap import build_policies
    from yesteryear.core.scope import Scope
    from yesteryear.errors import ProviderUnavailable

    with call.open_ports(embedder=embedder) as (ports, settings):
        model = ports.embedder.profile.model
        scopes = [
            Scope(tenant=owner.tenant, user=owner.user)
            for owner in ports.store.owners()
            if call.tenant in (None, owner.tenant) and call.user in (None, owner.user)
        ]
        outdated = [scope for scope in scopes if _is_outdated(ports, scope, model)]
        if outdated and ports.is_fallback_embedder:
            raise ProviderUnavailable(
                f"vectors of {count(len(outdated), 'person', 'people')} are not of {model!r}, which only stands in "
                "for a model that is not installed; run: yesteryear model install"
            )
        vectors = 0
        for scope in outdated:
            vectors += _reembed(ports, build_policies(ports, settings), scope, call.output)
        left = [scope.user for scope in outdated if _is_outdated(ports, scope, model)]
    if call.output.is_json:
        call.output.document({"model": model, "people": len(outdated), "vectors": vectors, "unfinished": left})
        return
    _show(model, len(scopes), len(outdated), vectors, call.output)
    if left:
        call.output.note(f"not complete yet: {', '.join(left)}; run the command again, see also `yesteryear doctor`")


def _is_outdated(ports: Ports, scope: Scope, model: str) -> bool:
    """Tell whether a person has vectors that the embedder in use has not made, or a change to it is not complete."""
    with ports.store.read(scope) as tx:
        owner = tx.owner()
    return owner.model not in (None, model) or owner.next_model == model


def _reembed(ports: Ports, policies: Policies, scope: Scope, output: Output) -> int:
    """Begin or go on with a person's change to the embedder in use; return how many vectors were made."""
    from yesteryear.drain import Drain

    with ports.store.read(scope) as tx:
        counts = tx.counts()
    total = max(sum(counts.get(name, 0) for name in ("messages.keep", "messages.skip", "episodes.active")), 1)
    try:
        with output.progress(f"re-embedding {scope.user}") as advance:
            drain = Drain(
                ports,
                policies,
                scope,
                worker=ports.workers.name(),
                on_progress=lambda done: advance(done.vectors / total, count(done.vectors, "vector")),
            )
            has_worked = drain.run()
    except KeyboardInterrupt as exc:
        raise Interrupted(
            f"interrupted while re-embedding {scope.user}; what was made is kept, the same command goes on from there"
        ) from exc
    if not has_worked:
        output.note(f"another worker is busy with {scope.user} and goes on with it")
    return drain.done.vectors


def _show(model: str, people: int, outdated: int, vectors: int, output: Output) -> None:
    if not people:
        output.say("nobody is in this store yet, so there is nothing to re-embed")
    elif not outdated:
        output.say(f"nothing to do: all vectors of {count(people, 'person', 'people')} are of {model}")
    else:
        output.say(f"{count(vectors, 'vector')} of {model} made for {count(outdated, 'person', 'people')}")
