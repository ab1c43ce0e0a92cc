import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../ground/clock.ts';
import { StoreError, type StoreErrorValues } from '../store-error.ts';
import { clientClassFor, type SocketClient, type Timeouts } from './client.ts';
import { asStoreError, endsConnection } from './errors.ts';
import type { PostgresLocation } from './location.ts';
import { beginsTransaction, endsTransaction, SessionSettings } from './session-settings.ts';

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
const nothing = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/**
 * Connections to one database, made when they are needed, in the form that Kysely takes. Everything they throw is a
 * `StoreError`. A connection that failed is not used again, and no caller waits for a server that is known to hang.
 */
export class ConnectionPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #settings: SessionSettings;
  readonly #open = new Set<SocketClient>();
  /** Until then no other caller asks a server that hangs; 0 while it answers. */
  #hangsUntilMs = 0;

  constructor(location: PostgresLocation, { clock, timeouts, connectionsMax, readsOnly = false }: PoolOptions) {
    this.#name = location.name;
    this.#clock = clock;
    this.#settings = new SessionSettings(timeouts, readsOnly);
    this.#pool = new pg.Pool({
      Client: clientClassFor(location, timeouts) as unknown as new () => pg.Client,
      onConnect: (client) => this.#settings.begin(client),
      max: connectionsMax,
      connectionTimeoutMillis: timeouts.connectMs,
      maxLifetimeSeconds: connectionLifeSeconds,
    });
    this.#pool.on('connect', (client) => this.#open.add(client as unknown as SocketClient));
    this.#pool.on('remove', (client) => this.#open.delete(client as unknown as SocketClient));
    // One that is lost while idle is replaced by the next that is needed.
    this.#pool.on('error', () => {});
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#assertAnswering();
    try {
      return this.#borrowed((await this.#pool.connect()) as unknown as SocketClient & pg.PoolClient);
    } catch (error) {
      throw this.#failureOf(error);
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

  /**
   * A circuit breaker for a server that takes connections and answers nothing: each caller would wait for its timeout,
   * one after the other when the service stops. After such a failure one caller at a time tries, once a second; the
   * others fail at once.
   */
  #assertAnswering(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#hangsUntilMs) throw doesNotAnswer({ name: this.#name });
    // No other caller tries until this trial has ended; should its end be lost, some time later.
    if (this.#hangsUntilMs > 0) this.#hangsUntilMs = nowMs + 10 * trialEveryMs;
  }

  #failureOf(error: unknown): StoreError {
    const failure = asStoreError(error, this.#name);
    this.#hangsUntilMs = failure.reason === 'no_answer' ? this.#clock.monotonicMs() + trialEveryMs : 0;
    return failure;
  }

  /** A connection as a caller borrows it. Cursors are not used: lists are read in pages. */
  #borrowed(client: SocketClient & pg.PoolClient): PostgresPoolClient {
    let ended: StoreError | undefined;
    let inTransaction = false;
    const query = async (text: string, parameters: readonly unknown[] = []) => {
      if (client.lostBy !== undefined) ended ??= asStoreError(client.lostBy, this.#name);
      // A rollback that cannot be sent is not needed and must not hide the cause: the server rolls back what lost its
      // connection.
      if (ended !== undefined && text === 'rollback') return nothing;
      if (ended !== undefined) throw ended;
      try {
        const result = await this.#settings.run(client, text, parameters, inTransaction);
        if (beginsTransaction(text)) inTransaction = true;
        if (endsTransaction(text)) inTransaction = false;
        this.#hangsUntilMs = 0;
        return result;
      } catch (error) {
        const failure = this.#failureOf(error);
        if (endsConnection(failure)) ended = failure;
        throw failure;
      }
    };
    const release = () => {
      const isLost = ended !== undefined || client.lostBy !== undefined;
      client.release(isLost);
      if (isLost) client.socket.destroy();
    };
    return { query, release } as unknown as PostgresPoolClient;
  }
}

export function doesNotAnswer(values: StoreErrorValues['no_answer.hanging']) {
  const message = `The database ${values.name} does not answer. Check the server and the network to it.`;
  return new StoreError('no_answer.hanging', values, message);
}
