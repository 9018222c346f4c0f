"""The analyst that asks a model: what it takes, what it sends back, and who works when the model does not."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart

from tests.lifecycle.test_brought import CLAIM, read_as_letter
from tests.llm.stage import NAME, Script, Stage, a_digest, a_fact, a_talk, a_verdict, read
from tests.readings import ScriptedReader, a_reading
from tests.workshop import open_workshop
from yesteryear.core.attributes import Cardinality
from yesteryear.core.fact import Slot
from yesteryear.core.reading import Effect
from yesteryear.core.ruling import Act, Claim, ClaimPair, PairVerdict
from yesteryear.core.usage import Account, CallOutcome, CallPurpose
from yesteryear.errors import EngineClosed
from yesteryear.ports import Paid
from yesteryear.providers.llm.caller import CallPolicy
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.testing.builders import NOON

TALK = a_talk("I moved my runs to the morning", "Nice", "I live in Lisbon now")
GOOD = a_fact("I live in Lisbon now", "Ana lives in Lisbon.", message=3)
BAD = a_fact("I live in Porto", "Ana lives in Porto.", message=3)
LOCAL = LocalAnalyst().digest(TALK, yield_to_foreground=lambda: None)


def a_pair(one: str = "Ana drinks tea", other: str = "Ana likes a cup of tea", **changes: object) -> ClaimPair:
    """Return two statements."""
    return ClaimPair(Claim(one, NOON, "Ana"), Claim(other, NOON + timedelta(days=3), "Ana")._replace(**changes))


def test_a_digest_is_the_models(stage: Stage) -> None:
    """One call, and its name on what it made."""
    script = Script([a_digest(GOOD)])
    digest = read(stage.analyst(script), TALK)
    assert (digest.analyst, digest.topic, [draft.statement for draft in digest.facts]) == (
        NAME,
        "Running",
        ["Ana lives in Lisbon."],
    )
    assert len(script.prompts) == len(stage.account.calls) == 1


def test_a_bad_fact_is_sent_back_once_and_then_left_out(stage: Stage) -> None:
    """The rest of the answer is good."""
    script = Script([a_digest(GOOD, BAD)])
    digest = read(stage.analyst(script), TALK)
    assert [draft.statement for draft in digest.facts] == ["Ana lives in Lisbon."]
    assert digest.analyst == NAME
    assert "does not stand in message 3" in script.prompts[1]
    assert len(script.prompts) == 2


def test_b02_what_the_reader_tells_as_anothers_words_becomes_no_fact(stage: Stage) -> None:
    """The worker reads before a model does, and what was read goes along."""
    script = Script([a_digest(a_fact(CLAIM, "Ana is not allergic to penicillin any more."))])
    with open_workshop(":memory:") as shop:
        shop.memory().observe(f"Gran dug out this letter. {CLAIM}", author="Ana")
        shop.memory().close_episode()
        shop.work(reader=ScriptedReader(read_as_letter), analyst=stage.analyst(script))
        assert not shop.memory().facts()
    assert "brought along" in script.prompts[1]


def test_an_answer_that_was_mended_is_taken(stage: Stage) -> None:
    """Complaints are worth their price where they help."""
    digest = read(stage.analyst(Script([a_digest(BAD), a_digest(GOOD)])), TALK)
    assert [draft.statement for draft in digest.facts] == ["Ana lives in Lisbon."]


def test_garbage_cut_and_empty_answers_are_sent_back(stage: Stage) -> None:
    """Each with what is wrong."""
    cut = ModelResponse(parts=[TextPart('{"topic": "Run')], finish_reason="length")
    for broken in ("no JSON at all", cut, ModelResponse(parts=[]), a_digest(user_state="jolly"), a_digest(summary="")):
        script = Script([broken, a_digest(GOOD)])
        assert read(stage.analyst(script), TALK).analyst == NAME
        assert "Your last answer was no good" in script.prompts[1]


def test_numbers_that_are_none_are_refused(stage: Stage) -> None:
    """JSON has no infinity, Python's has."""
    script = Script(
        [a_digest(a_fact("Lisbon", "Ana lives in Lisbon.", message=3, confidence=float("nan"))), a_digest()]
    )
    assert read(stage.analyst(script), TALK).facts == ()
    assert len(script.prompts) == 2


def test_the_local_analyst_works_when_no_answer_can_be_used(stage: Stage) -> None:
    """And the digest says so; what was said is never lost for want of a model."""
    digest = read(stage.analyst(Script(["garbage"])), TALK)
    assert digest.analyst.startswith("local: the answer is not as asked for")
    assert dataclasses.replace(digest, analyst="local") == LOCAL
    [bill] = stage.account.calls
    assert (bill.outcome, bill.requests) == (CallOutcome.REJECTED, 3)


def test_the_local_analyst_works_when_the_provider_does_not(stage: Stage) -> None:
    """After a few attempts."""
    down = ModelHTTPError(500, "gpt", body="words")
    digest = read(stage.analyst(Script([down])), TALK)
    assert digest.analyst == f"local: {NAME!r} failed with status 500"
    assert len(stage.timer.slept) == CallPolicy().attempts - 1


def test_the_local_analyst_works_when_the_budget_is_spent(stage: Stage) -> None:
    """Nobody is asked any more, and the account tells that too."""
    script = Script([a_digest(GOOD)])
    account = Account(left_usd=0.0)
    digest = read(stage.analyst(script).on(account), TALK)
    assert digest.analyst == "local: the budget of the day is spent"
    assert script.prompts == []
    assert [(call.purpose, call.outcome, call.requests) for call in account.calls] == [
        (CallPurpose.DIGEST, CallOutcome.FAILED, 0)
    ]


def test_a_closed_engine_leaves_the_work_for_another_time(stage: Stage) -> None:
    """What a model would have read better is not read by rules only because somebody stopped the program."""
    analyst = stage.analyst(Script([a_digest()]))
    stage.loop.close()
    try:
        read(analyst, TALK)
    except EngineClosed:
        return
    raise AssertionError


def test_pairs_are_judged_in_one_call(stage: Stage) -> None:
    """And the model's word stands without scores, as a rule's does."""
    script = Script([{"pairs": [a_verdict(1, "MERGE", keep="earlier"), a_verdict(2, "KEEP_ALL")]}])
    pairs = [a_pair(), a_pair("Ana has a cat", "Ana has two dogs")]
    found = stage.analyst(script).judge(pairs, yield_to_foreground=lambda: None)
    assert [(each.verdict, each.act, each.judge) for each in found] == [
        (PairVerdict.DUPLICATE, Act.FOLD, NAME),
        (PairVerdict.COEXISTS, Act.NOTHING, NAME),
    ]
    assert not any(each.scores for each in found)
    assert len(script.prompts) == 1


def test_what_a_rule_decides_is_not_asked(stage: Stage) -> None:
    """Slots, the same words, and different people cost nothing."""
    slot = [Slot("residence", city, Cardinality.SINGLE) for city in ("Lisbon", "Porto")]
    lives = ClaimPair(
        Claim("Ana lives in Lisbon", NOON, "Ana", slot=slot[0]),
        Claim("Ana lives in Porto", NOON + timedelta(days=1), "Ana", slot=slot[1]),
    )
    script = Script([{"pairs": []}])
    pairs = [lives, a_pair("Ana drinks tea", "Ana drinks tea"), a_pair(subject="Ben")]
    found = stage.analyst(script).judge(pairs, yield_to_foreground=lambda: None)
    assert found == LocalAnalyst().judge(pairs, yield_to_foreground=lambda: None)
    assert found[0].act is Act.SUPERSEDE
    assert script.prompts == []


def test_many_pairs_take_several_calls(stage: Stage) -> None:
    """A bounded number each, answered in order."""
    verdicts = [a_verdict(number, "MERGE") for number in range(1, 33)]
    script = Script([{"pairs": verdicts}, {"pairs": verdicts[:8]}])
    pairs = [a_pair(other=f"Ana likes cup number {number} of tea") for number in range(40)]
    found = stage.analyst(script).judge(pairs, yield_to_foreground=lambda: None)
    assert [each.judge for each in found] == [NAME] * 40
    assert len(script.prompts) == 2
    assert "cup number 39" in script.prompts[1]


def test_pairs_that_are_left_out_keep_the_local_verdict(stage: Stage) -> None:
    """After one complaint."""
    script = Script([{"pairs": [a_verdict(2, "MERGE")]}])
    pairs = [a_pair(), a_pair("Ana has a cat", "Ana has a black cat")]
    found = stage.analyst(script).judge(pairs, yield_to_foreground=lambda: None)
    assert [each.judge for each in found] == ["local", NAME]
    assert "no verdict on pair 1" in script.prompts[1]


def test_the_local_judge_works_when_the_model_does_not(stage: Stage) -> None:
    """And each judgement says why."""
    pairs = [a_pair()]
    [found] = stage.analyst(Script(["garbage"])).judge(pairs, yield_to_foreground=lambda: None)
    [local] = LocalAnalyst().judge(pairs, yield_to_foreground=lambda: None)
    assert found.judge.startswith("local: the answer is not as asked for")
    assert dataclasses.replace(found, judge="local") == local


def test_only_what_costs_something_has_an_account(stage: Stage) -> None:
    """So that a memory without models neither reads nor writes a bill."""
    assert isinstance(stage.analyst(Script([])), Paid)
    assert not isinstance(LocalAnalyst(), Paid)


def test_what_a_reader_takes_for_idle_is_not_asked(stage: Stage) -> None:
    """Most pairs that are nominated are for nothing, and each would be paid."""
    reader = ScriptedReader(a_reading, lambda _, text: {Effect.NONE: 0.9 if "tea" in text else 0.5})
    script = Script([{"pairs": [a_verdict(1, "MERGE")]}])
    analyst = dataclasses.replace(stage.analyst(script), local=LocalAnalyst(pair_reader=reader))
    pairs = [a_pair(other="Ana likes tea"), a_pair("Ana has a cat", "Ana has a black cat")]
    found = analyst.judge(pairs, yield_to_foreground=lambda: None)
    assert [each.judge for each in found] == [reader.version, NAME]


def test_what_a_reader_is_sure_has_ended_is_not_asked(stage: Stage) -> None:
    """A model has no word for what is over or done."""
    reader = ScriptedReader(a_reading, lambda _, __: {Effect.COMPLETES: 0.9, Effect.NONE: 0.1})
    script = Script([{"pairs": []}])
    analyst = dataclasses.replace(stage.analyst(script), local=LocalAnalyst(pair_reader=reader))
    [found] = analyst.judge([a_pair("Ana writes a thesis", "Ana handed it in")], yield_to_foreground=lambda: None)
    assert (found.verdict, found.act, script.prompts) == (PairVerdict.COMPLETES, Act.SUPERSEDE, [])
