"""The policies of this stage."""

from __future__ import annotations

from dataclasses import dataclass, field

from yesteryear.consolidate.belief import BeliefPolicy
from yesteryear.consolidate.cluster import ClusterPolicy
from yesteryear.consolidate.fade import FadePolicy
from yesteryear.consolidate.gathering import DistilPolicy
from yesteryear.consolidate.night import NightPolicy
from yesteryear.consolidate.nominate import NominatePolicy
from yesteryear.consolidate.questions import QuestionPolicy
from yesteryear.consolidate.uptake import UptakePolicy


@dataclass(frozen=True, slots=True)
class ConsolidatePolicy:
    """What happens to memories over time."""

    fade: FadePolicy = field(default_factory=FadePolicy)
    uptake: UptakePolicy = field(default_factory=UptakePolicy)
    belief: BeliefPolicy = field(default_factory=BeliefPolicy)
    nominate: NominatePolicy = field(default_factory=NominatePolicy)
    cluster: ClusterPolicy = field(default_factory=ClusterPolicy)
    distil: DistilPolicy = field(default_factory=DistilPolicy)
    questions: QuestionPolicy = field(default_factory=QuestionPolicy)
    night: NightPolicy = field(default_factory=NightPolicy)
