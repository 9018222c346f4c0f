"""STEP: the keys of tenants and people: made, listed, revoked, all of it in the audit; and who is let in by one."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from yesteryear.api.access import Gatekeeper, Principal, read_bearer
from yesteryear.api.audit import AuditLog
from yesteryear.core.access.audit import AuditDraft
from yesteryear.core.access.keys import ID_BYTES, PREFIX, SECRET_BYTES, ApiKey, Right, Token, mint_token, read_token
from yesteryear.core.recent import Recent
from yesteryear.core.scope import EVERYBODY, Scope, check_name
from yesteryear.core.secrets.redact import refuse_secret
from yesteryear.errors import InputError, NotAdmitted, NotFound
from yesteryear.ports import Clock, Store, Transaction

_OPERATOR = "operator"  # who makes and revokes keys, in the audit


@dataclass(frozen=True, slots=True)
class HeldKey:
    """A key, and for whose memories it is."""

    tenant: str
    user: str | None  # None for all people of the tenant
    key: ApiKey


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys in a store."""

    store: Store
    clock: Clock

    def create(
        self, tenant: str, user: str | None, *, name: str, right: Right, expires_at: datetime | None = None
    ) -> tuple[Token, ApiKey]:
        """Make a key and return it with its token, which is shown here and never again.

        It opens the memory of one ``user``, or with None those of all people of the tenant, and allows up to ``right``.
        """
        now, scope = self.clock.now(), _scope_of(tenant, user)
        for label, value in (("name", check_name("name", name)), ("tenant", tenant), ("user", user or EVERYBODY)):
            refuse_secret(label, value)
        if expires_at is not None and expires_at <= now:
            raise InputError(f"a key that ended at {expires_at.isoformat()} opens nothing; choose a later day")
        token = mint_token(scope.owner, random=secrets.token_bytes(ID_BYTES + SECRET_BYTES))
        key = ApiKey(token.id, name, token.digest, right, now, expires_at)

        def write(tx: Transaction) -> None:
            tx.keys.save(key)
            tx.audit.append(AuditDraft(now, _OPERATOR, "key.create", count=1, ids=(key.id,)))

        self.store.write(scope, write)
        return token, key

    def list(self, tenant: str, user: str | None = None) -> Sequence[HeldKey]:
        """Return the keys of a person, or of a tenant and all its people, valid or not, oldest first for each."""
        scopes = [_scope_of(tenant, user)]
        if user is None:
            people = [owner.user for owner in self.store.owners() if owner.tenant == tenant]
            scopes += [Scope(tenant=tenant, user=person) for person in people]
        found: list[HeldKey] = []
        for scope in scopes:
            with self.store.read(scope) as tx:
                person = None if scope.user == EVERYBODY else scope.user
                found += [HeldKey(tenant, person, key) for key in tx.keys.all()]
        return found

    def revoke(self, tenant: str, key_id: str) -> HeldKey:
        """Let a key open nothing any more; gates that have just let it in notice in seconds. Twice is harmless."""
        found = next((held for held in self.list(tenant) if held.key.id == key_id), None)
        if found is None:
            raise NotFound(f"there is no key {key_id!r} in the tenant {tenant!r}; see `yesteryear key list`")
        now = self.clock.now()

        def write(tx: Transaction) -> ApiKey:
            key = tx.keys.get(key_id)
            if key is None or key.revoked_at is not None:
                return key or found.key
            revoked = replace(key, revoked_at=now)
            tx.keys.save(revoked)
            tx.audit.append(AuditDraft(now, _OPERATOR, "key.revoke", count=1, ids=(key_id,)))
            return revoked

        return replace(found, key=self.store.write(_scope_of(found.tenant, found.user), write))

    def find(self, token: Token) -> ApiKey:
        """Return the key of a token, valid or not, and note the day of its use.

        Whether there is no such key, or its secret is another one, is not told.
        """
        scope = Scope(tenant=token.owner.tenant, user=token.owner.user)
        with self.store.read(scope) as tx:
            key = tx.keys.get(token.id)
        if key is None or not key.fits(token):
            raise NotAdmitted
        now = self.clock.now()
        today = now.astimezone(UTC).date()
        if key.is_valid(now) and key.last_used != today:

            def note(tx: Transaction) -> None:
                known = tx.keys.get(token.id)  # a key that was erased meanwhile must not come back
                if known is not None:
                    tx.keys.save(replace(known, last_used=today))

            self.store.submit(scope, note)
        return key


def _scope_of(tenant: str, user: str | None) -> Scope:
    if user == EVERYBODY:
        raise InputError(f"nobody can be called {EVERYBODY!r}; it stands for all people of a tenant")
    return Scope.everybody(tenant) if user is None else Scope(tenant=tenant, user=user)


@dataclass(frozen=True, slots=True)
class KeyPolicy:
    """How long a look at a key holds."""

    trusted_s: float = 2.0
    """Seconds for which a key that was found valid is not looked up again, at least 0: after so long a key that was
    revoked in another process opens nothing here either. A choice: no caller waits for a look at each request."""
    kept: int = 10_000  # most keys that are remembered, at least 1; about 2 MB


class KeyGate:
    """Lets in who holds a key; see ``Gatekeeper``. That somebody came with one that has ended is noted once."""

    def __init__(self, ring: KeyRing, audit_log: AuditLog, policy: KeyPolicy | None = None) -> None:
        policy = policy or KeyPolicy()
        self._ring = ring
        self._audit_log = audit_log
        self._trusted = timedelta(seconds=policy.trusted_s)
        self._seen: Recent[str, tuple[ApiKey, datetime]] = Recent(policy.kept)

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who holds the key; only they are told that it is not valid any more."""
        token, now = read_token(read_bearer(headers)), self._ring.clock.now()
        key, seen_at = self._seen.get(token.digest) or (None, now)
        if key is None or (key.is_valid(now) and not timedelta(0) <= now - seen_at < self._trusted):
            self._seen.drop(token.digest)
            key = await asyncio.to_thread(self._ring.find, token)
            self._seen.put(token.digest, (key, now))
            if not key.is_valid(now):
                self._audit_log.refuse(_principal(token, key), "admit", NotAdmitted.code)
        if not key.is_valid(now):
            why = "revoked" if key.revoked_at else "made for a time that is over"
            raise NotAdmitted(f"this key was {why}; have another one made")
        return _principal(token, key)


@dataclass(frozen=True, slots=True)
class EitherGate:
    """Lets in who holds a key or a token of the identity provider; see ``Gatekeeper``."""

    keys: Gatekeeper
    tokens: Gatekeeper

    async def admit(self, headers: Mapping[str, str]) -> Principal:
        """Return who it is; a key is known by how it begins."""
        gate = self.keys if read_bearer(headers).startswith(PREFIX) else self.tokens
        return await gate.admit(headers)


def _principal(token: Token, key: ApiKey) -> Principal:
    tenant, user = token.owner
    return Principal(f"key:{key.id}", tenant, None if user == EVERYBODY else user, key.right)
