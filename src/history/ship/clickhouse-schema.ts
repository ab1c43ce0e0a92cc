import { statisticNames } from '../segment/rows.ts';

/** The version of the tables below. Written into the comment of `coverage`: another one is not written to. */
export const schemaVersion = 1;
const comment = `mdapi record, schema ${schemaVersion}`;

const name = 'LowCardinality(String)';
const text = 'String CODEC(ZSTD(3))';
const instant = "DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))";
const count = 'UInt32 CODEC(Delta, ZSTD(1))';

/** Columns of a quote as text, with every digit that was published, and as `Decimal` for arithmetic under the name without `Text`. */
const decimals = ['bid', 'ask', 'buyPrice', 'sellPrice', ...statisticNames];

/** Which sealed segment proves the row, and the row's position. */
const position = { chain: count, segment: count, at: instant, sub: count };

interface Table {
  readonly columns: Readonly<Record<string, string>>;
  readonly orderBy: string;
}

const rowTables: Readonly<Record<RowTable, Table>> = {
  quotes: {
    columns: {
      symbol: name,
      ...position,
      unpriced: name,
      source: name,
      timestamp: "Nullable(DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1))",
      ...Object.fromEntries(decimals.map((each) => [`${each}Text`, text])),
      ...Object.fromEntries(
        decimals.map((each) => [each, `Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(${each}Text, 18)`]),
      ),
      rateVersion: name,
      rateText: "String ALIAS JSONExtractString(rateVersion, 'mid')",
      rate: 'Nullable(Decimal(38, 18)) ALIAS toDecimal128OrNull(rateText, 18)',
      termsVersion: name,
      terms: "String ALIAS JSONExtractString(termsVersion, 'version')",
    },
    orderBy: 'symbol, chain, at, sub',
  },
  servings: {
    columns: {
      keyId: name,
      ...position,
      askedAt: instant,
      route: name,
      symbol: name,
      status: 'UInt16 CODEC(ZSTD(1))',
      text: name,
      feedAgeMs: 'Int64 CODEC(ZSTD(1))',
      requestId: 'UUID CODEC(NONE), INDEX requestIds requestId TYPE bloom_filter(0.001) GRANULARITY 4',
    },
    orderBy: 'keyId, chain, at, sub',
  },
  facts: { columns: { kind: name, subject: name, ...position, text }, orderBy: 'kind, chain, at, sub' },
};

/** The tables of the rows. */
export const rowTableNames = ['quotes', 'servings', 'facts'] as const;
export type RowTable = (typeof rowTableNames)[number];

/**
 * The table of what was shipped, a row a segment: first with `sent` 0, and once its rows are there with 1. The hashes are those of the
 * record, so that the copy proves what the record was.
 */
const ledger = `CREATE TABLE IF NOT EXISTS segments (
  chain UInt32,
  number UInt32,
  kind ${name},
  firstAt ${instant},
  lastAt ${instant},
  rows UInt32,
  hash ${text},
  sent UInt8,
  shippedAt DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(sent)
ORDER BY (chain, number)
COMMENT '${comment}'`;

/**
 * The table of where the record is: parts of days, each with the chain that speaks for it and the one before where it follows another at once, and
 * gaps, which have a reason. What was shipped last of a day holds.
 */
const coverage = `CREATE TABLE IF NOT EXISTS coverage (
  day UInt32,
  place UInt32,
  chain UInt32,
  former UInt32,
  fromAt DateTime64(3, 'UTC'),
  toAt Nullable(DateTime64(3, 'UTC')),
  reason ${name},
  shippedAt DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(shippedAt)
ORDER BY (day, place)
COMMENT '${comment}'`;

const shippedLast =
  'coverage FINAL WHERE (day, shippedAt) IN (SELECT day, max(shippedAt) FROM coverage GROUP BY day) AND reason';
const gaps = `CREATE OR REPLACE VIEW gaps AS SELECT fromAt, toAt, reason FROM ${shippedLast} != ''`;

const quoteColumns = Object.keys(rowTables.quotes.columns).join(', ');
const published = 'symbol, timestamp, bidText, askText, buyPriceText, sellPriceText, rateVersion, termsVersion';
/** Each price once, while \`quotes\` has it from every process. What one chain published in its last minutes the next can repeat in its first. */
const prices = `CREATE OR REPLACE VIEW prices AS
WITH parts AS (SELECT chain AS speaker, former, fromAt, assumeNotNull(toAt) AS endAt FROM ${shippedLast} = ''),
  spoken AS (
    SELECT ${quoteColumns}, former, at < fromAt + toIntervalMinute(1) AS isFirst
    FROM quotes ASOF JOIN parts ON quotes.chain = parts.speaker AND quotes.at >= parts.fromAt WHERE at < endAt
  )
SELECT ${quoteColumns} FROM spoken
WHERE former = 0 OR NOT isFirst OR unpriced != '' OR (former, ${published}) NOT IN (
  SELECT chain, ${published} FROM spoken WHERE toStartOfMinute(at) IN (
    SELECT toStartOfMinute(fromAt) - toIntervalMinute(arrayJoin([0, 1, 2])) FROM parts WHERE former > 0
  )
)`;

/** How long rows are kept, as it is in the definition of a table. */
export function retentionOf(keepForMs: number): string {
  return `toDateTime(at) + toIntervalSecond(${Math.ceil(keepForMs / 1_000)})`;
}

/** Makes what is missing. The table `coverage` comes after the others: it says that they are there. */
export function schemaStatements(keepForMs: number): readonly string[] {
  const tables = rowTableNames.map((table) => {
    const { columns, orderBy } = rowTables[table];
    const lines = Object.entries(columns).map(([column, type]) => `  ${column} ${type}`);
    return `CREATE TABLE IF NOT EXISTS ${table} (
${lines.join(',\n')}
) ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (${orderBy})
TTL ${retentionOf(keepForMs)}
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1`;
  });
  return [...tables, ledger, coverage, gaps, prices];
}
