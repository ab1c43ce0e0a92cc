import { compare, type DecimalString, isAbove, isPositive } from '../market/decimal.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import { asDecimal, asList, asPositive } from './wire.ts';

/** Best prices as the exchange wrote them; `undefined`: that side is empty. */
export type BestPrices = Pick<UpstreamTicker, 'bid' | 'ask'>;

/** Levels kept of each side. A book can have a hundred thousand, and its best price moves among the first few. */
const depthMax = 1_000;

/**
 * The best prices of an order book that arrives as one snapshot and then as changes. Prices are compared as decimals
 * and kept as the exchange wrote them. Of each side the best levels are kept; what lies beyond is needed only once
 * all of those are taken: the book is then `exhausted` and needs a new snapshot, like a crossed one.
 */
export class TopOfBook {
  readonly #bids = new Side(-1);
  readonly #asks = new Side(1);

  /**
   * Takes over `[price, size]` lists of both sides in any order. Unreadable levels and those of size zero are left out.
   */
  snapshot(bids: unknown, asks: unknown): void {
    this.#bids.replace(readLevels(bids));
    this.#asks.replace(readLevels(asks));
  }

  /** Sets one level; a size of zero removes it. Returns false when price or size is not a decimal. */
  change(side: 'bid' | 'ask', price: unknown, size: unknown): boolean {
    const level = asPositive(price);
    const amount = asDecimal(size);
    if (level === undefined || amount === undefined) return false;
    const levels = side === 'bid' ? this.#bids : this.#asks;
    levels.put(level, isPositive(amount));
    return true;
  }

  get best(): BestPrices {
    return { bid: this.#bids.best, ask: this.#asks.best };
  }

  /** The best bid is above the best ask: a change was missed. */
  get isCrossed(): boolean {
    const { bid, ask } = this.best;
    return bid !== undefined && ask !== undefined && isAbove(bid, ask);
  }

  get isExhausted(): boolean {
    return this.#bids.isExhausted || this.#asks.isExhausted;
  }
}

/** One side, the best price last: most changes are near it, and cost little there. */
class Side {
  /** 1: a lower price is better. */
  readonly #sign: 1 | -1;
  #prices: DecimalString[] = [];
  /** Levels that are not better than this one were dropped. */
  #floor: DecimalString | undefined;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  get best(): DecimalString | undefined {
    return this.#prices.at(-1);
  }

  get isExhausted(): boolean {
    return this.#floor !== undefined && this.#prices.length === 0;
  }

  replace(prices: DecimalString[]): void {
    this.#prices = prices.sort((one, other) => this.#order(one, other));
    this.#floor = undefined;
    this.#trim();
  }

  /** Adds a level, or removes it. */
  put(price: DecimalString, isPresent: boolean): void {
    if (this.#floor !== undefined && this.#order(price, this.#floor) <= 0) return;
    const at = this.#find(price);
    const isKnown = at < this.#prices.length && this.#order(this.#prices[at]!, price) === 0;
    if (isKnown && isPresent) this.#prices[at] = price;
    else if (isPresent) this.#prices.splice(at, 0, price);
    else if (isKnown) this.#prices.splice(at, 1);
    if (this.#prices.length > 2 * depthMax) this.#trim();
  }

  #trim(): void {
    const surplus = this.#prices.length - depthMax;
    if (surplus <= 0) return;
    this.#floor = this.#prices[surplus - 1];
    this.#prices = this.#prices.slice(surplus);
  }

  /** Where the price stands, or would stand. */
  #find(price: DecimalString): number {
    let low = 0;
    let high = this.#prices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#order(this.#prices[middle]!, price) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Above zero: `one` is better. */
  #order(one: DecimalString, other: DecimalString): number {
    return -this.#sign * compare(one, other);
  }
}

function readLevels(levels: unknown): DecimalString[] {
  const prices = new Set<DecimalString>();
  for (const level of asList(levels) ?? []) {
    const [price, size] = asList(level) ?? [];
    const read = asPositive(price);
    const amount = asDecimal(size);
    if (read !== undefined && amount !== undefined && isPositive(amount)) prices.add(read);
  }
  return [...prices];
}
