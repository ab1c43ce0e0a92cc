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
/** Two answers of one process show the same moment. What is asked at one instant is answered in that order. */
const sameMomentMs = 1_500;
const sameInstantMs = 5;
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
  /** What a process last said of itself: prices that are served later are no older. */
  readonly #said = new Map<string, StatusBody & { readonly answeredAtMs: number }>();
  /** Some of the instants at which there were prices. */
  readonly #pricedAtMs: number[] = [];

  constructor(witnessing: Witnessing) {
    this.#witnessing = witnessing;
  }

  /** All that a process served at once. */
  sawPrices(tickers: readonly TickerBody[], answer: Witnessed): void {
    if (tickers.length === 0) return;
    this.#looksAged(Math.max(...tickers.map(({ timestampMs }) => timestampMs)), answer);
    const { answeredAtMs } = answer;
    if (answeredAtMs - (this.#pricedAtMs.at(-1) ?? Number.NEGATIVE_INFINITY) < notedEveryMs) return;
    this.#pricedAtMs.push(answeredAtMs);
    if (this.#pricedAtMs.length > notedMax) this.#pricedAtMs.shift();
  }

  saw(body: StatusBody, answer: Witnessed): void {
    this.#looksAlive(body, answer);
    this.#looksKnown(body, answer);
    this.#said.set(answer.by, { ...body, answeredAtMs: answer.answeredAtMs });
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

  #looksAged(newestMs: number, { by, askedAtMs }: Witnessed): void {
    const { truth, findings } = this.#witnessing;
    const said = this.#said.get(by);
    if (said === undefined || askedAtMs < said.answeredAtMs - sameInstantMs) return;
    if (askedAtMs - said.answeredAtMs > sameMomentMs || said.lastUpdatedAtMs === null) return;
    const { components, lastUpdatedAtMs, serverTimeMs } = said;
    const withinMs = (truth.isQuiet ? agedWithinQuietMs : agedWithinMs) + 2 * truth.offMsMax;
    const laterMs = lastUpdatedAtMs - newestMs;
    findings.check(
      'age of the prices',
      laterMs <= withinMs,
      () => `${by} says that it was fed ${laterMs} ms after its newest price`,
    );
    const ageMs = serverTimeMs - newestMs;
    findings.check(
      'age of the prices',
      components.ticker !== 'operational' || ageMs <= withinMs,
      () => `${by} says ${components.ticker}, and its newest price is ${ageMs} ms old`,
    );
  }
}
