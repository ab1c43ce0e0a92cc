import { type Clock, sleep, type Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { type MarketState, readState } from '../market/market-state.ts';
import type { BoardPosition, Moment } from './board-position.ts';
import { changesKey, stateKey } from './board-publisher.ts';
import type { LeaderSign } from './market-replication.ts';
import { type Caller, readStreamEntries, type StreamEntry } from './redis-calls.ts';

const entriesPerRead = 200;
/**
 * Soon enough for an answer that waits for a change, see `BoardPosition`: a process that stood still has lost its
 * connection.
 */
const retryAfterMs = 100;
/** How often changes are asked for while an answer waits for one, and what was asked is still on its way. */
const hurryEveryMs = 10;
/** Far more than what the server keeps. */
const stepsToCatchUpMax = 100;

export interface FollowerParts {
  /** For what is answered at once, also while a read waits. */
  readonly ask: Caller;
  /** Waits for an answer at least as long as a read may block; see `followerBlockMs`. */
  readonly wait: Caller;
  readonly clock: Clock;
  /**
   * Does to this node's market what was done to the leader's.
   *
   * @param sign the last sign of life of the leader's feed; `undefined`: unknown
   */
  readonly take: (state: MarketState, sign: LeaderSign | undefined) => void;
  readonly position: Pick<BoardPosition, 'isAwaited' | 'onWait' | 'heard'>;
  readonly log: Log;
}

/** How long the server keeps a read that has nothing to answer. */
export const followerBlockMs = 1_000;
/** The longest `feed.fallbackPoll`. */
const pollEveryMsMax = 60_000;
/**
 * A leader writes each second: changes that are missing for longer may come under lower ids, of a server that lost its
 * own.
 */
const changesMissingMs = 5_000;

/**
 * Keeps this node's book as the leader's: takes the state once and then every change after it, in order. Where one is
 * missing, and where the leader says so, it takes the state again. While the server is away the book stays as it is.
 */
export class BoardFollower {
  readonly #parts: FollowerParts;
  /** The last change that the book holds; `undefined`: the state has to be taken. */
  #heldTo: string | undefined;
  #ended: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  #isTroubled = false;
  /** An answer was applied, all of it, since the state was taken. */
  #isSettled = false;
  #resyncs = 0;
  /** When an answer last held all there was: what comes later was sent after it. */
  #completeMs: number | undefined;
  #changedMs = 0;
  #hurrying: Timer | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    parts.position.onWait = () => this.#hurry();
  }

  /** How often the whole state was taken. */
  get resyncs(): number {
    return this.#resyncs;
  }

  start(): void {
    const ended = new AbortController();
    this.#ended = ended;
    this.#heldTo = undefined;
    this.#running = this.#running.then(() => this.#follow(ended.signal));
  }

  /** Resolves when nothing more is applied. */
  async stop(): Promise<void> {
    this.#ended?.abort();
    this.#parts.position.heard();
    await this.#running;
  }

  /**
   * Takes what the last leader published until now, so that this node can go on from there as the next. Resolves also
   * when that cannot be had: then it goes on from what it knows.
   */
  async catchUp(): Promise<void> {
    // Not waited for: nothing of a read that waits is applied any more.
    this.#ended?.abort();
    try {
      let stepsLeft = stepsToCatchUpMax;
      while (stepsLeft > 0 && (await this.#step(this.#parts.ask))) stepsLeft--;
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the last published market data could not be read');
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const hadState = this.#heldTo !== undefined;
        await this.#step(this.#parts.wait, followerBlockMs, signal);
        this.#isTroubled = false;
        // No state yet, or one that the changes do not follow: the leader writes another.
        if (this.#heldTo === undefined && !(hadState && this.#isSettled)) {
          await sleep(this.#parts.clock, retryAfterMs, signal);
        }
      } catch (error) {
        if (!this.#isTroubled && !signal.aborted)
          this.#parts.log.warn({ err: error }, 'the market data of the leading process cannot be read');
        this.#isTroubled = true;
        await sleep(this.#parts.clock, retryAfterMs, signal);
      }
    }
  }

  /** Takes the state, or the next changes. Gives whether there was anything. */
  async #step(call: Caller, blockMs?: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#heldTo === undefined) return this.#takeState(call, signal);
    const asked = this.#moment;
    const changes = await this.#read(call, this.#heldTo, blockMs);
    if (signal?.aborted === true) return false;
    this.#applyAll(changes, asked);
    return changes.length > 0;
  }

  /**
   * Asks again before the answer to the last question is there, as long as an answer to a client waits for a change:
   * over a slow network a question at a time would bring it after up to two ways there and back.
   */
  #hurry(): void {
    const { clock, position } = this.#parts;
    this.#hurrying ??= clock.every(hurryEveryMs, () => {
      const ended = this.#ended?.signal;
      if (position.isAwaited && this.#heldTo !== undefined && ended?.aborted === false) {
        const asked = this.#moment;
        const apply = (changes: readonly StreamEntry[]) => ended.aborted || this.#applyAll(changes, asked);
        this.#read(this.#parts.wait, this.#heldTo)
          .then(apply)
          .catch(() => {});
        return;
      }
      this.#hurrying?.cancel();
      this.#hurrying = undefined;
    });
  }

  get #moment(): Moment {
    return [this.#parts.clock.now(), this.#parts.clock.monotonicMs()];
  }

  /** Applies the changes that are new: the answers to two questions asked at the same time have changes in common. */
  #applyAll(changes: readonly StreamEntry[], asked: Moment): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const sentMs = this.#completeMs;
    // What comes later waited while this process stood still.
    if (changes.length < entriesPerRead) this.#completeMs = Math.min(nowMs, asked[1] + followerBlockMs);
    if (changes.length > 0) this.#changedMs = nowMs;
    else if (nowMs - this.#changedMs > changesMissingMs) this.#heldTo = undefined;
    const known = changes.findIndex(({ id }) => id === this.#heldTo);
    for (const change of changes.slice(known + 1)) {
      if (this.#heldTo === undefined) return;
      const isApplied = this.#apply(change, sentMs);
      if (!isApplied) return;
    }
    if (this.#heldTo === undefined) return;
    this.#isSettled = true;
    if (changes.length < entriesPerRead) this.#parts.position.heard(asked);
  }

  async #takeState(call: Caller, signal?: AbortSignal): Promise<boolean> {
    const text = await call(['GET', stateKey]);
    if (typeof text !== 'string' || signal?.aborted === true) return false;
    const blank = text.indexOf(' ');
    this.#completeMs = undefined;
    this.#changedMs = this.#parts.clock.monotonicMs();
    this.#take(text.slice(blank + 1), undefined);
    this.#heldTo = text.slice(0, blank);
    this.#isSettled = false;
    this.#resyncs++;
    return true;
  }

  #apply({ id, fields }: StreamEntry, sentMs = Number.NaN): boolean {
    const { before, anew, state = '', silent = '0', polled } = fields;
    if (anew === '1' || before !== this.#heldTo) {
      this.#heldTo = undefined;
      return false;
    }
    const atMs = sentMs - Number(silent);
    this.#take(state, Number.isFinite(atMs) ? { atMs, polled } : undefined);
    this.#heldTo = id;
    return true;
  }

  #take(text: string, sign: { readonly atMs: number; readonly polled: string | undefined } | undefined): void {
    const state = readState(text);
    if (state === undefined) throw new TypeError('not a state of this version');
    this.#parts.take(state, sign && { atMs: sign.atMs, pollEveryMs: pollEveryMs(state, sign.polled) });
  }

  async #read(call: Caller, after: string, blockMs?: number): Promise<readonly StreamEntry[]> {
    const block = blockMs === undefined ? [] : ['BLOCK', String(blockMs)];
    const command = ['XREAD', 'COUNT', String(entriesPerRead), ...block, 'STREAMS', changesKey, after];
    return readStreamEntries(await call(command));
  }
}

/**
 * How soon the leader polls again, where it polls. One of an earlier version does not say so: its polls can be as far
 * apart as the configuration allows.
 */
function pollEveryMs({ path }: MarketState, polled: string | undefined): number | undefined {
  if (polled === undefined) return path === 'fallback' ? pollEveryMsMax : undefined;
  return polled === '' ? undefined : Number(polled);
}
