"""API keys: what a token looks like, and what is kept of it, which is never the token itself.

A token names its owner, so that the key can be looked up like any other row: in one tenant and for one person.
"""

from __future__ import annotations

from base64 import b32decode, b32encode
from binascii import Error as NotBase32
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import IntEnum
from hashlib import sha256
from hmac import compare_digest

from yesteryear.core.results import Plain
from yesteryear.core.scope import Owner, Scope
from yesteryear.errors import InputError, NotAdmitted

PREFIX = "yy_"  # how a token begins, so that people and scanners for leaked secrets know one when they see it
SECRET_BYTES = 32  # 256 bits, which no number of guesses finds, so that one SHA-256 of it is safe to keep
ID_BYTES = 10  # random bytes of a key's id, which is no secret: 80 bits, so that two of one owner never meet
_MOST_CHARS = 4000  # longest text that is looked at as a token: names of 200 characters take 2600


class Right(IntEnum):
    """What a caller may do. Each right holds those before it."""

    READ = 1  # look: recall, context, facts, why
    WRITE = 2  # add and change: observe, correct, forget
    ADMIN = 3  # what cannot be taken back or concerns everybody: erase, configure, keys, costs


@dataclass(frozen=True, slots=True)
class ApiKey(Plain):
    """What is kept of a key."""

    id: str  # stands in the token too, and in logs; unique for its owner
    name: str  # what its owner calls it, such as "laptop"
    digest: str = field(repr=False)  # SHA-256 of the whole token, in hexadecimal
    right: Right
    created_at: datetime
    expires_at: datetime | None = None  # from then on it opens nothing; None for never
    revoked_at: datetime | None = None
    last_used: date | None = None  # the day (UTC), so that using it costs one write a day

    def is_valid(self, now: datetime) -> bool:
        """Tell whether it opens anything at ``now``."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def fits(self, token: Token) -> bool:
        """Tell whether a token is this key's, in the same time whether it is or not."""
        return compare_digest(self.digest, token.digest)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its holder presents it."""

    owner: Owner  # whose memories it is for; of `scope.EVERYBODY` for all people of a tenant
    id: str
    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the whole text, so that nothing in it can be changed."""
        return sha256(self.text.encode()).hexdigest()


def mint_token(owner: Owner, *, random: bytes) -> Token:
    """Return a new token; ``random`` holds ``ID_BYTES + SECRET_BYTES`` bytes from a source that nobody can predict."""
    if len(random) != ID_BYTES + SECRET_BYTES:
        raise InputError(f"a token is made of {ID_BYTES + SECRET_BYTES} random bytes, not {len(random)}")
    where = _spell(f"{owner.tenant}\0{owner.user}".encode())
    key_id = _spell(random[:ID_BYTES])
    return Token(owner, key_id, f"{PREFIX}{where}_{key_id}_{_spell(random[ID_BYTES:])}")


def read_token(text: str) -> Token:
    """Return a token as it was presented, if it can be one of ours; whether there is such a key the store knows."""
    parts = text.split("_")
    if len(text) > _MOST_CHARS or len(parts) != 4 or f"{parts[0]}_" != PREFIX:
        raise NotAdmitted
    try:
        padded = parts[1].upper() + "=" * (-len(parts[1]) % 8)
        tenant, separator, user = b32decode(padded).decode().partition("\0")
        owner = Scope(tenant=tenant, user=user).owner
    except (NotBase32, UnicodeError, InputError) as exc:
        raise NotAdmitted from exc
    if not separator or not parts[2].isalnum() or not text.isascii():
        raise NotAdmitted
    return Token(owner, parts[2], text)


def _spell(data: bytes) -> str:
    """Return bytes in letters and digits that can be read aloud, selected with a double click, and put into a URL."""
    return b32encode(data).decode().rstrip("=").lower()
