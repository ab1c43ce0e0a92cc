import type { Witnessed } from './clients.ts';
import type { TickerBody } from './price-witness.ts';
import type { Witnessing } from './witnessing.ts';

export interface StatusBody {
  readonly components: { readonly ticker: string };
  readonly lastUpdatedAtMs: number | null;
  readonly serverTimeMs: number;
}

/**
 * From the last word of an exchange to the end of `operational`, and to `outage`; the processes that follow hear of it
 * a little later.
 */
const operationalForMs = 6_000;
const operationalForQuietMs = 15_000;
const outageAfterMs = 5 * 60_000 + operationalForMs;
/** Two answers of one process show the same moment. */
const sameMomentMs = 1_500;
/**
 * A source that makes prices says so, or that nothing changed, so long after the newest of them, and as long before it
 * where frames are late.
 */
const agedWithinMs = 16_000;
const agedWithinQuietMs = 30_000;
const notedEveryMs = 10_000;
const notedMax = 60;
const savedWithinMs = 5_000;
const clocksForgottenMs = 600_000;

/** Looks whether the status is that of the prices which are served. */
export class StatusWitness {
  readonly #witnessing: Witnessing;
  /** The newest price of all that a process served at once. */
  readonly #newest = new Map<string, { readonly atMs: number; readonly timestampMs: number }>();
  /** Some of the instants at which there were prices. */
  readonly #pricedAtMs: number[] = [];

  constructor(witnessing: Witnessing) {
    this.#witnessing = witnessing;
  }

  sawPrices(tickers: readonly TickerBody[], { by, askedAtMs, answeredAtMs }: Witnessed): void {
    if (tickers.length === 0) return;
    const timestampMs = Math.max(...tickers.map((ticker) => ticker.timestampMs));
    this.#newest.set(by, { atMs: askedAtMs, timestampMs });
    if (answeredAtMs - (this.#pricedAtMs.at(-1) ?? Number.NEGATIVE_INFINITY) < notedEveryMs) return;
    this.#pricedAtMs.push(answeredAtMs);
    if (this.#pricedAtMs.length > notedMax) this.#pricedAtMs.shift();
  }

  saw(body: StatusBody, answer: Witnessed): void {
    this.#looksAlive(body, answer);
    this.#looksKnown(body, answer);
    this.#looksAged(body, answer);
  }

  #looksAlive(
    { components: { ticker }, serverTimeMs, lastUpdatedAtMs }: StatusBody,
    { by, askedAtMs }: Witnessed,
  ): void {
    const { truth, findings } = this.#witnessing;
    const { heardAtMs, firstHeardAtMs, isQuiet } = truth;
    const silentMs = askedAtMs - heardAtMs;
    const operationalMs = isQuiet ? operationalForQuietMs : operationalForMs;
    const isTrue =
      (ticker !== 'operational' || silentMs <= operationalMs) && (ticker === 'outage' || silentMs <= outageAfterMs);
    findings.check('true status', isTrue, () => `${by} says ${ticker} ${silentMs.toFixed(0)} ms after the last ticker`);
    if (firstHeardAtMs !== undefined)
      findings.check(
        'true status',
        ticker !== 'operational' || askedAtMs - firstHeardAtMs <= operationalMs,
        () =>
          `${by} says ${ticker} ${(askedAtMs - firstHeardAtMs).toFixed(0)} ms after the last word of the first source`,
      );
    const ageMs = serverTimeMs - (lastUpdatedAtMs ?? 0);
    findings.check(
      'true status',
      ageMs <= outageAfterMs || ticker === 'outage',
      () => `${by} says ${ticker} at an age of ${ageMs} ms`,
    );
  }

  /** A process that has prices, or whose store or others know of them, says of when they are. */
  #looksKnown({ lastUpdatedAtMs }: StatusBody, { by, askedAtMs }: Witnessed): void {
    const { truth, findings } = this.#witnessing;
    const isTimed = askedAtMs - truth.clocksSetAtMs > clocksForgottenMs;
    if (!isTimed) return;
    const isKnown = (atMs: number) => atMs < askedAtMs - savedWithinMs && !truth.wasUnsaved(atMs);
    const pricedAtMs = this.#pricedAtMs.find(isKnown);
    findings.check(
      'never forgotten',
      lastUpdatedAtMs !== null || pricedAtMs === undefined,
      () => `${by} says that there never was a price, and one was served at ${pricedAtMs}`,
    );
  }

  #looksAged(
    { components: { ticker }, lastUpdatedAtMs, serverTimeMs }: StatusBody,
    { by, askedAtMs }: Witnessed,
  ): void {
    const { truth, findings } = this.#witnessing;
    const newest = this.#newest.get(by);
    if (newest === undefined || askedAtMs - newest.atMs > sameMomentMs || lastUpdatedAtMs === null) return;
    const withinMs = (truth.isQuiet ? agedWithinQuietMs : agedWithinMs) + 2 * truth.offMsMax;
    const laterMs = lastUpdatedAtMs - newest.timestampMs;
    findings.check(
      'age of the prices',
      laterMs <= withinMs,
      () => `${by} says that it was fed ${laterMs} ms after its newest price`,
    );
    const ageMs = serverTimeMs - newest.timestampMs;
    findings.check(
      'age of the prices',
      ticker !== 'operational' || ageMs <= withinMs,
      () => `${by} says ${ticker}, and its newest price is ${ageMs} ms old`,
    );
  }
}
