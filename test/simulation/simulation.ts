import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import { type ApiKey, digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import type { EpochMs } from '../../src/clock.ts';
import type { DecimalString } from '../../src/market/decimal.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { Client, type Witnessed } from './clients.ts';
import { EngineModel, engineMarket } from './engine-model.ts';
import { ExchangeModel, type Quote } from './exchange-model.ts';
import { HonestQuotes } from './honest-quotes.ts';
import { RatesModel } from './rates-model.ts';
import { RecordWitness } from './record-witness.ts';
import { RedisServer } from './redis-server.ts';
import { Findings } from './rules.ts';
import { epochMs, type Lane } from './scheduler.ts';
import { ServiceProcess } from './service-process.ts';
import { type Truth, Witnesses } from './witnesses.ts';
import { enter, World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly processes: number;
  readonly forMs: number;
  /** Stretches in which nothing begins or ends. */
  readonly quiet?: readonly (readonly [number, number])[];
  /** Called once everything has started: what happens to it. */
  readonly begun: (simulation: Simulation) => void;
}

interface Key {
  readonly id: string;
  readonly key: ApiKey;
}

const memory = '/dev/shm';
const exchanges: readonly DialectName[] = ['kraken', 'bitvavo', 'coinbase'];
const marketsOffered = 2;
const rate = '24.315';
/** After the last fault everything is well again by then. */
const mendedWithinMs = 5 * 60_000;
/** Within this time after a lie, or a trouble, what was known before may still count. */
const doubtfulForMs = 5 * 60_000;
const burstRequests = 80;
/** As far as the clocks of a process that drifts come to be off. */
const driftMsMax = 6_000;
const upgradeEveryMs = 30_000;

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
  answers = 0;
  readonly #options: SimulationOptions;
  readonly #directory: string;
  readonly #trace = createHash('sha256');
  readonly #operator: Lane;
  readonly #quotes: HonestQuotes;
  readonly #witnesses: Witnesses;
  readonly #record: RecordWitness;
  readonly #clients: Client[] = [];
  readonly #revokedAtMs = new Map<string, number>();
  #store!: Store;
  #accountId = '';
  #keys: Key[] = [];
  #offMsMax = 0;
  #clocksSetAtMs = Number.NEGATIVE_INFINITY;
  #storeLostAtMs = Number.NEGATIVE_INFINITY;
  #storeSoundSinceMs = Number.NEGATIVE_INFINITY;
  #lies = 0;
  #liedAlikeAtMs = Number.NEGATIVE_INFINITY;
  #lieEndedAtMs = Number.NEGATIVE_INFINITY;
  #troubledAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SimulationOptions) {
    const { seed, processes, quiet } = options;
    this.#options = options;
    const world = enter(new World(seed, quiet));
    this.world = world;
    this.findings = new Findings(
      () => world.nowMs,
      ({ rule, text }) => world.note('witness', `${rule}: ${text}`),
    );
    this.#operator = world.scheduler.lane('operator');
    this.#directory = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'mdapi-simulation-'));
    const quoted = (exchange: string) => (symbol: string, quote: Quote, isMuted: boolean) =>
      this.#quotes.quoted(exchange, symbol.replace('/', ''), quote, world.nowMs, isMuted);
    this.#quotes = new HonestQuotes('0.5', '1', rate);
    this.exchanges = exchanges.map(
      (dialect, deviation) =>
        new ExchangeModel({ dialect, deviation, markets: marketsOffered, quoted: quoted(dialect) }),
    );
    this.rates = new RatesModel();
    this.redis = new RedisServer();
    world.redis = this.redis;
    for (const exchange of this.exchanges) world.servers.set(exchange.name, exchange);
    world.servers.set('bank', this.rates);
    if (processes > 1 && seed % 5 < 2) {
      const told = quoted('engine');
      this.engine = new EngineModel(this.redis, (bid, ask) =>
        told(`${engineMarket.base}${engineMarket.quote}`, { bid, ask }, false),
      );
    }
    const settings = this.#settings(processes > 1);
    this.processes = Array.from(
      { length: processes },
      (_, index) => new ServiceProcess(world, `process-${index + 1}`, this.#directory, settings, this.#partOf(index)),
    );
    this.#witnesses = new Witnesses(this.#truth(), this.findings, epochMs);
    this.#record = new RecordWitness(join(this.#directory, 'history.sqlite'), this.findings);
  }

  /** Runs all of it, and cleans up. @returns a digest of everything that was seen */
  async run(): Promise<string> {
    const { world } = this;
    try {
      await this.#inLane(this.#operator, () => this.#prepare());
      for (const process of this.processes) process.start();
      this.#options.begun(this);
      await world.scheduler.runTo(this.#options.forMs);
      await this.#inLane(this.#operator, () => this.#mend());
      await world.scheduler.runTo(world.nowMs + mendedWithinMs);
      await this.#looksWell();
      if (this.#hasRecord) await this.#inLane(world.scheduler.lane('auditor'), () => this.#record.compare());
      for (const failure of world.failures) this.findings.check('no failure', false, () => failure);
      this.findings.check('no failure', true, () => '');
    } finally {
      for (const process of this.processes) process.kill();
      this.#operator.kill();
      rmSync(this.#directory, { recursive: true, force: true });
    }
    for (const { atMs, who, text } of world.notes) this.#trace.update(`${atMs} ${who} ${text}\n`);
    return this.#trace.digest('hex');
  }

  /** Those that are on offer, as `BTC/EUR`. */
  marketsOf(exchange: ExchangeModel): readonly string[] {
    return exchange.symbols.filter((symbol) => symbol.endsWith('/EUR'));
  }

  get operatorNow(): EpochMs {
    return this.#operator.clock.now();
  }

  /** Has the operator do something, in a process of their own. */
  operate(work: (store: Store) => Promise<unknown>): Promise<unknown> {
    const done = Promise.withResolvers<unknown>();
    this.#operator.later(0, () => void work(this.#store).then(done.resolve, done.reject));
    return done.promise;
  }

  /** Tells the witnesses that something is wrong that can take sources away. */
  troubled(): void {
    this.#troubledAtMs = this.world.nowMs;
  }

  /** @param factor of the true price; `undefined` ends the lie */
  lies(exchange: ExchangeModel, symbol: string, factor: number | undefined): void {
    if (factor === undefined) {
      if (this.#lies > 1) this.#liedAlikeAtMs = this.world.nowMs;
      this.#lies--;
      this.#lieEndedAtMs = this.world.nowMs;
      exchange.tellTruth(symbol);
    } else {
      this.#lies++;
      if (this.#lies > 1) this.#liedAlikeAtMs = this.world.nowMs;
      exchange.lie(symbol, factor);
    }
  }

  setClock(process: ServiceProcess, offMs: number): void {
    this.#offMsMax = Math.max(this.#offMsMax, Math.abs(offMs));
    this.#clocksSetAtMs = this.world.nowMs;
    process.setClock(offMs);
  }

  drift(process: ServiceProcess, rate: number): void {
    this.#offMsMax = Math.max(this.#offMsMax, driftMsMax);
    this.#clocksSetAtMs = this.world.nowMs;
    process.drift(rate);
    if (rate === 1) process.setClock(0);
  }

  /** Takes the store from the processes, or gives it back. */
  troubleStore(trouble: World['storeTrouble']): void {
    this.world.storeTrouble = trouble;
    if (trouble === undefined) this.#storeSoundSinceMs = this.world.nowMs;
    else if (this.#storeLostAtMs <= this.#storeSoundSinceMs) this.#storeLostAtMs = this.world.nowMs;
  }

  /** Stops and starts one process after the other. */
  upgrade(): void {
    const lane = this.world.scheduler.lane('upgrade');
    for (const [index, process] of this.processes.entries()) {
      lane.later(index * upgradeEveryMs, () => process.stop());
      lane.later(index * upgradeEveryMs + upgradeEveryMs / 2, () => process.start());
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

  setFee(feePercent: DecimalString): Promise<unknown> {
    return this.operate(async ({ terms }) => {
      const { from } = await terms.add({ from: 0 as EpochMs, scope: 'service', subject: undefined, feePercent });
      this.#quotes.feeFrom(feePercent, from - epochMs);
    });
  }

  /** Gives a client another key, and ends the one it had: `rotated`, in one go. */
  changeKey(how: 'new' | 'rotated'): Promise<unknown> {
    return this.operate(async (store) => {
      const old = this.#keys.shift()!;
      let replacement: Key;
      if (how === 'new') {
        replacement = await this.#makeKey();
        await store.keys.setStatus(old.id, 'revoked');
      } else {
        const key = generateApiKey(this.#generator);
        const values = { digest: digestOf(key), lastFour: lastFourOf(key), overlapMs: 0 };
        replacement = { id: (await store.keys.rotate(old.id, values)).replacement.id, key };
      }
      this.#keys.push(replacement);
      this.#revokedAtMs.set(old.key, this.world.nowMs);
      // Its client goes on with the old one for a while, as clients do.
      for (const client of this.#clients)
        if (client.key === old.key) this.#operator.later(20_000, () => void client.use(replacement.key));
    });
  }

  /** A client that asks far more often than it may. */
  burst(): void {
    const client = this.#clients[0]!;
    for (let index = 0; index < burstRequests; index++) this.#operator.later(index * 200, () => client.ask('/v1/time'));
  }

  get #generator() {
    return this.world.operatorRandomness;
  }

  async #makeKey(): Promise<Key> {
    const key = generateApiKey(this.#generator);
    const { id } = await this.#store.keys.insert({
      ...{ accountId: this.#accountId, digest: digestOf(key), lastFour: lastFourOf(key), label: '' },
      ...{ expiresAt: undefined, limitPerMinute: undefined },
    });
    return { id, key };
  }

  async #prepare(): Promise<void> {
    const { clock } = this.#operator;
    const url = `sqlite:${join(this.#directory, 'store.sqlite')}`;
    this.#store = await openStore({ url, clock, randomness: this.#generator });
    this.#accountId = (await this.#store.accounts.create({ email: 'client@example.com' })).id;
    for (let index = 0; index < 2; index++) {
      const made = await this.#makeKey();
      this.#keys.push(made);
      const client = new Client(this.world, `${index + 1}`, made.key, this.#serving, (answer) => this.#saw(answer));
      this.#clients.push(client);
      client.poll('/v1/tickers', 5_000);
      client.poll('/v1/ticker?symbol=BTCCZK', 10_000);
      client.poll('/v1/status', 10_000);
      client.poll('/v1/markets', 300_000);
    }
  }

  /** Ends every fault, as the last act of whoever looks after the service. */
  async #mend(): Promise<void> {
    for (const exchange of this.exchanges) await exchange.mend();
    for (const name of ['rate-gone', 'rate-stale'] as const) await this.rates.fault(name, false);
    this.redis.restart();
    this.redis.slow(0);
    this.redis.split([]);
    this.redis.part([]);
    this.engine?.mend();
    Object.assign(this.world.disk, { isFull: false, syncMs: 1 });
    this.troubleStore(undefined);
    this.reloadSources(this.exchanges.length);
    for (const process of this.processes) {
      process.thaw();
      if (process.isDrifting) this.drift(process, 1);
      if (process.offMs !== 0) this.setClock(process, 0);
      process.start();
    }
    for (const { symbol } of await this.#store.markets.list()) {
      await this.#store.markets.setOperatorPaused(symbol, false).catch(() => {});
      await this.#store.markets.setHeld(symbol, undefined).catch(() => {});
    }
    this.world.note('fault', 'all are over');
  }

  async #looksWell(): Promise<void> {
    const { world, findings } = this;
    const seen = new Map<string, Witnessed>();
    const { key } = this.#keys.at(-1)!;
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
      findings.check('well again', count === 2 * this.#symbols.length, () => `${name} has ${count} tickers`);
    }
  }

  #saw(answer: Witnessed): void {
    this.answers++;
    this.#trace.update(`${answer.answeredAtMs} ${answer.by} ${answer.target} ${answer.status} ${answer.body}\n`);
    this.#witnesses.saw(answer);
    if (!this.#hasRecord) return;
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
    for (let seconds = 0; seconds < 60 && !isDone; seconds++)
      await this.world.scheduler.runTo(this.world.nowMs + 1_000);
    await done.promise;
  }

  #truth(): Truth {
    const simulation = this;
    const processOf = (by: string) => this.processes.find(({ name }) => name === by)!;
    return {
      quotes: this.#quotes,
      processes: this.#options.processes,
      offMs: (by) => processOf(by).offMs,
      undisturbedSinceMs: (by) => processOf(by).disturbedAtMs,
      revokedAtMs: (key) => this.#revokedAtMs.get(key),
      get offMsMax() {
        return simulation.#offMsMax;
      },
      get heardAtMs() {
        const heard = [...simulation.exchanges, ...(simulation.engine ? [simulation.engine] : [])];
        return Math.max(...heard.map(({ heardAtMs }) => heardAtMs));
      },
      get sharedSinceMs() {
        return simulation.redis.soundSinceMs;
      },
      get clocksSetAtMs() {
        const isDrifting = simulation.processes.some((process) => process.isDrifting);
        return isDrifting ? simulation.world.nowMs : simulation.#clocksSetAtMs;
      },
      get storeLostAtMs() {
        const { world } = simulation;
        const isSound = world.storeTrouble === undefined && world.nowMs - simulation.#storeSoundSinceMs > 5_000;
        return isSound ? undefined : simulation.#storeLostAtMs;
      },
      get processesStartedAtMs() {
        return Math.max(...simulation.processes.map(({ disturbedAtMs }) => disturbedAtMs));
      },
      get isDoubtful() {
        const { nowMs } = simulation.world;
        const isLied = simulation.#lies > 0 || nowMs - simulation.#lieEndedAtMs < doubtfulForMs;
        // Two that lie alike outvote the third.
        const isOutvoted = simulation.#lies > 1 || nowMs - simulation.#liedAlikeAtMs < doubtfulForMs;
        return isLied && (isOutvoted || nowMs - simulation.#troubledAtMs < 2 * doubtfulForMs);
      },
    };
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

  /** In every sixth seed one process has the feed, and the two others nothing else to turn to. */
  #partOf(index: number): 'feed' | 'api' | undefined {
    const { seed, processes } = this.#options;
    return processes === 3 && seed % 2 === 0 ? (index === 0 ? 'feed' : 'api') : undefined;
  }

  get #serving(): readonly ServiceProcess[] {
    return this.processes.filter(({ only }) => only !== 'feed');
  }

  /** Every other seed has one, which takes a third of its time. */
  get #hasRecord(): boolean {
    return this.#options.seed % 2 === 1;
  }

  #settings(hasRedis: boolean): Record<string, string> {
    return {
      store: `sqlite:${join(this.#directory, 'store.sqlite')}`,
      'history.url': this.#hasRecord ? `sqlite:${join(this.#directory, 'history.sqlite')}` : 'off',
      'markets.delistAfter': '1h',
      sources: this.#sourcesOf(this.exchanges),
      'markets.symbols': this.#symbols.join(','),
      'rates.url': this.rates.url,
      // A rate that is gone for minutes is gone for good.
      'rates.refresh': '30s',
      'rates.validFor': '2m',
      ...(this.#options.seed % 4 === 1 ? { 'mail.smtp': 'smtp://mail:25', 'mail.from': 'api@example.com' } : {}),
      ...(hasRedis ? { redis: 'redis://redis:6379' } : {}),
    };
  }
}
