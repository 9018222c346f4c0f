"""What is forgotten or erased, before and after: what goes, what was done to the files, and the receipt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from yesteryear.cli.asking import show_field
from yesteryear.cli.holdings import say_rows
from yesteryear.cli.output import Output, count, one_line, shorten
from yesteryear.core.time import local

if TYPE_CHECKING:
    from yesteryear.core.erasure import Erasure, Scrubbed
    from yesteryear.forget.facts import LeavingFact
    from yesteryear.forget.forget import Forgotten, Leaving
    from yesteryear.forget.propose import Proposal
    from yesteryear.sync.memory import Memory

_MOST_MESSAGES = 40
"""Messages that are listed before something is forgotten."""
_MOST_EPISODES = 20
"""Episodes that are listed before something is forgotten."""
_MOST_FACTS = 20
"""Facts that are listed before something is forgotten."""
_BECAUSE = {
    "asked": "named",
    "says_the_same": "says the same as one that goes",
    "evidence": "nothing that spoke for it is left",
    "rested_on_it": "inferred from what goes",
}
_WORDS_CHARS = 60
"""Longest message that is shown whole."""


def show_proposal(proposal: Proposal, output: Output, *, zone: str | None) -> None:
    """Print a proposal to forget: the question, what would go, and its id."""
    output.wrap(proposal.question, style="bold", indent=0)
    show_field("asked", f"{proposal.author}, {local(proposal.asked_at, zone):%Y-%m-%d %H:%M}", output)
    show_field("would go", _say_sizes(proposal), output)
    for text in proposal.examples:
        output.say(f"      {shorten(one_line(text), chars=_WORDS_CHARS)}")
    show_field("id", proposal.id, output)


def show_answered(proposal: Proposal, output: Output) -> None:
    """Print what became of a proposal to forget."""
    if proposal.state == "confirmed":
        output.say(f"Hidden: {_say_sizes(proposal)}; `yesteryear restore {proposal.id}` brings all of it back.")
    else:
        output.say("Withdrawn; nothing was forgotten.")


def _say_sizes(proposal: Proposal) -> str:
    return f"{count(proposal.messages, 'message')}, {count(proposal.facts, 'fact')}"


def show_leaving(chosen: Forgotten, memory: Memory, zones: Mapping[str, str | None], output: Output) -> None:
    """Print what would be forgotten: messages by conversation, numbered, and the episodes and facts that go along.

    Args:
        chosen: What would go.
        memory: Where it is, for the topics of the episodes.
        zones: Of the conversations, by name.
        output: Where it is shown.
    """
    spoken = [message for message in chosen.messages if message.text]
    numbered = enumerate(spoken[:_MOST_MESSAGES], start=1)
    for conversation, messages in groupby(numbered, key=lambda entry: entry[1].conversation):
        output.say(one_line(conversation), style="bold")
        for number, message in messages:
            output.say(f"{number:>4}  {_say_leaving(message, zones.get(conversation))}")
    if len(spoken) > _MOST_MESSAGES:
        output.say(f"      and {len(spoken) - _MOST_MESSAGES:,} more: --dry-run --json lists them all")
    if len(spoken) < len(chosen.messages):
        output.say(f"      and {count(len(chosen.messages) - len(spoken), 'message')} whose text is gone already")
    for title, ids in (("Forgotten as a whole", chosen.episodes), ("Digested anew without them", chosen.reduced)):
        if ids:
            output.say(f"{title}: {count(len(ids), 'episode')}", style="bold")
            for episode_id in ids[:_MOST_EPISODES]:
                output.say(f"      {_say_episode(episode_id, memory)}")
            if len(ids) > _MOST_EPISODES:
                output.say(f"      and {len(ids) - _MOST_EPISODES:,} more")
    if chosen.facts:
        _show_facts(chosen.facts, output)


def say_forgotten(forgotten: Forgotten) -> str:
    """Say how much goes, or went: ``4 messages; 1 episode as a whole, 2 digested anew; 3 facts``."""
    episodes = []
    if forgotten.episodes:
        episodes.append(f"{count(len(forgotten.episodes), 'episode')} as a whole")
    if forgotten.reduced:
        episodes.append(f"{count(len(forgotten.reduced), 'episode')} digested anew without them")
    messages = count(len(forgotten.messages), "message") if forgotten.messages or not forgotten.facts else ""
    facts = count(len(forgotten.facts), "fact") if forgotten.facts else ""
    return "; ".join(filter(None, [messages, ", ".join(episodes), facts]))


def say_scrubbed(scrubbed: Scrubbed) -> Iterator[str]:
    """Say what was done to the files, what a look through them found, and what nobody could do; nothing without any."""
    if scrubbed.is_rewritten:
        found = f", for {count(scrubbed.found_before, 'piece')} of it lay there" if scrubbed.found_before else ""
        yield f"the database was written anew{found}"
    if scrubbed.limits:
        yield scrubbed.limits
    if not scrubbed.files:
        return
    yield f"{', '.join(scrubbed.files)} looked through, {scrubbed.bytes_scanned:,} bytes"
    if not scrubbed.found_after:
        yield "none of the removed text is in them"
    elif scrubbed.waits_for:
        yield f"still in them: {count(scrubbed.found_after, 'piece')} of the removed text"
    else:
        yield f"still in them: {count(scrubbed.found_after, 'piece')} of it, which what was not removed says too"


def show_receipt(receipt: Erasure, output: Output) -> None:
    """Print the receipt of an erasure."""
    show_field("erased at", f"{receipt.erased_at:%Y-%m-%d %H:%M:%S} UTC", output)
    show_field("removed", say_rows(receipt.removed), output)
    for number, line in enumerate(say_scrubbed(receipt.scrubbed)):
        show_field("" if number else "files", line, output)
    show_field("person", f"{receipt.person} (a hash; the receipt names nobody)", output, style="dim")
    show_field("hash", receipt.hash, output, style="dim")
    if receipt.signature:
        show_field("signature", receipt.signature, output, style="dim")
    if receipt.is_pending:
        waits_for = receipt.scrubbed.waits_for or "the files were not cleaned yet"
        show_field("pending", f"{waits_for}. The rows are gone and cannot be found", output, style="yellow")
        show_field("", "`yesteryear worker`, or the same command again, then finishes", output, style="yellow")


def _show_facts(facts: Sequence[LeavingFact], output: Output) -> None:
    output.say(f"Not known any more: {count(len(facts), 'fact')}", style="bold")
    for fact in facts[:_MOST_FACTS]:
        output.wrap(one_line(f"{fact.statement} ({_BECAUSE[fact.because]})"), indent=6, hanging=2)
    if len(facts) > _MOST_FACTS:
        output.say(f"      and {len(facts) - _MOST_FACTS:,} more")


def _say_leaving(message: Leaving, zone: str | None) -> str:
    words = f"{one_line(message.author)}: {shorten(message.text, chars=_WORDS_CHARS)}"
    return f"{local(message.at, zone):%Y-%m-%d %H:%M}  {words}  ({one_line(message.name)})"


def _say_episode(episode_id: str, memory: Memory) -> str:
    found = memory.why(episode_id).episode
    return f"{episode_id}  {one_line(found.topic) if found else ''}".rstrip()
