"""Draft facts and relations from a talk: what its users state of themselves and their people, as it was read.

Left out are orders to an assistant, what was quoted or pasted, parts played in a game, what is said of whoever is
talked to, and what stays unsure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from yesteryear.core.attributes import Cardinality, FactKind, Volatility, attributes
from yesteryear.core.episode import Talk
from yesteryear.core.fact import FAVOURITE, OPEN_KINDS, SOMEBODY, TASTE, FactDraft, Form, Modality, Slot, said_words
from yesteryear.core.language.clauses import told_one_by_one
from yesteryear.core.language.discourse import after_turn
from yesteryear.core.language.injection import looks_injected
from yesteryear.core.language.quoting import quoted_spans
from yesteryear.core.language.sentences import Span, meet, outside
from yesteryear.core.language.tokens import fold, words
from yesteryear.core.language.told.about_oneself import says_of_oneself, tells_news_briefly
from yesteryear.core.language.told.called import pets_by_name
from yesteryear.core.language.told.kept_by_form import KeptBy, kept_by_form
from yesteryear.core.language.told.named_task import TaskState
from yesteryear.core.language.told.relations import find_relations
from yesteryear.core.language.told.safety_and_identity import read_bearing
from yesteryear.core.language.told.tasks import answered_task, done_barely, find_told_tasks, listed_tasks, tell_apart
from yesteryear.core.language.told.tastes import Taste, find_tastes
from yesteryear.core.language.vocabulary import vocabulary
from yesteryear.core.message import Message, Outcome, Role
from yesteryear.core.reading import (
    MEANT,
    READ_WITH,
    Before,
    MessageReading,
    ReadSentence,
    ReadStatement,
    SpeakerStance,
    Whose,
    place_after,
)
from yesteryear.core.relation import RelationDraft
from yesteryear.core.whose_words import others_spans
from yesteryear.providers.local.facts.corrected import Corrected, find_next_corrections, without_first
from yesteryear.providers.local.facts.forms import tell, tell_as_answer, tell_plainly, tell_taste
from yesteryear.providers.local.facts.meaning import find_aim, find_slot, join_overlapping, read_meaning
from yesteryear.providers.local.facts.rewriting import rewrite
from yesteryear.providers.local.facts.said import SaidStatement, holder_of, is_of
from yesteryear.providers.local.word_reader import WordReader

_EN = vocabulary("meaning")
_LEXICON = vocabulary("lexicon")

MESSAGE_CHARS = 4_000  # characters of a message, from its beginning, in which orders and relations are looked for
STATEMENTS = 300  # statements drafted of one talk, so that its time is bounded
KEEP_FROM = 0.55
"""Least worth, in [0, 1], of what is drafted. Source: five lives for development and four held out. From .6 on .69 and
.71 of what matters is known for .72 and .71, and .24 and .45 of the false claims are believed for .28 and .50."""
BRIEF_FROM = 0.4
"""As ``KEEP_FROM``, where a sentence tells what its speaker did and leaves them out: "put my notice in today" is read
for .1 less than with "I". Source: labelled talk; of 18 such sentences that are read for .4 to .55, 14 are worth it."""
PLAIN_WORTH = 0.7
"""Least worth, in [0, 1], of what is plainly said of oneself or one's people and meant: "I'm allergic to shellfish"."""
_ADDRESSING = ("called", "pronouns", "language", "reply_style")  # how somebody wants to be spoken to
_ORDERS = (KeptBy.FOR_GOOD, KeptBy.CALLED, KeptBy.UNLISTED)  # what is nothing else, whatever it was read for
_FORMS = {
    KeptBy.FOR_GOOD: (FactKind.PREFERENCE, "reply_style", SpeakerStance.HOLDS),
    KeptBy.CALLED: (FactKind.PREFERENCE, "called", SpeakerStance.HOLDS),
    KeptBy.TO_DO: (FactKind.GOAL, "task", SpeakerStance.HOLDS),
    KeptBy.APPOINTMENT: (FactKind.EVENT, "appointment", SpeakerStance.PLANNED),
    KeptBy.UNLISTED: (FactKind.EVENT, "task", SpeakerStance.ENDED),
    KeptBy.TASK_OVER: (FactKind.EVENT, "task", SpeakerStance.ENDED),
}
"""Kind, attribute and stance of such orders, of what is to be done, what is set for a day, and what is over."""
_PLAINLY = frozenset({KeptBy.TO_DO, KeptBy.APPOINTMENT, KeptBy.UNLISTED, KeptBy.TASK_OVER})
"""Of what is kept for its form, that which is told in the third person where it can be."""
_NO_TASKS = frozenset({FactKind.EVENT, FactKind.BLOCKER, FactKind.DECISION})
"""Kinds of what is no task, though it tells what somebody has to do."""
_LASTING = frozenset(
    {FactKind.IDENTITY, FactKind.RELATIONSHIP, FactKind.PREFERENCE, FactKind.STRENGTH, FactKind.WORK_PATTERN}
)
"""Kinds of what is so for a while, and of which somebody may have several."""
_OVER = frozenset({TaskState.DONE, TaskState.UNLISTED, TaskState.DROPPED, TaskState.MISSED})
_UNLISTED_FOR = timedelta(days=1)  # how long it is news that something was taken off a list; it stays known to be off
_OWNED_UP_CHARS = 40  # characters behind a statement in which it may be taken back: "just kidding"
_BEFORE = 2  # messages before one that are looked at for what it answers
_OTHER_WORLDS = ("fiction", "fantasy", "role")  # of which a message speaks that goes on with a game
_QUOTABLE = MEANT | {SpeakerStance.ASKED}  # how a sentence is meant that is told before another
_NOT_SO = frozenset({SpeakerStance.IMAGINED, SpeakerStance.JOKING, SpeakerStance.QUOTED})
_MOST_BESIDE = 8  # words beside a taste, from which a statement says something else besides. Source: chosen
_TASTES = vocabulary("tastes")
_OWN_WORDS = _TASTES.words("own_words")
_MODALITIES = {
    SpeakerStance.PLANNED: Modality.PLANNED,
    SpeakerStance.WISHED: Modality.WISHED,
    SpeakerStance.ENDED: Modality.PAST,
}


class OwnMessage(NamedTuple):
    """What a user said as themselves, and what was said before."""

    message: Message
    before: tuple[Before, ...]
    earlier: tuple[tuple[str, ...], ...] = ()  # what they had meant before, by message, the latest first
    corrected: Corrected = Corrected("")  # with what was put right of it


def draft_facts(talk: Talk, *, yield_to_foreground: Callable[[], None]) -> tuple[FactDraft, ...]:
    """Return the facts that users state, in the order they are stated.

    Exchanges that the gate was unsure of count if its score says keep. What was not read is read by words.
    """
    by_words = WordReader()
    found: list[FactDraft] = []
    meant: deque[tuple[Message, tuple[str, ...]]] = deque(maxlen=READ_WITH)
    next_corrections = find_next_corrections(talk)
    told_before: dict[str, int] = {}  # by message, up to where it only puts right what was drafted before
    for said in own_messages(talk):
        yield_to_foreground()
        message = without_first(said.message, told_before.get(said.message.id, 0))
        reading = talk.readings.get(message.id) or by_words.read(message.content, before=said.before)
        near = [each for each in reversed(meant) if message.seq - each[0].seq <= READ_WITH]
        earlier = tuple(sentences for each, sentences in near if each.author == message.author)
        then = next_corrections.get(message.id)
        told = said._replace(message=message, earlier=earlier, corrected=Corrected.of(message, then))
        drafts = join_overlapping(draft_statements(told, reading))
        if then and any(draft.message_id == then.message.id for draft in drafts):
            told_before[then.message.id] = then.correction.end - then.begin
        found += drafts
        meant.append((message, _meant(told.corrected, reading)))
        if len(found) >= STATEMENTS:
            break
    return tuple(found[:STATEMENTS])


def draft_relations(talk: Talk, *, yield_to_foreground: Callable[[], None]) -> tuple[RelationDraft, ...]:
    """Return what users say to bear on each other, by the words that join it, in the order in which they say it.

    Only as themselves: not what they quote or bring along, imagine, ask or say in jest.
    """
    found: list[RelationDraft] = []
    for said in own_messages(talk):
        yield_to_foreground()
        text, reading = said.message.content[:MESSAGE_CHARS], talk.readings.get(said.message.id)
        sentences = reading.sentences if reading is not None else ()
        unmeant = [(row.start, row.end) for row in sentences if row.is_brought or row.stance not in MEANT]
        unmeant += others_spans(text, reading)
        for told in find_relations(text):
            if not meet(told.within, unmeant):
                source, target, quote = (text[slice(*span)] for span in (told.source, told.target, told.within))
                found.append(RelationDraft(told.relation, source, target, quote, said.message.id, told.sure))
    return tuple(found)


def draft_statements(said: OwnMessage, reading: MessageReading) -> Iterator[FactDraft]:
    """Yield the facts that a message states, in order.

    What is kept for its form is told in its words where nothing was drawn from its sentence, and it is nobody else's.
    How somebody wants to be spoken to is nothing else, whatever it was read for ("never mention his name"), nor is what
    they take off a list.
    """
    text, corrected = said.message.content, said.corrected
    kept, quoted = list(kept_by_form(text[:MESSAGE_CHARS])), quoted_spans(text)
    orders = [(start, end) for start, end, form in kept if form in _ORDERS]
    own = [read for read in _without_turns(text, reading) if not _meets(quoted, read)]
    own = [read for read in own if read.attribute in _ADDRESSING or not _meets(orders, read)]
    to_do = [(start, end) for start, end, form in kept if form is KeptBy.TO_DO]
    own = [_as_task(read, text) if _meets(to_do, read) else read for read in own]
    not_meant = _not_meant(corrected, reading)
    tastes = [each for each in _told_tastes(said, own, reading, apart=orders) if not _is_unmeant(corrected, each[1])]
    of_tastes = [(taste.start, taste.end) for taste, _ in tastes]
    worth = [read for read in _worth_telling(corrected, own) if not _is_of_taste(text, reading, read, of_tastes)]
    told = [(None, read) for read in worth if not corrected.is_told_by(read, worth)]
    found = [
        (read.start, _draft(said, read, reading.reader, not_meant, taste=taste)) for taste, read in (*told, *tastes)
    ]
    settled = [start for start, draft in found if draft] + [each.start for each in reading.sentences if each.is_brought]
    for start, end, form in kept:
        is_settled = form is KeptBy.TASTE or any(start <= begin < end for begin in settled)
        if is_settled or (form is KeptBy.RELATION and meet((start, end), not_meant)):
            continue
        within = max((read for read in own if start <= read.start < end), key=lambda read: read.worth, default=None)
        begin = after_turn(text, start, end) if form in _PLAINLY else start
        read = _as_kept(form, within, begin, end)
        if not _is_unmeant(corrected, read) and (draft := _draft(said, read, reading.reader, not_meant, kept=form)):
            over = said.message.at + _UNLISTED_FOR if form is KeptBy.UNLISTED else draft.valid_to
            found.append((start, replace(draft, valid_to=over)))
    if not found and (done := _answered_task(said, reading)):
        answer, of = done
        found.append((answer.start, _draft(said, answer, reading.reader, not_meant, kept=KeptBy.TASK_OVER, of=of)))
    asked = [(start, end) for start, end, form in kept if form is KeptBy.TO_REMEMBER]
    for begin, draft in sorted(((begin, draft) for begin, draft in found if draft), key=lambda each: each[0]):
        is_asked_for = any(start <= begin < end for start, end in asked)
        yield from (replace(each, is_asked_for=is_asked_for) for each in _one_by_one(draft, said.message))


def _one_by_one(draft: FactDraft, message: Message) -> Iterator[FactDraft]:
    """Yield a draft of each thing that one tells to be done, or of a list: each ends by itself.

    So does a pet of several. Not of several things to do with one day: which of them it is of nobody said.
    """
    is_task, known = draft.attribute == "task", attributes().get(draft.attribute)
    deeds = listed_tasks(draft.quote) if is_task else []
    told, form = [draft.statement], Form.PLAIN if deeds else draft.form
    if deeds:
        in_third_person = partial(rewrite, author=draft.subject, at=message.at, zone=message.zone, kind=draft.kind)
        told = [in_third_person(f"I have to {deed}") for deed in deeds]
    elif is_task and form is Form.PLAIN and not (draft.valid_from or draft.valid_to):
        told = tell_apart(draft.statement)
    elif draft.attribute == "pet" and (pets := pets_by_name(draft.quote)):
        told, form = [f"{draft.subject} has {pet}" for pet in pets], Form.PLAIN
    elif form is Form.PLAIN and draft.kind in _LASTING and not (known and known.cardinality is Cardinality.SINGLE):
        told = told_one_by_one(draft.statement, may_be_two=known is not None and known.is_safety)
    for statement in told:
        is_its_slot = len(told) == 1 or (draft.slot and draft.slot.value in statement)
        yield replace(draft, statement=statement, form=form, slot=draft.slot if is_its_slot else None)


def _answered_task(said: OwnMessage, reading: MessageReading) -> tuple[ReadStatement, str] | None:
    """Return the sentence that says what became of something to do, and where nobody else has just asked, of which."""
    text = said.message.content
    asks = said.before[-1] if said.before and said.before[-1].who != "me" else None
    state = answered_task(asks.text, text) if asks and reading.sentences else None
    own = [sentence for sentences in reversed(said.earlier) for sentence in sentences]
    of = done_barely(own, text) if asks is None and reading.sentences else ""
    if not (state or of) or any(each.is_brought or each.stance in _NOT_SO for each in reading.sentences):
        return None
    first, last = reading.sentences[0], reading.sentences[-1]
    kind, attribute, stance = _FORMS[KeptBy.TO_DO if state is TaskState.OPEN else KeptBy.TASK_OVER]
    read = ReadStatement(first.start, last.end, PLAIN_WORTH, stance, kind, Whose.SELF, attribute=attribute)
    return replace(read, is_alone=False), of


def _told_tastes(
    said: OwnMessage, own: Sequence[ReadStatement], reading: MessageReading, *, apart: Sequence[Span]
) -> Iterator[tuple[Taste, ReadStatement]]:
    """Yield what somebody tells they like or dislike, of "the soup" of a moment only what was read as worth it."""
    quoted = quoted_spans(said.message.content)
    unmeant = [(each.start, each.end) for each in reading.sentences if each.is_brought or each.stance in _NOT_SO]
    for taste in find_tastes(said.message.content):
        span = (taste.start, taste.end)
        if meet(span, [*apart, *unmeant]) or any(start <= span[0] and span[1] <= end for start, end in quoted):
            continue
        best = max((read for read in own if _meets([span], read)), key=lambda read: read.worth, default=None)
        if taste.is_lasting or (best and best.worth >= KEEP_FROM):
            worth = max(best.worth if best else 0, PLAIN_WORTH)
            attribute = best.attribute if best and best.whose is Whose.SELF else ""
            known = attributes().get(attribute)
            attribute = attribute if known and known.kind is FactKind.PREFERENCE else ""
            kind = FactKind.PREFERENCE
            yield taste, ReadStatement(*span, worth, SpeakerStance.HOLDS, kind, Whose.SELF, attribute=attribute)


def _is_of_taste(text: str, reading: MessageReading, read: ReadStatement, tastes: Sequence[Span]) -> bool:
    """Tell whether what was read tells no more than a taste of its sentence; not so "I love cake, but I'm diabetic"."""
    span = (read.start, read.end)
    within = [each for each in reading.sentences if _meets([span], each)]
    near = [taste for taste in tastes if any(_meets([taste], each) for each in within)]
    if not near or read_bearing(text[slice(*span)]).is_safety:
        return False
    beside = "".join(outside(text, sorted(near), start=read.start, end=read.end)).strip(" ,;.")
    if says_of_oneself(beside) or _TASTES["others_like"].search(beside):
        return False
    if read.kind is FactKind.PREFERENCE and meet(span, near):
        return True
    listed = words(beside)
    return len(listed) < _MOST_BESIDE and _OWN_WORDS.isdisjoint(listed)


def _without_turns(text: str, reading: MessageReading) -> Iterator[ReadStatement]:
    """Yield the statements without what only turns to them, and not what is nothing else: "Speaking of films"."""
    for sentence in reading.sentences:
        begin = after_turn(text, sentence.start, sentence.end)
        yield from (replace(each, start=max(each.start, begin)) for each in sentence.statements if each.end > begin)


def _worth_telling(corrected: Corrected, statements: Iterable[ReadStatement]) -> Iterator[ReadStatement]:
    """Yield what is said of the speaker's own world, meant, and worth it."""
    for read in statements:
        said, worth = corrected.text[read.start : read.end], read.worth
        if worth < PLAIN_WORTH and says_of_oneself(said) is not None:
            worth = PLAIN_WORTH
        is_meant = read.whose is not Whose.YOU and read.stance in MEANT and not _is_unmeant(corrected, read)
        least = BRIEF_FROM if tells_news_briefly(said) else KEEP_FROM
        if is_meant and worth >= least and words(said):
            yield replace(read, worth=worth)


def _as_task(read: ReadStatement, text: str) -> ReadStatement:
    """Return what tells that its speaker has something to do, for whomever, as a task of theirs that hangs on nothing.

    Not what they need for their safety.
    """
    known = attributes().get(read.attribute)
    may_be = read.kind not in _NO_TASKS and read.whose is not Whose.YOU and not (known and known.is_safety)
    told = find_told_tasks(text[read.start : read.end]) if may_be else ()
    if not any(each.state is TaskState.OPEN for each in told):
        return read
    return replace(read, kind=FactKind.GOAL, whose=Whose.SELF, attribute="task", name="", is_alone=True)


def _as_kept(form: KeptBy, within: ReadStatement | None, start: int, end: int) -> ReadStatement:
    """Return a sentence that is kept for its form as a statement; ``within`` is the best that was read of it."""
    read = within or ReadStatement(start, end, PLAIN_WORTH, SpeakerStance.HOLDS, FactKind.IDENTITY, Whose.SELF)
    stance = read.stance if form is KeptBy.RELATION and read.stance in MEANT else SpeakerStance.HOLDS
    read = replace(read, start=start, end=end, worth=max(read.worth, PLAIN_WORTH), stance=stance)
    if form not in _FORMS:
        return read
    kind, attribute, stance = _FORMS[form]
    return replace(read, kind=kind, attribute=attribute, stance=stance, whose=Whose.SELF, name="")


def _meets(spans: Iterable[Span], read: ReadStatement | ReadSentence) -> bool:
    return meet((read.start, read.end), spans)


def _is_unmeant(corrected: Corrected, read: ReadStatement) -> bool:
    """Tell whether a statement puts a case, or is owned up to as a joke by words that say nothing else instead."""
    text = corrected.text
    told, behind = fold(text[read.start : read.end]), fold(text[read.start : read.end + _OWNED_UP_CHARS])
    taken_back = (read.start + found.start() for found in _EN["taken_back"].finditer(behind))
    return bool(_EN["imagined"].search(told)) or not all(map(corrected.puts_right, taken_back))


def _meant(corrected: Corrected, reading: MessageReading) -> tuple[str, ...]:
    """Return the sentences of a message that may be told with what its speaker says next, in order."""
    not_meant = _not_meant(corrected, reading)
    text = corrected.text
    spans = [
        (after_turn(text, each.start, each.end), each.end) for each in reading.sentences if not _meets(not_meant, each)
    ]
    return tuple(told for _, told in corrected.told_together(spans))


def _not_meant(corrected: Corrected, reading: MessageReading) -> list[Span]:
    """Return the parts of a message that are others' words, a joke, or a case that was put."""
    text = corrected.text
    cases = (
        (each.start, each.end)
        for each in reading.sentences
        if each.stance not in _QUOTABLE or _EN["imagined"].search(fold(text[each.start : each.end]))
        if not corrected.puts_right(each.start)
    )
    return [*others_spans(text, reading), *cases]


def _draft(
    said: OwnMessage,
    read: ReadStatement,
    reader: str,
    not_meant: Sequence[Span],
    *,
    kept: KeptBy | None = None,
    taste: Taste | None = None,
    of: str = "",  # words that say what it is of, behind which it is told
) -> FactDraft | None:
    """Return a statement as a fact, mostly in its words if it is kept for its form; None where nobody could read it."""
    corrected, as_said = said.corrected.of_statement(read), kept is not None
    message = corrected.by or said.message
    read = corrected.named(read)
    place = SaidStatement(
        *(corrected.text, read, message.author, message.at, message.zone, said.before),
        not_meant=not_meant,
        earlier=((of,) if of else (),) if as_said else said.earlier,
        joints=corrected.joints,
    )
    right = place if (as_said and kept not in _PLAINLY) or taste else corrected.as_right(place)
    is_of_other = message.author != said.message.author
    is_theirs = is_of_other and _LEXICON["speaker"].search(fold(right.quote)) is not None
    may_be_plain = right is not place or kept in _PLAINLY
    plain = tell_plainly(right) if may_be_plain and not is_theirs else ""
    if taste:
        told: tuple[Form, str] | None = tell_taste(place, taste)
    elif plain:
        told = Form.PLAIN, plain
    else:
        told = tell_as_answer(place, corrected.begin) if is_of_other else tell(place, as_said=as_said)
    if told is None:
        return None
    form, statement = told
    holder = SOMEBODY if said_words(statement, form).of == SOMEBODY else holder_of(right)
    draft = FactDraft(
        statement=statement,
        kind=read.kind,
        subject=message.author,
        quote=right.quote,
        message_id=message.id,
        confidence=read.worth,
        slot=None if right.joints else _slot(message, right.quote, read, form, statement),
        second_kind=read.second_kind,
        attribute=read.attribute if is_of(right, holder) else "",
        holder=holder,
        form=form,
        reader=reader,
    )
    if taste is not None:
        return _as_taste(read_meaning(draft, at=message.at, zone=message.zone), taste)
    draft = read_meaning(draft, at=message.at, zone=message.zone, modality=_MODALITIES.get(read.stance))
    known = attributes().get(draft.attribute)
    return replace(
        draft,
        quote=corrected.quote(read),
        volatility=known.volatility if known and draft.volatility is not Volatility.VOLATILE else draft.volatility,
        is_settled=_settles(draft, read),
    )


def _settles(draft: FactDraft, read: ReadStatement) -> bool:
    """Tell whether a statement says that something is done or off, and not what is still to be done."""
    states = {each.state for each in find_told_tasks(draft.quote)}
    is_ended = read.kind in OPEN_KINDS and read.stance is SpeakerStance.ENDED
    is_off = draft.is_negative and draft.modality is Modality.PLANNED
    is_over = bool(states) and states <= _OVER
    return (draft.is_settled or is_ended or is_off or is_over) and TaskState.OPEN not in states


def _as_taste(draft: FactDraft, taste: Taste) -> FactDraft:
    """Return a draft as a taste stands: one at a time of one thing, and one favourite of a kind."""
    attribute, value = (FAVOURITE + taste.favourite, taste.thing) if taste.favourite else (TASTE + taste.name, "liked")
    return replace(
        draft,
        slot=Slot(attribute, value, Cardinality.SINGLE),
        is_negative=not taste.is_liked,
        modality=Modality.ASSERTED,
        volatility=Volatility.SLOW,
        valid_to=None,
    )


def _slot(message: Message, quote: str, read: ReadStatement, form: Form, statement: str) -> Slot | None:
    if read.whose is Whose.SELF and read.kind is FactKind.GOAL and read.stance in MEANT and (aim := find_aim(quote)):
        return aim
    if read.whose is not Whose.SELF or read.stance is not SpeakerStance.HOLDS:
        return None
    if form is not Form.PLAIN:
        statement = rewrite(quote, author=message.author, at=message.at, zone=message.zone, kind=read.kind)
    return find_slot(statement, subject=message.author, kind=read.kind)


def own_messages(talk: Talk) -> Iterator[OwnMessage]:
    """Yield what users say as themselves: no orders to an assistant, and no part in a game."""
    said: list[Message] = []
    is_playing = False
    for exchange, verdict in zip(talk.exchanges, talk.verdicts, strict=True):
        is_kept = verdict.settled().outcome is not Outcome.SKIP
        said += [heard] if (heard := talk.heard.get(exchange.messages[0].id)) else []
        for message in exchange.messages:
            before = said[-_BEFORE:]
            said.append(message)
            if message.role is not Role.USER:
                continue
            others = fold(before[-1].content) if before and before[-1].author != message.author else ""
            opens = _EN["opens_play"].search(fold(message.content)) is not None
            is_playing = opens or (is_playing and any(_LEXICON[world].search(others) for world in _OTHER_WORLDS))
            is_own = message.id not in exchange.brought
            if is_kept and is_own and not is_playing and not looks_injected(message.content[:MESSAGE_CHARS]):
                yield OwnMessage(message, place_after(before, message.author))
