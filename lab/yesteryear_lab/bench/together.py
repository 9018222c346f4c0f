"""Processes of ours that begin to work at the same moment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from yesteryear.errors import YesteryearError


class Team:
    """Processes that are ready, and wait for a word.

    Args:
        members: They write a line when they are ready, begin when they read one, and may write another when done.
    """

    def __init__(self, members: Sequence[subprocess.Popen[str]]) -> None:
        self._members = members

    def begin(self) -> None:
        """Let all of them begin."""
        for member in self._members:
            if member.stdin is not None:
                member.stdin.write("go\n")
                member.stdin.flush()

    def hear(self) -> list[str]:
        """Return the next line of each, once all have written one.

        Raises:
            YesteryearError: one of them has ended.
        """
        lines = [member.stdout.readline() for member in self._members if member.stdout is not None]
        if not all(lines):
            raise YesteryearError("a process that took part in the measurement has ended; its messages are above")
        return [line.rstrip("\n") for line in lines]


@contextmanager
def gather_team(module: str, arguments: Iterable[Sequence[str]]) -> Iterator[Team]:
    """Run a module of ours once with each of some arguments; they end when their standard input does.

    Raises:
        YesteryearError: one of them did not start.
    """
    with ExitStack() as ends:
        members = []
        for each in arguments:
            command = [sys.executable, "-m", module, *each]
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own module
            members.append(ends.enter_context(child))
        team = Team(members)
        team.hear()
        yield team
