"""What somebody takes back of what they just said, or never meant: a joke, a lie, others' words, a denial, irony.

"APRIL FOOL, your face", "none of that is true", "ok I'm not quitting, I was just cross", "kidding about the boat",
"that was my sister on my phone". English, by the rules of ``language/en/retractions.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice, pairwise
from typing import NamedTuple

from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.language.sentences import Span, meet, sentence_spans
from yesteryear.core.language.tokens import STOP_WORDS, fold, stem, stems
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("retractions")
_IDLE = frozenset(map(stem, STOP_WORDS | _EN.words("idle")))
_CHANGES, _OPEN, _SELF, _THEY = (_EN.words(name) for name in ("changes", "open", "self", "they"))
_ENDED, _REPORTED = _EN.words("ended"), _EN.words("reported")
_MOST_BEFORE = 3
"""Sentences of its own message, at most, from what a denial takes back to it."""
_WHO = ("i", "we", "he", "she", "they")
"""Who a denial may be about that names nothing: "no, I didn't". "It isn't" tells of anything."""
_CHARS = 400
"""Characters of the longest sentence that is looked at; a longer one tells a story."""
_TELLS = 4
"""Stems from which a message tells something, and does not only go on from the one before."""
_MOST_CHARS, _MOST_CLAIMS = 4_000, 24
"""Characters of the longest message that is looked at, and sentences before one, so that time is bounded."""
_THING = "about_5"
"""The group of ``withdraws`` that names a thing."""
_MOST_AT_ONCE = 3
"""Sentences of a message, at most, that are taken back together where nothing says which: a joke is short."""


class _Reach(Enum):
    """How much is taken back."""

    ALL = auto()
    """All of the message before, or of this one so far."""
    LAST = auto()
    """What was said last."""
    NAMED = auto()
    """The last sentences that hold certain words."""
    DENIED = auto()
    """The last sentence that says of the same people what is denied."""
    DOUBTED = auto()
    """What somebody has just asked after in disbelief."""
    BESIDE = auto()
    """What stands before it in the same sentence."""


_FORMS = {
    "all": _Reach.ALL,
    "named": _Reach.NAMED,
    "owned": _Reach.LAST,
    "wished": _Reach.LAST,
    "others": _Reach.ALL,
    "behind": _Reach.BESIDE,
}
"""How far what has a form reaches, where it names nothing; the first form counts."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of those that may be taken back."""

    text: int  # the number of its text
    span: Span
    folded: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Retraction:
    form: str
    reach: _Reach
    span: Span  # of the words that take back, within the sentence
    stems: frozenset[str] = field(default_factory=frozenset)
    who: str = ""
    is_bare: bool = False  # no more than "no, I don't"

    @property
    def is_empty(self) -> bool:
        """Whether the words that take back tell nothing else, as "I'm not quitting" does."""
        return self.reach is not _Reach.DENIED or not self.stems


def find_retractions(said: Sequence[str], then: str, *, heard: str = "") -> tuple[tuple[Span, ...], ...]:
    """Return what a message takes back: spans of each of ``said``, and last of the message itself.

    Spans of the message are what it takes back of itself, what it says in irony, and the words that take back, which
    tell nothing alone.

    Args:
        said: What its speaker said before it in the same talk, the earliest first.
        then: The message.
        heard: What somebody else said right before it: a "no, I don't" may answer that.
    """
    found: list[list[Span]] = [[] for _ in (*said, then)]
    if len(then) > _MOST_CHARS:
        return tuple(() for _ in found)
    near = [(number, text) for number, text in enumerate(said) if len(text) <= _MOST_CHARS]
    before = [each for number, text in near for each in _sentences(text, number)]
    is_first = True
    for sentence in _own_sentences(then, len(said)):
        read = _read(sentence, is_first=is_first)
        taken = _taken(read, sentence, before[-_MOST_CLAIMS:], heard) if read else []
        if read and not _is_owned_up(read, sentence):
            taken = [each for each in taken if not read_bearing(each.folded).is_guarded]
        for each in taken:
            found[each.text].append(each.span)
        if read and taken:
            found[-1] += [read.span] if read.is_empty else []
            before.append(_told(then, len(said), read.span[1], sentence.span[1]))
        else:
            before.append(sentence)
        is_first = False
    found[-1] += _ironic(then)
    for asked in find_withdrawn(then):
        found[-1].append(asked.span)
        for each in before:
            if asked.names(each.stems) and not read_bearing(each.folded).harms_at_once:
                found[each.text].append(each.span)
    return tuple(tuple(sorted(set(spans))) for spans in found)


def _ironic(text: str) -> Iterator[Span]:
    """Yield what hardly anybody means as it stands: "living the dream", "I LOVE being on hold"."""
    for said in _own_sentences(text, 0):
        start, end = said.span
        found = (*_EN["ironic"].finditer(said.folded), *_EN["loud"].finditer(text[start:end]))
        yield from ((start + read.start(), start + read.end()) for read in found)


class Withdrawn(NamedTuple):
    """What somebody asks not to be kept of what they told."""

    span: Span
    """Of the sentence that asks it."""
    named: str
    """As they name it, or the hour at which they told it."""
    is_hour: bool
    is_to_go: bool
    """Whether their words are to go, too: "delete", not "ignore"."""
    is_of_late: bool
    """Whether it is named as a thing, not as what was told: "the Lou thing", which may be a plan as well."""

    def names(self, stems: frozenset[str]) -> bool:
        """Tell whether it names what has some stems: half of its own are among them."""
        named = frozenset() if self.is_hour else stems_of(self.named)
        return 0 < len(named) <= 2 * len(named & stems)


def find_withdrawn(text: str) -> list[Withdrawn]:
    """Return what a message asks to have not kept of what was told: "take out that panic attack bit"."""
    found: list[Withdrawn] = []
    for said in _own_sentences(text, 0):
        read = _EN["withdraws"].search(said.folded)
        if read and not said.folded.endswith("?"):
            name = next(group for group, words in read.groupdict().items() if words and group != "goes")
            words = text[said.span[0] :][slice(*read.span(name))].strip()
            is_to_go = name != "when" and bool(read["goes"])
            found.append(Withdrawn(said.span, words, name == "when", is_to_go, name == _THING))
    return found


def _sentences(text: str, number: int) -> Iterator[_Said]:
    """Yield the sentences of a text that may be taken back or do so; a picture ends one, too."""
    for start, end in sentence_spans(text):
        parts = [start + part.end() for part in _EN["parts"].finditer(_folded(text[start:end]))]
        for begin, stop in pairwise([start, *parts, end]):
            if stop - begin <= _CHARS:
                yield _told(text, number, begin, stop)


def _own_sentences(text: str, number: int) -> Iterator[_Said]:
    quoted = quoted_spans(text)
    for said in _sentences(text, number):
        if not meet(said.span, quoted):
            yield said


def _told(text: str, number: int, start: int, end: int) -> _Said:
    return _Said(number, (start, end), _folded(text[start:end]), stems_of(text[start:end]))


def _folded(text: str) -> str:
    """Return a text folded character by character, so that all places stay."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded
    return "".join(each if len(small := fold(each)) != 1 else small for each in text)


def stems_of(text: str) -> frozenset[str]:
    """Return the stems by which something is known again where it is named."""
    return frozenset(stems(text)) - _IDLE


def _read(sentence: _Said, *, is_first: bool) -> _Retraction | None:
    """Return what a sentence says is not so, by its form."""
    text, start = sentence.folded, sentence.span[0]
    for form, reach in _FORMS.items():
        read = _EN[form].search(text)
        if read is None or (form == "others" and not is_first):
            continue
        span = (start + read.start(), start + read.end())
        about = stems_of(next(filter(None, read.groupdict().values()), ""))
        if form == "named" and not about:
            continue
        return _Retraction(form, _Reach.NAMED if about else reach, span, about)
    return _read_denial(sentence, is_first=is_first)


def _read_denial(sentence: _Said, *, is_first: bool) -> _Retraction | None:
    for form in ("denial", "subjectless"):
        read = _EN[form].search(sentence.folded)
        if read is None or _CHANGES.intersection(read["rest"].split()):
            continue
        who, told = (read.groupdict().get("who") or "i") if form == "denial" else "", stems_of(read["rest"])
        if told or (read["lead"] and who in _WHO):
            start = sentence.span[0]
            span = start + read.start(), start + read.end()
            return _Retraction(form, _Reach.DENIED, span, told, who, is_bare=not read["rest"].strip())
    read = _EN["refusal"].search(sentence.folded) if is_first else None
    start = sentence.span[0]
    return read and _Retraction("refusal", _Reach.DOUBTED, (start + read.start(), start + read.end()))


def _taken(read: _Retraction, sentence: _Said, before: Sequence[_Said], heard: str) -> list[_Said]:
    """Return the sentences that are taken back."""
    if read.reach is _Reach.BESIDE:
        start, (end, _) = sentence.span[0], read.span
        return [_Said(sentence.text, (start, end), sentence.folded, sentence.stems)]
    claims = [each for each in before if each.stems and not each.folded.rstrip().endswith("?")]
    if not claims or (read.form == "wished" and "?" in heard):
        return []
    last = claims[-1]
    together = [each for each in claims if each.text == last.text]
    if read.reach is _Reach.ALL:
        return together
    if read.reach is _Reach.LAST:
        taken = _last(claims, sentence)
        reported = [each for each in taken if _REPORTED.intersection(each.folded.split())]
        return reported or taken
    if read.reach is _Reach.DOUBTED:
        return _last(claims, sentence) if last.text != sentence.text and _is_doubted(claims, sentence, heard) else []
    if read.reach is _Reach.NAMED:
        return [each for each in claims if len(read.stems) <= 2 * len(read.stems & each.stems)]
    return _denied(read, sentence, claims, heard)


def _denied(read: _Retraction, sentence: _Said, claims: Sequence[_Said], heard: str) -> list[_Said]:
    """Return what a denial takes back: what says so of the same people; with nothing named what was said last."""
    last = claims[-1]
    near = [each for each in claims if each.text < sentence.text or each in claims[-_MOST_BEFORE:]]
    if read.stems:
        denied = (each for each in reversed(near) if _holds_all(each, read.stems) and _says(each, read))
        return list(islice(denied, 1))
    is_asked = read.is_bare and "?" in heard and last.text != sentence.text
    is_answer = is_asked and not _is_doubted(claims, sentence, heard)
    return [last] if _says(last, read) and not is_answer else []


def _holds_all(said: _Said, stems: frozenset[str]) -> bool:
    """Tell whether a clause of a sentence holds some stems together."""
    return stems <= said.stems and any(stems <= stems_of(clause) for clause in _EN["joins"].split(said.folded))


def _is_doubted(claims: Sequence[_Said], sentence: _Said, heard: str) -> bool:
    """Tell whether somebody asks after what was said last in disbelief, and after nothing else."""
    told = frozenset().union(*(each.stems for each in _last(claims, sentence)))
    questions, end = _EN["disbelief"].finditer(fold(heard)), fold(heard).rfind("?") + 1
    return any(asked.end() == end and stems_of(asked[0]) <= told for asked in questions)


def _last(claims: Sequence[_Said], sentence: _Said) -> list[_Said]:
    """Return what was said last before a sentence: a short message whole, and the one before where it only goes on."""
    last = claims[-1]
    if last.text == sentence.text:
        return [last]
    found: list[_Said] = []
    for number in dict.fromkeys(each.text for each in reversed(claims)):
        together = [each for each in claims if each.text == number]
        found += together if len(together) <= _MOST_AT_ONCE else [together[-1]]
        if sum(len(each.stems) for each in together) >= _TELLS:
            break
    return found


def _is_owned_up(read: _Retraction, sentence: _Said) -> bool:
    """Tell whether somebody clearly owns up to a joke or a lie: what may harm somebody is undone by no less."""
    start = sentence.span[0]
    return _EN["clear"].search(sentence.folded[read.span[0] - start : read.span[1] - start]) is not None


def _says(said: _Said, denial: _Retraction) -> bool:
    """Tell whether a sentence claims something of whom a denial is about, as far as its words tell."""
    words = said.folded.replace("'", " ").split()
    if _OPEN.intersection(words) or "n't" in said.folded:
        return False
    if denial.stems and any(word in words and stem(word) not in denial.stems for word in _ENDED):
        return False
    if denial.who in ("", "it", "that", "this", "there"):
        return True
    if denial.who in ("i", "we"):
        return bool(_SELF.intersection(words)) or bool(denial.stems & stems_of(words[0]))
    if denial.who in _THEY:
        return bool(_THEY.intersection(words)) or bool(stems_of(said.folded))
    return bool(stems_of(denial.who) & stems_of(" ".join(words[:3])))
