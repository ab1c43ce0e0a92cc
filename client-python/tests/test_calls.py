"""Calls of both fronts, over real connections to a server that misbehaves."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import re
import time
import traceback
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import httpx
import pytest
from answers import instant, market, problem, status, ticker
from conftest import BREAKS_OFF, FastClock, FaultyServer, Front
from simulation import HANGS, LOST, START, Reply

import market_data_client
from market_data_client import (
    ApiProblem,
    AsyncClient,
    Client,
    MalformedAnswer,
    MarketDataFailure,
    RequestEvent,
    ResponseEvent,
    RetryEvent,
    TimeoutFailure,
    UnknownSymbolProblem,
    from_environment,
    is_known_market_status,
    is_known_service_status,
    problem_classes,
)

AT = datetime(2026, 11, 21, 10, tzinfo=timezone.utc)
TIME = Reply(200, instant("serverTime", START))


def failure_of(front: Front, call: Any) -> MarketDataFailure:
    with pytest.raises(MarketDataFailure) as raised:
        front.call(call)
    return raised.value


def test_reads_prices_as_decimals_and_instants_as_aware_datetimes(front: Front, server: FaultyServer) -> None:
    server.replies = [Reply(200, ticker(START + 0.123, vwap24h="0.00000000000000000001", further={"x": 1}))]
    read = front.call(lambda: front.client(server.base_url).ticker("btceur"))
    assert (read.buy_price, read.vwap_24h) == (Decimal("50260.05"), Decimal("1E-20"))
    assert read.price_change_percent_1h is None
    assert read.timestamp == AT + timedelta(milliseconds=123)
    assert read.timestamp.utcoffset() == timedelta()
    assert server.requests[0][0] == "/v1/ticker?symbol=BTCEUR"
    assert re.match(r"market-data-client-python/\d", server.requests[0][1]["user-agent"])
    with pytest.raises(AttributeError):
        read.buy_price = Decimal(1)


def test_passes_on_states_and_members_that_it_does_not_know(front: Front, server: FaultyServer) -> None:
    server.replies = [
        Reply(200, {"markets": [market(status="halted", further=[1])], "more": 1}),
        Reply(200, status(START, "recovering", lastUpdatedAt=None, lastUpdatedAtMs=None)),
    ]
    client = front.client(server.base_url)
    (read,) = front.call(client.markets)
    assert (read.status, is_known_market_status(read.status), read.min_order_value) == ("halted", False, None)
    state = front.call(client.status)
    assert (state.components.ticker, is_known_service_status(state.status)) == ("recovering", False)
    assert client.age(state) == timedelta.max


def test_gives_the_same_object_again_while_nothing_changed(front: Front, server: FaultyServer) -> None:
    body = {"tickers": [ticker(START)]}
    server.replies = [Reply(200, body, {"ETag": '"1"'}), Reply(304, "", {}), Reply(200, body, {"ETag": '"2"'})]
    client = front.client(server.base_url)
    first, second, third = (front.call(client.tickers) for _ in range(3))
    assert first is second
    assert second is third
    assert [headers.get("if-none-match") for _, headers in server.requests] == [None, '"1"', '"1"']


@pytest.mark.parametrize("code", sorted(problem_classes))
def test_raises_a_class_for_each_code(server: FaultyServer, code: str) -> None:
    server.replies = [problem(400, code)]
    with pytest.raises(problem_classes[code]) as raised, Client(server.base_url, "key") as client:
        client.time()
    assert (raised.value.code, raised.value.status) == (code, 400)


def test_raises_a_problem_with_what_it_says_and_survives_a_process_pool(front: Front, server: FaultyServer) -> None:
    server.replies = [problem(404, "UNKNOWN_SYMBOL")]
    failure = failure_of(front, lambda: front.client(server.base_url).ticker("NOPE"))
    assert isinstance(failure, UnknownSymbolProblem)
    assert not failure.retryable
    assert (failure.request_id, failure.path) == ("request-0123456789", "/v1/ticker?symbol=NOPE")
    assert "This time." in str(failure)
    restored = pickle.loads(pickle.dumps(failure))
    assert (str(restored), restored.__dict__) == (str(failure), failure.__dict__)


def test_an_unknown_code_is_judged_by_its_status(front: Front, server: FaultyServer) -> None:
    server.replies = [problem(418, "TEAPOT"), problem(503, "BACK_SOON", Retry_After="7")]
    client = front.client(server.base_url, max_attempts=1)
    for expected in [("TEAPOT", False, None), ("BACK_SOON", True, 7.0)]:
        failure = failure_of(front, client.time)
        assert isinstance(failure, ApiProblem)
        assert (failure.code, failure.retryable, failure.retry_after) == expected


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<html>", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "body is not an object"),
        ({"serverTime": "x"}, "body.serverTimeMs is not a whole number"),
        ({"serverTime": "x", "serverTimeMs": True}, "body.serverTimeMs is not a whole number"),
        ({"serverTime": "x", "serverTimeMs": 10**18}, "body.serverTimeMs is no date"),
        ({"serverTime": 1, "serverTimeMs": 1}, "body.serverTime is not a string"),
    ],
)
def test_says_what_is_wrong_with_a_body(server: FaultyServer, body: object, fault: str) -> None:
    server.replies = [Reply(200, body)]
    with pytest.raises(MalformedAnswer, match=fault), Client(server.base_url, "key") as client:
        client.time()
    assert len(server.requests) == 1


@pytest.mark.parametrize("price", [49750.1, "49,750", "1e5", "NaN", "٣", "+1", "01", ".5", "1.", None])
def test_lets_no_price_through_that_is_not_a_decimal_string(server: FaultyServer, price: object) -> None:
    server.replies = [Reply(200, {"tickers": [ticker(START, sellPrice=price)]})]
    with (
        pytest.raises(MalformedAnswer, match=r"tickers\[0\]\.sellPrice"),
        Client(server.base_url, "key") as client,
    ):
        client.tickers()


def test_takes_a_proxys_page_for_what_its_status_says(front: Front, server: FaultyServer) -> None:
    server.replies = [Reply(502, "<h1>Bad gateway</h1>"), Reply(403, "<h1>No</h1>"), Reply(304, "")]
    client = front.client(server.base_url, max_attempts=1)
    for expected in [(502, True), (403, False), (304, False)]:
        failure = failure_of(front, client.time)
        assert isinstance(failure, MalformedAnswer)
        assert (failure.status, failure.retryable) == expected


def test_never_follows_a_redirect_which_would_take_the_key_along(front: Front, server: FaultyServer) -> None:
    server.replies = [Reply(302, "", {"Location": f"{server.base_url}/elsewhere"})]
    failure = failure_of(front, front.client(server.base_url).time)
    assert isinstance(failure, MalformedAnswer)
    assert len(server.requests) == 1


def test_repeats_what_is_safe_to_repeat(front: Front, server: FaultyServer) -> None:
    failing = [
        LOST,
        BREAKS_OFF,
        HANGS,
        problem(408, "REQUEST_TIMEOUT"),
        problem(429, "RATE_LIMIT_EXCEEDED", Retry_After="1"),
        problem(500, "INTERNAL_ERROR"),
        Reply(502, "bad gateway"),
        problem(503, "MARKET_DATA_UNAVAILABLE", Retry_After="1"),
        Reply(504, ""),
        Reply(200, ""),
        Reply(200, '{"serverTime":'),
    ]
    server.replies = [*failing, TIME]
    client = front.client(server.base_url, max_attempts=12, deadline=600, clock=FastClock())
    assert front.call(client.time).server_time == AT
    assert len(server.requests) == len(failing) + 1


def test_does_not_repeat_what_would_fail_again(front: Front, server: FaultyServer) -> None:
    codes = [(400, "INVALID_PARAMETER"), (401, "INVALID_API_KEY"), (404, "UNKNOWN_SYMBOL"), (451, "SOMETHING_NEW")]
    server.replies = [problem(*each) for each in codes]
    client = front.client(server.base_url)
    for count in range(len(codes)):
        assert isinstance(failure_of(front, client.time), ApiProblem)
        assert len(server.requests) == count + 1


def test_repeats_no_earlier_than_retry_after_says_in_seconds_or_as_a_date(front: Front, server: FaultyServer) -> None:
    clock = FastClock()
    until = int(clock.wall()) + 60
    date = datetime.fromtimestamp(until, timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
    server.replies = [
        problem(503, "MARKET_DATA_UNAVAILABLE", Retry_After="5"),
        problem(429, "RATE_LIMIT_EXCEEDED", Retry_After="20"),
        Reply(503, "a proxy speaks", {"Retry-After": date}),
        TIME,
    ]
    front.call(front.client(server.base_url, clock=clock).time)
    first, second, third, fourth = (clock.wall_at(at) for at in server.times)
    assert 5 <= second - first < 15
    assert 20 <= third - second < 30
    assert fourth >= until


def test_fails_at_once_when_the_wait_would_pass_the_deadline(front: Front, server: FaultyServer) -> None:
    server.replies = [problem(503, "SERVICE_MAINTENANCE", Retry_After="3600")]
    failure = failure_of(front, front.client(server.base_url).time)
    assert failure.retry_after == 3_600
    assert len(server.requests) == 1


def test_tells_an_attempt_that_took_too_long_from_a_deadline_that_has_passed(front: Front, server: FaultyServer) -> None:
    server.replies = [HANGS]
    client = front.client(server.base_url, attempt_timeout=5, clock=FastClock())
    attempt = failure_of(front, lambda: client.time(max_attempts=1))
    assert isinstance(attempt, TimeoutFailure)
    assert (attempt.limit, attempt.retryable) == ("attempt", True)
    deadline = failure_of(front, lambda: client.time(deadline=2))
    assert isinstance(deadline, TimeoutFailure)
    assert (deadline.limit, deadline.retryable) == ("deadline", False)


def test_bounds_a_whole_answer_and_not_only_each_piece_of_it(front: Front, server: FaultyServer) -> None:
    server.replies = [Reply(200, "x" * 200, {"X-Drip": "1"})]
    started = time.monotonic()
    failure = failure_of(front, lambda: front.client(server.base_url, attempt_timeout=0.2).time(max_attempts=1))
    assert isinstance(failure, TimeoutFailure)
    assert time.monotonic() - started < 5


def test_calls_the_hooks_for_each_request_answer_and_repetition(front: Front, server: FaultyServer) -> None:
    server.replies = [problem(503, "MARKET_DATA_UNAVAILABLE", Retry_After="2", X_Request_Id="abc"), LOST, TIME]
    seen: list[object] = []
    hooks: dict[str, Any] = {"on_request": seen.append, "on_response": seen.append, "on_retry": seen.append}
    client = front.client(server.base_url, clock=FastClock(), **hooks)
    front.call(client.time)
    assert [type(info) for info in seen] == [
        RequestEvent,
        ResponseEvent,
        RetryEvent,
        RequestEvent,
        RetryEvent,
        RequestEvent,
        ResponseEvent,
    ]
    answer, retry = seen[1], seen[2]
    assert isinstance(answer, ResponseEvent)
    assert isinstance(retry, RetryEvent)
    assert (answer.status, answer.request_id, answer.attempt) == (503, "abc", 1)
    assert 2 <= retry.wait < 3.1
    assert isinstance(retry.failure, ApiProblem)


def test_what_a_hook_raises_ends_the_call_and_costs_nobody_else(front: Front, server: FaultyServer) -> None:
    server.replies = [TIME]

    def fail(_: object) -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        front.call(front.client(server.base_url, on_request=fail).time)
    front.call(front.client(server.base_url).time)


def test_calls_in_parallel_all_get_their_answer(front: Front, server: FaultyServer) -> None:
    server.replies = [TIME]
    client = front.client(server.base_url)
    answers = front.together([client.time] * 20)
    assert {answer.server_time for answer in answers} == {AT}


def test_keeps_the_key_out_of_errors_representations_and_tracebacks(front: Front, server: FaultyServer) -> None:
    body = {
        "type": "x",
        "title": "secret-key",
        "status": 400,
        "code": "X",
        "detail": "Got secret-key.",
        "requestId": "r",
    }
    server.replies = [Reply(400, body)]
    client = front.client(server.base_url, "secret-key")
    refusing = httpx.MockTransport(lambda request: (_ for _ in ()).throw(httpx.ConnectError(f"{request.headers!r}")))
    own = httpx.AsyncClient(transport=refusing) if front.is_async else httpx.Client(transport=refusing)
    echoing = front.client("http://127.0.0.1:9", "secret-key", http_client=own, max_attempts=1)
    for failure in (failure_of(front, client.time), failure_of(front, echoing.time)):
        shown = [str(failure), repr(failure), repr(failure.__dict__), "".join(traceback.format_exception(failure))]
        assert failure.__context__ is None
        assert not any("secret-key" in text for text in shown)
    assert "secret-key" not in repr(client) + repr(client.watch_tickers()) + repr(client._core.settings)
    assert "secret-key" not in repr(from_environment({"MARKET_DATA_BASE_URL": "x", "MARKET_DATA_API_KEY": "secret-key"}))


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "api.example.com"},
        {"base_url": "ftp://api.example.com"},
        {"base_url": "https://user:mdk_pass@api.example.com"},
        {"base_url": "https://api.example.com/v1"},
        {"base_url": "https://api.example.com/?a=b"},
        {"base_url": "https://[::1"},
        {"api_key": ""},
        {"api_key": "mdk_with space"},
        {"api_key": "mdk_line\nbreak"},
        {"api_key": None},
        {"max_attempts": 0},
        {"deadline": float("nan")},
    ],
)
def test_refuses_options_that_cannot_be_right_without_showing_the_key(options: dict[str, Any]) -> None:
    good: dict[str, Any] = {"base_url": "https://api.example.com", "api_key": "key"}
    with pytest.raises(ValueError, match=r"\w") as raised:
        Client(**{**good, **options})
    assert "mdk_" not in str(raised.value)


def test_takes_address_and_key_from_the_environment_when_asked_and_names_what_is_missing() -> None:
    given = from_environment({"MARKET_DATA_BASE_URL": "https://api.example.com/x/", "MARKET_DATA_API_KEY": "key"})
    assert repr(Client(*given)) == "Client(base_url='https://api.example.com/x')"
    with pytest.raises(ValueError, match="no MARKET_DATA_API_KEY"):
        from_environment({"MARKET_DATA_BASE_URL": "https://api.example.com"})


def test_a_watch_gives_values_over_real_connections_and_ends_when_closed(front: Front, server: FaultyServer) -> None:
    server.replies = [
        Reply(200, status(START)),
        Reply(200, {"tickers": [ticker(START)]}, {"X-Feed-Status": "degraded"}),
    ]
    client = front.client(server.base_url)
    states: list[str] = []
    watch = client.watch_tickers(on_state=lambda state: states.append(state.kind))
    assert len(front.next(watch)) == 1
    assert (states, watch.state.kind, client.feed_status) == (["degraded"], "degraded", "degraded")
    front.close_watch(watch)
    assert front.next(watch) is None


def test_a_cancelled_task_ends_its_call_at_once_and_leaves_the_limit_to_others(server: FaultyServer) -> None:
    headers = {"X-RateLimit-Limit": "1", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 40)}
    server.replies = [Reply(200, instant("serverTime", time.time()), headers), HANGS]

    async def cancelled() -> float:
        async with AsyncClient(server.base_url, "cancelled") as client, AsyncClient(server.base_url, "other") as other:
            await client.time()
            waiting, hanging = asyncio.create_task(client.time()), asyncio.create_task(other.time())
            while len(server.requests) < 2:  # noqa: ASYNC110 -- the server is in another thread
                await asyncio.sleep(0.01)
            started = time.monotonic()
            waiting.cancel()
            hanging.cancel()
            results = await asyncio.gather(waiting, hanging, return_exceptions=True)
            assert all(isinstance(result, asyncio.CancelledError) for result in results)
            return time.monotonic() - started

    assert asyncio.run(cancelled()) < 5
    assert len(server.requests) == 2


def test_both_fronts_offer_the_same() -> None:
    def offered(front: type) -> dict[str, tuple[str, str | None]]:
        members = {name: member for name, member in inspect.getmembers(front) if not name.startswith("_")}
        members["__init__"] = front
        return {name: (_signature(member), inspect.getdoc(member)) for name, member in members.items()}

    def _signature(member: object) -> str:
        text = str(inspect.signature(member)) if callable(member) else "property"
        return re.sub(r"Async(?=Watch|Client)|collections\.abc\.Awaitable", "", text)

    sync, asynchronous = offered(Client), offered(AsyncClient)
    asynchronous["close"] = asynchronous.pop("aclose")
    sync["__init__"], asynchronous["__init__"] = (
        (each["__init__"][0], (each["__init__"][1] or "").replace("for threads", "").replace("for asyncio", ""))
        for each in (sync, asynchronous)
    )
    assert sync == asynchronous
    assert set(market_data_client.__all__) <= set(dir(market_data_client))


@pytest.mark.parametrize(
    ("former", "name"),
    [("UnknownSymbolError", "UnknownSymbolProblem"), ("MarketDataError", "MarketDataFailure"), ("Limit", "LimitFigures")],
)
def test_a_former_name_is_the_new_one_and_says_so(former: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{former} is now called {name}"):
        assert getattr(market_data_client, former) is getattr(market_data_client, name)
    with pytest.raises(AttributeError, match="NoSuchError"):
        _ = market_data_client.NoSuchError  # type: ignore[attr-defined]
