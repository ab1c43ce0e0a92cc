import { Worker } from 'node:worker_threads';
import type { Clock, EpochMs } from '../../clock.ts';
import type { RecordLocation, SegmentStore } from '../segment/segment-store.ts';
import type { RecordQuestions } from './questions.ts';

/** Operations that can be asked for, and those that change holds. */
type RecordOperations = Pick<
  RecordQuestions,
  'summary' | 'priceAt' | 'middlesAt' | 'quotes' | 'candles' | 'served' | 'answer' | 'verify'
> &
  Pick<SegmentStore, 'addHold' | 'releaseHold'>;

export interface Question {
  readonly id: number;
  readonly at: EpochMs;
  readonly name: keyof RecordOperations;
  readonly args: readonly unknown[];
}

export type FromQueryWorker =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string };

interface Waiting {
  resolve(answer: never): void;
  reject(error: Error): void;
}

/** Asks the record in a thread of its own, begun with the first question, so that no answer to a client waits for it. */
export class RecordClient {
  readonly #location: RecordLocation;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #last = 0;

  constructor(location: RecordLocation, clock: Pick<Clock, 'now'>) {
    this.#location = location;
    this.#clock = clock;
  }

  /** Rejects with the error of the thread. */
  ask<Name extends keyof RecordOperations>(
    name: Name,
    ...args: Parameters<RecordOperations[Name]>
  ): ReturnType<RecordOperations[Name]> {
    const id = ++this.#last;
    const answer = new Promise<never>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage({ id, at: this.#clock.now(), name, args } satisfies Question);
    return answer as unknown as ReturnType<RecordOperations[Name]>;
  }

  /** Pending questions stay unanswered: their callers stop as well. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await this.#worker?.terminate();
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./query-worker.ts', import.meta.url), { workerData: this.#location });
    worker.unref();
    worker.on('message', (reply: FromQueryWorker) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) waiting?.reject(new Error(reply.error));
      else waiting?.resolve(reply.answer as never);
    });
    worker.on('error', (error: Error) => this.#ended(error));
    worker.once('exit', () => this.#ended(new Error('the thread that reads the record ended')));
    return worker;
  }

  #ended(error: Error): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
