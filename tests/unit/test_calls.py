"""How verbs run without an event loop."""

from __future__ import annotations

import asyncio
import errno
from inspect import signature

import pytest

from yesteryear.errors import StorageUnavailable
from yesteryear.memory.calls import AsyncCalls, Calls, here


class Stove:
    """What kettles stand on."""

    _calls = AsyncCalls()

    def _error(self) -> Exception:
        return LookupError("no kettle")

    def _raise(self, error: Exception) -> None:
        raise error


class AsyncKettle(Stove):
    """Boils water."""

    async def boil(self, minutes: int) -> str:
        """Boil for some minutes."""
        return await self._calls.run(lambda: f"{minutes} minutes")

    async def doze(self) -> None:
        """Wait for what only an event loop brings."""
        await asyncio.sleep(0)

    async def fail(self) -> None:
        """Find no file to open."""
        raise await self._calls.run(self._error)

    async def open(self) -> None:
        """Open one file too many."""
        await self._calls.run_long(self._raise, OSError(errno.EMFILE, "too many"))


class Kettle(Stove):
    """Boils water where it stands."""

    _calls = Calls()

    boil = here(AsyncKettle.boil)
    doze = here(AsyncKettle.doze)
    fail = here(AsyncKettle.fail)
    open = here(AsyncKettle.open)


def test_a_verb_without_a_loop_returns_what_it_found() -> None:
    """Its words and its arguments are those of the verb it is made of."""
    assert Kettle().boil(minutes=3) == asyncio.run(AsyncKettle().boil(3)) == "3 minutes"
    assert Kettle.boil.__doc__ == AsyncKettle.boil.__doc__
    assert signature(Kettle.boil) == signature(AsyncKettle.boil)


def test_errors_come_as_they_are() -> None:
    """Nothing is wrapped around them, and no file to open is said in our words."""
    with pytest.raises(LookupError, match="no kettle"):
        Kettle().fail()
    with pytest.raises(StorageUnavailable, match="ulimit"):
        Kettle().open()


def test_a_verb_that_needs_an_event_loop_says_so() -> None:
    """It would never end; whoever wrote it has waited for something else than a step."""
    with pytest.raises(RuntimeError, match="doze waits for an event loop"):
        Kettle().doze()
