"""All heads, and the one way to judge and to train them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from yesteryear.core.heads import CARD_FILE
from yesteryear.core.heads.codec import Shelf, heads_from_json, heads_to_json
from yesteryear.errors import InputError, StorageError
from yesteryear_lab.training import facts, feelings, gate, secrets, verdicts
from yesteryear_lab.training.card import Section, describe, read_sections, write_card
from yesteryear_lab.training.recipe import Materials, Recipe, Table

RECIPES: tuple[Recipe, ...] = (gate.RECIPE, *feelings.RECIPES, facts.RECIPE, verdicts.RECIPE, secrets.RECIPE)
"""Every head there is."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What a run has written."""

    weights: Path
    card: Path
    tables: Mapping[str, Sequence[Table]]
    """Of each head."""


def pick_recipes(names: Sequence[str]) -> tuple[Recipe, ...]:
    """Return the recipes with these names, all for no name.

    Raises:
        InputError: there is no such head.
    """
    known = {recipe.name: recipe for recipe in RECIPES}
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"there is no head {unknown[0]!r}; there are: {', '.join(known)}")
    return tuple(recipe for recipe in RECIPES if not names or recipe.name in names)


def cross_validate(recipes: Iterable[Recipe], materials: Materials) -> dict[str, Sequence[Table]]:
    """Return the figures of each head, measured on rows held out; writes nothing.

    Raises:
        InputError: labelled rows are missing or wrong.
        MissingExtra: scikit-learn is not installed.
    """
    return {recipe.name: recipe.cross_validate(materials) for recipe in recipes}


def train(recipes: Iterable[Recipe], materials: Materials, out: Path) -> Trained:
    """Train heads on all rows, and write them with a card that says how good they are.

    Heads in ``out`` that are not trained now stay as they are, and so does what the card says of them. The same rows
    and vectors give the same bytes.

    Args:
        recipes: Of the heads to train.
        materials: Rows and embedder.
        out: The file of weights; the card is written beside it.

    Raises:
        InputError: labelled rows are missing or wrong, or ``out`` is a file of something else.
        MissingExtra: scikit-learn is not installed.
        StorageError: the files cannot be written.
    """
    card = out.with_name(CARD_FILE)
    kept, sections = _read_present(out, card)
    heads, seen, tables = dict(kept.heads), dict(kept.seen), {}
    for recipe in recipes:
        tables[recipe.name] = recipe.cross_validate(materials)
        materials.on_progress(f"{recipe.name}: training on all rows")
        fitted = recipe.fit(materials)
        names = {head.name for head in fitted.heads}
        heads = {key: head for key, head in heads.items() if key[0] not in names}
        heads.update({(head.name, head.model): head for head in fitted.heads})
        seen[recipe.name] = fitted.seen
        sections[recipe.name] = describe(recipe, fitted, tables[recipe.name], materials)
    weights = heads_to_json(Shelf(heads, seen))
    try:
        out.write_text(weights, encoding="utf-8")
        card.write_text(write_card(weights, _in_order(sections)), encoding="utf-8")
    except OSError as exc:
        raise StorageError(f"cannot write the heads: {exc}") from exc
    return Trained(out, card, tables)


def _read_present(weights: Path, card: Path) -> tuple[Shelf, dict[str, Section]]:
    """Return the heads and the sections that are there already."""
    try:
        shelf = heads_from_json(weights.read_text(encoding="utf-8")) if weights.exists() else Shelf({}, {})
        sections = dict(read_sections(card.read_text(encoding="utf-8"))) if card.exists() else {}
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise InputError(f"{weights} holds no heads that could stay ({exc}); name another file with --out") from exc
    return shelf, sections


def _in_order(sections: Mapping[str, Section]) -> list[tuple[str, Section]]:
    return [(recipe.name, sections[recipe.name]) for recipe in RECIPES if recipe.name in sections]
