"""One scope's memory: the verbs of talk, belief, numbers, the graph and rights, which do not know each other."""

from __future__ import annotations

from yesteryear.memory.belief_verbs import BeliefVerbs
from yesteryear.memory.graph_verbs import GraphVerbs
from yesteryear.memory.number_verbs import NumberVerbs
from yesteryear.memory.rights_verbs import RightsVerbs
from yesteryear.memory.talk_verbs import TalkVerbs


class AsyncMemory(TalkVerbs, BeliefVerbs, NumberVerbs, GraphVerbs, RightsVerbs):
    """One scope's memory. Get one from an engine; it holds nothing of its own and may be shared freely.

    Whatever cannot be passed to a verb is an InputError that names it; what else a verb raises it says itself.
    """
