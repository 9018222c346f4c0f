"""``yesteryear train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import NOTHING, Invocation, command
from yesteryear.cli.output import Interrupted, Output
from yesteryear.cli.output import table as grid
from yesteryear_lab import LABELLED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from yesteryear_lab.training.recipe import Table


@command(*NOTHING)
def train(
    call: Invocation,
    *,
    is_dry: Annotated[
        bool, typer.Option("--cv", help="Only print the figures of rows held out; nothing is written.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help="One head; repeatable. All where not given.")] = None,
    rows: Annotated[Path, typer.Option(help="Folder of the labelled rows.")] = LABELLED,
    out: Annotated[
        Path, typer.Option(help="File of the weights; other heads in it stay, and the card is written beside it.")
    ] = Path("weights.json"),
) -> None:
    """Train the small heads from labelled rows, or show how good they are on rows held out.

    For work on yesteryear itself; needs the embedding model.

    Example:
      yesteryear train --cv
      yesteryear train --only gate --rows labelled --out src/yesteryear/core/heads/weights.json
    """
    from yesteryear.providers.registry import build_embedder, build_reader
    from yesteryear_lab.training.recipe import Materials
    from yesteryear_lab.training.run import cross_validate, pick_recipes
    from yesteryear_lab.training.run import train as train_heads

    recipes = pick_recipes(only or [])
    materials = Materials(
        rows, build_embedder("minilm"), build_reader("minilm"), lambda what: call.output.note(what, style="dim")
    )
    try:
        tables = cross_validate(recipes, materials) if is_dry else train_heads(recipes, materials, out)
    except KeyboardInterrupt as exc:
        raise Interrupted("interrupted; nothing was written") from exc
    finally:
        materials.embedder.close()
        materials.reader.close()
    if call.output.is_json:
        heads = {name: [table.to_dict() for table in found] for name, found in tables.items()}
        call.output.document({"heads": heads, "weights": None if is_dry else out})
        return
    _show(tables, call.output)
    if not is_dry:
        call.output.say(f"wrote {out}", style="bold")


def _show(tables: Mapping[str, Sequence[Table]], output: Output) -> None:
    from yesteryear_lab.training.run import figure

    for name, found in tables.items():
        for table in found:
            output.heading(f"{name}: {table.title}")
            rows = [(label, *map(figure, values)) for label, values in table.rows]
            output.show(grid(("", *table.columns), rows))
            if table.note:
                output.wrap(table.note, indent=0, style="dim")
