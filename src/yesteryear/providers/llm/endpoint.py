"""What knows the library: from a name in the settings to a model of it, and from its errors to ours.

A key is read by the library where its provider keeps it (``OPENAI_API_KEY`` …). Ollama, LM Studio, llama.cpp and vLLM
are found where they listen on this machine; a base URL means any other server that speaks as OpenAI's does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from pydantic import ValidationError
from pydantic_ai import exceptions
from pydantic_ai.embeddings import EmbeddingModel, infer_embedding_model
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider_class

from yesteryear.errors import (
    BadModelOutput,
    ConfigError,
    MissingExtra,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from yesteryear.providers.llm.catalogue import OWN_SERVERS, extra_of
from yesteryear.providers.llm.private_loop import PrivateLoop

PROVIDERS = {"openai": "openai-chat", "anthropic": "anthropic", "google": "google"}
PROVIDERS |= dict.fromkeys(OWN_SERVERS, "openai-chat")
"""What a name may begin with, and what the library calls it: of OpenAI's two ways to talk the one that others speak."""
_CONNECT_S = 5.0  # seconds to reach a server; the answer itself has the time of the call
_COMPATIBLE = "openai-compatible"
_BAD_REQUEST, _SERVER_ERROR = 400, 500
_COMPLAINTS = 5  # most faults of an answer that are told
_REFUSED = "{model!r} refused the request ({told})"
_TABLE: tuple[tuple[type[Exception] | tuple[type[Exception], ...], type[ProviderError | ConfigError], str], ...] = (
    (
        exceptions.ModelQuotaExceededError,
        ProviderRejected,
        "the account for {model!r} has no credit left; add some, or choose another model",
    ),
    (exceptions.ModelRateLimitError, RateLimited, "{model!r} asks to wait: too many requests"),
    (exceptions.ModelAuthenticationError, ProviderRejected, "the key for {model!r} was refused; check {key}"),
    (
        exceptions.ModelNotFoundError,
        ProviderRejected,
        "the provider knows no model {model!r}; {fetch}check its name in the settings",
    ),
    (exceptions.ModelRequestRejectedError, ProviderRejected, _REFUSED),
    (
        (exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout, exceptions.RunCancelled),
        ProviderUnavailable,
        "{model!r} timed out{slow}",
    ),
    (exceptions.ModelAPIError, ProviderUnavailable, "{model!r} {silence}"),
    (
        (exceptions.OutputTokenLimitExceeded, exceptions.IncompleteToolCall),
        BadModelOutput,
        "the answer was cut off: be brief",
    ),
    (
        (exceptions.UnexpectedModelBehavior, ValidationError),
        BadModelOutput,
        "the answer is not as asked for: {complaint}",
    ),
    ((httpx2.HTTPError, OSError), ProviderUnavailable, "{model!r} cannot be reached: {brief}{start}"),
    (exceptions.UserError, ConfigError, "{model!r} cannot be used: {brief}"),
    (Exception, ProviderError, "{model!r} failed: {brief}"),
)
"""What each of the library's errors is to us, and what it says; the first that fits, so the special come first."""


def split_name(name: str, *, base_url: str = "") -> tuple[str, str]:
    """Return the provider and the model of a name such as "openai:gpt-4o-mini"."""
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS or not model.strip():
        raise ConfigError(
            f"{name!r} names no model; write the provider and the model, as in 'openai:gpt-4o-mini' "
            f"(providers: {', '.join(PROVIDERS)}; any server that speaks as OpenAI's does is openai with a base URL)"
        )
    if base_url and PROVIDERS[provider] != PROVIDERS["openai"]:
        raise ConfigError(f"a base URL goes with openai:… and with servers of your own, not with {name!r}")
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigError(f"{base_url!r} is no base URL; it begins with http:// and often ends with /v1")
    return provider, model.strip()


def build_chat_model(name: str, loop: PrivateLoop, *, base_url: str = "", key: str = "") -> Model:
    """Return the language model of a name; nothing is called yet.

    Args:
        name: Such as "openai:gpt-4o-mini".
        loop: Where it will be called; its connections are closed with it.
        base_url: Of a server that speaks as OpenAI's does; empty for the provider's own.
        key: Of that server; a provider's own key is never sent to another server.
    """
    provider, model = split_name(name, base_url=base_url)
    with _explained(name):
        found = f"{PROVIDERS[provider]}:{model}"
        return infer_model(found, provider_factory=lambda _: _provider(provider, loop, base_url, key))


def build_embedding_model(name: str, loop: PrivateLoop, *, base_url: str = "", key: str = "") -> EmbeddingModel:
    """Return the embedding model of a name; see ``build_chat_model``."""
    provider, model = split_name(name, base_url=base_url)
    if provider == "anthropic":
        raise ConfigError(f"{name!r} cannot embed: anthropic has no embedding models; choose one of openai or google")
    with _explained(name):
        found = f"{extra_of(name)}:{model}"
        return infer_embedding_model(found, provider_factory=lambda _: _provider(provider, loop, base_url, key))


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Say what a model needs that cannot be built."""
    try:
        yield
    except ImportError as exc:
        raise MissingExtra(f"{name!r} needs: pip install 'yesteryear[{extra_of(name)}]'") from exc
    except exceptions.UserError as exc:
        raise ConfigError(f"there is no key for {name!r}: set {_key_variable(name)} in the environment") from exc


def _provider(provider: str, loop: PrivateLoop, base_url: str, key: str) -> Provider[Any]:
    client = httpx2.AsyncClient(timeout=httpx2.Timeout(None, connect=_CONNECT_S))
    loop.at_the_end(client.aclose)
    if base_url or provider in OWN_SERVERS:
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415 - needs the extra

        built: Provider[Any] = OpenAICompatibleProvider(
            _COMPATIBLE, base_url=base_url or OWN_SERVERS[provider].url, api_key=key or None, http_client=client
        )
    else:
        build: Callable[..., Provider[Any]] = infer_provider_class(provider)
        built = build(http_client=client)
    if hasattr(built.client, "max_retries"):
        built.client.max_retries = 0  # it is the caller who has patience, and who counts
    return built


@contextmanager
def translated(model: str) -> Iterator[None]:
    """Raise our errors in the place of the library's, as ``translate`` tells them of a model."""
    try:
        yield
    except (exceptions.AgentRunError, exceptions.UserError, httpx2.HTTPError, ValidationError, OSError) as exc:
        raise translate(exc, model) from exc


def translate(error: Exception, model: str) -> ProviderError | ConfigError:
    """Return our error for one of the library's; anything it has not foreseen is a ProviderError.

    It tells what a provider said in numbers and codes only, and of an answer what is wrong without what it says: words
    may quote what was sent.
    """
    kinds, ours, text = next(row for row in _TABLE if isinstance(error, row[0]))
    status = getattr(error, "status_code", 0)
    if kinds is exceptions.ModelAPIError and _BAD_REQUEST <= status < _SERVER_ERROR:
        ours, text = ProviderRejected, _REFUSED
    code = getattr(error, "provider_error_code", None) or getattr(error, "provider_error_type", None)
    server = OWN_SERVERS.get(model.partition(":")[0])
    start = f"; start its server ({server.start}), or set analyst_url or embedder_url to where it is" if server else ""
    message = text.format(
        model=model,
        key=_key_variable(model),
        told=f"status {status or 'unknown'}" + (f", {code}" if code else ""),
        silence=f"failed with status {status}" if status else f"cannot be reached{start}",
        start=start,
        slow="; a model on a processor needs a longer analyst_timeout" if server else "",
        fetch=f"fetch it ({server.fetch.format(model=model.partition(':')[2])}), or " if server else "",
        complaint=_complaint(error),
        brief=_brief(error),
    )
    return ours(message, retry_after_s=getattr(error, "retry_after", None) if ours is RateLimited else None)


def _key_variable(model: str) -> str:
    provider = model.partition(":")[0]
    if provider in OWN_SERVERS:
        return "YESTERYEAR_ANALYST_KEY (or YESTERYEAR_EMBEDDER_KEY)"
    return {"google": "GOOGLE_API_KEY (or GEMINI_API_KEY)"}.get(provider, f"{provider.upper()}_API_KEY")


def _complaint(error: Exception) -> str:
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
