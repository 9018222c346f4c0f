"""How many examples a property of whole memories is tried with: few each time, many where new ones are looked for."""

from __future__ import annotations

from hypothesis import settings

MORE = 20
"""How many times as many are tried by `make test-all`."""


def examples(steady: int) -> settings:
    """Return settings with so many examples."""
    is_steady = settings.get_current_profile_name() == "steady"
    return settings(max_examples=max(2, steady * 2 // 3) if is_steady else steady * MORE)
