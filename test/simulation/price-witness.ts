import type { Witnessed } from './clients.ts';
import type { Statistics } from './told-quotes.ts';
import type { Witnessing } from './witnessing.ts';

/** A ticker as clients get it. */
export interface TickerBody extends Statistics {
  readonly symbol: string;
  readonly buyPrice: string;
  readonly sellPrice: string;
  readonly timestampMs: number;
}

/**
 * A price may be dated so long before or after its quote held: what is not dated by its exchange is dated on arrival,
 * four seconds late at times.
 */
const datedWithinMs = 6_000;
/** Statistics are of the same source, and no older than those that it has. */
const statisticsWithinMs = 6 * 60_000;
/** Without others the last ones stay. */
const lastStatisticsWithinMs = 30 * 60_000;
/** Terms begin on each process's own clock, and a request takes a moment. */
const termsWithinMs = 1_500;
/**
 * Within five seconds a source is served that is there, and its last price is nine seconds old by then. Where the world
 * is quiet, sources are looked at once a minute.
 */
const freshWithinMs = 17_000;
const freshWithinQuietMs = 75_000;

/** Looks whether prices are true, and new. */
export class PriceWitness {
  readonly #witnessing: Witnessing;
  readonly #explained = new Map<string, string>();

  constructor(witnessing: Witnessing) {
    this.#witnessing = witnessing;
  }

  /** @param isAll they are those of all markets */
  saw(tickers: readonly TickerBody[], answer: Witnessed, isAll: boolean): void {
    for (const ticker of tickers) {
      this.#looksTrue(ticker, answer);
      this.#looksFresh(ticker, answer);
    }
    if (isAll) this.#looksComplete(new Set(tickers.map(({ symbol }) => symbol)), answer);
  }

  #looksTrue(ticker: TickerBody, { by, askedAtMs, answeredAtMs }: Witnessed): void {
    const { symbol, timestampMs } = ticker;
    const shown = `${ticker.buyPrice} ${ticker.sellPrice} ${timestampMs}`;
    if (this.#explained.get(`${by} ${symbol}`) === shown) return;
    this.#explained.set(`${by} ${symbol}`, shown);
    const { truth, findings, epochMs } = this.#witnessing;
    const { quotes, offMsMax, clocksSetAtMs, storeLostAtMs = Number.POSITIVE_INFINITY } = truth;
    const offMs = truth.offMs(by);
    // Of an answer on its way to a slow client, which the clock was set after.
    const setMs = clocksSetAtMs >= askedAtMs ? offMsMax : 0;
    const terms = [
      Math.min(askedAtMs, storeLostAtMs) + offMs - setMs - termsWithinMs,
      answeredAtMs + offMs + setMs + termsWithinMs,
    ] as const;
    const datedMs = timestampMs - epochMs;
    const from = quotes.explanations(ticker, datedMs, datedWithinMs + offMsMax, terms, answeredAtMs);
    const explained = [...from];
    const allowed = explained.filter((quote) => truth.isAllowed(quote, symbol.replace(/CZK$/, 'EUR'), datedMs));
    const [found] = explained;
    findings.check('honest price', allowed.length > 0, () => {
      const of = found === undefined ? 'which nobody had' : `which only ${found.source} had, and may not be believed`;
      return `${by} served ${symbol} at ${shown}, ${of}`;
    });
    if (allowed.length === 0) return;
    const isOfSource = allowed.some(({ source }) => {
      const isSteady = truth.steadySinceMs(source, symbol.replace(/CZK$/, 'EUR')) <= askedAtMs;
      const withinMs = isSteady ? statisticsWithinMs : lastStatisticsWithinMs;
      return quotes.explainsStatistics(ticker, source, datedMs, withinMs + offMsMax, answeredAtMs);
    });
    const { high24h, low24h, volume24h } = ticker;
    findings.check(
      'statistics',
      isOfSource,
      () => `${by} served ${symbol} of ${allowed[0]!.source} from ${low24h} to ${high24h}, ${volume24h} traded`,
    );
  }

  #looksFresh({ symbol, timestampMs }: TickerBody, { by, askedAtMs }: Witnessed): void {
    const { truth, findings, epochMs } = this.#witnessing;
    const sinceMs = truth.servableSinceMs(symbol.replace(/CZK$/, 'EUR'));
    if (askedAtMs < sinceMs) return;
    const ageMs = askedAtMs - (timestampMs - epochMs);
    const mayBeMs = truth.isQuiet ? freshWithinQuietMs : freshWithinMs;
    findings.check(
      'fresh price',
      ageMs <= mayBeMs,
      () => `${by} served ${symbol} ${ageMs} ms old, with a source since ${sinceMs}`,
    );
  }

  /** @param priced the symbols of those markets that have a price */
  #looksComplete(priced: ReadonlySet<string>, { by, askedAtMs }: Witnessed): void {
    const { truth, findings } = this.#witnessing;
    for (const symbol of truth.symbols) {
      if (truth.mayBeDelisted(symbol)) continue;
      const converted = symbol.replace(/EUR$/, 'CZK');
      for (const [name, sinceMs] of [
        [symbol, truth.servableSinceMs(symbol)],
        [converted, truth.convertibleSinceMs(symbol)],
      ] as const)
        if (askedAtMs >= sinceMs)
          findings.check(
            'fresh price',
            priced.has(name),
            () => `${by} has no price of ${name}, with all there since ${sinceMs}`,
          );
    }
  }

  /** There is no price at all. */
  sawNone(answer: Witnessed): void {
    this.#looksComplete(new Set(), answer);
  }
}
