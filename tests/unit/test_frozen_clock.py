"""The clock of tests, and what importing the shipped test help brings along."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from yesteryear.errors import InputError
from yesteryear.testing.builders import NOON
from yesteryear.testing.clock import FrozenClock


def test_time_stands_still_until_told() -> None:
    """It starts at noon of a Monday, goes on by what is said, and back."""
    clock = FrozenClock()
    assert clock.now() == clock.now() == NOON
    assert clock.advance(days=1, hours=2, minutes=3, seconds=4.5) == clock.now()
    assert clock.now() - NOON == timedelta(days=1, hours=2, minutes=3, seconds=4.5)
    clock.advance(hours=-26)
    assert clock.now() - NOON == timedelta(minutes=3, seconds=4.5)


def test_time_is_set_in_any_zone_and_told_in_utc() -> None:
    """A naive instant is refused as everywhere."""
    clock = FrozenClock(datetime.fromisoformat("2026-03-02T21:00:00+09:00"))
    assert clock.now() == NOON
    assert clock.now().tzinfo is UTC
    with pytest.raises(InputError):
        clock.set(datetime(2026, 3, 2))  # noqa: DTZ001 - the point


def test_only_the_conformance_suites_need_pytest() -> None:
    """Fakes and builders can be used by programs that have no pytest."""
    script = (
        "import sys, yesteryear.testing.builders, yesteryear.testing.clock, yesteryear.testing.failing, "
        "yesteryear.testing.rows; sys.exit('pytest' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
