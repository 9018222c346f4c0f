"""What a few words say of something to do that somebody asks after."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.told.named_task import TaskState, bare_deed
from yesteryear.core.language.told.tasks import answered_task, done_barely, find_told_tasks


def told(text: str) -> dict[TaskState, str]:
    """Return how things stand by a question and its answer, each with its name."""
    return {task.state: " ".join(sorted(task.named)) for task in find_told_tasks(text)}


@each(
    ("text", "state"),
    [
        ("Did you call the bank? yep, this morning", TaskState.DONE),
        ("Have you called the bank yet? Yes", TaskState.DONE),
        ("Hi Ana! Did you manage to call the bank? Nope, done.", TaskState.DONE),
        ("Did you get round to calling the bank? just did", TaskState.DONE),
        ("Did you call the bank? Called them today!", TaskState.DONE),
        ("Do you still need to call the bank? No.", TaskState.DROPPED),
        ("Do you still need to call the bank? yes", TaskState.OPEN),
        ("Should I remind you to call the bank? Yes please", TaskState.OPEN),
    ],
)
def test_an_answer_tells_how_it_stands(text: str, state: TaskState) -> None:
    """Under the name that the question gives it."""
    assert told(text) == {state: "bank call"}


@each(
    "text",
    [
        *("Did you call the bank? No, not yet", "Did you call the bank? yes but nobody answered"),
        *("Did you call the bank? I'll do it tomorrow", "Did you call the bank? almost", "Did you call her? not done"),
        *("Did you call the bank? robbed!", "How's the essay going? yes", "How's your mum today? submitted"),
        *(
            "Did you call the bank? I have not",
            "Did you call the bank? I have no time",
            "Did you call the bank? I am at work",
        ),
        *("Did you call the bank? ok, calling now", "Did you call the bank? already told you I can't"),
        *(
            "Do you still need to call the bank? No, I still have to",
            "Do you still need to call it? no, remind me again",
        ),
        *("Did you have a good day? yes", "Did you sleep well? yep", "Have you seen the film? Yes"),
        *("Did he call the bank? yes", "Did you call the bank? The weather was awful here all day long, to be honest"),
    ],
)
def test_what_only_sounds_like_it_settles_nothing(text: str) -> None:
    """What is not done, what nobody has to do, and what somebody else did."""
    assert not {TaskState.DONE, TaskState.DROPPED} & told(text).keys()


def test_a_message_answers_what_the_last_sentence_before_it_asks() -> None:
    """And nothing else, nor where it says by itself what became of a task."""
    assert answered_task("Morning. Did you call the bank?", "yes!") is TaskState.DONE
    assert answered_task("Should I remind you to call the bank?", "yes please") is TaskState.OPEN
    assert answered_task("Did you call the bank? Sorry for asking.", "yes!") is None
    assert answered_task("Did you call the bank?", "I called the bank") is None
    assert answered_task("Did you call the bank?", "") is None


@each(
    ("told", "answer", "which"),
    [
        ("I have to post the parcel today", "posted!", 0),
        ("I have to post the parcel today", "ok, it's in the post", 0),
        ("I have to post the parcel today", "Phew, finally done!!", 0),
        ("I have to post the parcel today", "nearly done", None),
        ("I have to post the parcel today", "not done", None),
        ("I have to post the parcel today", "tired", None),
        ("I have to post the parcel today", "called them", None),
        ("I have to post the parcel today", "done with winter", None),
        ("I have to post the parcel today", "paid the rent", None),
        ("I have to post the parcel. I must call the bank.", "done", None),
        ("I have to post the parcel. I must call the bank.", "called them just now", 1),
        ("I have to post the parcel. I must call the bank. I posted the parcel.", "all done", 1),
        ("The parcel came.", "done", None),
    ],
)
def test_a_mere_done_settles_the_one_thing_it_can_mean(told: str, answer: str, which: int | None) -> None:
    """The only one that is open, or the only one with its verb."""
    sentences = split_sentences(told)
    assert done_barely(sentences, answer) == ("" if which is None else sentences[which])


def test_behind_its_task_it_tells_that_as_done() -> None:
    """So that the words of both settle what was told before by its name."""
    assert told("I have to call the bank. Called!")[TaskState.DONE] == "bank call"


def test_how_something_goes_is_answered_by_done() -> None:
    """With the thing that the question names."""
    assert told("How's the tax return going? all done") == {TaskState.DONE: "return tax"}


def test_a_long_sentence_is_no_mere_done() -> None:
    """It is not looked through either: that would take longer than its length."""
    assert bare_deed("done " + "it " * 20_000) is None
    assert done_barely(["I have to call the bank."], "done " + "it " * 20_000) == ""
