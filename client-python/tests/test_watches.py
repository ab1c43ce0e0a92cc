"""Watches, in simulated time."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from answers import Service, instant, problem, status, ticker
from simulation import LOST, START, Reading, Reply

from market_data_client._core import Core
from market_data_client.errors import InvalidApiKeyProblem, MalformedAnswer, UnknownSymbolProblem
from market_data_client.models import Ticker
from market_data_client.state import WatchState


class Watching:
    """A service, a client of it, and a loop over all prices."""

    def __init__(self, service: Service | None = None, **options: Any) -> None:
        self.service = service or Service()
        self.simulation = self.service.simulation
        self.core = self.simulation.core(**options)
        self.states: list[WatchState] = []
        self.told_at: list[float] = []
        self.reading = self.read()

    def read(self, *, include_stale: bool = False) -> Reading[tuple[Ticker, ...]]:
        return self._read(self.core, include_stale)

    def _read(self, core: Core, include_stale: bool) -> Reading[tuple[Ticker, ...]]:
        on_state = None if include_stale else self._on_state
        return Reading(self.simulation, core, core.watch_tickers(on_state, include_stale=include_stale))

    def _on_state(self, state: WatchState) -> None:
        self.states.append(state)
        self.told_at.append(self.simulation.clock.passed)

    @property
    def kinds(self) -> list[str]:
        return [state.kind for state in self.states]

    @property
    def given(self) -> list[tuple[Ticker, ...]]:
        return self.reading.given

    def move(self) -> None:
        self.service.price += 1

    def window(self, seconds: float) -> None:
        self.service.window = (self.service.now, self.service.now + seconds)


def gaps(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times)]


def test_gives_prices_at_once_and_then_only_when_they_change_asking_every_five_seconds_and_a_little_more() -> None:
    watching = Watching()
    watching.simulation.pass_time(60)
    assert len(watching.given) == 1
    asked = watching.simulation.times("/v1/tickers")
    assert asked[0] < 0.1
    assert all(5 <= gap <= 5.6 for gap in gaps(asked))
    watching.move()
    watching.simulation.pass_time(6)
    assert len(watching.given) == 2
    assert watching.given[1][0].sell_price - watching.given[0][0].sell_price == 1
    assert watching.kinds == ["operational"]
    assert set(watching.simulation.statuses()) == {200, 304}


def test_asks_for_the_status_once_a_minute_and_needs_no_request_for_the_time() -> None:
    watching = Watching()
    watching.simulation.pass_time(3_600)
    assert all(60 <= gap <= 66.1 for gap in gaps(watching.simulation.times("/v1/status")))
    assert watching.simulation.times("/v1/time") == []


def test_asks_for_markets_once_an_hour() -> None:
    service = Service()
    core = service.simulation.core()
    reading = Reading(service.simulation, core, core.watch_markets(None))
    service.simulation.pass_time(7_300)
    assert len(service.simulation.times("/v1/markets")) == 2
    assert len(reading.given) == 1


def test_costs_the_same_requests_however_many_loops_read_and_each_gets_everything() -> None:
    watching = Watching()
    readings = [watching.reading, watching.read(), watching.read()]
    watching.simulation.pass_time(4)
    readings.append(watching.read())
    watching.simulation.pass_time(1)
    watching.move()
    watching.simulation.pass_time(6)
    assert [len(reading.given) for reading in readings] == [2, 2, 2, 2]
    assert len(watching.simulation.times("/v1/tickers")) <= 3


def test_begun_anew_right_after_one_ended_asks_no_sooner_for_it() -> None:
    service = Service()
    core = service.simulation.core()
    for _ in range(10):
        watch = core.watch_tickers(None, include_stale=False)
        service.simulation.until(service.simulation.spawn(core, watch.next))
        watch.end()
    assert len(service.simulation.times("/v1/tickers")) == 1


def test_ends_at_once_when_it_is_closed_also_while_it_waits_for_the_limit() -> None:
    watching = Watching(Service(limit=2))
    watching.simulation.pass_time(20)
    assert watching.kinds[-1] == "limited"
    watching.reading.watch.end()
    watching.simulation.pass_time(0.1)
    assert watching.reading.job.result() is True
    before = len(watching.simulation.asked)
    watching.simulation.pass_time(120)
    assert len(watching.simulation.asked) == before


def test_a_slow_loop_gets_what_is_current_and_not_what_it_missed() -> None:
    service = Service()
    core = service.simulation.core()
    watch = core.watch_ticker("btceur", None, include_stale=False)
    service.simulation.until(service.simulation.spawn(core, watch.next))
    for _ in range(3):
        service.price += 1
        service.simulation.pass_time(7)
    value = service.simulation.until(service.simulation.spawn(core, watch.next))
    assert isinstance(value, Ticker)
    assert value.sell_price == 49_753
    assert value is watch.latest


def test_says_once_that_maintenance_runs_and_until_when_gives_nothing_and_goes_on_as_it_ends() -> None:
    watching = Watching()
    watching.simulation.pass_time(1)
    watching.window(600)
    end = watching.simulation.clock.passed + 600
    watching.simulation.pass_time(300)
    watching.move()
    watching.simulation.pass_time(310)
    assert watching.kinds == ["operational", "maintenance", "operational"]
    window = watching.states[1].window
    assert window is not None
    assert window.description == "Upgrade."
    assert watching.states[1].until == window.end
    assert end <= watching.told_at[2] <= end + 2
    assert len(watching.given) == 2
    assert len([asked for asked in watching.simulation.asked if asked.path == "/v1/tickers" and asked.status == 503]) <= 2


def test_leaves_maintenance_within_moments_of_the_status_that_says_it_is_over() -> None:
    watching = Watching()
    watching.simulation.pass_time(1)
    watching.window(7_200)
    watching.simulation.pass_time(1_000)
    watching.service.window = None
    ended = watching.simulation.clock.passed
    watching.simulation.pass_time(20)
    assert watching.kinds == ["operational", "maintenance", "operational"]
    status_at = next(at for at in watching.simulation.times("/v1/status") if at >= ended)
    assert watching.told_at[2] - status_at < 0.1


def test_of_the_status_sees_a_window_end_as_announced() -> None:
    service = Service()
    service.window = (START, START + 100)
    core = service.simulation.core()
    kinds: list[tuple[str, float]] = []
    watch = core.watch_status(lambda state: kinds.append((state.kind, service.simulation.clock.passed)))
    Reading(service.simulation, core, watch)
    service.simulation.pass_time(130)
    assert [kind for kind, _ in kinds] == ["maintenance", "operational"]
    assert 100 <= kinds[1][1] <= 103


def test_tells_it_again_when_a_window_moves() -> None:
    watching = Watching()
    watching.simulation.pass_time(1)
    watching.window(300)
    watching.simulation.pass_time(100)
    watching.window(600)
    watching.simulation.pass_time(100)
    assert watching.kinds == ["operational", "maintenance", "maintenance"]


def test_tells_an_outage_of_the_feed_though_prices_are_served_on_and_holds_them_back() -> None:
    watching = Watching()
    everything = watching.read(include_stale=True)
    watching.simulation.pass_time(10)
    watching.service.feed = "outage"
    watching.simulation.pass_time(70)
    assert watching.kinds == ["operational", "outage"]
    watching.move()
    watching.simulation.pass_time(6)
    assert [len(watching.given), len(everything.given)] == [1, 2]
    watching.service.feed = "operational"
    watching.simulation.pass_time(20)
    assert watching.kinds == ["operational", "outage", "operational"]
    assert len(watching.given) == 2


def test_learns_the_state_of_the_feed_with_the_prices_where_the_answer_has_it() -> None:
    service = Service()
    service.tells_feed = True
    watching = Watching(service)
    watching.simulation.pass_time(10)
    service.feed = "outage"
    watching.move()
    watching.simulation.pass_time(6)
    assert watching.kinds == ["operational", "outage"]
    assert [len(watching.given), watching.core.feed_status] == [1, "outage"]
    service.feed = "degraded"
    service.broken["/v1/status"] = LOST
    watching.simulation.pass_time(90)
    assert watching.kinds[-1] == "degraded"
    assert len(watching.given) == 2


def test_relies_on_a_service_that_works_worse_up_to_the_age_of_its_data_that_the_caller_allows() -> None:
    for options, bound in (({}, 30), ({"max_data_age": 120.0}, 120)):
        service = Service()
        service.tells_feed = True
        watching = Watching(service, **options)
        watching.simulation.pass_time(20)
        service.feed, service.updated = "degraded", service.now
        watching.move()
        watching.simulation.pass_time(bound - 2)
        assert [watching.kinds, len(watching.given)] == [["operational", "degraded"], 2]
        assert watching.reading.watch.state.is_reliable
        watching.simulation.pass_time(10)
        assert watching.kinds == ["operational", "degraded", "outage"]
        service.feed, service.updated = "operational", None
        watching.move()
        watching.simulation.pass_time(6)
        assert [watching.kinds[-1], len(watching.given)] == ["operational", 3]


def test_takes_the_age_of_the_data_from_the_status_alone_whatever_the_local_clock_says() -> None:
    for offset in (0.0, 86_400.0, -86_400.0):
        service = Service(offset=offset)
        service.feed = "degraded"
        for age, kind in ((30.0, "degraded"), (30.001, "outage")):
            updated = instant("lastUpdatedAt", service.now - age)
            service.broken["/v1/status"] = Reply(200, status(service.now, "degraded", **updated))
            watching = Watching(service)
            watching.simulation.pass_time(10)
            assert watching.kinds == [kind]


def test_tells_of_the_limit_spent_by_others_and_asks_again_only_in_the_next_minute() -> None:
    watching = Watching()
    watching.simulation.pass_time(10)
    watching.service.spend(60)
    watching.simulation.pass_time(49)
    assert watching.kinds == ["operational", "limited"]
    until = watching.states[1].until
    assert until is not None
    assert until.timestamp() >= START + 60
    assert watching.simulation.statuses().count(429) <= 1
    watching.move()
    watching.simulation.pass_time(20)
    assert watching.kinds == ["operational", "limited", "operational"]
    assert len(watching.given) == 2


def test_that_nobody_listens_to_ends_when_the_key_is_refused_and_one_with_a_listener_says_why_and_goes_on() -> None:
    watching = Watching()
    unheard = watching.read(include_stale=True)
    watching.simulation.pass_time(1)
    for path in ("/v1/tickers", "/v1/status"):
        watching.service.broken[path] = problem(401, "INVALID_API_KEY")
    watching.simulation.pass_time(6)
    assert isinstance(unheard.job.error, InvalidApiKeyProblem)
    assert watching.reading.job.error is None
    assert watching.kinds == ["operational", "unauthorized"]
    state = watching.states[-1]
    assert isinstance(state.failure, InvalidApiKeyProblem)
    assert state.until is not None
    assert state.until.timestamp() - watching.service.now > 50, "failed authentication has a limit: once a minute"
    watching.simulation.pass_time(300)
    assert 5 <= watching.simulation.statuses().count(401) <= 12
    assert watching.kinds == ["operational", "unauthorized"]


def test_goes_on_at_once_with_a_key_that_is_exchanged() -> None:
    watching = Watching()
    watching.simulation.pass_time(1)
    for path in ("/v1/tickers", "/v1/status"):
        watching.service.broken[path] = problem(401, "INVALID_API_KEY")
    watching.simulation.pass_time(6)
    watching.service.broken.clear()
    watching.move()
    watching.core.exchange_key("another")
    watching.simulation.pass_time(0.1)
    assert watching.kinds == ["operational", "unauthorized", "operational"]
    assert len(watching.given) == 2
    assert watching.core.left is not None


def test_a_loop_that_begins_learns_for_itself_whether_the_key_is_still_refused() -> None:
    watching = Watching()
    unheard = watching.read(include_stale=True)
    watching.reading.job.cancel()
    for path in ("/v1/tickers", "/v1/status"):
        watching.service.broken[path] = problem(401, "INVALID_API_KEY")
    watching.simulation.pass_time(7)
    assert isinstance(unheard.job.error, InvalidApiKeyProblem)
    watching.service.broken.clear()
    again = watching.read(include_stale=True)
    watching.simulation.pass_time(6)
    assert len(again.given) == 1


def test_ends_with_the_error_when_its_symbol_is_not_traded_and_goes_on_when_it_only_has_no_price() -> None:
    service = Service()
    core = service.simulation.core()
    states: list[WatchState] = []
    unknown = Reading(service.simulation, core, core.watch_ticker("NOPEEUR", states.append, include_stale=False))
    service.simulation.pass_time(1)
    assert isinstance(unknown.job.error, UnknownSymbolProblem)
    service.broken["/v1/ticker?symbol=BTCEUR"] = problem(503, "MARKET_DATA_UNAVAILABLE", Retry_After="5")
    priceless = Reading(service.simulation, core, core.watch_ticker("BTCEUR", states.append, include_stale=False))
    service.simulation.pass_time(30)
    assert [state.kind for state in states] == ["refused", "outage"]
    service.broken.clear()
    service.simulation.pass_time(60)
    assert len(priceless.given) == 1


def test_asks_ever_less_often_up_to_a_minute_while_nobody_answers_and_recovers_by_itself() -> None:
    watching = Watching()
    watching.simulation.pass_time(1)
    watching.service.is_down = True
    watching.simulation.pass_time(300)
    waits = gaps(watching.simulation.times("/v1/tickers"))
    assert all(gap >= 5 for gap in waits)
    assert all(gap > 4.9 * 2**index for index, gap in enumerate(waits[1:5]))
    assert len(waits) <= 9
    assert max(waits) <= 76
    assert watching.kinds == ["operational", "outage"]
    watching.service.is_down = False
    watching.move()
    watching.simulation.pass_time(140)
    assert watching.kinds[-1] == "operational"
    assert len(watching.given) == 2


def test_does_not_take_the_same_prices_for_a_change_after_a_restart_gave_them_another_tag() -> None:
    watching = Watching()
    watching.simulation.pass_time(1)
    body = {"tickers": [ticker(START)]}
    watching.service.broken["/v1/tickers"] = Reply(200, body, {"ETag": '"other"'})
    watching.simulation.pass_time(20)
    assert len(watching.given) == 1


def test_takes_garbage_for_an_outage_and_never_for_prices() -> None:
    watching = Watching()
    watching.simulation.pass_time(1)
    watching.service.broken["/v1/tickers"] = Reply(200, {"tickers": [ticker(START, buyPrice=50260.05)]})
    watching.simulation.pass_time(30)
    assert watching.states[-1].kind == "outage"
    assert isinstance(watching.states[-1].failure, MalformedAnswer)
    assert len(watching.given) == 1


def test_holds_prices_back_in_a_state_that_it_does_not_know_and_names_that() -> None:
    service = Service()
    service.broken["/v1/status"] = Reply(200, status(START, "recovering"))
    watching = Watching(service)
    watching.simulation.pass_time(10)
    assert [(state.kind, state.status) for state in watching.states] == [("unrecognized", "recovering")]
    assert watching.given == []


def test_goes_on_as_degraded_while_the_status_alone_cannot_be_had() -> None:
    service = Service()
    service.broken["/v1/status"] = LOST
    watching = Watching(service)
    watching.simulation.pass_time(10)
    assert [watching.kinds, len(watching.given)] == [["degraded"], 1]


def test_ends_with_what_its_callback_raises() -> None:
    service = Service()
    core = service.simulation.core()

    def on_state(_: WatchState) -> None:
        raise RuntimeError("mine")

    reading = Reading(service.simulation, core, core.watch_tickers(on_state, include_stale=False))
    service.simulation.pass_time(1)
    with pytest.raises(RuntimeError, match="mine"):
        reading.job.result()


def test_a_cancelled_loop_leaves_the_others_and_itself_able_to_go_on() -> None:
    watching = Watching()
    other = watching.read()
    watching.simulation.pass_time(1)
    watching.reading.job.cancel()
    watching.move()
    watching.simulation.pass_time(12)
    assert len(other.given) == 2
    again = watching.simulation.spawn(watching.core, watching.reading.watch.next)
    assert watching.simulation.until(again) == other.given[1]


def test_never_goes_back_to_a_ticker_older_than_the_one_it_holds_unless_the_clock_of_the_server_was_set_back() -> None:
    watching = Watching()
    start = 1_795_255_200.0

    def answer(*ages: tuple[str, float, str]) -> None:
        tickers = [ticker(start + at, symbol=symbol, sellPrice=price) for symbol, at, price in ages]
        watching.service.broken["/v1/tickers"] = Reply(200, {"tickers": tickers})
        watching.simulation.pass_time(6)

    answer(("BTCEUR", 10, "10.00"), ("ETHEUR", 10, "1.00"))
    before = len(watching.given)
    answer(("BTCEUR", 9, "9.00"), ("ETHEUR", 9, "0.90"))
    assert len(watching.given) == before
    answer(("BTCEUR", 9, "9.00"), ("ETHEUR", 11, "1.10"))
    assert [str(each.sell_price) for each in watching.given[-1]] == ["10.00", "1.10"]
    answer(("BTCEUR", -3_600, "7.00"))
    assert [str(each.sell_price) for each in watching.given[-1]] == ["10.00"]
    answer(("BTCEUR", 3_600, "12.00"))
    answer(("BTCEUR", 20, "8.00"))
    assert [str(each.sell_price) for each in watching.given[-1]] == ["8.00"]
