"""Where a message leaves the person's own words for text that it brings along, as the words around that text tell.

English. A message brings text that asks for something to be done with it ("What does this say?"), gives another's words
("Marc wrote:"), dictates or speaks of a sentence. Brought text goes on to the end of the message, for it may hold
anything; where the request comes last, all before it is brought. Each sentence is read once: time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile, islice, takewhile
from typing import NamedTuple

from yesteryear.core.language.sentences import LINE, Span, sentence_spans
from yesteryear.core.language.tokens import with_plain_apostrophes
from yesteryear.core.language.vocabulary import vocabulary

_EN, _HANDING = vocabulary("framing"), vocabulary("handing")
_ACCORDING = frozenset({"acc", "as"})
_DASHES = frozenset("-–—")
_HEAD_CHARS = 160  # longest head of a frame, in characters: who goes on longer tells something
_SENTENCE_CHARS = 1_000  # characters of a sentence in which a phrase, or another's words, are looked for
_STOPS = 3  # colons of a sentence that are looked at
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"[^\W\d_]+|\^")


def _beginnings(*parts: str, further: str) -> frozenset[str]:
    """Return the first three letters of the words of pieces of patterns, and of more words."""
    listed = [word for part in parts for word in re.findall(r"(?<!\\)\b[a-z]{3,}", _EN.text(part))]
    return frozenset(word[:3] for word in [*listed, *_EN.words(further)])


# How the words begin of which a frame needs at least one: a look at these spares most sentences the patterns.
_SAYING = _beginnings("says", further="saying") - _EN.words("saying_nothing")
_NAMING = _beginnings("text", further="naming")
_LIKENING = _EN.words("likening")
_QUOTING = _beginnings(further="quoting")
_WORKING = _beginnings("strong_verb", "weak_verb", further="working")
_PRINTING = _HANDING.words("printing")


class _Head(NamedTuple):
    """What stands before one of the first marks of a sentence."""

    text: str
    mark: str
    rest: str  # what stands behind the mark
    begin: int  # where in the message that begins

    @property
    def begins_text(self) -> int | None:
        """Where the text begins that it leads to; None where it is put right, or goes on with the person's own news."""
        is_of_later = self.mark.strip() in _DASHES and _HANDING["later"].search(self.text)
        is_news = _HANDING["news"].search(self.text.strip()) or is_of_later
        goes_on = _EN["corrects_itself"].match(self.rest) or (is_news and _WORD.search(self.rest))
        return None if goes_on else self.begin


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a message, and its place in its line."""

    start: int
    end: int
    text: str  # with plain apostrophes; as long as the original
    begins_line: bool
    ends_line: bool

    @property
    def heads(self) -> Iterator[_Head]:
        """What stands before its first marks."""
        for stop in islice(_EN["stop"].finditer(self.text), _STOPS):
            if stop.start() <= _HEAD_CHARS:
                yield _Head(self.text[: stop.start()], stop[0], self.text[stop.end() :], self.start + stop.end())

    @cached_property
    def hints(self) -> frozenset[str]:
        """How its words begin."""
        return _hints(self.text)

    @cached_property
    def asks_for_work(self) -> bool:
        """Whether it asks for work on text that is at hand."""
        return _asks_for_work(self.text, self.hints) and not _EN["no_request"].fullmatch(self.text)

    @property
    def is_courtesy(self) -> bool:
        """Whether it says no more than please or thanks."""
        return _EN["courtesy"].fullmatch(self.text.strip(" .,!?…)(:;-–—\U0001f64f")) is not None


def framed_spans(text: str) -> list[Span]:
    """Return the passages of a message that it brings along, as its frames tell; in order, they may overlap."""
    sentences = list(_sentences(text))
    found: list[Span] = []
    leading = -1
    for place, sentence in enumerate(sentences):
        begin = _begins_after(sentences, place)
        if begin is not None and _WORD.search(text, begin):
            found.append((begin, len(text)))
            leading = place
            break
        found += _within(sentence, len(text))
    found += _before_request(sentences, leading=leading)
    found += _phrases(text)
    return sorted(found)


def announces_text(text: str) -> bool:
    """Tell whether a message says no more than that text is to come, which must be the next message then."""
    sentences = [one for one in _sentences(text) if not one.is_courtesy]
    if not sentences or len(text) > 2 * _HEAD_CHARS:
        return False
    last = sentences[-1]
    head = last.text.rstrip(" :：-–—.…?!\"'")
    if last.text.rstrip().endswith((":", "：", "-", "–", "—")):
        leads = _leads(head)
    else:
        leads = last.asks_for_work or any(_EN[name].search(head) for name in ("arrived", "points_ahead"))
    return leads and not _EN["points_back"].search(last.text)


def refers_back(text: str) -> bool:
    """Tell whether a message says no more than what is to be done with the text before it."""
    sentences = [one for one in _sentences(text) if not one.is_courtesy]
    return bool(sentences) and len(text) <= _HEAD_CHARS and all(map(_is_request_behind, sentences))


def _sentences(text: str) -> Iterator[_Sentence]:
    for line in LINE.finditer(with_plain_apostrophes(text)):
        spans = list(sentence_spans(line[0]))
        for start, end in spans:
            begins, ends = (start, end) == spans[0], (start, end) == spans[-1]
            yield _Sentence(line.start() + start, line.start() + end, line[0][start:end], begins, ends)


def _hints(text: str) -> frozenset[str]:
    return frozenset(word[:3] for word in _WORDS.findall(text[:_SENTENCE_CHARS].lower()))


def _begins_after(sentences: list[_Sentence], place: int) -> int | None:
    """Return where text begins that this sentence leads to and that goes on to the end; None where it leads to none."""
    sentence = sentences[place]
    hints = sentence.hints
    if (handed := _handed(sentence)) is not None:
        return handed
    if not hints & (_NAMING | _WORKING | _SAYING | _LIKENING):
        return None
    for each in sentence.heads:
        if _leads(each.text):
            return each.begins_text
    if bare := _EN["bare_request"].search(sentence.text):  # "translate this I am …"
        return sentence.start + bare.end()
    head = sentence.text.rstrip(" .!?…)\"'")
    if len(head) > _HEAD_CHARS:
        return None
    if not sentence.ends_line:
        return _begins_in_line(sentences, place)
    is_lead = (
        sentence.asks_for_work
        or _EN["arrived"].search(head)
        or (hints & (_SAYING | _LIKENING) and _EN["says_directly"].search(head))
        or (sentence.begins_line and _EN["label"].fullmatch(head))
    )
    return sentence.end if is_lead else None


def _handed(sentence: _Sentence) -> int | None:
    """Return where text begins that a sentence hands over without calling it one."""
    for each in sentence.heads:
        is_handing = _hands_over(each.text) and not _EN["about_the_talk"].search(each.text)
        if is_handing or _HANDING["style"].fullmatch(each.text.strip()):
            return each.begins_text
    if sentence.begins_line and not sentence.ends_line and _HANDING["bare_check"].fullmatch(sentence.text.strip()):
        return sentence.end
    head = sentence.text.rstrip(" .!?…)\"':")
    is_head = sentence.ends_line and sentence.begins_line and len(head) <= _HEAD_CHARS
    is_handing = is_head and (_hands_over(head) or _asks_about_block(sentence.text))
    return sentence.end if is_handing and not _EN["about_the_talk"].search(head) else None


def _begins_in_line(sentences: list[_Sentence], place: int) -> int | None:
    """Return where text begins behind a request in the same line, past what only says more about the request."""
    sentence = sentences[place]
    if not sentence.asks_for_work or _EN["not_now"].search(sentence.text) or _EN["only_back"].search(sentence.text):
        return None
    is_strong = _EN["strong"].search(sentence.text) is not None
    for following in sentences[place + 1 :]:
        if following.begins_line:
            return following.start
        if _EN["after_a_request"].match(following.text) or following.is_courtesy:
            continue
        return None if not is_strong and _EN["first_person"].search(following.text) else following.start
    return None


def _within(sentence: _Sentence, end_of_text: int) -> Iterator[Span]:
    """Yield what a sentence brings within itself: a phrase to translate, a sentence spoken of, another's words.

    Direct speech may be of more than one sentence, so it goes on to the end of the message.
    """
    read = sentence.text[:_SENTENCE_CHARS]
    hints = sentence.hints
    forms = [_EN["sentence_of_text"]] if hints & _QUOTING else []
    forms += (_EN["dictation"], _EN["mention"], _EN["text_says"]) if hints & _SAYING else ()
    forms += (_HANDING["printed_says"],) if hints & _PRINTING else ()
    forms += (_EN["direct_speech"],) if hints & (_SAYING | _LIKENING) else ()
    indirect = _EN["mention"], _HANDING["printed_says"], _EN["sentence_of_text"]
    for found in (each for form in forms for each in form.finditer(read) if each.lastgroup):
        start, end = found.span(found.lastgroup or 0)
        is_indirect = found.re in indirect or read[:start].endswith("that ")
        if not is_indirect and end == len(read) and _EN["direct"].match(read, start):
            yield sentence.start + start, end_of_text
            return
        yield sentence.start + start, sentence.end if end == len(read) else sentence.start + end
    if hints & (_SAYING | _ACCORDING) and (source := _EN["according"].search(read)):
        words = _WORD.search(read, source.end())
        yield sentence.start, end_of_text if words and _EN["direct"].match(read, words.start()) else sentence.end


def _phrases(text: str) -> Iterator[Span]:
    """Yield what is to be put in another language, which may be more than one sentence of a line."""
    for line in LINE.finditer(text):
        for found in _EN["phrase_in_language"].finditer(with_plain_apostrophes(line[0][:_SENTENCE_CHARS])):
            if found.lastgroup:
                yield line.start() + found.start(found.lastgroup), line.start() + found.end(found.lastgroup)


def _before_request(sentences: list[_Sentence], *, leading: int) -> Iterator[Span]:
    """Yield all that stands before a request that comes last, unless its text follows: ``leading`` is such a one."""
    behind = dropwhile(lambda place: sentences[place].is_courtesy, range(len(sentences) - 1, -1, -1))
    for place in takewhile(lambda place: _is_request_behind(sentences[place]), behind):
        last = sentences[place]
        if place not in (0, leading) and (last.begins_line or _works_on_it(last.text)):
            yield sentences[0].start, last.start


def _works_on_it(sentence: str) -> bool:
    """Tell whether a request stands for itself in a line with the text before it: "… Can you translate this?"."""
    is_strong = _EN["strong"].search(sentence) and ("say" in sentence or not _EN["question_of_text"].search(sentence))
    return bool(is_strong and _EN["it"].search(sentence) and not _EN["sentence_of_text"].search(sentence))


def _is_request_behind(sentence: _Sentence) -> bool:
    text = sentence.text
    if len(text) > _HEAD_CHARS or _EN["points_ahead"].search(text):
        return False
    if _asks_about_block(text) and sentence.begins_line:
        return True
    return bool(_EN["reverse_source"].fullmatch(text)) or (sentence.asks_for_work and not _EN["not_now"].search(text))


def _leads(head: str) -> bool:
    """Tell whether what stands before a colon announces text."""
    head = head[-_HEAD_CHARS:].rstrip()
    hints = _hints(head)
    if _EN["about_the_talk"].search(head):
        return False
    labels = (head.strip(" *_#>-•"), head.rpartition(",")[2].strip())
    is_named = hints & _NAMING and (any(map(_EN["label"].fullmatch, labels)) or _EN["arrival"].search(head))
    if is_named or _EN["speak_after"].search(head):
        return True
    is_strong = hints & _WORKING and _EN["strong"].search(head) and _EN["request"].search(head)
    if is_strong or _asks_for_work(head, hints):
        return True
    says = hints & (_SAYING | _LIKENING) and any(_EN[form].search(head) for form in ("attribution", "says_directly"))
    return bool(says and not _EN["own_saying"].search(head))


def _asks_for_work(sentence: str, hints: frozenset[str]) -> bool:
    if not hints & _WORKING:
        return False
    asks = bool(_EN["question_of_text"].search(sentence)) or _asks_to_work_on_text(sentence)
    return asks and not _EN["about_the_talk"].search(sentence)


def _asks_to_work_on_text(sentence: str) -> bool:
    asked = _EN["request"].search(sentence)
    if asked is None or _EN["object"].fullmatch(sentence, asked.end()) is None:
        return False
    return asked.start() == 0 or any(_EN[sign].search(sentence, asked.end()) for sign in ("at_hand", "craft"))


def _hands_over(head: str) -> bool:
    """Tell whether what stands before a mark or the end of a line hands over the text behind it."""
    head = head.strip(" *_#>(-•")
    return bool(_HANDING["hands_over"].search(head) or _HANDING["checks"].search(head))


def _asks_about_block(line: str) -> bool:
    """Tell whether a line behind a text asks about it as its reader does."""
    is_verdict = _HANDING["verdict"].fullmatch(line) and _HANDING["verdict_of_text"].search(line)
    is_question = _HANDING["about_a_block"].fullmatch(line) or _HANDING["checks"].search(line.rstrip(" ?!.)"))
    return bool(is_verdict or is_question)
