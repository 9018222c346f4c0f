"""Who works, a thread beside the callers or a process of its own: finds owners with due rows, works through them.

Rows are the queue, and each says when it is due; sleep ends with a ring of the bell, or after a while.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeVar

from yesteryear.core.scope import Owner
from yesteryear.core.time import FOREVER, earlier, later
from yesteryear.forget.erase import finish_erasures
from yesteryear.lifecycle.drain import Drain, Drained, release
from yesteryear.lifecycle.failures import log_failure
from yesteryear.policies import Policies
from yesteryear.ports import Ports, Store, Transaction

log = logging.getLogger("yesteryear.worker")

T = TypeVar("T")

_ROWS = 64  # rows of each kind that are set right at once
_NIGHT = timedelta(days=2)  # a night is never further ahead: there is one every day
_START_FIELD = 19  # where a process's start stands in what Linux tells of it, counted after the program's name


@dataclass(frozen=True, slots=True)
class WorkerPolicy:
    """When the worker looks."""

    poll_s: float = 1.0  # longest pause between two looks, in seconds: rows are the queue, the bell is only a hint
    owners_at_once: int = 16  # owners fetched with one look
    fresh_s: float = 0.1
    """How old what a look has found may become, in seconds, before it is asked again who of them still has due work:
    to find nothing to do takes about fifteen transactions of an owner that another process has worked through."""
    turn_s: float = 5.0  # longest turn of one owner while others may wait, in seconds; it ends between two rows
    jolt_s: float = 1.0
    """By how much the clock may go back without anything being looked at, in seconds: it is corrected all the time."""
    takeover_s: float = 15.0  # how often leases of workers that are gone are taken back, in seconds


class Runner:
    """Works through due rows until it is stopped. ``start`` runs it on a thread, ``run`` on the caller's.

    Args:
        on_progress: Called with an owner and what has just been done for them.
        tidy: Called as often as leases are taken back: what this process has to do beside rows.
    """

    def __init__(
        self,
        ports: Ports,
        policies: Policies,
        policy: WorkerPolicy | None = None,
        *,
        on_progress: Callable[[Owner, Drained], None] = lambda _, __: None,
        tidy: Callable[[], None] = lambda: None,
    ) -> None:
        self._ports = ports
        self._policies = policies
        self._policy = policy or WorkerPolicy()
        self._on_progress = on_progress
        self._tidy = tidy
        self._is_stopping = False
        self._thread: threading.Thread | None = None
        self._name = ports.workers.name()
        self._of_other_models: list[Owner] | None = None
        self.done = Drained()  # by the present run, or the last
        self._last_look: datetime | None = None

    @property
    def is_alive(self) -> bool:
        """Whether its thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Begin on a thread."""
        self._thread = threading.Thread(target=self.run, name="yesteryear-worker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop at the next row boundary; return when stopped."""
        self._is_stopping = True
        self._ports.bell.ring()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def run(self, *, until_idle: bool = False) -> Drained:
        """Work until stopped, or with ``until_idle`` until nothing is due; return what was done."""
        self.done = Drained()
        looks_to_takeover = 0
        while not self._is_stopping:
            if looks_to_takeover <= 0:
                looks_to_takeover = int(self._policy.takeover_s / self._policy.poll_s)
                _survive(self._take_over)
                _survive(lambda: finish_erasures(self._ports.store, key=self._ports.receipt_key))
                _survive(self._tidy)
            _survive(self._watch_clock)
            worked = bool(_survive(self._look) or _survive(self._change_model))
            if until_idle and not worked:
                break
            if not worked:
                looks_to_takeover -= 1
                self._ports.bell.wait(self._policy.poll_s)
        return self.done

    def _watch_clock(self) -> None:
        """Set right what waits for times that are no more: of a clock that went back before we began, or since."""
        last, now = self._last_look, self._ports.clock.now()
        self._last_look = now
        if last is not None and now >= earlier(last, timedelta(seconds=self._policy.jolt_s)):
            return
        for owner in self._ports.store.owners():
            if self._is_stopping:
                break
            if set_right(self._ports.store, owner, self._policies, now=now):
                log.warning("the clock went back; what waited for later counts from now on")

    def _look(self) -> bool:
        worked = False
        found = due = self._owners_due()
        looked_at = time.monotonic()
        for owner in found:
            if self._is_stopping:
                break
            if time.monotonic() - looked_at > self._policy.fresh_s:
                due, looked_at = self._owners_due(), time.monotonic()
            if owner in due:
                worked = self._drain(owner) or worked
        return worked

    def _owners_due(self) -> list[Owner]:
        return self._ports.store.due(self._ports.clock.now(), limit=self._policy.owners_at_once)

    def _change_model(self) -> bool:
        """Work through one owner whose vectors are of another model, due or not; tell whether anything was done."""
        if self._of_other_models is None:  # the model of a process never changes, so one look at all owners is enough
            owners = [] if self._ports.is_fallback_embedder else self._ports.store.owners()
            self._of_other_models = list(filter(self._has_other_model, owners))
        if not self._of_other_models:
            return False
        owner = self._of_other_models.pop(0)
        worked = self._drain(owner)
        if self._has_other_model(owner):
            self._of_other_models.append(owner)
        return worked

    def _has_other_model(self, owner: Owner) -> bool:
        with self._ports.store.read(owner.scope) as tx:
            return tx.owner().model not in (None, self._ports.embedder.profile.model)

    def _drain(self, owner: Owner) -> bool:
        """Work through one owner; tell whether anything was done, or may be left since the turn was over."""
        told = Drained()

        def tell(done: Drained) -> None:
            nonlocal told
            fresh, told = done - told, done
            self._on_progress(owner, fresh)

        turn_ends = time.monotonic() + self._policy.turn_s
        drain = Drain(
            self._ports,
            self._policies,
            owner.scope,
            worker=self._name,
            should_stop=lambda: self._is_stopping or time.monotonic() > turn_ends,
            on_progress=tell,
        )
        was_ours = _survive(drain.run)  # one owner's trouble must not keep the others waiting
        self.done += drain.done
        return drain.done != Drained() or (bool(was_ours) and time.monotonic() > turn_ends)

    def _take_over(self) -> None:
        """Free the owners whose worker is gone, so that they need not wait for the lease to run out."""
        for owner, worker in self._ports.store.leases():
            if self._ports.workers.is_gone(worker):
                self._ports.store.write(owner.scope, partial(release, worker=worker))
                log.info("took over from %s", worker)


def _survive(work: Callable[[], T]) -> T | None:
    """Do some work at the edge of the worker: what goes wrong is on its row or in the log, the next look goes on."""
    try:
        return work()
    except Exception as exc:  # noqa: BLE001 - the edge: nothing may stop it
        log_failure(log, "the worker goes on; what it did", exc)
        return None


def set_right(store: Store, owner: Owner, policies: Policies, *, now: datetime) -> bool:
    """Let count from now what waits for a time that a wrong clock has set; tell whether there was anything.

    What lies further ahead than anything is ever put off comes from a clock that was ahead, and was put right. Counted
    by one that was a year ahead, a row is due in a year: nothing would be done until then, and a lease hold as long.
    """
    with store.read(owner.scope) as tx:
        is_any = is_left = bool(_corrections(tx, policies, now))

    def correct(tx: Transaction) -> bool:
        corrections = _corrections(tx, policies, now)
        for write in corrections:
            write()
        return bool(corrections)

    while is_left:
        is_left = store.write(owner.scope, correct)
    return is_any


def _corrections(tx: Transaction, policies: Policies, now: datetime) -> list[Callable[[], None]]:
    retry, pause = policies.remember.retry, policies.remember.segment.pause
    longest_s = max(retry.first_wait_s * retry.growth ** max(0, retry.attempts - 2), retry.lease_s)
    latest = later(now, timedelta(seconds=1.5 * longest_s))  # half of it more, for hosts whose clocks differ
    found: list[Callable[[], None]] = []
    state = right = tx.owner()
    if state.lease_until is not None and state.lease_until > latest:
        right = replace(right, lease_by=None, lease_until=None)
    if state.night_at is not None and state.night_at > later(now, _NIGHT):
        right = replace(right, night_at=now)
    if right != state:
        found.append(partial(tx.save_owner, right))
    for row in tx.conversations.due(FOREVER, limit=_ROWS):
        since = row.due_at if row.attempts else row.last_recorded_at  # after a failure, or words of the future
        if since is not None and since > latest:
            recorded_at, due_at = min(row.last_recorded_at or now, now), now if row.attempts else now + pause
            found.append(partial(tx.conversations.save, replace(row, last_recorded_at=recorded_at, due_at=due_at)))
    found += [
        partial(tx.episodes.update, replace(row, next_try=now), expecting=row.status)
        for row in tx.episodes.due(FOREVER, limit=_ROWS)
        if (row.next_try or now) > latest
    ]
    messages = [row for row in tx.messages.due(FOREVER, limit=_ROWS) if (row.vector_due_at or now) > latest]
    facts = [row for row in tx.facts.due(FOREVER, limit=_ROWS) if (row.due_at or now) > latest]
    if messages:
        found.append(partial(tx.messages.update, [replace(row, vector_due_at=now) for row in messages]))
    if facts:
        found.append(partial(tx.facts.update, [replace(row, due_at=now) for row in facts]))
    return found


class ThreadBell:
    """Wakes the worker thread of this process. A ring that nobody waits for is remembered.

    A queue written in C, because an interrupt inside ``threading.Event`` can leave its lock taken for ever.
    """

    def __init__(self) -> None:
        self._rings: SimpleQueue[None] = SimpleQueue()

    def ring(self) -> None:
        """Wake whoever waits."""
        if self._rings.empty():
            self._rings.put(None)

    def wait(self, timeout_s: float) -> bool:
        """Wait for a ring, at most ``timeout_s`` seconds; tell whether there was one."""
        try:
            self._rings.get(timeout=timeout_s)
        except Empty:
            return False
        return True


class ProcessWorkers:
    """Names workers by host, process, its start and a random part, so that a dead one on this host is known at once.

    The start tells a process from a later one with the same number, as in a container that was restarted.
    """

    def __init__(self) -> None:
        self._host = socket.gethostname()

    def name(self) -> str:
        """Return a fresh name for a worker in this process."""
        return f"{self._host}/{os.getpid()}/{_started(os.getpid())}/{uuid.uuid4().hex[:12]}"

    def is_gone(self, worker: str) -> bool:
        """Tell whether that worker's process has ended; False for other hosts and wherever it cannot be known."""
        host, _, rest = worker.partition("/")
        pid, _, rest = rest.partition("/")
        if host != self._host or not pid.isdecimal() or sys.platform == "win32":
            return False
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            return False  # alive, and somebody else's
        return rest.partition("/")[0] != _started(int(pid))


def _started(pid: int) -> str:
    """Return when a process began, in the kernel's count, or nothing where the system does not tell."""
    try:
        found = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return found.rpartition(")")[2].split()[_START_FIELD]
