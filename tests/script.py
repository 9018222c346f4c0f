"""What Ana says about her life in tests, what that states, and what its statements are to one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yesteryear
from tests.analysts import ScriptedAnalyst, a_draft
from tests.concepts import ConceptEmbedder
from tests.workshop import Workshop, open_workshop
from yesteryear.core.attributes import Cardinality, FactKind, Volatility
from yesteryear.core.fact import FactDraft, Modality, Slot
from yesteryear.core.ruling import Act, Judgement, PairVerdict

PORTO = "I live in Porto now, in a small flat by the river."
LISBON = "We have moved to Lisbon for good, my new flat is wonderful."
FARO = "My new home is in Faro, I moved there with my husband."
RUNS = "I run in the morning now, my evenings are for my thesis."
RUNS_EARLY = "I always go running at six in the morning, before I work on my thesis."
LOVES = "I love coriander so much that I grow it on my balcony."
HATES = "I cannot stand coriander, it ruins every soup I make."
NUTS = "My sister Lena is allergic to nuts, so I never bake with them."
GOAL = "My goal is to finish my thesis by October, I have decided that."
GOAL_DONE = "I have finished my thesis at last, I handed it in today!"
BLOCKED = "I am stuck with my thesis because the library in Porto is closed until May."
CLIMBS = "I climb at the club every Friday with my colleagues, it keeps me sane."
CLUB = "My colleagues and I meet at the club to climb, every Friday since March."
LOW = "I feel so low and sad since my husband left for Brazil."

STATES: dict[str, FactDraft] = {
    PORTO: a_draft(
        "Ana lives in Porto.",
        kind=FactKind.IDENTITY,
        slot=Slot("residence", "Porto", Cardinality.SINGLE),
        volatility=Volatility.SLOW,
    ),
    LISBON: a_draft(
        "Ana lives in Lisbon.",
        kind=FactKind.IDENTITY,
        slot=Slot("residence", "Lisbon", Cardinality.SINGLE),
        volatility=Volatility.SLOW,
    ),
    FARO: a_draft(
        "Ana lives in Faro.",
        kind=FactKind.IDENTITY,
        slot=Slot("residence", "Faro", Cardinality.SINGLE),
        volatility=Volatility.SLOW,
    ),
    RUNS: a_draft("Ana runs in the morning.", kind=FactKind.WORK_PATTERN, volatility=Volatility.SLOW),
    RUNS_EARLY: a_draft("Ana runs at six in the morning.", kind=FactKind.WORK_PATTERN, volatility=Volatility.SLOW),
    LOVES: a_draft("Ana loves coriander.", volatility=Volatility.SLOW),
    HATES: a_draft("Ana cannot stand coriander.", volatility=Volatility.SLOW, is_negative=True),
    NUTS: a_draft("Ana's sister Lena is allergic to nuts.", kind=FactKind.RELATIONSHIP, volatility=Volatility.STATIC),
    GOAL: a_draft("Ana wants to finish her thesis by October.", kind=FactKind.GOAL, modality=Modality.PLANNED),
    GOAL_DONE: a_draft("Ana finished her thesis.", kind=FactKind.EVENT, volatility=Volatility.STATIC, is_settled=True),
    BLOCKED: a_draft("Ana is stuck because the library in Porto is closed.", kind=FactKind.BLOCKER),
    CLIMBS: a_draft("Ana climbs with her colleagues.", volatility=Volatility.SLOW),
    CLUB: a_draft("Ana climbs at the club.", volatility=Volatility.SLOW),
    LOW: a_draft("Ana feels low.", kind=FactKind.EVENT, volatility=Volatility.VOLATILE),
}
"""What each of them states. The two about climbing are less alike than pairs that are judged when they are told; only
the night, which sees that the talk was about one subject, judges them."""


def statement(text: str) -> str:
    """Return what a text states."""
    return STATES[text].statement


def _judged(verdict: PairVerdict, act: Act, *, keeps_later: bool = True) -> Judgement:
    return Judgement(verdict, act, keeps_later=keeps_later, scores={verdict: 0.97})


_MOVED = _judged(PairVerdict.UPDATES, Act.SUPERSEDE)
JUDGEMENTS: dict[tuple[str, str], Judgement] = {
    (statement(PORTO), statement(LISBON)): _MOVED,
    (statement(LISBON), statement(FARO)): _MOVED,
    (statement(PORTO), statement(FARO)): _MOVED,
    (statement(RUNS), statement(RUNS_EARLY)): _judged(PairVerdict.REFINES, Act.FOLD),
    (statement(LOVES), statement(HATES)): Judgement(PairVerdict.CONTRADICTS, Act.ASK, rule="opposites"),
    (statement(CLIMBS), statement(CLUB)): _judged(PairVerdict.DUPLICATE, Act.FOLD),
    (statement(GOAL), statement(GOAL_DONE)): _judged(PairVerdict.UPDATES, Act.SUPERSEDE),
}
CONCEPTS = {
    "home": ["lives", "home"],
    "sport": ["runs"],
    "herbs": ["coriander"],
    "food": ["nuts", "allergic"],
    "work": ["thesis", "library"],
    "climbing": ["climb", "climbs"],
    "colleagues": ["colleagues"],
    "club": ["club"],
    "mood": ["feels", "low"],
}


def an_analyst() -> ScriptedAnalyst:
    """Return an analyst that knows all of it."""
    return ScriptedAnalyst({text: [draft] for text, draft in STATES.items()}, JUDGEMENTS)


@contextmanager
def open_play(place: Path | str, **given: Any) -> Iterator[Workshop]:
    """Open a store whose analyst knows what Ana says, and whose embedder knows what it is about."""
    arguments: dict[str, Any] = {"analyst": an_analyst(), "embedder": ConceptEmbedder(CONCEPTS)} | given
    with open_workshop(place, **arguments) as shop:
        yield shop


def say(
    memory: yesteryear.Memory,
    *texts: str,
    conversation: str = "kitchen",
    at: datetime | None = None,
    is_flushed: bool = True,
    **more: Any,
) -> None:
    """Say some texts a minute apart, and work through them."""
    for number, text in enumerate(texts):
        when = None if at is None else at + timedelta(minutes=number)
        memory.observe(text, conversation=conversation, author="Ana", at=when, **more)
    if is_flushed:
        memory.flush()


def fact(memory: yesteryear.Memory, text: str, **more: Any) -> yesteryear.FactView:
    """Return the fact that a text states, whatever its status."""
    wanted = statement(text)
    (found,) = [view for view in memory.facts(status="all", limit=1000, **more) if view.statement == wanted]
    return found


def told(memory: yesteryear.Memory, **more: Any) -> list[str]:
    """Return the statements that are believed, in alphabetical order."""
    return sorted(view.statement for view in memory.facts(limit=1000, **more))


def belief(memory: yesteryear.Memory, **more: Any) -> list[tuple[Any, ...]]:
    """Return all that is believed of every fact, in words that do not depend on ids."""
    return belief_in(memory.facts(status="all", limit=1000, **more))


def belief_in(views: Sequence[yesteryear.FactView]) -> list[tuple[Any, ...]]:
    """Return what is believed of each fact, other facts by their words."""
    words: dict[str | None, str] = {view.id: view.statement for view in views}
    return sorted(
        (
            view.statement,
            *(view.project or "", view.kind.value, view.status.value, view.confidence, view.told, view.sessions),
            *(str(view.first_observed), str(view.last_confirmed), str(view.valid_from), str(view.valid_to)),
            *(str(view.resolved_at), view.pinned, view.review),
            *(words.get(view.superseded_by, ""), words.get(view.canonical_id, "")),
        )
        for view in views
    )
