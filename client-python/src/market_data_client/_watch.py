from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from ._poller import Poller, is_maintenance
from ._steps import Call, Steps, Wait, Waker, WatchEndedError
from .models import ServiceStatus
from .state import ToServerTime, WatchState, data_state, final_state, is_news, service_state

T = TypeVar("T")

OnState = Callable[[WatchState], object]


class End:
    """What a watch gives when it has ended."""


class Source(Protocol[T]):
    """What a watch reads."""

    @property
    def pollers(self) -> tuple[Poller[Any], ...]:
        """The first that is due is polled first."""
        ...

    @property
    def latest(self) -> T | None: ...

    def state(self) -> WatchState: ...

    def polled(self, poller: Poller[Any]) -> None:
        """Called when a poll has ended: another one may be due because of it."""
        ...

    def is_offered(self, state: WatchState) -> bool:
        """Whether the watch yields ``latest`` in this state."""
        ...

    def is_same(self, one: T, other: T) -> bool: ...


class DataSource(Generic[T]):
    """Data together with the status of the service: prices are still served while the feed is stale.

    When maintenance begins, the status is polled at once to learn its end; when it ends early, the data is. When the feed
    becomes worse, the status is polled to learn the age of the data.
    """

    def __init__(
        self,
        data: Poller[T],
        service: Poller[ServiceStatus],
        to_server_time: ToServerTime,
        *,
        max_data_age: float,
        includes_stale: bool,
    ) -> None:
        self._data = data
        self._service = service
        self._to_server_time = to_server_time
        self._max_data_age = max_data_age
        self._includes_stale = includes_stale
        self._was_in_maintenance = False
        self._was_degraded = False

    @property
    def pollers(self) -> tuple[Poller[Any], ...]:
        return (self._service, self._data)

    @property
    def latest(self) -> T | None:
        return self._data.latest

    def state(self) -> WatchState:
        return data_state(self._data, self._service, self._to_server_time, self._max_data_age)

    def polled(self, poller: Poller[Any]) -> None:
        status = self._service.latest
        shows_window = status is not None and status.status == "maintenance"
        is_in_maintenance = is_maintenance(self._data.condition.failure)
        if poller is self._data and is_in_maintenance and not self._was_in_maintenance and not shows_window:
            self._service.poll_now()
        is_over = self._service.condition.kind == "ok" and not shows_window
        if poller is self._service and is_over and is_in_maintenance:
            self._data.poll_now()
        self._was_in_maintenance = is_in_maintenance
        is_degraded = self._data.feed == "degraded"
        is_age_known = status is not None and status.components.ticker == "degraded"
        if is_degraded and not self._was_degraded and not is_age_known and self._service.condition.kind == "ok":
            self._service.poll_now()
        self._was_degraded = is_degraded

    def is_offered(self, state: WatchState) -> bool:
        return self._includes_stale or state.is_reliable

    def is_same(self, one: T, other: T) -> bool:
        # Unchanged data is the same object, thanks to the entity tag.
        return one is other


class StatusSource:
    """The status itself. A new server time alone is not a change."""

    def __init__(self, service: Poller[ServiceStatus], to_server_time: ToServerTime, max_data_age: float) -> None:
        self._service = service
        self._to_server_time = to_server_time
        self._max_data_age = max_data_age

    @property
    def pollers(self) -> tuple[Poller[Any], ...]:
        return (self._service,)

    @property
    def latest(self) -> ServiceStatus | None:
        return self._service.latest

    def state(self) -> WatchState:
        return service_state(self._service, self._to_server_time, self._max_data_age)

    def polled(self, poller: Poller[Any]) -> None:
        pass

    def is_offered(self, state: WatchState) -> bool:
        return True

    def is_same(self, one: ServiceStatus, other: ServiceStatus) -> bool:
        return one == replace(other, last_updated_at=one.last_updated_at, server_time=one.server_time)


class WatchCore(Generic[T]):
    """Data that is polled while a loop reads it. A slow loop misses what was replaced, never what is current."""

    def __init__(self, source: Source[T], on_state: OnState | None, lock: threading.Lock) -> None:
        self._source = source
        self._lock = lock
        self._on_state = on_state
        self._wakers: set[Waker] = set()
        self._finals = [(poller, poller.final_count) for poller in source.pollers]
        self._is_begun = False
        self._is_ended = False
        self._delivered: T | None = None
        self.state = WatchState("starting")

    @property
    def latest(self) -> T | None:
        return self._source.latest

    def end(self) -> None:
        with self._lock:
            self._is_ended = True
            for waker in self._wakers:
                waker.cancel()

    def next(self, waker: Waker) -> Steps[T | End]:
        if self._is_ended:
            return End()
        pollers = self._source.pollers
        self._wakers.add(waker)
        for poller in pollers:
            if not self._is_begun:
                poller.restart_if_refused()
            poller.followers.add(waker)
        self._is_begun = True
        try:
            return (yield from self._next(waker))
        except WatchEndedError:
            return End()
        finally:
            self._wakers.discard(waker)
            for poller in pollers:
                poller.followers.discard(waker)

    def _next(self, waker: Waker) -> Steps[T | End]:
        pollers = self._source.pollers
        while True:
            yield from self._raise_final()
            due = next((poller for poller in pollers if poller.is_due and not poller.is_under_way), None)
            if due is not None:
                yield from due.poll(waker, self._tell)
                self._source.polled(due)
                continue
            # Another loop's poll may change the state: only a wait for the limit is told before its end.
            if all(not poller.is_under_way or poller.condition.kind == "limited" for poller in pollers):
                yield from self._tell()
                self._raise_unheard()
                latest = self._source.latest
                if latest is not None and self._is_deliverable(latest):
                    self._delivered = latest
                    return latest
            next_due = min((poller.due for poller in pollers if not poller.is_under_way), default=math.inf)
            yield Wait(next_due if next_due < math.inf else None)

    def _is_deliverable(self, latest: T) -> bool:
        if not self._source.is_offered(self.state):
            return False
        return self._delivered is None or not self._source.is_same(latest, self._delivered)

    def _raise_final(self) -> Steps[None]:
        """A failure of one loop's poll that persists ends every loop that reads the same."""
        for poller, seen in self._finals:
            if poller.final is not None and poller.final_count > seen:
                self._is_ended = True
                yield from self._enter(final_state(poller.final))
                raise poller.final

    def _raise_unheard(self) -> None:
        """Without a listener nobody would learn that the key is refused."""
        if self.state.kind == "unauthorized" and self._on_state is None and self.state.failure is not None:
            self._is_ended = True
            raise self.state.failure

    def _tell(self) -> Steps[None]:
        return self._enter(self._source.state())

    def _enter(self, state: WatchState) -> Steps[None]:
        is_told = is_news(state, self.state)
        self.state = state
        if not is_told or self._on_state is None:
            return
        try:
            yield Call(partial(self._on_state, state))
        except Exception:
            self._is_ended = True
            raise
