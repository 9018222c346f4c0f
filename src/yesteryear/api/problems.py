"""What a door answers to an error: an HTTP status, a stable code, and words that tell what to do."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from yesteryear import errors
from yesteryear.errors import YesteryearError

_STATUSES: tuple[tuple[type[YesteryearError], HTTPStatus], ...] = (
    (errors.NotAdmitted, HTTPStatus.UNAUTHORIZED),
    (errors.NotAllowed, HTTPStatus.FORBIDDEN),
    (errors.TooMany, HTTPStatus.TOO_MANY_REQUESTS),
    (errors.TooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (errors.NotFound, HTTPStatus.NOT_FOUND),
    (errors.InvalidTransition, HTTPStatus.CONFLICT),
    (errors.InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.Conflict, HTTPStatus.CONFLICT),
    (errors.Stale, HTTPStatus.PRECONDITION_FAILED),
    (errors.RateLimited, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.StorageUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.ProviderUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.ProviderError, HTTPStatus.BAD_GATEWAY),
    (errors.EngineClosed, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.MissingExtra, HTTPStatus.NOT_IMPLEMENTED),
)
"""The first class that an error is of tells its status; what is not here is our own fault."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a door tells it."""

    status: int
    """The status of HTTP."""
    code: str
    """Stable, for machines."""
    title: str
    """What kind of error it is, in words."""
    detail: str
    """What went wrong here, and what to do."""
    retry_after_s: float | None = None
    """Seconds after which trying again may help; None where it will not, or where nobody knows."""


def problem_of(error: YesteryearError) -> Problem:
    """Return what to answer to an error.

    Of an error that is ours, not the caller's, only its kind is told: its words may name files and hosts.
    """
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    title = (type(error).__doc__ or error.code).strip().splitlines()[0]
    detail = str(error) if status < HTTPStatus.INTERNAL_SERVER_ERROR else title
    wait = getattr(error, "retry_after_s", None)
    return Problem(int(status), error.code, title, detail, wait)
