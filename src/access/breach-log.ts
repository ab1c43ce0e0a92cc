import { limitWindowMs } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { MetricGroup } from '../ground/metric.ts';
import type { KeyDirectory, KeyMatch } from './key-directory.ts';
import type { BreachRecord } from './key-records.ts';
import type { LimitDecision } from './limit-decision.ts';

interface OpenMinute {
  readonly keyId: string;
  readonly resetSeconds: number;
  limit: number;
  /** Not drained yet. */
  refused: number;
  /** In the whole minute, drained or not. */
  refusedInAll: number;
}

/**
 * Notes which keys are refused, for the request path: one look-up in a map per refusal, and memory only for the first
 * refusal of a key in a minute. It is drained about every second.
 */
export class BreachLog {
  readonly #keys: Pick<KeyDirectory, 'keyIdOf'>;
  readonly #open = new Map<number, OpenMinute>();
  #closed: OpenMinute[] = [];
  #minutesSeen = 0;

  constructor(keys: Pick<KeyDirectory, 'keyIdOf'>) {
    this.#keys = keys;
  }

  /** Breached minutes seen since the start. */
  get minutesSeen(): number {
    return this.#minutesSeen;
  }

  /** A key's request was refused. Call in the same turn as `KeyDirectory.find`. */
  refused({ slot }: KeyMatch, { resetSeconds, limit }: LimitDecision): void {
    const known = this.#open.get(slot);
    if (known !== undefined && known.resetSeconds === resetSeconds) {
      known.refused++;
      known.refusedInAll++;
      known.limit = limit;
    } else {
      this.#openMinute(slot, resetSeconds, limit);
    }
  }

  /** The slot goes to another key: what it gathered stays with the key it had. For `KeyDirectory`. */
  forgetSlot(slot: number): void {
    const known = this.#open.get(slot);
    if (known === undefined) return;
    this.#closed.push(known);
    this.#open.delete(slot);
  }

  /** Requests of the key in a slot refused in the minute that runs at `now`. */
  refusedNow(slot: number, now: EpochMs): number {
    const open = this.#open.get(slot);
    return open !== undefined && now < open.resetSeconds * 1_000 ? open.refusedInAll : 0;
  }

  /**
   * Takes out what was refused since the last call. Each refusal comes up once.
   *
   * @param now minutes over by then are forgotten
   */
  drain(now: EpochMs): BreachRecord[] {
    const drained = this.#closed.filter(({ refused }) => refused > 0).map(refusedMinute);
    this.#closed = [];
    for (const [slot, minute] of this.#open) {
      if (minute.refused > 0) drained.push(refusedMinute(minute));
      minute.refused = 0;
      if (minute.resetSeconds * 1_000 <= now) this.#open.delete(slot);
    }
    return drained;
  }

  #openMinute(slot: number, resetSeconds: number, limit: number): void {
    this.forgetSlot(slot);
    const keyId = this.#keys.keyIdOf(slot);
    this.#open.set(slot, { keyId, resetSeconds, limit, refused: 1, refusedInAll: 1 });
    this.#minutesSeen++;
  }
}

function refusedMinute({ keyId, resetSeconds, refused, limit }: OpenMinute): BreachRecord {
  const minuteStart = (resetSeconds * 1_000 - limitWindowMs) as EpochMs;
  return { keyId, minuteStart, refused, limitPerMinute: limit };
}

export const breachMetrics: MetricGroup<Pick<BreachLog, 'minutesSeen'>> = {
  title: 'Keys',
  metrics: [
    {
      name: 'key_breaches_total',
      help: 'Minutes in which a key was refused by its limit, summed over keys.',
      read: ({ minutesSeen }) => minutesSeen,
    },
  ],
};
