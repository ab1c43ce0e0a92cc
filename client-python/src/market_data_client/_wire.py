"""What both fronts send and how they read what httpx gives. Nothing else in the client knows the key."""

from __future__ import annotations

import platform
from dataclasses import dataclass

import httpx

from ._steps import Answer, Send
from ._version import __version__
from .clock import Clock
from .errors import MarketDataFailure, TimeoutFailure, TransportFailure

_USER_AGENT = f"market-data-client-python/{__version__} (Python {platform.python_version()})"


@dataclass(slots=True, repr=False)
class Wire:
    base_url: str
    api_key: str
    clock: Clock

    def request(self, client: httpx.Client | httpx.AsyncClient, send: Send) -> httpx.Request:
        headers = {
            "Accept": "application/json, application/problem+json",
            "User-Agent": _USER_AGENT,
            "X-EXCHANGE-APIKEY": self.api_key,
        }
        if send.etag is not None:
            headers["If-None-Match"] = send.etag
        return client.build_request("GET", self.base_url + send.path, headers=headers, timeout=self.seconds(send.timeout))

    def answer(self, response: httpx.Response, body: bytes, sent: float, received: float) -> Answer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, headers, body.decode("utf-8", "replace"), sent, received)

    def failure(self, send: Send, error: Exception) -> MarketDataFailure:
        """The error for what httpx raised. The original can hold the request with its headers, so it is not kept."""
        if isinstance(error, httpx.TimeoutException):
            return self.too_late(send)
        text = str(error)
        reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return TransportFailure(send.path, self.redact(reason))

    def too_late(self, send: Send) -> TimeoutFailure:
        return TimeoutFailure(send.path, send.limit, f"no whole answer to {send.path} within {send.timeout:.1f} s")

    def redact(self, text: str) -> str:
        """Removes the key from text that came from outside."""
        return text.replace(self.api_key, "[key]")

    def seconds(self, duration: float) -> float:
        """Real seconds of a duration of the client's clock."""
        return duration / self.clock.speed
