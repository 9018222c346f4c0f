"""Groups of episodes on one subject, by average linkage of their vectors, and which of a group are read together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from yesteryear.core.episode import Detail, Episode
from yesteryear.core.vectors import Matrix

Grouping = Callable[[Matrix], Sequence[Sequence[int]]]
"""Takes unit rows of shape (n, dimension), n at least 2, and returns groups of row numbers; rows may be left out."""
_OUT = -np.inf


@dataclass(frozen=True, slots=True)
class DistilPolicy:
    """What is looked for over several episodes, where there is a language model to do it."""

    is_on: bool = True  # whether facts are drawn from talk (`fact_extraction_enabled`)
    most_episodes: int = 12
    """Episodes that are read at once at most, at least 2; a larger group is read in parts. With 8 messages of the
    person in each, 600 characters of every message are shown."""
    keep_from: float = 0.4  # least confidence in [0, 1] of a draft that becomes a fact, as of those that are told


def cluster(
    vectors: Mapping[str, Matrix], *, at_least: float, grouping: Grouping | None = None
) -> list[tuple[str, ...]]:
    """Group what is about one subject, by average linkage or another ``grouping``.

    ``vectors`` are of shape (dimension,) and unit length; ``at_least`` is the lowest mean cosine in [-1, 1] at which
    two groups are joined. Groups of two or more ids come in alphabetical order, by the first of each; neither the order
    of ``vectors`` nor the ids decide anything.
    """
    ids = sorted(vectors, key=lambda name: (vectors[name].tobytes(), name))
    if len(ids) < 2:
        return []
    matrix = np.stack([vectors[name] for name in ids])
    groups = average_linkage(matrix, at_least=at_least) if grouping is None else grouping(matrix)
    return sorted(tuple(sorted(ids[row] for row in group)) for group in groups if len(group) > 1)


def average_linkage(vectors: Matrix, *, at_least: float) -> list[list[int]]:
    """Group rows by average linkage: the two groups with the highest mean cosine are joined while it is high enough.

    Follows chains of nearest neighbours, which gives the same groups in n^2 steps: two groups that are each other's
    nearest can be joined at once, as joining others brings nothing nearer. Every row is in one of the groups, which are
    sorted, by their first row. Source: F. Murtagh, A survey of recent advances in hierarchical clustering algorithms,
    The Computer Journal 26, 1983.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, _OUT)
    groups = {row: [row] for row in range(len(rows))}
    is_open = np.ones(len(rows), dtype=bool)
    chain: list[int] = []
    while is_open.any():
        tip = chain[-1] if chain else int(np.argmax(is_open))
        chain = chain or [tip]
        nearest = int(np.argmax(likeness[tip]))
        if likeness[tip, nearest] < at_least:
            _close(likeness, is_open, tip)
            chain.pop()
        elif len(chain) > 1 and likeness[tip, chain[-2]] >= likeness[tip, nearest]:
            one, other = sorted((chain.pop(), chain.pop()))
            size, other_size = len(groups[one]), len(groups[other])
            mean = (size * likeness[one] + other_size * likeness[other]) / (size + other_size)
            likeness[one], likeness[:, one] = mean, mean
            likeness[one, one] = _OUT
            _close(likeness, is_open, other)
            groups[one] += groups.pop(other)
        else:
            chain.append(nearest)
    return sorted(sorted(group) for group in groups.values())


def _close(likeness: npt.NDArray[np.float64], is_open: npt.NDArray[np.bool_], row: int) -> None:
    """Take a row out: nothing is joined with it any more."""
    likeness[row], likeness[:, row] = _OUT, _OUT
    is_open[row] = False


def gather(
    groups: Iterable[Sequence[Episode]], read: Collection[str], policy: DistilPolicy
) -> list[tuple[Episode, ...]]:
    """Return the episodes that are to be read together, each group or part of one in the order of time.

    Only episodes of one project are read together, of at least two conversations, with words left. A group of which
    all was read is not read again, also when it was grouped otherwise; what has come to it is read with the latest of
    the others, those of other conversations first.
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
