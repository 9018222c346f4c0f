"""STEP: from text to vectors. An episode becomes ACTIVE with its vector; messages follow, the user's first.

The same rows and the same step serve a change of the embedding model: everything is marked due, and while vectors of
the new model are made those of the old one serve. When nothing is due any more the new model takes over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from yesteryear.core.episode import Detail, Episode, EpisodeStatus, gist_lines
from yesteryear.core.language.names import NameBook
from yesteryear.core.language.sentences import split_passages
from yesteryear.core.message import Message
from yesteryear.core.rows.due_work import batches, due_from
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery
from yesteryear.core.scope import Scope
from yesteryear.core.time import FOREVER
from yesteryear.core.vectors import CONTEXTUAL, Matrix, Purpose, StoredVector, VectorGrain, embed_in_batches
from yesteryear.errors import ProviderError, ProviderUnavailable, Stale
from yesteryear.ports import Embedder, Store, Transaction

MAX_PASSAGES = 64
"""Passages of one message that get vectors; what lies beyond (about 4,000 words) is found by its words only."""
_ROWS_A_PAGE = 64


def activate_episode(
    store: Store,
    embedder: Embedder,
    scope: Scope,
    episode: Episode,
    *,
    then: Callable[[Transaction], None] = lambda _: None,
) -> None:
    """Embed an episode; a PENDING one becomes ACTIVE. What else belongs to the same transaction does ``then``.

    Its topic and summary have one vector; where its words are gone, each sentence that is left has one too.
    """
    digest = episode.digest
    whole = f"{digest.topic}\n{digest.summary}".strip() if digest else ""
    texts = [whole or episode.conversation]
    if digest is not None and episode.detail is not Detail.VIVID:
        with store.read(scope) as tx:
            book = NameBook.of(tx.messages.authors(episode.key))
        texts += [book.strip(line.text) for line in gist_lines(digest)][: MAX_PASSAGES - 1]
    vectors = _embed(store, embedder, texts)
    rows = [StoredVector(VectorGrain.EPISODE, episode.id, part, vector) for part, vector in enumerate(vectors)]

    def write(tx: Transaction) -> None:
        if [row.rev for row in tx.episodes.get([episode.id])] != [episode.rev]:
            raise Stale(f"episode {episode.id!r} was changed meanwhile")
        tx.vectors.put(embedder.profile.model, rows)
        done = due_from(episode, None)
        is_new = episode.status is EpisodeStatus.PENDING
        tx.episodes.update(done.moved_to(EpisodeStatus.ACTIVE) if is_new else done, expecting=episode.status)
        serve_first_model(tx, embedder.profile.model)
        then(tx)

    store.write(scope, write)


def embed_messages(store: Store, embedder: Embedder, scope: Scope, messages: Sequence[Message]) -> None:
    """Embed the passages of some messages and write them in one transaction."""
    vectors: dict[str, list[StoredVector]] = {message.id: [] for message in messages}
    with store.read(scope) as tx:  # names say who was spoken to, not what about
        books = {key: NameBook.of(tx.messages.authors(key)) for key in {message.key for message in messages}}
    passages = [
        (message.id, part, books[message.key].strip(passage))
        for message in messages
        if message.content
        for part, passage in enumerate(split_passages(message.content)[:MAX_PASSAGES])
    ]
    found = _embed(store, embedder, [text for _, _, text in passages])
    for (message_id, part, _), vector in zip(passages, found, strict=True):
        vectors[message_id].append(StoredVector(VectorGrain.EXCERPT, message_id, part, vector))

    def write(tx: Transaction) -> None:
        # Read again: what was erased meanwhile must not come back as a vector.
        current = tx.messages.get(list(vectors))
        if not current:
            return  # all of them are gone, and perhaps the person, whose name must not come back
        put = [row for message in current if message.content for row in vectors[message.id]]
        tx.vectors.put(embedder.profile.model, put)
        tx.messages.update([due_from(message, None) for message in current])
        serve_first_model(tx, embedder.profile.model)

    store.write(scope, write)


def serve_first_model(tx: Transaction, model: str) -> None:
    """Let the first model an owner ever gets serve recall.

    Raises Stale: a change to another model has begun meanwhile; what is due now is due for that one;
    ProviderUnavailable: another model serves and no change to this one was begun: it only stands in for it, and its
    vectors must not pile up beside the real ones.
    """
    owner = tx.owner()
    if owner.next_model not in (None, model):
        raise Stale(f"vectors are being made with {owner.next_model!r} by now")
    if owner.model is None:
        tx.save_owner(replace(owner, model=model))
    elif model not in (owner.model, owner.next_model):
        raise ProviderUnavailable(
            f"this memory's vectors are of {owner.model!r}, which is not in use here; run: yesteryear model install"
        )


def start_reembedding(store: Store, scope: Scope, model: str, *, now: datetime, is_fallback: bool = False) -> bool:
    """Mark everything of the owner that has text as due for vectors of ``model``; tell whether there was need.

    It is done in pages, each its own transaction, and may be repeated after a kill. Going back while a change to
    another model is under way is a change too: some rows have vectors of the other only. A fallback takes over nothing.
    """
    with store.read(scope) as tx:
        owner = tx.owner()
    is_settled = owner.model == model and owner.next_model is None
    if owner.model is None or is_settled or owner.next_model == model or (is_fallback and owner.model != model):
        return False
    for mark in (_mark_messages, _mark_episodes):
        after: str | None = ""
        while after is not None:
            after = store.write(scope, partial(mark, after=after, now=now))
    with store.read(scope) as tx:
        facts = [fact.id for fact in tx.facts.all()]
    for ids in batches(facts, _ROWS_A_PAGE):
        store.write(scope, partial(_mark_facts, ids=ids, now=now))

    def begin(tx: Transaction) -> bool:
        state = tx.owner()
        if is_same := state.generation == owner.generation:
            tx.save_owner(replace(state, next_model=model))
        return is_same

    return store.write(scope, begin)


def finish_reembedding(store: Store, scope: Scope, model: str) -> bool:
    """Let ``model`` serve and drop other models' vectors, if nothing waits for one; tell whether it was done."""

    def write(tx: Transaction) -> bool:
        owner = tx.owner()
        waiting = (tx.messages.due, tx.episodes.due, tx.facts.due)
        if owner.next_model != model or any(due(FOREVER, limit=1) for due in waiting):
            return False
        tx.save_owner(replace(owner, model=model, next_model=None))
        for other in tx.vectors.models():
            if other != model and not other.startswith(CONTEXTUAL):
                tx.vectors.drop(other)
        return True

    return store.write(scope, write)


def _mark_messages(tx: Transaction, after: str, now: datetime) -> str | None:
    """Mark a page of messages behind one; return the last of the page, None where there is none."""
    page = tx.messages.page(MessageQuery(limit=_ROWS_A_PAGE, after=after))
    due = [message for message in page if message.content and message.verdict is not None]
    tx.messages.update([replace(message, vector_due_at=now) for message in due])
    return page[-1].id if page else None


def _mark_episodes(tx: Transaction, after: str, now: datetime) -> str | None:
    page = tx.episodes.page(EpisodeQuery(limit=_ROWS_A_PAGE, after=after or None, status=EpisodeStatus.ACTIVE))
    for episode in page:
        tx.episodes.update(replace(episode, next_try=now), expecting=episode.status)
    return page[-1].id if page else None


def _mark_facts(tx: Transaction, ids: Sequence[str], now: datetime) -> None:
    tx.facts.update([replace(fact, due_at=now) for fact in tx.facts.get(ids)])


def _embed(store: Store, embedder: Embedder, texts: Sequence[str]) -> list[Matrix]:
    profile = embedder.profile

    def embed(some: Sequence[str]) -> Matrix:
        vectors = embedder.embed(some, purpose=Purpose.DOCUMENT)
        if vectors.shape != (len(some), profile.dimension):
            raise ProviderError(
                f"embedder {profile.model!r} returned shape {vectors.shape} "
                f"for {len(some)} texts of dimension {profile.dimension}"
            )
        return vectors

    return embed_in_batches(embed, texts, batch=profile.batch, yield_to_foreground=store.yield_to_foreground)
