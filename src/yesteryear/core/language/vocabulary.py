"""The words and patterns of a language, as data: one file ``language/en/NAME.toml`` for each purpose.

The tables of a file, all of whose names are different; a table in a table makes names with a dot, ``emotions.joy``:

- ``about``: ``what`` the words are for, and the ``source`` they come from.
- ``words``: lists, divided by white space.
- ``phrases``: lists of patterns, ``_`` for a space; one pattern that matches any of them whole.
- ``parts``: pieces of patterns.
- ``patterns``: regular expressions, whose ends of lines do not count; ``patterns_any_case``, ``patterns_ascii`` and
  ``patterns_lines`` likewise, with that flag.
- ``rows``: lists of records; their ``pattern`` is a regular expression.
- ``tables``: anything by name.

In phrases, parts, patterns and rows ``{name}`` stands for the text of another entry, ``{file.name}`` for one of another
file. A list of words stands for any of them, ``_`` for a space, a hyphen or nothing; ``{one+other}`` for any of several
lists. Text to be searched by phrases must have gone through ``fold``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from yesteryear.errors import ConfigError

_FLAGS = {
    "patterns": re.NOFLAG,
    "patterns_any_case": re.IGNORECASE,
    "patterns_ascii": re.ASCII,
    "patterns_lines": re.MULTILINE,
}
_T = TypeVar("_T")
_TEXTS = ("words", "phrases", "parts", *_FLAGS)
_RECORDS = ("rows", "tables")
_NAMED = re.compile(r"\{([a-z][\w.+]*)\}")  # another entry; a count in braces begins with a digit or a comma


class Vocabulary(dict[str, re.Pattern[str]]):
    """What one file holds; ``vocabulary["name"]`` is a pattern, compiled when it is first asked for."""

    def __init__(self, name: str, content: str) -> None:
        super().__init__()
        self.name = name
        try:
            tables = tomllib.loads(content)
        except tomllib.TOMLDecodeError as exc:
            raise ConfigError(f"The words {name!r} of the language cannot be read: {exc}.") from exc
        self._texts: dict[str, tuple[str, str]] = {}
        self._records: dict[str, Any] = {}
        self._groups: dict[str, Mapping[str, re.Pattern[str]]] = {}
        self._any: dict[str, re.Pattern[str]] = {}
        self._sets: dict[str, frozenset[str]] = {}
        for table, entries in tables.items():
            if table in _TEXTS:
                for key, text in _flat(entries):
                    if key in self._texts or not isinstance(text, str):
                        raise self._wrong(key, "stands twice, or is no text")
                    self._texts[key] = (table, text)
            elif table in _RECORDS:
                self._records |= entries
            elif table != "about":
                raise self._wrong(table, f"is no table of words; known are {', '.join((*_TEXTS, *_RECORDS))}")

    def __missing__(self, key: str) -> re.Pattern[str]:
        table, _ = self._entry(key, self._texts)
        try:
            pattern = self[key] = re.compile(self.text(key), _FLAGS.get(table, re.NOFLAG))
        except re.error as exc:
            raise self._wrong(key, f"is no pattern: {exc}") from exc
        return pattern

    def text(self, key: str) -> str:
        """Return the text of an entry as it stands in a pattern."""
        table, text = self._entry(key, self._texts)
        if table == "words":
            return "(?:" + "|".join(word.replace("_", r"[ \-]?") for word in text.split()) + ")"
        if table == "phrases":
            return rf"(?<!\w)(?:{self._phrases(key, text)})(?!\w)"
        return self._filled(key, text.replace("\n", ""))

    def words(self, key: str) -> frozenset[str]:
        """Return a list as a set."""
        if key not in self._sets:
            self._sets[key] = frozenset(self._entry(key, self._texts)[1].split())
        return self._sets[key]

    def listed(self, key: str) -> tuple[str, ...]:
        """Return a list in its order, with spaces for ``_``."""
        return tuple(word.replace("_", " ") for word in self._entry(key, self._texts)[1].split())

    def lines(self, key: str) -> list[str]:
        """Return a list whose entries are lines."""
        return self._entry(key, self._texts)[1].strip("\n").split("\n")

    def table(self, key: str) -> Mapping[str, Any]:
        """Return what stands in a table, in its order."""
        found: Mapping[str, Any] = self._entry(key, self._records)
        return found

    def rows(self, key: str) -> list[dict[str, str]]:
        """Return records, their patterns written out."""
        return [
            row | {"pattern": self._filled(key, row["pattern"].replace("\n", ""))}
            for row in self._entry(key, self._records)
        ]

    def group(self, key: str) -> Mapping[str, re.Pattern[str]]:
        """Return the patterns of a group by name, in their order."""
        if key not in self._groups:
            lead = f"{key}."
            self._groups[key] = {name.removeprefix(lead): self[name] for name in self._texts if name.startswith(lead)}
        return self._groups[key]

    def any_of(self, key: str) -> re.Pattern[str]:
        """Return one pattern that matches where any of a group of phrases does: it quickly tells that none does."""
        if key not in self._any:
            lead = f"{key}."
            texts = [(name, text) for name, (_, text) in self._texts.items() if name.startswith(lead)]
            self._any[key] = re.compile(rf"(?<!\w)(?:{'|'.join(self._phrases(*each) for each in texts)})(?!\w)")
        return self._any[key]

    def names(self) -> list[str]:
        """Return the names of all lists, pieces and patterns, in their order."""
        return list(self._texts)

    def _phrases(self, key: str, text: str) -> str:
        return "|".join(entry.replace("_", " ") for entry in self._filled(key, text, phrases=True).split())

    def _filled(self, key: str, text: str, *, phrases: bool = False) -> str:
        def fill(named: re.Match[str]) -> str:
            names = named[1].split("+")
            if len(names) > 1:
                return "(?:" + "|".join(self._text_of(key, name)[3:-1] for name in names) + ")"
            return self._text_of(key, names[0])

        return _NAMED.sub((lambda named: fill(named).replace(" ", "_")) if phrases else fill, text)

    def _text_of(self, key: str, name: str) -> str:
        if name in self._texts:
            return self.text(name)
        other, _, entry = name.partition(".")
        if not entry:
            raise self._wrong(key, f"names {name!r}, which is not there")
        return vocabulary(other).text(entry)

    def _entry(self, key: str, entries: Mapping[str, _T]) -> _T:
        try:
            return entries[key]
        except KeyError:
            raise self._wrong(key, "is not there") from None

    def _wrong(self, key: str, why: str) -> ConfigError:
        return ConfigError(f"In the words {self.name!r} of the language {key!r} {why}.")


def _flat(entries: Mapping[str, Any], lead: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in entries.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{lead}{key}.")
        else:
            yield f"{lead}{key}", value


@cache
def vocabulary(name: str) -> Vocabulary:
    """Return the words and patterns of ``language/en/NAME.toml``."""
    place = files("yesteryear").joinpath("language", "en", f"{name}.toml")
    try:
        return Vocabulary(name, place.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"The words {name!r} of the language cannot be read: {exc}.") from exc
