"""From a name in the settings to a model of the library, with a connection of our own that can be closed.

A key is read by the library where its provider keeps it (``OPENAI_API_KEY`` …). A base URL means a server that speaks
as OpenAI's does: Ollama, vLLM, llama.cpp, a gateway.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import httpx2
from pydantic_ai.embeddings import EmbeddingModel, infer_embedding_model
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider_class

from yesteryear.errors import ConfigError, MissingExtra
from yesteryear.providers.llm.private_loop import PrivateLoop
from yesteryear.providers.llm.refusals import key_variable

T = TypeVar("T")

PROVIDERS = {"openai": "openai-chat", "anthropic": "anthropic", "google": "google"}
"""What a name may begin with, and what the library calls it: of OpenAI's two ways to talk the one that others speak."""
_CONNECT_S = 5.0
"""Seconds to reach a server; the answer itself has the time of the call."""
_COMPATIBLE = "openai-compatible"


def split_name(name: str, *, base_url: str = "") -> tuple[str, str]:
    """Return the provider and the model of a name such as "openai:gpt-4o-mini".

    Raises:
        ConfigError: it is none, or the base URL does not fit.
    """
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS or not model.strip():
        raise ConfigError(
            f"{name!r} names no model; write the provider and the model, as in 'openai:gpt-4o-mini' "
            f"(providers: {', '.join(PROVIDERS)}; any server that speaks as OpenAI's does is openai with a base URL)"
        )
    if base_url and provider != "openai":
        raise ConfigError(f"a base URL goes with openai:…, not with {name!r}")
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

    Raises:
        ConfigError: the name is none, or there is no key.
        MissingExtra: what speaks with the provider is not installed.
    """
    provider, model = split_name(name, base_url=base_url)
    return _built(
        name,
        lambda: infer_model(
            f"{PROVIDERS[provider]}:{model}", provider_factory=lambda _: _provider(provider, loop, base_url, key)
        ),
    )


def build_embedding_model(name: str, loop: PrivateLoop, *, base_url: str = "", key: str = "") -> EmbeddingModel:
    """Return the embedding model of a name; see ``build_chat_model``.

    Raises:
        ConfigError, MissingExtra: as there, also for a provider without embeddings.
    """
    provider, model = split_name(name, base_url=base_url)
    if provider == "anthropic":
        raise ConfigError(f"{name!r} cannot embed: anthropic has no embedding models; choose one of openai or google")
    return _built(
        name,
        lambda: infer_embedding_model(
            f"{provider}:{model}", provider_factory=lambda _: _provider(provider, loop, base_url, key)
        ),
    )


def _built(name: str, build: Callable[[], T]) -> T:
    try:
        return build()
    except ImportError as exc:
        raise MissingExtra(f"{name!r} needs: pip install 'yesteryear[{name.partition(':')[0]}]'") from exc
    except UserError as exc:
        raise ConfigError(f"there is no key for {name!r}: set {key_variable(name)} in the environment") from exc


def _provider(provider: str, loop: PrivateLoop, base_url: str, key: str) -> Provider[Any]:
    client = httpx2.AsyncClient(timeout=httpx2.Timeout(None, connect=_CONNECT_S))
    loop.at_the_end(client.aclose)
    if base_url:
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415 - needs the extra

        build: Callable[..., Provider[Any]] = partial(
            OpenAICompatibleProvider, _COMPATIBLE, base_url=base_url, api_key=key or None
        )
    else:
        build = infer_provider_class(provider)
    built = build(http_client=client)
    if hasattr(built.client, "max_retries"):
        built.client.max_retries = 0  # it is the caller who has patience, and who counts
    return built
