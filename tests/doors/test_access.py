"""Who may do what at a door, and what a door answers to an error."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear import errors
from yesteryear.api.access import USER_HEADER, OpenDoor, Principal, RequestedScope, Right, read_header
from yesteryear.api.auth_context import GuardedMemory
from yesteryear.api.problems import problem_of
from yesteryear.api.verbs import VERBS, Verb
from yesteryear.memory.memory import AsyncMemory

names = st.sampled_from(["ana", "ben", "cho"])


@given(own=names, wished=st.none() | names, held=st.sampled_from(Right), needed=st.sampled_from(Right))
def test_a_key_for_one_person_never_reaches_another(own: str, wished: str | None, held: Right, needed: Right) -> None:
    """Whatever is wished for, the scope is the key's own, or there is none."""
    principal = Principal("k1", "acme", own, held)
    if needed > held or wished not in (None, own):
        with pytest.raises(errors.NotAllowed):
            principal.scope(RequestedScope(wished), needed)
    else:
        scope = principal.scope(RequestedScope(wished, "thesis"), needed)
        assert (scope.tenant, scope.user, scope.project) == ("acme", own, "thesis")


def test_who_may_speak_for_everybody_has_to_say_for_whom() -> None:
    """No person is guessed; the error names the header."""
    with pytest.raises(errors.InputError, match="X-Yesteryear-User"):
        Principal("k1", "acme", None, Right.ADMIN).scope(RequestedScope(), Right.READ)


@given(name=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_a_name_in_a_header_is_read_as_it_was_written(name: str) -> None:
    """Clients write UTF-8, and servers hand the bytes on as Latin-1."""
    assert RequestedScope.of_headers({USER_HEADER: name.encode().decode("latin-1")}).user == name


@pytest.mark.parametrize("name", ["Zoë", "Łucja 🐈"])
def test_a_name_that_is_no_utf_8_is_left_as_it_is(name: str) -> None:
    """Browsers send Latin-1; what the first message on a socket says was never a header."""
    assert read_header(name) == name


def test_every_verb_has_a_right() -> None:
    """A verb that is new must be placed before a door can offer it."""
    verbs = {name for name, _ in inspect.getmembers(AsyncMemory, inspect.isfunction) if not name.startswith("_")}
    assert set(VERBS) == verbs


def test_a_lent_memory_has_what_is_declared_and_nothing_else() -> None:
    """Whatever else a memory has or gets, no door can reach it: neither a new method nor the ports behind it."""
    memory = GuardedMemory(_Bold(), Principal("k1", "acme", "ana", Right.ADMIN), Right.ADMIN)  # type: ignore[arg-type]
    assert asyncio.run(memory.stats()) == {}
    for name in ("peep", "_ports", "_owner", "__dict_of_secrets__"):
        assert not hasattr(memory, name)


class _Bold:
    """A memory that has more than anybody declared."""

    _ports = _owner = "the keys of the house"

    async def stats(self) -> dict[str, int]:
        return {}

    async def peep(self) -> str:
        return self._ports


@each("verb", VERBS.values())
def test_everything_that_a_verb_takes_is_declared(verb: Verb) -> None:
    """With a word of help each; but for what no caller at a door can say, which the door has another way for."""
    takes = set(inspect.signature(getattr(AsyncMemory, verb.name)).parameters) - {"self"}
    not_sayable = {"content", "settings", "path", "on_progress"}
    assert takes - set(verb.parameters) == takes & not_sayable
    assert all(parameter.about for parameter in verb.parameters.values())
    assert verb.sentence.endswith(".")


def test_a_door_tells_no_inner_matter() -> None:
    """What went wrong inside may name files; its kind is told, its words are not."""
    problem = problem_of(errors.StorageCorrupt("the file /var/lib/ana.db is damaged"))
    assert (problem.status, problem.code) == (500, "storage_corrupt")
    assert "ana.db" not in problem.detail


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.NotAdmitted(), 401),
        (errors.NotAllowed(), 403),
        (errors.NotFound("no fact f1"), 404),
        (errors.Stale(), 412),
        (errors.TooLarge(), 413),
        (errors.InputError("limit must be at least 1"), 422),
        (errors.TooMany(retry_after_s=2.0), 429),
        (errors.StorageUnavailable("locked"), 503),
    ],
)
def test_every_kind_of_error_has_a_status(error: errors.YesteryearError, status: int) -> None:
    """Callers decide by status and code."""
    problem = problem_of(error)
    assert problem.status == status
    assert problem.code == error.code


async def _admit_anybody() -> Principal:
    return await OpenDoor("acme").admit({})


def test_the_open_door_knows_one_tenant() -> None:
    """Without keys everybody is let in, to one tenant."""
    assert asyncio.run(_admit_anybody()).tenant == "acme"
