"""Random requests at every door, with names and ids put in afterwards, so that the same can be asked with others."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLObjectType,
    Undefined,
    get_named_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
)

from tests.doors.strangers.knocking import Ask
from tests.doors.strangers.world import SHARED, Holder, a_cursor
from yesteryear.api.graphql.schema import build_schema
from yesteryear.api.inspector.pages import ROUTES as PAGES
from yesteryear.api.inspector.visit import KEY_COOKIE, ROOT, TOKEN_COOKIE, segment
from yesteryear.api.mcp.tools import TOOLS
from yesteryear.api.rest.operations import Operation
from yesteryear.api.rest.router import OPERATIONS
from yesteryear.core.access.keys import Right
from yesteryear.core.attributes import FactKind

WHO = "x-yesteryear-user"
THEN, LATER = "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"
QUESTIONS = ("Where do I live?", "coriander", "What is my goal, and is anybody allergic?", "my thesis", "")
_DEPTH = 2
"""How deep fields of GraphQL are asked for."""


@dataclass(frozen=True)
class Names:
    """What is put into a request."""

    holder: Holder
    user: str | None
    """Whom it asks for."""
    id: str
    """Of a row, or of a conversation."""
    is_own: bool
    """Whether the id is of the memory that is asked for: then nothing is done to it that cannot be done again."""
    reaches: bool
    """Whether somebody's memory is reached: then it is not erased, and no night of it is run or undone."""


Template = Callable[[Names], Ask]
"""Makes a request of names; whatever else is in it was drawn before."""


def _key(names: Names) -> dict[str, str]:
    return {"authorization": f"Bearer {names.holder.token}"} if names.holder.token else {}


def _headers(names: Names) -> dict[str, str]:
    return _key(names) | ({} if names.user is None else {WHO: names.user})


# REST

_QUERY = {
    "messages": ("ids", "conversation", "author", "cursor", "limit"),
    "conversations": ("cursor", "limit"),
    "episodes": ("ids", "conversation", "cursor", "limit"),
    "facts": ("ids", "subject", "cursor", "limit", "status"),
    "conflicts": ("cursor", "limit", "resolved"),
    "nights": ("cursor", "limit"),
}
_FIXED = {"limit": "2", "status": "all", "resolved": "true"}
_SLOW = frozenset({"changes", "erase"})
"""Verbs that are asked for less: whoever listens waits for silence, whoever is erased for files to be written anew."""
_OF_A_WHOLE = frozenset({"erase", "undo"})
"""Verbs that change a memory for good whatever id is named."""


def _rest_body(verb: str, chance: random.Random) -> Callable[[Names], object]:
    question, with_id = chance.choice(QUESTIONS) or "home", chance.random() < 0.5
    more: Mapping[str, Callable[[Names], object]] = {
        "observe": lambda _: {"content": "I bake bread.", "id": SHARED},
        "context": lambda n: {"message": question} | ({"conversation": n.id} if with_id else {}),
        "recall": lambda n: {"question": question, "author": n.id if with_id else None, "archived": True},
        "correct": lambda _: {"statement": "Somebody lives in Faro."},
        "forget": lambda n: (
            ({"ids": [n.id]} if with_id else {"conversation": n.id, "since": THEN}) | {"dry_run": n.is_own}
        ),
        "configure": lambda _: {"settings": {}},
        "consolidate": lambda _: {"dry_run": True},
        "fade": lambda _: {"dry_run": True},
        "resolve": lambda _: {"at": LATER},
    }
    return more.get(verb, lambda _: None)


def rest(chance: random.Random) -> Template:
    """Return a request of one of the operations."""
    operation: Operation = chance.choice([each for operations in OPERATIONS.values() for each in operations])
    if operation.verb in _SLOW and chance.random() < 0.8:
        return rest(chance)
    body_of = _rest_body(operation.verb, chance) if operation.method in ("POST", "PATCH") else lambda _: None
    asked = [
        name for name in _QUERY.get(operation.verb, ()) if operation.path.count("/") == 1 and chance.random() < 0.4
    ]

    def make(names: Names) -> Ask:
        values = {name: _FIXED.get(name, a_cursor(names.id) if name == "cursor" else names.id) for name in asked}
        if operation.verb == "diff":
            values = {"since": THEN, "until": LATER}
        path = (
            operation.path.replace("{id}", quote(names.id, safe=""))
            .replace("{cycle}", quote(names.id, safe=""))
            .replace("{conversation}", quote(names.id))
        )
        query = f"?{urlencode(values)}" if values else ""
        headers, body = _headers(names), body_of(names)
        if operation.verb == "erase":
            headers["x-yesteryear-confirm"] = names.user or "nobody"
        if operation.verb == "changes":
            headers["last-event-id"] = "0"
        if body is not None:
            headers["content-type"] = "application/json"
        is_spared = names.reaches if operation.verb in _OF_A_WHOLE else names.is_own and operation.verb == "correct"
        is_spared |= names.is_own and operation.method == "DELETE"
        method = "GET" if is_spared else operation.method
        text = "" if body is None or method == "GET" else json.dumps(body)
        return Ask("rest", method, f"/v1{path}{query}", headers, text, follows=operation.verb == "changes")

    return make


# GraphQL

_SCHEMA = build_schema()._schema
_ID_ARGUMENTS = frozenset(
    {"id", "ids", "cycle", "conversation", "conversationId", "after", "episodeId", "author", "subject"}
)


def _selection(kind: Any, depth: int) -> str:
    named = get_named_type(kind)
    if is_leaf_type(named):
        return ""
    assert isinstance(named, GraphQLObjectType)
    parts = []
    for name, field in named.fields.items():
        inner = _selection(field.type, depth - 1) if depth else ""
        is_callable = not any(is_non_null_type(argument.type) for argument in field.args.values())
        if is_callable and (is_leaf_type(get_named_type(field.type)) or inner):
            parts.append(f"{name}{inner}")
    return f"{{{' '.join(parts)}}}" if parts else ""


@dataclass(frozen=True)
class _Call:
    """A field at the root of GraphQL, as it is asked for."""

    kind: str
    name: str
    field: GraphQLField

    @cached_property
    def arguments(self) -> dict[str, GraphQLArgument]:
        """Those that a stranger would play with, and those that have to be there."""
        return {
            name: argument
            for name, argument in self.field.args.items()
            if name in _ID_ARGUMENTS | {"userId", "dryRun", "since"} or _is_required(argument)
        }

    @property
    def optional(self) -> list[str]:
        """Those that may be left out."""
        return [name for name, argument in self.arguments.items() if not is_non_null_type(argument.type)]

    @cached_property
    def query(self) -> str:
        """The text of the operation."""
        variables = ", ".join(f"${name}: {argument.type}" for name, argument in self.arguments.items())
        passed = ", ".join(f"{name}: ${name}" for name in self.arguments)
        declared, called = (f"({variables})", f"({passed})") if passed else ("", "")
        return f"{self.kind} Asked{declared} {{ {self.name}{called} {_selection(self.field.type, _DEPTH)} }}"


def _is_required(argument: GraphQLArgument) -> bool:
    return is_non_null_type(argument.type) and argument.default_value is Undefined


_CALLS = [
    _Call(kind, name, field)
    for kind, root in (
        ("query", _SCHEMA.query_type),
        ("mutation", _SCHEMA.mutation_type),
        ("subscription", _SCHEMA.subscription_type),
    )
    if root is not None
    for name, field in root.fields.items()
]


def graphql(chance: random.Random) -> Template:
    """Return a query, a mutation or a subscription."""
    call = chance.choice(_CALLS)
    if (call.kind == "subscription" or call.name in _SLOW) and chance.random() < 0.8:
        return graphql(chance)
    question, by_argument = chance.choice(QUESTIONS), chance.random() < 0.7
    left_out = {name for name in call.optional if name != "userId" and chance.random() < 0.5}

    def make(names: Names) -> Ask:
        says_user = "userId" in call.arguments and by_argument and names.user is not None
        headers = _key(names) if says_user else _headers(names)
        headers |= {"content-type": "application/json"}
        if call.kind == "subscription":
            headers["accept"] = "text/event-stream"
        values = {name: _value(name, call, names, question) for name in call.arguments if name not in left_out}
        if not says_user and "userId" in call.optional:
            values.pop("userId", None)
        is_spared = names.reaches if call.name in _OF_A_WHOLE else names.is_own and call.name == "correct"
        asked = {"query": "{ __typename }"} if is_spared else {"query": call.query, "variables": values}
        return Ask("graphql", "POST", "/graphql", headers, json.dumps(asked), follows=call.kind == "subscription")

    return make


def _value(name: str, call: _Call, names: Names, question: str) -> object:
    known: dict[str, object] = {
        "userId": names.user or "nobody",
        "projectId": "thesis",
        "settings": {},
        "messages": [{"content": "I bake bread.", "id": SHARED}],
        "content": "I bake bread.",
        "statement": "Somebody lives in Faro.",
    }
    if name in known:
        return known[name]
    if name == "dryRun":
        return names.is_own or call.name != "forget"
    if name == "since":
        return 0 if str(call.arguments[name].type).startswith("Long") else THEN
    if name in _ID_ARGUMENTS:
        if call.name in ("observe", "closeEpisode"):
            return {"id": SHARED, "conversation": "default", "author": "Somebody"}[name]
        return [names.id] if is_list_type(call.arguments[name].type) else names.id
    return question or "home"


# MCP

_CONTENT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_URIS = ("profile", "recent", "facts/{kind}", "episode/{id}", "memory/{id}")


def mcp(chance: random.Random) -> Template:
    """Return a call of a tool, or a look at a resource or the briefing."""
    tool, question, in_address = chance.choice(TOOLS), chance.choice(QUESTIONS) or "home", chance.random() < 0.5
    uri, kind = chance.choice(_URIS), chance.choice([*FactKind])
    what = chance.choices(("tools/call", "resources/read", "prompts/get", "tools/list"), (75, 18, 5, 2))[0]

    def arguments(names: Names) -> dict[str, object]:
        return {
            "recall": {"query": question},
            "get_context": {"message": question},
            "remember": {"content": "I bake bread."},
            "correct": {"memory_id": names.id, "content": "Somebody lives in Faro."},
            "forget": {"query": question} if names.is_own else {"memory_id": names.id, "confirm": True},
            "list_memories": {"kind": "episode" if in_address else "fact", "cursor": names.id, "limit": 3},
            "search": {"query": question},
            "fetch": {"id": names.id},
        }[tool.name]

    def make(names: Names) -> Ask:
        is_spared = names.is_own and tool.name in ("correct", "remember")
        method = "tools/list" if is_spared else what
        params: dict[str, dict[str, object]] = {
            "tools/call": {"name": tool.name, "arguments": arguments(names)},
            "resources/read": {"uri": "yesteryear://" + uri.format(kind=kind, id=quote(names.id))},
            "prompts/get": {"name": "briefing", "arguments": {"topic": question}},
            "tools/list": {},
        }
        says_user = in_address and names.user is not None
        query = f"?{urlencode({'user': names.user})}" if says_user else ""
        headers = (_key(names) if says_user else _headers(names)) | _CONTENT
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params[method]}
        return Ask("mcp", "POST", f"/mcp{query}", headers, json.dumps(body))

    return make


# Pages

_TOKEN = "of-the-form"
_FOR_GOOD = ("/correct", "/forget", "/undo")
_PAGES_OF_A_WHOLE = frozenset({"/rights/erase", "/nights"})
"""As above."""


def pages(chance: random.Random) -> Template:
    """Return a look at a page, or a form."""
    route, by_cookie = chance.choice(PAGES), chance.random() < 0.7
    question, shows_people = chance.choice(QUESTIONS), chance.random() < 0.03

    def make(names: Names) -> Ask:
        cookies, headers = f"{TOKEN_COOKIE}={_TOKEN}", {}
        if by_cookie and names.holder.token:
            cookies += f"; {KEY_COOKIE}={names.holder.token}"
        else:
            headers = _key(names)
        headers = headers | {"cookie": cookies}
        user = names.user or names.holder.user
        if shows_people or user is None:
            return Ask("pages", "GET", ROOT, headers)
        path = f"{ROOT}/{segment(user)}{route.path}".replace("{id}", segment(names.id))
        if route.method == "GET":
            asked = {"text": question, "message": question, "kind": "", "status": "all"} if "fact" in route.path else {}
            asked |= {"conversation": names.id, "since": "all"} if route.path == "/journal" else {}
            asked |= {"message": question} if route.path == "/context" else {}
            asked |= {"after": names.id} if route.path == "/episodes" else {}
            return Ask("pages", "GET", f"{path}?{urlencode(asked)}", headers)
        if names.reaches if route.path in _PAGES_OF_A_WHOLE else names.is_own and route.path.endswith(_FOR_GOOD):
            return Ask("pages", "GET", path, headers)
        fields = {"token": _TOKEN, "statement": "Somebody lives in Faro.", "holds": names.id, "name": user}
        headers["content-type"] = "application/x-www-form-urlencoded"
        return Ask("pages", "POST", path, headers, urlencode(fields))

    return make


# The proxy

CONVERSATION = "x-yesteryear-conversation"


def proxy(chance: random.Random) -> Template:
    """Return a chat with a model."""
    question, names_talk, streams = chance.choice(QUESTIONS), chance.random() < 0.5, chance.random() < 0.5

    def make(names: Names) -> Ask:
        headers = {"content-type": "application/json"}
        if names.holder.token:
            headers["x-yesteryear-key"] = names.holder.token
        if names.user is not None:
            headers[WHO] = names.user
        if names_talk and (names.is_own or names.holder.right is Right.READ):  # else it would be taken down there
            headers[CONVERSATION] = names.id
        messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": question or "Hello."}]
        body = {"model": "tiny", "stream": streams, "messages": messages}
        return Ask("proxy", "POST", "/v1/chat/completions", headers, json.dumps(body))

    return make


DOORS: Mapping[Callable[[random.Random], Template], int] = {rest: 42, graphql: 22, mcp: 14, pages: 18, proxy: 4}
"""How often each door is knocked at, in a hundred."""


def random_template(chance: random.Random) -> Template:
    """Return a request at some door."""
    return chance.choices(list(DOORS), list(DOORS.values()))[0](chance)
