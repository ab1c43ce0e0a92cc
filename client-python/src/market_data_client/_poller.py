from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from ._budget import OnWait
from ._requester import Fetched
from ._steps import Steps, Waker
from .clock import Clock
from .errors import ApiProblem, MarketDataFailure, is_final, is_key_refused

T = TypeVar("T")

_FAILURE_WAIT_MAX = 60.0
"""Longest time between polls while they fail, unless the server asks for more."""
_REFUSED_WAIT = 60.0
"""A refused key is not tried more often: failed authentication has a limit of its own."""
_JITTER = 0.1
"""The share by which a wait can be longer, never shorter, so that clients spread out."""
_FAILURE_JITTER = 0.25
_RETURN_SPREAD = 1.0
"""The most that is added to the end of a maintenance window."""
_REPORTED_WAIT_MIN = 1.0
"""A shorter wait for the limit is not reported."""


@dataclass(frozen=True, slots=True)
class Condition:
    """How the last poll went."""

    kind: Literal["starting", "ok", "limited", "failing"]
    until: float = math.inf
    """When the next request is sent."""
    failure: MarketDataFailure | None = None


def is_maintenance(failure: MarketDataFailure | None) -> bool:
    """Whether a failure reports running maintenance."""
    return isinstance(failure, ApiProblem) and failure.code == "SERVICE_MAINTENANCE"


class Poller(Generic[T]):
    """Polls one resource for all loops that read it: the number of loops does not change the number of requests.

    The loops do the polling: whichever finds a poll due makes it, and the others wait for its end.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        random: Callable[[], float],
        ask: Callable[[Waker, OnWait], Steps[Fetched[T]]],
        interval: Callable[[T], float],
        after_failure: float,
    ) -> None:
        self._clock = clock
        self._random = random
        self._ask = ask
        self._interval = interval
        """Time from the start of a successful poll to the start of the next."""
        self._after_failure = after_failure
        """Time from a first failure to the next poll; doubles with each further one."""
        self._failures = 0
        self.followers: set[Waker] = set()
        self.latest: T | None = None
        """The last successful answer; it stays while polls fail."""
        self.feed: str | None = None
        """State of the feed as the last successful answer stated it."""
        self.condition = Condition("starting")
        self.due = -math.inf
        self.is_under_way = False
        self.final: MarketDataFailure | None = None
        """The last failure that persists until the caller changes something."""
        self.final_count = 0

    @property
    def is_due(self) -> bool:
        return self._clock.steady() >= self.due

    def poll(self, waker: Waker, changed: Callable[[], Steps[None]]) -> Steps[None]:
        """One request, without retries. ``changed`` runs when it has to wait for the limit."""
        self.is_under_way = True
        started = self._clock.steady()
        # The poll counts even when the loop that makes it is cancelled.
        self.due = started + self._after_failure

        def limited(wait: float) -> Steps[None]:
            nonlocal started
            if wait >= _REPORTED_WAIT_MIN:
                started = self._clock.steady() + wait
                self.condition = Condition("limited", until=started)
                self.notify()
                yield from changed()

        try:
            fetched = yield from self._ask(waker, limited)
            self._succeeded(fetched, started)
        except MarketDataFailure as failure:
            self._failed(failure)
        finally:
            self.is_under_way = False
            self.notify()

    def poll_now(self) -> None:
        self.due = self._clock.steady()
        self.notify()

    def restart_if_refused(self) -> None:
        """For a loop that begins: it learns for itself whether the key is still refused."""
        if is_key_refused(self.condition.failure) and not self.followers:
            self.latest = None
            self.condition = Condition("starting")
            self.due = self._clock.steady()

    def notify(self) -> None:
        for follower in self.followers:
            follower.wake()

    def _succeeded(self, fetched: Fetched[T], started: float) -> None:
        self.latest = fetched.value
        self.feed = fetched.feed
        self.condition = Condition("ok")
        self._failures = 0
        self.due = started + self._interval(fetched.value) * (1 + self._random() * _JITTER)

    def _failed(self, failure: MarketDataFailure) -> None:
        if is_final(failure) and not is_key_refused(failure):
            self.final = failure
            self.final_count += 1
            self.latest = None
            self.condition = Condition("starting")
            return
        self.due = self._clock.steady() + self._wait_after(failure)
        self.condition = Condition("failing", until=self.due, failure=failure)

    def _wait_after(self, failure: MarketDataFailure) -> float:
        if is_maintenance(failure):
            # A window says when it ends; how often it was met before says nothing.
            return max(self._after_failure, failure.retry_after or 0) + self._random() * _RETURN_SPREAD
        if is_key_refused(failure):
            return _REFUSED_WAIT * (1 + self._random() * _FAILURE_JITTER)
        longest = max(_FAILURE_WAIT_MAX, self._after_failure)
        back_off = min(longest, self._after_failure * 2.0**self._failures)
        self._failures = min(self._failures + 1, 16)
        return max(back_off, failure.retry_after or 0) + back_off * self._random() * _FAILURE_JITTER
