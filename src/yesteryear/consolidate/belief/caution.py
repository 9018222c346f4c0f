"""Caution: a claim about somebody's safety or identity does not fall by one sentence, nor by others' words."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from yesteryear.core.fact import Evidence, Fact, Stance, words_of
from yesteryear.core.language.invisible_text import is_same_name
from yesteryear.core.language.sentences import split_sentences
from yesteryear.core.language.told.endings import ends_unmistakably, read_ending_signs
from yesteryear.core.language.told.safety_and_identity import Bearing, disagree, read_bearing, tells_change
from yesteryear.core.ruling import Act, ClaimPair, Judgement, PairVerdict, Ruling

FLAT_DENIAL = "denies what must not be lost"  # the rule by which a flat denial is a question
TOLD_CHANGE = "tells that it changed"  # the rule by which a denial that says so takes the place of what it denies
ANOTHER_MATTER = "says nothing of what must not be lost"  # the rule by which a guess at a change leaves it as it is
_OF_ONE_THING = frozenset({"allergy", "restriction"})  # matters that each concern one thing by its name


def reconsider(pair: ClaimPair, judgement: Judgement) -> Judgement:
    """Return a judgement with the act that caution allows.

    Statements of which one flatly denies the other, on a matter of safety or identity, are never merged and never pass
    for two that both hold: where no change is told in words, there is a question. At one sitting too, where a guess at
    a change counts for nothing. A guess that something ends a claim on safety, with which it shares neither matter nor
    word, is none.
    """
    if judgement.act is Act.SUPERSEDE and not judgement.scores:
        return judgement
    earlier, later = (read_bearing(claim.text, claim.subject, claim.slot) for claim in pair)
    is_one_person = all(
        one.casefold() == other.casefold()
        for one, other in ((pair.earlier.subject, pair.later.subject), (pair.earlier.holder, pair.later.holder))
    )
    if not is_one_person or not disagree(earlier, later):
        # Also where the guess alone is too unsure for anything: belief weighs it with others.
        may_end = judgement.act is not Act.FOLD and judgement.is_guess
        if may_end and earlier.is_safety and not _touches(pair, earlier, later):
            return replace(judgement, act=Act.NOTHING, rule=ANOTHER_MATTER)
        return judgement
    if pair.earlier.at < pair.later.at and tells_change(pair.later.text, earlier.matters):
        return replace(judgement, verdict=PairVerdict.UPDATES, act=Act.SUPERSEDE, scores={}, rule=TOLD_CHANGE)
    if judgement.act is Act.ASK:
        return judgement
    if judgement.act is Act.SUPERSEDE:
        return replace(judgement, scores={}, rule=FLAT_DENIAL)
    return replace(judgement, verdict=PairVerdict.CONTRADICTS, act=Act.ASK, scores={}, rule=FLAT_DENIAL)


def _touches(pair: ClaimPair, earlier: Bearing, later: Bearing) -> bool:
    """Tell whether what came later may be about what a claim tells of safety: one matter, or a word or an end of it.

    Not where it speaks of one of its sentences, and another tells what may harm somebody at once.
    """
    claim = pair.earlier
    sentences = (read_bearing(sentence, claim.subject) for sentence in split_sentences(claim.text))
    told = [each for each in sentences if each.is_safety]
    if _ends_state(claim.text, pair.later.text):
        return True
    meant = [not later.objects.isdisjoint(each.objects) for each in told]
    if any(meant) and any(each.harms_at_once and not is_meant for each, is_meant in zip(told, meant, strict=True)):
        return False
    objects = frozenset().union(*(each.objects for each in told)) if told else earlier.objects
    shared, is_of_one = earlier.matters & later.matters, not later.objects.isdisjoint(objects)
    is_named = bool(objects and later.objects)  # of two allergies one may be over
    return is_of_one or (bool(shared) and not (is_named and shared <= _OF_ONE_THING))


def _ends_state(held: str, said: str) -> bool:
    """Tell whether something said ends what is held, and with it each sentence by which somebody may be harmed.

    Who has finished the antibiotics still cannot have penicillin, told in one breath or not.
    """
    ends = read_ending_signs(said)
    guarded = (sentence for sentence in split_sentences(held) if read_bearing(sentence).harms_at_once)
    return all(ends_unmistakably(read_ending_signs(each), ends) for each in (held, *guarded))


def bearing(fact: Fact) -> Bearing:
    """Return which matters of safety or identity a fact bears on."""
    return read_bearing(words_of(fact.statement, fact.form), fact.subject, fact.slot)


def is_own(row: Evidence, fact: Fact) -> bool:
    """Tell whether evidence is the word of a person a fact is about: said by them, or done by hand.

    That is whoever told it and, to deny it, whoever they told it of: "that was Tom, not me".
    """
    is_denied_by_holder = (
        row.stance is Stance.CONTRADICTS and bool(fact.holder) and is_same_name(row.author, fact.holder)
    )
    return row.message_id is None or not row.author or is_denied_by_holder or is_same_name(row.author, fact.subject)


def needs_asking(older: Collection[Fact], newer: Iterable[Fact], told: Iterable[Evidence], *, since: datetime) -> bool:
    """Tell whether facts must not be ended by newer ones without asking: those that bear on safety or identity.

    Unless the person said so in words of their own, ``told`` for the newer ones ``since`` the last word for the older.
    """
    matters = frozenset(name for fact in older for name in bearing(fact).matters)
    if not matters:
        return False
    statements = {fact.id: fact.statement for fact in newer}
    held = [fact.statement for fact in older]
    return not any(
        tells_change(f"{statements[row.fact_id]}. {row.quote}", matters)
        or any(_ends_state(statement, statements[row.fact_id]) for statement in held)
        for row in told
        if row.said_at > since and row.fact_id in statements
    )


def told_again_at(told: Iterable[Evidence], *, after: datetime, asked_at: datetime | None = None) -> datetime | None:
    """Return when something was first told a second time, at another sitting, after an instant; None where never.

    What the person did by hand is a second time by itself, and so is what they said once they were asked about it.
    """
    said = list(told)
    for row in said:
        is_another = row.session != said[0].session
        is_answer = row.message_id is None or (asked_at is not None and row.said_at > asked_at)
        if row.said_at > after and (is_answer or is_another):
            return row.said_at
    return None


def settles_both(ruling: Ruling) -> bool:
    """Tell whether a ruling is the person's word that both hold."""
    return ruling.by_person and ruling.counts and ruling.judgement.verdict is PairVerdict.COEXISTS
