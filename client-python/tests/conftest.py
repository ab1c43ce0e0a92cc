"""Both fronts, as one thing to test, and a local server that does what a test tells it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from simulation import HANGS, Reply

from market_data_client import AsyncClient, Client, Clock

os.environ["NO_PROXY"] = "127.0.0.1"
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Reading those of the platform takes longer than most tests."""


class FastClock(Clock):
    """Passes fifty seconds in a real one."""

    speed = 50.0

    def __init__(self) -> None:
        self._wall, self._steady = time.time(), time.monotonic()

    def wall(self) -> float:
        return self._wall + self.steady()

    def steady(self) -> float:
        return (time.monotonic() - self._steady) * self.speed

    def wall_at(self, monotonic: float) -> float:
        """What it showed at an instant of the platform's steady clock."""
        return self._wall + (monotonic - self._steady) * self.speed


class FaultyServer:
    """The nth request gets the nth reply, further ones the last."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.times: list[float] = []
        self._stopped = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server._handle(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        reply = self.replies[min(len(self.requests), len(self.replies) - 1)]
        self.requests.append((handler.path, {name.lower(): value for name, value in handler.headers.items()}))
        self.times.append(time.monotonic())
        if reply is HANGS:
            self._stopped.wait()
        if reply.status <= 0:
            reset(handler)
            return
        body = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
        handler.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body) + (1_000 if reply is BREAKS_OFF else 0)))
        handler.end_headers()
        if reply.headers.get("X-Drip"):
            for byte in body:
                if self._stopped.wait(0.05):
                    return
                handler.wfile.write(bytes([byte]))
        handler.wfile.write(body)
        if reply is BREAKS_OFF:
            reset(handler)

    def stop(self) -> None:
        self._stopped.set()
        self._http.shutdown()
        self._http.server_close()


BREAKS_OFF = Reply(200, '{"tickers":[')


def reset(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


class Front:
    """One of the two clients, its calls blocking in either case."""

    def __init__(self, kind: type[Client] | type[AsyncClient]) -> None:
        self._kind = kind
        self._loop = asyncio.new_event_loop()
        self._https: list[Any] = []

    @property
    def is_async(self) -> bool:
        return self._kind is AsyncClient

    def client(self, base_url: str, api_key: str = "key", **options: Any) -> Any:
        if "http_client" not in options:
            http = httpx.AsyncClient if self.is_async else httpx.Client
            options["http_client"] = http(verify=NO_CERTIFICATES)
            self._https.append(options["http_client"])
        return self._kind(base_url, api_key, **options)

    def call(self, call: Callable[[], Any]) -> Any:
        """What a call gives."""
        if not self.is_async:
            return call()
        return self._loop.run_until_complete(call())

    def together(self, calls: list[Callable[[], Any]]) -> list[Any]:
        """What calls give that are made at the same time: in threads, or as tasks."""
        if self.is_async:

            async def gather() -> list[Any]:
                return await asyncio.gather(*(call() for call in calls))

            return self._loop.run_until_complete(gather())
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(lambda call: call(), calls))

    def next(self, watch: Any) -> Any:
        """The next value of a watch; ``StopIteration`` is given as None."""
        if not self.is_async:
            return next(watch, None)

        async def following() -> Any:
            async for value in watch:
                return value
            return None

        return self._loop.run_until_complete(following())

    def close_watch(self, watch: Any) -> None:
        if self.is_async:
            self._loop.run_until_complete(watch.aclose())
        else:
            watch.close()

    def end(self) -> None:
        for http in self._https:
            self.call(http.aclose if self.is_async else http.close)
        self._loop.close()


@pytest.fixture(params=[Client, AsyncClient], ids=["sync", "async"])
def front(request: pytest.FixtureRequest) -> Iterator[Front]:
    front = Front(request.param)
    yield front
    front.end()


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    server = FaultyServer()
    yield server
    server.stop()
