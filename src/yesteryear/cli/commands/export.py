"""``yesteryear export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Interrupted, Invocation, command
from yesteryear.cli.output import Output

if TYPE_CHECKING:
    from yesteryear.sync.memory import Memory
    from yesteryear.takeout.export import Exported


@command(*SCOPE)
def export(
    call: Invocation,
    file: Annotated[Path, typer.Argument(help="The .zip to write.")],
    *,
    is_overwritten: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
) -> None:
    """Write all that is kept of a person into one file.

    A zip of JSON Lines with a manifest and hashes, and a page to read: memory.md. `yesteryear import` takes it in
    again, for the same person or another, in this store or another one. The same memory gives the same bytes. The file
    is not encrypted.

    With --project or --agent it holds what they see, otherwise everything.

    Example:
      yesteryear export ana.zip --user ana
    """
    from yesteryear.cli.holdings import say_rows

    with call.open() as engine:
        exported = _export(call.memory(engine), file, call.output, is_overwritten=is_overwritten)
    if call.output.is_json:
        call.output.document(exported.to_dict())
        return
    call.output.say(f"{say_rows(exported.rows)} in {exported.path}, {exported.nbytes:,} bytes")
    call.output.note("whoever has this file can read it; `yesteryear import` takes it in again", style="dim")


def _export(memory: Memory, file: Path, output: Output, *, is_overwritten: bool) -> Exported:
    try:
        with output.progress(f"exporting to {file.name}"):
            return memory.export(file, overwrite=is_overwritten)
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted; nothing was written") from exc
