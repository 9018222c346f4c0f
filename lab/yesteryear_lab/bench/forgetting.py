"""Suite: lives and long conversations are lived through again. What is still answerable when most words have faded?

Every story is told day by day, as it was said, with a night after each day of talk. At each look its file is copied
for every share of the words that may be kept; the copy lets go of the rest as of that day and is asked about everything
said so far. Beside it stand memories that recall in the same way: one keeps all, some were told only the newest
messages, or messages drawn at random; one fades with time as shipped, and one keeps summaries and facts alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from yesteryear.errors import InputError
from yesteryear_lab.bench.evidence import content_stems
from yesteryear_lab.bench.generated_lives import SPLITS, Life, make_life, write_lives
from yesteryear_lab.bench.replay import OURS, ForgettingOptions, Held, Replay, Variant
from yesteryear_lab.bench.report import Metrics, Progress, Report, Suite, read_numbers, scratch_folder
from yesteryear_lab.bench.stories import Ask, Story, read_stories, story_of_life
from yesteryear_lab.figures import share

_MOST_DAYS, _MOST_CAP = 36_500, 100


def _run(data: Path | None, options: ForgettingOptions, say: Progress) -> Report:
    """Live through every story, look, and compare what is left."""
    days, caps = read_numbers("days", options.days, most=_MOST_DAYS), read_numbers("caps", options.caps, most=_MOST_CAP)
    if options.write:
        return _write(options, data)
    stories = _stories(options, data, days)
    with scratch_folder(options.folder) as folder:
        replay = Replay(folder, options, caps[::-1], say)
        lived = [(story, list(replay.live(story))) for story in stories]
    rows = [row for story, held in lived for row in _rows(story, held)]
    everything = [each for _, held in lived for each in held]
    metrics: Metrics = {"messages": sum(len(story.messages) for story in stories)} | _counts(rows)
    baselines: dict[str, Metrics] = {}
    for variant in dict.fromkeys(each.variant for each in everything):
        found = metrics if variant.name == OURS else baselines.setdefault(variant.name, {})
        found |= _figures(variant, rows, [each for each in everything if each.variant == variant])
    return Report(len(rows), metrics, baselines, {"embedder": replay.model}, rows)


SUITE = Suite(
    "lives and long talks lived again: what is answerable once words have faded", _run, ForgettingOptions, needs=None
)


def _stories(options: ForgettingOptions, data: Path | None, days: Sequence[int]) -> list[Story]:
    if data is None:
        return [story_of_life(life, days) for life in _generate(options)]
    return read_stories(data, days)[: options.lives or None]


def _generate(options: ForgettingOptions) -> list[Life]:
    count = options.lives or SPLITS.get(options.split, 1)
    return [make_life(options.split, number) for number in range(1, count + 1)]


def _write(options: ForgettingOptions, data: Path | None) -> Report:
    if data is not None:
        raise InputError("lives are generated and written where --data is left out")
    lives = _generate(options)
    write_lives(Path(options.write), lives)
    return Report(len(lives), {"messages": sum(len(life.messages) for life in lives)})


def _rows(story: Story, held: Sequence[Held]) -> Iterator[Metrics]:
    """Yield one entry for each question at each look, with what every memory had to say to it."""
    for look in story.looks:
        of_look = [each for each in held if each.look is look]
        for place, ask in enumerate(look.asks):
            row = _begin_row(f"{story.id}-{ask.id}", ask, look.days)
            for each in of_look:
                stems = content_stems(each.contexts[place])
                row["answered"][each.variant.key] = _share_of(ask.gold, stems)
                if ask.wrong:
                    row["stale"][each.variant.key] = _is_stale(ask, stems)
            yield row


def _begin_row(row_id: str, ask: Ask, days: int | None) -> Metrics:
    row: Metrics = {
        "id": row_id,
        "days": days,
        "kind": ask.kind,
        "important": ask.important,
        "gold": ask.gold,
        "answered": {},
    }
    return row | ({"stale": {}} if ask.wrong else {})


def _share_of(answer: str, stems: frozenset[str]) -> float | None:
    """Return the share of an answer's stems that are there, in [0, 1]; None for an answer without any."""
    wanted = content_stems(answer)
    return round(len(wanted & stems) / len(wanted), 4) if wanted else None


def _is_stale(ask: Ask, stems: frozenset[str]) -> bool:
    """Tell whether an answer that no longer holds stands there whole and the right one does not."""
    return _share_of(ask.gold, stems) != 1 and any(_share_of(wrong, stems) == 1 for wrong in ask.wrong)


def _counts(rows: Sequence[Metrics]) -> Metrics:
    """Return how many questions there are, by look, about what matters and about the rest."""
    found: Metrics = {}
    for days in dict.fromkeys(row["days"] for row in rows):
        at_look = [row["important"] for row in rows if row["days"] == days]
        found |= {f"asked.important{_at(days)}": sum(at_look), f"asked.trivia{_at(days)}": at_look.count(False)}
    return found


def _figures(variant: Variant, rows: Sequence[Metrics], held: Sequence[Held]) -> Metrics:
    """Return all figures of one memory, by look."""
    found: Metrics = {}
    for days in dict.fromkeys(each.look.days for each in held):
        at = ("" if variant.cap is None else f"@{variant.cap}") + _at(days)
        at_look = [row for row in rows if row["days"] == days]
        important = [row for row in at_look if row["important"]]
        groups = {"": important} | {
            f".{kind}": [row for row in at_look if row["kind"] == kind]
            for kind in sorted({row["kind"] for row in at_look})
        }
        for name, group in groups.items():
            shares = [part for row in group if (part := row["answered"][variant.key]) is not None]
            if days is None:
                found[f"aic{name}{at}"] = share(shares)
            else:
                found[f"answerable{name}{at}"] = share(part == 1 for part in shares)
        found[f"stale{at}"] = share(row["stale"][variant.key] for row in important if "stale" in row)
        of_look = [each for each in held if each.look.days == days]
        found[f"verbatim{at}"] = share(each.verbatim for each in of_look)
        found[f"bytes{at}"] = round(fmean(each.bytes for each in of_look))
    return {name: value for name, value in found.items() if value is not None}


def _at(days: int | None) -> str:
    return "" if days is None else f"@{days}"
