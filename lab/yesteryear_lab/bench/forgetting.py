"""Suite: lives and long conversations are lived through again. What is still answerable when most words have faded?

Every story is told day by day, as it was said, with a night after each day of talk. At each look its file is copied
for every share of the words that may be kept; the copy lets go of the rest as of that day and is asked about everything
said so far. Beside it stand memories that recall in the same way: one keeps all, some were told only the newest
messages, or messages drawn at random; one fades with time as shipped, and one keeps summaries and facts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from yesteryear.errors import InputError
from yesteryear_lab.bench.evidence import content_stems
from yesteryear_lab.bench.lives import SPLITS, Life, make_life, write_lives
from yesteryear_lab.bench.replay import OURS, Held, Replay, Variant
from yesteryear_lab.bench.report import Metrics, Progress, Report, read_options, scratch_folder
from yesteryear_lab.bench.stories import Ask, Story, read_stories, story_of_life

_MOST_DAYS, _MOST_CAP = 36_500, 100


@dataclass(frozen=True, slots=True)
class ForgettingOptions:
    """What can be asked of this suite."""

    split: str = "dev"
    """Which lives are generated where no data is given: dev or held-out."""
    lives: int = 0
    """How many lives or conversations; 0 for all there are."""
    days: str = "30,90,365"
    """When to look at a life, in days since it began, with commas between; each from 1 to 36500."""
    caps: str = "100,50,25,10"
    """Shares of the messages whose words may be kept, in per cent, with commas between; each from 1 to 100."""
    budget: int = 1000
    """Tokens of each context; at least 1."""
    by_time: bool = False
    """Whether memories with a cap fade with time too, so that they keep less than it; else the cap alone decides."""
    nightly: bool = False
    """Whether what fades with time does so every night and not only before a look; the figures must be the same."""
    facts: bool = True
    """Whether facts are drawn from the talk, by ours and by all that it is compared with."""
    baselines: bool = True
    """Whether memories are asked too that were told a part only."""
    seed: int = 1
    """Of what is drawn at random."""
    embedder: str = "auto"
    folder: str = ""
    """Where the stores lie; the system's place for temporary files where empty."""
    write: str = ""
    """File to write the generated lives to; nothing is measured then."""


def run_forgetting(data: Path | None, given: Mapping[str, str], on_progress: Progress) -> Report:
    """Live through every story, look, and compare what is left."""
    options = read_options(ForgettingOptions, given)
    days, caps = _numbers("days", options.days, most=_MOST_DAYS), _numbers("caps", options.caps, most=_MOST_CAP)
    if options.budget < 1 or options.lives < 0:
        raise InputError("budget is at least 1, lives at least 0")
    if options.write:
        return _write(options, data)
    stories = _stories(options, data, days)
    with scratch_folder(options.folder) as folder:
        replay = Replay(
            folder,
            embedder=options.embedder,
            budget=options.budget,
            caps=caps[::-1],
            is_timely=options.by_time,
            is_nightly=options.nightly,
            has_facts=options.facts,
            baselines=options.baselines,
            seed=options.seed,
            on_progress=on_progress,
        )
        lived = [(story, list(replay.live(story))) for story in stories]
    rows = [row for story, held in lived for row in _rows(story, held)]
    everything = [each for _, held in lived for each in held]
    metrics: Metrics = {"messages": sum(len(story.messages) for story in stories)} | _counts(rows)
    baselines: dict[str, Metrics] = {}
    for variant in dict.fromkeys(each.variant for each in everything):
        found = metrics if variant.name == OURS else baselines.setdefault(variant.name, {})
        found |= _figures(variant, rows, [each for each in everything if each.variant == variant])
    return Report(len(rows), metrics, baselines, asdict(options) | {"embedder": replay.model}, rows)


def _numbers(name: str, text: str, *, most: int) -> list[int]:
    """Return the whole numbers of an option, each once, rising."""
    try:
        numbers = sorted({int(part) for part in text.split(",")})
    except ValueError as exc:
        raise InputError(f"{name} are numbers with commas between, not {text!r}") from exc
    if numbers[0] < 1 or numbers[-1] > most:
        raise InputError(f"each of the {name} is from 1 to {most}")
    return numbers


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
    return Report(len(lives), {"messages": sum(len(life.messages) for life in lives)}, settings=asdict(options))


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
            shares = [share for row in group if (share := row["answered"][variant.key]) is not None]
            if days is None:
                found[f"aic{name}{at}"] = _mean(shares)
            else:
                found[f"answerable{name}{at}"] = _mean(share == 1 for share in shares)
        found[f"stale{at}"] = _mean(row["stale"][variant.key] for row in important if "stale" in row)
        of_look = [each for each in held if each.look.days == days]
        found[f"verbatim{at}"] = _mean(each.verbatim for each in of_look)
        found[f"bytes{at}"] = round(fmean(each.bytes for each in of_look))
    return {name: value for name, value in found.items() if value is not None}


def _at(days: int | None) -> str:
    return "" if days is None else f"@{days}"


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return round(fmean(listed), 4) if listed else None
