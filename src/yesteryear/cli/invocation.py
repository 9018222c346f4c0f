"""What all commands share: their options, how they open a store, and how they end.

A command is a function that takes an ``Invocation`` first and its own options after it. ``command`` gives it the common
options it needs, and turns every ending into an exit code.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec

from typer import Exit, Option

import yesteryear
from yesteryear.cli import BROKEN_PIPE, INTERRUPTED
from yesteryear.cli.output import Interrupted, NoteHandler, Output, count, logged, silence
from yesteryear.core.message import last_zone
from yesteryear.core.scope import Owner
from yesteryear.core.time import local
from yesteryear.errors import InputError, NotFound, YesteryearError

if TYPE_CHECKING:
    from yesteryear.config.settings import Settings
    from yesteryear.policies import Policies
    from yesteryear.ports import Clock, Ports, Setting, Store

P = ParamSpec("P")

_MOST_NAMES = 10  # how many people are named when it is unclear who is meant


_OPTIONS: Mapping[str, str] = {
    "store": "The memory's file; else YESTERYEAR_STORE, yesteryear.toml or yesteryear.db.",
    "user": "The person remembered; not needed where the store holds one person only.",
    "tenant": "The customer, in a store of many.",
    "project": "A project; its memories and those of no project are seen.",
    "agent": "An agent; likewise.",
}
_JSON = Annotated[bool, Option("--json", help="Print JSON and nothing else on stdout.")]

STORE = ("store",)  # common options of commands about a whole store
PERSON = ("store", "user", "tenant")  # common options of commands about one person or all
SCOPE = tuple(_OPTIONS)  # common options of commands about one memory
NOTHING: tuple[str, ...] = ()  # for commands that open no store

DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class Invocation:
    """One run of a command: the common options as given, and where to write."""

    output: Output
    store: str | None = None
    user: str | None = None
    tenant: str | None = None
    project: str | None = None
    agent: str | None = None

    @property
    def own_tenant(self) -> str:
        """The tenant that is meant where one is needed."""
        return DEFAULT_TENANT if self.tenant is None else self.tenant

    def means(self, owner: Owner) -> bool:
        """Tell whether somebody is meant: everybody is where nobody is named."""
        return self.tenant in (None, owner.tenant) and self.user in (None, owner.user)

    def settings(self, given: Mapping[str, Setting | None] | None = None, *, is_strict: bool = True) -> Settings:
        """Return the settings in force, with what options say beside the store. See ``read_settings``."""
        from yesteryear.config.settings import read_settings  # loads numpy, for the policies

        given = {"store": self.store, **(given or {})}
        return read_settings(given, environ=os.environ, folder=Path.cwd(), is_strict=is_strict)

    def open(
        self, *, may_create: bool = False, clock: Clock | None = None, has_worker: bool = False
    ) -> yesteryear.Engine:
        """Open the store, with work done beside it where that is wanted, and say what it lacks."""
        if not may_create:
            self.check_exists()
        engine = yesteryear.open(self.store, clock=clock, worker=None if has_worker else "none")
        self.output.notes(engine.notes)
        return engine

    @contextmanager
    def memory(self, *, may_create: bool = False) -> Iterator[yesteryear.Memory]:
        """Open the store and lend the memory that the options name. See ``open`` and ``memory_in``."""
        with self.open(may_create=may_create) as engine:
            yield self.memory_in(engine, may_create=may_create)

    def memory_in(
        self, engine: yesteryear.Engine, user: str | None = None, *, may_create: bool = False
    ) -> yesteryear.Memory:
        """Return the memory that the options name, or of ``user`` where they name nobody, or the only one there is."""
        user = user if self.user is None else self.user
        if user is None or not may_create:
            names = [owner.user for owner in engine.owners() if owner.tenant == self.own_tenant]
            if user is None and len(names) == 1:
                [user] = names
            elif user is None:
                raise InputError(f"whose memory? pass --user NAME; {_who_is_there(names)}")
            elif user not in names:
                self.output.note(f"note: {user!r} is not in this store; {_who_is_there(names)}", style="yellow")
        return engine.memory(user=user, tenant=self.own_tenant, project=self.project, agent=self.agent)

    @contextmanager
    def open_ports(self, *, embedder: str | None = None) -> Iterator[tuple[Ports, Policies, Settings]]:
        """Open an existing store for an operator: the adapters themselves, and the settings behind them."""
        from yesteryear.bootstrap import build_policies, build_ports, embedder_notes  # loads the engine

        self.check_exists()
        ports, settings = build_ports(self.store, worker="none", embedder=embedder)
        try:
            self.output.notes(embedder_notes(ports))
            yield ports, build_policies(ports, settings), settings
        finally:
            ports.release()
            ports.store.close()
            ports.embedder.close()

    def open_store(self, *, may_create: bool = False) -> closing[Store]:
        """Open the rows alone, without models."""
        from yesteryear.bootstrap.stores import build_store  # loads the engine

        if not may_create:
            self.check_exists()
        return closing(build_store(self.settings()))

    def check_exists(self) -> None:
        """Refuse to go on without a store: reading must not leave an empty one behind."""
        settings = self.settings()
        place = settings.text("store")
        if place != ":memory:" and "://" not in place and not Path(place).expanduser().exists():
            raise NotFound(
                f"there is no store {place!r} (from: {settings.origins['store']}); "
                "name one with --store, or begin one with `yesteryear import` or `yesteryear observe`"
            )


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
        parameters = [*own, *map(_shared, common), _keyword("json", _JSON, default=False)]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
        run.__doc__ = "\n\n".join(text if text.startswith("Example") else " ".join(text.split()) for text in paragraphs)
        return run

    return decorate


def iso_day(instant: datetime, zone: str | None) -> str:
    """Return the date of an instant as a person's clock showed it: ``2026-03-02``."""
    return local(instant, zone).date().isoformat()


def read_zones(memory: yesteryear.Memory) -> dict[str, str | None]:
    """Return the zone of each conversation by its name; None where it is not known."""
    return {conversation.key.name: conversation.zone for conversation in memory.conversations()}


def read_zone(memory: yesteryear.Memory) -> str | None:
    """Return the person's zone; see ``last_zone``."""
    return last_zone(memory.conversations())


def installed_version(package: str) -> str:
    """Return a package's version; of a bare source tree nobody knows it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(version unknown: not installed as a package)"


def _shared(name: str) -> inspect.Parameter:
    metavar, envvar = "PATH" if name == "store" else "NAME", "YESTERYEAR_USER" if name == "user" else None
    panel = "Whose memory, and where"
    asked = Option(help=_OPTIONS[name], metavar=metavar, envvar=envvar, rich_help_panel=panel)
    return _keyword(name, Annotated[str | None, asked], None)


def _keyword(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _run(output: Output, function: Callable[[], None]) -> None:
    try:
        with logged("yesteryear", NoteHandler(output.note)):
            function()
        sys.stdout.flush()
    except YesteryearError as exc:
        output.error(exc.code, str(exc))
        raise Exit(1) from exc
    except (KeyboardInterrupt, Interrupted) as exc:
        output.error("interrupted", str(exc) or "interrupted")
        raise Exit(INTERRUPTED) from exc
    except BrokenPipeError as exc:
        silence(sys.stdout)
        silence(sys.stderr)
        raise Exit(BROKEN_PIPE) from exc


def _who_is_there(names: list[str]) -> str:
    if not names:
        return "nobody is in this store yet"
    listed = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return f"{count(len(names), 'person is', 'people are')} there: {listed}"
