"""The worker's loop: find owners with due rows, work through them, sleep until there is more."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from yesteryear.core.scope import Owner, Scope
from yesteryear.core.time import earlier
from yesteryear.drain import Drain, Drained
from yesteryear.forget.erase import finish_erasures
from yesteryear.policies import Policies
from yesteryear.ports import Ports, Transaction
from yesteryear.rewind import set_right

log = logging.getLogger("yesteryear.worker")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkerPolicy:
    """When the worker looks."""

    poll_s: float = 1.0
    """Longest pause between two looks, in seconds: rows are the queue, the bell is only a hint."""
    owners_at_once: int = 16
    """Owners fetched with one look."""
    fresh_s: float = 0.1
    """How old what a look has found may become, in seconds, before it is asked again who of them still has due work:
    to find nothing to do takes about fifteen transactions of an owner that another process has worked through."""
    turn_s: float = 5.0
    """Longest turn of one owner while others may wait, in seconds; it ends between two rows."""
    jolt_s: float = 1.0
    """By how much the clock may go back without anything being looked at, in seconds: it is corrected all the time."""
    takeover_s: float = 15.0
    """How often leases of workers that are gone are taken back, in seconds."""


class Runner:
    """Works through due rows until it is stopped. ``start`` runs it on a thread, ``run`` on the caller's.

    Args:
        ports, policies: What to work with.
        policy: When to look.
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
        self._done = Drained()
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
        self._done = Drained()
        looks_to_takeover = 0
        while not self._is_stopping:
            if looks_to_takeover <= 0:
                looks_to_takeover = int(self._policy.takeover_s / self._policy.poll_s)
                _survive(self._take_over)
                _survive(self._finish_erasures)
                _survive(self._tidy)
            _survive(self._watch_clock)
            worked = bool(_survive(self._look) or _survive(self._change_model))
            if until_idle and not worked:
                break
            if not worked:
                looks_to_takeover -= 1
                self._ports.bell.wait(self._policy.poll_s)
        return self._done

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
        """Work through the owners that are due; tell whether any had something to do."""
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
        """Work through one owner whose vectors are of another model, due or not; tell whether anything was done.

        The model of a process never changes, so one look at all owners is enough; who is not done has another turn.
        """
        if self._of_other_models is None:
            self._of_other_models = [] if self._ports.is_fallback_embedder else list(self._owners_of_other_models())
        if not self._of_other_models:
            return False
        owner = self._of_other_models.pop(0)
        worked = self._drain(owner)
        if self._has_other_model(owner):
            self._of_other_models.append(owner)
        return worked

    def _owners_of_other_models(self) -> Iterator[Owner]:
        return filter(self._has_other_model, self._ports.store.owners())

    def _has_other_model(self, owner: Owner) -> bool:
        with self._ports.store.read(Scope(tenant=owner.tenant, user=owner.user)) as tx:
            return tx.owner().model not in (None, self._ports.embedder.profile.model)

    def _drain(self, owner: Owner) -> bool:
        """Work through one owner; tell whether anything was done."""
        told = Drained()

        def tell(done: Drained) -> None:
            nonlocal told
            fresh, told = done - told, done
            self._on_progress(owner, fresh)

        turn_ends = time.monotonic() + self._policy.turn_s
        drain = Drain(
            self._ports,
            self._policies,
            Scope(tenant=owner.tenant, user=owner.user),
            worker=self._name,
            should_stop=lambda: self._is_stopping or time.monotonic() > turn_ends,
            on_progress=tell,
        )
        _survive(drain.run)  # one owner's trouble must not keep the others waiting
        self._done += drain.done
        return drain.done != Drained()

    def _take_over(self) -> None:
        """Free the owners whose worker is gone, so that they need not wait for the lease to run out."""
        for owner, worker in self._ports.store.leases():
            if not self._ports.workers.is_gone(worker):
                continue

            def free(tx: Transaction, worker: str = worker) -> None:
                state = tx.owner()
                if state.lease_by == worker:
                    tx.save_owner(replace(state, lease_by=None, lease_until=None))

            self._ports.store.write(Scope(tenant=owner.tenant, user=owner.user), free)
            log.info("took over from %s", worker)

    def _finish_erasures(self) -> None:
        """Clean the files for erasures that had to wait for a reader, or were killed."""
        finish_erasures(self._ports.store, key=self._ports.receipt_key)


def _survive(work: Callable[[], T]) -> T | None:
    """Do some work at the edge of the worker: what goes wrong is on its row or in the log, the next look goes on."""
    try:
        return work()
    except Exception:
        log.exception("the worker failed and goes on")
        return None
