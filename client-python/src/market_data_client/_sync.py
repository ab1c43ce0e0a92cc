from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Generic, TypeVar

import httpx

from ._core import MARKETS, STATUS, TICKERS, TIME, Core, ticker_resource
from ._settings import Settings, check_key
from ._steps import Answer, Call, Done, Effect, Run, Send, Steps, Waker
from ._watch import End, OnState, WatchCore
from ._wire import Wire
from .clock import Clock, system_clock, system_random
from .hooks import Hooks, RequestEvent, ResponseEvent, RetryEvent
from .models import Age, ClockOffset, LimitFigures, Market, ServerTime, ServiceStatus, Ticker
from .state import WatchState

T = TypeVar("T")


class _ThreadWaker(Waker):
    def __init__(self) -> None:
        self._event = threading.Event()

    def wake(self) -> None:
        self._event.set()

    def wait(self, timeout: float | None) -> None:
        self._event.wait(timeout)
        self._event.clear()


class Watch(Generic[T]):
    """Data that is polled while a loop reads it; nothing is polled while the body of the loop runs.

    Ends with ``close()``, also from another thread, or with an error that persists. Leaving the loop is enough.
    """

    def __init__(self, core: WatchCore[T], following: Callable[[], T | End]) -> None:
        self._core = core
        self._following = following

    @property
    def state(self) -> WatchState:
        """What the loop last knew about the service."""
        return self._core.state

    @property
    def latest(self) -> T | None:
        """The last answer, whether or not the loop has yielded it; None before the first."""
        return self._core.latest

    def __iter__(self) -> Watch[T]:
        return self

    def __next__(self) -> T:
        value = self._following()
        if isinstance(value, End):
            raise StopIteration
        return value

    def close(self) -> None:
        """Ends the watch: a loop that waits ends at once, one whose request is under way with its answer."""
        self._core.end()

    def __enter__(self) -> Watch[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Client:
    """A client of one service with one key, for threads. It makes no request before the first call.

    ``base_url`` is the address of the service, without ``/v1``. The key is sent in a header of every request and appears
    nowhere else: in no error, address or representation of the client.

    ``max_attempts`` is the most requests for one call; 1 never repeats. ``attempt_timeout`` bounds one request and its whole
    answer, ``deadline`` a call with all its attempts and waits, both in seconds. With ``wait_for_limit=False`` requests are
    sent even when the key's limit is known to be used up; the server refuses them. ``max_data_age`` is the age in
    seconds of the oldest market data that a watch calls reliable while the service is ``degraded``. ``remeasure_clock`` is how
    often the server's time is measured again while it is used. ``http_client`` is an httpx client of your own, for a proxy,
    certificates or tests; it is left open. The hooks are called for each request, answer and repetition.

    Raises ``ValueError`` for an option that cannot be right.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        max_attempts: int = 4,
        attempt_timeout: float = 10.0,
        deadline: float = 90.0,
        wait_for_limit: bool = True,
        max_data_age: float = 30.0,
        remeasure_clock: float = 1_800.0,
        http_client: httpx.Client | None = None,
        on_request: Callable[[RequestEvent], object] | None = None,
        on_response: Callable[[ResponseEvent], object] | None = None,
        on_retry: Callable[[RetryEvent], object] | None = None,
        clock: Clock = system_clock,
        random: Callable[[], float] = system_random,
    ) -> None:
        settings = Settings(
            base_url=base_url,
            api_key=api_key,
            max_attempts=max_attempts,
            attempt_timeout=attempt_timeout,
            deadline=deadline,
            wait_for_limit=wait_for_limit,
            max_data_age=max_data_age,
            remeasure_clock=remeasure_clock,
            hooks=Hooks(on_request, on_response, on_retry),
            clock=clock,
            random=random,
        )
        self._wire = Wire(settings.base_url, api_key, clock)
        self._core = Core(settings, self._wire.redact)
        self._http = httpx.Client() if http_client is None else http_client
        self._owns_http = http_client is None

    def time(self, *, deadline: float | None = None, max_attempts: int | None = None) -> ServerTime:
        """The server's time (``GET /v1/time``). Measures the clock along the way."""
        return self._run(lambda waker: self._core.get(TIME, deadline, max_attempts, waker))

    def status(self, *, deadline: float | None = None, max_attempts: int | None = None) -> ServiceStatus:
        """State of the service and of the feed (``GET /v1/status``). Answers during maintenance too."""
        return self._run(lambda waker: self._core.get(STATUS, deadline, max_attempts, waker))

    def markets(self, *, deadline: float | None = None, max_attempts: int | None = None) -> tuple[Market, ...]:
        """All markets, ordered by symbol (``GET /v1/markets``)."""
        return self._run(lambda waker: self._core.get(MARKETS, deadline, max_attempts, waker))

    def ticker(self, symbol: str, *, deadline: float | None = None, max_attempts: int | None = None) -> Ticker:
        """One market's prices (``GET /v1/ticker``). The symbol's case does not matter.

        Never older than what this client has given of the market before: the same object again where the answer is older.
        """
        resource = ticker_resource(symbol)
        return self._run(lambda waker: self._core.get(resource, deadline, max_attempts, waker))

    def tickers(self, *, deadline: float | None = None, max_attempts: int | None = None) -> tuple[Ticker, ...]:
        """The prices of every market that has one, ordered by symbol (``GET /v1/tickers``). None older than given before."""
        return self._run(lambda waker: self._core.get(TICKERS, deadline, max_attempts, waker))

    def sync_clock(self, *, deadline: float | None = None, max_attempts: int | None = None) -> ClockOffset:
        """Requests the server's time and returns the offset of the local clock."""
        return self._run(lambda waker: self._core.sync_clock(deadline, max_attempts, waker))

    def exchange_key(self, api_key: str) -> None:
        """Sends another key from now on, in running watches too, which ask at once.

        Raises ``ValueError`` for a text that cannot be a key.
        """
        check_key(api_key)
        self._wire.api_key = api_key
        self._core.exchange_key(api_key)

    def now(self) -> datetime:
        """The server's time as far as it is known: the local clock's before the first time, status, clock or watch.

        Setting the local clock does not move it.
        """
        return self._core.now()

    def age(self, of: Ticker | ServiceStatus) -> Age:
        """The age of a ticker, or of the feed as of a status, by the server's clock, with its ``uncertainty``.

        ``timedelta.max`` for a feed that never delivered. Sends nothing, now or later.
        """
        return self._core.age(of)

    @property
    def budget(self) -> LimitFigures | None:
        """What is left of the key's requests in this minute; None before the first answer."""
        return self._core.left

    @property
    def limit(self) -> LimitFigures | None:
        """The former name of ``budget``."""
        return self.budget

    @property
    def feed_status(self) -> str | None:
        """State of the feed as the last answer with prices stated it; None while none did."""
        return self._core.feed_status

    def watch_status(self, *, on_state: OnState | None = None) -> Watch[ServiceStatus]:
        """The status whenever it changes. Polls once a minute, and every 15 seconds in an outage or maintenance."""
        return self._watch(self._core.watch_status(on_state))

    def watch_markets(self, *, on_state: OnState | None = None) -> Watch[tuple[Market, ...]]:
        """All markets whenever one changes. Polls once an hour."""
        return self._watch(self._core.watch_markets(on_state))

    def watch_tickers(self, *, on_state: OnState | None = None, include_stale: bool = False) -> Watch[tuple[Ticker, ...]]:
        """All prices whenever one changes. Polls every 5 seconds, however many loops read it.

        ``on_state`` is called on each change of state, before the data that comes with it; what it raises ends the watch.
        ``include_stale=True`` yields prices even while they are not reliable, for example for a display.
        """
        return self._watch(self._core.watch_tickers(on_state, include_stale=include_stale))

    def watch_ticker(self, symbol: str, *, on_state: OnState | None = None, include_stale: bool = False) -> Watch[Ticker]:
        """One market's prices whenever they change. Costs 12 requests a minute: for several use ``watch_tickers``."""
        return self._watch(self._core.watch_ticker(symbol, on_state, include_stale=include_stale))

    def close(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client(base_url={self._wire.base_url!r})"

    def _watch(self, core: WatchCore[T]) -> Watch[T]:
        return Watch(core, lambda: self._run(core.next))

    def _run(self, start: Callable[[Waker], Steps[T]]) -> T:
        waker = _ThreadWaker()
        run = Run(start(waker), waker, self._core.lock)
        effect = run.resume()
        while not isinstance(effect, Done):
            try:
                answer = self._perform(effect, waker)
            except BaseException as error:
                effect = run.fail(error)
            else:
                effect = run.resume(answer)
        return effect.value

    def _perform(self, effect: Effect, waker: _ThreadWaker) -> Answer | None:
        if isinstance(effect, Send):
            return self._send(effect)
        if isinstance(effect, Call):
            effect.function()
        else:
            waker.wait(self._core.seconds_to(effect.until))
        return None

    def _send(self, send: Send) -> Answer:
        clock = self._core.clock
        sent = clock.steady()
        try:
            request = self._wire.request(self._http, send)
            response = self._http.send(request, stream=True, follow_redirects=False)
            received = clock.steady()
            try:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    # httpx bounds each read and not their sum.
                    if clock.steady() - sent > send.timeout:
                        break
            finally:
                response.close()
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            failure = self._wire.failure(send, error)
        else:
            if clock.steady() - sent <= send.timeout:
                return self._wire.answer(response, bytes(body), sent, received)
            failure = self._wire.too_late(send)
        raise failure
