"""``yesteryear observe``."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Invocation, command
from yesteryear.errors import InputError

STDIN = "-"


@command(*SCOPE)
def observe(
    call: Invocation,
    text: Annotated[str, typer.Argument(help="What was said; - reads it from stdin.")],
    *,
    role: Annotated[str, typer.Option(help="user, assistant, system, developer or tool.")] = "user",
    author: Annotated[str | None, typer.Option(help="Who said it; the role where not given.")] = None,
    conversation: Annotated[str, typer.Option(help="In which conversation.")] = "default",
    at: Annotated[str | None, typer.Option(help="When, such as 2026-03-02T07:41:10+00:00; else now.")] = None,
    message_id: Annotated[
        str | None, typer.Option("--id", help="An id of your own; makes repeating the command harmless.")
    ] = None,
    zone: Annotated[str | None, typer.Option(help="The person's time zone, such as Europe/Lisbon.")] = None,
    is_flushed: Annotated[bool, typer.Option("--flush", help="Work it in at once; ends the open episode.")] = False,
) -> None:
    """Take down what was said.

    When the command returns it is on disk, and it can be found by its words at once. A worker makes episodes and
    vectors of it later: `yesteryear worker`, or the next program that opens the store with one. With --flush it is done
    before the command returns.

    Example:
      yesteryear observe "I moved my runs to the morning" --user ana --author Ana
    """
    from yesteryear.cli.output import count
    from yesteryear.cli.working import flush, say_drained

    content = _read_stdin() if text == STDIN else text
    with call.open(may_create=True) as engine:
        memory = call.memory(engine, may_create=True)
        receipt = memory.observe(
            content, role=role, author=author, conversation=conversation, at=at, id=message_id, zone=zone
        )
        done = flush(memory, call.output) if is_flushed else None
    if call.output.is_json:
        call.output.document(receipt.to_dict())
        return
    taken = "taken down" if receipt.is_new else "known already"
    call.output.say(f"{taken}: message {receipt.seq} of conversation {receipt.conversation!r}")
    if receipt.redactions:
        call.output.say(f"cut out before it was stored: {', '.join(receipt.redactions)}")
    if receipt.hidden:
        call.output.say(
            f"hidden: {count(len(receipt.hidden), 'message')}; `yesteryear restore {receipt.id}` takes it back"
        )
    if receipt.proposal is not None:
        call.output.say(f"{receipt.proposal} Or: `yesteryear confirm {receipt.id}`")
    if done is not None:
        call.output.say(f"worked in: {say_drained(done)}")
    elif receipt.is_new:
        call.output.note("found by its words from now on; `yesteryear worker --once` makes memories of it")


def _read_stdin() -> str:
    """Return the text on stdin.

    Raises:
        InputError: it is not in the encoding of this terminal, most often UTF-8.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        # In the POSIX locale Python would let through what it cannot read.
        sys.stdin.reconfigure(errors="strict")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as exc:
        byte = exc.object[exc.start]
        raise InputError(
            f"what stands on stdin is not {exc.encoding.upper()}: byte {exc.start + 1} is 0x{byte:02x}; "
            "nothing was taken down. Convert it first, for example: iconv -f LATIN1 -t UTF-8"
        ) from exc
