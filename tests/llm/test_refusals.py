"""The library's errors in our words: every one has a place, and says what to do."""

from __future__ import annotations

import inspect

import httpx2
import pytest
from pydantic import TypeAdapter, ValidationError
from pydantic_ai import exceptions

from tests.each import each
from tests.llm.stage import NAME
from yesteryear.errors import (
    BadModelOutput,
    ConfigError,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
    YesteryearError,
)
from yesteryear.providers.llm.endpoint import translate, translated


def by_status(status: int, category: type[exceptions.ModelAPIError] | None = None, **headers: str) -> Exception:
    """Return what the library raises for a status."""
    return exceptions.ModelHTTPError.for_category(
        category, status_code=status, model_name="gpt", body={"error": "secret words"}, headers=dict(headers)
    )


@each(
    ("error", "kind", "told"),
    [
        (by_status(429, exceptions.ModelRateLimitError), RateLimited, "asks to wait"),
        (by_status(402, exceptions.ModelQuotaExceededError), ProviderRejected, "no credit"),
        (by_status(401, exceptions.ModelAuthenticationError), ProviderRejected, "OPENAI_API_KEY"),
        (by_status(404, exceptions.ModelNotFoundError), ProviderRejected, "knows no model"),
        (by_status(400, exceptions.ModelRequestRejectedError), ProviderRejected, "refused the request"),
        (by_status(418), ProviderRejected, "(status 418)"),
        (by_status(500, exceptions.ModelServerError), ProviderUnavailable, "status 500"),
        (by_status(503, exceptions.ModelUnavailableError), ProviderUnavailable, "status 503"),
        (exceptions.ModelTimeoutError("gpt", "slow"), ProviderUnavailable, "timed out"),
        (exceptions.ModelRequestTimeout("gpt", 3.0), ProviderUnavailable, "timed out"),
        (exceptions.ModelConnectionError("gpt", "refused"), ProviderUnavailable, "cannot be reached"),
        (exceptions.OutputTokenLimitExceeded("cut"), BadModelOutput, "cut off"),
        (exceptions.UnexpectedModelBehavior("odd", body="secret words"), BadModelOutput, "not as asked for: odd"),
        (exceptions.UserError("no such thing"), ConfigError, "cannot be used"),
        (httpx2.ConnectError("no route"), ProviderUnavailable, "cannot be reached"),
        (OSError("broken pipe"), ProviderUnavailable, "cannot be reached"),
    ],
)
def test_each_kind_of_refusal_has_an_error_of_ours(error: Exception, kind: type[YesteryearError], told: str) -> None:
    """With what to do about it, and without what was said."""
    found = translate(error, NAME)
    assert type(found) is kind
    assert told in str(found)
    assert "secret words" not in str(found)


@each(
    ("error", "told"),
    [
        (exceptions.ModelConnectionError("x", "refused"), "start its server (ollama serve), or set analyst_url"),
        (httpx2.ConnectError("no route"), "start its server (ollama serve), or set analyst_url"),
        (by_status(404, exceptions.ModelNotFoundError), "fetch it (ollama pull qwen3:8b), or check its name"),
        (by_status(401, exceptions.ModelAuthenticationError), "check YESTERYEAR_ANALYST_KEY"),
        (exceptions.ModelRequestTimeout("x", 3.0), "needs a longer analyst_timeout"),
    ],
)
def test_a_server_of_ones_own_is_told_of_by_what_to_run(error: Exception, told: str) -> None:
    """Whoever runs it can put it right."""
    assert told in str(translate(error, "ollama:qwen3:8b"))


def test_how_long_to_wait_is_taken_over() -> None:
    """From the header in which providers tell it."""
    found = translate(by_status(429, exceptions.ModelRateLimitError, **{"retry-after": "12"}), NAME)
    assert isinstance(found, RateLimited)
    assert (found.retry_after_s, found.retryable) == (12.0, True)


def test_what_is_wrong_with_an_answer_is_told_without_the_answer() -> None:
    """The model is to mend it; the log is not to hold it."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, int]).validate_python({"a": "secret words"})
    told = str(translate(caught.value, NAME))
    assert "a: Input should be a valid integer" in told
    assert "secret" not in told


@each("kind", [exceptions.AgentRunError, exceptions.UserError])
def test_no_error_of_the_library_goes_through(kind: type[Exception]) -> None:
    """Also those that nobody here has heard of."""
    unheard_of = type("UnheardOf", (kind,), {})
    with pytest.raises((ProviderError, ConfigError)), translated(NAME):
        raise unheard_of("something")
    beyond = [
        name
        for name, each in inspect.getmembers(exceptions, inspect.isclass)
        if issubclass(each, exceptions.ModelAPIError | exceptions.UnexpectedModelBehavior)
        and not issubclass(each, exceptions.AgentRunError)
    ]
    assert beyond == []
