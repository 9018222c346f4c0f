"""How much patience calls of models get, and how much they are asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """Patience with a provider."""

    timeout_s: float = 50.0
    """Most seconds of one call, all attempts and pauses together, at least 1. A worker may be silent for 120 s and a
    night judges two batches between two looks, so twice this should be less; who takes more time, as a model on this
    machine's processor does, only risks that another worker begins the same work."""
    question_timeout_s: float = 3.0
    """Most seconds for the vector of a question, for which somebody waits; then words alone must do."""
    attempts: int = 4
    """Requests at most that a provider may leave without an answer, at least 1: it is overloaded, or asks to wait."""
    first_pause_s: float = 1.0
    """Seconds before the second request where the provider does not say for how long to wait."""
    growth: float = 3.0
    """By what each further pause is longer than the one before."""
    corrections: int = 2
    """Most times an answer that cannot be used is sent back with what is wrong with it; each costs a whole request."""
    touch_ups: int = 1
    """Most times an answer is sent back that could be used but for some of its statements; then those are left out."""
    breaker_failures: int = 5
    """After so many failed calls in a row the provider is left alone for a while."""
    breaker_rest_s: float = 120.0
    """Seconds for which it is left alone; then one call tries again."""
    concurrency: int = 4
    """Most calls at a time, from 1; others wait."""


@dataclass(frozen=True, slots=True)
class AskPolicy:
    """How much a model is asked, and may answer."""

    message_chars: int = 6_000
    """Most characters of one message that are shown, from its beginning: who writes more has pasted it."""
    talk_chars: int = 60_000
    """Most characters of a talk that are shown, about 15,000 tokens; long talk shows less of each message."""
    digest_tokens: int = 4_000
    """Most tokens of a digest; one of 15 messages takes about 1,000."""
    distil_tokens: int = 2_000
    """Most tokens of what holds over several episodes; a pattern with three quotes takes about 150."""
    pairs_a_call: int = 32
    """Most pairs of statements judged by one call, from 1."""
    tokens_a_pair: int = 60
    """Most tokens of the answer to one pair; it takes about 30."""
    temperature: float = 0.0
    """How freely a model may word an answer, from 0; models that reason do not take it."""
    act_from: float = 0.7
    """How sure a model must be, in [0, 1], for its verdict on a pair to be acted on. Models say 0.8 and more of nearly
    everything; what they are less sure of is a guess."""
