"""STEPS: taking talk down and answering in it, where several stages have a part: people ask in it to forget, too."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from yesteryear.consolidate.policy import last_night
from yesteryear.core.language.discourse import asks
from yesteryear.core.language.tokens import stems
from yesteryear.core.message import Receipt
from yesteryear.core.time import FOREVER, to_microseconds
from yesteryear.forget.facts import facts_about
from yesteryear.forget.propose import Wishes, note_offered, propose, question_to_ask
from yesteryear.lifecycle.opened import OpenMemory
from yesteryear.policies import Policies, policies_in
from yesteryear.ports import Transaction
from yesteryear.recall.context import Context, ContextRequest, begin_context, finish_context
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.retrieve import retrieve
from yesteryear.remember.journal import MessageDraft, draft_message
from yesteryear.remember.record import record

_LET_GO_S = 0.0005
"""Pause in which other threads get the interpreter, in seconds: without one they wait for it 5 ms each time."""
_ABOUT_LIMIT = 20  # most memories that are proposed for being forgotten about a subject


def draft_messages(memory: OpenMemory, messages: Sequence[Mapping[str, Any]], *, now: datetime) -> list[MessageDraft]:
    """Check what was handed over, and cut secrets out of it."""
    scope, policy = memory.scope, memory.policies.remember.journal
    policy.check_scope(scope)
    draft = partial(draft_message, scope=scope, now=now, policy=policy, pause=lambda: time.sleep(_LET_GO_S))
    return [draft(fields, message_id=memory.ports.ids.new(to_microseconds(now) // 1000)) for fields in messages]


def take_down(
    tx: Transaction, drafted: Sequence[MessageDraft], policies: Policies, *, now: datetime
) -> tuple[list[Receipt], bool]:
    """Write messages, and proposals to forget that are made in them; tell also whether a worker has to come."""
    policies = policies_in(tx, tx.scope.project, policies)
    receipts, is_due = [], False
    for draft in drafted:
        receipt, due_at = record(tx, draft, policies.remember.segment)
        is_due |= due_at is not None and due_at <= now
        request = draft.request
        if request is not None and request.is_proposal and receipt.is_new:
            asking = tx.messages.get([receipt.id])[0]
            receipt = replace(receipt, proposal=propose(tx, asking, request, policies.forget, now=now))
        receipts.append(receipt)
    return receipts, is_due


def heed_drafted(
    memory: OpenMemory, drafted: Sequence[MessageDraft], receipts: Sequence[Receipt], *, now: datetime
) -> list[Receipt]:
    """Obey requests and answers that were just taken down; return the receipts, with what each has hidden."""
    told = [receipt.id for one, receipt in zip(drafted, receipts, strict=True) if one.is_to_heed and receipt.is_new]
    policy = memory.look(memory.own_policies).forget
    hidden = Wishes(memory.ports.store, memory.owner, now, policy).heed(told)
    return [replace(receipt, hidden=hidden.get(receipt.id, ())) for receipt in receipts]


def make_context(memory: OpenMemory, request: ContextRequest) -> Context:
    """Return what to put before a model, with the one question that the agent may ask; proposals go first."""
    now, ports, scope, selector = request.now, memory.ports, memory.scope, memory.question_selector
    with ports.store.read(scope) as tx:
        policies = policies_in(tx, scope.project, memory.policies)
        nights = partial(last_night, ports.clock.now(), policies.consolidate.night)
        begun = begin_context(tx, memory.index_cache, ports.tokens, request, policies.context, last_night=nights)
        question = question_to_ask(tx, conversation=request.conversation, now=now)
        is_proposed = question is not None
        if not is_proposed and policies.context.max_facts:
            question = selector.question(tx, now=now, policy=policies.consolidate.questions)
    if question is not None and not request.is_dry:
        if not is_proposed:
            selector.note(ports.store, scope, question, now=now)
        elif request.conversation is not None:  # offered to somebody; then it is not again
            note = partial(note_offered, question=question, conversation=request.conversation, now=now)
            ports.store.write(memory.owner, note, urgent=True)
    finish = partial(finish_context, policy=policies.context, recall=policies.recall, question=question)
    return memory.asking(finish, memory.index_cache, scope, begun)


def find_about(memory: OpenMemory, subject: str, *, now: datetime) -> tuple[str, ...]:
    """Return the ids of what bears on a subject and shares a word with it, and of what was answered to it.

    Of messages of which only numbers are left, those that are called by such a word.

    What only ranks best among what has nothing to do with the subject must not be proposed for being forgotten.
    """
    only = RecallFilter(only_bare_episodes=True, archived=True)
    search = partial(retrieve, now=now, policy=memory.policies.recall, only=only, limit=_ABOUT_LIMIT, speaker=None)
    found = memory.asking(search, memory.index_cache, memory.scope, subject)
    wanted = set(stems(subject))
    told = [hit for hit in found.hits if wanted & set(stems(hit.text))]
    with memory.ports.store.read(memory.scope) as tx:
        # What the next speaker said to a question: an answer ("its 29k") seldom repeats what it is about.
        asked = [
            (hit, row) for hit in told if asks(hit.text) for row in tx.messages.span(hit.key, after=hit.seq, limit=1)
        ]
        answers = [row.id for hit, row in asked if row.content and row.author != hit.author]
        facts = [fact.id for fact in facts_about(tx, subject)]
        bare = (row for row in tx.messages.measured(FOREVER) if not row.content)
        numbers = [row.id for row in bare if wanted & set(stems(row.gist))]
    return tuple(dict.fromkeys([*(hit.id for hit in told), *answers, *facts, *numbers]))
