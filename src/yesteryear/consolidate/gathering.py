"""Which episodes are read together for what holds over several of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from yesteryear.core.episode import Detail, Episode


@dataclass(frozen=True, slots=True)
class DistilPolicy:
    """What is looked for over several episodes, where there is a language model to do it."""

    is_on: bool = True
    """Whether facts are drawn from talk (``fact_extraction_enabled``)."""
    most_episodes: int = 12
    """Episodes that are read at once at most, at least 2; a larger group is read in parts. With 8 messages of the
    person in each, 600 characters of every message are shown."""
    keep_from: float = 0.4
    """Least confidence in [0, 1] of a draft that becomes a fact, as of those that are told."""


def gather(
    groups: Iterable[Sequence[Episode]], read: Collection[str], policy: DistilPolicy
) -> list[tuple[Episode, ...]]:
    """Return the episodes that are to be read together, each group or part of one in the order of time.

    Only episodes of one project are read together, of at least two conversations, with words left. A group of which
    all was read is not read again, also when it was grouped otherwise; what has come to it is read with the latest of
    the others, those of other conversations first.

    Args:
        groups: Episodes on one subject each.
        read: Ids of the episodes that were read.
        policy: How many at once.
    """
    gathered = []
    for group in groups:
        projects: dict[str | None, list[Episode]] = defaultdict(list)
        for episode in sorted(group, key=_place):
            if episode.detail is not Detail.GIST:
                projects[episode.scope.project].append(episode)
        for project in sorted(projects, key=lambda name: name or ""):
            gathered += _parts(projects[project], read, policy.most_episodes)
    return gathered


def _parts(episodes: Sequence[Episode], read: Collection[str], most: int) -> list[tuple[Episode, ...]]:
    new = [episode for episode in episodes if episode.id not in read]
    parts = []
    for start in range(0, len(new), most):
        part = new[start : start + most]
        sessions = {episode.key for episode in part}
        if len(sessions) == 1:
            part = part[: most - 1]  # room for another session; what is left over is read the next night
        others = [episode for episode in episodes if episode not in part]
        others.sort(key=lambda episode: episode.key not in sessions)
        shown = [*part, *others[max(0, len(others) - most + len(part)) :]]
        if len({episode.key for episode in shown}) > 1:
            parts.append(tuple(sorted(shown, key=_place)))
    return parts


def _place(episode: Episode) -> tuple[datetime, str, int]:
    return episode.started_at, episode.conversation, episode.first_seq
