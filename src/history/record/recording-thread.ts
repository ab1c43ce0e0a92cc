import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Backoff } from '../../ground/backoff.ts';
import type { Clock, Randomness, Timer } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { StoreError, type StoreErrorValues } from '../../store/store-error.ts';
import { threadEnvironment } from '../reading/thread-environment.ts';
import type { RecordLocation } from '../segment/segment-store.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './worker.ts';

/** A stop waits so long for the last minute to be sealed; the journal has it anyway. */
const stopTimeoutMs = 10_000;
const restartRange = { minMs: 1_000, maxMs: 60_000, jitter: 'equal' } as const;

export interface ThreadParts {
  readonly location: RecordLocation;
  readonly keepForMs: number;
  /** Asked for at each start of the thread, see `RequestNumbers`. */
  readonly requestKey: Uint8Array;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly heard: (message: Exclude<FromWorker, { kind: 'failed' }>) => void;
  /** The thread ended by itself, and what is posted until it says `open` again is lost. */
  readonly ended: () => void;
}

/** The recording thread as the serving thread has it. When it ends by itself it is started again, later each time. */
export class RecordingThread {
  readonly #parts: ThreadParts;
  readonly #restart: Backoff;
  #worker: Worker | undefined;
  #restarting: Timer | undefined;
  #isStopping = false;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    this.#restart = new Backoff(parts.randomness, restartRange);
  }

  /** Rejects with `StoreError` (`cannot_open`) where its file cannot be opened. */
  async start(): Promise<void> {
    const [first] = (await once(this.#begin(), 'message')) as [FromWorker];
    if (first.kind === 'failed') throw recordNotOpened({ said: first.message });
  }

  post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#restarting?.cancel();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    this.post({ kind: 'stop' });
    const late = this.#parts.clock.after(stopTimeoutMs, () => void worker.terminate());
    await exited;
    late.cancel();
  }

  #begin(): Worker {
    const { location, keepForMs, requestKey, clock, log } = this.#parts;
    const settings: WorkerSettings = { location, requestKey, startedAt: clock.now(), keepForMs };
    // It would else keep 64 MB for short-lived objects.
    const resourceLimits = { maxYoungGenerationSizeMb: 4 };
    const options = { workerData: settings, resourceLimits, env: threadEnvironment() };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), options);
    worker.on('message', (message: FromWorker) => this.#hear(message, worker));
    worker.on('error', (error) => log.error({ err: error }, 'the recording thread failed'));
    worker.once('exit', () => this.#ended());
    this.#worker = worker;
    return worker;
  }

  #hear(message: FromWorker, worker: Worker): void {
    if (message.kind !== 'failed') {
      this.#parts.heard(message);
      return;
    }
    this.#parts.log.error({ message: message.message }, 'the record cannot be opened');
    void worker.terminate();
  }

  #ended(): void {
    this.#worker = undefined;
    if (this.#isStopping) return;
    this.#parts.ended();
    this.#restarting = this.#parts.clock.after(this.#restart.nextMs(), () => this.#begin());
  }
}

/** @param values `said`: a sentence of the thread about the file that it cannot open */
export function recordNotOpened(values: StoreErrorValues['cannot_open.record']) {
  return new StoreError('cannot_open.record', values, `${values.said} It is for the record: history.url.`);
}
