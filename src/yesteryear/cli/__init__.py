"""The command line: ``yesteryear``. Each command calls the verbs that Python callers use, and shows what they return.

Exit codes: 0 done, 1 an error that is told (or ``--strict`` was not satisfied), 2 wrong usage, 130 ctrl-C, 141 whoever
read our output has gone. With ``--json`` nothing but JSON goes to stdout; progress and notes go to stderr.
"""

from __future__ import annotations

import errno
import io
import sys

INTERRUPTED = 130  # exit code after ctrl-C, as a shell reports it
BROKEN_PIPE = 141  # exit code when whoever read our output has gone, as a shell reports it

_NO_PLACE_TO_WRITE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def main() -> None:
    """Run the command line of this process."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character shows another; the command goes on.
        sys.stdout.reconfigure(errors="replace")
    try:
        from yesteryear.cli.app import build_app

        try:
            build_app()()
        finally:
            sys.stdout.flush()  # at the end of the interpreter nobody could be told that it failed
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as exc:
        from yesteryear.cli.output import silence

        if not isinstance(exc, BrokenPipeError) and exc.errno not in _NO_PLACE_TO_WRITE:
            raise
        silence(sys.stdout)
        if isinstance(exc, BrokenPipeError):
            sys.exit(BROKEN_PIPE)
        print(f"error: {exc.filename or 'the output'} cannot be written: {exc.strerror}", file=sys.stderr)
        sys.exit(1)
