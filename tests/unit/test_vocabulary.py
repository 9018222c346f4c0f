"""The words and patterns of a language: what a file may hold, and what is said of one that is wrong."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import yesteryear
from tests.each import each
from yesteryear.core.language.vocabulary import Vocabulary, vocabulary
from yesteryear.errors import ConfigError

PACKAGE = Path(yesteryear.__file__).parent
FILES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "language" / "en").glob("*.toml"))}
CODE = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


@each("name", FILES)
def test_every_pattern_can_be_compiled(name: str) -> None:
    """A pattern is compiled when it is first used, so a bad one would show late."""
    found = vocabulary(name)
    assert all(found[key].pattern == found.text(key) for key in found.names())


@each("name", FILES)
def test_every_file_says_what_it_is_for_and_where_it_comes_from(name: str) -> None:
    """Words without a source cannot be judged."""
    assert {*tomllib.loads(FILES[name])["about"]} == {"what", "source"}


@each("name", FILES)
def test_nothing_is_listed_that_nobody_reads(name: str) -> None:
    """An entry that no code and no pattern names is dead."""
    readers = "\n".join(code for code in CODE.values() if f'vocabulary("{name}")' in code)
    patterns = set(re.findall(r"[\w.]+", " ".join(re.findall(r"\{([a-z][\w.+]*)\}", FILES[name]))))
    patterns |= {found for other in FILES.values() for found in re.findall(rf"\{{{name}\.(\w+)\}}", other)}
    told = patterns | {found.rpartition(".")[2] for found in patterns if found.startswith(f"{name}.")}
    if name == "fact_cues":
        told |= vocabulary(name).words("cues")
    unread = {key for key in vocabulary(name).names() if key.partition(".")[0] not in told}
    assert {key for key in unread if not re.search(rf"\b{key.partition('.')[0]}\b", readers)} == set()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[wrods]\na = 'b'", r"'wrods' is no table of words"),
        ("[words]\na = 'b'\n[parts]\na = 'c'", r"'a' stands twice"),
        ("[words]\na = 1", r"'a' stands twice, or is no text"),
        ("[words\n", r"cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_refused(content: str, said: str) -> None:
    """It says what is wrong and where, rather than matching nothing."""
    with pytest.raises(ConfigError, match=said):
        Vocabulary("made up", content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[patterns]\na = '('", r"'made up'.*'a' is no pattern"),
        ("[patterns]\na = '{b}'", r"'a' names 'b', which is not there"),
        ("[patterns]\nb = 'c'", r"'a' is not there"),
    ],
)
def test_a_pattern_that_is_wrong_says_so(content: str, said: str) -> None:
    """It is named with its file."""
    with pytest.raises(ConfigError, match=said):
        _ = Vocabulary("made up", content)["a"]


def test_a_language_that_lacks_a_file_says_so() -> None:
    """Another language is a folder, and one may be incomplete."""
    with pytest.raises(ConfigError, match="no_such_words"):
        vocabulary("no_such_words")


def test_a_list_stands_in_a_pattern_for_any_of_its_words() -> None:
    """What two words write as one, with a hyphen or apart is one entry; the ends of lines do not count."""
    words = Vocabulary(
        "made up", "[words]\npet = 'dog guinea_pig'\nkin = 'aunt'\n[patterns]\na = '''my\n {pet+kin}s?'''"
    )
    assert words["a"].pattern == r"my (?:dog|guinea[ \-]?pig|aunt)s?"
    assert words["a"].fullmatch("my guinea-pigs")
    assert words.listed("pet") == ("dog", "guinea pig")


def test_a_phrase_is_found_whole_only() -> None:
    """``_`` is a space, also in a piece that a phrase names."""
    words = Vocabulary("made up", "[parts]\nday = 'fri day|sunday'\n[phrases]\na = 'on_(?:{day}) soon'")
    assert words["a"].search("not on fri day, she said")
    assert words["a"].search("too soon?")
    assert not words["a"].search("sooner, on sundays")


def test_a_group_keeps_its_order() -> None:
    """Trained heads read features in it."""
    words = Vocabulary("made up", "[phrases.feels]\nsad = 'cry'\njoy = 'laugh'\nfear = 'run'")
    assert [*words.group("feels")] == ["sad", "joy", "fear"]
    assert words.group("feels")["joy"].search("they laugh")
