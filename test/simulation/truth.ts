import { silentForMs } from '../../src/market/data-flow.ts';
import type { ExchangeModel } from './exchange-model.ts';
import type { HonestQuotes } from './honest-quotes.ts';
import type { Operator } from './operator.ts';
import type { RedisServer } from './redis-server.ts';
import { delistAfterMs } from './seed-kind.ts';
import type { ServiceProcess } from './service-process.ts';
import { calmMs, type Truth } from './witnesses.ts';
import type { World } from './world.ts';

/** Within this time after a lie, or a trouble, what was known before may still count. */
const doubtfulForMs = 5 * 60_000;
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
  readonly #lies = new Map<string, number>();
  #liedAlikeAtMs = Number.NEGATIVE_INFINITY;
  #liedPlausiblyAtMs = Number.NEGATIVE_INFINITY;
  #troubledAtMs = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
  }

  /** Something is wrong that can take sources away. */
  troubled(): void {
    this.#troubledAtMs = this.#world.nowMs;
  }

  /** @param of whose price of what @param factor of the true price; `undefined` ends the lie */
  lie(of: string, factor: number | undefined): void {
    this.#noteLies();
    if (factor === undefined) this.#lies.delete(of);
    else this.#lies.set(of, factor);
    this.#noteLies();
  }

  #noteLies(): void {
    if (this.#lies.size > 1) this.#liedAlikeAtMs = this.#world.nowMs;
    if (this.#isLiedPlausibly) this.#liedPlausiblyAtMs = this.#world.nowMs;
  }

  /** Whether some source lies by less than half or double: it would be believed if it were alone. */
  get #isLiedPlausibly(): boolean {
    return [...this.#lies.values()].some((factor) => factor > 0.5 && factor < 2);
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

  /** @param exchange its name */
  isLying(exchange: string): boolean {
    return this.#lies.keys().some((of) => of.startsWith(`${exchange} `));
  }

  get isDoubtful(): boolean {
    const { nowMs } = this.#world;
    const isLied = this.#isLiedPlausibly || nowMs - this.#liedPlausiblyAtMs < doubtfulForMs;
    // Two that lie alike outvote the third.
    const isOutvoted = this.#lies.size > 1 || nowMs - this.#liedAlikeAtMs < doubtfulForMs;
    return isOutvoted || (isLied && nowMs - this.#troubledAtMs < 2 * doubtfulForMs);
  }
}

/** A world with whatever is in it. */
interface Inhabited {
  readonly world: World;
  readonly exchanges: readonly Pick<ExchangeModel, 'name' | 'heardAtMs' | 'emptiedAtMs' | 'isEmpty'>[];
  readonly engine: { readonly heardAtMs: number } | undefined;
  readonly redis: RedisServer;
  readonly processes: readonly ServiceProcess[];
  readonly operator: Operator;
  readonly troubles: Troubles;
}

/** Gives what the witnesses may know of a world. */
export function truthOf(simulation: Inhabited, quotes: HonestQuotes): Truth {
  const { processes, operator, redis, troubles, world } = simulation;
  const processOf = (by: string) => processes.find(({ name }) => name === by)!;
  const engines = simulation.engine ? [simulation.engine] : [];
  const heardAtMs = () => Math.max(...[...simulation.exchanges, ...engines].map((each) => each.heardAtMs));
  /** Gives how many sources that tell the truth are heard. */
  const honestHeard = () => {
    const honest = [...simulation.exchanges.filter(({ name }) => !troubles.isLying(name)), ...engines];
    return honest.filter((each) => world.nowMs - each.heardAtMs <= quietLongerMs).length;
  };
  const sharedSinceMs = () => {
    // One that was frozen before it found the others again does so only now.
    const late = processes.filter(({ frozenAtMs }) => frozenAtMs - redis.soundSinceMs < calmMs);
    return Math.max(redis.soundSinceMs, ...late.map(({ thawedAtMs }) => thawedAtMs));
  };
  /** The last time that nobody was fed who was to follow another again: it does once that one is. */
  let unfedAtMs = 0;
  /** The last time that the first source listed nothing: a process that came to it meanwhile has no market of it. */
  let emptyAtMs = 0;
  /** Nobody was there to contradict a lie, and so far no two are. */
  let isUnopposed = false;
  return {
    quotes,
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
    get isDoubtful() {
      const heard = honestHeard();
      if (heard === 0 || heard > 1) isUnopposed = heard === 0;
      if (isUnopposed) troubles.troubled();
      return troubles.isDoubtful;
    },
  };
}
