"""A bot that sells at the client price, and knows when it must not.

It places no orders: each second it prints what it would do for each symbol. Everything it knows of the service is on the
service's own pages: the guides and the page of the Python client.
"""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import timedelta

from market_data_client import AsyncClient, MarketDataFailure, ServiceStatus, Ticker, WatchState, from_environment

TOO_OLD = timedelta(seconds=60)
"""A price older than this is nothing to trade on."""
BEFORE_MAINTENANCE = timedelta(seconds=30)
"""Nothing new this close to a window: nobody could follow the order while it runs."""


class Bot:
    """Decides for some symbols. ``second`` is how long a second takes."""

    def __init__(self, client: AsyncClient, symbols: list[str], second: float = 1.0) -> None:
        self._client = client
        self._symbols = symbols
        self._second = second
        self._prices = client.watch_tickers(on_state=self._on_state)
        self._service = client.watch_status()
        self._tickers: dict[str, Ticker] = {}
        self._status: ServiceStatus | None = None
        self._paused: set[str] = set(symbols)
        """Symbols whose market is not known to trade."""

    async def run(self) -> None:
        """Ends only with an error that needs a person, such as a refused key."""
        await asyncio.gather(self._follow_prices(), self._follow_service(), self._follow_markets(), self._decide())

    async def _follow_prices(self) -> None:
        async for tickers in self._prices:
            self._tickers = {ticker.symbol: ticker for ticker in tickers}

    async def _follow_service(self) -> None:
        async for status in self._service:
            self._status = status

    async def _follow_markets(self) -> None:
        async for markets in self._client.watch_markets():
            self._paused = set(self._symbols) - {market.symbol for market in markets if market.status == "trading"}

    async def _decide(self) -> None:
        while True:
            for symbol in self._symbols:
                reason = self.reason_to_wait(symbol)
                if reason is None:
                    ticker = self._tickers[symbol]
                    self._tell(sell=symbol, price=str(ticker.sell_price), captured=ticker.timestamp.isoformat())
                else:
                    self._tell(wait=symbol, reason=reason)
            await asyncio.sleep(self._second)

    def reason_to_wait(self, symbol: str) -> str | None:
        """Why nothing may be sold now; None when it may."""
        state = self._prices.state
        if not state.is_reliable:
            return state.kind
        if symbol in self._paused:
            return "not trading"
        ticker = self._tickers.get(symbol)
        if ticker is None:
            return "no price"
        if self._client.age(ticker) > TOO_OLD:
            return "too old"
        window = self._status.maintenance if self._status is not None else None
        if window is not None and window.start - self._client.now() < BEFORE_MAINTENANCE:
            return "maintenance is near"
        return None

    def _on_state(self, state: WatchState) -> None:
        self._tell(state=state.kind)

    def _tell(self, **what: str) -> None:
        print(json.dumps({"at": self._client.now().isoformat(), **what}), flush=True)


async def main(symbols: list[str]) -> None:
    async with AsyncClient(*from_environment()) as client:
        await Bot(client, symbols).run()


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1:] or ["BTCEUR", "BTCCZK"]))
    except (MarketDataFailure, ValueError) as error:
        raise SystemExit(str(error)) from None
    except KeyboardInterrupt:
        pass
