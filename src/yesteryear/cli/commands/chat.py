"""``yesteryear chat``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yesteryear.cli.invocation import SCOPE, Interrupted, Invocation, command
from yesteryear.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    from yesteryear.api.proxy.provider import Upstream


@command(*SCOPE)
def chat(
    call: Invocation,
    *,
    model: Annotated[
        str | None, typer.Option(help="The model; else the setting chat_model, or the only one that the server has.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Base URL of a server that speaks as OpenAI's does; else the setting proxy_url.")
    ] = None,
    system: Annotated[str, typer.Option(help="What the model is told before the talk begins.")] = "",
    conversation: Annotated[str | None, typer.Option(help="Its name; a new one where not given.")] = None,
    is_shown: Annotated[bool, typer.Option("--show-context", help="Show all that the model is reminded of.")] = False,
    is_offline: Annotated[
        bool, typer.Option("--offline", help="Ask no model; show what one would be reminded of.")
    ] = False,
) -> None:
    """Talk with a model that remembers, and see what it was reminded of.

    The chat takes the way of the proxy: what is remembered stands after the system text, both sides are taken down, and
    a recall that takes longer than the setting recall_deadline_ms is not waited for. A worker makes memories of it
    meanwhile. Ctrl-C stops a reply, ctrl-D ends the chat.

    What begins with a slash is for the memory: /why shows why each memory was chosen, /why ID why it is remembered,
    /memory what is believed, /forget WORDS or /forget ID forgets after asking, /quit ends.

    Without a terminal each line of stdin is said in turn. With --json a line of JSON for what was recalled, and one for
    each reply.

    Example:
      yesteryear chat --user ana --url http://127.0.0.1:8080/v1
      yesteryear chat --user ana --offline
    """
    try:
        import httpx  # noqa: F401 - what the rest needs; it comes with an extra
    except ImportError as exc:
        raise MissingExtra("a chat needs: pip install 'yesteryear[server]'") from exc
    from yesteryear.api.proxy.provider import ProxyPolicy
    from yesteryear.cli.chatting import Chatroom

    upstream = None if is_offline else _upstream(call, url)
    settings = call.settings()
    with call.open(may_create=True, has_worker=True) as engine:
        room = Chatroom(
            call.memory(engine, may_create=True),
            call.output,
            upstream,
            ProxyPolicy(recall_deadline_ms=int(settings["recall_deadline_ms"])),
            model=model or settings.text("chat_model"),
            system=system,
            conversation=conversation,
            is_shown=is_shown or is_offline,
        )
        try:
            room.run()
        except KeyboardInterrupt as exc:
            raise Interrupted("ended; what was said is kept") from exc


def _upstream(call: Invocation, url: str | None) -> Upstream:
    from yesteryear.api.proxy.provider import Upstream

    settings = call.settings()
    address = url or settings.text("proxy_url")
    if not address:
        raise ConfigError(
            "there is no model to talk to; set YESTERYEAR_PROXY_URL or pass --url: the base URL of a server that "
            "speaks as OpenAI's does, such as http://127.0.0.1:8080/v1. --offline shows what one would be reminded of"
        )
    # The key is for the server of the settings; another one must not get to see it.
    key = settings.secret("proxy_key") if address == settings.text("proxy_url") else ""
    return Upstream(address, key)
