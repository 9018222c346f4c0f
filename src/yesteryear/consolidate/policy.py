"""The policies of this stage."""

from __future__ import annotations

from dataclasses import dataclass, field

from yesteryear.consolidate.fade import FadePolicy
from yesteryear.consolidate.uptake import UptakePolicy


@dataclass(frozen=True, slots=True)
class ConsolidatePolicy:
    """What happens to memories over time."""

    fade: FadePolicy = field(default_factory=FadePolicy)
    uptake: UptakePolicy = field(default_factory=UptakePolicy)
