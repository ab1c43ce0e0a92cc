"""Bodies and headers as the service writes them, and a service that is a function."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timezone
from typing import Any

from simulation import LOST, Reply, Simulation


def instant(name: str, at: float) -> dict[str, Any]:
    text = datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {name: text, f"{name}Ms": round(at * 1_000)}


def ticker(at: float, **members: Any) -> dict[str, Any]:
    return {
        "symbol": "BTCEUR",
        "base": "BTC",
        "quote": "EUR",
        "buyPrice": "50260.05",
        "sellPrice": "49750.00",
        "high24h": "50010.00",
        "low24h": "50000.00",
        "volume24h": "12.50000000",
        **instant("timestamp", at),
        **members,
    }


def market(**members: Any) -> dict[str, Any]:
    return {
        "symbol": "BTCEUR",
        "base": "BTC",
        "quote": "EUR",
        "status": "trading",
        "pricePrecision": 2,
        "amountPrecision": 8,
        "tickSize": "0.01",
        "minOrderSize": "0.0001",
        **members,
    }


def status(at: float, feed: str = "operational", **members: Any) -> dict[str, Any]:
    return {
        "status": feed,
        "api": "operational",
        "components": {"ticker": feed},
        "maintenance": None,
        **instant("lastUpdatedAt", at),
        **instant("serverTime", at),
        **members,
    }


def problem(status: int, code: str, **headers: str) -> Reply:
    body = {
        "type": f"https://api.example.com/errors/{code.lower()}",
        "title": "A title",
        "status": status,
        "code": code,
        "detail": "This time.",
        "requestId": "request-0123456789",
    }
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class Service:
    """The contract as far as the client can tell: minutes, limits, tags, windows and a feed."""

    def __init__(self, limit: int = 60, offset: float = 0.0) -> None:
        self.simulation = Simulation(self.answer)
        self.limit = limit
        self.offset = offset
        """Server time minus the local clock's."""
        self.price = 49_750
        self.feed = "operational"
        self.updated: float | None = None
        """When market data last arrived; None while it arrives."""
        self.tells_feed = False
        """Whether answers with prices have ``X-Feed-Status``."""
        self.window: tuple[float, float] | None = None
        self.is_down = False
        self.broken: dict[str, Reply] = {}
        """Replies for some paths, in place of the right ones."""
        self._minute = -1
        self._used = 0

    @property
    def now(self) -> float:
        return self.simulation.clock.passed + self.offset + 1_795_255_200.0

    def spend(self, count: int) -> None:
        """Somebody else uses the key."""
        self._count()
        self._used += count - 1

    def answer(self, path: str, etag: str | None) -> Reply:
        if self.is_down:
            return LOST
        headers, remaining = self._count()
        if remaining < 0:
            wait = 60 - self.now % 60
            return problem(429, "RATE_LIMIT_EXCEEDED", **headers, Retry_After=str(-int(-wait // 1)))
        reply = self.broken.get(path) or self._content(path)
        if reply is LOST or reply.status < 0:
            return reply
        headers = {**headers, **reply.headers}
        if path.startswith("/v1/ticker") and self.tells_feed and reply.status != 404:
            headers["X-Feed-Status"] = self.feed
        if reply.status == 200 and path not in ("/v1/time", "/v1/status"):
            tag = '"' + hashlib.sha256(json.dumps(reply.body).encode()).hexdigest()[:8] + '"'
            if etag == tag:
                return Reply(304, "", headers)
            headers["ETag"] = tag
        return Reply(reply.status, reply.body, headers)

    def _count(self) -> tuple[dict[str, str], int]:
        minute = int(self.now // 60)
        if minute != self._minute:
            self._minute, self._used = minute, 0
        self._used += 1
        remaining = self.limit - self._used
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(max(0, remaining)),
            "X-RateLimit-Reset": str((minute + 1) * 60),
        }
        return headers, remaining

    def _content(self, path: str) -> Reply:
        now = self.now
        runs = self.window is not None and self.window[0] <= now < self.window[1]
        if path == "/v1/status":
            return Reply(200, self._status(runs))
        if runs and self.window is not None:
            return problem(503, "SERVICE_MAINTENANCE", Retry_After=str(max(1, -int(-(self.window[1] - now) // 1))))
        price = f"{self.price}.00"
        if path == "/v1/time":
            return Reply(200, instant("serverTime", now))
        if path == "/v1/markets":
            return Reply(200, {"markets": [market()]})
        if path == "/v1/tickers":
            return Reply(200, {"tickers": [ticker(1_795_255_200.0, sellPrice=price)]})
        if path == "/v1/ticker?symbol=BTCEUR":
            return Reply(200, ticker(1_795_255_200.0, sellPrice=price))
        return problem(404, "UNKNOWN_SYMBOL")

    def _status(self, runs: bool) -> dict[str, Any]:
        body = status(self.now, self.feed)
        if self.updated is not None:
            body.update(instant("lastUpdatedAt", self.updated))
        if self.window is not None:
            start, end = self.window
            body["maintenance"] = {**instant("from", start), **instant("to", end), "description": "Upgrade."}
        if runs:
            body.update(status="maintenance", api="maintenance")
        return body
