import type { World } from './world.ts';

/** An exchange as far as it matters here. */
export interface Steady {
  readonly name: string;
  /** What is wrong with it for whoever wants to know of a market, as `BTC/EUR`. */
  faultsOf(symbol: string): readonly string[];
  readonly linkedSinceMs: number;
}

const lookEveryMs = 1_000;
const quietLookEveryMs = 10_000;
/** After a fault whoever was refused asks again within this time. */
const askedAgainWithinMs = 90_000;
/** The list of markets is read so often; whoever had another one has the right one by then. */
const listedWithinMs = 11 * 60_000;
const listFaults = /catalogue|pair|rest|status|cache|down|freeze|ban|flood/;

/** Since when each exchange has told the truth of each market to all who listen, with nothing in the way. */
export class Steadiness {
  readonly #world: World;
  readonly #exchanges: readonly Steady[];
  readonly #symbols: readonly string[];
  /** When it is steady again, by exchange and market. */
  readonly #againMs = new Map<string, number>();
  readonly #looked: () => void;

  /** @param symbols as `BTC/EUR` @param looked called after each look */
  constructor(world: World, exchanges: readonly Steady[], symbols: readonly string[], looked: () => void) {
    this.#world = world;
    this.#exchanges = exchanges;
    this.#symbols = symbols;
    this.#looked = looked;
    const lane = world.scheduler.lane('watch');
    const look = () => {
      lane.later(world.scheduler.isQuiet ? quietLookEveryMs : lookEveryMs, look);
      this.look();
    };
    lane.later(0, look);
  }

  look(): void {
    const { nowMs } = this.#world;
    for (const exchange of this.#exchanges)
      for (const symbol of this.#symbols) {
        const faults = exchange.faultsOf(symbol);
        if (faults.length === 0) continue;
        const isOfList = faults.some((fault) => listFaults.test(fault));
        const againMs = nowMs + (isOfList ? listedWithinMs : askedAgainWithinMs);
        const name = nameOf(exchange.name, symbol);
        this.#againMs.set(name, Math.max(againMs, this.#againMs.get(name) ?? 0));
      }
    this.#looked();
  }

  /** Since when it is; later than now, or never, where it is not. @param symbol as `BTC/EUR` */
  since(exchange: string, symbol: string): number {
    const { linkedSinceMs } = this.#exchanges.find(({ name }) => name === exchange)!;
    return Math.max(linkedSinceMs, this.#againMs.get(nameOf(exchange, symbol)) ?? 0);
  }
}

function nameOf(exchange: string, symbol: string): string {
  return `${exchange} ${symbol}`;
}
