"""What is told becomes belief: reinforced, refined, superseded, contested, and always with its evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.analysts import ScriptedAnalyst, a_draft
from tests.concepts import ConceptEmbedder
from tests.failing import FailingEmbedder
from tests.readings import ScriptedReader, a_reading, stated
from tests.script import (
    BLOCKED,
    CONCEPTS,
    FARO,
    GOAL,
    GOAL_DONE,
    HATES,
    JUDGEMENTS,
    LISBON,
    LOVES,
    NUTS,
    PORTO,
    RUNS,
    RUNS_EARLY,
    STATES,
    belief,
    fact,
    open_play,
    say,
    statement,
    told,
)
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.core.fact import Form
from yesteryear.core.reading import MessageReading
from yesteryear.errors import InputError, NotFound
from yesteryear.lifecycle.drain import flush

FAR = timedelta(days=4000)
"""After which all talk has faded."""


def day(number: float) -> datetime:
    """Return the noon of a day of this story."""
    return NOON + timedelta(days=number)


def live(shop: Workshop, *texts: str, project: str | None = None, first: int = 0) -> None:
    """Say a text a day, each in a conversation of its own, while the clock goes on."""
    memory = shop.memory(project=project)
    for number, text in enumerate(texts, start=first):
        shop.clock.set(day(number))
        say(memory, text, conversation=f"day {number}")


def test_what_is_told_once_is_believed_for_now(place: Path | str) -> None:
    """Tentative, with the words it rests on and the message they stand in."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, NUTS, id="m-1")
        (view,) = memory.facts()
        assert (view.statement, view.status, view.kind) == (statement(NUTS), "tentative", "relationship")
        assert (view.told, view.sessions, view.confidence) == (1, 1, 0.9)
        assert view.messages == ("m-1",)
        why = memory.why(view.id).fact
        assert why is not None
        assert [(row.quote, row.stance, row.conversation) for row in why.evidence] == [(NUTS, "supports", "kitchen")]


def test_facts_are_asked_for_by_what_they_tell_of_whom(place: Path | str) -> None:
    """By attribute and by whose it is, whatever the case; a person's own name is for what is their own."""
    with open_play(place) as shop:
        live(shop, PORTO, LOVES, NUTS)
        memory = shop.memory()
        (view,) = memory.facts(attribute="allergy", holder="LENA")
        assert (view.statement, view.attribute, view.holder, view.form) == (statement(NUTS), "allergy", "Lena", "plain")
        assert told(memory, attribute="home") == [statement(PORTO)]
        assert told(memory, holder="ana") == sorted([statement(PORTO), statement(LOVES)])
        assert told(memory, holder="ana", known_at=day(0)) == [statement(PORTO)]
        assert told(memory, ids=[view.id], attribute="home") == told(memory, holder="mum") == []
        why = memory.why(view.id).fact
        assert why is not None
        assert (why.attribute, why.holder, why.form, why.reader) == ("allergy", "Lena", "plain", "script-1")


def test_pages_of_facts_go_on_behind_what_is_of_no_such_attribute(place: Path | str) -> None:
    """The last of the page before need not be one that is asked for now."""
    with open_play(place) as shop:
        live(shop, PORTO, LOVES)
        memory = shop.memory()
        home = fact(memory, PORTO)
        assert told(memory, after=fact(memory, LOVES).id, holder="Lena") == []
        assert told(memory, after=home.id, attribute="allergy") == []
        with pytest.raises(NotFound, match="begin again"):
            memory.facts(after="gone", attribute="home")


@pytest.mark.parametrize(
    ("attribute", "said"),
    [("diett", "no attribute 'diett'; near are: diet"), ("", "no attribute ''; there are: name, called")],
)
def test_an_attribute_that_is_none_is_refused(place: Path | str, attribute: str, said: str) -> None:
    """With those that may be meant, or with all."""
    with open_play(place) as shop, pytest.raises(InputError, match=said):
        shop.memory().facts(attribute=attribute)


def test_the_first_telling_says_what_a_fact_tells_of_whom(place: Path | str) -> None:
    """Whichever is learnt of first: what was read of it then is one with its words."""
    again = "As I said, I never bake with nuts, for my sister Lena."
    drafts = {
        again: replace(STATES[NUTS], attribute="food", holder="my sister", form=Form.QUOTE, reader="script-2"),
        NUTS: STATES[NUTS],
    }
    with open_play(place, analyst=ScriptedAnalyst({text: [draft] for text, draft in drafts.items()})) as shop:
        shop.clock.set(day(9))
        memory = shop.memory()
        say(memory, again, at=day(2))
        (view,) = memory.facts()
        assert (view.attribute, view.holder, view.form) == ("food", "my sister", "quote")
        say(memory, NUTS, conversation="earlier", at=day(1))
        (view,) = memory.facts()
        assert (view.attribute, view.holder, view.form) == ("allergy", "Lena", "plain")


def test_what_is_put_right_tells_the_same_of_the_same(place: Path | str) -> None:
    """Another statement of somebody's allergy is one of their allergy."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, NUTS)
        right = memory.correct(fact(memory, NUTS).id, "Ana's sister Lena is allergic to walnuts only.")
        assert (right.attribute, right.holder) == ("allergy", "Lena")


def test_the_same_words_at_another_sitting_make_it_stable(place: Path | str) -> None:
    """One fact with several pieces of evidence; said again at one sitting, in whatever conversation, it counts once."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, NUTS, NUTS, at=day(0))
        say(memory, NUTS, conversation="desk", at=day(0) + timedelta(hours=2))
        assert [(view.told, view.sessions, view.status) for view in memory.facts()] == [(3, 1, "tentative")]
        say(memory, NUTS, at=day(0) + timedelta(hours=6))
        (view,) = memory.facts()
        assert (view.told, view.sessions, view.status) == (4, 2, "stable")
        assert view.confidence == pytest.approx(0.905)
        assert len({view.id for view in memory.facts(status="all")}) == 1


def test_other_words_for_the_same_are_folded_into_those_that_say_more(place: Path | str) -> None:
    """The evidence of both is one set; what gave way says where it went."""
    with open_play(place) as shop:
        live(shop, RUNS, RUNS_EARLY)
        memory = shop.memory()
        (view,) = memory.facts()
        assert (view.statement, view.told, view.sessions, view.status) == (statement(RUNS_EARLY), 2, 2, "stable")
        (merged,) = memory.facts(status="merged")
        assert (merged.statement, merged.canonical_id) == (statement(RUNS), view.id)
        why = memory.why(view.id).fact
        assert why is not None
        assert [row.statement for row in why.evidence] == [statement(RUNS), statement(RUNS_EARLY)]
        assert why.merged == ((merged.id, merged.statement),)


def test_who_moves_home_lives_in_one_place_at_a_time(place: Path | str) -> None:
    """The old home held until the new one was told, and is found when the past is asked for."""
    with open_play(place) as shop:
        live(shop, PORTO, LISBON)
        memory = shop.memory()
        assert told(memory) == [statement(LISBON)]
        old, new = fact(memory, PORTO), fact(memory, LISBON)
        assert (old.status, old.superseded_by, old.valid_to) == ("superseded", new.id, day(1))
        assert told(memory, as_of=day(0.5)) == [statement(PORTO)]
        assert told(memory, as_of=day(1)) == [statement(LISBON)]
        assert told(memory, known_at=day(0.5)) == [statement(PORTO)]
        assert told(memory, known_at=day(-1)) == []


def test_whoever_moves_back_lives_there_again(place: Path | str) -> None:
    """The last word holds, whichever was told first."""
    with open_play(place) as shop:
        live(shop, PORTO, LISBON, FARO, PORTO)
        memory = shop.memory()
        assert told(memory) == [statement(PORTO)]
        assert fact(memory, FARO).superseded_by == fact(memory, PORTO).id
        assert fact(memory, LISBON).valid_to == day(2)


def test_what_changed_between_two_moments_is_told(place: Path | str) -> None:
    """What was gained and lost, in what was known then."""
    with open_play(place) as shop:
        live(shop, PORTO, NUTS, LISBON)
        memory = shop.memory()
        found = memory.diff(day(1.5))
        assert [view.statement for view in found.gained] == [statement(LISBON)]
        assert [view.statement for view in found.lost] == [statement(PORTO)]
        assert [view.statement for view in memory.diff(day(0.5), day(1.5)).gained] == [statement(NUTS)]
        nothing = memory.diff(day(1.2), day(1.5))
        assert (nothing.gained, nothing.lost, nothing.changed) == ((), (), ())
        with pytest.raises(InputError, match="comes after"):
            memory.diff(day(2), day(1))


def test_what_cannot_be_ordered_becomes_a_question(place: Path | str) -> None:
    """Both are half as sure, and neither is lost."""
    with open_play(place) as shop:
        live(shop, LOVES, HATES)
        memory = shop.memory()
        (conflict,) = memory.conflicts()
        assert (conflict.earlier.statement, conflict.later.statement) == (statement(LOVES), statement(HATES))
        assert (conflict.state, conflict.verdict) == ("open", "contradicts")
        assert {view.status for view in memory.facts()} == {"tentative"}
        assert all(view.confidence < 0.46 for view in memory.facts())
        context = memory.context("What may I cook?")
        assert len(context.questions) == 1


@pytest.mark.parametrize("by", ["told again", "confirmed", "refuted", "corrected"])
def test_a_question_is_settled_by_the_person(place: Path | str, by: str) -> None:
    """By their next statement as well as by hand; the other one is not believed any more."""
    with open_play(place) as shop:
        live(shop, LOVES, HATES)
        memory = shop.memory()
        shop.clock.set(day(2))
        loves, hates = fact(memory, LOVES), fact(memory, HATES)
        if by == "told again":
            say(memory, LOVES, conversation="again")
        elif by == "confirmed":
            memory.confirm(loves.id)
        elif by == "refuted":
            memory.refute(hates.id)
        else:
            memory.correct(hates.id, statement(LOVES))
        assert told(memory) == [statement(LOVES)]
        assert memory.conflicts() == []
        (settled,) = memory.conflicts(resolved=True)
        assert settled.state == "resolved"
        assert settled.settled_by in {by, "refuted"}
        assert fact(memory, LOVES).confidence > 0.85
        before = belief(memory, at=day(3))
        memory.consolidate(at=day(3))
        assert belief(memory, at=day(3)) == before


def test_a_correction_with_a_date_keeps_what_held_until_then(place: Path | str) -> None:
    """The other was right, until then."""
    with open_play(place) as shop:
        live(shop, PORTO)
        memory = shop.memory()
        shop.clock.set(day(9))
        new = memory.correct(fact(memory, PORTO).id, "Ana lives in Braga.", since=day(5))
        old = fact(memory, PORTO)
        assert (old.status, old.valid_to, old.superseded_by) == ("superseded", day(5), new.id)
        assert told(memory, as_of=day(6)) == ["Ana lives in Braga."]


def test_a_correction_without_a_date_says_that_it_was_never_right(place: Path | str) -> None:
    """It is not believed any more, for no time at all, and says why."""
    with open_play(place) as shop:
        live(shop, NUTS)
        memory = shop.memory()
        shop.clock.set(day(9))
        new = memory.correct(fact(memory, NUTS).id, "Ana's sister Lena is allergic to sesame.")
        memory.flush()
        assert told(memory) == told(memory, as_of=day(9)) == ["Ana's sister Lena is allergic to sesame."]
        assert told(memory, as_of=day(1)) == []
        assert fact(memory, NUTS).status == "deprecated"
        assert memory.facts()[0].status == "stable"
        why = memory.why(new.id).fact
        assert why is not None
        assert why.versions[0].cause == "corrected"


def test_a_word_by_hand_that_says_nothing_new_is_refused(place: Path | str) -> None:
    """The message says what to do instead."""
    with open_play(place) as shop:
        live(shop, PORTO, NUTS)
        memory = shop.memory()
        porto = fact(memory, PORTO).id
        for verb, why in (
            (lambda: memory.correct(porto, statement(PORTO)), "use confirm"),
            (lambda: memory.correct(porto, "  "), "1 to 1000"),
            (lambda: memory.correct(porto, "Ana lives in Braga.", since=day(99)), "future"),
            (lambda: memory.resolve(porto), "gets done"),
            (lambda: memory.restore(porto), "as it is"),
        ):
            with pytest.raises(InputError, match=why):
                verb()
        for verb in (memory.confirm, memory.refute, memory.resolve):
            with pytest.raises(NotFound):
                verb("nobody")


def test_a_goal_is_reached_by_saying_so(place: Path | str) -> None:
    """And by hand; it is not open any more, and stays known."""
    with open_play(place) as shop:
        live(shop, GOAL, GOAL_DONE)
        memory = shop.memory()
        goal = fact(memory, GOAL)
        assert (goal.status, goal.resolved_at) == ("tentative", day(1))
        assert told(memory, open_only=True) == []
        live(shop, BLOCKED, first=2)
        assert told(memory, open_only=True) == [statement(BLOCKED)]
        shop.clock.set(day(3))
        assert memory.resolve(fact(memory, BLOCKED).id).resolved_at == day(3)
        assert told(memory, open_only=True) == []
        with pytest.raises(InputError, match="already"):
            memory.resolve(fact(memory, BLOCKED).id)
        assert memory.restore(fact(memory, BLOCKED).id).resolved_at is None
        assert told(memory, open_only=True) == [statement(BLOCKED)]


def test_what_rested_on_the_old_home_needs_review(place: Path | str) -> None:
    """Until it is told again."""
    with open_play(place) as shop:
        live(shop, PORTO, BLOCKED, LISBON)
        memory = shop.memory()
        blocked = fact(memory, BLOCKED)
        assert (blocked.status, blocked.review) == ("needs_review", "lives in Lisbon since March 2026")
        live(shop, BLOCKED, first=3)
        assert fact(memory, BLOCKED).status == "stable"


def test_a_pinned_fact_gives_way_to_nothing_but_the_hand(place: Path | str) -> None:
    """Neither to what was told later, nor to time."""
    with open_play(place) as shop:
        live(shop, LOVES, PORTO)
        memory = shop.memory()
        for text in (LOVES, PORTO):
            assert memory.pin(fact(memory, text).id).pinned
        live(shop, LISBON, first=2)
        assert fact(memory, PORTO).status == "stable"
        assert len(memory.conflicts()) == 1, "a change that may not be made is a question"
        memory.consolidate(at=NOON + FAR)
        assert {statement(LOVES), statement(PORTO)} <= set(told(memory))
        assert not memory.unpin(fact(memory, PORTO).id).pinned
        memory.consolidate(at=NOON + FAR)
        assert fact(memory, PORTO).status == "superseded"


def test_what_lost_its_place_can_be_believed_again(place: Path | str) -> None:
    """Beside what had taken it; and it stays so in the night."""
    with open_play(place) as shop:
        live(shop, PORTO, LISBON, RUNS, RUNS_EARLY)
        memory = shop.memory()
        for text in (PORTO, RUNS):
            back = memory.restore(fact(memory, text).id)
            assert back.status == "stable"
        memory.consolidate(at=day(6))
        assert set(told(memory)) == {statement(text) for text in (PORTO, LISBON, RUNS, RUNS_EARLY)}
        assert memory.conflicts() == []
        with pytest.raises(InputError, match="as it is"):
            memory.restore(fact(memory, PORTO).id)


def test_goals_belong_to_their_project(place: Path | str) -> None:
    """Another project does not see them; who somebody is, all see."""
    with open_play(place) as shop:
        live(shop, GOAL, NUTS, project="thesis")
        thesis, taxes, everything = shop.memory(project="thesis"), shop.memory(project="taxes"), shop.memory()
        assert told(thesis) == sorted([statement(GOAL), statement(NUTS)])
        assert told(taxes) == [statement(NUTS)]
        assert told(everything) == told(thesis)
        goal = fact(thesis, GOAL)
        assert (goal.project, fact(thesis, NUTS).project) == ("thesis", None)
        for verb in (taxes.confirm, taxes.refute, taxes.resolve, taxes.why, taxes.pin):
            with pytest.raises(NotFound):
                verb(goal.id)
        assert statement(GOAL) not in taxes.context("What is my goal?").text
        assert statement(GOAL) in thesis.context("What is my goal?").text
        assert told(shop.memory("ben")) == []


def test_facts_outlive_the_talk_they_came_from(place: Path | str) -> None:
    """When its words and at last the episode are gone, the fact stands with its quote."""
    with open_play(place) as shop:
        live(shop, NUTS)
        memory = shop.memory()
        memory.consolidate(at=NOON + FAR)
        assert [(row.detail, row.status) for row in memory.episodes()] == [("gist", "archived")]
        view = fact(memory, NUTS)
        assert (view.status, view.confidence) == ("tentative", 0.9)
        why = memory.why(view.id).fact
        assert why is not None
        assert [row.quote for row in why.evidence] == [NUTS]
        assert statement(NUTS) in memory.context("What can Lena not eat?").text


def test_what_only_a_forgotten_message_said_is_forgotten_too(place: Path | str) -> None:
    """With its quote; what was said elsewhere too stays, on what is left."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, NUTS, id="m-1")
        say(memory, LOVES, conversation="desk", id="m-2")
        say(memory, LOVES, conversation="train", id="m-3")
        gone = fact(memory, NUTS).id
        memory.forget("m-1", "m-2")
        shop.work()
        assert told(memory) == [statement(LOVES)]
        assert (fact(memory, LOVES).told, fact(memory, LOVES).status) == (1, "tentative")
        assert memory.facts(status="all") == memory.facts()
        with pytest.raises(NotFound):
            memory.confirm(gone)
        memory.consolidate()
        assert told(memory) == [statement(LOVES)]


def test_whoever_took_the_place_of_another_gives_it_back_when_forgotten(place: Path | str) -> None:
    """Evidence that was erased counts for nothing, in what it had ended as well."""
    with open_play(place) as shop:
        memory = shop.memory()
        say(memory, PORTO, id="m-1")
        shop.clock.set(day(1))
        say(memory, LISBON, conversation="desk", id="m-2")
        assert told(memory) == [statement(LISBON)]
        memory.forget("m-2")
        shop.work()
        memory.consolidate(at=day(2))
        assert told(memory) == [statement(PORTO)]
        assert fact(memory, PORTO).valid_to is None


def test_what_a_context_had_shown_is_no_evidence_when_it_is_repeated(place: Path | str) -> None:
    """Neither from the person nor from the assistant; said unprompted elsewhere it counts."""
    with open_play(place) as shop:
        memory = shop.memory()
        live(shop, NUTS)
        shop.clock.set(day(1))
        question = "What do I have to know when I bake for my sister Lena?"
        memory.observe(question, conversation="bakery", author="Ana")
        assert statement(NUTS) in memory.context(question, conversation="bakery").text
        shop.clock.set(day(1) + timedelta(minutes=1))
        say(memory, statement(NUTS), conversation="bakery", role="assistant", is_flushed=False)
        say(memory, NUTS, conversation="bakery")
        view = fact(memory, NUTS)
        assert (view.told, view.sessions, view.status) == (1, 1, "tentative")
        why = memory.why(view.id).fact
        assert why is not None
        assert [row.stance for row in why.evidence] == ["supports", "echo"]
        live(shop, NUTS, first=2)
        view = fact(memory, NUTS)
        assert (view.told, view.sessions, view.status) == (2, 2, "stable")


def test_other_words_for_what_a_context_had_shown_are_no_evidence_either(place: Path | str) -> None:
    """They may say more; then that is known, and no surer than it was."""
    with open_play(place) as shop:
        memory = shop.memory()
        live(shop, RUNS)
        shop.clock.set(day(1))
        question = "Plan my day with my run and my thesis."
        memory.observe(question, conversation="plan", author="Ana")
        assert statement(RUNS) in memory.context(question, conversation="plan").text
        shop.clock.set(day(1) + timedelta(minutes=1))
        say(memory, RUNS_EARLY, conversation="plan")
        assert sum(view.sessions for view in memory.facts()) == 1


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_person_states_facts_about_themself(place: Path | str, role: str) -> None:
    """What a machine wrote is context at most."""
    with open_play(place) as shop:
        memory = shop.memory()
        memory.observe("What should I know about my sister Lena when I bake?", conversation="desk", author="Ana")
        say(memory, NUTS, conversation="desk", role=role)
        assert memory.facts(status="all") == []


def test_facts_are_drawn_only_where_that_is_wanted(place: Path | str) -> None:
    """The talk is kept all the same, and facts can be drawn from it by hand later."""
    with open_play(place) as shop:
        memory = shop.memory()
        memory.configure(fact_extraction_enabled=False)
        say(memory, NUTS, id="m-1")
        assert memory.facts() == []
        assert len(memory.episodes()) == 1
        memory.configure(fact_extraction_enabled=True)
        assert [view.statement for view in memory.extract("m-1")] == [statement(NUTS)]
        assert [view.statement for view in memory.extract(memory.episodes()[0].id)] == [statement(NUTS)]
        assert (fact(memory, NUTS).told, fact(memory, NUTS).sessions) == (1, 1)


def test_no_facts_are_shown_where_none_are_wanted(place: Path | str) -> None:
    """They are believed nevertheless."""
    with open_play(place) as shop:
        memory = shop.memory()
        live(shop, *(text for text in STATES if text != LISBON))
        assert any(item.lane in {"facts", "profile"} for item in memory.context("coriander").items)
        memory.configure(max_facts_retrieved=0)
        known = {view.id for view in memory.facts()}
        assert not known & {item.id for item in memory.context("coriander").items}


def test_a_message_that_contradicts_itself_becomes_a_question(place: Path | str) -> None:
    """Neither of two statements of one instant is the later one."""
    with open_play(place) as shop:
        memory = shop.memory()
        both = f"{LOVES} {HATES}"
        analyst = shop.ports.analyst
        analyst._drafts = {**STATES_AS_LISTS, both: [STATES[LOVES], STATES[HATES]]}  # type: ignore[attr-defined]
        say(memory, both)
        assert len(memory.conflicts()) == 1
        assert told(memory) == sorted([statement(LOVES), statement(HATES)])
        memory.consolidate(at=day(1))
        assert len(memory.conflicts()) == 1


def test_a_history_told_backwards_gives_the_same_belief(place: Path | str) -> None:
    """It counts when something was said, not when we learnt of it."""
    texts = [PORTO, RUNS, LISBON, RUNS_EARLY, LOVES, GOAL, HATES, GOAL_DONE, LOVES]
    found = []
    for order in (1, -1):
        with open_play(":memory:") as shop:
            memory = shop.memory()
            for number, text in list(enumerate(texts))[::order]:
                say(memory, text, conversation=f"day {number}", at=day(number - 20))
            memory.consolidate()
            found.append(belief(memory))
    assert found[0] == found[1]


STATES_AS_LISTS = {text: [draft] for text, draft in STATES.items()}


def test_a_statement_that_cannot_be_compared_stands_alone(place: Path | str) -> None:
    """The others are believed; it is tried again, given up, and taken up again on request."""
    embedder = FailingEmbedder(ConceptEmbedder(CONCEPTS), word="is allergic to nuts.")
    with open_play(place, embedder=embedder) as shop:
        memory = shop.memory()
        for number, text in enumerate((LOVES, NUTS, PORTO)):
            say(memory, text, conversation=f"room {number}", is_flushed=False)
        assert memory.flush().facts == 2
        for _ in range(9):
            shop.clock.advance(timedelta(days=1))
            shop.work()
        embedder.is_well = True
        assert shop.work().facts == 0
        assert memory.retry() == 1
        assert shop.work().facts == 1


def read_by(version: str, text: str) -> MessageReading:
    """Return a text as a version of the reader reads it."""
    return replace(a_reading(text, stated(text)), reader=version)


def test_facts_of_two_readers_in_one_store_are_told_apart(place: Path | str) -> None:
    """After another version of the reader came, each fact still says what read it."""
    said = {"by-hand-1": "I keep the blue one", "by-hand-2": "I sold my boat"}
    with open_workshop(place) as shop:
        memory = shop.memory()
        for version, text in said.items():
            reader = ScriptedReader(partial(read_by, version))
            memory.observe(text, conversation=version)
            flush(replace(shop.ports, reader=reader), shop.policies, memory.scope, lambda _: None)
        reasons = [memory.why(known.id).fact for known in memory.facts()]
    assert {why.reader: why.evidence[0].quote for why in reasons if why} == said


def test_why_something_needs_review_is_told_in_the_words_of_what_ended_it(place: Path | str) -> None:
    """In `facts` and `why`; what is kept beside it has no words that may be forgotten, and a yes clears it."""
    with open_play(place) as shop:
        live(shop, PORTO, BLOCKED, LISBON)
        memory = shop.memory()
        blocked = fact(memory, BLOCKED)
        found = memory.why(blocked.id).fact
        assert found is not None
        assert (blocked.review, found.review) == ("lives in Lisbon since March 2026",) * 2
        assert "needs_review: home changed in March 2026" in {version.cause for version in found.versions}
        assert "may no longer hold: home changed in March 2026" in memory.context("Is the library closed?").text
        memory.forget(fact(memory, LISBON).id)
        assert "Lisbon" not in fact(memory, BLOCKED).review
        memory.consolidate()
        assert (fact(memory, BLOCKED).status, fact(memory, BLOCKED).review) == ("tentative", "")
        live(shop, FARO, first=9)
        assert fact(memory, BLOCKED).review == "lives in Faro since March 2026"
        assert memory.confirm(fact(memory, BLOCKED).id).review == ""


def test_what_is_over_is_not_told_with_what_holds(place: Path | str) -> None:
    """In a look at the past it stands where it did, and in `why` as it was said."""
    home, dog, moved = "I live in Porto.", "My dog Rex is nine.", "I have moved to Lisbon for good."
    told_first = f'Ana said: "{home} {dog}"'
    drafts = {
        f"{home} {dog}": [
            replace(STATES[PORTO], quote=home),
            a_draft(told_first, form=Form.QUOTE, quote=dog, holder="Rex", attribute="pet"),
        ],
        moved: [STATES[LISBON]],
    }
    analyst = ScriptedAnalyst(drafts, JUDGEMENTS)
    with open_play(place, analyst=analyst) as shop:
        memory = shop.memory()
        say(memory, f"{home} {dog}", conversation="first")
        (rex,) = [known for known in memory.facts() if known.holder == "Rex"]
        assert rex.statement == told_first
        shop.clock.set(day(1))
        say(memory, moved, conversation="second")
        rest = f'Ana said: "… {dog}"'
        assert memory.facts(ids=[rex.id])[0].statement == rest
        assert memory.facts(ids=[rex.id], known_at=day(0.5))[0].statement == told_first
        found = memory.why(rex.id).fact
        assert found is not None
        assert found.statement == told_first
