import type { Randomness } from '../src/ground/clock.ts';
import type { MarketState, Pair } from './catalogue.ts';
import { PriceCurve } from './price-curve.ts';
import { startPrice, volatility } from './start-prices.ts';
import { type TickerValues, unitsText } from './ticker.ts';

const dayMs = 86_400_000;
/** The 24-hour window advances in steps of this length. */
export const slotMs = 900_000;
const slotsPerDay = dayMs / slotMs;
const tradeShare = 0.4;
const quantityDecimals = 8;

/** Lowest, highest and mean price of a stretch of time, in units of the last decimal. */
interface Range {
  readonly low: number;
  readonly high: number;
  readonly mean: number;
}

/**
 * One market: a best bid and ask that follow its price curve, trades at one of the two, and
 * 24-hour statistics that agree with them. Prices are whole numbers of units (the last decimal of a price).
 */
export class Market {
  readonly pair: Pair;
  readonly curve: PriceCurve;
  status: MarketState = 'online';
  /** The instant of the last change in microseconds since the epoch, kept by the exchange. */
  changedAtUs: number;
  /** Makes what is said of the market from what is so; absent where that is the same. */
  telling: ((walked: TickerValues) => TickerValues) | undefined;

  readonly #randomness: Randomness;
  readonly #unitsPerOne: number;
  readonly #turnoverEur: number;
  #drift = 0;
  #bid = 0;
  #ask = 0;
  #last = 0;
  #bidQty = 0;
  #askQty = 0;
  #lastQty = 0;
  #slot = Number.NaN;
  #day: Range = { low: 0, high: 0, mean: 0 };
  #sessionLow = Number.POSITIVE_INFINITY;
  #sessionHigh = 0;
  #slotVolume = 0n;
  #slotTurnover = 0;
  #tradeCount = 0;
  #pinned: Partial<TickerValues> | undefined;

  constructor(
    pair: Pair,
    seed: number,
    randomness: Randomness,
    nowMs: number,
    price = startPrice(pair.base, pair.quote),
  ) {
    this.pair = pair;
    this.#randomness = randomness;
    this.#unitsPerOne = 10 ** pair.priceDecimals;
    this.curve = new PriceCurve(
      seed,
      nowMs,
      Math.max(price, 400 / this.#unitsPerOne),
      volatility(pair.base, pair.quote),
    );
    this.#turnoverEur = 200_000 * 10 ** ((seed % 1000) / 500) * (pair.base === 'BTC' || pair.base === 'ETH' ? 20 : 1);
    this.changedAtUs = nowMs * 1000;
    this.#quote(nowMs);
    this.#last = this.#bid;
    this.#lastQty = this.#quantity();
  }

  /** The newest trade's price in units. */
  get lastUnits(): number {
    return this.#last;
  }

  /** Whether the prices are set through the control API. */
  get pinned(): boolean {
    return this.#pinned !== undefined;
  }

  /** Changes bid or ask once, sometimes with a trade. Returns whether `last` changed. */
  step(nowMs: number): boolean {
    if (this.#pinned !== undefined) {
      this.#bidQty = this.#quantity();
      this.#askQty = this.#quantity();
      return false;
    }
    this.#quote(nowMs);
    return this.#randomness.fraction() < tradeShare ? this.#trade(nowMs) : false;
  }

  /**
   * Sets values that are sent digit for digit until `release`. The others are adjusted to them. Returns whether `last`
   * changed.
   */
  pin(values: Partial<TickerValues>, nowMs: number): boolean {
    const before = this.values(nowMs).last;
    this.#pinned = { ...this.#pinned, ...values };
    const units = (text: string | undefined, otherwise: number) =>
      text === undefined ? otherwise : Math.round(Number(text) * this.#unitsPerOne);
    this.#bid = units(values.bid, this.#bid);
    this.#ask = units(values.ask, this.#ask);
    const isOutside = this.#last < this.#bid || this.#last > this.#ask;
    this.#last = units(values.last, this.#pinned.last === undefined && isOutside ? this.#bid : this.#last);
    return this.values(nowMs).last !== before;
  }

  /** Lets a pinned market follow its curve again. */
  release(): void {
    this.#pinned = undefined;
    this.#sessionLow = Number.POSITIVE_INFINITY;
    this.#sessionHigh = 0;
  }

  /** The values to send at this instant. */
  values(nowMs: number): TickerValues {
    const walked = this.walked(nowMs);
    return this.telling === undefined ? walked : this.telling(walked);
  }

  /** The values that are so, or are set through the control API. */
  walked(nowMs: number): TickerValues {
    this.#enterSlot(nowMs);
    const { priceDecimals } = this.pair;
    const low = Math.min(this.#day.low, this.#sessionLow, this.#last);
    const high = Math.max(this.#day.high, this.#sessionHigh, this.#last);
    const reference = this.unitsAt(nowMs - dayMs);
    const change = this.#last - reference;
    const price = (units: number) => unitsText(units, priceDecimals);
    const walked: TickerValues = {
      bid: price(this.#bid),
      bid_qty: unitsText(this.#bidQty, quantityDecimals),
      ask: price(this.#ask),
      ask_qty: unitsText(this.#askQty, quantityDecimals),
      last: price(this.#last),
      volume: unitsText(this.#volume(), quantityDecimals),
      vwap: price(Math.min(high, Math.max(low, this.#vwap()))),
      low: price(low),
      high: price(high),
      change: price(change),
      change_pct: unitsText(Math.round((change / reference) * 10_000), 2),
      trades: String(this.#trades()),
    };
    return this.#pinned === undefined ? walked : { ...walked, ...this.#pinned };
  }

  /** The values that only REST `Ticker` has: those of the day that began at 00:00 UTC. */
  today(nowMs: number) {
    const midnightMs = Math.floor(nowMs / dayMs) * dayMs;
    const range = this.range(midnightMs, nowMs, 24);
    const whole = this.values(nowMs);
    const price = (units: number) => unitsText(units, this.pair.priceDecimals);
    const share = BigInt(Math.floor(((nowMs - midnightMs) / dayMs) * 1000));
    return {
      open: price(this.unitsAt(midnightMs)),
      low: price(Math.max(Math.min(range.low, this.#last), this.#day.low)),
      high: price(Math.min(Math.max(range.high, this.#last), Math.max(this.#day.high, this.#last))),
      vwap: price(range.mean),
      volume: unitsText((this.#volume() * share) / 1000n, quantityDecimals),
      trades: Math.floor((Number(whole.trades) * Number(share)) / 1000),
      lastQty: unitsText(this.#lastQty, quantityDecimals),
    };
  }

  /** The curve's price at an instant as a multiple of the tick, at least one tick. */
  unitsAt(epochMs: number): number {
    return this.#onTick(this.curve.at(epochMs) * this.#unitsPerOne);
  }

  /** The curve between two instants, sampled `samples` + 1 times. */
  range(fromMs: number, toMs: number, samples: number): Range {
    let low = Number.POSITIVE_INFINITY;
    let high = 0;
    let sum = 0;
    for (let index = 0; index <= samples; index++) {
      const units = this.unitsAt(fromMs + ((toMs - fromMs) * index) / samples);
      low = Math.min(low, units);
      high = Math.max(high, units);
      sum += units;
    }
    return { low, high, mean: Math.round(sum / (samples + 1)) };
  }

  /** The base amount traded in a stretch of `lengthMs`, in units of 10^−8, scaled by how active the market was. */
  volumeIn(lengthMs: number, activity: number): number {
    return Math.round(((this.#turnoverEur * lengthMs) / dayMs / startPrice(this.pair.base, 'EUR')) * activity * 1e8);
  }

  /** A step of the 24-hour window: what was traded live is part of the curve's own volume from here on. */
  #enterSlot(nowMs: number): void {
    const slot = Math.floor(nowMs / slotMs);
    if (slot === this.#slot) return;
    this.#slot = slot;
    this.#day = this.range(nowMs - dayMs, nowMs, slotsPerDay);
    this.#sessionLow = Number.POSITIVE_INFINITY;
    this.#sessionHigh = 0;
    this.#slotVolume = 0n;
    this.#slotTurnover = 0;
  }

  #quote(nowMs: number): void {
    const { tickUnits } = this.pair;
    const middle = this.curve.at(nowMs) * this.#unitsPerOne;
    // A step of the spread: one tick, or more where a tick is tiny compared to the price.
    const stepUnits = Math.max(1, Math.round((middle * 2e-6) / tickUnits)) * tickUnits;
    const spread = stepUnits * (1 + Math.floor(this.#randomness.fraction() * 4));
    this.#drift = this.#drift * 0.97 + (this.#randomness.fraction() - 0.5) * 6 * stepUnits;
    const wanted = this.#onTick(middle + this.#drift - spread / 2);
    this.#bid = Math.max(tickUnits, wanted);
    this.#ask = this.#bid + spread;
    this.#bidQty = this.#quantity();
    this.#askQty = this.#quantity();
  }

  #trade(nowMs: number): boolean {
    this.#enterSlot(nowMs);
    const before = this.#last;
    this.#last = this.#randomness.fraction() < 0.5 ? this.#bid : this.#ask;
    this.#lastQty = Math.max(1, Math.round(this.#quantity() / 20));
    this.#sessionLow = Math.min(this.#sessionLow, this.#last);
    this.#sessionHigh = Math.max(this.#sessionHigh, this.#last);
    this.#slotVolume += BigInt(this.#lastQty);
    this.#slotTurnover += this.#lastQty * this.#last;
    this.#tradeCount++;
    return this.#last !== before;
  }

  #volume(): bigint {
    return BigInt(this.volumeIn(dayMs, 1)) + this.#slotVolume;
  }

  #vwap(): number {
    const before = this.volumeIn(dayMs, 1);
    return Math.round((this.#day.mean * before + this.#slotTurnover) / (before + Number(this.#slotVolume)));
  }

  #trades(): number {
    return Math.round(this.#turnoverEur ** 0.6 / 2) + this.#tradeCount;
  }

  #onTick(units: number): number {
    const { tickUnits } = this.pair;
    return Math.max(tickUnits, Math.round(units / tickUnits) * tickUnits);
  }

  /** An amount worth 30 to 30,000 EUR, small ones more often, in units of 10^−8. */
  #quantity(): number {
    const worthEur = 30 * 10 ** (3 * this.#randomness.fraction());
    return Math.max(1, Math.round((worthEur / startPrice(this.pair.base, 'EUR')) * 1e8));
  }
}
