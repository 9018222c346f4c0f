"""All heads: the one way to judge and to train them, and the model card that tells what comes of it.

The card says what the heads were trained on, how good they are on rows held out, and what they cannot do.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from yesteryear.core.heads import HeadsFile, heads_from_json
from yesteryear.errors import InputError, StorageError
from yesteryear_lab.training import agenda, feelings, gate, need, secrets
from yesteryear_lab.training.fit import FOLDS, NEAR_DUPLICATE, SEED
from yesteryear_lab.training.recipe import Fitted, Materials, Table
from yesteryear_lab.training.weights import CARD_FILE, heads_to_json

Recipe: TypeAlias = (
    gate.GateRecipe | feelings.FeelingRecipe | secrets.SecretsRecipe | agenda.AgendaRecipe | need.NeedRecipe
)
"""How one head is trained (``fit``, on all rows) and judged (``cross_validate``, by rows held out; writes nothing).

Its ``name`` is that of the head, as ``find_head`` knows it and ``--only`` takes it; ``about`` is a paragraph or two for
the card: what the head tells, what it reads, and what its figures cannot say.
"""
RECIPES: tuple[Recipe, ...] = (
    gate.RECIPE,
    *feelings.RECIPES,
    secrets.RECIPE,
    agenda.RECIPE,
    need.RECIPE,
)  # every head there is


def pick_recipes(names: Sequence[str]) -> tuple[Recipe, ...]:
    """Return the recipes with these names, all for no name."""
    known = {recipe.name: recipe for recipe in RECIPES}
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"there is no head {unknown[0]!r}; there are: {', '.join(known)}")
    return tuple(recipe for recipe in RECIPES if not names or recipe.name in names)


def cross_validate(recipes: Iterable[Recipe], materials: Materials) -> dict[str, Sequence[Table]]:
    """Return the figures of each head, measured on rows held out; writes nothing."""
    return {recipe.name: recipe.cross_validate(materials) for recipe in recipes}


def train(recipes: Iterable[Recipe], materials: Materials, out: Path) -> dict[str, Sequence[Table]]:
    """Train heads on all rows, and write them with a card that says how good they are.

    Heads in ``out`` that are not trained now stay as they are, and so does what the card says of them. The same rows
    and vectors give the same bytes. Returns the figures of each head.
    """
    card = out.with_name(CARD_FILE)
    kept, sections = _read_present(out, card)
    heads, seen = dict(kept.heads), dict(kept.seen)
    tables: dict[str, Sequence[Table]] = {}
    for recipe in recipes:
        tables[recipe.name] = recipe.cross_validate(materials)
        materials.on_progress(f"{recipe.name}: training on all rows")
        fitted = recipe.fit(materials)
        names = {head.name for head in fitted.heads}
        heads = {key: head for key, head in heads.items() if key[0] not in names}
        heads.update({(head.name, head.model): head for head in fitted.heads})
        seen[recipe.name] = fitted.seen
        sections[recipe.name] = describe(recipe, fitted, tables[recipe.name], materials)
    weights = heads_to_json(HeadsFile(heads, seen))
    in_order = {each.name: sections[each.name] for each in RECIPES if each.name in sections}
    try:
        out.write_text(weights, encoding="utf-8")
        card.write_text(write_card(weights, in_order), encoding="utf-8")
    except OSError as exc:
        raise StorageError(f"cannot write the heads: {exc}") from exc
    return tables


def _read_present(weights: Path, card: Path) -> tuple[HeadsFile, dict[str, str]]:
    try:
        present = heads_from_json(weights.read_text(encoding="utf-8")) if weights.exists() else HeadsFile({}, {})
        sections = dict(read_sections(card.read_text(encoding="utf-8"))) if card.exists() else {}
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise InputError(f"{weights} holds no heads that could stay ({exc}); name another file with --out") from exc
    return present, sections


_WIDTH = 118
_BEGINS = re.compile(r"^## Head: (\S+)$", re.MULTILINE)

_ABOUT = f"""
Linear heads (L2-regularised multinomial logistic regression) over named features and, where an embedder is there that
they were trained with, over its sentence vectors. English. Written by `make train` (`yesteryear train`), together with
`weights.json`; a test holds the two together.

**Data.** Rows written and labelled by hand for this project, in `lab/labelled/` of the repository: nobody's real talk.
**Held out.** {FOLDS} folds, seed {SEED}, labels in equal shares; rows whose vectors have a cosine above
{NEAR_DUPLICATE} are never parted. "A > B" means trained on file A, tested on file B.
**Reproducible.** Training twice on one machine gives the same bytes. On another kind of processor the embedder's 8-bit
arithmetic gives slightly other vectors, so the heads that read vectors may differ in their last digits, and the figures
by about .005.
"""


def weights_hash(weights: str) -> str:
    """Return the SHA-256 of a file of weights as hexadecimal digits."""
    return hashlib.sha256(weights.encode("utf-8")).hexdigest()


def write_card(weights: str, sections: Mapping[str, str]) -> str:
    """Return the whole card."""
    head = f"# Model card of the trained heads\n{_ABOUT}\nSHA-256 of `weights.json`: `{weights_hash(weights)}`\n"
    return head + "".join(f"\n## Head: {name}\n\n{section.strip()}\n" for name, section in sections.items())


def read_sections(card: str) -> Iterator[tuple[str, str]]:
    """Yield what a card says of each head."""
    begins = list(_BEGINS.finditer(card))
    for begin, end in zip(begins, [*(found.start() for found in begins[1:]), len(card)], strict=True):
        yield begin[1], card[begin.end() : end].strip()


def describe(recipe: Recipe, fitted: Fitted, tables: Sequence[Table], materials: Materials) -> str:
    """Return what is to be said of one head: what it does, its rows, its size, its figures."""
    hashes = {name: hashlib.sha256((materials.rows / name).read_bytes()).hexdigest() for name, _ in fitted.counts}
    rows = [f"| `{name}` | {count:,} | `{hashes[name][:16]}` |" for name, count in fitted.counts]
    variants = [
        f"- {f'with vectors of `{head.model}`' if head.model else 'named features only'}: {len(head.classes)} classes,"
        f" {len(head.features)} named features"
        for head in fitted.heads
    ]
    parts = [
        "\n\n".join(textwrap.fill(" ".join(part.split()), _WIDTH) for part in recipe.about.strip().split("\n\n")),
        "\n".join(variants),
        "\n".join(["| rows | used | SHA-256 begins |", "|---|---|---|", *rows]),
        *(_table(table) for table in (*tables, *fitted.checks)),
    ]
    return "\n\n".join(parts)


def _table(table: Table) -> str:
    lines = [
        f"**{table.title}**\n",
        f"| | {' | '.join(table.columns)} |",
        "|---|" + "---|" * len(table.columns),
        *(f"| {name} | {' | '.join(figure(value) for value in values)} |" for name, values in table.rows),
    ]
    return "\n".join([*lines, *([f"\n{textwrap.fill(table.note, _WIDTH)}"] if table.note else [])])


def figure(value: float) -> str:
    """Return a figure as tables show it: whole numbers as they are, shares with three digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
