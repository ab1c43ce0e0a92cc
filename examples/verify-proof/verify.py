#!/usr/bin/env python3
"""Checks the proof of one answer of a market data service, with the Python standard library alone and no network.

    python3 verify.py proof.json                  whether the proof is whole in itself
    python3 verify.py proof.json seals.txt        and whether it leads to a seal: mails or lines of the log that you kept

The proof may be an evidence page too: then the proof inside it is checked, and what this program prints counts. Exit
code 0 if it holds, 1 if a byte of it differs. The signature of a time stamp is left to `openssl ts -verify`.
"""

import base64
import hashlib
import json
import re
import sys
from datetime import datetime, timedelta, timezone
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_UP, Decimal, localcontext

FIELDS = "format answer body prices place path segment previous links head seal timestamp checksum".split()
ANSWER = "requestId keyId answeredAt route symbol status".split()
HASH, DAY = re.compile("[0-9a-f]{64}"), re.compile(r"\d{4}-\d\d-\d\d")


def require(holds, what):
    if not holds:
        raise ValueError(what)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(text):
    """Reads a proof that is written as proofs are, so that no byte can differ."""
    proof = json.loads(text)
    require(text == json.dumps(proof, ensure_ascii=False, indent=1) + "\n", "it is written in another way")
    require(list(proof) == FIELDS and list(proof["answer"]) == ANSWER, "it has other fields")
    require(proof["format"] == "mdapi-proof-1" and type(proof["place"]) is int, "it is of another format")
    require(proof.pop("checksum") == sha256(compact(proof).encode()).hex(), "a byte of it was changed")
    require(all(HASH.fullmatch(each) for each in [proof["previous"], *proof["path"], proof["head"]]), "a hash is no hash")
    return proof


def bytes_of(text):
    decoded = base64.b64decode(text, validate=True)
    require(base64.b64encode(decoded).decode() == text, "its Base64 is written in another way")
    return decoded


def root_from(leaf, place, size, path):
    """The root of the hash tree of RFC 6962, 2.1, from one leaf and the other child of each node on its way."""
    require(0 <= place < size, "its place is not in its segment")
    path = [bytes.fromhex(each) for each in path]
    while size > 1:
        if place ^ 1 < size:
            leaf = sha256(b"\1", path.pop(0), leaf) if place & 1 else sha256(b"\1", leaf, path.pop(0))
        place, size = place >> 1, (size + 1) >> 1
    require(not path, "its path is too long")
    return leaf


def tickers_in(body, route):
    if route == "/v1/ticker":
        return [body]
    require(re.fullmatch(r'\{"tickers":\[(\{.*\})?\]\}', body, re.S), "its body is no list of tickers")
    return ["{" + each + "}" for each in body[13:-3].split("},{")] if len(body) > 14 else []


def check_price(ticker, made):
    """Calculates both prices again from what they were made from."""
    shown, terms, rate = json.loads(ticker), made["terms"], made["rate"]
    places = Decimal(1).scaleb(-len(shown["buyPrice"].partition(".")[2]))
    fee = Decimal(terms["fee"]["value"]) / 100
    converts = rate is not None and "margin" in terms
    margin, mid = (Decimal(terms["margin"]["value"]) / 100, Decimal(rate["mid"])) if converts else (0, 1)
    is_outward = terms.get("rounding", {}).get("value", "outward") == "outward"
    for name, origin, sign, rounding in (("buyPrice", "ask", 1, ROUND_UP), ("sellPrice", "bid", -1, ROUND_DOWN)):
        exact = Decimal(made[origin]) * (1 + sign * fee) * mid * (1 + sign * margin)
        price = exact.quantize(places, rounding if is_outward else ROUND_HALF_EVEN)
        require(format(price, "f") == shown[name], f"{name} of {shown['symbol']} does not follow from what it was made from")
    require(shown["timestamp"] == made["capturedAt"], "a price was captured at another instant")


def content_of(proof):
    """The digest of the body, and of what its prices were made from."""
    body, prices, answer = proof["body"], proof["prices"], proof["answer"]
    if answer["status"] >= 400 or answer["route"] not in ("/v1/ticker", "/v1/tickers"):
        require(prices == [], "it has prices that its body has not")
        return sha256(body.encode()).hex()
    tickers = tickers_in(body, answer["route"])
    require(len(tickers) == len(prices), "it has other prices than its body")
    with localcontext() as context:
        context.prec = 100
        for ticker, made in zip(tickers, prices):
            check_price(ticker, made)
    return sha256(*(sha256(f"{t}\n{compact(p)}".encode()) for t, p in zip(tickers, prices))).hex()


def check(proof):
    """Follows the hashes from the answer to the head that the seal has."""
    said = proof["segment"].split(" ")
    require(len(said) == 13 and said[3] == "servings", "its segment is none of answers")
    leaf = sha256(b"\0", compact({**proof["answer"], "content": content_of(proof)}).encode())
    root = root_from(leaf, proof["place"], int(said[6]), proof["path"])
    require(root.hex() == said[12], "its answer, body or prices are not those of its segment")
    links = bytes_of(proof["links"])
    head = sha256(bytes.fromhex(proof["previous"]), sha256(proof["segment"].encode()))
    for at in range(0, len(links), 32):
        head = sha256(head, links[at : at + 32])
    require(head.hex() == proof["head"], "its hashes do not lead to its head")
    check_seal(proof, head, int(said[5]))


def check_seal(proof, head, last_ms):
    seal, stamp = proof["seal"], proof["timestamp"]
    day_end = datetime.fromtimestamp(last_ms // 86_400_000 * 86_400, timezone.utc) + timedelta(days=1)
    due = day_end.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    is_day = type(seal["day"]) is str and DAY.fullmatch(seal["day"]) and seal["due"] is None
    require(list(seal) == ["day", "due"] and (is_day or seal["day"] is None and seal["due"] in (due, None)), "its seal is none")
    require(stamp is None or is_day and b"\x04\x20" + sha256(head) in bytes_of(stamp), "its time stamp is of something else")


def main(path, seals=None):
    text = open(path, encoding="utf-8", newline="").read()
    page = re.search(r'href="data:application/json;base64,([A-Za-z0-9+/=]+)"', text)
    proof = read(base64.b64decode(page[1]).decode() if page else text)
    check(proof)
    head, day, due = proof["head"], proof["seal"]["day"], proof["seal"]["due"]
    if seals is not None:
        require(day, f"it leads to no seal{f': prove it again after {due}' if due else ''}")
        before, found, _ = open(seals, encoding="utf-8").read().partition(head)
        require(found and DAY.findall(before)[-1:] == [day], f"the seals do not have its head for {day}")
    for name, value in [*proof["answer"].items(), ("body", proof["body"])]:
        print(f"{name + ':':<12}{value}")
    end = f"it ends with the seal of {day}" if day else f"its day is sealed after {due}" if due else "no seal follows"
    print("WHOLE, and among the seals," if seals else "WHOLE IN ITSELF;", f"{end}, {head}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        print(f"REFUSED: {error}", file=sys.stderr)
        sys.exit(1)
