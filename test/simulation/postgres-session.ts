import type { Clock, Timer } from '../../src/ground/clock.ts';
import { type Answer, type Change, nothing, type Value } from './postgres-answer.ts';
import { asPostgresError, type PostgresError, refused } from './postgres-errors.ts';

export type Answered = (error: PostgresError | undefined, answer?: Answer) => void;

/** The client's end of a session. */
export interface SessionClient {
  notified(channel: string, payload: string, sender: number): void;
  /** The server ends it. */
  ended(error: PostgresError): void;
}

/** The server, as a session needs it. */
export interface Engine {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly isStandby: boolean;
  /** How long the next statement takes. */
  workMs(): number;
  /** Runs a statement now. Throws `Blocked` where something that it needs is locked. */
  run(session: Session, text: string, parameters: readonly Value[]): Answer;
  commit(session: Session): void;
  rollBack(session: Session): void;
  /** Locks something by its name. Throws `Blocked`. */
  lock(session: Session, name: string, held?: Set<string>): void;
  unlock(session: Session, names: Iterable<string>): void;
  /** Calls `again` once a session has let go of something. @returns stops waiting */
  wait(session: Session, holder: Session, again: () => void, deadlocked: () => void): () => void;
  forget(session: Session): void;
}

/** Something is locked. */
export class Blocked extends Error {
  readonly holder: Session;

  constructor(holder: Session) {
    super('locked');
    this.holder = holder;
  }
}

/** One connection, with its transaction. Statements come one at a time. */
export class Session {
  readonly client: SessionClient;
  readonly pid: number;
  readonly channels = new Set<string>();
  readonly notifications = new Set<string>();
  changes: Change[] = [];
  readonly locks = new Set<string>();
  /** Advisory locks, which outlast the transaction. */
  readonly #kept = new Set<string>();
  readonly #model: Engine;
  readonly #settings: Record<string, string>;
  #state: 'idle' | 'open' | 'failed' = 'idle';
  #isOver = false;
  #idle: Timer | undefined;
  #stop: ((error: PostgresError) => void) | undefined;
  #isHurt = false;

  constructor(model: Engine, client: SessionClient, pid: number, settings: Readonly<Record<string, string>>) {
    this.#model = model;
    this.client = client;
    this.pid = pid;
    this.#settings = { ...settings };
  }

  /** As the protocol tells it: idle, in a transaction, in one that failed. */
  get status(): 'I' | 'T' | 'E' {
    return this.#state === 'idle' ? 'I' : this.#state === 'open' ? 'T' : 'E';
  }

  get isReadOnly(): boolean {
    return this.#model.isStandby || this.#settings.default_transaction_read_only === 'on';
  }

  setting(name: string): string {
    if (name === 'transaction_read_only') return this.isReadOnly ? 'on' : 'off';
    return this.#settings[name] ?? '';
  }

  /** Runs a statement; answers when it is done, which may be after a wait. */
  execute(text: string, parameters: readonly Value[], answered: Answered): void {
    if (this.#isOver) return;
    this.#idle?.cancel();
    const timers: Timer[] = [];
    const done: Answered = (error, answer) => {
      if (this.#stop === undefined) return;
      this.#stop = undefined;
      for (const timer of timers) timer.cancel();
      if (error !== undefined) this.#failed();
      if (!this.#isOver) this.#becomesIdle();
      answered(error, answer);
    };
    this.#stop = (error) => done(error);
    const limitMs = Number(this.#settings.statement_timeout ?? 0);
    if (limitMs > 0) timers.push(this.#model.clock.after(limitMs, () => this.#stop?.(refused('57014'))));
    const workMs = this.#model.workMs() + sleepOf(text);
    const work = () => this.#try(text.trim(), parameters, done, timers);
    if (workMs > 0) timers.push(this.#model.clock.after(workMs, work));
    else work();
  }

  /** The client is gone: whatever it had begun is undone. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#idle?.cancel();
    this.#stop?.(refused('57P01'));
    this.channels.clear();
    this.#model.rollBack(this);
    this.#model.unlock(this, this.#kept);
    this.#model.forget(this);
  }

  /** The server ends it. */
  terminate(error: PostgresError): void {
    if (this.#isOver) return;
    this.end();
    this.client.ended(error);
  }

  #becomesIdle(): void {
    const idleMs = Number(this.#settings.idle_in_transaction_session_timeout ?? 0);
    if (this.#state !== 'idle' && idleMs > 0)
      this.#idle = this.#model.clock.after(idleMs, () => this.terminate(refused('25P03')));
  }

  #failed(): void {
    if (this.#state === 'open') this.#state = 'failed';
    this.#model.rollBack(this);
  }

  #try(text: string, parameters: readonly Value[], done: Answered, timers: Timer[]): void {
    if (this.#stop === undefined) return;
    try {
      done(undefined, this.#perform(text, parameters));
    } catch (error) {
      if (!(error instanceof Blocked)) {
        done(asPostgresError(error));
        return;
      }
      const stopWaiting = this.#model.wait(
        this,
        error.holder,
        () => {
          stopWaiting();
          this.#try(text, parameters, done, timers);
        },
        () => this.#stop?.(refused('40P01')),
      );
      timers.push({ cancel: stopWaiting });
      const limitMs = Number(this.#settings.lock_timeout ?? 0);
      const isPatient = /set_config\('lock_timeout'/.test(text);
      if (limitMs > 0 && !isPatient && !this.#isHurt) {
        this.#isHurt = true;
        const timer = this.#model.clock.after(limitMs, () => this.#stop?.(refused('55P03')));
        timers.push({
          cancel: () => {
            this.#isHurt = false;
            timer.cancel();
          },
        });
      }
    }
  }

  #perform(text: string, parameters: readonly Value[]): Answer {
    const [word = '', second = ''] = text.toLowerCase().replace(/;$/, '').split(/\s+/);
    if (word === 'begin' || (word === 'start' && second === 'transaction')) {
      if (this.#state === 'idle') this.#state = 'open';
      return { ...nothing, command: 'BEGIN' };
    }
    if (word === 'commit' || word === 'rollback') {
      const commits = word === 'commit' && this.#state !== 'failed';
      this.#state = 'idle';
      if (commits) this.#model.commit(this);
      else this.#model.rollBack(this);
      return { ...nothing, command: commits ? 'COMMIT' : 'ROLLBACK' };
    }
    if (this.#state === 'failed') throw refused('25P02');
    if (word === 'listen') {
      if (this.#model.isStandby) throw refused('25006', 'cannot execute LISTEN during recovery');
      this.channels.add(second);
      return { ...nothing, command: 'LISTEN' };
    }
    if (word === 'set') {
      const [, name = '', value = ''] = /^set (?:session |local )?(\w+)\s*(?:=|to)\s*'?([^']*)'?$/i.exec(text) ?? [];
      this.#settings[name] = value;
      return { ...nothing, command: 'SET' };
    }
    const answer = this.#advisory(text, parameters) ?? this.#model.run(this, text, parameters);
    if (this.#state === 'idle') this.#model.commit(this);
    return answer;
  }

  /** Locks that have a meaning to their users alone. */
  #advisory(text: string, parameters: readonly Value[]): Answer | undefined {
    const [, name, given = ''] = /\b(pg_(?:try_)?advisory_\w+)\(([^)]*)\)/.exec(text) ?? [];
    if (name === undefined) return undefined;
    const lock = `advisory ${given.startsWith('$') ? parameters[Number(given.slice(1)) - 1] : given.trim()}`;
    let value: Value = '';
    if (name === 'pg_advisory_unlock') {
      value = this.#kept.delete(lock) ? 't' : 'f';
      this.#model.unlock(this, [lock]);
    } else {
      const held = name.includes('xact') ? this.locks : this.#kept;
      try {
        this.#model.lock(this, lock, held);
        value = name.includes('try') ? 't' : '';
      } catch (error) {
        if (!name.includes('try')) throw error;
        value = 'f';
      }
    }
    const type = value === '' ? 'void' : 'boolean';
    return { command: 'SELECT', count: 1, columns: [{ name, type, isNumeric: false }], rows: [[value]] };
  }
}

function sleepOf(text: string): number {
  return 1_000 * Number(/\bpg_sleep\(([\d.]+)\)/.exec(text)?.[1] ?? 0);
}
