"""What somebody plainly says they like or dislike, have gone off, or have come round to, clause by clause.

"I used to dislike Mark Hamill, but now I really like him" tells one thing of one actor: that he is liked. English, by
the rules of ``language/en/tastes.toml``; only what a speaker says of themself, and only of things that are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from yesteryear.core.language.sentences import between, sentence_spans
from yesteryear.core.language.tokens import STOP_WORDS, bare_words, stem, with_plain_apostrophes, words
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("tastes")
_LIKED = ("used_to_hate", "likes_now", "is_favourite", "is_person", "grew_on", "not_bad")
_THING_FIRST = ("is_favourite", "grew_on", "not_bad", "fronted", "not_mine", "leaves_cold")
_FORMS = (
    *("used_to_hate", "used_to_like", "gone_off", "hates_now", "finds_bad", "likes_now"),
    *("is_favourite", "is_person", "no_person", "grew_on", "not_bad", "fronted", "not_mine", "leaves_cold"),
)
"""How a taste is told, in the order in which it is looked for; the last is the likeliest to mean something else."""
_COME_ROUND = ("grew_on", "not_bad")
_BARE = {"lacks_i": "I", "lacks_am": "I'm", "lacks_have": "I've"}
_SENTENCES = 40  # sentences read of a message, from its beginning
_CHARS = 400  # characters of the longest sentence that is read
_MOST_WORDS = 9  # words of the longest thing; what takes more to say is no name of one
_REACH = 30  # characters behind "I used to like it" in which it may be said that this goes on
_FEW = 4  # words of a general thing of which one is told "especially"
_MOST_STEMS = 5  # stems of the longest name; a thing that takes more is described, not named
_SAYS_NOTHING = STOP_WORDS | _EN.words("kinds")
_ANY_KIND = _EN.words("kinds") | _EN.words("no_kinds")
_MADE_BY = re.compile(r"(?P<by>[^']+?) ?'s? (?P<made>.*)")
_DOES = re.compile(r"(?:how|the way|what) (?P<by>[^,;:.!?]{2,60}?) (?:\w+ly )?\w+s\b")
_MARKS = re.compile(r"[\"\u201c\u201d*_]")
_IN_MARKS = re.compile(r"(?<!\w)'(\w[^']{0,60}(?:'\w+[^']{0,30})?[\w.!?])'(?!\w)")
_OWNED = re.compile(r"'s?(?: .*)?$")
_NO_NAMES = STOP_WORDS | _EN.words("no_names")
_CLOSE_PEOPLE = vocabulary("lexicon")["close_people"]
_TAKES_UP_THINGS = frozenset({"it", "its", "that", "this", "them", "these", "those", "one", "ones"})
_SEVERAL = frozenset({"them", "these", "those", "ones"})


@dataclass(frozen=True, slots=True)
class Taste:
    """That somebody likes something, or does not."""

    start: int  # where the words that tell it begin, among all that were said
    end: int
    told: str  # those words with the thing named: "I really like Mark Hamill"
    thing: str  # what is liked or not, as it was named
    is_liked: bool  # whether it is so now; false for what is disliked, and for what is liked no more
    is_lasting: bool
    """Whether it is told of a thing by its name, not of "this song" or "the soup", which may be gone tomorrow."""
    favourite: str = ""  # of what kind it is the favourite, where it is: "director"

    @property
    def name(self) -> str:
        """The stems by which the thing is known, whatever else is said of it: "Gareth Edwards' work" is his name."""
        return taste_name(self.thing)


def taste_name(thing: str) -> str:
    """Return the stems that tell a thing from others of its kind, in order and with spaces between.

    Of what somebody made only who that is: "Gareth Edwards' recent films" are he.
    """
    made = _MADE_BY.match(thing)
    if made and _is_somebody(made["by"]) and _EN.words("made").intersection(words(made["made"])):
        thing = made["by"]
    told = bare_words(_EN["that_does"].sub(" ", thing.replace("' ", " ")))
    idle = STOP_WORDS if _OWNED.search(thing) else _SAYS_NOTHING  # "my dad's cooking" is another thing than he
    return " ".join(dict.fromkeys(stem(each) for each in told if each not in idle and len(each) > 1))


def _is_somebody(name: str) -> bool:
    """Tell whether words are a name as people have one: "Simone de Beauvoir", "Ólafur Arnalds"."""
    first, *rest = name.split() or [""]
    return first[:1].isupper() and all(part[:1].isupper() or part in _EN.words("within_names") for part in rest)


@lru_cache(maxsize=64)  # whoever judges a message asks, and whoever draws facts from it
def find_tastes(text: str) -> tuple[Taste, ...]:
    """Return the tastes that a text tells, in its order; of a thing that is told of twice what is so at last.

    What is asked, supposed, planned or told as somebody else's words tells none, nor does what nobody could name.
    """
    plain = with_plain_apostrophes(text)
    found: dict[str, Taste] = {}
    for start, end in islice(sentence_spans(plain), _SENTENCES):
        is_asked = plain[start:end].rstrip("\"')*_ ").endswith("?")
        if end - start <= _CHARS and not is_asked and not _EN["speaker"].match(plain, start, end):
            for taste in _in_sentence(plain, start, end, found):
                before = found.pop(taste.name, None)
                found[taste.name] = _later_of(before, taste)
    return tuple(found.values())


def _later_of(before: Taste | None, now: Taste) -> Taste:
    """Return what is told last of a thing; of two tellings that it is not liked the one that names it better."""
    if before is None or now.is_liked or before.is_liked or len(now.thing) > len(before.thing):
        return now
    return replace(before, end=now.end)


def _in_sentence(text: str, start: int, end: int, found: dict[str, Taste]) -> Iterator[Taste]:
    """Yield what the clauses of a sentence tell, each in the light of what was told before."""
    said: dict[str, Taste] = dict(found)
    taste: Taste | None = None
    for begin, stop in between((joint.span() for joint in _EN["joint"].finditer(text, start, end)), start, end):
        goes_on = begin == start or taste is not None or _EN["goes_along"].match(text, begin) is not None
        taste = _in_clause(text, (begin, stop, end), list(said.values()), may_be_bare=goes_on)
        if taste is not None:
            said[taste.name] = taste
            yield taste


def _in_clause(text: str, place: tuple[int, int, int], before: list[Taste], *, may_be_bare: bool) -> Taste | None:
    """Return what a clause tells, given by its start, its end, and that of its sentence."""
    start, end, sentence_end = place
    clause = text[start:end]
    if _EN["unmeant"].search(clause):
        return None
    lead = _EN["lead"].match(clause)
    begin = lead.end() if lead else 0
    said = _without_marks(_with_subject(clause[begin:], may_be_bare=may_be_bare)).rstrip(" .!,;:")
    told = ((form, _thing_of(found["thing"])) for form in _FORMS if (found := _EN[form].match(said)))
    form, thing = next(((form, thing) for form, thing in told if thing), ("", ""))
    named = _named(thing, text[:start], before) if thing else ""
    if not 0 < len(taste_name(named).split()) <= _MOST_STEMS:
        return None
    if form == "hates_now" and _EN["for_now"].search(clause):
        return None
    if form in _COME_ROUND and not _EN.words("ills").isdisjoint(words(thing)):
        return None
    if thing.lower() == "it" and _EN["it_when"].match(text, end):
        return None
    is_liked = form in _LIKED and _EN["ended"].search(clause) is None
    is_liked |= form == "used_to_like" and _EN["goes_on"].search(text, start, end + _REACH) is not None
    at = said.find(thing) if form in _THING_FIRST else said.rfind(thing)
    if form == "used_to_hate":  # what came of it says the rest of the sentence
        said, end = f"{said}{_without_marks(text[end:sentence_end]).rstrip(' .!')}", sentence_end
    return Taste(
        start=start + begin,
        end=end,
        told=f"{said[:at]}{named}{said[at + len(thing) :]}",
        thing=named,
        is_liked=is_liked,
        is_lasting=_EN["for_now"].search(said) is None
        and (named != thing or _tells_name(thing) or not _is_of_the_moment(thing, said)),
        favourite=_favourite_in(said),
    )


def _favourite_in(said: str) -> str:
    """Return of what kind a thing is told to be the favourite; empty where it is of none, or of things in general."""
    found = _EN["favourite"].search(said)
    which = found["which"].lower() if found else ""
    return "" if which in _EN.words("no_kinds") else which


def _is_of_the_moment(thing: str, said: str) -> bool:
    """Tell whether a thing may be gone tomorrow: "this soup", or what somebody is tired of doing."""
    is_weary = thing.endswith("ing") and _EN["weary"].match(said) is not None
    return is_weary or _EN["of_the_moment"].match(thing) is not None


def _without_marks(said: str) -> str:
    return _IN_MARKS.sub(r"\1", _MARKS.sub("", said))


def _with_subject(said: str, *, may_be_bare: bool) -> str:
    """Return a clause with the "I" that its speaker left out: "hate coffee", "gone off tea"."""
    subjects = _BARE.items() if may_be_bare else ()
    lowered = said[:1].lower() + said[1:]
    return next((f"{subject} {lowered}" for lacks, subject in subjects if _EN[lacks].match(said)), said)


def _thing_of(told: str) -> str:
    """Return the words that name a thing, of all that stand behind "I like"; empty where they name none."""
    if (does := _DOES.match(told)) and " " in does["by"] and _is_somebody(does["by"]):
        return does["by"]  # not of whom one knows by one name: "I hate how Dave chews" says nothing of Dave
    if _EN["no_thing"].match(told):
        return ""
    told = told.rpartition(", especially ")[2] if len(told.partition(", especially ")[0].split()) < _FEW else told
    head, *rest = [_EN["thing_ends"].sub("", part) for part in told.split(", ")]
    is_list = rest and all(part.strip() for part in rest) and _EN["list_ends"].match(rest[-1])
    thing = (", ".join([head, *rest]) if is_list else head).strip(" *_\"'.!,")
    return thing if 0 < len(thing.split()) <= _MOST_WORDS else ""


def _named(thing: str, before: str, tastes: list[Taste]) -> str:
    """Return a thing with what it takes up by its name: "his music" as "Bonobo's music"; empty where none is."""
    first, *rest = thing.split()
    pronoun = first.lower()
    is_kind = pronoun in _EN.words("pointing") and not _ANY_KIND.isdisjoint(rest) and len(rest) == 1
    if pronoun not in _EN.words("takes_up") or (rest and pronoun not in _EN.words("owners") and not is_kind):
        return "" if pronoun in _EN.words("pointing") else thing
    name = _antecedent(pronoun, before, tastes)
    if not name or not rest or is_kind:
        return name
    owner = _OWNED.split(name)[0].split()
    while len(owner) > 1 and owner[-1].lower() in _EN.words("made"):
        owner.pop()
    return f"{' '.join(owner)}'s {' '.join(rest)}"


def _antecedent(pronoun: str, before: str, tastes: list[Taste]) -> str:
    """Return by its name what a pronoun takes up; for "it" and "them" never somebody; empty where that is unclear."""
    *_, own = ["", *(before[start:end] for start, end in sentence_spans(before))]
    is_of_things = pronoun in _TAKES_UP_THINGS
    if is_of_things and (of_other := _others_thing(own)):
        return "" if pronoun in _SEVERAL and not _is_several(of_other) else of_other
    found = [each for each in _EN["named"].finditer(own) if _is_name(each) and not _is_addressed(own, each)]
    names = [each for each in found if not (is_of_things and _is_of_somebody(own, each))]
    if tastes and pronoun in _EN.words("of_somebody") and not (is_of_things and len(names) < len(found)):
        return tastes[-1].thing
    *_, last = ["", *(each[which] for which in (2, 1) for each in names if each[which])]  # "it" is rather between marks
    name = _OWNED.sub("", last.strip(" ,."))
    return name or (tastes[-1].thing if tastes and len(names) == len(found) else "")


def _others_thing(said: str) -> str:
    """Return what somebody else is told to like or not, of several the last; empty where none is, or it has no name.

    What is theirs is told as theirs: "Tom likes his flat" tells of Tom's flat.
    """
    for verb in reversed([*_EN["others_like"].finditer(said)]):
        subject = said[: verb.start()].rstrip()
        thing = _thing_of(said[verb.end() :])
        first, *rest = thing.split() or [""]
        if _EN["no_other"].search(subject) or (verb["several"] and not _EN["others"].search(subject)):
            continue
        if first.lower() not in _EN.words("takes_up"):
            return thing
        owner = _EN["owner"].search(subject) if rest and first.lower() in _EN.words("owners") else None
        if owner is None:
            return ""
        who = f"{owner[0][0].lower()}{owner[0][1:]}" if owner["tie"] else owner[0]
        return f"{who}'{'' if who.endswith('s') else 's'} {' '.join(rest)}"
    return ""


def _is_several(thing: str) -> bool:
    """Tell whether a thing may be taken up by "them": "horror movies", "The Killers"."""
    head = str(_EN["of_what"].split(thing)[0])
    last = head.rsplit(maxsplit=1)[-1]
    return last[:1].isupper() or (last.endswith("s") and not last.endswith("ss")) or last in _EN.words("several")


def _is_of_somebody(text: str, name: re.Match[str]) -> bool:
    """Tell whether a name is that of somebody, as far as the words around it tell: "my friend Sarah", "Tom says"."""
    if name[2] is None:
        return False
    before, behind = text[: name.start()], text[name.end() :]
    is_tied = _EN["tied"].search(before)
    return bool(
        (is_tied and _CLOSE_PEOPLE.fullmatch(is_tied["tie"].lower()))
        or _CLOSE_PEOPLE.fullmatch(name[2].lower())
        or (_OWNED.search(name[2]) and behind[:2].strip())
        or _EN["together_with"].search(before)
        or _EN["does"].match(behind)
    )


def _is_addressed(text: str, name: re.Match[str]) -> bool:
    """Tell whether a name is that of somebody who is spoken to: a single word set apart from the rest."""
    is_apart = text[name.end() :].lstrip()[:1] in {",", "!", ".", "?", ""}
    is_word = name[2] is not None and " " not in name[2]
    return is_word and is_apart and _EN["addressed"].search(text[: name.start()]) is not None


def _tells_name(thing: str) -> bool:
    return any(map(str.isdigit, thing)) or any(map(_is_name, _EN["named"].finditer(thing)))


def _is_name(found: re.Match[str]) -> bool:
    return found[1] is not None or not _NO_NAMES.issuperset(words(found[0]))
