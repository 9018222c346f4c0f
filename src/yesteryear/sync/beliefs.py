"""What is believed, and the person's word on it: facts, conflicts, nights, and what they say by hand.

The verbs of ``memory.py`` go on here. Made from ``beliefs.py`` by ``make sync``; do not edit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Annotated, TypeVar

from yesteryear.consolidate.cycle import Progress, consolidate, undo
from yesteryear.consolidate.hand import MAX_STATEMENT_CHARS, Hand, find_fact
from yesteryear.consolidate.look import (
    ConflictView,
    FactsDiff,
    FactsFilter,
    FactView,
    News,
    conflicts,
    diff,
    look,
    news,
    show,
    show_conflict,
)
from yesteryear.core.arguments import (
    Id,
    Instant,
    KindOfFact,
    Name,
    OneOf,
    PageLimit,
    Version,
    Within,
    check_limit,
    check_rev,
    optional_instant,
    optional_name,
    parse_choice,
    parse_ids,
)
from yesteryear.core.confidence import ConfidencePolicy
from yesteryear.core.cycle import CycleReport
from yesteryear.core.episode import Episode
from yesteryear.core.fact import LIVE, Fact, FactKind, FactStatus
from yesteryear.core.message import Message
from yesteryear.core.ruling import ConflictState
from yesteryear.core.time import parse_instant
from yesteryear.core.version import check_version
from yesteryear.errors import InputError
from yesteryear.forget.keep import pin_episode, restore_episode
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack
from yesteryear.ports import Transaction
from yesteryear.remember.by_hand import keep_message
from yesteryear.restate import restate
from yesteryear.sync.rights import Rights

T = TypeVar("T")


class Beliefs(Rights):
    """What one scope's memory believes."""

    def facts(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[KindOfFact] | None = None,
        status: Annotated[str, OneOf(("current", "all"), FactStatus)] = "current",
        subject: Name | None = None,
        open_only: bool = False,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        at: Instant | None = None,
        after: Id | None = None,
        evidence: bool = False,
        limit: PageLimit = 100,
    ) -> list[FactView]:
        """Return a page of what is believed, the surest first."""
        then = optional_instant(as_of)
        wanted = FactsFilter(
            ids=None if ids is None else parse_ids(ids),
            kinds=None if kinds is None else frozenset(parse_choice("kind", FactKind, kind) for kind in kinds),
            statuses=_statuses(status, of_the_past=then is not None),
            subject=subject,
            only_open=open_only,
            as_of=then,
            known_at=optional_instant(known_at),
            with_evidence=evidence,
        )
        now, most, last = self._now(at), check_limit(limit), optional_name("after", after)
        return self._calls.run(
            self._read, lambda tx: look(tx, wanted, self._confidence(tx), now=now, after=last, limit=most)
        )

    def changes(self, since: Version | None = None) -> News:
        """Return the episodes and facts that are new or have changed since somebody last looked."""
        last, now = check_rev(since), self._ports.clock.now()
        return self._calls.run(self._read, lambda tx: news(tx, last, self._confidence(tx), now=now))

    def extract(self, id: Id) -> list[FactView]:  # noqa: A002 - the field's word
        """Draw facts from an episode by hand, as is done when it is written, and compare them with what is known."""
        name, now = parse_ids([id])[0], self._ports.clock.now()
        ids = self._calls.run_long(self._working, restate, self._scope, name, self._policies, now=now)
        return self._calls.run(self._read, lambda tx: show(tx, tx.facts.get(ids), self._confidence(tx), now=now))

    def conflicts(self, *, resolved: bool = False) -> list[ConflictView]:
        """Return the open questions between facts that cannot both hold, the newest first."""
        now = self._ports.clock.now()
        states = list(ConflictState) if resolved else [ConflictState.OPEN]
        return self._calls.run(self._read, lambda tx: conflicts(tx, self._confidence(tx), now=now, states=states))

    def diff(self, since: Instant, until: Instant | None = None) -> FactsDiff:
        """Return what became believed, ceased to be believed, or changed, between two moments."""
        now = self._ports.clock.now()
        first, last = parse_instant(since), now if until is None else parse_instant(until)
        if first > last:
            raise InputError(f"since ({first.isoformat()}) comes after until ({last.isoformat()})")
        return self._calls.run(self._read, lambda tx: diff(tx, first, last, self._confidence(tx)))

    def confirm(self, id: Id, *, version: Version | None = None) -> FactView | Proposal:  # noqa: A002 - the field's word
        """Note that the person said yes to a fact, or to a proposal to forget, which is carried out."""
        answered = self._answer(id, is_yes=True)
        if answered is not None:
            return answered
        return self._by_hand(id, version, lambda tx, name, now: self._hand(tx, now).confirm(name))

    def refute(self, id: Id, *, version: Version | None = None) -> FactView | Proposal:  # noqa: A002 - the field's word
        """Note that the person said no to a fact, or to a proposal to forget, which is withdrawn."""
        answered = self._answer(id, is_yes=False)
        if answered is not None:
            return answered
        return self._by_hand(id, version, lambda tx, name, now: self._hand(tx, now).refute(name))

    def both_hold(self, id: Id) -> ConflictView:  # noqa: A002 - the field's word
        """Note that the person said that both sides of a conflict hold: it is settled, and neither gives way."""
        pair, now = parse_ids([id])[0], self._ports.clock.now()

        def settle_both(tx: Transaction) -> ConflictView:
            ruling = self._hand(tx, now).both_hold(pair)
            return show_conflict(tx, ruling, self._confidence(tx), now=now)

        self._calls.run(self._read, lambda tx: [find_fact(tx, name) for name in pair.split("|")])
        view = self._calls.write(self._ports.store, self._owner, settle_both)
        self._ports.bell.ring()
        return view

    def correct(
        self,
        id: Id,  # noqa: A002 - the field's word
        statement: Annotated[str, Within(1, MAX_STATEMENT_CHARS)],
        *,
        since: Instant | None = None,
        version: Version | None = None,
    ) -> FactView:
        """Put another statement in the place of a fact, and return the new fact."""
        start = optional_instant(since)

        def change(tx: Transaction, name: str, now: datetime) -> Fact:
            return self._hand(tx, now).correct(name, statement, since=start)

        return self._by_hand(id, version, change)

    def resolve(
        self,
        id: Id,  # noqa: A002 - the field's word
        *,
        at: Instant | None = None,
        version: Version | None = None,
    ) -> FactView:
        """Note that a goal is reached, a blocker gone or a decision reversed."""
        done = optional_instant(at)
        return self._by_hand(id, version, lambda tx, name, now: self._hand(tx, now).resolve(name, at=done or now))

    def consolidate(
        self,
        *,
        at: Instant | None = None,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> CycleReport:
        """Run a night: judge what may be the same or in conflict, settle what is believed, let go what has faded."""
        instant, ports = self._now(at), self._ports
        policy = self._calls.run(self._read, lambda tx: self._owner_policies(tx).consolidate)
        report = self._calls.run_long(
            self._working,
            consolidate,
            self._owner,
            policy,
            at=instant,
            now=ports.clock.now(),
            is_dry=dry_run,
            on_progress=on_progress,
        )
        ports.bell.ring()
        return report

    def undo(self, cycle: Id | None = None) -> CycleReport:
        """Take back what the last night did to facts. Words that faded in it do not come back."""
        now = self._ports.clock.now()
        policy = self._calls.run(self._read, lambda tx: self._owner_policies(tx).consolidate)
        return self._calls.run(undo, self._ports, self._owner, policy, cycle, now=now)

    def nights(self, *, limit: PageLimit = 30) -> list[CycleReport]:
        """Return what the last nights did, newest first."""
        most = check_limit(limit)
        return self._calls.run(self._read, lambda tx: tx.cycles.latest(limit=most))

    def keep(self, id: Id) -> Message:  # noqa: A002 - the field's word
        """Keep what the gate skipped after all: it becomes an episode and facts as if it had been kept at once."""
        name, now = parse_ids([id])[0], self._ports.clock.now()
        kept = self._calls.write(
            self._ports.store, self._scope, lambda tx: keep_message(tx, name, self._ports.ids, now=now)
        )
        self._ports.bell.ring()
        return kept

    def pin(self, id: Id, *, version: Version | None = None) -> Episode | FactView:  # noqa: A002 - the field's word
        """Keep an episode or a fact for good: it never fades, never gives way to others, and is never merged away."""
        if self._is_fact(id):
            return self._by_hand(id, version, lambda tx, name, now: self._hand(tx, now).pin(name, pinned=True))
        return self._change(id, version, lambda tx, name, now: pin_episode(tx, name, pinned=True, now=now))

    def unpin(self, id: Id, *, version: Version | None = None) -> Episode | FactView:  # noqa: A002 - the field's word
        """Let an episode or a fact fade again as others do."""
        if self._is_fact(id):
            return self._by_hand(id, version, lambda tx, name, now: self._hand(tx, now).pin(name, pinned=False))
        return self._change(id, version, lambda tx, name, now: pin_episode(tx, name, pinned=False, now=now))

    def restore(
        self,
        id: Id,  # noqa: A002 - the field's word
        *,
        version: Version | None = None,
    ) -> Episode | FactView | TakenBack:
        """Bring an archived episode back, with what is left of it; a fact; or what somebody asked in talk to forget."""
        if self._is_fact(id):
            return self._by_hand(id, version, lambda tx, name, now: self._hand(tx, now).restore(name))
        taken_back = self._take_back(id)
        if taken_back is not None:
            return taken_back
        return self._change(id, version, lambda tx, name, now: restore_episode(tx, name, now=now))

    def _is_fact(self, id: str) -> bool:  # noqa: A002 - the field's word
        return self._calls.run(self._read, lambda tx: bool(tx.facts.get(parse_ids([id]))))

    def _by_hand(
        self,
        id: str,  # noqa: A002 - the field's word
        version: int | None,
        change: Callable[[Transaction, str, datetime], Fact],
    ) -> FactView:
        """Change a fact that this scope sees, with all that follows from it for the person's other facts."""
        name, now = parse_ids([id])[0], self._ports.clock.now()

        def look_and_change(tx: Transaction) -> FactView:
            tx.facts.update([check_version(find_fact(tx, name), version)])  # a new version, whatever changes
            return show(tx, [change(tx, name, now)], self._confidence(tx), now=now)[0]

        self._calls.run(self._read, lambda tx: find_fact(tx, name))
        view = self._calls.write(self._ports.store, self._owner, look_and_change)
        self._ports.bell.ring()  # a new statement is compared with the others
        return view

    def _hand(self, tx: Transaction, now: datetime) -> Hand:
        belief, model = self._owner_policies(tx).consolidate.belief, self._ports.embedder.profile.model
        redacts = self._policies.remember.journal.redact_secrets
        return Hand(tx, self._ports.ids, belief, model, now, redacts=redacts)

    def _confidence(self, tx: Transaction) -> ConfidencePolicy:
        return self._owner_policies(tx).consolidate.belief.confidence


def _statuses(status: str, *, of_the_past: bool) -> frozenset[FactStatus] | None:
    """Return the statuses that a word stands for; what held in the past may be superseded by now."""
    if status == "current":
        return LIVE | {FactStatus.SUPERSEDED} if of_the_past else LIVE
    if status == "all":
        return None
    if status not in list(FactStatus):
        raise InputError(f"status is one of current, all, {', '.join(FactStatus)}, not {status!r}")
    return frozenset({FactStatus(status)})
