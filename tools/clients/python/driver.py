"""Asks what standard input says, one line a request, through the client that openapi-python-client made. README.md has the protocol."""

import json
import sys

from generated import AuthenticatedClient, Client
from generated.api.description import get_open_api, get_root
from generated.api.markets import get_ticker, list_markets, list_tickers
from generated.api.service import get_server_time, get_service_status
from generated.models import Problem
from generated.types import UNSET, Unset

BASE_URL = sys.argv[1]


def given(value: object) -> str:
    return "-" if value is None or isinstance(value, Unset) else str(value)


def milliseconds(instant) -> str:
    return str(round(instant.timestamp() * 1000))


OPERATIONS = {
    "getServerTime": (get_server_time, lambda time: [milliseconds(time.server_time), str(time.server_time_ms)]),
    "getServiceStatus": (
        get_service_status,
        lambda status: [
            status.status,
            status.api,
            status.components.ticker,
            given(status.maintenance and status.maintenance.description),
            given(status.last_updated_at_ms),
        ],
    ),
    "listMarkets": (
        list_markets,
        lambda body: [f"{each.symbol} {each.status} {given(each.min_order_value)}" for each in body.markets],
    ),
    "getTicker": (
        get_ticker,
        lambda ticker: [ticker.symbol, ticker.buy_price, given(ticker.vwap24h), milliseconds(ticker.timestamp)],
    ),
    "listTickers": (list_tickers, lambda body: [f"{each.symbol} {each.buy_price}" for each in body.tickers]),
    "getOpenApi": (get_open_api, lambda document: [document.openapi]),
    "getRoot": (get_root, lambda root: [root.name]),
}


def client_with(key: str):
    if key == "-":
        return Client(base_url=BASE_URL)
    return AuthenticatedClient(base_url=BASE_URL, token=key, prefix="", auth_header_name="X-EXCHANGE-APIKEY")


def ask(operation: str, key: str, symbol: str) -> dict:
    module, values = OPERATIONS[operation]
    parameters = {"symbol": symbol} if operation == "getTicker" else {}
    with client_with(key) as client:
        answer = module.sync_detailed(client=client, **parameters)
    if isinstance(answer.parsed, Problem):
        return {"status": int(answer.status_code), "code": answer.parsed.code}
    return {"status": int(answer.status_code), "values": values(answer.parsed)}


for line in sys.stdin:
    try:
        said = ask(*(line.strip().split(" ") + [""])[:3])
    except Exception as failure:
        said = {"broken": repr(failure)}
    print(json.dumps(said), flush=True)
