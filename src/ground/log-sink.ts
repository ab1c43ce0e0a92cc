import type { Clock } from './clock.ts';
import type { MetricGroup } from './metric.ts';

/** Takes text, and says once whether it could: with an error where it, or a part of it, was not taken. */
export interface LogTarget {
  write(text: string, done: (error?: Error) => void): void;
}

/** A log that is written, since the start. */
export interface LogFigures {
  /** Lines that nobody will read. */
  readonly lost: number;
  /** Characters that wait for a slow reader. */
  readonly waiting: number;
  /** Why the log cannot be written now: the system's code, or that its reader stands still. */
  readonly trouble: string | undefined;
}

/** So much waits for a reader; what comes then is lost, for memory is for clients. */
const waitingMax = 4 * 1024 * 1024;
const batchMax = 64 * 1024;
const retryAfterMs = 1_000;
/** A reader that has taken nothing for so long stands still. */
const standsStillAfterMs = 5_000;

/**
 * Writes the log without ever holding up who logs: a full disk, a reader that stands still and a closed pipe cost
 * lines, which are counted and said once they can be.
 */
export class LogSink {
  readonly #target: LogTarget;
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs' | 'after'>;
  #lines: string[] = [];
  #waiting = 0;
  #lost = 0;
  /** How many of the lost ones the log says. */
  #said = 0;
  #failure: string | undefined;
  /** When the batch that is under way was handed over; `undefined` while none is. */
  #writingSinceMs: number | undefined;
  #emptied: (() => void) | undefined;

  constructor(target: LogTarget, clock: Pick<Clock, 'now' | 'monotonicMs' | 'after'>) {
    this.#target = target;
    this.#clock = clock;
  }

  /** Takes one line, its end included. */
  write(line: string): void {
    if (this.#waiting + line.length > waitingMax) {
      this.#lost++;
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length;
    this.#next();
  }

  figures(): LogFigures {
    const isStill =
      this.#writingSinceMs !== undefined && this.#clock.monotonicMs() - this.#writingSinceMs >= standsStillAfterMs;
    return { lost: this.#lost, waiting: this.#waiting, trouble: this.#failure ?? (isStill ? 'not read' : undefined) };
  }

  /** Resolves once all is written, or when that takes too long. */
  async end(withinMs: number): Promise<void> {
    if (this.#lines.length === 0 && this.#writingSinceMs === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = this.#clock.after(withinMs, resolve);
      this.#emptied = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #next(): void {
    if (this.#writingSinceMs !== undefined || this.#lines.length === 0) return;
    this.#writingSinceMs = this.#clock.monotonicMs();
    const count = this.#batchLength();
    const batch = this.#lines.splice(0, count);
    const text = batch.join('');
    const lostBefore = this.#lost;
    this.#target.write(this.#lossSaid() + text, (error) => {
      this.#waiting -= text.length;
      if (error === undefined) this.#written(lostBefore);
      else this.#refused(error, count);
    });
  }

  #batchLength(): number {
    let length = 0;
    const end = this.#lines.findIndex((line) => {
      length += line.length;
      return length > batchMax;
    });
    return end === -1 ? this.#lines.length : Math.max(1, end);
  }

  /** A line of the log, in its form, about lines that were lost and not said yet. */
  #lossSaid(): string {
    const lost = this.#lost - this.#said;
    if (lost === 0) return '';
    const msg = `lines of the log were lost, because it could not be written (${this.#failure ?? 'not read'})`;
    return `${JSON.stringify({ level: 40, time: this.#clock.now(), lost, msg })}\n`;
  }

  #written(lostBefore: number): void {
    this.#said = lostBefore;
    this.#failure = undefined;
    this.#writingSinceMs = undefined;
    if (this.#lines.length === 0) this.#emptied?.();
    this.#next();
  }

  #refused(error: Error, lines: number): void {
    this.#lost += lines;
    this.#failure = (error as NodeJS.ErrnoException).code ?? 'refused';
    this.#clock.after(retryAfterMs, () => {
      this.#writingSinceMs = undefined;
      this.#next();
    });
  }
}

/** Metrics of the log, where the process writes it itself. */
export const logMetrics: MetricGroup<LogFigures | undefined> = {
  title: 'Log',
  metrics: [
    {
      name: 'log_lines_lost_total',
      help: 'Lines of the log that could not be written, or that nobody read in time.',
      read: (figures) => figures?.lost,
    },
    {
      name: 'log_waiting_characters',
      help: 'Characters of the log that wait for their reader.',
      read: (figures) => figures?.waiting,
    },
  ],
};
