"""What a reader is told of before, and what the person asked for a fact: any telling may raise it, none lowers it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from tests.analysts import ScriptedAnalyst, a_draft
from tests.workshop import open_workshop
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Digest, Talk

TOLD = "I met Ben at the lake today, he is my new neighbour and my friend."
AGAIN = "Ben is my friend, and don't tell anyone that, remember that it is a secret."
STATEMENT = "Ana's friend is Ben."


class Reader(ScriptedAnalyst):
    """Reads by itself, and keeps what it was told of before each talk."""

    reader = "scripted"

    def __init__(self) -> None:
        plain = a_draft(STATEMENT, kind=FactKind.RELATIONSHIP)
        asked = a_draft(STATEMENT, kind=FactKind.RELATIONSHIP, is_confidential=True, is_asked_for=True)
        super().__init__({TOLD: [plain], AGAIN: [asked]})
        self.known: list[tuple[str, ...]] = []

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Return what the script says."""
        self.known.append(talk.known)
        return super().digest(talk, yield_to_foreground=yield_to_foreground)


def test_a_reader_is_told_who_is_known_and_what_was_said_last(place: Path | str) -> None:
    """By what the scope of the talk may see, from before it began; the first talk has nothing before it."""
    reader = Reader()
    with open_workshop(place, analyst=reader) as shop:
        memory = shop.memory()
        for conversation, text in (("c1", TOLD), ("c2", AGAIN)):
            memory.observe(text, author="Ana", conversation=conversation)
            memory.flush()
            shop.clock.advance(timedelta(days=1))
        assert reader.known[0] == ()
        assert reader.known[1][0] == STATEMENT
        assert TOLD in reader.known[1][-1]


def test_a_wish_for_a_fact_stands_whichever_telling_had_it() -> None:
    """Also where what was said first is learnt last."""
    for texts in ((TOLD, AGAIN), (AGAIN, TOLD)):
        with open_workshop(":memory:", analyst=Reader()) as shop:
            memory = shop.memory()
            for days, text in enumerate(texts):
                memory.observe(text, author="Ana", conversation=f"c{days}", at=shop.clock.now() - timedelta(days=days))
                memory.flush()
            [fact] = memory.facts()
            why = memory.why(fact.id).fact
            assert why is not None
            assert (why.confidential, why.asked_to_remember) == (True, True)
