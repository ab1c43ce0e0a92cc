from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import quote

from ._budget import OnWait, shared_budget
from ._newest import GivenTickers
from ._poller import Poller
from ._requester import CallLimits, Fetched, Requester, Resource
from ._settings import Settings, check_positive
from ._shapes import instant_of, read_markets, read_status, read_ticker, read_tickers, read_time
from ._steps import Steps, Waker
from ._watch import DataSource, OnState, StatusSource, WatchCore
from .errors import MarketDataFailure
from .models import Age, ClockOffset, LimitFigures, Market, ServerTime, ServiceStatus, Ticker
from .state import data_age

T = TypeVar("T")

TIME: Resource[ServerTime] = Resource("/v1/time", read_time, lambda time: time.server_time.timestamp())
STATUS: Resource[ServiceStatus] = Resource("/v1/status", read_status, lambda status: status.server_time.timestamp())
MARKETS: Resource[tuple[Market, ...]] = Resource("/v1/markets", read_markets)
TICKERS: Resource[tuple[Ticker, ...]] = Resource(
    "/v1/tickers", read_tickers, newest=lambda answered, given: given.tickers(answered)
)

_TICKER_INTERVAL = 5.0
_MARKETS_INTERVAL = 3_600.0
_STATUS_INTERVAL = 60.0
"""The recommended polling intervals (contract, Limits, rule 5)."""
_STATUS_INTERVAL_IN_TROUBLE = 15.0
"""While the feed is worse and in maintenance, when the contract allows more than once a minute."""
_WINDOW_END_GAP = 1.0
"""The shortest wait for the end of a window."""
_IMPRECISE_CLOCK = 2.0
"""With wider bounds the end of a window is too uncertain to wait for: the client measures the server's time first."""
_MEASURE_GAP = 60.0
"""Shortest time between two measurements of the clock."""


def ticker_resource(symbol: str) -> Resource[Ticker]:
    upper = "".join(letter.upper() if "a" <= letter <= "z" else letter for letter in symbol)
    path = f"/v1/ticker?symbol={quote(upper, safe='', errors='replace')}"
    return Resource(path, read_ticker, newest=lambda answered, given: given.ticker(answered))


class Core:
    """What both fronts share: it decides what is sent and when, and does no I/O."""

    def __init__(self, settings: Settings, redact: Callable[[str], str]) -> None:
        self.settings = settings
        self.clock = settings.clock
        self.budget = shared_budget(settings.clock, settings.random, settings.base_url, settings.api_key)
        self.lock = self.budget.lock
        self.feed_status: str | None = None
        self._given = GivenTickers(self.budget.server_clock)
        self._requester = Requester(
            clock=settings.clock,
            random=settings.random,
            budget=self.budget,
            hooks=settings.hooks,
            redact=redact,
            waits_for_budget=settings.wait_for_limit,
            attempt_timeout=settings.attempt_timeout,
        )
        self._is_clock_used = False
        """The caller uses the server's time, so it is measured again from time to time."""
        self._calls_under_way = 0
        self._measure_from = -math.inf
        self._status_poller = self._poller(STATUS, self._status_interval, _STATUS_INTERVAL)
        self._markets_poller = self._poller(MARKETS, lambda _: _MARKETS_INTERVAL, _STATUS_INTERVAL)
        self._tickers_poller = self._poller(TICKERS, lambda _: _TICKER_INTERVAL, _TICKER_INTERVAL)
        self._ticker_pollers: dict[str, Poller[Ticker]] = {}

    def get(self, resource: Resource[T], deadline: float | None, max_attempts: int | None, waker: Waker) -> Steps[T]:
        limits = CallLimits(
            attempts=self.settings.max_attempts if max_attempts is None else max_attempts,
            deadline=self.settings.deadline if deadline is None else deadline,
        )
        check_positive("deadline", limits.deadline)
        check_positive("max_attempts", limits.attempts)
        self._calls_under_way += 1
        try:
            return (yield from self._fetch(resource, limits, waker)).value
        finally:
            self._calls_under_way -= 1

    def exchange_key(self, api_key: str) -> None:
        """For a key that has been checked."""
        settings = self.settings
        with self.lock:
            clock = self.budget.server_clock
            self.budget = shared_budget(settings.clock, settings.random, settings.base_url, api_key, clock)
            self._requester.exchange(self.budget)
            own: list[Poller[Any]] = [self._status_poller, self._markets_poller, self._tickers_poller]
            for poller in (*own, *self._ticker_pollers.values()):
                poller.poll_now()

    def sync_clock(self, deadline: float | None, max_attempts: int | None, waker: Waker) -> Steps[ClockOffset]:
        yield from self.get(TIME, deadline, max_attempts, waker)
        self._is_clock_used = True
        clock = self.budget.server_clock
        return ClockOffset(timedelta(seconds=clock.offset), timedelta(seconds=clock.width / 2))

    def now(self) -> datetime:
        with self.lock:
            self._is_clock_used = True
            return _milliseconds(self.budget.server_clock.now())

    def age(self, of: Ticker | ServiceStatus) -> Age:
        at = of.timestamp if isinstance(of, Ticker) else of.last_updated_at
        with self.lock:
            clock = self.budget.server_clock
            now, uncertainty = _milliseconds(clock.now()), clock.uncertainty
        age = timedelta.max if at is None else max(timedelta(), now - at)
        return Age(age, timedelta.max if math.isinf(uncertainty) else timedelta(seconds=uncertainty))

    @property
    def left(self) -> LimitFigures | None:
        with self.lock:
            left = self.budget.left()
        return None if left is None else LimitFigures(left.limit, left.remaining, instant_of(left.reset * 1_000))

    def watch_status(self, on_state: OnState | None) -> WatchCore[ServiceStatus]:
        source = StatusSource(self._status_poller, self._to_server_time, self.settings.max_data_age)
        return WatchCore(source, on_state, self.lock)

    def watch_markets(self, on_state: OnState | None) -> WatchCore[tuple[Market, ...]]:
        return self._watch_data(self._markets_poller, on_state, includes_stale=True)

    def watch_tickers(self, on_state: OnState | None, *, include_stale: bool) -> WatchCore[tuple[Ticker, ...]]:
        return self._watch_data(self._tickers_poller, on_state, includes_stale=include_stale)

    def watch_ticker(self, symbol: str, on_state: OnState | None, *, include_stale: bool) -> WatchCore[Ticker]:
        resource = ticker_resource(symbol)
        with self.lock:
            poller = self._ticker_pollers.get(resource.path)
            if poller is None:
                poller = self._poller(resource, lambda _: _TICKER_INTERVAL, _TICKER_INTERVAL)
                self._ticker_pollers[resource.path] = poller
        return self._watch_data(poller, on_state, includes_stale=include_stale)

    def seconds_to(self, until: float | None) -> float | None:
        """Real seconds to a steady instant, for a front to wait."""
        return None if until is None else max(0.0, until - self.clock.steady()) / self.clock.speed

    def _watch_data(self, poller: Poller[T], on_state: OnState | None, *, includes_stale: bool) -> WatchCore[T]:
        source = DataSource(
            poller,
            self._status_poller,
            self._to_server_time,
            max_data_age=self.settings.max_data_age,
            includes_stale=includes_stale,
        )
        return WatchCore(source, on_state, self.lock)

    def _poller(self, resource: Resource[T], interval: Callable[[T], float], after_failure: float) -> Poller[T]:
        def ask(waker: Waker, on_wait: OnWait) -> Steps[Fetched[T]]:
            self._is_clock_used = True
            return self._fetch(resource, CallLimits(attempts=1, deadline=math.inf, on_wait=on_wait), waker)

        return Poller(
            clock=self.clock,
            random=self.settings.random,
            ask=ask,
            interval=interval,
            after_failure=after_failure,
        )

    def _fetch(self, resource: Resource[T], limits: CallLimits, waker: Waker) -> Steps[Fetched[T]]:
        if self._is_measuring_due(resource):
            started = self.clock.steady()
            self._measure_from = started + _MEASURE_GAP
            yield from self._measure(limits, waker)
            limits = replace(limits, deadline=limits.deadline - (self.clock.steady() - started))
        fetched = yield from self._requester.get(resource, limits, waker)
        if fetched.feed is not None:
            self.feed_status = fetched.feed
        if resource.newest is None:
            return fetched
        # Last: whatever another call was given while this one called hooks counts.
        return replace(fetched, value=resource.newest(fetched.value, self._given))

    def _is_measuring_due(self, resource: Resource[Any]) -> bool:
        """While the caller uses the server's time, and when calls run in parallel or the window is nearly used up.

        A wait for the next window needs to know when that begins.
        """
        if resource.server_time is not None:
            return False
        clock = self.budget.server_clock
        is_due = self._is_clock_used and clock.precise_age > self.settings.remeasure_clock
        is_imprecise = self.settings.wait_for_limit and clock.width > _IMPRECISE_CLOCK
        is_needed = is_due or (is_imprecise and (self.budget.is_scarce or self._calls_under_way > 1))
        return is_needed and self.clock.steady() >= self._measure_from

    def _measure(self, limits: CallLimits, waker: Waker) -> Steps[None]:
        """Ignores failures: the request that follows meets them too."""
        try:
            deadline = min(limits.deadline, self.settings.attempt_timeout)
            yield from self._requester.get(TIME, CallLimits(attempts=1, deadline=deadline), waker)
        except MarketDataFailure:
            pass

    def _status_interval(self, status: ServiceStatus) -> float:
        """More often while something is wrong, at the announced end of a window, and when data is getting too old."""
        if status.status == "maintenance" and status.maintenance is not None:
            left = (status.maintenance.end - status.server_time).total_seconds()
            return max(_WINDOW_END_GAP, min(_STATUS_INTERVAL_IN_TROUBLE, left))
        if status.components.ticker == "degraded":
            left = self.settings.max_data_age - data_age(status)
            soon = min(_STATUS_INTERVAL_IN_TROUBLE, left + 0.001)
            return _STATUS_INTERVAL_IN_TROUBLE if left < 0 else max(_TICKER_INTERVAL, soon)
        is_in_trouble = status.components.ticker == "outage" or status.status == "maintenance"
        return _STATUS_INTERVAL_IN_TROUBLE if is_in_trouble else _STATUS_INTERVAL

    def _to_server_time(self, steady: float) -> datetime:
        return _milliseconds(self.budget.server_clock.now() + steady - self.clock.steady())


def _milliseconds(seconds: float) -> datetime:
    return instant_of(math.floor(seconds * 1_000))
