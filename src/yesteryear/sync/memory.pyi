from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from os import PathLike
from typing import Annotated, Any, overload

from yesteryear.consolidate.belief.overrides import MAX_STATEMENT_CHARS
from yesteryear.consolidate.belief.queries import (
    ChangeFeed,
    ConflictView,
    FactsDiff,
    FactView,
    PersonView,
)
from yesteryear.consolidate.night.cycle import Progress
from yesteryear.consolidate.retention.sweep import Faded
from yesteryear.core.access.arguments import (
    Id,
    Instant,
    KindOfFact,
    KindOfMemory,
    Name,
    OneOf,
    PageLimit,
    Speaker,
    Version,
    Within,
)
from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.core.erasure import Erasure
from yesteryear.core.fact import FactStatus, LoopState
from yesteryear.core.message import Conversation, Message, Outcome, Receipt
from yesteryear.core.night_report import CycleReport
from yesteryear.core.scope import Scope
from yesteryear.core.usage import UsageSum
from yesteryear.forget.forget import Forgotten
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack
from yesteryear.lifecycle.drain import Drained
from yesteryear.lifecycle.opened import OpenMemory
from yesteryear.lifecycle.reread import Rereading
from yesteryear.lifecycle.why import Why
from yesteryear.ports import Setting
from yesteryear.recall.context import Context, Tokens
from yesteryear.recall.render import Layout
from yesteryear.recall.retrieve import Recalled
from yesteryear.transfer.export import Exported
from yesteryear.transfer.import_export import Imported

class Memory:
    @overload
    def observe(
        self,
        content: str | Mapping[str, Any],
        *,
        role: str = "user",
        author: str | None = None,
        conversation: str = "default",
        at: datetime | str | None = None,
        id: str | None = None,
        zone: str | None = None,
    ) -> Receipt: ...
    @overload
    def observe(
        self,
        content: Sequence[Mapping[str, Any]],
        *,
        role: str = "user",
        author: str | None = None,
        conversation: str = "default",
        at: datetime | str | None = None,
        id: str | None = None,
        zone: str | None = None,
    ) -> list[Receipt]: ...
    def context(
        self,
        message: str = "",
        *,
        conversation: Id | None = None,
        budget: Tokens | None = None,
        recent_budget: Tokens | None = None,
        at: Instant | None = None,
        speaker: Speaker | None = "user",
        layout: Annotated[str, OneOf(Layout)] = "text",
        dry_run: bool = False,
    ) -> Context:
        """Return what to put before a model for its next reply, within a budget of tokens."""

    def recall(
        self,
        question: str,
        *,
        limit: PageLimit = 10,
        kinds: Collection[KindOfMemory] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        author: Name | None = None,
        conversation: Id | None = None,
        speaker: Speaker | None = "user",
        archived: bool = False,
        at: Instant | None = None,
    ) -> Recalled:
        """Find memories that bear on a question, best first."""

    def messages(
        self,
        *,
        ids: Collection[Id] | None = None,
        conversation: Id | None = None,
        author: Name | None = None,
        outcome: Annotated[str, OneOf((Outcome.KEEP, Outcome.SKIP))] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        after: Id | None = None,
        newest_first: bool = False,
        limit: PageLimit = 100,
    ) -> list[Message]:
        """Return a page of the journal, in the order it came in, with what the gate decided and why."""

    def episodes(
        self,
        *,
        ids: Collection[Id] | None = None,
        conversation: Id | None = None,
        status: Annotated[str, OneOf(EpisodeStatus)] | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        after: Id | None = None,
        limit: PageLimit = 100,
    ) -> list[Episode]:
        """Return a page of episodes, newest first."""

    def conversations(self) -> list[Conversation]:
        """Return the conversations of this scope."""

    def close_episode(self, conversation: Id = "default") -> None:
        """End the present episode of a conversation: what comes next belongs to another one."""

    def configure(self, *, project: Name | None = None, **settings: Setting | None) -> dict[str, Setting]:
        """Set what holds for this user, or for one project of theirs, and return what is set there now."""

    def flush(self, *, on_progress: Callable[[Drained], None] = ...) -> Drained:
        """End the open episodes of this scope and wait until everything that is due has been done."""

    def retry(self) -> int:
        """Make everything that was given up after too many failures due again; return how many rows that were."""

    def facts(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[KindOfFact] | None = None,
        status: Annotated[str, OneOf(("current", "all"), FactStatus)] = "current",
        subject: Name | None = None,
        attribute: Name | None = None,
        holder: Name | None = None,
        open_only: bool = False,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        at: Instant | None = None,
        after: Id | None = None,
        evidence: bool = False,
        limit: PageLimit = 100,
    ) -> list[FactView]:
        """Return a page of what is believed, the surest first."""

    def people(self, *, at: Instant | None = None, limit: PageLimit = 100) -> list[PersonView]:
        """Return the people and pets that are known, those of whom most holds now first."""

    def open_loops(
        self, *, until: Instant | None = None, at: Instant | None = None, limit: PageLimit = 100
    ) -> list[FactView]:
        """Return what is open: goals, plans, appointments and blockers, what is due first first."""

    def changes(self, since: Version | None = None) -> ChangeFeed:
        """Return the episodes and facts that are new or have changed since somebody last looked."""

    def extract(self, id: Id) -> list[FactView]:
        """Draw facts from an episode by hand, as is done when it is written, and compare them with what is known."""

    def conflicts(self, *, resolved: bool = False) -> list[ConflictView]:
        """Return the open questions between facts that cannot both hold, the newest first."""

    def diff(self, since: Instant, until: Instant | None = None) -> FactsDiff:
        """Return what became believed, ceased to be believed, or changed, between two moments."""

    def confirm(self, id: Id, *, version: Version | None = None) -> FactView | Proposal:
        """Note that the person said yes to a fact, or to a proposal to forget, which is carried out."""

    def refute(self, id: Id, *, version: Version | None = None) -> FactView | Proposal:
        """Note that the person said no to a fact, or to a proposal to forget, which is withdrawn."""

    def both_hold(self, id: Id) -> ConflictView:
        """Note that the person said that both sides of a conflict hold: it is settled, and neither gives way."""

    def same(self, one: Name, other: Name) -> list[PersonView]:
        """Note that the person said that two names, or a name and a tie, mean one: "my partner" and "Priya"."""

    def not_same(self, one: Name, other: Name) -> list[PersonView]:
        """Note that the person said that two names, or a name and a tie, mean two, whatever was told."""

    def correct(
        self,
        id: Id,
        statement: Annotated[str, Within(1, MAX_STATEMENT_CHARS)],
        *,
        since: Instant | None = None,
        version: Version | None = None,
    ) -> FactView:
        """Put another statement in the place of a fact, and return the new fact."""

    def resolve(
        self,
        id: Id,
        *,
        outcome: Annotated[str, OneOf((LoopState.DONE, LoopState.DROPPED))] = "done",
        at: Instant | None = None,
        version: Version | None = None,
    ) -> FactView:
        """Note that something that gets done is: a goal is reached, a blocker gone, a decision reversed; or dropped."""

    def consolidate(
        self, *, at: Instant | None = None, dry_run: bool = False, on_progress: Callable[[Progress], None] = ...
    ) -> CycleReport:
        """Run a night: judge what may be the same or in conflict, settle what is believed, let go what has faded."""

    def undo(self, cycle: Id | None = None) -> CycleReport:
        """Take back what the last night did to facts. Words that faded in it do not come back."""

    def nights(self, *, limit: PageLimit = 30) -> list[CycleReport]:
        """Return what the last nights did, newest first."""

    def keep(self, id: Id) -> Message:
        """Keep what the gate skipped after all: it becomes an episode and facts as if it had been kept at once."""

    def pin(self, id: Id, *, version: Version | None = None) -> Episode | FactView:
        """Keep an episode or a fact for good: it never fades, never gives way to others, and is never merged away."""

    def unpin(self, id: Id, *, version: Version | None = None) -> Episode | FactView:
        """Let an episode or a fact fade again as others do."""

    def restore(self, id: Id, *, version: Version | None = None) -> Episode | FactView | TakenBack:
        """Bring an archived episode back, with what is left of it; a fact; or what somebody asked in talk to forget."""

    def why(self, id: Id, *, at: Instant | None = None) -> Why:
        """Return why a fact is believed, why an episode is remembered and when it fades, or why a message was kept."""

    def stats(self) -> dict[str, Any]:
        """Return numbers of rows by kind and status, the embedding models in use, and who has read the episodes."""

    def usage(self, *, since: Instant | None = None, until: Instant | None = None) -> list[UsageSum]:
        """Return what calls of models have cost this person's memory, summed by day (UTC), purpose and model."""

    def reread(self, *, dry_run: bool = False) -> Rereading:
        """Have the worker read old talk again, by what reads now, where something else has read it."""

    def fade(self, *, at: Instant | None = None, dry_run: bool = False) -> Faded:
        """Let go what has faded, what exceeds the limits, and skipped text whose days are over."""

    def forget(
        self,
        *ids: Id,
        conversation: Id | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        about: str | None = None,
        dry_run: bool = False,
        on_progress: Callable[[int], None] = ...,
    ) -> Forgotten:
        """Forget messages and all that was made of them: words, vectors, what summaries tell of them, in the files too."""

    def proposals(self) -> list[Proposal]:
        """Return what somebody asked in talk to have forgotten as a whole, and nobody has answered, the oldest first."""

    def erase(self) -> Erasure:
        """Erase the person: all of their memory, whatever the project, in every index and file. There is no way back."""

    def export(self, path: str | PathLike[str], *, overwrite: bool = False) -> Exported:
        """Write everything that this scope sees into one zip: JSON Lines, a manifest with hashes, a page to read."""

    def import_(self, path: str | PathLike[str], *, on_progress: Callable[[int, int], None] = ...) -> Imported:
        """Read an export back, into this scope, which may be another person's or in another store."""

    def __init__(self, memory: OpenMemory) -> None: ...
    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
