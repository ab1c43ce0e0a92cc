import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Witnessed } from './clients.ts';
import { EngineModel, engineMarket } from './engine-model.ts';
import { ExchangeModel, type Quote } from './exchange-model.ts';
import { HonestQuotes } from './honest-quotes.ts';
import { feeAtFirst, Operator } from './operator.ts';
import { RatesModel } from './rates-model.ts';
import { RecordWitness } from './record-witness.ts';
import { RedisServer } from './redis-server.ts';
import type { Release } from './release.ts';
import { Findings } from './rules.ts';
import { epochMs, type Lane } from './scheduler.ts';
import { dialectsOf, marketsOf, recordIn, type SeedKind, settingsOf } from './seed-kind.ts';
import { ServiceProcess } from './service-process.ts';
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
}

const memory = '/dev/shm';
const rate = '24.315';
/** After the last fault everything is well again by then. */
const mendedWithinMs = 150_000;
const burstRequests = 80;
/**
 * A client that asks twice each time does so as seldom as the others ask for the status, and the second time so soon.
 */
const impatientEveryMs = 10_000;
const impatientWithinMs = 1_500;
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
  readonly rates: RatesModel;
  readonly redis: RedisServer;
  /** In some of the seeds that have Redis. */
  readonly engine: EngineModel | undefined;
  readonly processes: readonly ServiceProcess[];
  readonly findings: Findings;
  readonly troubles: Troubles;
  readonly operator: Operator;
  answers = 0;
  #isUpgraded = false;
  readonly #options: SimulationOptions;
  readonly #directory: string;
  readonly #trace = createHash('sha256');
  readonly #quotes: HonestQuotes;
  readonly #witnesses: Witnesses;
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
    this.#quotes = new HonestQuotes(feeAtFirst, '1', rate);
    const keyChanged = (old: string, key: string) => {
      for (const client of this.#clients) if (client.key === old) client.use(key);
    };
    const openStore = options.former?.openStore;
    this.operator = new Operator(world, this.#directory, this.#quotes, keyChanged, openStore);
    const quoted = (exchange: string) => (pair: string, quote: Quote, isMuted: boolean) => {
      const symbol = pair.replace('/', '');
      this.#quotes.quoted(exchange, symbol, quote, world.nowMs, isMuted);
      if (!isMuted) this.troubles.quoted(symbol);
    };
    const markets = marketsOf(kind);
    world.memoryBytes = markets * memoryOfMarketBytes;
    this.exchanges = dialectsOf(kind).map(
      (dialect, deviation) => new ExchangeModel({ dialect, deviation, markets, quoted: quoted(dialect) }),
    );
    this.rates = new RatesModel();
    this.redis = new RedisServer();
    world.redis = this.redis;
    for (const exchange of this.exchanges) world.servers.set(exchange.name, exchange);
    world.servers.set('bank', this.rates);
    if (kind.hasEngine) {
      const told = quoted('engine');
      this.engine = new EngineModel(this.redis, (bid, ask) =>
        told(`${engineMarket.base}${engineMarket.quote}`, { bid, ask }, false),
      );
    }
    this.processes = this.#makeProcesses(kind);
    this.#witnesses = new Witnesses(truthOf(this, this.#quotes), this.findings, epochMs);
    this.#record = new RecordWitness(recordIn(this.#directory), this.findings);
  }

  /** Runs all of it, and cleans up. @returns a digest of everything that was seen */
  async run(): Promise<string> {
    const { world } = this;
    try {
      await this.#inLane(this.operator.lane, () => this.#prepare());
      for (const process of this.processes) process.start();
      this.#options.begun(this);
      await world.scheduler.runTo(this.#options.forMs);
      await this.#inLane(this.operator.lane, () => this.#mend());
      await world.scheduler.runTo(world.nowMs + mendedWithinMs);
      await this.#looksWell();
      if (this.#options.kind.hasRecord)
        await this.#inLane(world.scheduler.lane('auditor'), () => this.#record.compare());
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

  /**
   * @param factor of the true price; `undefined` ends the lie @param how `rename`: the price is that of another asset
   * from now on
   */
  lies(exchange: ExchangeModel, symbol: string, factor: number | undefined, how: 'lie' | 'rename' = 'lie'): void {
    this.troubles.lie(`${exchange.name} ${symbol}`, factor);
    if (factor === undefined) exchange.tellTruth(symbol);
    else exchange[how](symbol, factor);
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
    for (const process of this.processes) process.reload({ sources: this.#sourcesOf(all.slice(0, count)) });
  }

  setRate(value: string): void {
    this.#quotes.rateFrom(value, this.world.nowMs);
    this.rates.set(value);
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
    const saw = (answer: Witnessed) => this.#saw(answer);
    for (const [index, key] of this.operator.keys.entries()) {
      const client = new Client(this.world, `${index + 1}`, key, this.#serving, saw, index % 2 === 1);
      this.#clients.push(client);
      client.poll('/v1/tickers', 5_000);
      client.poll('/v1/ticker?symbol=BTCCZK', 10_000);
      client.poll('/v1/status', 10_000);
      client.poll('/v1/markets', 300_000);
    }
    const impatient = new Client(this.world, 'impatient', this.operator.keys[0]!, this.#serving, saw);
    this.#clients.push(impatient);
    for (const target of ['/v1/status', '/v1/ticker?symbol=BTCCZK'])
      impatient.poll(target, impatientEveryMs, impatientWithinMs);
  }

  /** Ends every fault, as the last act of whoever looks after the service. */
  async #mend(): Promise<void> {
    for (const exchange of this.exchanges) await exchange.mend();
    for (const symbol of this.#symbols) this.troubles.absent(symbol, false);
    for (const name of ['rate-gone', 'rate-stale'] as const) await this.rates.fault(name, false);
    this.redis.restart();
    this.redis.slow(0);
    this.redis.split([]);
    this.redis.part([]);
    this.engine?.mend();
    this.clientReads(Number.POSITIVE_INFINITY);
    Object.assign(this.world.disk, { isFull: false, syncMs: 1 });
    this.troubleStore(undefined);
    this.reloadSources(this.exchanges.length);
    for (const process of this.processes) {
      process.thaw();
      // One that cannot go back starts no more.
      process.isFormer = false;
      if (process.isDrifting) this.drift(process, 1);
      if (process.offMs !== 0) this.setClock(process, 0);
      process.start();
    }
    await this.operator.operate(async ({ markets }) => {
      for (const { symbol } of await markets.list()) {
        await markets.setOperatorPaused(symbol, false).catch(() => {});
        await markets.setHeld(symbol, undefined).catch(() => {});
      }
    });
    this.world.note('fault', 'all are over');
  }

  async #looksWell(): Promise<void> {
    const { world, findings } = this;
    const offered = await this.#offered();
    const seen = new Map<string, Witnessed>();
    const key = this.operator.keys.at(-1)!;
    const client = new Client(world, 'last', key, this.#serving, (answer) => {
      seen.set(`${answer.by} ${answer.target}`, answer);
      this.#saw(answer);
    });
    for (const process of this.#serving)
      for (const target of ['/v1/status', '/v1/tickers']) client.ask(target, [process]);
    await world.scheduler.runTo(world.nowMs + 5_000);
    for (const { name } of this.#serving) {
      const [status, tickers] = ['/v1/status', '/v1/tickers'].map(
        (target) => seen.get(`${name} ${target}`)?.body ?? '{}',
      );
      const state = JSON.parse(status!).status;
      findings.check('well again', state === 'operational', () => `${name} says ${state}`);
      const count = JSON.parse(tickers!).tickers?.length;
      findings.check('well again', count === 2 * offered, () => `${name} has ${count} tickers`);
    }
  }

  /** How many markets are not delisted. Those that are have to have been gone when they were. */
  async #offered(): Promise<number> {
    const { operator, troubles, findings, world } = this;
    let count = 0;
    const look = operator.operate(async ({ markets, audit }) => {
      const delisted = (await markets.list()).filter(({ delistedAt }) => delistedAt !== undefined);
      count = this.#symbols.filter((symbol) => !delisted.some((market) => market.symbol === symbol)).length;
      // A former release does not choose by action.
      const { items } = await audit.page({ limit: 100, action: 'market.delist' });
      for (const { at, subject } of items.filter(({ action }) => action === 'market.delist'))
        findings.check(
          'never delisted',
          troubles.isGone(subject.id, at - epochMs),
          () => `${subject.id} was delisted at ${at - epochMs}`,
        );
    });
    await this.#inLane(world.scheduler.lane('auditor'), () => look.then(() => {}));
    return count;
  }

  #saw(answer: Witnessed): void {
    this.answers++;
    this.#trace.update(`${answer.answeredAtMs} ${answer.by} ${answer.target} ${answer.status} ${answer.body}\n`);
    this.#witnesses.saw(answer);
    if (!this.#options.kind.hasRecord) return;
    // Without Redis a process has no newer price of the engine than before.
    const isCutOff = this.engine !== undefined && answer.answeredAtMs - this.redis.soundSinceMs < 60_000;
    const isTimed = !isCutOff && this.processes.every(({ offMs, isDrifting }) => offMs === 0 && !isDrifting);
    this.#record.saw(answer, this.processes.find(({ name }) => name === answer.by)!, isTimed);
  }

  async #inLane(lane: Lane, work: () => Promise<void>): Promise<void> {
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
  get #symbols(): readonly string[] {
    const symbols = this.marketsOf(this.exchanges[0]!).map((symbol) => symbol.replace('/', ''));
    return this.engine ? [...symbols, `${engineMarket.base}${engineMarket.quote}`] : symbols;
  }

  get #serving(): readonly ServiceProcess[] {
    return this.processes.filter(({ only }) => only !== 'feed');
  }

  #makeProcesses(kind: SeedKind): readonly ServiceProcess[] {
    const given = {
      sources: this.#sourcesOf(this.exchanges),
      symbols: this.#symbols.join(','),
      ratesUrl: this.rates.url,
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
