import type { Market } from '../../exchange-simulator/market-walk.ts';
import type { TickerField, TickerValues } from '../../exchange-simulator/ticker.ts';
import type { MarketLevel } from './market-levels.ts';

/** How an exchange speaks of a market otherwise than it is. */
export type Deceit =
  /** So many times the price that it had, and the same from then on. */
  | { readonly how: 'fixed'; readonly factor: number }
  /** The price of another asset, which goes its own way. */
  | { readonly how: 'another'; readonly factor: number }
  /** So many times the true price, and the statistics with it. */
  | { readonly how: 'scaled'; readonly factor: number }
  /** Away from the true price by this factor a minute, and no further than to another. */
  | { readonly how: 'drifting'; readonly perMinute: number; readonly furthest: number }
  /** What it said last. `again` is said as of now each time, `one frame` with the time that it had. */
  | { readonly how: 'repeated'; readonly frame: 'again' | 'one frame' };

const prices: readonly TickerField[] = ['bid', 'ask', 'last', 'low', 'high', 'vwap'];
const quoted: readonly TickerField[] = ['bid', 'ask', 'last'];

/** What one exchange says of one market. */
export class Telling {
  readonly #market: Market;
  /** As long as it is no other than the walk. */
  #level: MarketLevel = { now: 1, low: 1, high: 1 };
  #deceit: Deceit | undefined;
  #sinceMs = 0;
  #said: TickerValues | undefined;
  #saidAtUs = 0;
  #factor = 1;

  constructor(market: Market) {
    this.#market = market;
  }

  get deceit(): Deceit | undefined {
    return this.#deceit;
  }

  /** @param deceit `undefined` ends the one there is */
  deceive(deceit: Deceit | undefined, epochMs: number): void {
    const before = this.#market.values(epochMs);
    this.#deceit = deceit;
    this.#sinceMs = epochMs;
    this.#saidAtUs = this.#market.changedAtUs;
    this.#factor = deceit !== undefined && 'factor' in deceit ? deceit.factor : 1;
    this.#said = deceit === undefined ? undefined : before;
    if (deceit?.how === 'fixed' || deceit?.how === 'another') this.#said = this.#scaled(before, quoted, deceit.factor);
    this.#tell();
  }

  /** The market goes on. @param jitter of the price of another asset, near 1 */
  step(epochMs: number, level: MarketLevel, jitter: number): void {
    this.#level = level;
    const deceit = this.#deceit;
    if (deceit?.how === 'another') this.#said = this.#scaled(this.#said!, quoted, jitter);
    if (deceit?.how === 'drifting') {
      const gone = deceit.perMinute ** ((epochMs - this.#sinceMs) / 60_000);
      this.#factor = deceit.perMinute < 1 ? Math.max(gone, deceit.furthest) : Math.min(gone, deceit.furthest);
    }
    this.#tell();
  }

  /** It was published just now: one frame keeps the time that it had. */
  published(): void {
    if (this.#deceit?.how === 'repeated' && this.#deceit.frame === 'one frame')
      this.#market.changedAtUs = this.#saidAtUs;
  }

  /** Bid and ask as they are. */
  truth(epochMs: number): TickerValues {
    return this.#true(this.#market.walked(epochMs));
  }

  #tell(): void {
    const { low, high } = this.#level;
    const isPlain = this.#deceit === undefined && low === 1 && high === 1;
    this.#market.telling = isPlain ? undefined : (walked) => this.#told(walked);
  }

  #told(walked: TickerValues): TickerValues {
    switch (this.#deceit?.how) {
      case undefined:
        return this.#true(walked);
      case 'scaled':
      case 'drifting':
        return this.#scaled(this.#true(walked), prices, this.#factor);
      default:
        return this.#said!;
    }
  }

  #true(walked: TickerValues): TickerValues {
    const { now, low, high } = this.#level;
    if (low === 1 && high === 1) return walked;
    const moved = this.#scaled(walked, prices, now);
    const range = { low: this.#times(walked.low, low), high: this.#times(walked.high, high) };
    return { ...moved, ...range };
  }

  #scaled(values: TickerValues, fields: readonly TickerField[], factor: number): TickerValues {
    return { ...values, ...Object.fromEntries(fields.map((field) => [field, this.#times(values[field], factor)])) };
  }

  #times(text: string, factor: number): string {
    return (Number(text) * factor).toFixed(this.#market.pair.priceDecimals);
  }
}
