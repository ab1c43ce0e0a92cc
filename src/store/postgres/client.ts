import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { StoreError } from '../store-error.ts';
import { passwordFor } from './password.ts';
import { columnTypes } from './types.ts';
import type { PostgresLocation } from './url.ts';

/** How long each step may take, in milliseconds. What is slower fails. */
export interface Patience {
  readonly connectMs: number;
  /** For a lock that another transaction holds. */
  readonly lockMs: number;
  /** For a statement, as the server counts it. */
  readonly statementMs: number;
  /** For its answer, as this side counts it: what catches a server that hangs. */
  readonly answerMs: number;
}

export const usualPatience: Patience = { connectMs: 3_000, lockMs: 4_000, statementMs: 5_000, answerMs: 6_000 };

/** A migration may rewrite a large table, and waits for one that another process runs. */
export const migrationPatience: Patience = {
  connectMs: 3_000,
  lockMs: 60_000,
  statementMs: 600_000,
  answerMs: 605_000,
};

/** The server takes away the locks of a transaction whose owner does nothing any more, frozen or cut off. */
const idleInTransactionMs = 10_000;

/** A connection whose socket is known, so that it can be cut off although its server never answers again. */
export interface Cuttable extends pg.Client {
  readonly socket: Socket;
}

/** The kind of client that connects to this database. Throws `StoreError` when a file of its TLS cannot be read. */
export function clientClassFor(location: PostgresLocation, patience: Patience, readsOnly = false): new () => Cuttable {
  const ssl = tlsOptionsOf(location);
  return class extends pg.Client implements Cuttable {
    readonly socket: Socket;

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
        connectionTimeoutMillis: patience.connectMs,
        lock_timeout: patience.lockMs,
        statement_timeout: patience.statementMs,
        query_timeout: patience.answerMs,
        idle_in_transaction_session_timeout: idleInTransactionMs,
        types: columnTypes,
        ...(readsOnly ? { options: '-c default_transaction_read_only=on' } : {}),
        stream: () => socket,
      });
      this.socket = socket;
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
    throw new StoreError('cannot_open', `The file ${path} (${parameter} of the store URL) cannot be read.`);
  }
}
