"""STEP: what a model finds over several episodes becomes facts; their evidence bears the id of its night."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from yesteryear.consolidate.night.cluster import DistilPolicy, gather
from yesteryear.core.episode import Episode, EpisodeWords
from yesteryear.core.fact import Evidence, Fact, FactDraft, evidence_of, fact_of, was_shown
from yesteryear.core.message import Message, Role
from yesteryear.core.night_report import CycleReport
from yesteryear.core.time import to_microseconds
from yesteryear.ports import IdSource, Transaction

FACT_EXTRACTION = "fact_extraction_enabled"  # the setting of a project that keeps its talk from being read for facts
_NIGHTS = 1_000_000  # more nights than anybody has
_EVENTS = 50  # contexts of a conversation that are looked through for what they had shown
_FEWEST = 2  # episodes that must show what holds over several


class DistilledFacts(NamedTuple):
    """What is to be written of a model's drafts."""

    facts: tuple[Fact, ...] = ()  # new ones, and known ones that are to be compared again
    evidence: tuple[Evidence, ...] = ()

    def put(self, tx: Transaction) -> None:
        """Write it."""
        known = {fact.id for fact in tx.facts.get([fact.id for fact in self.facts])}
        tx.facts.insert([fact for fact in self.facts if fact.id not in known])
        tx.facts.update([fact for fact in self.facts if fact.id in known])
        tx.evidence.add(self.evidence)


def find_unread(tx: Transaction, groups: Iterable[Sequence[str]], policy: DistilPolicy) -> list[tuple[Episode, ...]]:
    """Return the episodes of some groups, given by their ids, that are to be read together; see ``cluster.gather``."""
    if not policy.is_on:
        return []
    read = {episode_id for report in tx.cycles.latest(limit=_NIGHTS) for episode_id in report.read}
    gathered = gather([tx.episodes.get(group) for group in groups], read, policy)
    return [
        episodes
        for episodes in gathered
        if (project := episodes[0].scope.project) is None or tx.overrides.get(project).get(FACT_EXTRACTION, True)
    ]


def read_words(tx: Transaction, episodes: Iterable[Episode]) -> list[EpisodeWords]:
    """Return what people wrote in episodes; those of which nothing of it is left are left out."""
    found = []
    for episode in episodes:
        said = [row for row in tx.messages.get(episode.message_ids) if row.role is Role.USER and row.content]
        if said:
            found.append(EpisodeWords(episode.id, tuple(said)))
    return found if len(found) >= _FEWEST else []


def find_facts(
    tx: Transaction,
    words: Sequence[EpisodeWords],
    drafts: Iterable[FactDraft],
    ids: IdSource,
    policy: DistilPolicy,
    *,
    report: CycleReport,
    now: datetime,
) -> DistilledFacts:
    """Return what is to be written of drafts: facts that at least two episodes show, each with the words that do.

    What was forgotten while the model read shows nothing, and neither does what a context had shown before it was
    said. A message that speaks for a fact already does not speak for it again.
    """
    told_in = {message.id: one.episode_id for one in words for message in one.messages}
    left = {message.id: message for message in tx.messages.get(list(told_in))}
    provenance: dict[str, list[tuple[FactDraft, Message]]] = defaultdict(list)
    for draft in drafts:
        message = left.get(draft.message_id)
        if message is not None and draft.quote in message.content and draft.confidence >= policy.keep_from:
            provenance[draft.statement.casefold()].append((draft, message))
    facts: list[Fact] = []
    evidence: list[Evidence] = []
    for told in provenance.values():
        told.sort(key=lambda telling: (telling[1].at, telling[1].seq))
        fact = _find_or_make(tx, *told[0], ids, now=now)
        rows = [
            evidence_of(draft, message, fact.id, episode_id=told_in[message.id], now=now)
            for draft, message in told
            if not was_shown(tx.recalls.latest(message.key, limit=_EVENTS), fact, draft, message)
        ]
        if len({row.episode_id for row in rows}) < _FEWEST:
            continue
        spoken = {row.message_id for row in tx.evidence.of([fact.id])}
        if new := [row for row in rows if row.message_id not in spoken]:
            facts.append(fact)
            evidence += [replace(row, id=f"{report.id}:{row.id}") for row in new]
    return DistilledFacts(tuple(facts), tuple(evidence))


def found_in(night_id: str, evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    """Yield the evidence that a night has found over several episodes."""
    return (row for row in evidence if row.id.startswith(f"{night_id}:"))


def take_back(tx: Transaction, night_id: str) -> None:
    """Take out what a night has found, and the facts for which nothing else speaks and nobody stood up."""
    found = list(found_in(night_id, tx.evidence.all()))
    tx.evidence.remove(found)
    ids = list(dict.fromkeys(row.fact_id for row in found))
    left = {row.fact_id for row in tx.evidence.of(ids)}
    tx.facts.forget([fact.id for fact in tx.facts.get(ids) if fact.id not in left and not fact.pinned])


def _find_or_make(tx: Transaction, draft: FactDraft, message: Message, ids: IdSource, *, now: datetime) -> Fact:
    """Return the fact that a draft states, new or known; due to be compared where it is new or was told earlier."""
    told = fact_of(draft, message, ids.new(to_microseconds(now) // 1000), now=now)
    known = tx.facts.saying(told.statement, project=told.scope.project)
    if known is None:
        return told
    if told.first_observed < known.first_observed:
        return replace(known, first_observed=told.first_observed, due_at=known.due_at or now)
    return known
