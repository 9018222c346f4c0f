"""The commands by name. A new one is a function in ``commands`` and a word here; packages add theirs by entry points.

A command's module is imported when it is asked for, so one command does not wait for what the others need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from yesteryear.cli.invocation import installed_version
from yesteryear.cli.output import Output

COMMANDS: Mapping[str, str] = {
    "demo": "demo:demo",
    "import": "intake:import_file",
    "observe": "intake:observe",
    "chat": "asking:chat",
    "context": "asking:context",
    "recall": "asking:recall",
    "episodes": "journal:episodes",
    "messages": "journal:messages",
    "gate": "journal:gate",
    "why": "why:why",
    "facts": "beliefs:facts",
    "conflicts": "beliefs:conflicts",
    "proposals": "rights:proposals",
    "confirm": "beliefs:confirm",
    "refute": "beliefs:refute",
    "both-hold": "beliefs:both_hold",
    "open-loops": "beliefs:open_loops",
    "correct": "beliefs:correct",
    "resolve": "beliefs:resolve",
    "extract": "beliefs:extract",
    "consolidate": "nights:consolidate",
    "undo": "nights:undo",
    "diff": "beliefs:diff",
    "timelapse": "timelapse:timelapse",
    "keep": "rights:keep",
    "pin": "rights:pin",
    "unpin": "rights:unpin",
    "fade": "nights:fade",
    "restore": "rights:restore",
    "forget": "rights:forget",
    "erase": "rights:erase",
    "export": "rights:export",
    "copy": "stores:copy",
    "migrate": "stores:migrate",
    "reembed": "renewing:reembed",
    "reread": "renewing:reread",
    "index": "stores:index",
    "stats": "journal:stats",
    "cost": "setup:cost",
    "doctor": "setup:doctor",
    "audit": "serving:audit",
    "serve": "serving:serve",
    "worker": "stores:worker",
}
"""Module and function of each, in the order in which the help lists them."""
GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "model": (
        "Install, check or remove the embedding model.",
        {"install": "setup:install_model", "status": "setup:model_status", "remove": "setup:remove_model"},
    ),
    "key": (
        "Make, list or revoke the API keys of a server.",
        {"create": "serving:create_key", "list": "serving:list_keys", "revoke": "serving:revoke_key"},
    ),
    "config": (
        "Say which folders may decide where memory goes.",
        {"allow": "setup:allow_folder", "deny": "setup:deny_folder", "list": "setup:list_folders"},
    ),
}
"""Commands of two words: what the first of them is about, and the second."""
_MCP = "mcp"
"""The command that does something by itself and has another one below it."""
ENTRY_POINTS = "yesteryear.commands"
"""Under which other packages say which commands they bring."""
OF_PACKAGES: Mapping[str, str] = dict.fromkeys(("bench", "train", "calibrate"), "yesteryear-lab")
"""Commands that are known not to be ours, and the package that brings each."""
_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""How a command is read whose options we do not know."""


class _Registry(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - what typer makes of a function
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter([*COMMANDS, *GROUPS, _MCP, *sorted(_added())])

    def __len__(self) -> int:
        return len(list(iter(self)))


class _Commands(TyperGroup):
    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - as typer has it
        super().__init__(**attributes)
        self.commands = _Registry()  # type: ignore[assignment]  # typer only reads it


def build_app() -> typer.Typer:
    """Return the command line with all its commands."""
    app = typer.Typer(cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_main)
    return app


@cache
def _command(name: str) -> Any:  # noqa: ANN401
    below = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
    if name in GROUPS:
        meaning, commands = GROUPS[name]
        below.callback(help=meaning)(lambda: None)
        for second, place in commands.items():
            below.command(second)(_load(place))
    elif name == _MCP:
        below = typer.Typer(invoke_without_command=True, add_completion=False)
        below.callback()(_load("serving:serve_mcp"))
        below.command("install")(_load("serving:install_mcp"))
    elif name in COMMANDS:
        below.command(name)(_load(COMMANDS[name]))
    elif name in (added := _added()):
        below.command(name)(_load_added(added[name]))
    elif name in OF_PACKAGES:
        reason = (
            f"the package {OF_PACKAGES[name]} brings the command {name!r}, and it is not installed; in a clone of "
            "yesteryear's repository: pip install --editable lab"
        )
        below.command(name, hidden=True, context_settings=_ANYTHING)(_refusal(reason))
    else:
        raise KeyError(name)
    found = typer.main.get_command(below)
    found.name = name
    return found


def _load(place: str) -> Any:  # noqa: ANN401 - a command's function
    module, _, function = place.partition(":")
    return getattr(import_module(f"yesteryear.cli.commands.{module}"), function)


@cache
def _added() -> dict[str, EntryPoint]:
    """Return the commands of other packages by name; none of them takes the place of one of ours."""
    ours = {*COMMANDS, *GROUPS, _MCP}
    return {found.name: found for found in entry_points(group=ENTRY_POINTS) if found.name not in ours}


def _load_added(found: EntryPoint) -> Any:  # noqa: ANN401
    try:
        return found.load()
    except (ImportError, AttributeError, SyntaxError) as exc:
        package = found.dist.name if found.dist is not None else found.value
        return _refusal(
            f"the package {package} brings the command {found.name!r}, and it cannot be used: {exc}; install it anew"
        )


def _refusal(reason: str) -> Any:  # noqa: ANN401

    def refuse(ctx: typer.Context) -> None:
        Output(is_json="--json" in ctx.args).error("config_error", reason)
        raise typer.Exit(1)

    refuse.__doc__ = reason
    return refuse


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
