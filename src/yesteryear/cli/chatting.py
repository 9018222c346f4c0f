"""A chat at the terminal: what is said goes the way of the proxy, what begins with a slash is for the memory."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import typer

from yesteryear.api.proxy.chat import ReplyReader, read_body, read_talk
from yesteryear.api.proxy.provider import Provider, ProxyPolicy, Upstream
from yesteryear.api.proxy.scribe import MODELS, Attended, Passing, Relay, Scribe, Sitting, Use
from yesteryear.cli.believing import fact_table
from yesteryear.cli.commands.why import show_why
from yesteryear.cli.consent import ask, check_askable
from yesteryear.cli.dates import read_zone, read_zones
from yesteryear.cli.output import Output, clean, count
from yesteryear.cli.packing import show_items
from yesteryear.cli.removal import say_forgotten, show_leaving
from yesteryear.errors import ConfigError, InputError, ProviderRejected, YesteryearError
from yesteryear.providers.clock import SystemClock

if TYPE_CHECKING:
    from yesteryear.recall.context import Context
    from yesteryear.sync.memory import Memory

_HEADERS = ((b"content-type", b"application/json"),)
_OK = 200
_SAID_OF_USE = {
    Use.NONE: "nothing that is remembered bears on this",
    Use.LATE: "recall took too long, so the model was reminded of nothing",
    Use.ERROR: "the memory failed; the chat goes on without it",
}
_COMMANDS = "/why [ID], /memory, /forget WORDS or ID, /quit"


class _OnThreads:
    """A memory as the proxy wants it: its verbs run on threads."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.scope = memory.scope

    async def context(
        self, message: str, *, conversation: str | None = None, recent_budget: int | None = None
    ) -> Context:
        return await asyncio.to_thread(
            self._memory.context, message, conversation=conversation, recent_budget=recent_budget
        )

    async def observe(self, content: Sequence[Mapping[str, Any]], *, conversation: str) -> object:
        return await asyncio.to_thread(self._memory.observe, content, conversation=conversation)


class Chatroom:
    """One chat of one person.

    Args:
        memory: Whose.
        output: Where it is shown.
        upstream: The model's server; None to ask no model.
        policy: How long recall is waited for.
        model: Its name; empty for the only one there is.
        system: What the model is told first.
        conversation: Its name; a new one where None.
        is_shown: Whether contexts are shown whole.
    """

    def __init__(
        self,
        memory: Memory,
        output: Output,
        upstream: Upstream | None,
        policy: ProxyPolicy,
        *,
        model: str,
        system: str,
        conversation: str | None,
        is_shown: bool,
    ) -> None:
        self._memory = memory
        self._output = output
        self._model = model
        self._is_shown = is_shown
        self._messages: list[dict[str, str]] = [{"role": "system", "content": system}] if system else []
        begun = f"chat-{SystemClock().now():%Y-%m-%d-%H-%M-%S}"
        self._sitting = Sitting(_OnThreads(memory), conversation or begun)
        self._scribe = Scribe(policy)
        self._relay = None if upstream is None else Relay(Provider(upstream, policy), self._scribe, policy)
        self._last: Context | None = None
        self._is_at_terminal = sys.stdin.isatty() and not output.is_json

    def run(self) -> None:
        """Talk until the person ends it.

        Raises:
            ConfigError, ProviderError: the model cannot be asked.
            KeyboardInterrupt: ctrl-C while nothing was being said.
        """
        self._memory.recall("hello", limit=1)  # so that the first question finds the index and the model loaded
        with asyncio.Runner() as runner:
            try:
                if self._relay is not None and not self._model:
                    self._model = runner.run(_only_model(self._relay.provider))
                for line in self._lines():
                    self._take(line, runner)
            finally:
                runner.run(self._aclose())

    def _lines(self) -> Iterator[str]:
        """Yield what the person types, until they end it."""
        if self._is_at_terminal:
            self._output.note(f"talk away; {_COMMANDS}", style="dim")
        while True:
            if self._is_at_terminal:
                print("> ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line or line.strip() == "/quit":
                return
            if line.strip():
                yield line.strip()

    def _take(self, line: str, runner: asyncio.Runner) -> None:
        """Do what a line asks for; at a terminal the chat goes on after an error, and after ctrl-C in a reply."""
        try:
            if line.startswith("/"):
                self._obey(*line[1:].split(maxsplit=1))
            else:
                try:
                    runner.run(self._say(line))
                finally:
                    runner.run(self._scribe.finish())
        except YesteryearError as exc:
            if not self._is_at_terminal:
                raise
            self._output.error(exc.code, str(exc))
        except KeyboardInterrupt:
            if not self._is_at_terminal:
                raise
            self._output.note("stopped")

    async def _say(self, text: str) -> None:
        self._messages.append({"role": "user", "content": text})
        body = read_body(json.dumps({"model": self._model, "messages": self._messages, "stream": True}).encode())
        if body is None:
            raise InputError("this cannot be sent to a model")
        talk = read_talk(body.messages)
        if self._relay is None:
            self._show_recalled(await self._scribe.attend(self._sitting, talk))
            return
        before = len(self._messages)
        try:
            async with self._relay.converse(self._sitting, body, talk, headers=_HEADERS) as passing:
                self._show_recalled(passing.attended)
                await self._show_reply(passing)
        finally:
            if len(self._messages) == before:  # nothing came back, so that turn is over
                self._messages.pop()

    async def _show_reply(self, passing: Passing) -> None:
        """Show a reply as it arrives, and keep what came of it for the next request."""
        if passing.response.status_code != _OK:
            said = (await passing.response.aread())[:500].decode(errors="replace")
            raise ProviderRejected(f"the model's server answers {passing.response.status_code}: {said}")
        reader = ReplyReader(passing.response.headers.get("content-type", ""))
        try:
            async for chunk in passing.chunks():
                self._print(reader.feed(chunk))
            self._print(reader.end())
        finally:
            self._print("\n")
            if reader.text:
                self._messages.append({"role": "assistant", "content": reader.text})
            if self._output.is_json:
                self._output.document({"reply": reader.text, "is_whole": reader.is_whole})

    def _print(self, text: str) -> None:
        if not self._output.is_json:
            print(clean(text), end="", flush=True)

    def _show_recalled(self, attended: Attended) -> None:
        context = self._last = attended.context
        if self._output.is_json:
            self._output.document({"memory": attended.use, "context": None if context is None else context.to_dict()})
        elif attended.use in _SAID_OF_USE or context is None:
            self._output.note(f"({_SAID_OF_USE.get(attended.use, attended.use)})", style="dim")
        elif self._is_shown:
            self._output.say(context.text, style="dim")
        else:
            items = count(len(context.items), "memory", "memories")
            self._output.note(f"(reminded of {items}, {count(context.tokens, 'token')}; /why shows them)", style="dim")

    def _obey(self, name: str = "", rest: str = "") -> None:
        if name == "why" and rest:
            zones, zone = read_zones(self._memory), read_zone(self._memory)
            show_why(self._memory.why(rest), self._output, zones=zones, zone=zone, now=SystemClock().now())
        elif name == "why":
            self._why_recalled()
        elif name == "memory":
            self._output.show(fact_table(self._memory.facts(), zone=read_zone(self._memory)))
        elif name == "forget" and rest:
            with suppress(typer.Exit):  # the answer was no
                self._forget(rest)
        else:
            self._output.note(f"what begins with a slash is for the memory: {_COMMANDS}")

    def _why_recalled(self) -> None:
        if self._last is None or not self._last.items:
            self._output.note("the model was reminded of nothing")
            return
        show_items(self._last, range(len(self._last.items)), self._output)
        self._output.note(f"/why ID, of: {' '.join(item.id for item in self._last.items)}", style="dim")

    def _forget(self, asked: str) -> None:
        """Forget what has one of the ids, or what bears on the words, after showing it and asking."""
        names = {name for item in (self._last.items if self._last else ()) for name in (item.id, *item.messages)}
        ids = asked.split()
        if names.issuperset(ids):
            chosen = self._memory.forget(*ids, dry_run=True)
        else:
            chosen = self._memory.forget(about=asked, dry_run=True)
        if not chosen.ids:
            self._output.note("there is nothing to forget")
            return
        show_leaving(chosen, self._memory, read_zones(self._memory), self._output)
        check_askable(self._output, otherwise="use yesteryear forget")
        ask(f"Forget {say_forgotten(chosen)}, for good?", self._output)
        self._output.say(f"Forgotten: {say_forgotten(self._memory.forget(*chosen.ids))}.")

    async def _aclose(self) -> None:
        await self._scribe.finish()
        if self._relay is not None:
            await self._relay.provider.aclose()


async def _only_model(provider: Provider) -> str:
    """Return the name of the only model that a server has.

    Raises:
        ConfigError: it has none or several, or does not say.
        ProviderUnavailable: it cannot be reached.
    """
    response = await provider.send("GET", MODELS, headers=(), body=b"")
    try:
        listed = json.loads(await response.aread())["data"]
        names = [str(model["id"]) for model in listed]
    except (ValueError, KeyError, TypeError):
        names = []
    finally:
        await response.aclose()
    if len(names) != 1:
        there = f"it has: {', '.join(names[:10])}" if names else "it does not say which it has"
        raise ConfigError(f"which model? pass --model, or set YESTERYEAR_CHAT_MODEL; {there}")
    return names[0]
