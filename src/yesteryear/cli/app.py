"""The commands by name. A new one is a function in ``commands`` and a line here."""

from __future__ import annotations

from typing import Annotated

import typer

from yesteryear.cli.commands.audit import audit
from yesteryear.cli.commands.bench import bench
from yesteryear.cli.commands.calibrate import calibrate
from yesteryear.cli.commands.chat import chat
from yesteryear.cli.commands.config import allow, deny, list_folders
from yesteryear.cli.commands.confirm import both_hold, confirm, correct, refute, resolve
from yesteryear.cli.commands.conflicts import conflicts
from yesteryear.cli.commands.consolidate import consolidate, undo
from yesteryear.cli.commands.context import context
from yesteryear.cli.commands.copy import copy
from yesteryear.cli.commands.cost import cost
from yesteryear.cli.commands.demo import demo
from yesteryear.cli.commands.diff import diff
from yesteryear.cli.commands.doctor import doctor
from yesteryear.cli.commands.episodes import episodes
from yesteryear.cli.commands.erase import erase
from yesteryear.cli.commands.export import export
from yesteryear.cli.commands.extract import extract
from yesteryear.cli.commands.facts import facts
from yesteryear.cli.commands.fade import fade
from yesteryear.cli.commands.forget import forget
from yesteryear.cli.commands.gate import gate
from yesteryear.cli.commands.import_file import import_file
from yesteryear.cli.commands.index import index
from yesteryear.cli.commands.keep import keep
from yesteryear.cli.commands.key import create, list_keys, revoke
from yesteryear.cli.commands.mcp import install as install_mcp
from yesteryear.cli.commands.mcp import serve as serve_mcp
from yesteryear.cli.commands.messages import messages
from yesteryear.cli.commands.migrate import migrate
from yesteryear.cli.commands.model import install, remove, status
from yesteryear.cli.commands.observe import observe
from yesteryear.cli.commands.pin import pin, unpin
from yesteryear.cli.commands.proposals import proposals
from yesteryear.cli.commands.recall import recall
from yesteryear.cli.commands.reembed import reembed
from yesteryear.cli.commands.restore import restore
from yesteryear.cli.commands.serve import serve
from yesteryear.cli.commands.stats import stats
from yesteryear.cli.commands.timelapse import timelapse
from yesteryear.cli.commands.train import train
from yesteryear.cli.commands.why import why
from yesteryear.cli.commands.worker import worker
from yesteryear.cli.versions import installed_version

COMMANDS = {
    "demo": demo,
    "import": import_file,
    "observe": observe,
    "chat": chat,
    "context": context,
    "recall": recall,
    "episodes": episodes,
    "messages": messages,
    "gate": gate,
    "why": why,
    "facts": facts,
    "conflicts": conflicts,
    "proposals": proposals,
    "confirm": confirm,
    "refute": refute,
    "both-hold": both_hold,
    "correct": correct,
    "resolve": resolve,
    "extract": extract,
    "consolidate": consolidate,
    "undo": undo,
    "diff": diff,
    "timelapse": timelapse,
    "keep": keep,
    "pin": pin,
    "unpin": unpin,
    "fade": fade,
    "restore": restore,
    "forget": forget,
    "erase": erase,
    "export": export,
    "copy": copy,
    "migrate": migrate,
    "reembed": reembed,
    "index": index,
    "stats": stats,
    "cost": cost,
    "doctor": doctor,
    "audit": audit,
    "bench": bench,
    "train": train,
    "calibrate": calibrate,
    "serve": serve,
    "worker": worker,
}
"""In the order in which the help lists them."""
MODEL_COMMANDS = {"install": install, "status": status, "remove": remove}
KEY_COMMANDS = {"create": create, "list": list_keys, "revoke": revoke}
CONFIG_COMMANDS = {"allow": allow, "deny": deny, "list": list_folders}
GROUPS = {
    "model": ("Install, check or remove the embedding model.", MODEL_COMMANDS),
    "key": ("Make, list or revoke the API keys of a server.", KEY_COMMANDS),
    "config": ("Say which folders may decide where memory goes.", CONFIG_COMMANDS),
}
"""Commands of two words: what the first of them is about, and the second."""


def build_app() -> typer.Typer:
    """Return the command line with all its commands."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_main)
    for name, function in COMMANDS.items():
        app.command(name)(function)
    for group, (meaning, commands) in GROUPS.items():
        below = typer.Typer(no_args_is_help=True, help=meaning)
        for name, function in commands.items():
            below.command(name)(function)
        app.add_typer(below, name=group)
    mcp = typer.Typer(invoke_without_command=True)
    mcp.callback()(serve_mcp)
    mcp.command("install")(install_mcp)
    app.add_typer(mcp, name="mcp")
    return app


def _show_version(is_asked: bool) -> None:
    if is_asked:
        print(f"yesteryear {installed_version('yesteryear')}")
        raise typer.Exit


def _main(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Long-term memory for conversational AI: remember conversations, recall what bears on the next reply.

    Begin with `yesteryear demo`, or with `yesteryear import FILE --user NAME`.
    """
