"""What was said of somebody moves to whom it belongs, when they say so at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tests.analysts import ScriptedAnalyst, a_draft
from tests.each import each
from tests.workshop import NOON, Workshop, open_workshop
from yesteryear.core.fact import Form, Slot
from yesteryear.core.language.answers import read_elsewhere

CELLO = "I play the cello and I never stop, day and night."
BANK = "Tom has a new job at the bank, as from today."
STATED = {
    CELLO: [a_draft("Ana plays the cello.")],
    BANK: [a_draft("Tom works at the bank.", attribute="job", holder="Tom")],
    "My dad cooks on Sundays, and I play the cello.": [
        a_draft("Ana's dad cooks on Sundays.", holder="dad", quote="My dad cooks on Sundays"),
        a_draft("Ana plays the cello.", quote="I play the cello"),
    ],
}
RENT = "I pay 421 a month for my flat and I never stop worrying."
BOTH = "I drive a Fiat to work, and my rent is 421 a month, day and night."
DENTIST = "I see the dentist on wednesday, and I hate it."
NOOR = "Noor has her birthday on 23 may, my dear wife, and I love her."
STATED |= {
    RENT: [a_draft("Ana's rent is 421 a month.", slot=Slot("rent", "421 a month"))],
    BOTH: [
        a_draft("Ana's rent is 421 a month.", quote="my rent is 421 a month"),
        a_draft("Ana's car is a Fiat.", quote="I drive a Fiat to work"),
    ],
    DENTIST: [
        a_draft(
            "Ana sees the dentist on Wednesday 4 March 2026.",
            quote=DENTIST,
            valid_from=NOON + timedelta(days=1.5),
            valid_to=NOON + timedelta(days=2.5),
        )
    ],
    NOOR: [a_draft("Noor's birthday is 23 May.", holder="Noor", quote=NOOR)],
    "Sorry, 412. And I never stop coughing, day and night.": [
        a_draft('Ana said: "Sorry, 412."', quote="Sorry, 412.", form=Form.QUOTE),
        a_draft(
            'Ana said: "And I never stop coughing, day and night."',
            quote="And I never stop coughing, day and night.",
            form=Form.QUOTE,
        ),
    ],
}
HOURS = timedelta(hours=1)


class Said(NamedTuple):
    """Something said, so many hours after noon."""

    author: str
    text: str
    hours: float = 0.1


def hear(place: Path, *talk: Said, at_once: bool = True) -> tuple[set[str], Workshop]:
    """Return what is believed after some talk, worked through message by message or at the end."""
    with open_workshop(place / "memory.db", analyst=ScriptedAnalyst(STATED)) as shop:
        for said in talk:
            shop.clock.set(NOON + said.hours * HOURS)
            role = "assistant" if said.author == "Bot" else "user"
            shop.memory().observe([{"role": role, "content": said.text, "author": said.author}], conversation="all")
            if at_once:
                shop.memory().flush()
        shop.memory().flush()
        shop.memory().consolidate()
        return {fact.statement for fact in shop.memory().facts()}, shop


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("talk", "believed"),
    [
        ([Said("Ana", CELLO), Said("Ana", "sorry, that's my brother's, not mine")], "Ana's brother plays the cello."),
        ([Said("Ana", CELLO), Said("Ana", "no wait, that's my sister Lena's")], "Ana's sister Lena plays the cello."),
        ([Said("Ana", BANK), Said("Tom", "no, that's my sister's")], "Tom's sister works at the bank."),
        ([Said("Ana", BANK), Said("Bot", "Nice!"), Said("Tom", "that was Ben, not me")], "Ben works at the bank."),
    ],
)
def test_it_moves_to_its_holder(tmp_path: Path, talk: list[Said], believed: str, at_once: bool) -> None:
    """The earlier is no longer believed, in one stretch of talk or in several."""
    assert hear(tmp_path, *talk, at_once=at_once)[0] == {believed}


def test_without_a_holder_it_is_only_denied(tmp_path: Path) -> None:
    """Nothing is made up."""
    assert hear(tmp_path, Said("Ana", CELLO), Said("Ana", "oh, that's hers, not mine"))[0] == set()


def test_only_the_last_statement_moves(tmp_path: Path) -> None:
    """Of those of the message before."""
    talk = Said("Ana", "My dad cooks on Sundays, and I play the cello."), Said("Ana", "sorry, that's my brother's")
    assert hear(tmp_path, *talk)[0] == {"Ana's dad cooks on Sundays.", "Ana's brother plays the cello."}


@pytest.mark.parametrize(
    "talk",
    [
        [Said("Ana", CELLO), Said("Tom", "no, that's my sister's")],
        [Said("Ana", CELLO), Said("Ana", "no, that's my sister's", 5)],
        [Said("Ana", CELLO), Said("Bot", "Is that yours on the photo?"), Said("Ana", "no, that's my sister's")],
        [Said("Ana", CELLO), Said("Ana", "I am off to the market."), Said("Ana", "sorry, that's my sister's")],
        [Said("Ana", BANK), Said("Ana", "that was Ben, not me")],
    ],
)
def test_nobody_moves_what_is_not_said_of_them_just_before(tmp_path: Path, talk: list[Said]) -> None:
    """Not another's own statement, not at another sitting, not behind a question about something else."""
    assert hear(tmp_path, *talk)[0] == {STATED[talk[0].text][0].statement}


@each(
    ("told", "then", "believed"),
    [
        (RENT, "412. not 421. tired", {"Ana's rent is 412 a month."}),
        (RENT, "sorry, 412", {"Ana's rent is 412 a month."}),
        (BOTH, "I meant 412", {"Ana's rent is 412 a month.", "Ana's car is a Fiat."}),
        (DENTIST, "*thursday", {f'Ana said on 2026-03-02: "{DENTIST} *thursday"'}),
        (RENT, "oops, i mean the old one", {f'Ana said: "{RENT} oops, i mean the old one"'}),
        (
            RENT,
            "Sorry, 412. And I never stop coughing, day and night.",
            {"Ana's rent is 412 a month.", 'Ana said: "And I never stop coughing, day and night."'},
        ),
        (RENT, "actually I love it", {"Ana's rent is 421 a month."}),
        (RENT, "sorry, busy day", {"Ana's rent is 421 a month."}),
    ],
)
def test_a_value_is_put_right_by_the_next_message(told: str, then: str, believed: set[str]) -> None:
    """The earlier is no longer believed; the right one is told plainly, or in the words of both."""
    with TemporaryDirectory() as place:
        found, _ = hear(Path(place), Said("Ana", told), Said("Ana", then, 0.2))
    assert found == believed


def test_what_is_put_right_holds_on_its_own_day(tmp_path: Path) -> None:
    """And fills the slot with the right value."""
    with open_workshop(tmp_path / "memory.db", analyst=ScriptedAnalyst(STATED)) as shop:
        for text in (RENT, "sorry, 412", DENTIST, "no, thursday"):
            shop.clock.advance(0.1 * HOURS)
            shop.memory().observe([{"role": "user", "content": text, "author": "Ana"}], conversation="all")
            shop.memory().flush()
        rent, dentist = sorted(shop.memory().facts(), key=lambda fact: "dentist" in fact.statement)
        assert (rent.slot, dentist.valid_from) == (Slot("rent", "412 a month"), datetime(2026, 3, 5, tzinfo=UTC))
        assert dentist.valid_to == datetime(2026, 3, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("talk", "believed"),
    [
        (
            [Said("Ana", NOOR), Said("Noor", "22 may!!")],
            {f'Asked "{NOOR}", Noor said on 2026-03-02: "22 may!!"'},
        ),
        ([Said("Ana", RENT), Said("Noor", "no, 412")], {"Ana's rent is 421 a month."}),
        ([Said("Ana", RENT), Said("Ana", "no, 412", 7)], {"Ana's rent is 421 a month."}),
        ([Said("Ana", RENT), Said("Bot", "Is that a lot?"), Said("Ana", "no, 412")], {"Ana's rent is 421 a month."}),
    ],
)
def test_another_puts_right_what_is_about_them(tmp_path: Path, talk: list[Said], believed: set[str]) -> None:
    """And nothing else; nor does anybody at another sitting, or where a question stands between."""
    assert hear(tmp_path, *talk)[0] == believed


@each(
    "text",
    [
        *(
            "no, that's great",
            "no, that's today's",
            "sorry, that's Monday's",
            "that's my sister's",
            "no, that's Ben",
            "",
        ),
        *("No wait, it's Crohn's.", "sorry, it's Sainsbury's"),
    ],
)
def test_other_words_move_nothing(text: str) -> None:
    """Without an owner, or without a denial."""
    assert read_elsewhere(text) is None
