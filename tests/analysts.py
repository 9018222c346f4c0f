"""Analysts for tests: one that judges nothing, and one that finds and judges what it was told to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Digest, Talk
from yesteryear.core.fact import FactDraft
from yesteryear.core.message import Outcome, Role
from yesteryear.core.ruling import ClaimPair, Judgement, PairVerdict

_TOPIC_CHARS = 60


class SideBySide:
    """Lets all statements stand side by side; a base for analysts of tests that judge nothing."""

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Return COEXISTS for every pair."""
        return [Judgement(PairVerdict.COEXISTS) for _ in pairs]


class ScriptedAnalyst:
    """Finds in each message of the person what it was told to find there, and judges pairs as it was told.

    Args:
        drafts: What somebody states who says a text, by that text; other texts state nothing.
        judgements: By the two statements, the earlier first. A pair that comes the other way round is judged alike,
            and the same one of the two is kept. Other pairs stand side by side.
    """

    def __init__(
        self,
        drafts: Mapping[str, Sequence[FactDraft]],
        judgements: Mapping[tuple[str, str], Judgement] | None = None,
    ) -> None:
        self._drafts = drafts
        turned = {
            (later, earlier): replace(judgement, keeps_later=not judgement.keeps_later)
            for (earlier, later), judgement in (judgements or {}).items()
        }
        self._judgements = turned | dict(judgements or {})
        self.judged: list[tuple[str, str]] = []
        """The pairs it was asked about, the earlier statement first."""

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Return all that was said as summary, and the statements it was told of."""
        yield_to_foreground()
        messages = [message for exchange in talk.exchanges for message in exchange.messages]
        said = " ".join(message.content for message in messages)
        return Digest(
            topic=said[:_TOPIC_CHARS],
            summary=said,
            verdicts={
                position: verdict.settled()
                for position, verdict in enumerate(talk.verdicts)
                if verdict.outcome is Outcome.UNSURE
            },
            facts=tuple(
                replace(draft, message_id=message.id, quote=draft.quote or message.content)
                for message in messages
                if message.role is Role.USER
                for draft in self._drafts.get(message.content, ())
            ),
        )

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Return for each pair what it was told, COEXISTS where that was nothing."""
        yield_to_foreground()
        asked = [(pair.earlier.text, pair.later.text) for pair in pairs]
        self.judged += asked
        return [self._judgements.get(pair, Judgement(PairVerdict.COEXISTS)) for pair in asked]


def a_draft(statement: str, *, subject: str = "Ana", **changes: object) -> FactDraft:
    """Return a statement that is plainly made; its quote is the whole message unless given."""
    draft = FactDraft(
        statement=statement, kind=FactKind.PREFERENCE, subject=subject, quote="", message_id="", confidence=0.9
    )
    return replace(draft, **changes)  # type: ignore[arg-type]
