"""Taking in what an importer finds: in batches, each one durable before the next, repeatable without doubles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from yesteryear.cli.importers.records import Draft, Flaw, LeftOut, Record
from yesteryear.errors import Conflict, InputError

if TYPE_CHECKING:
    from yesteryear.sync.memory import Memory

BATCH = 64
"""Messages that are taken down together."""


@dataclass(slots=True)
class Intake:
    """What became of the messages of a file, so far."""

    memory_of: Callable[[str | None], Memory]
    """Finds the memory for the person a file names, or for nobody in particular."""
    zone: str | None = None
    """IANA zone of messages that name none."""
    author: str | None = None
    """What the person is called, where a message of theirs names nobody."""
    on_progress: Callable[[float], None] = lambda _: None
    """Told how far into the file we are, in [0, 1]."""
    new: int = 0
    known: int = 0
    """Messages that had been taken in before."""
    redacted: int = 0
    """New messages out of which secrets were cut."""
    flaws: list[Flaw] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    memories: dict[str, Memory] = field(default_factory=dict)
    """Whose memory was written to, by name."""

    @property
    def messages(self) -> int:
        """How many messages are in the store by now."""
        return self.new + self.known

    def take(self, records: Iterable[Record]) -> None:
        """Take in everything, in order.

        Messages that the journal refuses become flaws; the others of their batch are taken.

        Raises:
            YesteryearError: the store failed; what was counted before is safe.
        """
        batch: list[Draft] = []
        for record in records:
            match record:
                case Flaw():
                    self.flaws.append(record)
                case LeftOut():
                    self.left_out[record.reason] += 1
                case Draft():
                    if batch and (len(batch) == BATCH or record.user != batch[0].user):
                        self._observe(batch)
                        batch = []
                    batch.append(record)
        if batch:
            self._observe(batch)

    def _observe(self, batch: list[Draft]) -> None:
        memory = self.memory_of(batch[0].user)
        self.memories[memory.scope.user] = memory
        self._observe_all(memory, batch)
        self.on_progress(batch[-1].position)

    def _observe_all(self, memory: Memory, batch: list[Draft]) -> None:
        """Take down a batch together; where one message is refused, its halves, until it stands alone."""
        try:
            receipts = memory.observe([self._named(draft.message) for draft in batch], zone=self.zone)
        except (InputError, Conflict) as exc:
            if len(batch) == 1:
                self.flaws.append(Flaw(batch[0].where, str(exc)))
                return
            middle = len(batch) // 2
            self._observe_all(memory, batch[:middle])
            self._observe_all(memory, batch[middle:])
            return
        fresh = [receipt for receipt in receipts if receipt.is_new]
        self.new += len(fresh)
        self.known += len(receipts) - len(fresh)
        self.redacted += sum(bool(receipt.redactions) for receipt in fresh)

    def _named(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        is_theirs = message.get("role", "user") == "user" and message.get("author") is None
        return {**message, "author": self.author} if self.author is not None and is_theirs else message
