"""Asks what standard input says, one line a request, through the client that openapi-generator made. README.md has the protocol."""

import json
import sys
from datetime import datetime

from openapi_client import ApiClient, Configuration, DescriptionApi, MarketsApi, ServiceApi
from openapi_client.exceptions import ApiException
from openapi_client.models import Market, ServerTime, ServiceStatus, Ticker

BASE_URL = sys.argv[1]


def given(value: object) -> str:
    return "-" if value is None else str(value)


def milliseconds(instant: datetime) -> str:
    return str(round(instant.timestamp() * 1000))


def time_values(time: ServerTime) -> list[str]:
    return [milliseconds(time.server_time), str(time.server_time_ms)]


def status_values(status: ServiceStatus) -> list[str]:
    window = status.maintenance and status.maintenance.description
    return [status.status, status.api, status.components.ticker, given(window), given(status.last_updated_at_ms)]


def market_value(market: Market) -> str:
    # Compared as its users do: a status that is not a plain string fails here.
    status = "trading" if market.status == "trading" else f"{market.status}"
    return f"{market.symbol} {status} {given(market.min_order_value)}"


def ticker_values(ticker: Ticker) -> list[str]:
    return [ticker.symbol, ticker.buy_price, given(ticker.vwap24h), milliseconds(ticker.timestamp)]


def values(client: ApiClient, operation: str, symbol: str) -> list[str]:
    service, markets, description = ServiceApi(client), MarketsApi(client), DescriptionApi(client)
    operations = {
        "getServerTime": lambda: time_values(service.get_server_time()),
        "getServiceStatus": lambda: status_values(service.get_service_status()),
        "listMarkets": lambda: [market_value(each) for each in markets.list_markets().markets],
        "getTicker": lambda: ticker_values(markets.get_ticker(symbol)),
        "listTickers": lambda: [f"{each.symbol} {each.buy_price}" for each in markets.list_tickers().tickers],
        "getOpenApi": lambda: [description.get_open_api().openapi],
        "getRoot": lambda: [description.get_root().name],
    }
    return operations[operation]()


def ask(operation: str, key: str, symbol: str) -> dict:
    keys = {} if key == "-" else {"apiKey": key}
    # By itself it waits for Retry-After and asks again.
    with ApiClient(Configuration(host=BASE_URL, api_key=keys, retries=False)) as client:
        try:
            return {"status": 200, "values": values(client, operation, symbol)}
        except ApiException as failure:
            return {"status": failure.status, "code": failure.data.code}


for line in sys.stdin:
    try:
        said = ask(*(line.strip().split(" ") + [""])[:3])
    except Exception as failure:
        said = {"broken": repr(failure)}
    print(json.dumps(said), flush=True)
