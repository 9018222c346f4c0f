"""Edges between facts: of what was said, anchored where its words told a fact, and of what fits."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.beliefs import NEW_YEAR, SCOPE
from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Evidence, Fact, FactStatus, Stance
from yesteryear.core.relation import Basis, Edge, Relation, RelationDraft
from yesteryear.core.scope import Scope
from yesteryear.relate.edges import dismissed_again, inferred_edges, told_edges

LATER = NEW_YEAR + timedelta(days=3)


def a_fact(name: str, statement: str, kind: FactKind = FactKind.PREFERENCE, **changes: object) -> Fact:
    """Return what is believed of Ana."""
    fact = Fact(name, SCOPE, statement, kind, "Ana", NEW_YEAR, NEW_YEAR)
    return replace(fact, **changes)  # type: ignore[arg-type]


def told(fact: str, quote: str, message: str = "m1") -> Evidence:
    """Return what a message says for a fact."""
    return Evidence(
        f"{message}:{quote}", fact, Stance.SUPPORTS, NEW_YEAR, NEW_YEAR, "c", "Ana", 0.9, quote, message_id=message
    )


def a_draft(source: str, target: str, relation: Relation = Relation.BLOCKS, message: str = "m1") -> RelationDraft:
    """Return that one thing bears on another, as it was read."""
    return RelationDraft(relation, source, target, f"{source}, so no {target}", message, 0.8)


SCOPES = {"m1": SCOPE, "m2": SCOPE}
KNEE, RUN = a_fact("f1", "Ana's knee is swollen"), a_fact("f2", "Ana does not run the marathon")
ROWS = [told("f1", "my knee is swollen"), told("f2", "I can't run the marathon")]


def test_an_edge_joins_the_facts_that_its_ends_told() -> None:
    """With the words, the sentence, and how sure it is."""
    [edge] = told_edges([a_draft("my knee", "run the marathon")], ROWS, [KNEE, RUN], SCOPES, now=LATER)
    assert (edge.source, edge.target, edge.relation, edge.basis) == ("f1", "f2", Relation.BLOCKS, Basis.TOLD)
    assert (edge.source_words, edge.target_words, edge.message_id) == ("my knee", "run the marathon", "m1")
    assert (edge.confidence, edge.recorded_at, edge.id) == (0.8, LATER, "blocks:f1:f2")


def test_what_told_no_fact_is_a_thing_of_the_others() -> None:
    """And what told none at either end, or stands in another message, is no edge."""
    [edge] = told_edges([a_draft("the weather", "run the marathon")], ROWS, [KNEE, RUN], SCOPES, now=LATER)
    assert (edge.source, edge.target) == ("f2", "f2")
    for draft in (a_draft("the weather", "my garden"), a_draft("my knee", "run", message="m2")):
        assert told_edges([draft], ROWS, [KNEE, RUN], SCOPES, now=LATER) == []
    assert told_edges([a_draft("my knee", "my knee")], ROWS, [KNEE, RUN], SCOPES, now=LATER) == []


def test_what_a_statement_holds_tells_it_where_no_quote_does() -> None:
    """One that was joined of two sentences rests on the words of the one that was surer."""
    both = replace(RUN, statement='Asked "How often?", Ana said: "Once a week. I can\'t run the marathon like this"')
    rows = [told("f2", "Once a week.")]
    [edge] = told_edges([a_draft("my knee", "run the marathon")], rows, [both], SCOPES, now=LATER)
    assert (edge.source, edge.target) == ("f2", "f2")


def test_a_relation_of_two_facts_is_told_once() -> None:
    """However often it was said; the first telling stands."""
    drafts = [a_draft("my knee", "run the marathon"), a_draft("knee is swollen", "the marathon")]
    [edge] = told_edges(drafts, ROWS, [KNEE, RUN], SCOPES, now=LATER)
    assert edge.source_words == "my knee"


GOAL = a_fact("g", "Ana wants to run the Lisbon marathon", FactKind.GOAL)
WITHIN = Edge(
    *(SCOPE, "f2", "f2", Relation.BLOCKS, NEW_YEAR),
    basis=Basis.TOLD,
    source_words="my knee",
    target_words="run the marathon",
)


def inferred(*facts: Fact, new: str = "", edges: tuple[Edge, ...] = ()) -> list[tuple[str, str, str]]:
    """Return which edges some facts give rise to."""
    fresh = [fact for fact in facts if not new or fact.id == new]
    found = inferred_edges(fresh, facts, edges, now=LATER)
    assert all((edge.basis, edge.recorded_at, edge.quote) == (Basis.INFERRED, LATER, "") for edge in found)
    assert all(edge.why and 0 < edge.confidence < 1 for edge in found)
    return [(edge.source, edge.relation.value, edge.target) for edge in found]


def test_what_blocks_something_blocks_the_goal_that_names_it() -> None:
    """Whichever is new; not one that is reached, of somebody else, or in another project."""
    for new in ("", "f2", "g"):
        assert inferred(RUN, GOAL, new=new, edges=(WITHIN,)) == [("f2", "blocks", "g")]
    assert inferred(RUN, GOAL, KNEE, new="f1", edges=(WITHIN,)) == []
    needed = replace(WITHIN, relation=Relation.DEPENDS_ON, source_words="run the marathon", target_words="a visa")
    assert inferred(RUN, GOAL, edges=(needed,)) == [("g", "depends_on", "f2")]
    for other in (
        replace(GOAL, resolved_at=NEW_YEAR),
        replace(GOAL, subject="Ben"),
        replace(GOAL, status=FactStatus.SUPERSEDED),
        replace(GOAL, statement="Ana wants to learn Portuguese"),
    ):
        assert inferred(RUN, other, edges=(WITHIN,)) == []
    thesis, taxes = (Scope(user=SCOPE.user, tenant=SCOPE.tenant, project=name) for name in ("thesis", "taxes"))
    assert inferred(replace(RUN, scope=thesis), replace(GOAL, scope=taxes), edges=(WITHIN,)) == []
    assert inferred(replace(RUN, scope=thesis), GOAL, edges=(WITHIN,)) == [("f2", "blocks", "g")]


def test_a_goal_is_not_named_by_what_stands_in_its_own_way() -> None:
    """Who wants to see Rome but whose passport ran out has no goal of a passport."""
    rome = a_fact("g", "Ana wants to see Rome but her passport ran out", FactKind.GOAL)
    photo = a_fact("p", "Ana needs a photo for the passport")
    own = replace(WITHIN, source="g", target="g", source_words="my passport ran out", target_words="see Rome")
    needed = replace(WITHIN, source="p", target="p", relation=Relation.DEPENDS_ON, source_words="the passport")
    assert inferred(photo, rome, edges=(needed,)) == [("g", "depends_on", "p")]
    assert inferred(photo, rome, edges=(needed, own)) == []


def test_two_things_at_one_time_of_the_week_conflict() -> None:
    """In whichever order they were told; not on another day, at another time, or somebody else's."""
    choir, pottery = a_fact("a", "Ana has choir on Tuesday evenings"), a_fact("b", "Ana's pottery is Tuesday evening")
    for new in ("a", "b", ""):
        assert inferred(choir, pottery, new=new) == [("a", "conflicts_with", "b")]
    for statement in ("Ana's pottery is Monday evening", "Ana's pottery is Tuesday morning", "Ana likes Tuesdays"):
        assert inferred(choir, replace(pottery, statement=statement)) == []
    assert inferred(choir, replace(pottery, holder="Priya")) == []


def test_a_habit_conflicts_with_the_goal_to_give_it_up() -> None:
    """Not what is not so, nor the goal told again."""
    goal, habit = a_fact("g", "Ana wants to quit smoking", FactKind.GOAL), a_fact("h", "Ana smokes on the balcony")
    assert inferred(goal, habit) == [("h", "conflicts_with", "g")]
    assert inferred(goal, replace(habit, is_negative=True)) == []
    assert inferred(goal, replace(habit, kind=FactKind.GOAL)) == []
    assert inferred(goal, replace(habit, statement="Ana drinks tea on the balcony")) == []


def test_what_was_dismissed_stays_so_in_other_words_of_the_same_message() -> None:
    """A fact that is worded anew takes the no along, at either end; of another message it is another matter."""
    no = replace(WITHIN, basis=Basis.DISMISSED)
    before = [told("f2", "I can't run the marathon because of my knee")]
    anew = told("f3", "can't run the marathon because of my knee")
    assert [edge.id for edge in dismissed_again([no], before, [anew])] == [
        "blocks:f2:f3",
        "blocks:f3:f2",
        "blocks:f3:f3",
    ]
    assert all(edge.basis is Basis.DISMISSED for edge in dismissed_again([no], before, [anew]))
    assert dismissed_again([no], before, before) == []
    assert dismissed_again([no], before, [told("f3", anew.quote, message="m2")]) == []
    assert dismissed_again([no], [replace(before[0], quote="")], [replace(anew, quote="")]) == []
