"""What is believed is put before a model: what holds now, in its lane, and what held once when that is asked for."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import yesteryear
from tests.script import BLOCKED, CLIMBS, GOAL, HATES, LISBON, LOVES, LOW, NUTS, PORTO, fact, open_play, say, statement
from tests.workshop import NOON, Workshop

DAY = timedelta(days=1)


def live(shop: Workshop, *texts: str, project: str | None = None) -> None:
    """Say a text a day, each in a conversation of its own, while the clock goes on; contexts show no summaries."""
    shop.memory().configure(max_episodes_retrieved=0)
    for number, text in enumerate(texts):
        shop.clock.set(NOON + number * DAY)
        say(shop.memory(project=project), text, conversation=f"day {number}", id=f"m-{number}")


def shown(context: yesteryear.Context, lane: str) -> list[str]:
    """Return the lines of a lane."""
    return [item.text for item in context.lanes.get(lane, ())]


def test_a_context_tells_what_holds_now(place: Path | str) -> None:
    """By day the old home is told as former beside the new one; the words in which it was told are marked."""
    with open_play(place) as shop:
        live(shop, PORTO, LISBON)
        context = shop.memory().context("Where is my home?")
        assert shown(context, "profile") == ["- Ana lives in Porto."]
        now = ["- previously: Ana lives in Porto. (until March 2026)", "- Ana lives in Lisbon."]
        assert shown(context, "news") == now
        shop.clock.set(NOON + 2 * DAY)
        later = shop.memory().context("Where is my home?")
        assert (shown(later, "profile"), shown(later, "news")) == (["- Ana lives in Lisbon."], [])
        assert not any("Porto" in line for line in shown(context, "facts"))
        said = {item.messages: item for item in context.lanes["relevant"]}
        assert said["m-0",].text == f"Ana (no longer holds; now: Ana lives in Lisbon): {PORTO}"
        assert [said[name,].is_earlier for name in ("m-0", "m-1")] == [True, False]


def test_what_held_once_is_told_when_the_past_is_asked_for(place: Path | str) -> None:
    """With until when; here the words themselves are gone, so that it is no repetition."""
    with open_play(place, keep_verbatim=False) as shop:
        live(shop, PORTO, LISBON)
        shop.clock.set(NOON + 2 * DAY)
        memory = shop.memory()
        assert shown(memory.context("Where did I live before?"), "facts") == [
            "- previously: Ana lives in Porto. (until March 2026)"
        ]
        assert shown(memory.context("Where do I live?"), "facts") == []
        old = fact(memory, PORTO).id
        assert old not in {hit.id for hit in memory.recall("Where do I live?")}
        (hit,) = [hit for hit in memory.recall("Where did I live?") if hit.id == old]
        assert hit.is_earlier
        assert old in {hit.id for hit in memory.recall("Where do I live?", archived=True)}


def test_a_fact_is_not_repeated_below_the_words_it_was_told_in(place: Path | str) -> None:
    """It is told where they are gone."""
    question = "Why do I feel so low?"
    with open_play(place) as shop:
        live(shop, LOVES, LOW)
        context = shop.memory().context(question)
        assert any(LOW in line for line in shown(context, "relevant"))
        assert not any("low" in line for line in shown(context, "facts"))
        said = {dropped.text: dropped.reason for dropped in context.dropped}
        assert said["- Ana feels low. (told 3 March 2026)"] == "already said"
    with open_play(":memory:", keep_verbatim=False) as shop:
        live(shop, LOVES, LOW)
        assert shown(shop.memory().context(question), "facts") == ["- Ana feels low. (told 3 March 2026)"]


def test_a_projects_plans_and_blockers_have_their_place_in_it(place: Path | str) -> None:
    """Another project does not see them; nor are they there once they are settled."""
    with open_play(place) as shop:
        live(shop, GOAL, BLOCKED, project="thesis")
        thesis = shop.memory(project="thesis")
        text = thesis.context("What about the library?").text
        assert "Known Challenges/Blockers:\n- Ana is stuck because the library in Porto is closed." in text
        assert "Open Goals and Decisions:\n- Ana wants to finish her thesis by October." in text
        assert "tactical" not in shop.memory(project="garden").context("What about the library?").lanes
        thesis.resolve(fact(thesis, BLOCKED).id)
        assert "Known Challenges/Blockers" not in thesis.context("What about the library?").text


def test_what_was_pinned_stands_first_whatever_is_asked(place: Path | str) -> None:
    """Whatever its kind."""
    with open_play(place) as shop:
        live(shop, LOVES, CLIMBS)
        memory = shop.memory()
        memory.pin(fact(memory, CLIMBS).id)
        assert shown(memory.context("coriander"), "profile") == ["- Ana climbs with her colleagues."]
        assert shown(memory.context("coriander"), "preferences") == ["- Ana loves coriander. (told 2 March 2026)"]


def test_no_facts_where_the_setting_says_so(place: Path | str) -> None:
    """Neither in a context without a question."""
    with open_play(place) as shop:
        live(shop, PORTO, LOVES)
        memory = shop.memory()
        assert {"profile", "preferences"} <= memory.context().lanes.keys()
        memory.configure(max_facts_retrieved=0)
        for message in ("", "coriander at home"):
            lanes = memory.context(message).lanes.keys()
            assert lanes <= {"history", "relevant"}
        memory.configure(max_facts_retrieved=1)
        context = memory.context()
        assert [len(shown(context, lane)) for lane in ("profile", "preferences", "facts")] == [1, 1, 0]


def test_facts_are_recalled_by_kind(place: Path | str) -> None:
    """With how sure they are, and the messages they were told in."""
    with open_play(place) as shop:
        live(shop, PORTO, LOVES, NUTS)
        memory = shop.memory()
        (hit,) = memory.recall("What do I love?", kinds=["preference"])
        assert (hit.grain, hit.kind, hit.text) == ("fact", "preference", statement(LOVES))
        assert (hit.id, hit.messages, hit.author) == (fact(memory, LOVES).id, ("m-1",), "Ana")
        assert (hit.conversation, hit.confidence) == ("", pytest.approx(0.9, abs=0.01))
        assert {hit.grain for hit in memory.recall("coriander", kinds=["fact"])} == {"fact"}
        assert len(memory.recall("coriander", kinds=["fact"])) == 3
        assert {hit.grain for hit in memory.recall("coriander", kinds=["excerpt", "goal"])} == {"excerpt"}


def test_of_a_fact_and_the_words_it_was_told_in_the_words_are_found(place: Path | str) -> None:
    """Unless facts are asked for; once the words are gone it speaks for them."""
    with open_play(place) as shop:
        live(shop, NUTS, LOVES)
        memory = shop.memory()
        assert [hit.grain for hit in memory.recall("nuts") if "nuts" in hit.text] == ["excerpt"]
    with open_play(":memory:", keep_verbatim=False) as shop:
        live(shop, NUTS, LOVES)
        assert "fact" in [hit.grain for hit in shop.memory().recall("nuts")]


def test_a_context_remembers_which_facts_it_showed(place: Path | str) -> None:
    """So that nobody's repetition of them becomes new evidence."""
    with open_play(place) as shop:
        live(shop, LOVES)
        memory = shop.memory()
        memory.context("coriander", conversation="cooking")
        memory.observe(statement(LOVES), conversation="cooking", author="Ana")
        memory.flush()
        assert [(view.told, view.sessions) for view in memory.facts()] == [(1, 1)]


def test_a_question_that_may_be_asked_comes_with_the_context(place: Path | str) -> None:
    """Last, in a few words, and in the result."""
    with open_play(place) as shop:
        live(shop, LOVES, HATES)
        context = shop.memory().context("coriander", conversation="cooking")
        (question,) = context.questions
        assert set(question.fact_ids) <= {fact(shop.memory(), text).id for text in (LOVES, HATES)}
        assert shown(context, "questions") == [f"- {question.text}"]
        assert context.text.index("You may ask:") > context.text.index("Relevant Excerpts:")
        assert not shop.memory().context("coriander", conversation="cooking", budget=10).text
