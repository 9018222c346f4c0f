"""Generated lives are whole, can be asked about, and owe nothing to what judges them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from yesteryear.core.language.requests import asks_to_remember, read_forget_request
from yesteryear.core.language.tokens import fold
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.errors import InputError
from yesteryear.providers.local import feelings
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.evidence import content_stems, stem
from yesteryear_lab.bench.generated_lives import (
    PLANTED,
    SPLITS,
    TRIVIA,
    Life,
    Thing,
    Value,
    make_life,
    read_lives,
    read_wordings,
    said_at,
    write_lives,
)

FEW, MANY = 2, 6
"""How many lives of a split are looked at by `make test`, and by a build."""
EACH_LIFE = pytest.mark.parametrize(
    "life",
    [
        pytest.param((split, number), id=f"{split}-{number}", marks=[pytest.mark.heavy] if number > FEW else [])
        for split in SPLITS
        for number in range(1, MANY + 1)
    ],
    indirect=True,
)
PARTICULAR = ("event", "decision", "relationship", "correction")
"""Kinds that matter by what is said; habits matter by being said again."""
LEXICON = vocabulary("lexicon")
NO_CUES = {"question", "task", "fillers", "other_languages", "day", "month", "period", "they"}
"""Forms of sentences, matched at their start only; words of grammar; pieces of patterns."""
CUES = {name: LEXICON[name] for name in LEXICON.names() if name not in NO_CUES}
CUES |= {f"feels {name}": pattern for name, pattern in feelings.EMOTIONS.items()}
CUES |= {f"is {name}": pattern for name, pattern in feelings.STATES.items()}
CUES["decides"] = vocabulary("decisions")["settles"]
LOUD = ("life_event", "emotion", "bond", "commitment", "close_people", "health", "taste", "identity", "decides")
"""What importance is made of, but for common grammar."""
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
GRAM = 4


def word_stems(text: str) -> list[str]:
    """Return the stems of all words of a text."""
    return [stem(word) for word in WORD.findall(text.lower().replace("’", "'"))]


def grams(words: list[str]) -> set[tuple[str, ...]]:
    """Return the runs of four words."""
    return {tuple(words[start : start + GRAM]) for start in range(len(words) - GRAM + 1)}


def strings(found: object) -> Iterator[str]:
    """Yield every string in data, however deep."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        yield from (text for value in found.values() for text in strings(value))
    elif isinstance(found, list):
        yield from (text for value in found for text in strings(value))


made = cache(make_life)


@pytest.fixture
def life(request: pytest.FixtureRequest) -> Life:
    """One life."""
    return made(*request.param)


@pytest.fixture(scope="module", params=[FEW, pytest.param(MANY, marks=pytest.mark.heavy)])
def lives(request: pytest.FixtureRequest) -> list[Life]:
    """The first lives of both splits."""
    return [made(split, number) for split in SPLITS for number in range(1, request.param + 1)]


@pytest.fixture(scope="module")
def trained() -> list[list[str]]:
    """Return the words of every text in the training rows."""
    # Pairs say what two facts are to each other, attempts whose words a sentence is, asks and turns what answers a
    # question, statements (of the same talk) what is told of a message, numbers, the third changes, corrections, what
    # is taken back and tastes train nothing: none of them says what is kept.
    untrained = ("pairs", "attempts", "asks", "turns", "statements", "measure", "relate", "changes-3", "corrections")
    others = (*untrained, "tastes", "told-tastes", "taken-back", "withdrawn", "not-meant", "put-right")
    files = (path for path in sorted(LABELLED.glob("*.jsonl")) if not path.name.startswith(others))
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    assert len(lines) > 3000
    return [word_stems(text) for line in lines for text in strings(json.loads(line))]


def wordings(*kinds: str) -> Iterator[dict[str, Any]]:
    """Yield what can be planted, of both splits."""
    for split in SPLITS:
        for kind in kinds:
            yield from map(dict, read_wordings(split).planted[kind])


def sentences(*kinds: str) -> list[str]:
    """Return everything that can be said of the planted things."""
    said = [text for wording in wordings(*kinds) for text in (*wording["say"], *wording.get("then", ()))]
    return [re.sub(r"\{\w+\}", "Ozymandias", text) for text in said]


def talk(split: str) -> Iterator[str]:
    """Yield all that can be said of nothing in particular."""
    found = read_wordings(split)
    yield from (*found.openers, *found.asides, *found.replies)
    yield from (text for chat in (found.tails, *found.chats) for pair in chat for text in pair)
    yield from (word for words in found.talk_words.values() for word in words)


def sentences_of(split: str) -> set[str]:
    """Return the planted sentences of a split, and its questions."""
    planted = [wording for kind in PLANTED for wording in read_wordings(split).planted[kind]]
    return {text for wording in planted for name in ("say", "then", "ask") for text in wording.get(name, ())}


def words_of(split: str) -> set[str]:
    """Return the words that are answers in a split."""
    return {word.lower() for words in read_wordings(split).answers.values() for word in words}


def each_value(life: Life) -> Iterator[tuple[Thing, Value]]:
    """Yield the values of every thing."""
    return ((thing, value) for thing in life.things for value in thing.values)


@EACH_LIFE
def test_a_life_is_a_year_of_talk(life: Life) -> None:
    """A thousand messages and more, in turns, rising in time, with silent days and busy ones."""
    times = [said_at(message) for message in life.messages]
    days = [(at - life.begun_at).days for at in times]
    assert 1000 <= len(life.messages) <= 1500
    assert [message["role"] for message in life.messages] == ["user", "assistant"] * (len(times) // 2)
    assert all(earlier < later for earlier, later in pairwise(times))
    assert len({message["id"] for message in life.messages}) == len(times)
    assert days[0] == 0
    assert 330 < days[-1] < 365
    assert 80 < len(set(days)) < 200
    assert not [message for message in life.messages if re.search(r"[{}|]", message["content"])]


@EACH_LIFE
def test_an_answer_stands_where_it_is_said_and_nowhere_else(life: Life) -> None:
    """Nor does the question give it away."""
    stems = {message["id"]: content_stems(message["content"]) for message in life.messages}
    for thing, value in each_value(life):
        wanted = content_stems(value.answer)
        assert wanted
        assert not wanted & content_stems(thing.question)
        said = {id_ for each in thing.values for id_ in each.said}
        assert set(value.said) <= {id_ for id_, found in stems.items() if wanted <= found} <= said


@EACH_LIFE
def test_things_are_planted_among_talk(life: Life) -> None:
    """So many of each kind; what is corrected is corrected weeks later, and habits come again over weeks."""
    messages = {message["id"]: message for message in life.messages}
    kinds = [thing.kind for thing in life.things]
    assert {kind: kinds.count(kind) for kind in PLANTED} == PLANTED
    assert all(thing.important is (thing.kind != TRIVIA) for thing in life.things)
    for thing in life.things:
        times = [said_at(messages[id_]) for value in thing.values for id_ in value.said]
        apart = {"habit": timedelta(days=6), "correction": timedelta(days=14)}.get(thing.kind, timedelta())
        assert all(later - earlier >= apart for earlier, later in pairwise(times))
        assert len(thing.values) == (2 if thing.kind == "correction" else 1)
        assert thing.kind != "habit" or len(times) >= 4
        assert all(messages[id_]["role"] == "user" for value in thing.values for id_ in value.said)


@each("split", SPLITS)
def test_no_answer_can_be_said_by_chance(split: str) -> None:
    """Its words stand in no sentence, question or chat, and in no other answer; only slots bring them in."""
    found = read_wordings(split)
    planted = [wording for kind in PLANTED for wording in found.planted[kind]]
    asked = [text for wording in planted for name in ("say", "then", "ask") for text in wording.get(name, ())]
    said = [content_stems(re.sub(r"\{\w+\}", " ", text)) for text in (*asked, *talk(split))]
    answers = [content_stems(word) for words in found.answers.values() for word in words]
    assert [answer for answer in answers if any(answer <= stems for stems in said)] == []
    assert [answer for answer in answers if sum(answer <= other for other in answers) > 1] == []


def test_a_life_follows_from_its_number() -> None:
    """In every process; another number is another life."""
    program = "from yesteryear_lab.bench.generated_lives import make_life; print(make_life('dev', 2))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == str(make_life("dev", 2))
    assert make_life("dev", 1).messages != make_life("dev", 2).messages


def test_questions_are_in_other_words() -> None:
    """The first way to ask shares a word or two with what was said last; no way shares most of its words."""
    for wording in wordings(*PLANTED):
        said = [content_stems(text) for text in wording.get("then", wording["say"])]
        asked = [content_stems(text) for text in wording["ask"]]
        shares = [max(len(words & each) / len(words) for each in said) for words in asked]
        assert 0 < shares[0] <= 2 / 3, wording["ask"]
        assert max(shares) <= 2 / 3, wording["ask"]


def test_what_makes_a_thing_important_is_in_no_word_list() -> None:
    """Each sentence has a mark, and no mark matches any pattern for what people say, feel or decide."""
    marked = [(said, wording["marks"]) for wording in wordings(*PARTICULAR) for said in wording["say"]]
    marked += [(said, wording["marks"]) for wording in wordings("correction") for said in wording["then"]]
    assert [said for said, marks in marked if not any(mark in said.lower() for mark in marks)] == []
    marks = {mark for _, marks in marked for mark in marks}
    assert len(marks) > 150
    assert [(mark, name) for mark in marks for name, cue in CUES.items() if cue.search(fold(mark))] == []


def test_what_makes_a_thing_important_is_in_no_training_row(trained: list[list[str]]) -> None:
    """Neither as it stands nor inflected."""
    rows = "\n".join(f" {' '.join(row)} " for row in trained)
    marks = {mark for wording in wordings(*PARTICULAR) for mark in wording["marks"]}
    assert [mark for mark in marks if f" {' '.join(word_stems(mark))} " in rows] == []


def test_word_lists_do_not_tell_what_matters_from_trivia() -> None:
    """What matters matches no list much more often than trivia does, and hardly ever a list importance is made of."""
    matters = [fold(said) for said in sentences(*PARTICULAR, "habit")]
    trivia = [fold(said) for said in sentences(TRIVIA)]

    def share(cue: re.Pattern[str], said: list[str]) -> float:
        return sum(bool(cue.search(text)) for text in said) / len(said)

    shares = {name: (share(cue, matters), share(cue, trivia)) for name, cue in CUES.items()}
    assert {name: both for name, both in shares.items() if both[0] > both[1] + 0.1} == {}
    assert {name: shares[name] for name in LOUD if shares[name][0] > 0.05} == {}
    assert not any(asks_to_remember(said) or read_forget_request(said) is not None for said in sentences(*PLANTED))


def test_nothing_is_said_as_in_a_training_row(trained: list[list[str]], lives: list[Life]) -> None:
    """No message is one of theirs, and few runs of four words are; of what is planted hardly any."""
    whole = {tuple(row) for row in trained}
    known = {gram for row in trained for gram in grams(row)}
    said = [word_stems(message["content"]) for life in lives for message in life.messages if message["role"] == "user"]
    assert [words for words in said if len(words) >= GRAM and tuple(words) in whole] == []
    for texts, most in ((said, 0.05), ([word_stems(text) for text in sentences(*PLANTED)], 0.03)):
        found = [gram in known for words in texts for gram in grams(words)]
        assert sum(found) / len(found) < most


@each("part", [sentences_of, words_of])
def test_the_splits_have_nothing_in_common(part: Callable[[str], set[str]]) -> None:
    """No planted sentence, no question, and no word that is an answer."""
    dev, held_out = (part(split) for split in SPLITS)
    assert dev & held_out == set()


def test_lives_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    """So that others can make their own in the same form."""
    path = tmp_path / "lives.jsonl"
    two = [made("dev", number) for number in (1, 2)]
    write_lives(path, two)
    assert read_lives(path) == two


def broken(**changes: Any) -> str:
    """Return a life as a line, with something else in it."""
    message = {"id": "a", "role": "user", "content": "Hello", "conversation": "c", "at": "2024-05-03T10:00"}
    value = {"answer": "Hello", "said": ["a"]}
    thing = {"id": "t", "kind": "event", "important": True, "question": "What?", "values": [value]}
    life: dict[str, Any] = {"id": "x", "messages": [message], "things": [thing]}
    for path, change in changes.items():
        *way, last = path.split("__")
        place: Any = life
        for step in way:
            place = place[step] if isinstance(place, dict) else place[int(step)]
        place[last] = change
    return json.dumps(life)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "no lives"),
        ("{", "line 1"),
        ("[]", "line 1: a row is a JSON object"),
        ('{"id": "x", "things": []}', "`messages`"),
        (broken(messages=[], things=[]), "nothing was said"),
        (broken(messages__0__at="once"), "'once'"),
        (broken(things__0__important="yes"), "`bool`, got `str` - at `$.things[0].important`"),
        (broken(things__0__values=[]), "length >= 1"),
        (broken(things__0__values__0__said=["b"]), "no message 'b'"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    """With the line and the reason."""
    path = tmp_path / "lives.jsonl"
    path.write_text(line)
    with pytest.raises(InputError, match=re.escape(reason)):
        read_lives(path)


def test_files_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    """Neither a folder nor a split that does not exist."""
    with pytest.raises(InputError, match="cannot be written"):
        write_lives(tmp_path, [made("dev", 1)])
    with pytest.raises(InputError, match="cannot be read"):
        read_lives(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match="no split 'test'; there are: dev, held-out"):
        make_life("test", 1)
