"""What yesteryear is measured and trained with; nothing that is shipped imports it."""

from __future__ import annotations

from pathlib import Path

LABELLED = Path(__file__).parents[1] / "labelled"  # the rows that train and test the heads; in the repository only
