"""``yesteryear config``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import NOTHING, Invocation, command
from yesteryear.cli.output import cell, table
from yesteryear.errors import InputError, NotFound

if TYPE_CHECKING:
    from yesteryear.trust import TrustedFolders

_FOLDER = Annotated[
    Path | None, typer.Argument(help="The folder; the working folder where not given.", metavar="FOLDER")
]


@command(*NOTHING)
def allow(call: Invocation, folder: _FOLDER = None) -> None:
    """Let the yesteryear.toml of a folder decide where memory goes and how it is kept.

    Such a file may have come with somebody else's code. What it would decide is shown; it counts as long as the file
    holds just this, and is asked about anew when it was edited.

    Example:
      yesteryear config allow ~/projects/garden
    """
    from yesteryear.config import hide_password, trusted_only

    file = _file_in(folder)
    try:
        content = file.read_bytes()
    except OSError as exc:
        raise NotFound(f"{file} cannot be read ({exc.strerror}); there is nothing to allow") from exc
    found = trusted_only(file, content)
    decision = _trusted().allow(file, content)
    shown = {name: hide_password(str(value)) for name, value in found.items()}
    if call.output.is_json:
        call.output.document({**decision.to_dict(), "settings": shown})
        return
    call.output.say(f"allowed: {decision.file}")
    for name, value in shown.items():
        call.output.say(f"  {name} = {value}")
    if not shown:
        call.output.note("it sets nothing that has to be allowed", style="dim")


@command(*NOTHING)
def deny(call: Invocation, folder: _FOLDER = None) -> None:
    """Leave aside what the yesteryear.toml of a folder says of where memory goes and how it is kept.

    Its harmless settings are still taken. It stays so when the file is edited, until the folder is allowed.

    Example:
      yesteryear config deny
    """
    decision = _trusted().deny(_file_in(folder))
    if call.output.is_json:
        call.output.document(decision.to_dict())
        return
    call.output.say(f"denied: {decision.file}")


@command(*NOTHING)
def list_folders(call: Invocation) -> None:
    """List the folders that were allowed or denied, and whether their files are still as they were.

    Example:
      yesteryear config list --json
    """
    trusted = _trusted()
    found = [(decision, trusted.judge(Path(decision.file), _content(decision.file))) for decision in trusted.all()]
    if call.output.is_json:
        call.output.document({"folders": [{**decision.to_dict(), "state": trust} for decision, trust in found]})
        return
    if not found:
        call.output.say("no folder was allowed or denied")
        return
    shown = table("is", "file", rest="file", is_wrapped=True)
    for decision, trust in found:
        shown.add_row(cell(str(trust)), cell(decision.file))
    call.output.show(shown)


def _trusted() -> TrustedFolders:
    from yesteryear.trust import TrustedFolders, config_folder

    return TrustedFolders(config_folder())


def _file_in(folder: Path | None) -> Path:
    from yesteryear.config import FILE

    folder = Path.cwd() if folder is None else folder.expanduser()
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder")
    return folder / FILE


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""  # of another content than was allowed
