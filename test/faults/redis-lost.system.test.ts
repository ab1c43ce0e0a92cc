import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import type { ServiceStatusBody, TickerBody } from '../../src/contract/schemas.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation, untilLive } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';

/** What is promised, and half a second for the machine. */
const freshForMs = 5_500;
const healedWithinMs = 20_000;

/** A client of one process that notes what it must never see. */
class Witness {
  readonly wrong: string[] = [];
  readonly states = new Set<string>();
  readonly #api: ApiClient;
  readonly #running: Promise<void>;
  #tickers: ReadonlyMap<string, TickerBody> = new Map();
  #updatedAtMs = 0;
  #isStopped = false;

  constructor(api: ApiClient) {
    this.#api = api;
    this.#running = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
    assert.deepEqual(this.wrong, []);
  }

  async #watch(): Promise<void> {
    while (!this.#isStopped) {
      this.#see(await this.#api.status(), await this.#api.tickers());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #see({ components, lastUpdatedAtMs, serverTimeMs }: ServiceStatusBody, tickers: ReadonlyMap<string, TickerBody>) {
    this.states.add(components.ticker);
    const ageMs = serverTimeMs - (lastUpdatedAtMs ?? 0);
    if (components.ticker === 'operational' && ageMs > freshForMs) this.#note(`operational, and ${ageMs} ms old`);
    if ((lastUpdatedAtMs ?? 0) < this.#updatedAtMs) this.#note(`lastUpdatedAt goes back from ${this.#updatedAtMs}`);
    this.#updatedAtMs = lastUpdatedAtMs ?? 0;
    for (const [symbol, { timestampMs, timestamp }] of this.#tickers) {
      const now = tickers.get(symbol);
      if (now === undefined) this.#note(`${symbol} has no price`);
      else if (now.timestampMs < timestampMs) this.#note(`${symbol} goes back from ${timestamp} to ${now.timestamp}`);
    }
    this.#tickers = tickers;
  }

  #note(text: string): void {
    if (this.wrong.length < 20) this.wrong.push(text);
  }
}

/** Processes on one Redis and one exchange, the first of which leads. */
async function startProcesses(t: TestContext, ...roles: readonly (readonly string[])[]) {
  const redis = await RedisServer.start(t);
  const exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200 });
  t.after(() => exchange.stop());
  const installation = Installation.for(t, exchange);
  installation.env.MDAPI_REDIS = redis.url;
  const { key } = await installation.makeKey();
  const startOne = async (role: readonly string[]) => {
    const server = installation.start('serve', '--json', ...role);
    const { baseUrl, adminUrl } = JSON.parse(await server.firstLine()) as { baseUrl: string; adminUrl: string };
    const api = await ApiClient.of(baseUrl, key);
    await untilLive(api);
    const metric = async (name: string) =>
      readMetrics(await (await fetch(`${adminUrl}/metrics`)).text()).value(`mdapi_${name}`);
    const notes = async () => ((await (await fetch(`${adminUrl}/readyz`)).json()) as { notes: string[] }).notes;
    return { server, api, metric, notes };
  };
  const processes: Awaited<ReturnType<typeof startOne>>[] = [];
  for (const role of roles) processes.push(await startOne(role));
  const leaders = async () => {
    const leading = await Promise.all(processes.map(({ metric }) => metric('feed_leading')));
    return leading.filter((value) => value === 1).length;
  };
  await eventually('one leads', async () => (await leaders()) === 1);
  let price = 40_000;
  /** Moves the price, and waits until every process has it. */
  const show = async (what: string, timeoutMs: number, ...who: readonly (typeof processes)[number][]) => {
    price += 100;
    const bid = `${price}.0`;
    exchange.setPrice({ symbol: 'BTC/EUR', bid, ask: bid });
    const sellPrice = (price * 0.995).toFixed(1);
    const has = async ({ api }: (typeof processes)[number]) => (await api.ticker('BTCEUR')).sellPrice === sellPrice;
    for (const each of who) await eventually(what, () => has(each), timeoutMs);
  };
  const healed = () =>
    eventually(
      'one leads and the others follow',
      async () => {
        const alone = await Promise.all(processes.map(({ metric }) => metric('feed_alone')));
        const states = await Promise.all(processes.map(async ({ api }) => (await api.status()).components.ticker));
        return (await leaders()) === 1 && !alone.includes(1) && states.every((state) => state === 'operational');
      },
      healedWithinMs,
    );
  return { redis, exchange, processes, leaders, show, healed };
}

/** Runs a command on a key that is not there any more, so that it may have another type. */
async function harm(redis: RedisServer, [command, key, ...values]: readonly string[]): Promise<void> {
  if (key === undefined) await redis.ask(command!);
  else
    await redis.ask(
      'EVAL',
      `redis.call('DEL', KEYS[1]) redis.call(ARGV[1], KEYS[1], ARGV[2])`,
      '1',
      key,
      command!,
      values[0]!,
    );
}

/** Both processes are fresh on feeds of their own while `lose` lasts, and one follows the other after `bringBack`. */
async function survives(t: TestContext, lose: (redis: RedisServer) => unknown, bringBack: typeof lose) {
  const { redis, processes, show, healed } = await startProcesses(t, [], []);
  const witnesses = processes.map(({ api }) => new Witness(api));
  await lose(redis);
  await show('the price of each process moves within five seconds', freshForMs, ...processes);
  await eventually('each has a feed of its own', async () =>
    (await Promise.all(processes.map(({ metric }) => metric('feed_alone')))).every((alone) => alone === 1),
  );
  for (const { server, notes } of processes) {
    const cause = '(?:not connected|no answer within)[^"]*';
    const logged = new RegExp(`"reason":"${cause}","msg":"the lease of the feed cannot be had`);
    await eventually('the log names the cause', () => logged.test(server.stderr));
    const noted = [new RegExp(`the lease of the feed cannot be had: ${cause}`), /on a feed of its own/];
    await eventually('and so does readiness', async () => {
      const given = (await notes()).join();
      return noted.every((each) => each.test(given));
    });
  }
  await eventually('both are operational', async () =>
    (await Promise.all(processes.map(({ api }) => api.status()))).every(({ status }) => status === 'operational'),
  );
  await show('the price moves on', 2_000, ...processes);
  await bringBack(redis);
  await healed();
  await show('the price moves on', 2_000, ...processes);
  for (const witness of witnesses) await witness.stop();
}

describe('when Redis is lost', { concurrency: 2 }, () => {
  test(
    'killed: every process goes on with a feed of its own, and one follows the other once it is back, empty (fault row 69)',
    needsRedis,
    (t) =>
      survives(
        t,
        (redis) => redis.kill(),
        (redis) => redis.restart(),
      ),
  );

  test('frozen: the same, and the same once it goes on (fault row 69)', needsRedis, (t) =>
    survives(
      t,
      (redis) => redis.freeze(),
      (redis) => redis.thaw(),
    ),
  );

  test(
    'flushed, or any of its values of a wrong type or no number: it is repaired, and no price stands still for five seconds under `operational` (fault row 69)',
    needsRedis,
    async (t) => {
      const { redis, processes, show, healed } = await startProcesses(t, [], []);
      const witnesses = processes.map(({ api }) => new Witness(api));
      const damages = [
        ['FLUSHALL'],
        ['SET', '{mdapi}:feed:fence', 'abc'],
        ['SET', '{mdapi}:feed:fence', ''],
        ['RPUSH', '{mdapi}:feed:fence', 'abc'],
        ['SET', '{mdapi}:feed:fence', '99999999999999999999'],
        ['SET', '{mdapi}:feed:lease', 'abc'],
        ['RPUSH', '{mdapi}:feed:lease', 'abc'],
        ['SET', '{mdapi}:feed:changes', 'abc'],
        ['SET', '{mdapi}:feed:state', 'abc'],
        ['RPUSH', '{mdapi}:feed:state', 'abc'],
      ];
      for (const damage of damages) {
        await harm(redis, damage);
        await show(`prices go on after ${damage.join(' ')}`, freshForMs, ...processes);
        await healed();
      }
      for (const witness of witnesses) await witness.stop();
    },
  );

  test('a process that may run no feed says `degraded` within five seconds (fault row 69)', needsRedis, async (t) => {
    const { redis, processes, show, healed } = await startProcesses(t, [], ['--only', 'api']);
    const [feeding, api] = processes;
    const witnesses = processes.map(({ api }) => new Witness(api));
    await redis.kill();
    await eventually('degraded', async () => (await api!.api.status()).status === 'degraded', freshForMs);
    await show('the other has prices', 2_000, feeding!);
    assert.equal((await feeding!.api.status()).status, 'operational');
    await redis.restart();
    await healed();
    await show('both have prices', 2_000, ...processes);
    for (const witness of witnesses) await witness.stop();
  });
});
