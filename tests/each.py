"""One test over many rows: what ``pytest.mark.parametrize`` is for tests that take microseconds each."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def each(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with every row, and tell all rows that fail, not only the first.

    Args:
        names: The arguments that a row fills, as ``parametrize`` takes them.
        rows: A value for one argument, or a sequence of as many values as there are names.
    """
    keys = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    given = [row if len(keys) > 1 else (row,) for row in rows]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**others: Any) -> None:
            assert given, "there is no row to try"
            failures = []
            for row in given:
                filled = dict(zip(keys, row, strict=True))
                try:
                    test(**filled, **others)
                except Exception as exc:  # noqa: BLE001 - the other rows are tried too, and it is told with theirs
                    exc.add_note(f"with {filled!r:.500}")
                    failures.append(exc)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(given)} rows fail", failures)

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate
