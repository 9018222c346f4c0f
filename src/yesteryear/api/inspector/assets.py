"""The stylesheet, the script and the mark: ours, in the package, named by their content so that browsers keep them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

_TYPES: Mapping[str, str] = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the pages."""

    body: bytes
    media_type: str


def read_assets() -> dict[str, Asset]:
    """Return the files by a name that holds a hash of their content, such as ``style.1f0c9a2b.css``."""
    found = {}
    for file in (files("yesteryear.api.inspector") / "static").iterdir():
        stem, _, kind = file.name.rpartition(".")
        if kind in _TYPES:
            body = file.read_bytes()
            found[f"{stem}.{sha256(body).hexdigest()[:8]}.{kind}"] = Asset(body, _TYPES[kind])
    return found
