"""LoCoMo samples: one person each, named by the sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from yesteryear.bench.locomo import read_samples
from yesteryear.cli.importers.records import NOT_UTF8, Draft, Flaw, Record, is_broken


def read_locomo(path: Path) -> Iterator[Record]:
    """Yield the turns of all samples; a conversation is called by its sample and session.

    Raises:
        InputError: the file cannot be read or is no LoCoMo file.
    """
    samples = read_samples(path)
    total = sum(len(sample.turns) for sample in samples)
    read = 0
    for sample in samples:
        for part in sample.unusable:
            yield Flaw(part.where, part.reason)
        for turn in sample.turns:
            read += 1
            where = f"{sample.id} {turn.session} {turn.id}"
            if is_broken(turn.text):
                yield Flaw(where, NOT_UTF8)
                continue
            message = turn.to_message() | {"conversation": f"{sample.id}/{turn.session}"}
            yield Draft(message, where, read / total, user=sample.id)
