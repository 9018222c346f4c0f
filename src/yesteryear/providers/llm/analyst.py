"""The analyst that asks a language model, and has the keyless one do the work where that fails.

Talk is digested by one call, and so is what was said on one subject distilled by night; pairs of statements are judged
by rule where a rule decides, and the others in batches.
Whatever a model answers is checked (``checking``), and what it cannot give is done on this machine: an analyst never
fails for want of a provider, and says in its digests and judgements who has done the work and why.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from yesteryear.core.episode import Digest, Distillate, EpisodeWords, Talk
from yesteryear.core.usage import Account, CallPurpose
from yesteryear.core.verdicts import ClaimPair, Judgement
from yesteryear.errors import BadModelOutput, ProviderError
from yesteryear.providers.llm.answers import DigestAnswer, DistilAnswer, JudgeAnswer
from yesteryear.providers.llm.caller import Caller, Request
from yesteryear.providers.llm.checking import read_digest, read_judgements, read_patterns
from yesteryear.providers.llm.policy import AskPolicy
from yesteryear.providers.llm.prompting import Prompt, Prompter

if TYPE_CHECKING:
    from yesteryear.ports import Analyst

T = TypeVar("T")
A = TypeVar("A", bound=BaseModel | str)

_SPENT = "the budget of the day is spent"
_WORD = 200
"""Most tokens of an answer of one word, for models that think before they speak."""
_REFUSES_TEMPERATURE = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")
"""Marks of models, as the library knows them, that take no temperature."""
_FAULTS = 8
"""Most faults of an answer that a model is told."""

log = logging.getLogger("yesteryear.providers")


@dataclass(frozen=True, eq=False)
class ModelAnalyst:
    """Digests talk, distils episodes and judges pairs by a language model. Safe to call from several threads."""

    model: Model
    """What is asked."""
    caller: Caller
    """How it is called."""
    local: Analyst
    """Who works where the model cannot, and judges what rules decide."""
    policy: AskPolicy = field(default_factory=AskPolicy)
    prompter: Prompter | None = None
    """Fills in the prompts; one with unguessable fences where not given."""
    account: Account = field(default_factory=Account)
    """Where calls are put."""

    def on(self, account: Account) -> Self:
        """Return the same analyst with an account on which its calls are put."""
        return replace(self, account=account)

    def digest(self, talk: Talk, *, give_way: Callable[[], None]) -> Digest:
        """Return what a model says of a talk, or what the local analyst does, which then says why.

        Args:
            talk: The exchanges to read.
            give_way: Called between pieces of work.
        """
        prompt = self._prompter.digest(talk)
        name = self.caller.model

        async def ask(request: Request) -> Digest:
            answer = await self._ask(DigestAnswer, prompt, request, max_tokens=self.policy.digest_tokens)
            digest, faults = read_digest(answer, talk, analyst=name)
            self._complain(faults, request)
            return digest

        try:
            return self._call(CallPurpose.DIGEST, ask, give_way)
        except ProviderError as exc:
            log.warning("the local analyst digests: %s", exc)
            return replace(self.local.digest(talk, give_way=give_way), analyst=_in_place(exc))

    def distil(self, episodes: Sequence[EpisodeWords], *, give_way: Callable[[], None]) -> Distillate:
        """Return what a model finds to hold over several episodes, or nothing and why.

        Args:
            episodes: What people wrote in each, in the order of time.
            give_way: Called between pieces of work.
        """
        prompt = self._prompter.distil(episodes)

        async def ask(request: Request) -> Distillate:
            answer = await self._ask(DistilAnswer, prompt, request, max_tokens=self.policy.distil_tokens)
            drafts, faults = read_patterns(answer, episodes)
            self._complain(faults, request)
            return Distillate(drafts)

        try:
            return self._call(CallPurpose.DISTIL, ask, give_way)
        except ProviderError as exc:
            log.warning("nothing is distilled: %s", exc)
            return Distillate(error=str(exc))

    def try_out(self) -> None:
        """Ask the model for one word, to see whether it answers.

        Raises:
            ProviderError: it does not; the message says what to do.
        """

        async def ask(request: Request) -> str:
            return await self._ask(str, Prompt("Answer with one word.", "Are you there?"), request, max_tokens=_WORD)

        self._call(CallPurpose.DIGEST, ask, lambda: None)

    def judge(self, pairs: Sequence[ClaimPair], *, give_way: Callable[[], None]) -> list[Judgement]:
        """Return what the later statement of each pair does to the earlier, by rule or else by the model.

        Args:
            pairs: The statement said earlier first; of two said at the same instant either.
            give_way: Called between pieces of work.
        """
        judgements = self.local.judge(pairs, give_way=give_way)
        left = [position for position, judged in enumerate(judgements) if _is_open(pairs[position], judged)]
        for start in range(0, len(left), self.policy.pairs_a_call):
            positions = left[start : start + self.policy.pairs_a_call]
            batch = [pairs[position] for position in positions]
            try:
                found = self._judge(batch, give_way)
            except ProviderError as exc:
                log.warning("the local analyst judges: %s", exc)
                found = {place: replace(judgements[at], judge=_in_place(exc)) for place, at in enumerate(positions)}
            for place, judgement in found.items():
                judgements[positions[place]] = judgement
        return judgements

    def _judge(self, pairs: Sequence[ClaimPair], give_way: Callable[[], None]) -> dict[int, Judgement]:
        prompt = self._prompter.judge(pairs)
        most = self.policy.tokens_a_pair * (len(pairs) + 1)

        async def ask(request: Request) -> dict[int, Judgement]:
            answer = await self._ask(JudgeAnswer, prompt, request, max_tokens=most)
            judgements, faults = read_judgements(answer, pairs, self.policy, judge=self.caller.model)
            self._complain(faults, request)
            if not judgements:
                raise BadModelOutput("; ".join(faults))
            return dict(judgements)

        return self._call(CallPurpose.JUDGE, ask, give_way)

    def _call(self, purpose: CallPurpose, ask: Callable[[Request], Awaitable[T]], give_way: Callable[[], None]) -> T:
        if self.account.is_spent:
            self.caller.note_refused(purpose, self.account)
            raise ProviderError(_SPENT)
        return self.caller.call(purpose, ask, self.account, give_way=give_way)

    async def _ask(self, form: type[A], prompt: Prompt, request: Request, *, max_tokens: int) -> A:
        """Have the model fill in a form; count what it used whatever comes of it."""
        request.tally.requests += 1
        usage = RunUsage()
        has_schema = bool(self.model.profile.get("supports_json_schema_output")) and form is not str
        agent: Agent[None, A] = Agent(
            self.model,
            output_type=NativeOutput(form) if has_schema else form,
            instructions=prompt.instructions,
            retries=0,
        )
        complaint = f"\n\nYour last answer was no good: {request.complaint}" if request.complaint else ""
        try:
            result = await agent.run(
                prompt.question + complaint,
                model_settings=self._settings(max_tokens=max_tokens, timeout_s=request.timeout_s),
                usage=usage,
            )
        finally:
            request.tally.input_tokens += usage.input_tokens
            request.tally.output_tokens += usage.output_tokens
        return result.output

    def _settings(self, *, max_tokens: int, timeout_s: float) -> ModelSettings:
        """Return how the model is to answer: without thinking aloud where it can, which costs more than the answer."""
        settings = ModelSettings(max_tokens=max_tokens, timeout=timeout_s, max_retries=0, thinking=False)
        if not any(self.model.profile.get(refuses) for refuses in _REFUSES_TEMPERATURE):
            settings["temperature"] = self.policy.temperature
        return settings

    def _complain(self, faults: Sequence[str], request: Request) -> None:
        """Send an answer back for its faults while that is worth it.

        Raises:
            BadModelOutput: it is.
        """
        if faults and request.corrections < self.caller.policy.touch_ups:
            raise BadModelOutput("; ".join(faults[:_FAULTS]))

    @property
    def _prompter(self) -> Prompter:
        return self.prompter or Prompter(self.policy)


def _is_open(pair: ClaimPair, judged: Judgement) -> bool:
    """Tell whether a pair is left to a model: no rule decided it, and it is about one person as far as is known."""
    one, other = pair.earlier.subject.casefold(), pair.later.subject.casefold()
    is_one_person = not one or not other or one == other
    return bool(judged.scores) and is_one_person and pair.earlier.text != pair.later.text


def _in_place(error: ProviderError) -> str:
    """Return who worked where a model did not, and why."""
    return f"local: {error}"
