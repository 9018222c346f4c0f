"""Every verb through the door, in one life."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doors.graphql.conftest import Stage, tell
from tests.script import GOAL, HATES, LISBON, LOVES, PORTO, RUNS, statement
from tools.make_doors import MISSING
from yesteryear.api.graphql.schema import build_schema
from yesteryear.api.verbs import VERBS
from yesteryear.core.time import parse_instant


def test_every_verb_is_there_or_says_why_not() -> None:
    """A verb that is new has to be offered, or exempted."""
    schema = build_schema()._schema
    roots = [schema.query_type, schema.mutation_type]
    offered = {name for root in roots if root is not None for name in root.fields}
    camel = {verb: verb.split("_")[0] + "".join(word.title() for word in verb.split("_")[1:]) for verb in VERBS}
    assert {verb for verb, name in camel.items() if name not in offered} == MISSING["GraphQL"].keys()


def test_looking(stage: Stage) -> None:
    """All that only looks, in one query."""
    query = """
    {
      recall(question: "Where does Ana live?", limit: 2) { hits { id text score signals messages } notes }
      homes: facts(attribute: "home", holder: "Ana") { label attribute holder form }
      facts(openOnly: true) { label status slot { attribute value } properties version }
      episodes(limit: 2) { id conversationId messages { content verdict } facts { label } }
      messages(outcome: "keep", limit: 3) { id seq role author content at }
      conversations { id messageCount openMessages }
      conflicts { id state earlier { label contradictedBy } later { id label } }
      nights { id }
      stats
      usage { day purpose usd latencyMs }
      diff(since: "2020-01-01T00:00:00Z") { gained { label } changed { label } }
      changes { rev }
    }
    """
    data = stage.ask(query, **{"x-yesteryear-project": "123"}).data
    assert len(data["recall"]["hits"]) == 2
    assert [fact["label"] for fact in data["facts"]] == [statement(GOAL)]
    told = {"label": statement(LISBON), "attribute": "home", "holder": "", "form": "plain"}
    assert data["homes"] == [told]
    assert [episode["conversationId"] for episode in data["episodes"]] == ["day 4", "day 3"]
    assert data["episodes"][1]["messages"][0]["content"] == LISBON
    assert data["episodes"][1]["facts"] == [{"label": statement(LISBON)}]
    assert len(data["messages"]) == 3
    assert {row["openMessages"] for row in data["conversations"]} == {0}
    (conflict,) = data["conflicts"]
    assert conflict["earlier"] == {"label": statement(LOVES), "contradictedBy": conflict["later"]["id"]}
    assert data["stats"]["rev"] == data["changes"]["rev"]
    assert statement(GOAL) in [fact["label"] for fact in data["diff"]["gained"]]


def test_a_facts_evidence_leads_to_what_was_said(stage: Stage) -> None:
    """Down to the words, and back to the episode."""
    query = """
    { facts(kinds: ["goal"], projectId: "123") {
        evidence { stance quote message { content } } sourceEpisode { id } sourceEpisodeId sourceMessageId
    } }
    """
    (goal,) = stage.ask(query).data["facts"]
    assert goal["evidence"][0]["message"] == {"content": GOAL}
    assert goal["evidence"][0]["quote"] in GOAL
    assert goal["sourceEpisode"]["id"] == goal["sourceEpisodeId"]


@pytest.mark.parametrize(("grain", "field"), [("facts", "fact"), ("episodes", "episode"), ("messages", "message")])
def test_why_answers_for_ids_of_all_kinds(stage: Stage, grain: str, field: str) -> None:
    """A fact, an episode and a message each have their reasons."""
    found = stage.ask(f"{{ {grain}(limit: 1) {{ id }} }}").data[grain][0]["id"]
    query = """
    query ($id: ID!) { why(id: $id) {
        fact { statement confidenceNow ahead overTime merged evidence { quote } }
        episode { topic strength factors { name adds: weight } }
        message { text outcome features }
    } }
    """
    assert stage.ask(query, {"id": found}).data["why"][field] is not None


def test_what_a_person_says_by_hand(empty_stage: Stage) -> None:
    """Confirm, pin, correct, refute and bring back; the second of two editors is refused."""
    change = """
    mutation ($id: ID!, $version: Long) {
      pin(id: $id, version: $version) { fact { pinned } episode { id } }
    }
    """
    tell(empty_stage, PORTO, project=None)
    (home,) = empty_stage.ask("{ facts { id version } }").data["facts"]
    assert empty_stage.ask(change, home).data["pin"] == {"fact": {"pinned": True}, "episode": None}
    late = empty_stage.ask(change, home)
    assert late.codes == ["stale"]
    assert late.errors[0]["extensions"]["status"] == 412
    correct = """
    mutation ($id: ID!) {
      confirm(id: $id) { confidence }
      unpin(id: $id) { fact { pinned } }
      correct(id: $id, statement: "Ana lives in Braga") { id label }
      restore(id: $id) { fact { isActive } }
      refute(id: $id) { isActive }
    }
    """
    data = empty_stage.ask(correct, {"id": home["id"]}).data
    assert data["correct"]["label"] == "Ana lives in Braga"
    assert (data["restore"]["fact"]["isActive"], data["refute"]["isActive"]) == (True, False)


def test_the_days_of_a_memory(empty_stage: Stage) -> None:
    """Settle a goal, run a night and undo it, let fade, draw anew, forget and erase."""
    tell(empty_stage, GOAL, LOVES, RUNS, HATES, project=None)
    goal = next(row for row in empty_stage.ask("{ facts { id nodeType } }").data["facts"] if row["nodeType"] == "goal")
    (episode, *_) = empty_stage.ask("{ episodes { id version startMessageId } }").data["episodes"]
    data = empty_stage.ask(
        """
        mutation ($goal: ID!, $episode: ID!) {
          resolve(id: $goal) { resolvedAt }
          pinned: pin(id: $episode) { episode { pinned } }
          extract(id: $episode) { label }
          consolidate { id state changes { what confidence } facts }
          fade(dryRun: true) { toGist archived isDry }
          retry
          closeEpisode(conversation: "kitchen")
          configure(settings: {keepVerbatim: true, maxFactsRetrieved: 5}) { keepVerbatim fading maxFactsRetrieved }
        }
        """,
        {"goal": goal["id"], "episode": episode["id"]},
    ).data
    assert parse_instant(data["resolve"]["resolvedAt"])
    assert data["pinned"]["episode"]["pinned"]
    assert data["consolidate"]["state"] == "done"
    assert empty_stage.ask("mutation { undo { state } }").codes == ["not_found"]  # nothing was done in it
    assert data["configure"] == {"keepVerbatim": True, "fading": None, "maxFactsRetrieved": 5}
    taken_back = "mutation { configure(settings: {keepVerbatim: null}) { keepVerbatim maxFactsRetrieved } }"
    assert empty_stage.ask(taken_back).data["configure"] == {"keepVerbatim": None, "maxFactsRetrieved": 5}
    _forget_and_erase(empty_stage, episode)


def _forget_and_erase(stage: Stage, episode: dict[str, Any]) -> None:
    propose = 'mutation { forget(about: "coriander") { isDry messages { id text } facts { statement because } } }'
    proposed = stage.ask(propose).data["forget"]
    assert proposed["isDry"]
    assert {row["text"] for row in proposed["messages"]} == {LOVES, HATES}
    forget = "mutation ($ids: [ID!]) { forget(ids: $ids) { isDry messages { id } scrubbed { foundAfter } } }"
    forgotten = stage.ask(forget, {"ids": [row["id"] for row in proposed["messages"]]}).data["forget"]
    assert (forgotten["isDry"], len(forgotten["messages"])) == (False, 2)
    assert stage.ask("mutation { erase { person removed hash } }").data["erase"]["removed"]["message"] == 4
    assert stage.ask("{ episodes { id } facts { id } }").data == {"episodes": [], "facts": []}
    assert stage.ask("mutation ($id: ID!) { pin(id: $id) { fact { id } } }", episode).codes == ["not_found"]


def test_saying_the_same_again_changes_nothing(stage: Stage) -> None:
    """A caller's own id makes it harmless; other words with it are refused."""
    say = 'mutation ($text: String!) { observe(content: $text, id: "own-1", userId: "ben") { seq isNew } }'
    assert stage.ask(say, {"text": "I like tea."}).data["observe"] == {"seq": 1, "isNew": True}
    assert stage.ask(say, {"text": "I like tea."}).data["observe"] == {"seq": 1, "isNew": False}
    assert stage.ask(say, {"text": "I like coffee."}).codes == ["conflict"]
