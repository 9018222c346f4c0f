"""``yesteryear erase``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import DEFAULT_TENANT, PERSON, Interrupted, Invocation, command
from yesteryear.cli.output import Output

if TYPE_CHECKING:
    from yesteryear.core.erasure import Erasure
    from yesteryear.sync.memory import Memory


@command(*PERSON)
def erase(
    call: Invocation,
    *,
    receipt_file: Annotated[
        Path | None, typer.Option("--receipt", help="Write the receipt there, as JSON.", metavar="FILE")
    ] = None,
    is_agreed: Annotated[bool, typer.Option("--yes", help="Erase without asking.")] = False,
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
    from yesteryear.errors import InputError

    if call.user is None:
        raise InputError("whom? pass --user NAME; it is never guessed who is to be erased")
    if receipt_file is not None and (receipt_file.exists() or not receipt_file.parent.is_dir()):
        raise InputError(f"{receipt_file} cannot take the receipt: it is there already, or its folder is not")
    with call.open() as engine:
        memory = engine.memory(user=call.user, tenant=DEFAULT_TENANT if call.tenant is None else call.tenant)
        is_there = memory.scope.owner in engine.owners()
        if is_there and not is_agreed:
            _ask(memory, call.output)
        receipt = _erase(memory, call.output)
    if receipt_file is not None:  # before anything is shown: whoever reads along may be gone
        _write(receipt, receipt_file)
    _show(receipt, call, is_new=is_there)


def _ask(memory: Memory, output: Output) -> None:
    from yesteryear.cli.consent import ask, check_askable
    from yesteryear.cli.holdings import count_rows, say_rows

    user = memory.scope.user
    output.say(f"Of {user} there are: {say_rows(count_rows(memory))}.")
    check_askable(output, otherwise="pass --yes to erase without being asked")
    ask(f"Type {user} to erase all of it, for good:", output, expecting=user)


def _erase(memory: Memory, output: Output) -> Erasure:
    try:
        with output.progress("erasing"):
            return memory.erase()
    except KeyboardInterrupt as exc:
        raise Interrupted(
            "interrupted; the same command again, or `yesteryear worker`, finishes what was begun"
        ) from exc


def _show(receipt: Erasure, call: Invocation, *, is_new: bool) -> None:
    from yesteryear.cli.removal import show_receipt

    if call.output.is_json:
        call.output.document(receipt.to_dict())
        return
    done = f"Erased: all that was kept of {call.user}."
    call.output.say(done if is_new else f"Nothing was left of {call.user}; the receipt of the last time:", style="bold")
    show_receipt(receipt, call.output)


def _write(receipt: Erasure, file: Path) -> None:
    from yesteryear.errors import InputError

    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(json.dumps(receipt.to_dict(), indent=2) + "\n")
    except OSError as exc:
        raise InputError(
            f"all was erased, but {file} cannot be written: {exc.strerror or exc}; the same command with another file "
            "gives the same receipt"
        ) from exc
