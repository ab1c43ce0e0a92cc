"""How the core asks for I/O without doing any.

The core is written as generators that yield what is to be done: send a request, wait, call the caller's function. A front
does it, blocking or awaiting, and resumes the generator. Between two yields a generator has the lock of its budget, so
that threads, tasks and clients with one key can share what the core keeps.

All durations are in seconds; instants are of the steady clock unless they are called wall or server.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from .clock import Clock

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """One whole answer. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str
    sent: float
    received: float
    """When the head of the answer arrived."""


@dataclass(frozen=True, slots=True)
class Send:
    """One request and its whole answer. Raises ``TransportFailure`` or ``TimeoutFailure``."""

    path: str
    etag: str | None
    timeout: float
    limit: Literal["attempt", "deadline"]
    """Whether ``timeout`` is that of one attempt or the rest of the whole call's."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Until the instant, or until the waker is woken. It can end early: whoever waits looks again."""

    until: float | None


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the caller's, called without the lock."""

    function: Callable[[], object]


Effect: TypeAlias = Send | Wait | Call
Steps: TypeAlias = Generator[Effect, "Answer | None", T]


class WatchEndedError(Exception):
    """Raised into steps whose waker was cancelled."""


class Waker:
    """Ends the wait of one run of steps, from any thread."""

    is_cancelled = False

    def wake(self) -> None:
        raise NotImplementedError

    def cancel(self) -> None:
        """Ends the run itself, once the request under way is answered."""
        self.is_cancelled = True
        self.wake()


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    value: T


class Run(Generic[T]):
    """One run of steps; a front performs what ``resume`` gives, until that is ``Done``."""

    def __init__(self, steps: Steps[T], waker: Waker, lock: threading.Lock) -> None:
        self._steps = steps
        self._waker = waker
        self._lock = lock
        self._is_begun = False

    def resume(self, result: Answer | None = None) -> Effect | Done[T]:
        with self._lock:
            try:
                if self._waker.is_cancelled and self._is_begun:
                    return self._steps.throw(WatchEndedError())
                self._is_begun = True
                return self._steps.send(result)
            except StopIteration as end:
                value: T = end.value
                return Done(value)

    def fail(self, error: BaseException) -> Effect | Done[T]:
        with self._lock:
            try:
                return self._steps.throw(error)
            except StopIteration as end:
                value: T = end.value
                return Done(value)


def send(request: Send) -> Steps[Answer]:
    answer = yield request
    assert answer is not None
    return answer


def sleep_until(clock: Clock, due: float) -> Steps[None]:
    """Waits until the instant and never less: a platform's wait can end early."""
    while clock.steady() < due:
        yield Wait(due)
