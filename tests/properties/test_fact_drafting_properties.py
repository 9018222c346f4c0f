"""What holds for the facts drafted from any talk, however it was read."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.readings import BY_HAND, a_reading, stated
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Talk
from yesteryear.core.fact import FactDraft, Form, stands_alone
from yesteryear.core.language.tokens import words
from yesteryear.core.message import Message, Outcome, Reason, Role, Verdict
from yesteryear.core.reading import MEANT, MessageReading, SpeakerStance, Whose
from yesteryear.providers.local.facts.drafting import KEEP_FROM, draft_facts
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message

PIECES = st.sampled_from(
    [
        *("I'm a nurse", "my sister Nadia lives in Lyon", "and I never eat fish", "since May", "because it hurts"),
        *("you told us", "she can't", "I've had mine since 2019.", "Our dog died!", "so did I", "Remind me on Monday."),
        *('"you will never see me again"', "> pasted line", "if I were king", "just kidding", "we decided to stay"),
        *("ok", "why?", "🎉🎉", "…", " - ", "(really)", "14,860", "İstanbul’da", "名前はアナです。", "\u200d", "\n"),
        *("\x00", ",", "\ud800"),
    ]
)
TEXTS = st.lists(PIECES, min_size=1, max_size=8).map(" ".join) | st.text(max_size=80)
_WORDS = re.compile(r"\S*\w\S*")
"""What a reader takes whole."""
SAID = st.lists(st.tuples(TEXTS, st.sampled_from([Role.USER, *Role])), min_size=1, max_size=4)
SPEAKERS = {"i", "my", "me", "mine", "myself", "we", "our", "us", "you", "your", "i'm", "i've"}
"""What nobody says of a third person."""


@st.composite
def readings(draw: st.DrawFn, text: str) -> MessageReading:
    """Return any reading of a text: statements of some of its words, with any of what may be read of them."""
    found = list(_WORDS.finditer(text))
    places = st.integers(0, len(found) - 1) if found else st.nothing()
    spans = draw(st.lists(st.tuples(places, places).map(sorted), min_size=1, max_size=3)) if found else []
    statements = [
        stated(
            text,
            start=found[first].start(),
            end=found[last].end(),
            worth=draw(st.sampled_from([0.4, 0.5, 0.8, 0.9, 1.0])),
            stance=draw(st.sampled_from([*sorted(MEANT), *SpeakerStance])),
            kind=draw(st.sampled_from(FactKind)),
            whose=draw(st.sampled_from(Whose)),
            name=draw(st.sampled_from(["", "Nadia", "sister", "it", "!"])),
            attribute=draw(st.sampled_from(["", "home", "diet"])),
            is_alone=draw(st.booleans()),
        )
        for first, last in spans
    ]
    return a_reading(text, *statements)


@st.composite
def talks(draw: st.DrawFn) -> tuple[Talk, dict[str, Message]]:
    """Return a talk with any readings, some by words alone, and its messages by id."""
    said = [a_message(text, seq=seq, role=role) for seq, (text, role) in enumerate(draw(SAID), 1)]
    exchanges = tuple(group_exchanges(said))
    verdict = Verdict(Outcome.KEEP, Reason.PERSONAL, score=0.9, threshold=0.5)
    read = {message.id: draw(readings(message.content)) for message in said if draw(st.integers(0, 3))}
    return Talk(exchanges, (verdict,) * len(exchanges), read), {message.id: message for message in said}


def draft(talk: Talk) -> tuple[FactDraft, ...]:
    """Return the facts drafted from a talk."""
    return draft_facts(talk, yield_to_foreground=lambda: None)


@given(talks())
def test_every_draft_rests_on_what_a_user_said(given_talk: tuple[Talk, dict[str, Message]]) -> None:
    """Its quote is a part of the message, its author the subject; what was read but not meant is none."""
    talk, messages = given_talk
    for found in draft(talk):
        message = messages[found.message_id]
        assert message.role is Role.USER
        assert found.quote
        assert found.quote in message.content
        assert found.subject == message.author
        assert KEEP_FROM <= found.confidence <= 1
        if found.reader == BY_HAND:
            read = talk.readings[message.id].statements
            assert any(one.stance in MEANT and message.content[one.start : one.end] == found.quote for one in read)


@given(talks())
def test_a_quote_holds_the_words_and_a_plain_statement_no_first_person(
    given_talk: tuple[Talk, dict[str, Message]],
) -> None:
    """Nothing is put into a mouth, nobody who reads it takes themself for its speaker, and each stands alone."""
    for found in draft(given_talk[0]):
        said = set(words(found.statement))
        if found.form is Form.PLAIN:
            assert not SPEAKERS & said, found
        else:
            assert set(words(found.quote)) <= said, found
        assert stands_alone(found.statement, found.subject, found.form, holder=found.holder), found


@given(talks())
def test_drafting_twice_gives_the_same(given_talk: tuple[Talk, dict[str, Message]]) -> None:
    """Nothing depends on chance or on what was read before."""
    assert draft(given_talk[0]) == draft(given_talk[0])
