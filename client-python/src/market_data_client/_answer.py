"""What an answer means, whatever sent it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import TypeVar

from ._budget import Figures
from ._server_clock import LIMIT_WINDOW, ServerClock
from ._shapes import ShapeError, read_problem
from ._steps import Answer
from .errors import ApiProblem, MalformedAnswer, MarketDataFailure, TransportFailure, problem_classes

T = TypeVar("T")

_digits = re.compile(r"[0-9]{1,12}")
_EARLIEST_RESET = 1_000_000_000
"""A smaller ``X-RateLimit-Reset`` is no instant: other servers send a number of seconds under this name."""


def figures_of(answer: Answer) -> Figures | None:
    """The limit figures of an answer; None when it has none, or those of another counter than the key's."""
    # A refusal may come from the limit of failed authentication, and a 401 always does.
    return None if answer.status in (401, 429) else _written_figures(answer)


def retry_after_of(answer: Answer, clock: ServerClock, now: float) -> float | None:
    """The seconds to wait; None when the answer does not say.

    ``Retry-After`` is whole seconds as in the contract, or a date, which a proxy can send (RFC 9110 §10.2.3). A 429 without
    it is waited for to ``X-RateLimit-Reset``: every limit has the minutes of the server's clock.
    """
    written = answer.headers.get("retry-after", "")
    if _digits.fullmatch(written):
        return float(written)
    if written:
        try:
            return max(0.0, parsedate_to_datetime(written).timestamp() - clock.now())
        except (ValueError, OverflowError):
            pass
    figures = _written_figures(answer) if answer.status == 429 else None
    if figures is None:
        return None
    clock.record_window_end(figures.reset, answer.sent, answer.received)
    return min(LIMIT_WINDOW, max(0.0, clock.certainly_reached_at(figures.reset) - now))


def failure_of(answer: Answer, path: str, retry_after: float | None, redact: Callable[[str], str]) -> MarketDataFailure:
    """The error for an answer that is neither 200 nor an expected 304."""
    status = answer.status
    if 300 <= status < 400:
        return MalformedAnswer(path, status, "a redirect, which is not followed", retry_after)
    try:
        problem = read_problem(_parsed(answer.text))
    except ShapeError:
        return MalformedAnswer(path, status, "not a problem of this API", retry_after)
    problem = replace(
        problem,
        status=status,
        title=redact(problem.title),
        code=redact(problem.code),
        detail=redact(problem.detail),
        request_id=redact(problem.request_id),
        type=redact(problem.type),
    )
    return problem_classes.get(problem.code, ApiProblem)(problem, path=path, retry_after=retry_after)


def body_of(answer: Answer, path: str, read: Callable[[object], T]) -> T:
    """The body of a 200. Raises ``MalformedAnswer``, or ``TransportFailure`` for one that was cut off on its way."""
    try:
        return read(_parsed(answer.text))
    except _NotJsonError as error:
        fault = str(error)
        # Behind a proxy that drops the length, nothing else tells a broken connection from an end.
        is_cut_off = answer.text.lstrip()[:1] in ("", "{")
    except ShapeError as error:
        fault, is_cut_off = str(error), False
    raise TransportFailure(path, "the answer was cut off") if is_cut_off else MalformedAnswer(path, answer.status, fault)


class _NotJsonError(ShapeError):
    pass


def _parsed(text: str) -> object:
    try:
        body: object = json.loads(text)
    except (ValueError, RecursionError):
        raise _NotJsonError("not JSON") from None
    return body


def _written_figures(answer: Answer) -> Figures | None:
    limit, remaining, reset = (answer.headers.get(f"x-ratelimit-{name}", "") for name in ("limit", "remaining", "reset"))
    if not all(_digits.fullmatch(text) for text in (limit, remaining, reset)) or int(reset) < _EARLIEST_RESET:
        return None
    return Figures(int(limit), int(remaining), float(reset))
