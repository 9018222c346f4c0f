"""How memories look in a context: as text in document A's frame, as XML-like tags, or as JSON.

A layout turns each part into whole lines, so that what a context costs is the sum of what its lines cost. Recalled text
is data: it stands on one line and cannot end our frame, open a heading or a tag, or speak in another's name.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from xml.sax.saxutils import escape, quoteattr

from yesteryear.core.language.invisible_text import seen, skeleton
from yesteryear.core.rows.queries import IndexedMessage
from yesteryear.recall.budget import Candidate, Choice, Rendering, Wrap, shown_line

HEAD = "=== MEMORY CONTEXT ==="
FOOT = "=== END MEMORY CONTEXT ==="
LANES: Mapping[str, str] = {
    "safety": "Always Mind:",
    "profile": "Profile:",
    "soon": "Due Soon:",
    "news": "New or Changed:",
    "preferences": "Known Preferences:",
    "strengths": "Known Strengths/Success Patterns:",
    "tactical": "",
    "history": "Recent Conversation History:",
    "facts": "Known Facts:",
    "numbers": "Numbers Told:",
    "graph": "What Bears On It:",
    "agenda": "Open Tasks and Dates:",
    "relevant": "Relevant Excerpts:",
    "questions": "You may ask:",
}
"""All lanes in the order in which they are shown, what changes least first, with their headings in the text layout.

They are document A's where it has one. A lane whose groups have headings of their own has none.
"""
BLOCKERS, PLANS = "Known Challenges/Blockers:", "Open Goals and Decisions:"  # headings of groups of the tactical lane
NUMBER = "1. "  # stands for the number of an entry, which costs the same whatever it is (up to 999)

_RULE = re.compile("[=\uff1d\ufe66\ua78a\u2550]{3,}")  # rules as our frame has them, and what looks the same
_FENCE = re.compile(r"([`~])\1{2,}")  # fences, which would open or end a block around us
_FRAME = re.compile(r"(?:end (?:of )?)?memory ?context", re.IGNORECASE)  # our frame's words, in letters like Latin ones
_RULED_BEFORE, _RULED_AFTER = re.compile(r"(?:[^\w\s“”] ?|_ ?){2,8}\Z"), re.compile(r"(?: ?[^\w\s“”]| ?_){2,8}")
"""What makes a frame of them: signs in a row before or behind."""
_RULE_CHARS = 16  # characters in which such a row is looked for
_QUOTATION = re.compile('["“”„]')
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]+")
"""Space and what would act as more than text: controls, and what no XML may hold."""
_COLON = re.compile("[:：﹕︓\ufe30꞉∶ː\u02f8\u05c3\u0589\u0703\u0704]")
_LOOKS_SPOKEN = re.compile(f".{{0,80}}{_COLON.pattern}")
_LAST_COMMA = re.compile(r",\n(?=[\]}]|\Z)")
_FACT_LINE = re.compile(r'^(?:- .*|<fact[ >].*|\{"fact": .* \})', re.MULTILINE)
"""A fact in any layout, without the comma that JSON has behind all but the last."""


class Layout(StrEnum):
    """How a context is written."""

    TEXT = "text"
    XML = "xml"
    JSON = "json"


@dataclass(slots=True)
class ShownLately:
    """What contexts have written of an owner's memories, so that it is not made again."""

    units: dict[tuple[str | int, ...], tuple[Candidate, float]] = field(default_factory=dict)
    """Excerpts and episodes as they are whatever is asked, each with the natural logarithm of its length in tokens, at
    least 0; by the layout and all that makes them look otherwise."""
    facts: dict[tuple[str | None, ...], tuple[Rendering, ...]] = field(default_factory=dict)  # facts, likewise
    costs: dict[str, int] = field(default_factory=dict)  # tokens of lines

    def __len__(self) -> int:
        return len(self.units) + len(self.facts)

    def clear(self) -> None:
        """Forget all, for a text has gone."""
        for kept in (self.units, self.facts, self.costs):
            kept.clear()


class Writer:
    """Writes the parts of a context as whole lines: plain text in document A's frame."""

    frame: Wrap = (f"{HEAD}\n", f"\n{FOOT}\n")  # what stands before and after everything

    def heading(self, lane: str) -> Wrap:
        """Return what stands before and after a lane."""
        return self.group(LANES[lane])

    def header(self, day: str) -> Wrap:
        """Return what stands before and after what was said on one day."""
        return f"{day}:\n", ""

    def excerpt(self, author: str, text: str, *notes: str) -> Rendering:
        """Return a line that somebody said, or that they brought along and nobody says, with what is to be known of it.

        Below another line of theirs the text stands alone, unless it looks like a speaker's.
        """
        note, text = "".join(f" ({note})" for note in notes), f'"{text}"' if BROUGHT in notes else text
        may_stand_bare = not note and not _LOOKS_SPOKEN.match(text)
        return Rendering(f"{_name(author)}{note}: {text}\n", f"  {text}\n" if may_stand_bare else "")

    def episode(self, day: str, topic: str, summary: str, *, is_numbered: bool) -> Rendering:
        """Return what an episode was about, without a summary where it is empty; its place gives it its number."""
        title = f"{day}: {topic}" if topic else day
        told = f"   {summary}\n" if summary else ""
        return Rendering(f"{NUMBER if is_numbered else ''}{title}\n{told}")

    def group(self, heading: str) -> Wrap:
        """Return what stands around facts of one sort in a lane that has several; nothing without a heading."""
        return f"\n{heading}\n" if heading else "", ""

    def fact(self, statement: str, note: str, *, is_former: bool) -> Rendering:
        """Return what is believed, and what there is to note about it."""
        return Rendering(f"- {'previously: ' if is_former else ''}{statement}{f' ({note})' if note else ''}\n")

    def question(self, text: str) -> Rendering:
        """Return a question that may be asked."""
        return Rendering(f"- {text}\n")

    def finish(self, lines: str) -> str:
        """Return lines as they are shown, now that the last is known; never more tokens."""
        return lines

    def joined(self, prefix: str, tail: str) -> str:
        """Return the two parts of a context as one; never more tokens than both."""
        return "\n".join(filter(None, (prefix, tail)))


class _XmlWriter(Writer):
    """Tags, for models that were taught to read them."""

    frame = ("<memory_context>\n", "</memory_context>\n")

    def heading(self, lane: str) -> Wrap:
        return f"<{_tag(lane)}>\n", f"</{_tag(lane)}>\n"

    def header(self, day: str) -> Wrap:
        return f"<sitting date={quoteattr(day)}>\n", "</sitting>\n"

    def excerpt(self, author: str, text: str, *notes: str) -> Rendering:
        note = f" status={quoteattr('; '.join(notes))}" if notes else ""
        return Rendering(f"<said by={quoteattr(author)}{note}>{escape(text)}</said>\n")

    def episode(self, day: str, topic: str, summary: str, *, is_numbered: bool) -> Rendering:  # noqa: ARG002
        told = f"\n<summary>{escape(summary)}</summary>\n" if summary else ""
        return Rendering(f"<episode date={quoteattr(day)}>{escape(topic)}{told}</episode>\n")

    def group(self, heading: str) -> Wrap:  # noqa: ARG002
        return "", ""

    def fact(self, statement: str, note: str, *, is_former: bool) -> Rendering:
        status = ' status="no longer"' if is_former else ""
        noted = f" note={quoteattr(note)}" if note else ""
        return Rendering(f"<fact{status}{noted}>{escape(statement)}</fact>\n")

    def question(self, text: str) -> Rendering:
        return Rendering(f"<question>{escape(text)}</question>\n")

    def joined(self, prefix: str, tail: str) -> str:
        if not prefix or not tail:
            return prefix or tail
        opening, closing = self.frame
        return prefix.removesuffix(closing.strip()) + tail.removeprefix(opening)


class _JsonWriter(Writer):
    """One JSON object, a line for each part.

    The space before a brace keeps the comma, which the last of a list loses, from joining tokens with the text.
    """

    frame = ('{"memory_context": {\n', "}}\n")

    def heading(self, lane: str) -> Wrap:
        return f'"{_tag(lane)}": [\n', "],\n"

    def header(self, day: str) -> Wrap:
        return f'{{"date": {_json(day)}, "said": [\n', "]},\n"

    def excerpt(self, author: str, text: str, *notes: str) -> Rendering:
        return _object(by=author, text=text, status="; ".join(notes) or None)

    def episode(self, day: str, topic: str, summary: str, *, is_numbered: bool) -> Rendering:  # noqa: ARG002
        return _object(date=day, topic=topic, summary=summary or None)

    def group(self, heading: str) -> Wrap:  # noqa: ARG002
        return "", ""

    def fact(self, statement: str, note: str, *, is_former: bool) -> Rendering:
        return _object(fact=statement, status="no longer" if is_former else None, note=note or None)

    def question(self, text: str) -> Rendering:
        return _object(question=text)

    def finish(self, lines: str) -> str:
        return _LAST_COMMA.sub("\n", lines)

    def joined(self, prefix: str, tail: str) -> str:
        if not prefix or not tail:
            return prefix or tail
        opening, closing = (around.strip("\n") for around in self.frame)
        return f"{prefix.removesuffix(closing).rstrip()},\n{tail.removeprefix(opening).lstrip()}"


BROUGHT, EARLIER, PARTLY_EARLIER = "brought", "no longer holds", "partly no longer holds"
DOUBTED = "may no longer hold"
"""What is to be known of a line that somebody said."""
WRITERS: Mapping[Layout, Writer] = {Layout.TEXT: Writer(), Layout.XML: _XmlWriter(), Layout.JSON: _JsonWriter()}


def _tag(lane: str) -> str:
    return "excerpts" if lane == "relevant" else lane


def defuse(text: str) -> str:
    """Return recalled text on one line, unable to end our frame or to start a heading of it.

    Recalled text is data: line breaks and control characters become spaces, what cannot be seen is taken out, runs of
    ``=`` and fences are shortened, and the words of our frame between rules stand in quotation marks.
    """
    line = _FENCE.sub(r"\1\1", _RULE.sub("==", _SPACE.sub(" ", seen(text))))
    return _without_frames(line).strip()


def _without_frames(line: str) -> str:
    """Return a line in which words of our frame stand in quotation marks, in place of the signs around them."""
    parts, done = [], 0
    for found in _FRAME.finditer(skeleton(line)):
        start, end = found.span()
        before = _RULED_BEFORE.search(line[max(done, start - _RULE_CHARS) : start])
        after = _RULED_AFTER.match(line[end : end + _RULE_CHARS])
        if before or after:
            left, right = len(before[0]) if before else 0, len(after[0]) if after else 0
            parts += [line[done : start - left], f"“{line[start:end]}”"]
            done = end + right
    return "".join([*parts, line[done:]])


def quoted(text: str) -> str:
    """Return a line that reads like orders as the words that somebody said: in quotation marks, which it cannot end."""
    return "“" + _QUOTATION.sub("'", text) + "”"


def render(choices: Sequence[Choice], layout: Layout) -> tuple[str, list[str]]:
    """Return the whole context, and for each choice its lines as shown; empty when there is nothing to say.

    Lanes stand in their order, groups by what stands first in them, lines by their place.
    """
    if not choices:
        return "", []
    writer = WRITERS[layout]
    shown: dict[int, str] = {}
    inside = ""
    for lane in LANES:
        blocks = ""
        groups = _grouped([choice for choice in choices if choice.candidate.lane == lane])
        for number, group in enumerate(groups, start=1):
            lines = _lines(group, number)
            shown |= {id(choice): line for choice, line in zip(group, lines, strict=True)}
            blocks += wrapped(group[0].candidate.header, "".join(lines))
        inside += wrapped(writer.heading(lane), blocks) if groups else ""
    text = writer.finish(wrapped(writer.frame, inside))
    return text.rstrip("\n"), [writer.finish(shown[id(choice)]).rstrip("\n") for choice in choices]


def wrapped(around: Wrap, inside: str) -> str:
    """Return a text between what stands before and after it."""
    return around[0] + inside + around[1]


def _grouped(choices: Sequence[Choice]) -> list[list[Choice]]:
    groups: dict[object, list[Choice]] = defaultdict(list)
    for choice in sorted(choices, key=lambda choice: choice.candidate.place):
        groups[choice.candidate.group].append(choice)
    return list(groups.values())


def _lines(group: Sequence[Choice], number: int) -> list[str]:
    lines, above = [], None
    for choice in group:
        line = shown_line(choice.rendering, choice.candidate.speaker, above)
        is_numbered = choice.candidate.lane == "history" and line.startswith(NUMBER)
        lines.append(f"{number}. {line[len(NUMBER) :]}" if is_numbered else line)
        above = choice.candidate.speaker
    return lines


def _name(author: str) -> str:
    """Return a name that ends where the colon after it stands."""
    return _COLON.sub(" ", author).strip()


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _object(**fields: str | None) -> Rendering:
    """Return a JSON object of those fields that there are."""
    inside = ", ".join(f"{_json(name)}: {_json(text)}" for name, text in fields.items() if text is not None)
    return Rendering(f"{{{inside} }},\n")


def fact_lines(prefix: str) -> list[str]:
    """Return the facts of a prefix in any layout, a line each as shown: neither its frame nor its headings."""
    return _FACT_LINE.findall(prefix)


def recent_line(message: IndexedMessage) -> str:
    """Return one of the session's last messages, on one line."""
    return f"{_name(defuse(message.author))}: {defuse(message.content)}"
