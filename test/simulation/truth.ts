import { silentForMs } from '../../src/market/data-flow.ts';
import { Beliefs, foundWithinMs, type Speaker } from './beliefs.ts';
import { deadPrefix, type ExchangeModel, floodPrefix } from './exchange-model.ts';
import { calmMs } from './never-back.ts';
import type { Operator } from './operator.ts';
import type { RedisServer } from './redis-server.ts';
import { delistAfterMs } from './seed-kind.ts';
import type { ServiceProcess } from './service-process.ts';
import { Steadiness } from './steadiness.ts';
import type { ToldQuotes } from './told-quotes.ts';
import type { Truth } from './witnessing.ts';
import type { World } from './world.ts';

/** As long as a store that is back may take to be read again, and to be written. */
const storeReadWithinMs = 5_000;
/** What was served is saved a moment later. */
const savedWithinMs = 2_000;
/** Saved once a second: a process that is killed loses its last second. */
const killedLosesMs = 1_100;
/** Whatever happens seldom in a quiet stretch has happened again by then. */
const quietLongerMs = 15_000;
/** A source that is back makes the prices again by then. */
const takenWithinMs = 90_000;
/** On its way a price takes a moment, and four seconds where frames are delayed. */
const learnsWithinMs = 1_000;

interface Absence {
  readonly fromMs: number;
  /** When its exchanges listed it again. */
  untilMs: number;
  /** When one of them sent a price of it. */
  toldMs: number;
}

/** What went wrong in the world when, as far as it excuses what the witnesses see. */
export class Troubles {
  offMsMax = 0;
  readonly #world: World;
  readonly #absences = new Map<string, Absence[]>();
  #clocksSetAtMs = Number.NEGATIVE_INFINITY;
  #storeLostAtMs = Number.NEGATIVE_INFINITY;
  #storeSoundSinceMs = Number.NEGATIVE_INFINITY;
  readonly #operated = new Map<string, { readonly isOn: boolean; readonly atMs: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  /** An operator stops or holds a market, or ends that. @param symbol as `BTCEUR` */
  operated(symbol: string, isOn: boolean): void {
    this.#operated.set(symbol, { isOn, atMs: this.#world.nowMs });
  }

  /** An operator ends all of it. */
  operatedNothing(): void {
    for (const symbol of this.#operated.keys()) this.operated(symbol, false);
  }

  /** When an operator’s word of it last was in force: nobody hears of its end while the store is lost. */
  operatedAtMs(symbol: string): number {
    const { isOn = false, atMs = Number.NEGATIVE_INFINITY } = this.#operated.get(symbol) ?? {};
    if (isOn || (atMs > Number.NEGATIVE_INFINITY && this.#world.storeTrouble !== undefined)) return this.#world.nowMs;
    const wasLost = this.#storeLostAtMs <= atMs && atMs < this.#storeSoundSinceMs;
    return wasLost ? this.#storeSoundSinceMs : atMs;
  }

  clocksSet(offMs: number): void {
    this.offMsMax = Math.max(this.offMsMax, Math.abs(offMs));
    this.#clocksSetAtMs = this.#world.nowMs;
  }

  /** The store is taken from the processes, or they have it again. */
  storeTroubled(): void {
    const { nowMs, storeTrouble } = this.#world;
    if (storeTrouble === undefined) this.#storeSoundSinceMs = nowMs;
    else if (this.#storeLostAtMs <= this.#storeSoundSinceMs) this.#storeLostAtMs = nowMs;
  }

  /** No exchange lists or quotes the market any more, or all do again. @param symbol as `BTCEUR` */
  absent(symbol: string, isAbsent: boolean): void {
    const { nowMs } = this.#world;
    const all = this.#absences.getOrInsertComputed(symbol, () => []);
    if (isAbsent) {
      const never = Number.POSITIVE_INFINITY;
      all.push({ fromMs: nowMs, untilMs: never, toldMs: never });
    } else for (const absence of all) absence.untilMs = Math.min(absence.untilMs, nowMs);
  }

  /** An exchange sent a price of the market. */
  quoted(symbol: string): void {
    const last = this.#absences.get(symbol)?.at(-1);
    if (last !== undefined && last.untilMs <= this.#world.nowMs) last.toldMs = Math.min(last.toldMs, this.#world.nowMs);
  }

  /**
   * Whether a market was to be delisted at an instant: no exchange had listed it for so long, and none had sent a price
   * again.
   */
  isGone(symbol: string, atMs: number): boolean {
    const withinMs = learnsWithinMs + this.offMsMax;
    const isGone = ({ fromMs, toldMs }: Absence) =>
      atMs >= fromMs + delistAfterMs - withinMs && atMs <= toldMs + withinMs;
    return this.#absences.get(symbol)?.some(isGone) === true;
  }

  /** Whether it was to be at some time. */
  mayBeDelisted(symbol: string): boolean {
    const { nowMs } = this.#world;
    const wasDue = ({ fromMs, toldMs }: Absence) => this.isGone(symbol, Math.min(nowMs, toldMs)) && nowMs > fromMs;
    return this.#absences.get(symbol)?.some(wasDue) === true;
  }

  get clocksSetAtMs(): number {
    return this.#clocksSetAtMs;
  }

  get storeLostAtMs(): number | undefined {
    const { storeTrouble, nowMs } = this.#world;
    const isSound = storeTrouble === undefined && nowMs - this.#storeSoundSinceMs > storeReadWithinMs;
    return isSound ? undefined : this.#storeLostAtMs;
  }

  wasUnsaved(atMs: number): boolean {
    const isOver = this.#world.storeTrouble === undefined && atMs > this.#storeSoundSinceMs + storeReadWithinMs;
    return atMs > this.#storeLostAtMs - savedWithinMs && !isOver;
  }
}

/** An exchange as far as the truth is about it. */
export type Source = Pick<
  ExchangeModel,
  'name' | 'heardAtMs' | 'emptiedAtMs' | 'isEmpty' | 'faultsOf' | 'linkedSinceMs' | 'factorOf'
>;

/** A world with whatever is in it. */
interface Inhabited {
  readonly world: World;
  readonly exchanges: readonly Source[];
  /** Those that the processes were told of, in order of preference. */
  readonly listed: readonly Source[];
  /** Of each market that is bought for euros on all of them, as `BTC/EUR`. */
  readonly markets: readonly string[];
  readonly engine: { readonly heardAtMs: number } | undefined;
  readonly redis: RedisServer;
  readonly processes: readonly ServiceProcess[];
  readonly operator: Operator;
  readonly troubles: Troubles;
}

/** Whatever processes have to tell each other, or to find again, is done by then. */
const settledWithinMs = 30_000;
/** A rate that is right again is read, and one that was held taken, by then; where nobody confirms it an hour later. */
const convertedWithinMs = 65 * 60_000;
/** An operator’s word is known by then, and so is its end. */
const operatedWithinMs = 60_000;
/** What was believed stays the level of the market for so long. */
const levelForMs = 6.5 * 60_000;

interface TruthAndBeliefs {
  readonly truth: Truth;
  readonly beliefs: Beliefs;
}

/** Gives what the witnesses may know of a world, and what may be believed in it. */
export function truthOf(simulation: Inhabited, quotes: ToldQuotes): TruthAndBeliefs {
  const { processes, operator, redis, troubles, world } = simulation;
  const processOf = (by: string) => processes.find(({ name }) => name === by)!;
  const engines = simulation.engine ? [simulation.engine] : [];
  const heardAtMs = () => Math.max(...[...simulation.exchanges, ...engines].map((each) => each.heardAtMs));
  const sharedSinceMs = () => {
    // One that was frozen before it found the others again does so only now.
    const late = processes.filter(({ frozenAtMs }) => frozenAtMs - redis.soundSinceMs < calmMs);
    return Math.max(redis.soundSinceMs, ...late.map(({ thawedAtMs }) => thawedAtMs));
  };
  /** The last time that nobody was fed who was to follow another again: it does once that one is. */
  let unfedAtMs = 0;
  /** The last time that the first source listed nothing: a process that came to it meanwhile has no market of it. */
  let emptyAtMs = 0;
  const disturbedAtMs = () => {
    const changedAtMs = processes.map(({ reloadedAtMs, ...process }) => Math.max(process.disturbedAtMs, reloadedAtMs));
    const isOff = processes.some(({ isFrozen, isDrifting, offMs }) => isFrozen || isDrifting || offMs !== 0);
    return isOff ? world.nowMs : Math.max(sharedSinceMs(), troubles.clocksSetAtMs, ...changedAtMs);
  };
  const nameOf = new Map(simulation.markets.map((market) => [market.replace('/', ''), market]));
  const speakers = (): readonly Speaker[] =>
    simulation.listed.map((exchange) => ({
      name: exchange.name,
      heardAtMs: exchange.heardAtMs,
      steadySinceMs: (symbol) => steadiness.since(exchange.name, nameOf.get(symbol) ?? symbol),
      factorOf: (symbol) => exchange.factorOf(nameOf.get(symbol)!),
    }));
  const beliefs = new Beliefs({
    get nowMs() {
      return world.nowMs;
    },
    get speakers() {
      return speakers();
    },
    get disturbedAtMs() {
      return disturbedAtMs();
    },
  });
  const steadiness = new Steadiness(world, simulation.exchanges, simulation.markets, () => beliefs.look());
  const servableSinceMs = (symbol: string) => {
    // No exchange has that of the engine.
    if (!nameOf.has(symbol)) return Number.POSITIVE_INFINITY;
    const isHonest = ({ name }: Speaker) => !beliefs.isDeceiving(name, symbol) && !beliefs.mayBeKeptOut(name, symbol);
    const honest = speakers().filter(isHonest);
    return Math.max(
      // None where there is none.
      Math.min(...honest.map((each) => each.steadySinceMs(symbol))),
      disturbedAtMs() + settledWithinMs,
      troubles.operatedAtMs(symbol) + operatedWithinMs,
      beliefs.movedAtMs(symbol) + levelForMs,
      beliefs.frozenUntilMs(symbol),
    );
  };
  const truth: Truth = {
    quotes,
    symbols: [...nameOf.keys()],
    isInvented: (symbol) => symbol.startsWith(floodPrefix) || symbol.startsWith(deadPrefix),
    isAllowed(quote, symbol, datedMs) {
      const [now, before] = [datedMs, datedMs - foundWithinMs].map((atMs) => quotes.deviation(quote, symbol, atMs));
      const isTrue = quote.bid === quote.truth.bid && quote.ask === quote.truth.ask;
      const isAllowed = beliefs.isAllowed({ ...quote, isTrue }, symbol, datedMs, { now: now!, before: before! });
      return isAllowed && beliefs.isTrusted(quote.source, symbol, datedMs);
    },
    steadySinceMs(source, symbol) {
      const speaker = speakers().find(({ name }) => name === source);
      return speaker?.steadySinceMs(symbol) ?? Number.POSITIVE_INFINITY;
    },
    servableSinceMs,
    convertibleSinceMs: (symbol) =>
      Math.max(servableSinceMs(symbol), quotes.rates.changedAtMs(world.nowMs) + convertedWithinMs),
    processes: processes.length,
    offMs: (by) => processOf(by).offMs,
    undisturbedSinceMs: (by) => processOf(by).disturbedAtMs,
    revokedAtMs: (key) => operator.revokedAtMs(key),
    wasUnsaved: (atMs) =>
      troubles.wasUnsaved(atMs) ||
      // An older store knows nothing of it, whenever it is first read.
      atMs <= operator.restoredAtMs ||
      processes.some(({ killedAtMs }) => atMs <= killedAtMs && atMs > killedAtMs - killedLosesMs),
    mayBeDelisted: (symbol) => troubles.mayBeDelisted(symbol.replace(/CZK$/, 'EUR')),
    get offMsMax() {
      return troubles.offMsMax;
    },
    get heardAtMs() {
      return heardAtMs();
    },
    get isQuiet() {
      return world.scheduler.sinceQuietMs < quietLongerMs;
    },
    get firstHeardAtMs() {
      const changedAtMs = processes.flatMap(({ disturbedAtMs, reloadedAtMs }) => [disturbedAtMs, reloadedAtMs]);
      const sinceMs = Math.max(sharedSinceMs(), ...changedAtMs);
      const { heardAtMs, emptiedAtMs, isEmpty } = simulation.exchanges[0]!;
      if (isEmpty) emptyAtMs = world.nowMs;
      const listedSinceMs = sinceMs < emptiedAtMs ? sinceMs : Math.max(sinceMs, emptyAtMs);
      return heardAtMs - listedSinceMs > takenWithinMs ? heardAtMs : undefined;
    },
    get sharedSinceMs() {
      return sharedSinceMs();
    },
    get oneBoardSinceMs() {
      const sinceMs = Math.max(sharedSinceMs(), operator.restoredAtMs, unfedAtMs);
      if (world.nowMs - sinceMs < calmMs && world.nowMs - heardAtMs() > silentForMs) unfedAtMs = world.nowMs;
      return Math.max(sinceMs, unfedAtMs);
    },
    get clocksSetAtMs() {
      return processes.some(({ isDrifting }) => isDrifting) ? world.nowMs : troubles.clocksSetAtMs;
    },
    get storeLostAtMs() {
      return troubles.storeLostAtMs;
    },
    get processesStartedAtMs() {
      return Math.max(...processes.map(({ disturbedAtMs }) => disturbedAtMs));
    },
  };
  return { truth, beliefs };
}
