import type { FaultName } from '../../exchange-simulator/fault-catalogue.ts';
import type { EpochMs, Randomness } from '../../src/ground/clock.ts';
import type { DecimalString } from '../../src/market/decimal.ts';
import type { WhichBank } from './banks.ts';
import type { ExchangeModel } from './exchange-model.ts';
import { feedKeys, harms } from './redis-server.ts';
import type { SeedKind } from './seed-kind.ts';
import type { Simulation } from './simulation.ts';
import type { Deceit } from './telling.ts';

/** One fault of a plan. */
export interface PlannedFault {
  readonly kind: FaultKind;
  readonly atMs: number;
  readonly forMs: number;
  /** 0 to 1: chooses what it is about. */
  readonly choice: number;
}

interface Fault {
  begin(simulation: Simulation, choice: number): unknown;
  /** Absent where it is over at once. */
  end?(simulation: Simulation, choice: number): unknown;
  /** Lasts so long, from and to, where that is not up to the plan. */
  readonly longMs?: readonly [number, number];
}

const one = <Item>(items: readonly Item[], choice: number): Item => items[Math.floor(choice * items.length)]!;
const processOf = ({ processes }: Simulation, choice: number) => one(processes, choice);
const exchangeOf = ({ exchanges }: Simulation, choice: number) => one(exchanges, choice);
/** A second choice out of one. */
const again = (choice: number) => (choice * 97) % 1;
const marketOf = (simulation: Simulation, choice: number) =>
  one(simulation.marketsOf(exchangeOf(simulation, choice)), again(choice));
const symbolOf = (simulation: Simulation, choice: number) => marketOf(simulation, choice).replace('/', '');

/** A fault of the exchange simulator, on one exchange. */
function ofExchange(
  fault: FaultName,
  parameters: (simulation: Simulation, choice: number) => object = () => ({}),
): Fault {
  return {
    begin: (simulation, choice) => exchangeOf(simulation, choice).set({ fault, ...parameters(simulation, choice) }),
    end: (simulation, choice) => exchangeOf(simulation, choice).faults.clear(fault),
  };
}

/** One exchange deceives about one market. */
function deceive(deceit: (choice: number) => Deceit): Fault {
  return {
    begin: (s, c) => s.deceive(exchangeOf(s, c), marketOf(s, c), deceit(c)),
    end: (s, c) => s.deceive(exchangeOf(s, c), marketOf(s, c), undefined),
  };
}

/** All but one of the exchanges say the same of a market. */
function deceiveTogether(deceit: (choice: number) => Deceit): Fault {
  const others = (s: Simulation, c: number) => s.exchanges.filter((exchange) => exchange !== exchangeOf(s, c));
  return {
    begin: (s, c) => others(s, c).forEach((exchange) => void s.deceive(exchange, marketOf(s, c), deceit(c))),
    end: (s, c) => others(s, c).forEach((exchange) => void s.deceive(exchange, marketOf(s, c), undefined)),
  };
}

/** A hundred times too much or too little, the other way round, or off by a tenth. */
function lieOfRate(which: WhichBank): Fault {
  const factors = [100, 0.01, 1.1, 0.9];
  const say = (c: number) => (truth: string) => {
    const factor = [...factors, undefined][Math.floor(5 * again(c))];
    return (factor === undefined ? 1 / Number(truth) : factor * Number(truth)).toFixed(6);
  };
  return { begin: (s, c) => s.banks.lie(which, say(c)), end: (s) => s.banks.lie(which, undefined) };
}

/** Two of them. */
function apartOf(s: Simulation, c: number): readonly [ExchangeModel, ExchangeModel] {
  const index = s.exchanges.indexOf(exchangeOf(s, c));
  return [s.exchanges[index]!, s.exchanges[(index + (again(c) < 0.5 ? 1 : 2)) % s.exchanges.length]!];
}

/** By then whoever drifts is far away. */
const diesAfterMs = 100_000;

/** Either way. */
const upOrDown = (choice: number, factor: number) => (again(choice) < 0.5 ? factor : 1 / factor);

/**
 * A factor so far from one that the price, going its own way, does not come to be the true one: nobody could tell it
 * from that.
 */
const apart = (factor: number) => (factor < 1 ? Math.min(factor, 0.9) : Math.max(factor, 1.1));

function ofNetwork(name: 'delayMs' | 'doubledShare' | 'shuffledShare', value: number): Fault {
  const set =
    (to: number): Fault['begin'] =>
    (simulation, choice) => {
      exchangeOf(simulation, choice).network[name] = to;
    };
  return { begin: set(value), end: set(0) };
}

/** Longer than a market that is missing is delisted after, and far longer than a rate is valid. */
const hoursMs = [65 * 60_000, 180 * 60_000] as const;

const half = (simulation: Simulation, choice: number) => {
  const all = simulation.marketsOf(exchangeOf(simulation, choice));
  return { symbol: all.slice(0, Math.ceil(all.length / 2)) };
};

/** What an operator says of a market, until they take it back. */
function operated(say: (simulation: Simulation, symbol: string, isOn: boolean) => unknown): Fault {
  const act = (isOn: boolean) => (s: Simulation, c: number) => s.operates(symbolOf(s, c), isOn, say);
  return { begin: act(true), end: act(false) };
}

/** Every fault there is. What an operator does is one too: it comes at any instant. */
const faults = {
  'process killed': { begin: (s, c) => processOf(s, c).kill(), end: (s, c) => processOf(s, c).start() },
  'process restarted': { begin: (s, c) => processOf(s, c).stop(), end: (s, c) => processOf(s, c).start() },
  'all processes killed': {
    begin: (s) => s.processes.forEach((process) => void process.kill()),
    end: (s) => s.processes.forEach((process) => void process.start()),
  },
  'process frozen': { begin: (s, c) => processOf(s, c).freeze(), end: (s, c) => processOf(s, c).thaw() },
  'clock set': {
    begin: (s, c) => s.setClock(processOf(s, c), Math.round((again(c) - 0.5) * 20_000)),
    end: (s, c) => s.setClock(processOf(s, c), 0),
  },
  'clock drifts': {
    begin: (s, c) => s.drift(processOf(s, c), again(c) < 0.5 ? 0.98 : 1.02),
    end: (s, c) => s.drift(processOf(s, c), 1),
  },
  'rolling upgrade': { begin: (s) => s.upgrade() },
  'Redis lost': { begin: ({ redis }) => redis.stop(), end: ({ redis }) => redis.restart() },
  'Redis slow': { begin: ({ redis }, c) => redis.slow(5 + 200 * again(c)), end: ({ redis }) => redis.slow(0) },
  'Redis flushed': { begin: ({ redis }) => redis.flush() },
  'Redis value harmed': { begin: ({ redis }, c) => redis.harm(one(feedKeys, c), one(harms, again(c))) },
  'Redis split': { begin: (s, c) => s.redis.split([processOf(s, c).name]), end: ({ redis }) => redis.split([]) },
  'Redis is two': { begin: (s, c) => s.redis.part([processOf(s, c).name]), end: ({ redis }) => redis.part([]) },
  'Redis engine silent': { begin: ({ engine }) => engine?.stop(), end: ({ engine }) => engine?.start() },
  'Redis engine of old': {
    begin: ({ engine }) => engine?.wakeOlder(true),
    end: ({ engine }) => engine?.wakeOlder(false),
  },
  'exchange silent': ofExchange('freeze'),
  'exchange mute': ofExchange('mute'),
  'exchange down': ofExchange('down'),
  'all exchanges down': {
    begin: (s) => Promise.all(s.exchanges.map((exchange) => exchange.set({ fault: 'down' }))),
    end: (s) => Promise.all(s.exchanges.map((exchange) => exchange.faults.clear('down'))),
  },
  'exchange refuses': ofExchange('refuse'),
  'lie, a thousandfold': deceive(() => ({ how: 'fixed', factor: 1_000 })),
  'lie of 5 %': deceive((c) => ({ how: 'fixed', factor: again(c) < 0.5 ? 1.05 : 0.95 })),
  'lie that moves': deceive((c) => ({ how: 'scaled', factor: upOrDown(c, 1.05 + again(again(c))) })),
  'lie by drift': deceive((c) => {
    const [perMinute, furthest] = [1.002 + 0.02 * again(again(c)), 1.3];
    return { how: 'drifting', perMinute: upOrDown(c, perMinute), furthest: upOrDown(c, furthest) };
  }),
  // Nobody sets that right for hours.
  'lie by slow drift': {
    ...deceive((c) => ({ how: 'drifting', perMinute: upOrDown(c, 1.001), furthest: upOrDown(c, 1.1) })),
    longMs: hoursMs,
  },
  'lie, another asset': {
    ...deceive((c) => ({ how: 'another', factor: apart(0.02 * 2_500 ** again(c)) })),
    longMs: hoursMs,
  },
  'lie of two': deceiveTogether((c) => ({ how: 'scaled', factor: upOrDown(c, 1.05 + 0.7 * again(again(c))) })),
  'lie of two, a hundredfold': deceiveTogether((c) => ({ how: 'scaled', factor: upOrDown(c, 100) })),
  // What is left is the one that told the truth all along.
  'lie by drift, and another dies': {
    begin: (s, c) => {
      const [liar, other] = apartOf(s, c);
      s.deceive(liar, marketOf(s, c), { how: 'drifting', perMinute: upOrDown(c, 1.03), furthest: upOrDown(c, 1.2) });
      s.world.scheduler.lane('faults').later(diesAfterMs, () => void other.set({ fault: 'down' }));
    },
    end: async (s, c) => {
      const [liar, other] = apartOf(s, c);
      s.deceive(liar, marketOf(s, c), undefined);
      await other.faults.clear('down');
    },
    longMs: [diesAfterMs + 30_000, diesAfterMs + 240_000],
  },
  'lie, the same again': {
    begin: (s, c) => {
      s.deceive(exchangeOf(s, c), marketOf(s, c), { how: 'repeated', frame: again(c) < 0.5 ? 'again' : 'one frame' });
      s.moveMarket(marketOf(s, c), upOrDown(again(c), 1.06), 90_000);
    },
    end: (s, c) => s.deceive(exchangeOf(s, c), marketOf(s, c), undefined),
  },
  'market falls or rises': {
    begin: (s, c) => s.moveMarket(marketOf(s, c), upOrDown(c, 1 + 0.4 * again(again(c))), 60_000),
  },
  'exchange crossed': ofExchange('crossed', (s, c) => ({ symbol: marketOf(s, c) })),
  'old tickers': ofExchange('replay', () => ({ ageMs: 600_000 })),
  'exchange in maintenance': ofExchange('system-status'),
  'catalogue halved': ofExchange('pair-unlisted', half),
  'catalogue empty': ofExchange('catalogue-empty'),
  'exchange bans': {
    begin: (s, c) => exchangeOf(s, c).ban(s.world.nowMs + 60_000 + 600_000 * again(c)),
    end: (s, c) => exchangeOf(s, c).ban(undefined),
    longMs: [60_000, 600_000],
  },
  'flood of markets': {
    begin: (s, c) => void exchangeOf(s, c).flood(again(c) < 0.7 ? 100 : 1_500),
    end: (s, c) => exchangeOf(s, c).endFloods(),
  },
  'flood that comes and goes': {
    begin: (s, c) => s.floods(exchangeOf(s, c), 400),
    end: (s, c) => exchangeOf(s, c).endFloods(),
    longMs: [10 * 60_000, 20 * 60_000],
  },
  'REST broken': ofExchange('rest-500'),
  // So slow that nobody waits for it, or still in time.
  'REST slow': ofExchange('rest-slow', (_, c) => ({ delayMs: again(c) < 0.5 ? 3_000 : 8_000 })),
  // Those of the two that are left say of when they are.
  'only a cache answers': {
    begin: async ({ exchanges: [first, ...rest] }) => {
      await first!.set({ fault: 'down' });
      for (const exchange of rest) {
        exchange.cache(true);
        await exchange.set({ fault: 'refuse' });
        exchange.cut();
      }
    },
    end: async ({ exchanges: [first, ...rest] }) => {
      await first!.faults.clear('down');
      for (const exchange of rest) {
        exchange.cache(false);
        await exchange.faults.clear('refuse');
      }
    },
  },
  'frames delayed': ofNetwork('delayMs', 4_000),
  'frames doubled': ofNetwork('doubledShare', 0.3),
  'frames out of order': ofNetwork('shuffledShare', 0.2),
  'rate gone': { begin: (s) => s.banks.lose(true), end: (s) => s.banks.lose(false) },
  'rate changed': { begin: (s, c) => s.banks.set((24 + again(c)).toFixed(3)) },
  'rate lie': lieOfRate('first'),
  'rate lie for hours': { ...lieOfRate('first'), longMs: hoursMs },
  'rate lie of the second source': lieOfRate('second'),
  'rate lie of both': lieOfRate('both'),
  'rate of an older fixing': { begin: (s) => s.banks.giveOlder(true), end: (s) => s.banks.giveOlder(false) },
  'store lost': { begin: (s) => s.troubleStore('lost'), end: (s) => s.troubleStore(undefined) },
  'store read-only': { begin: (s) => s.troubleStore('read-only'), end: (s) => s.troubleStore(undefined) },
  'store locked': { begin: (s) => s.troubleStore('locked'), end: (s) => s.troubleStore(undefined) },
  'store restored older': { begin: (s) => s.operator.keepCopy(), end: (s) => s.restoreStore('copy') },
  'store of the former release': { begin: (s) => s.restoreStore('former') },
  'sources reloaded': { begin: (s, c) => s.reloadSources(1 + Math.floor(3 * c), 1), end: (s) => s.reloadSources(3) },
  'exchange down for hours': { ...ofExchange('down'), longMs: hoursMs },
  'rate gone for hours': { begin: (s) => s.banks.lose(true), end: (s) => s.banks.lose(false), longMs: hoursMs },
  'market not listed for hours': {
    ...ofExchange('pair-unlisted', (s, c) => ({ symbol: marketOf(s, c) })),
    longMs: hoursMs,
  },
  'market gone for an hour': {
    begin: (s, c) => s.takeMarket(marketOf(s, c), true),
    end: (s, c) => s.takeMarket(marketOf(s, c), false),
    longMs: [62 * 60_000, 75 * 60_000],
  },
  'disk full': {
    begin: ({ world }) => Object.assign(world.disk, { isFull: true }),
    end: ({ world }) => Object.assign(world.disk, { isFull: false }),
  },
  'disk slow': {
    begin: ({ world }) => Object.assign(world.disk, { syncMs: 3_000 }),
    end: ({ world }) => Object.assign(world.disk, { syncMs: 1 }),
  },
  'fee set': { begin: (s, c) => s.operator.setFee((0.1 + Math.floor(again(c) * 9) / 10).toFixed(1) as DecimalString) },
  'market paused': operated((s, symbol, isOn) =>
    s.operator.operate(({ markets }) => markets.setOperatorPaused(symbol, isOn)),
  ),
  'market held': operated((s, symbol, isOn) =>
    s.operator.operate(({ markets }) => markets.setHeld(symbol, isOn ? s.operator.now : undefined)),
  ),
  'maintenance window': {
    begin: (s) =>
      s.operator.operate(({ windows }) => {
        const from = (s.operator.now + 5_000) as EpochMs;
        return windows.announce({ from, to: (from + 60_000) as EpochMs, description: 'A test of the simulation.' });
      }),
  },
  'key made and revoked': { begin: (s) => s.operator.changeKey('new') },
  'key rotated': { begin: (s) => s.operator.changeKey('rotated') },
  'client too fast': { begin: (s) => s.burst() },
  'client reads slowly': {
    begin: (s, c) => s.clientReads(100 * again(c)),
    end: (s) => s.clientReads(Number.POSITIVE_INFINITY),
  },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faults;

const kinds = Object.keys(faults) as readonly FaultKind[];
const goneKind = 'market gone for an hour';
/** The store is locked from before the market is to be delisted until so long after the market is back. */
const lockedAfterMs = 58 * 60_000;
const lockedLongerMs = [1_000, 7_000] as const;
/** From the first fault of one storm to that of the next. */
const everyMs = [30 * 60_000, 120 * 60_000] as const;
/** Faults of one storm begin within this time. */
const stormMs = 4 * 60_000;
const forMsMin = 2_000;
const forMsMax = 4 * 60_000;
/** Around everything that begins or ends the world is not quiet. */
const beforeMs = 20_000;
const afterMs = 2 * 60_000;

/**
 * Draws a plan: storms of faults, half of them of one fault alone, and quiet between. Where there are many markets,
 * and no others are offered, one is gone for so long that it is to be delisted first, while the store is locked until
 * the market is back.
 *
 * @param only of these kinds
 */
export function planOf(randomness: Randomness, forMs: number, kind: SeedKind, only = /./): readonly PlannedFault[] {
  const offered = kinds.filter((name) => only.test(name) && isOffered(name, kind, forMs));
  const planned: PlannedFault[] = [];
  const between = (min: number, max: number) => Math.round(min + (max - min) * randomness.fraction());
  // A short run has short faults, one soon after the other.
  const shorter = Math.min(1, forMs / 21_600_000);
  const longestMs = Math.min(forMsMax, forMs / 3);
  const hasRoom = () => atMs + longestMs < forMs;
  let atMs = Math.min(60_000, forMs / 5);
  const goneLongestMs = faults[goneKind].longMs[1] + 2 * afterMs;
  while (kind.hasManyMarkets && !kind.offersAll && only.test(goneKind) && atMs + goneLongestMs < forMs) {
    const goneMs = between(...faults[goneKind].longMs);
    const choice = randomness.fraction();
    planned.push({ kind: goneKind, atMs, forMs: goneMs, choice });
    const lockedForMs = goneMs - lockedAfterMs + between(...lockedLongerMs);
    planned.push({ kind: 'store locked', atMs: atMs + lockedAfterMs, forMs: lockedForMs, choice });
    atMs += goneMs + 2 * afterMs;
  }
  for (; hasRoom(); atMs += between(everyMs[0] * shorter, everyMs[1] * shorter)) {
    const count = randomness.fraction() < 1 / 2 ? between(2, 5) : 1;
    for (let index = 0; index < count; index++) {
      const name = offered[Math.floor(randomness.fraction() * offered.length)];
      if (name === undefined) break;
      const startMs = atMs + (index === 0 ? 0 : between(0, stormMs * shorter));
      const { longMs }: Fault = faults[name];
      const lastsMs = longMs === undefined ? between(forMsMin, longestMs) : between(...longMs);
      if (startMs + lastsMs >= forMs) continue;
      planned.push({ kind: name, atMs: startMs, forMs: lastsMs, choice: randomness.fraction() });
    }
  }
  return planned;
}

function isOffered(
  name: FaultKind,
  { processes, hasEngine, hasManyMarkets, offersAll, rateSource, comparesRates }: SeedKind,
  forMs: number,
): boolean {
  const { longMs }: Fault = faults[name];
  if (/engine/.test(name) && !hasEngine) return false;
  if (/^flood/.test(name) && !offersAll) return false;
  if (/fixing$/.test(name) && rateSource === 'json') return false;
  if (/^rate.*(second|both)/.test(name) && !comparesRates) return false;
  // Of those that quote many markets two do not say of when their prices are.
  if (name === (hasManyMarkets ? 'only a cache answers' : goneKind)) return false;
  return (processes > 1 || !/^Redis/.test(name)) && (longMs?.[1] ?? 0) < forMs / 2;
}

/** The stretches of a run in which no fault begins or ends. */
export function quietOf(plan: readonly PlannedFault[], forMs: number): readonly (readonly [number, number])[] {
  const instants = plan.flatMap(({ atMs, forMs: lastsMs }) => [atMs, atMs + lastsMs]).sort((one, other) => one - other);
  const bounds = [...instants, forMs + afterMs].filter((atMs) => atMs <= forMs + afterMs);
  return bounds.flatMap((atMs, index) => {
    const [fromMs, toMs] = [(bounds[index - 1] ?? 0) + afterMs, atMs - beforeMs];
    return toMs - fromMs > 60_000 ? [[fromMs, Math.min(toMs, forMs - beforeMs)] as const] : [];
  });
}

/** Has a fault happen in its time. */
export function schedule(simulation: Simulation, planned: PlannedFault): void {
  const { kind, atMs, forMs, choice } = planned;
  const fault: Fault = faults[kind];
  const { world } = simulation;
  const lane = world.scheduler.lane('faults');
  const act = (what: string, run: Fault['begin']) => {
    world.note('fault', `${kind} ${what} (${choice.toFixed(3)})`);
    // A fault that is there already cannot begin once more, and one that ended with another cannot end.
    Promise.try(run, simulation, choice).catch((error: Error) => world.note('fault', `${kind}: ${error.message}`));
  };
  lane.later(atMs - world.nowMs, () => act('begins', fault.begin));
  if (fault.end !== undefined) lane.later(atMs + forMs - world.nowMs, () => act('ends', fault.end!));
}
