"""Asking before something goes that cannot be brought back."""

from __future__ import annotations

import sys

import typer

from yesteryear.cli.invocation import Interrupted
from yesteryear.cli.output import Output, clean

_DECLINED = 1
"""Exit code after the question was answered with no."""
_WRONG_USAGE = 2
"""Exit code where there is nobody to ask."""
_YES = ("y", "yes")
_NOTHING_DONE = "nothing was done"


def check_askable(output: Output, *, otherwise: str) -> None:
    """Refuse to go on where nobody can be asked: no terminal, or JSON on stdout.

    Args:
        output: Where that is said.
        otherwise: Which options go without asking.

    Raises:
        typer.Exit: nobody can be asked.
    """
    if output.is_json or not sys.stdin.isatty():
        output.error("usage", f"nobody can be asked here, so {_NOTHING_DONE}; {otherwise}")
        raise typer.Exit(_WRONG_USAGE)


def ask(question: str, output: Output, *, expecting: str = "", otherwise: str = _NOTHING_DONE) -> None:
    """Ask at the terminal, and go on only if the answer is yes.

    Args:
        question: What is asked.
        output: Where it is said that the answer was no.
        expecting: What has to be typed instead of yes, letter by letter.
        otherwise: What holds after a no.

    Raises:
        typer.Exit: the answer was no, or none.
        Interrupted: ctrl-C.
    """
    try:  # from the first word on: whoever sees the question may answer at once
        print(clean(question), "" if expecting else "[y/N] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip()
    except KeyboardInterrupt as exc:
        raise Interrupted(f"interrupted; {otherwise}") from exc
    has_agreed = answer == expecting.strip() if expecting else answer.lower() in _YES
    if not has_agreed:
        output.note(otherwise)
        raise typer.Exit(_DECLINED)
