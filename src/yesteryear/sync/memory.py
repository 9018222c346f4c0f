"""One scope's memory without an event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yesteryear.memory.calls import Calls, ScopedVerbs, here
from yesteryear.memory.memory import AsyncMemory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Unpack, overload

    from yesteryear.core.message import Receipt
    from yesteryear.memory.talk_verbs import SaidOptions


class Memory(ScopedVerbs):
    """One scope's memory. Get one from an engine; it holds nothing of its own and may be shared freely.

    Of all verbs: an argument that cannot be used is an InputError, what is to be changed or explained and is not here
    is NotFound, and what is not of the ``version`` that is passed any more is Stale.
    """

    _calls = Calls()

    if TYPE_CHECKING:

        @overload
        def observe(self, content: str | Mapping[str, Any], **fields: Unpack[SaidOptions]) -> Receipt: ...

        @overload
        def observe(self, content: Sequence[Mapping[str, Any]], **fields: Unpack[SaidOptions]) -> list[Receipt]: ...

        def observe(self, content: Any, **fields: Any) -> Any:
            """Take down what was said. When this returns, it is on disk; everything else happens later."""

    else:
        observe = here(AsyncMemory.observe)

    context = here(AsyncMemory.context)
    recall = here(AsyncMemory.recall)
    messages = here(AsyncMemory.messages)
    episodes = here(AsyncMemory.episodes)
    conversations = here(AsyncMemory.conversations)
    close_episode = here(AsyncMemory.close_episode)
    configure = here(AsyncMemory.configure)
    flush = here(AsyncMemory.flush)
    retry = here(AsyncMemory.retry)

    facts = here(AsyncMemory.facts)
    people = here(AsyncMemory.people)
    open_loops = here(AsyncMemory.open_loops)
    changes = here(AsyncMemory.changes)
    extract = here(AsyncMemory.extract)
    conflicts = here(AsyncMemory.conflicts)
    diff = here(AsyncMemory.diff)
    confirm = here(AsyncMemory.confirm)
    refute = here(AsyncMemory.refute)
    both_hold = here(AsyncMemory.both_hold)
    same = here(AsyncMemory.same)
    not_same = here(AsyncMemory.not_same)
    correct = here(AsyncMemory.correct)
    resolve = here(AsyncMemory.resolve)
    consolidate = here(AsyncMemory.consolidate)
    undo = here(AsyncMemory.undo)
    nights = here(AsyncMemory.nights)
    keep = here(AsyncMemory.keep)
    pin = here(AsyncMemory.pin)
    unpin = here(AsyncMemory.unpin)
    restore = here(AsyncMemory.restore)

    metrics = here(AsyncMemory.metrics)
    correlations = here(AsyncMemory.correlations)

    graph = here(AsyncMemory.graph)
    dismiss = here(AsyncMemory.dismiss)

    why = here(AsyncMemory.why)
    stats = here(AsyncMemory.stats)
    usage = here(AsyncMemory.usage)
    reread = here(AsyncMemory.reread)
    fade = here(AsyncMemory.fade)
    forget = here(AsyncMemory.forget)
    proposals = here(AsyncMemory.proposals)
    erase = here(AsyncMemory.erase)
    export = here(AsyncMemory.export)
    import_ = here(AsyncMemory.import_)
