"""STEPS: what a person changes by hand: facts, conflicts, episodes, messages, settings, and a memory brought along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from yesteryear.consolidate.belief.compare_new import believe
from yesteryear.consolidate.belief.overrides import ManualOverrides, find_fact, find_subjects
from yesteryear.consolidate.belief.queries import ConflictView, FactQueries, FactView, PersonView, read_people
from yesteryear.consolidate.retention.sweep import fade, reschedule_fading, schedule_fading
from yesteryear.core.access.arguments import check_version
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.fact import Fact
from yesteryear.core.language.told.called import parse_called
from yesteryear.core.message import Message
from yesteryear.core.scope import Scope
from yesteryear.errors import InputError, NotFound
from yesteryear.forget.propose import Proposal, Wishes, find_proposal
from yesteryear.forget.seal import TakenBack, hidden, restore_hidden
from yesteryear.lifecycle.billing import metered
from yesteryear.lifecycle.opened import OpenMemory
from yesteryear.policies import OWNERS_ONLY, check_overrides, policies_in
from yesteryear.ports import Setting, Transaction
from yesteryear.remember.embed import serve_first_model
from yesteryear.remember.make_episodes import digest_again, state_facts
from yesteryear.remember.record import keep_message, redate_skipped
from yesteryear.transfer.import_export import Imported, import_export

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ManualEdits:
    """What a person, or somebody who speaks for them, changes of what a scope sees, at one moment.

    Each change is one of a row of the version that was looked at, where one is named; else ``Stale`` is raised, and
    ``NotFound`` where there is no such row.
    """

    memory: OpenMemory
    now: datetime

    def answer(self, name: str, version: int | None, *, is_yes: bool) -> FactView | Proposal:
        """Take a yes or no to a proposal to forget, which is carried out or withdrawn, or to a fact."""
        row = self.memory.look(lambda tx: find_proposal(tx, name, now=self.now))
        if row is None:
            return self.change_fact(name, version, lambda overrides, fact: overrides.answer(fact, is_yes=is_yes))
        policy = self.memory.look(self.memory.own_policies).forget
        told = Wishes(self.memory.ports.store, self.memory.owner, self.now, policy).answer(row, is_yes=is_yes)
        self.memory.ports.bell.ring()  # episodes that lost some of their messages are digested anew
        return told

    def change_fact(self, name: str, version: int | None, change: Callable[[ManualOverrides, Fact], Fact]) -> FactView:
        """Change a fact that this scope sees, with all that follows from it for the person's other facts."""

        def work(tx: Transaction) -> FactView:
            fact = check_version(find_fact(tx, name), version)
            tx.facts.update([fact])  # a new version, whatever changes
            return self._queries(tx).show([change(self._overrides(tx), fact)])[0]

        self.memory.look(lambda tx: find_fact(tx, name))
        return self._write(self.memory.owner, work)

    def both_hold(self, name: str) -> ConflictView:
        """Settle a conflict: neither side gives way."""

        def settle(tx: Transaction) -> ConflictView:
            return self._queries(tx).show_conflicts([self._overrides(tx).both_hold(name)])[0]

        self.memory.look(lambda tx: [find_fact(tx, fact_id) for fact_id in name.split("|")])
        return self._write(self.memory.owner, settle)

    def link(self, one: str, other: str, *, is_same: bool) -> list[PersonView]:
        """Note that two names mean one person, or two, and return who is called so then."""

        def work(tx: Transaction) -> list[PersonView]:
            overrides = self._overrides(tx)
            for subject in subjects if parse_called(one) != parse_called(other) else ():
                overrides.link(subject, one, other, is_same=is_same)
            people = read_people(tx)
            named = [those for name in (one, other) for found in people.named(name).values() for those in found]
            return self._queries(tx).show_people(dict.fromkeys(named))

        if not is_same and parse_called(one) == parse_called(other):
            raise InputError(f"{one!r} and {other!r} are one name; say what tells the two apart, such as 'boss Anna'")
        subjects = self.memory.look(lambda tx: find_subjects(read_people(tx), one, other))
        return self._write(self.memory.owner, work)

    def pin(self, name: str, version: int | None, *, pinned: bool) -> Episode | FactView:
        """Keep an episode or a fact for good, or let it fade again; what is archived comes back with it."""
        if self._is_fact(name):
            return self.change_fact(name, version, lambda overrides, fact: overrides.pin(fact, pinned=pinned))
        return self._change_episode(name, version, lambda episode: with_pin(episode, self.now, pinned=pinned))

    def restore(self, name: str, version: int | None) -> Episode | FactView | TakenBack:
        """Bring back a fact, what a message had hidden, or an archived episode."""
        if self._is_fact(name):
            return self.change_fact(name, version, ManualOverrides.restore)
        found = self.memory.look(lambda tx: hidden(tx, name))
        if found is None:
            return self._change_episode(name, version, lambda episode: restored(episode, self.now))
        ids, now = self.memory.ports.ids, self.now
        return self._write(self.memory.owner, lambda tx: restore_hidden(tx, found.asked_by, ids, now=now))

    def keep(self, name: str) -> Message:
        """Keep after all what the gate skipped."""
        return self._write(self.memory.scope, lambda tx: keep_message(tx, name, self.memory.ports.ids, now=self.now))

    def restate(self, name: str) -> list[FactView]:
        """Draw facts from the words that are left of an episode, compare them with what is known, and return all."""
        owner, now, own = self.memory.owner, self.now, self.memory.look(self.memory.own_policies)
        messages, episode_id = self.memory.look(lambda tx: _words(tx, name))
        project = messages[0].scope.project
        remember = self.memory.look(lambda tx: policies_in(tx, project, self.memory.policies)).remember
        with metered(self.memory.ports, self.memory.scope, own.budget) as ports:
            judged = digest_again(ports, messages, policy=remember)

            def write(tx: Transaction) -> list[str]:
                left = [message for message in tx.messages.get([row.id for row in messages]) if message.content]
                still = replace(judged, messages=tuple(left))  # what was forgotten meanwhile must not come back
                state_facts(tx, still, episode_id, ports.ids, policy=remember, now=now)
                evidence = tx.evidence.of_messages([message.id for message in messages])
                return list(dict.fromkeys(row.fact_id for row in evidence))

            ids = ports.store.write(owner, write)
            with ports.store.read(owner) as tx:
                due = [fact for fact in tx.facts.get(ids) if fact.due_at is not None]
            if due:
                believe(ports, owner, due, own.consolidate, now=now, serve=serve_first_model)
        return self.memory.look(lambda tx: self._queries(tx).show(tx.facts.get(ids)))

    def _write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Commit what changes, and wake the worker: a new statement is compared with the others."""
        done = self.memory.ports.store.write(scope, work, urgent=True)
        self.memory.ports.bell.ring()
        return done

    def _is_fact(self, name: str) -> bool:
        return bool(self.memory.look(lambda tx: tx.facts.get([name])))

    def _queries(self, tx: Transaction) -> FactQueries:
        return FactQueries(tx, self.memory.own_policies(tx).consolidate.belief.confidence, self.now)

    def _overrides(self, tx: Transaction) -> ManualOverrides:
        belief, model = self.memory.own_policies(tx).consolidate.belief, self.memory.ports.embedder.profile.model
        redacts = self.memory.policies.remember.journal.redact_secrets
        return ManualOverrides(tx, self.memory.ports.ids, belief, model, self.now, redacts=redacts)

    def _change_episode(self, name: str, version: int | None, change: Callable[[Episode], Episode]) -> Episode:
        def work(tx: Transaction) -> Episode:
            episode = check_version(find_episode(tx, name), version)
            changed = change(episode)
            tx.episodes.update(changed, expecting=episode.status)
            return changed

        changed = self.memory.ports.store.write(self.memory.scope, work, urgent=True)

        def settle(tx: Transaction) -> Episode:
            schedule_fading(tx, changed.id, self.memory.own_policies(tx).consolidate.fade, now=self.now, spares=True)
            return next(iter(tx.episodes.get([changed.id])), changed)

        return self._write(self.memory.owner, settle)


def with_pin(episode: Episode, now: datetime, *, pinned: bool) -> Episode:
    """Return an episode that is pinned, and so comes back from the archive, or that is not any more."""
    changed = replace(episode, pinned=pinned)
    return restored(changed, now) if pinned and episode.status is EpisodeStatus.ARCHIVED else changed


def restored(episode: Episode, now: datetime) -> Episode:
    """Return an archived episode as it is found again: its age counts from now, and what is left is embedded."""
    if episode.status is not EpisodeStatus.ARCHIVED:
        raise InputError(f"episode {episode.id!r} is {episode.status}; only an archived one can be restored")
    if episode.digest is None or not (episode.digest.topic or episode.digest.summary):
        raise InputError(f"nothing is left of episode {episode.id!r}")
    return episode.moved_to(EpisodeStatus.ACTIVE, restored_at=now, next_try=now)


def find_episode(tx: Transaction, name: str) -> Episode:
    """Return the episode with this id, or that holds the message with it."""
    episode = _named(tx, name)
    if episode is None:
        messages = tx.messages.named([name])
        if not messages:
            raise NotFound(
                f"nothing here has the id {name!r}; ids stand in messages(), episodes(), facts() and contexts"
            )
        why = "was not kept" if messages[0].verdict is not None else "is not in an episode yet"
        raise InputError(
            f"message {name!r} {why}, so there is nothing to keep or bring back; say it again, "
            "and that it should be remembered"
        )
    if episode.status is EpisodeStatus.FORGOTTEN:
        raise InputError(f"episode {episode.id!r} was forgotten; nothing of it is left")
    return episode


def _named(tx: Transaction, name: str) -> Episode | None:
    for episode in tx.episodes.get([name]):
        return episode
    held_in = [message.episode_id for message in tx.messages.named([name]) if message.episode_id is not None]
    return next(iter(tx.episodes.get(held_in[:1])), None)


def _words(tx: Transaction, name: str) -> tuple[list[Message], str]:
    episode = _named(tx, name)
    if episode is None:
        raise NotFound(f"no episode here has the id {name!r}, or holds a message with it; ids stand in episodes()")
    messages = [message for message in tx.messages.get(episode.message_ids) if message.content]
    if not messages:
        raise InputError(f"nothing is left of the words of episode {episode.id!r}; facts are drawn from words only")
    return messages, episode.id


def configure(
    memory: OpenMemory, project: str | None, settings: Mapping[str, Setting | None], *, now: datetime
) -> dict[str, Setting]:
    """Set what holds for a person or a project, with all that follows; None takes back. Return what is set now."""
    checked = check_overrides(settings)
    if project is not None and (personal := OWNERS_ONLY & checked.keys()):
        raise InputError(f"{min(personal)} holds for all of a person's memory; set it without a project")

    def write(tx: Transaction) -> dict[str, Setting]:
        kept = {name: value for name, value in tx.overrides.get(project).items() if name not in settings}
        tx.overrides.save(project, kept | checked)
        return kept | checked

    store, defaults = memory.ports.store, memory.policies
    if not settings:
        return memory.look(lambda tx: dict(tx.overrides.get(project)))
    found = store.write(memory.scope, write, urgent=True)
    if "journal_retention_days" in settings:
        redate_skipped(store, memory.owner, lambda tx, project: policies_in(tx, project, defaults).remember.journal)
    if not OWNERS_ONLY.isdisjoint(settings):
        reschedule_fading(store, memory.scope, now, at_all="fading" in settings)
        memory.ports.bell.ring()
    return found


def bring_in(memory: OpenMemory, path: Path, *, now: datetime, on_progress: Callable[[int, int], None]) -> Imported:
    """Read an export, and say what of it will be let go at once; see ``import_export``."""
    store, scope, redacts = memory.ports.store, memory.scope, memory.policies.remember.journal.redact_secrets
    imported = import_export(store, scope, path, now=now, redacts=redacts, on_progress=on_progress)
    fading = fade(store, scope, memory.look(memory.own_policies).consolidate.fade, now=now, is_dry=True)
    memory.ports.bell.ring()
    note = (
        f"{len(fading.to_gist)} episodes lose their words and {len(fading.archived)} leave recall when the worker "
        "comes by, since their time is over; to keep them, call configure(fading=False) before importing"
    )
    is_fading = fading.to_gist or fading.archived
    return replace(imported, notes=(*imported.notes, note)) if is_fading else imported
