"""The analyst that asks a language model, whose answers are checked, and has the keyless one work where that fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from yesteryear.core.episode import Digest, Distillate, EpisodeWords, Talk
from yesteryear.core.rows.due_work import batches
from yesteryear.core.ruling import ENDING, Act, ClaimPair, Judgement, PairVerdict
from yesteryear.core.usage import Account, CallPurpose
from yesteryear.errors import BadModelOutput, ProviderError
from yesteryear.providers.llm.answers import DigestAnswer, DistilAnswer, JudgeAnswer
from yesteryear.providers.llm.caller import Caller, Request
from yesteryear.providers.llm.checking import Checked, read_digest, read_judgements, read_patterns
from yesteryear.providers.llm.prompting import DIGEST, Prompt, Prompter

if TYPE_CHECKING:
    from yesteryear.ports import Analyst

T = TypeVar("T")
A = TypeVar("A", bound=BaseModel | str)

_SPENT = "the budget of the day is spent"
_WORD = 200  # most tokens of an answer of one word, for models that think before they speak
_REFUSES_TEMPERATURE = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")
"""Marks of models, as the library knows them, that take no temperature."""
_FAULTS = 8  # most faults of an answer that a model is told

log = logging.getLogger("yesteryear.providers")


@dataclass(frozen=True, eq=False)
class ModelAnalyst:
    """Digests talk, distils episodes and judges pairs by a language model. Safe to call from several threads."""

    model: Model
    caller: Caller
    local: Analyst  # who works where the model cannot, and judges what rules decide
    prompter: Prompter = field(default_factory=Prompter)  # fills in the prompts, by its policy
    account: Account = field(default_factory=Account)

    @property
    def reader(self) -> str:
        """What tells the facts of a talk: the prompt, with its version."""
        return DIGEST

    def on(self, account: Account) -> Self:
        """Return the same analyst with an account on which its calls are put."""
        return replace(self, account=account)

    def digest(self, talk: Talk, *, yield_to_foreground: Callable[[], None]) -> Digest:
        """Return what a model says of a talk, or what the local analyst does, which then says why."""
        prompt = self.prompter.digest(talk)
        read = partial(read_digest, talk=talk, analyst=self.caller.model)
        try:
            return self._answered(CallPurpose.DIGEST, DigestAnswer, prompt, read, yield_to_foreground)
        except ProviderError as exc:
            log.warning("the local analyst digests: %s", exc)
            return replace(self.local.digest(talk, yield_to_foreground=yield_to_foreground), analyst=f"local: {exc}")

    def distil(self, episodes: Sequence[EpisodeWords], *, yield_to_foreground: Callable[[], None]) -> Distillate:
        """Return what a model finds to hold over several episodes, in the order of time, or nothing and why."""
        prompt = self.prompter.distil(episodes)
        read = partial(read_patterns, episodes=episodes)
        try:
            drafts = self._answered(CallPurpose.DISTIL, DistilAnswer, prompt, read, yield_to_foreground)
        except ProviderError as exc:
            log.warning("nothing is distilled: %s", exc)
            return Distillate(error=str(exc))
        return Distillate(drafts)

    def try_out(self) -> None:
        """Ask the model for one word, to see whether it answers."""
        prompt = Prompt("Answer with one word.", "Are you there?", _WORD)
        self._answered(CallPurpose.DIGEST, str, prompt, lambda word: Checked(word, ()), lambda: None)

    def judge(self, pairs: Sequence[ClaimPair], *, yield_to_foreground: Callable[[], None]) -> list[Judgement]:
        """Return what the later statement of each pair does to the earlier, by rule or else by the model."""
        policy, judgements = self.prompter.policy, self.local.judge(pairs, yield_to_foreground=yield_to_foreground)
        left = [place for place, judged in enumerate(judgements) if self._is_open(judged)]
        for positions in batches(left, policy.pairs_a_call):
            batch = [pairs[position] for position in positions]
            read = partial(read_judgements, pairs=batch, policy=policy, judge=self.caller.model)
            prompt = self.prompter.judge(batch)
            try:
                found = self._answered(CallPurpose.JUDGE, JudgeAnswer, prompt, read, yield_to_foreground)
            except ProviderError as exc:
                log.warning("the local analyst judges: %s", exc)
                found = {place: replace(judgements[at], judge=f"local: {exc}") for place, at in enumerate(positions)}
            for place, judgement in found.items():
                judgements[positions[place]] = judgement
        return judgements

    def _is_open(self, judged: Judgement) -> bool:
        """Tell whether a pair is left to the model: no rule decided it, and the reader does not take it for idle.

        Nor is it sure that the later ends the earlier or tells that it is done, for which the model has no word.
        """
        is_ended = judged.act is Act.SUPERSEDE and judged.verdict in ENDING
        idle = judged.scores.get(PairVerdict.UNRELATED, 0.0)
        return (not judged.rule or bool(judged.scores)) and not is_ended and idle < self.prompter.policy.idle

    def _answered(
        self,
        purpose: CallPurpose,
        form: type[A],
        prompt: Prompt,
        read: Callable[[A], Checked[T]],
        yield_to_foreground: Callable[[], None],
    ) -> T:
        """Return what is taken of an answer; one with faults goes back for them while that is worth it."""

        async def ask(request: Request) -> T:
            taken, faults = read(await self._ask(form, prompt, request))
            if faults and request.corrections < self.caller.policy.touch_ups:
                raise BadModelOutput("; ".join(faults[:_FAULTS]))
            return taken

        if self.account.is_spent:
            self.caller.note_refused(purpose, self.account)
            raise ProviderError(_SPENT)
        return self.caller.call(purpose, ask, self.account, yield_to_foreground=yield_to_foreground)

    async def _ask(self, form: type[A], prompt: Prompt, request: Request) -> A:
        """Have the model fill in a form, not thinking aloud where it can; count what it used whatever comes of it."""
        request.tally.requests += 1
        usage = RunUsage()
        has_schema = bool(self.model.profile.get("supports_json_schema_output")) and form is not str
        output = NativeOutput(form) if has_schema else form
        agent: Agent[None, A] = Agent(self.model, output_type=output, instructions=prompt.instructions, retries=0)
        settings = ModelSettings(max_tokens=prompt.max_tokens, timeout=request.timeout_s, max_retries=0, thinking=False)
        if not any(self.model.profile.get(refuses) for refuses in _REFUSES_TEMPERATURE):
            settings["temperature"] = self.prompter.policy.temperature
        complaint = f"\n\nYour last answer was no good: {request.complaint}" if request.complaint else ""
        try:
            result = await agent.run(prompt.question + complaint, model_settings=settings, usage=usage)
        finally:
            request.tally.input_tokens += usage.input_tokens
            request.tally.output_tokens += usage.output_tokens
        return result.output
