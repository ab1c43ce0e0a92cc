import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock, Timer } from '../ground/clock.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { Markets } from '../market/markets.ts';
import type { MarketSymbol } from '../market/symbol.ts';

export const sparkPointsMax = 60;
const sampleEveryMs = 1_000;
/** Each market is sampled once a minute, a sixtieth of them every second, so that no second has all the work. */
const turns = 60;

type Value = DecimalString | null;

/** The buy prices of the last hour, one a minute, for the sparkline of each market. Lost when the process ends. */
export class Sparklines {
  readonly #markets: Markets;
  readonly #service: Pick<ServiceBoard, 'read'>;
  readonly #clock: Clock;
  readonly #lines = new Map<MarketSymbol, Value[]>();
  readonly #timer: Timer;
  #turn = 0;

  constructor(markets: Markets, service: Pick<ServiceBoard, 'read'>, clock: Clock) {
    this.#markets = markets;
    this.#service = service;
    this.#clock = clock;
    this.#timer = clock.every(sampleEveryMs, () => this.#sample());
  }

  /** Oldest first, at most 60; `null` where there was no price or no feed. */
  of(symbol: MarketSymbol): Value[] {
    return [...(this.#lines.get(symbol) ?? [])];
  }

  stop(): void {
    this.#timer.cancel();
  }

  #sample(): void {
    const now = this.#clock.now();
    // A line through a time in which no data came would claim that the price stood still.
    const isSilent = this.#service.read(now).flow.state === 'silent';
    const markets = [...this.#markets.catalogue.all()].filter((_, index) => index % turns === this.#turn);
    this.#turn = (this.#turn + 1) % turns;
    for (const { symbol, status } of markets) {
      const verdict = this.#markets.pricer.price(symbol, now);
      const value = verdict.kind === 'priced' && !isSilent ? verdict.ticker.buyPrice : null;
      const line = this.#lines.get(symbol) ?? [];
      if (status === 'delisted') this.#lines.delete(symbol);
      else if (value !== null || line.length > 0) this.#lines.set(symbol, [...line, value].slice(-sparkPointsMax));
    }
  }
}
