"""Which SQLite opens a file: Python's own, or SQLCipher, which encrypts every page, those of the log too.

Making a file's key from a passphrase and a salt, the first bytes of the file, takes a tenth of a second on purpose, and
it would for every connection. So the key is made once, here, by SQLCipher's own recipe, and handed on.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yesteryear.errors import ConfigError, MissingExtra

KDF_ROUNDS = 256_000  # what SQLCipher 4 does by default: a tenth of a second for each guess at a passphrase
KEY_BYTES = 32  # length of a key: AES-256
PAGE_BYTES = 2048
"""Size of a page of a new file. It stands nowhere in an encrypted one, so those made with another cannot be opened. A
message touches eight pages, which all go through the log. Measured, half the usual size saves 6 % of a durable write;
``observe`` takes 1.24 times as long with encryption as without, with the usual size 1.37 times."""

_PLAIN_START = b"SQLite format 3\0"  # how a file begins that is not encrypted, in the place of the salt


@dataclass(frozen=True, slots=True)
class Driver:
    """What opens the connections to one file."""

    module: Any = sqlite3  # ``sqlite3``, or a module with the same face
    raw_key: str = field(default="", repr=False)
    """Key and salt as SQLCipher takes them, ``x'…'``; empty for a file that is not encrypted."""

    @property
    def is_encrypting(self) -> bool:
        """Whether what is written can be read with the key only."""
        return bool(self.raw_key)

    @property
    def error(self) -> type[Exception]:
        """The class of all errors of the module."""
        found: type[Exception] = self.module.Error
        return found

    def connect(self, path: Path) -> sqlite3.Connection:
        """Open a connection in autocommit mode, for any thread, one at a time. It does not look into the file."""
        connection: sqlite3.Connection = self.module.connect(
            path, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        connection.row_factory = self.module.Row
        if self.raw_key:
            connection.execute("PRAGMA cipher_log_level = NONE")  # what it has to say on stderr, its errors say too
            connection.execute(f'PRAGMA key = "{self.raw_key}"')
            connection.execute(f"PRAGMA cipher_page_size = {PAGE_BYTES}")
        return connection


PLAIN = Driver()  # Python's own SQLite


@dataclass(frozen=True, slots=True)
class Cipher:
    """SQLCipher, and the passphrase of the files that it opens."""

    module: Any  # ``sqlcipher3.dbapi2``; whoever builds the store knows whether it is installed
    passphrase: str = field(repr=False)
    kdf_rounds: int = KDF_ROUNDS
    """Rounds of PBKDF2 with SHA-512 from passphrase to key. A file is opened with the number that it was made with."""

    def driver(self, path: Path) -> Driver:
        """Return the driver with the key of a file: made with its salt, or with a new one where the file is empty."""
        salt = self._salt(path)
        if salt == _PLAIN_START:
            raise ConfigError(
                f"{path.name} is not encrypted, but a key was given (YESTERYEAR_KEY or key=); open it without the key, "
                "or make an encrypted copy of it: yesteryear copy"
            )
        passphrase = self.passphrase.encode("utf-8", "surrogatepass")  # the environment may hold what is no text
        key = hashlib.pbkdf2_hmac("sha512", passphrase, salt, self.kdf_rounds, KEY_BYTES)
        return Driver(self.module, f"x'{key.hex()}{salt.hex()}'")

    def _salt(self, path: Path) -> bytes:
        """Ask SQLCipher for the salt: whoever opened and closed the file beside it would end this process's locks."""
        with closing(self.module.connect(path)) as connection:
            connection.execute("PRAGMA key = 'any'")
            found = connection.execute("PRAGMA cipher_salt").fetchone()
        if found is None:  # an SQLite without a cipher, which would write everything in the clear
            raise MissingExtra("the SQLite module cannot encrypt; run: pip install 'yesteryear[encrypted]'")
        return bytes.fromhex(found[0])
