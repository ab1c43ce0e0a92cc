import { BTCEUR, MarketRig } from './market-rig.testing.ts';
import { after, decimal, start } from './samples.testing.ts';
import type { Reach } from './source-choice.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

/** A source that quotes a market. */
export interface Quoting {
  /** The bid at an instant; `undefined`: it says nothing. */
  readonly bid: (atMs: number) => number | undefined;
  /** From when its connection is dead. */
  readonly diesAtMs?: number;
  /** From when it lives again. */
  readonly returnsAtMs?: number;
  /** It is asked over REST this often, because the exchange does not stream the market. */
  readonly polledEveryMs?: number;
  /** Nothing answers at its address. */
  readonly isUnreachable?: boolean;
}

/** How the process changes that judges. */
export type Change = 'restart' | 'another process';

export const ids = ['one', 'two', 'three'] as const;
/** Each source quotes this often. */
export const everyMs = 500;
/** Another process is told this often what the sources said of one another. */
const rememberedEveryMs = 5_000;

/** The bid that is right at an instant. */
export type Truth = (atMs: number) => number;

/** A market at about 84000 that moves a little. */
export const calm: Truth = (atMs) => 84_000 + 20 * Math.sin(atMs / 7_000);

/** Says the truth, a little beside it. */
export function honest(beside = 0, truth: Truth = calm): Quoting {
  return { bid: (atMs) => truth(atMs) + beside };
}

/** Moves away by a share a minute, down where it is negative. */
export function drifting(perMinute: number, fromMs: number, beside = 0, truth: Truth = calm): Quoting {
  return { bid: (atMs) => (truth(atMs) + beside) * (1 + perMinute * Math.max(0, (atMs - fromMs) / 60_000)) };
}

/** Repeats what it said at an instant. */
export function frozen(fromMs: number, beside = 0, truth: Truth = calm): Quoting {
  return { bid: (atMs) => truth(Math.min(atMs, fromMs)) + beside };
}

/** Says a multiple of the truth, until an instant. */
export function lying(factor: number, fromMs: number, beside = 0, untilMs = Number.POSITIVE_INFINITY): Quoting {
  return { bid: (atMs) => (calm(atMs) + beside) * (atMs >= fromMs && atMs < untilMs ? factor : 1) };
}

/** A market of two or three sources on a clock that is only passed in. Each quotes twice a second. */
export class PlayedMarket {
  rig: MarketRig;
  readonly #mode: 'primary' | 'median';
  readonly #count: number;
  #follower: MarketRig | undefined;
  /** Served by a standby, or not live, by the last review. */
  isDegraded = false;
  #look: (served: AcceptedTicker) => void = () => {};
  #rememberedMs = Number.NEGATIVE_INFINITY;

  constructor(mode: 'primary' | 'median', count: number) {
    this.#mode = mode;
    this.#count = count;
    this.rig = this.#newRig();
    for (const id of ids.slice(0, count)) this.rig.list(id);
  }

  #newRig(): MarketRig {
    return new MarketRig({ ids: ids.slice(0, this.#count), mode: this.#mode });
  }

  get nowMs(): number {
    return this.rig.nowMs;
  }

  set nowMs(nowMs: number) {
    this.rig.nowMs = nowMs;
  }

  /** Looks at every price that is served. */
  observe(look: (served: AcceptedTicker) => void): void {
    this.#look = look;
    const { markets } = this.rig;
    markets.observe({
      tickerChanged: () => {
        const served = markets.acceptedTicker(BTCEUR);
        if (served !== undefined) look(served);
      },
    });
  }

  /** Lets each source quote twice a second, with a review after it. Stops where `until` holds. */
  play(quoting: readonly Quoting[], forMs: number, until: () => boolean = () => false): void {
    const endsAtMs = this.nowMs + forMs;
    while (this.nowMs < endsAtMs && !until()) this.step(quoting);
  }

  step(quoting: readonly Quoting[]): void {
    const { rig } = this;
    rig.nowMs += everyMs;
    const reaches = quoting.map((each, index) => this.#quote(ids[index]!, each));
    this.review(reaches);
  }

  /** Chooses again, and tells the other process what it is told then. */
  review(reaches: readonly Reach[]): void {
    this.isDegraded = this.rig.review(...reaches).isDegraded;
    this.#tellFollower();
  }

  #quote(id: string, quoting: Quoting): Reach {
    const { rig, nowMs } = this;
    const { bid, diesAtMs = nowMs + 1, returnsAtMs = nowMs + 1, polledEveryMs, isUnreachable = false } = quoting;
    if (isUnreachable) rig.unreachable.add(id);
    if (isUnreachable || (nowMs >= diesAtMs && nowMs < returnsAtMs)) return 'silent';
    const price = bid(nowMs);
    const isDue = polledEveryMs === undefined || nowMs % polledEveryMs === 0;
    const path = polledEveryMs === undefined ? ('live' as const) : ('fallback' as const);
    if (price !== undefined && isDue) rig.tick(id, price.toFixed(2), { ...rangeOf(price), path });
    return path === 'live' ? 'live' : 'polled';
  }

  /** Another process takes over what this one tells, from now on. */
  follow(): void {
    this.#follower = this.#newRig();
    this.#follower.markets.restore(asJson(this.rig));
  }

  #tellFollower(): void {
    const follower = this.#follower;
    if (follower === undefined) return;
    const { doubts, peerMemories, ...state } = asJson(this.rig);
    const isDue = this.nowMs - this.#rememberedMs >= rememberedEveryMs;
    if (isDue) this.#rememberedMs = this.nowMs;
    follower.markets.restore({ ...state, doubts, peerMemories: isDue ? peerMemories : undefined });
    follower.markets.doubtChanged(BTCEUR, this.rig.markets.doubts().get(BTCEUR));
  }

  /** Judges in a process from now on that knows what this one kept or told, after a while without any. */
  change(change: Change, awayMs: number): void {
    const before = this.rig;
    if (change === 'restart') {
      this.rig = this.#newRig();
      this.rig.markets.restore(asJson(before));
      for (const [subject, doubt] of before.markets.doubts()) this.rig.markets.doubtChanged(subject, doubt);
    } else {
      this.rig = this.#follower!;
      this.#follower = undefined;
    }
    this.rig.nowMs = before.nowMs + awayMs;
    this.observe(this.#look);
  }

  get used(): string | undefined {
    return this.rig.used;
  }

  get served() {
    return this.rig.markets.acceptedTicker(BTCEUR);
  }

  get bid(): number {
    return Number(this.served?.bid);
  }

  get ageMs(): number {
    return after(start, this.nowMs) - (this.served?.capturedAt ?? 0);
  }

  stateOf(id: string) {
    return this.rig.markets.sources.states(BTCEUR).find((state) => state.id === id);
  }
}

/** Shaped as a snapshot has it. */
function asJson(rig: MarketRig) {
  const { tickers, references, rates, ...rest } = rig.kept();
  const plain = { tickers: [...tickers], references: [...references], rates: [...rates], ...rest };
  return JSON.parse(JSON.stringify(plain)) as typeof plain;
}

function rangeOf(price: number) {
  return { low24h: decimal((price * 0.8).toFixed(2)), high24h: decimal((price * 1.2).toFixed(2)) };
}
