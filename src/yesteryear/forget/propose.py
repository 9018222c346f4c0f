"""STEP: what somebody asks in talk to have forgotten: hidden, and erased when its days are over, or asked back first.

Only what points at what is being said, or was just said, is obeyed, and it reaches its author's own words alone, with
the replies to them. All else is a proposal: nothing is hidden before a plain yes, and a no withdraws it. Of an author
who is not the person, only their own words go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from yesteryear.core.episode import Detail
from yesteryear.core.erasure import Forgetting, Withheld
from yesteryear.core.fact import Fact
from yesteryear.core.language.requests import (
    ForgetRequest,
    Reach,
    plain_answer,
    read_forget_request,
    says_more,
    speaks_of,
    subject_keys,
)
from yesteryear.core.message import FORGOTTEN, OBEYED, Message, Outcome, Reason, Role, Source, Verdict
from yesteryear.core.results import Plain
from yesteryear.core.rows.due_work import batches
from yesteryear.core.rows.queries import EpisodeQuery, MessageQuery, rows_of
from yesteryear.core.ruling import Question
from yesteryear.core.scope import Scope
from yesteryear.core.time import earlier, later
from yesteryear.core.whose_words import find_brought, folded_name, is_person
from yesteryear.forget.facts import facts_about, texts_of
from yesteryear.forget.forget import Chosen, Forgotten, carry_out, cleaning, forget_rows, plan
from yesteryear.forget.seal import RESTORED, Sealing, traces_of_hidden
from yesteryear.ports import Store, Transaction

_ROWS_A_PAGE = 200
_LOOK_BACK = 200  # messages before one in which those that belong to it are looked for
_READ_BEFORE = 3  # messages before a request that are read to tell whether it was brought along
_ALL = 1_000_000_000
_DUE_A_WRITE = 64
EXAMPLES = 3  # most messages that a proposal shows as examples
_EXAMPLE_CHARS = 200
_NOTHING = Forgotten()


@dataclass(frozen=True, slots=True)
class ForgetPolicy:
    """How far a request reaches, and how long it can be taken back."""

    retention_days: float = 30.0
    """Days for which what was forgotten in talk is hidden before it is erased; 0 to erase at once."""
    proposal_days: float = 7.0  # days, above 0, after which a proposal that nobody has answered lapses
    last_hours: float = 24.0  # hours within which "what I just said" was said


@dataclass(frozen=True, slots=True)
class Proposal(Plain):
    """A request to forget all about something, which a yes carries out."""

    id: str
    """Of the message that asked; ``confirm`` and ``refute`` take it."""
    question: str
    """As the person may be asked."""
    author: str
    """Who asked."""
    conversation: str
    asked_at: datetime
    lapses_at: datetime
    """Until when it can be answered."""
    messages: int = 0
    """How many messages would go, or went, beside the request itself."""
    facts: int = 0
    """How many facts would go with them, or went."""
    episodes: int = 0
    """Of how many episodes nothing would be left, or is left."""
    examples: tuple[str, ...] = ()
    """Of the messages that would go, the first ones; none once it is answered."""
    state: str = "open"
    """"open", "confirmed" or "refuted"."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody asks in talk to have forgotten, of all of one owner, dealt with at one moment."""

    store: Store
    scope: Scope  # any of the owner's
    now: datetime
    policy: ForgetPolicy
    should_continue: Callable[[], bool] = lambda: True

    @property
    def owner(self) -> Scope:
        """All of the owner's, whatever the project: a wish is about all of them."""
        return self.scope.owner.scope

    def obey(self) -> int:
        """Obey what was not dealt with yet, oldest first; return how many earlier messages were hidden or erased."""
        count = 0
        while self.should_continue() and (obeyed := self._obey_next()) is not None:
            count += obeyed
        return count

    def erase_hidden(self) -> None:
        """Erase what was hidden and has had its days, drop proposals that have lapsed, and clean the files of them."""
        with self.store.read(self.owner) as tx:
            due = [row for row in tx.forgettings.due(self.now, limit=_ALL) if row.confirmed_at is None]
        removed = list(traces_of_hidden(due))
        with cleaning(self.store, self.owner, removed, now=self.now) if removed else nullcontext():
            for rows in batches(due, _DUE_A_WRITE):
                if self.should_continue():
                    self.store.write(self.owner, partial(_drop, rows=rows))

    def answer(self, row: Forgetting, *, is_yes: bool) -> Proposal:
        """Carry a proposal out, or withdraw it; a yes is written down first, so that a worker goes on after a kill."""
        if not is_yes:
            self.store.write(self.owner, lambda tx: tx.forgettings.remove([row]))
            return _told(row, state="refuted")
        agreed = replace(row, confirmed_at=row.confirmed_at or self.now)
        self.store.write(self.owner, lambda tx: tx.forgettings.save([agreed]))
        return self._carry_out(agreed)

    def carry_on(self) -> int:
        """Go on with proposals that had their yes and were not carried out to the end; return of how many messages."""
        with self.store.read(self.owner) as tx:
            rows = [row for row in tx.forgettings.all(Withheld.PROPOSAL) if row.confirmed_at is not None]
        return sum(self._carry_out(row).messages for row in rows if self.should_continue())

    def heed(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Obey requests and answers of messages that were just taken down; return what each has hidden, by its id."""
        self.obey()
        asked = dict.fromkeys(ids) | self.take_answers(ids)
        with self.store.read(self.owner) as tx:
            asking = {row.id for row in tx.messages.get(list(ids)) if row.verdict and row.verdict.rule == OBEYED}
            hid = {name: asked[name] or name for name in ids if asked[name] is not None or name in asking}
            rows = {name: tx.forgettings.asked_by(by) for name, by in hid.items()}
        return {name: tuple(row.id for row in rows[name] if row.kind is Withheld.MESSAGE) for name in hid}

    def take_answers(self, ids: Sequence[str] | None = None) -> dict[str, str]:
        """Carry out or withdraw what messages answer, without ``ids`` the last; return proposals by the answer's id."""
        found: dict[str, str] = {}
        with self.store.read(self.owner) as tx:
            if not _open(tx, self.now):
                return found
            last = MessageQuery(limit=_LOOK_BACK, newest_first=True)
            said = tx.messages.get(ids) if ids is not None else tx.messages.page(last)[::-1]
        for message in said:
            with self.store.read(self.owner) as tx:
                answered = answered_by(tx, message, now=self.now)
            if answered is not None:
                row, is_yes = answered
                self.answer(row, is_yes=is_yes)
                found[message.id] = row.id
        return found

    def _obey_next(self) -> int | None:
        """Obey the oldest request; return how many earlier messages it reached, None when all is done.

        All in one transaction: begun again after a kill, "what I just said" would be what was said before that. A
        message that was brought along, that an earlier version took for a request, or that replies to one is shown
        again.
        """
        with self.store.read(self.owner) as tx:
            asking = tx.messages.forget_requests(self.now, limit=1)
            if not asking:
                return None
            row, before = asking[0], _before(tx, asking[0])
            own = [said for said in (*before, row) if said.role is Role.USER]
            request = own[-1] if own else row  # that which the row makes, or to which it replies
            requested = read_forget_request(request.content) if request is row else None
            is_brought = row.id in find_brought([row], before=before[-_READ_BEFORE:])
            reaches_back = requested is not None and requested.reach is Reach.LAST
            last = _just_said(row, before, self.policy) if reaches_back else []
            ids = [*(said.id for said in last), row.id]
            facts = tx.facts.get(_resting_on(tx, ids))
            _, removed = plan(tx, Chosen((*last, row), facts=tuple(facts)))
        is_refused = is_brought or (request is row and (requested is None or requested.is_proposal))
        sealing = sealing_of(request, self.policy, now=self.now)

        def work(tx: Transaction) -> None:
            if is_refused:
                source = Source.BROUGHT if is_brought else None
                verdict = Verdict(Outcome.SKIP, Reason.TRANSIENT, 0.0, 0.0, RESTORED, source=source)
                asked = tx.messages.get([row.id])
                tx.messages.update([replace(said, verdict=verdict, expires_at=None) for said in asked])
            elif any(message.asks_to_forget for message in tx.messages.get([row.id])):  # else somebody else was faster
                forget_rows(tx, facts=_resting_on(tx, ids), now=self.now, sealing=sealing)
                forget_rows(tx, messages=ids, rule=OBEYED, now=self.now, sealing=sealing)
                tx.messages.update([_noted(said, len(last)) for said in tx.messages.get([row.id])])

        with nullcontext() if sealing or is_refused else cleaning(self.store, self.owner, removed, now=self.now):
            self.store.write(self.owner, work)
        return 0 if is_refused else len(last)

    def _carry_out(self, row: Forgetting) -> Proposal:
        with self.store.read(self.owner) as tx:
            planned, removed = plan(tx, _chosen(self.store, tx, row))
            request = row.message
        assert request is not None  # noqa: S101 - a proposal is written with its message
        sealing = sealing_of(request, self.policy, now=self.now)
        removed += map(str.encode, row.subjects)
        with nullcontext() if sealing else cleaning(self.store, self.owner, removed, now=self.now):
            carry_out(self.store, self.owner, planned, now=self.now, rule=OBEYED, sealing=sealing)
            self.store.write(self.owner, lambda tx: tx.forgettings.remove([row]))
        return _told(row, planned, state="confirmed")


def _drop(tx: Transaction, rows: Sequence[Forgetting]) -> None:
    tx.forgettings.remove(rows)


def sealing_of(request: Message, policy: ForgetPolicy, *, now: datetime) -> Sealing | None:
    """Return how what a message asks to forget is laid aside; None where nothing is to be left of it."""
    if policy.retention_days <= 0:
        return None
    until = later(max(now, request.recorded_at), timedelta(days=policy.retention_days))
    return Sealing(request.id, request.author, request.at, until)


def _resting_on(tx: Transaction, ids: Collection[str]) -> list[str]:
    """Return the facts that no other message speaks for, also those that the person's own hand does."""
    touched = list({told.fact_id: None for told in tx.evidence.of_messages(list(ids))})
    others = {told.fact_id for told in tx.evidence.of(touched) if told.message_id and told.message_id not in ids}
    return [name for name in touched if name not in others]


def _before(tx: Transaction, row: Message) -> list[Message]:
    rows = tx.messages.span(row.key, after=max(0, row.seq - 1 - _LOOK_BACK), limit=_LOOK_BACK)
    return [said for said in rows if said.seq < row.seq]


def _just_said(request: Message, before: Sequence[Message], policy: ForgetPolicy) -> list[Message]:
    """Return what the author of a request said last before it, and the replies to that."""
    since = earlier(request.at, timedelta(hours=policy.last_hours))
    recent = [row for row in before if row.at >= since and row.content]
    for place in reversed(range(len(recent))):
        if recent[place].author == request.author and _tells(recent[place]):
            return [recent[place], *takewhile(lambda row: row.role is not Role.USER, recent[place + 1 :])]
    return []


def _tells(row: Message) -> bool:
    """Tell whether somebody says something with a message, and does not only ask that the one before be forgotten."""
    requested = read_forget_request(row.content)
    return row.role is Role.USER and (requested is None or requested.reach is not Reach.LAST)


def _noted(message: Message, count: int) -> Message:
    """Note with a request that was obeyed how many messages it reached."""
    verdict = message.verdict
    if verdict is None:
        return message
    return replace(message, verdict=replace(verdict, features={**verdict.features, FORGOTTEN: float(count)}))


def propose(tx: Transaction, request: Message, requested: ForgetRequest, policy: ForgetPolicy, *, now: datetime) -> str:
    """Take down a proposal with the message that makes it, and return the question."""
    until = later(now, timedelta(days=policy.proposal_days))
    row = Forgetting(request.scope, Withheld.PROPOSAL, request.id, request.id, request.author, request.at, until)
    place = replace(request, content="", numbers=(), verdict=None)  # the words may be let go before it is answered
    tx.forgettings.save([replace(row, subjects=requested.subjects, named=requested.named, message=place)])
    return question_of(requested.named)


def question_of(named: str) -> str:
    """Return how a person is asked whether they mean it."""
    about = f"everything about {named}" if named else "everything I know about you"
    return f"Shall I forget {about}? A plain yes does it; it can be taken back for some days."


def list_proposals(store: Store, scope: Scope, *, now: datetime) -> list[Proposal]:
    """Return the open proposals of a scope, the oldest first, with what would go."""
    with store.read(scope) as tx:
        rows = sorted(_open(tx, now), key=lambda row: (row.at, row.id))
    found = []
    for row in rows:
        with store.read(scope.owner.scope) as tx:
            planned, _ = plan(tx, _chosen(store, tx, row))
        found.append(_told(row, planned))
    return found


def find_proposal(tx: Transaction, name: str, *, now: datetime) -> Forgetting | None:
    """Return the open proposal of a message with this id, ours or the caller's."""
    ids = {name, *(row.id for row in tx.messages.named([name]))}
    return next((row for row in _open(tx, now) if row.id in ids), None)


def answered_by(tx: Transaction, message: Message, *, now: datetime) -> tuple[Forgetting, bool] | None:
    """Return the proposal that a message answers, and whether it says yes; None where it answers none.

    It has to be a plain answer by who asked, in their next message in that conversation, or where a context has offered
    the question since the one before their last.
    """
    is_yes = plain_answer(message.content)
    if message.role is not Role.USER or is_yes is None:
        return None
    mine = [row for row in _open(tx, now) if folded_name(row.author) == folded_name(message.author)]
    before = _before(tx, message) if mine else []
    said = [row for row in before if row.role is Role.USER and row.author == message.author]
    for row in sorted(mine, key=lambda row: (row.at, row.id), reverse=True):
        is_next = bool(said) and said[-1].id == row.id
        since = said[-2].recorded_at if len(said) > 1 else row.at
        is_here = row.shown_in == message.conversation and row.shown_at is not None
        if is_next or (is_here and row.shown_at is not None and since <= row.shown_at <= message.recorded_at):
            return row, is_yes
    return None


def question_to_ask(tx: Transaction, *, conversation: str | None, now: datetime) -> Question | None:
    """Return the question that a context offers, of the first proposal not offered yet; the person's own go first."""
    rows = [row for row in _open(tx, now) if row.shown_at is None]
    for row in sorted(rows, key=lambda row: (not is_person(row.author, row.scope), row.at, row.id)):
        is_here = row.message is not None and row.message.conversation == conversation
        if is_here or is_person(row.author, row.scope):
            return Question(row.id, question_of(row.named), (), 1.0)
    return None


def note_offered(tx: Transaction, question: Question, *, conversation: str, now: datetime) -> None:
    """Write down that a context has offered the question of a proposal."""
    rows = [row for row in tx.forgettings.of([question.id]) if row.kind is Withheld.PROPOSAL]
    tx.forgettings.save([replace(row, shown_at=now, shown_in=conversation) for row in rows])


def _open(tx: Transaction, now: datetime) -> list[Forgetting]:
    rows = tx.forgettings.all(Withheld.PROPOSAL)
    return [row for row in rows if row.until > now and row.confirmed_at is None]


def _told(row: Forgetting, planned: Forgotten = _NOTHING, *, state: str = "open") -> Proposal:
    going = [message for message in planned.messages if message.id != row.id]
    texts = [message.text for message in going[:EXAMPLES]] if state == "open" else []
    return Proposal.of(
        row,
        question=question_of(row.named),
        conversation=row.message.conversation if row.message else "",
        asked_at=row.at,
        lapses_at=row.until,
        messages=len(going),
        facts=len(planned.facts),
        episodes=len(planned.episodes),
        examples=tuple(text if len(text) <= _EXAMPLE_CHARS else f"{text[:_EXAMPLE_CHARS]}…" for text in texts),
        state=state,
    )


def _chosen(store: Store, tx: Transaction, row: Forgetting) -> Chosen:
    """Return what a proposal is about: of what its scope sees, and was said, and known, before it."""
    request = row.message
    assert request is not None  # noqa: S101 - a proposal is written with its message
    pause = store.yield_to_foreground
    keys = [subject_keys(subject) for subject in row.subjects]
    seen = [
        said
        for said in rows_of(tx.messages.page, MessageQuery(limit=_ROWS_A_PAGE), pause=pause)
        if row.scope.sees(said.scope.project, said.scope.agent)
    ]
    speakers = {folded_name(said.author) for said in seen if said.role is Role.USER}
    speaks_alone = speakers <= {folded_name(row.author)}  # then whose memory it is can be no question
    is_owner = speaks_alone or is_person(row.author, row.scope)
    messages = [
        said
        for said in seen
        if said.gist and said.id != request.id and _was_before(said, request)
        if is_owner or (said.role is Role.USER and said.author == row.author)
        if not keys or any(speaks_of(said.gist, key) for key in keys)
    ]
    asked = [said for said in tx.messages.get([request.id]) if said.content and not says_more(said.content)]
    if not is_owner:
        return Chosen((*messages, *asked))
    episodes = [
        found
        for found in rows_of(tx.episodes.page, EpisodeQuery(limit=_ROWS_A_PAGE), pause=pause)
        if row.scope.sees(found.scope.project, found.scope.agent) and found.recorded_at <= request.recorded_at
        if found.detail is not Detail.VIVID
        and (not keys or any(speaks_of(text, key) for text in texts_of(found) for key in keys))
    ]
    return Chosen((*messages, *asked), tuple(episodes), tuple(_known_before(tx, row, request)))


def _known_before(tx: Transaction, row: Forgetting, request: Message) -> Iterator[Fact]:
    """Yield the facts for which nothing was said since a request; they may rest on words long gone."""
    said = [fact for subject in row.subjects for fact in facts_about(tx, subject)] if row.subjects else tx.facts.all()
    since = {
        told.fact_id
        for told in tx.evidence.of([fact.id for fact in said])
        if told.message_id == request.id or told.said_at > request.at or told.recorded_at > request.recorded_at
    }
    for fact in {fact.id: fact for fact in said}.values():
        if row.scope.sees(fact.scope.project, fact.scope.agent) and fact.id not in since:
            yield fact


def _was_before(message: Message, request: Message) -> bool:
    """Tell whether a message was said, and known, before a request; a history may be brought in in any order."""
    if message.key == request.key:
        return message.seq < request.seq
    return message.at <= request.at and message.recorded_at <= request.recorded_at
