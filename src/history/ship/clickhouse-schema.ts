import { statisticNames } from '../segment/rows.ts';

/** The version of the tables below. Written into the comment of `segments`: another one is not written to. */
export const schemaVersion = 1;

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
  facts: {
    columns: { kind: name, subject: name, ...position, text },
    orderBy: 'kind, chain, at, sub',
  },
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
COMMENT 'mdapi record, schema ${schemaVersion}'`;

/** Where a chain has no record: as \`gapsIn\` finds it. */
const gaps = `CREATE VIEW IF NOT EXISTS gaps AS
SELECT chain,
  fromUnixTimestamp64Milli(JSONExtractInt(text, 'from'), 'UTC') AS fromAt,
  CAST(fromUnixTimestamp64Milli(JSONExtractInt(text, 'to'), 'UTC') AS Nullable(DateTime64(3, 'UTC'))) AS toAt,
  JSONExtractString(text, 'reason') AS reason
FROM facts WHERE kind = 'gap'
UNION ALL
SELECT chain, at, nextAt, 'stopped' FROM (
  SELECT chain, kind, at,
    leadInFrame(toNullable(at)) OVER (PARTITION BY chain ORDER BY segment, at, sub ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS nextAt
  FROM facts WHERE kind IN ('stop', 'process')
) WHERE kind = 'stop'`;

/** How long rows are kept, as it is in the definition of a table. */
export function retentionOf(keepForMs: number): string {
  return `toDateTime(at) + toIntervalSecond(${Math.ceil(keepForMs / 1_000)})`;
}

/** Makes what is missing. The `ledger` is last: it says that all the others are there. */
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
  return [...tables, gaps, ledger];
}
