"""What every store has to do with episodes, vectors, overrides and recall events, method by method."""

# ruff: noqa: S101 - tests are made of asserts

from __future__ import annotations

from dataclasses import replace

import pytest

from yesteryear.core.episode import Detail, EpisodeStatus
from yesteryear.core.events import RecallEvent
from yesteryear.core.queries import EpisodeQuery
from yesteryear.core.scope import ConversationKey
from yesteryear.core.vectors import VectorGrain
from yesteryear.errors import Conflict, EmbeddingMismatch, Stale
from yesteryear.ports import Store, Transaction
from yesteryear.testing.rows import ANA, TALK, a_vector, add, an_episode, at, in_scope, same, unnumbered


class EpisodeConformance:
    """Episodes, vectors, overrides and recall events."""

    def test_an_episode_comes_back_as_it_was_written(self, store: Store) -> None:
        """Every field survives."""
        episode = an_episode(
            scope=in_scope("thesis", "tutor"),
            status=EpisodeStatus.FAILED,
            zone="Asia/Tokyo",
            detail=Detail.GIST,
            attempts=5,
            next_try=at(7),
            error="it failed",
        )
        add(store, episode, an_episode("e2", digest=None))
        with store.read(ANA) as tx:
            found = tx.episodes.get(["e2", "e1", "e0"])
        assert list(map(unnumbered, found)) == [an_episode("e2", digest=None), episode]

    def test_an_id_names_one_episode(self, store: Store) -> None:
        """A second insertion is a conflict."""
        add(store, an_episode())
        with pytest.raises(Conflict):
            add(store, an_episode(importance=0.1))

    def test_an_episode_is_updated_from_the_status_it_had(self, store: Store) -> None:
        """What changes in its life is written; when and where it took place is not."""
        add(store, an_episode(digest=None))
        active = an_episode(status=EpisodeStatus.ACTIVE, message_ids=("c1-2",), attempts=1, error="slow")
        meddled = replace(active, ended_at=at(99), conversation="c9", closed_by="hand")
        store.write(ANA, lambda tx: tx.episodes.update(meddled, expecting=EpisodeStatus.PENDING))
        with store.read(ANA) as tx:
            assert list(map(unnumbered, tx.episodes.get(["e1"]))) == [active]

    @pytest.mark.parametrize("name", ["e1", "gone"])
    def test_an_episode_that_somebody_moved_meanwhile_is_stale(self, store: Store, name: str) -> None:
        """Finishing is compare-and-set: the same work is not done twice, nor on what is gone."""
        add(store, an_episode(status=EpisodeStatus.ACTIVE))
        failed = an_episode(name, status=EpisodeStatus.FAILED)
        with pytest.raises(Stale):
            store.write(ANA, lambda tx: tx.episodes.update(failed, expecting=EpisodeStatus.PENDING))
        with store.read(ANA) as tx:
            assert [row.status for row in tx.episodes.get(["e1", "gone"])] == [EpisodeStatus.ACTIVE]

    def test_pages_of_episodes_go_back_in_time(self, store: Store) -> None:
        """Newest first by (ended_at, id), each once; an unknown cursor ends the list."""
        ended = {"a": 1, "b": 3, "c": 2, "d": 3, "e": 0}
        add(store, *(an_episode(name, minutes=minutes) for name, minutes in ended.items()))
        with store.read(ANA) as tx:
            seen: list[str] = []
            while page := tx.episodes.page(EpisodeQuery(limit=2, after=seen[-1] if seen else None)):
                seen += [row.id for row in page]
            assert tx.episodes.page(EpisodeQuery(after="nobody")) == []
        assert seen == ["d", "b", "c", "a", "e"]

    def test_a_page_of_episodes_is_filtered(self, store: Store) -> None:
        """Each filter lets exactly its rows pass; ``since`` is within, ``until`` is not."""
        active = EpisodeStatus.ACTIVE
        add(
            store,
            an_episode("a", minutes=1, status=active),
            an_episode("b", minutes=2, conversation="c2"),
            an_episode("c", minutes=3, status=active, error="it failed"),
        )
        expected = {
            EpisodeQuery(): "cba",
            EpisodeQuery(conversation="c2"): "b",
            EpisodeQuery(status=active): "ca",
            EpisodeQuery(has_error=True): "c",
            EpisodeQuery(since=at(2)): "cb",
            EpisodeQuery(until=at(2)): "a",
            EpisodeQuery(status=active, after="b"): "a",
        }
        with store.read(ANA) as tx:
            assert {query: "".join(row.id for row in tx.episodes.page(query)) for query in expected} == expected

    def test_due_episodes_come_most_overdue_first(self, store: Store) -> None:
        """Ties go by the end of the talk."""
        add(
            store,
            an_episode("a", minutes=5, next_try=at(1)),
            an_episode("b", minutes=4, next_try=at(1)),
            an_episode("c", next_try=at(0)),
            an_episode("d", next_try=at(9)),
            an_episode("e"),
        )
        with store.read(ANA) as tx:
            assert [row.id for row in tx.episodes.due(at(1), limit=9)] == ["c", "b", "a"]
            assert [row.id for row in tx.episodes.due(at(1), limit=2)] == ["c", "b"]

    def test_vectors_come_back_as_sixteen_bits_hold_them(self, store: Store) -> None:
        """Ordered by ref and part; asked for all, for some, or for nobody's."""
        rows = [a_vector("b", 3, 4), a_vector("a", 0, 1, part=1), a_vector("a", 0.1, -0.7)]
        store.write(ANA, lambda tx: tx.vectors.put("m", rows))
        with store.read(ANA) as tx:
            assert same(tx.vectors.load("m"), [rows[2], rows[1], rows[0]])
            assert same(tx.vectors.load("m", refs=["b", "nobody"]), [rows[0]])
            assert tx.vectors.load("m", refs=[]) == []
            assert tx.vectors.load("another") == []

    def test_an_owner_with_few_vectors_has_no_index_of_their_own(self, store: Store) -> None:
        """Then all are compared, for no index finds the nearest without fail."""
        store.write(ANA, lambda tx: tx.vectors.put("m", [a_vector("a", 1, 0)]))
        assert store.index_vectors() == store.index_vectors(ANA.owner, drops=True) == []
        with store.read(ANA) as tx:
            assert not tx.vectors.has_index("m")
            assert tx.vectors.nearest("m", a_vector("q", 1, 0).vector, limit=3) is None

    def test_a_vector_is_replaced_by_its_key(self, store: Store) -> None:
        """The same model, ref and part again is the same vector."""
        store.write(ANA, lambda tx: tx.vectors.put("m", [a_vector("a", 1, 0), a_vector("a", 1, 0, part=1)]))
        newer = a_vector("a", 0, 1, grain=VectorGrain.EPISODE)
        store.write(ANA, lambda tx: tx.vectors.put("m", [newer]))
        with store.read(ANA) as tx:
            assert same(tx.vectors.load("m"), [newer, a_vector("a", 1, 0, part=1)])

    @pytest.mark.parametrize("rows", [[(1, 0, 0)], [(1, 0), (1, 0, 0)]])
    def test_a_model_has_one_dimension(self, store: Store, rows: list[tuple[float, ...]]) -> None:
        """Vectors of another length are refused, and nothing of that call is written even if it goes on."""
        store.write(ANA, lambda tx: tx.vectors.put("m", [a_vector("a", 1, 0)]))
        wrong = [a_vector(f"b{number}", *values) for number, values in enumerate(rows)]

        def work(tx: Transaction) -> None:
            with pytest.raises(EmbeddingMismatch):
                tx.vectors.put("m", wrong)

        store.write(ANA, work)
        with store.read(ANA) as tx:
            assert same(tx.vectors.load("m"), [a_vector("a", 1, 0)])

    def test_vectors_of_two_models_live_side_by_side(self, store: Store) -> None:
        """Each is loaded and dropped on its own; forgetting a text takes those of every model."""
        store.write(ANA, lambda tx: tx.vectors.put("old", [a_vector(ref, 1, 0) for ref in "abc"]))
        store.write(ANA, lambda tx: tx.vectors.put("new", [a_vector(ref, 0, 1, 0) for ref in "abc"]))
        store.write(ANA, lambda tx: tx.vectors.forget(["b", "nobody"]))
        with store.read(ANA) as tx:
            assert tx.vectors.models() == {"new": 2, "old": 2}
            assert same(tx.vectors.load("new"), [a_vector("a", 0, 1, 0), a_vector("c", 0, 1, 0)])
        assert store.write(ANA, lambda tx: tx.vectors.drop("old")) == 2
        assert store.write(ANA, lambda tx: tx.vectors.drop("old")) == 0
        with store.read(ANA) as tx:
            assert tx.vectors.models() == {"new": 2}
            assert tx.vectors.load("old") == []

    def test_overrides_are_kept_per_level_and_replaced_whole(self, store: Store) -> None:
        """A user's settings and those of a project do not mix."""
        store.write(ANA, lambda tx: tx.overrides.save(None, {"a": 1, "b": True}))
        store.write(ANA, lambda tx: tx.overrides.save("thesis", {"a": 0.5, "c": "x"}))
        store.write(ANA, lambda tx: tx.overrides.save(None, {"b": False}))
        with store.read(ANA) as tx:
            assert tx.overrides.get(None) == {"b": False}
            assert tx.overrides.get("thesis") == {"a": 0.5, "c": "x"}
            assert tx.overrides.get("other") == {}

    def test_recall_events_come_newest_first(self, store: Store) -> None:
        """Those of one conversation, with all they hold; 64-bit fingerprints keep every bit."""
        events = [
            RecallEvent("r1", TALK, at(1), ("e1", "c1-1"), (2**64 - 1, 0)),
            RecallEvent("r2", TALK, at(3), (), ()),
            RecallEvent("r3", TALK, at(2), ("e2",), (7,)),
            RecallEvent("r4", ConversationKey(None, None, "c2"), at(9), (), ()),
        ]

        def work(tx: Transaction) -> None:
            for event in events:
                tx.recalls.append(event)

        store.write(ANA, work)
        with store.read(ANA) as tx:
            assert tx.recalls.latest(TALK, limit=9) == [events[1], events[2], events[0]]
            assert tx.recalls.latest(TALK, limit=1) == [events[1]]

    def test_recall_events_of_two_projects_never_meet(self, store: Store) -> None:
        """Conversations of the same name are two, and one project does not find the other's, whichever it asks for."""
        thesis, taxes = (ConversationKey(project, None, "c1") for project in ("thesis", "taxes"))
        event = RecallEvent("r1", thesis, at(1), ("e1",), (7,))
        store.write(in_scope("thesis"), lambda tx: tx.recalls.append(event))
        with store.read(in_scope("thesis")) as tx:
            assert tx.recalls.latest(thesis, limit=9) == [event]
        with store.read(in_scope("taxes")) as tx:
            assert not [*tx.recalls.latest(taxes, limit=9), *tx.recalls.latest(thesis, limit=9)]
        with store.read(ANA) as tx:
            assert tx.recalls.latest(thesis, limit=9) == [event]
            assert tx.recalls.latest(TALK, limit=9) == []
