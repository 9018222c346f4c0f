"""Lives whose writers said what ends what become pairs of a fact and a message."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tests.each import each
from yesteryear.errors import InputError
from yesteryear_lab import LABELLED
from yesteryear_lab.bench.outdated import STANDS, ChangingLife, read_changes
from yesteryear_lab.reading.nominated import NominatedPair, nominate, read_nominated, told_pairs
from yesteryear_lab.reading.rows import EFFECTS

SAID = [
    {
        "n": 1,
        "day": "2025-03-01",
        "author": "Zainab",
        "text": "I live in Akoka with Chidinma. My brother drives a taxi.",
    },
    {"n": 2, "day": "2025-03-01", "author": "assistant", "text": "How is Chidinma?"},
    {
        "n": 3,
        "day": "2025-05-20",
        "author": "Zainab",
        "text": "Chidinma moved out of our flat in Akoka yesterday.",
        "ends": [{"n": 1, "words": "I live in Akoka with Chidinma", "effect": "ends"}],
        "stands": [{"n": 1, "words": "My brother drives"}],
    },
]


@pytest.fixture
def life(tmp_path: Path) -> ChangingLife:
    """Return a short life, as a file tells it."""
    path = tmp_path / "short.jsonl"
    path.write_text("\n".join(map(json.dumps, SAID)), encoding="utf-8")
    return read_changes(path)


def test_what_a_writer_said_of_a_message_is_a_pair_with_each_sentence(life: ChangingLife) -> None:
    """The sentence that holds the words, in its speaker's name; what the message answers goes with it."""
    assert (life.id, life.author) == ("short", "Zainab")
    over, stands = told_pairs(life)
    assert over == NominatedPair(
        *("short", "Zainab", "Zainab: I live in Akoka with Chidinma.", "How is Chidinma?"),
        *("Chidinma moved out of our flat in Akoka yesterday.", "ends", 80),
    )
    assert (stands.fact, stands.effect) == ("Zainab: My brother drives a taxi.", STANDS)
    assert over.as_effect().before == (("them", "How is Chidinma?"),)


def test_a_memory_nominates_what_the_words_of_its_facts_say(life: ChangingLife, tmp_path: Path) -> None:
    """A fact that holds what is over is over by that message, any other stands; a file gives the same back."""
    pairs = list(nominate(life))
    effects = {pair.fact: pair.effect for pair in pairs if pair.days}
    assert effects
    assert all(effect == ("ends" if "with Chidinma" in fact else STANDS) for fact, effect in effects.items())
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, pairs)))
    assert read_nominated(path) == pairs


@each("change", [{"n": "one"}, {"day": "May"}, {"ends": [{"n": 1}]}])
def test_a_bad_message_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    """With its file."""
    path = tmp_path / "short.jsonl"
    path.write_text(json.dumps(SAID[0] | change), encoding="utf-8")
    with pytest.raises(InputError, match=r"^short\.jsonl"):
        read_changes(path)


def test_all_labelled_lives_are_sound() -> None:
    """What ends or stands was said before, in those words, by the same person."""
    for path in [*LABELLED.glob("effects/lives/*.jsonl"), *LABELLED.glob("held-out/effects-*/*.jsonl")]:
        life = read_changes(path)
        assert [message.n for message in life.messages] == list(range(1, len(life.messages) + 1)), path.name
        assert len(list(told_pairs(life))) > 100, path.name
        for message in life.messages:
            for passage in (*message.ends, *message.stands):
                first = life.messages[passage.n - 1]
                assert passage.n < message.n, (path.name, message.n)
                assert first.author == message.author == life.author, (path.name, message.n)
                assert passage.words in first.text, (path.name, message.n)
                assert passage.effect in {*EFFECTS, STANDS}, (path.name, message.n)
