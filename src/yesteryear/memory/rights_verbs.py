"""The verbs of rights: see why, let go, forget, erase, take along."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from yesteryear.consolidate.belief.queries import read_stats
from yesteryear.consolidate.retention.sweep import Faded, fade
from yesteryear.core.access.arguments import Id, Instant, optional_instant, parse_id, parse_ids
from yesteryear.core.erasure import Erasure
from yesteryear.core.time import EPOCH, FOREVER
from yesteryear.core.usage import UsageSum
from yesteryear.errors import InputError
from yesteryear.forget.erase import erase
from yesteryear.forget.forget import Forgotten, choose, choose_span, forget
from yesteryear.forget.propose import Proposal, list_proposals
from yesteryear.lifecycle.billing import read_usage
from yesteryear.lifecycle.by_hand import bring_in
from yesteryear.lifecycle.conversing import find_about
from yesteryear.lifecycle.reread import Rereading, count_read_by_others, start_rereading
from yesteryear.lifecycle.why import Why, explain
from yesteryear.memory.calls import ScopedVerbs
from yesteryear.transfer.export import Exported, export_memory
from yesteryear.transfer.import_export import Imported


class RightsVerbs(ScopedVerbs):
    """What a person may do with what is kept of them in one scope."""

    async def why(self, id: Id, *, at: Instant | None = None) -> Why:
        """Return why a fact is believed, why an episode is remembered and when it fades, or why a message was kept.

        Args:
            id: Of a fact, an episode or a message; a message's may be the caller's own.
            at: The present, from which strength and confidence are computed; the clock's where not given.
        """
        name, now = parse_id(id), self._now(at)
        return await self._read(lambda tx: explain(tx, name, self._open.own_policies(tx), now=now))

    async def stats(self) -> dict[str, Any]:
        """Return numbers of rows by kind and status, the embedding models in use, and who has read the episodes."""
        reader = self._open.ports.reads_by
        stats, others = await self._read(lambda tx: (read_stats(tx), count_read_by_others(tx, reader)))
        return {**stats, "reading.reader": reader, "reading.by_others": others}

    async def usage(self, *, since: Instant | None = None, until: Instant | None = None) -> list[UsageSum]:
        """Return what calls of models have cost this person's memory, summed by day (UTC), purpose and model.

        Args:
            since: Only calls that were begun at or after this instant.
            until: Only calls that were begun before this instant.
        """
        first, last = optional_instant(since) or EPOCH, optional_instant(until) or FOREVER
        return await self._calls.run(read_usage, self._open.ports.store, [self._open.owner], since=first, until=last)

    async def reread(self, *, dry_run: bool = False) -> Rereading:
        """Have the worker read old talk again, by what reads now, where something else has read it.

        Until an episode is read again it stays as it is; then its digest is written anew and its facts are told anew:
        those that nothing but the old reading told go. What a person did by hand stays, and nothing that was forgotten
        comes back. Where a language model reads, each episode costs a call.

        Args:
            dry_run: Only tell how many episodes there are.

        Raises:
            ProviderUnavailable: what reads here only stands in for a model that is not installed.
        """
        return await self._calls.run_long(
            start_rereading, self._open.ports, self._open.scope, now=self._now(), is_dry=dry_run
        )

    async def fade(self, *, at: Instant | None = None, dry_run: bool = False) -> Faded:
        """Let go what has faded, what exceeds the limits, and skipped text whose days are over.

        The worker does the same when something is due. It concerns all of the person's memory, whatever the project.

        Args:
            at: The present; the clock's where not given.
            dry_run: Only tell what would be let go.
        """
        now = self._now(at)
        policy = (await self._read(self._open.own_policies)).consolidate.fade
        faded = await self._calls.run_long(
            fade, self._open.ports.store, self._open.scope, policy, now=now, is_dry=dry_run
        )
        self._open.ports.bell.ring()  # what is gist now gets its vectors
        return faded

    async def forget(
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
            StorageUnavailable: what was forgotten so far stays so; call again to go on.
        """
        span = (self._name("conversation", conversation), optional_instant(since), optional_instant(until))
        is_span = span != (None, None, None)
        if bool(ids) + is_span + (about is not None) != 1:
            raise InputError(
                "forget what? pass ids, or a conversation and a time span, or about='...'; one of the three"
            )
        now = self._now()
        if about is not None:
            ids, dry_run = await self._calls.run(find_about, self._open, about, now=now), True
            if not ids:
                return Forgotten(is_dry=True)
        names, (where, start, end) = parse_ids(ids), span
        chosen = await self._read(
            lambda tx: choose_span(tx, conversation=where, since=start, until=end) if is_span else choose(tx, names)
        )
        forgotten = await self._calls.run_long(
            forget, self._open.ports.store, self._open.scope, chosen, now=now, is_dry=dry_run, on_progress=on_progress
        )
        self._open.ports.bell.ring()  # episodes that lost some of their messages are digested anew
        return forgotten

    async def proposals(self) -> list[Proposal]:
        """Return what somebody asked in talk to have forgotten as a whole, and nobody has answered, the oldest first.

        Nothing of it is forgotten. ``confirm`` with the id carries one out, ``refute`` withdraws it, and so does a
        plain yes or no as the next message of who asked; without an answer it lapses.
        """
        return await self._calls.run(list_proposals, self._open.ports.store, self._open.scope, now=self._now())

    async def erase(self) -> Erasure:
        """Erase the person: all of their memory, whatever the project, in every index and file. There is no way back.

        Returns:
            A receipt that names nobody: what was removed, and what a scan of the files found. Where ``is_pending``, a
            reader still holds old pages, and the worker or another call finishes.

        Raises:
            NotFound: nothing was ever kept of them.
            StorageUnavailable: the rows are gone, but the files could not be cleaned; call again.
        """
        erased = await self._calls.run_long(
            erase, self._open.ports.store, self._open.scope, now=self._now(), key=self._open.ports.receipt_key
        )
        self._open.index_cache.forget(self._open.scope.owner)
        return erased

    async def export(self, path: str | PathLike[str], *, overwrite: bool = False) -> Exported:
        """Write everything that this scope sees into one zip: JSON Lines, a manifest with hashes, a page to read.

        Args:
            path: The file to write.
            overwrite: Whether a file that is there is replaced.

        Raises:
            InputError: there is a file already, or the folder does not exist.
            StorageUnavailable: the disk is full or refuses; nothing is left behind.
            Stale: the person was erased meanwhile; nothing is left behind.
        """
        return await self._calls.run_long(
            export_memory, self._open.ports.store, self._open.scope, Path(fspath(path)), overwrite=overwrite
        )

    async def import_(
        self, path: str | PathLike[str], *, on_progress: Callable[[int, int], None] = lambda _, __: None
    ) -> Imported:
        """Read an export back, into this scope, which may be another person's or in another store.

        All of it is checked before anything is written, and secrets are cut out of all that it says. Importing twice
        changes nothing.

        Args:
            path: The file.
            on_progress: Called now and then with how many rows were dealt with so far, and of how many.

        Raises:
            InputError: the file is no export, is damaged, or does not fit this scope.
            Conflict: other rows with the same ids are here already.
            StorageUnavailable: nothing of it was kept.
        """
        self._open.policies.remember.journal.check_scope(self._open.scope)
        return await self._calls.run_long(
            bring_in, self._open, Path(fspath(path)), now=self._now(), on_progress=on_progress
        )
