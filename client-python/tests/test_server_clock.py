"""The server's time, in simulated time."""

from __future__ import annotations

from datetime import timedelta

import pytest
from answers import Service
from simulation import Simulation

from market_data_client._core import TICKERS, TIME, Core, ticker_resource
from market_data_client.models import ClockOffset, Ticker


def synced(simulation: Simulation, core: Core) -> ClockOffset:
    return simulation.until(simulation.spawn(core, lambda waker: core.sync_clock(None, None, waker)))


def test_is_the_local_clocks_until_it_is_measured_and_then_right_whatever_that_says() -> None:
    service = Service(offset=220.0)
    core = service.simulation.core()
    assert core.now().timestamp() == pytest.approx(service.simulation.clock.wall())
    offset = synced(service.simulation, core)
    assert offset.offset / timedelta(seconds=1) == pytest.approx(220, abs=0.02)
    assert offset.uncertainty < timedelta(milliseconds=11)
    service.simulation.pass_time(12.345)
    assert core.now().timestamp() == pytest.approx(service.now, abs=0.02)


def test_does_not_move_when_the_local_clock_is_set_back_and_never_makes_old_data_look_fresh() -> None:
    service = Service()
    simulation = service.simulation
    core = simulation.core()
    synced(simulation, core)
    resource = ticker_resource("BTCEUR")
    ticker = simulation.until(simulation.spawn(core, lambda waker: core.get(resource, None, None, waker)))
    simulation.pass_time(10)
    age = core.age(ticker)
    simulation.clock.offset -= 3_600
    assert core.age(ticker) == age
    simulation.clock.offset += 3_630
    # A machine that slept has only its wall clock to tell.
    assert core.age(ticker) - age == pytest.approx(timedelta(seconds=30), abs=timedelta(milliseconds=5))


def test_an_age_says_how_exact_it_is_and_asking_for_it_sends_nothing_not_even_later() -> None:
    service = Service(offset=220.0)
    simulation = service.simulation
    core = simulation.core()
    resource = ticker_resource("BTCEUR")

    def ask() -> Ticker:
        return simulation.until(simulation.spawn(core, lambda waker: core.get(resource, None, None, waker)))

    held = ask()
    simulation.pass_time(60)
    assert core.age(held).uncertainty > timedelta(seconds=1), "the local clock is wrong by minutes"
    ask()
    assert [asked.path for asked in simulation.asked] == [resource.path, resource.path]
    synced(simulation, core)
    age = core.age(held)
    assert age.uncertainty < timedelta(milliseconds=11)
    assert abs(age.total_seconds() - (service.now - held.timestamp.timestamp())) < 0.1
    assert simulation.core(api_key="other").age(held).uncertainty == timedelta.max


def test_follows_the_server_when_that_ones_clock_is_set() -> None:
    service = Service()
    core = service.simulation.core()
    synced(service.simulation, core)
    service.offset = -90.0
    synced(service.simulation, core)
    assert core.now().timestamp() == pytest.approx(service.now, abs=0.02)


def test_is_measured_again_after_half_an_hour_of_use() -> None:
    service = Service()
    simulation = service.simulation
    core = simulation.core()
    synced(simulation, core)
    for passed, measured in [(1_799, 1), (2, 2)]:
        simulation.pass_time(passed)
        simulation.until(simulation.spawn(core, lambda waker: core.get(TICKERS, None, None, waker)))
        assert len(simulation.times(TIME.path)) == measured
