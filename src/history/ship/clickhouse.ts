import { Readable } from 'node:stream';
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { filled } from '../../ground/filled.ts';
import { type RowTable, retentionOf, rowTableNames, schemaStatements, schemaVersion } from './clickhouse-schema.ts';
import texts from './ship-errors.json' with { type: 'json' };

/** The record cannot be shipped. The message is for the operator and holds no secret. */
export class ShipError extends Error {
  override readonly name = 'ShipError';
  /** Stable, snake case: programs rely on it. */
  readonly reason: string;

  /** @param text the name of a text: the reason, followed by a dot and the case where a reason has several */
  constructor(text: keyof typeof texts, values: Readonly<Record<string, string | number>>) {
    super(filled(texts[text], values));
    this.reason = text.split('.')[0]!;
  }
}

/** Texts for the errors of a server that an operator can end. */
const knownErrors: Readonly<Record<string, keyof typeof texts>> = {
  516: 'clickhouse_refused.user',
  192: 'clickhouse_refused.user',
  193: 'clickhouse_refused.user',
  81: 'clickhouse_schema.no_database',
  497: 'clickhouse_refused.right',
};

/** A database of a ClickHouse server. */
export interface ClickHouseLocation {
  /** The address of the HTTP interface, without credentials. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A segment as the copy knows it. */
export interface LedgerRow {
  readonly number: number;
  /** In hexadecimal. */
  readonly hash: string;
  /** When it was begun, in ClickHouse's form. */
  readonly begunAt: string;
}

type Row = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, number | string>>;

const requestTimeoutMs = 120_000;
const rowsPerText = 1_000;
/** One INSERT is one block, which is there as a whole or not at all. */
const oneBlock = {
  async_insert: 0,
  input_format_parallel_parsing: 0,
  input_format_skip_unknown_fields: 0,
  insert_deduplicate: 1,
  max_insert_block_size: '100000000',
  wait_end_of_query: 1,
} as const;

/** The queries and statements of `ship` to a ClickHouse server. Everything rejects with `ShipError`. */
export class ClickHouse {
  readonly #location: ClickHouseLocation;
  readonly #client: ReturnType<typeof createClient>;

  constructor(location: ClickHouseLocation) {
    const { url, user, password, database } = location;
    this.#location = location;
    this.#client = createClient({
      url,
      username: user,
      password,
      database,
      application: 'mdapi',
      request_timeout: requestTimeoutMs,
      // A body that was cut off cannot be decompressed: no part of it is taken for the whole.
      compression: { request: { codec: 'zstd' }, response: false },
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /** Makes what is missing, and sets how long rows are kept. */
  async create(keepForMs: number): Promise<void> {
    for (const query of schemaStatements(keepForMs)) await this.#execute(query);
    const retention = retentionOf(keepForMs);
    const tables = await this.#ask<{ name: RowTable; create_table_query: string }>(
      'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase()',
    );
    for (const { name, create_table_query } of tables) {
      if (!rowTableNames.includes(name) || create_table_query.includes(retention)) continue;
      await this.#execute(`ALTER TABLE ${name} MODIFY TTL ${retention}`);
    }
  }

  /** Refuses tables that are missing or of another version. */
  async checkSchema(): Promise<void> {
    const query = "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'coverage'";
    const [table] = await this.#ask<{ comment: string }>(query);
    const { database } = this.#location;
    if (table === undefined) throw new ShipError('clickhouse_schema.missing', { database });
    const found = /^mdapi record, schema (\d+)$/.exec(table.comment)?.[1];
    if (found === String(schemaVersion)) return;
    const what = found === undefined ? 'are not those of a record' : `have schema ${found}`;
    throw new ShipError('clickhouse_schema.other', { database, what, version: schemaVersion });
  }

  /** The last segment of a chain that was begun; `undefined` for none. */
  async lastOf(chain: number): Promise<LedgerRow | undefined> {
    return (await this.#ledger({ chain }, '', 'ORDER BY number DESC LIMIT 1'))[0];
  }

  /** Gives the segments in which a ship was stopped, in order. */
  unfinished(chain: number): Promise<readonly LedgerRow[]> {
    return this.#ledger({ chain }, '', 'HAVING max(sent) = 0 ORDER BY number');
  }

  /** Gives the segments with a number from `first` to `last`. */
  between(chain: number, first: number, last: number): Promise<readonly LedgerRow[]> {
    const isBetween = 'AND number BETWEEN {first:UInt32} AND {last:UInt32}';
    return this.#ledger({ chain, first, last }, isBetween, 'ORDER BY number');
  }

  /** How many rows of some segments a table has in a month, such as 202611. */
  async rowsOf(table: RowTable, month: number, chain: number, numbers: readonly number[]): Promise<number> {
    const query = `SELECT count() AS found FROM ${table} WHERE chain = {chain:UInt32}
      AND segment IN (${numbers.join(', ')}) AND toYYYYMM(at) = {month:UInt32}`;
    const [row] = await this.#ask<{ found: number | string }>(query, { chain, month });
    return Number(row!.found);
  }

  /** @param token what is inserted again with the same one is not there twice */
  async insert(table: RowTable | 'segments' | 'coverage', rows: readonly Row[], token: string): Promise<void> {
    const clickhouse_settings = { ...oneBlock, insert_deduplication_token: token };
    const query = `INSERT INTO ${table} FORMAT JSONEachRow`;
    await this.#trying(async () => {
      // A text of many rows: a stream of single rows compresses each by itself.
      const values = Readable.from(textsOf(rows), { objectMode: false });
      const { stream } = await this.#client.exec({ query, values, clickhouse_settings });
      await stream.toArray();
    });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #ledger(values: Values, condition: string, end: string): Promise<LedgerRow[]> {
    const query = `SELECT number, hash, max(shippedAt) AS begunAt FROM segments
      WHERE chain = {chain:UInt32} ${condition} GROUP BY number, hash ${end}`;
    return this.#ask(query, values);
  }

  #execute(query: string): Promise<unknown> {
    return this.#trying(() => this.#client.command({ query }));
  }

  #ask<Answer>(query: string, values: Values = {}): Promise<Answer[]> {
    return this.#trying(async () => {
      const result = await this.#client.query({ query, query_params: values, format: 'JSONEachRow' });
      return result.json<Answer>();
    });
  }

  async #trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ClickHouseError ? this.#refusal(error) : this.#unreachable(error as NodeJS.ErrnoException);
    }
  }

  #unreachable({ code, message }: NodeJS.ErrnoException): ShipError {
    return new ShipError('clickhouse_unreachable', { url: this.#location.url, cause: code ?? message.slice(0, 200) });
  }

  /** Makes an error of the server's words, which can quote a row, and no password. */
  #refusal({ code, type, message }: ClickHouseError): ShipError {
    const { user, database, url } = this.#location;
    const said = message.replaceAll(/\s+/g, ' ').slice(0, 300);
    return new ShipError(knownErrors[code] ?? 'clickhouse_failed', {
      user,
      database,
      url,
      code,
      type: String(type),
      said,
    });
  }
}

function* textsOf(rows: readonly Row[]): Generator<string> {
  for (let at = 0; at < rows.length; at += rowsPerText) {
    const some = rows.slice(at, at + rowsPerText);
    yield some.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}
