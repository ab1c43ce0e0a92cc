import type { Clock, Timer } from '../clock.ts';
import { writeState } from '../market/market-state.ts';
import type { MarketChanges } from './market-replication.ts';
import { type Caller, runScript } from './redis-calls.ts';
import { fenceKey } from './redis-lease.ts';

/** Changes of the state, in their order, each naming the one before it. */
export const changesKey = '{mdapi}:feed:changes';
/** The id of a change, a blank, and the state that holds everything up to and with it. */
export const stateKey = '{mdapi}:feed:state';

const everyMs = 50;
const stateEveryMs = 5_000;
const retryAfterMs = 500;
/** Tells the others that this node lives, and for how long its feed has been silent. */
const signEveryMs = 1_000;
/** Some three minutes of changes; a node that was away for longer takes the state. */
const changesMax = 4_000;

/** Writes only for the holder of the newest fencing number, and all of it or nothing. An empty answer asks to start anew. */
const publishScript = `
local fence = redis.pcall('GET', KEYS[1])
if fence ~= ARGV[1] then return false end
local last = redis.pcall('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
if last.err and string.find(last.err, 'WRONGTYPE', 1, true) then
  redis.call('DEL', KEYS[2])
  last = {}
end
if last.err then error(last.err) end
if #last == 0 and ARGV[2] ~= '1' then return '' end
local before = #last > 0 and last[1][1] or '0-0'
local id = redis.call('XADD', KEYS[2], 'MAXLEN', '~', ${changesMax}, '*', 'before', before, 'anew', ARGV[2], 'state', ARGV[3], 'silent', ARGV[5])
if ARGV[4] ~= '' then redis.call('SET', KEYS[3], id .. ' ' .. ARGV[4]) end
return id
`;

export interface PublisherParts {
  readonly call: Caller;
  readonly clock: Clock;
  readonly changes: MarketChanges;
  /** Looked at before every publication; `undefined` while this node must not act. */
  readonly fence: () => number | undefined;
  /** Another node leads: the server refused what this one wanted to publish. */
  readonly refused: () => void;
}

/**
 * Publishes to the other nodes what the feed changed in this one's market, every fifty milliseconds in which something happened, and now
 * and then the whole state with it, made at the same moment. After anything was lost on the way the others take the state.
 */
export class BoardPublisher {
  readonly #parts: PublisherParts;
  #mustStartAnew = true;
  #published = '';
  #dueMs = 0;
  #stateDueMs = 0;
  #signDueMs = 0;
  #timer: Timer | undefined;
  #isSending = false;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /** This node leads from now on: the others begin with its state. */
  lead(): void {
    this.#mustStartAnew = true;
    this.#dueMs = 0;
    this.#timer ??= this.#parts.clock.every(everyMs, () => void this.#publish());
    void this.#publish();
  }

  /** Stops publishing. */
  resign(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #publish(): Promise<void> {
    const { clock, fence } = this.#parts;
    const fenceNow = fence();
    if (fenceNow === undefined || this.#isSending || clock.monotonicMs() < this.#dueMs) return;
    this.#isSending = true;
    const isSent = await this.#sendAs(fenceNow).catch(() => false);
    this.#isSending = false;
    if (isSent) return;
    this.#mustStartAnew = true;
    this.#dueMs = clock.monotonicMs() + retryAfterMs;
  }

  /** Gives whether the others have it now. */
  async #sendAs(fence: number): Promise<boolean> {
    const { call, clock, changes, refused } = this.#parts;
    const isAnew = this.#mustStartAnew;
    const isStateDue = isAnew || clock.monotonicMs() >= this.#stateDueMs;
    // Made in the same turn: the state holds exactly the changes before and with this one.
    const changed = writeState(changes.next(isStateDue));
    const stateText = isStateDue ? writeState(changes.whole()) : '';
    if (!isStateDue && changed === this.#published && clock.monotonicMs() < this.#signDueMs) return true;
    this.#mustStartAnew = false;
    this.#published = changed;
    this.#signDueMs = clock.monotonicMs() + signEveryMs;
    const values = [String(fence), isAnew ? '1' : '0', isAnew ? '' : changed, stateText, changes.silence()];
    const id = await runScript(call, publishScript, [fenceKey, changesKey, stateKey], values);
    if (id === null) refused();
    else if (id && isStateDue) this.#stateDueMs = clock.monotonicMs() + stateEveryMs;
    return Boolean(id);
  }
}
