from __future__ import annotations

from ._server_clock import ServerClock
from .models import Ticker

_CLOCKS_APART = 5.0
"""How far the clocks of two servers of one service can be apart."""


class GivenTickers:
    """The newest ticker that this client has given of each market.

    Behind a balancer the next answer can come from a server that is behind the last one, and answers of calls that run at
    the same time can overtake each other: what is older than what was given is not given, and the ticker given before is
    given again.

    A ticker from the future of the server that answers is of a server whose clock was set back: it gives way, or nothing new
    would be given for as long.
    """

    def __init__(self, server_clock: ServerClock) -> None:
        self._server_clock = server_clock
        self._newest: dict[str, Ticker] = {}
        self._list: tuple[Ticker, ...] = ()

    def ticker(self, answered: Ticker) -> Ticker:
        """What to give for the answer: that, or the newer one that was given."""
        given = self._newest.get(answered.symbol)
        if given is not None and answered.timestamp < given.timestamp and not self._is_of_future(given):
            return given
        self._newest[answered.symbol] = answered
        return answered

    def tickers(self, answered: tuple[Ticker, ...]) -> tuple[Ticker, ...]:
        """The same for each market of a list, which has the markets of the answer. The same list while nothing is new."""
        newest = tuple(self.ticker(ticker) for ticker in answered)
        if not _is_each(newest, self._list):
            self._list = answered if _is_each(newest, answered) else newest
        return self._list

    def _is_of_future(self, ticker: Ticker) -> bool:
        return ticker.timestamp.timestamp() > self._server_clock.latest + _CLOCKS_APART


def _is_each(some: tuple[Ticker, ...], others: tuple[Ticker, ...]) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))
