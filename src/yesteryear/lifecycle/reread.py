"""STEP: reading old talk again, by what reads now.

What it is to be read by stands with the digest of each episode, and the row is the queue: until it was done the old
reading stands, and what was killed on the way goes on. Facts that rested only on the old reading go; those that are
told again stay, with their history; numbers are told anew. What a person did by hand stays, and what was forgotten
does not come back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from yesteryear.core.episode import Detail, Digest, Episode, EpisodeStatus
from yesteryear.core.fact import RESOLVED_BY, TOLD_IN, Authority, Evidence, FactDraft, FactStatus
from yesteryear.core.language.invisible_text import seen
from yesteryear.core.message import Message
from yesteryear.core.relation import Basis
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import due_from
from yesteryear.core.rows.queries import EpisodeQuery
from yesteryear.core.scope import Scope
from yesteryear.errors import ProviderUnavailable, Stale
from yesteryear.forget.facts import fall_out, let_fall
from yesteryear.ports import Ports, ReadsItself, Transaction
from yesteryear.relate.edges import dismissed_again
from yesteryear.remember.make_episodes import (
    Judged,
    RememberPolicy,
    check_unchanged,
    digest_again,
    keep_readings,
    read_around,
    state_facts,
)

_ROWS_A_PAGE = 64
_READ = (EpisodeStatus.ACTIVE, EpisodeStatus.ARCHIVED)


@dataclass(frozen=True, slots=True)
class Rereading(Plain):
    """What is read again, or with ``is_dry`` what would be."""

    reader: str
    """What reads, with its version."""
    episodes: int = 0
    """How many episodes it has not read yet, of those whose words are all left."""
    is_dry: bool = False
    """Whether nothing was begun."""


def start_rereading(ports: Ports, scope: Scope, *, now: datetime, is_dry: bool = False) -> Rereading:
    """Mark what something else has read as due to be read again, in pages, also after a kill; tell how much it is."""
    reader = ports.reads_by
    with ports.store.read(scope) as tx:
        found = Rereading(reader, count_read_by_others(tx, reader), is_dry)
    if is_dry:
        return found
    if found.episodes and ports.is_fallback_reader and not isinstance(ports.analyst, ReadsItself):
        raise ProviderUnavailable(
            f"{reader!r} only stands in for a model that is not installed, so nothing is read again by it; run: "
            "yesteryear model install"
        )
    after: str | None = None
    while after := ports.store.write(scope, partial(_mark, reader=reader, after=after, now=now)):
        pass
    ports.bell.ring()
    return found


def count_read_by_others(tx: Transaction, reader: str) -> int:
    """Return how many visible episodes whose words are all left were read by something else."""
    return sum(number for name, number in tx.episodes.readers().items() if name != reader)


def _mark(tx: Transaction, *, reader: str, after: str | None, now: datetime) -> str | None:
    """Mark a page of episodes behind one, and take back idle marks; return the last of the page, None where none is."""
    page = tx.episodes.page(EpisodeQuery(limit=_ROWS_A_PAGE, after=after))
    for episode in page:
        digest = episode.digest
        if digest is None or episode.status not in _READ or episode.detail is not Detail.VIVID:
            continue
        next_reader = "" if digest.reader == reader else reader
        if digest.next_reader != next_reader or (next_reader and (episode.attempts or not episode.next_try)):
            marked = replace(due_from(episode, now), digest=replace(digest, next_reader=next_reader))
            tx.episodes.update(marked, expecting=episode.status)
    return page[-1].id if page else None


def reread(ports: Ports, scope: Scope, episode: Episode, *, policy: RememberPolicy, now: datetime) -> None:
    """Read an episode again that is marked for it; where words have faded meanwhile, only take the mark back.

    Raises:
        Stale: it was changed meanwhile, and is due still.
        ProviderError: it could not be read; the old reading stands.
    """
    with ports.store.read(scope) as tx:
        messages, around = tx.messages.get(episode.message_ids), read_around(tx, episode)
    is_whole = episode.detail is Detail.VIVID
    if is_whole:
        judged = digest_again(ports, messages, policy=policy, around=around)
        digest = judged.digest or Digest("", "")
        if digest.reader != ports.reads_by:
            raise ProviderUnavailable(f"{ports.reads_by!r} could not read it; what was read before stands")
    else:
        judged, digest = Judged((), None), replace(episode.digest or Digest("", ""), next_reader="")

    def write(tx: Transaction) -> None:
        check_unchanged(tx, messages)
        if [row.rev for row in tx.episodes.get([episode.id])] != [episode.rev]:
            raise Stale(f"episode {episode.id!r} was changed meanwhile")
        if is_whole:
            state_anew(tx, judged, episode, ports, policy=policy, now=now)
            keep_readings(tx, judged, ports.contextual, policy.journal)
            tx.messages.update(judged.messages)  # for their numbers, and so that indexes look at them again
        done = due_from(episode, now if episode.status is EpisodeStatus.ACTIVE else None)  # for its vector
        tx.episodes.update(replace(done, digest=digest), expecting=episode.status)

    ports.store.write(scope, write)


def state_anew(
    tx: Transaction, judged: Judged, episode: Episode, ports: Ports, *, policy: RememberPolicy, now: datetime
) -> None:
    """Write what the person stated as it is read now, and let go what only an earlier reading had told."""
    if not policy.facts.is_on:
        return
    messages, digest = judged.messages, judged.digest or Digest("", "")
    rows = tx.evidence.of_messages([message.id for message in messages])
    before = [row for row in rows if row.authority is not Authority.INFERRED and not row.is_answer]
    by_hand = _changed_by_hand(tx, {row.fact_id for row in before})
    held = [row for row in before if row.fact_id in by_hand]
    silent = _silenced(tx, messages)
    drafts = tuple(draft for draft in digest.facts if _may_be_told(tx, draft, episode.scope.project, silent, held))
    ids = {message.id for message in messages}
    relations = tuple(draft for draft in digest.relations if draft.message_id not in silent)
    edges = tx.edges.all()
    dismissed = [edge for edge in edges if edge.basis is Basis.DISMISSED]
    tx.edges.remove([edge for edge in edges if edge.basis is not Basis.DISMISSED and edge.message_id in ids])
    stated = Judged(messages, replace(digest, facts=drafts, relations=relations))
    told = state_facts(tx, stated, episode.id, ports.ids, policy=policy, now=now)
    tx.edges.put(dismissed_again(dismissed, before, told), is_by_hand=True)
    again = {(row.fact_id, row.id) for row in told}
    lost = [row for row in before if row.fact_id not in by_hand and (row.fact_id, row.id) not in again]
    if lost:
        let_fall(tx, fall_out(tx, evidence=lost), now=now)


def _changed_by_hand(tx: Transaction, fact_ids: Iterable[str]) -> set[str]:
    """Return which of some facts a person has confirmed, refuted, corrected, settled, resolved or pinned."""
    ids = list(fact_ids)
    said = {row.fact_id for row in tx.evidence.of(ids) if row.message_id is None}
    settled = {fact_id for row in tx.rulings.of(ids) if row.by_person for fact_id in row.pair}
    held = {fact.id for fact in tx.facts.get(ids) if fact.pinned or RESOLVED_BY in fact.properties}
    return (said | settled | held).intersection(ids)


def _silenced(tx: Transaction, messages: Iterable[Message]) -> set[str]:
    """Return the messages that told a fact which was forgotten by its id, while they stayed.

    Of what was forgotten before that was written down only the instant of its first telling is known.
    """
    gone = tx.facts.all([FactStatus.FORGOTTEN])
    named = {name for fact in gone for name in fact.properties.get(TOLD_IN, "").split()}
    instants = {fact.first_observed for fact in gone if TOLD_IN not in fact.properties}
    return {message.id for message in messages if message.id in named or message.at in instants}


def _may_be_told(
    tx: Transaction, draft: FactDraft, project: str | None, silent: set[str], held: Iterable[Evidence]
) -> bool:
    """Tell whether a draft is known, or new and neither forgotten nor in words on which the person has ruled."""
    if any(tx.facts.saying(seen(draft.statement), project=where) for where in {None, project}):
        return True
    ruled = (row.quote for row in held if row.message_id == draft.message_id)
    return draft.message_id not in silent and not any(quote in draft.quote or draft.quote in quote for quote in ruled)
