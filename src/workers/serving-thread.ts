import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import { errorOf } from './failure-report.ts';
import type { LogLevel, Order, Report, ThreadData, ThreadFigures } from './messages.ts';

type ThreadLog = Readonly<Record<LogLevel, (fields: object, message: string) => void>>;

/** What becomes of one thread, in the order in which it happens. */
export interface ThreadEvents {
  readonly figures: (figures: ThreadFigures) => void;
  /** Called once, whatever the cause. @param cause `undefined` when it was told to end */
  readonly ended: (cause: Error | undefined) => void;
  readonly log: ThreadLog;
}

/** One thread that serves, as the hub sees it. */
export class ServingThread {
  readonly owner: number;
  /** The port listened on. Rejects when the thread cannot start, with the system's error where there is one. */
  readonly listening: Promise<number>;
  /** When the thread was last heard of. */
  heardMs: number;
  readonly startedMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #events: ThreadEvents;
  readonly #worker: Worker;
  readonly #closed: Promise<void>;
  #isListening = false;
  #cause: Error | undefined;
  #listens!: (port: number) => void;
  #fails!: (error: Error) => void;
  #closes!: () => void;

  constructor(data: ThreadData, clock: Pick<Clock, 'monotonicMs'>, events: ThreadEvents) {
    this.owner = data.owner;
    this.#clock = clock;
    this.#events = events;
    this.startedMs = clock.monotonicMs();
    this.heardMs = this.startedMs;
    this.listening = new Promise((resolve, reject) => {
      this.#listens = resolve;
      this.#fails = reject;
    });
    this.#closed = new Promise((resolve) => {
      this.#closes = resolve;
    });
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: data,
      transferList: [data.news.port],
      // What was given to the process as its heap's limit (`--max-old-space-size`) holds for each thread; by itself it would not.
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / 1024 ** 2) },
      name: 'mdapi worker',
    });
    this.#worker.on('message', (report: Report) => this.#hear(report));
    this.#worker.on('error', (error) => {
      this.#cause = error instanceof Error ? error : new Error(String(error));
    });
    this.#worker.once('exit', () => this.#ended());
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  order(order: Order): void {
    this.#worker.postMessage(order);
  }

  /** As `PublicListener.close`. Resolves once the last figures are told, or the thread ended. */
  close(deadlineMs: number): Promise<void> {
    this.order({ kind: 'close', deadlineMs });
    return this.#closed;
  }

  /** Ends the thread wherever it is. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(report: Report): void {
    this.heardMs = this.#clock.monotonicMs();
    switch (report.kind) {
      case 'listening':
        this.#isListening = true;
        this.#listens(report.port);
        break;
      case 'failed':
        this.#cause = errorOf(report.error);
        void this.terminate();
        break;
      case 'log':
        this.#events.log[report.level](report.fields, report.message);
        break;
      case 'figures':
        this.#events.figures(report);
        break;
      case 'closed':
        this.#closes();
        break;
    }
  }

  #ended(): void {
    this.#isListening = false;
    this.#fails(this.#cause ?? new Error('the thread ended before it listened'));
    this.#closes();
    this.#events.ended(this.#cause);
  }
}
