"""What the library's errors are in our words: each says what to do, and whether trying again may help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import httpx2
from pydantic import ValidationError
from pydantic_ai import exceptions

from yesteryear.errors import (
    BadModelOutput,
    ConfigError,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)

_BAD_REQUEST, _SERVER_ERROR = 400, 500
_COMPLAINTS = 5
"""Most faults of an answer that are told."""


@contextmanager
def translated(model: str) -> Iterator[None]:
    """Raise our errors in the place of the library's.

    Args:
        model: Name of the model, for the message.

    Raises:
        RateLimited, ProviderUnavailable, ProviderRejected, BadModelOutput, ProviderError: see ``translate``.
    """
    try:
        yield
    except (exceptions.AgentRunError, exceptions.UserError, httpx2.HTTPError, ValidationError, OSError) as exc:
        raise translate(exc, model) from exc


def translate(error: Exception, model: str) -> ProviderError | ConfigError:
    """Return our error for one of the library's; anything it has not foreseen is a ProviderError.

    Args:
        error: What was raised.
        model: Name of the model, for the message.
    """
    for kinds, tell in _TABLE:
        if isinstance(error, kinds):
            return tell(error, model)
    return ProviderError(f"{model!r} failed: {_brief(error)}")


def key_variable(model: str) -> str:
    """Return the environment variable in which the library looks for the key of a model."""
    provider = model.partition(":")[0]
    return {"google": "GOOGLE_API_KEY (or GEMINI_API_KEY)"}.get(provider, f"{provider.upper()}_API_KEY")


def _limited(error: Exception, model: str) -> ProviderError:
    return RateLimited(f"{model!r} asks to wait: too many requests", retry_after_s=getattr(error, "retry_after", None))


def _rejected(error: Exception, model: str) -> ProviderError:
    return ProviderRejected(f"{model!r} refused the request ({_told(error)})")


def _by_status(error: Exception, model: str) -> ProviderError:
    """Return our error for an answer or a silence that the library does not know more of than its status."""
    status = getattr(error, "status_code", 0)
    if _BAD_REQUEST <= status < _SERVER_ERROR:
        return _rejected(error, model)
    return ProviderUnavailable(f"{model!r} failed with status {status}" if status else f"{model!r} cannot be reached")


def _told(error: Exception) -> str:
    """Return what a provider told in numbers and codes; its words may quote what it was sent."""
    code = getattr(error, "provider_error_code", None) or getattr(error, "provider_error_type", None)
    return f"status {getattr(error, 'status_code', 'unknown')}" + (f", {code}" if code else "")


def _complaint(error: Exception) -> str:
    """Return what is wrong with an answer, without what it said."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ValidationError):
        cause = cause.__cause__
    if cause is None:
        return _brief(error)
    wrong = cause.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'all'}: {each['msg']}" for each in wrong[:_COMPLAINTS])


def _brief(error: Exception) -> str:
    """Return the first line of an error: what comes after it may hold what was said."""
    message = error.message if isinstance(error, exceptions.AgentRunError | exceptions.UserError) else str(error)
    return (message.splitlines() or [type(error).__name__])[0][:200]


_Tell: TypeAlias = Callable[[Exception, str], ProviderError | ConfigError]
_TABLE: tuple[tuple[type[Exception] | tuple[type[Exception], ...], _Tell], ...] = (
    (
        exceptions.ModelQuotaExceededError,
        lambda _, model: ProviderRejected(
            f"the account for {model!r} has no credit left; add some, or choose another model"
        ),
    ),
    (exceptions.ModelRateLimitError, _limited),
    (
        exceptions.ModelAuthenticationError,
        lambda _, model: ProviderRejected(f"the key for {model!r} was refused; check {key_variable(model)}"),
    ),
    (
        exceptions.ModelNotFoundError,
        lambda _, model: ProviderRejected(f"the provider knows no model {model!r}; check its name in the settings"),
    ),
    (
        exceptions.ModelRequestRejectedError,
        _rejected,
    ),
    (
        (exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout, exceptions.RunCancelled),
        lambda _, model: ProviderUnavailable(f"{model!r} timed out"),
    ),
    (exceptions.ModelAPIError, _by_status),
    (
        (exceptions.OutputTokenLimitExceeded, exceptions.IncompleteToolCall),
        lambda _, __: BadModelOutput("the answer was cut off: be brief"),
    ),
    (
        (exceptions.UnexpectedModelBehavior, ValidationError),
        lambda error, _: BadModelOutput(f"the answer is not as asked for: {_complaint(error)}"),
    ),
    (
        (httpx2.HTTPError, OSError),
        lambda error, model: ProviderUnavailable(f"{model!r} cannot be reached: {_brief(error)}"),
    ),
    (exceptions.UserError, lambda error, model: ConfigError(f"{model!r} cannot be used: {_brief(error)}")),
)
"""What each of the library's errors is to us; the first that fits counts, so the special come before the general."""
