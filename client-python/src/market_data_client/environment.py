"""The address and the key from the environment, for whoever asks for them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

_NAMES = ("MARKET_DATA_BASE_URL", "MARKET_DATA_API_KEY")


class Access(NamedTuple):
    """The first two options of a client."""

    base_url: str
    api_key: str

    def __repr__(self) -> str:
        return f"Access(base_url={self.base_url!r})"


def from_environment(environ: Mapping[str, str] = os.environ) -> Access:
    """``MARKET_DATA_BASE_URL`` and ``MARKET_DATA_API_KEY``, as in ``Client(*from_environment())``.

    Raises ``ValueError`` that names what is missing.
    """
    missing = [name for name in _NAMES if not environ.get(name)]
    if missing:
        raise ValueError(f"the environment has no {' and no '.join(missing)}")
    return Access(*(environ[name] for name in _NAMES))
