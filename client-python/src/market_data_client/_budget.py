from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from ._server_clock import LIMIT_WINDOW, ServerClock
from ._steps import Steps, Wait, Waker
from .clock import Clock
from .errors import TimeoutFailure

_SPREAD_MAX = 0.5
"""Spreads the programs that waited for the same window over its first half second."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The values of the X-RateLimit headers of one answer."""

    limit: int
    remaining: int
    reset: float
    """End of the window, seconds since the Unix epoch by the server's clock."""


OnWait = Callable[[float], Steps[None]]
"""Called with the length of the wait for the limit, once that is known."""


class Permit:
    """Permission to send one request. The caller calls exactly one of the two methods, once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def answered(self, figures: Figures | None) -> None:
        """``figures`` is None when the answer has no limit headers or those of another counter."""
        self._budget.settle(figures, was_answered=True)

    def lost(self) -> None:
        """No answer: it is unknown whether the server counted the request."""
        self._budget.settle(None, was_answered=False)


class Budget:
    """One API key's requests of the current minute, shared by everyone in this process who uses the key.

    Counts a request as spent from the moment it is sent, so that parallel callers cannot pass the limit together. Until the
    first answer reports the limit, requests go one at a time.
    """

    lock = threading.Lock()
    """One for all: a client that exchanges its key goes over to another budget."""

    def __init__(self, clock: Clock, random: Callable[[], float], server_clock: ServerClock | None = None) -> None:
        self.server_clock = ServerClock(clock) if server_clock is None else server_clock
        self._clock = clock
        self._random = random
        self._waiters: deque[Waker] = deque()
        self._figures: Figures | None = None
        self._is_unmetered = False
        """The server answers without limit headers, so there is nothing to count against."""
        self._in_flight = 0
        self._blocked_until = -math.inf

    @property
    def is_scarce(self) -> bool:
        """Whether few requests are left in the window: its exact end matters soon, and can still be measured."""
        if self._figures is None:
            return False
        return 0 < self._figures.remaining - self._in_flight <= self._figures.limit / 4

    def left(self) -> Figures | None:
        """The figures with the requests under way taken off; None before the first answer with figures."""
        self._refresh()
        if self._figures is None:
            return None
        return replace(self._figures, remaining=max(0, self._figures.remaining - self._in_flight))

    def block(self, seconds: float) -> None:
        """The server refused a request: no request is sent for this long."""
        self._blocked_until = max(self._blocked_until, self._clock.steady() + seconds)

    def take_now(self) -> Permit:
        """A permit at once, whatever is left: for clients that do not wait."""
        self._in_flight += 1
        return Permit(self)

    def take(self, path: str, waker: Waker, deadline: float, on_wait: OnWait | None) -> Steps[Permit]:
        """A permit as soon as the limit allows, first come, first served.

        Raises ``TimeoutFailure`` as soon as it is clear that the deadline comes first.
        """
        if not self._waiters and self._wait() == 0:
            return self.take_now()
        self._waiters.append(waker)
        try:
            yield from self._queue(path, waker, deadline, on_wait)
            return self.take_now()
        finally:
            self._waiters.remove(waker)
            self._wake_first()

    def _queue(self, path: str, waker: Waker, deadline: float, on_wait: OnWait | None) -> Steps[None]:
        spread = self._random() * _SPREAD_MAX
        told = False
        while True:
            wait = self._wait()
            now = self._clock.steady()
            if self._waiters[0] is waker and wait == 0:
                return
            if now >= deadline or (wait < math.inf and now + wait > deadline):
                raise _limit_reached(path, wait)
            if on_wait is not None and 0 < wait < math.inf and not told:
                told = True
                yield from on_wait(wait + spread)
                continue
            until = min(deadline, now + wait + spread) if wait > 0 else deadline
            yield Wait(until if until < math.inf else None)

    def settle(self, figures: Figures | None, *, was_answered: bool) -> None:
        self._in_flight -= 1
        if figures is not None:
            self._learn(figures)
        elif was_answered:
            self._is_unmetered = self._figures is None
        elif self._figures is not None:
            # The server may have counted it; the next window corrects this.
            self._figures = replace(self._figures, remaining=self._figures.remaining - 1)
        self._wake_first()

    def _learn(self, figures: Figures) -> None:
        self._is_unmetered = False
        known = self._figures
        if (
            known is None
            or figures.reset > known.reset
            or (figures.reset == known.reset and (figures.remaining < known.remaining or figures.limit != known.limit))
        ):
            self._figures = figures

    def _wake_first(self) -> None:
        if self._waiters:
            self._waiters[0].wake()

    def _wait(self) -> float:
        """0: send now. Infinite: a pending answer decides. Else the time to the next window, or to the end of a block."""
        now = self._clock.steady()
        if now < self._blocked_until:
            return self._blocked_until - now
        if self._figures is None:
            return 0 if self._is_unmetered or self._in_flight == 0 else math.inf
        if self._refresh():
            return 0 if self._figures.remaining - self._in_flight > 0 else math.inf
        if self._figures.remaining - self._in_flight > 0:
            return 0
        return self.server_clock.certainly_reached_at(self._figures.reset) - now

    def _refresh(self) -> bool:
        """Opens the next window once this one has certainly ended."""
        if self._figures is None or self._clock.steady() < self.server_clock.certainly_reached_at(self._figures.reset):
            return False
        minutes_past = max(0, math.floor((self.server_clock.now() - self._figures.reset) / LIMIT_WINDOW))
        # Pending requests may be counted in the new window, so they stay counted here.
        reset = self._figures.reset + LIMIT_WINDOW * (minutes_past + 1)
        self._figures = Figures(self._figures.limit, self._figures.limit, reset)
        return True


def _limit_reached(path: str, wait: float) -> TimeoutFailure:
    retry_after = wait if wait < math.inf else LIMIT_WINDOW
    message = (
        f"the rate limit of the key is used up for another {retry_after:.1f} s,"
        f" which is past the deadline of the call to {path}"
    )
    return TimeoutFailure(path, "deadline", message, retry_after)


_shared: weakref.WeakKeyDictionary[Clock, dict[tuple[str, str], Budget]] = weakref.WeakKeyDictionary()
_shared_lock = threading.Lock()


def shared_budget(
    clock: Clock, random: Callable[[], float], base_url: str, api_key: str, server_clock: ServerClock | None = None
) -> Budget:
    """The budget of a key at a service: clients with one key share it, unless they have different clocks."""
    with _shared_lock:
        budgets = _shared.setdefault(clock, {})
        return budgets.setdefault((base_url, api_key), Budget(clock, random, server_clock))
