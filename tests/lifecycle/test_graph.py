"""What bears on what: told, kept with what told it, asked with its proof, and gone when its words go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readings import ScriptedReader, a_reading, stated
from tests.workshop import Workshop, open_workshop
from yesteryear.core.attributes import FactKind
from yesteryear.core.reading import MessageReading, SpeakerStance
from yesteryear.errors import InputError, NotFound
from yesteryear.results import Basis, GraphView, Relation

GOAL = "I want to run the Lisbon marathon in October."
KNEE = "I can't train for the marathon because of my knee."
JOB = "I quit my job because of the commute."


ARCHIVE = "I can't finish the thesis chapter because of the archive."


def read(text: str) -> MessageReading:
    """Read one of the texts as a fact that is surely worth it."""
    if text == GOAL:
        return a_reading(text, stated(text, kind=FactKind.GOAL, stance=SpeakerStance.PLANNED))
    kind = {KNEE: FactKind.EVENT, JOB: FactKind.EVENT, ARCHIVE: FactKind.BLOCKER}.get(text)
    return a_reading(text) if kind is None else a_reading(text, stated(text, kind=kind))


def tell(shop: Workshop, *texts: str, project: str | None = None) -> None:
    """Say texts, each in a conversation of its own, and have them thought over."""
    memory = shop.memory("ana", project=project)
    for text in texts:
        number = len(memory.messages())
        memory.observe(text, conversation=f"talk-{number}", id=f"m-{number}", author="Ana")
        memory.close_episode(f"talk-{number}")
    shop.work(reader=ScriptedReader(read))


def named(found: GraphView) -> list[str]:
    """Return what answers a question, in words."""
    return [answer.what.words for answer in found.answers]


def quotes(shop: Workshop) -> set[str]:
    """Return the words of all edges that were told."""
    return {edge.quote for edge in shop.memory("ana").graph().edges if edge.basis is Basis.TOLD}


def test_what_was_told_answers_with_its_words(place: Path | str) -> None:
    """A goal told one day is blocked by what another day's words say; the proof names them."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE, JOB)
        memory = shop.memory("ana")
        found = memory.graph("blocking", of="the marathon")
        assert named(found) == ["my knee"]
        [edge] = [edge for edge in found.edges if edge.id == found.answers[0].proof[0]]
        assert (edge.relation, edge.quote, edge.message) == (Relation.BLOCKS, KNEE, "m-1")
        assert {node.id for node in found.nodes} == {end.fact for end in (edge.source, edge.target)}
        assert named(memory.graph("causes", of="quitting the job")) == ["the commute"]
        assert named(memory.graph("supporting", of="the marathon")) == []
        everything = memory.graph()
        assert {edge.relation for edge in everything.edges} == {Relation.BLOCKS, Relation.CAUSED_BY}
        assert everything.answers == ()


def test_a_goal_is_reached_from_the_fact_that_tells_what_is_in_its_way(place: Path | str) -> None:
    """Whichever was told first; nobody said so, and it says why."""
    for texts in ((GOAL, KNEE), (KNEE, GOAL)):
        with open_workshop(":memory:") as shop:
            tell(shop, *texts)
            [edge] = [edge for edge in shop.memory("ana").graph().edges if edge.basis is Basis.INFERRED]
            assert (edge.relation, edge.source.words, edge.quote) == (Relation.BLOCKS, "my knee", "")
            assert "marathon" in edge.target.words
            assert edge.why == "both name marathon"


def test_a_context_tells_what_is_asked_in_talk(place: Path | str) -> None:
    """Under a heading of its own; a question about the world has none."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE)
        memory = shop.memory("ana")
        [line] = memory.context("What's keeping me from the marathon?").lanes["graph"]
        assert line.messages == ("m-1",)
        assert f'my knee stands in the way of train for the marathon (said: "{KNEE}")' in line.text
        assert "graph" not in memory.context("Why is the sky blue?").lanes
        assert "graph" not in memory.context("The marathon is in October.").lanes


def test_what_somebody_dismisses_stays_so(place: Path | str) -> None:
    """Though it is told again; until they take it back."""
    with open_workshop(place) as shop:
        tell(shop, JOB)
        memory = shop.memory("ana")
        [edge] = memory.graph().edges
        assert memory.dismiss(edge.id).basis is Basis.DISMISSED
        assert memory.graph().edges == ()
        tell(shop, JOB)
        assert memory.graph().edges == ()
        assert memory.dismiss(edge.id, restored=True).basis is Basis.TOLD
        assert [each.id for each in memory.graph().edges] == [edge.id]
        assert memory.dismiss(edge.id, restored=True).basis is Basis.TOLD
        with pytest.raises(NotFound, match="graph\\(\\) tells their ids"):
            memory.dismiss("blocks:one:other")
        with pytest.raises(NotFound):
            shop.memory("ben").dismiss(edge.id)


def test_an_edge_goes_with_the_words_that_said_it(place: Path | str) -> None:
    """Also where the fact stays, for others told it too; nothing of it is left in the files."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE, JOB)
        memory = shop.memory("ana")
        memory.forget("m-1")
        assert quotes(shop) == {JOB}
        memory.refute(memory.graph().edges[0].source.fact)
        assert memory.graph().edges == ()


def test_what_is_hidden_comes_back_with_its_edges(place: Path | str) -> None:
    """As it was: forgotten in talk, restored by the person."""
    with open_workshop(place) as shop:
        tell(shop, JOB)
        memory = shop.memory("ana")
        before = memory.graph()
        memory.observe(KNEE, conversation="here", id="said", author="Ana")
        memory.close_episode("here")
        shop.work(reader=ScriptedReader(read))
        assert quotes(shop) == {JOB, KNEE}
        memory.observe("Forget what I just said.", conversation="here", id="asked", author="Ana")
        memory.flush()
        assert memory.graph() == before
        memory.restore("asked")
        memory.flush()
        assert quotes(shop) == {JOB, KNEE}


def test_a_goal_that_is_reached_has_nothing_in_its_way(place: Path | str) -> None:
    """An edge counts while both of its ends do."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE)
        memory = shop.memory("ana")
        [goal] = [edge.target.fact for edge in memory.graph().edges if edge.basis is Basis.INFERRED]
        memory.resolve(goal)
        assert [edge.basis for edge in memory.graph().edges] == [Basis.TOLD]
        memory.correct(memory.graph().edges[0].source.fact, "Ana trains again.")
        memory.flush()
        assert memory.graph().edges == ()


def test_nothing_of_a_message_is_left_in_what_was_inferred_from_it(place: Path | str) -> None:
    """Its words stand in the edge to the goal, too; and whoever says no to it says no to both."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE)
        memory = shop.memory("ana")
        told, _ = sorted(memory.graph().edges, key=lambda edge: edge.basis, reverse=True)
        assert {edge.message for edge in memory.graph().edges} == {"m-1"}
        memory.dismiss(told.id)
        assert memory.graph("blocking", of="the marathon").answers == ()
        memory.dismiss(told.id, restored=True)
        assert len(memory.graph().edges) == 2
        memory.forget("m-1")
        assert memory.graph().edges == ()


def test_a_projects_words_are_seen_there_alone(place: Path | str) -> None:
    """Though the fact that they told is the person's everywhere."""
    with open_workshop(place) as shop:
        tell(shop, JOB, project="p")
        assert len(shop.memory("ana", project="p").graph().edges) == 1
        assert shop.memory("ana", project="q").graph().edges == ()


def test_where_words_are_not_kept_none_are(place: Path | str) -> None:
    """A relation is told by words alone."""
    with open_workshop(place, keep_verbatim=False) as shop:
        tell(shop, KNEE)
        assert shop.memory("ana").graph().edges == ()


def test_reading_again_tells_it_once(place: Path | str) -> None:
    """What is read anew takes the place of what was read before."""
    with open_workshop(place) as shop:
        tell(shop, JOB, KNEE)
        memory = shop.memory("ana")
        before = memory.graph()
        memory.extract(memory.episodes()[0].id)
        memory.flush()
        assert [edge.id for edge in memory.graph().edges] == [edge.id for edge in before.edges]


def test_a_project_sees_its_own(place: Path | str) -> None:
    """What blocks a goal that was told in one is nobody else's."""
    with open_workshop(place) as shop:
        tell(shop, ARCHIVE, project="thesis")
        assert len(shop.memory("ana", project="thesis").graph().edges) == 1
        assert shop.memory("ana", project="taxes").graph().edges == ()


def test_a_question_says_what_it_needs(place: Path | str) -> None:
    """In words that say what to pass; what is not known answers with nothing."""
    with open_workshop(place) as shop:
        memory = shop.memory("ana")
        with pytest.raises(InputError, match="say of what"):
            memory.graph("blocking")
        with pytest.raises(InputError, match="say where"):
            memory.graph("path", of="the knee")
        with pytest.raises(InputError, match="leave `to` out"):
            memory.graph("causes", of="the knee", to="the marathon")
        for odd in ({"question": "because", "of": "the knee"}, {"question": "causes", "of": 3}):
            with pytest.raises(InputError):
                memory.graph(**odd)
        assert memory.graph() == memory.graph("conflicts") == memory.graph("causes", of="anything")


def test_it_goes_along_in_an_export(place: Path | str, tmp_path: Path) -> None:
    """With what was dismissed, which stays so elsewhere."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE, JOB)
        memory = shop.memory("ana")
        [job] = [edge for edge in memory.graph().edges if edge.quote == JOB]
        memory.dismiss(job.id)
        memory.export(tmp_path / "ana.zip")
        known = memory.graph()
        with open_workshop(tmp_path / "other.db") as other:
            other.memory("ana").import_(tmp_path / "ana.zip")
            assert other.memory("ana").graph() == known
            tell(other, JOB)
            assert quotes(other) == {KNEE}


def test_an_edge_stays_where_an_earlier_telling_says_it_too(place: Path | str) -> None:
    """In the same words; it goes with the last of them."""
    with open_workshop(place) as shop:
        tell(shop, JOB, JOB)
        memory = shop.memory("ana")
        assert [edge.message for edge in memory.graph().edges] == ["m-1"]
        memory.forget("m-1")
        assert [(edge.message, edge.quote) for edge in memory.graph().edges] == [("m-0", JOB)]
        memory.forget("m-0")
        assert memory.graph().edges == ()


def test_a_path_from_a_thing_to_itself_says_so(place: Path | str) -> None:
    """In the same words or others; none at all is another matter."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE, JOB)
        memory = shop.memory("ana")
        note = "both ends of the path are one thing"
        assert memory.graph("path", of="my knee", to="my knee").notes == (note,)
        assert memory.graph("path", of="my knee", to="the knee").notes == (note,)
        assert memory.graph("path", of="my knee", to="the commute").notes == ()
        assert memory.graph("path", of="my knee", to="the marathon").notes == ()


def test_all_of_a_fact_is_each_edge_that_it_has(place: Path | str) -> None:
    """Not only what answers a question about it."""
    with open_workshop(place) as shop:
        tell(shop, GOAL, KNEE, JOB)
        memory = shop.memory("ana")
        everything = memory.graph().edges
        for fact in {edge.source.fact for edge in everything}:
            own = [edge for edge in everything if fact in (edge.source.fact, edge.target.fact)]
            assert list(memory.graph(of=fact).edges) == own
