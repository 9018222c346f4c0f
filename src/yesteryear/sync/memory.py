"""One scope's memory without an event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yesteryear.memory.belief_verbs import BeliefVerbs
from yesteryear.memory.calls import Calls, ScopedVerbs, here
from yesteryear.memory.graph_verbs import GraphVerbs
from yesteryear.memory.number_verbs import NumberVerbs
from yesteryear.memory.rights_verbs import RightsVerbs
from yesteryear.memory.talk_verbs import TalkVerbs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any, overload

    from yesteryear.core.message import Receipt


class Memory(ScopedVerbs):
    """One scope's memory. Get one from an engine; it holds nothing of its own and may be shared freely."""

    _calls = Calls()

    if TYPE_CHECKING:

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

        def observe(self, content: Any, **fields: Any) -> Any:
            """Take down what was said. When this returns, it is on disk; everything else happens later."""

    else:
        observe = here(TalkVerbs.observe)

    context = here(TalkVerbs.context)
    recall = here(TalkVerbs.recall)
    messages = here(TalkVerbs.messages)
    episodes = here(TalkVerbs.episodes)
    conversations = here(TalkVerbs.conversations)
    close_episode = here(TalkVerbs.close_episode)
    configure = here(TalkVerbs.configure)
    flush = here(TalkVerbs.flush)
    retry = here(TalkVerbs.retry)

    facts = here(BeliefVerbs.facts)
    people = here(BeliefVerbs.people)
    open_loops = here(BeliefVerbs.open_loops)
    changes = here(BeliefVerbs.changes)
    extract = here(BeliefVerbs.extract)
    conflicts = here(BeliefVerbs.conflicts)
    diff = here(BeliefVerbs.diff)
    confirm = here(BeliefVerbs.confirm)
    refute = here(BeliefVerbs.refute)
    both_hold = here(BeliefVerbs.both_hold)
    same = here(BeliefVerbs.same)
    not_same = here(BeliefVerbs.not_same)
    correct = here(BeliefVerbs.correct)
    resolve = here(BeliefVerbs.resolve)
    consolidate = here(BeliefVerbs.consolidate)
    undo = here(BeliefVerbs.undo)
    nights = here(BeliefVerbs.nights)
    keep = here(BeliefVerbs.keep)
    pin = here(BeliefVerbs.pin)
    unpin = here(BeliefVerbs.unpin)
    restore = here(BeliefVerbs.restore)

    metrics = here(NumberVerbs.metrics)
    correlations = here(NumberVerbs.correlations)

    graph = here(GraphVerbs.graph)
    dismiss = here(GraphVerbs.dismiss)

    why = here(RightsVerbs.why)
    stats = here(RightsVerbs.stats)
    usage = here(RightsVerbs.usage)
    reread = here(RightsVerbs.reread)
    fade = here(RightsVerbs.fade)
    forget = here(RightsVerbs.forget)
    proposals = here(RightsVerbs.proposals)
    erase = here(RightsVerbs.erase)
    export = here(RightsVerbs.export)
    import_ = here(RightsVerbs.import_)
