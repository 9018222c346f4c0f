"""One scope's memory: the verbs of talk, belief, numbers, the graph and rights, which do not know each other."""

from __future__ import annotations

from yesteryear.memory.belief_verbs import BeliefVerbs
from yesteryear.memory.graph_verbs import GraphVerbs
from yesteryear.memory.number_verbs import NumberVerbs
from yesteryear.memory.rights_verbs import RightsVerbs
from yesteryear.memory.talk_verbs import TalkVerbs


class AsyncMemory(TalkVerbs, BeliefVerbs, NumberVerbs, GraphVerbs, RightsVerbs):
    """One scope's memory. Get one from an engine; it holds nothing of its own and may be shared freely.

    Of all verbs: an argument that cannot be used is an InputError, what is to be changed or explained and is not here
    is NotFound, and what is not of the ``version`` that is passed any more is Stale.
    """
