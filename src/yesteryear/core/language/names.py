"""The names of those who take part in a talk: taken out of text, and found in questions.

Names are matched as whole words in any script; in scripts that leave no space between words, wherever they stand. The
rules about words that are also names (Will, Rose, May) are English. In doubt a word is no name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import NamedTuple

from yesteryear.core.language.datewords import BEFORE_ONLY_TIMES, MONTHS, SEASONS, WEEKDAYS
from yesteryear.core.language.sentences import Span
from yesteryear.core.language.tokens import STOP_WORDS
from yesteryear.core.language.vocabulary import vocabulary

_EN = vocabulary("names")

_ROLES = _EN.words("roles")
_TITLES = _EN.words("titles")
_ALSO_WORDS = STOP_WORDS | MONTHS.keys() | SEASONS.keys() | WEEKDAYS.keys() | _EN.words("also_words")
"""Names, and beginnings of names, that are words too: these count only where they read as names."""
_BEFORE_A_VERB = _EN.words("before_a_verb")
_GREETINGS = _EN.words("greetings")

_SHORT_LETTERS = 3  # fewest letters of a short form
_MISSPELT_LETTERS = 5  # fewest letters of a name that is found with one mistake in it

_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u200c\u200d"
_PIECE = re.compile(rf"(?:[^\W_]|[{_MARKS}])+")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+"
)
"""Scripts that leave no space between words, or join endings to them."""
_JOINT = re.compile(r"[ \t\-'\u2019._@]{1,3}")
_POSSESSIVE = re.compile(r"['\u2018\u2019\u02bc`\u00b4][sS](?!\w)")
_BARE_POSSESSIVE = re.compile(r"(?<=[sS])['\u2019](?!\w)")
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SENTENCE_END = ".!?…:\n。！？"
_QUOTES = " \t\"'“”‘’(*_"


class _Name(NamedTuple):
    pieces: tuple[str, ...]
    authors: frozenset[str]


class _Mention(NamedTuple):
    start: int
    end: int
    authors: frozenset[str]


@dataclass(frozen=True, slots=True)
class NameBook:
    """The names of a talk's authors; built once by ``of``, then asked for every message and question."""

    _names: Mapping[str, tuple[_Name, ...]]  # names by their first piece, longer ones first
    _short_forms: Mapping[str, frozenset[str]]
    _unspaced: Mapping[str, frozenset[str]]
    _unspaced_pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, authors: Iterable[str]) -> NameBook:
        """Build the book of ``authors``; role words ("user", "Speaker 2") and authors without a letter have no name."""
        owners: dict[tuple[str, ...], set[str]] = defaultdict(set)
        given: dict[str, set[str]] = defaultdict(set)
        for author in authors:
            for place, pieces in enumerate(_names_of(author)):
                owners[pieces].add(author)
                if place == 0 and len(pieces) == 1 and pieces[0].isalpha():
                    given[pieces[0]].add(author)
        unspaced = {"".join(pieces): frozenset(who) for pieces, who in owners.items() if _is_unspaced(pieces)}
        names: dict[str, list[_Name]] = defaultdict(list)
        for pieces, who in sorted(owners.items(), key=lambda item: (-len(item[0]), item[0])):
            if not _is_unspaced(pieces):
                names[pieces[0]].append(_Name(pieces, frozenset(who)))
        longest_first = sorted(unspaced, key=lambda name: (-len(name), name))
        return cls(
            {first: tuple(listed) for first, listed in names.items()},
            {short: who for short, who in _short_forms(given).items() if short not in names},
            unspaced,
            re.compile("|".join(map(re.escape, longest_first))) if unspaced else None,
        )

    @property
    def folded(self) -> frozenset[str]:
        """The names of one word, folded, as ``find_periods`` takes them."""
        return frozenset(name.pieces[0] for name in self._of_one_word)

    @property
    def _of_one_word(self) -> Iterator[_Name]:
        return (name for listed in self._names.values() for name in listed if len(name.pieces) == 1)

    def strip(self, text: str) -> str:
        """Return ``text`` without the names, their possessive endings and the signs they leave behind.

        Stripping twice changes nothing more. A text that would be left empty is returned as it is.
        """
        while True:
            spans = sorted((mention.start, mention.end) for mention in self._mentions(_Text(text)))
            left = _without(text, spans) if spans else text
            if left == text or not left:
                return text
            text = left

    def mentioned(self, text: str) -> frozenset[str]:
        """Return the authors whom ``text`` names.

        By full name, first name, surname, a clear short form (three letters and more with which only one first name
        begins), or with one letter wrong in five and more. Who share a name are all returned, unless the full name
        is said.
        """
        read = _Text(text)
        found = list(self._mentions(read))
        taken = {place for mention in found for place in range(mention.start, mention.end)}
        authors = [mention.authors for mention in found]
        for at, piece in enumerate(read.pieces):
            if read.starts[at] not in taken and len(piece) >= _MISSPELT_LETTERS - 1 and read.may_be_misspelt(at):
                authors += (name.authors for name in self._of_one_word if _is_misspelt(piece, name.pieces[0]))
        return frozenset().union(*authors)

    def _mentions(self, text: _Text) -> Iterator[_Mention]:
        done = 0
        for at, piece in enumerate(text.pieces):
            if at < done or (piece not in self._names and piece not in self._short_forms):
                continue
            is_doubtful = piece in _ALSO_WORDS or (len(piece) < _SHORT_LETTERS and piece.isascii())
            for name in self._names.get(piece, ()):
                count = len(name.pieces)
                if text.says(at, name.pieces) and (count > 1 or not is_doubtful or text.reads_as_name(at)):
                    yield text.mention(at, count, name.authors)
                    done = at + count
                    break
            else:
                if piece in self._short_forms and text.reads_as_name(at):
                    yield text.mention(at, 1, self._short_forms[piece])
        if self._unspaced_pattern:
            for match in self._unspaced_pattern.finditer(text.text):
                yield _Mention(match.start(), match.end(), self._unspaced[match[0]])


class _Text:
    """A text and its words, folded, with where they begin and end."""

    def __init__(self, text: str) -> None:
        found = list(_PIECE.finditer(text))
        self.text = text
        self.pieces = [_fold(match[0]) for match in found]
        self.starts, self.ends = [match.start() for match in found], [match.end() for match in found]

    def word(self, at: int) -> str:
        """Return the word at a place, and nothing before the first and after the last."""
        return self.pieces[at] if 0 <= at < len(self.pieces) else ""

    def says(self, at: int, pieces: tuple[str, ...]) -> bool:
        """Tell whether these pieces stand at a place, joined as a name is."""
        joints = pairwise(range(at, at + len(pieces)))
        return tuple(self.pieces[at : at + len(pieces)]) == pieces and all(
            _JOINT.fullmatch(self.text, self.ends[one], self.starts[other]) for one, other in joints
        )

    def mention(self, at: int, count: int, authors: frozenset[str]) -> _Mention:
        """Return a mention with its possessive ending and the @ of a handle."""
        start, end = self.starts[at], self.ends[at + count - 1]
        owned = self.possessive(at + count - 1) or _BARE_POSSESSIVE.match(self.text, end)
        return _Mention(start - (self.text[max(0, start - 1) : start] == "@"), owned.end() if owned else end, authors)

    def possessive(self, at: int) -> re.Match[str] | None:
        """Return the "'s" that follows a word."""
        return _POSSESSIVE.match(self.text, self.ends[at])

    def sign_behind(self, at: int) -> str:
        """Return the character that follows a word."""
        return self.text[self.ends[at] : self.ends[at] + 1]

    def reads_as_name(self, at: int) -> bool:
        """Tell whether a word that may be something else is written where a name is."""
        start, before, after = self.starts[at], self.word(at - 1), self.word(at + 1)
        is_date_word = any(self.pieces[at] in listed for listed in (MONTHS, SEASONS, WEEKDAYS))
        is_time = is_date_word and (before in BEFORE_ONLY_TIMES or before[:1].isdecimal() or after[:1].isdecimal())
        if is_time or not self.text[start].isupper():
            return False
        in_front = self.text[max(0, start - 4) : start].rstrip(_QUOTES)
        begins_sentence = not in_front or in_front[-1] in _SENTENCE_END
        opens_like_a_name = self.sign_behind(at) in (",", ":") or after in _BEFORE_A_VERB
        return not begins_sentence or opens_like_a_name or self.possessive(at) is not None

    def may_be_misspelt(self, at: int) -> bool:
        """Tell whether a word that is no name stands where a name would."""
        if self.pieces[at] in STOP_WORDS or not self.pieces[at].isalpha():
            return False
        is_called = self.word(at - 1) in _GREETINGS and self.sign_behind(at) in (",", "!", ".", "?")
        return is_called or self.possessive(at) is not None or self.reads_as_name(at)


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    if _UNSPACED.search(word):
        return word.casefold()
    return "".join(sign for sign in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(sign))


def _names_of(author: str) -> list[tuple[str, ...]]:
    """Return the first name, the surname and the full name of an author, as far as they can stand alone."""
    words = _ASIDE.sub(" ", author).split()
    listed = [(word, tuple(filter(None, map(_fold, _PIECE.findall(word))))) for word in words]
    parts = [(part, pieces) for part, pieces in listed if pieces and not _TITLES.issuperset(pieces)]
    full = tuple(piece for _, pieces in parts for piece in pieces)
    if all(piece in _ROLES or piece.isdecimal() for piece in full):
        return []
    alone = [parts[0][1]]
    if len(parts) > 1 and not parts[-1][0].lstrip("@_-'\"").islower():
        # a word in small letters is no surname: "sam at work"
        alone.append(parts[-1][1])
    names = [pieces for pieces in alone if _can_stand_alone(pieces)]
    return [*names, full] if len(parts) > 1 else names


def _can_stand_alone(pieces: tuple[str, ...]) -> bool:
    joined = "".join(pieces)
    return len(joined) > 1 and any(map(str.isalpha, joined)) and not _ROLES.issuperset(pieces)


def _is_unspaced(pieces: tuple[str, ...]) -> bool:
    return all(map(_UNSPACED.fullmatch, pieces))


def _short_forms(given: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    """Return the beginnings of first names with which no other first name begins, and their authors."""
    short = [(name[:letters], name) for name in given for letters in range(_SHORT_LETTERS, len(name))]
    counts = Counter(beginning for beginning, _ in short)
    return {each: frozenset(given[name]) for each, name in short if counts[each] == 1 and each not in _ALSO_WORDS}


def _is_misspelt(word: str, name: str) -> bool:
    """Tell whether ``word`` is ``name`` with one letter left out, put in, changed, or swapped with the next."""
    if len(name) < _MISSPELT_LETTERS or word == name:
        return False
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(word, name, strict=False))
    start = sum(1 for _ in alike)
    one, other = word[start:], name[start:]
    is_swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return is_swapped or one[1:] == other[1:] or one[1:] == other or one == other[1:]


def _without(text: str, spans: list[Span]) -> str:
    left, done = text[: spans[0][0]], spans[0][1]
    for start, end in spans[1:]:
        if start >= done:
            left = _closed(left, text[done:start])
        done = max(done, end)
    return _closed(left, text[done:]).strip()


def _closed(left: str, right: str) -> str:
    left, right = left.rstrip(" \t"), right.lstrip(" \t")
    if left.endswith("(") and right.startswith(")"):
        return _closed(left[:-1], right[1:])
    if not left or left[-1] in ".!?…\n":
        right = right.lstrip(" \t,;:!.?–—-")
    elif not right or right[0] in ",.;:!?…\n":
        return left.rstrip(" \t,;:") + right
    is_joined = not left or not right or left[-1] in "(\n" or right[0] == ")"
    return left + right if is_joined else f"{left} {right}"
