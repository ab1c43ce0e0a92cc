import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation, untilLive } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { PriceReader } from '../support/price-reader.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';

type Test = Parameters<typeof Installation.for>[0];

/** Two processes on one database that share the feed, the first leading, and a token for prices. */
async function twoNodes(t: Test) {
  const redis = await RedisServer.start(t);
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200 });
  t.after(() => simulator.stop());
  const installation = Installation.for(t, simulator);
  const secret = join(installation.directory, 'redis-url');
  writeFileSync(secret, `${redis.url}\n`, { mode: 0o600 });
  installation.env.MDAPI_REDIS_FILE = secret;
  const { key } = await installation.makeKey();
  const made = await installation.json<{ token: string }>('admin', 'token', '--role', 'prices', '--name', 'app');
  const start = async () => {
    const server = installation.start('serve', '--json');
    const { baseUrl, adminUrl } = JSON.parse(await server.firstLine()) as { baseUrl: string; adminUrl: string };
    const leads = async () =>
      readMetrics(await (await fetch(`${adminUrl}/metrics`)).text()).value('mdapi_feed_leading') === 1;
    return { server, adminUrl, leads, api: await ApiClient.of(baseUrl, key) };
  };
  const one = await start();
  await eventually('the first leads', one.leads);
  const two = await start();
  await untilLive(two.api);
  return { installation, simulator, one, two, token: made.token };
}

const symbols = ['BTCEUR', 'BTCCZK', 'ETHEUR'];

/** Holds tickers of a node beside those that streams have seen under the same version. */
async function heldSideBySide(api: ApiClient, readers: readonly PriceReader[], wanted: number): Promise<void> {
  let compared = 0;
  await eventually(`${wanted} versions held side by side`, async () => {
    const symbol = symbols[compared % symbols.length]!;
    const { body, headers } = await api.get(`/v1/ticker?symbol=${symbol}`);
    const version = `${symbol} ${String(headers.etag).replaceAll('"', '')}`;
    const texts = readers.flatMap((reader) => reader.seen.get(version) ?? []);
    if (texts.length < readers.length) return false;
    for (const text of texts) assert.equal(text, body.toString());
    compared++;
    return compared >= wanted;
  });
}

describe('two processes on one database', () => {
  test(
    'stream the bytes that either answers, and go on with them when the leader of the feed is killed',
    needsRedis,
    async (t) => {
      const { one, two, token } = await twoNodes(t);
      const readers = [await PriceReader.open(t, one.adminUrl, token), await PriceReader.open(t, two.adminUrl, token)];
      await heldSideBySide(one.api, readers, 30);
      await heldSideBySide(two.api, readers, 30);
      one.server.kill('SIGKILL');
      await eventually('the second leads', two.leads);
      const before = readers[1]!.events.length;
      await eventually('changes go on', () => readers[1]!.events.length > before + 5);
      await heldSideBySide(two.api, readers.slice(1), 30);
      const stamps = readers[1]!.events.flatMap(({ data }) =>
        (data.prices ?? []).flatMap(({ ticker }) => (ticker.symbol === 'BTCEUR' ? ticker.timestampMs : [])),
      );
      assert.deepEqual(
        stamps,
        stamps.toSorted((a, b) => a - b),
        'no price goes back in time',
      );
    },
  );

  test('begin a term on the same instant, set by the command line', needsRedis, async (t) => {
    const { installation, simulator, one, two, token } = await twoNodes(t);
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    const readers = await Promise.all([one, two].map(({ adminUrl }) => PriceReader.open(t, adminUrl, token)));
    const buyPrice = (reader: PriceReader) => reader.prices.get('BTCEUR')?.ticker.buyPrice;
    await eventually('the price', () => readers.every((reader) => buyPrice(reader) === '50250.2'));
    const { fromMs } = await installation.json<{ fromMs: number }>(
      ...['terms', 'set', '--market', 'BTCEUR', '--fee', '0.4', '--from', '+5s'],
    );
    const changedAt = await Promise.all(
      readers.map((reader) => eventually('the change', () => buyPrice(reader) === '50200.2' && Date.now(), 30_000)),
    );
    for (const at of changedAt) assert.ok(at >= fromMs && at < fromMs + 2_000, `${at - fromMs} ms after the start`);
    t.diagnostic(`${changedAt.map((at) => at - fromMs).join(' and ')} ms after the start`);
    for (const { api } of [one, two]) assert.equal((await api.ticker('BTCEUR')).buyPrice, '50200.2');
  });
});
