"""Both fronts with the real service, which whoever runs these tests starts."""

from __future__ import annotations

import os
from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest
from conftest import Front

from market_data_client import InvalidApiKeyProblem, InvalidParameterProblem, UnknownSymbolProblem

ADDRESS = ("MARKET_DATA_BASE_URL", "MARKET_DATA_API_KEY")
pytestmark = pytest.mark.skipif(
    not all(name in os.environ for name in ADDRESS),
    reason=f"no service runs: start one, and set {' and '.join(ADDRESS)}",
)


@pytest.fixture
def address() -> tuple[str, str]:
    return os.environ[ADDRESS[0]], os.environ[ADDRESS[1]]


def test_reads_every_resource(front: Front, address: tuple[str, str]) -> None:
    client = front.client(*address)
    tickers = front.call(client.tickers)
    assert [ticker.symbol for ticker in tickers] == sorted(ticker.symbol for ticker in tickers)
    ticker = front.call(lambda: client.ticker("btceur"))
    assert isinstance(ticker.buy_price, Decimal)
    assert ticker.buy_price > ticker.sell_price
    markets = {market.symbol: market for market in front.call(client.markets)}
    assert ticker.buy_price.as_tuple().exponent == -markets["BTCEUR"].price_precision
    assert front.call(client.status).components.ticker == "operational"
    offset = front.call(client.sync_clock)
    assert abs(offset.offset) <= offset.uncertainty + timedelta(milliseconds=2)
    assert client.age(ticker) < timedelta(minutes=5)
    assert client.budget is not None
    assert client.budget.remaining < client.budget.limit


def test_gets_the_same_object_while_nothing_changed(front: Front, address: tuple[str, str]) -> None:
    statuses: list[int] = []
    client = front.client(*address, on_response=lambda info: statuses.append(info.status))
    first = front.call(client.tickers)
    assert front.call(client.tickers) is first
    assert statuses == [200, 304]


def test_learns_why_a_request_cannot_succeed(front: Front, address: tuple[str, str]) -> None:
    client = front.client(*address)
    with pytest.raises(UnknownSymbolProblem):
        front.call(lambda: client.ticker("NOPEEUR"))
    for symbol in ("a&b=c", "\u0131", "", "../time", "\0", "\ud800"):
        with pytest.raises(InvalidParameterProblem):
            front.call(partial(client.ticker, symbol))
    with pytest.raises(InvalidApiKeyProblem):
        front.call(front.client(address[0], f"{address[1]}x").time)


def test_watches_prices(front: Front, address: tuple[str, str]) -> None:
    client = front.client(*address)
    watch = client.watch_tickers()
    assert front.next(watch)
    assert watch.state.kind == "operational"
