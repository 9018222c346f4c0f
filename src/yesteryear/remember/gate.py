"""Which exchanges are worth keeping, and why: safety first, then commands, then what a trained head makes of features.

Every verdict carries its features, so that it can be explained and repeated. Features and head are English.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from yesteryear.core.heads import LinearHead, find_head
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.requests import asks_to_remember, read_forget_request
from yesteryear.core.language.sentences import both_ends
from yesteryear.core.language.tokens import words
from yesteryear.core.language.told.about_oneself import Concern, says_of_oneself
from yesteryear.core.language.told.kept_by_form import kept_by_form
from yesteryear.core.language.told.tasks import answered_task
from yesteryear.core.message import KEEP_REASONS, Exchange, Message, Outcome, Reason, Role, Verdict
from yesteryear.core.reading import MessageReading
from yesteryear.errors import ConfigError
from yesteryear.remember.gate_features import gate_features, is_other_language, split_by_author

HEAD = "gate"  # name of the trained head
AMONG_PEOPLE = "among_people"  # the feature that says whether `GatePolicy.between_people` was added: 0 or 1

_READ_CHARS = 20_000  # characters in which rules look at once
_STATEMENT_CHARS = 4_000  # characters of one message in which plain statements are looked for, half from each end
_REQUESTS = frozenset({Reason.FORGET_REQUEST, Reason.EXPLICIT_REQUEST})
"""Reasons that are never a guess: "you asked" stands where a rule saw a request."""
_REASON_OF = {Concern.SELF: Reason.PERSONAL, Concern.PEOPLE: Reason.RELATIONAL}
_OVERLAP_CHARS = 1_000  # characters that two parts of a long text share, so that no order is cut in two


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """When an exchange is kept."""

    keep_at: float = 0.5
    """Score in [0, 1] from which an exchange is kept once doubt has to end. Source: even odds."""
    unsure_below: float = 0.25
    """Scores in [0, 1] below this are a plain SKIP. Source: cross-validation, see the model card."""
    unsure_above: float = 0.75
    """Scores in [0, 1] above this are a plain KEEP; between the two the verdict is UNSURE. Source: as above."""
    keep_at_worth: float = 0.4
    """As ``keep_at``, where a reader tells the worth. Source: plain sentences, talk and exchanges held out: at even
    odds it skips more of what matters than it keeps of what does not."""
    between_people: float = 1.0
    """Added to the log-odds in talk among people, at least 0: what they ask each other is no task for an assistant."""
    unsure_below_for_model: float = 0.05
    """As ``unsure_below``, in [0, 1], where a language model reads what the gate lets through: it answers what the gate
    is unsure of in a call that is made anyway. Source: annotated dialogs and a model that knows all answers; of their
    facts .96 get through at .25, .99 at .05, for a tenth more tokens read."""

    def for_model(self) -> GatePolicy:
        """Return the policy where a language model reads what is let through."""
        return replace(self, unsure_below=self.unsure_below_for_model)


def judge(
    exchange: Exchange,
    policy: GatePolicy,
    *,
    previous: Message | None = None,
    readings: Mapping[str, MessageReading] = MappingProxyType({}),
    head: LinearHead | None = None,
) -> Verdict:
    """Decide whether an exchange is worth keeping.

    In this order: what nobody in the role of a user said is skipped, so is what has no words, so is text with pasted
    orders to an assistant, so is what somebody asks to forget; what somebody asks to remember is kept, so is another
    language, and so is what anybody plainly says of their own life, however much is said beside it; the rest goes by
    its score. A score within the band of doubt gives UNSURE, with the reason of the side it leans to.

    Replies are not read. ``previous``, the message before, tells answers and echoes if it is an assistant's, and talk
    among people if it is another person's. ``readings`` of messages, by id, tell the score where a reader with a model
    made them; else a trained head of named features does, of several authors that of the one with most to say; ``head``
    is another than the shipped one.
    """
    ruled = _ruled(exchange) or _plain_statement(exchange, previous)
    if ruled is not None:
        reason, rule = ruled
        is_kept = reason in KEEP_REASONS
        outcome = Outcome.KEEP if is_kept else Outcome.SKIP
        features = gate_features(exchange, previous=previous)
        return Verdict(outcome, reason, float(is_kept), policy.keep_at, rule, features)
    before = {previous.author} if previous is not None and previous.role is Role.USER else set()
    among_people = {AMONG_PEOPLE: float(len(before | {message.author for message in exchange.asked}) > 1)}
    head = head or gate_head()
    told = [gate_features(said, previous=previous) | among_people for said in split_by_author(exchange)]
    scores = [keep_score(features, policy, head) for features in told]
    score, features = max(zip(scores, told, strict=True), key=lambda scored: scored[0])
    read = [found for message in exchange.told if (found := readings.get(message.id)) and found.vector is not None]
    if not read:
        return _verdict(score, features, policy, head, keep_at=policy.keep_at)
    worth = max(reading.is_worth for reading in read)
    unwanted = head.probabilities(features)[Reason.FORGET_REQUEST]
    if unwanted >= policy.keep_at:  # more likely a wish to forget it than not: it is left out, and nobody is told so
        worth *= 1 - unwanted
    return _verdict(worth, features, policy, head, keep_at=policy.keep_at_worth)


def keep_score(features: Mapping[str, float], policy: GatePolicy, head: LinearHead) -> float:
    """Return how much speaks for keeping, in [0, 1], from the features of a verdict that no rule decided.

    sigmoid(log(sum of the probabilities to keep / sum of those to skip) + between_people * AMONG_PEOPLE).
    """
    logits, keeps = head.logits(features), np.array([name in KEEP_REASONS for name in head.classes])
    log_odds = float(np.logaddexp.reduce(logits[keeps]) - np.logaddexp.reduce(logits[~keeps]))
    log_odds += policy.between_people * features[AMONG_PEOPLE]
    return (1 + math.tanh(log_odds / 2)) / 2


def gate_head() -> LinearHead:
    """Return the shipped head."""
    found = find_head(HEAD)
    if found is None:
        raise ConfigError("the gate's weights are missing; reinstall yesteryear")
    return found


def _verdict(
    score: float, features: Mapping[str, float], policy: GatePolicy, head: LinearHead, *, keep_at: float
) -> Verdict:
    """Return what a score means; of the reasons on its side, the likeliest by named features."""
    reasons = dict(zip(head.classes, head.logits(features).tolist(), strict=True))
    is_kept = score >= keep_at
    may_be = (r for r in Reason if (r in KEEP_REASONS) is is_kept and r not in _REQUESTS)
    likeliest = max(may_be, key=lambda r: reasons[r])
    outcome = Outcome.KEEP if is_kept else Outcome.SKIP
    if policy.unsure_below <= score <= policy.unsure_above:
        outcome = Outcome.UNSURE
    return Verdict(outcome, likeliest, score, keep_at, None, features)


def _ruled(exchange: Exchange) -> tuple[Reason, str] | None:
    """Return the reason and the name of the rule that settles an exchange whatever its score, if one does."""
    if not exchange.asked:
        return Reason.ASSISTANT_ONLY, "nobody_spoke"
    if not any(words(both_ends(message.content, chars=_READ_CHARS)) for message in exchange.asked):
        return Reason.TRIVIAL, "no_words"
    brought_in = [message.content for message in exchange.messages if message.role in (Role.USER, Role.TOOL)]
    if any(looks_injected(window) for text in brought_in for window in _windows(text)):
        return Reason.INSTRUCTION_INJECTION, "pasted_order"
    texts = [message.content for message in exchange.told]  # commands are read in their own words, at both ends
    wishes = [read_forget_request(text) for text in texts]
    if any(requested is not None and not requested.is_proposal for requested in wishes):
        return Reason.FORGET_REQUEST, "asks_to_forget"
    if any(asks_to_remember(text) for text in texts):
        return Reason.EXPLICIT_REQUEST, "asks_to_remember"
    if any(is_other_language(text) for text in texts):
        return Reason.PERSONAL, "other_language"
    return None


def _plain_statement(exchange: Exchange, previous: Message | None) -> tuple[Reason, str] | None:
    """Return the reason and the rule where a message, read by itself, plainly says something of its speaker's life."""
    before = previous
    for message in exchange.messages:
        if message in exchange.told:
            is_asked = before is not None and (before.role is Role.ASSISTANT or before.author != message.author)
            question = both_ends(before.content, chars=_STATEMENT_CHARS) if before is not None and is_asked else ""
            text = both_ends(message.content, chars=_STATEMENT_CHARS)
            concern = says_of_oneself(text, question=question)
            if concern is not None:
                return _REASON_OF[concern], "about_oneself"
            if any(kept_by_form(text)) or answered_task(question, text):
                return Reason.PERSONAL, "kept_by_form"
        before = message
    return None


def _windows(text: str) -> list[str]:
    """Return the whole of a text in overlapping parts: an order must not hide in the middle of a long paste."""
    return [text[start : start + _READ_CHARS] for start in range(0, len(text) or 1, _READ_CHARS - _OVERLAP_CHARS)]
