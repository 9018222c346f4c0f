"""Where a message leaves the person's own words for text that it brings along, as the words around that text tell.

English. A message that asks for something to be done with text brings that text ("What does this say?"), and so does
one that gives another's words ("Marc wrote:"), says where they come from ("my boss sent me this"), dictates ("write a
letter that says …") or speaks of a sentence ("how do you say … in French"). Brought text goes on to the end of the
message, for it may hold anything, also what looks like its end; the person's own words behind it are lost to us, which
is the smaller harm. Where the request comes last, all before it is brought.

What frames look like is data; this module reads sentences once, so its time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from yesteryear.core.language.frames import (
    ABOUT_THE_TALK,
    ACCORDING,
    AFTER_A_REQUEST,
    ARRIVAL,
    ARRIVED,
    AT_HAND,
    ATTRIBUTION,
    BARE_REQUEST,
    CORRECTS_ITSELF,
    COURTESY,
    DICTATION,
    DIRECT_SPEECH,
    LABEL,
    LIKENING,
    MENTION,
    NAMING,
    NOT_NOW,
    OBJECT,
    OWN_SAYING,
    PHRASE_IN_LANGUAGE,
    POINTS_AHEAD,
    POINTS_BACK,
    QUESTION_OF_TEXT,
    QUOTING,
    REQUEST,
    REVERSE_SOURCE,
    SAYING,
    SAYS_DIRECTLY,
    SENTENCE_OF_TEXT,
    SPEAK_AFTER,
    STRONG,
    TEXT_SAYS,
    WORKING,
)
from yesteryear.core.language.handing import (
    CRAFT,
    LATER,
    PRINTED_SAYS,
    PRINTING,
    asks_about_block,
    asks_for_style,
    hands_over,
    is_bare_check,
    is_news,
)
from yesteryear.core.language.sentences import sentence_spans

Span = tuple[int, int]
"""Start and end of a passage."""

_ACCORDING = frozenset({"acc", "as"})
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u2032\uff07`\u00b4", "'"))
_STOP = re.compile(
    r"[:：](?=\s|[\"'“„«‘(>*_-]|$)|\s+[-–—]+\s+|[-–—]+$|[：:]$|\s*(?:\.\.\.|…)\s+|(?<=\w):(?=[A-Za-z])"
    r"|\s*(?:(?<![-–—=~])[-–—=~]{1,4}>|>>+|[→⇒➜➡»↓⬇👇|]\ufe0f?)\s*"
)
"""Where the head of a frame ends within a sentence."""
_DASHES = frozenset("-–—")
_CRAFT = re.compile(rf"\b{CRAFT}\b", re.IGNORECASE)
_HEAD_CHARS = 160
"""Longest head of a frame, in characters: who goes on longer tells something."""
_SENTENCE_CHARS = 1_000
"""Characters of a sentence in which a phrase, or another's words, are looked for."""
_STOPS = 3
"""Colons of a sentence that are looked at."""
_LINE = re.compile(r"[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_ONLY_BACK = re.compile(
    r"^(?:(?!\b(?:this|these|following|here|the)\b).)*\b(?:is|are|does|did) (?:that|it|they)\b", re.IGNORECASE
)
"""Asks about what was told before: "is that real"."""
_DIRECT = re.compile(
    r"[A-Z\"]|(?:i|i'm|i've|im|my|we|you|forget|delete|erase|remember|please|don't|do not|dear|hi|hello|hey|no|never)\b"
)
"""How another's words begin that are given as they were said."""
_WORD = re.compile(r"\w")
_IT = re.compile(r"\b(?:this|that|it|these|above)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+|\^")
_FIRST_PERSON = re.compile(r"\b(?:i|i'[a-z]+|im|ive|my|me|mine|we|our)\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a message, and its place in its line."""

    start: int
    end: int
    text: str
    """With plain apostrophes; as long as the original."""
    begins_line: bool
    ends_line: bool

    @cached_property
    def hints(self) -> frozenset[str]:
        """How its words begin."""
        return _hints(self.text)

    @cached_property
    def asks_for_work(self) -> bool:
        """Whether it asks for work on text that is at hand."""
        return _asks_for_work(self.text, self.hints)


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
    sentences = [one for one in _sentences(text) if not COURTESY.fullmatch(_bare(one.text))]
    if not sentences or len(text) > 2 * _HEAD_CHARS:
        return False
    last = sentences[-1]
    head = last.text.rstrip(" :：-–—.…?!\"'")
    is_open = last.text.rstrip().endswith((":", "：", "-", "–", "—"))
    leads = _leads(head) if is_open else last.asks_for_work or ARRIVED.search(head) or POINTS_AHEAD.search(head)
    return bool(leads) and not POINTS_BACK.search(last.text)


def refers_back(text: str) -> bool:
    """Tell whether a message says no more than what is to be done with the text before it."""
    sentences = [one for one in _sentences(text) if not COURTESY.fullmatch(_bare(one.text))]
    return bool(sentences) and len(text) <= _HEAD_CHARS and all(_is_request_behind(one) for one in sentences)


def _sentences(text: str) -> Iterator[_Sentence]:
    plain = text.translate(_APOSTROPHES)
    lines = ((line.start(), line.end()) for line in _LINE.finditer(plain))
    for begin, end in lines:
        spans = list(sentence_spans(plain[begin:end]))
        for place, (start, stop) in enumerate(spans):
            first, last = begin + start, begin + stop
            said = plain[first:last]
            yield _Sentence(first, last, said, place == 0, place == len(spans) - 1)


def _hints(text: str) -> frozenset[str]:
    return frozenset(word[:3] for word in _WORDS.findall(text[:_SENTENCE_CHARS].lower()))


def _begins_after(sentences: list[_Sentence], place: int) -> int | None:
    """Return where text begins that this sentence leads to and that goes on to the end; None where it leads to none."""
    sentence = sentences[place]
    hints = sentence.hints
    if (handed := _handed(sentence)) is not None:
        return handed
    if not hints & (NAMING | WORKING | SAYING | LIKENING):
        return None
    for number, stop in enumerate(_STOP.finditer(sentence.text)):
        if number == _STOPS or stop.start() > _HEAD_CHARS:
            break
        rest = sentence.text[stop.end() :]
        head = sentence.text[: stop.start()]
        if _leads(head):
            if CORRECTS_ITSELF.match(rest) or _goes_on(head, stop[0], rest):
                return None
            return sentence.start + stop.end()
    if (bare := _says_without_mark(sentence)) is not None:
        return bare
    head = sentence.text.rstrip(" .!?…)\"'")
    if len(head) > _HEAD_CHARS:
        return None
    if sentence.ends_line:
        is_lead = (
            sentence.asks_for_work
            or ARRIVED.search(head)
            or (hints & (SAYING | LIKENING) and SAYS_DIRECTLY.search(head))
        )
        return sentence.end if is_lead or (sentence.begins_line and LABEL.fullmatch(head)) else None
    return _begins_in_line(sentences, place)


def _handed(sentence: _Sentence) -> int | None:
    """Return where text begins that a sentence hands over without calling it one."""
    for number, stop in enumerate(_STOP.finditer(sentence.text)):
        if number == _STOPS or stop.start() > _HEAD_CHARS:
            break
        head, rest = sentence.text[: stop.start()], sentence.text[stop.end() :]
        if asks_for_style(head) or (hands_over(head) and not ABOUT_THE_TALK.search(head)):
            is_own = CORRECTS_ITSELF.match(rest) or _goes_on(head, stop[0], rest)
            return None if is_own else sentence.start + stop.end()
    if sentence.begins_line and not sentence.ends_line and is_bare_check(sentence.text):
        return sentence.end
    head = sentence.text.rstrip(" .!?…)\"':")
    is_head = sentence.ends_line and sentence.begins_line and len(head) <= _HEAD_CHARS
    is_handing = is_head and (hands_over(head) or asks_about_block(sentence.text))
    return sentence.end if is_handing and not ABOUT_THE_TALK.search(head) else None


def _goes_on(head: str, mark: str, rest: str) -> bool:
    """Tell whether what stands behind a mark in the same line goes on with the person's own news."""
    is_inline = _WORD.search(rest) is not None
    return is_inline and (is_news(head) or (mark.strip() in _DASHES and LATER.search(head) is not None))


def _begins_in_line(sentences: list[_Sentence], place: int) -> int | None:
    """Return where text begins behind a request in the same line, past what only says more about the request."""
    sentence = sentences[place]
    if not sentence.asks_for_work or NOT_NOW.search(sentence.text) or _ONLY_BACK.search(sentence.text):
        return None
    is_strong = STRONG.search(sentence.text) is not None
    for following in sentences[place + 1 :]:
        if following.begins_line:
            return following.start
        if AFTER_A_REQUEST.match(following.text) or COURTESY.fullmatch(_bare(following.text)):
            continue
        return None if not is_strong and _FIRST_PERSON.search(following.text) else following.start
    return None


def _says_without_mark(sentence: _Sentence) -> int | None:
    """Return where text begins that follows its request without a mark between: "translate this I am …"."""
    found = BARE_REQUEST.search(sentence.text)
    return sentence.start + found.end() if found else None


def _within(sentence: _Sentence, end_of_text: int) -> Iterator[Span]:
    """Yield what a sentence brings within itself: a phrase to translate, a sentence spoken of, another's words.

    Direct speech may be of more than one sentence, so it goes on to the end of the message.
    """
    read = sentence.text[:_SENTENCE_CHARS]
    hints = sentence.hints
    forms = [SENTENCE_OF_TEXT] if hints & QUOTING else []
    forms += (DICTATION, MENTION, TEXT_SAYS) if hints & SAYING else ()
    forms += (PRINTED_SAYS,) if hints & PRINTING else ()
    forms += (DIRECT_SPEECH,) if hints & (SAYING | LIKENING) else ()
    for form in forms:
        for found in form.finditer(read):
            if found.lastgroup:
                start, end = found.span(found.lastgroup)
                is_indirect = (
                    form in (MENTION, PRINTED_SAYS) or form is SENTENCE_OF_TEXT or read[:start].endswith("that ")
                )
                if not is_indirect and end == len(read) and _DIRECT.match(read, start):
                    yield sentence.start + start, end_of_text
                    return
                yield sentence.start + start, sentence.end if end == len(read) else sentence.start + end
    if hints & (SAYING | _ACCORDING) and (source := ACCORDING.search(read)):
        words = _WORD.search(read, source.end())
        yield sentence.start, end_of_text if words and _DIRECT.match(read, words.start()) else sentence.end


def _phrases(text: str) -> Iterator[Span]:
    """Yield what is to be put in another language, which may be more than one sentence of a line."""
    for line in _LINE.finditer(text):
        for found in PHRASE_IN_LANGUAGE.finditer(line[0][:_SENTENCE_CHARS].translate(_APOSTROPHES)):
            if found.lastgroup:
                yield line.start() + found.start(found.lastgroup), line.start() + found.end(found.lastgroup)


def _before_request(sentences: list[_Sentence], *, leading: int) -> Iterator[Span]:
    """Yield all that stands before a request that comes last, unless its text follows: ``leading`` is such a one."""
    place = len(sentences)
    while place and COURTESY.fullmatch(_bare(sentences[place - 1].text)):
        place -= 1
    while place and _is_request_behind(sentences[place - 1]):
        place -= 1
        last = sentences[place]
        is_apart = last.begins_line or _works_on_it(last.text)
        if place and place != leading and is_apart:
            yield sentences[0].start, last.start


def _works_on_it(sentence: str) -> bool:
    """Tell whether a request stands for itself in a line with the text before it: "… Can you translate this?"."""
    is_strong = STRONG.search(sentence) and (QUESTION_OF_TEXT.search(sentence) is None or "say" in sentence)
    return bool(is_strong and _IT.search(sentence) and not SENTENCE_OF_TEXT.search(sentence))


def _is_request_behind(sentence: _Sentence) -> bool:
    text = sentence.text
    if len(text) > _HEAD_CHARS or POINTS_AHEAD.search(text):
        return False
    if asks_about_block(text) and sentence.begins_line:
        return True
    return bool(REVERSE_SOURCE.fullmatch(text)) or (sentence.asks_for_work and not NOT_NOW.search(text))


def _leads(head: str) -> bool:
    """Tell whether what stands before a colon announces text."""
    head = head[-_HEAD_CHARS:].rstrip()
    hints = _hints(head)
    if ABOUT_THE_TALK.search(head):
        return False
    if hints & NAMING and (
        LABEL.fullmatch(head.strip(" *_#>-•")) or LABEL.fullmatch(_after_comma(head)) or ARRIVAL.search(head)
    ):
        return True
    if SPEAK_AFTER.search(head):
        return True
    if hints & WORKING and (_asks_for_work(head, hints) or (STRONG.search(head) and REQUEST.search(head))):
        return True
    is_quoting = hints & (SAYING | LIKENING) and (ATTRIBUTION.search(head) or SAYS_DIRECTLY.search(head))
    return bool(is_quoting and not OWN_SAYING.search(head))


def _asks_for_work(sentence: str, hints: frozenset[str]) -> bool:
    if not hints & WORKING:
        return False
    asks = bool(QUESTION_OF_TEXT.search(sentence)) or _asks_to_work_on_text(sentence)
    return asks and not ABOUT_THE_TALK.search(sentence)


def _asks_to_work_on_text(sentence: str) -> bool:
    asked = REQUEST.search(sentence)
    if asked is None or OBJECT.fullmatch(sentence, asked.end()) is None:
        return False
    return asked.start() == 0 or bool(AT_HAND.search(sentence, asked.end()) or _CRAFT.search(sentence, asked.end()))


def _after_comma(head: str) -> str:
    """Return what stands behind the last comma; nothing where there is none."""
    return head.rpartition(",")[2].strip() if "," in head else ""


def _bare(sentence: str) -> str:
    return sentence.strip(" .,!?…)(:;-–—\U0001f64f")
