import type { KeyDirectory, KeyMatch } from '../access/key-directory.ts';
import { decide, type LimitDecision } from '../access/limit-decision.ts';
import type { Limits, MaybePromise, MemoryLimits } from '../access/limits.ts';
import { type LimitFigures, limitWindowMs } from '../contract/limits.ts';
import type { Clock, EpochMs, Randomness } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { type BoardPosition, furtherOf, isBefore, noPosition, type Position } from './board-position.ts';
import { Circuit } from './circuit.ts';
import { type Call, CountCalls, type SentCall, type Take } from './count-calls.ts';
import { type CountAnswer, countOn } from './count-script.ts';
import { type KnownCount, KnownCounts, usedOf } from './known-counts.ts';
import { type RedisAddress, RedisConnection } from './redis-connection.ts';
import { ServerTime } from './server-time.ts';

export interface RedisLimitsOptions {
  readonly address: RedisAddress;
  readonly figures: LimitFigures;
  /** Counts what this node alone cannot keep a counter for. */
  readonly memory: MemoryLimits;
  readonly keys: Pick<KeyDirectory, 'keyIdOf'>;
  /** How far this process's market is, where it follows or leads others. */
  readonly position?: BoardPosition;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** A minute unless a test cannot wait for it to end. A whole number of seconds. */
  readonly windowMs?: number;
  /** How long a request may wait, in milliseconds; 45 leaves time to answer within 50 ms of the request. */
  readonly timeoutMs?: number;
}

/** Figures of the counting since the start. */
export type SharedLimitFigures = ReturnType<RedisLimits['figures']>;

const defaultTimeoutMs = 45;
const startTimeoutMs = 1_000;
/**
 * While prices change without a break the board moves on during a call now and then, and hardly ever during several.
 */
const storesMax = 4;
/** One hash tag for all: in cluster mode they lie in one slot, as a script needs it. */
const counterPrefix = '{mdapi}:limit:';
/** Beyond this a node's clock is reported to the operator: its instants and its logs are off by as much. */
const skewReportedMs = 2_000;

/**
 * The three limits, counted on a Redis or Valkey server for all nodes together. Per counter and window exactly the
 * smaller of what was sent and the limit is admitted, over all nodes. While the server cannot be asked, or does not
 * answer in time, each node counts by itself, going on from the count it knew, and reports to the server afterwards
 * what it admitted. So the nodes together admit at most their number times the limit.
 *
 * With a key's count goes the newest board position that was served to it: a process whose board is behind waits for
 * it, so that no client sees prices go back from one process to the next.
 */
export class RedisLimits implements Limits {
  readonly #options: RedisLimitsOptions;
  readonly #windowMs: number;
  readonly #connection: RedisConnection;
  readonly #circuit: Circuit;
  readonly #calls: CountCalls;
  readonly #serverTime = new ServerTime();
  readonly #known = new KnownCounts();
  readonly #started = Promise.withResolvers<void>();
  #countedShared = 0;
  #countedAlone = 0;
  #refusedUnasked = 0;
  #positionsStored = 0;

  constructor(options: RedisLimitsOptions) {
    const { address, clock, randomness, timeoutMs = defaultTimeoutMs } = options;
    this.#options = options;
    this.#windowMs = options.windowMs ?? limitWindowMs;
    this.#circuit = new Circuit({
      clock,
      timeoutMs,
      probe: () => this.#probe(),
      changed: (isUp, reason) => this.#report(isUp, reason),
      seemsDead: () => this.#connection.reopen('it answers nothing'),
    });
    this.#connection = new RedisConnection(address, clock, randomness, {
      opened: () => this.#circuit.connected(),
      lost: (reason) => this.#circuit.disconnected(reason),
    });
    this.#calls = new CountCalls({
      clock,
      timeoutMs,
      prepare: (takes) => this.#prepare(takes),
      send: (sent) => this.#send(sent),
      answered: (call, answer) => this.#answered(call, answer),
      failed: (call, reason) => this.#failed(call, reason),
    });
  }

  /**
   * Begins to connect. Resolves once requests are counted on the server: before that this node counts alone, and
   * several that start at once would each admit a limit of their own. An unreachable server delays it by a second at
   * most.
   */
  start(): Promise<void> {
    const timer = this.#options.clock.after(startTimeoutMs, this.#started.resolve);
    this.#connection.start();
    return this.#started.promise.then(() => timer.cancel());
  }

  stop(): void {
    this.#started.resolve();
    this.#circuit.stop();
    this.#connection.stop();
  }

  figures() {
    return {
      /** Requests are counted on the server, together with the other nodes. */
      isUp: this.#circuit.isUp,
      /** Why they are not, or last were not. */
      reason: this.#circuit.reason,
      /** How often the counting fell back to this node alone. */
      fallbacks: this.#circuit.trips,
      countedShared: this.#countedShared,
      countedAlone: this.#countedAlone,
      /** Refused by what was known already, without asking. */
      refusedUnasked: this.#refusedUnasked,
      /** Calls made because the board moved on while a request was counted. */
      positionsStored: this.#positionsStored,
      /** Answers that needed a newer board, by whether it came in time. */
      boardWaits: this.#options.position?.waits ?? { reached: 0, in_vain: 0 },
      /** This node's wall clock minus the server's, in milliseconds; `undefined` while the server's is unknown. */
      clockSkewMs: this.#clockSkewMs(),
    };
  }

  takeForKey(key: KeyMatch, now: EpochMs): MaybePromise<LimitDecision> {
    const { figures, keys, memory } = this.#options;
    const limit = key.limitPerMinute ?? figures.key;
    return this.#take(`key:${keys.keyIdOf(key.slot)}`, limit, now, () => memory.takeForKey(key, now), true);
  }

  takeForAddress(bucket: string, now: EpochMs): MaybePromise<LimitDecision> {
    const { figures, memory } = this.#options;
    return this.#take(`address:${bucket}`, figures.address, now, () => memory.takeForAddress(bucket, now));
  }

  takeForFailedAuthentication(bucket: string, now: EpochMs): MaybePromise<LimitDecision> {
    const { figures, memory } = this.#options;
    const inMemory = () => memory.takeForFailedAuthentication(bucket, now);
    return this.#take(`failure:${bucket}`, figures.failedAuthentication, now, inMemory);
  }

  hasFailuresLeft(bucket: string, now: EpochMs): boolean {
    this.#enterWindowAt(now);
    const known = this.#known.of(`failure:${bucket}`);
    const { figures, memory } = this.#options;
    return known === undefined ? memory.hasFailuresLeft(bucket, now) : usedOf(known) < figures.failedAuthentication;
  }

  /** Counted by each process for itself: this bounds the cost of a flood, and is not part of the contract. */
  takeForPage(bucket: string, now: EpochMs): LimitDecision {
    return this.#options.memory.takeForPage(bucket, now);
  }

  /** Counters are kept by the key's id, which no other key takes over; only what is in memory is by slot. */
  forgetSlot(slot: number): void {
    this.#options.memory.forgetSlot(slot);
  }

  #take(
    counter: string,
    limit: number,
    now: EpochMs,
    countInMemory: () => LimitDecision,
    isKeys = false,
  ): MaybePromise<LimitDecision> {
    this.#enterWindowAt(now);
    const known = this.#known.of(counter);
    if (known !== undefined && usedOf(known) >= limit && this.#isSurelyThisWindow()) {
      this.#refusedUnasked++;
      return this.#decide(usedOf(known), limit, this.#earliest(now));
    }
    if (!this.#circuit.isUp) return this.#answerAlone(isKeys, this.#countAlone(known, limit, countInMemory));
    return new Promise((resolve) => {
      const whenReadable = (decision: LimitDecision, newest?: Position) =>
        resolve(newest === undefined || !decision.allowed ? decision : this.#whenReadable(counter, decision, newest));
      this.#calls.add({ counter, limit, isKeys, countInMemory, resolve: isKeys ? whenReadable : resolve });
    });
  }

  /**
   * Answers once this process's board is no older than what the key has seen, and what it shows is kept for the next
   * answer.
   */
  #whenReadable(counter: string, decision: LimitDecision, newest: Position): MaybePromise<LimitDecision> {
    const { position } = this.#options;
    if (position === undefined) return decision;
    if (!position.isBehind(newest) && !isBefore(newest, position.current)) return decision;
    return this.#agree(counter, position, newest).then(() => decision);
  }

  async #agree(counter: string, position: BoardPosition, newest: Position): Promise<void> {
    let kept: Position | undefined = newest;
    for (let stores = 0; kept !== undefined && stores < storesMax; stores++) {
      if (!(await position.reach(kept)) || !isBefore(kept, position.current)) return;
      kept = await this.#keepPosition(counter);
    }
  }

  /** The next request of the key may be counted elsewhere before another of this process. */
  #keepPosition(counter: string): Promise<Position | undefined> {
    this.#positionsStored++;
    const countInMemory = () => this.#decide(0, 0, this.#options.clock.now());
    return new Promise((resolve) => {
      const kept = (_: LimitDecision, newest?: Position) => resolve(newest);
      this.#calls.add({ counter, limit: 0, isKeys: true, countInMemory, resolve: kept });
    });
  }

  /** The server's time goes on by itself between answers; before the first there is only the node's. */
  #enterWindowAt(now: EpochMs): void {
    this.#known.enter(Math.floor(this.#earliest(now) / this.#windowMs));
  }

  #earliest(now: EpochMs): number {
    return this.#serverTime.earliest(this.#options.clock.monotonicMs()) ?? now;
  }

  /** Whether even the latest instant it can be on the server lies in the window that is known. */
  #isSurelyThisWindow(): boolean {
    const latest = this.#serverTime.latest(this.#options.clock.monotonicMs());
    return latest === undefined || latest < (this.#known.windowNumber + 1) * this.#windowMs;
  }

  #decide(used: number, limit: number, serverMs: number): LimitDecision {
    return decide(used, limit, this.#known.windowNumber, serverMs as EpochMs, this.#windowMs);
  }

  #countAlone(known: KnownCount | undefined, limit: number, countInMemory: () => LimitDecision): LimitDecision {
    this.#countedAlone += Number(limit > 0);
    if (known === undefined) return countInMemory();
    const used = usedOf(known);
    if (used < limit) known.admittedAlone++;
    return this.#decide(used, limit, this.#earliest(this.#options.clock.now()));
  }

  /** Nobody says what the key has seen elsewhere: after a standstill, anything that was published meanwhile. */
  #answerAlone(isKeys: boolean, decision: LimitDecision): MaybePromise<LimitDecision> {
    const { position } = this.#options;
    const shown = () => {
      position?.show();
      return decision;
    };
    const reached = isKeys && decision.allowed && position?.reach(noPosition);
    return reached instanceof Promise ? reached.then(shown) : shown();
  }

  /** Sends requests that were admitted alone with the first take of their counter; they come back should that fail. */
  #prepare(takes: readonly Take[]): SentCall {
    const counted = takes.map(({ counter, limit, isKeys }) => {
      const known = this.#known.of(counter);
      const { seen, admittedAlone } = known ?? { seen: 0, admittedAlone: 0 };
      if (known !== undefined) {
        known.reporting += admittedAlone;
        known.admittedAlone = 0;
      }
      return { counter: counterPrefix + counter, limit, seen, admittedAlone, isKeys };
    });
    return this.#callOf(counted);
  }

  #callOf(takes: SentCall['takes']): SentCall {
    const { windowNumber } = this.#known;
    const { newestWindow } = this.#serverTime;
    const position = this.#options.position?.show() ?? noPosition;
    const sentMs = this.#options.clock.monotonicMs();
    return { windowMs: this.#windowMs, newestWindow, windowNumber, position, takes, sentMs };
  }

  #send(sent: SentCall): Promise<CountAnswer> {
    return countOn((command) => this.#connection.call(command), sent);
  }

  #answered({ takes, sent, isAbandoned }: Call, answer: CountAnswer): void {
    if (!isAbandoned) this.#learn(sent, answer);
    const isCurrent = this.#known.enter(answer.windowNumber);
    if (!isAbandoned) this.#reportEnded(takes, sent);
    takes.forEach((take, index) => {
      const used = answer.used[index]!;
      const known = isCurrent ? this.#known.of(take.counter) : undefined;
      if (known !== undefined) known.seen = Math.max(known.seen, used < take.limit ? used + 1 : used);
      if (isAbandoned) this.#countedAfterAll(known, sent, index, used < take.limit);
      else {
        this.#countedShared += Number(take.limit > 0);
        const decision = decide(used, take.limit, answer.windowNumber, answer.serverMs as EpochMs, this.#windowMs);
        take.resolve(decision, furtherOf(sent.position, answer.served[index]!));
      }
    });
  }

  #reportEnded(takes: readonly Take[], sent: SentCall, outcome?: 'failed'): void {
    if (sent.windowNumber !== this.#known.windowNumber) return;
    for (const [index, { counter }] of takes.entries()) {
      const known = this.#known.of(counter);
      if (known === undefined) continue;
      const { admittedAlone } = sent.takes[index]!;
      known.reporting -= admittedAlone;
      if (outcome === 'failed') known.admittedAlone += admittedAlone;
    }
  }

  /** The server counted what this node had already counted alone: it need not be reported again. */
  #countedAfterAll(known: KnownCount | undefined, sent: SentCall, index: number, wasAdmitted: boolean): void {
    if (known === undefined) return;
    const counted = sent.takes[index]!.admittedAlone + Number(wasAdmitted);
    known.admittedAlone = Math.max(0, known.admittedAlone - counted);
  }

  #failed({ takes, sent }: Call, reason: string): void {
    this.#circuit.trip(reason);
    this.#enterWindowAt(this.#options.clock.now());
    this.#reportEnded(takes, sent, 'failed');
    takes.forEach((take) => {
      const decision = this.#countAlone(this.#known.of(take.counter), take.limit, take.countInMemory);
      void Promise.resolve(this.#answerAlone(take.isKeys, decision)).then((answer) => take.resolve(answer));
    });
  }

  /** Counts in a counter of its own: only a server that can be written to will do. */
  async #probe(): Promise<void> {
    const sent = this.#callOf([{ counter: `${counterPrefix}probe`, limit: 1_000_000, seen: 0, admittedAlone: 0 }]);
    const answer = await this.#send(sent);
    this.#learn(sent, answer);
    this.#known.enter(answer.windowNumber);
  }

  #learn({ sentMs }: SentCall, { serverMs, windowNumber }: CountAnswer): void {
    // What was counted by the node's own clock counts in the server's window, whatever the node took for the minute.
    if (!this.#serverTime.isKnown) this.#known.rename(windowNumber);
    this.#serverTime.learn(serverMs, windowNumber, sentMs, this.#options.clock.monotonicMs());
  }

  #clockSkewMs(): number | undefined {
    const { clock } = this.#options;
    const earliest = this.#serverTime.earliest(clock.monotonicMs());
    return earliest === undefined ? undefined : Math.round(clock.now() - earliest);
  }

  #report(isUp: boolean, reason: string): void {
    const { log } = this.#options;
    if (isUp) this.#started.resolve();
    const skewMs = this.#clockSkewMs();
    if (!isUp) log.warn({ reason }, 'the limits are counted by this node alone');
    else log.info({ was: reason }, 'the limits are counted in Redis, together with the other nodes');
    if (isUp && skewMs !== undefined && Math.abs(skewMs) > skewReportedMs) {
      log.warn({ skewMs }, 'the clock of this node disagrees with that of Redis');
    }
  }
}

export const sharedLimitMetrics: MetricGroup<SharedLimitFigures> = {
  title: 'Redis',
  metrics: [
    {
      name: 'redis_limits_up',
      help: '1 while the limits are counted in Redis, 0 while this process counts alone.',
      read: ({ isUp }) => Number(isUp),
    },
    {
      name: 'redis_limits_fallbacks_total',
      help: 'Times the counting fell back to this process alone.',
      read: ({ fallbacks }) => fallbacks,
    },
    {
      name: 'redis_limits_requests_total',
      help: 'Requests counted, by where; `known_refused` without asking Redis.',
      labels: ['where'],
      read: ({ countedShared, countedAlone, refusedUnasked }) => ({
        redis: countedShared,
        alone: countedAlone,
        known_refused: refusedUnasked,
      }),
    },
    {
      name: 'board_waits_total',
      help:
        'Answers that needed the newer board that their key had seen, by whether it came in time: `reached`, or ' +
        '`in_vain` where the answer went out without it.',
      labels: ['outcome'],
      read: ({ boardWaits }) => ({ ...boardWaits }),
    },
    {
      name: 'board_positions_stored_total',
      help: 'Calls to Redis because the board moved on while a request was counted.',
      read: ({ positionsStored }) => positionsStored,
    },
    {
      name: 'redis_clock_skew_seconds',
      help: 'Wall clock of this process minus that of Redis; 0 while that is unknown.',
      read: ({ clockSkewMs = 0 }) => clockSkewMs / 1000,
    },
  ],
};
