"""Every error that yesteryear raises on purpose.

::

    YesteryearError
    ├── ConfigError               a setting is wrong; names its key and where it came from
    ├── InputError                what the caller passed cannot be used
    │   ├── BadExport             a file that is no whole export of ours
    │   ├── BudgetError           no number of tokens
    │   ├── NotFound
    │   ├── TooLarge
    │   └── InvalidTransition
    ├── AccessError               a door does not let it pass
    │   ├── NotAdmitted           nobody knows who asks
    │   ├── NotAllowed            it takes a right that they lack
    │   └── TooMany               retryable: asked too often; tells for how long to wait
    ├── EngineClosed              the engine was closed, or opened in another process
    ├── StorageError
    │   ├── StorageUnavailable    retryable: locked, read-only, disk full
    │   ├── StorageCorrupt        the file is damaged or is no database of ours
    │   ├── SetUpNeeded           the database lacks what an administrator has to add
    │   ├── SchemaTooNew
    │   ├── Conflict              the same id with other content
    │   ├── Stale                 retryable: somebody else has done this work meanwhile
    │   └── EmbeddingMismatch
    ├── ProviderError
    │   ├── ProviderUnavailable   retryable: not reached, overloaded, or not installed
    │   ├── RateLimited           retryable: asked to wait; tells for how long
    │   ├── ProviderRejected      a key, a model or a request it does not take
    │   └── BadModelOutput        it answered, and the answer cannot be used
    └── MissingExtra              names the extra to install

``code`` is a stable string for machines, ``retryable`` tells whether trying again may help. A class docstring is the
default message.
"""

from __future__ import annotations

import errno
import re
from typing import ClassVar


class YesteryearError(Exception):
    """Something went wrong in yesteryear."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None, *, retry_after_s: float | None = None) -> None:
        super().__init__(message or type(self).__doc__ or self.code)
        self.retry_after_s = retry_after_s
        """Seconds to wait before trying again, where somebody said so; else None."""

    def __init_subclass__(cls, *, code: str | None = None) -> None:
        cls.code = code or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__.removesuffix("Error")).lower()


class ConfigError(YesteryearError):
    """A setting cannot be used."""


class InputError(YesteryearError, ValueError):
    """What was passed cannot be used."""


class BadExport(InputError):
    """The file is no export of yesteryear, or it is damaged."""


class NotFound(InputError, LookupError):
    """There is no such thing in this scope."""


class TooLarge(InputError):
    """More was passed than is taken at once."""


class InvalidTransition(InputError):
    """That status cannot follow this one."""


class AccessError(YesteryearError):
    """The caller is not let in, or not to this."""


class NotAdmitted(AccessError):
    """Say who you are: with a key, or with a token that still holds."""


class NotAllowed(AccessError):
    """This takes a right that the caller lacks."""


class TooMany(AccessError):
    """Too many requests."""

    retryable = True


class EngineClosed(YesteryearError, RuntimeError, code="closed"):
    """The engine is closed. Open a new one with yesteryear.open()."""


class StorageError(YesteryearError):
    """The store failed."""


class StorageUnavailable(StorageError):
    """The store cannot be used right now."""

    retryable = True


def told_of_handles(exc: BaseException) -> StorageUnavailable | None:
    """Return our error for one that means that no file can be opened any more, whichever it was; None for others."""
    if not isinstance(exc, OSError) or exc.errno not in (errno.EMFILE, errno.ENFILE):
        return None
    return StorageUnavailable(
        "too many files are open in this process; raise `ulimit -n`, or open fewer stores at a time"
    )


class StorageCorrupt(StorageError):
    """The file is damaged or is not a yesteryear database."""


class SetUpNeeded(StorageError):
    """The database lacks something that an administrator has to add."""


class SchemaTooNew(StorageError):
    """The database was written by a newer version of yesteryear. Upgrade the package to open it."""


class Conflict(StorageError):
    """The same id was used before for other content."""


class Stale(StorageError):
    """Somebody else has done or undone this work meanwhile."""

    retryable = True


class EmbeddingMismatch(StorageError):
    """Vectors of two models, or of two lengths, cannot be compared."""


class ProviderError(YesteryearError):
    """A model provider failed."""


class ProviderUnavailable(ProviderError):
    """A model provider cannot be reached or is not installed."""

    retryable = True


class RateLimited(ProviderError):
    """A model provider asks to wait."""

    retryable = True


class ProviderRejected(ProviderError):
    """A model provider refuses the key, the model or the request."""


class BadModelOutput(ProviderError):
    """A model's answer cannot be used."""


class BudgetError(InputError):
    """A budget is a whole number of tokens, at least 0."""


class MissingExtra(YesteryearError, ImportError):
    """An optional part of yesteryear is not installed."""
