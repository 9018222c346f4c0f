"""Who may work on an owner's rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.each import each
from yesteryear.core.scope import OwnerState

NOW = datetime(2026, 3, 2, 8, tzinfo=UTC)
LENGTH = timedelta(minutes=2)


@each(
    ("holder", "left", "is_leased"),
    [
        ("other", timedelta(seconds=1), True),
        ("other", LENGTH, True),
        ("other", timedelta(0), False),
        ("other", timedelta(days=365), False),
        ("me", timedelta(seconds=1), False),
        (None, timedelta(seconds=1), False),
    ],
)
def test_a_lease_counts_while_it_runs_and_is_no_longer_than_leases_are(
    holder: str | None, left: timedelta, *, is_leased: bool
) -> None:
    """Somebody else's does; one from a clock that was a year ahead does not."""
    state = OwnerState(lease_by=holder, lease_until=NOW + left)
    assert state.is_leased(NOW, to_others_than="me", at_most=LENGTH) is is_leased


def test_an_owner_without_a_lease_is_free() -> None:
    """As every owner is at first."""
    assert not OwnerState().is_leased(NOW, to_others_than="me", at_most=LENGTH)
