import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { KeyGrowth } from '../access/key-directory.ts';
import { sharedWords } from '../access/thread-lock.ts';
import type { Clock } from '../clock.ts';
import type { MarketEvent } from '../market/market-event.ts';
import { PendingEvents } from '../market/market-event.ts';
import type { News, NewsOrigin, SharedGrowth } from './messages.ts';

/** So many pieces of news may wait in a thread; then events wait here, where later ones supersede earlier ones. */
const waitingMax = 32;
const retryAfterMs = 2;
/** A thread that applied nothing for so long, though it was told, hangs. The others are not kept waiting for it. */
const stuckAfterMs = 2_000;

interface Subscriber {
  readonly port: MessagePort;
  readonly applied: Int32Array<SharedArrayBuffer>;
  seenApplied: number;
  seenMs: number;
}

/**
 * Tells every thread what happens in the hub. All are sent a piece of news before its number becomes the newest, and no
 * thread goes beyond the newest number: so a client that was told of a price by one thread is told none from before it by another,
 * if each reads the number before it answers (`Follower`). News of one turn travel together. Threads that cannot keep up
 * are told less often, and then of the last of each thing only: what waits for them is bounded.
 */
export class Broadcast {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly #newest = sharedWords(1);
  readonly #subscribers = new Set<Subscriber>();
  readonly #events = new PendingEvents();
  #growth: SharedGrowth[] = [];
  #isUrgent = false;
  #isDue = false;
  #isDraining = false;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>) {
    this.#clock = clock;
  }

  /** Gives a new thread the state and all that comes after. @param state asked for the events that make the state as it is now */
  subscribe(state: () => readonly MarketEvent[]): { readonly port: MessagePort; readonly origin: NewsOrigin } {
    if (this.#hasNews()) this.#send();
    const { port1, port2 } = new MessageChannel();
    const number = Atomics.load(this.#newest, 0);
    const applied = sharedWords(1);
    Atomics.store(applied, 0, number);
    this.#subscribers.add({ port: port1, applied, seenApplied: number, seenMs: this.#clock.monotonicMs() });
    const origin = { port: port2, newest: this.#newest, applied, number, state: JSON.stringify(state()) };
    return { port: port1, origin };
  }

  unsubscribe(port: MessagePort): void {
    for (const subscriber of this.#subscribers) if (subscriber.port === port) this.#subscribers.delete(subscriber);
    port.close();
  }

  /** Something changed in the hub's market. */
  tell(event: MarketEvent): void {
    if (this.#subscribers.size === 0) return;
    this.#events.add(event);
    if (event.kind !== 'ticker' && event.kind !== 'feedCurrent') this.#isUrgent = true;
    this.#flushSoon();
  }

  /** The keys' memory grew. What a look-up needs is sent at once, before any key is found by it. */
  tellGrowth(growth: SharedGrowth): void {
    if (this.#subscribers.size === 0) return;
    this.#growth.push(growth);
    if (isNeededAtOnce(growth)) this.#send();
    else this.#flushSoon();
  }

  /** Every answer of every thread from now on is the last on its connection. */
  tellDraining(): void {
    this.#isDraining = true;
    this.#send();
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    if (!this.#isUrgent && this.#isAnyBehind()) {
      this.#clock.after(retryAfterMs, () => this.#flush());
      return;
    }
    this.#isDue = false;
    if (this.#hasNews()) this.#send();
  }

  #hasNews(): boolean {
    return this.#events.size > 0 || this.#growth.length > 0;
  }

  #isAnyBehind(): boolean {
    const newest = Atomics.load(this.#newest, 0);
    const nowMs = this.#clock.monotonicMs();
    let isAnyBehind = false;
    for (const subscriber of this.#subscribers) {
      const applied = Atomics.load(subscriber.applied, 0);
      if (applied !== subscriber.seenApplied || applied === newest) {
        subscriber.seenApplied = applied;
        subscriber.seenMs = nowMs;
      }
      const isStuck = nowMs - subscriber.seenMs > stuckAfterMs;
      isAnyBehind ||= !isStuck && ((newest - applied) | 0) > waitingMax;
    }
    return isAnyBehind;
  }

  #send(): void {
    const number = (Atomics.load(this.#newest, 0) + 1) | 0;
    const market = this.#events.size === 0 ? undefined : JSON.stringify(this.#events.take());
    const news: News = { number, keys: this.#growth, market, isDraining: this.#isDraining };
    for (const { port } of this.#subscribers) port.postMessage(news);
    Atomics.store(this.#newest, 0, number);
    this.#growth = [];
    this.#isUrgent = false;
  }
}

/** That a slot is another key's is for the records of refusals only, which may learn of it a moment later. */
function isNeededAtOnce(growth: KeyGrowth): boolean {
  return growth.kind !== 'slot' || growth.otherId !== undefined;
}
