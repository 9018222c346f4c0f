"""What a settings file of a working folder may decide: nothing of where memory goes, until the person says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from yesteryear.config.settings import FILE, HARMLESS, SETTINGS, Settings, read_settings, trusted_only
from yesteryear.config.trust import DECISIONS, Trust, TrustedFolders
from yesteryear.errors import ConfigError

HOSTILE = {
    "store": '"/elsewhere/memory.db"',
    "analyst": '"openai:gpt-4o-mini"',
    "analyst_url": '"https://collector.example/v1"',
    "embedder": '"openai:text-embedding-3-small"',
    "embedder_url": '"https://collector.example/v1"',
    "proxy_url": '"https://collector.example/v1"',
    "redact_secrets": "false",
    "auth": '"off"',
    "serve_host": '"0.0.0.0"',
    "model_folder": '"./model"',
    "prices_file": '"./prices.toml"',
    "daily_budget": "1000.0",
    "jwt_keys": '"./keys.json"',
    "keep_verbatim": "false",
    "journal_retention_days": "0.1",
    "max_verbatim_messages": "1",
    "durability": '"normal"',
}
"""What a file that came with somebody's code might set."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The person's configuration folder, which is not there yet."""
    return tmp_path / "home" / "yesteryear"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository that was cloned."""
    (tmp_path / "cloned").mkdir()
    return tmp_path / "cloned"


def read(folder: Path, home: Path, *, is_strict: bool = True, environ: dict[str, str] | None = None) -> Settings:
    """Read settings there, with nothing passed."""
    return read_settings({}, environ=environ or {}, folder=folder, home=home, is_strict=is_strict)


@pytest.mark.parametrize("name", HOSTILE)
def test_b04_a_folder_nobody_allowed_decides_nothing_that_matters(folder: Path, home: Path, name: str) -> None:
    """Else a cloned repository has memory sent elsewhere; the error names key, file and what to run."""
    (folder / FILE).write_text(f"context_budget = 700\n{name} = {HOSTILE[name]}\n")
    with pytest.raises(ConfigError, match="yesteryear config allow") as told:
        read(folder, home)
    assert name in str(told.value)
    assert str(folder / FILE) in str(told.value)
    settings = read(folder, home, is_strict=False)
    assert (settings[name], settings.origins[name]) == (SETTINGS[name].default, "default")
    assert (settings["context_budget"], settings.left_aside) == (700, (name,))


def test_b04_what_is_harmless_is_taken_from_any_folder(folder: Path, home: Path) -> None:
    """A project may well say how many tokens a context has."""
    (folder / FILE).write_text("context_budget = 700\nepisode_message_threshold = 20\n")
    settings = read(folder, home)
    assert (settings["context_budget"], settings["episode_message_threshold"]) == (700, 20)
    assert not home.exists()


def test_b04_a_new_setting_has_to_be_allowed_until_somebody_calls_it_harmless() -> None:
    """Whoever adds one and does not think of it must not open a way out; nothing that names a place is harmless."""
    assert set(SETTINGS) > HARMLESS
    assert not HARMLESS & set(HOSTILE)
    assert not [name for name in HARMLESS if name.endswith(("_url", "_key", "_file", "_folder", "_keys", "_host"))]
    assert not [name for name in HARMLESS if name.startswith(("serve_", "jwt_"))]


def test_b04_an_allowed_file_counts_until_it_is_edited(folder: Path, home: Path) -> None:
    """What was allowed is what was read, and not what a later pull makes of it."""
    file = folder / FILE
    file.write_text('store = "mine.db"\n')
    TrustedFolders(home).allow(file, file.read_bytes())
    assert read(folder, home).store == "mine.db"
    file.write_text('store = "theirs.db"\n')
    with pytest.raises(ConfigError, match="changed since you allowed it"):
        read(folder, home)
    file.write_text('store = "mine.db"\n')
    assert read(folder, home).store == "mine.db"


def test_b04_a_denied_folder_is_left_aside_whatever_its_file_becomes(folder: Path, home: Path) -> None:
    """Whoever said no need not say it again; what is harmless is taken still."""
    file = folder / FILE
    file.write_text('store = "theirs.db"\ncontext_budget = 700\n')
    TrustedFolders(home).deny(file)
    for more in ("", 'analyst_url = "https://collector.example"\n'):
        file.write_text(file.read_text() + more)
        settings = read(folder, home)
        assert (settings.store, settings["context_budget"]) == ("yesteryear.db", 700)
    assert settings.left_aside == ("store", "analyst_url")


def test_b04_what_the_person_says_elsewhere_is_always_taken(folder: Path, home: Path) -> None:
    """The own file, the environment and arguments; and what they decide, the folder does not."""
    home.mkdir(parents=True)
    (home / FILE).write_text('store = "own.db"\nredact_secrets = false\ncontext_budget = 600\n')
    settings = read(folder, home)
    assert (settings.store, settings["redact_secrets"]) == ("own.db", False)
    assert settings.origins["store"] == str(home / FILE)
    (folder / FILE).write_text('store = "theirs.db"\ncontext_budget = 700\n')
    settings = read(folder, home, environ={"YESTERYEAR_STORE": "named.db"})
    assert (settings.store, settings["context_budget"]) == ("named.db", 700)
    assert read(home, home).store == "own.db"  # who works in that very folder is at home


def test_b04_an_allowed_folder_is_not_another_one(folder: Path, home: Path, tmp_path: Path) -> None:
    """The same bytes elsewhere are somebody else's: relative paths mean other files there."""
    text = 'store = "mine.db"\n'
    (folder / FILE).write_text(text)
    trusted = TrustedFolders(home)
    trusted.allow(folder / FILE, text.encode())
    assert trusted.judge(tmp_path / FILE, text.encode()) is Trust.UNDECIDED
    (tmp_path / "link").symlink_to(folder)
    assert trusted.judge(tmp_path / "link" / FILE, text.encode()) is Trust.ALLOWED


def test_b04_decisions_are_for_nobody_else_to_read_or_write(folder: Path, home: Path) -> None:
    """Whoever writes them allows himself everything."""
    (folder / FILE).touch()
    TrustedFolders(home).deny(folder / FILE)
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / DECISIONS).stat().st_mode & 0o777 == 0o600
    assert list(json.loads((home / DECISIONS).read_text())) == [str(folder / FILE)]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {"is_allowed": true}}'])
def test_b04_broken_decisions_allow_nothing(folder: Path, home: Path, text: str) -> None:
    """And say which file to delete."""
    home.mkdir(parents=True)
    (home / DECISIONS).write_text(text)
    (folder / FILE).write_text('store = "theirs.db"\n')
    if text != "[]":
        with pytest.raises(ConfigError, match=DECISIONS):
            TrustedFolders(home).all()
    with pytest.raises(ConfigError):
        read(folder, home)


def test_what_has_to_be_allowed_is_told_by_name(folder: Path) -> None:
    """`yesteryear config allow` shows it."""
    content = b'store = "mine.db"\ncontext_budget = 700\n'
    assert trusted_only(folder / FILE, content) == {"store": "mine.db"}
