"""How a statement is told: plainly where grammar is simple and everything is named, else in the words that were said.

A quote is never false, and whoever reads it understands it; a mangled third person is worse than both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from yesteryear.core.fact import OPEN_KINDS, SOMEBODY, Form, as_quoted
from yesteryear.core.language.clauses import told_one_by_one
from yesteryear.core.language.dates import find_told
from yesteryear.core.language.discourse import says_nothing, topic_stems
from yesteryear.core.language.sentences import Span, meet, split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, bare_words, fold, stem, words
from yesteryear.core.language.told.about_oneself import Concern, says_of_oneself, tells_news_briefly
from yesteryear.core.language.told.called import NO_NAMES
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.language.told.tastes import Taste
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.reading import SpeakerStance, Whose
from yesteryear.core.time import local
from yesteryear.providers.local.facts.rewriting import rewrite
from yesteryear.providers.local.facts.said import (
    SaidStatement,
    answered,
    holder_of,
    only_one_in,
    pointed_at,
    sentence_span,
    spans_before,
    subject_of,
    whose,
)
from yesteryear.providers.local.facts.spoken_dates import needs_its_day

_EN = vocabulary("forms")
_SAYS_NOTHING = frozenset(
    map(stem, STOP_WORDS | vocabulary("lexicon").words("fillers") | vocabulary("topics").words("of_any_talk"))
)
"""Stems of every talk: of "maybe I will" and "yes, I did" all are."""
NEWS_WORTH = 0.7
"""Least worth, in [0, 1], of what is told of somebody whom nothing names, unless it bears on safety. Set by hand."""
MOST_PLAIN_WORDS = 18  # words up to which a sentence is simple enough to be turned round
MOST_SENTENCE_WORDS = 32  # words of a sentence up to which it is quoted whole
_OPENING_WORDS = 5  # words in which what points back points out of the sentence: further on it may mean one within
MOST_QUOTED_WORDS = 60  # words quoted at most, with what they hang on
MOST_QUOTED_CHARS = 800  # characters quoted at most, for who writes without spaces
_LEFT_OUT = " … "  # what stands for words that are left out
FEWEST_ALONE = 4  # words from which a statement may be understood without what came before
FEWEST_TOPICS_ALONE = 2  # words that say what a statement is about, from which its speaker needs to have said no more
FEWEST_TOPICS = 1  # words that say what a question is about, from which it is understood without what came before


@dataclass(frozen=True, slots=True)
class ClarityPolicy:
    """Which of what was said before makes a statement clear: a sum in log odds, from which the likeliest are told.

    Source: a regression on 2,043 statements of which people said what has to be known to understand them, and where
    that was said, rounded by hand. Of persons held out .70 are told with it (``bench statements``); the sentences right
    before, until one points at nothing, held it for .35.
    """

    base: float = -1.0  # of any sentence, in log odds; below 0, as few of them help
    same_message: float = 0.7  # for one of the same message; at least 0
    earlier_message: float = -0.95  # for one of a message before the speaker's last; at most 0
    outside: float = -1.85  # for one of another message, where its own says something before the statement; at most 0
    each_before: float = -0.45  # for each sentence back to it from the statement, or from its message's end; at most 0
    most_before: int = 6  # sentences of a message that are looked at, at least 1: the nearest, to bound the time
    each_topic: float = 0.25  # for each word that says what it is about; at least 0
    most_topics: int = 6  # words of which that counts; at least 1
    points_back: float = -0.7  # where it hangs on something itself; at most 0
    names: float = 0.45  # where it names somebody; at least 0
    least: float = -2.4  # least log odds of what is told: at least about one in twelve
    most: int = 3  # sentences told before a statement; at least 0


_CLARITY = ClarityPolicy()


class _Heard(NamedTuple):
    """A sentence that a speaker said before a statement, with what follows and says nothing by itself ("No.")."""

    text: str
    back: int  # in which of their messages before, 1 the last; 0 for the same
    follows: bool  # whether nothing was left out before it
    joint: str = ""  # what parts it in its sentence from what was said before it; empty where it begins one


def tell(said: SaidStatement, *, as_said: bool = False, policy: ClarityPolicy = _CLARITY) -> tuple[Form, str] | None:
    """Return a statement in its form; None where nobody could tell from it who or what is meant.

    ``as_said`` it is told in its words, whatever they point at. What hangs on something said before is told with it:
    with what its speaker said, or with what they were asked.
    """
    plain = "" if as_said or said.is_put_right else tell_plainly(said)
    if plain:
        return Form.PLAIN, plain
    sentence = _sentence_of(said)
    is_empty = _SAYS_NOTHING.issuperset(map(stem, words(fold(sentence))))
    says_something = as_said or not is_empty or says_of_oneself(sentence) is not None
    if says_something and is_alone(said):
        return Form.QUOTE, _as_quote(said, sentence)
    question, told = answered(said), _with_what_it_hangs_on(said, sentence, policy)
    asks_alone = len(topic_stems(question)) >= FEWEST_TOPICS and not _EN["points_back"].search(fold(question))
    if question and (asks_alone or (told == sentence and says_something)):
        return Form.ANSWER, f'Asked "{_quoted(question)}", {_as_quote(said, sentence)}'
    is_of_others = said.read.whose in (Whose.OTHER, Whose.THING)
    is_of_nobody = is_of_others and not whose(said) and not _EN["speaker"].search(fold(said.quote))
    is_hanging = is_of_nobody or (_points_out(said) and says_of_oneself(said.quote) is None)
    if says_something and (as_said or told != sentence or not is_hanging):
        return Form.QUOTE, _as_quote(said, told)
    folded, bearing = fold(said.quote), read_bearing(said.quote)
    is_of_somebody = _EN["third_person"].search(folded) is not None
    may_harm = bearing.is_safety and (is_of_somebody or not bearing.denies)
    is_plan = said.read.stance is SpeakerStance.PLANNED or said.read.kind in OPEN_KINDS  # on no list of the speaker's
    is_news = not is_plan and said.read.worth >= NEWS_WORTH and _EN["one_person"].search(folded) is not None
    if not (may_harm or is_news):
        return None  # nobody is meant, or too little to be known of somebody whom nothing names
    is_of_both = not may_harm and _EN["speaker"].search(folded)
    return Form.QUOTE, _as_quote(said, told, of=SOMEBODY if is_of_somebody and not (is_of_both or whose(said)) else "")


def tell_taste(said: SaidStatement, taste: Taste) -> tuple[Form, str]:
    """Return what somebody likes or dislikes, plainly where that can be told in the third person."""
    told = rewrite(taste.told, author=said.author, at=said.at, zone=said.zone, kind=said.read.kind)
    is_plain = _is_named_once(told, said.author) and len(split_sentences(told)) == 1
    return (Form.PLAIN, told) if is_plain else (Form.QUOTE, _as_quote(said, taste.told))


def _is_named_once(told: str, author: str) -> bool:
    return len(re.findall(rf"(?<!\w){re.escape(author)}(?!\w)", told)) == 1


def tell_as_answer(said: SaidStatement, begin: int) -> tuple[Form, str]:
    """Return what somebody else puts right of a statement: in its words, and in theirs, which begin at a place."""
    start, end = sentence_span(said)
    return Form.ANSWER, f'Asked "{_quoted(said.text[start:begin])}", {_as_quote(said, said.text[begin:end])}'


def is_alone(said: SaidStatement) -> bool:
    """Tell whether words are understood without what came before, and nothing points back.

    The reader says so, or they plainly tell of their speaker, or what that did ("sprained my ankle on the stairs").

    A few words without their speaker seldom are, whatever the reader says. Source: of 4,300 labelled statements .63 are
    that it calls so, .69 with this.
    """
    quote = said.spelled(said.quote)
    opening = _opening_of(quote)
    has_speaker = _EN["speaker"].search(fold(quote)) is not None
    says_enough = has_speaker or len(words(quote)) >= FEWEST_ALONE or _names_whom_it_is_of(quote)
    is_read_so = said.read.is_alone or _names_whom_it_is_of(opening)
    is_read_so |= _says_of_itself(said) and not spans_before(said)
    is_own = says_of_oneself(opening) is Concern.SELF or tells_news_briefly(opening)
    is_plain = is_own and not _EN["hangs_on"].search(fold(opening))
    return (is_read_so or is_plain) and says_enough and not _points_out(said)


def _says_of_itself(said: SaidStatement) -> bool:
    """Tell whether a sentence says who does what, and points at nothing: it hangs on no other message.

    Source: of 403 labelled statements of such sentences .78 are understood without what came before.
    """
    opening = _opening_of(said.spelled(_sentence_of(said)))
    says_enough = len(words(opening)) >= FEWEST_ALONE and len(topic_stems(opening)) >= FEWEST_TOPICS_ALONE
    return (says_enough and _EN["of_itself"].search(fold(opening)) is not None) or _names_whom_it_is_of(opening)


def _opening_of(sentence: str) -> str:
    """Return the first clause of a sentence, if that says enough: what follows takes up what that tells of."""
    joint = _EN["first_joint"].search(sentence)
    opening = sentence[: joint.start()] if joint else sentence
    return opening if len(words(opening)) >= FEWEST_ALONE else sentence


def _names_whom_it_is_of(sentence: str) -> bool:
    """Tell whether a sentence begins with a name, and says something of whoever that is: "Mia turned four"."""
    is_named = subject_of(sentence) or _EN["owns"].match(sentence)
    return bool(is_named) and not _EN["hangs_on_more"].search(fold(sentence))


def _points_out(said: SaidStatement) -> bool:
    """Tell whether a statement, or the sentence it is told in, begins with what only who heard more understands."""
    start, name = sentence_span(said)[0], whose(said)
    is_named_before = bool(name) and fold(name) in words(fold(said.spelled(said.text[start : said.read.start])))
    texts = {_sentence_of(said), said.quote} if not is_named_before else {_sentence_of(said)}
    return any(_opens_outside(said, said.spelled(text)) for text in texts)


def _opens_outside(said: SaidStatement, text: str) -> bool:
    """Tell whether a text points out of itself before it names whom it is about ("Zoe changed her mind").

    Not in a clause behind one of the speaker's own ("I've given up Italian, it's Greek now"), nor where somebody does
    something with the speaker, whoever that may be ("they let me go home").
    """
    folded = " ".join(fold(text).split())
    found = _EN["points_back"].search(folded)
    before = folded[: found.start()] if found else ""
    is_within = "," in before and _EN["speaker"].search(before)
    if found is None or is_within or len(before.split()) >= _OPENING_WORDS:
        return False
    if not _EN["personal"].fullmatch(found[0]):
        return True
    is_with = said.read.whose is Whose.SELF and found[0] == "they" and not before and _EN["speaker"].search(folded)
    mentioned = (each["tie"] or each["name"] or each["opens"] for each in _EN["mention"].finditer(text))
    names = {fold(name) for name in mentioned if name != said.author} - NO_NAMES | {fold(whose(said))}
    return not is_with and names.isdisjoint(words(before))


def tell_plainly(said: SaidStatement) -> str:
    """Return a statement in the third person; empty where the words are not simple, or name not everything."""
    quote, read = said.spelled(said.quote), said.read
    folded = fold(quote)
    is_simple = len(quote.split()) <= MOST_PLAIN_WORDS and not _EN["not_simple"].search(folded)
    is_simple &= not _EN["third_person"].search(folded) or bool(only_one_in(quote, folded))
    name = whose(said)
    is_named = read.whose is Whose.SELF or bool(name)
    if name and not pointed_at(said):
        return ""  # it tells of whom was asked after
    if not (is_alone(said) and is_simple and is_named) or _EN["unnamed"].match(folded):
        return ""
    told = rewrite(quote, author=said.author, at=said.at, zone=said.zone, kind=read.kind)
    opens_well = told.startswith(said.author) and not told.startswith((f"{said.author}:", f"{said.author},"))
    is_about_other = bool(name) and told.removeprefix(f"{said.author}'s ").lower().startswith(name.lower())
    is_whole = len(told.split()) > len(said.author.split()) + 1 and len(split_sentences(told)) == 1
    is_list = _EN["goes_on"].search(folded) is None or len(told_one_by_one(told)) > 1
    is_clear = is_whole and is_list and not needs_its_day(told, at=said.at, zone=said.zone)
    introduces = _EN["introduces"].match(quote) is not None and _names_whom_it_is_of(quote)
    is_well_told = (opens_well and _is_named_once(told, said.author)) or is_about_other or introduces
    return told if is_well_told and is_clear else ""


def _as_quote(said: SaidStatement, text: str, *, of: str = "") -> str:
    """Return words with who said them, of whom where they do not name them, and when where they speak of a day."""
    name = of or holder_of(said).removesuffix(SOMEBODY)  # whom another has is named by the words
    told_of = f" of {name}" if name and not set(words(fold(name))) <= set(bare_words(fold(text))) else ""
    on = f" on {local(said.at, said.zone).date()}" if any(find_told(text, now=said.at, zone=said.zone)) else ""
    return f'{said.author} said{told_of}{on}: "{_quoted(text)}"'


def _with_what_it_hangs_on(said: SaidStatement, sentence: str, policy: ClarityPolicy) -> str:
    """Return a sentence behind what of its speaker's words before is likeliest to make it clear, in their order."""
    heard, follows = _heard_before(said, policy.most_before)
    taken: list[int] = []
    count, length = len(sentence.split()), len(sentence)
    if (who := _who_is_taken_up(said, heard)) is not None:
        heard, follows = [heard[who]], follows and who == len(heard) - 1
    for odds, place in sorted(zip(_odds_of(heard, policy), range(len(heard)), strict=True), reverse=True):
        text = heard[place].text
        if odds < policy.least or len(taken) == policy.most:
            break
        if count + len(text.split()) <= MOST_QUOTED_WORDS and length + len(text) <= MOST_QUOTED_CHARS:
            count, length = count + len(text.split()), length + len(text)
            taken.append(place)
    told = ""
    for place in sorted(taken):
        one = heard[place]
        told = _joined(told, one.text, follows=one.follows and place - 1 in taken, joint=one.joint)
    start, before = sentence_span(said)[0], spans_before(said)
    is_part = said.read.start > start and said.quote == sentence
    joint = _joint(said.text, before[-1], start) if before else ""
    return _joined(told, sentence, follows=follows and len(heard) - 1 in taken and not is_part, joint=joint)


def _who_is_taken_up(said: SaidStatement, heard: Sequence[_Heard]) -> int | None:
    """Return which of some sentences names whom a statement takes up that opens with "he" or "she": the nearest."""
    if not _EN["takes_up"].match(fold(said.spelled(said.quote))):
        return None
    texts = [one.text for one in heard]
    named = (place for place, text in enumerate(texts) if subject_of(text) or _EN["mention"].search(text))
    return max(named, default=None)


def _joined(told: str, text: str, *, follows: bool, joint: str = "") -> str:
    if not told:
        return text
    if follows and joint:
        return f"{told}{joint}{text}"
    return f"{_EN['unended'].sub('.', told)} {text}" if follows else f"{told}{_LEFT_OUT}{text}"


def _joint(text: str, before: Span, start: int) -> str:
    """Return what parts two clauses of a sentence; empty where the later begins a sentence, or a line."""
    joint = text[before[1] : start]
    return joint if joint.strip() and "\n" not in joint and STOP_WORDS.issuperset(words(fold(joint))) else ""


def _heard_before(said: SaidStatement, most: int) -> tuple[list[_Heard], bool]:
    """Return what the speaker said before a statement, in order, and whether the statement follows the last of it.

    Of a message the ``most`` nearest sentences are read, and nothing before one that has more, nor up to what was not
    meant. Filler is left out. A denial is never parted from what it denies ("I'm pregnant. No.").
    """
    spans = spans_before(said)[-most:]
    unmeant = [number for number, span in enumerate(spans) if meet(span, said.not_meant)]
    spans = spans[unmeant[-1] + 1 if unmeant else 0 :]
    joints = ["", *(_joint(said.text, before, span[0]) for before, span in pairwise(spans))]
    line = [(said.text[start:end], 0, joint) for (start, end), joint in zip(spans, joints, strict=False)]
    is_whole = not unmeant and len(spans) < most and not _says_of_itself(said)
    for back, sentences in enumerate(said.earlier if is_whole else (), 1):
        line[:0] = [(sentence, back, "") for sentence in sentences[-most:]]
        if len(sentences) > most:
            break
    heard: list[_Heard] = []
    follows = True
    for sentence, back, joint in line:
        is_idle = says_nothing(sentence)
        if heard and not is_idle and not topic_stems(sentence):
            heard[-1] = heard[-1]._replace(text=_joined(heard[-1].text, sentence, follows=follows, joint=joint))
        elif not is_idle:
            heard.append(_Heard(sentence, back, follows, joint))
        follows = not is_idle
    return heard, follows


def _odds_of(heard: Sequence[_Heard], policy: ClarityPolicy) -> list[float]:
    """Return of each part the log odds that it makes what follows all of them clear."""
    is_within = any(one.back == 0 for one in heard)
    distances: Counter[int] = Counter()
    found: list[float] = []
    for text, back, _, _ in reversed(heard):
        distances[back] += 1
        place = policy.same_message if back == 0 else policy.outside * is_within + policy.earlier_message * (back > 1)
        found.append(
            policy.base
            + place
            + policy.each_before * distances[back]
            + policy.each_topic * min(len(topic_stems(text)), policy.most_topics)
            + policy.points_back * (_EN["points_back"].search(fold(text)) is not None)
            + policy.names * (_EN["mention"].search(text) is not None)
        )
    return found[::-1]


def _sentence_of(said: SaidStatement) -> str:
    """Return the whole sentence of a statement, for half of one is seldom understood; of a long one its part."""
    start, end = sentence_span(said)
    sentence = said.text[start:end]
    most = MOST_QUOTED_WORDS if said.is_put_right else MOST_SENTENCE_WORDS
    return sentence if len(sentence.split()) <= most else said.quote


def _quoted(text: str) -> str:
    """Return words as they stand between quotation marks, not too many of them."""
    quoted = as_quoted(text)
    some = " ".join(quoted[:MOST_QUOTED_CHARS].split(" ")[:MOST_QUOTED_WORDS])
    return quoted if some == quoted else f"{some} …"
