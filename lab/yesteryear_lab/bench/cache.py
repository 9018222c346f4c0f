"""Suite: how much of a prompt stays a common prefix over a long talk, so that a provider's cache holds.

Lives are lived through message by message. Before each message of the person a context is asked for, and the request is
put together as the proxy does: the prefix in the system text, the sitting so far, and the tail below what was said. The
baseline has the whole context in the system text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from os.path import commonprefix
from typing import Any

import yesteryear
from yesteryear_lab.bench.lives import Life, read_life, sittings_of
from yesteryear_lab.bench.report import Metrics
from yesteryear_lab.bench.retold import RetoldOptions, retell, suite_of_lives
from yesteryear_lab.figures import mean, ratio, rounded

_PAUSE = timedelta(hours=3)
_REST = timedelta(days=1)
_SYSTEM = "You are a friendly assistant."


def _live(life: Life, options: RetoldOptions) -> Iterator[Metrics]:
    """Yield a row for each message of the person that follows another one within a sitting."""
    rows: list[Metrics] = []
    talk: list[str] = []
    last: dict[str, Any] = {}

    def ask(memory: yesteryear.Memory, message: Mapping[str, Any]) -> None:
        nonlocal last
        if last and message["at"] - last["at"] > _PAUSE:
            talk.clear()
            last = {}
        if message["role"] == "user":
            shown = memory.context(message["content"], conversation=message["conversation"], budget=options.budget)
            said = "".join(talk)
            now = {
                "prefix": shown.prefix,
                "split": f"{_SYSTEM}\n{shown.prefix}\n{said}{message['content']}\n{shown.tail}",
                "whole": f"{_SYSTEM}\n{shown.text}\n{said}{message['content']}\n",
                "asked": f"{_SYSTEM}\n{shown.prefix}\n{said}{message['content']}",
            }
            if "prefix" in last:
                rows.append(_compare(last, now))
            last = now
        last["at"] = message["at"]
        talk.append(f"{message['content']}\n")

    with retell(
        list(sittings_of(life.messages)), user=life.author.lower(), rest=_REST, embedder=options.embedder, before=ask
    ):
        yield from rows


def _compare(before: Mapping[str, Any], now: Mapping[str, Any]) -> Metrics:
    """Return in bytes what two requests share, and how long the second is."""
    row = {"known": len(before["asked"].encode())}
    for name in ("prefix", "split", "whole"):
        row[name] = len(commonprefix([before[name], now[name]]).encode())  # noqa: RUF071 - characters are what is meant
        row[f"{name}_bytes"] = len(now[name].encode())
    return row


def _figures(rows: Sequence[Metrics]) -> Metrics:
    def repeated(name: str) -> float:
        return ratio(sum(row[name] for row in rows), sum(row[f"{name}_bytes"] for row in rows))

    return rounded(
        {
            "requests": len(rows),
            "prefix.repeated": repeated("prefix"),
            "prefix.same": mean(row["prefix"] == row["prefix_bytes"] for row in rows),
            "request.kept": mean(row["split"] >= row["known"] for row in rows),
            "request.repeated": repeated("split"),
            "request.repeated.in_system": repeated("whole"),
        }
    )


SUITE = suite_of_lives(
    "requests over a long talk: how much of each repeats the one before, so that a provider's cache holds",
    read_life,
    _live,
    _figures,
)
