"""The verbs of belief: facts, conflicts and nights, and the person's word on what is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Annotated

from yesteryear.consolidate.belief.overrides import MAX_STATEMENT_CHARS, ManualOverrides
from yesteryear.consolidate.belief.queries import (
    ChangeFeed,
    ConflictView,
    FactsDiff,
    FactsFilter,
    FactView,
    PersonView,
)
from yesteryear.consolidate.night.cycle import Progress, consolidate, undo
from yesteryear.core.access.arguments import (
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
    optional_attribute,
    optional_instant,
    optional_name,
    parse_choice,
    parse_id,
    parse_ids,
)
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Episode
from yesteryear.core.fact import LIVE, FactStatus, LoopState
from yesteryear.core.message import Message
from yesteryear.core.night_report import CycleReport
from yesteryear.core.ruling import ConflictState
from yesteryear.core.scope import check_name
from yesteryear.core.time import parse_instant
from yesteryear.errors import InputError
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack
from yesteryear.memory.calls import ScopedVerbs


class BeliefVerbs(ScopedVerbs):
    """What is believed in one scope."""

    async def facts(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[KindOfFact] | None = None,
        status: Annotated[str, OneOf(("current", "all"), FactStatus)] = "current",
        subject: Name | None = None,
        attribute: Name | None = None,
        holder: Name | None = None,
        open_only: bool = False,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        at: Instant | None = None,
        after: Id | None = None,
        evidence: bool = False,
        limit: PageLimit = 100,
    ) -> list[FactView]:
        """Return a page of what is believed, the surest first.

        Args:
            ids: Only these; unknown ones are left out.
            kinds: Only these, such as "preference" or "goal".
            status: "current" for what holds now: neither settled nor past its time; "all", or one of tentative, stable,
                needs_review, deprecated, merged, superseded.
            subject: Only about this person.
            attribute: Only what tells this, such as "diet", "home" or "medication".
            holder: Only what is theirs, by name or tie, such as "Priya", "mum" or "boss Anna", whichever of these it
                was told of; a subject's name for what is their own.
            open_only: Only what gets done and is not settled: goals, plans, blockers and decisions.
            as_of: Only what held in the world at this instant; what was superseded since then too.
            known_at: As it was known at this instant.
            at: The present, from which confidence is computed; the clock's where not given. For a page after another
                pass the same.
            evidence: Whether each comes with what speaks for and against it.
            after: ``id`` of the last fact of the page before.
            limit: Most facts, 1 to 1000.

        Raises:
            NotFound: the fact ``after`` was forgotten meanwhile.
        """
        then = optional_instant(as_of)
        wanted = FactsFilter(
            ids=None if ids is None else parse_ids(ids),
            kinds=None if kinds is None else frozenset(parse_choice("kind", FactKind, kind) for kind in kinds),
            statuses=_statuses(status, of_the_past=then is not None),
            subject=subject,
            attribute=optional_attribute(attribute),
            holder=optional_name("holder", holder),
            only_open=open_only,
            as_of=then,
            known_at=optional_instant(known_at),
            only_current=status == "current" and then is None,
            with_evidence=evidence,
        )
        most, last = check_limit(limit), optional_name("after", after)
        return await self._ask(lambda facts: facts.find(wanted, after=last, limit=most), at)

    async def people(self, *, at: Instant | None = None, limit: PageLimit = 100) -> list[PersonView]:
        """Return the people and pets that are known, those of whom most holds now first.

        Two of one name are told apart by their tie or surname; what is held under a name and under a tie is one's where
        that was told ("my partner Priya"). Where it was not, ``same`` and ``not_same`` say so.

        Args:
            at: The present; now where not given.
            limit: Most, 1 to 1000.
        """
        most = check_limit(limit)
        return await self._ask(lambda facts: facts.people(limit=most), at)

    async def open_loops(
        self, *, until: Instant | None = None, at: Instant | None = None, limit: PageLimit = 100
    ) -> list[FactView]:
        """Return what is open: goals, plans, appointments and blockers, what is due first first.

        What was done or dropped is not there, nor what is past its time; ``facts`` tells of those with their ``loop``.

        Args:
            until: Only what is due until then; what has no time is left out.
            at: The present; now where not given.
            limit: Most, 1 to 1000.
        """
        then, most = optional_instant(until), check_limit(limit)
        return await self._ask(lambda facts: facts.open_loops(until=then, limit=most), at)

    async def changes(self, since: Version | None = None) -> ChangeFeed:
        """Return the episodes and facts that are new or have changed since somebody last looked.

        To follow a memory, ask now and then; where nothing has changed the answer costs next to nothing.

        Args:
            since: ``rev`` of the answer before; where not given nothing is told but ``rev``; 0 for all there is.
        """
        last = check_rev(since)
        return await self._ask(lambda facts: facts.changes(last))

    async def extract(self, id: Id) -> list[FactView]:
        """Draw facts from an episode by hand, as is done when it is written, and compare them with what is known.

        Args:
            id: Of the episode, or of a message in it.

        Raises:
            InputError: nothing of its words is left.
            ProviderError: the analyst failed.
        """
        return await self._calls.run_long(self._edits.restate, parse_id(id))

    async def conflicts(self, *, resolved: bool = False) -> list[ConflictView]:
        """Return the open questions between facts that cannot both hold, the newest first.

        Args:
            resolved: The settled ones too.
        """
        states = list(ConflictState) if resolved else [ConflictState.OPEN]
        return await self._ask(lambda facts: facts.conflicts(states))

    async def diff(self, since: Instant, until: Instant | None = None) -> FactsDiff:
        """Return what became believed, ceased to be believed, or changed, between two moments.

        Args:
            since: The earlier moment, of our knowledge and not of the world.
            until: The later one; now where not given.

        Raises:
            InputError: an argument cannot be used, or the first comes after the second.
        """
        first, last = parse_instant(since), self._now(until)
        if first > last:
            raise InputError(f"since ({first.isoformat()}) comes after until ({last.isoformat()})")
        return await self._ask(lambda facts: facts.diff(first), last)

    async def confirm(self, id: Id, *, version: Version | None = None) -> FactView | Proposal:
        """Note that the person said yes to a fact, or to a proposal to forget, which is carried out.

        A yes to a fact settles conflicts in which it takes part. What a proposal is about is hidden, and erased when
        its days are over; until then ``restore`` brings it back.

        Args:
            id: Of the fact, or of the proposal.
            version: What it was when you looked; where it has changed since, nothing is done.
        """
        return await self._calls.run_long(self._edits.answer, parse_id(id), version, is_yes=True)

    async def refute(self, id: Id, *, version: Version | None = None) -> FactView | Proposal:
        """Note that the person said no to a fact, or to a proposal to forget, which is withdrawn.

        A fact is not believed any more, and what rested on it needs review.

        Args:
            id: Of the fact, or of the proposal.
            version: What it was when you looked; where it has changed since, nothing is done.
        """
        return await self._calls.run_long(self._edits.answer, parse_id(id), version, is_yes=False)

    async def both_hold(self, id: Id) -> ConflictView:
        """Note that the person said that both sides of a conflict hold: it is settled, and neither gives way.

        Args:
            id: Of the conflict, as ``conflicts`` tells it.
        """
        return await self._calls.run(self._edits.both_hold, parse_id(id))

    async def same(self, one: Name, other: Name) -> list[PersonView]:
        """Note that the person said that two names, or a name and a tie, mean one: "my partner" and "Priya".

        What is told of either is told of both from now on, and what was is compared anew; ``not_same`` takes it back.
        Who somebody is now, such as the partner, holds until another is told. This is a fact too, and may be forgotten.

        Args:
            one: What they are called, as ``people`` tells it, such as "Priya", "my partner" or "boss Anna".
            other: What else they are called.

        Returns:
            Who is called so now.

        Raises:
            NotFound: nobody in this scope is called so.
            InputError: a name may mean several.
        """
        names = (check_name("one", one), check_name("other", other))
        return await self._calls.run(self._edits.link, *names, is_same=True)

    async def not_same(self, one: Name, other: Name) -> list[PersonView]:
        """Note that the person said that two names, or a name and a tie, mean two, whatever was told.

        Args:
            one: What one is called, as ``people`` tells it.
            other: What the other is called.

        Returns:
            Who is called so now.

        Raises:
            NotFound: nobody in this scope is called so.
            InputError: a name may mean several, or the two are one name.
        """
        names = (check_name("one", one), check_name("other", other))
        return await self._calls.run(self._edits.link, *names, is_same=False)

    async def correct(
        self,
        id: Id,
        statement: Annotated[str, Within(1, MAX_STATEMENT_CHARS)],
        *,
        since: Instant | None = None,
        version: Version | None = None,
    ) -> FactView:
        """Put another statement in the place of a fact, and return the new fact.

        Args:
            id: Of the fact that is not right, or holds no longer.
            statement: What is right, in the third person, such as "Ana lives in Lisbon".
            since: From when it holds, where the other held until then; not given where the other was never right.
            version: What it was when you looked; where it has changed since, nothing is done.
        """
        change = partial(ManualOverrides.correct, statement=statement, since=optional_instant(since))
        return await self._calls.run(self._edits.change_fact, parse_id(id), version, change)

    async def resolve(
        self,
        id: Id,
        *,
        outcome: Annotated[str, OneOf((LoopState.DONE, LoopState.DROPPED))] = "done",
        at: Instant | None = None,
        version: Version | None = None,
    ) -> FactView:
        """Note that something that gets done is: a goal is reached, a blocker gone, a decision reversed; or dropped.

        Args:
            id: Of the fact.
            outcome: "done", or "dropped" for what was given up or called off.
            at: When it was; now where not given.
            version: What it was when you looked; where it has changed since, nothing is done.

        Raises:
            InputError: it is nothing that gets done, or is done already.
        """
        state, then = parse_choice("outcome", LoopState, outcome), optional_instant(at)
        change = partial(ManualOverrides.resolve, outcome=state, at=then)
        return await self._calls.run(self._edits.change_fact, parse_id(id), version, change)

    async def consolidate(
        self,
        *,
        at: Instant | None = None,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> CycleReport:
        """Run a night: judge what may be the same or in conflict, settle what is believed, let go what has faded.

        The worker does it every night by itself. It concerns all of the person's memory, whatever the project. Run
        twice for one instant it changes nothing; one that was stopped goes on when it is run again.

        Args:
            at: The instant it is run for; the clock's where not given.
            dry_run: Only tell what would be done.
            on_progress: Called now and then with how far it has come.

        Raises:
            ProviderError: the analyst failed; what was judged so far is kept.
            Stale: the person was erased, or facts changed all the time; run it again.
        """
        policy = (await self._read(self._open.own_policies)).consolidate
        night = partial(consolidate, at=self._now(at), now=self._now(), is_dry=dry_run, on_progress=on_progress)
        report = await self._calls.run_long(self._open.metered, night, self._open.owner, policy)
        self._open.ports.bell.ring()
        return report

    async def undo(self, cycle: Id | None = None) -> CycleReport:
        """Take back what the last night did to facts. Words that faded in it do not come back.

        Args:
            cycle: Which night; another than the last that stands is refused. The last where not given.

        Raises:
            NotFound: there is no such night, or none to undo.
            InputError: it is not the last one.
        """
        policy, now = (await self._read(self._open.own_policies)).consolidate, self._now()
        return await self._calls.run(undo, self._open.ports, self._open.owner, policy, cycle, now=now)

    async def nights(self, *, limit: PageLimit = 30) -> list[CycleReport]:
        """Return what the last nights did, newest first.

        Args:
            limit: Most nights, 1 to 1000.
        """
        most = check_limit(limit)
        return await self._read(lambda tx: tx.cycles.latest(limit=most))

    async def keep(self, id: Id) -> Message:
        """Keep what the gate skipped after all: it becomes an episode and facts as if it had been kept at once.

        ``forget`` takes that back. What is kept already stays as it is.

        Args:
            id: Of the message, ours or the caller's own. What was judged together with it, such as the reply, is kept
                with it.

        Returns:
            The message, with its new verdict and the episode that the worker will digest.

        Raises:
            InputError: there is nothing that could be kept: it was not judged yet, its words are gone, it is hidden,
                or nobody in the role of a user said it.
        """
        return await self._calls.run(self._edits.keep, parse_id(id))

    async def pin(self, id: Id, *, version: Version | None = None) -> Episode | FactView:
        """Keep an episode or a fact for good: it never fades, never gives way to others, and is never merged away.

        Args:
            id: Of the episode, of a message in it, or of a fact. An episode that is archived comes back.
            version: What it was when you looked; where it has changed since, nothing is done.

        Raises:
            InputError: the message belongs to no episode.
        """
        return await self._calls.run(self._edits.pin, parse_id(id), version, pinned=True)

    async def unpin(self, id: Id, *, version: Version | None = None) -> Episode | FactView:
        """Let an episode or a fact fade again as others do.

        Args:
            id: Of the episode, of a message in it, or of a fact.
            version: What it was when you looked; where it has changed since, nothing is done.

        Raises:
            InputError: as ``pin``.
        """
        return await self._calls.run(self._edits.pin, parse_id(id), version, pinned=False)

    async def restore(self, id: Id, *, version: Version | None = None) -> Episode | FactView | TakenBack:
        """Bring an archived episode back, with what is left of it; a fact; or what somebody asked in talk to forget.

        What was hidden because one message asked for it is there again as it was, all of it.

        An episode fades from now on as if it were new. What had taken a fact's place stays beside it.

        Args:
            id: Of the episode, of a message in it, or of a fact that was merged, superseded, deprecated or resolved;
                or of a message that had something hidden, or is hidden itself.
            version: What it was when you looked; where it has changed since, nothing is done.

        Raises:
            InputError: there is nothing to bring back.
        """
        return await self._calls.run(self._edits.restore, parse_id(id), version)


def _statuses(status: str, *, of_the_past: bool) -> frozenset[FactStatus] | None:
    """Return the statuses that a word stands for; what held in the past may be superseded by now."""
    if status == "current":
        return LIVE | {FactStatus.SUPERSEDED} if of_the_past else LIVE
    if status == "all":
        return None
    if status not in list(FactStatus):
        raise InputError(f"status is one of current, all, {', '.join(FactStatus)}, not {status!r}")
    return frozenset({FactStatus(status)})
