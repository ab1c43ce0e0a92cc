import { Worker } from 'node:worker_threads';
import type { EpochMs } from '../../ground/clock.ts';
import { threadEnvironment } from '../reading/thread-environment.ts';
import type { RecordLocation } from '../segment/segment-store.ts';

/** Questions that wait while one is answered. */
export const waitingMax = 16;

export interface Question {
  readonly at: EpochMs;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type FromQueryWorker = { readonly answer: unknown } | { readonly error: string };

/** A question that gets no answer: too many wait, or its asker has left. */
export class RecordBusy extends Error {
  override readonly name = 'RecordBusy';
}

interface Asked {
  readonly question: Question;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** A thread that answers one question after the other, and those that wait for it. */
export class QuestionThread {
  readonly #location: RecordLocation;
  #waiting: Asked[] = [];
  #current: Asked | undefined;
  #worker: Worker | undefined;

  constructor(location: RecordLocation) {
    this.#location = location;
  }

  /** Rejects with the error of the thread, or `RecordBusy`. */
  async ask(question: Question, signal?: AbortSignal): Promise<unknown> {
    if (this.#waiting.length >= waitingMax) {
      throw new RecordBusy(`${waitingMax} questions to the record wait already. Ask again in some seconds.`);
    }
    return new Promise((resolve, reject) => {
      const asked = { question, resolve, reject };
      this.#waiting.push(asked);
      this.#askNext();
      if (signal?.aborted) this.#drop(asked);
      else signal?.addEventListener('abort', () => this.#drop(asked));
    });
  }

  async stop(): Promise<void> {
    [this.#waiting, this.#current] = [[], undefined];
    await this.#worker?.terminate();
  }

  #askNext(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) return;
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(this.#current.question);
  }

  #drop(asked: Asked): void {
    asked.reject(new RecordBusy('Nobody waits for the answer any more.'));
    this.#waiting = this.#waiting.filter((each) => each !== asked);
    if (this.#current !== asked) return;
    void this.#worker?.terminate();
    [this.#worker, this.#current] = [undefined, undefined];
    this.#askNext();
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./query-worker.ts', import.meta.url), {
      workerData: this.#location,
      env: threadEnvironment(),
    });
    worker.unref();
    worker.on('message', (reply: FromQueryWorker) => {
      if (this.#worker !== worker) return;
      if ('error' in reply) this.#current?.reject(new Error(reply.error));
      else this.#current?.resolve(reply.answer);
      this.#current = undefined;
      this.#askNext();
    });
    worker.on('error', (error: Error) => this.#ended(worker, error));
    worker.once('exit', () => this.#ended(worker, new Error('the thread that reads the record ended')));
    return worker;
  }

  #ended(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const unanswered = [this.#current, ...this.#waiting];
    [this.#waiting, this.#current] = [[], undefined];
    for (const asked of unanswered) asked?.reject(error);
  }
}
