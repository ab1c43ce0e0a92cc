"""Pushes the prices of an engine to the service: python engine.py ws://127.0.0.1:9090/ingest/v1, with the token in SOURCE_TOKEN.

Needs the package `websockets`.
"""

import json, os, random, sys, time
from decimal import Decimal
from websockets.sync.client import connect

MARKETS = [
    dict(base="BTC", quote="EUR", status="trading", pricePrecision=1, amountPrecision=8, tickSize="0.1", minOrderSize="0.00005"),
    dict(base="ETH", quote="EUR", status="trading", pricePrecision=2, amountPrecision=8, tickSize="0.01", minOrderSize="0.001"),
]
EPOCH = int(time.time() * 1000)  # Higher with every start.
SYMBOLS = [market["base"] + market["quote"] for market in MARKETS]
seq = 0


def ticker(symbol):
    """Where your engine knows its prices."""
    global seq
    seq += 1
    bid = Decimal("50000.00" if symbol == "BTCEUR" else "2000.00") + Decimal(random.randrange(1000)) / 100
    book = dict(bid=bid, ask=bid + Decimal("0.10"), high24h=bid + 50, low24h=bid - 50, volume24h="12.5")
    return dict(type="ticker", seq=seq, symbol=symbol, time=int(time.time() * 1000)) | {k: str(v) for k, v in book.items()}


def push(url, token):
    with connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
        def send(**message):
            socket.send(json.dumps(message))
        send(type="hello", protocol=1, epoch=EPOCH)
        beat = time.monotonic()
        while True:
            try:
                message = json.loads(socket.recv(timeout=0.1))
            except TimeoutError:
                send(**ticker(SYMBOLS[seq % len(SYMBOLS)]))
                message = {}
            if message.get("type") == "error":
                print(message, file=sys.stderr)
            if message.get("type") == "resync":
                send(type="catalogue", markets=MARKETS)
                send(type="snapshot", phase="begin")
                for symbol in SYMBOLS:
                    send(**ticker(symbol))
                send(type="snapshot", phase="end")
            if time.monotonic() - beat >= 1:
                beat = time.monotonic()
                send(type="heartbeat", lastSeq=seq)


while True:
    try:
        push(sys.argv[1], os.environ["SOURCE_TOKEN"])
    except Exception as error:
        print(error, file=sys.stderr)
    time.sleep(1)
