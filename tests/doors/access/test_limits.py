"""How often somebody may knock, and that nobody is locked out by somebody else."""

from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from datetime import timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from yesteryear import errors
from yesteryear.api.access import PEER_HEADER, Principal, Right
from yesteryear.api.guards import ANY, GuardPolicy, RequestGuard
from yesteryear.api.limits import Buckets, LimitedGate, LimitPolicy, network_of
from yesteryear.core.access.keys import ID_BYTES, SECRET_BYTES, mint_token
from yesteryear.core.recent import Recent
from yesteryear.core.scope import Owner
from yesteryear.providers.clock import ReplayClock
from yesteryear.testing.builders import NOON


class Doorman:
    """Lets in whoever says a name that begins with a capital, and those it knows, and counts who came."""

    def __init__(self) -> None:
        self.asked = 0
        self.lets_in: set[str] = set()
        self.busy = self.most_busy = 0

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who it is."""
        self.asked += 1
        name = headers.get("authorization", "")
        self.busy += 1
        self.most_busy = max(self.busy, self.most_busy)
        await asyncio.sleep(0)
        self.busy -= 1
        if not name.istitle() and name not in self.lets_in:
            raise errors.NotAdmitted
        return Principal(name, "acme", None, Right.READ)


class Street:
    """A gate with limits, and who knocks there."""

    def __init__(self, **policy: float) -> None:
        self.clock = ReplayClock(NOON)
        self.doorman = Doorman()
        self.gate = LimitedGate(self.doorman, self.clock, LimitPolicy(**policy))  # type: ignore[arg-type]

    def knock(self, name: str, *, peer: str | None = "198.51.100.1") -> str:
        """Return what becomes of it: the code of an error, or "in"."""
        return self.knock_each([name], peer=peer)[0]

    def knock_each(self, names: Iterable[str], *, peer: str | None = "198.51.100.1") -> list[str]:
        """Knock with one name after the other in one event loop, for one takes longer to begin than a knock does."""
        to_whom = {} if peer is None else {PEER_HEADER: peer}

        async def knock(name: str) -> str:
            try:
                await self.gate.admit({"authorization": name} | to_whom)
            except errors.AccessError as exc:
                return exc.code
            return "in"

        async def knock_on() -> list[str]:
            return [await knock(name) for name in names]

        return asyncio.run(knock_on())


@given(
    gaps=st.lists(st.floats(0, 5), min_size=1, max_size=60), per_minute=st.floats(1, 600), burst_s=st.floats(0.1, 60)
)
def test_no_more_passes_than_the_rate_and_the_burst(gaps: list[float], per_minute: float, burst_s: float) -> None:
    """However the requests are spread; and who waits as long as they are told passes."""
    buckets, now, passed = Buckets(per_minute, burst_s=burst_s, known=10), NOON, 0
    for gap in gaps:
        now += timedelta(seconds=gap)
        passed += buckets.take("ana", now) == 0.0
    room = max(1.0, per_minute / 60 * burst_s)
    assert passed <= room + (now - NOON).total_seconds() * per_minute / 60 + 1e-6
    wait = buckets.wait_s("ana", now)
    assert buckets.take("ana", now + timedelta(seconds=wait + 1e-5)) == 0.0


@given(backwards=st.floats(0, 1e6))
def test_a_clock_that_is_set_back_gives_and_takes_nothing(backwards: float) -> None:
    """No request passes twice for it."""
    buckets = Buckets(60, burst_s=1, known=10)
    assert buckets.take("ana", NOON) == 0.0
    assert buckets.take("ana", NOON - timedelta(seconds=backwards)) > 0.0


def test_b19_a_bucket_fills_again_from_when_the_clock_was_set_back() -> None:
    """Else one that is empty stays so until that day has come again."""
    buckets = Buckets(60, burst_s=1, known=10)
    then = NOON - timedelta(days=365)
    assert buckets.take("ana", NOON) == 0.0
    assert buckets.wait_s("ana", then) == 1.0
    assert buckets.take("ana", then + timedelta(seconds=1)) == 0.0


@given(keys=st.lists(st.integers(0, 99), max_size=300), most=st.integers(1, 20))
def test_what_is_remembered_has_a_bound(keys: list[int], most: int) -> None:
    """The latest stay."""
    recent: Recent[int, int] = Recent(most)
    for key in keys:
        recent.put(key, key)
    latest = list(dict.fromkeys(reversed(keys)))[:most]
    assert len(recent) == len(latest)
    assert [recent.get(key) for key in latest] == latest


def test_each_principal_has_a_rate_of_their_own() -> None:
    """Whoever is over it is told for how long to wait, and passes then."""
    street = Street(requests_per_minute=60, burst_s=3)
    assert [street.knock("Ana") for _ in range(4)] == ["in", "in", "in", "too_many"]
    assert street.knock("Ben") == "in"
    with pytest.raises(errors.TooMany) as refused:
        asyncio.run(street.gate.admit({"authorization": "Ana"}))
    assert refused.value.retry_after_s == pytest.approx(1.0)
    street.clock.advance(timedelta(seconds=1))
    assert street.knock("Ana") == "in"


def test_hammering_is_not_looked_at_any_more() -> None:
    """After some failures of an address, what cannot be a credential costs no look; nor does the same one again."""
    street = Street(failures_per_minute=60, burst_s=5)
    assert street.knock("Ana") == "in"
    told = street.knock_each(f"guess {number}" for number in range(1000))
    assert told == ["not_admitted"] * 5 + ["too_many"] * 995
    assert street.doorman.asked == 6
    wrong = a_key("wrong")
    told = street.knock_each([wrong] * 1000)
    assert told == ["not_admitted"] * 5 + ["too_many"] * 995
    street.clock.advance(timedelta(seconds=2))
    assert street.knock("Cho") == "in"


@pytest.mark.parametrize("guess", ["guess", "Bearer guess", "key", "token"])
def test_b07_failures_of_an_address_lock_out_no_good_credential(guess: str) -> None:
    """Behind one proxy 59 of 60 people with fresh tokens were refused, because a stranger there had guessed."""
    street = Street(failures_per_minute=30, burst_s=10)
    street.doorman.lets_in = {a_key(f"good {number}") for number in range(60)} | {
        a_token(f"good {number}") for number in range(60)
    }
    made = {"key": a_key, "token": a_token}.get(guess, lambda number: f"{guess} {number}")
    told = street.knock_each(made(str(number)) for number in range(200))
    assert set(told) <= {"not_admitted", "too_many"}
    assert set(street.knock_each(street.doorman.lets_in)) == {"in"}


def test_b07_guesses_of_an_address_are_looked_at_one_at_a_time() -> None:
    """Whoever guesses in what looks like keys must not take all threads of the server."""

    async def live() -> None:
        street = Street(failures_per_minute=30, burst_s=10)
        for number in range(10):
            with pytest.raises(errors.AccessError):
                await street.gate.admit({"authorization": a_key(f"a {number}"), PEER_HEADER: "198.51.100.1"})
        street.doorman.busy = street.doorman.most_busy = 0
        knocking = [
            street.gate.admit({"authorization": a_key(f"b {number}"), PEER_HEADER: "198.51.100.1"})
            for number in range(50)
        ]
        found = await asyncio.gather(*knocking, return_exceptions=True)
        assert {type(each) for each in found} == {errors.NotAdmitted}
        assert street.doorman.most_busy == 1

    asyncio.run(live())


def a_key(name: str) -> str:
    """Return what looks like a key of ours, another one for each name."""
    random = sha256(name.encode()).digest() + bytes(ID_BYTES + SECRET_BYTES - 32)
    return f"Bearer {mint_token(Owner('acme', 'ana'), random=random).text}"


def a_token(name: str) -> str:
    """Return what looks like a token of a provider, another one for each name."""
    parts = ({"alg": "RS256"}, {"sub": name}, "signature")
    return "Bearer " + ".".join(urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


def test_who_was_let_in_before_is_not_locked_out_by_neighbours() -> None:
    """Many people share an address; a key that stopped working is a guess like any other."""
    street = Street(failures_per_minute=60, burst_s=2)
    assert street.knock("Ana") == "in"
    for _ in range(9):
        street.knock("guess")
    assert street.knock("Ana") == "in"
    assert street.knock("Ben", peer="198.51.100.2") == "in"
    assert street.knock("Ben", peer=None) == "in"


def test_without_an_address_failures_are_not_counted_together() -> None:
    """Else one stranger could close the door to all others."""
    street = Street(failures_per_minute=1, burst_s=1)
    assert {street.knock("guess", peer=None) for _ in range(50)} == {"not_admitted"}


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("unix:/run/x", "unix:/run/x"),
        ("", ""),
    ],
)
def test_an_address_stands_for_what_one_caller_has(address: str, network: str) -> None:
    """Of IPv6 everybody has 2 ** 64."""
    assert network_of(address) == network


def test_callers_cannot_write_where_they_come_from() -> None:
    """The guard drops what they wrote; other headers stay."""
    seen: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)

    async def ask() -> None:
        guard = RequestGuard(app, GuardPolicy(hosts=(ANY,)))
        headers = [(b"x-yesteryear-peer", b"198.51.100.9"), (b"accept", b"*/*")]
        for client in (("192.0.2.7", 1234), None):
            await guard({"type": "http", "headers": headers, "client": client}, _nothing, _nothing)
        await guard({"type": "lifespan"}, _nothing, _nothing)

    asyncio.run(ask())
    assert seen[0]["headers"] == [(b"accept", b"*/*"), (b"x-yesteryear-peer", b"192.0.2.7")]
    assert seen[1]["headers"] == [(b"accept", b"*/*")]
    assert seen[2] == {"type": "lifespan"}


async def _nothing(*_: object) -> Message:
    return {}
