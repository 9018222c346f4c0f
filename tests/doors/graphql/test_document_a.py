"""Document A's API, word for word."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from graphql import GraphQLNamedType, print_type
from graphql import build_schema as read_schema

from tests.doors.graphql.conftest import Stage, tell
from tests.script import BLOCKED, GOAL, LISBON, RUNS, statement
from yesteryear.api.graphql.schema import build_schema

EPISODES = """
   query {
     getConversationEpisodes(projectId: "123", limit: 5) {
       id
       topic
       summary
       keyPoints
     }
   }
"""
FACTS = """
   query {
     getKnowledgeNodes(userId: "user123", projectId: "123") {
       id
       nodeType
       label
       confidence
       timesMentioned
     }
   }
"""
SIGNATURES = {
    "getMemoryContext": "(userId: String!, projectId: ID!, currentContext: String): MemoryContext!",
    "getConversationEpisodes": "(projectId: ID!, limit: Int): [ConversationEpisode!]!",
    "getKnowledgeNodes": "(userId: String!, projectId: ID, nodeTypes: [String!]): [KnowledgeNode!]!",
    "searchMemory": "(userId: String!, projectId: ID, query: String!): MemoryContext!",
    "triggerEpisodeSummarization": "(conversationId: ID!): ConversationEpisode!",
    "extractKnowledgeFacts": "(conversationId: ID!, episodeId: ID!): [KnowledgeNode!]!",
}
COLUMNS = {
    "ConversationEpisode": (
        "id conversationId projectId userId startMessageId endMessageId messageCount topic summary keyPoints "
        "decisionsMade emotionsDetected userState createdAt"
    ),
    "KnowledgeNode": (
        "id userId projectId nodeType label properties sourceEpisodeId sourceMessageId confidence lastReinforcedAt "
        "timesMentioned contradictedBy isActive createdAt"
    ),
    "MemoryConfig": (
        "episodeMessageThreshold episodeInactivityMinutes factExtractionEnabled factConfidenceThreshold "
        "maxEpisodesRetrieved maxFactsRetrieved"
    ),
}


@pytest.fixture(scope="module")
def written() -> str:
    """The schema as its description says it."""
    return build_schema().as_str()


@pytest.fixture(scope="module")
def types(written: str) -> Mapping[str, GraphQLNamedType]:
    """Its types."""
    return read_schema(written).type_map


@pytest.mark.parametrize("name", SIGNATURES)
def test_names_arguments_and_types_are_those_of_the_document(written: str, name: str) -> None:
    """What was written for that API goes on working."""
    assert f"  {name}{SIGNATURES[name]}\n" in written


@pytest.mark.parametrize("name", COLUMNS)
def test_types_have_the_columns_of_the_documents_tables(types: Mapping[str, GraphQLNamedType], name: str) -> None:
    """In camelCase, as GraphQL writes them."""
    written = print_type(types[name])
    assert [column for column in COLUMNS[name].split() if f"  {column}:" not in written] == []


def test_the_queries_of_the_section_on_testing_run_word_for_word(empty_stage: Stage) -> None:
    """The person of the first is who the header names; fifteen messages make an episode and facts."""
    empty_stage.headers = {"x-yesteryear-user": "user123"}
    tell(empty_stage, GOAL, LISBON, *[f"I moved my runs to the morning, number {number}." for number in range(13)])
    episodes = empty_stage.ask(EPISODES).data["getConversationEpisodes"]
    assert 1 <= len(episodes) <= 5
    assert all(episode["topic"] and episode["summary"] for episode in episodes)
    facts = empty_stage.ask(FACTS).data["getKnowledgeNodes"]
    assert {fact["label"] for fact in facts} == {statement(GOAL), statement(LISBON)}
    assert all(fact["timesMentioned"] == 1 and 0 < fact["confidence"] <= 1 for fact in facts)


def test_a_context_is_text_with_what_it_is_made_of(stage: Stage) -> None:
    """Episodes and facts in it can be asked for by their fields."""
    query = """
    query ($now: String) {
      getMemoryContext(userId: "ana", projectId: "123", currentContext: $now) {
        text tokens budget items { id lane text messages } episodes { id topic } facts { label userId }
      }
      searchMemory(userId: "ana", query: "Where does Ana live?") { text tokens facts { label } }
    }
    """
    data = stage.ask(query, {"now": "Where do I live?"}).data
    context = data["getMemoryContext"]
    assert context["text"].startswith("=== MEMORY CONTEXT ===")
    assert 0 < context["tokens"] <= context["budget"]
    assert context["episodes"]
    assert {fact["userId"] for fact in context["facts"]} == {"ana"}
    assert statement(LISBON) in [fact["label"] for fact in data["searchMemory"]["facts"]]


def test_kinds_of_nodes_can_be_chosen(stage: Stage) -> None:
    """As the document says: filter by type."""
    query = '{ getKnowledgeNodes(userId: "ana", projectId: "123", nodeTypes: ["goal"]) { label nodeType isActive } }'
    assert stage.ask(query).data["getKnowledgeNodes"] == [
        {"label": statement(GOAL), "nodeType": "goal", "isActive": True}
    ]


def test_an_episode_is_summarised_and_read_again_by_hand(empty_stage: Stage) -> None:
    """A conversation is found in whatever project it is held."""
    trigger = 'mutation { triggerEpisodeSummarization(conversationId: "desk") { id messageCount projectId } }'
    extract = """
    mutation ($episode: ID!) {
      extractKnowledgeFacts(conversationId: "desk", episodeId: $episode) { label nodeType sourceEpisodeId }
    }
    """
    assert empty_stage.ask(trigger).codes == ["not_found"]
    observe = 'mutation ($text: String!) { observe(content: $text, conversation: "desk", projectId: "7") { id } }'
    for text in (BLOCKED, RUNS):
        assert empty_stage.ask(observe, {"text": text}).data
    episode = empty_stage.ask(trigger).data["triggerEpisodeSummarization"]
    assert (episode["messageCount"], episode["projectId"]) == (2, "7")
    (blocker, pattern) = empty_stage.ask(extract, {"episode": episode["id"]}).data["extractKnowledgeFacts"]
    assert {blocker["nodeType"], pattern["nodeType"]} == {"blocker", "work_pattern"}
    assert blocker["sourceEpisodeId"] == episode["id"]
    elsewhere = extract.replace('"desk"', '"bed"')
    assert empty_stage.ask(elsewhere, {"episode": episode["id"]}).codes == ["not_found"]
