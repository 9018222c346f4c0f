"""What the rows of an episode hold in words."""

from __future__ import annotations

from yesteryear.core.episode import Episode


def texts_of(episode: Episode) -> list[str]:
    """Return the texts that an episode's row holds."""
    digest = episode.digest
    if digest is None:
        return []
    return [text for text in (digest.topic, digest.summary, *digest.key_points, *digest.decisions) if text]
