"""A chat at the terminal: what is said goes the way of the proxy, what begins with a slash is for the memory."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from typer import Exit

import yesteryear
from yesteryear.api.proxy import relay
from yesteryear.api.proxy.chat import ReplyReader, read_body, read_talk
from yesteryear.cli.commands.asking import show_items
from yesteryear.cli.commands.beliefs import fact_table
from yesteryear.cli.commands.rights import say_forgotten, show_leaving
from yesteryear.cli.commands.why import show_why
from yesteryear.cli.invocation import Invocation, read_zone
from yesteryear.cli.output import Output, clean, count, interruption
from yesteryear.config.settings import Settings
from yesteryear.errors import ConfigError, InputError, ProviderRejected, YesteryearError
from yesteryear.providers.clock import SystemClock

_HEADERS = ((b"content-type", b"application/json"),)
_OK = 200
_SAID_OF_USE = {
    relay.MemoryUse.NONE: "nothing that is remembered bears on this",
    relay.MemoryUse.LATE: "recall took too long, so the model was reminded of nothing",
    relay.MemoryUse.ERROR: "the memory failed; the chat goes on without it",
}
_COMMANDS = "/why [ID], /memory, /forget WORDS or ID, /quit"


def talk(
    call: Invocation, *, url: str | None, model: str | None, system: str, conversation: str | None, is_shown: bool
) -> None:
    """Open the memory and chat until the person ends it: an empty address is the setting, None asks no model."""
    settings = call.settings()
    policy = relay.ProxyPolicy(recall_deadline_ms=int(settings["recall_deadline_ms"]))
    provider = None if url is None else relay.Provider(_upstream(settings, url), policy)
    with call.open(may_create=True, has_worker=True) as engine:
        memory = call.memory_in(engine, may_create=True)
        begun = f"chat-{SystemClock().now():%Y-%m-%d-%H-%M-%S}"
        chat = relay.ChatScope(cast("yesteryear.AsyncMemory", _OnThreads(memory)), conversation or begun)
        room = Chatroom(memory, call.output, provider, chat, relay.ChatRelay(policy), is_shown=is_shown)
        with interruption("ended; what was said is kept"):
            room.run(model or settings.text("chat_model"), system)


def _upstream(settings: Settings, url: str) -> relay.Upstream:
    proxied = settings.text("proxy_url")
    if not (url or proxied):
        raise ConfigError(
            "there is no model to talk to; set YESTERYEAR_PROXY_URL or pass --url: the base URL of a server that "
            "speaks as OpenAI's does, such as http://127.0.0.1:8080/v1. --offline shows what one would be reminded of"
        )
    # The key is for the server of the settings; another one must not get to see it.
    return relay.Upstream(url or proxied, settings.secret("proxy_key") if url in ("", proxied) else "")


class _OnThreads:
    """A memory with the verbs that a chat needs, which run on threads."""

    def __init__(self, memory: yesteryear.Memory) -> None:
        observe: Callable[..., object] = memory.observe  # in whatever form
        self.scope = memory.scope
        self.context = partial(asyncio.to_thread, memory.context)
        self.observe = partial(asyncio.to_thread, observe)


@dataclass(slots=True)
class Chatroom:
    """One chat of one person."""

    _memory: yesteryear.Memory
    _output: Output
    _provider: relay.Provider | None
    _chat: relay.ChatScope
    _relay: relay.ChatRelay
    is_shown: bool  # whether all is shown that the model is reminded of
    _model: str = ""
    _messages: list[dict[str, str]] = field(default_factory=list)
    _last: yesteryear.Context | None = None

    @property
    def _is_at_terminal(self) -> bool:
        return sys.stdin.isatty() and not self._output.is_json

    def run(self, model: str, system: str) -> None:
        """Talk until the person ends it."""
        self._model = model
        self._messages += [{"role": "system", "content": system}] if system else []
        self._memory.recall("hello", limit=1)  # so that the first question finds the index and the model loaded
        with asyncio.Runner() as runner:
            try:
                if self._provider is not None and not self._model:
                    self._model = runner.run(_only_model(self._provider))
                for line in self._lines():
                    self._take(line, runner)
            finally:
                runner.run(self._relay.finish())
                if self._provider is not None:
                    runner.run(self._provider.aclose())

    def _lines(self) -> Iterator[str]:
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
        try:
            if line.startswith("/"):
                self._obey(*line[1:].split(maxsplit=1))
            else:
                try:
                    runner.run(self._say(line))
                finally:
                    runner.run(self._relay.finish())
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
        if self._provider is None:
            self._show_recalled(await self._relay.attend(self._chat, talk))
            return
        before = len(self._messages)
        try:
            async with self._relay.converse(self._provider, self._chat, body, talk, headers=_HEADERS) as reply:
                self._show_recalled(reply.recall)
                await self._show_reply(reply)
        finally:
            if len(self._messages) == before:  # nothing came back, so that turn is over
                self._messages.pop()

    async def _show_reply(self, reply: relay.ChatReply) -> None:
        if reply.response.status_code != _OK:
            said = (await reply.response.aread())[:500].decode(errors="replace")
            raise ProviderRejected(f"the model's server answers {reply.response.status_code}: {said}")
        reader = ReplyReader(reply.response.headers.get("content-type", ""))
        try:
            async for chunk in reply.chunks():
                self._print(reader.feed(chunk))
            self._print(reader.end())
        finally:
            self._print("\n")
            if reader.text:
                self._messages.append({"role": "assistant", "content": reader.text})
            self._output.document({"reply": reader.text, "is_whole": reader.is_whole})

    def _print(self, text: str) -> None:
        if not self._output.is_json:
            print(clean(text), end="", flush=True)

    def _show_recalled(self, recall: relay.ChatRecall) -> None:
        context = self._last = recall.context
        self._output.document({"memory": recall.use, "context": context})
        if recall.use in _SAID_OF_USE or context is None:
            self._output.hint(f"({_SAID_OF_USE.get(recall.use, recall.use)})", style="dim")
        elif self.is_shown:
            self._output.say(context.text, style="dim")
        else:
            items = count(len(context.items), "memory", "memories")
            self._output.hint(f"(reminded of {items}, {count(context.tokens, 'token')}; /why shows them)", style="dim")

    def _obey(self, name: str = "", rest: str = "") -> None:
        items = self._last.items if self._last is not None else ()
        if name == "why" and rest:
            show_why(self._memory.why(rest), self._memory, self._output, now=SystemClock().now())
        elif name == "why" and self._last is not None and items:
            show_items(self._last, range(len(items)), self._output)
            self._output.note(f"/why ID, of: {' '.join(item.id for item in items)}", style="dim")
        elif name == "why":
            self._output.note("the model was reminded of nothing")
        elif name == "memory":
            self._output.show(fact_table(self._memory.facts(), zone=read_zone(self._memory)))
        elif name == "forget" and rest:
            with suppress(Exit):  # the answer was no
                self._forget(rest)
        else:
            self._output.note(f"what begins with a slash is for the memory: {_COMMANDS}")

    def _forget(self, asked: str) -> None:
        """Forget what has one of the ids, or what bears on the words, after showing it and asking."""
        names = {name for item in (self._last.items if self._last else ()) for name in (item.id, *item.messages)}
        ids = asked.split() if names.issuperset(asked.split()) else []
        chosen = self._memory.forget(*ids, about=None if ids else asked, dry_run=True)
        if not chosen.ids:
            self._output.note("there is nothing to forget")
            return
        show_leaving(chosen, self._memory, self._output)
        self._output.check_askable(otherwise="use yesteryear forget")
        self._output.ask(f"Forget {say_forgotten(chosen)}, for good?")
        self._output.say(f"Forgotten: {say_forgotten(self._memory.forget(*chosen.ids))}.")


async def _only_model(provider: relay.Provider) -> str:
    """Return the name of the only model that a server has; a ``ConfigError`` where it has none or several."""
    response = await provider.send("GET", relay.MODELS, headers=(), body=b"")
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
