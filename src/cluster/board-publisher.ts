import type { Clock, Timer } from '../ground/clock.ts';
import { type MarketState, writeState } from '../market/market-state.ts';
import type { BoardPosition } from './board-position.ts';
import type { MarketChanges } from './market-replication.ts';
import { type Caller, runScript, scriptText } from './redis-calls.ts';
import { fenceKey } from './redis-lease.ts';

/** Changes of the state, in their order, each naming the one before it. */
export const changesKey = '{mdapi}:feed:changes';
/** The id of a change, a blank, and the state that holds everything up to and with it. */
export const stateKey = '{mdapi}:feed:state';

/** Values of nodes that follow the leader again and had newer ones, until it has taken them. */
const offersKey = '{mdapi}:feed:offers';

/** A change is published at once, unless another was just now. */
const spacingMs = 10;
/** How soon something is noticed that no change of the market announces. */
const lookEveryMs = 50;
const stateEveryMs = 5_000;
const retryAfterMs = 500;
/** Tells the others that this node lives, and when its feed last did. */
const signEveryMs = 1_000;
/** Forty seconds of changes, or more; a node that was away for longer takes the state. */
const changesMax = 4_000;
const offersMax = '16';

const publishScript = scriptText('publish');

/** The changes of a market as far as they are published, taken back or taken over. */
type Changes = Pick<
  MarketChanges,
  'isAny' | 'onChange' | 'next' | 'whole' | 'lastSign' | 'takeBack' | 'newerThan' | 'takeOffered'
>;

export interface PublisherParts {
  readonly call: Caller;
  readonly clock: Clock;
  readonly changes: Changes;
  /** Looked at before every publication; `undefined` while this node must not act. */
  readonly fence: () => number | undefined;
  /** Another node leads: the server refused what this one wanted to publish. */
  readonly refused: () => void;
  readonly position: BoardPosition;
}

/**
 * Publishes to the other nodes what the feed changed in this one's market, at once and then every ten milliseconds, and
 * now and then the whole state with it, made at the same moment. After anything was lost on the way the others take the
 * state.
 */
export class BoardPublisher {
  readonly #parts: PublisherParts;
  #mustStartAnew = true;
  /** Publications begun under the fence. */
  #number = 0;
  #fence = 0;
  #dueMs = 0;
  #stateDueMs = 0;
  #signDueMs = 0;
  #looking: Timer | undefined;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** Offers that are ahead of the clock of this node. */
  #offered: readonly string[] = [];

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    parts.changes.onChange = () => this.#schedule();
  }

  /** This node leads from now on: the others begin with its state. */
  lead(): void {
    const { clock, fence, position } = this.#parts;
    this.#mustStartAnew = true;
    this.#dueMs = 0;
    this.#fence = fence() ?? this.#fence;
    this.#number = 0;
    this.#looking ??= clock.every(lookEveryMs, () => this.#schedule());
    // What was not published yet is of the next publication.
    const at = () => ({ fence: this.#fence, number: this.#number + Number(this.#isAny) });
    position.lead(at, () => fence() !== undefined);
    void this.#publish();
  }

  /**
   * Stops publishing, because another process leads now. Changes that were not published are offered to that one if an
   * answer has shown them or Redis refused them, and taken back otherwise.
   */
  giveWay(): void {
    if (this.#number > 0 && !this.#parts.position.isShown) this.#parts.changes.takeBack();
    this.offer({ tickers: [], references: [], rates: [] });
    if (this.#looking !== undefined) this.#parts.position.giveWay();
    this.resign();
  }

  /** Stops publishing. */
  resign(): void {
    if (this.#looking === undefined) return;
    this.#looking.cancel();
    this.#looking = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#parts.position.resign();
  }

  /** Tells the leader what this node has newer, before it follows. @param theirs the leader's state */
  offer(theirs: MarketState): void {
    const { call, changes } = this.#parts;
    const text = writeState(changes.newerThan(theirs));
    call(['XADD', offersKey, 'MAXLEN', '~', offersMax, '*', 'state', text]).catch(() => {});
  }

  /** Publishes what is left, where this node still may. The others go on from there. */
  async handOver(): Promise<void> {
    await this.#sending;
    this.#dueMs = 0;
    if (this.#looking !== undefined && !this.#mustStartAnew && this.#isAny) await this.#publish();
  }

  get #isAny(): boolean {
    return this.#mustStartAnew || this.#parts.changes.isAny;
  }

  #schedule(): void {
    const { clock } = this.#parts;
    if (this.#looking === undefined || this.#timer !== undefined || this.#sending !== undefined) return;
    if (!this.#isAny && clock.monotonicMs() < this.#signDueMs) return;
    this.#timer = clock.after(Math.max(0, this.#dueMs - clock.monotonicMs()), () => {
      this.#timer = undefined;
      void this.#publish();
    });
  }

  async #publish(): Promise<void> {
    const { clock, fence } = this.#parts;
    const fenceNow = fence();
    if (fenceNow === undefined || this.#sending !== undefined || clock.monotonicMs() < this.#dueMs) return;
    this.#dueMs = clock.monotonicMs() + spacingMs;
    const sent = this.#sendAs(fenceNow).catch(() => false);
    this.#sending = sent.then((isSent) => {
      this.#sending = undefined;
      if (isSent) return;
      this.#mustStartAnew = true;
      this.#dueMs = clock.monotonicMs() + retryAfterMs;
    });
    await this.#sending;
    this.#schedule();
  }

  /** Gives whether the others have it now. */
  async #sendAs(fence: number): Promise<boolean> {
    const { call, clock, changes, refused } = this.#parts;
    const isAnew = this.#mustStartAnew;
    const isStateDue = isAnew || clock.monotonicMs() >= this.#stateDueMs;
    this.#mustStartAnew = false;
    const position = [fence, ++this.#number] as const;
    // Made in the same turn: the state holds exactly the changes before and with this one.
    const changed = changes.next(isStateDue);
    const texts = [
      isAnew ? '' : writeState({ ...changed, position }),
      isStateDue ? writeState({ ...changes.whole(), position }) : '',
    ];
    this.#signDueMs = clock.monotonicMs() + signEveryMs;
    const { silent, polled } = changes.lastSign();
    const values = [String(fence), isAnew ? '1' : '0', ...texts, silent, String(changesMax), polled];
    const answer = await runScript(call, publishScript, [fenceKey, changesKey, stateKey, offersKey], values);
    if (answer === null) refused();
    const [id, ...offers] = (answer ?? []) as readonly string[];
    this.#offered = [...this.#offered, ...offers].filter((each) => !changes.takeOffered(each));
    if (id !== undefined && isStateDue) this.#stateDueMs = clock.monotonicMs() + stateEveryMs;
    return id !== undefined;
  }
}
