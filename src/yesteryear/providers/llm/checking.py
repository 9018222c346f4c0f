"""From a model's answer to what we take from it: pure, and distrustful.

A statement counts only if a person wrote the words it rests on, and says whom it is about; a verdict only if it is on
something that was asked. What cannot be used is named, so that the model may be told; what it cannot mend is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from yesteryear.core.attributes import Cardinality, FactKind, attributes
from yesteryear.core.episode import EXPLICIT_REQUEST, MAX_TOPIC_CHARS, Digest, EpisodeWords, Talk, explicit_request
from yesteryear.core.fact import Authority, FactDraft, Form, Slot, stands_alone
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.sentences import outside, split_sentences
from yesteryear.core.language.tokens import fold
from yesteryear.core.message import KEEP_REASONS, Message, Outcome, Role, Source, Verdict
from yesteryear.core.reading import MessageReading
from yesteryear.core.relation import RelationDraft
from yesteryear.core.ruling import Act, ClaimPair, Judgement, PairVerdict
from yesteryear.core.time import parse_instant
from yesteryear.core.whose_words import others_spans
from yesteryear.errors import BadModelOutput, InputError
from yesteryear.providers.llm.answers import (
    OTHER,
    DigestAnswer,
    DistilAnswer,
    FactAnswer,
    GateAnswer,
    JudgeAnswer,
    PairAnswer,
    PatternAnswer,
    RelationAnswer,
)
from yesteryear.providers.llm.prompting import DIGEST, DISTIL, AskPolicy, numbered

T = TypeVar("T")
S = TypeVar("S", FactAnswer, RelationAnswer, PatternAnswer)
D = TypeVar("D", FactDraft, RelationDraft)

SLOTS = {"home": "residence", "income": "salary", "relationship": "marital status"}
"""How the keyless analyst calls attributes in a slot where the table has another name, so that their slots meet."""
_THINGS = frozenset({"place", "project"})
"""Holders of which a person has many, so that one value at a time holds only of one that is named."""
SUMMARY_CHARS = 1_000  # most characters of a summary: 150 tokens take about 700
_POINTS = 12  # most key points and decisions that are kept
_LINE_CHARS = 400  # most characters of a statement, point or decision; who writes more has lost the thread
_LOOP_WORDS = 5
_LOOPS = 4  # so often a run of _LOOP_WORDS words stands in a text, or a line in a list, that goes round in circles
_INJECTION_CHARS = 4_000  # characters of a message that are searched for orders to an assistant
_OWN_WORDS = 3  # fewest words of the author's own that make a quote theirs; of a shorter quote all
_FEWEST_EPISODES = 2  # in so many episodes a pattern must show
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?")


class Checked(NamedTuple, Generic[T]):
    """What an answer comes to."""

    taken: T
    faults: tuple[str, ...]  # what was left out of it and why, in words for the model


def read_digest(answer: DigestAnswer, talk: Talk, *, analyst: str) -> Checked[Digest]:
    """Return the digest that an answer comes to; ``analyst`` is who answered."""
    summary = _shortened(_one_line(answer.summary))
    if not summary or not _one_line(answer.topic):
        raise BadModelOutput("topic and summary must not be empty")
    lists = (answer.key_points, answer.decisions, [fact.statement for fact in answer.facts])
    if goes_in_circles(summary) or any(_most_often(told) >= _LOOPS for told in lists):
        raise BadModelOutput("the answer repeats itself: say everything once")
    verdicts, faults = _read_gate(answer.exchanges, talk)
    facts, faults_in_facts = _checked("fact", answer.facts, lambda fact: _drafts(fact, talk, verdicts))
    relations, faults_in_relations = _checked(
        "relation of", answer.relations, lambda relation: _relation(relation, talk, verdicts)
    )
    authors = {message.author for exchange in talk.exchanges for message in exchange.asked}
    digest = Digest(
        topic=_one_line(answer.topic)[:MAX_TOPIC_CHARS],
        summary=summary,
        key_points=_lines(answer.key_points),
        decisions=_lines(answer.decisions),
        emotions=tuple(dict.fromkeys(answer.emotions)),
        user_state=answer.user_state,
        signals=answer.signals.model_dump() | {EXPLICIT_REQUEST: explicit_request(talk.verdicts, authors)},
        verdicts=verdicts,
        facts=facts,
        relations=relations,
        analyst=analyst,
        reader=DIGEST,
    )
    return Checked(digest, (*faults, *faults_in_facts, *faults_in_relations))


def read_judgements(
    answer: JudgeAnswer, pairs: Sequence[ClaimPair], policy: AskPolicy, *, judge: str
) -> Checked[Mapping[int, Judgement]]:
    """Return the judgements that an answer comes to, by position of the pair, from 0; of several on one the first."""
    found: dict[int, Judgement] = {}
    faults = []
    for one in answer.pairs:
        if not 1 <= one.pair <= len(pairs):
            faults.append(f"there is no pair {one.pair}")
        elif one.verdict == "PARTIAL_MERGE" and one.keep is None:
            faults.append(f"pair {one.pair} must say which statement to keep")
        elif one.pair - 1 not in found:
            found[one.pair - 1] = _judgement(one, pairs[one.pair - 1], policy, judge)
    missing = [str(number) for number in range(1, len(pairs) + 1) if number - 1 not in found]
    if missing:
        faults.append(f"no verdict on pair {', '.join(missing)}")
    if not found:
        raise BadModelOutput("; ".join(faults))
    return Checked(found, tuple(faults))


def read_patterns(answer: DistilAnswer, episodes: Sequence[EpisodeWords]) -> Checked[tuple[FactDraft, ...]]:
    """Return the drafts that an answer on several episodes comes to, one for each quote."""
    if _most_often(pattern.statement for pattern in answer.patterns) >= _LOOPS:
        raise BadModelOutput("the answer repeats itself: say everything once")
    told = [(one.episode_id, message) for one in episodes for message in one.messages]
    return _checked("pattern", answer.patterns, lambda pattern: _pattern(pattern, told))


def _checked(what: str, answers: Iterable[S], read: Callable[[S], list[D]]) -> Checked[tuple[D, ...]]:
    """Return the drafts of all answers, each once; what is wrong with one is a fault, and leaves that one out."""
    drafts: list[D] = []
    faults = []
    for answer in answers:
        try:
            drafts += read(answer)
        except BadModelOutput as exc:
            told = answer.source if isinstance(answer, RelationAnswer) else answer.statement
            faults.append(f"the {what} {told[:_LINE_CHARS]!r}: {exc}")
    return Checked(tuple(dict.fromkeys(drafts)), tuple(faults))


def goes_in_circles(text: str) -> bool:
    """Tell whether a text says the same few words again and again, as models do that have lost the thread."""
    words = text.lower().split()
    return _most_often(zip(*(islice(words, start, None) for start in range(_LOOP_WORDS)), strict=False)) >= _LOOPS


def find_quote(quote: str, content: str) -> str:
    """Return the part of a message that a quote is, whatever white space stands between its words; empty for none."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), content) if words else None
    return found[0] if found else ""


def _is_brought(quote: str, content: str, reading: MessageReading | None) -> bool:
    """Tell whether too few of a quote's words are the author's own, wherever in the message it stands."""
    begin, spans = content.find(quote), others_spans(content, reading)
    while begin >= 0:
        own = outside(content, spans, start=begin, end=begin + len(quote))
        if len(" ".join(own).split()) >= min(_OWN_WORDS, len(quote.split())):
            return False
        begin = content.find(quote, begin + len(quote))
    return True


def _read_gate(answers: Iterable[GateAnswer], talk: Talk) -> tuple[dict[int, Verdict], list[str]]:
    """Return the verdicts on the exchanges that the gate was unsure of; those left out are settled by its score."""
    answered = {answer.exchange - 1: answer for answer in answers}
    verdicts, faults = {}, []
    for position, verdict in enumerate(talk.verdicts):
        if verdict.outcome is not Outcome.UNSURE:
            continue
        answer = answered.get(position)
        if answer is None or answer.keep is not (answer.reason in KEEP_REASONS):
            verdicts[position] = verdict.settled()
            fault = "is not answered" if answer is None else f"cannot be kept={answer.keep} for {answer.reason.value}"
            faults.append(f"exchange {position + 1} {fault}")
            continue
        verdicts[position] = replace(
            verdict,
            outcome=Outcome.KEEP if answer.keep else Outcome.SKIP,
            reason=answer.reason,
            score=max(verdict.score, verdict.threshold) if answer.keep else 0.0,
            features={**verdict.features, "model": float(answer.keep)},
        )
    return verdicts, faults


def _drafts(fact: FactAnswer, talk: Talk, verdicts: Mapping[int, Verdict]) -> list[FactDraft]:
    """Return the draft that an answer comes to, none where it was not asked for; BadModelOutput says why it is none."""
    message, is_brought = _said_in(fact.message, talk, verdicts)
    if message is None:
        return []
    quote = _own_quote(fact.quote, fact.message, message, talk.readings.get(message.id), is_brought_along=is_brought)
    holder = _holder(fact, message, talk)
    form, statement = _worded(fact, quote, holder, message, _question_before(talk, fact.message))
    try:
        valid_from, valid_to = (_instant(date, message) for date in (fact.valid_from, fact.valid_to))
    except InputError as exc:
        raise BadModelOutput("valid_from and valid_to are ISO dates or null") from exc
    if valid_from and valid_to and valid_to <= valid_from:
        raise BadModelOutput("valid_to comes before valid_from")
    return [
        FactDraft(
            statement=statement,
            kind=fact.kind,
            subject=message.author,
            quote=quote,
            message_id=message.id,
            confidence=fact.confidence,
            slot=_slot(fact, holder),
            volatility=fact.volatility,
            modality=fact.modality,
            is_negative=fact.is_negative,
            valid_from=valid_from,
            valid_to=valid_to,
            is_settled=fact.is_settled,
            attribute="" if fact.attribute == OTHER else fact.attribute,
            holder=holder,
            form=form,
            reader=DIGEST,
            is_confidential=fact.confidential,
            is_asked_for=fact.asked_to_remember,
        )
    ]


def _said_in(number: int, talk: Talk, verdicts: Mapping[int, Verdict]) -> tuple[Message | None, bool]:
    """Return the message of a number and whether it was brought along; none where nothing is asked of it.

    Raises BadModelOutput where a user said no such message.
    """
    shown = {number: (exchange - 1, message) for number, exchange, message in numbered(talk)}
    if number not in shown:
        raise BadModelOutput(f"there is no message {number}")
    exchange, message = shown[number]
    if message.role is not Role.USER:
        raise BadModelOutput(f"message {number} was not said by a user")
    is_skipped = verdicts.get(exchange, talk.verdicts[exchange]).outcome is Outcome.SKIP
    is_asked = not is_skipped and not looks_injected(message.content[:_INJECTION_CHARS])
    return message if is_asked else None, message.id in talk.exchanges[exchange].brought


def _relation(answer: RelationAnswer, talk: Talk, verdicts: Mapping[int, Verdict]) -> list[RelationDraft]:
    """Return what a model takes to bear on something else, where its words are the speaker's own; see ``_drafts``."""
    message, is_brought = _said_in(answer.message, talk, verdicts)
    if message is None:
        return []
    reading = talk.readings.get(message.id)
    source, target = (
        _own_quote(words, answer.message, message, reading, is_brought_along=is_brought)
        for words in (answer.source, answer.target)
    )
    said = [each for each in split_sentences(message.content) if source in each or target in each]
    return [RelationDraft(answer.relation, source, target, " ".join(said) or source, message.id, answer.confidence)]


def _holder(fact: FactAnswer, message: Message, talk: Talk) -> str:
    """Return whom or what a fact is about, by name or tie; empty for the speaker, BadModelOutput for a name unsaid."""
    author, subject = _one_line(message.author), _one_line(fact.subject or "")
    if subject.casefold() == author.casefold():
        return ""
    holder = re.sub(rf"^(?:{re.escape(author)}['\u2019]s|[Mm]y|[Oo]ur) ", "", subject)
    said = fold(" ".join([*(row.content for _, _, row in numbered(talk)), *talk.known, author]))
    if any(fold(name) not in said for name in holder.split() if name[:1].isupper()):
        raise BadModelOutput(f"nobody named {holder[:_LINE_CHARS]!r}; say the tie instead, such as friend")
    return holder


def _worded(fact: FactAnswer, quote: str, holder: str, message: Message, question: str) -> tuple[Form, str]:
    """Return a statement and its form; the words that were said are taken from the message, never from the answer."""
    author = _one_line(message.author)
    form = Form.QUOTE if fact.form is Form.ANSWER and not question else fact.form
    if form is Form.PLAIN:
        statement = _with_tie(_one_line(fact.statement), author, holder, _one_line(fact.tie or ""))
        if not (_names(statement, author) or (holder and _names(statement, holder))):
            names = f"the subject, {holder}, or with the speaker's name" if holder else "the speaker's name"
            raise BadModelOutput(f"the statement must be one sentence that begins with {names}, {author}")
    else:
        asked = f'Asked "{question}", ' if form is Form.ANSWER else ""
        statement = f'{asked}{author} said{f" of {holder}" if holder else ""}: "{_one_line(quote)}"'
    if len(statement) > _LINE_CHARS:
        raise BadModelOutput(f"the statement has more than {_LINE_CHARS} characters")
    return form, statement


def _with_tie(statement: str, author: str, holder: str, tie: str) -> str:
    """Return a statement about somebody else with what they are to the speaker, where it does not say so."""
    rest = statement[len(holder) :]
    if not holder or not _names(statement, holder) or author in statement:
        return statement
    if holder[:1].islower():
        return f"{author}'s {holder}{rest}"
    return f"{holder}, {author}'s {tie},{rest}" if tie and tie not in statement and rest[0] == " " else statement


def _question_before(talk: Talk, number: int) -> str:
    """Return the last question of the message before one, empty where it asks nothing."""
    before = [row.content for n, _, row in numbered(talk) if n == number - 1]
    asked = [text for content in before for text in split_sentences(content) if text.endswith("?")]
    return _one_line(asked[-1]) if asked else ""


def _pattern(pattern: PatternAnswer, told: Sequence[tuple[str, Message]]) -> list[FactDraft]:
    """Return a draft for each quote of a pattern, which one that cannot be used spoils."""
    statement, drafts = _one_line(pattern.statement), []
    for one in pattern.quotes:
        if not 1 <= one.message <= len(told):
            raise BadModelOutput(f"there is no message {one.message}")
        message = told[one.message - 1][1]
        quote = _own_quote(one.quote, one.message, message, is_brought_along=message.source is Source.BROUGHT)
        if looks_injected(message.content[:_INJECTION_CHARS]):
            raise BadModelOutput(f"message {one.message} gives orders to an assistant")
        if not _names(statement, message.author) or not stands_alone(statement, message.author):
            raise BadModelOutput(
                f"the statement must be one short sentence that begins with the speaker's name, {message.author}"
            )
        drafts.append(
            FactDraft(
                statement=statement,
                kind=FactKind(pattern.kind),
                subject=message.author,
                quote=quote,
                message_id=message.id,
                confidence=pattern.confidence,
                volatility=pattern.volatility,
                is_negative=pattern.is_negative,
                authority=Authority.INFERRED,
                reader=DISTIL,
            )
        )
    if len({told[one.message - 1][0] for one in pattern.quotes}) < _FEWEST_EPISODES:
        raise BadModelOutput("its quotes must come from at least two episodes")
    return drafts


def _own_quote(
    words: str, number: int, message: Message, reading: MessageReading | None = None, *, is_brought_along: bool
) -> str:
    """Return the words that an answer rests on as they stand in a message, where they are its author's own."""
    quote = find_quote(words, message.content)
    told = f"the quote {words[:_LINE_CHARS]!r}"
    if not quote:
        raise BadModelOutput(f"{told} does not stand in message {number}")
    if is_brought_along or _is_brought(quote, message.content, reading):
        raise BadModelOutput(f"{told} is text that {message.author} brought along, not their own words")
    return quote


def _names(statement: str, author: str) -> bool:
    """Tell whether a statement begins with a name and says something of it."""
    name = _one_line(author)
    rest = statement[len(name) :]
    return statement.casefold().startswith(name.casefold()) and rest[:1] in (" ", ",", "'", "\u2019") and len(rest) > 1


def _slot(fact: FactAnswer, holder: str) -> Slot | None:
    """Return what a fact fills in, under a name of its holder's own; none for what the table does not know."""
    value = _one_line(fact.value or "")
    if fact.attribute == OTHER:
        return None
    if fact.attribute not in attributes():
        raise BadModelOutput(
            f"there is no attribute {fact.attribute[:_LINE_CHARS]!r}; take one of the list, or {OTHER}"
        )
    if not value or len(value) > _LINE_CHARS:
        raise BadModelOutput(f"the attribute {fact.attribute} needs a value of a few words; else it is {OTHER}")
    known, name = attributes()[fact.attribute], SLOTS.get(fact.attribute, fact.attribute)
    is_of_one = bool(holder) or _THINGS.isdisjoint(known.of)
    return Slot(f"{name} of {holder}" if holder else name, value, known.cardinality if is_of_one else Cardinality.MULTI)


def _instant(text: str | None, message: Message) -> datetime | None:
    """Return the beginning of a day, month or year on the speaker's calendar."""
    if not text or not text.strip():
        return None
    partial = _PARTIAL_DATE.fullmatch(text.strip())
    whole = f"{partial[1]}-{partial[2] or '01'}-01" if partial else text.strip()
    return parse_instant(whole, zone=message.zone or "UTC")


def _judgement(answer: PairAnswer, pair: ClaimPair, policy: AskPolicy, judge: str) -> Judgement:
    """Return what a verdict comes to; one that is not sure enough does nothing, and none takes away more authority."""
    may_follow = pair.earlier.at < pair.later.at and pair.earlier.authority <= pair.later.authority
    verdict, act = {
        "MERGE": (PairVerdict.DUPLICATE, Act.FOLD),
        "PARTIAL_MERGE": (PairVerdict.REFINES, Act.FOLD),
        "CONTRADICTS": (PairVerdict.CONTRADICTS, Act.ASK),
        "UPDATES": (PairVerdict.UPDATES, Act.SUPERSEDE if may_follow else Act.ASK),
        "KEEP_ALL": (PairVerdict.COEXISTS if answer.same_subject else PairVerdict.UNRELATED, Act.NOTHING),
    }[answer.verdict]
    act, rule = (act, "") if answer.sure >= policy.act_from else (Act.NOTHING, "not sure enough")
    return Judgement(verdict, act, keeps_later=answer.keep != "earlier", rule=rule, judge=judge)


def _most_often(told: Iterable[Hashable]) -> int:
    return max(Counter(told).values(), default=0)


def _shortened(summary: str) -> str:
    """Return as many sentences of a summary as there is room for."""
    if len(summary) <= SUMMARY_CHARS:
        return summary
    kept = ""
    for sentence in split_sentences(summary):
        if len(kept) + len(sentence) >= SUMMARY_CHARS:
            break
        kept = f"{kept} {sentence}".strip()
    return kept or summary[:SUMMARY_CHARS]


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    lines = dict.fromkeys(map(_one_line, texts))
    return tuple(line for line in lines if 0 < len(line) <= _LINE_CHARS)[:_POINTS]


def _one_line(text: str) -> str:
    return " ".join(text.split())
