import Big from 'big.js';
import type { Quote } from './exchange-model.ts';

interface HeldQuote extends Quote {
  readonly fromMs: number;
  /** When its exchange had another. */
  untilMs: number;
}

interface Dated {
  readonly value: string;
  readonly fromMs: number;
}

/** What a served price has to be made of. */
export interface ServedPrice {
  readonly symbol: string;
  readonly buyPrice: string;
  readonly sellPrice: string;
}

const keptMs = 86_400_000;
/** A rate is valid for two minutes in the simulation, and read twice a minute. */
const rateWithinMs = 180_000;
const one = new Big(1);

/** What every exchange honestly quoted, at which terms and at which rate, as the world knows it. */
export class HonestQuotes {
  readonly #quotes = new Map<string, HeldQuote[]>();
  readonly #last = new Map<string, HeldQuote>();
  /** The last that its exchange told those who listen. */
  readonly #told = new Map<string, HeldQuote>();
  readonly #fees: Dated[] = [];
  readonly #rates: Dated[] = [];
  readonly #marginPercent: string;

  constructor(feePercent: string, marginPercent: string, rate: string) {
    this.#marginPercent = marginPercent;
    this.feeFrom(feePercent, Number.NEGATIVE_INFINITY);
    this.rateFrom(rate, Number.NEGATIVE_INFINITY);
  }

  /**
   * @param symbol as `BTCEUR`
   * @param isMuted those who listen are not told, and hear that the one before still holds
   */
  quoted(exchange: string, symbol: string, quote: Quote, nowMs: number, isMuted = false): void {
    const name = `${exchange} ${symbol}`;
    const [last, told] = [this.#last.get(name), this.#told.get(name)];
    if (last?.bid === quote.bid && last.ask === quote.ask && (isMuted || told === last)) return;
    if (last !== undefined && !(isMuted && last === told)) last.untilMs = nowMs;
    if (told !== undefined && !isMuted) told.untilMs = Math.min(told.untilMs, nowMs);
    const held = { ...quote, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY };
    this.#last.set(name, held);
    if (!isMuted) this.#told.set(name, held);
    const all = this.#quotes.get(symbol) ?? [];
    this.#quotes.set(symbol, all);
    all.push(held);
    if (all.length > 1_000 && all[500]!.untilMs < nowMs - keptMs) all.splice(0, 500);
  }

  feeFrom(value: string, fromMs: number): void {
    this.#fees.push({ value, fromMs });
  }

  rateFrom(value: string, fromMs: number): void {
    this.#rates.push({ value, fromMs });
  }

  /**
   * Whether some exchange had bid and ask from which this price is made, at an instant no further than `withinMs` from
   * the one it is dated, at terms in force between two instants of the clock of whoever served it, and a rate that
   * there was before it was served.
   */
  explains(
    served: ServedPrice,
    datedMs: number,
    withinMs: number,
    terms: readonly [number, number],
    servedMs = terms[1],
  ): boolean {
    const { symbol } = served;
    const isConverted = symbol.endsWith('CZK');
    const quotes = this.#quotes.get(isConverted ? symbol.replace(/CZK$/, 'EUR') : symbol) ?? [];
    const fees = inForce(this.#fees, ...terms);
    const rates = isConverted ? inForce(this.#rates, Math.min(terms[0], servedMs) - rateWithinMs, servedMs) : ['1'];
    for (let index = quotes.length - 1; index >= 0; index--) {
      const quote = quotes[index]!;
      if (quote.fromMs - withinMs > datedMs || quote.untilMs + withinMs < datedMs) continue;
      for (const fee of fees)
        for (const rate of rates) if (this.#makes(quote, served, fee, rate, isConverted)) return true;
    }
    return false;
  }

  #makes({ bid, ask }: Quote, served: ServedPrice, fee: string, rate: string, isConverted: boolean): boolean {
    const margin = isConverted ? new Big(this.#marginPercent).times('0.01') : new Big(0);
    const price = (value: string, sign: 1 | -1, like: string) => {
      const places = like.split('.')[1]?.length ?? 0;
      const charged = one.plus(new Big(fee).times('0.01').times(sign)).times(one.plus(margin.times(sign)));
      return new Big(value)
        .times(rate)
        .times(charged)
        .round(places, sign === 1 ? Big.roundUp : Big.roundDown)
        .toFixed(places);
    };
    return price(ask, 1, served.buyPrice) === served.buyPrice && price(bid, -1, served.sellPrice) === served.sellPrice;
  }
}

/** The values that held at some instant between two. */
function inForce(dated: readonly Dated[], fromMs: number, toMs: number): readonly string[] {
  const begun = dated.filter((each) => each.fromMs <= toMs);
  return begun
    .filter((_, index) => (begun[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY) >= fromMs)
    .map(({ value }) => value);
}
