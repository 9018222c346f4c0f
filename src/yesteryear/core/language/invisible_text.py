"""Text that cannot be seen, and names that look like other names.

What nobody can see but a model reads is taken out; what makes writing look as it does stays: joiners within an emoji
and between letters of scripts that join, flags of regions, one selector behind a character that has variants. Linear.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
_NEVER = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
)
_TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
_SELECTORS, _IDEOGRAPHIC, _JOINERS = "\ufe00-\ufe0f", "\U000e0100-\U000e01ef", "\u200c\u200d"
_PICTURE = "[#*0-9©®\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
"""Characters that emoji are made of."""
_JOINING = "[\u0600-\u109f\u1780-\u180a\u1810-\u18af\u1900-\u1aaf\ua800-\uaaff\ufb50-\ufdff\ufe70-\ufefc]"
"""Letters of scripts in which joiners tell how a word is written: Arabic, Syriac, those of India, Khmer, Mongolian."""
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_REGIONS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls"))
"""The tags behind a black flag that make a flag of a region which is drawn."""

_CONTROL = re.compile(f"[{_CONTROLS}]")
_INVISIBLE = re.compile(f"[{_NEVER}]+")
_HIDDEN = re.compile(f"[{_CONTROLS}{_NEVER}{_TAGS}{_SELECTORS}{_IDEOGRAPHIC}{_JOINERS}]")
_SHAPING = re.compile(
    f"(?=[\U0001f3f4{_TAGS}{_SELECTORS}{_IDEOGRAPHIC}{_JOINERS}])(?:(\U0001f3f4(?:{_REGIONS})\U000e007f"
    f"|(?<={_PICTURE})[{_SELECTORS}]?\u200d(?={_PICTURE})"
    f"|(?<={_PICTURE})[{_SELECTORS}]"
    f"|(?<={_IDEOGRAPH})[{_SELECTORS}{_IDEOGRAPHIC}]"
    f"|(?<={_JOINING})[{_JOINERS}](?![{_TAGS}{_SELECTORS}{_IDEOGRAPHIC}{_JOINERS}]))"
    f"|[{_TAGS}]+|[{_SELECTORS}{_IDEOGRAPHIC}{_JOINERS}]+)"
)
"""What makes writing look as it does, as the group; else what only passes for it."""
_REPLACED = "\N{REPLACEMENT CHARACTER}"


def seen(text: str) -> str:
    """Return text as a person sees it: without characters that cannot be seen; of controls a space is left.

    Tabs and line breaks stay. Applied twice it changes nothing more.
    """
    if not _HIDDEN.search(text):
        return text
    return _SHAPING.sub(r"\1", _INVISIBLE.sub("", _CONTROL.sub(" ", text)))


def marked(text: str) -> str:
    """Return text in which each character that ``seen`` would take out is shown as U+FFFD, so that a person sees it."""
    if not _HIDDEN.search(text):
        return text
    shown = _INVISIBLE.sub(lambda found: _REPLACED * len(found[0]), _CONTROL.sub(_REPLACED, text))
    return _SHAPING.sub(lambda found: found[1] or _REPLACED * len(found[0]), shown)


def escaped(text: str) -> str:
    """Return JSON in which what cannot be seen, or acts on a terminal, is written as an escape."""
    return _HIDDEN.sub(lambda found: re.sub("....", r"\\u\g<0>", found[0].encode("utf-16-be").hex()), text)


@lru_cache(maxsize=20_000)
def plain_name(name: str) -> str:
    """Return a name as it is seen: compatibility forms made one, nothing invisible in it, white space single."""
    return " ".join(seen(unicodedata.normalize("NFKC", seen(name))).split())


def is_same_name(one: str, other: str) -> bool:
    """Tell whether two names are the same but for case and for what cannot be seen."""
    return plain_name(one).casefold() == plain_name(other).casefold()


_LOOKS = str.maketrans(
    "аеорсухіјѕһԁԛԝүАВЕКМНОРСТУХІЈЅҺԌԚԜҮӀ" + "αορυνικχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ" + "ւոսօԱՏՕ" + "ıɑɡℓ",
    "aeopcyxijshdqwyABEKMHOPCTYXIJShGQWYl" + "aopuvikxyABEZHIKMNOPTYXcj" + "unuoUSO" + "iagl",
)
"""Letters that look like Latin ones, the most common by far: Cyrillic, Greek, Armenian and a few more."""


def skeleton(text: str) -> str:
    """Return text with letters that look alike made one, character by character, so that places stay as they are."""
    return text.translate(_LOOKS)


@lru_cache(maxsize=1000)
def told_apart(names: frozenset[str]) -> dict[str, str]:
    """Return for each name that looks like another one how it is shown, with the letters that are not what they seem.

    "Ana" with a Cyrillic letter, beside the Latin one, gets that letter and its script put behind it in brackets; names
    that nobody can mistake are left out.
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[skeleton(skeleton(plain_name(name)).casefold())].append(name)
    return {
        name: f"{name} [{', '.join(strange)}]"
        for those in alike.values()
        if len({one.casefold() for one in those}) > 1
        for name in those
        if (strange := _strange(name))
    }


def _strange(name: str) -> list[str]:
    found: Iterable[str] = dict.fromkeys(char for char in name if skeleton(char) != char)
    return [f"{unicodedata.name(char, 'other').split()[0].title()} {char}" for char in found]
