"""Another process at work while something is measured."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from yesteryear.errors import YesteryearError


@contextmanager
def process_beside(module: str, *arguments: str) -> Iterator[None]:
    """Run a module of ours until the block ends; it says "ready" once it works, and ends when its standard input does.

    Raises:
        YesteryearError: it did not start.
    """
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:  # noqa: S603 - our own module
        if child.stdin is None or child.stdout is None or child.stdout.readline() != b"ready\n":
            raise YesteryearError(f"the process {module} did not start; its messages are above")
        try:
            yield
        finally:
            child.stdin.close()
