"""Settings: which there are, and the one place that reads them.

default < the person's own ``yesteryear.toml`` < that of the working folder < environment (``YESTERYEAR_…``) < what the
caller passes. What holds for a user or a project comes on top of that, from the store. Every value knows where it came
from.

The file of a working folder may have come with somebody else's code. It may turn what is harmless; what decides where
memory goes, who reads it, what it costs or how it is kept is taken from it only where the person allowed that folder.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from yesteryear.config.trust import Trust, TrustedFolders, config_folder
from yesteryear.errors import ConfigError, InputError
from yesteryear.policies import OVERRIDABLE, Policies, check_overrides, with_values
from yesteryear.ports import Setting
from yesteryear.recall.context import MAX_BUDGET
from yesteryear.recall.ranking import Preset

FILE = "yesteryear.toml"
"""Name of the settings file, in the working folder and in the person's own configuration folder."""
PREFIX = "YESTERYEAR_"  # how environment variables of ours begin
HIDDEN = "(hidden)"  # what is shown of a secret
DATABASE_URL = "DATABASE_URL"
"""The variable in which many a host names its PostgreSQL; every setting of our own goes before it."""

_PASSWORD = re.compile(r"(?<=://)([^:@/?]*):[^/?]*@|(?<=[?&]password=)[^&]*")  # where an address holds a password


@dataclass(frozen=True, slots=True)
class Option:
    """One setting."""

    default: Setting
    meaning: str
    choices: tuple[str, ...] = ()
    highest: float = inf  # largest value of a whole number; the smallest is 0
    or_model: bool = False  # whether it may also be the name of a model behind a network, such as "openai:gpt-4o-mini"
    is_secret: bool = False  # whether it must neither be shown nor lie in the settings file


SETTINGS: Mapping[str, Option] = {
    "store": Option("yesteryear.db", "where the memory lives: a file, postgresql://…, shards.toml, or ':memory:'"),
    "key": Option("", "the passphrase of an encrypted store; empty for none", is_secret=True),
    "embedder": Option(
        "auto", "the embedding model; auto takes minilm if installed", ("auto", "minilm", "hashing"), or_model=True
    ),
    "reader": Option("auto", "what tells what was meant; auto takes minilm if installed", ("auto", "minilm", "words")),
    "embedder_url": Option("", "base URL of a server for the embedder that speaks as OpenAI's does"),
    "embedder_key": Option("", "the key of that server; empty for none", is_secret=True),
    "embedder_dimension": Option(0, "values of a vector; 0 for what is usual of the model", highest=16_384),
    "embedder_profile": Option("", "a file that `yesteryear calibrate` wrote"),
    "analyst": Option("auto", "who reads what was said; auto is local", ("auto", "local"), or_model=True),
    "analyst_url": Option("", "base URL of a server for the analyst that speaks as OpenAI's does"),
    "analyst_key": Option("", "the key of that server; empty for none", is_secret=True),
    "analyst_timeout": Option(50.0, "most seconds of one call, after which the local analyst takes over"),
    "prices_file": Option("", "a list of prices of your own, on top of the shipped one"),
    "proxy_url": Option("", "base URL of the server that chats go on to; it speaks as OpenAI's does"),
    "proxy_key": Option("", "the key of that server; empty where each client brings its own", is_secret=True),
    "chat_model": Option("", "the model that `yesteryear chat` talks to; empty for the only one there is"),
    "recall_deadline_ms": Option(150, "milliseconds after which a chat goes on without memory", highest=60_000),
    "model_folder": Option("", "where the embedding model is installed; empty for the user's cache folder"),
    "token_counter": Option("estimate", "how tokens are counted", ("estimate", "exact")),
    "auth": Option(
        "auto", "whether callers say who they are; auto: unless only this machine can ask", ("auto", "on", "off")
    ),
    "requests_per_minute": Option(6000, "requests of one key or token, 0 for no limit", highest=10_000_000),
    "serve_streams": Option(100, "streams of changes at a time of one key or token, at least 1", highest=100_000),
    "jwt_issuer": Option("", "who signs tokens: their claim iss; empty where there are keys only"),
    "jwt_audience": Option("", "for whom tokens are: their claim aud"),
    "jwt_keys": Option("", "public keys that check tokens: https://… of a JWKS, or a file with one or with a PEM"),
    "jwt_tenant_claim": Option("tenant", "the claim that names the tenant"),
    "jwt_user_claim": Option("sub", "the claim that names the person"),
    "jwt_scope_claim": Option("scope", "the claim that holds read, write or admin"),
    "worker": Option("thread", "who does the work: a thread of this process, or another process", ("thread", "none")),
    "connections": Option(10, "connections of this process to PostgreSQL, at least 2", highest=1000),
    "exact_vectors": Option(20_000, "vectors of a person, on PostgreSQL, up to which all are compared"),
    "durability": Option("full", "what an acknowledged message survives: power loss, or a crash", ("full", "normal")),
    "redact_secrets": Option(default=True, meaning="whether keys, passwords and card numbers are cut out"),
    "recall_preset": Option("standard", "which formula ranks; classic is document B's", tuple(Preset)),
    "index_memory_mb": Option(512, "megabytes of memory for the indexes of recall", highest=1_000_000),
    "context_budget": Option(1000, "tokens of a context", highest=MAX_BUDGET),
    "recent_budget": Option(500, "tokens of the session's last messages", highest=MAX_BUDGET),
    "grouping": Option("linkage", "how a night groups episodes: average linkage, or HDBSCAN", ("linkage", "density")),
    "serve_host": Option("127.0.0.1", "the address that `yesteryear serve` listens at"),
    "serve_port": Option(8377, "its port; 0 for any that is free", highest=65_535),
    "serve_hosts": Option("", "names that the server goes by beside localhost, with commas; * for any"),
    "serve_url": Option("", "the address under which others reach the server, such as https://memory.example"),
    "serve_origins": Option("", "origins whose pages may call from a browser, with commas"),
    "serve_body_mb": Option(10, "megabytes of a request's body", highest=10_000),
    "serve_body_timeout": Option(30.0, "most seconds for a body to come"),
    "serve_idle_timeout": Option(15.0, "most seconds in which a connection may hold no whole request"),
    "serve_stop_timeout": Option(10.0, "most seconds for requests under way to end when the server stops"),
    "access_log": Option(default=True, meaning="whether `yesteryear serve` writes a line of JSON a request, to stderr"),
    # what a user or project may have of their own, too
    **{name: Option(each.default, each.meaning) for name, each in OVERRIDABLE.items()},
}
HARMLESS = frozenset(
    "analyst_timeout recall_deadline_ms token_counter worker connections exact_vectors recall_preset index_memory_mb "
    "context_budget recent_budget episode_message_threshold episode_inactivity_minutes max_episodes_retrieved "
    "max_facts_retrieved fact_extraction_enabled fact_confidence_threshold grouping nights fading".split()
)
"""What any working folder's file may set. All else is trusted only: it decides where memory goes, who reads it, what it
costs, or what is kept of it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force, and the origin of each: default, a file, the environment or the caller."""

    values: Mapping[str, Setting]
    origins: Mapping[str, str]
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Those settings that are secret, of which ``values`` only tell whether they are there."""
    store: str = field(default="", repr=False)  # the store itself, whose password ``values`` do not show
    left_aside: tuple[str, ...] = ()  # what the working folder's file sets and may not, by name

    def __getitem__(self, name: str) -> Setting:
        return self.values[name]

    def text(self, name: str) -> str:
        """Return a setting as text."""
        return str(self.values[name])

    def secret(self, name: str) -> str:
        """Return a setting that is not shown; empty where there is none."""
        return self.secrets.get(name, "")

    def path(self, name: str) -> Path | None:
        """Return a setting that names a file or folder, or None where it is empty."""
        text = self.text(name)
        return Path(text).expanduser() if text else None

    def policies(self) -> Policies:
        """Return the policies these settings make; ConfigError names the setting that does not fit, and its origin."""
        policies = with_values(
            Policies(),
            {
                "remember.journal.redact_secrets": bool(self.values["redact_secrets"]),
                "recall.preset": Preset(self.text("recall_preset")),
                "recall.index_bytes": int(self.values["index_memory_mb"]) * 1024 * 1024,
                "context.budget": int(self.values["context_budget"]),
                "context.recent_budget": int(self.values["recent_budget"]),
            },
        )
        own: dict[str, Setting] = {}
        for name in OVERRIDABLE:
            if self.values[name] == SETTINGS[name].default == inf:
                continue  # no limit, which is how the policies begin
            try:
                own |= check_overrides({name: self.values[name]})
            except InputError as exc:
                raise ConfigError(f"{exc} (from {self.origins[name]})") from exc
        return policies.with_overrides(own)


def read_settings(
    arguments: Mapping[str, Setting | None],
    *,
    environ: Mapping[str, str],
    folder: Path,
    home: Path | None = None,
    is_strict: bool = True,
) -> Settings:
    """Read all sources in order; before the files comes DATABASE_URL, where it names a PostgreSQL.

    Args:
        arguments: What the caller passed; None means not given.
        folder: Where ``yesteryear.toml`` may lie.
        home: Where the person's own lies; their configuration folder where not given.
        is_strict: Whether what the folder may not decide is refused where nobody has decided about it; else it is left
            aside, as it is in a folder that was denied.

    Raises:
        ConfigError: a name is unknown or a value does not fit, or the folder may not set it; names them and the origin,
            but never shows a secret.
    """
    home = config_folder() if home is None else home
    own, here = home / FILE, folder / FILE
    said = {name: environ.get(PREFIX + name.upper()) for name in SETTINGS}
    told = {name: _parse(name, text) for name, text in said.items() if text}
    given = {name: value for name, value in arguments.items() if value is not None}
    from_folder: Mapping[str, object] = {}
    left_aside: tuple[str, ...] = ()
    if own.resolve() != here.resolve():
        from_folder, left_aside = _read_folder(here, TrustedFolders(home), {*told, *given}, is_strict=is_strict)
    url = environ.get(DATABASE_URL, "")
    values: dict[str, Setting] = {name: known.default for name, known in SETTINGS.items()}
    origins = dict.fromkeys(SETTINGS, "default")
    sources: list[tuple[str, Mapping[str, object]]] = [
        (DATABASE_URL, {"store": url} if url.startswith(("postgresql://", "postgres://")) else {}),
        (str(own), _parse_file(own, _read_bytes(own))),
        (FILE, from_folder),
        ("environment", told),
        ("argument", given),
    ]
    for origin, source in sources:
        for name, value in source.items():
            where = f"{PREFIX}{name.upper()}" if origin == "environment" else origin
            values[name] = _check(name, value, where)
            origins[name] = where
    secrets = {name: str(values[name]) for name, known in SETTINGS.items() if known.is_secret and values[name]}
    store = str(values["store"])
    values |= {"store": hide_password(store), **dict.fromkeys(secrets, HIDDEN)}
    return Settings(values, origins, secrets, store, left_aside)


def trusted_only(file: Path, content: bytes) -> dict[str, object]:
    """Return what a settings file sets that it may set only where the person allowed it."""
    found = _parse_file(file, content)
    return {name: value for name, value in found.items() if name in SETTINGS and name not in HARMLESS}


def _read_folder(
    file: Path, trusted: TrustedFolders, decided: Collection[str], *, is_strict: bool
) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Return what a working folder's file sets and may, or others have decided, and the names of what it may not."""
    content = _read_bytes(file)
    found = dict(_parse_file(file, content))
    left_aside = tuple(name for name in trusted_only(file, content) if name not in decided)
    secret = [name for name in found if name in SETTINGS and SETTINGS[name].is_secret]
    if not left_aside or secret:  # a secret is refused in any file
        return found, ()
    trust = trusted.judge(file, content)
    if trust is Trust.ALLOWED:
        return found, ()
    if is_strict and trust is not Trust.DENIED:
        raise ConfigError(_not_allowed(file, left_aside, trust))
    return {name: value for name, value in found.items() if name not in left_aside}, left_aside


def _not_allowed(file: Path, names: Sequence[str], trust: Trust) -> str:
    reason = "it has changed since you allowed it" if trust is Trust.CHANGED else "nobody has allowed this folder"
    folder = shlex.quote(str(file.parent.absolute()))
    return (
        f"{file.absolute()} sets {', '.join(names)}, which decides where memory goes or how it is kept, and {reason}. "
        f"Read the file; if you trust it: yesteryear config allow {folder}; to go on without that: yesteryear config "
        f"deny {folder}"
    )


def hide_password(place: str) -> str:
    """Return where a store lies as it may be shown."""
    return _PASSWORD.sub(lambda found: HIDDEN if found[1] is None else f"{found[1]}:{HIDDEN}@", place)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc}") from exc


def _parse_file(path: Path, content: bytes) -> Mapping[str, object]:
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path} cannot be read: {exc}") from exc


_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


def _parse(name: str, text: str) -> Setting:
    default = SETTINGS[name].default
    if isinstance(default, str):
        return text
    try:
        return _FLAGS[text.lower()] if isinstance(default, bool) else type(default)(text)
    except (ValueError, KeyError) as exc:
        raise ConfigError(f"{PREFIX}{name.upper()}={text!r} should be of the kind of {default!r}") from exc


def _check(name: str, value: object, where: str) -> Setting:
    if name not in SETTINGS:
        raise ConfigError(f"{where}: there is no setting {name!r}; there are: {', '.join(SETTINGS)}")
    known = SETTINGS[name]
    if known.is_secret and where.endswith(FILE):
        raise ConfigError(
            f"{where}: a {name} does not belong in a file that is copied and shared with the project; "
            f"set {PREFIX}{name.upper()}, or pass {name}="
        )
    kind = type(known.default)
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)
    is_same = type(value) is kind or (kind is float and type(value) is int)
    if not is_same or not isinstance(value, int | float | str):
        shown = HIDDEN if known.is_secret else repr(value)
        raise ConfigError(f"{where}: {name} = {shown} should be of the kind of {known.default!r}")
    if known.choices and value not in known.choices and not (known.or_model and ":" in str(value)):
        beside = ", or a model such as 'openai:gpt-4o-mini'" if known.or_model else ""
        raise ConfigError(f"{where}: {name} = {value!r}; choose one of {', '.join(known.choices)}{beside}")
    if kind is int and isinstance(value, int) and not 0 <= value <= known.highest:
        raise ConfigError(f"{where}: {name} = {value!r} should be from 0 to {known.highest:g}")
    return value
