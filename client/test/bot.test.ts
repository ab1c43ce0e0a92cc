import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../../src/ground/clock.ts';
import type { MarketDataClient, WatchState } from '../src/index.ts';
import { World } from './drive.testing.ts';

/** What a bot did: it would have placed an order at this price. */
interface Decision {
  readonly atMs: number;
  readonly price: string;
}

/** Everything a bot's author knows of the service stands in the client's README. */
class Bot {
  readonly states: string[] = [];
  readonly #client: MarketDataClient;
  readonly #watch: ReturnType<MarketDataClient['watchTicker']>;
  #mayTrade = false;

  constructor(client: MarketDataClient) {
    this.#client = client;
    this.#watch = client.watchTicker('BTCEUR', { onState: (state) => this.#onState(state) });
  }

  async run(): Promise<void> {
    for await (const _ of this.#watch);
  }

  stop(): Promise<unknown> {
    return this.#watch.return();
  }

  /** Called each second: the price to trade at now, or none. */
  decide(): string | undefined {
    const { latest } = this.#watch;
    const isUsable = this.#mayTrade && latest !== undefined && this.#client.ageMs(latest) < 60_000;
    return isUsable ? latest.sellPrice : undefined;
  }

  #onState({ kind }: WatchState): void {
    this.states.push(kind);
    this.#mayTrade = kind === 'operational' || kind === 'degraded';
  }
}

/** The exchange's bid less half a percent, cut to cents. */
function sellPriceOf(bid: number): string {
  return (Math.floor((bid * 995) / 10) / 100).toFixed(2);
}

test('a bot written from the README passes a limit breach, a crash, an outage and maintenance without a wrong decision', async (context) => {
  const world = await World.start();
  const bot = new Bot(world.client());
  context.after(async () => {
    await bot.stop();
    await world.stop();
  });
  const running = bot.run();
  const decisions: Decision[] = [];
  /** What the exchange really pays, second by second; it moves on whether anybody can see it or not. */
  const truth: { readonly atMs: number; readonly price: string }[] = [];
  let second = 0;

  /** Lets time pass; each second the exchange's price moves, reaches the service or not, and the bot decides. */
  async function live(seconds: number, isFed = true): Promise<Decision[]> {
    const first = decisions.length;
    for (let end = second + seconds; second < end; second++) {
      const bid = 50_000 + second;
      truth.push({ atMs: world.clock.now(), price: sellPriceOf(bid) });
      if (isFed) world.api.tick('BTC', `${bid}.00`, `${bid + 10}.00`);
      await world.pass(1_000, 500);
      const price = bot.decide();
      if (price !== undefined) decisions.push({ atMs: world.clock.now(), price });
    }
    return decisions.slice(first);
  }

  /** Every price acted on was the exchange's within this time before. */
  function rightWithin(ms: number, made: readonly Decision[]): void {
    for (const { atMs, price } of made) {
      const wasTrue = truth.some((moment) => moment.price === price && atMs - moment.atMs <= ms);
      assert.ok(wasTrue, `acted on ${price} at ${new Date(atMs).toISOString()}`);
    }
  }

  const pollMs = 7_000;
  const calm = await live(58);
  rightWithin(pollMs, calm);
  assert.ok(calm.length >= 56, 'it trades while all is well');

  await live(5);
  while ((await world.api.get('/v1/time')).status !== 429);
  const limited = await live(50);
  rightWithin(pollMs, limited);
  assert.equal(bot.states.at(-1), 'limited');
  rightWithin(pollMs, await live(25));
  assert.equal(bot.states.at(-1), 'operational');

  await world.api.stop();
  const crashed = await live(70, false);
  rightWithin(pollMs, crashed);
  assert.deepEqual([bot.states.at(-1), crashed.length <= 7], ['outage', true]);
  await world.restart();
  world.api.list('BTC');
  rightWithin(pollMs, await live(80));
  assert.equal(bot.states.at(-1), 'operational');

  rightWithin(62_000, await live(375, false));
  assert.equal(bot.states.at(-1), 'outage');
  const resumed = await live(60);
  rightWithin(pollMs, resumed);
  assert.ok(resumed.length >= 30, 'it trades again once the feed is back');

  const from = world.clock.now();
  world.api.service.setWindows([{ from, to: (from + 120_000) as EpochMs, description: 'Upgrade.' }]);
  const during = await live(119);
  rightWithin(pollMs, during);
  assert.deepEqual([bot.states.at(-1), during.length <= 7], ['maintenance', true]);
  const afterwards = await live(70);
  rightWithin(pollMs, afterwards);
  assert.ok(afterwards.length >= 50, 'it trades again once the window is over');

  await bot.stop();
  await running;
  assert.ok(
    world.sent.filter(({ status }) => status === 429).length <= 2,
    'what the server refused was not asked again',
  );
  const perMinute = Map.groupBy(world.sent, ({ atMs }) => Math.floor(atMs / 60_000));
  assert.ok(Math.max(...[...perMinute.values()].map(({ length }) => length)) <= 20);
});

test('a report of more prices than the limit allows takes longer, and is never refused', async () => {
  const world = await World.start();
  const client = world.client({ deadlineMs: 300_000 });
  const prices = await world.until(Promise.all(Array.from({ length: 130 }, () => client.ticker('BTCEUR'))), 250);
  assert.equal(prices.length, 130);
  assert.ok(!world.statuses().includes(429));
  assert.ok(world.clock.monotonicMs() < 130_000);
  await world.stop();
});
