import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { KeyGrowth } from '../access/key-directory.ts';
import { sharedWords } from '../access/thread-lock.ts';
import type { MarketEvent } from '../market/market-event.ts';
import type { News, NewsOrigin, SharedGrowth } from './messages.ts';

/**
 * Tells every thread what happens in the hub. All are sent a piece of news before its number becomes the newest, and no
 * thread goes beyond the newest number: so a client that was told of a price by one thread is told none from before it by another,
 * if each reads the number before it answers (`Follower`). News of one turn travel together.
 */
export class Broadcast {
  readonly #newest = sharedWords(1);
  readonly #ports = new Set<MessagePort>();
  #events: MarketEvent[] = [];
  #growth: SharedGrowth[] = [];
  #isDue = false;
  #isDraining = false;

  /** Gives a new thread the state and all that comes after. @param state asked for the state as it is now */
  subscribe(state: () => MarketEvent): { readonly port: MessagePort; readonly origin: NewsOrigin } {
    this.flush();
    const { port1, port2 } = new MessageChannel();
    this.#ports.add(port1);
    const number = Atomics.load(this.#newest, 0);
    return { port: port1, origin: { port: port2, newest: this.#newest, number, state: JSON.stringify(state()) } };
  }

  unsubscribe(port: MessagePort): void {
    this.#ports.delete(port);
    port.close();
  }

  /** Something changed in the hub's market. */
  tell(event: MarketEvent): void {
    if (this.#ports.size === 0) return;
    // Of proofs that the feed is current only the last of a row matters, and there are as many as tickers.
    if (event.kind === 'feedCurrent' && this.#events.at(-1)?.kind === 'feedCurrent') this.#events.pop();
    this.#events.push(event);
    this.#flushSoon();
  }

  /** The keys' memory grew. What a look-up needs is sent at once, before any key is found by it. */
  tellGrowth(growth: SharedGrowth): void {
    if (this.#ports.size === 0) return;
    this.#growth.push(growth);
    if (isNeededAtOnce(growth)) this.flush();
    else this.#flushSoon();
  }

  /** Every answer of every thread from now on is the last on its connection. */
  tellDraining(): void {
    this.#isDraining = true;
    this.#send();
  }

  /** Sends what was told so far. */
  flush(): void {
    this.#isDue = false;
    if (this.#events.length > 0 || this.#growth.length > 0) this.#send();
  }

  #send(): void {
    const number = (Atomics.load(this.#newest, 0) + 1) | 0;
    const market = this.#events.length === 0 ? undefined : JSON.stringify(this.#events);
    const news: News = { number, keys: this.#growth, market, isDraining: this.#isDraining };
    for (const port of this.#ports) port.postMessage(news);
    Atomics.store(this.#newest, 0, number);
    this.#events = [];
    this.#growth = [];
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.flush());
  }
}

/** That a slot is another key's is for the records of refusals only, which may learn of it a moment later. */
function isNeededAtOnce(growth: KeyGrowth): boolean {
  return growth.kind !== 'slot' || growth.otherId !== undefined;
}
