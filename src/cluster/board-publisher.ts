import type { Clock, Timer } from '../clock.ts';
import type { MarketEvent } from '../market/market-event.ts';
import { PendingEvents } from '../market/market-event.ts';
import { writeEvents } from './market-replication.ts';
import { type Caller, runScript } from './redis-calls.ts';
import { fenceKey } from './redis-lease.ts';

/** Changes, in their order, each naming the one before it. */
export const changesKey = '{mdapi}:feed:changes';
/** The id of a change, a blank, and the state that holds everything up to and with it. */
export const stateKey = '{mdapi}:feed:state';

const gatherMs = 50;
const stateEveryMs = 5_000;
const retryAfterMs = 500;
/** Some three minutes of changes; a node that was away for longer takes the state. */
const changesMax = 4_000;

/** Writes only for whoever holds the newest fencing number, and all of it or nothing. */
const publishScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
local before = #last > 0 and last[1][1] or '0-0'
local id = redis.call('XADD', KEYS[2], 'MAXLEN', '~', ${changesMax}, '*', 'before', before, 'anew', ARGV[2], 'events', ARGV[3])
if ARGV[4] ~= '' then redis.call('SET', KEYS[3], id .. ' ' .. ARGV[4]) end
return id
`;

export interface PublisherParts {
  readonly call: Caller;
  readonly clock: Clock;
  /** What all events before made, as it is now. */
  readonly state: () => MarketEvent;
  /** Looked at before every publication; `undefined` while this node must not act. */
  readonly fence: () => number | undefined;
  /** Another node leads: the server refused what this one wanted to publish. */
  readonly refused: () => void;
}

/**
 * Publishes to the other nodes what the feed delivered to this one, every fifty milliseconds in which something happened, and now and then the
 * whole state with it, made at the same moment. After anything was lost on the way the others take the state.
 */
export class BoardPublisher {
  readonly #parts: PublisherParts;
  readonly #waiting = new PendingEvents();
  #isLeading = false;
  #mustStartAnew = true;
  #stateDueMs = 0;
  #timer: Timer | undefined;
  #isSending = false;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /** For whoever runs the feed: the other nodes get it while this one leads. */
  readonly record = (event: MarketEvent): void => {
    if (!this.#isLeading) return;
    this.#waiting.add(event);
    this.#schedule(gatherMs);
  };

  /** This node leads from now on: the others begin with its state. */
  lead(): void {
    this.#isLeading = true;
    this.#restart();
    this.#schedule(0);
  }

  /** Stops publishing. */
  resign(): void {
    this.#isLeading = false;
    this.#waiting.take();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #restart(): void {
    this.#mustStartAnew = true;
    this.#waiting.take();
  }

  #schedule(delayMs: number): void {
    if (this.#isSending || this.#timer !== undefined || !this.#isLeading) return;
    this.#timer = this.#parts.clock.after(delayMs, () => {
      this.#timer = undefined;
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    const fence = this.#parts.fence();
    if (fence === undefined) return;
    this.#isSending = true;
    const isSent = await this.#sendAs(fence).catch(() => false);
    this.#isSending = false;
    if (!isSent) this.#restart();
    if (this.#mustStartAnew || this.#waiting.size > 0) this.#schedule(isSent ? gatherMs : retryAfterMs);
  }

  /** Gives whether the others have it now. */
  async #sendAs(fence: number): Promise<boolean> {
    const { call, clock, state, refused } = this.#parts;
    const isAnew = this.#mustStartAnew;
    // Made in the same turn in which the events are taken: it holds exactly those before and with them.
    const events = writeEvents(this.#waiting.take());
    const stateText = isAnew || clock.monotonicMs() >= this.#stateDueMs ? writeEvents([state()]) : '';
    this.#mustStartAnew = false;
    const values = [String(fence), isAnew ? '1' : '0', events, stateText];
    const id = await runScript(call, publishScript, [fenceKey, changesKey, stateKey], values);
    if (id === null) refused();
    else if (stateText !== '') this.#stateDueMs = clock.monotonicMs() + stateEveryMs;
    return id !== null;
  }
}
