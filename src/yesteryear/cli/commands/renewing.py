"""What was made by an older embedder or reader, made anew by those in use."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated

from typer import Option

import yesteryear
from yesteryear.bootstrap import build_policies
from yesteryear.cli.invocation import PERSON, Invocation, command
from yesteryear.cli.output import Output, count
from yesteryear.core.scope import Scope
from yesteryear.errors import ProviderUnavailable
from yesteryear.lifecycle.drain import Drain
from yesteryear.lifecycle.reread import start_rereading
from yesteryear.policies import Policies
from yesteryear.ports import Paid, Ports


@command(*PERSON)
def reembed(
    call: Invocation,
    embedder: Annotated[
        str | None,
        Option(help="auto, minilm, hashing or a provider:model; the setting where not given.", metavar="NAME"),
    ] = None,
) -> None:
    """Make all vectors anew with the embedder in use.

    Of the person named, or of everybody. Until a person's are complete, the old ones serve; then they are dropped. It
    may be interrupted at any time: the same command goes on, and so does any worker with the same embedder.

    Example:
      yesteryear model install && yesteryear reembed --store memory.db
    """
    with call.open_ports(embedder=embedder) as (ports, settings):
        model, policies, vectors = ports.embedder.profile.model, build_policies(ports, settings), 0
        scopes = [owner.scope for owner in ports.store.owners() if call.means(owner)]
        outdated = [scope for scope in scopes if _is_outdated(ports, scope, model)]
        people = count(len(outdated), "person", "people")
        if outdated and ports.is_fallback_embedder:
            raise ProviderUnavailable(
                f"vectors of {people} are not of {model!r}, which only stands in "
                "for a model that is not installed; run: yesteryear model install"
            )
        for scope in outdated:
            with ports.store.read(scope) as tx:
                counts = tx.counts()
            total = sum(counts.get(name, 0) for name in ("messages.keep", "messages.skip", "episodes.active"))
            doing = f"re-embedding {scope.user}"
            vectors += _renew(
                ports, policies, scope, call.output, doing=doing, became="made", noun="vector", total=total
            )
        left = [scope.user for scope in outdated if _is_outdated(ports, scope, model)]
    call.output.document({"model": model, "people": len(outdated), "vectors": vectors, "unfinished": left})
    if not scopes:
        call.output.say("nobody is in this store yet, so there is nothing to re-embed")
    elif not outdated:
        call.output.say(f"nothing to do: all vectors of {count(len(scopes), 'person', 'people')} are of {model}")
    else:
        call.output.say(f"{count(vectors, 'vector')} of {model} made for {people}")
    _tell_unfinished(left, call.output)


def _is_outdated(ports: Ports, scope: Scope, model: str) -> bool:
    """Tell whether a person has vectors that the embedder in use has not made, or a change to it is not complete."""
    with ports.store.read(scope) as tx:
        owner = tx.owner()
    return owner.model not in (None, model) or owner.next_model == model


@command(*PERSON)
def reread(
    call: Invocation,
    is_dry: Annotated[bool, Option("--dry-run", help="Only tell how many episodes there are.")] = False,
    is_agreed: Annotated[bool, Option("--yes", help="Have a language model read them without asking.")] = False,
) -> None:
    """Read old talk again by what reads now: a newer reader, or the language model that is the analyst.

    Of the person named, or of everybody. Facts that nothing but the old reading told go; what a person did by hand
    stays, and nothing that was forgotten comes back. It may be interrupted at any time: the same command goes on, and
    so does any worker that reads by the same. What was skipped stays so; words that have faded cannot be read.

    Example:
      yesteryear model install && yesteryear reread --store memory.db
    """
    with call.open_ports() as (ports, settings):
        now, scopes = ports.clock.now(), [owner.scope for owner in ports.store.owners() if call.means(owner)]
        found = {scope: start_rereading(ports, scope, now=now, is_dry=True).episodes for scope in scopes}
        total, reader, policies = sum(found.values()), ports.reads_by, build_policies(ports, settings)
        episodes, people = count(total, "episode"), count(sum(map(bool, found.values())), "person", "people")
        if total and not is_dry and isinstance(ports.analyst, Paid) and not is_agreed:
            call.output.check_askable(otherwise=f"pass --yes to have {episodes} read, a call of the model each")
            call.output.ask(f"Have {episodes} of {people} read by {settings.text('analyst')}, a call each?")
        done, left = 0, []
        for scope in () if is_dry else scopes:
            start_rereading(ports, scope, now=now)
            if number := found[scope]:
                doing = f"reading {scope.user} again"
                done += _renew(
                    ports, policies, scope, call.output, doing=doing, became="read", noun="episode", total=number
                )
            if start_rereading(ports, scope, now=now, is_dry=True).episodes:
                left.append(scope.user)
    call.output.document({"reader": reader, "episodes": total, "read": done, "unfinished": left, "is_dry": is_dry})
    if not total:
        call.output.say(f"nothing to do: all episodes whose words are left were read by {reader}")
    elif is_dry:
        call.output.say(f"{episodes} of {people} would be read again by {reader}; nothing was changed")
    else:
        call.output.say(f"{count(done, 'episode')} of {people} read again by {reader}")
    _tell_unfinished(left, call.output)


def _renew(
    ports: Ports, policies: Policies, scope: Scope, output: Output, *, doing: str, became: str, noun: str, total: int
) -> int:
    """Do what is due for a person until nothing is, with all that follows; return how many of these rows it were."""
    kept = f"interrupted while {doing}; what was {became} is kept, the same command goes on from there"
    number = attrgetter("vectors" if noun == "vector" else "rereadings")
    done = yesteryear.Drained()
    with output.progress(doing, interrupted=kept) as advance:

        def tell(now: yesteryear.Drained) -> None:
            renewed = number(done) + number(now)
            advance(renewed / max(total, 1), count(renewed, noun))

        while True:
            drain = Drain(ports, policies, scope, worker=ports.workers.name(), on_progress=tell)
            if not drain.run():
                output.note(f"another worker is busy with {scope.user} and goes on with it")
            if drain.done == yesteryear.Drained():
                return int(number(done))
            done += drain.done


def _tell_unfinished(left: Sequence[str], output: Output) -> None:
    if left:
        output.hint(f"not complete yet: {', '.join(left)}; run the command again, see also `yesteryear doctor`")
