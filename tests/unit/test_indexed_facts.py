"""Facts in an owner's index: by which words they are found, who sees them, and in what they were told."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np

from tests.belief_rows import a_fact, evidence_for
from tests.each import each
from tests.rows import a_vector, an_episode, at, in_scope
from tests.talks import a_conversation
from tests.unit.indexed import ANA, EVERYTHING, index_of, leaning, take, texts, view
from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.fact import DOUBTED_BY, LIVE, Fact, FactStatus, Slot, Stance
from yesteryear.core.fading.confidence import ConfidencePolicy
from yesteryear.core.scope import Scope
from yesteryear.core.vectors import VectorGrain
from yesteryear.recall.index import RecallFilter
from yesteryear.recall.lexical import BM25Policy
from yesteryear.recall.signals import AskedQuestion, SignalPolicy, find_signals, sure_enough
from yesteryear.recall.view import View, view_of
from yesteryear.testing.builders import NOON, a_message

DAY = timedelta(days=1)
SURE = {"confidence": 0.9, "last_confirmed": NOON}
BY_ONE_PERCENT = ConfidencePolicy(decay_per_day=0.01, normal=1.0)
"""Document B's rate for what is neither static nor slow."""
FORMER = RecallFilter(former=True)
ARCHIVED = RecallFilter(archived=True)


def found(seen: View, stem: str) -> list[str]:
    """Return the texts that hold a stem."""
    return [seen.unit(position).text for position in np.flatnonzero(seen.score_words([stem], BM25Policy()))]


def sure(seen: View, *, days: float = 0, is_passive: bool = True) -> list[str]:
    """Return the texts that are sure enough some days after noon."""
    everything = np.arange(len(seen))
    left = sure_enough(seen, everything, BY_ONE_PERCENT, now=NOON + days * DAY, is_passive=is_passive)
    return [seen.unit(position).text for position in left.tolist()]


# --- words


def test_a_fact_is_found_by_its_words_but_not_by_the_name_it_is_about() -> None:
    """Questions are read without names too; other people's names are words like any."""
    seen = view(a_fact(statement="Ana's sister Clara lives in Porto"))
    assert found(seen, "clara") == found(seen, "porto") == ["Ana's sister Clara lives in Porto"]
    assert found(seen, "ana") == []


def test_a_statement_that_is_only_a_name_keeps_it() -> None:
    """Nothing else would be left to find it by."""
    assert found(view(a_fact(statement="Ana")), "ana") == ["Ana"]


def test_a_fact_belongs_to_the_person_it_is_about() -> None:
    """A question that names her finds it as it finds her own words."""
    index = index_of(a_message("Hello"), a_fact(), a_fact("f2", subject="a stranger"))
    codes = index.columns["author"].tolist()
    assert codes == [index.authors["Ana"], index.authors["Ana"], -1]
    assert "a stranger" not in index.authors


def test_a_reworded_fact_is_found_by_its_new_words_alone() -> None:
    """Its old ones are gone, and so is its old vector."""
    index = index_of(a_fact(statement="Ana likes figs"))
    index.set_vectors([a_vector("f1", 1, 0, grain=VectorGrain.FACT)])
    take(index, a_fact(statement="Ana likes dates"))
    seen = view_of(index, ANA, EVERYTHING)
    assert texts(seen) == ["Ana likes dates"]
    assert found(seen, "fig") == []
    assert seen.rows["has_vector"].tolist() == [False]


def test_a_fact_that_changed_keeps_its_vector() -> None:
    """Another confidence is no other statement."""
    index = index_of(a_fact(confidence=0.5))
    index.set_vectors([a_vector("f1", 1, 0, grain=VectorGrain.FACT)])
    assert take(index, a_fact(confidence=0.75)) == ["f1"]
    rows = index.columns
    assert (rows["confidence"].tolist(), rows["has_vector"].tolist()) == ([0.75], [True])


def test_a_forgotten_fact_leaves_nothing_behind() -> None:
    """Neither words nor vector nor where it was told; a late copy of it brings nothing back."""
    index = index_of(a_message(), a_fact(statement="Ana likes figs"))
    index.set_sources(["f1"], [evidence_for()])
    index.set_vectors([a_vector("f1", 1, 0, grain=VectorGrain.FACT)])
    take(index, a_fact().blank())
    assert found(view_of(index, ANA, ARCHIVED), "fig") == []
    assert [unit.searched for unit in index.units][1:] == [""]
    assert not index._matrix[1].any()
    assert index.sources("f1", ANA) == ()
    assert not index.wanted
    assert "figs" not in repr(index.units)


# --- who sees what


@each("status", FactStatus)
def test_what_does_not_count_is_found_only_where_it_is_asked_for(status: FactStatus) -> None:
    """What held once for questions about the past, what is not believed in the archive, the merged nowhere."""
    fact = a_fact(status=status) if status is not FactStatus.FORGOTTEN else a_fact().blank()
    is_live, is_former = status in LIVE, status is FactStatus.SUPERSEDED
    assert len(view(fact)) == is_live
    assert len(view(fact, only=FORMER)) == (is_live or is_former)
    assert len(view(fact, only=ARCHIVED)) == (is_live or is_former or status is FactStatus.DEPRECATED)


def test_a_merged_fact_is_found_again_when_that_is_undone() -> None:
    """Its words were never gone."""
    index = index_of(a_fact(statement="Ana likes figs", status=FactStatus.MERGED, canonical_id="f2"))
    assert len(view_of(index, ANA, ARCHIVED)) == 0
    take(index, a_fact(statement="Ana likes figs"))
    assert found(view_of(index, ANA, EVERYTHING), "fig") == ["Ana likes figs"]


def test_a_project_sees_its_own_facts_and_those_of_the_person() -> None:
    """Another project's goal is none of its business."""
    rows = [
        a_fact("f1", "Ana likes figs"),
        a_fact("f2", "Ana wants to finish", kind=FactKind.GOAL, scope=in_scope("thesis")),
    ]
    assert texts(view(*rows, scope=in_scope("thesis"))) == ["Ana likes figs", "Ana wants to finish"]
    assert texts(view(*rows, scope=in_scope("garden"))) == ["Ana likes figs"]
    assert len(view(*rows)) == 2


def test_facts_can_be_asked_for_by_kind() -> None:
    """Beside facts of other kinds nothing is left out."""
    rows = [a_message("Figs!"), a_fact("f1"), a_fact("f2", kind=FactKind.GOAL)]
    goals = frozenset({FactKind.GOAL})
    assert texts(view(*rows, only=RecallFilter(kinds=goals))) == ["Figs!", "Ana likes f2."]
    assert texts(view(*rows, only=RecallFilter(grains=frozenset({VectorGrain.FACT}), kinds=goals))) == ["Ana likes f2."]
    assert texts(view(*rows, only=RecallFilter(kinds=frozenset()))) == ["Figs!"]
    assert texts(view(*rows, only=RecallFilter(grains=frozenset({VectorGrain.EXCERPT})))) == ["Figs!"]


def test_facts_are_of_no_conversation() -> None:
    """Who asks for what was said in one gets what was said."""
    assert texts(view(a_message("Figs!"), a_fact(), only=RecallFilter(conversation="c1"))) == ["Figs!"]


# --- how sure


def test_doubt_grows_from_the_last_evidence_on() -> None:
    """At .9 a plan is shown unasked for 58 days and found for 109; what never changes is always shown."""
    plan = a_fact("plan", **SURE)
    name = a_fact("name", volatility=Volatility.STATIC, **SURE)
    seen = view(a_message("Said"), plan, name)
    everything = ["Said", "Ana likes plan.", "Ana likes name."]
    assert sure(seen, days=58) == sure(seen, days=109, is_passive=False) == everything
    assert sure(seen, days=59) == sure(seen, days=110, is_passive=False) == ["Said", "Ana likes name."]


def test_what_is_half_sure_is_found_by_who_searches() -> None:
    """Document B's bands: up to .5 only in a search, below .3 not at all; what is pinned always."""
    rows = [a_fact(f"{share}", confidence=share, volatility=Volatility.STATIC) for share in (0.29, 0.3, 0.5, 0.51)]
    pinned = a_fact("pinned", pinned=True)
    assert sure(view(*rows, pinned)) == ["Ana likes 0.51.", "Ana likes pinned."]
    assert sure(view(*rows), is_passive=False) == ["Ana likes 0.3.", "Ana likes 0.5.", "Ana likes 0.51."]


def test_a_history_brought_in_today_is_not_old() -> None:
    """Doubt counts from when it became known."""
    old = a_fact(confidence=0.9, last_confirmed=NOON - 1000 * DAY, recorded_at=NOON)
    assert sure(view(old)) == ["Ana likes f1."]


def test_what_has_run_out_counts_only_where_the_past_is_asked_for() -> None:
    """Until its last moment it counts as any."""
    fact = a_fact(valid_to=NOON + DAY, **SURE)
    assert sure(view(fact), days=0.99) == sure(view(fact, only=FORMER), days=1) == ["Ana likes f1."]
    assert sure(view(fact), days=1) == []


# --- where it was told


def test_a_fact_knows_the_messages_that_speak_for_it() -> None:
    """Not those that deny or repeat it, nor the person's own hand; each once, by the caller's own ids."""
    rows = [
        evidence_for(message_id="c1-1"),
        evidence_for(message_id="c1-1", id="again"),
        evidence_for(message_id="c1-2", stance=Stance.ECHO),
        evidence_for(message_id="c1-3", stance=Stance.CONTRADICTS),
        evidence_for(message_id=None),
        evidence_for(message_id="gone"),
    ]
    talk = [replace(message, external_id=f"m-{message.seq}") for message in a_conversation("a", "b", "c")]
    seen = view(*talk, a_fact(), evidence=rows)
    assert seen.names(3) == ("m-1",)
    assert [message.id for message in seen.told_in(3)] == ["c1-1"]


def test_what_was_merged_into_a_fact_speaks_for_it() -> None:
    """For as long as it is merged."""
    merged = a_fact("f2", status=FactStatus.MERGED, canonical_id="f1")
    evidence = [evidence_for("f1", "c1-1"), evidence_for("f2", "c1-3")]
    seen = view(*a_conversation("a", "b", "c"), a_fact(), merged, evidence=evidence)
    assert seen.names(3) == ("c1-1", "c1-3")
    take(seen.index, replace(merged, status=FactStatus.TENTATIVE, canonical_id=None))
    assert view_of(seen.index, ANA, EVERYTHING).names(3) == ("c1-1",)


def test_where_a_fact_was_told_is_known_to_those_who_see_it() -> None:
    """A fact of the person may have been told in a project; another one does not learn of that."""
    message = a_message("I like figs", scope=in_scope("thesis"))
    seen = view(message, a_fact(), scope=in_scope("garden"), evidence=[evidence_for()])
    assert texts(seen) == ["Ana likes f1."]
    assert seen.names(0) == ()


def test_a_fact_stands_back_behind_the_words_it_was_told_in() -> None:
    """As long as they are there to be found."""
    told = a_message("I like figs", seq=1)
    rows = [told, a_fact("f1"), a_fact("f2")]
    evidence = [evidence_for("f1", "c1-1"), evidence_for("f2", "gone")]
    assert view(*rows, evidence=evidence).is_retold.tolist() == [False, True, False]
    assert view(replace(told, content=""), *rows[1:], evidence=evidence).is_retold.tolist() == [False, False]


def test_what_was_said_is_outdated_once_another_fact_took_its_place() -> None:
    """Of the passages that are its words for a good part; not where they tell what still holds, too."""
    talk = a_conversation("I live in Porto.", "Nice!", "I live in Faro.", "Well.", "I live in Porto. My cat is Mia.")
    long = a_message("I live in Porto. " + "The river is wide and old and green. " * 2, conversation="c2", id="long")
    old = a_fact("old", status=FactStatus.SUPERSEDED, superseded_by="new", slot=Slot("residence", "Porto"))
    evidence = [
        *(evidence_for("old", told, quote="I live in Porto.") for told in ("c1-1", "c1-5", "long")),
        evidence_for("new", "c1-3", quote="I live in Faro."),
        evidence_for("cat", "c1-5", quote="My cat is Mia."),
    ]
    seen = view(*talk, long, old, a_fact("new"), a_fact("cat"), evidence=evidence)
    found = seen.outdated(NOON)
    assert found.whole == {0}
    assert [seen.unit(place).source.id for place in sorted(found.partly)] == ["c1-5", "long"]
    take(seen.index, replace(old, status=FactStatus.STABLE))
    assert view_of(seen.index, ANA, EVERYTHING).outdated(NOON).whole == frozenset()
    take(seen.index, replace(old, status=FactStatus.STABLE, resolved_at=NOON))
    assert view_of(seen.index, ANA, EVERYTHING).outdated(NOON).whole == {0}
    take(seen.index, replace(old, status=FactStatus.STABLE, valid_to=NOON + DAY))
    held = view_of(seen.index, ANA, EVERYTHING)
    assert held.outdated(NOON).whole == frozenset()
    assert held.outdated(NOON + DAY).whole == {0}


def test_what_was_said_may_no_longer_hold_where_all_that_it_told_is_in_doubt() -> None:
    """Else it is not marked: it would cast doubt on what nothing speaks against."""
    talk = a_conversation("I live in Porto.", "Nice!", "I live in Porto. My cat is Mia.")
    evidence = [
        *(evidence_for("old", told, quote="I live in Porto.") for told in ("c1-1", "c1-3")),
        evidence_for("cat", "c1-3", quote="My cat is Mia."),
    ]
    seen = view(*talk, a_fact("old", properties={DOUBTED_BY: "new"}), a_fact("cat"), evidence=evidence)
    assert seen.outdated(NOON).doubted == {0}
    take(seen.index, a_fact("old"))
    assert view_of(seen.index, ANA, EVERYTHING).outdated(NOON).doubted == frozenset()


# --- what was said stays as it was


def test_facts_do_not_change_how_what_was_said_is_scored() -> None:
    """They are measured by it: their words are not counted, their vectors not averaged."""
    talk = [*a_conversation("I run by the river", "How far?", "Ten kilometres", "Good"), an_episode(minutes=9)]
    facts = [a_fact(f"f{number}", f"Ana runs by the river {number}", minutes=-number) for number in range(5)]
    vectors = [leaning(row.id, 0.9 - 0.2 * number) for number, row in enumerate([*talk[:3], *facts])]
    question = AskedQuestion("running by the river", leaning("q", 1.0).vector, at(60))
    alone = find_signals(view(*talk, vectors=vectors), question, SignalPolicy()).total()
    among = find_signals(view(*talk, *facts, vectors=vectors), question, SignalPolicy()).total()
    assert among[: len(alone)].tolist() == alone.tolist()


def test_facts_alone_are_measured_by_themselves() -> None:
    """Where nothing that was said is left, they still differ."""
    seen = view(a_fact("f1", "Ana runs by the river"), a_fact("f2", "Ana likes figs"))
    scores = find_signals(seen, AskedQuestion("the river", None, at(60)), SignalPolicy()).total()
    assert scores[0] > scores[1]


def test_sources_that_are_not_asked_for_yet_are_known_to_be_missing() -> None:
    """Whoever borrows the index next looks them up."""
    fact: Fact = a_fact(scope=in_scope("thesis"))
    index = index_of(fact)
    assert index.wanted == {"f1": in_scope("thesis")}
    index.set_sources(["f1"], [])
    assert index.wanted == {}
    take(index, replace(fact, confidence=0.5))
    assert list(index.wanted) == ["f1"]
    assert Scope(user="ana").sees("thesis", None)
