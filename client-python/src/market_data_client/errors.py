"""What calls raise. No error contains the API key."""

from __future__ import annotations

from typing import Any, Literal

from .models import Problem


class MarketDataError(Exception):
    """The base of every failure of this client."""

    path: str
    """Path and query of the request."""
    retry_after: float | None
    """The shortest time to wait before the next request, in seconds, when the server or the limit demands one."""
    retryable: bool
    """Whether the same request can succeed later."""

    def __init__(self, message: str, *, path: str, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.retryable = retryable
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the constructor with the message alone: a process pool could not hand the error over.
        return (_restored, (type(self), self.args, self.__dict__))


class ApiError(MarketDataError):
    """The API answered with an error. Branch on ``code`` or the class; for a code you do not know, on ``status``."""

    code: str
    status: int
    title: str
    detail: str
    """Explains this occurrence to people. The text can change at any time."""
    request_id: str
    """Quote it when you contact the operator."""
    type: str
    """Address of a page about the error."""

    def __init__(self, problem: Problem, *, path: str, retry_after: float | None = None) -> None:
        message = f"{problem.status} {problem.code}: {problem.detail} (request {problem.request_id})"
        super().__init__(message, path=path, retryable=is_retryable_status(problem.status), retry_after=retry_after)
        self.code = problem.code
        self.status = problem.status
        self.title = problem.title
        self.detail = problem.detail
        self.request_id = problem.request_id
        self.type = problem.type


class InvalidParameterError(ApiError):
    """``INVALID_PARAMETER``: a parameter is missing or malformed; ``detail`` names it."""


class MissingApiKeyError(ApiError):
    """``MISSING_API_KEY``."""


class InvalidApiKeyError(ApiError):
    """``INVALID_API_KEY``: the key is wrong, disabled, revoked or expired, or its account is inactive."""


class UnknownSymbolError(ApiError):
    """``UNKNOWN_SYMBOL``: never listed, or delisted."""


class NotFoundError(ApiError):
    """``NOT_FOUND``: no such path."""


class RateLimitExceededError(ApiError):
    """``RATE_LIMIT_EXCEEDED``."""


class MarketDataUnavailableError(ApiError):
    """``MARKET_DATA_UNAVAILABLE``: the market has no price now, or there are no prices at all."""


class ServiceMaintenanceError(ApiError):
    """``SERVICE_MAINTENANCE``: an announced window is running."""


class BadRequestError(ApiError):
    """``BAD_REQUEST``."""


class MethodNotAllowedError(ApiError):
    """``METHOD_NOT_ALLOWED``."""


class RequestTimeoutError(ApiError):
    """``REQUEST_TIMEOUT``: the request did not reach the server in time."""


class ExpectationFailedError(ApiError):
    """``EXPECTATION_FAILED``."""


class RequestHeaderFieldsTooLargeError(ApiError):
    """``REQUEST_HEADER_FIELDS_TOO_LARGE``."""


class InternalServerError(ApiError):
    """``INTERNAL_ERROR``: a fault of the service."""


class ServiceOverloadedError(ApiError):
    """``SERVICE_OVERLOADED``."""


error_classes: dict[str, type[ApiError]] = {
    "INVALID_PARAMETER": InvalidParameterError,
    "MISSING_API_KEY": MissingApiKeyError,
    "INVALID_API_KEY": InvalidApiKeyError,
    "UNKNOWN_SYMBOL": UnknownSymbolError,
    "NOT_FOUND": NotFoundError,
    "RATE_LIMIT_EXCEEDED": RateLimitExceededError,
    "MARKET_DATA_UNAVAILABLE": MarketDataUnavailableError,
    "SERVICE_MAINTENANCE": ServiceMaintenanceError,
    "BAD_REQUEST": BadRequestError,
    "METHOD_NOT_ALLOWED": MethodNotAllowedError,
    "REQUEST_TIMEOUT": RequestTimeoutError,
    "EXPECTATION_FAILED": ExpectationFailedError,
    "REQUEST_HEADER_FIELDS_TOO_LARGE": RequestHeaderFieldsTooLargeError,
    "INTERNAL_ERROR": InternalServerError,
    "SERVICE_OVERLOADED": ServiceOverloadedError,
}
"""The class of each code that version 1 of the API has today; other codes raise ``ApiError`` itself."""


class TransportError(MarketDataError):
    """No complete answer: name resolution, connection or TLS failed, or the answer was cut off."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"no answer to {path}: {reason}", path=path, retryable=True)


class TimedOutError(MarketDataError):
    """One attempt took too long, or the call's deadline left no time for another wait."""

    limit: Literal["attempt", "deadline"]

    def __init__(
        self, path: str, limit: Literal["attempt", "deadline"], message: str, retry_after: float | None = None
    ) -> None:
        super().__init__(message, path=path, retryable=limit == "attempt", retry_after=retry_after)
        self.limit = limit


class MalformedAnswerError(MarketDataError):
    """An answer that the contract does not describe: another server, a proxy's page, a broken body."""

    status: int

    def __init__(self, path: str, status: int, fault: str, retry_after: float | None = None) -> None:
        message = f"unusable answer {status} to {path}: {fault}"
        super().__init__(message, path=path, retryable=is_retryable_status(status), retry_after=retry_after)
        self.status = status


def is_retryable_status(status: int) -> bool:
    """Whether a later attempt is safe and can help: every request is a GET, so only the status matters."""
    return status in (408, 429, 500, 502, 503, 504)


def is_key_refused(failure: MarketDataError | None) -> bool:
    """Whether a failure says that the key is not taken."""
    return isinstance(failure, ApiError) and failure.status == 401


def is_final(failure: MarketDataError) -> bool:
    """Whether a failure persists until the caller changes something, so that polling on is useless."""
    return isinstance(failure, ApiError) and failure.status < 500 and not failure.retryable


def _restored(cls: type[MarketDataError], args: tuple[Any, ...], state: dict[str, Any]) -> MarketDataError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
