import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Banks } from './banks.ts';
import type { Beliefs } from './beliefs.ts';
import { Client, type Witnessed } from './clients.ts';
import { EngineModel, engineRange, engineSymbol } from './engine-model.ts';
import { ExchangeModel, type Told } from './exchange-model.ts';
import { MarketLevels } from './market-levels.ts';
import { feeAtFirst, Operator } from './operator.ts';
import { RecordWitness } from './record-witness.ts';
import { RedisServer } from './redis-server.ts';
import type { Release } from './release.ts';
import { Findings } from './rules.ts';
import { epochMs, type Lane } from './scheduler.ts';
import { dialectsOf, marketsOf, recordIn, type SeedKind, settingsOf } from './seed-kind.ts';
import { ServiceProcess } from './service-process.ts';
import type { Deceit } from './telling.ts';
import { ToldQuotes } from './told-quotes.ts';
import { Troubles, truthOf } from './truth.ts';
import { Witnesses } from './witnesses.ts';
import { enter, type StoreTrouble, World } from './world.ts';

export interface SimulationOptions {
  readonly kind: SeedKind;
  readonly forMs: number;
  /** All processes run it until they are upgraded for the first time. */
  readonly former?: Release | undefined;
  /** Stretches in which nothing begins or ends. */
  readonly quiet?: readonly (readonly [number, number])[];
  /** Called once everything has started: what happens to it. */
  readonly begun: (simulation: Simulation) => void;
  /** Called when its time is over: ends what is still wrong, and looks whether all is well. */
  readonly ended: (simulation: Simulation) => Promise<void>;
}

const memory = '/dev/shm';
const rate = '24.315';
const burstRequests = 80;
const askedInBanMax = 2;
/** Longer than a list is read again after. */
const floodTurnMs = 80_000;
const floodTurns = 4;
/**
 * A client that asks twice each time does so as seldom as the others ask for the status, and the second time so soon.
 */
const impatientEveryMs = 10_000;
const impatientWithinMs = 1_500;
/** What is compared has to be of one moment. */
const auditedTargets = ['/v1/status', '/v1/tickers'] as const;
const auditedEveryMs = 15_000;
const quietAuditedEveryMs = 180_000;
const soonMs = [10, 300, 2_500] as const;
/** So little that the answers of one client matter, as those of thousands do to a machine. */
const memoryOfMarketBytes = 256 * 1024;
/** As far as the clocks of a process that drifts come to be off. */
const driftMsMax = 6_000;
const upgradeEveryMs = 30_000;
/** What is done in a lane waits for a store that is being restored, and that one for another. */
const doneWithinS = 240;

/** Everything of one run: the world, what is in it, and what was seen. */
export class Simulation {
  readonly world: World;
  readonly exchanges: readonly ExchangeModel[];
  readonly banks: Banks;
  readonly redis: RedisServer;
  /** In some of the seeds that have Redis. */
  readonly engine: EngineModel | undefined;
  readonly processes: readonly ServiceProcess[];
  readonly findings: Findings;
  readonly levels = new MarketLevels();
  readonly troubles: Troubles;
  readonly operator: Operator;
  answers = 0;
  #isUpgraded = false;
  readonly #options: SimulationOptions;
  readonly #directory: string;
  readonly #trace = createHash('sha256');
  readonly #quotes: ToldQuotes;
  readonly #witnesses: Witnesses;
  readonly #beliefs: Beliefs;
  #listed: readonly ExchangeModel[];
  readonly #record: RecordWitness;
  readonly #clients: Client[] = [];

  constructor(options: SimulationOptions) {
    const { kind, quiet } = options;
    this.#options = options;
    const world = enter(new World(kind.seed, quiet));
    this.world = world;
    this.findings = new Findings(
      () => world.nowMs,
      ({ rule, text }) => world.note('witness', `${rule}: ${text}`),
    );
    this.troubles = new Troubles(world);
    this.#directory = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'mdapi-simulation-'));
    this.#quotes = new ToldQuotes(feeAtFirst, '1', rate);
    const keyChanged = (old: string, key: string) => {
      for (const client of this.#clients) if (client.key === old) client.use(key);
    };
    const openStore = options.former?.openStore;
    this.operator = new Operator(world, this.#directory, this.#quotes, keyChanged, openStore);
    const quoted = (exchange: string) => (pair: string, told: Told) => {
      const symbol = pair.replace('/', '');
      this.#quotes.quoted(exchange, symbol, told, world.nowMs);
      if (!told.isMuted) this.troubles.quoted(symbol);
    };
    const askedInBan = (process: string, times: number) =>
      this.findings.check('bans kept', times <= askedInBanMax, () => `${process} asked ${times} times`);
    const levelOf = (symbol: string) => this.levels.at(symbol, world.nowMs);
    const isMoving = (symbol: string) => this.levels.isMoving(symbol, world.nowMs);
    const markets = marketsOf(kind);
    const hasDead = kind.offersAll;
    world.memoryBytes = markets * memoryOfMarketBytes;
    this.exchanges = dialectsOf(kind).map(
      (dialect, deviation) =>
        new ExchangeModel({
          dialect,
          deviation,
          markets,
          hasDead,
          levelOf,
          isMoving,
          quoted: quoted(dialect),
          askedInBan,
        }),
    );
    this.#listed = this.exchanges;
    this.banks = new Banks(world, kind.rateSource, this.#quotes.rates, kind.comparesRates);
    this.redis = new RedisServer();
    world.redis = this.redis;
    for (const exchange of this.exchanges) world.servers.set(exchange.name, exchange);
    for (const rates of this.banks.all) world.servers.set(rates.host, rates);
    if (kind.hasEngine) {
      const told = quoted('engine');
      this.engine = new EngineModel(this.redis, (bid, ask) => {
        const statistics = { high: engineRange.high24h, low: engineRange.low24h, volume: engineRange.volume24h };
        told(engineSymbol, { bid, ask, truth: { bid, ask }, isMuted: false, ...statistics });
      });
    }
    this.processes = this.#makeProcesses(kind);
    const { truth, beliefs } = truthOf(this, this.#quotes);
    this.#beliefs = beliefs;
    this.#witnesses = new Witnesses({ truth, findings: this.findings, epochMs });
    this.#record = new RecordWitness(recordIn(this.#directory), this.findings);
  }

  /** Runs all of it, and cleans up. @returns a digest of everything that was seen */
  async run(): Promise<string> {
    const { world } = this;
    try {
      await this.inLane(this.operator.lane, () => this.#prepare());
      for (const process of this.processes) process.start();
      this.#options.begun(this);
      await world.scheduler.runTo(this.#options.forMs);
      await this.#options.ended(this);
      if (this.#options.kind.hasRecord)
        await this.inLane(world.scheduler.lane('auditor'), () => this.#record.compare());
      for (const failure of world.failures) this.findings.check('no failure', false, () => failure);
      this.findings.check('no failure', true, () => '');
    } finally {
      for (const process of this.processes) process.kill();
      this.operator.lane.kill();
      rmSync(this.#directory, { recursive: true, force: true });
    }
    for (const { atMs, who, text } of world.notes) this.#trace.update(`${atMs} ${who} ${text}\n`);
    return this.#trace.digest('hex');
  }

  /** Those that are on offer, as `BTC/EUR`. */
  marketsOf(exchange: ExchangeModel): readonly string[] {
    return exchange.symbols.filter((symbol) => symbol.endsWith('/EUR'));
  }

  /** Those of all exchanges, as `BTC/EUR`. */
  get markets(): readonly string[] {
    return this.marketsOf(this.exchanges[0]!);
  }

  /** Those that the processes were told of, in order of preference. */
  get listed(): readonly ExchangeModel[] {
    return this.#listed;
  }

  /** @param deceit `undefined` ends the one there is @param symbol as `BTC/EUR` */
  deceive(exchange: ExchangeModel, symbol: string, deceit: Deceit | undefined): void {
    this.#beliefs.deceives(exchange.name, symbol.replace('/', ''), deceit);
    exchange.deceive(symbol, deceit);
  }

  /** Takes a market from every exchange, or gives it back to all. @param symbol as `BTC/EUR` */
  async takeMarket(symbol: string, isGone: boolean): Promise<void> {
    this.troubles.absent(symbol.replace('/', ''), isGone);
    for (const exchange of this.exchanges)
      for (const fault of ['pair-unlisted', 'mute-symbol'] as const)
        if (isGone) await exchange.set({ fault, symbol: [symbol] });
        else await exchange.faults.clear(fault, symbol);
  }

  setClock(process: ServiceProcess, offMs: number): void {
    this.troubles.clocksSet(offMs);
    process.setClock(offMs);
  }

  drift(process: ServiceProcess, rate: number): void {
    this.troubles.clocksSet(driftMsMax);
    process.drift(rate);
    if (rate === 1) process.setClock(0);
  }

  /** Takes the store from the processes, or gives it back. */
  troubleStore(trouble: StoreTrouble | undefined): void {
    this.world.storeTrouble = trouble;
    this.troubles.storeTroubled();
  }

  /** Has the operator restore the store, which has to work. */
  restoreStore(what: 'copy' | 'former'): void {
    const failed = (error: Error) => void this.world.failures.push(`the store is not restored: ${error.message}`);
    this.operator.restore(what, this.processes).catch(failed);
  }

  /** Stops and starts one process after the other, each as the other release where there are two. */
  upgrade(): void {
    const lane = this.world.scheduler.lane('upgrade');
    this.#isUpgraded = !this.#isUpgraded;
    const isFormer = !this.#isUpgraded;
    for (const [index, process] of this.processes.entries()) {
      lane.later(index * upgradeEveryMs, () => process.stop());
      lane.later(index * upgradeEveryMs + upgradeEveryMs / 2, () => {
        process.isFormer = isFormer;
        process.start();
      });
    }
  }

  /** Gives all processes other sources: the first so many, in another order. */
  reloadSources(count: number, first = 0): void {
    const all = this.exchanges.map((_, index) => this.exchanges[(index + first) % this.exchanges.length]!);
    this.#listed = all.slice(0, count);
    for (const process of this.processes) process.reload({ sources: this.#sourcesOf(this.#listed) });
  }

  /** An operator says something of a market, or takes it back. @param symbol as `BTCEUR` */
  operates(
    symbol: string,
    isOn: boolean,
    say: (simulation: Simulation, symbol: string, isOn: boolean) => unknown,
  ): unknown {
    this.troubles.operated(symbol, isOn);
    return say(this, symbol, isOn);
  }

  /** Has an exchange list so many more, and no more, by turns, until it is told that floods are over. */
  floods(exchange: ExchangeModel, count: number): void {
    const flood = () => {
      exchange.flood(count);
      exchange.lane.later(floodTurnMs, exchange.endFloods.bind(exchange));
    };
    for (let turn = 0; turn < floodTurns; turn++) exchange.lane.later(2 * turn * floodTurnMs, flood);
  }

  /** On all exchanges alike. @param symbol as `BTC/EUR` */
  moveMarket(symbol: string, factor: number, overMs: number): void {
    this.levels.move(symbol, factor, this.world.nowMs, overMs);
  }

  /** A client that asks far more often than it may. */
  burst(): void {
    const client = this.#clients[0]!;
    for (let index = 0; index < burstRequests; index++)
      this.operator.lane.later(index * 200, () => client.ask('/v1/tickers'));
  }

  /** The first client reads so fast. */
  clientReads(bytesPerS: number): void {
    this.#clients[0]!.reads(bytesPerS);
  }

  async #prepare(): Promise<void> {
    await this.operator.prepare();
    const saw = (answer: Witnessed) => this.saw(answer);
    for (const [index, key] of this.operator.keys.entries()) {
      const client = new Client(this.world, `${index + 1}`, key, this.serving, saw, index % 2 === 1);
      this.#clients.push(client);
      client.poll('/v1/tickers', 5_000);
      client.poll('/v1/ticker?symbol=BTCCZK', 10_000);
      client.poll('/v1/status', 10_000);
      client.poll('/v1/markets', 300_000);
    }
    const auditor = new Client(this.world, 'auditor', this.operator.keys[1]!, this.serving, saw);
    this.#clients.push(auditor);
    for (const process of this.serving) this.#audit(auditor, process);
    const impatient = new Client(this.world, 'impatient', this.operator.keys[0]!, this.serving, saw);
    this.#clients.push(impatient);
    for (const target of ['/v1/status', '/v1/ticker?symbol=BTCCZK'])
      impatient.poll(target, impatientEveryMs, impatientWithinMs);
  }

  /** Asks one process for prices and status at once, now and then, and soon after it began to serve. */
  #audit(auditor: Client, process: ServiceProcess): void {
    const { scheduler } = this.world;
    const lane = scheduler.lane('auditor');
    const ask = () => auditedTargets.forEach((target) => void auditor.ask(target, [process]));
    const askLater = () => {
      lane.later(scheduler.isQuiet ? quietAuditedEveryMs : auditedEveryMs, askLater);
      ask();
    };
    lane.later(auditedEveryMs, askLater);
    process.began = () => soonMs.forEach((delayMs) => void lane.later(delayMs, ask));
  }

  saw(answer: Witnessed): void {
    this.answers++;
    this.#trace.update(`${answer.answeredAtMs} ${answer.by} ${answer.target} ${answer.status} ${answer.body}\n`);
    this.#witnesses.saw(answer);
    if (!this.#options.kind.hasRecord) return;
    // Without Redis a process has no newer price of the engine than before.
    const isCutOff = this.engine !== undefined && answer.answeredAtMs - this.redis.soundSinceMs < 60_000;
    const isTimed = !isCutOff && this.processes.every(({ offMs, isDrifting }) => offMs === 0 && !isDrifting);
    this.#record.saw(answer, this.processes.find(({ name }) => name === answer.by)!, isTimed);
  }

  async inLane(lane: Lane, work: () => Promise<void>): Promise<void> {
    const done = Promise.withResolvers<void>();
    let isDone = false;
    lane.later(
      0,
      () =>
        void work()
          .then(done.resolve, done.reject)
          .finally(() => (isDone = true)),
    );
    for (let seconds = 0; seconds < doneWithinS && !isDone; seconds++)
      await this.world.scheduler.runTo(this.world.nowMs + 1_000);
    await done.promise;
  }

  #sourcesOf(exchanges: readonly ExchangeModel[]): string {
    const sources = exchanges.map(({ name, restUrl, wsUrl }) => ({ id: name, urls: { rest: restUrl, ws: wsUrl } }));
    return JSON.stringify([...sources, ...(this.engine ? [{ id: 'engine', kind: 'redis-stream' }] : [])]);
  }

  /** Those that are bought for euros. */
  get symbols(): readonly string[] {
    const symbols = this.marketsOf(this.exchanges[0]!).map((symbol) => symbol.replace('/', ''));
    return this.engine ? [...symbols, engineSymbol] : symbols;
  }

  get serving(): readonly ServiceProcess[] {
    return this.processes.filter(({ only }) => only !== 'feed');
  }

  #makeProcesses(kind: SeedKind): readonly ServiceProcess[] {
    const given = {
      sources: this.#sourcesOf(this.exchanges),
      symbols: kind.offersAll ? 'all' : this.symbols.join(','),
      banks: this.banks,
    };
    const settings = settingsOf(kind, { directory: this.#directory, ...given });
    const partOf = (index: number) => (kind.isSplit ? (index === 0 ? 'feed' : 'api') : undefined);
    return Array.from(
      { length: kind.processes },
      (_, index) =>
        new ServiceProcess(
          this.world,
          `process-${index + 1}`,
          this.#directory,
          settings,
          partOf(index),
          this.#options.former,
        ),
    );
  }
}
