"""STEP: why something is remembered or not, how strong it is and when it fades; why a fact is believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from itertools import takewhile
from operator import attrgetter

from yesteryear.consolidate.belief.queries import message_names, review_of
from yesteryear.consolidate.retention.fade import FadePolicy
from yesteryear.core.episode import Episode
from yesteryear.core.erasure import Hidden
from yesteryear.core.fact import ASKED_TO_REMEMBER, CONFIDENTIAL, Evidence, Fact, FactStatus
from yesteryear.core.fading.confidence import (
    ConfidencePolicy,
    confidence,
    confidence_at,
    in_sittings,
    known_since,
    sinks_at,
)
from yesteryear.core.fading.half_life import falls_below, hold_of, strength_of
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.message import Message, Role, Source, Verdict
from yesteryear.core.results import Plain
from yesteryear.core.time import FOREVER, later
from yesteryear.errors import NotFound
from yesteryear.forget.seal import hidden
from yesteryear.policies import Policies
from yesteryear.ports import Transaction
from yesteryear.remember.importance import ImportancePolicy

_EXCHANGE = 8  # messages before one in which the beginning of its exchange is looked for
_AHEAD_DAYS = (30, 90, 365)  # days ahead for which it is said what will be left of a confidence without news


@dataclass(frozen=True, slots=True)
class Factor(Plain):
    """One factor of an importance."""

    name: str
    signal: float
    """How much of it was found, in [0, 1]."""
    weight: float
    """What it adds at most, in [0, 1]."""

    @property
    def adds(self) -> float:
        """What it adds."""
        return self.weight * self.signal


@dataclass(frozen=True, slots=True)
class EpisodeWhy(Plain):
    """Why an episode matters, and what becomes of it."""

    id: str
    conversation: str
    topic: str
    status: str
    detail: str
    importance: float
    """Given when written, in [0, 1]."""
    factors: tuple[Factor, ...]
    """What the importance is the sum of, up to 1; the largest first."""
    strength: float
    """What is left of the importance now, in [0, importance]."""
    half_life_days: float
    """Days in which it loses half of its strength, after all useful recalls."""
    strengthened_at: datetime
    """From when it fades: said or recorded, or last usefully recalled or restored."""
    recalls: tuple[datetime, ...]
    """When it was usefully recalled."""
    held_by: str
    """"pin" or "request" for what never fades; empty for what does."""
    gist_at: datetime | None
    """When its words go and its summary stays; None when they are gone or never go."""
    archived_at: datetime | None
    """When it leaves recall; None when it has left or never leaves."""
    messages: tuple[str, ...]
    """Ids of its messages."""
    analyst: str = ""
    """Who read it: "local", or a language model; "local: " and the reason where it worked in the place of one."""
    reader: str = ""
    """What told its facts, with its version; empty for what was made before readers had one."""


@dataclass(frozen=True, slots=True)
class MessageWhy(Plain):
    """Why a message was kept or skipped."""

    id: str
    conversation: str
    seq: int
    said_by: str
    at: datetime
    text: str
    """Empty once it is gone."""
    outcome: str | None
    """"keep" or "skip"; None while the gate has not seen it."""
    reason: str | None
    rule: str | None
    """The rule that decided; None where the score did."""
    score: float | None
    """What speaks for keeping, in [0, 1]."""
    threshold: float | None
    """The score from which it would have been kept, in [0, 1]."""
    features: Mapping[str, float] = field(default_factory=dict)
    """What the score was made from."""
    expires_at: datetime | None = None
    """When the text of a skipped message goes."""
    source: str = Source.SAID.value
    """Whose words it is: "said", "brought", "tool", "assistant" or "other"."""
    brought: tuple[str, ...] = ()
    """The passages of it that were quoted, pasted or brought along; nothing is believed for them."""


@dataclass(frozen=True, slots=True)
class EvidenceWhy(Plain):
    """One thing that speaks for or against a fact."""

    stance: str
    said_at: datetime
    said_by: str
    quote: str
    """Empty for what was done by hand, or where words are not kept."""
    message: str | None
    """Id of the message; the caller's where given. None for what was done by hand."""
    conversation: str
    weight: float
    """How sure the analyst was, in [0, 1]."""
    statement: str
    """What it was taken to state; another than the fact's where two were merged."""


@dataclass(frozen=True, slots=True)
class RulingWhy(Plain):
    """What a fact is to another."""

    other_id: str
    other: str
    verdict: str
    act: str
    is_later: bool
    """Whether the other was told later."""
    score: float | None
    """How likely the judge found the verdict, in [0, 1]; None where a rule or the person decided. How many facts were
    compared bears on what follows, too."""
    rule: str
    judge: str
    ruled_at: datetime
    conflict: str | None
    is_void: bool


@dataclass(frozen=True, slots=True)
class VersionWhy(Plain):
    """What a fact became at some moment."""

    number: int
    at: datetime
    cause: str
    status: str
    confidence: float
    statement: str
    cycle: str | None


@dataclass(frozen=True, slots=True)
class FactWhy(Plain):
    """Why a fact stands as it does."""

    id: str
    statement: str
    kind: str
    subject: str
    attribute: str
    """What of the holder it tells; empty where no attribute fits."""
    holder: str
    """Whose it is, by name or tie as it was said; empty where it is the subject's own."""
    form: str
    """How it is worded: plain, answer or quote."""
    reader: str
    """What read it, with its version; empty for what was made before readers had one."""
    status: str
    confidence: float
    """As of its last evidence, in [0, 1]."""
    confidence_now: float
    """What time has left of it."""
    sinks_at: datetime | None
    """When it is given up without news; None when it never is."""
    ahead: tuple[tuple[int, float], ...]
    """What will be left of it in so many days without news."""
    over_time: tuple[tuple[datetime, float], ...]
    """Its confidence after each thing that was said, in order."""
    evidence: tuple[EvidenceWhy, ...]
    rulings: tuple[RulingWhy, ...]
    merged: tuple[tuple[str, str], ...]
    """Ids and statements of the facts that it stands for too."""
    versions: tuple[VersionWhy, ...]
    review: str
    """Why it needs review."""
    superseded_by: str | None
    canonical_id: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    resolved_at: datetime | None
    pinned: bool
    version: int
    """Rises with every change; what a change by hand names."""
    confidential: bool = False
    """Whether the person asked that nobody be told, as far as a language model understood it."""
    asked_to_remember: bool = False
    """Whether they asked that it be remembered, understood as that."""
    loop: str = ""
    """Where something that gets done stands: open, done, dropped or lapsed; empty for all else."""


@dataclass(frozen=True, slots=True)
class Why(Plain):
    """The answer for an id: of a fact, of an episode, or of a message with the episode that holds it."""

    id: str
    message: MessageWhy | None = None
    episode: EpisodeWhy | None = None
    fact: FactWhy | None = None
    hidden: Hidden | None = None
    """Who asked to have it forgotten, and until when it can be brought back, where it is hidden."""


def explain(tx: Transaction, name: str, policies: Policies, *, now: datetime) -> Why:
    """Return why a fact, an episode or a message is what it is; a message's name may be the caller's own id."""
    for fact in tx.facts.get([name]):
        return Why(name, fact=_explain_fact(tx, fact, policies.consolidate.belief.confidence, now=now))
    is_hidden, episodes = hidden(tx, name), tx.episodes.get([name])
    messages = [] if episodes else tx.messages.named([name])[:1]
    episodes += tx.episodes.get([row.episode_id for row in messages if row.episode_id])
    if not episodes and not messages and is_hidden is None:
        raise NotFound(f"nothing here has the id {name!r}; ids stand in messages(), episodes(), facts() and contexts")
    fade, weights = policies.consolidate.fade, policies.remember.importance
    return Why(
        name,
        message=next((_explain_message(tx, row) for row in messages), None),
        episode=next((explain_episode(row, fade, weights, now=now) for row in episodes), None),
        hidden=is_hidden,
    )


def explain_episode(episode: Episode, fade: FadePolicy, weights: ImportancePolicy, *, now: datetime) -> EpisodeWhy:
    """Return what an episode's importance is made of, what is left of it at ``now``, and when it fades."""
    trace, digest = episode.trace, episode.digest
    hold = hold_of(trace, fade.strength, now=now)
    signals = {"base": 1.0, **(digest.signals if digest else {})}
    factors = [
        Factor(weight.name, signals[weight.name], getattr(weights, weight.name))
        for weight in fields(weights)
        if signals.get(weight.name)
    ]
    is_fading = fade.is_on and not trace.is_held
    return EpisodeWhy.of(
        episode,
        topic=digest.topic if digest else "",
        factors=tuple(sorted(factors, key=lambda factor: (-factor.adds, factor.name))),
        strength=strength_of(trace, fade.strength, now=now),
        half_life_days=hold.half_life_days,
        strengthened_at=hold.since,
        held_by="pin" if episode.pinned else "request" if trace.is_held else "",
        gist_at=falls_below(hold, fade.gist_below) if is_fading and trace.is_vivid else None,
        archived_at=falls_below(hold, fade.archive_below) if is_fading and trace.is_active else None,
        messages=episode.message_ids,
        analyst=digest.analyst if digest else "",
        reader=digest.reader if digest else "",
    )


def _explain_message(tx: Transaction, message: Message) -> MessageWhy:
    verdict = message.verdict
    return MessageWhy.of(
        message,
        said_by=message.author,
        **{name: getattr(verdict, name, None) for name in ("outcome", "reason", "rule", "score", "threshold")},
        features=dict(_features(tx, message, verdict)) if verdict else {},
        brought=_brought(message),
    )


def _brought(message: Message) -> tuple[str, ...]:
    if message.role is not Role.USER or not message.content:
        return ()
    if message.source is Source.BROUGHT:
        return (message.content,)
    return tuple(message.content[start:end].strip() for start, end in quoted_spans(message.content))


def _features(tx: Transaction, message: Message, verdict: Verdict) -> Mapping[str, float]:
    """Return the features of an exchange, which stand with its first message."""
    if verdict.features or message.seq == 1:
        return verdict.features

    decided = attrgetter("outcome", "reason", "score", "rule")
    before = tx.messages.span(message.key, after=max(0, message.seq - 1 - _EXCHANGE), limit=_EXCHANGE)
    judged = (row.verdict for row in reversed(before) if row.seq < message.seq and row.verdict is not None)
    together = takewhile(lambda other: decided(other) == decided(verdict), judged)
    return next((other.features for other in together if other.features), {})


def _explain_fact(tx: Transaction, fact: Fact, policy: ConfidencePolicy, *, now: datetime) -> FactWhy:
    members = [row for row in tx.facts.all({FactStatus.MERGED}) if row.canonical_id == fact.id]
    said = {row.id: row.statement for row in (fact, *members)}
    evidence = tx.evidence.of(list(said))
    since = known_since(fact)
    sinks = sinks_at(fact.confidence, since, fact.volatility, policy)

    def left(instant: datetime) -> float:
        return round(confidence_at(fact.confidence, since, fact.volatility, policy, now=instant), 6)

    return FactWhy.of(
        fact,
        confidence_now=left(now),
        sinks_at=None if sinks == FOREVER or fact.pinned else sinks,
        ahead=tuple((days, left(later(now, timedelta(days=days)))) for days in _AHEAD_DAYS),
        over_time=tuple(_over_time(evidence, policy)),
        evidence=tuple(_evidence(tx, evidence, said)),
        rulings=tuple(_rulings(tx, fact)),
        merged=tuple((row.id, row.statement) for row in members),
        versions=tuple(
            VersionWhy.of(row, status=row.fact.status, confidence=row.fact.confidence, statement=row.fact.statement)
            for row in tx.versions.of(fact.id)
        ),
        review=review_of(tx, fact),
        loop=fact.loop_at(now) or "",
        version=fact.rev,
        confidential=CONFIDENTIAL in fact.properties,
        asked_to_remember=ASKED_TO_REMEMBER in fact.properties,
    )


def _over_time(evidence: Sequence[Evidence], policy: ConfidencePolicy) -> Iterable[tuple[datetime, float]]:
    for end in range(1, len(evidence) + 1):
        if end == len(evidence) or evidence[end].said_at != evidence[end - 1].said_at:
            yield evidence[end - 1].said_at, confidence(in_sittings(evidence[:end]), policy).value


def _evidence(tx: Transaction, evidence: Sequence[Evidence], said: Mapping[str, str]) -> Iterable[EvidenceWhy]:
    names = message_names(tx, evidence)
    for row in evidence:
        yield EvidenceWhy.of(
            row,
            said_by=row.author,
            message=names.get(row.message_id or "", row.message_id),
            conversation=row.session,
            statement=said[row.fact_id],
        )


def _rulings(tx: Transaction, fact: Fact) -> Iterable[RulingWhy]:
    rulings = tx.rulings.of([fact.id])
    others = {row.id: row for row in tx.facts.get(list({name for row in rulings for name in row.pair}))}
    for row in sorted(rulings, key=lambda row: (row.ruled_at, row.pair)):
        told = row.judgement
        other = others.get(row.later if row.earlier == fact.id else row.earlier)
        if other is not None:
            yield RulingWhy.of(
                row,
                other_id=other.id,
                other=other.statement,
                verdict=told.verdict,
                is_later=row.later == other.id,
                score=told.scores.get(told.verdict),
                rule=told.rule,
                judge=told.judge,
            )
