import Big from 'big.js';
import type { Quote, Told } from './exchange-model.ts';
import { ToldRates } from './told-rates.ts';

/** A quote, as long as its exchange said it. */
export interface HeldQuote extends Told {
  readonly source: string;
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

/** The rolling values of a ticker that are its exchange's own. */
export interface Statistics {
  readonly symbol: string;
  readonly high24h: string;
  readonly low24h: string;
  readonly volume24h: string;
}

const keptMs = 86_400_000;
const one = new Big(1);
const truthsMax = 4_000;
/** A quote holds for a minute, where nothing keeps it from being replaced. */
const usualMs = 60_000;
const longMax = 500;
/** A price with its margin, but for what is rounded away. */
const nearlyWithin = [0.999, 1.03] as const;

/** What every exchange quoted, at which terms and at which rate, and what was true, as the world knows it. */
export class ToldQuotes {
  readonly #quotes = new Map<string, HeldQuote[]>();
  /** Those that held for longer, or do, by their markets. */
  readonly #long = new Map<string, Set<HeldQuote>>();
  readonly #last = new Map<string, HeldQuote>();
  /** The last that its exchange told those who listen. */
  readonly #told = new Map<string, HeldQuote>();
  /** The middle of a market as it was, whatever was said of it. */
  readonly #truths = new Map<string, { readonly atMs: number; readonly middle: number }[]>();
  readonly #fees: Dated[] = [];
  readonly rates: ToldRates;
  readonly #marginPercent: string;

  constructor(feePercent: string, marginPercent: string, rate: string) {
    this.#marginPercent = marginPercent;
    this.feeFrom(feePercent, Number.NEGATIVE_INFINITY);
    this.rates = new ToldRates(rate);
  }

  /** @param symbol as `BTCEUR` */
  quoted(source: string, symbol: string, told: Told, nowMs: number): void {
    this.#noteTruth(symbol, middleOf(told.truth), nowMs);
    const { isMuted } = told;
    const name = `${source} ${symbol}`;
    const [last, heard] = [this.#last.get(name), this.#told.get(name)];
    if (last !== undefined && isSame(last, told) && (isMuted || heard === last)) return;
    // Those who listen to one that is muted hear that the quote before still holds.
    if (last !== undefined && !(isMuted && last === heard)) this.#end(last, symbol, nowMs);
    if (heard !== undefined && !isMuted) this.#end(heard, symbol, nowMs);
    const held = { ...told, source, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY };
    this.#last.set(name, held);
    if (!isMuted) this.#told.set(name, held);
    this.#long.getOrInsertComputed(symbol, () => new Set()).add(held);
    const all = this.#quotes.get(symbol) ?? [];
    this.#quotes.set(symbol, all);
    all.push(held);
    if (all.length > 1_000 && all[500]!.untilMs < nowMs - keptMs) all.splice(0, 500);
  }

  #end(quote: HeldQuote, symbol: string, nowMs: number): void {
    quote.untilMs = Math.min(quote.untilMs, nowMs);
    const long = this.#long.get(symbol)!;
    if (quote.untilMs - quote.fromMs <= usualMs) long.delete(quote);
    if (long.size > longMax) long.delete(long.values().next().value!);
  }

  /** Gives those that held at some instant between two, the newest first. */
  *#between(symbol: string, fromMs: number, toMs: number): Generator<HeldQuote> {
    const quotes = this.#quotes.get(symbol) ?? [];
    const long = this.#long.get(symbol);
    for (let index = quotes.length - 1; index >= 0; index--) {
      const quote = quotes[index]!;
      if (quote.fromMs < fromMs - usualMs) break;
      if (quote.fromMs <= toMs && quote.untilMs >= fromMs) yield quote;
    }
    for (const quote of long ?? [])
      if (quote.fromMs < fromMs - usualMs && quote.fromMs <= toMs && quote.untilMs >= fromMs) yield quote;
  }

  feeFrom(value: string, fromMs: number): void {
    this.#fees.push({ value, fromMs });
  }

  #noteTruth(symbol: string, middle: number, atMs: number): void {
    const truths = this.#truths.getOrInsertComputed(symbol, () => []);
    if (truths.length > 0 && atMs - truths.at(-1)!.atMs < 1_000) return;
    truths.push({ atMs, middle });
    if (truths.length > truthsMax) truths.splice(0, truthsMax / 2);
  }

  /** By how much of its price a quote was off then: 0.02 for 2 %. */
  deviation({ truth, ...told }: HeldQuote, symbol: string, atMs: number): number {
    const middle = this.#truths.get(symbol)?.findLast((each) => each.atMs <= atMs)?.middle ?? middleOf(truth);
    const factor = middleOf(told) / middle;
    return Math.max(factor, 1 / factor) - 1;
  }

  /** Whether some exchange had a price, true or not, that this one is made from, see `explanations`. */
  explains(...of: Parameters<ToldQuotes['explanations']>): boolean {
    return this.explanations(...of).next().done !== true;
  }

  /**
   * Gives the quotes from which a price is made: those that an exchange had at an instant no further than `withinMs`
   * from the one it is dated, at terms in force between two instants of the clock of whoever served it, and a rate that
   * there was before it was served.
   */
  *explanations(
    served: ServedPrice,
    datedMs: number,
    withinMs: number,
    terms: readonly [number, number],
    servedMs = terms[1],
  ): Generator<HeldQuote> {
    const { symbol } = served;
    const isConverted = symbol.endsWith('CZK');
    const of = isConverted ? symbol.replace(/CZK$/, 'EUR') : symbol;
    const fees = inForce(this.#fees, ...terms);
    const rates = isConverted ? this.rates.between(Math.min(terms[0], servedMs), servedMs) : ['1'];
    for (const quote of this.#between(of, datedMs - withinMs, datedMs + withinMs)) {
      const isMade = fees.some((fee) => rates.some((rate) => this.#makes(quote, served, fee, rate, isConverted)));
      if (isMade) yield quote;
    }
  }

  /** Whether a source had these statistics within so long of an instant, each by itself. */
  explainsStatistics(served: Statistics, source: string, datedMs: number, withinMs: number, servedMs: number): boolean {
    const { symbol, high24h, low24h, volume24h } = served;
    const isConverted = symbol.endsWith('CZK');
    const of = symbol.replace(/CZK$/, 'EUR');
    const rates = isConverted ? this.rates.between(servedMs, servedMs) : ['1'];
    const near = [...this.#between(of, datedMs - withinMs, datedMs + withinMs)].filter(
      (each) => each.source === source,
    );
    const isPrice = (value: string, like: string) => rates.some((rate) => rounded(value, rate, like) === like);
    return (
      near.some(({ high }) => isPrice(high, high24h)) &&
      near.some(({ low }) => isPrice(low, low24h)) &&
      near.some(({ volume }) => rounded(volume, '1', volume24h) === volume24h)
    );
  }

  #makes({ bid, ask }: Quote, served: ServedPrice, fee: string, rate: string, isConverted: boolean): boolean {
    // Decimals cost far more.
    const [bare, unit] = [Number(ask) * Number(rate) * (1 + Number(fee) / 100), 10 ** -placesOf(served.buyPrice)];
    const charged = Number(served.buyPrice);
    if (charged < bare * nearlyWithin[0] - unit || charged > bare * nearlyWithin[1] + unit) return false;
    const margin = isConverted ? new Big(this.#marginPercent).times('0.01') : new Big(0);
    const price = (value: string, sign: 1 | -1, like: string) => {
      const places = placesOf(like);
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

function middleOf({ bid, ask }: Quote): number {
  return (Number(bid) + Number(ask)) / 2;
}

function isSame(one: Told, other: Told): boolean {
  return (['bid', 'ask', 'high', 'low', 'volume'] as const).every((field) => one[field] === other[field]);
}

function placesOf(price: string): number {
  return price.split('.')[1]?.length ?? 0;
}

/** To the places of another. */
function rounded(value: string, factor: string, like: string): string {
  const places = placesOf(like);
  return new Big(value).times(factor).round(places, Big.roundHalfEven).toFixed(places);
}
