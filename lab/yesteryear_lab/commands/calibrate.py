"""``yesteryear calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import NOTHING, Invocation, command
from yesteryear.cli.output import Output, table
from yesteryear_lab import LABELLED

if TYPE_CHECKING:
    from yesteryear_lab.training.calibrate import Calibration


@command(*NOTHING)
def calibrate(
    call: Invocation,
    *,
    embedder: Annotated[
        str | None, typer.Option(help="minilm, hashing or a provider:model; the setting where not given.")
    ] = None,
    rows: Annotated[Path, typer.Option(help="Folder of the labelled pairs.")] = LABELLED,
    out: Annotated[
        Path | None, typer.Option(help="Write what was measured here; the setting embedder_profile names the file.")
    ] = None,
) -> None:
    """Measure at which cosines an embedder's texts count as alike.

    Embeds the labelled pairs of the repository (3,000 short texts; of a paid model that costs about a tenth of a cent),
    and shows from which cosine two facts mostly say the same, are worth a closer look, and share a subject. Pairs are
    nominated by these; nothing is merged for a cosine alone. Of a model whose dimension is not known, that is measured
    too.

    Example:
      yesteryear calibrate --embedder openai:text-embedding-3-small --out embedder.toml
    """
    from yesteryear.bootstrap import lend_embedder
    from yesteryear.core.vectors import Purpose
    from yesteryear_lab.training.calibrate import calibrate as measure
    from yesteryear_lab.training.calibrate import read_all_pairs, write_profile

    labelled = read_all_pairs(rows)
    with lend_embedder(embedder) as lent:
        name = lent.profile.model
        found = measure(labelled, lambda texts: lent.embed(texts, purpose=Purpose.DOCUMENT))
    if out is not None:
        shares = {"duplicate": found.duplicate, "candidate": found.candidate, "related": found.related}
        write_profile(out, name, dimension=found.dimension, **shares)
    if call.output.is_json:
        call.output.document({"embedder": name, **found.to_dict(), "out": out})
        return
    _show(name, found, call.output)
    if out is not None:
        call.output.say(f"wrote {out}; use it with: embedder_profile = {str(out)!r}", style="bold")


def _show(name: str, found: Calibration, output: Output) -> None:
    output.heading(f"{name}: {found.dimension} values, {found.pairs:,} pairs")
    rows = (
        ("duplicate", found.duplicate, f"half of what says the same, {found.duplicate_else:.1%} of the rest"),
        ("candidate", found.candidate, f"97% of what is worth a look, {found.candidate_random:.1%} at random"),
        ("related", found.related, f"97% of what shares a subject, {found.related_random:.1%} at random"),
    )
    output.show(table(("threshold", "cosine", "what lies at or above it"), rows))
