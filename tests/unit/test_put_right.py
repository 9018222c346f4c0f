"""Which of what was said before a message puts right."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.message import Message, Role
from yesteryear.core.retracted import correction_by
from yesteryear.testing.builders import a_message

BIRTHDAY = "noor's birthday is 23 may"


def line(*said: tuple[str, str]) -> list[Message]:
    """Return what was said by whom, in order."""
    return [
        a_message(text, seq=seq, author=author, role=Role.ASSISTANT if author == "Bot" else Role.USER)
        for seq, (author, text) in enumerate(said, 1)
    ]


@each(
    ("said", "put_right"),
    [
        ([("Ana", "my rent is 640"), ("Ana", "no, 460")], 0),
        ([("Ana", "my rent is 640"), ("Bot", "I see."), ("Ana", "sorry, 460")], 0),
        ([("Ana", "my rent is 640"), ("Ana", "so it goes"), ("Ana", "sorry, 460")], 0),
        ([("Ana", "my rent is 640"), ("Bot", "That much?"), ("Ana", "no, 460")], None),
        ([("Ana", "my rent is 640"), ("Bot", "That much?"), ("Ana", "I meant 460")], 0),
        ([("Ana", "my rent is 640"), *[("Ben", "hm")] * 4, ("Ana", "sorry, 460")], None),
        ([("Ana", BIRTHDAY), ("Noor", "22 may!!")], 0),
        ([("Ana", BIRTHDAY), ("Bot", "Noted."), ("Noor", "22 may!!")], None),
        ([("Ana", "my rent is 640"), ("Ana", "no wait, that's my brother's")], None),
        ([("Ana", "sorry, 460")], None),
        ([("Bot", "That is 640."), ("Ana", "sorry, 460")], None),
    ],
)
def test_the_last_words_of_whoever_speaks_are_put_right(said: list[tuple[str, str]], put_right: int | None) -> None:
    """Else another's right before; not behind a question, nor from afar, nor what is somebody else's."""
    *before, last = line(*said)
    found = correction_by(last, before)
    assert (before.index(found.said) if found else None) == put_right
    assert found is None or found.message is last
    assert found is None or found.words in last.content
