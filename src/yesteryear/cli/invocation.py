"""What all commands share: their options, how they open a store, and how they end.

A command is a function that takes an ``Invocation`` first and its own options after it. ``command`` gives it the common
options it needs, and turns every ending into an exit code.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, NoReturn, ParamSpec

import typer

from yesteryear.cli import BROKEN_PIPE, INTERRUPTED
from yesteryear.cli.output import Output, count, silence
from yesteryear.errors import InputError, NotFound, YesteryearError

if TYPE_CHECKING:
    from yesteryear.config import Settings
    from yesteryear.ports import Clock, Ports
    from yesteryear.sync.engine import Engine
    from yesteryear.sync.memory import Memory

P = ParamSpec("P")

_MOST_NAMES = 10
"""How many people are named when it is unclear who is meant."""

_PANEL = "Whose memory, and where"
_OPTIONS: dict[str, Any] = {
    "store": Annotated[
        str | None,
        typer.Option(
            help="The memory's file; else YESTERYEAR_STORE, yesteryear.toml or yesteryear.db.",
            metavar="PATH",
            rich_help_panel=_PANEL,
        ),
    ],
    "user": Annotated[
        str | None,
        typer.Option(
            help="The person remembered; not needed where the store holds one person only.",
            metavar="NAME",
            envvar="YESTERYEAR_USER",
            rich_help_panel=_PANEL,
        ),
    ],
    "tenant": Annotated[
        str | None, typer.Option(help="The customer, in a store of many.", metavar="NAME", rich_help_panel=_PANEL)
    ],
    "project": Annotated[
        str | None,
        typer.Option(
            help="A project; its memories and those of no project are seen.", metavar="NAME", rich_help_panel=_PANEL
        ),
    ],
    "agent": Annotated[str | None, typer.Option(help="An agent; likewise.", metavar="NAME", rich_help_panel=_PANEL)],
}
_JSON = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]

STORE = ("store",)
"""Common options of commands about a whole store."""
PERSON = ("store", "user", "tenant")
"""Common options of commands about one person or all."""
SCOPE = tuple(_OPTIONS)
"""Common options of commands about one memory."""
NOTHING: tuple[str, ...] = ()
"""For commands that open no store."""

DEFAULT_TENANT = "default"


class Interrupted(Exception):
    """Ctrl-C; says what was done so far and how to go on."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One run of a command: the common options as given, and where to write."""

    output: Output
    store: str | None = None
    user: str | None = None
    tenant: str | None = None
    project: str | None = None
    agent: str | None = None

    def settings(self, *, is_strict: bool = True) -> Settings:
        """Return the settings in force.

        Args:
            is_strict: See ``read_settings``.

        Raises:
            ConfigError: one of them cannot be used.
        """
        from yesteryear.config import read_settings

        return read_settings({"store": self.store}, environ=os.environ, folder=Path.cwd(), is_strict=is_strict)

    def open(self, *, may_create: bool = False, clock: Clock | None = None, has_worker: bool = False) -> Engine:
        """Open the store, and say in which way it is less than it could be.

        Args:
            may_create: Whether a store that is not there is made.
            clock: Tells the time; the computer's where not given.
            has_worker: Whether work is done beside it while it is open.

        Raises:
            NotFound: there is no such store.
            ConfigError, StorageError: as ``yesteryear.open``.
        """
        import yesteryear

        if not may_create:
            self.check_exists()
        engine = yesteryear.open(self.store, clock=clock, worker=None if has_worker else "none")
        for note in engine.notes:
            self.output.note(f"note: {note}", style="yellow")
        return engine

    @contextmanager
    def open_ports(self, *, embedder: str | None = None) -> Iterator[tuple[Ports, Settings]]:
        """Open an existing store for an operator: the adapters themselves, and the settings behind them.

        Raises:
            NotFound, ConfigError, StorageError: as ``open``.
        """
        from yesteryear.bootstrap import build_ports, embedder_notes

        self.check_exists()
        ports, settings = build_ports(self.store, worker="none", embedder=embedder)
        try:
            for note in embedder_notes(ports):
                self.output.note(f"note: {note}", style="yellow")
            yield ports, settings
        finally:
            ports.release()
            ports.store.close()
            ports.embedder.close()

    def check_exists(self) -> None:
        """Refuse to go on without a store: reading must not leave an empty one behind.

        Raises:
            NotFound: there is no such file.
        """
        from yesteryear.bootstrap.stores import IN_MEMORY

        settings = self.settings()
        place = settings.text("store")
        if place != IN_MEMORY and "://" not in place and not Path(place).expanduser().exists():
            raise NotFound(
                f"there is no store {place!r} (from: {settings.origins['store']}); "
                "name one with --store, or begin one with `yesteryear import` or `yesteryear observe`"
            )

    def memory(self, engine: Engine, user: str | None = None, *, may_create: bool = False) -> Memory:
        """Return the memory that the options name.

        Args:
            engine: Where it is.
            user: The person, where neither ``--user`` nor the environment says so.
            may_create: Whether it may be somebody new; otherwise that is worth a note.

        Raises:
            InputError: nobody is named, and it is not clear who is meant.
        """
        tenant = DEFAULT_TENANT if self.tenant is None else self.tenant
        user = user if self.user is None else self.user
        if user is None or not may_create:
            names = [owner.user for owner in engine.owners() if owner.tenant == tenant]
            if user is None:
                user = _only_one(names)
            elif user not in names:
                self.output.note(f"note: {user!r} is not in this store; {_who_is_there(names)}", style="yellow")
        return engine.memory(user=user, tenant=tenant, project=self.project, agent=self.agent)


def command(*common: str) -> Callable[[Callable[Concatenate[Invocation, P], None]], Callable[..., None]]:
    """Make a function a command with some of the common options and ``--json``.

    Its docstring becomes the help text: paragraphs are wrapped anew, the lines of an example stay.
    """

    def decorate(function: Callable[Concatenate[Invocation, P], None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(*args: P.args, **options: P.kwargs) -> None:
            output = Output(is_json=bool(options.pop("json")))
            given: dict[str, Any] = {name: options.pop(name) for name in common}
            _run(output, functools.partial(function, Invocation(output, **given), *args, **options))

        signature = inspect.signature(function, eval_str=True)
        own = list(signature.parameters.values())[1:]
        shared = [_keyword(name, _OPTIONS[name], None) for name in common]
        parameters = [*own, *shared, _keyword("json", _JSON, default=False)]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        run.__doc__ = _help_text(function.__doc__ or "")
        return run

    return decorate


def _keyword(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _help_text(docstring: str) -> str:
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(
        paragraph if paragraph.startswith("Example") else " ".join(paragraph.split()) for paragraph in paragraphs
    )


def _run(output: Output, function: Callable[[], None]) -> None:
    """Run a command and end the process the way the exit codes say."""
    try:
        with output.logs():
            function()
        sys.stdout.flush()
    except YesteryearError as exc:
        output.error(exc.code, str(exc))
        _exit(1, exc)
    except (KeyboardInterrupt, Interrupted) as exc:
        output.error("interrupted", str(exc) or "interrupted")
        _exit(INTERRUPTED, exc)
    except BrokenPipeError as exc:
        silence(sys.stdout)
        silence(sys.stderr)
        _exit(BROKEN_PIPE, exc)


def _exit(code: int, cause: BaseException) -> NoReturn:
    raise typer.Exit(code) from cause


def _only_one(names: list[str]) -> str:
    if len(names) != 1:
        raise InputError(f"whose memory? pass --user NAME; {_who_is_there(names)}")
    return names[0]


def _who_is_there(names: list[str]) -> str:
    if not names:
        return "nobody is in this store yet"
    listed = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return f"{count(len(names), 'person is', 'people are')} there: {listed}"
