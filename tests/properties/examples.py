"""How many examples a property of whole memories is tried with: few each time, many where new ones are looked for."""

from __future__ import annotations

import os

from hypothesis import settings

READER = "words" if settings.get_current_profile_name() == "steady" and not os.environ.get("CI") else "auto"
"""Who reads what is said in generated memories: the model, where it is not waited for. Each text is new to it."""
MORE = 20
"""How many times as many are tried by `make test-all`."""


def examples(steady: int) -> settings:
    """Return settings with so many examples: two thirds of them in a build, a quarter for whoever waits."""
    if settings.get_current_profile_name() != "steady":
        return settings(max_examples=steady * MORE)
    return settings(max_examples=max(2, steady * 2 // 3 if os.environ.get("CI") else steady // 4))
