import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import { StoreError } from '../store-error.ts';
import { clientClassFor, type SocketClient, type Timeouts } from './client.ts';
import { asStoreError, endsConnection } from './errors.ts';
import type { PostgresLocation } from './location.ts';

export interface PoolOptions {
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  /** Connections at most. More callers wait for one. */
  readonly connectionsMax: number;
  /** Whether the server is to refuse every change. */
  readonly readsOnly?: boolean | undefined;
}

/** Then a new connection takes its place: its address may lead elsewhere by then, and the password may be new. */
const connectionLifeSeconds = 1_800;
/** How long closing the connections in order may take. */
const closeTimeoutMs = 1_000;
/** Between two trials of a server that hangs. */
const trialEveryMs = 1_000;

/**
 * A circuit breaker for a server that takes connections and answers nothing: each caller would wait for its timeout,
 * one after the other when the service stops. After such a failure one caller at a time tries, once a second; the
 * others fail at once.
 */
class CircuitBreaker {
  readonly #clock: Clock;
  readonly #name: string;
  #isOpen = false;
  #nextTrialMs = 0;

  constructor(clock: Clock, name: string) {
    this.#clock = clock;
    this.#name = name;
  }

  /** Throws `StoreError` with reason `no_answer` while the server is known to hang. */
  assertClosed(): void {
    if (!this.#isOpen) return;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#nextTrialMs) {
      const message = `The database ${this.#name} does not answer. Check the server and the network to it.`;
      throw new StoreError('no_answer', message);
    }
    // Nobody else tries until this trial has ended; should its end be lost, some time later.
    this.#nextTrialMs = nowMs + 10 * trialEveryMs;
  }

  /** The server answered, whatever it said. */
  answered(): void {
    this.#isOpen = false;
  }

  failed({ reason }: StoreError): void {
    this.#isOpen = reason === 'no_answer';
    this.#nextTrialMs = this.#clock.monotonicMs() + trialEveryMs;
  }
}

/**
 * Connections to one database, made when they are needed, in the form that Kysely takes. Everything they throw is a
 * `StoreError`. A connection that failed is not used again, and nobody waits for a server that is known to hang.
 */
export class ConnectionPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #breaker: CircuitBreaker;
  readonly #open = new Set<SocketClient>();

  constructor(location: PostgresLocation, { clock, timeouts, connectionsMax, readsOnly }: PoolOptions) {
    this.#name = location.name;
    this.#clock = clock;
    this.#breaker = new CircuitBreaker(clock, location.name);
    this.#pool = new pg.Pool({
      Client: clientClassFor(location, timeouts, readsOnly) as unknown as new () => pg.Client,
      max: connectionsMax,
      connectionTimeoutMillis: timeouts.connectMs,
      maxLifetimeSeconds: connectionLifeSeconds,
    });
    this.#pool.on('connect', (client) => this.#open.add(client as unknown as SocketClient));
    this.#pool.on('remove', (client) => this.#open.delete(client as unknown as SocketClient));
    // One that is lost while nobody uses it is replaced by the next that is needed.
    this.#pool.on('error', () => {});
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#breaker.assertClosed();
    try {
      const client = await this.#pool.connect();
      return new Borrowed(client as unknown as SocketClient & pg.PoolClient, this.#name, this.#breaker);
    } catch (error) {
      const failure = asStoreError(error, this.#name);
      this.#breaker.failed(failure);
      throw failure;
    }
  }

  /** Waits a moment for borrowed connections to be released. */
  async end(): Promise<void> {
    const cut = this.#clock.after(closeTimeoutMs, () => {
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

/** A connection that a caller has borrowed from the pool. */
class Borrowed implements PostgresPoolClient {
  readonly #client: SocketClient & pg.PoolClient;
  readonly #name: string;
  readonly #breaker: CircuitBreaker;
  #failure: StoreError | undefined;

  constructor(client: SocketClient & pg.PoolClient, name: string, breaker: CircuitBreaker) {
    this.#client = client;
    this.#name = name;
    this.#breaker = breaker;
  }

  query<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  /** Cursors are not used: lists are read in pages. */
  query(text: unknown, parameters: readonly unknown[] = []): never {
    return this.#query(text as string, [...parameters]) as never;
  }

  async #query(text: string, parameters: unknown[]): Promise<pg.QueryResult> {
    // A rollback that cannot be sent is not needed and must not hide the cause: the server rolls back what lost its connection.
    const { lostBy } = this.#client;
    if (lostBy !== undefined) this.#failure ??= asStoreError(lostBy, this.#name);
    if (this.#failure !== undefined) {
      if (text === 'rollback') return nothing;
      throw this.#failure;
    }
    try {
      const result = await this.#client.query(text, parameters);
      this.#breaker.answered();
      return result;
    } catch (error) {
      const failure = asStoreError(error, this.#name);
      if (endsConnection(failure)) this.#failure = failure;
      this.#breaker.failed(failure);
      throw failure;
    }
  }

  release(): void {
    const isLost = this.#failure !== undefined || this.#client.lostBy !== undefined;
    this.#client.release(isLost);
    if (isLost) this.#client.socket.destroy();
  }
}
