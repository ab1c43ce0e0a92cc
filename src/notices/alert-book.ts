import type { EpochMs, Randomness } from '../ground/clock.ts';
import type { AlertChange, AlertFact, AlertRecord, SharedAlert } from '../store/alerts.ts';
import { newId } from '../store/store-context.ts';

/** Something that is so now. */
export interface FoundFact extends AlertFact {
  /** It has been so for long enough to be told. What is told stays on while it is so at all. */
  readonly isDue: boolean;
}

/** When alerts are told again, and when they are over. */
export interface AlertRules {
  readonly endAfterMs: number;
  /** 0: never. */
  readonly repeatAfterMs: number;
  /** `undefined`: never. */
  readonly escalateAfterMs: number | undefined;
}

/** An alert that is on, as far as this process knows. */
interface Known {
  alert: AlertRecord;
  /** When any process saw it, as the store last said. */
  lastSeenAt: EpochMs | undefined;
  /** The same by the monotonic clock of this process, which saw it or saw that others did. */
  seenMs: number;
  /** This process itself has seen it. */
  isSeenHere: boolean;
}

/** A change that is to be told, unless another process tells it. */
export interface DueChange {
  readonly change: AlertChange;
  /** See `Alerts.take`. */
  readonly lastSeenAt: EpochMs | undefined;
}

/** A few looks of any process: by then what ends at an instant has ended. */
const exactEndAfterMs = 15_000;

/**
 * Remembers which alerts are on, and decides what is to be told of them. All of it is in memory: what the processes on
 * a database know together is taken over while the store answers.
 */
export class AlertBook {
  readonly #rules: AlertRules;
  readonly #randomness: Randomness;
  readonly #known = new Map<string, Known>();
  #found: ReadonlyMap<string, FoundFact> = new Map();
  /** The keys of facts that were so at the first look, and have been since. */
  #fromStart: Set<string> | undefined;

  constructor(rules: AlertRules, randomness: Randomness) {
    this.#rules = rules;
    this.#randomness = randomness;
  }

  /** The alerts that are on, the latest first. */
  get alerts(): readonly AlertRecord[] {
    const all = [...this.#known.values()].map(({ alert }) => alert);
    return all.sort((one, other) => other.raisedAt - one.raisedAt);
  }

  /** The ids of those that this process sees now. */
  get seen(): readonly string[] {
    return [...this.#known].filter(([key]) => this.#found.has(key)).map(([, { alert }]) => alert.id);
  }

  /** Takes what is so now. @param nowMs by the monotonic clock */
  look(facts: readonly FoundFact[], nowMs: number): void {
    this.#found = new Map(facts.map((fact) => [alertKey(fact), fact]));
    this.#fromStart ??= new Set(this.#found.keys());
    for (const key of this.#fromStart) if (!this.#found.has(key)) this.#fromStart.delete(key);
    for (const [key, known] of this.#known) {
      if (!this.#found.has(key)) continue;
      known.seenMs = nowMs;
      known.isSeenHere = true;
    }
  }

  /** Takes over what the processes on the database know together: one that is not there has ended. */
  adopt(shared: readonly SharedAlert[], nowMs: number): void {
    const keys = new Set(shared.map(alertKey));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    for (const alert of shared) {
      const key = alertKey(alert);
      const known = this.#known.get(key);
      const isNewlySeen = known === undefined || known.lastSeenAt !== alert.lastSeenAt || this.#found.has(key);
      this.#known.set(key, {
        alert,
        lastSeenAt: alert.lastSeenAt,
        seenMs: isNewlySeen ? nowMs : known.seenMs,
        isSeenHere: (known?.isSeenHere ?? false) || this.#found.has(key),
      });
    }
  }

  /**
   * Gives what is to be told now. @param isAlone the store does not answer: of what others see nothing is known, so
   * that only what this process saw can be over
   */
  due(now: EpochMs, nowMs: number, isAlone: boolean): readonly DueChange[] {
    const due: DueChange[] = [];
    for (const [key, fact] of this.#found) {
      const known = this.#known.get(key);
      const change = known === undefined ? this.#raised(key, fact, now) : this.#toldAgain(known.alert, fact, now);
      if (change !== undefined) due.push({ change, lastSeenAt: undefined });
    }
    for (const [key, { alert, seenMs, isSeenHere, lastSeenAt }] of this.#known) {
      const waitMs = alert.isExact ? exactEndAfterMs : this.#rules.endAfterMs;
      if (this.#found.has(key) || nowMs - seenMs < waitMs || (isAlone && !isSeenHere)) continue;
      due.push({ change: { ...changeOf(alert), step: 'ended', endedAt: now }, lastSeenAt });
    }
    return due;
  }

  /** Remembers that a change was told, here or by another process. */
  told(change: AlertChange, nowMs: number): void {
    const { step, endedAt, toldAt, repeats = 0, raisedAt, ...fact } = change;
    const key = alertKey(change);
    const known = this.#known.get(key);
    if (step === 'ended') this.#known.delete(key);
    else if (step === 'raised') {
      const alert = { ...fact, raisedAt, toldAt: toldAt ?? raisedAt, repeats };
      this.#known.set(key, { alert, lastSeenAt: undefined, seenMs: nowMs, isSeenHere: true });
    } else if (known !== undefined) {
      const { alert } = known;
      known.alert =
        step === 'repeated'
          ? { ...alert, toldAt: toldAt ?? alert.toldAt, repeats }
          : { ...alert, escalatedAt: change.escalatedAt };
    }
  }

  #raised(key: string, { isDue, ...fact }: FoundFact, now: EpochMs): AlertChange | undefined {
    if (!isDue) return undefined;
    const still = this.#fromStart?.has(key) === true && !fact.isExact ? { isStill: true } : {};
    return { ...fact, ...still, id: newId('alr', this.#randomness), step: 'raised', raisedAt: now };
  }

  /** Only what is urgent, holds and was not acknowledged. An alert is told to the second destinations first. */
  #toldAgain(alert: AlertRecord, { isDue, severity }: FoundFact, now: EpochMs): AlertChange | undefined {
    const { acknowledgedAt, isExact, raisedAt, toldAt, repeats, escalatedAt } = alert;
    if (!isDue || isExact || severity === 'info' || acknowledgedAt !== undefined) return undefined;
    const { repeatAfterMs, escalateAfterMs } = this.#rules;
    const change = { ...changeOf(alert), severity };
    if (escalateAfterMs !== undefined && escalatedAt === undefined && now - raisedAt >= escalateAfterMs)
      return { ...change, step: 'escalated', escalatedAt: now };
    if (repeatAfterMs > 0 && now - toldAt >= repeatAfterMs)
      return { ...change, step: 'repeated', toldAt: now, repeats: repeats + 1 };
    return undefined;
  }
}

function changeOf(alert: AlertRecord): AlertChange {
  const { toldAt, repeats, acknowledgedAt, acknowledgedBy, lastSeenAt, ...rest } = alert as SharedAlert;
  return rest;
}

/** Tells alerts apart: there is one of a name and a subject. */
export function alertKey({ name, subject }: Pick<AlertFact, 'name' | 'subject'>): string {
  return `${name} ${subject}`;
}
