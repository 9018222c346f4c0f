"""The verbs of one scope.

Each verb checks what it was given, runs a step and returns a frozen result.
Made from ``memory.py`` by ``make sync``; do not edit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, overload

from yesteryear.calls import let_go
from yesteryear.consolidate.letting_go import look_again
from yesteryear.core.arguments import (
    Id,
    Instant,
    KindOfMemory,
    Name,
    OneOf,
    PageLimit,
    Speaker,
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
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.language.forgetting import ForgetRequest, is_plain_answer, read_forget_request
from yesteryear.core.message import Message, MessageDraft, Outcome, Receipt, Role
from yesteryear.core.queries import EpisodeQuery, MessageQuery
from yesteryear.core.question import Question
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import to_microseconds
from yesteryear.drain import Drain, Drained, policies_in, retry_failed
from yesteryear.errors import InputError
from yesteryear.forget.propose import heed, note_offered, propose, question_to_ask
from yesteryear.policies import OWNERS_ONLY, check_overrides
from yesteryear.ports import Setting, Transaction
from yesteryear.recall.context import Context, ContextRequest, Tokens, begin_context, finish_context
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.render import Layout
from yesteryear.recall.retrieve import Recalled, retrieve
from yesteryear.remember.journal import draft_message
from yesteryear.remember.record import record
from yesteryear.remember.settings import close_conversation, redate_skipped
from yesteryear.sync.beliefs import Beliefs

_FLUSH_LOOK_S = 0.01
"""Pause between two looks while a worker holds the owner, in seconds."""
_INLINE_CHARS = 4_000
"""Messages of together so many characters are checked at once; longer ones on a thread, beside other callers."""


class Memory(Beliefs):
    """One scope's memory. Get one from an engine; it holds nothing of its own and may be shared freely."""

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    @overload
    def observe(
        self,
        content: str | Mapping[str, Any],
        *,
        role: str = "user",
        author: str | None = None,
        conversation: str = "default",
        at: datetime | str | None = None,
        id: str | None = None,
        zone: str | None = None,
    ) -> Receipt: ...

    @overload
    def observe(
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

    def observe(
        self,
        content: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        role: Annotated[str, OneOf(Role)] = "user",
        author: Name | None = None,
        conversation: Id = "default",
        at: Instant | None = None,
        id: Id | None = None,  # noqa: A002 - the caller's word for it
        zone: Name | None = None,
    ) -> Receipt | list[Receipt]:
        """Take down what was said. When this returns, it is on disk; everything else happens later."""
        shared = {"role": role, "author": author, "conversation": conversation, "at": at, "zone": zone}
        if isinstance(content, str | Mapping):
            message = {"content": content} if isinstance(content, str) else parse_mappings([content])[0]
            return (self._record([{**shared, "id": id, **message}]))[0]
        if id is not None:
            raise InputError("an id names one message; give each message of a list its own")
        messages = [{**shared, **message} for message in parse_mappings(content)]
        return self._record(messages) if messages else []

    def context(
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
        """Return what to put before a model for its next reply, within a budget of tokens."""
        if not isinstance(message, str):
            raise InputError(f"context takes the message's text, not {type(message).__name__}")
        request = ContextRequest(
            message=message,
            now=self._now(at),
            conversation=self._name("conversation", conversation),
            budget=budget,
            recent_budget=recent_budget,
            speaker=parse_speaker(speaker),
            layout=parse_choice("layout", Layout, layout),
            is_dry=dry_run,
        )
        return self._calls.run(self._context, request)

    def recall(
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
        """Find memories that bear on a question, best first."""
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
        return self._calls.run(
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

    def messages(
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
        """Return a page of the journal, in the order it came in, with what the gate decided and why."""
        if ids is not None:
            names = parse_ids(ids)
            return self._calls.run(self._read, lambda tx: tx.messages.named(names))
        query = MessageQuery(
            limit=check_limit(limit),
            after=optional_name("after", after or None) or "",
            newest_first=newest_first,
            conversation=self._name("conversation", conversation),
            author=self._name("author", author),
            outcome=None if outcome is None else parse_outcome(outcome),
            since=optional_instant(since),
            until=optional_instant(until),
        )
        return self._calls.run(self._read, lambda tx: tx.messages.page(query))

    def episodes(
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
        """Return a page of episodes, newest first."""
        if ids is not None:
            names = parse_ids(ids)
            return self._calls.run(self._read, lambda tx: tx.episodes.get(names))
        query = EpisodeQuery(
            limit=check_limit(limit),
            after=optional_name("after", after),
            conversation=self._name("conversation", conversation),
            status=None if status is None else parse_status(status),
            since=optional_instant(since),
            until=optional_instant(until),
        )
        return self._calls.run(self._read, lambda tx: tx.episodes.page(query))

    def conversations(self) -> list[Conversation]:
        """Return the conversations of this scope."""
        return self._calls.run(self._read, lambda tx: tx.conversations.list())

    def close_episode(self, conversation: Id = "default") -> None:
        """End the present episode of a conversation: what comes next belongs to another one."""
        name = self._policies.remember.journal.name("conversation", conversation)
        key = ConversationKey(self._scope.project, self._scope.agent, name)
        now = self._ports.clock.now()
        self._calls.write(self._ports.store, self._scope, lambda tx: close_conversation(tx, key, now))
        self._ports.bell.ring()

    def configure(self, *, project: Name | None = None, **settings: Setting | None) -> dict[str, Setting]:
        """Set what holds for this user, or for one project of theirs, and return what is set there now."""
        project = self._scope.project if project is None else self._policies.remember.journal.id("project", project)
        checked = check_overrides(settings)
        if project is not None and not OWNERS_ONLY.isdisjoint(checked):
            name = min(OWNERS_ONLY & checked.keys())
            raise InputError(f"{name} holds for all of a person's memory; set it without a project")

        if not settings:
            return self._calls.run(self._read, lambda tx: dict(tx.overrides.get(project)))

        def write(tx: Transaction) -> dict[str, Setting]:
            kept = {name: value for name, value in tx.overrides.get(project).items() if name not in settings}
            tx.overrides.save(project, kept | checked)
            return kept | checked

        found = self._calls.write(self._ports.store, self._scope, write)
        if "journal_retention_days" in settings:
            self._calls.run(self._redate_skipped)
        if not OWNERS_ONLY.isdisjoint(settings):
            now, is_fading = self._ports.clock.now(), "fading" in settings
            self._calls.run(look_again, self._ports.store, self._scope, now, at_all=is_fading)
            self._ports.bell.ring()
        return found

    def flush(self, *, on_progress: Callable[[Drained], None] = lambda _: None) -> Drained:
        """End the open episodes of this scope and wait until everything that is due has been done."""
        return self._calls.run_long(self._flush, on_progress)

    def retry(self) -> int:
        """Make everything that was given up after too many failures due again; return how many rows that were."""
        count = self._calls.run(retry_failed, self._ports, self._scope)
        self._ports.bell.ring()
        return count

    def _record(self, messages: Sequence[Mapping[str, Any]]) -> list[Receipt]:
        now = self._ports.clock.now()
        is_long = sum(len(str(fields.get("content", ""))) for fields in messages) > _INLINE_CHARS
        drafts = self._calls.run(self._draft, messages, now) if is_long else self._draft(messages, now)
        wishes = [read_forget_request(draft.content) if draft.role is Role.USER else None for draft in drafts]
        receipts, is_due = self._calls.write(
            self._ports.store, self._scope, lambda tx: self._append(tx, drafts, wishes, now)
        )
        if is_due:
            self._ports.bell.ring()
        is_asked = [draft.verdict is not None or is_plain_answer(draft.content) for draft in drafts]
        if not any(is_asked):
            return receipts
        told = [receipt.id for receipt, is_told in zip(receipts, is_asked, strict=True) if is_told and receipt.is_new]
        hidden = self._calls.run(self._heed, told, now)
        return [replace(receipt, hidden=hidden.get(receipt.id, ())) for receipt in receipts]

    def _draft(self, messages: Sequence[Mapping[str, Any]], now: datetime) -> list[MessageDraft]:
        policy, milliseconds = self._policies.remember.journal, to_microseconds(now) // 1000
        policy.check_scope(self._scope)
        return [
            draft_message(
                fields,
                scope=self._scope,
                now=now,
                message_id=self._ports.ids.new(milliseconds),
                policy=policy,
                pause=let_go,
            )
            for fields in messages
        ]

    def _append(
        self, tx: Transaction, drafts: Sequence[MessageDraft], wishes: Sequence[ForgetRequest | None], now: datetime
    ) -> tuple[list[Receipt], bool]:
        policies = policies_in(tx, self._scope.project, self._policies)
        recorded = [record(tx, draft, policies.remember.segment) for draft in drafts]
        is_due = any(due_at is not None and due_at <= now for _, due_at in recorded)
        receipts = [receipt for receipt, _ in recorded]
        for place, wish in enumerate(wishes):
            if wish is not None and wish.is_proposal and receipts[place].is_new:
                request = tx.messages.get([receipts[place].id])[0]
                question = propose(tx, request, wish, policies.forget, now=now)
                receipts[place] = replace(receipts[place], proposal=question)
        return receipts, is_due

    def _heed(self, ids: Sequence[str], now: datetime) -> dict[str, tuple[str, ...]]:
        """Obey requests and answers that were just taken down; return what each has hidden, by its id."""
        store, owner = self._ports.store, self._owner
        with store.read(owner) as tx:
            policy = self._owner_policies(tx).forget
        return heed(store, owner, ids, now=now, policy=policy)

    def _context(self, request: ContextRequest) -> Context:
        with self._ports.store.read(self._scope) as tx:
            policies = policies_in(tx, self._scope.project, self._policies)
            begun = begin_context(tx, self._shelf, self._ports.tokens, request, policies.context)
            asking = policies.consolidate.questions
            question = self._asker.question(tx, now=request.now, policy=asking) if policies.context.max_facts else None
            proposed = question_to_ask(tx, conversation=request.conversation, now=request.now)
        if proposed is not None:
            question = proposed
            self._note_offered(request, proposed)
        elif question is not None and not request.is_dry:
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

    def _note_offered(self, request: ContextRequest, question: Question) -> None:
        """Write down that the question of a proposal was offered, where it was to somebody; then it is not again."""
        where = request.conversation
        if where is not None and not request.is_dry:
            self._ports.store.write(
                self._owner, lambda tx: note_offered(tx, question, conversation=where, now=request.now), urgent=True
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
