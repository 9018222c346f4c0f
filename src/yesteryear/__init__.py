"""Long-term memory for conversational AI.

``yesteryear.open("memory.db")`` opens a memory, ``engine.memory(user="ana")`` is the door to one person's, and its
verbs do the rest. Everything public is named in ``__all__`` and loaded when first used: importing costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yesteryear.bootstrap import open, open_async  # noqa: A004
    from yesteryear.consolidate.letting_go import Faded
    from yesteryear.consolidate.look import ConflictView, FactsDiff, FactView, News
    from yesteryear.core.conversation import Conversation
    from yesteryear.core.cycle import CycleReport, CycleState, FactChange
    from yesteryear.core.episode import Digest, Episode, EpisodeStatus, UserState
    from yesteryear.core.erasure import Erasure
    from yesteryear.core.fact import FactDraft, FactKind, FactStatus
    from yesteryear.core.message import Message, Outcome, Reason, Receipt, Role, Verdict
    from yesteryear.core.question import Question
    from yesteryear.core.scope import Owner, Scope
    from yesteryear.core.scored import Hit
    from yesteryear.core.usage import UsageSum
    from yesteryear.core.verdicts import Judgement, PairVerdict
    from yesteryear.drain import Drained
    from yesteryear.engine import AsyncEngine
    from yesteryear.errors import YesteryearError
    from yesteryear.forget.forget import Forgotten
    from yesteryear.forget.propose import Proposal
    from yesteryear.forget.seal import TakenBack
    from yesteryear.memory import AsyncMemory
    from yesteryear.providers.clock import ReplayClock, SystemClock
    from yesteryear.recall.context import Context, ContextItem, Dropped
    from yesteryear.recall.retrieve import Reading, Recalled
    from yesteryear.sync.engine import Engine
    from yesteryear.sync.memory import Memory
    from yesteryear.takeout.export import Exported
    from yesteryear.takeout.import_export import Imported
    from yesteryear.why import Why

__all__ = [
    "AsyncEngine",
    "AsyncMemory",
    "ConflictView",
    "Context",
    "ContextItem",
    "Conversation",
    "CycleReport",
    "CycleState",
    "Digest",
    "Drained",
    "Dropped",
    "Engine",
    "Episode",
    "EpisodeStatus",
    "Erasure",
    "Exported",
    "FactChange",
    "FactDraft",
    "FactKind",
    "FactStatus",
    "FactView",
    "FactsDiff",
    "Faded",
    "Forgotten",
    "Hit",
    "Imported",
    "Judgement",
    "Memory",
    "Message",
    "News",
    "Outcome",
    "Owner",
    "PairVerdict",
    "Proposal",
    "Question",
    "Reading",
    "Reason",
    "Recalled",
    "Receipt",
    "ReplayClock",
    "Role",
    "Scope",
    "SystemClock",
    "TakenBack",
    "UsageSum",
    "UserState",
    "Verdict",
    "Why",
    "YesteryearError",
    "open",
    "open_async",
]

_HOMES = {
    "bootstrap": ("open", "open_async"),
    "consolidate.letting_go": ("Faded",),
    "consolidate.look": ("ConflictView", "FactView", "FactsDiff", "News"),
    "core.conversation": ("Conversation",),
    "core.cycle": ("CycleReport", "CycleState", "FactChange"),
    "core.episode": ("Digest", "Episode", "EpisodeStatus", "UserState"),
    "core.erasure": ("Erasure",),
    "core.fact": ("FactDraft", "FactKind", "FactStatus"),
    "core.message": ("Message", "Outcome", "Reason", "Receipt", "Role", "Verdict"),
    "core.question": ("Question",),
    "core.scope": ("Owner", "Scope"),
    "core.scored": ("Hit",),
    "core.usage": ("UsageSum",),
    "core.verdicts": ("Judgement", "PairVerdict"),
    "drain": ("Drained",),
    "engine": ("AsyncEngine",),
    "errors": ("YesteryearError",),
    "forget.forget": ("Forgotten",),
    "forget.propose": ("Proposal",),
    "forget.seal": ("TakenBack",),
    "memory": ("AsyncMemory",),
    "providers.clock": ("ReplayClock", "SystemClock"),
    "recall.context": ("Context", "ContextItem", "Dropped"),
    "recall.retrieve": ("Reading", "Recalled"),
    "sync.engine": ("Engine",),
    "sync.memory": ("Memory",),
    "takeout.export": ("Exported",),
    "takeout.import_export": ("Imported",),
    "why": ("Why",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"yesteryear.{home}"), name)
            return value
    raise AttributeError(f"module 'yesteryear' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
