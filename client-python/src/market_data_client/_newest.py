from __future__ import annotations

from datetime import timedelta

from .models import Ticker

_SET_BACK = timedelta(minutes=5)
"""A time that goes back further is of a server whose clock was set back: it is taken, or nothing would be for as long."""


def newest_ticker(answered: Ticker, held: Ticker) -> Ticker:
    """The newer of two tickers of a market: behind a balancer the next answer can come from a server that is behind."""
    return held if timedelta() < held.timestamp - answered.timestamp <= _SET_BACK else answered


def newest_tickers(answered: tuple[Ticker, ...], held: tuple[Ticker, ...]) -> tuple[Ticker, ...]:
    """The same for each market of a list. The list held when there is nothing new."""
    known = {ticker.symbol: ticker for ticker in held}
    newest = tuple(newest_ticker(ticker, known.get(ticker.symbol, ticker)) for ticker in answered)
    is_held = len(newest) == len(held) and all(one is other for one, other in zip(newest, held, strict=True))
    return held if is_held else newest
