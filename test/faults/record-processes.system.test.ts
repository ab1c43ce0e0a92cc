import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { sharedPostgres } from '../../src/store/store.testing.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation, untilLive } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';

/** A price that was shown, and an instant at which it held in every process. */
interface Shown {
  readonly at: number;
  readonly bid: string;
}

test(
  'with two processes on one database, prices before, at and after the death of the one that made them are right (fault row 78)',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const url = await (await sharedPostgres()).newDatabase();
    const exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 20 });
    t.after(() => exchange.stop());
    const installation = Installation.for(t, exchange);
    Object.assign(installation.env, { MDAPI_REDIS: redis.url, MDAPI_HISTORY_URL: url });
    const { key } = await installation.makeKey();
    const startOne = async (machine: string) => {
      // A journal that the other machine does not have.
      const directory = join(installation.directory, machine);
      mkdirSync(directory);
      installation.env.MDAPI_HISTORY_JOURNAL = join(directory, 'history');
      const server = installation.start('serve', '--json');
      const { baseUrl, adminUrl } = JSON.parse(await server.firstLine()) as { baseUrl: string; adminUrl: string };
      const api = await ApiClient.of(baseUrl, key);
      await untilLive(api);
      const isLeading = async () =>
        readMetrics(await (await fetch(`${adminUrl}/metrics`)).text()).value('mdapi_feed_leading') === 1;
      return { server, api, isLeading };
    };
    const leader = await startOne('one');
    await eventually('the first leads', leader.isLeading);
    const follower = await startOne('other');
    const running = new Set([leader, follower]);
    const shown: Shown[] = [];
    let price = 40_000;
    const show = async (count: number) => {
      for (let left = count; left > 0; left--) {
        price += 100;
        const bid = `${price}.0`;
        exchange.setPrice({ symbol: 'BTC/EUR', bid, ask: bid });
        const sellPrice = (price * 0.995).toFixed(1);
        const has = async ({ api }: typeof leader) => (await api.ticker('BTCEUR')).sellPrice === sellPrice;
        for (const each of running) await eventually('the price', () => has(each), 20_000);
        const at = systemClock.now();
        shown.push({ at, bid });
        // The next one is of another millisecond.
        await eventually('time passes', () => systemClock.now() > at + 100);
      }
    };
    await show(30);
    leader.server.kill('SIGKILL');
    await leader.server.ended;
    running.delete(leader);
    await show(30);
    const ask = async (bids: readonly Shown[]) => {
      const wrong: unknown[] = [];
      for (const { at, bid } of bids) {
        const instant = new Date(at).toISOString();
        const found = await installation.run('price', 'BTCEUR', '--at', instant, '--json');
        const said = found.exitCode === 0 ? (JSON.parse(found.stdout) as { bid: string }).bid : found.stderr;
        if (said !== bid) wrong.push([instant, bid, said]);
      }
      return wrong;
    };
    assert.deepEqual(await ask(shown.filter((_, index) => index % 4 === 0 || Math.abs(index - 30) < 4)), []);
    const from = new Date(shown[0]!.at - 1).toISOString();
    const { quotes } = await installation.json<{ quotes: { bid: string | null }[] }>(
      ...['history', 'quotes', 'BTCEUR', '--from', from, '--limit', '100000'],
    );
    const bids = quotes.map(({ bid }) => bid);
    for (const { bid } of shown.slice(1)) assert.ok(bids.includes(bid), bid);
    await eventually(
      'the silent process is a gap',
      async () => {
        const { gaps } = await installation.json<{ gaps: { reason: string }[] }>('history', 'verify');
        return gaps.some(({ reason }) => reason === 'silent');
      },
      60_000,
    );
  },
);
