"""STEP: draw facts from an episode again by hand, and compare them with what is known."""

from __future__ import annotations

from datetime import datetime

from yesteryear.consolidate.believe import believe
from yesteryear.core.message import Message
from yesteryear.core.scope import Scope
from yesteryear.drain import policies_in
from yesteryear.errors import InputError, NotFound
from yesteryear.policies import Policies
from yesteryear.ports import Ports, Transaction
from yesteryear.remember.activate import serve_first_model
from yesteryear.remember.ingest import Judged, state_facts, talk_of


def restate(ports: Ports, scope: Scope, name: str, policies: Policies, *, now: datetime) -> list[str]:
    """Draft facts from the words that are left of an episode, write what is new, and return the ids of all.

    Args:
        ports: The ports.
        scope: Who asks.
        name: Id of an episode, or of a message in one.
        policies: The defaults.
        now: The present instant.

    Raises:
        NotFound: nothing in this scope has this id.
        InputError: nothing of its words is left.
        ProviderError: the analyst failed; nothing was written.
        Stale: something was changed meanwhile.
    """
    with ports.store.read(scope) as tx:
        messages, episode_id = _words(tx, name)
        policy = policies_in(tx, messages[0].scope.project, policies)
    digest = ports.analyst.digest(talk_of(messages), give_way=ports.store.give_way)
    owner = Scope(tenant=scope.tenant, user=scope.user)

    def write(tx: Transaction) -> list[str]:
        left = [message for message in tx.messages.get([message.id for message in messages]) if message.content]
        judged = Judged(tuple(left), digest)  # what was forgotten while the analyst read must not come back
        state_facts(tx, judged, episode_id, ports.ids, policy=policy.remember, now=now)
        evidence = tx.evidence.of_messages([message.id for message in messages])
        return list(dict.fromkeys(row.fact_id for row in evidence))

    ids = ports.store.write(owner, write)
    with ports.store.read(owner) as tx:
        due = [fact for fact in tx.facts.get(ids) if fact.due_at is not None]
        night = policies_in(tx, None, policies).consolidate
    if due:
        believe(ports, owner, due, night, now=now, serve=serve_first_model)
    return ids


def _words(tx: Transaction, name: str) -> tuple[list[Message], str]:
    """Return the messages of an episode whose words are left, and its id."""
    found = tx.episodes.get([name])
    if not found:
        held_in = [message.episode_id for message in tx.messages.named([name]) if message.episode_id is not None]
        found = tx.episodes.get(held_in[:1])
    if not found:
        raise NotFound(f"no episode here has the id {name!r}, or holds a message with it; ids stand in episodes()")
    messages = [message for message in tx.messages.get(found[0].message_ids) if message.content]
    if not messages:
        raise InputError(f"nothing is left of the words of episode {found[0].id!r}; facts are drawn from words only")
    return messages, found[0].id
