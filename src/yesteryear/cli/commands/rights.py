"""The person's rights over what is kept: have things stay, take them along, have them gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

import yesteryear
from yesteryear.cli.commands.beliefs import say_sizes, show_fact
from yesteryear.cli.commands.journal import show_episode, show_message
from yesteryear.cli.invocation import PERSON, Invocation, command, read_zones
from yesteryear.cli.output import Field, Output, count, one_line, say_rows, shorten
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.core.erasure import Scrubbed
from yesteryear.core.time import local
from yesteryear.errors import InputError
from yesteryear.results import Erasure, Exported, Forgotten, Proposal, TakenBack

_MOST_MESSAGES = 40  # messages that are listed before something is forgotten
_MOST_OTHERS = 20  # episodes of each kind, and facts, that are listed then
_WORDS_CHARS = 60  # longest message that is shown whole
_BECAUSE = {
    "asked": "named",
    "says_the_same": "says the same as one that goes",
    "evidence": "nothing that spoke for it is left",
    "rested_on_it": "inferred from what goes",
}


@command_of(yesteryear.Memory.keep)
def keep(call: Invocation, verb: AskedVerb[yesteryear.Message]) -> None:
    """Keep a message after all that the gate skipped.

    What was judged together with it, such as the reply, is kept with it. It becomes an episode of its own, and facts
    where it states some. `yesteryear gate --skipped` and `yesteryear messages` show what was skipped; `yesteryear
    forget` takes it back.

    Example:
      yesteryear keep m-17 --user ana
    """
    kept = verb()
    call.output.document(kept, "Kept.")
    show_message(kept, call.output)
    call.output.hint("`yesteryear worker --once` works it in; until then it is found by its words")


@command_of(yesteryear.Memory.pin)
def pin(call: Invocation, verb: AskedVerb[yesteryear.Episode | yesteryear.FactView]) -> None:
    """Keep an episode or a fact for good.

    An episode never fades then, and never leaves recall because there are too many others; one that was archived comes
    back. A fact never sinks for want of news, and is never merged away.

    Example:
      yesteryear pin m-17 --user ana
    """
    _show_kept(call, verb, "Pinned: it never fades.")


@command_of(yesteryear.Memory.unpin)
def unpin(call: Invocation, verb: AskedVerb[yesteryear.Episode | yesteryear.FactView]) -> None:
    """Let a pinned episode or fact fade again.

    As others do; what the person asked to have remembered is kept all the same.

    Example:
      yesteryear unpin m-17 --user ana
    """
    _show_kept(call, verb, "Not pinned: it fades as others do.")


def _show_kept(call: Invocation, verb: AskedVerb[yesteryear.Episode | yesteryear.FactView], said: str) -> None:
    found, zone = verb.with_zone()
    call.output.document(found)
    if isinstance(found, yesteryear.Episode):
        is_asked = found.is_held and not found.pinned
        call.output.say("Not pinned, yet it never fades: the person asked that it be remembered." if is_asked else said)
        show_episode(found, call.output)
    else:
        call.output.say(said)
        show_fact(found, call.output, zone=zone)


@command_of(yesteryear.Memory.restore)
def restore(call: Invocation, verb: AskedVerb[yesteryear.Episode | yesteryear.FactView | TakenBack]) -> None:
    """Bring an archived episode back into recall, believe a fact again, or take a request to forget back.

    An episode comes back with what is left of it: its words where they are still there, else its summary. It fades from
    now on as if it were new. `yesteryear episodes --status archived` lists what can be brought back, `yesteryear recall
    --archived` finds it.

    A fact that was merged, superseded, refuted, given up or resolved stands as it did; what had taken its place stays
    beside it. `yesteryear facts --status all` lists them.

    What was hidden because somebody asked for it in talk is there again as it was: give the id of the message that
    asked, or of one that is hidden. `yesteryear why` says until when that can be done.

    Example:
      yesteryear restore m-17 --user ana
    """
    restored, zone = verb.with_zone()
    call.output.document(restored)
    if isinstance(restored, yesteryear.Episode):
        call.output.say("Back in recall.")
        show_episode(restored, call.output)
        call.output.hint("`yesteryear worker --once` makes its vectors; until then it is found by its words")
    elif isinstance(restored, TakenBack):
        told = f"{count(len(restored.messages), 'message')}, {count(len(restored.facts), 'fact')}"
        call.output.say(f"Brought back: {told}.")
    else:
        show_fact(restored, call.output, zone=zone, heading="Believed again: ")


@command_of(yesteryear.Memory.export)
def export(
    call: Invocation, verb: AskedVerb[Exported], file: Annotated[Path, Argument(help="The .zip to write.")]
) -> None:
    """Write all that is kept of a person into one file.

    A zip of JSON Lines with a manifest and hashes, and a page to read: memory.md. `yesteryear import` takes it in
    again, for the same person or another, in this store or another one. The same memory gives the same bytes. The file
    is not encrypted.

    With --project or --agent it holds what they see, otherwise everything.

    Example:
      yesteryear export ana.zip --user ana
    """
    moving = call.output.progress(f"exporting to {file.name}", interrupted="interrupted; nothing was written")
    with call.memory() as memory, moving:
        exported = verb(memory, path=file)
    call.output.document(exported, f"{say_rows(exported.rows)} in {exported.path}, {exported.nbytes:,} bytes")
    call.output.hint("whoever has this file can read it; `yesteryear import` takes it in again", style="dim")


@command_of(yesteryear.Memory.forget)
def forget(
    call: Invocation,
    verb: AskedVerb[Forgotten],
    *,
    about: Annotated[str | None, Option(help="What bears on this; look at what is found.")] = None,
    is_agreed: Annotated[bool, Option("--yes", help="Forget what is found without asking.")] = False,
) -> None:
    """Forget messages and all that was made of them, or facts.

    Their words, their vectors, what contexts have shown of them, what summaries tell of them, in the files too; there
    is no way back. What stays is that something was said. An episode that loses some of its messages is digested anew
    without them, or forgotten as a whole where its words are gone already. Facts that rested on them alone go with
    them. Of a fact named by its id the statement and the quotes go, with what was inferred from it alone; the messages
    that it was told in stay.

    First it is shown what would go, then asked. With --about what is found may be more than was meant: --dry-run --json
    gives the ids, and those that are meant can be passed alone.

    Example:
      yesteryear forget m-17 m-18 --user ana
      yesteryear forget --conversation day-2 --since 2026-03-02 --until 2026-03-03 --user ana
      yesteryear forget --about "my knee" --user ana --dry-run
    """
    with call.memory() as memory:
        chosen = verb(memory, about=about, dry_run=True)
        show_leaving(chosen, memory, call.output)
        if verb.given["dry_run"] or not chosen.ids:
            call.output.document(chosen)
            done = f"nothing was done: that is what would be forgotten, {say_forgotten(chosen)}"
            call.output.hint(done if chosen.ids else "there is nothing to forget")
            return
        if not is_agreed:
            call.output.check_askable(otherwise="pass --yes, or --dry-run to see what would go")
            call.output.ask(f"Forget {say_forgotten(chosen)}, for good?")
        forgotten = _forget(memory, chosen, call.output)
    call.output.document(forgotten, f"Forgotten: {say_forgotten(forgotten)}.")
    for line in say_scrubbed(forgotten.scrubbed):
        call.output.say(f"  {line}", style="dim")
    if forgotten.scrubbed.waits_for:
        call.output.say(f"  Not gone from the files yet: {forgotten.scrubbed.waits_for}.", style="yellow")
    if forgotten.reduced:
        call.output.hint("`yesteryear worker --once` digests anew what has lost some of its messages")


def _forget(memory: yesteryear.Memory, chosen: Forgotten, output: Output) -> Forgotten:
    done, number = 0, len(chosen.messages)
    all_of_them = count(number, "message")

    def tell(messages: int) -> None:
        nonlocal done
        done = messages
        advance(messages / max(number, 1), count(messages, "message"))

    def stopped() -> str:
        left = "the files may still hold words of them; the same command again forgets the rest"
        return f"interrupted: {done:,} of {all_of_them} were forgotten, and {left}"

    with output.progress(f"forgetting {all_of_them}", interrupted=stopped) as advance:
        # An episode's id would stand for all that was said in its time, also what was not shown.
        return memory.forget(*(chosen.ids or chosen.episodes), on_progress=tell)


def show_leaving(chosen: Forgotten, memory: yesteryear.Memory, output: Output) -> None:
    """Print what would be forgotten: messages by conversation, numbered, and the episodes and facts that go along."""
    zones = read_zones(memory)
    spoken = [message for message in chosen.messages if message.text]
    numbered = enumerate(spoken[:_MOST_MESSAGES], start=1)
    for conversation, messages in groupby(numbered, key=lambda entry: entry[1].conversation):
        output.say(one_line(conversation), style="bold")
        for number, message in messages:
            words = f"{one_line(message.author)}: {shorten(message.text, chars=_WORDS_CHARS)}"
            at = f"{local(message.at, zones.get(conversation)):%Y-%m-%d %H:%M}"
            output.say(f"{number:>4}  {at}  {words}  ({one_line(message.name)})")
    output.say_more(len(spoken), most=_MOST_MESSAGES, indent=6, where=": --dry-run --json lists them all")
    if len(spoken) < len(chosen.messages):
        output.say(f"      and {count(len(chosen.messages) - len(spoken), 'message')} whose text is gone already")
    for title, ids in (("Forgotten as a whole", chosen.episodes), ("Digested anew without them", chosen.reduced)):
        if ids:
            output.say(f"{title}: {count(len(ids), 'episode')}", style="bold")
        for episode_id in ids[:_MOST_OTHERS]:
            found = memory.why(episode_id).episode
            output.say(f"      {episode_id}  {one_line(found.topic) if found else ''}".rstrip())
        output.say_more(len(ids), most=_MOST_OTHERS, indent=6)
    facts = [one_line(f"{fact.statement} ({_BECAUSE[fact.because]})") for fact in chosen.facts]
    output.section("Not known any more", facts, "fact", most=_MOST_OTHERS, indent=6)


def say_forgotten(forgotten: Forgotten) -> str:
    """Say how much goes, or went: ``4 messages; 1 episode as a whole, 2 digested anew; 3 facts``."""
    fates = ((forgotten.episodes, "as a whole"), (forgotten.reduced, "digested anew without them"))
    episodes = ", ".join(f"{count(len(ids), 'episode')} {fate}" for ids, fate in fates if ids)
    messages = count(len(forgotten.messages), "message") if forgotten.messages or not forgotten.facts else ""
    facts = count(len(forgotten.facts), "fact") if forgotten.facts else ""
    return "; ".join(filter(None, [messages, episodes, facts]))


def say_scrubbed(scrubbed: Scrubbed) -> Iterator[str]:
    """Say what was done to the files, what a look through them found, and what nobody could do."""
    if scrubbed.is_rewritten:
        found = f", for {count(scrubbed.found_before, 'piece')} of it lay there" if scrubbed.found_before else ""
        yield f"the database was written anew{found}"
    if scrubbed.limits:
        yield scrubbed.limits
    if not scrubbed.files:
        return
    yield f"{', '.join(scrubbed.files)} looked through, {scrubbed.bytes_scanned:,} bytes"
    left = count(scrubbed.found_after, "piece")
    if not scrubbed.found_after:
        yield "none of the removed text is in them"
    elif scrubbed.waits_for:
        yield f"still in them: {left} of the removed text"
    else:
        yield f"still in them: {left} of it, which what was not removed says too"


@command_of(yesteryear.Memory.proposals)
def proposals(call: Invocation, verb: AskedVerb[list[Proposal]]) -> None:
    """List what somebody asked in talk to have forgotten as a whole, oldest first.

    Nothing of it is forgotten yet. A plain yes in the talk carries it out, and so does `yesteryear confirm`; a no or
    `yesteryear refute` withdraws it. What nobody answers lapses. With --json one a line.

    Example:
      yesteryear proposals --user ana
    """
    found, zone = verb.with_zone()

    def show(proposal: Proposal) -> None:
        call.output.wrap(proposal.question, style="bold", indent=0)
        asked = f"{proposal.author}, {local(proposal.asked_at, zone):%Y-%m-%d %H:%M}"
        call.output.fields(("asked", asked), ("would go", say_sizes(proposal)))
        for text in proposal.examples:
            call.output.say(f"      {shorten(one_line(text), chars=_WORDS_CHARS)}")
        call.output.fields(("id", proposal.id))

    call.output.each(found, show, none="nobody has asked to forget anything as a whole")


@command(*PERSON)
def erase(
    call: Invocation,
    *,
    receipt_file: Annotated[Path | None, Option("--receipt", help="A file to write it into, as JSON.")] = None,
    is_agreed: Annotated[bool, Option("--yes", help="Erase without asking.")] = False,
) -> None:
    """Erase a person, with all that is kept of them.

    Every message, episode and vector, whatever the project, in every index and in the files; there is no way back.
    `yesteryear export` makes a copy first. You are asked to type the name. Whatever is under way for them, in this
    process or another, cannot bring anything back.

    The receipt names nobody: what was removed, and what a look through the files found afterwards. Erasing again gives
    the same receipt. It is pending while somebody still reads the old file; the worker then finishes it.

    Example:
      yesteryear erase --user ana --receipt ana-erased.json
    """
    if call.user is None:
        raise InputError("whom? pass --user NAME; it is never guessed who is to be erased")
    if receipt_file is not None and (receipt_file.exists() or not receipt_file.parent.is_dir()):
        raise InputError(f"{receipt_file} cannot take the receipt: it is there already, or its folder is not")
    begun = "interrupted; the same command again, or `yesteryear worker`, finishes what was begun"
    with call.open() as engine:
        memory = engine.memory(user=call.user, tenant=call.own_tenant)
        is_there = memory.scope.owner in engine.owners()
        if is_there and not is_agreed:
            call.output.say(f"Of {call.user} there are: {say_rows(_count_rows(memory))}.")
            call.output.check_askable(otherwise="pass --yes to erase without being asked")
            call.output.ask(f"Type {call.user} to erase all of it, for good:", expecting=call.user)
        with call.output.progress("erasing", interrupted=begun):
            receipt = memory.erase()
    if receipt_file is not None:  # before anything is shown: whoever reads along may be gone
        _write(receipt, receipt_file)
    call.output.document(receipt)
    left = f"Nothing was left of {call.user}; the receipt of the last time:"
    call.output.say(f"Erased: all that was kept of {call.user}." if is_there else left, style="bold")
    call.output.fields(*_say_receipt(receipt))


def _count_rows(memory: yesteryear.Memory) -> dict[str, int]:
    stats = memory.stats()
    totals = {
        kind: sum(number for name, number in stats.items() if name.startswith(f"{kind}."))
        for kind in ("messages", "episodes", "facts")
    }
    return {"conversations": int(stats["conversations"]), **totals, "vectors": sum(stats["vectors.by_model"].values())}


def _say_receipt(receipt: Erasure) -> Iterator[Field]:
    yield "erased at", f"{receipt.erased_at:%Y-%m-%d %H:%M:%S} UTC"
    yield "removed", say_rows(receipt.removed)
    for line in say_scrubbed(receipt.scrubbed):
        yield "files", line
    yield "person", f"{receipt.person} (a hash; the receipt names nobody)", "dim"
    yield "hash", receipt.hash, "dim"
    if receipt.signature:
        yield "signature", receipt.signature, "dim"
    if receipt.is_pending:
        waits_for = receipt.scrubbed.waits_for or "the files were not cleaned yet"
        yield "pending", f"{waits_for}. The rows are gone and cannot be found", "yellow"
        yield "pending", "`yesteryear worker`, or the same command again, then finishes", "yellow"


def _write(receipt: Erasure, file: Path) -> None:
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(json.dumps(receipt.to_dict(), indent=2) + "\n")
    except OSError as exc:
        raise InputError(
            f"all was erased, but {file} cannot be written: {exc.strerror or exc}; the same command with another file "
            "gives the same receipt"
        ) from exc
