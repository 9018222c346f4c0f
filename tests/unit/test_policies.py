"""Settings of a user or project on top of the defaults."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.scope import Scope
from yesteryear.errors import InputError
from yesteryear.policies import OVERRIDABLE, Policies, check_overrides, policies_in
from yesteryear.ports import Setting
from yesteryear.storage.sqlite.in_memory import InMemoryStore

SOME = {
    "episode_message_threshold": 5,
    "episode_inactivity_minutes": 12.5,
    "max_episodes_retrieved": 0,
    "keep_verbatim": False,
    "journal_retention_days": 7,
    "forgotten_retention_days": 5,
    "fading": False,
    "max_facts_retrieved": 4,
    "fact_extraction_enabled": False,
    "fact_confidence_threshold": 0.6,
    "max_active_facts": 77,
    "nights": False,
    "daily_budget": 1.5,
    "max_active_episodes": 50,
    "max_verbatim_messages": 400,
}


def in_force(policies: Policies) -> dict[str, Setting]:
    """Return the value of each overridable setting where the steps will read it."""
    return {
        "episode_message_threshold": policies.remember.segment.message_threshold,
        "episode_inactivity_minutes": policies.remember.segment.inactivity_minutes,
        "max_episodes_retrieved": policies.context.max_episodes,
        "max_facts_retrieved": policies.context.max_facts,
        "fact_extraction_enabled": policies.remember.facts.is_on,
        "fact_confidence_threshold": policies.consolidate.belief.confidence.fact_threshold,
        "max_active_facts": policies.consolidate.belief.max_facts,
        "nights": policies.consolidate.night.is_on,
        "daily_budget": policies.budget.daily_usd,
        "keep_verbatim": policies.remember.journal.keep_verbatim,
        "journal_retention_days": policies.remember.journal.journal_retention_days,
        "forgotten_retention_days": policies.forget.retention_days,
        "fading": policies.consolidate.fade.is_on,
        "max_active_episodes": policies.consolidate.fade.max_active,
        "max_verbatim_messages": policies.consolidate.fade.max_verbatim,
    }


def test_each_override_reaches_its_policy_and_no_other() -> None:
    """One at a time, so that a mix-up of two would show."""
    assert set(SOME) == set(OVERRIDABLE)
    defaults = in_force(Policies())
    for name, value in SOME.items():
        assert in_force(Policies().with_overrides({name: value})) == defaults | {name: value}


def test_no_overrides_leave_the_policies_as_they_are() -> None:
    """The common case costs nothing."""
    policies = Policies()
    assert policies.with_overrides({}) is policies


def test_the_project_goes_before_the_user_and_the_user_before_the_defaults() -> None:
    """What a project does not say, the user's settings say; what nobody says, the defaults."""
    store, ana = InMemoryStore(), Scope(user="ana")
    with store.read(ana) as tx:
        assert policies_in(tx, "thesis", Policies()) == Policies()
    store.write(ana, lambda tx: tx.overrides.save(None, {"max_episodes_retrieved": 1, "journal_retention_days": 1}))
    store.write(ana, lambda tx: tx.overrides.save("thesis", {"max_episodes_retrieved": 2}))
    with store.read(ana) as tx:
        found = policies_in(tx, "thesis", Policies())
        elsewhere = policies_in(tx, "house", Policies())
        user = policies_in(tx, None, Policies())
    store.close()
    assert (found.context.max_episodes, found.remember.journal.journal_retention_days) == (2, 1)
    assert elsewhere == user
    assert user.context.max_episodes == 1


@each(
    ("name", "value"),
    [
        ("episode_message_threshold", 1),
        ("episode_message_threshold", 2.5),
        ("episode_message_threshold", True),
        ("episode_message_threshold", "15"),
        ("episode_inactivity_minutes", nan),
        ("episode_inactivity_minutes", inf),
        ("journal_retention_days", -1),
        ("max_episodes_retrieved", 101),
        ("keep_verbatim", 1),
        ("keep_verbatim", "no"),
        ("fading", 0),
        ("max_active_episodes", -1),
        ("max_active_episodes", 0.5),
        ("max_verbatim_messages", True),
    ],
)
def test_values_that_do_not_fit_are_refused_and_the_message_says_what_would(name: str, value: object) -> None:
    """Type, range and wholeness, each by name; also after the fitting value was used."""
    Policies().with_overrides(SOME | {"keep_verbatim": True})
    with pytest.raises(InputError, match=f"^{name} is .*not"):
        check_overrides({name: value})
    with pytest.raises(InputError, match=f"^{name} is "):
        Policies().with_overrides({name: value})  # type: ignore[dict-item]


def test_an_unknown_name_is_refused_even_when_it_says_nothing() -> None:
    """A typing mistake must not look like success."""
    with pytest.raises(InputError, match=r"no setting 'episode_treshold'.*episode_message_threshold"):
        check_overrides({"episode_treshold": None})


def test_a_whole_number_may_come_as_a_float() -> None:
    """JSON and TOML write 5.0 where they mean 5."""
    checked = check_overrides({"episode_message_threshold": 5.0, "keep_verbatim": None})
    assert checked == {"episode_message_threshold": 5}
    assert type(checked["episode_message_threshold"]) is int


@given(st.sampled_from(sorted(OVERRIDABLE)), st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.none()))
def test_a_checked_value_lies_in_its_range(name: str, value: object) -> None:
    """Whatever is passed: refused, or in force as it was given."""
    known = OVERRIDABLE[name]
    try:
        checked = check_overrides({name: value})
    except InputError:
        return
    assert checked == ({} if value is None else {name: value})
    assert all(known.low <= float(found) <= known.high for found in checked.values())
    assert {**in_force(Policies()), **checked} == in_force(Policies().with_overrides(checked))
