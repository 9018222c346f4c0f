"""API keys: what opens, what opens nothing any more, and whose memory."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yesteryear import errors
from yesteryear.api.access import Principal, RequestedScope, Right
from yesteryear.api.audit import AuditLog
from yesteryear.api.keyring import KeyGate, KeyRing
from yesteryear.core.access.keys import ID_BYTES, SECRET_BYTES, mint_token, read_token
from yesteryear.core.scope import EVERYBODY, Owner, Scope
from yesteryear.forget.erase import erase
from yesteryear.providers.clock import ReplayClock
from yesteryear.storage.sqlite.store import SQLiteStore
from yesteryear.transfer.copy import copy_store

names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=200).filter(str.strip)
RANDOM = bytes(range(ID_BYTES + SECRET_BYTES))


def gate(ring: KeyRing) -> KeyGate:
    """Return a gate over the keys of a ring."""
    return KeyGate(ring, AuditLog(ring.store, ring.clock))


def knock(keeper: KeyGate, token: str) -> Principal:
    """Present a token."""
    return asyncio.run(keeper.admit({"authorization": f"Bearer {token}"}))


def commit(ring: KeyRing) -> None:
    """Wait until what was handed over before is on disk."""
    ring.store.write(Scope("nobody", "acme"), lambda _: None)


def a_token(ring: KeyRing, user: str | None = "ana", *, right: Right = Right.WRITE, hours: float | None = None) -> str:
    """Make a key of the tenant acme and return its token."""
    ends = None if hours is None else ring.clock.now() + timedelta(hours=hours)
    return ring.create("acme", user, name="laptop", right=right, expires_at=ends)[0].text


@given(tenant=names, user=names, random=st.binary(min_size=42, max_size=42))
def test_a_token_names_its_owner_and_its_key(tenant: str, user: str, random: bytes) -> None:
    """Whatever they are called; it can be selected with a double click and put into a header as it is."""
    token = mint_token(Owner(tenant, user), random=random)
    assert read_token(token.text) == token
    assert token.text.isascii()
    assert token.text.replace("_", "").isalnum()


@given(text=st.text() | st.from_regex(r"yy_[a-z2-7]{0,40}_[a-z2-7]{0,20}_[a-z2-7]{0,60}", fullmatch=True))
def test_what_is_no_token_is_refused_or_read(text: str) -> None:
    """Nothing that is presented breaks the reader."""
    with suppress(errors.NotAdmitted):
        assert read_token(text).text == text


def test_a_secret_has_256_bits_and_is_kept_nowhere(ring: KeyRing, tmp_path: Path) -> None:
    """Neither it nor the token is in any file; what is kept shows neither."""
    token, key = ring.create("acme", "ana", name="laptop", right=Right.READ)
    secret = token.text.rpartition("_")[2]
    assert len(secret) * 5 >= 256
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert key.id.encode() in files
    assert secret.encode() not in files
    assert token.text not in repr((token, key, ring))
    assert key.digest not in repr((token, key))


def test_a_key_opens_what_it_was_made_for(ring: KeyRing) -> None:
    """One person's with their right; a tenant's for whoever is named."""
    keeper = gate(ring)
    own, common = knock(keeper, a_token(ring)), knock(keeper, a_token(ring, None, right=Right.ADMIN))
    assert (own.tenant, own.user, own.right) == ("acme", "ana", Right.WRITE)
    assert (common.tenant, common.user, common.right) == ("acme", None, Right.ADMIN)
    assert common.scope(RequestedScope("ben"), Right.ADMIN).owner == Owner("acme", "ben")


@pytest.mark.parametrize("presented", ["", "Bearer", "Basic YTpi", "Bearer yy_", "Bearer yy_a_b_c", "Bearer \x00", "x"])
def test_who_brings_no_key_is_told_how(ring: KeyRing, presented: str) -> None:
    """And nothing else."""
    with pytest.raises(errors.NotAdmitted):
        asyncio.run(gate(ring).admit({"authorization": presented} if presented else {}))


def test_a_changed_token_opens_nothing(ring: KeyRing) -> None:
    """Not with another secret, another id, another owner or another spelling, and all are told the same."""
    token = a_token(ring)
    prefix, where, key_id, secret = token.split("_")
    elsewhere = mint_token(Owner("acme", "ben"), random=RANDOM).text.split("_")[1]
    everybody = mint_token(Owner("acme", EVERYBODY), random=RANDOM).text.split("_")[1]
    forged = [
        f"{prefix}_{where}_{key_id}_{'a' * len(secret)}",
        f"{prefix}_{where}_{'a' * len(key_id)}_{secret}",
        f"{prefix}_{elsewhere}_{key_id}_{secret}",
        f"{prefix}_{everybody}_{key_id}_{secret}",
        token.upper().replace("YY_", "yy_"),
        f"{token}a",
    ]
    told = set()
    for text in forged:
        with pytest.raises(errors.NotAdmitted) as refused:
            knock(gate(ring), text)
        told.add(str(refused.value))
    assert len(told) == 1
    assert knock(gate(ring), token).user == "ana"


def test_a_key_ends(ring: KeyRing, clock: ReplayClock) -> None:
    """To the second, also where it was looked up a moment before; its holder is told, and it is noted once."""
    token, keeper = a_token(ring, hours=1), gate(ring)
    clock.advance(timedelta(hours=1, seconds=-1))
    assert knock(keeper, token).user == "ana"
    clock.advance(timedelta(seconds=1))
    for _ in range(5):
        with pytest.raises(errors.NotAdmitted, match="over"):
            knock(keeper, token)
    clock.advance(timedelta(minutes=-1))
    with pytest.raises(errors.InputError, match="later day"):
        ring.create("acme", "ana", name="late", right=Right.READ, expires_at=clock.now())


def test_a_revoked_key_opens_nothing_in_other_processes_either(
    ring: KeyRing, clock: ReplayClock, tmp_path: Path
) -> None:
    """The gate of another process, which has just let it in, notices within two seconds; the refusal is noted once."""
    token = a_token(ring)
    keeper = gate(ring)
    assert knock(keeper, token).user == "ana"
    elsewhere = SQLiteStore(tmp_path / "memory.db")
    KeyRing(elsewhere, clock).revoke("acme", read_token(token).id)
    elsewhere.close()
    clock.advance(timedelta(seconds=2))
    for _ in range(5):
        with pytest.raises(errors.NotAdmitted, match="revoked"):
            knock(keeper, token)
    commit(ring)
    rows = [(row.verb, row.outcome) for row in AuditLog(ring.store, clock).rows(Scope("ana", "acme"))]
    assert rows == [("key.create", "done"), ("key.revoke", "done"), ("admit", "not_admitted")]


def test_revoking_is_for_ones_own_tenant(ring: KeyRing) -> None:
    """An id of another tenant is as unknown as one that is nowhere; twice is harmless."""
    key_id = read_token(a_token(ring)).id
    for tenant, name in (("other", key_id), ("acme", "nothing")):
        with pytest.raises(errors.NotFound):
            ring.revoke(tenant, name)
    first = ring.revoke("acme", key_id)
    assert ring.revoke("acme", key_id) == first
    assert first.key.revoked_at is not None


def test_using_a_key_is_written_once_a_day(ring: KeyRing, clock: ReplayClock) -> None:
    """Not at each request."""
    token = a_token(ring)
    for hours in (0, 1, 2, 30, 1):
        clock.advance(timedelta(hours=hours))
        knock(gate(ring), token)
        commit(ring)
    [held] = ring.list("acme", "ana")
    assert held.key.last_used == clock.now().date()
    with ring.store.read(Scope("ana", "acme")) as tx:
        assert tx.owner().rev == 3  # made, and used on two days


def test_erasing_a_person_takes_their_keys_along(ring: KeyRing, clock: ReplayClock, tmp_path: Path) -> None:
    """Also of somebody of whom nothing else is kept, in every file; the tenant's keys stay."""
    own, common = a_token(ring, "Ana Larkspur"), a_token(ring, None)
    keeper = gate(ring)
    knock(keeper, own)
    erase(ring.store, Scope("Ana Larkspur", "acme"), now=clock.now())
    clock.advance(timedelta(seconds=2))
    with pytest.raises(errors.NotAdmitted):
        knock(keeper, own)
    assert [held.user for held in ring.list("acme")] == [None]
    assert knock(keeper, common).tenant == "acme"
    assert not any(b"Larkspur" in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    held=st.sampled_from([("acme", "ana"), ("acme", None), ("other", "ana"), ("other", None)]),
    requested=st.builds(
        RequestedScope, st.none() | st.sampled_from(["ana", "ben", "*", "ana\0", "other\0ana"]) | names
    ),
    right=st.sampled_from(Right),
    needed=st.sampled_from(Right),
)
def test_no_wish_leads_out_of_the_key(
    ring: KeyRing, held: tuple[str, str | None], requested: RequestedScope, right: Right, needed: Right
) -> None:
    """Whoever holds a key reaches its tenant, its person where it has one, and no more than its right."""
    tenant, user = held
    token, _ = ring.create(tenant, user, name="k", right=right)
    principal = knock(gate(ring), token.text)
    try:
        scope = principal.scope(requested, needed)
    except (errors.NotAllowed, errors.InputError):
        return
    assert scope.tenant == tenant
    assert scope.user == (user or requested.user)
    assert needed <= right


def test_a_key_goes_with_a_person_who_moves(ring: KeyRing, clock: ReplayClock, tmp_path: Path) -> None:
    """To another store, where it opens what it opened; copying again changes nothing."""
    token = a_token(ring)
    elsewhere = SQLiteStore(tmp_path / "elsewhere.db")
    for _ in range(2):
        copy_store(ring.store, elsewhere)
        assert KeyRing(elsewhere, clock).list("acme", "ana") == ring.list("acme", "ana")
    assert knock(gate(KeyRing(elsewhere, clock)), token).user == "ana"
    elsewhere.close()
