"""Write which verb of a memory stands at which door into docs/reference/doors.md.

``python tools/make_doors.py`` writes it, ``--check`` tells whether it is current, and whether any verb is missing at a
door without a reason. What a door has is asked of the door itself; why it leaves something out, and what commands are
called that do what a verb does under another name, stands here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from graphql import GraphQLObjectType

from yesteryear.api.graphql.schema import build_schema
from yesteryear.api.mcp.tools import MORE_TOOLS, TOOLS
from yesteryear.api.rest.router import OPERATIONS
from yesteryear.api.verbs import VERBS
from yesteryear.cli.app import COMMANDS
from yesteryear.memory.memory import AsyncMemory
from yesteryear.sync.memory import Memory

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "doors.md"
COMMAND_NAMES: Mapping[str, str] = {
    "nights": "consolidate --list",
    "close_episode": "observe --flush",
    "flush": "worker --once",
    "retry": "episodes --retry",
    "both_hold": "both-hold",
    "not_same": "not-same",
    "open_loops": "open-loops",
    "usage": "cost",
    "import_": "import",
}
"""What does the same as a verb on the command line, where it has another name there."""
MISSING: Mapping[str, Mapping[str, str]] = {
    "GraphQL": {
        "export": "a zip of any size is no value of JSON; REST streams it, the command line writes it to a file",
        "import_": "an upload of any size; REST takes it as it comes, and the command line reads it from a file",
    },
    "MCP": {
        "conversations": "names of conversations mean nothing to a model; recall and list_memories show what was said",
        "changes": "a model asks when it needs to know; nobody follows a memory for it",
        "conflicts": "get_context passes on the question that an open conflict raises, one at a time",
        "proposals": "get_context passes on the question; confirm, refute or a plain yes of the person answers it",
        "diff": "a history of beliefs is for people: `yesteryear diff` and the pages",
        "nights": "the worker's nights are for people: `yesteryear consolidate` and the pages",
        "stats": "numbers of rows are an operator's",
        "extract": "facts are drawn by the worker; what should be said by hand, correct says",
        "flush": "it waits for the worker, which a model need not do",
        "retry": "an operator's: `yesteryear doctor` and the pages show what failed",
        "both_hold": "a model asks the person; that both hold is settled on the pages or by the application",
        "people": "get_context and recall name who is meant; a list of everybody is for people",
        "same": "whether two people are one a person says, on the command line or in the application",
        "not_same": "whether two people are one a person says, on the command line or in the application",
        "metrics": "its tools answer in lines of memories; tables of numbers are for people and programs",
        "correlations": "a model would tell chance as a cause; people look at the numbers behind it",
        "graph": "get_context answers what blocks, helps or caused something, with the words that say so",
        "dismiss": "that one thing does not bear on another a person says, who sees the edge",
        "consolidate": "the worker does it every night",
        "undo": "what a night did is looked at and taken back by people",
        "fade": "the worker does it when it is due",
        "usage": "costs are an operator's",
        "reread": "a model must not have all of a memory read again, which may cost much",
        "configure": "a model must not change how its person's memory works",
        "export": "it writes a file, and a person takes their memory along themselves",
        "import_": "it reads a file, and nobody but the person should bring a memory along",
        "erase": "erasing a person cannot be taken back; they do it themselves",
    },
    "Command line": {
        "conversations": "`messages` and `episodes` name the conversation of each row",
        "changes": "nobody follows a memory at a prompt; `diff` tells what has changed",
        "configure": "what an operator sets stands in settings; a person's own is theirs to set, on the pages",
    },
}
"""Doors, the verbs that each leaves out, and why."""
_TITLE = """# Which verb stands at which door

What a memory can do is the same at every door. Where a door leaves a verb out, the number tells why, below.
Made by `make doors`; a test holds it.
"""


@dataclass(frozen=True, slots=True)
class Door:
    """What a door has, and what it leaves out."""

    name: str
    offers: Mapping[str, str]
    """How each verb is called there."""
    exempt: Mapping[str, str]
    """Why each of the others is not there."""

    def faults(self, verbs: Collection[str]) -> list[str]:
        """Say what is wrong: a verb that is neither there nor exempt, or both, or that does not exist."""
        known = {**self.offers, **self.exempt}
        return [
            *(f"{self.name}: {verb} is missing without a reason" for verb in verbs if verb not in known),
            *(f"{self.name}: {verb} is there, and exempt too" for verb in self.offers if verb in self.exempt),
            *(f"{self.name}: there is no verb {verb}" for verb in known if verb not in verbs),
        ]


def all_doors() -> tuple[Door, ...]:
    """Return every door, as it is."""
    there = {
        "Python": _in_python(),
        "REST": _in_rest(),
        "GraphQL": _in_graphql(),
        "MCP": _in_mcp(),
        "Command line": _in_cli(),
    }
    return tuple(Door(name, offers, MISSING.get(name, {})) for name, offers in there.items())


def render(doors: Collection[Door]) -> str:
    """Return the page."""
    reasons: dict[str, int] = {}
    lines = [
        f"| Verb | Right | {' | '.join(door.name for door in doors)} |",
        f"|---|---|{'---|' * len(doors)}",
    ]
    for verb, declared in VERBS.items():
        cells = [
            f"`{door.offers[verb]}`"
            if verb in door.offers
            else str(reasons.setdefault(f"`{verb}`, {door.name}: {door.exempt[verb]}", len(reasons) + 1))
            for door in doors
        ]
        lines.append(f"| `{verb}` | {declared.right.name.lower()} | {' | '.join(cells)} |")
    told = [f"{number}. {reason}." for reason, number in reasons.items()]
    return "\n".join((_TITLE, *lines, "", "## Why not", "", *told)) + "\n"


def _in_python() -> dict[str, str]:
    """Return the verbs that both memories have, the one that waits and the one that does not."""
    return {verb: f"{verb}()" for verb in VERBS if all(hasattr(kind, verb) for kind in (AsyncMemory, Memory))}


def _in_rest() -> dict[str, str]:
    """Return the operations by verb, the first of each."""
    operations = [operation for operations in OPERATIONS.values() for operation in operations]
    return {each.verb: f"{each.method} /v1{each.path}" for each in reversed(operations)}


def _in_graphql() -> dict[str, str]:
    """Return the fields that are called as verbs are; those with document A's names stand beside them."""
    schema = build_schema()
    fields = [
        field
        for name in ("Query", "Mutation")
        if isinstance(root := schema._schema.get_type(name), GraphQLObjectType)  # noqa: SLF001 - it has no other way
        for field in root.fields
    ]
    named = {verb: re.sub("_(.)", lambda found: found[1].upper(), verb) for verb in VERBS}
    return {verb: name for verb, name in named.items() if name in fields}


def _in_mcp() -> dict[str, str]:
    """Return the tools by verb: the one that is called as it is, else the one that is there for it above all."""
    tools = [(verb, tool) for tool in reversed((*TOOLS, *MORE_TOOLS)) for verb in tool.verbs]
    tools.sort(key=lambda pair: (pair[0] == pair[1].name, pair[0] == pair[1].verbs[0]))
    return {verb: tool.name for verb, tool in tools}


def _in_cli() -> dict[str, str]:
    """Return the commands by verb."""
    named = {verb: COMMAND_NAMES.get(verb, verb) for verb in VERBS}
    return {verb: f"yesteryear {told}" for verb, told in named.items() if told.split()[0] in COMMANDS}


def main() -> int:
    """Write or check the page; return the exit code."""
    doors = all_doors()
    faults = [fault for door in doors for fault in door.faults(VERBS)]
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    if "--check" not in sys.argv:
        TARGET.write_text(render(doors), encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != render(doors):
        print("docs/reference/doors.md is not current; run: make doors", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
