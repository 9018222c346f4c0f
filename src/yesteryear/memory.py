"""The verbs of one scope.

Each verb checks what it was given, runs a step and returns a frozen result.
``sync/memory.py`` is made from this file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, overload

from yesteryear.beliefs import AsyncBeliefs
from yesteryear.billing import read_usage
from yesteryear.consolidate.letting_go import look_again
from yesteryear.core.arguments import (
    check_limit,
    optional_instant,
    optional_name,
    parse_choice,
    parse_ids,
    parse_kinds,
    parse_mappings,
    parse_outcome,
    parse_speaker,
    parse_status,
)
from yesteryear.core.conversation import Conversation
from yesteryear.core.episode import Episode
from yesteryear.core.message import Message, MessageDraft, Receipt
from yesteryear.core.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import ConversationKey, Scope, check_name
from yesteryear.core.time import EPOCH, FOREVER, to_microseconds
from yesteryear.core.usage import UsageSum
from yesteryear.drain import Drain, Drained, policies_in, retry_failed
from yesteryear.errors import InputError
from yesteryear.policies import OWNERS_ONLY, check_overrides
from yesteryear.ports import Setting, Transaction
from yesteryear.recall.browse import read_stats
from yesteryear.recall.context import Context, ContextRequest, begin_context, finish_context
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.render import Layout
from yesteryear.recall.retrieve import Recalled, retrieve
from yesteryear.remember.journal import draft_message
from yesteryear.remember.record import record
from yesteryear.remember.settings import close_conversation, redate_skipped

_FLUSH_LOOK_S = 0.01
"""Pause between two looks while a worker holds the owner, in seconds."""


class AsyncMemory(AsyncBeliefs):
    """One scope's memory. Get one from an engine; it holds nothing of its own and may be shared freely."""

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    @overload
    async def observe(
        self,
        content: str,
        *,
        role: str = "user",
        author: str | None = None,
        conversation: str = "default",
        at: datetime | str | None = None,
        id: str | None = None,
        zone: str | None = None,
    ) -> Receipt: ...

    @overload
    async def observe(
        self,
        content: Sequence[Mapping[str, Any]],
        *,
        role: str = "user",
        author: str | None = None,
        conversation: str = "default",
        at: datetime | str | None = None,
        id: str | None = None,
        zone: str | None = None,
    ) -> list[Receipt]: ...

    async def observe(
        self,
        content: str | Sequence[Mapping[str, Any]],
        *,
        role: str = "user",
        author: str | None = None,
        conversation: str = "default",
        at: datetime | str | None = None,
        id: str | None = None,  # noqa: A002 - the caller's word for it
        zone: str | None = None,
    ) -> Receipt | list[Receipt]:
        """Take down what was said. When this returns, it is on disk; everything else happens later.

        Args:
            content: A message's text, or several messages as mappings with ``content`` and where they differ from the
                arguments here ``role``, ``author``, ``conversation``, ``at``, ``id``, ``zone``. Several messages are
                taken down together or not at all.
            role: user, assistant, system, developer or tool.
            author: Who speaks; the role where not given. What an author says of "I" is about them.
            conversation: Name of the conversation.
            at: When it was said: aware, or naive with ``zone``; now where not given.
            id: The caller's own id, unique in the conversation; makes repeating the call harmless.
            zone: IANA time zone of the person, such as "Europe/Lisbon".

        Returns:
            A receipt, or one for each message.

        Raises:
            InputError: the message says which field is wrong.
            Conflict: the id was used before for another text.
            StorageUnavailable: nothing was written; try again.
        """
        shared = {"role": role, "author": author, "conversation": conversation, "at": at, "zone": zone}
        if isinstance(content, str):
            receipts = await self._record([{**shared, "id": id, "content": content}])
            return receipts[0]
        if id is not None:
            raise InputError("an id names one message; give each message of a list its own")
        messages = [{**shared, **message} for message in parse_mappings(content)]
        return await self._record(messages) if messages else []

    async def context(
        self,
        message: str = "",
        *,
        conversation: str | None = None,
        budget: int | None = None,
        recent_budget: int | None = None,
        at: datetime | str | None = None,
        speaker: str | None = "user",
        layout: str = "text",
        dry_run: bool = False,
    ) -> Context:
        """Return what to put before a model for its next reply, within a budget of tokens.

        Args:
            message: What the person just said.
            conversation: The session it belongs to; its last messages are returned as ``recent``, outside the budget.
            budget: Most tokens of the context; 1000 where not given.
            recent_budget: Most tokens of ``recent``; 500 where not given.
            at: The present, for how dates are said; the clock's where not given. It hides nothing said later.
            speaker: Whose words come first where a person talks with an assistant: "user", "assistant" or None.
            layout: How it is written: "text", "xml" or "json".
            dry_run: Only look: it does not count as shown to anybody.

        Raises:
            BudgetError: a budget is negative or absurdly large.
            InputError: an argument cannot be used.
        """
        if not isinstance(message, str):
            raise InputError(f"context takes the message's text, not {type(message).__name__}")
        request = ContextRequest(
            message=message,
            now=self._now(at),
            conversation=optional_name("conversation", conversation),
            budget=budget,
            recent_budget=recent_budget,
            speaker=parse_speaker(speaker),
            layout=parse_choice("layout", Layout, layout),
            is_dry=dry_run,
        )
        return await self._calls.run(self._context, request)

    async def recall(
        self,
        question: str,
        *,
        limit: int = 10,
        kinds: Collection[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        author: str | None = None,
        conversation: str | None = None,
        speaker: str | None = "user",
        archived: bool = False,
        at: datetime | str | None = None,
    ) -> Recalled:
        """Find memories that bear on a question, best first.

        Args:
            question: Any text.
            limit: Most hits, 1 to 1000.
            kinds: Any of "excerpt", "episode" and "fact", or kinds of facts such as "preference" or "goal"; where not
                given facts, excerpts, and episodes of which no text is left.
            since, until: Only what was said in [since, until).
            author: Only what this author said.
            conversation: Only from this conversation.
            speaker: Whose words come first where a person talks with an assistant: "user", "assistant" or None.
            archived: Whether what was archived is found too, and facts that are not believed any more; those that held
                once are found by questions about the past anyway.
            at: The present, from which "last week" and ages count; the clock's where not given.

        Raises:
            InputError: an argument cannot be used.
        """
        if not isinstance(question, str):
            raise InputError(f"recall takes the question's text, not {type(question).__name__}")
        grains, kinds_of_facts = parse_kinds(kinds)
        only = RecallFilter(
            grains=grains,
            kinds=kinds_of_facts,
            since=optional_instant(since),
            until=optional_instant(until),
            author=optional_name("author", author),
            conversation=optional_name("conversation", conversation),
            only_bare_episodes=kinds is None,
            archived=archived,
        )
        return await self._calls.run(
            self._asking,
            retrieve,
            self._shelf,
            self._scope,
            question,
            now=self._now(at),
            policy=self._policies.recall,
            only=only,
            limit=check_limit(limit),
            speaker=parse_speaker(speaker),
        )

    async def messages(
        self,
        *,
        ids: Collection[str] | None = None,
        conversation: str | None = None,
        author: str | None = None,
        outcome: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        after: str = "",
        limit: int = 100,
    ) -> list[Message]:
        """Return a page of the journal, oldest first, with what the gate decided and why.

        Args:
            ids: These alone, ours or the caller's, whatever else is given; unknown ones are left out.
            conversation, author: Only these.
            outcome: "keep" or "skip": only what the gate kept or skipped.
            since, until: Only what was said in [since, until).
            after: ``id`` of the last message of the page before.
            limit: Most messages, 1 to 1000.

        Raises:
            InputError: an argument cannot be used.
        """
        if ids is not None:
            names = parse_ids(ids)
            return await self._calls.run(self._read, lambda tx: tx.messages.named(names))
        query = MessageQuery(
            limit=check_limit(limit),
            after=optional_name("after", after or None) or "",
            conversation=optional_name("conversation", conversation),
            author=optional_name("author", author),
            outcome=None if outcome is None else parse_outcome(outcome),
            since=optional_instant(since),
            until=optional_instant(until),
        )
        return await self._calls.run(self._read, lambda tx: tx.messages.page(query))

    async def episodes(
        self,
        *,
        ids: Collection[str] | None = None,
        conversation: str | None = None,
        status: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> list[Episode]:
        """Return a page of episodes, newest first.

        Args:
            ids: These alone, in this order, whatever else is given; unknown ones are left out.
            conversation: Only from this conversation.
            status: "pending", "active", "failed", "archived" or "forgotten"; all but forgotten ones where not given.
            since, until: Only those that ended in [since, until).
            after: ``id`` of the last episode of the page before.
            limit: Most episodes, 1 to 1000.

        Raises:
            InputError: an argument cannot be used.
        """
        if ids is not None:
            names = parse_ids(ids)
            return await self._calls.run(self._read, lambda tx: tx.episodes.get(names))
        query = EpisodeQuery(
            limit=check_limit(limit),
            after=optional_name("after", after),
            conversation=optional_name("conversation", conversation),
            status=None if status is None else parse_status(status),
            since=optional_instant(since),
            until=optional_instant(until),
        )
        return await self._calls.run(self._read, lambda tx: tx.episodes.page(query))

    async def conversations(self) -> list[Conversation]:
        """Return the conversations of this scope."""
        return await self._calls.run(self._read, lambda tx: tx.conversations.list())

    async def close_episode(self, conversation: str = "default") -> None:
        """End the present episode of a conversation: what comes next belongs to another one.

        Raises:
            NotFound: nothing was ever said there.
        """
        key = ConversationKey(self._scope.project, self._scope.agent, check_name("conversation", conversation))
        now = self._ports.clock.now()
        await self._calls.write(self._ports.store, self._scope, lambda tx: close_conversation(tx, key, now))
        self._ports.bell.ring()

    async def configure(self, *, project: str | None = None, **settings: Setting | None) -> dict[str, Setting]:
        """Set what holds for this user, or for one project of theirs, and return what is set there now.

        Args:
            project: The project the settings are for; all of the user's where not given. A memory of a project
                configures that project.
            settings: Values by name (document A's ``memory_config``); None takes a setting back. Without any nothing
                is changed.

        Raises:
            InputError: a name is unknown or a value does not fit.
        """
        project = self._scope.project if project is None else check_name("project", project)
        checked = check_overrides(settings)
        if project is not None and not OWNERS_ONLY.isdisjoint(checked):
            name = min(OWNERS_ONLY & checked.keys())
            raise InputError(f"{name} holds for all of a person's memory; set it without a project")

        if not settings:
            return await self._calls.run(self._read, lambda tx: dict(tx.overrides.get(project)))

        def write(tx: Transaction) -> dict[str, Setting]:
            kept = {name: value for name, value in tx.overrides.get(project).items() if name not in settings}
            tx.overrides.save(project, kept | checked)
            return kept | checked

        found = await self._calls.write(self._ports.store, self._scope, write)
        if "journal_retention_days" in settings:
            await self._calls.run(self._redate_skipped)
        if not OWNERS_ONLY.isdisjoint(settings):
            now, is_fading = self._ports.clock.now(), "fading" in settings
            await self._calls.run(look_again, self._ports.store, self._scope, now, at_all=is_fading)
            self._ports.bell.ring()
        return found

    async def flush(self, *, on_progress: Callable[[Drained], None] = lambda _: None) -> Drained:
        """End the open episodes of this scope and wait until everything that is due has been done.

        Work that keeps failing is left with its error and the time of its next attempt; see ``stats``.

        Args:
            on_progress: Called now and then with what has been done so far.
        """
        return await self._calls.run_long(self._flush, on_progress)

    async def retry(self) -> int:
        """Make everything that was given up after too many failures due again; return how many rows that were."""
        count = await self._calls.run(retry_failed, self._ports, self._scope)
        self._ports.bell.ring()
        return count

    async def stats(self) -> dict[str, Any]:
        """Return numbers of rows by kind and status, and the embedding models in use."""
        return await self._calls.run(self._read, read_stats)

    async def usage(
        self, *, since: datetime | str | None = None, until: datetime | str | None = None
    ) -> list[UsageSum]:
        """Return what calls of models have cost this person's memory, summed by day (UTC), purpose and model.

        Args:
            since, until: Only calls that were begun in [since, until).

        Raises:
            InputError: an argument cannot be used.
        """
        first, last = optional_instant(since) or EPOCH, optional_instant(until) or FOREVER
        return await self._calls.run(read_usage, self._ports.store, [self._owner], since=first, until=last)

    async def _record(self, messages: Sequence[Mapping[str, Any]]) -> list[Receipt]:
        now = self._ports.clock.now()
        milliseconds = to_microseconds(now) // 1000
        drafts = [
            draft_message(
                fields,
                scope=self._scope,
                now=now,
                message_id=self._ports.ids.new(milliseconds),
                policy=self._policies.remember.journal,
            )
            for fields in messages
        ]
        receipts, is_due = await self._calls.write(
            self._ports.store, self._scope, lambda tx: self._append(tx, drafts, now)
        )
        if is_due:
            self._ports.bell.ring()
        return receipts

    def _append(self, tx: Transaction, drafts: Sequence[MessageDraft], now: datetime) -> tuple[list[Receipt], bool]:
        segment = policies_in(tx, self._scope.project, self._policies).remember.segment
        recorded = [record(tx, draft, segment) for draft in drafts]
        is_due = any(due_at is not None and due_at <= now for _, due_at in recorded)
        return [receipt for receipt, _ in recorded], is_due

    def _context(self, request: ContextRequest) -> Context:
        with self._ports.store.read(self._scope) as tx:
            policies = policies_in(tx, self._scope.project, self._policies)
            begun = begin_context(tx, self._shelf, self._ports.tokens, request, policies.context)
            asking = policies.consolidate.questions
            question = self._asker.question(tx, now=request.now, policy=asking) if policies.context.max_facts else None
        if question is not None and request.conversation is not None and not request.is_dry:
            self._asker.note(self._ports.store, self._scope, question, now=request.now)
        return self._asking(
            finish_context,
            self._shelf,
            self._scope,
            begun,
            policy=policies.context,
            recall=policies.recall,
            question=question,
        )

    def _flush(self, on_progress: Callable[[Drained], None]) -> Drained:
        drain = Drain(
            self._ports,
            self._policies,
            self._scope,
            worker=self._ports.workers.name(),
            on_progress=on_progress,
        )
        while not drain.run(close_all=True):
            time.sleep(_FLUSH_LOOK_S)
        return drain.done

    def _redate_skipped(self) -> None:
        redate_skipped(
            self._ports.store,
            Scope(tenant=self._scope.tenant, user=self._scope.user),
            lambda tx, project: policies_in(tx, project, self._policies).remember.journal,
        )
