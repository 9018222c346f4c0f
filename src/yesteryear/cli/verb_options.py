"""Options that follow from verbs: what a verb declares is an option or an argument of the command that calls it.

Only modules of commands import this: it loads the engine, which the overview of all commands does without.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import wraps
from typing import Annotated, Any, Concatenate, Generic, ParamSpec, TypeVar, cast

from typer import Argument, Option

import yesteryear
from yesteryear.api.verbs import REQUIRED, VERBS, Parameter, Verb, keyword
from yesteryear.cli.invocation import SCOPE, Invocation, command, read_zone
from yesteryear.core.time import parse_instant

P = ParamSpec("P")
R = TypeVar("R")

NOT_ASKED: Mapping[str, str] = {
    "version": "who changes a fact at a prompt has just looked at it; programs pass it",
    "evidence": "`why` shows what a fact rests on",
    "facts after": "a page at a prompt is as long as is asked for",
    "context dry_run": "a context at a prompt is shown to somebody",
    "messages outcome": "`gate` shows what was kept and skipped, and why",
    "messages newest_first": "the end of a listing is what stands above the prompt",
    **dict.fromkeys(("facts ids", "messages ids", "episodes ids"), "`why` shows what has an id"),
}
"""Parameters, of any verb or of one, that no command asks for, and why."""
OTHERWISE: Mapping[str, str] = {"open_only": "open", "kinds": "kind"}  # what options are called that people read aloud
_METAVARS = {"ids": "ID", "one": "NAME", "cycle": "NIGHT", "statement": "TEXT"}
"""What stands for an argument, where that is not its name."""
_WORDS_CHARS = 40  # longest list of words that stands in the place of an option's value


@dataclass(frozen=True, slots=True)
class AskedVerb(Generic[R]):
    """A verb, with what the options of a command say."""

    declared: Verb
    given: Mapping[str, Any]
    invocation: Invocation

    def __call__(self, memory: yesteryear.Memory | None = None, **more: object) -> R:
        """Call it of a memory, else that of the options, with what the command says beside or instead."""
        if memory is None:
            with self.invocation.memory() as opened:
                return self(opened, **more)
        return cast("R", self.declared.call(memory, {**self.given, **more}))

    def with_zone(self, **more: object) -> tuple[R, str | None]:
        """Call it of the memory that the options name, and return the zone that the person is shown its answer in."""
        with self.invocation.memory() as memory:
            return self(memory, **more), None if self.invocation.output.is_json else read_zone(memory)


def command_of(
    verb: Callable[..., R], *common: str, keeps_dates: bool = False
) -> Callable[[Callable[Concatenate[Invocation, AskedVerb[R], P], None]], Callable[..., None]]:
    """Make a function a command that asks for all that a verb takes, beside its own options; see ``command``.

    A parameter that the function has itself is its own, and is not passed to the verb.

    Args:
        verb: As the memory has it; the function is handed it with what was given.
        common: The common options; those of one memory where none are named.
        keeps_dates: Whether the verb reads dates without a time itself; for others they begin at midnight UTC.
    """

    def decorate(function: Callable[Concatenate[Invocation, AskedVerb[R], P], None]) -> Callable[..., None]:
        declared = VERBS[verb.__name__]
        call, _, *own = inspect.signature(function, eval_str=True).parameters.values()
        others = {each.name for each in own}
        parameters = inspect.signature(verb).parameters.values()
        first = {each.name for each in parameters if each.kind is not each.KEYWORD_ONLY}
        asked = [
            each
            for name, each in declared.parameters.items()
            if not {name, f"{declared.name} {name}"} & (NOT_ASKED.keys() | others)
        ]

        @wraps(function)
        def run(invocation: Invocation, /, *args: P.args, **options: P.kwargs) -> None:
            given = {each.name: options.pop(each.name) for each in asked}
            if not keeps_dates:
                instants = (each.name for each in asked if each.kind is datetime)
                given |= {name: _parse_day(cast("str | None", given[name])) for name in instants}
            function(invocation, AskedVerb(declared, given, invocation), *args, **options)

        options = [_as_option(each, is_first=each.name in first) for each in asked]
        options += (each.replace(kind=each.KEYWORD_ONLY) for each in own)
        run.__signature__ = inspect.Signature([call, *options])  # type: ignore[attr-defined]
        return command(*(common or SCOPE))(run)

    return decorate


def _parse_day(text: str | None) -> datetime | None:
    """Return the instant that an option names: an instant with its zone, or a date, which begins at midnight UTC."""
    if text is None:
        return None
    try:
        return datetime.combine(date.fromisoformat(text), time.min, UTC)
    except ValueError:
        return parse_instant(text)


def _completion(choices: Collection[str]) -> Callable[[str], list[str]] | None:
    return (lambda incomplete: [word for word in choices if word.startswith(incomplete)]) if choices else None


def _as_option(each: Parameter, *, is_first: bool) -> inspect.Parameter:
    kind: Any = each.kind if each.kind in (int, bool) else str
    if each.is_list:
        kind = list[kind]
    name = OTHERWISE.get(each.name, each.name)
    completes = _completion(each.choices)
    if is_first:
        asked = Argument(help=each.about, metavar=_METAVARS.get(name, name.upper()), autocompletion=completes)
    else:
        metavar, words = "ISO-8601" if each.kind is datetime else None, "|".join(each.choices)
        if words:
            metavar = words if len(words) <= _WORDS_CHARS else name.upper()
        about = f"{each.about} May be given more than once." if each.is_list else each.about
        asked = Option(f"--{name.replace('_', '-')}", help=about, metavar=metavar, autocompletion=completes)
    return keyword(each.name, Annotated[kind if each.default is REQUIRED else kind | None, asked], each.default)
