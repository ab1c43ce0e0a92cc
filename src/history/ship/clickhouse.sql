CREATE TABLE IF NOT EXISTS quotes (
  -- Decimals are text, with every digit that was published, and `Decimal` for arithmetic under the name without `Text`.
  -- `chain` and `segment` say which sealed segment proves a row, `at` and `sub` its position.
  symbol LowCardinality(String),
  chain UInt32 CODEC(Delta, ZSTD(1)),
  segment UInt32 CODEC(Delta, ZSTD(1)),
  at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  sub UInt32 CODEC(Delta, ZSTD(1)),
  unpriced LowCardinality(String),
  source LowCardinality(String),
  timestamp Nullable(DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1)),
  bidText String CODEC(ZSTD(3)),
  askText String CODEC(ZSTD(3)),
  buyPriceText String CODEC(ZSTD(3)),
  sellPriceText String CODEC(ZSTD(3)),
  high24hText String CODEC(ZSTD(3)),
  low24hText String CODEC(ZSTD(3)),
  volume24hText String CODEC(ZSTD(3)),
  vwap24hText String CODEC(ZSTD(3)),
  priceChangePercent1hText String CODEC(ZSTD(3)),
  priceChangePercent24hText String CODEC(ZSTD(3)),
  priceChangePercent7dText String CODEC(ZSTD(3)),
  bid Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(bidText, 18),
  ask Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(askText, 18),
  buyPrice Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(buyPriceText, 18),
  sellPrice Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(sellPriceText, 18),
  high24h Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(high24hText, 18),
  low24h Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(low24hText, 18),
  volume24h Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(volume24hText, 18),
  vwap24h Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(vwap24hText, 18),
  priceChangePercent1h Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(priceChangePercent1hText, 18),
  priceChangePercent24h Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(priceChangePercent24hText, 18),
  priceChangePercent7d Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(priceChangePercent7dText, 18),
  rateVersion LowCardinality(String),
  rateText String ALIAS JSONExtractString(rateVersion, 'mid'),
  rate Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(rateText, 18),
  termsVersion LowCardinality(String),
  terms String ALIAS JSONExtractString(termsVersion, 'version')
) ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (symbol, chain, at, sub)
TTL {retention}
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1

CREATE TABLE IF NOT EXISTS servings (
  keyId LowCardinality(String),
  chain UInt32 CODEC(Delta, ZSTD(1)),
  segment UInt32 CODEC(Delta, ZSTD(1)),
  at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  sub UInt32 CODEC(Delta, ZSTD(1)),
  askedAt DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  route LowCardinality(String),
  symbol LowCardinality(String),
  status UInt16 CODEC(ZSTD(1)),
  text LowCardinality(String),
  feedAgeMs Int64 CODEC(ZSTD(1)),
  requestId UUID CODEC(NONE),
  INDEX requestIds requestId TYPE bloom_filter(0.001) GRANULARITY 4
) ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (keyId, chain, at, sub)
TTL {retention}
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1

CREATE TABLE IF NOT EXISTS facts (
  kind LowCardinality(String),
  subject LowCardinality(String),
  chain UInt32 CODEC(Delta, ZSTD(1)),
  segment UInt32 CODEC(Delta, ZSTD(1)),
  at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  sub UInt32 CODEC(Delta, ZSTD(1)),
  text String CODEC(ZSTD(3))
) ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (kind, chain, at, sub)
TTL {retention}
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1

CREATE TABLE IF NOT EXISTS segments (
  -- What was shipped, a row a segment: first with `sent` 0, and once its rows are there with 1. The hashes are those of the record, so
  -- that the copy proves what the record was.
  chain UInt32,
  number UInt32,
  kind LowCardinality(String),
  firstAt DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  lastAt DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  rows UInt32,
  hash String CODEC(ZSTD(3)),
  sent UInt8,
  shippedAt DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(sent)
ORDER BY (chain, number)
COMMENT '{comment}'

CREATE TABLE IF NOT EXISTS coverage (
  -- Where the record is: parts of days, each with the chain that speaks for it and the one before where it follows another at once, and
  -- gaps, which have a reason. What was shipped last of a day holds.
  day UInt32,
  place UInt32,
  chain UInt32,
  former UInt32,
  fromAt DateTime64(3, 'UTC'),
  toAt Nullable(DateTime64(3, 'UTC')),
  reason LowCardinality(String),
  shippedAt DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(shippedAt)
ORDER BY (day, place)
COMMENT '{comment}'

CREATE OR REPLACE VIEW gaps AS SELECT fromAt, toAt, reason FROM coverage FINAL WHERE (day, shippedAt) IN (SELECT day, max(shippedAt) FROM coverage GROUP BY day) AND reason != ''

CREATE OR REPLACE VIEW prices AS
-- Each price once, while `quotes` has it from every process. What one chain published in its last minutes the next can repeat in its first.
WITH parts AS (SELECT chain AS speaker, former, fromAt, assumeNotNull(toAt) AS endAt FROM coverage FINAL WHERE (day, shippedAt) IN (SELECT day, max(shippedAt) FROM coverage GROUP BY day) AND reason = ''),
  spoken AS (
    SELECT symbol, chain, segment, at, sub, unpriced, source, timestamp, bidText, askText, buyPriceText, sellPriceText,
      high24hText, low24hText, volume24hText, vwap24hText, priceChangePercent1hText, priceChangePercent24hText,
      priceChangePercent7dText, bid, ask, buyPrice, sellPrice, high24h, low24h, volume24h, vwap24h,
      priceChangePercent1h, priceChangePercent24h, priceChangePercent7d, rateVersion, rateText, rate, termsVersion,
      terms, former, at < fromAt + toIntervalMinute(1) AS isFirst
    FROM quotes ASOF JOIN parts ON quotes.chain = parts.speaker AND quotes.at >= parts.fromAt WHERE at < endAt
  )
SELECT symbol, chain, segment, at, sub, unpriced, source, timestamp, bidText, askText, buyPriceText, sellPriceText,
  high24hText, low24hText, volume24hText, vwap24hText, priceChangePercent1hText, priceChangePercent24hText,
  priceChangePercent7dText, bid, ask, buyPrice, sellPrice, high24h, low24h, volume24h, vwap24h, priceChangePercent1h,
  priceChangePercent24h, priceChangePercent7d, rateVersion, rateText, rate, termsVersion, terms FROM spoken
WHERE former = 0 OR NOT isFirst OR unpriced != '' OR (former, symbol, timestamp, bidText, askText, buyPriceText, sellPriceText, rateVersion, termsVersion) NOT IN (
  SELECT chain, symbol, timestamp, bidText, askText, buyPriceText, sellPriceText, rateVersion, termsVersion FROM spoken WHERE toStartOfMinute(at) IN (
    SELECT toStartOfMinute(fromAt) - toIntervalMinute(arrayJoin([0, 1, 2])) FROM parts WHERE former > 0
  )
)
