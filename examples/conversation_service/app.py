"""The service: a message comes in, is kept, is answered with what is remembered, and the answer is kept.

Episodes of 15 messages and the facts in them are made in the background, by the worker of the engine.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated

import httpx
from fastapi import APIRouter, Body, FastAPI, HTTPException

import yesteryear
from examples.conversation_service.persona import Persona

Text = Annotated[str, Body(embed=True, min_length=1)]
Name = Annotated[str, Body(embed=True, min_length=1, max_length=200)]
CONTEXT_TOKENS = 1000
"""Most tokens of what the persona is reminded of."""
MODEL_TIMEOUT_S = 60.0
"""Seconds that the model has for an answer."""


class ConversationService:
    """Talks with people in the persona's name.

    Args:
        engine: Where the memories are.
        model: Base URL and name of a chat model that speaks as OpenAI's does.
        persona: Who answers.
        client: How the model is reached.
    """

    def __init__(
        self,
        engine: yesteryear.AsyncEngine,
        model: tuple[str, str],
        *,
        client: httpx.AsyncClient,
        persona: Persona | None = None,
    ) -> None:
        self._engine = engine
        self._url, self._model = model
        self._client = client
        self._persona = persona or Persona()

    async def answer(self, said: str, *, user: str, project: str, conversation: str) -> str:
        """Keep what a person says, and return the persona's answer.

        Raises:
            HTTPException: the model cannot be asked; what the person said is kept.
        """
        memory = self._engine.memory(user=user, project=project)
        remembered = await memory.context(said, conversation=conversation, budget=CONTEXT_TOKENS)
        await memory.observe(said, author=user, conversation=conversation)
        reply = await self._ask(self._persona.messages(remembered, said))
        await memory.observe(reply, role="assistant", author=self._persona.name, conversation=conversation)
        return reply

    async def _ask(self, messages: Sequence[dict[str, str]]) -> str:
        try:
            answer = await self._client.post(
                f"{self._url}/chat/completions", json={"model": self._model, "messages": messages}
            )
            answer.raise_for_status()
        except httpx.HTTPError as exc:
            raise HTTPException(503, "the persona cannot answer now; what you said is kept") from exc
        return str(answer.json()["choices"][0]["message"]["content"])


def build_service(
    engine: yesteryear.AsyncEngine, model: tuple[str, str], *, doors: Sequence[APIRouter] = ()
) -> FastAPI:
    """Return the service as an application, which closes the engine when it ends.

    Args:
        engine: Where the memories are, with a worker.
        model: Base URL and name of the chat model.
        doors: Other ways to the same memories, such as the GraphQL of yesteryear.
    """
    client = httpx.AsyncClient(timeout=MODEL_TIMEOUT_S)
    service = ConversationService(engine, model, client=client)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with client, engine:
            yield

    app = FastAPI(title="Conversation service", lifespan=lifespan)

    @app.post("/conversations/{conversation}/messages")
    async def say(conversation: str, content: Text, user: Name, project: Name) -> dict[str, str]:
        """Say something, and get an answer."""
        return {"reply": await service.answer(content, user=user, project=project, conversation=conversation)}

    for door in doors:
        app.include_router(door)
    return app
