"""The commands by name. A new one is a function in ``commands`` and a word here; packages add theirs by entry points.

A command's module is imported when it is asked for, so one command does not wait for what the others need.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from yesteryear.cli.invocation import installed_version
from yesteryear.cli.output import Output

_ROOMS: Mapping[str, str] = {
    "demo": "demo",
    "intake": "import observe",
    "asking": "chat context recall",
    "journal": "episodes messages gate stats",
    "why": "why",
    "beliefs": "facts open-loops people same not-same conflicts both-hold confirm refute correct resolve extract diff",
    "numbers": "metrics correlations",
    "graph": "graph dismiss",
    "nights": "consolidate undo fade",
    "timelapse": "timelapse",
    "rights": "keep pin unpin restore forget proposals erase export",
    "stores": "worker copy migrate reembed reread index",
    "doctor": "doctor",
    "setup": "cost audit model key config",
    "serving": "serve mcp",
}
"""The commands of each module, in the order of the help."""
COMMANDS: Mapping[str, str] = {name: module for module, names in _ROOMS.items() for name in names.split()}
"""The module of each. A command's function is called as the command is, with ``_`` between words."""
_GROUPS: Mapping[str, tuple[str, ...]] = {
    "model": ("Install, check or remove the embedding model.", "install", "status", "remove"),
    "key": ("Make, list or revoke the API keys of a server.", "create", "list", "revoke"),
    "config": ("Say which folders may decide where memory goes.", "allow", "deny", "list"),
    "mcp": ("", "install"),
}
"""Commands of two words that begin with one, and a sentence about them where that one does nothing by itself."""
ENTRY_POINTS = "yesteryear.commands"  # under which other packages say which commands they bring
OF_PACKAGES: Mapping[str, str] = dict.fromkeys(("bench", "train", "calibrate"), "yesteryear-lab")
"""Commands that are known not to be ours, and the package that brings each."""
_PACKAGE = "yesteryear.cli.commands"
_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""How a command is read whose options we do not know."""


class _Registry(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - what typer makes of a function
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter([*COMMANDS, *sorted(_added())])

    def __len__(self) -> int:
        return len(list(iter(self)))


class _Commands(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Registry()  # type: ignore[assignment]  # typer only reads it

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - as typer has it
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - as typer has it
        """Return what the overview shows of a command; only the one that is called is loaded."""
        if cmd_name in COMMANDS:
            return TyperCommand(cmd_name, help=_sentence_of(cmd_name))
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as typer has it
        name, found, rest = super().resolve_command(ctx, args)
        return name, found and _command(found.name or ""), rest


def build_app() -> typer.Typer:
    """Return the command line with all its commands."""
    app = typer.Typer(cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_main)
    return app


@cache
def _command(name: str) -> Any:  # noqa: ANN401
    made = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
    if name in COMMANDS:
        _add(made, name)
    elif name in (added := _added()):
        made.command(name)(_load_added(added[name]))
    elif name in OF_PACKAGES:
        reason = (
            f"the package {OF_PACKAGES[name]} brings the command {name!r}, and it is not installed; in a clone of "
            "yesteryear's repository: pip install --editable lab"
        )
        made.command(name, hidden=True, context_settings=_ANYTHING)(_refusal(reason))
    else:
        raise KeyError(name)
    found = typer.main.get_command(made)
    found.name = name
    return found


def _add(made: typer.Typer, name: str) -> None:
    """Add a command of ours, with what is below it; one of these, ``mcp``, does something by itself."""
    functions = vars(import_module(f"{_PACKAGE}.{COMMANDS[name]}"))
    own: Any = functions.get(_function_name(name))
    sentence, *below = _GROUPS.get(name, ("",))
    if not below:
        made.command(name)(own)
    elif own is None:
        made.callback(help=sentence)(lambda: None)
    else:
        made.callback(invoke_without_command=True, no_args_is_help=False)(own)
    for second in below:
        made.command(second)(functions[f"{name}_{second}"])


def _function_name(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name.replace("-", "_")


def _sentence_of(name: str) -> str:
    """Return what the overview says of a command of ours: the first sentence of its function, which is not loaded."""
    return _sentences(COMMANDS[name]).get(_function_name(name)) or _GROUPS[name][0]


@cache
def _sentences(module: str) -> dict[str, str]:
    """Return how the docstring of each function of a module of commands begins, by its source."""
    tree = ast.parse((files(_PACKAGE) / f"{module}.py").read_text(encoding="utf-8"))
    told = {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {name: " ".join(text.partition("\n\n")[0].split()) for name, text in told.items()}


@cache
def _added() -> dict[str, EntryPoint]:
    return {found.name: found for found in entry_points(group=ENTRY_POINTS) if found.name not in COMMANDS}


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
