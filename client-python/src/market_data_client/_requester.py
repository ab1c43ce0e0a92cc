from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from ._answer import body_of, failure_of, figures_of, retry_after_of
from ._budget import Budget, OnWait, Permit
from ._newest import GivenTickers
from ._server_clock import ServerClock
from ._steps import Answer, Call, Send, Steps, Waker, send, sleep_until
from .clock import Clock
from .errors import MarketDataFailure, TimeoutFailure, is_key_refused
from .hooks import Hooks, RequestEvent, ResponseEvent, RetryEvent

T = TypeVar("T")

_BACK_OFF_BASE = 0.5
_BACK_OFF_MAX = 8.0
"""Back-off after the nth failure: a random share of 0.5 s, 1 s, 2 s ... 8 s."""
_RETRY_SPREAD = 1.0
"""The most that is added to ``Retry-After``, so that clients refused together do not return together."""
_CACHE_ENTRIES_MAX = 1_000
"""More than all resources with an entity tag, unless a caller requests thousands of single tickers."""


@dataclass(frozen=True, slots=True)
class Resource(Generic[T]):
    """A resource of the API, and how to read it."""

    path: str
    """Path and query."""
    read: Callable[[object], T]
    server_time: Callable[[T], float] | None = None
    """The server's time, where the answer states it."""
    newest: Callable[[T, GivenTickers], T] | None = None
    """What the caller gets for an answer, where something newer was given before. The answer when left out."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    attempts: int
    """At least 1."""
    deadline: float
    """For all attempts and waits together; can be infinite."""
    on_wait: OnWait | None = None


@dataclass(frozen=True, slots=True)
class Fetched(Generic[T]):
    value: T
    feed: str | None
    """State of the feed, where the answer states it."""


@dataclass(frozen=True, slots=True)
class _Cached:
    etag: str | None
    text: str
    value: Any


class Requester:
    """Requests resources, with the key's budget, retries, entity tags and one deadline for all of it."""

    def __init__(
        self,
        *,
        clock: Clock,
        random: Callable[[], float],
        budget: Budget,
        hooks: Hooks,
        redact: Callable[[str], str],
        waits_for_budget: bool,
        attempt_timeout: float,
    ) -> None:
        self._clock = clock
        self._random = random
        self._budget = budget
        self._hooks = hooks
        self._redact = redact
        self._waits_for_budget = waits_for_budget
        self._attempt_timeout = attempt_timeout
        self._cache: OrderedDict[str, _Cached] = OrderedDict()
        """The last answer of each path, the least recently used first."""

    def exchange(self, budget: Budget) -> None:
        """Everything that is sent from now on has another key."""
        self._budget = budget

    def get(self, resource: Resource[T], limits: CallLimits, waker: Waker) -> Steps[Fetched[T]]:
        """The resource; the same object as before while it has not changed. Raises ``MarketDataFailure``."""
        deadline = self._clock.steady() + limits.deadline
        attempt = 1
        while True:
            budget = self._budget
            try:
                return (yield from self._attempt(resource, attempt, limits, deadline, waker))
            except MarketDataFailure as error:
                failure = error
            # Said of a key that has been exchanged meanwhile.
            if is_key_refused(failure) and budget is not self._budget:
                continue
            wait = self._back_off(attempt, failure.retry_after)
            due = self._clock.steady() + wait
            # A wait past the deadline is useless: the caller gets the failure at once.
            if not failure.retryable or attempt >= limits.attempts or due >= deadline:
                raise failure
            if self._hooks.on_retry is not None:
                yield Call(partial(self._hooks.on_retry, RetryEvent(resource.path, attempt, wait, failure)))
            yield from sleep_until(self._clock, due)
            attempt += 1

    def _attempt(
        self, resource: Resource[T], attempt: int, limits: CallLimits, deadline: float, waker: Waker
    ) -> Steps[Fetched[T]]:
        path = resource.path
        while True:
            budget = self._budget
            if self._waits_for_budget:
                permit = yield from budget.take(path, waker, deadline, limits.on_wait)
            else:
                permit = budget.take_now()
            if budget is self._budget:
                break
            permit.lost()
        cached = self._cache.get(path)
        try:
            answer = yield from self._exchange(path, attempt, cached, deadline)
        except BaseException:
            permit.lost()
            raise
        fetched = self._interpret(resource, answer, cached, permit, budget)
        if self._hooks.on_response is not None:
            info = ResponseEvent(path, attempt, answer.status, answer.headers, answer.received - answer.sent)
            yield Call(partial(self._hooks.on_response, info))
        if isinstance(fetched, MarketDataFailure):
            raise fetched
        return fetched

    def _exchange(self, path: str, attempt: int, cached: _Cached | None, deadline: float) -> Steps[Answer]:
        if self._hooks.on_request is not None:
            yield Call(partial(self._hooks.on_request, RequestEvent(path, attempt)))
        left = deadline - self._clock.steady()
        if left <= 0:
            raise TimeoutFailure(path, "deadline", f"no time left for the request to {path}")
        return (
            yield from send(
                Send(
                    path,
                    None if cached is None else cached.etag,
                    min(left, self._attempt_timeout),
                    "deadline" if left < self._attempt_timeout else "attempt",
                )
            )
        )

    def _interpret(
        self, resource: Resource[T], answer: Answer, cached: _Cached | None, permit: Permit, budget: Budget
    ) -> Fetched[T] | MarketDataFailure:
        server_clock = budget.server_clock
        figures = figures_of(answer)
        try:
            if figures is not None:
                server_clock.record_window_end(figures.reset, answer.sent, answer.received)
            feed = answer.headers.get("x-feed-status")
            if answer.status == 304 and cached is not None and cached.etag is not None:
                self._keep(resource.path, cached)
                return Fetched(cached.value, feed)
            if answer.status == 200:
                return Fetched(self._fresh(resource, answer, cached, server_clock), feed)
            retry_after = retry_after_of(answer, server_clock, self._clock.steady())
            if answer.status == 429:
                budget.block(retry_after or 0)
            return failure_of(answer, resource.path, retry_after, self._redact)
        except MarketDataFailure as error:
            return error
        finally:
            permit.answered(figures)

    def _fresh(self, resource: Resource[T], answer: Answer, cached: _Cached | None, server_clock: ServerClock) -> T:
        # A restarted server has new tags for the same bytes, and a proxy can drop tags: neither is a change.
        is_same = cached is not None and cached.text == answer.text
        value: T = cached.value if cached is not None and is_same else body_of(answer, resource.path, resource.read)
        self._keep(resource.path, _Cached(answer.headers.get("etag"), answer.text, value))
        if resource.server_time is not None:
            server_clock.record(resource.server_time(value), answer.sent, answer.received)
        return value

    def _keep(self, path: str, cached: _Cached) -> None:
        self._cache[path] = cached
        self._cache.move_to_end(path)
        if len(self._cache) > _CACHE_ENTRIES_MAX:
            self._cache.popitem(last=False)

    def _back_off(self, attempt: int, retry_after: float | None) -> float:
        if retry_after is not None:
            return retry_after + self._random() * _RETRY_SPREAD
        return self._random() * min(_BACK_OFF_MAX, _BACK_OFF_BASE * 2.0 ** (attempt - 1))
