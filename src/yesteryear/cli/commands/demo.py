"""``yesteryear demo``."""

from __future__ import annotations

import json
import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yesteryear.cli.invocation import STORE, Interrupted, Invocation, command
from yesteryear.cli.output import Output, count, one_line, shorten

if TYPE_CHECKING:
    from yesteryear.cli.verdicts import JudgedExchange
    from yesteryear.consolidate.look import FactView
    from yesteryear.core.cycle import CycleReport
    from yesteryear.core.episode import Episode
    from yesteryear.recall.context import Context
    from yesteryear.sync.memory import Memory

PERSON = "marta"
_FOLDER = "demo"
_SHOWN_PER_REASON = 2
"""Exchanges shown for each reason."""
_TEXT_CHARS = 80
"""Longest exchange that is shown whole: two lines of the table."""
_SUMMARY_CHARS = 180
"""Longest summary that is shown whole: two lines."""
_ZONE = "Europe/London"
"""Where Marta lives."""


@dataclass(frozen=True, slots=True)
class _Belief:
    """What is believed of Marta in the end."""

    night: CycleReport
    night_s: float
    """How long the night took."""
    facts: list[FactView]
    """What holds, the surest first."""
    previously: list[tuple[FactView, FactView]]
    """What held until something else took its place, and that."""


@command(*STORE)
def demo(call: Invocation) -> None:
    """Remember eight weeks of somebody's life, and answer from them.

    Takes down a shipped conversation of 278 messages between Marta and her assistant, works it in, runs a night, shows
    what was kept and skipped and why, the episodes, what is believed of her and what no longer holds, and the context
    for three new messages. Nothing is sent anywhere. The store is a
    new one in the system's place for temporary files, unless --store names another.

    Example:
      yesteryear demo --store demo.db
    """
    if call.store is None:
        call = replace(call, store=str(Path(tempfile.mkdtemp(prefix="yesteryear-demo-")) / "demo.db"))
    try:
        _run(call)
    except KeyboardInterrupt as exc:
        raise Interrupted(f"interrupted; go on with: yesteryear demo --store {_quoted(call)}") from exc


def _run(call: Invocation) -> None:
    from yesteryear.cli.pages import take_pages
    from yesteryear.cli.verdicts import group_judged

    output = call.output
    output.say("Eight weeks of messages between Marta, who makes exhibitions, and her assistant.")
    with call.open(may_create=True) as engine:
        memory = engine.memory(user=PERSON)
        done = _remember(memory, output)
        belief = _believe(memory, output)
        about = engine.describe()
        exchanges, _ = group_judged(take_pages(lambda last, size: memory.messages(after=last or "", limit=size)))
        _show_verdicts(exchanges, output)
        episodes = list(take_pages(lambda last, size: memory.episodes(after=last, limit=size)))[::-1]
        _show_episodes(episodes, output)
        _show_belief(belief, output)
        contexts = [  # looked at only, so that the same is shown another time
            (question, memory.context(question["content"], at=question["at"], dry_run=True))
            for question in _questions()
        ]
        _show_contexts(contexts, output)
    _show_end(call, about)
    if output.is_json:
        shown = _report(exchanges, episodes, belief, contexts)
        output.document(_about(call, about) | {"remembered": done} | shown)


def _remember(memory: Memory, output: Output) -> dict[str, Any]:
    """Take the conversation down and work it in."""
    from yesteryear.cli.importers.jsonl import read_jsonl
    from yesteryear.cli.intake import Intake
    from yesteryear.cli.working import flush

    intake = Intake(lambda _: memory)
    shipped = files("yesteryear.cli") / _FOLDER / "conversation.jsonl"
    with _stopwatch() as taking, as_file(shipped) as path, output.progress("taking it down") as advance:
        intake.on_progress = lambda position: advance(position, count(intake.messages, "message"))
        intake.take(read_jsonl(path))
    known = f", {intake.known} were there already" if intake.known else ""
    secrets = f", secrets cut out of {intake.redacted}" if intake.redacted else ""
    output.say(f"Taken down: {count(intake.new, 'new message')} in {taking[0]:.2f} s{known}{secrets}.")
    with _stopwatch() as working:
        drained = flush(memory, output)
    vectors = count(drained.vectors, "vector")
    output.say(f"Worked in:  {count(drained.episodes, 'episode')} and {vectors} in {working[0]:.2f} s.")
    return {
        "new": intake.new,
        "known": intake.known,
        "redacted": intake.redacted,
        "episodes": drained.episodes,
        "vectors": drained.vectors,
        "taking_s": round(taking[0], 3),
        "working_s": round(working[0], 3),
    }


def _believe(memory: Memory, output: Output) -> _Belief:
    """Run a night, and return what is believed after it."""
    from yesteryear.cli.nights import run_night

    with _stopwatch() as taking:
        night = run_night(memory, output, at=None)
    facts = memory.facts(limit=1000)
    by_id = {fact.id: fact for fact in facts}
    former = [fact for fact in memory.facts(status="superseded") if fact.superseded_by in by_id]
    former.sort(key=lambda fact: (fact.first_observed, fact.statement))
    output.say(f"A night:    {count(len(facts), 'fact')} believed after it, in {taking[0]:.2f} s.")
    return _Belief(night, taking[0], facts, [(fact, by_id[fact.superseded_by or ""]) for fact in former])


def _show_verdicts(exchanges: list[JudgedExchange], output: Output) -> None:
    from yesteryear.cli.verdicts import count_reasons, pick_telling, say_reasons, verdict_table

    output.heading("What was kept and what was skipped, and why")
    telling = pick_telling(exchanges, per_reason=_SHOWN_PER_REASON, chars=_TEXT_CHARS)
    output.show(verdict_table(telling, text_chars=_TEXT_CHARS))
    output.say()
    for line in say_reasons(count_reasons(exchanges)):
        output.wrap(line, indent=0)


def _show_episodes(episodes: list[Episode], output: Output) -> None:
    from yesteryear.core.time import local

    output.heading("The episodes that were made of it")
    for episode in episodes:
        if episode.digest is None:
            continue
        day = local(episode.ended_at, episode.zone)
        about = f"({episode.digest.user_state}, importance {episode.importance:.2f})"
        output.say(f"{day:%d %b}  {episode.digest.topic}  {about}", style="bold")
        output.wrap(shorten(episode.digest.summary, chars=_SUMMARY_CHARS))


def _show_belief(belief: _Belief, output: Output) -> None:
    from yesteryear.cli.believing import fact_table
    from yesteryear.core.fact import FactKind
    from yesteryear.core.time import local

    surest = {fact.kind: fact for fact in reversed(belief.facts)}
    output.heading("What is believed of Marta: of each kind what is surest")
    output.show(fact_table([surest[kind] for kind in FactKind if kind in surest], zone=_ZONE))
    output.heading("What no longer holds, since she said otherwise")
    for old, new in belief.previously:
        end = f"until {local(old.valid_to, _ZONE):%d %b}" if old.valid_to else "no longer"
        output.wrap(f"previously: {one_line(old.statement)} ({end})", hanging=2, style="dim")
        output.wrap(f"now:        {one_line(new.statement)}", hanging=2)


def _show_contexts(contexts: list[tuple[dict[str, str], Context]], output: Output) -> None:
    from yesteryear.core.time import local, parse_instant

    output.heading("Three new messages, and what is put before the model for each")
    for question, context in contexts:
        at = local(parse_instant(question["at"]), question["zone"])
        output.say()
        output.wrap(f"{at:%d %b %H:%M}  Marta: {question['content']}", style="bold cyan", indent=0)
        output.wrap(context.text, indent=2)
        output.say(
            f"  {context.tokens} of {context.budget} tokens, {count(len(context.items), 'memory', 'memories')}; "
            f"{len(context.dropped)} more left out",
            style="dim",
        )


def _show_end(call: Invocation, about: dict[str, Any]) -> None:
    output, place = call.output, _quoted(call)
    output.heading("Go on")
    output.say(f"The embedding model is {about['embedder']}; all of this lies in {place}. Try next:")
    output.say(f'  yesteryear context "can i have a flat white at four?" --store {place}')
    output.say(f"  yesteryear facts --status superseded --store {place}")
    output.say(f'  yesteryear recall "what did Piotr say?" --limit 3 --explain --store {place}')
    output.say(f"Or look at it in a browser: yesteryear serve --store {place}")
    if about["is_fallback_embedder"]:
        output.say("Recall goes by words so far; by meaning too after: yesteryear model install", style="yellow")


def _questions() -> list[dict[str, str]]:
    text = (files("yesteryear.cli") / _FOLDER / "questions.json").read_text(encoding="utf-8")
    messages: list[dict[str, str]] = json.loads(text)["messages"]
    return messages


def _about(call: Invocation, about: dict[str, Any]) -> dict[str, Any]:
    return {
        "store": call.store,
        "user": PERSON,
        "embedder": about["embedder"],
        "is_fallback_embedder": about["is_fallback_embedder"],
    }


def _report(
    exchanges: list[JudgedExchange],
    episodes: list[Episode],
    belief: _Belief,
    contexts: list[tuple[dict[str, str], Context]],
) -> dict[str, Any]:
    from yesteryear.cli.verdicts import count_reasons

    return {
        "totals": count_reasons(exchanges),
        "exchanges": [exchange.to_dict() for exchange in exchanges],
        "episodes": [episode.to_dict() for episode in episodes],
        "night": belief.night.to_dict() | {"took_s": round(belief.night_s, 3)},
        "facts": [fact.to_dict() for fact in belief.facts],
        "previously": [{"was": old.to_dict(), "is": new.to_dict()} for old, new in belief.previously],
        "contexts": [{"message": question, "context": context.to_dict()} for question, context in contexts],
    }


def _quoted(call: Invocation) -> str:
    return shlex.quote(call.store or "")


@contextmanager
def _stopwatch() -> Iterator[list[float]]:
    """Yield a list that holds the seconds the block took, once it is left."""
    took: list[float] = []
    begun = time.perf_counter()
    yield took
    took.append(time.perf_counter() - begun)
