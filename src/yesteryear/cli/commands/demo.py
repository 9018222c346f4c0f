"""``yesteryear demo``."""

from __future__ import annotations

import json
import shlex
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeAlias

import yesteryear
from yesteryear.cli.commands import journal
from yesteryear.cli.commands.beliefs import fact_table
from yesteryear.cli.commands.intake import Intake, flush
from yesteryear.cli.commands.nights import run_night
from yesteryear.cli.importers.formats import read_jsonl
from yesteryear.cli.invocation import STORE, Invocation, command
from yesteryear.cli.output import Output, count, interruption, one_line, shorten
from yesteryear.core.access.arguments import MAX_PAGE
from yesteryear.core.attributes import FactKind
from yesteryear.core.message import Reason
from yesteryear.core.time import local, parse_instant

_Change: TypeAlias = tuple[yesteryear.FactView, yesteryear.FactView]  # what held, and what took its place
PERSON = "marta"
_FOLDER = files("yesteryear.cli") / "demo"
_SHOWN_PER_REASON = 2  # exchanges shown for each reason
_TEXT_CHARS = 80  # longest exchange that is shown whole: two lines of the table
_SUMMARY_CHARS = 180  # longest summary that is shown whole: two lines
_ZONE = "Europe/London"  # where Marta lives


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
    place = shlex.quote(call.store or "")
    with interruption(f"interrupted; go on with: yesteryear demo --store {place}"):
        _run(call, place)


def _run(call: Invocation, place: str) -> None:
    output = call.output
    output.say("Eight weeks of messages between Marta, who makes exhibitions, and her assistant.")
    with call.open(may_create=True) as engine:
        memory = engine.memory(user=PERSON)
        done = _remember(memory, output)
        night, facts, previously = _believe(memory, output)
        about = engine.describe()
        exchanges, _ = journal.read_judged(memory)
        output.heading("What was kept and what was skipped, and why")
        output.show(journal.verdict_table(_pick_telling(exchanges), text_chars=_TEXT_CHARS))
        output.say()
        for line in journal.say_reasons(journal.count_reasons(exchanges)):
            output.wrap(line, indent=0)
        episodes = list(journal.take_pages(memory.episodes))[::-1]
        _show_episodes(episodes, output)
        _show_belief(facts, previously, output)
        questions = json.loads((_FOLDER / "questions.json").read_text(encoding="utf-8"))["messages"]
        contexts = [  # looked at only, so that the same is shown another time
            (question, memory.context(question["content"], at=question["at"], dry_run=True)) for question in questions
        ]
        _show_contexts(contexts, output)
    _show_end(place, about, output)
    output.document(
        {
            "store": call.store,
            "user": PERSON,
            "embedder": about["embedder"],
            "is_fallback_embedder": about["is_fallback_embedder"],
            "remembered": done,
            "totals": journal.count_reasons(exchanges),
            "exchanges": [exchange.to_dict() for exchange in exchanges],
            "episodes": episodes,
            "night": night,
            "facts": facts,
            "previously": [{"was": old, "is": new} for old, new in previously],
            "contexts": [{"message": question, "context": context} for question, context in contexts],
        }
    )


def _remember(memory: yesteryear.Memory, output: Output) -> dict[str, Any]:
    intake = Intake(lambda _: memory)
    shipped = as_file(_FOLDER / "conversation.jsonl")
    begun = time.perf_counter()
    with shipped as path, output.progress("taking it down") as advance:
        intake.on_progress = lambda position: advance(position, count(intake.messages, "message"))
        intake.take(read_jsonl(path))
    taking_s = time.perf_counter() - begun
    known = f", {intake.known} were there already" if intake.known else ""
    secrets = f", secrets cut out of {intake.redacted}" if intake.redacted else ""
    output.say(f"Taken down: {count(intake.new, 'new message')} in {taking_s:.2f} s{known}{secrets}.")
    done = flush(memory, output)
    working_s = time.perf_counter() - begun - taking_s
    vectors = count(done.vectors, "vector")
    output.say(f"Worked in:  {count(done.episodes, 'episode')} and {vectors} in {working_s:.2f} s.")
    made = {"episodes": done.episodes, "vectors": done.vectors}
    return {**intake.report()["messages"], **made, "taking_s": round(taking_s, 3), "working_s": round(working_s, 3)}


def _believe(
    memory: yesteryear.Memory, output: Output
) -> tuple[dict[str, Any], list[yesteryear.FactView], list[_Change]]:
    begun = time.perf_counter()
    night = run_night(memory, output, at=None)
    took_s = time.perf_counter() - begun
    facts = memory.facts(limit=MAX_PAGE)
    by_id = {fact.id: fact for fact in facts}
    former = sorted(memory.facts(status="superseded"), key=lambda fact: (fact.first_observed, fact.statement))
    previously = [(fact, by_id[fact.superseded_by]) for fact in former if fact.superseded_by in by_id]
    output.say(f"A night:    {count(len(facts), 'fact')} believed after it, in {took_s:.2f} s.")
    return night.to_dict() | {"took_s": round(took_s, 3)}, facts, previously


def _pick_telling(exchanges: Sequence[journal.JudgedExchange]) -> list[journal.JudgedExchange]:
    """Return those of every reason that are short, decided by a rule, or farthest from the threshold, in this order."""

    def tells(exchange: journal.JudgedExchange) -> tuple[bool, float]:
        verdict = exchange.verdict
        return len(exchange.text) <= _TEXT_CHARS, 1.0 if verdict.rule else abs(verdict.score - verdict.threshold)

    best = sorted(exchanges, key=tells, reverse=True)
    by_reason = ([each for each in best if each.verdict.reason is reason] for reason in Reason)
    return [each for found in by_reason for each in found[:_SHOWN_PER_REASON]]


def _show_episodes(episodes: Sequence[yesteryear.Episode], output: Output) -> None:
    output.heading("The episodes that were made of it")
    for episode in episodes:
        if episode.digest is None:
            continue
        day = local(episode.ended_at, episode.zone)
        about = f"({episode.digest.user_state}, importance {episode.importance:.2f})"
        output.say(f"{day:%d %b}  {episode.digest.topic}  {about}", style="bold")
        output.wrap(shorten(episode.digest.summary, chars=_SUMMARY_CHARS))


def _show_belief(facts: Sequence[yesteryear.FactView], previously: Sequence[_Change], output: Output) -> None:
    surest = {fact.kind: fact for fact in reversed(facts)}
    output.heading("What is believed of Marta: of each kind what is surest")
    output.show(fact_table([surest[kind] for kind in FactKind if kind in surest], zone=_ZONE))
    output.heading("What no longer holds, since she said otherwise")
    for old, new in previously:
        end = f"until {local(old.valid_to, _ZONE):%d %b}" if old.valid_to else "no longer"
        output.wrap(f"previously: {one_line(old.statement)} ({end})", hanging=2, style="dim")
        output.wrap(f"now:        {one_line(new.statement)}", hanging=2)


def _show_contexts(contexts: Sequence[tuple[dict[str, str], yesteryear.Context]], output: Output) -> None:
    output.heading("Three new messages, and what is put before the model for each")
    for question, context in contexts:
        at = local(parse_instant(question["at"]), question["zone"])
        output.say()
        output.wrap(f"{at:%d %b %H:%M}  Marta: {question['content']}", style="bold cyan", indent=0)
        output.wrap(context.text, indent=2)
        memories = f"{count(len(context.items), 'memory', 'memories')}; {len(context.dropped)} more left out"
        output.say(f"  {context.tokens} of {context.budget} tokens, {memories}", style="dim")


def _show_end(place: str, about: dict[str, Any], output: Output) -> None:
    output.heading("Go on")
    output.say(f"The embedding model is {about['embedder']}; all of this lies in {place}. Try next:")
    output.say(f'  yesteryear context "can i have a flat white at four?" --store {place}')
    output.say(f"  yesteryear facts --status superseded --store {place}")
    output.say(f'  yesteryear recall "what did Piotr say?" --limit 3 --explain --store {place}')
    output.say(f"Or look at it in a browser: yesteryear serve --store {place}")
    if about["is_fallback_embedder"]:
        output.say("Recall goes by words so far; by meaning too after: yesteryear model install", style="yellow")
