"""Reads bodies of the API into models. Ignores members that the contract can add."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TypeVar, cast

from .models import Components, MaintenanceWindow, Market, Problem, ServerTime, ServiceStatus, Ticker

T = TypeVar("T")

_decimal = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)


class ShapeError(Exception):
    """A body that violates the contract; the message names the place."""


def instant_of(milliseconds: float) -> datetime:
    """The instant of an epoch time. Exact for whole milliseconds. Raises ``OverflowError`` past the year 9999."""
    return _epoch + timedelta(milliseconds=milliseconds)


class _Members:
    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise ShapeError(f"{where} is not an object")
        self._members = cast("dict[str, object]", value)
        self._where = where

    def get(self, name: str) -> object:
        return self._members.get(name)

    def place(self, name: str) -> str:
        return f"{self._where}.{name}"

    def text(self, name: str) -> str:
        value = self.get(name)
        if not isinstance(value, str):
            raise ShapeError(f"{self.place(name)} is not a string")
        return value

    def whole(self, name: str) -> int:
        value = self.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ShapeError(f"{self.place(name)} is not a whole number")
        return value

    def decimal(self, name: str) -> Decimal:
        value = self.get(name)
        if not isinstance(value, str) or _decimal.fullmatch(value) is None:
            raise ShapeError(f"{self.place(name)} is not a decimal string")
        return Decimal(value)

    def optional_decimal(self, name: str) -> Decimal | None:
        return self.decimal(name) if name in self._members else None

    def instant(self, name: str) -> datetime:
        self.text(name)
        try:
            return instant_of(self.whole(f"{name}Ms"))
        except OverflowError:
            raise ShapeError(f"{self.place(name)}Ms is no date") from None

    def each(self, name: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
        value = self.get(name)
        if not isinstance(value, list):
            raise ShapeError(f"{self.place(name)} is not a list")
        items = cast("list[object]", value)
        return tuple(read(item, f"{self.place(name)}[{index}]") for index, item in enumerate(items))


def read_time(body: object) -> ServerTime:
    return ServerTime(server_time=_Members(body, "body").instant("serverTime"))


def read_status(body: object) -> ServiceStatus:
    members = _Members(body, "body")
    window = members.get("maintenance")
    has_no_update = members.get("lastUpdatedAt") is None and members.get("lastUpdatedAtMs") is None
    return ServiceStatus(
        status=members.text("status"),
        api=members.text("api"),
        components=Components(
            ticker=_Members(members.get("components"), members.place("components")).text("ticker"),
        ),
        maintenance=None if window is None else _window(window, members.place("maintenance")),
        last_updated_at=None if has_no_update else members.instant("lastUpdatedAt"),
        server_time=members.instant("serverTime"),
    )


def read_markets(body: object) -> tuple[Market, ...]:
    return _Members(body, "body").each("markets", _market)


def read_tickers(body: object) -> tuple[Ticker, ...]:
    return _Members(body, "body").each("tickers", read_ticker)


def read_ticker(body: object, where: str = "body") -> Ticker:
    members = _Members(body, where)
    return Ticker(
        symbol=members.text("symbol"),
        base=members.text("base"),
        quote=members.text("quote"),
        buy_price=members.decimal("buyPrice"),
        sell_price=members.decimal("sellPrice"),
        high_24h=members.decimal("high24h"),
        low_24h=members.decimal("low24h"),
        volume_24h=members.decimal("volume24h"),
        vwap_24h=members.optional_decimal("vwap24h"),
        price_change_percent_1h=members.optional_decimal("priceChangePercent1h"),
        price_change_percent_24h=members.optional_decimal("priceChangePercent24h"),
        price_change_percent_7d=members.optional_decimal("priceChangePercent7d"),
        timestamp=members.instant("timestamp"),
    )


def read_problem(body: object) -> Problem:
    members = _Members(body, "body")
    return Problem(
        type=members.text("type"),
        title=members.text("title"),
        status=members.whole("status"),
        code=members.text("code"),
        detail=members.text("detail"),
        request_id=members.text("requestId"),
    )


def _window(value: object, where: str) -> MaintenanceWindow:
    members = _Members(value, where)
    return MaintenanceWindow(start=members.instant("from"), end=members.instant("to"), description=members.text("description"))


def _market(value: object, where: str) -> Market:
    members = _Members(value, where)
    return Market(
        symbol=members.text("symbol"),
        base=members.text("base"),
        quote=members.text("quote"),
        status=members.text("status"),
        price_precision=members.whole("pricePrecision"),
        amount_precision=members.whole("amountPrecision"),
        tick_size=members.decimal("tickSize"),
        min_order_size=members.decimal("minOrderSize"),
        min_order_value=members.optional_decimal("minOrderValue"),
    )
