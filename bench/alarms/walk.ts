import { PriceCurve } from '../../exchange-simulator/price-curve.ts';
import { randomnessFromSeed } from '../../exchange-simulator/randomness.ts';
import type { Randomness } from '../../src/ground/clock.ts';
import { type Alarms, JudgedMarket, type Judging, type Quoted } from './judged-market.ts';

/** How a kind of market is quoted. Every source of it is honest. */
export interface Kind {
  readonly name: string;
  /** The usual spread, in percent. */
  readonly spreadPercent: number;
  /** A source changes its quote this often, on average. */
  readonly everyMs: number;
  /** How far a source is off the others for hours, in percent: one standard deviation. */
  readonly basisPercent: number;
  /** A quote that the market has left is hit, and so changed, after this on average. */
  readonly hitAfterMs: number;
}

/**
 * Four jumps a day, down and up in turn, by so much within five seconds; each source has them after a delay of its own.
 */
export interface Jumps {
  readonly percent: number;
}

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const jumpEveryMs = dayMs / 4;
const jumpWithinMs = 5_000;
const lagsMs = [300, 1_000, 2_500];
const tickMs = 1_000;
/** As in the feed: a silent market is polled this often, a held one this often. */
const silentPollMs = 5_000;
const silentAfterMs = 10_000;
const heldPollMs = 1_000;
/** How often a change of the quote finds one side of the book swept, and how far. */
const sweptShare = 1 / 500;
const sweptFactor = 5;

/** Passes some days of an honest market, quoted by as many sources, in virtual time. */
export function passDays(
  kind: Kind,
  {
    sources,
    days,
    seed,
    jumps,
    judging,
  }: { sources: number; days: number; seed: number; jumps: Jumps; judging: Judging },
): Alarms {
  const price = new TruePrice(seed, jumps);
  const randomness = randomnessFromSeed(seed);
  const quoting = Array.from({ length: sources }, (_, index) => new Quoting(kind, price, lagsMs[index]!, randomness));
  const market = new JudgedMarket(sources, judging, 0);
  for (let atMs = 0; atMs < days * dayMs; atMs += tickMs) {
    let isAnyChanged = false;
    for (const [index, source] of quoting.entries()) {
      const isChanged = source.pass(atMs);
      isAnyChanged ||= isChanged;
      const path = isChanged ? 'live' : 'fallback';
      if (isChanged || source.isPolled(atMs, market.isHeld(index)))
        market.quoted(index, source.quoted(atMs), path, atMs);
    }
    if (isAnyChanged || atMs % 5_000 === 0) market.review(atMs + tickMs / 2);
  }
  return market.alarms;
}

/** The price that all sources quote: the simulator's curve, and jumps. */
class TruePrice {
  readonly #curve: PriceCurve;
  readonly #jump: number;

  constructor(seed: number, { percent }: Jumps) {
    this.#curve = new PriceCurve(seed, 0, 1_000, 1);
    this.#jump = Math.log(1 - percent / 100);
  }

  at(atMs: number): number {
    const number = Math.floor(atMs / jumpEveryMs);
    const share = Math.min(1, Math.max(0, atMs - number * jumpEveryMs) / jumpWithinMs);
    // Before the first there is none; every second one takes back the one before.
    const isDown = number % 2 !== 0;
    return this.#curve.at(atMs) * Math.exp(this.#jump * (number < 1 ? 0 : isDown ? share : 1 - share));
  }
}

/** One source's best prices. */
class Quoting {
  readonly #kind: Kind;
  readonly #price: TruePrice;
  readonly #lagMs: number;
  readonly #randomness: Randomness;
  #basis = 0;
  /** How far bid and ask are from the middle, as powers of the usual. */
  readonly #sides = [0, 0];
  #bid = 0;
  #ask = 0;
  #changedAtMs = 0;
  /** Lowest and highest middle of each hour. */
  readonly #hours = new Map<number, [low: number, high: number]>();

  constructor(kind: Kind, price: TruePrice, lagMs: number, randomness: Randomness) {
    this.#kind = kind;
    this.#price = price;
    this.#lagMs = lagMs;
    this.#randomness = randomness;
    this.#basis = this.#normal();
    for (let hour = -24; hour <= 0; hour++) this.#note(hour * hourMs, price.at(hour * hourMs));
    this.#change(0);
  }

  /** Passes a second. Returns whether the quote changed. */
  pass(atMs: number): boolean {
    const now = this.#price.at(atMs - this.#lagMs);
    const isLeft = now < this.#bid || now > this.#ask;
    const { everyMs, hitAfterMs } = this.#kind;
    const rate = 1 / everyMs + (isLeft ? 1 / hitAfterMs : 0);
    if (atMs > 0 && this.#randomness.fraction() > 1 - Math.exp(-rate * tickMs)) return false;
    this.#change(atMs);
    return true;
  }

  isPolled(atMs: number, isHeld: boolean): boolean {
    if (isHeld) return atMs % heldPollMs === 0;
    return atMs - this.#changedAtMs >= silentAfterMs && atMs % silentPollMs === 0;
  }

  quoted(atMs: number): Quoted {
    const hour = Math.floor(atMs / hourMs);
    let [low24h, high24h] = [Number.POSITIVE_INFINITY, 0];
    for (let each = hour - 24; each <= hour; each++) {
      const [low, high] = this.#hours.get(each) ?? [low24h, high24h];
      low24h = Math.min(low24h, low);
      high24h = Math.max(high24h, high);
    }
    return { bid: this.#bid, ask: this.#ask, low24h, high24h };
  }

  #change(atMs: number): void {
    const { spreadPercent, basisPercent, everyMs } = this.#kind;
    const keptBasis = Math.exp(-everyMs / (4 * hourMs));
    this.#basis = this.#basis * keptBasis + this.#normal() * Math.sqrt(1 - keptBasis ** 2);
    const middle = this.#price.at(atMs - this.#lagMs) * (1 + (this.#basis * basisPercent) / 100);
    const [toBid, toAsk] = [0, 1].map((side) => {
      const power = this.#sides[side]! * 0.9 + this.#normal() * 0.2;
      this.#sides[side] = power;
      const isSwept = this.#randomness.fraction() < sweptShare;
      return (spreadPercent / 200) * Math.exp(power) * (isSwept ? sweptFactor : 1);
    });
    this.#bid = middle * (1 - toBid!);
    this.#ask = middle * (1 + toAsk!);
    this.#changedAtMs = atMs;
    this.#note(atMs, middle);
  }

  #note(atMs: number, middle: number): void {
    const hour = Math.floor(atMs / hourMs);
    const [low, high] = this.#hours.get(hour) ?? [middle, middle];
    this.#hours.set(hour, [Math.min(low, middle), Math.max(high, middle)]);
    this.#hours.delete(hour - 25);
  }

  /** About a normal distribution. */
  #normal(): number {
    let sum = -6;
    for (let count = 0; count < 12; count++) sum += this.#randomness.fraction();
    return sum;
  }
}
