"""What bears on what in somebody's life: asked, listed, written for other programs, and the person's no to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated
from xml.etree import ElementTree as ET

from typer import Option

import yesteryear
from yesteryear.cli.invocation import Invocation
from yesteryear.cli.output import Output, as_csv, one_line, shorten
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.core.relation import IN_WORDS
from yesteryear.errors import InputError
from yesteryear.results import EdgeView, GraphAnswer, GraphView

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What may not stand in XML, however it is written."""
_CHARS = 60  # longest words of an end that are shown whole
_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_OF_FACTS = ("statement", "kind", "subject", "holder", "loop")
_OF_NODES = ("words", "fact", *_OF_FACTS)
_OF_EDGES = ("relation", "source_words", "target_words", "basis", "confidence", "quote", "why", "message")
_COLUMNS = ("id", "source", "target", *_OF_EDGES)


@command_of(yesteryear.Memory.graph)
def graph(
    call: Invocation,
    verb: AskedVerb[GraphView],
    *,
    is_graphml: Annotated[bool, Option("--graphml", help="Write nodes and edges as GraphML.")] = False,
    is_csv: Annotated[bool, Option("--csv", help="Write the edges as CSV.")] = False,
) -> None:
    """Show what bears on what: what blocks a goal, what helps it, what conflicts, and why.

    Without a question all edges. Each answer stands with the words that prove it; what nobody said, and only fits, is
    marked as inferred. The id of an edge is for `yesteryear dismiss`.

    Example:
      yesteryear graph blocking --user ana --of "the marathon"
      yesteryear graph --user ana --graphml > ana.graphml
    """
    if is_graphml + is_csv + call.output.is_json > 1:
        raise InputError("--graphml, --csv and --json are three forms of the same; choose one")
    found = verb()
    output = call.output
    if output.is_json:
        output.document(found)
    elif is_graphml:
        output.say(_as_graphml(found))
    elif is_csv:
        rows = ((edge.id, edge.source.fact, edge.target.fact, *_told_of_edge(edge).values()) for edge in found.edges)
        output.say(as_csv(_COLUMNS, rows))
    elif verb.given["question"] == "all":
        output.each(found.edges, partial(_tell_edge, output), none="nothing is known to bear on anything else")
    else:
        by_id = {edge.id: edge for edge in found.edges}
        output.each(found.answers, partial(_answer, output, by_id), none="nothing is known that answers it")
    for note in found.notes:
        output.note(note)


@command_of(yesteryear.Memory.dismiss)
def dismiss(call: Invocation, verb: AskedVerb[EdgeView]) -> None:
    """Note that one thing does not bear on another, for good.

    Nothing brings it back but --restored.

    Example:
      yesteryear dismiss --user ana blocks:0192...:0193...
    """
    edge = verb()
    became = "counts again" if verb.given["restored"] else "dismissed"
    call.output.document(edge, f"{became}: {_said(edge)}")


def _said(edge: EdgeView) -> str:
    ends = (shorten(one_line(end.words), chars=_CHARS) for end in (edge.source, edge.target))
    return f" {IN_WORDS[edge.relation]} ".join(ends)


def _tell_edge(output: Output, edge: EdgeView) -> None:
    output.say(_said(edge))
    told = f'"{one_line(edge.quote)}"' if edge.quote else f"inferred: {one_line(edge.why)}"
    output.say(f"  {shorten(told, chars=2 * _CHARS)}")
    output.say(f"  {edge.id}")


def _answer(output: Output, by_id: Mapping[str, EdgeView], answer: GraphAnswer) -> None:
    output.heading(shorten(one_line(answer.what.words), chars=_CHARS))
    for edge_id in answer.proof:
        _tell_edge(output, by_id[edge_id])


def _told_of_edge(edge: EdgeView) -> dict[str, str]:
    """Return what there is to tell of an edge, in the order of ``_OF_EDGES``."""
    return {
        "relation": edge.relation.value,
        "source_words": one_line(edge.source.words),
        "target_words": one_line(edge.target.words),
        "basis": edge.basis.value,
        "confidence": f"{edge.confidence:g}",
        "quote": one_line(edge.quote),
        "why": one_line(edge.why),
        "message": edge.message or "",
    }


def _as_graphml(found: GraphView) -> str:
    """Return a graph in the form that yEd, Gephi and NetworkX read; its nodes are the ends, each once."""
    root = ET.Element("graphml", xmlns=_GRAPHML)
    for kind, names in (("node", _OF_NODES), ("edge", _OF_EDGES)):
        for name in names:
            typed = "double" if name == "confidence" else "string"
            ET.SubElement(root, "key", {"id": f"{kind}-{name}", "for": kind, "attr.name": name, "attr.type": typed})
    body = ET.SubElement(root, "graph", edgedefault="directed")
    facts = {node.id: node for node in found.nodes}
    ends = list(dict.fromkeys(end for edge in found.edges for end in (edge.source, edge.target)))
    ids = {end: f"n{number}" for number, end in enumerate(ends)}
    for end in ends:
        made = ET.SubElement(body, "node", id=ids[end])
        told_of = {name: one_line(str(getattr(facts[end.fact], name) or "")) for name in _OF_FACTS}
        _tell(made, "node", {"words": one_line(end.words), "fact": end.fact} | told_of)
    for edge in found.edges:
        made = ET.SubElement(body, "edge", id=edge.id, source=ids[edge.source], target=ids[edge.target])
        _tell(made, "edge", _told_of_edge(edge))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _tell(made: ET.Element, kind: str, told: dict[str, str]) -> None:
    for name, text in told.items():
        if text:
            ET.SubElement(made, "data", key=f"{kind}-{name}").text = _NO_XML.sub("", text)
