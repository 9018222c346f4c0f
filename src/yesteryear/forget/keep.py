"""STEP: the opposite of letting go: pinning an episode, and bringing one back from the archive."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from yesteryear.core.episode import Episode, EpisodeStatus
from yesteryear.errors import InputError, NotFound
from yesteryear.ports import Transaction


def pin_episode(tx: Transaction, name: str, *, pinned: bool, now: datetime) -> Episode:
    """Pin or unpin the episode with this id, or that holds the message with it; pinning brings it back.

    Raises:
        NotFound, InputError: see ``find_episode``.
    """
    episode = find_episode(tx, name)
    changed = replace(episode, pinned=pinned)
    if pinned and episode.status is EpisodeStatus.ARCHIVED:
        changed = _brought_back(changed, now)
    tx.episodes.update(changed, expecting=episode.status)
    return changed


def restore_episode(tx: Transaction, name: str, *, now: datetime) -> Episode:
    """Bring back the archived episode with this id, or that holds the message with it.

    Raises:
        NotFound: nothing in this scope has this id.
        InputError: it is not archived, or nothing of it is left.
    """
    episode = find_episode(tx, name)
    if episode.status is not EpisodeStatus.ARCHIVED:
        raise InputError(f"episode {episode.id!r} is {episode.status}; only an archived one can be restored")
    changed = _brought_back(episode, now)
    tx.episodes.update(changed, expecting=episode.status)
    return changed


def find_episode(tx: Transaction, name: str) -> Episode:
    """Return the episode with this id, or that holds the message with it.

    Raises:
        NotFound: nothing in this scope has this id.
        InputError: the message is in no episode, or the episode was forgotten.
    """
    found = tx.episodes.get([name])
    if not found:
        messages = tx.messages.named([name])
        if not messages:
            raise NotFound(
                f"nothing here has the id {name!r}; ids stand in messages(), episodes(), facts() and contexts"
            )
        held_in = [message.episode_id for message in messages if message.episode_id is not None]
        found = tx.episodes.get(held_in[:1])
        if not found:
            why = "was not kept" if messages[0].verdict is not None else "is not in an episode yet"
            raise InputError(
                f"message {name!r} {why}, so there is nothing to keep or bring back; say it again, "
                "and that it should be remembered"
            )
    if found[0].status is EpisodeStatus.FORGOTTEN:
        raise InputError(f"episode {found[0].id!r} was forgotten; nothing of it is left")
    return found[0]


def _brought_back(episode: Episode, now: datetime) -> Episode:
    """Return an archived episode as it is found again: its age counts from now, and what is left is embedded."""
    if episode.digest is None or not (episode.digest.topic or episode.digest.summary):
        raise InputError(f"nothing is left of episode {episode.id!r}")
    return episode.moved_to(EpisodeStatus.ACTIVE, restored_at=now, next_try=now)
