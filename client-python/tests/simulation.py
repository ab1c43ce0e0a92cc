"""The core in simulated time: minutes pass in moments, in the same order every time."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from market_data_client._core import Core
from market_data_client._settings import Settings
from market_data_client._steps import Answer, Call, Done, Effect, Run, Send, Steps, Wait, Waker
from market_data_client._watch import End, WatchCore
from market_data_client.clock import Clock
from market_data_client.errors import TimeoutFailure, TransportFailure
from market_data_client.hooks import Hooks

T = TypeVar("T")

START = 1_795_255_200.0
"""2026-11-21T10:00:00Z, a full minute."""


class StandingClock(Clock):
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.offset = START

    def wall(self) -> float:
        return self.offset + self.passed

    def steady(self) -> float:
        return self.passed


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


LOST = Reply(status=0)
"""No answer, the connection breaks."""
HANGS = Reply(status=-1)
"""No answer, ever."""

Handler = Callable[[str, str | None], Reply]
"""From the path and the entity tag that was sent."""


@dataclass
class Asked:
    path: str
    at: float
    status: int


class _JobWaker(Waker):
    def __init__(self) -> None:
        self.is_woken = False

    def wake(self) -> None:
        self.is_woken = True


class Job(Generic[T]):
    """One run of steps, and where it stands."""

    def __init__(self, start: Callable[[Waker], Steps[T]], core: Core) -> None:
        self.waker = _JobWaker()
        self.run = Run(start(self.waker), self.waker, core.lock)
        self.due = -math.inf
        self.reply: Reply | None = None
        self.sent = 0.0
        self.effect: Effect | None = None
        self.value: T | None = None
        self.error: BaseException | None = None
        self.is_done = False

    @property
    def is_ready(self) -> bool:
        return not self.is_done and self.waker.is_woken and isinstance(self.effect, Wait)

    def cancel(self) -> None:
        """As a cancelled task or Ctrl-C does."""
        self._step(lambda: self.run.fail(KeyboardInterrupt()))

    def _step(self, step: Callable[[], Effect | Done[T]]) -> None:
        self.waker.is_woken = False
        try:
            effect = step()
        except BaseException as error:
            self.error, self.is_done = error, True
            return
        if isinstance(effect, Done):
            self.value, self.is_done = effect.value, True
        else:
            self.effect = effect

    def result(self) -> T:
        assert self.is_done
        if self.error is not None:
            raise self.error
        assert self.value is not None
        return self.value


class Simulation:
    """Runs jobs against a server that is a function."""

    def __init__(self, handler: Handler, latency: float = 0.01) -> None:
        self.clock = StandingClock()
        self.handler = handler
        self.latency = latency
        self.asked: list[Asked] = []
        self._jobs: list[Job[Any]] = []
        self._random = random.Random(11).random

    def core(self, **options: Any) -> Core:
        settings: dict[str, Any] = {
            "base_url": "https://api.example.com",
            "api_key": "key",
            "max_attempts": 4,
            "attempt_timeout": 10.0,
            "deadline": 90.0,
            "wait_for_limit": True,
            "max_data_age": 30.0,
            "remeasure_clock": 1_800.0,
            "hooks": Hooks(),
            "clock": self.clock,
            "random": self._random,
        }
        return Core(Settings(**{**settings, **options}), lambda text: text.replace("key", "[key]"))

    def spawn(self, core: Core, start: Callable[[Waker], Steps[T]]) -> Job[T]:
        job = Job(start, core)
        self._jobs.append(job)
        job._step(job.run.resume)
        self._begin(job)
        return job

    def until(self, job: Job[T]) -> T:
        """Lets time pass until the job is done. Fails after an hour."""
        self._advance(self.clock.passed + 3_600, lambda: job.is_done)
        assert job.is_done, "nothing happened within an hour"
        return job.result()

    def pass_time(self, seconds: float) -> None:
        end = self.clock.passed + seconds
        self._advance(end, lambda: False)
        self.clock.passed = end

    def times(self, path: str) -> list[float]:
        """When a path was asked for."""
        return [asked.at for asked in self.asked if asked.path == path]

    def statuses(self) -> list[int]:
        return [asked.status for asked in self.asked]

    def _advance(self, end: float, is_enough: Callable[[], bool]) -> None:
        for turn in itertools.count():
            assert turn < 1_000_000, "time does not pass"
            self._jobs = [job for job in self._jobs if not job.is_done]
            if is_enough():
                return
            job = next((job for job in self._jobs if job.is_ready), None)
            job = job or min(self._jobs, key=lambda job: job.due, default=None)
            if job is None or (not job.is_ready and job.due > end):
                return
            if not job.is_ready:
                self.clock.passed = max(self.clock.passed, job.due)
            self._finish(job)
            self._begin(job)

    def _begin(self, job: Job[Any]) -> None:
        """Notes when what the job asks for is there."""
        while not job.is_done and isinstance(job.effect, Call):
            job._step(partial(self._called, job, job.effect))
        if job.is_done:
            return
        job.sent = self.clock.passed
        if isinstance(job.effect, Send):
            job.reply = self.handler(job.effect.path, job.effect.etag)
            self.asked.append(Asked(job.effect.path, self.clock.passed, job.reply.status))
            job.due = self.clock.passed + (job.effect.timeout if job.reply is HANGS else self.latency)
        elif isinstance(job.effect, Wait):
            job.due = math.inf if job.effect.until is None else job.effect.until

    def _called(self, job: Job[Any], call: Call) -> Effect | Done[Any]:
        try:
            call.function()
        except Exception as error:
            return job.run.fail(error)
        return job.run.resume()

    def _finish(self, job: Job[Any]) -> None:
        effect, reply = job.effect, job.reply
        if not isinstance(effect, Send) or reply is None:
            job._step(job.run.resume)
        elif reply is LOST:
            job._step(lambda: job.run.fail(TransportFailure(effect.path, "reset")))
        elif reply is HANGS:
            job._step(lambda: job.run.fail(TimeoutFailure(effect.path, effect.limit, "too late")))
        else:
            text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
            headers = {name.lower(): value for name, value in reply.headers.items()}
            answer = Answer(reply.status, headers, text, job.sent, self.clock.passed)
            job._step(lambda: job.run.resume(answer))


class Reading(Generic[T]):
    """A loop over a watch, and what it gave."""

    def __init__(self, simulation: Simulation, core: Core, watch: WatchCore[T]) -> None:
        self.given: list[T] = []
        self.watch = watch
        self.job = simulation.spawn(core, self._read)

    def _read(self, waker: Waker) -> Steps[bool]:
        while True:
            value = yield from self.watch.next(waker)
            if isinstance(value, End):
                return True
            self.given.append(value)
