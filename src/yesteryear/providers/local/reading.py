"""Read a talk sentence by sentence, in bounded time: who says it, is it theirs, does it ask or state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from yesteryear.core.episode import Talk
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import sentence_spans, split_passages, split_sentences
from yesteryear.core.language.tokens import fold, stems, words
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Message, Outcome, Role
from yesteryear.core.retracted import NextCorrection
from yesteryear.providers.local.facts.corrected import Corrected, find_next_corrections, without_first

_LEXICON = vocabulary("lexicon")

MESSAGE_CHARS = 6_000
"""Characters read of one message, half from each end; what stands between is left out, so that time is bounded."""
SENTENCE_WORDS = 60  # words from which a sentence counts as endless and is cut for show
SENTENCES = 300  # sentences kept of one talk, half from each end
_OWN_WORDS = 3  # fewest words of their own around a quotation that make the sentence the speaker's
_CODE_MARKS = re.compile(r"[{}<>=;|\\_/]|\w\(|https?:")
_CODE_SHARE = 0.04  # marks of code or addresses for each character from which a sentence is no prose
_LEADING = re.compile(r"^(?:[-*•>#]+|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a talk, with what can be told from its form."""

    text: str  # as it was said, without the mark of a list before it
    folded: str  # for matching word lists
    message: Message
    place: float  # where its message stands in the talk: 0 the first, 1 the last
    stems: tuple[str, ...]  # content words, in order
    is_question: bool
    is_task: bool
    is_own: bool = True
    """Whether whoever wrote the message says it; False for what they quoted, pasted or brought along."""

    @property
    def is_users(self) -> bool:
        """Whether somebody in the role of a user says it themselves."""
        return self.message.role is Role.USER and self.is_own

    @property
    def is_statement(self) -> bool:
        """Whether it tells something."""
        return not (self.is_question or self.is_task)

    def says(self, *names: str) -> bool:
        """Tell whether it has any of some patterns of the lexicon."""
        return any(_LEXICON[name].search(self.folded) for name in names)


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """What was read of a talk."""

    sentences: tuple[Sentence, ...]
    """Prose of users and assistants in their own words, in order; whatever was said where there is none."""
    own: int  # words the users said in their own words
    quoted: int  # words the users quoted or pasted


def read_talk(talk: Talk, *, yield_to_foreground: Callable[[], None]) -> SentenceReading:
    """Read what of a talk is worth keeping; all of it where nothing is.

    Code, addresses and what was quoted or pasted are left out, and so are tools and instructions to the assistant;
    unless there is nothing else.
    """
    settled = [verdict.settled().outcome for verdict in talk.verdicts]
    kept = [exchange for exchange, outcome in zip(talk.exchanges, settled, strict=True) if outcome is not Outcome.SKIP]
    brought = frozenset().union(*(exchange.brought for exchange in talk.exchanges))
    everything = [message for exchange in (kept or talk.exchanges) for message in exchange.messages]
    messages = [said for said in everything if said.role in (Role.USER, Role.ASSISTANT)] or everything
    prose: list[Sentence] = []
    rest: list[Sentence] = []
    own_count = quoted_count = 0
    put_right = find_next_corrections(talk)
    told_before: dict[str, int] = {}  # by message, up to where it is told with the one that it puts right
    for number, message in enumerate(messages):
        text = _ends(without_first(message, told_before.get(message.id, 0)).content)
        own, quoted = ("", text) if message.id in brought else own_words(text)
        if message.role is Role.USER:
            own_count += len(words(own))
            quoted_count += len(words(quoted))
        place = number / max(1, len(messages) - 1)
        then = put_right.get(message.id) if text == message.content else None
        told_before |= {then.message.id: then.correction.end - then.begin} if then else {}
        for said, told in _told_together(message, text, then):
            yield_to_foreground()
            is_own = _is_own(said, own)
            sentence = _read(_LEADING.sub("", told) or told, message, place, is_own=is_own)
            is_prose = len(_CODE_MARKS.findall(sentence.text)) <= _CODE_SHARE * len(sentence.text)
            (prose if is_own and is_prose else rest).append(sentence)
    sentences = prose or rest
    if len(sentences) > SENTENCES:
        sentences = sentences[: SENTENCES // 2] + sentences[-SENTENCES // 2 :]
    return SentenceReading(tuple(sentences), own_count, quoted_count)


def _told_together(message: Message, text: str, then: NextCorrection | None) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a message, each as it stands and with what puts it right; only people put right."""
    if message.role is Role.USER:
        yield from Corrected.of(replace(message, content=text), then).told_together(sentence_spans(text))
    else:
        yield from ((said, said) for said in split_sentences(text))


def _ends(text: str) -> str:
    """Return a text, or of a long one its beginning and its end without the sentences that are cut there."""
    if len(text) <= MESSAGE_CHARS:
        return text
    head, tail = text[: MESSAGE_CHARS // 2], text[-MESSAGE_CHARS // 2 :]
    *_, last = [(0, 0), *sentence_spans(head)]
    _, first_end = next(sentence_spans(tail), (0, 0))
    return f"{head[: last[0]] or head}\n{tail[first_end:] or tail}"


def _is_own(said: str, own: str) -> bool:
    """Tell whether a sentence is the speaker's own, or says in their own words what they quote."""
    if said in own:
        return True
    around, quoted = own_words(said)
    return bool(quoted) and len(words(around)) >= _OWN_WORDS


def _read(text: str, message: Message, place: float, *, is_own: bool) -> Sentence:
    if len(text) > SENTENCE_WORDS:
        beginning, *further = split_passages(text, words=SENTENCE_WORDS)
        text = f"{beginning}…" if further else beginning
    folded = fold(text)
    return Sentence(
        text=text,
        folded=folded,
        message=message,
        place=place,
        stems=tuple(stems(text)),
        is_question=text.rstrip("\"')").endswith("?") or _LEXICON["question"].match(folded) is not None,
        is_task=_LEXICON["task"].match(folded) is not None,
        is_own=is_own,
    )
