"""What the engine needs beside storage: the time, ids, models, and who works."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from yesteryear.core.episode import Digest, Distillate, EpisodeWords, Talk
    from yesteryear.core.vectors import EmbedderProfile, Matrix, Purpose
    from yesteryear.core.verdicts import ClaimPair, Judgement


class Clock(Protocol):
    """Tells the time. Nothing else in yesteryear does."""

    def now(self) -> datetime:
        """Return the present instant, aware and in UTC."""
        ...


class IdSource(Protocol):
    """Makes ids that sort by time."""

    def new(self, milliseconds: int) -> str:
        """Return a fresh UUIDv7 for an event at ``milliseconds`` of Unix time."""
        ...


class TokenCounter(Protocol):
    """Counts tokens the way a model would, or errs on the high side."""

    def count(self, text: str) -> int:
        """Return how many tokens ``text`` costs; never fewer than the model counts."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors. Safe to call from several threads."""

    @property
    def profile(self) -> EmbedderProfile:
        """The model's name, dimension and thresholds."""
        ...

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Matrix:
        """Return shape (len(texts), dimension), float32, rows of unit length.

        Raises:
            ProviderError: the model could not answer; ``retryable`` says whether to try again.
        """
        ...

    def close(self) -> None:
        """Release what the model holds."""
        ...


class Analyst(Protocol):
    """Reads a stretch of talk and says what it was about."""

    def digest(self, talk: Talk, *, give_way: Callable[[], None]) -> Digest:
        """Return topic, summary, points, decisions, emotions, state and answers to unsure verdicts.

        ``give_way`` is called between pieces of work of a few milliseconds, so that a caller who waits goes first.

        Raises:
            ProviderError: the analyst could not answer.
        """
        ...

    def judge(self, pairs: Sequence[ClaimPair], *, give_way: Callable[[], None]) -> list[Judgement]:
        """Return what the later statement of each pair does to the earlier, and what that is sure enough for.

        Raises:
            ProviderError: the analyst could not answer.
        """
        ...


@runtime_checkable
class Distiller(Protocol):
    """An analyst who can also say what holds over several episodes; the keyless one cannot."""

    def distil(self, episodes: Sequence[EpisodeWords], *, give_way: Callable[[], None]) -> Distillate:
        """Return what people show in at least two of some related episodes, or why these could not be read.

        Args:
            episodes: At least two, in the order of time.
            give_way: As for ``Analyst.digest``.
        """
        ...


class Workers(Protocol):
    """Names this process as a worker, and tells whether another is still there."""

    def name(self) -> str:
        """Return a name that no other worker has, here or elsewhere, and that ``is_gone`` understands."""
        ...

    def is_gone(self, worker: str) -> bool:
        """Tell whether that worker is known to have ended; False when in doubt."""
        ...


class Bell(Protocol):
    """A hint that something became due. Rows are the queue; a lost ring costs time, never work."""

    def ring(self) -> None:
        """Wake whoever waits."""
        ...

    def wait(self, timeout_s: float) -> bool:
        """Wait until somebody rings, at most ``timeout_s`` seconds; tell whether somebody did."""
        ...


class Background(Protocol):
    """Work that goes on beside the callers."""

    @property
    def is_alive(self) -> bool:
        """Whether it goes on."""
        ...

    def start(self) -> None:
        """Begin."""
        ...

    def stop(self) -> None:
        """Stop at the next row boundary, and return when stopped."""
        ...
