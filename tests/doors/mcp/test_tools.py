"""What models and clients are shown of the tools, and which verbs of a memory they reach."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from tests.doors.mcp.stage import data_of, inside, play
from tools.make_doors import MISSING
from yesteryear.api.access import Right
from yesteryear.api.mcp.arguments import Kinds, Recall
from yesteryear.api.mcp.server import INSTRUCTIONS, PROMPTS, RESOURCES, TEMPLATES
from yesteryear.api.mcp.tools import MORE_TOOLS, TOOLS, Tool, offered
from yesteryear.api.verbs import VERBS

GOLDEN = Path(__file__).parents[2] / "golden" / "mcp_tools.json"
UPDATE = "UPDATE_GOLDEN"
"""Name of the variable that asks for the file to be written."""
ALL = (*TOOLS, *MORE_TOOLS)


def shown() -> str:
    """Return all that a client is shown before it calls anything."""
    rows = [row.shown() for row in ALL]
    listed = {"tools": rows, "resources": RESOURCES, "templates": TEMPLATES, "prompts": PROMPTS}
    plain = {
        name: [row.model_dump(mode="json", by_alias=True, exclude_none=True) for row in found]
        for name, found in listed.items()
    }
    return json.dumps({"instructions": INSTRUCTIONS, **plain}, indent=2, ensure_ascii=False) + "\n"


def test_what_clients_are_shown_changes_on_purpose_only() -> None:
    """Models are tuned to these words and clients to these schemas; UPDATE_GOLDEN=1 writes them anew."""
    if UPDATE in os.environ:
        GOLDEN.write_text(shown(), encoding="utf-8")
    assert shown() == GOLDEN.read_text(encoding="utf-8")


def test_every_verb_is_a_tool_or_exempt_with_a_reason() -> None:
    """A verb that is new has to be offered, or it has to be said why not."""
    offered_verbs = {verb for tool in ALL for verb in tool.verbs}
    assert offered_verbs == VERBS.keys() - MISSING["MCP"].keys()


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_a_tool_says_what_it_does_and_takes(tool: Tool) -> None:
    """Titles, hints and a word on each argument; nothing that a scope is made of."""
    row = tool.shown()
    assert row.annotations is not None
    assert row.annotations.open_world_hint is False
    assert row.annotations.read_only_hint is (tool.right is Right.READ)
    assert row.annotations.destructive_hint is (tool.name == "forget")
    properties = row.input_schema["properties"]
    assert all(field.get("description") for field in properties.values())
    assert not {"user", "tenant", "project", "agent", "scope", "user_id"} & set(properties)
    assert row.input_schema["additionalProperties"] is False
    assert row.output_schema is not None
    assert row.output_schema["type"] == "object"


def test_read_only_leaves_out_exactly_the_writers() -> None:
    """The right that a verb takes decides, not a list that is kept by hand."""
    assert set(offered(more=True, read_only=True)) == {
        tool.name for tool in ALL if all(VERBS[verb].right is Right.READ for verb in tool.verbs)
    }


@pytest.mark.parametrize("kinds", [["goal", "blocker"], '["goal", "blocker"]', ' ["goal","blocker"]'])
def test_a_list_may_come_as_json_within_a_string(kinds: Kinds) -> None:
    """Some clients write every list so."""
    assert Recall.model_validate({"query": "x", "kinds": kinds}).kinds == ["goal", "blocker"]


def test_one_word_stands_for_a_list_of_it() -> None:
    """And some models leave the brackets out."""
    assert Recall.model_validate({"query": "x", "kinds": "goal"}).kinds == ["goal"]


def test_answers_are_as_their_schemas_say(tmp_path: Path) -> None:
    """Checked by a validator of its own, besides the client's."""
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("remember", {"content": "I keep bees.", "kind": "work_pattern", "tags": ["bees"]}),
        ("recall", {"query": "bees", "kinds": ["excerpt", "fact"], "as_of": "2999-01-01T00:00:00+00:00"}),
        ("get_context", {"message": "bees?", "max_tokens": 200}),
        ("list_memories", {"kind": "episode", "limit": 5}),
        ("list_memories", {"kind": "open", "limit": 1}),
        ("search", {"query": "bees"}),
        ("forget", {"query": "bees"}),
    )
    tools = {tool.name: tool for tool in ALL}

    async def story() -> None:
        async with inside(tmp_path) as client:
            for name, arguments in calls:
                data = data_of(await client.call_tool(name, arguments))
                jsonschema.validate(data, tools[name].shown().output_schema or {})

    play(story)
