"""STEP: what the person says of facts by hand, written as evidence or a ruling, from which belief follows as ever."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from yesteryear.consolidate.belief.compare_new import Compared, read_snapshot, write_settled
from yesteryear.consolidate.belief.settle import BeliefPolicy, settle
from yesteryear.core.attributes import FactKind, Volatility
from yesteryear.core.fact import (
    OPEN_KINDS,
    RESOLVED_BY,
    SETTLED_AS,
    Authority,
    Evidence,
    Fact,
    FactStatus,
    FactVersion,
    LoopState,
    Stance,
)
from yesteryear.core.language.told.called import parse_called
from yesteryear.core.people import NOT_SAME, SAME, People, link_between
from yesteryear.core.ruling import PERSON, Act, Judgement, PairVerdict, Ruling
from yesteryear.core.scope import Scope
from yesteryear.core.secrets.redact import redact
from yesteryear.core.time import to_microseconds
from yesteryear.errors import InputError, NotFound
from yesteryear.ports import IdSource, Transaction

MAX_STATEMENT_CHARS = 1000  # longest statement given by hand, in characters


@dataclass(frozen=True, slots=True)
class ManualOverrides:
    """What the person says about their facts, in one transaction of all of the owner.

    Each method returns the fact as it stands then.
    """

    tx: Transaction
    ids: IdSource
    policy: BeliefPolicy
    model: str  # of the vectors in use
    now: datetime
    redacts: bool = True  # whether secrets are cut out of what the person says

    def answer(self, fact: Fact, *, is_yes: bool) -> Fact:
        """Note that the person said yes or no to a fact."""
        self._say(fact, Stance.SUPPORTS if is_yes else Stance.CONTRADICTS)
        return self._settled(fact.id, "confirmed" if is_yes else "refuted")

    def both_hold(self, conflict_id: str) -> Ruling:
        """Note that both sides of a conflict, and all that says the same, hold; raises NotFound: there is none such."""
        names = conflict_id.split("|")
        asked = [row for row in self.tx.rulings.of(names) if row.conflict is not None and set(row.pair) == set(names)]
        if not asked:
            raise NotFound(f"there is no conflict {conflict_id!r} in this scope; ids stand in conflicts()")
        one, other = (self._standing_with(name) for name in asked[0].pair)
        rows = {
            row.pair: row.both_hold(self.now)
            for row in self.tx.rulings.of([*one, *other])
            if len(one & set(row.pair)) == len(other & set(row.pair)) == 1
        }
        self.tx.rulings.save(list(rows.values()))
        self._settled(asked[0].later, "both hold")
        return rows[asked[0].pair]

    def link(self, subject: str, one: str, other: str, *, is_same: bool) -> Fact:
        """Note that two names or ties of a subject's people mean one of them, or two; what was said before is over."""
        called = parse_called(one), parse_called(other)
        pair, which = link_between(*called), SAME if is_same else NOT_SAME
        first, last = (said.shown(subject) for said in sorted(called))
        words = f"{first} and {last} are {'' if is_same else 'not '}the same."
        before = next((fact for fact in self.tx.facts.all() if _links(fact, subject, pair)), None)
        link = before or self._new(Scope(self.tx.scope.user, self.tx.scope.tenant), subject, words)
        self.tx.evidence.remove([row for row in self.tx.evidence.of([link.id]) if row.stance is Stance.CONTRADICTS])
        link = replace(link, statement=words, is_negative=not is_same, properties={which: pair}, due_at=self.now)
        (self.tx.facts.update if before else self.tx.facts.insert)([link])
        self._say(link, Stance.SUPPORTS)
        return self._settled(link.id, "said to be the same" if is_same else "said not to be the same")

    def _standing_with(self, fact_id: str) -> set[str]:
        """Return the ids of a fact, of what it is merged into, and of all that is."""
        root = find_fact(self.tx, fact_id).canonical_id or fact_id
        merged = self.tx.facts.all({FactStatus.MERGED})
        return {fact_id, root, *(fact.id for fact in merged if fact.canonical_id == root)}

    def correct(self, fact: Fact, statement: str, *, since: datetime | None = None) -> Fact:
        """Put what the person says in the place of a fact, and return the new one.

        ``since`` then it holds, and until then the other did; None: the other was never right. Raises InputError: the
        statement is empty, too long, or what the fact says already; or ``since`` is to come.
        """
        words = self._worded(statement)
        if since is not None and since > self.now:
            raise InputError("since when it holds lies in the future; correct it when it has come")
        new = self._find_or_insert(fact, words, since)
        if new.id == fact.id:
            raise InputError("that is what the fact says already; use confirm")
        if since is None:
            self._say(fact, Stance.CONTRADICTS)
        self._say(new, Stance.SUPPORTS)
        judgement = Judgement(PairVerdict.UPDATES, Act.SUPERSEDE, rule="corrected", judge=PERSON)
        ruling = Ruling(fact.scope, fact.id, new.id, judgement, ruled_at=self.now, by_person=True)
        asked = next((row.conflict for row in self.tx.rulings.of([fact.id]) if row.pair == ruling.pair), None)
        self.tx.rulings.save([replace(ruling, conflict=asked)])
        return self._settled(new.id, "corrected")

    def resolve(self, fact: Fact, outcome: LoopState, *, at: datetime | None) -> Fact:
        """Note that something that gets done is, or was given up, now where no instant is given; return the fact.

        Raises InputError: it is of a kind that is never done, or is done already.
        """
        if not fact.is_loop:
            kinds = ", ".join(sorted(OPEN_KINDS))
            raise InputError(f"it is not something that gets done; that is for what is planned, and the kinds {kinds}")
        if outcome not in (LoopState.DONE, LoopState.DROPPED):
            raise InputError(f"outcome is done or dropped, not {outcome}")
        if fact.resolved_at is not None:
            raise InputError(f"it is resolved already, since {fact.resolved_at.date()}; restore takes it back")
        marks = {RESOLVED_BY: PERSON} | ({SETTLED_AS: outcome.value} if outcome is LoopState.DROPPED else {})
        self.tx.facts.update([replace(fact, resolved_at=at or self.now, properties={**fact.properties, **marks})])
        return self._settled(fact.id, "resolved")

    def restore(self, fact: Fact) -> Fact:
        """Believe a fact again, beside what had taken its place, and return it; InputError: it is believed as it is."""
        if fact.is_live and fact.resolved_at is None:
            raise InputError("there is nothing to restore: it is believed as it is")
        left = {name: value for name, value in fact.properties.items() if name not in (RESOLVED_BY, SETTLED_AS)}
        self.tx.facts.update([replace(fact, resolved_at=None, properties=left)])
        side_by_side = Judgement(PairVerdict.COEXISTS, rule="restored", judge=PERSON)
        related = [row for row in self.tx.rulings.of([fact.id]) if row.judgement.verdict is not PairVerdict.UNRELATED]
        self.tx.rulings.save(
            [replace(row, judgement=side_by_side, by_person=True, ruled_at=self.now, cycle=None) for row in related]
        )
        self._say(fact, Stance.SUPPORTS)
        return self._settled(fact.id, "restored")

    def pin(self, fact: Fact, *, pinned: bool) -> Fact:
        """Pin a fact, so that it never fades and is never merged away, or take the pin out."""
        self.tx.facts.update([replace(fact, pinned=pinned)])
        return self._settled(fact.id, "pinned" if pinned else "unpinned")

    def _worded(self, statement: str) -> str:
        """Return a statement as it is kept: on one line, without secrets."""
        words = " ".join(statement.split())
        if not words or len(words) > MAX_STATEMENT_CHARS:
            raise InputError(f"a statement has 1 to {MAX_STATEMENT_CHARS} characters, got {len(words)}")
        return redact(words).text if self.redacts else words

    def _find_or_insert(self, fact: Fact, words: str, since: datetime | None) -> Fact:
        known = self.tx.facts.saying(words, project=fact.scope.project)
        if known is not None:
            return known
        new = replace(
            self._new(fact.scope, fact.subject, words),
            kind=fact.kind,
            volatility=fact.volatility,
            attribute=fact.attribute,
            holder=fact.holder,
            valid_from=since,
        )
        self.tx.facts.insert([new])
        return new

    def _new(self, scope: Scope, subject: str, words: str) -> Fact:
        """Return a fact that was never told, due to be compared."""
        return Fact(
            id=self.ids.new(to_microseconds(self.now) // 1000),
            scope=scope,
            statement=words,
            kind=FactKind.RELATIONSHIP,
            subject=subject,
            first_observed=self.now,
            recorded_at=self.now,
            volatility=Volatility.STATIC,
            due_at=self.now,
        )

    def _say(self, fact: Fact, stance: Stance) -> None:
        row = Evidence(
            id=f"hand:{self.ids.new(to_microseconds(self.now) // 1000)}",
            fact_id=fact.id,
            stance=stance,
            said_at=self.now,
            recorded_at=self.now,
            session="",
            author=fact.subject,
            weight=1.0,
            authority=Authority.CONFIRMED,
        )
        self.tx.evidence.add([row])

    def _settled(self, fact_id: str, cause: str) -> Fact:
        """Settle all that is believed anew, and return the fact with a version that says what was done."""
        snapshot = read_snapshot(self.tx, self.model)
        settled = settle(snapshot, self.policy, now=self.now, night=snapshot.night)
        others = tuple(change for change in settled.changes if change.fact_id != fact_id)
        compared, told = Compared(snapshot), replace(settled, changes=others)
        write_settled(self.tx, compared, told, now=self.now, cause=cause, is_by_hand=True)
        fact = self.tx.facts.get([fact_id])[0]
        if len(others) == len(settled.changes):
            self.tx.versions.add([FactVersion(fact, 0, self.now, cause, is_by_hand=True)])
        return fact


def _links(fact: Fact, subject: str, pair: str) -> bool:
    return fact.subject == subject and pair in (fact.properties.get(SAME), fact.properties.get(NOT_SAME))


def find_subjects(people: People, one: str, other: str) -> list[str]:
    """Return whose people two names or ties are.

    Raises NotFound: nobody is called so. Raises InputError: a name may mean several, or the two are of two subjects.
    """
    known = [people.named(name) for name in (one, other)]
    for name, found in zip((one, other), known, strict=True):
        if not found:
            raise NotFound(f"nobody here is called {name!r}; people() lists who is known, and what they are called")
    subjects = sorted(known[0].keys() & known[1].keys())
    if not subjects:
        raise InputError(f"{one!r} and {other!r} are people of different subjects; people() says whose each is")
    for subject in subjects:
        first, last = ({somebody.name for somebody in found[subject]} for found in known)
        for name, those, rest in ((one, first, last), (other, last, first)):
            if parse_called(name).name and len(those) > 1 and not rest < those:
                raise InputError(f"{name!r} may be {' or '.join(sorted(those))}; say which")
    return subjects


def find_fact(tx: Transaction, fact_id: str) -> Fact:
    """Return a fact of this scope, or raise NotFound."""
    for fact in tx.facts.get([fact_id]):
        return fact
    raise NotFound(f"there is no fact {fact_id!r} in this scope; ids stand in facts()")
