"""STEP: from a question to scored hits: read whom and which days it names, and rank what the scope sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import numpy as np

from yesteryear.core.hits import Hit
from yesteryear.core.language.dates import Period, find_periods
from yesteryear.core.language.datewords import names_weekday
from yesteryear.core.language.discourse import asks_about_past, asks_for_the_other, speaks_of_past
from yesteryear.core.message import Role
from yesteryear.core.results import Plain
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import Matrix, Purpose, StoredVector
from yesteryear.errors import ProviderError
from yesteryear.ports import Ports, Store
from yesteryear.ports.rows import Vectors
from yesteryear.recall.candidate_cache import CandidateCachePolicy
from yesteryear.recall.index import OwnerIndex, RecallFilter
from yesteryear.recall.index_cache import IndexCache, load_vectors
from yesteryear.recall.ranking import Ranking, RecallPolicy, best_units, rank
from yesteryear.recall.signals import AskedQuestion
from yesteryear.recall.view import View, view_of

MAX_QUESTION_CHARS = 4000  # characters of a question that are read; models read less anyway
_EVERYTHING = RecallFilter()


@dataclass(frozen=True, slots=True)
class Reading(Plain):
    """What was read from a question. The classic preset ranks by the text alone."""

    text: str = ""
    """What words and meaning are searched for: the question without the names of those who speak in the memory."""
    people: tuple[str, ...] = ()
    """Authors whom it names, in alphabetical order."""
    periods: tuple[Period, ...] = ()
    """The days that it names, in its order."""
    speaker: Role | None = None
    """Whose words are preferred; None for anybody's, and where nobody talks with an assistant."""
    zone: str | None = None
    """The person's time zone, in which the days begin; None for UTC."""


@dataclass(frozen=True, slots=True)
class Recalled(Plain):
    """What was found, best first, and what could not be done."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    """In which way the result is less than it could be."""
    reading: Reading = field(default_factory=Reading)
    """How the question was understood."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, position: int) -> Hit:
        return self.hits[position]


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question as it was read, and the state of the memory that it was read for."""

    asked: AskedQuestion
    reading: Reading  # what callers are told of it
    model: str | None  # the embedding model of ``asked.vector``
    rev: int
    notes: tuple[str, ...] = ()  # in which way answers will be less than they could be
    is_about_past: bool = False  # whether what held once, and does not any more, is an answer too

    def rank(
        self,
        store: Store,
        index: OwnerIndex,
        scope: Scope,
        *,
        policy: RecallPolicy,
        only: RecallFilter,
        limit: int,
        is_passive: bool = False,
    ) -> Ranking:
        """Return the best of what a scope sees through a filter; where it asks for the past, of former facts too.

        The store is asked only where the index does not hold all vectors; it may have got another model meanwhile.
        ``is_passive``: nobody searches; what is put before a model unasked must be surer.
        """
        asked = self.asked if index.model == self.model else replace(self.asked, vector=None, sought=None)
        view = view_of(index, scope, replace(only, former=only.former or self.is_about_past))
        score = partial(rank, view, asked, policy=policy, limit=limit, is_passive=is_passive)
        if index.candidate_cache is None or index.model is None or asked.vector is None:
            return score()
        with store.read(Scope(tenant=scope.tenant, user=scope.user)) as tx:
            if not _fetch_nearest(view, tx.vectors, index.model, asked.vector, policy.near):
                load_vectors(index, tx, index.model)  # somebody has dropped the store's index
                return score()
            ranking = score()
            return score() if _fetch_best(ranking, tx.vectors, index.model, policy.near) else ranking


def _fetch_nearest(view: View, vectors: Vectors, model: str, question: Matrix, policy: CandidateCachePolicy) -> bool:
    """Fetch the vectors of a view that are nearest to a question, all of a small view; False where the store cannot."""
    index, is_whole = view.index, len(view) <= policy.seen_whole
    if is_whole:
        found: list[StoredVector] | None = vectors.load(model, refs=_refs(view, range(len(view))))
    else:
        found = vectors.nearest(model, question, limit=policy.count(seen=len(view), among=len(index.units)))
    if found is None or index.candidate_cache is None:
        return False
    index.candidate_cache.fetch(index.numbered(found), is_whole=is_whole)
    return True


def _refs(view: View, positions: Iterable[int]) -> list[str]:
    """Return the ids of what stands at some positions."""
    return list(dict.fromkeys(view.unit(position).source.id for position in positions))


def _fetch_best(ranking: Ranking, vectors: Vectors, model: str, policy: CandidateCachePolicy) -> bool:
    """Fetch the vectors of the best units so far, and of those before them; False where all of them are held.

    Words, names and days have found them, and to what they are worth the unit before lends something.
    """
    view, index = ranking.view, ranking.view.index
    if index.candidate_cache is None or index.candidate_cache.is_whole:
        return False
    best = best_units(view, np.flatnonzero(~view.is_fact), ranking.scores, policy.rescored)
    positions = np.array([*best, *ranking.best, *ranking.facts], dtype=np.int64)
    positions = np.union1d(positions, view.before[positions])
    positions = positions[positions >= 0]
    lacking = positions[~index.candidate_cache.is_held(view.numbers[positions])]
    if not len(lacking):
        return False
    index.candidate_cache.add(index.numbered(vectors.load(model, refs=_refs(view, lacking.tolist()))))
    return True


def retrieve(
    ports: Ports,
    index_cache: IndexCache,
    scope: Scope,
    text: str,
    *,
    now: datetime,
    policy: RecallPolicy,
    only: RecallFilter,
    limit: int,
    speaker: Role | None = Role.USER,
) -> Recalled:
    """Return the best hits for a question, best first; ties by (at, seq, part).

    Of any ``text`` the first MAX_QUESTION_CHARS characters are read; dates and ages are seen from ``now``. Where a
    person talks with an assistant, the words of ``speaker`` are preferred; not for None, nor where the question is for
    what the assistant said.
    """
    with ports.store.read(scope) as tx, index_cache.borrow_as_of(tx) as index:
        question = read_question(index, scope, text, now=now, speaker=speaker)
    question = embed_question(ports, question)
    with index_cache.borrow(ports.store, scope, at_least=question.rev) as index:
        ranking = question.rank(ports.store, index, scope, policy=policy, only=only, limit=limit)
        return Recalled(ranking.hits(limit), question.notes, question.reading)


def read_question(index: OwnerIndex, scope: Scope, text: str, *, now: datetime, speaker: Role | None) -> ReadQuestion:
    """Return a question with what it says of names, days and speakers; its vector is still to be made."""
    text = text[:MAX_QUESTION_CHARS]
    view = view_of(index, scope, _EVERYTHING)  # a name is a name, whatever may be found
    may_prefer = view.has_assistant and not asks_for_the_other(text)
    periods = find_periods(text, now=now, zone=view.zone, names=view.book.folded)
    if not speaks_of_past(text):  # else a day of the week may be one to come
        periods = tuple(period for period in periods if not names_weekday(period.said))
    asked = AskedQuestion(
        text=view.book.strip(text),
        vector=None,
        now=now,
        authors=view.book.mentioned(text),
        periods=periods,
        speaker=speaker if may_prefer else None,
    )
    is_about_past = asks_about_past(text) or any(period.start < now for period in periods)
    reading = Reading(asked.text, tuple(sorted(asked.authors)), periods, asked.speaker, view.zone)
    return ReadQuestion(asked, reading, index.model, index.rev, is_about_past=is_about_past)


def embed_question(ports: Ports, question: ReadQuestion) -> ReadQuestion:
    """Return a question with its vector, or with a note why words must do. Nothing is locked or open meanwhile."""
    model = question.model
    if model is None or not question.asked.text.strip():
        return question
    embedder = ports.embedder if model == ports.embedder.profile.model else ports.other_embedder(model)
    if embedder is None:
        note = f"recall by words only: the vectors here are of {model!r}, which is not installed"
        return replace(question, notes=(note,))
    try:
        vector: Matrix = embedder.embed([question.asked.text], purpose=Purpose.QUERY)[0]
    except ProviderError as exc:
        return replace(question, notes=(f"recall by words only: {exc}",))
    contextual = ports.contextual
    sought = contextual.of_question(vector) if contextual is not None and contextual.asked_by == model else None
    return replace(question, asked=replace(question.asked, vector=vector, sought=sought))
