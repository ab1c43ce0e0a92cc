import { receiveMessageOnPort } from 'node:worker_threads';
import type { News, NewsOrigin } from './messages.ts';

/**
 * Takes over in a thread what the hub tells. `catchUp` before every request makes the answer as new as any that another
 * thread gave before: it costs one look at a shared word while nothing happened.
 */
export class Follower {
  readonly #origin: NewsOrigin;
  readonly #apply: (news: News) => void;
  readonly #lost: (error: unknown) => void;
  readonly #received: News[] = [];
  #applied: number;

  /** @param lost told when `apply` threw. One that lost news must not go on answering: the thread ends unless told otherwise. */
  constructor(origin: NewsOrigin, apply: (news: News) => void, lost: (error: unknown) => void = endThread) {
    this.#origin = origin;
    this.#apply = apply;
    this.#lost = lost;
    this.#applied = origin.number;
    origin.port.on('message', (news: News) => {
      this.#received.push(news);
      this.catchUp();
    });
  }

  /** Applies all news up to the newest that every thread was sent, and none beyond it. */
  catchUp(): void {
    const newest = Atomics.load(this.#origin.newest, 0);
    if (newest !== this.#applied) this.#applyUpTo(newest);
  }

  #applyUpTo(newest: number): void {
    let count = 0;
    while (this.#applied !== newest) {
      if (count === this.#received.length && !this.#receiveOne()) break;
      const news = this.#received[count]!;
      // Numbers wrap around: the difference tells which is the later.
      if (((news.number - newest) | 0) > 0) break;
      this.#applyOne(news);
      count++;
    }
    this.#received.splice(0, count);
  }

  /** No more than is needed: the hub may be telling news as fast as they are taken. */
  #receiveOne(): boolean {
    const next = receiveMessageOnPort(this.#origin.port);
    if (next !== undefined) this.#received.push(next.message as News);
    return next !== undefined;
  }

  #applyOne(news: News): void {
    this.#applied = news.number;
    Atomics.store(this.#origin.applied, 0, news.number);
    try {
      this.#apply(news);
    } catch (error) {
      this.#lost(error);
      throw error;
    }
  }
}

/** An error that nobody catches, whoever called. */
function endThread(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
