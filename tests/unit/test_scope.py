"""Whose memory, and what is seen from where."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.core.scope import MAX_NAME_CHARS, Owner, Scope, check_name
from yesteryear.errors import InputError

VISIBLE = {
    # seen from    written in: none   P      Q
    None: {None: True, "P": True, "Q": True},
    "P": {None: True, "P": True, "Q": False},
    "Q": {None: True, "P": False, "Q": True},
}


@each("here", VISIBLE)
@each("there", VISIBLE)
def test_visibility_of_projects_and_agents(here: str | None, there: str | None) -> None:
    """A scope with a name sees what bears that name or none; a scope without sees all. Agents are as projects."""
    assert Scope(user="ana", project=here).sees(there, "any") is VISIBLE[here][there]
    assert Scope(user="ana", agent=here).sees("any", there) is VISIBLE[here][there]


def test_project_and_agent_both_have_to_agree() -> None:
    """One wrong name hides a row."""
    scope = Scope(user="ana", project="thesis", agent="coach")
    assert scope.sees("thesis", "coach")
    assert not scope.sees("thesis", "cook")
    assert not scope.sees("house", "coach")


def test_the_owner_is_tenant_and_user() -> None:
    """Projects and agents share an owner; another tenant's user of the same name does not."""
    assert Scope(user="ana", project="thesis").owner == Owner("default", "ana")
    assert Scope(user="ana").owner != Scope(user="ana", tenant="acme").owner


@each("name", ["", " ", "\t", "x" * (MAX_NAME_CHARS + 1), "a\0b", "a\nb", "\ud800", 7, b"ana", ["ana"]])
@each("field", ["user", "tenant", "project", "agent"])
def test_names_that_cannot_be_used_are_refused(field: str, name: object) -> None:
    """The message says which name it was."""
    with pytest.raises(InputError, match=field):
        Scope(**{"user": "ana", field: name})  # type: ignore[arg-type]


@each("field", ["user", "tenant"])
def test_a_scope_needs_a_user_and_a_tenant(field: str) -> None:
    """None means "none" for projects and agents only."""
    with pytest.raises(InputError, match=f"needs a {field}"):
        Scope(**{"user": "ana", field: None})  # type: ignore[arg-type]


@each("name", ["a", "x" * MAX_NAME_CHARS, "Ana María", "安娜", "🎉", "o'neill; DROP TABLE", "a/b", "%"])
def test_ordinary_and_odd_names_are_taken_as_they_are(name: str) -> None:
    """Names are data; nothing is folded or trimmed."""
    assert check_name("user", name) == name
