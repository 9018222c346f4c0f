"""Labelled rows as windows, with what their sentences are among those around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from yesteryear.core.language.sentences import Span, sentence_spans
from yesteryear.core.reading import HEARD, Before
from yesteryear.providers.minilm.discourse import MOST_BEFORE, own_sentences, sentences_before, tokens_of
from yesteryear.providers.minilm.embedder import WordPiece
from yesteryear.providers.minilm.placing import Window, windows
from yesteryear_lab.reading.examples import IGNORED, Example, Examples
from yesteryear_lab.reading.rows import LabelledMessage
from yesteryear_lab.training.rows import Row, read_rows

BROUGHT, BACK, HELPS, ALONE = "brought", "back", "helps", "alone"
"""Whether a sentence is somebody else's; whether it is taken back; whether it says what another one lacks; whether a
statement is understood by itself."""
NOT_MEANT = frozenset({"joking", "imagined"})  # stances of talk in which a sentence is not meant as it stands
_OPEN = "?"  # stands for what is open and nowhere said


class Lesson(NamedTuple):
    """A window, and what is to be told of sentences by their tokens."""

    window: Window
    sentences: Sequence[tuple[Span, int, int]] = ()
    """Tokens, whether it is brought along, and whether it is taken back; ``IGNORED`` where that is not known."""
    pairs: Sequence[tuple[Span, Span, int]] = ()
    """Tokens of a sentence and of a later one, and whether the first says what the later lacks."""
    statements: Sequence[tuple[Span, Span, int]] = ()
    """Tokens of a statement and of its sentence, and whether it is understood by itself."""


class Lessons:
    """Reads labelled rows with one vocabulary."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """Begin with the pieces of words, by number."""
        self._words = WordPiece(vocabulary)
        self.examples = Examples(vocabulary, most_before=MOST_BEFORE, heard=HEARD)

    def of_brought(self, examples: Iterable[Example]) -> Iterator[Lesson]:
        """Yield what examples tell of whose words their sentences are."""
        for one in examples:
            told = [((each.start, each.end), each.gold[BROUGHT], IGNORED) for each in one.sentences]
            if told:
                yield Lesson(one.window, told)

    def of_taken_back(self, path: Path) -> Iterator[Lesson]:
        """Yield the messages of rows up to the one that takes something back; before it nothing is."""
        for row in read_rows(path):
            said = [Before(_who(message, row), message["text"], str(n)) for n, message in enumerate(row["messages"])]
            for place in range(row["by"] + 1):
                if said[place].who == "me":
                    pieces = list(_pieces(row)) if place == row["by"] else []
                    yield from self._of(said[place], said[max(0, place - HEARD) : place], pieces)

    def of_talk(self, message: LabelledMessage) -> Iterator[Lesson]:
        """Yield a message of ordinary talk: in it, what is in jest or imagined was not meant as it stands.

        Whether a jest also takes back what was said before is not known.
        """
        pieces = [
            _Piece("0", (each.start, each.end), 1 if label.stance in NOT_MEANT else IGNORED)
            for each in message.sentences
            for label in each.labels
            if label.stance in {*NOT_MEANT, "quoted"}
        ]
        for one in self._of(Before("me", message.text, "0"), message.before, pieces):
            own = [told for told in one.sentences if told[0][0] >= one.window.first]
            yield one._replace(sentences=own) if pieces else one

    def of_statements(self, path: Path) -> Iterator[Lesson]:
        """Yield judged statements beside what their speaker said before them."""
        for row in read_rows(path):
            before = [Before(who, text, str(n)) for n, (who, text) in enumerate(row["before"])]
            spans = list(sentence_spans(row["text"]))
            around = next((span for span in spans if span[0] <= row["start"] < span[1]), (row["start"], row["end"]))
            wanted = [phrase.casefold() for _, phrase in row["needs"] if phrase != _OPEN]
            for window in windows(row["text"], spans, before, self._words, most_before=MOST_BEFORE):
                statement, later = (tokens_of(window, *span) for span in ((row["start"], row["end"]), around))
                if statement is None or later is None:
                    continue
                own = (each for each in own_sentences(window, spans) if each.span[1] <= around[0])
                pairs = [
                    (each.tokens, later, int(any(phrase in each.text.casefold() for phrase in wanted)))
                    for each in (*sentences_before(window, before), *own)
                ]
                yield Lesson(window, pairs=pairs, statements=[(statement, later, int(not row["needs"]))])
                break

    def _of(self, message: Before, before: Sequence[Before], pieces: Sequence[_Piece]) -> Iterator[Lesson]:
        spans = list(sentence_spans(message.text))
        for window in windows(message.text, spans, before, self._words, most_before=MOST_BEFORE):
            names = [*(each.id for each in before), message.id]
            told = [
                (each.tokens, IGNORED, _gold(names[each.message], each.span, pieces))
                for each in (*sentences_before(window, before), *own_sentences(window, spans))
            ]
            if told:
                yield Lesson(window, told)


def _who(message: Row, row: Row) -> str:
    if message["role"] != "user":
        return "assistant"
    return "me" if message.get("author", row["author"]) == row["author"] else "them"


class _Piece(NamedTuple):
    """Some words of a message, and whether they are taken back; ``IGNORED`` where that is not known."""

    message: str
    span: Span
    gold: int


def _pieces(row: Row) -> Iterator[_Piece]:
    for place, piece in row["back"]:
        start = row["messages"][place]["text"].find(piece)
        yield _Piece(str(place), (start, start + len(piece)), 1)


def _gold(message: str, sentence: Span, pieces: Iterable[_Piece]) -> int:
    """Return what holds of the piece that most of a sentence lies in; ``IGNORED`` where less of it lies in one."""
    start, end = sentence
    shared, gold = max(
        ((min(end, one.span[1]) - max(start, one.span[0]), one.gold) for one in pieces if one.message == message),
        default=(0, 0),
    )
    if shared <= 0:
        return 0
    return IGNORED if 2 * shared < end - start else gold
