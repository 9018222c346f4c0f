"""The policies of this stage, and when an owner's next night is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from yesteryear.consolidate.belief.questions import QuestionPolicy
from yesteryear.consolidate.belief.settle import BeliefPolicy
from yesteryear.consolidate.night.cluster import DistilPolicy
from yesteryear.consolidate.night.nominate import NominatePolicy
from yesteryear.consolidate.retention.fade import FadePolicy
from yesteryear.consolidate.retention.feedback import UptakePolicy
from yesteryear.core.time import later, local


@dataclass(frozen=True, slots=True)
class NightPolicy:
    """When nights are run."""

    is_on: bool = True  # whether the worker runs nights by itself
    hour: int = 3  # hour of the person's own day, 0 to 23, at which a night begins
    idle_hours: float = 6.0  # hours of silence, above 0, after which it need not wait for the night


@dataclass(frozen=True, slots=True)
class ConsolidatePolicy:
    """What happens to memories over time."""

    fade: FadePolicy = field(default_factory=FadePolicy)
    uptake: UptakePolicy = field(default_factory=UptakePolicy)
    belief: BeliefPolicy = field(default_factory=BeliefPolicy)
    nominate: NominatePolicy = field(default_factory=NominatePolicy)
    distil: DistilPolicy = field(default_factory=DistilPolicy)
    questions: QuestionPolicy = field(default_factory=QuestionPolicy)
    night: NightPolicy = field(default_factory=NightPolicy)


def next_night(
    now: datetime, zone: str | None, policy: NightPolicy, *, last: datetime | None = None
) -> datetime | None:
    """Return when the night after ``now`` is due: at its hour in the person's zone, or after so much silence.

    Silence brings on no second one within a day of the ``last``. None when nights are not run by themselves.
    """
    if not policy.is_on:
        return None
    here = local(now, zone)
    tonight = _hour_of(here, policy)
    due = (tonight + timedelta(days=tonight <= here)).astimezone(now.tzinfo)
    idle = later(now, timedelta(hours=policy.idle_hours))
    is_fresh = last is not None and idle - last < timedelta(days=1)
    return due if is_fresh else min(due, idle)


def last_night(now: datetime, policy: NightPolicy, zone: str | None) -> datetime:
    """Return when the last night before ``now`` was to begin by its hour, whether one was run or not."""
    here = local(now, zone)
    tonight = _hour_of(here, policy)
    return (tonight - timedelta(days=tonight > here)).astimezone(now.tzinfo)


def _hour_of(here: datetime, policy: NightPolicy) -> datetime:
    """Return when the night of a local day begins."""
    return here.replace(hour=policy.hour, minute=0, second=0, microsecond=0)
