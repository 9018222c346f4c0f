"""Where the boxes and arrows of a graph lie. Pure: words and links in, places on a canvas out, always the same ones.

What hangs together is laid out by itself, in layers from left to right, so that arrows lead to the right but for those
that close a circle; the pieces stand beside and below each other.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

BOX_WIDTH = 180.0
"""Of every box, in units of the canvas."""
_LINE = 17.0
_LINE_CHARS = 25
"""Letters of a line that fit into a box; of wide ones half as many."""
_MOST_LINES = 3
_GAP_X = 96.0
"""Between layers: there is room for the name of a relation."""
_GAP_Y = 30.0
"""Between boxes, and above and below all: an arrow from a box to itself has room above it."""
_EDGE = 2.0
"""Left and right of all."""
_APART = 40.0
"""Between pieces."""
_SHELF = 960.0
"""Width up to which pieces stand side by side."""
_SWEEPS = 4
"""How often layers are put in the order of their neighbours."""
_HEAD = 9.0


class GraphLink(NamedTuple):
    """What is drawn as an arrow between two nodes, by their keys."""

    source: str
    target: str
    is_mutual: bool = False
    """Whether it has no head."""


class Box(NamedTuple):
    """A node."""

    key: str
    x: float
    y: float
    height: float
    lines: tuple[str, ...]
    """Its words, as far as they have room."""


class Arrow(NamedTuple):
    """A link, as two SVG paths and a place for its name."""

    path: str
    head: str
    """Empty for none."""
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """A graph on its canvas."""

    boxes: tuple[Box, ...]
    """In the order in which one reads: by piece, layer and height."""
    arrows: tuple[Arrow, ...]
    """One for each link, in their order."""
    width: float
    height: float


def lay_out(words: Mapping[str, str], links: Sequence[GraphLink]) -> GraphLayout:
    """Return where everything lies.

    Args:
        words: Of each node, by its key; nodes without links have their place too.
        links: Between these.
    """
    lines = {key: _lines(text) for key, text in words.items()}
    tall = {key: _LINE * (len(each) + 1) + _GAP_Y for key, each in lines.items()}
    boxes: dict[str, Box] = {}
    left, top, below, right = _EDGE, _GAP_Y, _GAP_Y, 0.0
    for piece in _pieces(words, links):
        layers = _layers(piece, [link for link in links if link.source in piece and link.source != link.target])
        width = len(layers) * (BOX_WIDTH + _GAP_X) - _GAP_X
        height = max(sum(tall[key] for key in layer) for layer in layers)
        if left > _EDGE and left + width > _SHELF:
            left, top = _EDGE, below
        for rank, layer in enumerate(layers):
            y = top + (height - sum(tall[key] for key in layer)) / 2
            for key in layer:
                boxes[key] = Box(key, left + rank * (BOX_WIDTH + _GAP_X), y, tall[key] - _GAP_Y, lines[key])
                y += tall[key]
        below, right = max(below, top + height), max(right, left + width)
        left += width + _APART
    return GraphLayout(tuple(boxes.values()), tuple(_arrows(links, boxes)), right + _EDGE, below)


def _lines(text: str) -> tuple[str, ...]:
    is_wide = any(east_asian_width(sign) in "WF" for sign in text)
    chars = _LINE_CHARS // 2 if is_wide else _LINE_CHARS
    return tuple(textwrap.wrap(text, chars, max_lines=_MOST_LINES, placeholder="…")) or ("…",)


def _pieces(keys: Mapping[str, str], links: Sequence[GraphLink]) -> list[list[str]]:
    """Return what hangs together, the largest first, each in the order of the keys."""
    piece_of = {key: [key] for key in keys}
    for link in links:
        one, other = piece_of[link.source], piece_of[link.target]
        if one is not other:
            one.extend(other)
            piece_of.update(dict.fromkeys(other, one))
    places = {key: place for place, key in enumerate(keys)}
    found = {id(piece): sorted(piece, key=places.__getitem__) for piece in piece_of.values()}
    return sorted(found.values(), key=len, reverse=True)


def _layers(piece: Sequence[str], links: Sequence[GraphLink]) -> list[list[str]]:
    """Return the layers of a piece from left to right, each in the order in which its neighbours stand."""
    order = {key: place for place, key in enumerate(_ordered(piece, links))}
    spans = sorted({tuple(sorted((order[link.source], order[link.target]))) for link in links})
    keys, ranks = list(order), [0] * len(order)
    for one, other in spans:
        ranks[other] = max(ranks[other], ranks[one] + 1)
    for place in set(range(len(keys))) - {other for _, other in spans}:
        # What nothing leads to stands right before what it leads to.
        ranks[place] = min((ranks[other] for one, other in spans if one == place), default=1) - 1
    layers = [[place for place in range(len(keys)) if ranks[place] == rank] for rank in range(max(ranks) + 1)]
    sides = list(pairwise(layers))
    for sweep in range(_SWEEPS):
        for fixed, moved in [(right, left) for left, right in reversed(sides)] if sweep % 2 else sides:
            _follow(fixed, moved, spans)
    return [[keys[place] for place in layer] for layer in layers]


def _ordered(piece: Sequence[str], links: Sequence[GraphLink]) -> list[str]:
    """Return the nodes so that few links lead backwards: none that is no part of a circle."""
    into = {key: {link.source for link in links if link.target == key} for key in piece}
    made: dict[str, None] = {}
    while len(made) < len(piece):
        waiting = [key for key in piece if key not in made]
        made[next((key for key in waiting if into[key] <= made.keys()), waiting[0])] = None
    return list(made)


def _follow(fixed: Sequence[int], moved: list[int], spans: Sequence[tuple[int, ...]]) -> None:
    """Put a layer in the order of what its nodes are linked to in the layer beside it."""
    places = {key: (place + 0.5) / len(fixed) for place, key in enumerate(fixed)}
    middles = {}
    for place, key in enumerate(moved):
        at = [places[other] for span in spans if key in span for other in span if other in places]
        middles[key] = sum(at) / len(at) if at else (place + 0.5) / len(moved)
    moved.sort(key=middles.__getitem__)


def _arrows(links: Sequence[GraphLink], boxes: Mapping[str, Box]) -> Iterator[Arrow]:
    """Yield each link as an arrow; those at one side of a box share it."""
    pairs = [(boxes[link.source], boxes[link.target]) for link in links]
    sides: dict[tuple[str, bool], list[tuple[float, int]]] = {}
    for number, (source, target) in enumerate(pairs):
        for here, there in ((source, target), (target, source)):
            sides.setdefault((here.key, there.x > here.x), []).append((there.y, number))

    def end(number: int, here: Box, there: Box) -> tuple[float, float]:
        shared = [each for _, each in sorted(sides[here.key, there.x > here.x])]
        share = (shared.index(number) + 1) / (len(shared) + 1)
        return here.x + BOX_WIDTH * (there.x > here.x), here.y + here.height * share

    for number, (source, target) in enumerate(pairs):
        if source is target:
            yield _loop(source, is_mutual=links[number].is_mutual)
        else:
            yield _arrow(end(number, source, target), end(number, target, source), is_mutual=links[number].is_mutual)


def _arrow(source: tuple[float, float], target: tuple[float, float], *, is_mutual: bool) -> Arrow:
    (x, y), (end_x, end_y) = source, target
    back = _HEAD if x > end_x else -_HEAD
    tip, middle = end_x if is_mutual else end_x + back, (x + end_x) / 2
    path = f"M{x:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {end_y:.1f} {tip:.1f} {end_y:.1f}"
    head = "" if is_mutual else f"M{end_x:.1f} {end_y:.1f}l{back} {-_HEAD / 2}v{_HEAD}z"
    return Arrow(path, head, round(middle, 1), round((y + end_y) / 2, 1))


def _loop(box: Box, *, is_mutual: bool) -> Arrow:
    """Return an arrow from a box to itself, above its right corner."""
    x, tip, top = box.x + BOX_WIDTH - 44, box.x + BOX_WIDTH - 16, box.y - 26
    path = f"M{x:.1f} {box.y:.1f}C{x:.1f} {top:.1f} {tip:.1f} {top:.1f} {tip:.1f} {box.y - _HEAD:.1f}"
    head = "" if is_mutual else f"M{tip:.1f} {box.y:.1f}l{-_HEAD / 2} {-_HEAD}h{_HEAD}z"
    return Arrow(path, head, x - 34, box.y - 10)
