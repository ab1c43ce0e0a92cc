import { Readable } from 'node:stream';
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { RowTable } from './clickhouse-schema.ts';
import { ShipError, type ShipErrorValues } from './ship-error.ts';

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

/** Errors of a server that an operator can end. */
const serverCodes = {
  unknownDatabase: '81',
  unknownUser: '192',
  wrongPassword: '193',
  accessDenied: '497',
  authenticationFailed: '516',
} as const;

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

  get database(): string {
    return this.#location.database;
  }

  /** Runs a statement that gives nothing. */
  async execute(query: string): Promise<void> {
    await this.#trying(() => this.#client.command({ query }));
  }

  /** Gives the rows of a query. @param values of the parameters in it */
  ask<Answer>(query: string, values: Values = {}): Promise<Answer[]> {
    return this.#trying(async () => {
      const result = await this.#client.query({ query, query_params: values, format: 'JSONEachRow' });
      return result.json<Answer>();
    });
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
    const [row] = await this.ask<{ found: number | string }>(query, { chain, month });
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
    return this.ask(query, values);
  }

  async #trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ClickHouseError ? this.#refusal(error) : this.#unreachable(error as NodeJS.ErrnoException);
    }
  }

  #unreachable({ code, message }: NodeJS.ErrnoException): ShipError {
    return unreachable({ url: this.#location.url, cause: code ?? message.slice(0, 200) });
  }

  /** Makes an error of the server's words, which can quote a row, and no password. */
  #refusal({ code, type, message }: ClickHouseError): ShipError {
    const { user, database, url } = this.#location;
    switch (code) {
      case serverCodes.unknownUser:
      case serverCodes.wrongPassword:
      case serverCodes.authenticationFailed:
        return userRefused({ url, user });
      case serverCodes.unknownDatabase:
        return databaseMissing({ database });
      case serverCodes.accessDenied:
        return rightMissing({ database, user });
      default:
        return failed({ serverCode: code, type: String(type), said: message.replaceAll(/\s+/g, ' ').slice(0, 300) });
    }
  }
}

function* textsOf(rows: readonly Row[]): Generator<string> {
  for (let at = 0; at < rows.length; at += rowsPerText) {
    const some = rows.slice(at, at + rowsPerText);
    yield some.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

function databaseMissing(values: ShipErrorValues['clickhouse_schema.no_database']) {
  const { database } = values;
  const message =
    `ClickHouse has no database ${database}: CREATE DATABASE ${database}, ` +
    'or name another one in history.clickhouse.url.';
  return new ShipError('clickhouse_schema.no_database', values, message);
}

function unreachable(values: ShipErrorValues['clickhouse_unreachable']) {
  const { url, cause } = values;
  const message = `ClickHouse does not answer at ${url}: ${cause}. Nothing is lost: run it again, and it goes on.`;
  return new ShipError('clickhouse_unreachable', values, message);
}

function userRefused(values: ShipErrorValues['clickhouse_refused.user']) {
  const message =
    `ClickHouse at ${values.url} refuses the user ${values.user}: its password in history.clickhouse.url is wrong, ` +
    'or there is no such user.';
  return new ShipError('clickhouse_refused.user', values, message);
}

function rightMissing(values: ShipErrorValues['clickhouse_refused.right']) {
  const { database, user } = values;
  const message =
    `ClickHouse lacks a right of the user ${user}: GRANT SELECT, INSERT ON ${database}.* TO ${user}; ` +
    'with --create, and where an upgrade adds a column, also CREATE TABLE, CREATE VIEW, DROP VIEW, ALTER ADD COLUMN ' +
    'and ALTER TTL.';
  return new ShipError('clickhouse_refused.right', values, message);
}

function failed(values: ShipErrorValues['clickhouse_failed']) {
  const message = `ClickHouse answers with error ${values.serverCode}, ${values.type}: ${values.said}`;
  return new ShipError('clickhouse_failed', values, message);
}
