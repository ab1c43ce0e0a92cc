"""Behind a balancer of servers that are not at the same point."""

from __future__ import annotations

from typing import TypeVar

import pytest
from answers import Service, ticker
from simulation import START, Reading, Reply

from market_data_client._core import TICKERS, ticker_resource
from market_data_client._requester import Resource
from market_data_client._steps import Steps, Waker
from market_data_client.models import Ticker

T = TypeVar("T")

SINGLE = "/v1/ticker?symbol=BTCEUR"


class Balanced:
    """Answers are captured so many seconds after the start; the price says when."""

    def __init__(self) -> None:
        self.service = Service()
        self.core = self.service.simulation.core()
        self.service.simulation.pass_time(30)

    def answers(self, path: str, *ages: tuple[str, float]) -> None:
        tickers = [ticker(START + at, symbol=symbol, sellPrice=f"{at:.2f}") for symbol, at in ages]
        self.service.broken[path] = Reply(200, tickers[0] if path == SINGLE else {"tickers": tickers})

    def single(self, at: float) -> Ticker:
        self.answers(SINGLE, ("BTCEUR", at))
        simulation = self.service.simulation
        return simulation.until(simulation.spawn(self.core, lambda waker: self.get(ticker_resource("btceur"), waker)))

    def list(self, *ages: tuple[str, float]) -> tuple[Ticker, ...]:
        self.answers("/v1/tickers", *ages)
        simulation = self.service.simulation
        return simulation.until(simulation.spawn(self.core, lambda waker: self.get(TICKERS, waker)))

    def get(self, resource: Resource[T], waker: Waker) -> Steps[T]:
        return self.core.get(resource, None, None, waker)


def prices(tickers: tuple[Ticker, ...]) -> list[str]:
    return [str(each.sell_price) for each in tickers]


@pytest.mark.parametrize("behind", [1, 3_600])
def test_ticker_gives_the_one_it_gave_before_in_the_place_of_an_older_one_however_old(behind: float) -> None:
    balanced = Balanced()
    newest = balanced.single(10)
    assert balanced.single(10 - behind) is newest
    assert str(balanced.single(11).sell_price) == "11.00"


def test_tickers_gives_the_newest_of_each_market_and_the_same_list_while_there_is_nothing_new() -> None:
    balanced = Balanced()
    first = balanced.list(("BTCEUR", 10), ("ETHEUR", 10))
    assert balanced.list(("BTCEUR", 9), ("ETHEUR", 9)) is first
    assert prices(balanced.list(("BTCEUR", 9), ("ETHEUR", 11))) == ["10.00", "11.00"]
    assert prices(balanced.list(("ETHEUR", 8))) == ["11.00"]
    assert prices(balanced.list(("BTCEUR", 8), ("ETHEUR", 8))) == ["10.00", "11.00"]


def test_calls_and_watches_know_what_each_other_gave() -> None:
    balanced = Balanced()
    newest = balanced.single(10)
    assert balanced.list(("BTCEUR", 9), ("ETHEUR", 9))[0] is newest
    watch = balanced.core.watch_tickers(None, include_stale=True)
    reading = Reading(balanced.service.simulation, balanced.core, watch)
    balanced.service.simulation.pass_time(1)
    assert reading.given[0][0] is newest


def test_an_answer_that_is_overtaken_by_a_newer_one_gives_the_newer_one() -> None:
    balanced = Balanced()
    balanced.list(("ETHEUR", 1))
    simulation = balanced.service.simulation
    simulation.latency = 5
    balanced.answers(SINGLE, ("BTCEUR", 9))
    slow = simulation.spawn(balanced.core, lambda waker: balanced.get(ticker_resource("BTCEUR"), waker))
    simulation.latency = 0.01
    quick = balanced.list(("BTCEUR", 10))
    assert not slow.is_done
    assert simulation.until(slow) is quick[0]


def test_what_was_given_gives_way_once_the_clock_of_the_server_was_set_back() -> None:
    balanced = Balanced()
    balanced.single(50)
    assert str(balanced.single(20).sell_price) == "50.00"
    balanced.single(1_000)
    assert str(balanced.single(20).sell_price) == "20.00"
