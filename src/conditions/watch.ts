import type { Configuration } from '../configuration/configuration.ts';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import type { AlertFact } from '../store/alerts.ts';
import type { RefusedKey } from '../store/breaches.ts';
import type { Store } from '../store/store.ts';
import type { Severity } from './condition.ts';
import { type Found, foundIn } from './find.ts';
import type { FoundCode } from './list.ts';
import type { Observed } from './observed.ts';

/** The state that is watched, and where refused keys are asked for. */
export interface WatchParts extends Omit<Observed, 'refusedKeys' | 'store'> {
  readonly store: Observed['store'] & { readonly breaches: Pick<Store['breaches'], 'mostRefused'> };
  readonly configuration: Observed['configuration'] & {
    readonly alerts: Pick<Configuration['alerts'], 'raiseAfterMs'>;
    readonly notices: Pick<Configuration['notices'], 'withinMs'>;
  };
}

/** A condition that holds, and since when. */
interface Held {
  readonly at: EpochMs;
  readonly monotonicMs: number;
  readonly found: Found;
  /** A window that runs explains it: it begins to count once that is over. */
  readonly isExplained: boolean;
}

const lookEveryMs = 5_000;
const keysMax = 20;
const severities: readonly Severity[] = ['critical', 'warning', 'info'];

/** Watches which conditions hold and since when: for the overview, and for whom alerts are sent to. */
export class ConditionWatch {
  readonly #parts: WatchParts;
  readonly #observed: Observed;
  readonly #clock: Clock;
  #held: ReadonlyMap<string, Held> = new Map();
  readonly #grown = new Map<FoundCode, { readonly count: number; readonly monotonicMs: number }>();
  readonly #timer: Timer;
  #refused: readonly RefusedKey[] = [];
  #asking: Promise<void> | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#observed = { ...parts, refusedKeys: () => this.#refused };
    this.#clock = parts.clock;
    this.#timer = parts.clock.every(lookEveryMs, () => this.#look());
  }

  /** Lists what has held for as long as its condition asks, the most urgent first, of these the latest first. */
  read() {
    const on = [...this.#held.values()].filter(
      (held) => !held.isExplained && this.#heldMs(held) >= held.found.declared.forMs,
    );
    const views = on.map(({ at, found: { code, subject, severity, sentence, condition } }) => {
      return { name: code, subject, severity, summary: sentence, condition, sinceMs: at };
    });
    const rank = ({ severity }: { readonly severity: Severity }) => severities.indexOf(severity);
    return views.sort((one, other) => rank(one) - rank(other) || other.sinceMs - one.sinceMs);
  }

  /**
   * Gives all that holds, and whether it has for long enough to be told; `undefined` while the process does not know
   * yet, or not any more.
   */
  facts(): (AlertFact & { readonly isDue: boolean })[] | undefined {
    if (this.#parts.phase() !== 'serving') return undefined;
    const { raiseAfterMs } = this.#parts.configuration.alerts;
    return [...this.#held.values()].map((held) => {
      const { forMs, isExact = false } = held.found.declared;
      const waitMs = isExact ? 0 : Math.max(forMs, raiseAfterMs);
      return { ...factOf(held.found), isDue: !held.isExplained && this.#heldMs(held) >= waitMs };
    });
  }

  async stop(): Promise<void> {
    this.#timer.cancel();
    await this.#asking;
  }

  #heldMs({ monotonicMs }: Held): number {
    return this.#clock.monotonicMs() - monotonicMs;
  }

  #look(): void {
    const [at, monotonicMs] = [this.#clock.now(), this.#clock.monotonicMs()];
    const isInMaintenance = this.#observed.market.service.read(at).api === 'maintenance';
    const held = new Map<string, Held>();
    const hasGrown = (code: FoundCode) => (count: number, withinMs: number) => this.#hasGrown(code, count, withinMs);
    for (const found of foundIn(this.#observed, hasGrown, ({ isAside = false }) => !isAside)) {
      const key = `${found.code} ${found.subject}`;
      const isExplained = isInMaintenance && found.declared.isPlannedInMaintenance === true;
      const before = this.#held.get(key);
      const since = isExplained || before === undefined ? { at, monotonicMs } : before;
      // Of two findings with one name the first is told.
      if (!held.has(key)) held.set(key, { at: since.at, monotonicMs: since.monotonicMs, found, isExplained });
    }
    this.#held = held;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
  }

  /**
   * Asks the store for the next look. While it does not answer, which is a condition of its own, the last answer stays.
   */
  async #ask(): Promise<void> {
    const { store, configuration } = this.#parts;
    const since = (this.#clock.now() - configuration.notices.withinMs) as EpochMs;
    this.#refused = await store.breaches.mostRefused(since, keysMax).catch(() => this.#refused);
  }

  #hasGrown(code: FoundCode, count: number, withinMs: number): boolean {
    const monotonicMs = this.#clock.monotonicMs();
    const known = this.#grown.get(code) ?? { count: 0, monotonicMs: Number.NEGATIVE_INFINITY };
    if (count > known.count) this.#grown.set(code, { count, monotonicMs });
    return count > known.count || monotonicMs - known.monotonicMs < withinMs;
  }
}

function factOf({ code, subject, event, severity, sentence, condition, declared: { isExact } }: Found): AlertFact {
  const { values } = condition;
  return {
    name: code,
    subject,
    event,
    severity,
    summary: sentence,
    values,
    ...(isExact === undefined ? {} : { isExact }),
  };
}
