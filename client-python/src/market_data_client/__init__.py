"""Client of the Market Data API, sync (``Client``) and async (``AsyncClient``)."""

import warnings
from typing import TYPE_CHECKING

from ._async import AsyncClient, AsyncWatch
from ._former import former_names
from ._sync import Client, Watch
from ._version import __version__
from .clock import Clock
from .environment import Access, from_environment
from .errors import (
    ApiProblem,
    BadRequestProblem,
    ExpectationFailedProblem,
    InternalErrorProblem,
    InvalidApiKeyProblem,
    InvalidParameterProblem,
    MalformedAnswer,
    MarketDataFailure,
    MarketDataUnavailableProblem,
    MethodNotAllowedProblem,
    MissingApiKeyProblem,
    NotFoundProblem,
    RateLimitExceededProblem,
    RequestHeaderFieldsTooLargeProblem,
    RequestTimeoutProblem,
    ServiceMaintenanceProblem,
    ServiceOverloadedProblem,
    TimeoutFailure,
    TransportFailure,
    UnknownSymbolProblem,
    is_known_error_code,
    known_error_codes,
    problem_classes,
)
from .hooks import RequestEvent, ResponseEvent, RetryEvent
from .models import (
    Age,
    ClockOffset,
    Components,
    KnownMarketStatus,
    KnownServiceStatus,
    LimitFigures,
    MaintenanceWindow,
    Market,
    Problem,
    ServerTime,
    ServiceStatus,
    Ticker,
    is_known_market_status,
    is_known_service_status,
    known_market_statuses,
    known_service_statuses,
)
from .state import WatchState, WatchStateKind

__all__ = [
    "Access",
    "Age",
    "ApiProblem",
    "AsyncClient",
    "AsyncWatch",
    "BadRequestProblem",
    "Client",
    "Clock",
    "ClockOffset",
    "Components",
    "ExpectationFailedProblem",
    "InternalErrorProblem",
    "InvalidApiKeyProblem",
    "InvalidParameterProblem",
    "KnownMarketStatus",
    "KnownServiceStatus",
    "LimitFigures",
    "MaintenanceWindow",
    "MalformedAnswer",
    "Market",
    "MarketDataFailure",
    "MarketDataUnavailableProblem",
    "MethodNotAllowedProblem",
    "MissingApiKeyProblem",
    "NotFoundProblem",
    "Problem",
    "RateLimitExceededProblem",
    "RequestEvent",
    "RequestHeaderFieldsTooLargeProblem",
    "RequestTimeoutProblem",
    "ResponseEvent",
    "RetryEvent",
    "ServerTime",
    "ServiceMaintenanceProblem",
    "ServiceOverloadedProblem",
    "ServiceStatus",
    "Ticker",
    "TimeoutFailure",
    "TransportFailure",
    "UnknownSymbolProblem",
    "Watch",
    "WatchState",
    "WatchStateKind",
    "__version__",
    "from_environment",
    "is_known_error_code",
    "is_known_market_status",
    "is_known_service_status",
    "known_error_codes",
    "known_market_statuses",
    "known_service_statuses",
    "problem_classes",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """The names that 1.0 had, for programs written for it. Type checkers ask for the new ones."""
        if name not in former_names:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        warnings.warn(f"{name} is now called {former_names[name]}", DeprecationWarning, stacklevel=2)
        return globals()[former_names[name]]
