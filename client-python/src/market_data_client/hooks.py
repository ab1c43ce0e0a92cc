"""What the hooks of a client receive. Hooks must not block; what one raises ends the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .errors import MarketDataFailure


@dataclass(frozen=True, slots=True)
class RequestEvent:
    """A request that is about to be sent."""

    path: str
    """Path and query."""
    attempt: int
    """1 for the first of a call."""


@dataclass(frozen=True, slots=True)
class ResponseEvent:
    """An answer, whether it is of use or not."""

    path: str
    attempt: int
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    elapsed: float
    """Seconds from sending to the head of the answer."""

    @property
    def request_id(self) -> str | None:
        """Quote it when you ask the operator about an answer."""
        return self.headers.get("x-request-id")


@dataclass(frozen=True, slots=True)
class RetryEvent:
    """A request that failed and is repeated."""

    path: str
    attempt: int
    """Of the failed request."""
    wait: float
    """Seconds until it is repeated."""
    failure: MarketDataFailure


@dataclass(frozen=True, slots=True)
class Hooks:
    on_request: Callable[[RequestEvent], object] | None = field(default=None)
    on_response: Callable[[ResponseEvent], object] | None = field(default=None)
    on_retry: Callable[[RetryEvent], object] | None = field(default=None)
