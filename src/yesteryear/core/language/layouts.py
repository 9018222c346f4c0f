"""Passages of a message that look like text brought along, whatever the words around them say.

Mail and chat headers, transcripts, rows of data, logs, code, captions of pictures, pages with their trimmings and legal
prose give themselves away by their form. Where such a form has no end (a mail, a transcript, a page), it goes on to the
end of the message; rows, logs and code end with their last line. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from yesteryear.core.language.tokens import word_set

Span = tuple[int, int]

_LINE = re.compile(r"[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_LINE_CHARS = 400
"""Characters of a line that are looked at: forms show at its beginning."""
_ROWS = 2
"""Fewest lines of one form, one below the other, that are rows of data."""
_PAIRS = 3
"""Fewest where the form is two cells with a comma between, which also comes from typing in haste."""

_TIME = r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )?(?:at )?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[ap]\.?m\.?)?"
_NAME = r"(?:\+?[^\W\d_][\w'’.&@-]*(?: [^\W\d_(][\w'’.&@-]*| \d{1,3}| \([^()\n]{1,30}\)){0,3}|\+\d[\d ()-]{6,20})"
_MARKED = re.compile(
    rf"^\W{{0,4}}(?:-{{2,}} ?(?:original message|forwarded (?:message|by)|begin|weitergeleitete)"
    rf"|begin forwarded message|<[\w|`^-]{{2,20}}> \S"
    rf"|(?:fwd?|fw|aw|tr|wg)\s?:|forwarded (?:from|message)\b|on .{{4,80}} wrote:\s*$|le .{{4,80}} a écrit"
    rf"|(?:from|von|de) ?: .*(?:@|<)|(?:subject|betreff|objet|asunto) ?: \S"
    rf"|\[{_TIME}[^\]\n]{{0,20}}\] ?{_NAME} ?(?::|$)|{_TIME} ?[-–—|] ?{_NAME} ?:"
    rf"|{_NAME} ?[\[(]{_TIME}[\])] ?(?::|$)|{_NAME} ?[,·•] ?(?:today|yesterday)?(?: at)? ?{_TIME}\s*:?$"
    rf"|(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:today |yesterday )?(?:at )?{_TIME}\s*:?$"
    rf"|(?:speaker|spk|person|caller|agent|participant|voice|interviewer|interviewee) ?[\dA-F]{{1,2}} ?(?:\[.*?\]"
    rf"|\(.*?\))? ?(?::|$)"
    rf"|messages? (?:and calls )?(?:are|to this) .{{0,20}}end-to-end encrypted"
    rf"|\W?(?:image|photo|picture|screenshot|scan|video|audio|voice (?:message|note|memo)|attachment|ocr|caption|alt"
    rf"|transcript(?:ion)?|subtitles?|document|page|sticker|gif|file)(?: ?\d+)?[\]>)]"
    rf"|\[(?:image|photo|picture|screenshot|scan|video|audio|voice|attachment|ocr|caption|transcript|document|page"
    rf"|file)\b"
    rf"|(?:the |this |a |my )?(?:image|photo|picture|screenshot|scan|pic) (?:\w+ )?(?:shows?|reads|says|depicts"
    rf"|contains|text)\b"
    rf"|\[(?:verse|chorus|bridge|intro|outro|hook|refrain)\b|(?:verse|chorus|bridge|refrain)(?: \d+)?:?$"
    rf"|\(?(?:chorus|refrain)\)$|#{{1,6}} \S|(?:wikipedia|from wikipedia|jump to (?:content|navigation)"
    rf"|skip to (?:main )?content)"
    rf"|#!|\$ \w|>>> \S|traceback \(most recent|<\?(?:php|xml)|<!doctype"
    rf"|(?:chapter|scene|act) (?:\d+|[ivx]+|one|two|three)\b.{{0,40}}$|(?:int|ext)\. .{{1,60}}$"
    rf"|dear (?:sir|madam|customer|valued|patient|resident|tenant|client|member|colleague|colleagues|all|team|hiring"
    rf"|parents?|guests?|neighbou?rs?|mr|mrs|ms|dr|prof)\b|to whom it may concern[,:]?$"
    rf"|(?:question|exercise|problem|task|q) ?\d{{0,3}} ?[:.)] |true or false\b|(?:multiple choice|fill in the blank)"
    rf"|(?:terms (?:and|&) conditions|terms of (?:use|service)|privacy policy|non-disclosure agreement|this agreement\b"
    rf"|(?:tenancy|lease|employment|rental) (?:agreement|contract))\b.{{0,60}}$)",
    re.IGNORECASE,
)
"""The first line of something that goes on to the end."""
_HEADER = re.compile(
    r"^\W{0,2}(?:from|to|cc|bcc|sent|date|subject|reply-to|re|received|importance)\s?: ?\S", re.IGNORECASE
)
_SPEAKS = re.compile(rf"^\W{{0,3}}(?P<label>{_NAME}) ?[:：](?=\s)[ \t]*(?P<said>.*)$")
_SPEAKS_WITHIN = re.compile(
    r"(?:^|[^\w\s,]\s+|\s[-–—|/]+\s*)(?P<label>[^\W\d_][\w.'’-]{1,20}(?: [A-Z][\w.'’-]{0,20})?) ?:(?=\s+\S)"
)
"""Somebody who speaks within a line, behind the end of what another said."""
_ROLES = word_set("""
    host guest cohost interviewer interviewee journalist reporter moderator presenter anchor panelist audience caller
    operator agent customer rep nurse doctor patient therapist client clerk chair chairman chairwoman mayor minister
    candidate applicant recruiter teacher pupil student examiner judge witness lawyer counsel prosecutor defendant
    officer narrator speaker user assistant system bot
""")
"""What people are called who speak in an interview, a call, minutes or a hearing."""
_ADDRESSES = re.compile(r"\?|\b(?:you|u|your)\b", re.IGNORECASE)
_NOT_SPEAKERS = word_set("""
    name age job work home city town country address phone email diet allergy allergies likes dislikes hobby hobbies
    birthday born pets pet kids children partner wife husband height weight goal goals plan plans note notes nb ps
    p.s edit
    update question answer pro pros con cons todo to-do tldr tl;dr re btw fyi today tomorrow yesterday tonight morning
    afternoon evening night monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun week
    month
    year step first second third then next finally also reminder warning tip info important result results problem issue
    context background summary topic fact facts news example budget price cost date time place where when who what
    why how
    breakfast lunch dinner snack food drinks music movies books sports languages language skills education school degree
    experience status health medication medications meds symptoms conditions blood gender pronouns nickname favourite
    favorite favourites favorites zodiac religion family siblings brother sister mother father mum mom dad friends
    things list about me myself remember forget decision decided reason reasons current currently past future dream
    dreams
    option options choice strengths weaknesses strength weakness habit habits routine situation instructions rule rules
    spoiler confession honestly basically anyway good bad best worst january february march april may june july august
    september october november december http https ingredients directions method title author url link
""")
"""Labels of lists that people make about themselves and their days; whoever else stands before a colon speaks."""
_UTTERS = re.compile(
    r"\b(?:i|i'm|im|i've|you|we|u|me|my|your|he|she|they|hey|hi|hello|yes|yeah|no|ok|lol|thanks)\b|[?!]", re.IGNORECASE
)
_ORDERS = re.compile(r"\s*(?:please |and |just )*(?:forget|delete|erase|remember|wipe|remove)\b", re.IGNORECASE)
_ALWAYS_SPEAK = word_set(
    "me you him her user assistant human ai bot patient doctor boss caller host guest narrator them system"
)
_LOG = re.compile(
    r"^\W?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|\w{3} \d{1,2} \d\d:\d\d:\d\d|\[?(?:INFO|WARN(?:ING)?|ERROR"
    r"|DEBUG|TRACE"
    r"|FATAL|NOTICE)\]?\b|\d{1,3}(?:\.\d{1,3}){3} |at [\w$.]+\(|\s*File \"|\w+(?:Error|Exception)\b:)"
)
_CODE = re.compile(
    r"^\s*(?:import \w|from \w[\w.]* import |def \w+\(|class \w+[(:{]|return\b.*[;)\w]$|(?:const|let|var|val) \w+ ?[=:]"
    r"|(?:public|private|protected|static) \w|function\b.*\(|if ?\(.*\) ?\{|for ?\(|while ?\(|#include|select .+ from "
    r"|insert into"
    r"|update \w+ set|create table|print(?:f|ln)?\(|console\.|//|/\*|--\s|# |\w[\w.]* ?[+-]?= ?[\w\"'\[({]"
    r"|[})\]]+[;,]?$|@\w+"
    r"|</?\w+|\w[\w.]*\(.*\);?$|[\w-]+: .*;$|try ?[:{]|except|catch|else ?[:{])|[;{]\s*$",
    re.IGNORECASE,
)
_IS_CODE = re.compile(r"[={}();\[\]]|\b(?:import|def|select|return)\b", re.IGNORECASE)
_CHROME = re.compile(
    r"^\W*(?:accept (?:all )?cookies|cookie (?:policy|settings|notice)|we use cookies|sign (?:in|up)|log ?in"
    r"|subscribe(?: now)?"
    r"|skip to (?:main )?content|read more|share (?:this|on)|(?:©|copyright|all rights reserved)|advertisement"
    r"|sponsored"
    r"|related (?:articles|posts)|back to top|menu|home(?: [|>»/·] .*)+|posted (?:on|by) .*|\d+ min(?:ute)?s? read"
    r"|leave a comment"
    r"|\d+ (?:comments|likes|shares|upvotes|points)|contact us|privacy policy|follow us|published .*\d{4}"
    r"|last updated .*)\b",
    re.IGNORECASE,
)
_LEGAL = re.compile(
    r"\b(?:hereby|herein(?:after)?|hereunder|thereof|whereas|the undersigned|aforementioned|pursuant to"
    r"|shall not be liable"
    r"|indemnif\w+|notwithstanding|in witness whereof|the (?:tenant|landlord|licensee|licensor|lessee|lessor"
    r"|policyholder"
    r"|employee|employer|contractor|seller|buyer|parties|insured)\b(?= shall| must| agrees| may| is obliged))",
    re.IGNORECASE,
)
_LEGAL_MARKS = 2
"""Turns of legal prose from which a message holds some."""
_CHOICE = re.compile(r"^\s*\(?[a-eA-E][).] \S")


class _Line(NamedTuple):
    start: int
    end: int
    text: str
    """At most _LINE_CHARS of it."""


def laid_out_spans(text: str) -> list[Span]:
    """Return the passages that give themselves away by their form, in order; they may overlap."""
    lines = [
        _Line(found.start(), found.end(), found[0][:_LINE_CHARS]) for found in _LINE.finditer(text) if found[0].strip()
    ]
    begins = [*_marked(lines), *_spoken(lines), *_spoken_within(lines), *_pages(lines), *_legal(lines)]
    found = [(min(begins), len(text))] if begins else []
    return sorted([*found, *_rows(lines)])


def _marked(lines: list[_Line]) -> Iterator[int]:
    """Yield where the first header stands."""
    for place, line in enumerate(lines):
        both = _HEADER.match(line.text) and place + 1 < len(lines) and _HEADER.match(lines[place + 1].text)
        if both or _MARKED.match(line.text):
            yield line.start
            return


def _spoken(lines: list[_Line]) -> Iterator[int]:
    """Yield where the first line of a transcript stands: several who speak, or one who plainly does."""
    speaking: list[tuple[int, str, str]] = []
    for line in lines:
        found = _SPEAKS.match(line.text)
        if found and _may_speak(found["label"]):
            speaking.append((line.start, found["label"].casefold(), found["said"]))
    labels = {label for _, label, _ in speaking}
    is_named = any(label in _ALWAYS_SPEAK for label in labels)
    uttering = sum(bool(_UTTERS.search(said) or _ORDERS.match(said)) for _, _, said in speaking)
    is_talk = len(speaking) >= _ROWS and (len(speaking) > len(labels) or uttering >= 1)
    if is_talk or (is_named and uttering) or (len(speaking) == 1 and _is_said_alone(speaking[0])):
        yield speaking[0][0]


def _spoken_within(lines: list[_Line]) -> Iterator[int]:
    """Yield where a talk begins that is given within one line: "HOST: where …? GUEST: I …"."""
    for line in lines:
        found = list(_SPEAKS_WITHIN.finditer(line.text))
        labels = [one["label"] for one in found]
        ends = [*(one.start() for one in found[1:]), len(line.text)]
        said = [line.text[one.end() : end] for one, end in zip(found, ends, strict=False)]
        is_cast = len(set(labels)) < len(labels) or any(
            label.casefold() in _ROLES or (label.isupper() and label.isalpha()) for label in labels
        )
        uttering = sum(bool(_UTTERS.search(words)) for words in said)
        is_addressed = any(_ADDRESSES.search(words) for words in said)
        is_form = len(set(labels)) == len(labels) and not all(map(_may_speak, labels))
        if (
            not is_form
            and len(set(labels)) >= _ROWS
            and ((is_cast and uttering) or (uttering >= _ROWS and is_addressed))
        ):
            yield line.start + found[0].start("label")
            return


def _may_speak(label: str) -> bool:
    first, *further = label.split()
    is_short = len(further) <= 1 or all(word[:1].isupper() or word[:1] in "(0123456789" for word in further)
    words = (word.strip("().").casefold() for word in label.split())
    return is_short and not any(word in _NOT_SPEAKERS for word in words) and len(first) > 1


def _is_said_alone(spoken: tuple[int, str, str]) -> bool:
    """Tell whether one line with a name before it is somebody's: a full name, or an order behind it."""
    _, label, said = spoken
    return (label.istitle() and " " in label) or _ORDERS.match(said) is not None


def _pages(lines: list[_Line]) -> Iterator[int]:
    trimmings = [line.start for line in lines if _CHROME.match(line.text)]
    if len(trimmings) >= _ROWS:
        yield trimmings[0] if trimmings[0] == lines[0].start else lines[0].start


def _legal(lines: list[_Line]) -> Iterator[int]:
    marks = [(line.start, len(_LEGAL.findall(line.text))) for line in lines]
    marked = [start for start, count in marks if count]
    if sum(count for _, count in marks) >= _LEGAL_MARKS:
        yield marked[0]


def _rows(lines: list[_Line]) -> Iterator[Span]:
    """Yield runs of lines of one form: data, logs, code, choices of a quiz."""
    for shape, run in groupby(lines, key=_shape):
        rows = list(run)
        if (
            shape
            and len(rows) >= (_PAIRS if shape == "cells 1" else _ROWS)
            and (shape != "code" or any(_IS_CODE.search(row.text) for row in rows))
        ):
            yield rows[0].start, rows[-1].end
        elif shape == "log":
            yield rows[0].start, rows[0].end


def _shape(line: _Line) -> str:
    """Return what a line is a row of; empty for prose."""
    text = line.text
    if text.lstrip().startswith("|") or text.count("|") > 1:
        return "table"
    if "\t" in text.strip():
        return f"tabs {text.strip().count(chr(9))}"
    if _LOG.match(text):
        return "log"
    tight = len(re.findall(r"[^\s,;],(?=[^\s,])|[^\s;];(?=[^\s;])", text))
    if tight:
        return f"cells {tight}"
    loose = re.split(r"[,;] ", text)
    if len(loose) > _ROWS and all(len(cell.split()) <= _ROWS for cell in loose):
        return f"cells {len(loose)}"
    if _CODE.search(text):
        return "code"
    return "choice" if _CHOICE.match(text) else ""
