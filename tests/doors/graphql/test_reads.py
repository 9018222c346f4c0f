"""What many fields need is read at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import yesteryear
from tests.concepts import ConceptEmbedder
from tests.script import CONCEPTS, GOAL, HATES, LISBON, LOVES, RUNS, an_analyst
from yesteryear.api.access import OpenDoor
from yesteryear.api.auth_context import AuthContext
from yesteryear.api.graphql.schema import build_schema
from yesteryear.api.graphql.visit import GraphqlVisit
from yesteryear.core.scope import Scope

QUERY = """
{
  facts { label contradictedBy evidence { quote message { content } } sourceEpisode { topic facts { label } } }
}
"""


class CountedMemory:
    """A memory that counts how often each verb is called."""

    def __init__(self, memory: yesteryear.AsyncMemory, calls: Counter[str]) -> None:
        self._memory = memory
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._memory, name)
        return self._counted(name, found) if callable(found) else found

    def _counted(self, name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._calls[name] += 1
            return verb(*args, **kwargs)

        return call


class CountedEngine:
    """An engine that lends such memories."""

    def __init__(self, engine: yesteryear.AsyncEngine) -> None:
        self._engine = engine
        self.calls: Counter[str] = Counter()

    def memory(self, scope: Scope) -> CountedMemory:
        """Lend a memory."""
        return CountedMemory(self._engine.memory(scope), self.calls)


async def _ask() -> tuple[Any, Counter[str]]:
    async with yesteryear.open_async(
        ":memory:", analyst=an_analyst(), embedder=ConceptEmbedder(CONCEPTS), worker="none"
    ) as engine:
        memory = engine.memory(user="ana")
        for number, text in enumerate((GOAL, LOVES, RUNS, LISBON, HATES)):
            await memory.observe(text, conversation=f"day {number}", author="Ana")
        await memory.flush()
        counted = CountedEngine(engine)
        auth_context = AuthContext(counted, OpenDoor())  # type: ignore[arg-type]
        visit = GraphqlVisit(auth_context, {"x-yesteryear-user": "ana"})
        return await build_schema().execute(QUERY, context_value=visit), counted.calls


def test_fields_of_many_rows_are_read_at_once() -> None:
    """Five facts with evidence, messages, episodes and their facts cost six reads, as one would."""
    result, calls = asyncio.run(_ask())
    assert result.errors is None
    facts = result.data["facts"]
    assert len(facts) == 5
    assert all(row["evidence"][0]["message"]["content"] and row["sourceEpisode"]["facts"] for row in facts)
    assert calls == {"facts": 3, "conflicts": 1, "messages": 1, "episodes": 1}
