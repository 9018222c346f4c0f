"""The commands by name. A new one is a function in ``commands`` and a word here; packages add theirs by entry points.

A command's module is imported when it is asked for, so one command does not wait for what the others need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from yesteryear.cli.invocation import installed_version
from yesteryear.cli.output import Output

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "demo": ("demo", "Remember eight weeks of somebody's life, and answer from them."),
    "import": ("intake", "Import conversations and make episodes and vectors of them, or take an export in."),
    "observe": ("intake", "Take down what was said."),
    "chat": ("asking", "Talk with a model that remembers, and see what it was reminded of."),
    "context": ("asking", "Print what to put before a model for its next reply."),
    "recall": ("asking", "Find memories that bear on a question, best first."),
    "episodes": ("journal", "List episodes, newest first, or put back failed ones."),
    "messages": ("journal", "List what was said, oldest first."),
    "gate": ("journal", "Show what the gate kept and what it skipped, and why."),
    "why": ("why", "Show why something is remembered or believed, and when it fades."),
    "facts": ("beliefs", "List what is believed, the surest first."),
    "conflicts": ("beliefs", "List facts that cannot both hold, newest first."),
    "proposals": ("rights", "List what somebody asked in talk to have forgotten as a whole, oldest first."),
    "confirm": ("beliefs", "Note that the person said yes to a fact, or to a proposal to forget."),
    "refute": ("beliefs", "Note that the person said no to a fact, or to a proposal to forget, which is withdrawn."),
    "both-hold": ("beliefs", "Note that two facts in conflict both hold."),
    "people": ("beliefs", "List the people and pets that are known, those of whom most holds first."),
    "same": ("beliefs", "Note that two names mean one person."),
    "not-same": ("beliefs", "Note that two names mean two."),
    "open-loops": ("beliefs", "List what is open: goals, plans, appointments and blockers, what is due first first."),
    "metrics": ("numbers", "List what the person told of their life in numbers, a series a line."),
    "correlations": ("numbers", "List which of the numbers of somebody's life go together, the surest first."),
    "graph": ("graph", "Show what bears on what: what blocks a goal, what helps it, what conflicts, and why."),
    "dismiss": ("graph", "Note that one thing does not bear on another, for good."),
    "correct": ("beliefs", "Put another statement in the place of a fact."),
    "resolve": (
        "beliefs",
        (
            "Note that something that gets done is: "
            "a goal is reached, a blocker gone, a decision reversed; or was dropped."
        ),
    ),
    "extract": ("beliefs", "Draw facts from an episode by hand."),
    "consolidate": ("nights", "Run a night: settle what is believed, let fade what is due."),
    "undo": ("nights", "Take back what the last night did to facts."),
    "diff": ("beliefs", "Show what changed in what is believed."),
    "timelapse": ("timelapse", "Replay a conversation with its dates, and print how belief changed."),
    "keep": ("rights", "Keep a message after all that the gate skipped."),
    "pin": ("rights", "Keep an episode or a fact for good."),
    "unpin": ("rights", "Let a pinned episode or fact fade again."),
    "fade": ("nights", "Let fade what is due to fade."),
    "restore": (
        "rights",
        "Bring an archived episode back into recall, believe a fact again, or take a request to forget back.",
    ),
    "forget": ("rights", "Forget messages and all that was made of them, or facts."),
    "erase": ("rights", "Erase a person, with all that is kept of them."),
    "export": ("rights", "Write all that is kept of a person into one file."),
    "copy": ("stores", "Copy a store into another one: an encrypted file, a PostgreSQL, or back into a file."),
    "migrate": ("stores", "Bring the tables of a store up to date."),
    "reembed": ("stores", "Make all vectors anew with the embedder in use."),
    "reread": (
        "stores",
        "Read old talk again by what reads now: a newer reader, or the language model that is the analyst.",
    ),
    "index": ("stores", "Give people with very many vectors an index of their own, on PostgreSQL."),
    "stats": ("journal", "Count what the store holds."),
    "cost": ("setup", "Show what language models and embedders behind a network have cost."),
    "doctor": ("doctor", "Check the installation, the settings and the store."),
    "audit": ("setup", "Show who changed what through a server, and whether the record is whole."),
    "serve": ("serving", "Serve memories to other programs and to browsers, until ctrl-C or SIGTERM."),
    "worker": ("stores", "Work through what is due, until ctrl-C or SIGTERM."),
    "model": ("setup", "Install, check or remove the embedding model.", "install", "status", "remove"),
    "key": ("setup", "Make, list or revoke the API keys of a server.", "create", "list", "revoke"),
    "config": ("setup", "Say which folders may decide where memory goes.", "allow", "deny", "list"),
    "mcp": (
        "serving",
        "Give an assistant this memory: a server of the Model Context Protocol over stdin and stdout.",
        "install",
    ),
}
"""The module of each, a sentence about it, and commands of two words that begin with it, in the order of the help.

A command's function is called as the command is, with ``_`` between words.
"""
ENTRY_POINTS = "yesteryear.commands"  # under which other packages say which commands they bring
OF_PACKAGES: Mapping[str, str] = dict.fromkeys(("bench", "train", "calibrate"), "yesteryear-lab")
"""Commands that are known not to be ours, and the package that brings each."""
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
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1])
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
    module, sentence, *below = COMMANDS[name]
    functions = vars(import_module(f"yesteryear.cli.commands.{module}"))
    own: Any = functions.get(f"{name}_" if iskeyword(name) else name.replace("-", "_"))
    if not below:
        made.command(name)(own)
    elif own is None:
        made.callback(help=sentence)(lambda: None)
    else:
        made.callback(invoke_without_command=True, no_args_is_help=False)(own)
    for second in below:
        made.command(second)(functions[f"{name}_{second}"])


@cache
def _added() -> dict[str, EntryPoint]:
    """Return the commands of other packages by name; none of them takes the place of one of ours."""
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
