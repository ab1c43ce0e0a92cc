"""What the API answers. Instants are aware datetimes in UTC, prices and amounts are ``Decimal``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal, TypeGuard, get_args

KnownMarketStatus = Literal["trading", "paused", "delisted"]
KnownServiceStatus = Literal["operational", "degraded", "outage", "maintenance"]

known_market_statuses: tuple[KnownMarketStatus, ...] = get_args(KnownMarketStatus)
"""The states of a market that version 1 of the API has today. The set can grow."""

known_service_statuses: tuple[KnownServiceStatus, ...] = get_args(KnownServiceStatus)
"""The states of the service and its parts that version 1 of the API has today. The set can grow."""


def is_known_market_status(status: str) -> TypeGuard[KnownMarketStatus]:
    """Narrows a market's state to those this version knows. Do not trade on others, and do not fail."""
    return status in known_market_statuses


def is_known_service_status(status: str) -> TypeGuard[KnownServiceStatus]:
    """Narrows a state of the service to those this version knows."""
    return status in known_service_statuses


@dataclass(frozen=True, slots=True)
class ServerTime:
    """``GET /v1/time``."""

    server_time: datetime


@dataclass(frozen=True, slots=True)
class MaintenanceWindow:
    """An announced window: it runs from ``start`` (included) to ``end`` (excluded), and ``end`` can move."""

    start: datetime
    end: datetime
    description: str
    """The reason, in English."""


@dataclass(frozen=True, slots=True)
class Components:
    """The parts that the API depends on."""

    ticker: str
    """The feed that prices come from: ``outage`` once it is more than five minutes behind."""


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """``GET /v1/status``."""

    status: str
    """``maintenance`` while an announced window runs, else the worst of ``api`` and the components."""
    api: str
    components: Components
    maintenance: MaintenanceWindow | None
    """The running window, else the nearest announced one, else ``None``. Announced does not mean running."""
    last_updated_at: datetime | None
    """When the feed was last updated; ``None`` if never."""
    server_time: datetime


@dataclass(frozen=True, slots=True)
class Market:
    """An entry of ``GET /v1/markets``."""

    symbol: str
    base: str
    quote: str
    status: str
    price_precision: int
    """Decimal places of every price."""
    amount_precision: int
    """Decimal places of every amount of the base currency."""
    tick_size: Decimal
    min_order_size: Decimal
    """In the base currency."""
    min_order_value: Decimal | None
    """In the quote currency; ``None`` where there is no such minimum."""


@dataclass(frozen=True, slots=True)
class Ticker:
    """The answer of ``GET /v1/ticker``, and an entry of ``GET /v1/tickers``."""

    symbol: str
    base: str
    quote: str
    buy_price: Decimal
    """Final price a client pays for one unit of the base currency, fee and margin included."""
    sell_price: Decimal
    """Final price a client receives for one unit of the base currency, fee and margin included."""
    high_24h: Decimal
    low_24h: Decimal
    volume_24h: Decimal
    """In the base currency."""
    vwap_24h: Decimal | None
    price_change_percent_1h: Decimal | None
    """Percent: ``0.21`` is 0.21 percent."""
    price_change_percent_24h: Decimal | None
    price_change_percent_7d: Decimal | None
    timestamp: datetime
    """When this price was captured."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The body of every error (RFC 9457 with a code and a request id)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """The local clock compared with the server's."""

    offset: timedelta
    """Server time minus local time: what to add to the local clock."""
    uncertainty: timedelta
    """The true offset is within this distance of ``offset``; at best half of the round trip."""


class Age(timedelta):
    """How old data is, by the server's clock as far as that is known."""

    uncertainty: timedelta
    """The true age is within this distance; ``timedelta.max`` before the first answer."""

    def __new__(cls, age: timedelta, uncertainty: timedelta) -> Age:
        made = super().__new__(cls, days=age.days, seconds=age.seconds, microseconds=age.microseconds)
        made.uncertainty = uncertainty
        return made


@dataclass(frozen=True, slots=True)
class LimitFigures:
    """What is left of the key's requests, as far as this process knows."""

    limit: int
    remaining: int
    reset: datetime
    """End of the minute, in the server's time."""
