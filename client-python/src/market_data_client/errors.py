"""What calls raise. No error contains the API key."""

from __future__ import annotations

from typing import Any, Literal

from .models import Problem


class MarketDataFailure(Exception):
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


class ApiProblem(MarketDataFailure):
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


class InvalidParameterProblem(ApiProblem):
    """``INVALID_PARAMETER``: a parameter is missing or malformed; ``detail`` names it."""


class MissingApiKeyProblem(ApiProblem):
    """``MISSING_API_KEY``."""


class InvalidApiKeyProblem(ApiProblem):
    """``INVALID_API_KEY``: the key is wrong, disabled, revoked or expired, or its account is inactive."""


class UnknownSymbolProblem(ApiProblem):
    """``UNKNOWN_SYMBOL``: never listed, or delisted."""


class NotFoundProblem(ApiProblem):
    """``NOT_FOUND``: no such path."""


class RateLimitExceededProblem(ApiProblem):
    """``RATE_LIMIT_EXCEEDED``."""


class MarketDataUnavailableProblem(ApiProblem):
    """``MARKET_DATA_UNAVAILABLE``: the market has no price now, or there are no prices at all."""


class ServiceMaintenanceProblem(ApiProblem):
    """``SERVICE_MAINTENANCE``: an announced window is running."""


class BadRequestProblem(ApiProblem):
    """``BAD_REQUEST``."""


class MethodNotAllowedProblem(ApiProblem):
    """``METHOD_NOT_ALLOWED``."""


class RequestTimeoutProblem(ApiProblem):
    """``REQUEST_TIMEOUT``: the request did not reach the server in time."""


class ExpectationFailedProblem(ApiProblem):
    """``EXPECTATION_FAILED``."""


class RequestHeaderFieldsTooLargeProblem(ApiProblem):
    """``REQUEST_HEADER_FIELDS_TOO_LARGE``."""


class InternalErrorProblem(ApiProblem):
    """``INTERNAL_ERROR``: a fault of the service."""


class ServiceOverloadedProblem(ApiProblem):
    """``SERVICE_OVERLOADED``."""


problem_classes: dict[str, type[ApiProblem]] = {
    "INVALID_PARAMETER": InvalidParameterProblem,
    "MISSING_API_KEY": MissingApiKeyProblem,
    "INVALID_API_KEY": InvalidApiKeyProblem,
    "UNKNOWN_SYMBOL": UnknownSymbolProblem,
    "NOT_FOUND": NotFoundProblem,
    "RATE_LIMIT_EXCEEDED": RateLimitExceededProblem,
    "MARKET_DATA_UNAVAILABLE": MarketDataUnavailableProblem,
    "SERVICE_MAINTENANCE": ServiceMaintenanceProblem,
    "BAD_REQUEST": BadRequestProblem,
    "METHOD_NOT_ALLOWED": MethodNotAllowedProblem,
    "REQUEST_TIMEOUT": RequestTimeoutProblem,
    "EXPECTATION_FAILED": ExpectationFailedProblem,
    "REQUEST_HEADER_FIELDS_TOO_LARGE": RequestHeaderFieldsTooLargeProblem,
    "INTERNAL_ERROR": InternalErrorProblem,
    "SERVICE_OVERLOADED": ServiceOverloadedProblem,
}
"""The class of each code that version 1 of the API has today; other codes raise ``ApiProblem`` itself."""


known_error_codes: tuple[str, ...] = tuple(problem_classes)
"""The codes that version 1 of the API has today. The set can grow."""


def is_known_error_code(code: str) -> bool:
    """Whether this version knows the code."""
    return code in problem_classes


class TransportFailure(MarketDataFailure):
    """No complete answer: name resolution, connection or TLS failed, or the answer was cut off."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"no answer to {path}: {reason}", path=path, retryable=True)


class TimeoutFailure(MarketDataFailure):
    """One attempt took too long, or the call's deadline left no time for another wait."""

    limit: Literal["attempt", "deadline"]

    def __init__(
        self, path: str, limit: Literal["attempt", "deadline"], message: str, retry_after: float | None = None
    ) -> None:
        super().__init__(message, path=path, retryable=limit == "attempt", retry_after=retry_after)
        self.limit = limit


class MalformedAnswer(MarketDataFailure):
    """An answer that the contract does not describe: another server, a proxy's page, a broken body."""

    status: int

    def __init__(self, path: str, status: int, fault: str, retry_after: float | None = None) -> None:
        message = f"unusable answer {status} to {path}: {fault}"
        super().__init__(message, path=path, retryable=is_retryable_status(status), retry_after=retry_after)
        self.status = status


def is_retryable_status(status: int) -> bool:
    """Whether a later attempt is safe and can help: every request is a GET, so only the status matters."""
    return status in (408, 429, 500, 502, 503, 504)


def is_key_refused(failure: MarketDataFailure | None) -> bool:
    """Whether a failure says that the key is not taken."""
    return isinstance(failure, ApiProblem) and failure.status == 401


def is_final(failure: MarketDataFailure) -> bool:
    """Whether a failure persists until the caller changes something, so that polling on is useless."""
    return isinstance(failure, ApiProblem) and failure.status < 500 and not failure.retryable


def _restored(cls: type[MarketDataFailure], args: tuple[Any, ...], state: dict[str, Any]) -> MarketDataFailure:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
