"""What every reader promises, and what the one with a model does when its files are not as they should be."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.workshop import open_workshop
from yesteryear.core.reading import Before, MessageReading, RetractedSentence
from yesteryear.errors import ProviderUnavailable
from yesteryear.ports import Reader
from yesteryear.providers.local.word_reader import WordReader
from yesteryear.providers.minilm.reader import MiniLMReader
from yesteryear.providers.minilm.weights import (
    MANIFEST_FILE,
    READER,
    TAUGHT,
    find_model,
    verify,
)
from yesteryear.providers.registry import build_reader

NOT_INSTALLED = "the reader is not installed: run `yesteryear model install`"
ALLERGY = "I'm allergic to shellfish."
ODD = [
    *(
        "",
        " \n\t",
        "\x00",
        "\ud800 hello \udfff",
        "🎉🎉",
        "...",
        "?!",
        "e\u0301" * 50,
        "名前はアナです。",
        "İstanbul’da ığdır",
    ),
    *("x" * 20_000, "ok\n" * 500, "I like tea. " * 100, "[SEP] [CLS]", '"' * 300, "a\u200d\u200db", "مرحبا بالعالم"),
]
TEXTS = st.text(st.characters(codec=None), max_size=120) | st.lists(
    st.sampled_from([ALLERGY, "my mum is a nurse", "and", ", ", "why?", "so I left.", "🎉", "1,200", "’s", "\n"]),
    max_size=12,
).map(" ".join)
BEFORE = st.lists(st.builds(Before, st.sampled_from(["me", "them", "assistant"]), TEXTS), max_size=2).map(
    lambda said: [each._replace(id=str(place)) for place, each in enumerate(said)]
)


@pytest.fixture(scope="module")
def installed() -> Path:
    """Return where the reader is installed."""
    folder = find_model()
    if folder is None or verify(folder).reader != READER:
        pytest.skip(NOT_INSTALLED)
    return folder


@pytest.fixture(scope="module", params=["words", "minilm"])
def reader(request: pytest.FixtureRequest) -> Iterator[Reader]:
    """Return each shipped reader in turn."""
    if request.param == "minilm":
        request.getfixturevalue("installed")
    built = build_reader(request.param)
    yield built
    built.close()


@pytest.fixture
def model(installed: Path) -> Iterator[MiniLMReader]:
    """Return the reader with a model."""
    built = MiniLMReader(installed)
    yield built
    built.close()


@pytest.fixture
def copy(installed: Path, tmp_path: Path) -> Path:
    """Return an installed model that a test may break."""
    return Path(shutil.copytree(installed, tmp_path / "model"))


def assert_sound(reading: MessageReading, text: str, before: Sequence[Before] = ()) -> None:
    """Check that sentences and statements lie in the text and in order, and that all shares are in [0, 1]."""
    ends = [0]
    for sentence in reading.sentences:
        assert ends[-1] <= sentence.start < sentence.end <= len(text)
        ends.append(sentence.end)
        assert 0 <= sentence.worth <= 1
        for statement in sentence.statements:
            assert sentence.start <= statement.start < statement.end <= sentence.end
            assert 0 <= statement.worth <= 1
            assert statement.attribute != "other"
        places = [(statement.start, statement.end) for statement in sentence.statements]
        assert places == sorted(places)
    texts = {"": text} | {each.id: each.text for each in before}
    assert all(0 <= start < end <= len(texts[name]) for name, start, end in reading.retracted)
    assert 0 <= reading.is_worth <= 1


def told(reading: MessageReading) -> object:
    """Return a reading as what can be compared."""
    sentences = [
        (each.start, each.end, each.worth, each.stance, each.answers, each.statements) for each in reading.sentences
    ]
    vectors = [reading.vector, *(each.vector for each in reading.sentences)]
    return (
        reading.reader,
        reading.is_worth,
        reading.retracted,
        sentences,
        [None if each is None else each.tolist() for each in vectors],
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, before=BEFORE)
def test_what_is_read_lies_in_the_message(reader: Reader, text: str, before: list[Before]) -> None:
    """Whatever it is and whatever came before it; the same twice."""
    reading = reader.read(text, before=before)
    assert reader.version.startswith(reading.reader)
    assert_sound(reading, text, before)
    assert told(reading) == told(reader.read(text, before=before))


def test_no_statement_is_cut_before_what_it_says(model: MiniLMReader) -> None:
    """Where "so" stands behind "are" it joins nothing."""
    text = "My kids are so excited about summer break!"
    [sentence] = model.read(text).sentences
    assert [text[each.start : each.end] for each in sentence.statements] == [text]


def test_odd_messages_are_read_like_any_other(reader: Reader) -> None:
    """Empty, endless, broken, of any script: no error, and no warning."""
    for text in ODD:
        assert_sound(reader.read(text), text)


def test_what_is_plainly_said_is_worth_more_than_courtesy(reader: Reader) -> None:
    """The least that a reader has to tell apart."""
    plain, courtesy = reader.read(ALLERGY), reader.read("ok thanks, bye")
    assert plain.is_worth > courtesy.is_worth
    (statement,) = plain.statements
    assert ALLERGY[statement.start : statement.end] == ALLERGY


def test_answers_of_others_state_nothing_of_whoever_brings_them(model: MiniLMReader) -> None:
    """What tells it is what was asked for; one's own news beside a mention of others' words stays one's own."""
    text = "Put these survey answers in a table.\nMilos - I was fired in January\nDana - I am on sick leave"
    _, *answers = model.read(text).sentences
    assert [(answer.is_brought, answer.statements) for answer in answers] == [(True, ()), (True, ())]
    assert not any(sentence.is_brought for sentence in model.read(f"I had a letter today. {ALLERGY}").sentences)


@each(
    ("text", "meant"),
    [
        ("I live in Leith. If I win the lottery I'll buy a houseboat and you can be captain.", False),
        ("I live in Leith. Imagine we had a dog and he drove the car.", False),
        ("I live in Leith. If it rains I take the 42 to work.", True),
        ("I live in Leith. I could eat rye bread every day, I love it.", True),
    ],
)
def test_what_is_not_meant_as_it_stands_is_found(model: MiniLMReader, text: str, *, meant: bool) -> None:
    """By how it is said; what stands beside it is meant, and so is what is only told in such words."""
    found = model.read(text).retracted
    assert found == (() if meant else (RetractedSentence("", text.index(". ") + 2, len(text)),))


@each(
    ("said", "then", "back"),
    [
        ("I am a famous singer.", "In the shower, that is. I'm a plumber.", True),
        ("I was born on a ship.", "That's what the man on the radio just said, I only wrote it down.", True),
        ("I ran a marathon this morning.", "It rained the whole way.", False),
        ("I bought a boat.", "I should never have bought it, what an idiot I am.", False),
        ("I'm moving to Leeds.", "I've changed my mind, I'm staying.", False),
        ("My exam is on wednesday.", "no, it's thursday", False),
    ],
)
def test_what_is_taken_back_in_ones_own_words_is_found(
    model: MiniLMReader, said: str, then: str, *, back: bool
) -> None:
    """Regret, a change of mind and a detail that is put right take nothing back."""
    before = [Before("me", said, "one"), Before("assistant", "Really? Tell me more!", "two")]
    found = model.read(then, before=before).retracted
    assert found == ((RetractedSentence("one", 0, len(said)),) if back else ())
    unnamed = model.read(then, before=[each._replace(id="") for each in before])
    assert unnamed.retracted == ()  # nobody could tell where it stands


def test_a_message_is_read_the_same_in_any_company(model: MiniLMReader, installed: Path) -> None:
    """After others or as the first; only what is given as said before matters."""
    alone = told(MiniLMReader(installed).read(ALLERGY))
    for text in ODD[:6]:
        model.read(text)
    assert told(model.read(ALLERGY)) == alone
    model.close()
    assert told(model.read(ALLERGY)) == alone
    assert told(model.read(ALLERGY, before=[Before("them", "What can't you eat?")])) != alone


def test_vectors_have_the_shape_that_heads_read(model: MiniLMReader) -> None:
    """Of the message, and of unit length of each sentence; words alone have none."""
    reading = model.read(f"{ALLERGY} My mum is a nurse.")
    assert reading.vector is not None
    assert reading.vector.shape == (384,)
    vectors = np.stack([sentence.vector for sentence in reading.sentences if sentence.vector is not None])
    assert vectors.shape == (2, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert WordReader().read(ALLERGY).vector is None


@each(
    ("fact", "text"),
    [
        ("Joel lives in Leith.", "we moved to Portobello"),
        ("tea " * 200, "hello"),
        ("", "hello"),
        ("\u200d", "x"),
        ("a", ""),
    ],
)
def test_effects_are_shares_of_one(model: MiniLMReader, fact: str, text: str) -> None:
    """Also where a fact or a message has no words: then nothing is done."""
    found = model.effects(fact, text, before=[Before("them", "And now?")])
    assert sum(found.values()) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in found.values())


@pytest.mark.parametrize("name", [*(part.file for part in TAUGHT if part.reads), MANIFEST_FILE])
@pytest.mark.parametrize("damage", ["missing", "cut short", "changed"])
def test_a_broken_reader_says_what_to_run(copy: Path, name: str, damage: str) -> None:
    """Whatever happened to it; loading fails, not the process."""
    content = (copy / name).read_bytes()
    (copy / name).unlink()
    if damage != "missing":
        (copy / name).write_bytes(content[: len(content) // 2] if damage == "cut short" else content[::-1])
    with pytest.raises(ProviderUnavailable, match="yesteryear model install"):
        MiniLMReader(copy).read(ALLERGY)


def change_manifest(folder: Path, **changes: object) -> None:
    """Write a manifest with other values."""
    manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest | changes), encoding="utf-8")


@pytest.mark.parametrize("model", ["reader", "discourse", "effects"])
@pytest.mark.parametrize("version", ["", "reader-0"])
def test_an_install_of_another_version_is_told_to_install_again(copy: Path, model: str, version: str) -> None:
    """Also one of before there was a reader, or one of the others."""
    change_manifest(copy, **{model: version})
    with pytest.raises(ProviderUnavailable, match=f"'{version}'.*yesteryear model install"):
        MiniLMReader(copy).read(ALLERGY)


def test_without_the_reader_the_engine_goes_on_by_words(copy: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so; the fact says what read it."""
    change_manifest(copy, reader="")
    with open_workshop(":memory:", reader="minilm", model_folder=str(copy)) as shop:
        memory = shop.memory()
        memory.observe(ALLERGY)
        memory.flush()
        (fact,) = memory.facts()
        why = memory.why(fact.id).fact
    assert why is not None
    assert (why.statement, why.reader) == ("user is allergic to shellfish", WordReader().version)
    assert "by words alone" in caplog.text


def test_a_reader_asked_for_by_name_is_not_replaced(tmp_path: Path) -> None:
    """The error says what to run; "auto" takes words where nothing is installed, or the embedder needs no model."""
    with pytest.raises(ProviderUnavailable, match="yesteryear model install"):
        build_reader("minilm", model_folder=tmp_path)
    assert isinstance(build_reader("auto", model_folder=tmp_path), WordReader)
    assert isinstance(build_reader("auto", is_hashing=True), WordReader)
