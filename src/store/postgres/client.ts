import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg, { type CustomTypesConfig } from 'pg';
import { StoreError, type StoreErrorValues } from '../store-error.ts';
import { type PostgresLocation, passwordFor } from './location.ts';

/** How long each step may take. What is slower fails. */
export interface Timeouts {
  readonly connectMs: number;
  /** For a lock that another transaction holds. */
  readonly lockMs: number;
  /** For a statement, as the server counts it. */
  readonly statementMs: number;
  /** For its answer, as this side counts it: catches a server that hangs. */
  readonly answerMs: number;
}

export const usualTimeouts: Timeouts = { connectMs: 3_000, lockMs: 4_000, statementMs: 5_000, answerMs: 6_000 };

/** A migration may rewrite a large table, and waits for one that another process runs. */
export const migrationTimeouts: Timeouts = {
  connectMs: 3_000,
  lockMs: 60_000,
  statementMs: 600_000,
  answerMs: 605_000,
};

/** A connection whose socket is known, so that it can be closed although its server never answers again. */
export interface SocketClient extends pg.Client {
  readonly socket: Socket;
  /** The error that ended it, also while it was idle. */
  readonly lostBy: Error | undefined;
}

/**
 * The kind of client that connects to this database. It sends no parameter at the start but its name: a pooler between
 * refuses any other (see `SessionSettings`). Throws `StoreError` when a file of its TLS cannot be read.
 */
export function clientClassFor(location: PostgresLocation, timeouts: Timeouts): new () => SocketClient {
  const ssl = tlsOptionsOf(location);
  return class extends pg.Client implements SocketClient {
    readonly socket: Socket;
    lostBy: Error | undefined;

    constructor() {
      const socket = new Socket();
      super({
        host: location.host,
        port: location.port,
        database: location.database,
        user: location.user,
        password: () => passwordFor(location),
        ssl,
        application_name: 'mdapi',
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        connectionTimeoutMillis: timeouts.connectMs,
        query_timeout: timeouts.answerMs,
        types: columnTypes,
        stream: () => socket,
      });
      this.socket = socket;
      // From the first moment: the server may end it in the very packet that completes its handshake.
      this.on('error', (error) => {
        this.lostBy ??= error;
      });
    }
  };
}

function tlsOptionsOf({ tls, caFile, certFile, keyFile }: PostgresLocation): false | ConnectionOptions {
  if (tls === 'disable') return false;
  const files = {
    ...(caFile === undefined ? {} : { ca: contentOf(caFile, 'sslrootcert') }),
    ...(certFile === undefined ? {} : { cert: contentOf(certFile, 'sslcert') }),
    ...(keyFile === undefined ? {} : { key: contentOf(keyFile, 'sslkey') }),
  };
  if (tls === 'require') return { ...files, rejectUnauthorized: false };
  return tls === 'verify-ca' ? { ...files, checkServerIdentity: () => undefined } : files;
}

function contentOf(path: string, parameter: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw tlsFileUnreadable({ path, parameter });
  }
}

/** Object ids of PostgreSQL's own types (`pg_type`), which never change. */
const bigint = 20;
const bytea = 17;

/** How values of a query become JavaScript's: those that `pg` gives in another form than `node:sqlite` does. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = { [bigint]: wholeNumberOf, [bytea]: bytesOf };

export const columnTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : parsers[oid]) ??
    pg.types.getTypeParser(oid, format as 'text')) as CustomTypesConfig['getTypeParser'],
};

/** Instants and counters are far below 2^53. Whatever is not must not be rounded silently. */
function wholeNumberOf(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('a whole number of the database is too large');
  return number;
}

/** `\x` and two digits a byte: what the server gives unless `bytea_output` was changed. */
function bytesOf(text: string): Uint8Array {
  return text.startsWith('\\x')
    ? Uint8Array.fromHex(text.slice(2))
    : new Uint8Array(pg.types.getTypeParser(bytea)(text));
}

export function tlsFileUnreadable(values: StoreErrorValues['cannot_open.tls_file']) {
  const message = `The file ${values.path} (${values.parameter} of the store URL) cannot be read.`;
  return new StoreError('cannot_open.tls_file', values, message);
}
