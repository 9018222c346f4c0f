"""Which exchanges are worth keeping, and why.

Safety first, then commands, then a score over named features; only what people say in the role of a user counts. Every
verdict carries its features, so that it can be explained and repeated. The features are English, as the word lists are;
talk in another language is kept unless it is empty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from yesteryear.core.language import lexicon
from yesteryear.core.language.cues import asks_to_forget, asks_to_remember
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.quoting import own_words
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.tokens import STOP_WORDS, stems, words
from yesteryear.core.message import KEEP_REASONS, Exchange, Message, Outcome, Reason, Role, Verdict

_READ_CHARS = 20_000
"""Characters read of one message, half from each end: bounds the time of a verdict."""
_OVERLAP_CHARS = 1_000
"""Characters that two parts of a long text share, so that no order is cut in two."""
_MATCHES_SATURATE = 2
"""Matches of one word list from which its feature is 1."""
_ECHO_STEMS = 3
"""Fewest content words whose overlap with the message before says anything."""
_FOREIGN_WORDS = 4
"""Fewest words from which a text can be told to be in another language."""


@dataclass(frozen=True, slots=True)
class GateWeights:
    """What each feature adds to the log-odds of keeping an exchange; features are in [0, 1].

    Source: logistic regression (L2, C = 1) on hand-labelled exchanges of daily life that no command decides, rounded to
    0.1; ``other_language`` is set by hand. Exchanges about work were held out.
    """

    bias: float = -0.4
    """Log-odds of a text that no list knows."""
    speaker: float = 0.8
    """A statement with "I" or "we"."""
    identity: float = 1.4
    """Work, place, health, ability, taste, possession."""
    lasting: float = 1.4
    """Habits and histories."""
    commitment: float = 1.4
    """A choice made, or a step that follows from one."""
    past: float = 1.0
    """Something that happened to people."""
    date: float = 1.3
    """Days, months, seasons."""
    names: float = 0.9
    """Capitalised words inside a sentence."""
    life_event: float = 0.9
    """Birth, death, illness, union and parting, promises."""
    emotion: float = 0.4
    """Feelings named or shown."""
    close_people: float = 0.2
    """Family, friends and others in the speaker's life."""
    bond: float = 0.5
    """What is between the speaker and the one they talk to."""
    answer: float = 0.2
    """No question, after a question of the assistant."""
    other_language: float = 1.0
    """More words of other languages than of English grammar: unread is better kept than lost."""
    question: float = -0.7
    """Share of sentences that ask."""
    impersonal_question: float = -1.4
    """Share of sentences that ask about the world rather than the speaker."""
    memory_question: float = -0.2
    """The speaker asks what the other side knows of them."""
    task: float = -1.4
    """Share of sentences that set a task."""
    passing: float = -1.8
    """A state of the next minutes or hours."""
    fiction: float = -2.8
    """Invented worlds, parts played, cases put."""
    mockery: float = -0.9
    """Irony."""
    memory_frame: float = -1.4
    """The wording of memory shown back."""
    echo: float = -0.4
    """Share of content words that stand in the assistant's message before."""
    quoted: float = -1.1
    """Share of words that are quoted or pasted."""
    filler: float = -2.5
    """Share of words of greeting, thanks, assent and grammar; 1 for a text without words."""


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """When an exchange is kept."""

    keep_at: float = 0.5
    """Score in [0, 1] from which an exchange is kept once doubt has to end. Source: even odds."""
    unsure_below: float = 0.35
    """Scores in [0, 1] below this are a plain SKIP. Source: measured bands of a comparable gate."""
    unsure_above: float = 0.65
    """Scores in [0, 1] above this are a plain KEEP; between the two the verdict is UNSURE. Source: as above."""
    weights: GateWeights = GateWeights()
    """Of the features."""


def judge(exchange: Exchange, policy: GatePolicy, *, previous: Message | None = None) -> Verdict:
    """Decide whether an exchange is worth keeping.

    In this order: what nobody in the role of a user said is skipped, so is text with pasted orders to an assistant, so
    is what somebody asks to forget; what somebody asks to remember is kept; the rest goes by its score, of several
    authors that of the one with most to say. A score within the band of doubt gives UNSURE, with the reason of the side
    it leans to.

    Args:
        exchange: What was said and the replies to it; the replies are not read.
        policy: Thresholds and weights.
        previous: The message before the exchange; tells answers and echoes if it is an assistant's.
    """
    candidates = [gate_features(own, previous=previous) for own in _by_author(exchange)]
    features = max(candidates, key=lambda found: keep_score(found, policy.weights))
    ruled = _ruled(exchange)
    if ruled is not None:
        reason, rule = ruled
        is_kept = reason in KEEP_REASONS
        outcome = Outcome.KEEP if is_kept else Outcome.SKIP
        return Verdict(outcome, reason, float(is_kept), policy.keep_at, rule, features)
    score = keep_score(features, policy.weights)
    reason = _reason(features, is_kept=score >= policy.keep_at)
    return Verdict(_outcome(score, policy), reason, score, policy.keep_at, None, features)


def gate_features(exchange: Exchange, *, previous: Message | None) -> dict[str, float]:
    """Return the named features of what was said in the role of a user, each in [0, 1].

    Args:
        exchange: Several messages count as one text, whoever said them.
        previous: The message before the exchange; read only if it is an assistant's.
    """
    own, quoted = own_words("\n\n".join(_read(message) for message in exchange.asked))
    folded = lexicon.fold(own)
    sentences = split_sentences(folded)
    questions = [text for text in sentences if _asks(text)]
    tasks = [text for text in sentences if lexicon.TASK.match(text)]
    stated = "\n".join(text for text in sentences if not _asks(text) and not lexicon.TASK.match(text))
    before = _read(previous) if previous is not None and previous.role is Role.ASSISTANT else ""
    return {
        "speaker": float(bool(lexicon.SPEAKER.search(stated))),
        "identity": _share_of_matches(lexicon.IDENTITY, folded),
        "lasting": _share_of_matches(lexicon.LASTING, folded),
        "commitment": _share_of_matches(lexicon.COMMITMENT, stated),
        "past": _share_of_matches(lexicon.PAST, stated),
        "date": _share_of_matches(lexicon.DATE, folded),
        "names": _share_of_matches(_NAME, own),
        "life_event": _share_of_matches(lexicon.LIFE_EVENT, folded),
        "emotion": _share_of_matches(lexicon.EMOTION, folded),
        "close_people": _share_of_matches(lexicon.CLOSE_PEOPLE, folded),
        "bond": _share_of_matches(lexicon.BOND, folded),
        "answer": float(before.rstrip().endswith("?") and not questions),
        "question": _share(len(questions), len(sentences)),
        "impersonal_question": _share(sum(not lexicon.SPEAKER.search(text) for text in questions), len(sentences)),
        "memory_question": float(any(lexicon.MEMORY_QUESTION.search(text) for text in questions)),
        "task": _share(len(tasks), len(sentences)),
        "passing": _share_of_matches(lexicon.PASSING, folded),
        "fiction": _share_of_matches(lexicon.FICTION, folded),
        "mockery": _share_of_matches(lexicon.MOCKERY, folded),
        "memory_frame": _share_of_matches(lexicon.MEMORY_FRAME, f"{folded}\n{lexicon.fold(quoted)}"),
        "echo": _echo(f"{own}\n{quoted}", before),
        **_word_shares(words(own), words(quoted)),
    }


def keep_score(features: Mapping[str, float], weights: GateWeights) -> float:
    """Return how much speaks for keeping, in [0, 1]: sigmoid(bias + sum of weight * feature)."""
    log_odds = weights.bias + sum(getattr(weights, name) * value for name, value in features.items())
    return (1 + math.tanh(log_odds / 2)) / 2


def _by_author(exchange: Exchange) -> list[Exchange]:
    """Return what each author in the role of a user says in an exchange; the exchange itself when there is none."""
    authors = dict.fromkeys(message.author for message in exchange.asked)
    return [
        Exchange(tuple(message for message in exchange.asked if message.author == author)) for author in authors
    ] or [exchange]


_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
"""A capitalised word inside a sentence."""

_EVIDENCE: Mapping[Reason, tuple[str, ...]] = {
    Reason.DECISION: ("commitment",),
    Reason.RELATIONAL: ("bond", "life_event", "emotion", "close_people"),
    Reason.PERSONAL: ("identity", "lasting"),
    Reason.HYPOTHETICAL: ("fiction", "mockery"),
    Reason.TRANSIENT: ("passing",),
    Reason.ECHO: ("memory_frame", "echo", "quoted"),
    Reason.ASSISTANT_ONLY: ("task", "memory_question"),
    Reason.WORLD_KNOWLEDGE: ("impersonal_question",),
    Reason.TRIVIAL: ("filler",),
}
"""Which features name a reason; of equals the first wins."""


def _ruled(exchange: Exchange) -> tuple[Reason, str] | None:
    """Return the reason and the name of the rule that settles an exchange whatever its score, if one does."""
    texts = [_read(message) for message in exchange.asked]
    if not texts:
        return Reason.ASSISTANT_ONLY, "nobody_spoke"
    brought_in = [message.content for message in exchange.messages if message.role in (Role.USER, Role.TOOL)]
    if any(looks_injected(window) for text in brought_in for window in _windows(text)):
        return Reason.INSTRUCTION_INJECTION, "pasted_order"
    if any(asks_to_forget(text) for text in texts):
        return Reason.FORGET_REQUEST, "asks_to_forget"
    if any(asks_to_remember(text) for text in texts):
        return Reason.EXPLICIT_REQUEST, "asks_to_remember"
    return None


def _outcome(score: float, policy: GatePolicy) -> Outcome:
    if policy.unsure_below <= score <= policy.unsure_above:
        return Outcome.UNSURE
    return Outcome.KEEP if score >= policy.keep_at else Outcome.SKIP


def _reason(features: Mapping[str, float], *, is_kept: bool) -> Reason:
    """Return the reason on one side with the most evidence; PERSONAL or TRIVIAL where there is none."""
    evidence = {
        reason: sum(features[name] for name in names)
        for reason, names in _EVIDENCE.items()
        if (reason in KEEP_REASONS) is is_kept
    }
    strongest = max(evidence, key=lambda reason: evidence[reason])
    if evidence[strongest]:
        return strongest
    return Reason.PERSONAL if is_kept else Reason.TRIVIAL


def _asks(sentence: str) -> bool:
    return sentence.endswith("?") or lexicon.QUESTION.match(sentence) is not None


def _windows(text: str) -> list[str]:
    """Return the whole of a text in overlapping parts: an order must not hide in the middle of a long paste."""
    return [text[start : start + _READ_CHARS] for start in range(0, len(text) or 1, _READ_CHARS - _OVERLAP_CHARS)]


def _read(message: Message) -> str:
    text = message.content
    if len(text) <= _READ_CHARS:
        return text
    return f"{text[: _READ_CHARS // 2]}\n{text[-_READ_CHARS // 2 :]}"


def _share_of_matches(pattern: re.Pattern[str], text: str) -> float:
    matches = sum(1 for _ in islice(pattern.finditer(text), _MATCHES_SATURATE))
    return matches / _MATCHES_SATURATE


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _word_shares(own: Sequence[str], quoted: Sequence[str]) -> dict[str, float]:
    fillers = sum(word in lexicon.FILLERS for word in own)
    english = sum(word in lexicon.FILLERS or word in STOP_WORDS for word in own)
    foreign = sum(word in lexicon.OTHER_LANGUAGES or not word.isascii() for word in own)
    return {
        "filler": _share(fillers, len(own)) if own else 1.0,
        "quoted": _share(len(quoted), len(quoted) + len(own)),
        "other_language": float(len(own) >= _FOREIGN_WORDS and foreign > english),
    }


def _echo(text: str, before: str) -> float:
    """Return the share of content words that stand in the message before; 0 for a text with hardly any."""
    said = stems(text)
    if len(said) < _ECHO_STEMS:
        return 0.0
    known = set(stems(before))
    return _share(sum(stem in known for stem in said), len(said))
