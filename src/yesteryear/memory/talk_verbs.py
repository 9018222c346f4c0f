"""The verbs of talk: what is said, what is asked, and the rows that talk leaves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, TypedDict, Unpack, overload

from yesteryear.core.access.arguments import (
    Id,
    Instant,
    KindOfMemory,
    Name,
    OneOf,
    PageLimit,
    Speaker,
    check_limit,
    optional_choice,
    optional_instant,
    optional_name,
    parse_choice,
    parse_ids,
    parse_kinds,
    parse_mappings,
)
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.message import Conversation, Message, Outcome, Receipt, Role
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import ConversationKey
from yesteryear.errors import InputError
from yesteryear.lifecycle.by_hand import configure
from yesteryear.lifecycle.conversing import draft_messages, heed_drafted, make_context, take_down
from yesteryear.lifecycle.drain import Drained, flush, retry_failed
from yesteryear.lifecycle.opened import OpenMemory
from yesteryear.memory.calls import AsyncCalls, ScopedVerbs
from yesteryear.ports import Setting
from yesteryear.recall.context import Context, ContextRequest, Tokens
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.render import Layout
from yesteryear.recall.retrieve import Recalled, retrieve
from yesteryear.remember.record import close_conversation

_INLINE_CHARS = 4_000
"""Messages of together so many characters are checked at once; longer ones on a thread, beside other callers."""


class SaidOptions(TypedDict, total=False):
    """What ``observe`` may be told of a message beside its content, for type checkers."""

    role: str
    author: str | None
    conversation: str
    at: datetime | str | None
    id: str | None
    zone: str | None


class TalkVerbs(ScopedVerbs):
    """What is said, asked and kept of talk in one scope."""

    @overload
    async def observe(self, content: str | Mapping[str, Any], **fields: Unpack[SaidOptions]) -> Receipt: ...

    @overload
    async def observe(self, content: Sequence[Mapping[str, Any]], **fields: Unpack[SaidOptions]) -> list[Receipt]: ...

    async def observe(
        self,
        content: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        role: Annotated[str, OneOf(Role)] = "user",
        author: Name | None = None,
        conversation: Id = "default",
        at: Instant | None = None,
        id: Id | None = None,
        zone: Name | None = None,
    ) -> Receipt | list[Receipt]:
        """Take down what was said. When this returns, it is on disk; everything else happens later.

        Args:
            content: A message's text; or a message, or several, as mappings with ``content`` and where they differ
                from the arguments here ``role``, ``author``, ``conversation``, ``at``, ``id``, ``zone``. They may be as
                chat APIs write them: ``content`` in parts, ``name`` for the author, calls of tools. Several messages
                are taken down together or not at all.
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
        if isinstance(content, str | Mapping):
            message = {"content": content} if isinstance(content, str) else parse_mappings([content])[0]
            return (await _take_down(self._open, self._calls, [{**shared, "id": id, **message}]))[0]
        if id is not None:
            raise InputError("an id names one message; give each message of a list its own")
        messages = [{**shared, **message} for message in parse_mappings(content)]
        return await _take_down(self._open, self._calls, messages) if messages else []

    async def context(
        self,
        message: str = "",
        *,
        conversation: Id | None = None,
        budget: Tokens | None = None,
        recent_budget: Tokens | None = None,
        at: Instant | None = None,
        speaker: Speaker | None = "user",
        layout: Annotated[str, OneOf(Layout)] = "text",
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
        """
        if not isinstance(message, str):
            raise InputError(f"context takes the message's text, not {type(message).__name__}")
        request = ContextRequest(
            message=message,
            now=self._now(at),
            conversation=self._name("conversation", conversation),
            budget=budget,
            recent_budget=recent_budget,
            speaker=optional_choice("speaker", (Role.USER, Role.ASSISTANT), speaker),
            layout=parse_choice("layout", Layout, layout),
            is_dry=dry_run,
        )
        return await self._calls.run(make_context, self._open, request)

    async def recall(
        self,
        question: str,
        *,
        limit: PageLimit = 10,
        kinds: Collection[KindOfMemory] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        author: Name | None = None,
        conversation: Id | None = None,
        speaker: Speaker | None = "user",
        archived: bool = False,
        at: Instant | None = None,
    ) -> Recalled:
        """Find memories that bear on a question, best first.

        Args:
            question: Any text.
            limit: Most hits, 1 to 1000.
            kinds: Any of "excerpt", "episode" and "fact", or kinds of facts such as "preference" or "goal"; where not
                given facts, excerpts, and episodes of which no text is left.
            since: Only what was said at or after this instant.
            until: Only what was said before this instant.
            author: Only what this author said.
            conversation: Only from this conversation.
            speaker: Whose words come first where a person talks with an assistant: "user", "assistant" or None.
            archived: Whether what was archived is found too, and facts that are not believed any more; those that held
                once are found by questions about the past anyway.
            at: The present, from which "last week" and ages count; the clock's where not given.
        """
        if not isinstance(question, str):
            raise InputError(f"recall takes the question's text, not {type(question).__name__}")
        grains, kinds_of_facts = parse_kinds(kinds)
        only = RecallFilter(
            grains=grains,
            kinds=kinds_of_facts,
            since=optional_instant(since),
            until=optional_instant(until),
            author=self._name("author", author),
            conversation=self._name("conversation", conversation),
            only_bare_episodes=kinds is None,
            archived=archived,
        )
        first = optional_choice("speaker", (Role.USER, Role.ASSISTANT), speaker)
        search = partial(retrieve, now=self._now(at), only=only, limit=check_limit(limit), speaker=first)
        memory, policy = self._open, self._open.policies.recall
        return await self._calls.run(memory.asking, search, memory.index_cache, memory.scope, question, policy=policy)

    async def messages(
        self,
        *,
        ids: Collection[Id] | None = None,
        conversation: Id | None = None,
        author: Name | None = None,
        outcome: Annotated[str, OneOf((Outcome.KEEP, Outcome.SKIP))] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        after: Id | None = None,
        newest_first: bool = False,
        limit: PageLimit = 100,
    ) -> list[Message]:
        """Return a page of the journal, in the order it came in, with what the gate decided and why.

        Args:
            ids: These alone, ours or the caller's, whatever else is given; unknown ones are left out.
            conversation: Only from this conversation.
            author: Only what this author said.
            outcome: "keep" or "skip": only what the gate kept or skipped.
            since: Only what was said at or after this instant.
            until: Only what was said before this instant.
            after: ``id`` of the last message of the page before.
            newest_first: Whether what came in last comes first.
            limit: Most messages, 1 to 1000.
        """
        if ids is not None:
            names = parse_ids(ids)
            return await self._read(lambda tx: tx.messages.named(names))
        query = MessageQuery(
            limit=check_limit(limit),
            after=optional_name("after", after or None) or "",
            newest_first=newest_first,
            conversation=self._name("conversation", conversation),
            author=self._name("author", author),
            outcome=optional_choice("outcome", (Outcome.KEEP, Outcome.SKIP), outcome),
            since=optional_instant(since),
            until=optional_instant(until),
        )
        return await self._read(lambda tx: tx.messages.page(query))

    async def episodes(
        self,
        *,
        ids: Collection[Id] | None = None,
        conversation: Id | None = None,
        status: Annotated[str, OneOf(EpisodeStatus)] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        after: Id | None = None,
        limit: PageLimit = 100,
    ) -> list[Episode]:
        """Return a page of episodes, newest first.

        Args:
            ids: These alone, in this order, whatever else is given; unknown ones are left out.
            conversation: Only from this conversation.
            status: "pending", "active", "failed", "archived" or "forgotten"; all but forgotten ones where not given.
            since: Only those that ended at or after this instant.
            until: Only those that ended before this instant.
            after: ``id`` of the last episode of the page before.
            limit: Most episodes, 1 to 1000.
        """
        if ids is not None:
            names = parse_ids(ids)
            return await self._read(lambda tx: tx.episodes.get(names))
        query = EpisodeQuery(
            limit=check_limit(limit),
            after=optional_name("after", after),
            conversation=self._name("conversation", conversation),
            status=optional_choice("status", EpisodeStatus, status),
            since=optional_instant(since),
            until=optional_instant(until),
        )
        return await self._read(lambda tx: tx.episodes.page(query))

    async def conversations(self) -> list[Conversation]:
        """Return the conversations of this scope."""
        return await self._read(lambda tx: tx.conversations.list())

    async def close_episode(self, conversation: Id = "default") -> None:
        """End the present episode of a conversation: what comes next belongs to another one.

        Args:
            conversation: Which.

        Raises:
            NotFound: nothing was ever said there.
        """
        name, now = self._open.policies.remember.journal.name("conversation", conversation), self._now()
        key = ConversationKey(self._open.scope.project, self._open.scope.agent, name)
        await self._calls.write(self._open.ports.store, self._open.scope, lambda tx: close_conversation(tx, key, now))
        self._open.ports.bell.ring()

    async def configure(self, /, *, project: Name | None = None, **settings: Setting | None) -> dict[str, Setting]:
        """Set what holds for this user, or for one project of theirs, and return what is set there now.

        Args:
            project: The project the settings are for; all of the user's where not given. A memory of a project
                configures that project.
            settings: Values by name (document A's ``memory_config``); None takes a setting back. Without any nothing
                is changed.

        Raises:
            InputError: a name is unknown or a value does not fit.
        """
        project = (
            self._open.scope.project if project is None else self._open.policies.remember.journal.id("project", project)
        )
        return await self._calls.run(configure, self._open, project, settings, now=self._now())

    async def flush(self, *, on_progress: Callable[[Drained], None] = lambda _: None) -> Drained:
        """End the open episodes of this scope and wait until everything that is due has been done.

        Work that keeps failing is left with its error and the time of its next attempt; see ``stats``.

        Args:
            on_progress: Called now and then with what has been done so far.
        """
        return await self._calls.run_long(flush, self._open.ports, self._open.policies, self._open.scope, on_progress)

    async def retry(self) -> int:
        """Make everything that was given up after too many failures due again; return how many rows that were."""
        return await self._calls.run(retry_failed, self._open.ports, self._open.scope)


async def _take_down(memory: OpenMemory, calls: AsyncCalls, messages: Sequence[Mapping[str, Any]]) -> list[Receipt]:
    now = memory.ports.clock.now()
    is_long = sum(len(str(fields.get("content", ""))) for fields in messages) > _INLINE_CHARS
    draft = partial(draft_messages, memory, messages, now=now)
    drafted = await calls.run(draft) if is_long else draft()
    receipts, is_due = await calls.write(
        memory.ports.store, memory.scope, lambda tx: take_down(tx, drafted, memory.policies, now=now)
    )
    if is_due:
        memory.ports.bell.ring()
    if not any(one.is_to_heed for one in drafted):
        return receipts
    return await calls.run(heed_drafted, memory, drafted, receipts, now=now)
