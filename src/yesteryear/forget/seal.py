"""STEP: laying aside what is hidden, bringing it back, and erasing it when its day has come.

To hide is to forget, but that each transaction first lays aside what its rows hold. So nothing that looks at rows has
to know of it: recall, contexts, pages, exports and models find what they find of anything forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from yesteryear.core.episode import Detail, Episode, EpisodeStatus, frame_episode
from yesteryear.core.erasure import Forgetting, Hidden, Withheld
from yesteryear.core.fact import Fact
from yesteryear.core.language.requests import says_more
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.message import FORGOTTEN, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import due_from
from yesteryear.core.scope import ConversationKey, Scope
from yesteryear.core.time import to_microseconds
from yesteryear.forget.facts import stored_texts, texts_of, traces_of_numbers
from yesteryear.ports import IdSource, Transaction

RESTORED = "restored"  # name of the rule in the verdict of a request that was taken back
_WAITING = frozenset({EpisodeStatus.PENDING, EpisodeStatus.ACTIVE})


@dataclass(frozen=True, slots=True)
class Sealing:
    """Who asked, and until when it is kept; lays aside what a transaction is about to forget."""

    asked_by: str
    author: str
    at: datetime
    until: datetime

    def messages(self, tx: Transaction, messages: Sequence[Message]) -> None:
        """Lay aside messages, with the evidence and the edges that rest on them."""
        edges = tx.edges.all() if messages else []
        for row in messages:
            told = tuple(tx.evidence.of_messages([row.id]))
            said = tuple(edge for edge in edges if edge.message_id == row.id)
            self._save(tx, row.scope, Withheld.MESSAGE, row.id, message=row, evidence=told, edges=said)

    def episodes(self, tx: Transaction, episodes: Iterable[Episode]) -> None:
        """Lay aside episodes as they are; of one that loses messages twice, as it was before the first."""
        known = {row.id for row in tx.forgettings.asked_by(self.asked_by) if row.kind is Withheld.EPISODE}
        for row in episodes:
            if row.id not in known and row.status is not EpisodeStatus.FORGOTTEN:
                self._save(tx, row.scope, Withheld.EPISODE, row.id, episode=row)

    def facts(self, tx: Transaction, ids: Collection[str]) -> None:
        """Lay aside facts, with all that is known of them."""
        edges = tx.edges.all() if ids else []
        for fact in tx.facts.get(list(ids)):
            self._save(
                tx,
                fact.scope,
                Withheld.FACT,
                fact.id,
                fact=fact,
                versions=tuple(tx.versions.of(fact.id)),
                evidence=tuple(tx.evidence.of([fact.id])),
                rulings=tuple(tx.rulings.of([fact.id])),
                edges=tuple(edge for edge in edges if fact.id in (edge.source, edge.target)),
            )

    def _save(self, tx: Transaction, scope: Scope, kind: Withheld, name: str, **held: Any) -> None:
        row = Forgetting(scope, kind, name, self.asked_by, self.author, self.at, self.until, **held)
        tx.forgettings.save([row])


@dataclass(frozen=True, slots=True)
class TakenBack(Plain):
    """What was hidden because somebody asked for it in talk, and is there again."""

    id: str
    """Of the message that had asked."""
    messages: tuple[str, ...] = ()
    """Ids of messages that have their words again."""
    facts: tuple[str, ...] = ()
    """Ids of facts that are believed as they were."""
    episodes: tuple[str, ...] = ()
    """Ids of episodes that are whole again."""


def hidden(tx: Transaction, name: str) -> Hidden | None:
    """Return who hid the message, episode or fact with this id, or what a message had hidden; None where nobody did."""
    ours = [row.id for row in tx.messages.named([name])] or [name]
    rows = [*tx.forgettings.of(ours), *(row for each in ours for row in tx.forgettings.asked_by(each))]
    is_there = any(row.status is not EpisodeStatus.FORGOTTEN for row in tx.episodes.get([name]))
    for row in rows:
        if row.kind is not Withheld.PROPOSAL and not (row.id == name and is_there):
            return Hidden(row.asked_by, row.author, row.at, row.until)
    return None


def restore_hidden(tx: Transaction, asked_by: str, ids: IdSource, *, now: datetime) -> TakenBack:
    """Bring back all that one message had hidden, in one transaction of the owner's; facts are due to be compared."""
    rows = [row for row in tx.forgettings.asked_by(asked_by) if row.kind is not Withheld.PROPOSAL]
    _restore_facts(tx, rows, now)
    messages = [_as_it_was(row.message) for row in rows if row.message is not None]
    held = _restore_episodes(tx, [row.episode for row in rows if row.episode is not None], messages, now)
    settled = {row.key: row.settled_seq for row in tx.conversations.list()}
    alone = [row for row in messages if row.id not in held]
    unread = [row for row in alone if row.is_kept or (row.verdict is None and row.seq <= settled.get(row.key, 0))]
    new = list(_episodes_of(unread, ids, now))
    held |= {name: episode.id for episode in new for name in episode.message_ids}
    due_at = {row.id: None if row.verdict is None else now for row in messages}
    tx.messages.update([replace(row, episode_id=held.get(row.id), vector_due_at=due_at[row.id]) for row in messages])
    for episode in new:
        tx.episodes.insert(episode)
    tx.evidence.add([told for row in rows for told in row.evidence])
    tx.edges.put([edge for row in rows for edge in row.edges], is_by_hand=True)
    tx.forgettings.remove(rows)
    facts, episodes = (tuple(row.id for row in rows if row.kind is kind) for kind in (Withheld.FACT, Withheld.EPISODE))
    return TakenBack(asked_by, tuple(row.id for row in messages), facts, episodes)


def traces_of_hidden(rows: Iterable[Forgetting]) -> Iterator[bytes]:
    """Yield what rows hold of what is hidden, as it stands in them."""
    for row in rows:
        texts = [*row.subjects, *(told.quote for told in row.evidence)]
        texts += [text for edge in row.edges for text in edge.texts]
        if row.message is not None:
            yield from traces_of_numbers([row.message])
            texts += [row.message.content, *split_sentences(row.message.content)]
        texts += texts_of(row.episode) if row.episode is not None else []
        texts += [row.fact.statement] if row.fact is not None else []
        yield from stored_texts(texts)


def resting_on(tx: Transaction, ids: Collection[str]) -> list[Forgetting]:
    """Return what is laid aside of some messages, episodes and facts, and what of others holds their words."""
    found, named = [], frozenset(ids)
    for row in tx.forgettings.all():
        rests_on = [told.message_id for told in row.evidence] if row.fact is not None else []
        told_by = row.episode.message_ids if row.episode is not None else ()
        if row.kind is not Withheld.PROPOSAL and not named.isdisjoint((row.id, *rests_on, *told_by)):
            found.append(row)
    return found


def _restore_facts(tx: Transaction, rows: Sequence[Forgetting], now: datetime) -> None:
    facts: list[Fact] = [due_from(row.fact, now) for row in rows if row.fact is not None]
    if not facts:
        return
    tx.withdraw(facts=[fact.id for fact in facts])  # what is left of a forgotten one cannot be written to
    tx.facts.insert(facts)
    tx.versions.add([version for row in rows for version in row.versions])
    tx.rulings.save(list({ruling.pair: ruling for row in rows for ruling in row.rulings}.values()))
    near = {name for row in rows for ruling in row.rulings for name in ruling.pair} - {fact.id for fact in facts}
    tx.facts.update([replace(fact, due_at=now) for fact in tx.facts.get(sorted(near))])


def _as_it_was(message: Message) -> Message:
    """Return a message as it is brought back; a request, and a reply to one, asks nothing any more."""
    verdict = message.verdict
    message = replace(message, attempts=0, error=None)
    if verdict is None or verdict.reason is not Reason.FORGET_REQUEST:
        return message
    message = replace(message, expires_at=None)
    is_told = message.role is Role.USER and says_more(message.content)
    outcome, reason = (Outcome.KEEP, Reason.EXPLICIT_REQUEST) if is_told else (Outcome.SKIP, Reason.TRIVIAL)
    features = {name: value for name, value in verdict.features.items() if name != FORGOTTEN}
    return replace(message, verdict=Verdict(outcome, reason, float(is_told), verdict.threshold, RESTORED, features))


def _restore_episodes(
    tx: Transaction, before: Sequence[Episode], messages: Sequence[Message], now: datetime
) -> dict[str, str]:
    """Bring episodes back with their messages; return by message which episode holds it now."""
    held: dict[str, str] = {}
    back = {row.id for row in messages}
    for was in before:
        for present in tx.episodes.get([was.id]):
            kept = {*present.message_ids, *(name for name in was.message_ids if name in back)}
            if present.status is EpisodeStatus.FORGOTTEN:
                changed = replace(was, next_try=now if was.status in _WAITING else None)
            elif present.detail is Detail.VIVID and kept == set(was.message_ids):
                changed = replace(was, pinned=present.pinned, recalls=present.recalls, next_try=now)
            elif present.detail is Detail.VIVID and present.status in _WAITING:
                order = sorted([*tx.messages.get(sorted(kept - back)), *messages], key=lambda row: row.seq)
                ids, waits = tuple(row.id for row in order if row.id in kept), EpisodeStatus.PENDING
                changed = replace(present, digest=None, message_ids=ids, next_try=now, status=waits)
            else:
                continue  # the words of the others have faded: it is told without these
            tx.episodes.update(changed, expecting=present.status)
            tx.vectors.forget([was.id])
            held |= {name: was.id for name in changed.message_ids if name in back}
    return held


def _episodes_of(messages: Sequence[Message], ids: IdSource, now: datetime) -> Iterator[Episode]:
    """Yield episodes, still to be read, for messages that are in none: of each conversation, judged or not."""
    groups: dict[tuple[ConversationKey, bool], list[Message]] = {}
    for row in sorted(messages, key=lambda row: row.seq):
        groups.setdefault((row.key, row.verdict is None), []).append(row)
    for rows in groups.values():
        name = ids.new(to_microseconds(now) // 1000)
        yield replace(frame_episode(rows, name, now=now, closed_by=RESTORED), next_try=now)
