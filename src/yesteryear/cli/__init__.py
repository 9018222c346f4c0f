"""The command line: ``yesteryear``. Each command calls the verbs that Python callers use, and shows what they return.

Exit codes: 0 done, 1 an error of ours (or ``--strict`` was not satisfied), 2 wrong usage, 130 ctrl-C, 141 whoever read
our output has gone. With ``--json`` nothing but JSON goes to stdout; progress and notes go to stderr.
"""

from __future__ import annotations

import io
import sys

INTERRUPTED = 130
"""Exit code after ctrl-C, as a shell reports it."""


def main() -> None:
    """Run the command line of this process."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character shows another; the command goes on.
        sys.stdout.reconfigure(errors="replace")
    try:
        from yesteryear.cli.app import build_app

        build_app()()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
