"""What calls cost: the arithmetic, the list, and one's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yesteryear.core.usage import (
    Account,
    CallOutcome,
    CallPurpose,
    ModelCall,
    midnight_after,
    midnight_before,
    sum_up,
    total_usd,
)
from yesteryear.errors import ConfigError
from yesteryear.providers.llm.catalogue import OWN_SERVERS, Price, find_price, read_prices

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DIGESTER, EMBEDDER = "openai:gpt-4o-mini", "openai:text-embedding-ada-002"


def a_call(model: str, read: int, written: int = 0, *, at: datetime = NOON, purpose: str = "digest") -> ModelCall:
    """Return a call at the shipped price."""
    price = read_prices().get(model)
    micro = price.micro_usd(read, written) if price else None
    return ModelCall(
        CallPurpose(purpose), model, at, input_tokens=read, output_tokens=written, micro_usd=micro, latency_ms=10
    )


def test_the_example_of_the_agent_memory_system_document() -> None:
    """15 messages of 3,000 tokens, a summary of 300 and four texts of 1,000 tokens embedded: about $ 0.0011 in all."""
    summary = a_call(DIGESTER, 3_000, 300)
    embedded = [a_call(EMBEDDER, 1_000, purpose="embed") for _ in range(4)]
    assert total_usd([summary]) == pytest.approx(0.0007, abs=0.00008)
    assert total_usd(embedded) == pytest.approx(0.0004)
    assert total_usd([summary, *embedded]) == pytest.approx(0.0011, abs=0.00008)
    by_kind = {row.purpose: row.usd for row in sum_up([summary, *embedded])}
    assert by_kind == {CallPurpose.DIGEST: pytest.approx(0.00063), CallPurpose.EMBED: pytest.approx(0.0004)}


def test_calls_are_summed_by_day_purpose_and_model() -> None:
    """A day is one of UTC; what has no price is none of nothing."""
    calls = [
        a_call(DIGESTER, 100, 10),
        a_call(DIGESTER, 200, 20),
        a_call(DIGESTER, 1, 1, at=NOON + timedelta(days=1)),
        a_call("openai:own", 5, 5, purpose="judge"),
    ]
    rows = sum_up(reversed(calls))
    assert [(row.day, row.purpose, row.calls, row.input_tokens, row.output_tokens) for row in rows] == [
        ("2026-03-02", CallPurpose.DIGEST, 2, 300, 30),
        ("2026-03-02", CallPurpose.JUDGE, 1, 5, 5),
        ("2026-03-03", CallPurpose.DIGEST, 1, 1, 1),
    ]
    assert rows[1].usd is None


def test_failed_calls_are_counted_apart() -> None:
    """They are the local analyst's share."""
    failed = ModelCall(CallPurpose.DIGEST, DIGESTER, NOON, CallOutcome.FAILED, requests=0)
    [row] = sum_up([a_call(DIGESTER, 1, 1), failed])
    assert (row.calls, row.failed, row.requests) == (2, 1, 1)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**6)), max_size=20), st.randoms())
def test_sums_do_not_depend_on_the_order_of_calls(tokens: list[tuple[int, int]], random: object) -> None:
    """Prices are whole numbers, so that not even the last digit does."""
    calls = [a_call(DIGESTER, *each) for each in tokens]
    shuffled = list(calls)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert sum_up(calls) == sum_up(shuffled)


@given(read=st.integers(0, 10**9), written=st.integers(0, 10**9))
def test_a_price_is_rounded_up_by_less_than_a_millionth(read: int, written: int) -> None:
    """Nothing is told cheaper than it is."""
    exact = 0.15 * read + 0.60 * written
    assert -1e-3 <= Price(0.15, 0.60).micro_usd(read, written) - exact < 1.001


def test_an_account_is_spent_when_its_budget_is() -> None:
    """And hands its calls over once."""
    account = Account(left_usd=0.001)
    account.note(a_call(DIGESTER, 3_000, 300))
    assert not account.is_spent
    account.note(a_call(DIGESTER, 3_000, 300))
    assert account.is_spent
    assert (len(account.settle()), len(account.settle())) == (2, 0)
    assert not Account().is_spent


def test_a_day_is_from_midnight_to_midnight() -> None:
    """Wherever the clock that tells it stands."""
    late = datetime.fromisoformat("2026-03-02T01:30:00+02:00")
    assert midnight_before(late) == datetime(2026, 3, 1, tzinfo=UTC)
    assert midnight_after(late) == datetime(2026, 3, 2, tzinfo=UTC)


def test_a_list_of_ones_own_wins(tmp_path: Path) -> None:
    """Prices change, and servers of one's own have none that we could know."""
    own = tmp_path / "prices.toml"
    own.write_text('[openai]\ngpt-4o-mini = { input = 1.0 }\n"my model" = { input = 0.5, output = 2 }\n')
    found = read_prices(own)
    assert (found.get(DIGESTER), found.get("openai:my model")) == (Price(1.0), Price(0.5, 2.0))
    assert found.get(EMBEDDER) == Price(0.10)
    assert read_prices(is_own_server=True).get(DIGESTER) is None


def test_a_server_of_ones_own_costs_nothing_unless_its_owner_says_so(tmp_path: Path) -> None:
    """What listens on this machine may pass on to somebody who is paid; elsewhere nobody knows."""
    own = tmp_path / "prices.toml"
    own.write_text("[ollama]\nbig = { input = 0.2 }\n")
    assert {find_price(f"{name}:big") for name in OWN_SERVERS} == {Price(0.0)}
    assert find_price("ollama:big", base_url="http://models.example.com:11434/v1", own=own) == Price(0.2)
    for here in ("http://localhost:4000/v1", "http://127.0.0.1/v1", "http://[::1]:8080/v1"):
        assert find_price(DIGESTER, base_url=here) == Price(0.0)
    for elsewhere in ("http://192.0.2.7:8000/v1", "https://gateway.example.com/v1", "http://127.0.0.1.example.com/v1"):
        assert find_price(DIGESTER, base_url=elsewhere) is None
    assert find_price(DIGESTER) == Price(0.15, 0.60)


@pytest.mark.parametrize(
    "text",
    [
        *("not toml [", "openai = 3\n", "[openai]\nx = 3\n", "[openai]\nx = { output = 1 }\n"),
        *("[openai]\nx = { input = -1 }\n", "[openai]\nx = { input = inf }\n"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """With its place."""
    own = tmp_path / "prices.toml"
    own.write_text(text)
    with pytest.raises(ConfigError, match="prices"):
        read_prices(own)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_prices(tmp_path / "none.toml")
