-- 1. The spread by hour: what a client pays over what a client receives, and that of the exchange, in percent.
SELECT symbol, date_trunc('hour', "at") AS hour, count(*) AS prices,
  round(avg(200.0 * (buyPrice - sellPrice) / (buyPrice + sellPrice)), 4) AS spread,
  round(avg(200.0 * (ask - bid) / (ask + bid)), 4) AS exchangeSpread
FROM quotes WHERE unpriced IS NULL GROUP BY ALL ORDER BY ALL;

-- 2. The age of quotes when they were published, by source.
SELECT source, count(*) AS prices, median(age) AS median, quantile_cont(age, 0.99) AS p99, max(age) AS oldest
FROM (SELECT source, epoch_ms("at") - epoch_ms(timestamp) AS age FROM quotes WHERE unpriced IS NULL)
GROUP BY source ORDER BY source;

-- 3. What was served to whom: each answer about a market with the prices it had.
SELECT a.keyId, a.askedAt, a.requestId, a.symbol, q.buyPrice, q.sellPrice, q.terms
FROM answers a ASOF JOIN quotes q ON a.symbol = q.symbol AND a.place > q.place
WHERE a.route = '/v1/ticker' AND a.status = 200 ORDER BY a.askedAt, a.requestId;

-- 4. The revenue of fee and margin for one unit bought, and one sold, over the exchange's price at the rate of then.
SELECT symbol, date_trunc('day', "at") AS day,
  round(avg(buyPrice - ask * coalesce(rate, 1)::DECIMAL(12, 6)), 6) AS aUnitBought,
  round(avg(bid * coalesce(rate, 1)::DECIMAL(12, 6) - sellPrice), 6) AS aUnitSold,
  round(100 * avg(buyPrice / (ask * coalesce(rate, 1)::DECIMAL(12, 6)) - 1), 4) AS percentBought
FROM quotes WHERE unpriced IS NULL GROUP BY ALL ORDER BY ALL;

-- 5. Answers to each key by hour, and how many were refused.
SELECT keyId, date_trunc('hour', askedAt) AS hour, count(*) AS answers, count(*) FILTER (status >= 400) AS refused
FROM answers GROUP BY ALL ORDER BY ALL;

-- 6. Which problems keys met.
SELECT code, status, count(*) AS times, count(DISTINCT keyId) AS keys, any_value(detail) AS example
FROM answers WHERE status >= 400 GROUP BY ALL ORDER BY times DESC, code;

-- 7. How long each market had no price, and why.
SELECT symbol, unpriced AS reason, count(*) AS times, sum(epoch_ms(until) - epoch_ms("at")) AS milliseconds
FROM (
  SELECT symbol, "at", unpriced, lead("at", 1, (SELECT max("at") FROM quotes)) OVER (PARTITION BY symbol ORDER BY place) AS until FROM quotes
) WHERE unpriced IS NOT NULL GROUP BY ALL ORDER BY ALL;

-- 8. Open, high, low and close of what clients paid, by hour.
SELECT symbol, date_trunc('hour', "at") AS hour, arg_min(buyPrice, place) AS open, max(buyPrice) AS high, min(buyPrice) AS low,
  arg_max(buyPrice, place) AS close
FROM quotes WHERE unpriced IS NULL GROUP BY ALL ORDER BY ALL;

-- 9. How old the price was that a key was served, in milliseconds: the worst of each key.
SELECT a.keyId, count(*) AS answers, max(epoch_ms(a.askedAt) - epoch_ms(q.timestamp)) AS oldest,
  arg_max(a.requestId, epoch_ms(a.askedAt) - epoch_ms(q.timestamp)) AS requestId
FROM answers a ASOF JOIN quotes q ON a.symbol = q.symbol AND a.place > q.place
WHERE a.route = '/v1/ticker' AND a.status = 200 AND q.unpriced IS NULL GROUP BY a.keyId ORDER BY oldest DESC, a.keyId;

-- 10. What changed, when: starts and stops of processes, gaps, holds, listings.
SELECT "at", kind, subject, text FROM facts ORDER BY "at", sub, kind, subject;
