import type pg from 'pg';
import type { SocketClient, Timeouts } from './client.ts';

/** The server releases the locks of a transaction whose owner does nothing any more, frozen or cut off. */
const idleInTransactionMs = 10_000;

type Connected = Pick<SocketClient, 'query'>;

/**
 * The settings that the server is to apply to what a connection does. They are made after connecting: PgBouncer refuses
 * them as parameters of the start. Where a pooler is between, they are made anew in each transaction and end with it,
 * and each single statement is a transaction of its own: by then the pooler may lend another connection of its own, and
 * a setting that stayed would be the next program's.
 */
export class SessionSettings {
  readonly #values: readonly (readonly [name: string, value: string])[];
  readonly #behindPooler = new WeakSet<object>();

  /** @param readsOnly whether the server is to refuse every change */
  constructor({ lockMs, statementMs }: Timeouts, readsOnly: boolean) {
    this.#values = [
      ['lock_timeout', String(lockMs)],
      ['statement_timeout', String(statementMs)],
      ['idle_in_transaction_session_timeout', String(idleInTransactionMs)],
      ...(readsOnly ? ([['default_transaction_read_only', 'on']] as const) : []),
    ];
  }

  /**
   * Makes them on a new connection. The process that a pooler names is none of the server’s, by which it is told; there
   * the settings end with this very statement.
   */
  async begin(client: pg.ClientBase): Promise<void> {
    const { processID } = client as unknown as { readonly processID: number };
    const names = this.#values.map(([name]) => name);
    const values = this.#values.map(([, value]) => value);
    const { rows } = await client.query<{ pooled: boolean }>(
      `select pg_backend_pid() <> $1::integer as pooled, set_config(name, value, pg_backend_pid() <> $1::integer)
       from unnest($2::text[], $3::text[]) as setting (name, value)`,
      [processID, names, values],
    );
    if (rows[0]!.pooled) this.#behindPooler.add(client);
  }

  /** Runs a statement of one who has borrowed the connection. */
  async run(client: Connected, text: string, parameters: readonly unknown[], inTransaction: boolean) {
    const isPooled = this.#behindPooler.has(client);
    if (isPooled && beginsTransaction(text)) return client.query(`${text}; ${this.#ofTransaction}`);
    if (!isPooled || inTransaction) return client.query(text, [...parameters]);
    await client.query(`begin; ${this.#ofTransaction}`);
    try {
      const result = await client.query(text, [...parameters]);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  }

  get #ofTransaction(): string {
    const settings = this.#values.map(([name, value]) =>
      name === 'default_transaction_read_only' ? 'set transaction read only' : `set local ${name} = '${value}'`,
    );
    return settings.join('; ');
  }
}

/** True for the first statement of a transaction. */
export function beginsTransaction(text: string): boolean {
  return /^(begin|start transaction)\b/.test(text);
}

/** True for the last one, kept or not. */
export function endsTransaction(text: string): boolean {
  return /^(commit|rollback)$/.test(text);
}
