"""The commands by name. A new one is a function in ``commands`` and a line here; packages add theirs by entry points.

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

from yesteryear.cli.output import Output
from yesteryear.cli.versions import installed_version

COMMANDS: Mapping[str, str] = {
    "demo": "demo:demo",
    "import": "import_file:import_file",
    "observe": "observe:observe",
    "chat": "chat:chat",
    "context": "context:context",
    "recall": "recall:recall",
    "episodes": "episodes:episodes",
    "messages": "messages:messages",
    "gate": "gate:gate",
    "why": "why:why",
    "facts": "facts:facts",
    "conflicts": "conflicts:conflicts",
    "proposals": "proposals:proposals",
    "confirm": "confirm:confirm",
    "refute": "confirm:refute",
    "both-hold": "confirm:both_hold",
    "correct": "confirm:correct",
    "resolve": "confirm:resolve",
    "extract": "extract:extract",
    "consolidate": "consolidate:consolidate",
    "undo": "consolidate:undo",
    "diff": "diff:diff",
    "timelapse": "timelapse:timelapse",
    "keep": "keep:keep",
    "pin": "pin:pin",
    "unpin": "pin:unpin",
    "fade": "fade:fade",
    "restore": "restore:restore",
    "forget": "forget:forget",
    "erase": "erase:erase",
    "export": "export:export",
    "copy": "copy:copy",
    "migrate": "migrate:migrate",
    "reembed": "reembed:reembed",
    "index": "index:index",
    "stats": "stats:stats",
    "cost": "cost:cost",
    "doctor": "doctor:doctor",
    "audit": "audit:audit",
    "serve": "serve:serve",
    "worker": "worker:worker",
}
"""Module and function of each, in the order in which the help lists them."""
GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "model": (
        "Install, check or remove the embedding model.",
        {"install": "model:install", "status": "model:status", "remove": "model:remove"},
    ),
    "key": (
        "Make, list or revoke the API keys of a server.",
        {"create": "key:create", "list": "key:list_keys", "revoke": "key:revoke"},
    ),
    "config": (
        "Say which folders may decide where memory goes.",
        {"allow": "config:allow", "deny": "config:deny", "list": "config:list_folders"},
    ),
}
"""Commands of two words: what the first of them is about, and the second."""
ENTRY_POINTS = "yesteryear.commands"
"""Under which other packages say which commands they bring."""
OF_PACKAGES: Mapping[str, str] = dict.fromkeys(("bench", "train", "calibrate"), "yesteryear-lab")
"""Commands that are known not to be ours, and the package that brings each."""
_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""How a command is read whose options we do not know."""


class _Registry(Mapping[str, Any]):
    """Our commands and those of other packages by name, each made when it is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - what typer makes of a function
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter([*COMMANDS, *GROUPS, "mcp", *sorted(_added())])

    def __len__(self) -> int:
        return len(list(iter(self)))


class _Commands(TyperGroup):
    """The command line, whose commands are those of the registry."""

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
    elif name == "mcp":
        below = typer.Typer(invoke_without_command=True, add_completion=False)
        below.callback()(_load("mcp:serve"))
        below.command("install")(_load("mcp:install"))
    elif name in COMMANDS:
        below.command(name)(_load(COMMANDS[name]))
    elif name in (added := _added()):
        below.command(name)(_load_added(added[name]))
    elif name in OF_PACKAGES:
        below.command(name, hidden=True, context_settings=_ANYTHING)(_missing(name))
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
    ours = {*COMMANDS, *GROUPS, "mcp"}
    return {found.name: found for found in entry_points(group=ENTRY_POINTS) if found.name not in ours}


def _load_added(found: EntryPoint) -> Any:  # noqa: ANN401
    try:
        return found.load()
    except (ImportError, AttributeError, SyntaxError) as exc:
        package = found.dist.name if found.dist is not None else found.value
        return _refusal(
            f"the package {package} brings the command {found.name!r}, and it cannot be used: {exc}; install it anew"
        )


def _missing(name: str) -> Any:  # noqa: ANN401
    package = OF_PACKAGES[name]
    return _refusal(
        f"the package {package} brings the command {name!r}, and it is not installed; in a clone of yesteryear's "
        "repository: pip install --editable lab"
    )


def _refusal(reason: str) -> Any:  # noqa: ANN401
    """Return a command that does nothing but say why it cannot."""

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
