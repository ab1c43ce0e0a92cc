import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import { digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { Client, type Witnessed } from './clients.ts';
import { ExchangeModel } from './exchange-model.ts';
import { RatesModel } from './rates-model.ts';
import { RedisServer } from './redis-server.ts';
import { ServiceProcess } from './service-process.ts';
import { enter, World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly processes: number;
}

const memory = '/dev/shm';
const exchanges: readonly DialectName[] = ['kraken', 'bitvavo', 'coinbase'];
const markets = 3;
const clientsOfKey = 1;

/** Everything of one run: the world, what is in it, and what was seen. */
export class Simulation {
  readonly world: World;
  readonly exchanges: readonly ExchangeModel[];
  readonly rates: RatesModel;
  readonly redis: RedisServer;
  readonly processes: readonly ServiceProcess[];
  answers = 0;
  readonly #directory: string;
  readonly #trace = createHash('sha256');
  readonly clients: Client[] = [];
  store!: Store;

  constructor({ seed, processes }: SimulationOptions) {
    const world = enter(new World(seed));
    this.world = world;
    this.#directory = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'mdapi-simulation-'));
    this.exchanges = exchanges.map(
      (dialect, deviation) => new ExchangeModel({ dialect, deviation, markets, quoted: () => {} }),
    );
    this.rates = new RatesModel();
    this.redis = new RedisServer();
    world.redis = this.redis;
    for (const exchange of this.exchanges) world.servers.set(exchange.name, exchange);
    world.servers.set('bank', this.rates);
    const settings = this.#settings(processes > 1);
    this.processes = Array.from(
      { length: processes },
      (_, index) => new ServiceProcess(world, `process-${index + 1}`, this.#directory, settings),
    );
  }

  /** Makes the operator's store, a key for each client, and starts all processes. */
  async begin(): Promise<void> {
    const { world } = this;
    const lane = world.scheduler.lane('operator');
    const opened = Promise.withResolvers<void>();
    lane.later(0, () => void this.#prepare(lane.clock).then(opened.resolve, opened.reject));
    await world.scheduler.runTo(1_000);
    await opened.promise;
    for (const process of this.processes) process.start();
  }

  /** Has time pass. */
  async run(forMs: number): Promise<void> {
    await this.world.scheduler.runTo(this.world.nowMs + forMs);
  }

  async end(): Promise<string> {
    for (const process of this.processes) process.kill();
    await this.store.close();
    rmSync(this.#directory, { recursive: true, force: true });
    return this.#trace.digest('hex');
  }

  async #prepare(clock: Parameters<typeof openStore>[0]['clock']): Promise<void> {
    const url = `sqlite:${join(this.#directory, 'store.sqlite')}`;
    const randomness = this.world.generator('operator');
    this.store = await openStore({ url, clock, randomness });
    const { id: accountId } = await this.store.accounts.create({ email: 'client@example.com' });
    for (let index = 0; index < clientsOfKey; index++) {
      const key = generateApiKey(randomness);
      await this.store.keys.insert({
        ...{ accountId, digest: digestOf(key), lastFour: lastFourOf(key), label: '' },
        ...{ expiresAt: undefined, limitPerMinute: undefined },
      });
      const client = new Client(this.world, `${index + 1}`, key, this.processes, (answer) => this.#witnessed(answer));
      this.clients.push(client);
      client.poll('/v1/tickers', 5_000);
      client.poll('/v1/ticker?symbol=BTCCZK', 5_000);
      client.poll('/v1/status', 15_000);
      client.poll('/v1/markets', 600_000);
    }
  }

  #witnessed(answer: Witnessed): void {
    this.answers++;
    this.#trace.update(`${answer.answeredAtMs} ${answer.by} ${answer.target} ${answer.status} ${answer.body}\n`);
  }

  #settings(hasRedis: boolean): Record<string, string> {
    const sources = this.exchanges.map(({ name, restUrl, wsUrl }) => ({
      id: name,
      urls: { rest: restUrl, ws: wsUrl },
    }));
    const symbols = this.exchanges[0]!.symbols.filter(
      (symbol) => symbol.endsWith('/EUR') && !symbol.startsWith('EUR/'),
    );
    return {
      store: `sqlite:${join(this.#directory, 'store.sqlite')}`,
      sources: JSON.stringify(sources),
      'markets.symbols': symbols.map((symbol) => symbol.replace('/', '')).join(','),
      'rates.url': this.rates.url,
      ...(hasRedis ? { redis: 'redis://redis:6379' } : {}),
    };
  }
}
