"""What a watch knows about the service behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ._poller import Condition, Poller, is_maintenance
from .errors import ApiProblem, MarketDataFailure, is_key_refused
from .models import MaintenanceWindow, ServiceStatus, is_known_service_status

WatchStateKind = Literal[
    "starting",
    "operational",
    "degraded",
    "outage",
    "maintenance",
    "limited",
    "unrecognized",
    "unauthorized",
    "refused",
]


@dataclass(frozen=True, slots=True)
class WatchState:
    """``kind`` decides; the set can grow, so treat others like ``outage``.

    ``starting``: nothing is known yet. ``operational``: everything works. ``degraded``: the service works worse, and its data
    is older than usual, up to ``max_data_age``; or the status is not available. ``outage``: no data, no answer, or data too
    old to rely on: older than ``max_data_age``. ``maintenance``: announced maintenance is running. ``limited``: the key's
    requests for this minute are used up. ``unrecognized``: the service is in a state that this version does not
    know. ``unauthorized``: the key was refused, for the reason in ``failure``; tried again at ``until``, and at once after
    ``exchange_key``. ``refused``: the request was refused permanently, and the watch has ended.
    """

    kind: WatchStateKind
    until: datetime | None = None
    """When the next request is sent, or the window is expected to end; in the server's time."""
    failure: MarketDataFailure | None = None
    """The failure, when a request failed."""
    window: MaintenanceWindow | None = None
    """The running window, once the status reports it."""
    status: str | None = None
    """The state as the service named it, when it is ``unrecognized``."""

    @property
    def is_reliable(self) -> bool:
        """Whether data seen in this state can be relied on: it is no older than ``max_data_age`` as far as that is known."""
        return self.kind in ("operational", "degraded")


ToServerTime = Callable[[float], datetime]
"""Converts a steady instant to server time."""


def data_age(status: ServiceStatus) -> float:
    """Seconds; the age of the market data when the status was answered, by the server's clock alone."""
    at = status.last_updated_at
    return math.inf if at is None else (status.server_time - at).total_seconds()


def data_state(
    data: Poller[Any], service: Poller[ServiceStatus], to_server_time: ToServerTime, max_data_age: float
) -> WatchState:
    """The state of a watch on data: the condition of its own polls, then the state of the feed.

    An answer that states the feed's state itself is newer than the last status.
    """
    status = service.latest
    if is_key_refused(service.condition.failure):
        return _poll_state(service.condition, status, to_server_time)
    if data.condition.kind != "ok":
        return _poll_state(data.condition, status, to_server_time)
    is_status_lost = service.condition.kind == "failing"
    if data.feed is None and is_status_lost:
        return WatchState("degraded", failure=service.condition.failure)
    if data.feed is None and status is None:
        return WatchState("starting")
    states = [] if data.feed is None else [data.feed]
    if status is not None and not is_status_lost:
        states += [status.api] if data.feed is not None else [status.components.ticker, status.api]
    # The data arrived, so no window is running any more, whatever an older status says.
    return _named_state(_worst_of(state for state in states if state != "maintenance"), status, max_data_age)


def service_state(service: Poller[ServiceStatus], to_server_time: ToServerTime, max_data_age: float) -> WatchState:
    """The state of a watch on the status itself."""
    status = service.latest
    if service.condition.kind != "ok" or status is None:
        return _poll_state(service.condition, status, to_server_time)
    if status.status == "maintenance":
        return _in_maintenance(status, None, None)
    return _named_state(status.status, status, max_data_age)


def final_state(failure: MarketDataFailure) -> WatchState:
    """The state in which a watch ends."""
    return WatchState("refused", failure=failure)


def is_news(state: WatchState, before: WatchState) -> bool:
    """Whether a change is worth a call of ``on_state``: each state is told once, and again when a window moves."""
    window, known = state.window, before.window
    is_moved = window is not None and known is not None and window.end != known.end
    return state.kind != before.kind or state.status != before.status or is_moved


def _poll_state(condition: Condition, status: ServiceStatus | None, to_server_time: ToServerTime) -> WatchState:
    if condition.kind == "limited":
        return WatchState("limited", until=to_server_time(condition.until))
    failure = condition.failure
    if condition.kind != "failing" or failure is None:
        return WatchState("starting")
    until = to_server_time(condition.until)
    if isinstance(failure, ApiProblem) and failure.status == 429:
        return WatchState("limited", until=until, failure=failure)
    if is_key_refused(failure):
        return WatchState("unauthorized", until=until, failure=failure)
    if is_maintenance(failure):
        return _in_maintenance(status, until, failure)
    return WatchState("outage", until=until, failure=failure)


def _in_maintenance(status: ServiceStatus | None, retry_at: datetime | None, failure: MarketDataFailure | None) -> WatchState:
    """Until the end of the window once that is known, else until the next request."""
    window = status.maintenance if status is not None and status.status == "maintenance" else None
    return WatchState("maintenance", until=retry_at if window is None else window.end, failure=failure, window=window)


def _named_state(state: str, status: ServiceStatus | None, max_data_age: float) -> WatchState:
    """A service that works worse is not relied on once its data is too old; an older status says nothing about the age."""
    is_of_now = state == "degraded" and status is not None and status.components.ticker == state
    if status is not None and is_of_now and data_age(status) > max_data_age:
        return WatchState("outage")
    if is_known_service_status(state):
        return WatchState(state)
    return WatchState("unrecognized", status=state)


def _worst_of(states: Iterable[str]) -> str:
    """An unknown state counts as worse than an outage: it can mean anything."""
    order = ("operational", "degraded", "outage")
    return max(states, key=lambda state: order.index(state) if state in order else len(order), default="operational")
