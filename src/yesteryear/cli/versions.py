"""Which version of a package is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version(package: str) -> str:
    """Return a package's version; of a bare source tree nobody knows it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(version unknown: not installed as a package)"
