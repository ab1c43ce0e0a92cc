import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import type { StoreError } from '../store-error.ts';
import { type Cuttable, clientClassFor, type Patience } from './client.ts';
import { asStoreError, endsConnection } from './errors.ts';
import { Gate } from './gate.ts';
import type { PostgresLocation } from './url.ts';

export interface PoolOptions {
  readonly clock: Clock;
  readonly patience: Patience;
  /** Connections at most. More callers wait for one. */
  readonly connectionsMax: number;
  /** Whether the server is to refuse every change. */
  readonly readsOnly?: boolean | undefined;
}

/** Then a new connection takes its place: it may lead elsewhere since, and knows a new password. */
const connectionLifeSeconds = 1_800;
/** How long a good-bye to the server may take. */
const farewellMs = 1_000;

/**
 * Connections to one database, made when they are needed, as Kysely takes them. Everything they throw is a `StoreError`. A
 * connection that failed is not used again, and nobody waits for a server that is known to hang.
 */
export class ConnectionPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #gate: Gate;
  readonly #open = new Set<Cuttable>();

  constructor(location: PostgresLocation, { clock, patience, connectionsMax, readsOnly }: PoolOptions) {
    this.#name = location.name;
    this.#clock = clock;
    this.#gate = new Gate(clock, location.name);
    this.#pool = new pg.Pool({
      Client: clientClassFor(location, patience, readsOnly) as unknown as new () => pg.Client,
      max: connectionsMax,
      connectionTimeoutMillis: patience.connectMs,
      maxLifetimeSeconds: connectionLifeSeconds,
    });
    this.#pool.on('connect', (client) => this.#open.add(client as unknown as Cuttable));
    this.#pool.on('remove', (client) => this.#open.delete(client as unknown as Cuttable));
    // One that is lost while nobody uses it is replaced by the next that is needed.
    this.#pool.on('error', () => {});
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#gate.enter();
    try {
      const client = await this.#pool.connect();
      return new Borrowed(client as unknown as Cuttable & pg.PoolClient, this.#name, this.#gate);
    } catch (error) {
      const failure = asStoreError(error, this.#name);
      this.#gate.failed(failure);
      throw failure;
    }
  }

  /** Lets whoever has a connection finish, for a moment. */
  async end(): Promise<void> {
    const cut = this.#clock.after(farewellMs, () => {
      for (const client of this.#open) client.socket.destroy();
    });
    try {
      await this.#pool.end();
    } finally {
      cut.cancel();
    }
  }
}

const nothing = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/** A connection in somebody's hands. */
class Borrowed implements PostgresPoolClient {
  readonly #client: Cuttable & pg.PoolClient;
  readonly #name: string;
  readonly #gate: Gate;
  #failure: StoreError | undefined;

  constructor(client: Cuttable & pg.PoolClient, name: string, gate: Gate) {
    this.#client = client;
    this.#name = name;
    this.#gate = gate;
    client.on('error', this.#lost);
  }

  query<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  /** Cursors are not used: lists are read in pages. */
  query(text: unknown, parameters: readonly unknown[] = []): never {
    return this.#query(text as string, [...parameters]) as never;
  }

  async #query(text: string, parameters: unknown[]): Promise<pg.QueryResult> {
    // A rollback that cannot be sent is not needed, and must not hide why: the server undoes what lost its connection.
    if (this.#failure !== undefined) {
      if (text === 'rollback') return nothing;
      throw this.#failure;
    }
    try {
      const result = await this.#client.query(text, parameters);
      this.#gate.answered();
      return result;
    } catch (error) {
      const failure = asStoreError(error, this.#name);
      if (endsConnection(failure)) this.#failure = failure;
      this.#gate.failed(failure);
      throw failure;
    }
  }

  release(): void {
    this.#client.off('error', this.#lost);
    const isLost = this.#failure !== undefined;
    this.#client.release(isLost);
    if (isLost) this.#client.socket.destroy();
  }

  readonly #lost = (error: Error): void => {
    this.#failure ??= asStoreError(error, this.#name);
  };
}
