"""What people are told for names of ours, on the pages and at the terminal alike; it stands in ``words.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files

SAID: Mapping[str, dict[str, str]] = tomllib.loads((files("yesteryear.api") / "words.toml").read_text(encoding="utf-8"))
"""What is said, by what is named, then by its name."""
