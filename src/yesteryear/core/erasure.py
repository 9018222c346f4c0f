"""The receipt of an erasure: what was removed from where, what a scan of the files found afterwards."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256

from yesteryear.core.plain import Plain


@dataclass(frozen=True, slots=True)
class Scrubbed(Plain):
    """What was done to the files so that deleted text is gone from them, and what was found."""

    files: tuple[str, ...] = ()
    """Names of the files that were looked through, without their folder."""
    bytes_scanned: int = 0
    """Bytes that were looked through, in the last scan."""
    found_before: int = 0
    """Pieces of the removed text that were still in the files after the rows had been deleted."""
    found_after: int = 0
    """Pieces that are there at the end: words that rows which stay hold too, or a log that waits for a reader."""
    is_rewritten: bool = False
    """Whether the database was written anew (VACUUM)."""
    waits_for: str = ""
    """What still has to happen, such as a reader to end; empty when all is done."""
    limits: str = ""
    """What could not be done or looked at, such as the files of a server; empty when nothing was left out."""


@dataclass(frozen=True, slots=True)
class Erasure(Plain):
    """A receipt. It names nobody: ``person`` is a hash of tenant and user."""

    tenant: str
    person: str
    """See ``core.owner.hash_person``."""
    generation: int
    """Work begun under an earlier one is not written any more."""
    erased_at: datetime
    removed: Mapping[str, int] = field(default_factory=dict)
    """Numbers of removed rows by table."""
    scrubbed: Scrubbed = field(default_factory=Scrubbed)
    is_pending: bool = True
    """Whether the files may still hold removed text; the worker tries again until they do not."""
    hash: str = ""
    """SHA-256 of everything above as JSON with sorted keys, in hexadecimal."""
    signature: str = ""
    """HMAC-SHA-256 of ``hash`` with the store's key, in hexadecimal; empty without a key."""

    def sealed(self, key: bytes = b"") -> Erasure:
        """Return this receipt with its hash, and with a signature where there is a key."""
        plain = self.to_dict()
        del plain["hash"], plain["signature"]
        digest = sha256(json.dumps(plain, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
        signature = hmac.new(key, digest.encode(), sha256).hexdigest() if key else ""
        return replace(self, hash=digest, signature=signature)
