"""Whose words a message is."""

from __future__ import annotations

from dataclasses import replace

from tests.each import each
from tests.rows import at
from yesteryear.core.message import Exchange, Message, Role, Source
from yesteryear.core.reading import MessageReading, ReadSentence, SpeakerStance
from yesteryear.core.scope import Scope
from yesteryear.core.whose_words import is_person, source_of, tell_sources

SAID = Message(
    id="m1",
    scope=Scope("ana"),
    conversation="c",
    seq=1,
    role=Role.USER,
    author="ana",
    content="Hi",
    at=at(1),
    recorded_at=at(1),
)


@each("author", ["user", "User", "ana", "Ana", "ANA", " Ana ", "Ａｎａ"])
def test_the_person_is_known_by_their_name_or_by_having_none(author: str) -> None:
    """Otherwise the person would be a stranger in their own memory for a capital letter."""
    assert is_person(author, Scope("Ana"))


@each("author", ["Anna", "marc", "assistant", "ana.b", "-"])
def test_nobody_else_is_the_person(author: str) -> None:
    """Otherwise somebody else's words would be theirs."""
    assert not is_person(author, Scope("Ana"))


@each(
    ("author", "authors", "source"),
    [
        ("Ana", ["Ana", "Marc"], Source.SAID),
        ("Marc", ["Ana", "Marc"], Source.OTHER),
        ("Marc", ["user", "Marc"], Source.OTHER),
        ("Marc", ["Marc", "Lea"], Source.SAID),
        ("Marc", ["Marc"], Source.SAID),
        ("user", ["user", "Ana"], Source.SAID),
    ],
)
def test_who_speaks_beside_the_person_is_somebody_else(author: str, authors: list[str], source: Source) -> None:
    """And where the person takes no part, each speaks for themself, as in a log of two friends."""
    assert source_of(replace(SAID, author=author), authors) is source


@each(
    ("role", "source"),
    [
        (Role.ASSISTANT, Source.ASSISTANT),
        (Role.TOOL, Source.TOOL),
        (Role.SYSTEM, Source.TOOL),
        (Role.DEVELOPER, Source.TOOL),
    ],
)
def test_roles_other_than_the_users_are_programs(role: Role, source: Source) -> None:
    """Whatever name they bear, even the person's."""
    assert source_of(replace(SAID, role=role), ["ana"]) is source


@each(
    ("content", "first", "source", "share"),
    [
        ("She left me this. I sew gloves in Bremen.", 18, Source.SAID, 23 / 41),
        ("I sew gloves in Bremen.", 0, Source.BROUGHT, 1.0),
        ('"I sew gloves." I sew gloves in Bremen.', 0, Source.BROUGHT, 1.0),
        ("I sew gloves in Bremen.", 23, Source.SAID, 0.0),
    ],
)
def test_what_was_read_as_others_words_was_brought_along(
    content: str, first: int, source: Source, share: float
) -> None:
    """Beside what its form tells, and once where both tell it: all from a place on is somebody else's here."""
    read = ReadSentence(first, len(content), 0.5, SpeakerStance.QUOTED, answers=False, is_brought=True)
    message = replace(SAID, content=content)
    readings = {message.id: MessageReading("by hand", (read,) if first < len(content) else ())}
    assert tell_sources([Exchange((message,))], ["ana"], readings) == {message.id: (source, share)}
