"""What a person may do with what is kept of them: see why, keep, let go, bring back, forget, erase, take along.

The verbs of ``memory.py`` go on here. Made from ``rights.py`` by ``make sync``; do not edit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from yesteryear.billing import billed, read_usage
from yesteryear.calls import Calls
from yesteryear.consolidate.asking import Asker
from yesteryear.consolidate.letting_go import Faded, admit, fade
from yesteryear.core.arguments import Id, Instant, optional_instant, parse_ids
from yesteryear.core.episode import Episode
from yesteryear.core.erasure import Erasure
from yesteryear.core.language.questions import asks
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import Message
from yesteryear.core.scope import Scope
from yesteryear.core.scored import Hit
from yesteryear.core.time import EPOCH, FOREVER, parse_instant
from yesteryear.core.usage import UsageSum
from yesteryear.core.version import check_version
from yesteryear.drain import policies_in
from yesteryear.errors import InputError
from yesteryear.forget.erase import erase
from yesteryear.forget.facts import facts_about
from yesteryear.forget.forget import Forgotten, choose, choose_span, forget
from yesteryear.forget.keep import find_episode
from yesteryear.forget.propose import Proposal, answer, find_proposal, list_proposals
from yesteryear.forget.seal import TakenBack, hidden, restore_hidden
from yesteryear.policies import Policies
from yesteryear.ports import Ports, Transaction
from yesteryear.recall.browse import read_stats
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.retrieve import retrieve
from yesteryear.recall.shelf import IndexShelf
from yesteryear.takeout.export import Exported, export_memory
from yesteryear.takeout.import_export import Imported, import_export
from yesteryear.why import Why, explain

P = ParamSpec("P")
T = TypeVar("T")

_ABOUT_LIMIT = 20
"""Most memories that are proposed for being forgotten about a subject."""


class Rights:
    """What a person may do with one scope's memory."""

    def __init__(self, ports: Ports, policies: Policies, shelf: IndexShelf, asker: Asker, scope: Scope) -> None:
        self._ports = ports
        self._policies = policies
        self._shelf = shelf
        self._asker = asker
        self._scope = scope
        self._calls = Calls()

    def why(self, id: Id, *, at: Instant | None = None) -> Why:  # noqa: A002 - the field's word
        """Return why a fact is believed, why an episode is remembered and when it fades, or why a message was kept."""
        name, now = parse_ids([id])[0], self._now(at)
        return self._calls.run(self._read, lambda tx: explain(tx, name, self._owner_policies(tx), now=now))

    def stats(self) -> dict[str, Any]:
        """Return numbers of rows by kind and status, and the embedding models in use."""
        return self._calls.run(self._read, read_stats)

    def usage(self, *, since: Instant | None = None, until: Instant | None = None) -> list[UsageSum]:
        """Return what calls of models have cost this person's memory, summed by day (UTC), purpose and model."""
        first, last = optional_instant(since) or EPOCH, optional_instant(until) or FOREVER
        return self._calls.run(read_usage, self._ports.store, [self._owner], since=first, until=last)

    def fade(self, *, at: Instant | None = None, dry_run: bool = False) -> Faded:
        """Let go what has faded, what exceeds the limits, and skipped text whose days are over."""
        now = self._now(at)
        policy = self._calls.run(self._read, lambda tx: self._owner_policies(tx).consolidate.fade)
        faded = self._calls.run_long(fade, self._ports.store, self._scope, policy, now=now, is_dry=dry_run)
        self._ports.bell.ring()  # what is gist now gets its vectors
        return faded

    def forget(
        self,
        *ids: Id,
        conversation: Id | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        about: str | None = None,
        dry_run: bool = False,
        on_progress: Callable[[int], None] = lambda _: None,
    ) -> Forgotten:
        """Forget messages and all that was made of them: words, vectors, what summaries tell of them, in the files too.

        Args:
            ids: Of messages, episodes or facts; or else a conversation or a span of time, or a subject.
            conversation: All of this conversation, or with ``since`` and ``until`` what of it was said then.
            since: Everything that was said at or after this instant.
            until: Everything that was said before this instant.
            about: What bears on this and shares a word with it, and what was answered to a question that does. It is
                only proposed: look at ``.messages`` of the result and pass its ``ids``.
            dry_run: Only tell what would be forgotten.
            on_progress: Called now and then with how many messages were forgotten so far.

        Raises:
            InputError: nothing is named, or too much at once.
            NotFound: an id is unknown in this scope.
            StorageUnavailable: what was forgotten so far stays so; call again to go on.
        """
        span = (self._name("conversation", conversation), optional_instant(since), optional_instant(until))
        is_span = any(part is not None for part in span)
        if bool(ids) + is_span + (about is not None) != 1:
            raise InputError(
                "forget what? pass ids, or a conversation and a time span, or about='...'; one of the three"
            )
        now = self._ports.clock.now()
        if about is not None:
            ids, dry_run = self._calls.run(self._find_about, about, now), True
            if not ids:
                return Forgotten(is_dry=True)
        if is_span:
            where, start, end = span
            chosen = self._calls.run(self._read, lambda tx: choose_span(tx, conversation=where, since=start, until=end))
        else:
            names = parse_ids(ids)
            chosen = self._calls.run(self._read, lambda tx: choose(tx, names))
        forgotten = self._calls.run_long(
            forget, self._ports.store, self._scope, chosen, now=now, is_dry=dry_run, on_progress=on_progress
        )
        self._ports.bell.ring()  # episodes that lost some of their messages are digested anew
        return forgotten

    def proposals(self) -> list[Proposal]:
        """Return what somebody asked in talk to have forgotten as a whole, and nobody has answered, the oldest first.

        Nothing of it is forgotten. ``confirm`` with the id carries one out, ``refute`` withdraws it, and so does a
        plain yes or no as the next message of who asked; without an answer it lapses.
        """
        return self._calls.run(list_proposals, self._ports.store, self._scope, now=self._ports.clock.now())

    def erase(self) -> Erasure:
        """Erase the person: all of their memory, whatever the project, in every index and file. There is no way back.

        Returns:
            A receipt that names nobody: what was removed, and what a scan of the files found. Where ``is_pending``, a
            reader still holds old pages, and the worker or another call finishes.

        Raises:
            NotFound: nothing was ever kept of them.
            StorageUnavailable: the rows are gone, but the files could not be cleaned; call again.
        """
        erased = self._calls.run_long(
            erase, self._ports.store, self._scope, now=self._ports.clock.now(), key=self._ports.receipt_key
        )
        self._shelf.forget(self._scope.owner)
        return erased

    def export(
        self,
        path: str | PathLike[str],
        *,
        overwrite: bool = False,
    ) -> Exported:
        """Write everything that this scope sees into one zip: JSON Lines, a manifest with hashes, a page to read."""
        return self._calls.run_long(
            export_memory, self._ports.store, self._scope, Path(fspath(path)), overwrite=overwrite
        )

    def import_(
        self, path: str | PathLike[str], *, on_progress: Callable[[int, int], None] = lambda _, __: None
    ) -> Imported:
        """Read an export back, into this scope, which may be another person's or in another store."""
        now, journal = self._ports.clock.now(), self._policies.remember.journal
        journal.check_scope(self._scope)
        imported = self._calls.run_long(
            import_export,
            self._ports.store,
            self._scope,
            Path(fspath(path)),
            now=now,
            redacts=journal.redact_secrets,
            on_progress=on_progress,
        )
        policy = self._calls.run(self._read, lambda tx: self._owner_policies(tx).consolidate.fade)
        fading = self._calls.run(fade, self._ports.store, self._scope, policy, now=now, is_dry=True)
        self._ports.bell.ring()
        if not fading.to_gist and not fading.archived:
            return imported
        note = (
            f"{len(fading.to_gist)} episodes lose their words and {len(fading.archived)} leave recall when the worker "
            "comes by, since their time is over; to keep them, call configure(fading=False) before importing"
        )
        return replace(imported, notes=(*imported.notes, note))

    def _answer(self, id: str, *, is_yes: bool) -> Proposal | None:  # noqa: A002 - the field's word
        """Answer the proposal with this id; None where there is none."""
        name, now, store = parse_ids([id])[0], self._ports.clock.now(), self._ports.store
        row = self._calls.run(self._read, lambda tx: find_proposal(tx, name, now=now))
        if row is None:
            return None
        policy = (self._calls.run(self._read, self._owner_policies)).forget
        answered = self._calls.run_long(answer, store, self._scope, row, is_yes=is_yes, now=now, policy=policy)
        self._ports.bell.ring()  # episodes that lost some of their messages are digested anew
        return answered

    def _take_back(self, id: str) -> TakenBack | None:  # noqa: A002 - the field's word
        """Bring back what was hidden with this id; None where nothing was."""
        name, now = parse_ids([id])[0], self._ports.clock.now()
        found = self._calls.run(self._read, lambda tx: hidden(tx, name))
        if found is None:
            return None
        taken = self._calls.write(
            self._ports.store, self._owner, lambda tx: restore_hidden(tx, found.asked_by, self._ports.ids, now=now)
        )
        self._ports.bell.ring()
        return taken

    def _change(
        self,
        id: str,  # noqa: A002 - the field's word
        version: int | None,
        change: Callable[[Transaction, str, datetime], Episode],
    ) -> Episode:
        name, now = parse_ids([id])[0], self._ports.clock.now()

        def look_and_change(tx: Transaction) -> Episode:
            check_version(find_episode(tx, name), version)
            return change(tx, name, now)

        changed = self._calls.write(self._ports.store, self._scope, look_and_change)

        def settle(tx: Transaction) -> Episode:
            admit(tx, changed.id, self._owner_policies(tx).consolidate.fade, now=now, spares=True)
            return next(iter(tx.episodes.get([changed.id])), changed)

        episode = self._calls.write(self._ports.store, self._owner, settle)
        self._ports.bell.ring()
        return episode

    @property
    def _owner(self) -> Scope:
        """All of the person's memory: limits are theirs, whatever the project."""
        return Scope(tenant=self._scope.tenant, user=self._scope.user)

    def _find_about(self, subject: str, now: datetime) -> tuple[str, ...]:
        found = self._asking(
            retrieve,
            self._shelf,
            self._scope,
            subject,
            now=now,
            policy=self._policies.recall,
            only=RecallFilter(only_bare_episodes=True, archived=True),
            limit=_ABOUT_LIMIT,
            speaker=None,
        )
        wanted = set(stems(subject))  # what only ranks best among what has nothing to do with it must not be proposed
        told = [hit for hit in found.hits if wanted & set(stems(hit.text))]

        def all_of_it(tx: Transaction) -> list[str]:
            answers = [answer.id for hit in told if asks(hit.text) for answer in _answers(tx, hit)]
            return [*(hit.id for hit in told), *answers, *(fact.id for fact in facts_about(tx, subject))]

        return tuple(dict.fromkeys(self._read(all_of_it)))

    def _owner_policies(self, tx: Transaction) -> Policies:
        """Return the policies of the person, whatever the project: fading and its limits are theirs."""
        return policies_in(tx, None, self._policies)

    def _asking(self, step: Callable[Concatenate[Ports, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step that only reads, with ports that put the vector of a question on the person's account."""
        with billed(self._ports, self._scope) as ports:
            return step(ports, *args, **kwargs)

    def _working(self, step: Callable[Concatenate[Ports, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a step with ports whose models cost no more than is left of the person's budget."""
        budget = self._read(lambda tx: self._owner_policies(tx).budget)
        with billed(self._ports, self._scope, budget) as ports:
            return step(ports, *args, **kwargs)

    def _name(self, label: str, value: str | None) -> str | None:
        """Return the name of an author or a conversation as it is kept, or None where none is given."""
        return None if value is None else self._policies.remember.journal.name(label, value)

    def _now(self, at: datetime | str | None) -> datetime:
        return self._ports.clock.now() if at is None else parse_instant(at)

    def _read(self, question: Callable[[Transaction], T]) -> T:
        with self._ports.store.read(self._scope) as tx:
            return question(tx)


def _answers(tx: Transaction, question: Hit) -> list[Message]:
    """Return what the next speaker said to a question; an answer ("its 29k") seldom repeats what it is about."""
    following = tx.messages.span(question.key, after=question.seq, limit=1)
    return [row for row in following if row.content and row.author != question.author]
