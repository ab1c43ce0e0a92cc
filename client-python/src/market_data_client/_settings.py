from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from .clock import Clock
from .hooks import Hooks


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """The options of a client, checked."""

    base_url: str
    api_key: str
    max_attempts: int
    attempt_timeout: float
    deadline: float
    wait_for_limit: bool
    max_data_age: float
    remeasure_clock: float
    hooks: Hooks
    clock: Clock
    random: Callable[[], float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", _checked_base_url(self.base_url))
        check_key(self.api_key)
        for name in ("max_attempts", "attempt_timeout", "deadline", "max_data_age", "remeasure_clock"):
            check_positive(name, getattr(self, name))


def check_positive(name: str, value: float) -> None:
    """Refuses zero, negative values and NaN."""
    if not value > 0:
        raise ValueError(f"{name} must be more than 0")


def _checked_base_url(written: str) -> str:
    try:
        url = urlsplit(written)
        is_absolute = url.scheme in ("http", "https") and bool(url.hostname)
        _ = url.port
    except ValueError:
        is_absolute = False
        url = urlsplit("")
    if not is_absolute:
        raise ValueError("base_url must be an absolute URL such as https://api.example.com")
    if "@" in url.netloc or "?" in written or "#" in written:
        raise ValueError("base_url must have no credentials, query or fragment")
    path = url.path.rstrip("/")
    if path.endswith("/v1"):
        raise ValueError("base_url must not end in /v1: the client adds it")
    return f"{url.scheme}://{url.netloc}{path}"


def check_key(api_key: object) -> None:
    """Raises ``ValueError``, without showing the key."""
    # A value that cannot be in a header would be shown in the error of whatever refuses it.
    if not isinstance(api_key, str) or re.fullmatch(r"[\x21-\x7e]+", api_key) is None:
        raise ValueError("api_key must be a non-empty text of visible ASCII characters, without spaces")
