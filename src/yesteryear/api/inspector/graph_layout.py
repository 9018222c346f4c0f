"""Where the boxes and arrows of a graph lie. Pure: words and links in, places on a canvas out, always the same ones.

What hangs together is laid out by itself, in layers from left to right, so that arrows lead to the right but for those
that close a circle; the pieces stand beside and below each other.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

BOX_WIDTH = 180.0  # of every box, in units of the canvas
_LINE = 17.0
_LINE_CHARS = 23  # letters of a line that fit into a box; of wide ones half as many
_MOST_LINES = 3
_GAP_X = 96.0  # between layers: there is room for the name of a relation
_GAP_Y = 30.0  # between boxes, and above and below all: an arrow from a box to itself has room above it
_EDGE = 2.0  # left and right of all
_APART = 40.0  # between pieces
_SHELF = 960.0  # width up to which pieces stand side by side
_SWEEPS = 4  # how often layers are put in the order of their neighbours
_HEAD = 9.0
_BEND = 24.0  # height of the place where an arrow passes a layer, between its boxes
_Slot = str | int  # what stands in a layer: a box by its key, or a link, by its number, that passes it
_Place = tuple[float, float]


class GraphLink(NamedTuple):
    """What is drawn as an arrow between two nodes, by their keys."""

    source: str
    target: str
    is_mutual: bool = False  # whether it has no head


class Box(NamedTuple):
    """A node."""

    key: str
    x: float
    y: float
    height: float
    lines: tuple[str, ...]  # its words, as far as they have room


class Arrow(NamedTuple):
    """A link, as two SVG paths and a place for its name."""

    path: str
    head: str  # empty for none
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """A graph on its canvas."""

    boxes: tuple[Box, ...]  # in the order in which one reads: by piece, layer and height
    arrows: tuple[Arrow, ...]  # one for each link, in their order
    width: float
    height: float


def lay_out(words: Mapping[str, str], links: Sequence[GraphLink]) -> GraphLayout:
    """Return where everything lies: nodes, with their words by their keys, and the links between them, if there are."""
    lines = {key: _lines(text) for key, text in words.items()}
    tall: dict[_Slot, float] = {key: _LINE * (len(each) + 1) + _GAP_Y for key, each in lines.items()}
    tall |= dict.fromkeys(range(len(links)), _BEND)
    boxes: dict[str, Box] = {}
    bends: dict[int, list[_Place]] = {number: [] for number in range(len(links))}
    left, top, below, right = _EDGE, _GAP_Y, _GAP_Y, 0.0
    for piece in _pieces(words, links):
        layers = _layers(piece, {number: link for number, link in enumerate(links) if link.source in piece})
        width = len(layers) * (BOX_WIDTH + _GAP_X) - _GAP_X
        height = max(sum(tall[slot] for slot in layer) for layer in layers)
        if left > _EDGE and left + width > _SHELF:
            left, top = _EDGE, below
        for rank, layer in enumerate(layers):
            x, y = left + rank * (BOX_WIDTH + _GAP_X), top + (height - sum(tall[slot] for slot in layer)) / 2
            for slot in layer:
                if isinstance(slot, str):
                    boxes[slot] = Box(slot, x, y, tall[slot] - _GAP_Y, lines[slot])
                else:
                    bends[slot].append((x, y))
                y += tall[slot]
        below, right = max(below, top + height), max(right, left + width)
        left += width + _APART
    return GraphLayout(tuple(boxes.values()), tuple(_arrows(links, boxes, bends)), right + _EDGE, below)


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


def _layers(piece: Sequence[str], links: Mapping[int, GraphLink]) -> list[list[_Slot]]:
    """Return the layers of a piece from left to right, each in the order in which its neighbours stand."""
    order = {key: place for place, key in enumerate(_ordered(piece, links.values()))}
    spans = {
        number: sorted((link.source, link.target), key=order.__getitem__)
        for number, link in links.items()
        if link.source != link.target
    }
    ranks = dict.fromkeys(order, 0)
    for left, right in sorted(spans.values(), key=lambda span: order[span[0]]):
        ranks[right] = max(ranks[right], ranks[left] + 1)
    for key in order.keys() - {right for _, right in spans.values()}:
        # What nothing leads to stands right before what it leads to.
        ranks[key] = min((ranks[right] for left, right in spans.values() if left == key), default=1) - 1
    layers: list[list[_Slot]] = [
        [key for key in piece if ranks[key] == rank] for rank in range(max(ranks.values()) + 1)
    ]
    ways: list[dict[int, _Slot]] = []
    for number, (left, right) in spans.items():
        passed = range(ranks[left] + 1, ranks[right])
        for rank in passed:
            layers[rank].append(number)
        ways.append({ranks[left]: left, **dict.fromkeys(passed, number), ranks[right]: right})
    for sweep in range(_SWEEPS):
        steps = [(rank, rank + 1) for rank in range(len(layers) - 1)]
        for fixed, moved in steps if sweep % 2 == 0 else [(right, left) for left, right in reversed(steps)]:
            _follow(
                layers[fixed], layers[moved], [(way[fixed], way[moved]) for way in ways if {fixed, moved} <= way.keys()]
            )
    return layers


def _ordered(piece: Sequence[str], links: Iterable[GraphLink]) -> list[str]:
    """Return the nodes so that few links lead backwards: none that is no part of a circle."""
    into: dict[str, set[str]] = {key: {key} for key in piece}
    for link in links:
        into[link.target].add(link.source)
    made: dict[str, None] = {}
    while len(made) < len(piece):
        waiting = [key for key in piece if key not in made]
        made[next((key for key in waiting if into[key] - {key} <= made.keys()), waiting[0])] = None
    return list(made)


def _follow(fixed: Sequence[_Slot], moved: list[_Slot], pairs: Sequence[tuple[_Slot, _Slot]]) -> None:
    """Put a layer in the order of what its slots are joined to in the layer beside it."""
    places = {slot: (place + 0.5) / len(fixed) for place, slot in enumerate(fixed)}
    middles = {}
    for place, slot in enumerate(moved):
        at = [places[other] for other, one in pairs if one == slot]
        middles[slot] = sum(at) / len(at) if at else (place + 0.5) / len(moved)
    moved.sort(key=middles.__getitem__)


def _arrows(
    links: Sequence[GraphLink], boxes: Mapping[str, Box], bends: Mapping[int, Sequence[_Place]]
) -> Iterator[Arrow]:
    """Yield each link as an arrow; those at one side of a box share it."""
    ends = [(boxes[link.source], boxes[link.target]) for link in links]
    sides: dict[tuple[str, bool], list[tuple[float, int]]] = {}
    for number, (source, target) in enumerate(ends):
        for here, there in ((source, target), (target, source)):
            is_right = there.x > here.x
            y = bends[number][0 if is_right else -1][1] if bends[number] else there.y
            sides.setdefault((here.key, is_right), []).append((y, number))

    def port(number: int, here: Box, there: Box) -> _Place:
        shared = [each for _, each in sorted(sides[here.key, there.x > here.x])]
        share = (shared.index(number) + 1) / (len(shared) + 1)
        return here.x + BOX_WIDTH * (there.x > here.x), here.y + here.height * share

    for number, (source, target) in enumerate(ends):
        if source is target:
            yield _loop(source, is_mutual=links[number].is_mutual)
            continue
        forth = 1 if target.x > source.x else -1
        level = [end for x, y in bends[number][::forth] for end in ((x, y), (x + BOX_WIDTH, y))[::forth]]
        way = [port(number, source, target), *level, port(number, target, source)]
        yield _arrow(way, forth, is_mutual=links[number].is_mutual)


def _arrow(way: Sequence[_Place], forth: int, *, is_mutual: bool) -> Arrow:
    """Return an arrow through some places, level at each of them; its name lies before the first bend."""
    (x, y), (end_x, end_y) = way[0], way[-1]
    tip = end_x if is_mutual else end_x - forth * _HEAD
    path = f"M{x:.1f} {y:.1f}"
    for (x0, y0), (x1, y1) in pairwise([*way[:-1], (tip, end_y)]):
        middle = (x0 + x1) / 2
        path += f"C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    head = "" if is_mutual else f"M{end_x:.1f} {end_y:.1f}l{-forth * _HEAD} {-_HEAD / 2}v{_HEAD}z"
    return Arrow(path, head, round((x + way[1][0]) / 2, 1), round((y + way[1][1]) / 2, 1))


def _loop(box: Box, *, is_mutual: bool) -> Arrow:
    """Return an arrow from a box to itself, above its right corner."""
    x, tip, top = box.x + BOX_WIDTH - 44, box.x + BOX_WIDTH - 16, box.y - 26
    path = f"M{x:.1f} {box.y:.1f}C{x:.1f} {top:.1f} {tip:.1f} {top:.1f} {tip:.1f} {box.y - _HEAD:.1f}"
    head = "" if is_mutual else f"M{tip:.1f} {box.y:.1f}l{-_HEAD / 2} {-_HEAD}h{_HEAD}z"
    return Arrow(path, head, x - 34, box.y - 10)
