"""``yesteryear worker``."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import STORE, Interrupted, Invocation, command
from yesteryear.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable

    from yesteryear.core.scope import Owner
    from yesteryear.drain import Drained


@command(*STORE)
def worker(
    call: Invocation,
    is_once: Annotated[bool, typer.Option("--once", help="Stop when nothing is due any more.")] = False,
) -> None:
    """Work through what is due, until ctrl-C or SIGTERM.

    Makes episodes and vectors of what was said, for everybody in the store. Several workers and programs may share a
    store; one of them at a time works for a person. A row under way is finished before the worker stops; a second
    ctrl-C does not wait, and nothing is lost then either. With --json a piece of work a line.

    Example:
      yesteryear worker --store memory.db --once
    """
    from yesteryear.bootstrap import build_policies
    from yesteryear.cli.working import run_until_stopped, say_drained
    from yesteryear.worker.runner import Runner

    reporter = _Reporter(call.output)
    with call.open_ports() as (ports, settings):
        runner = Runner(ports, build_policies(ports, settings), on_progress=reporter)
        reporter.stop = runner.stop
        call.output.note(f"working on {settings.text('store')}; ctrl-C stops", style="dim")
        total, ended_by = run_until_stopped(runner, until_idle=is_once)
    if reporter.error is not None:
        raise reporter.error
    done = say_drained(total) if total is not None else "nothing"
    if ended_by is signal.SIGINT:
        raise Interrupted(f"stopped; worked in: {done}; start the worker again to go on")
    call.output.note(f"worked in: {done}")
    if total is not None and total.failures:
        call.output.note("what failed is tried again later; `yesteryear doctor` shows it")


class _Reporter:
    """Prints what was done. Called on the worker's thread."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.stop: Callable[[], None] = lambda: None
        self.error: BrokenPipeError | None = None

    def __call__(self, owner: Owner, done: Drained) -> None:
        """Print a line if anything was done."""
        from yesteryear.cli.working import say_drained

        if not any(done.to_dict().values()):
            return
        try:
            if self._output.is_json:
                self._output.document({"tenant": owner.tenant, "user": owner.user, **done.to_dict()})
            self._output.say(f"{owner.user}: {say_drained(done)}")
        except BrokenPipeError as exc:
            # The worker must not take this for a failure of the work: it ends, as if it had been told to.
            self.error = exc
            self.stop()
