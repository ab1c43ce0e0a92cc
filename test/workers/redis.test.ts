import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';
import { type Metrics, readMetrics } from '../support/metrics-text.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { Wire } from '../support/wire.ts';

const limit = 50;
const connectionsEach = 6;
const requestsEach = 10;

/** Two processes of two workers each with one Redis, and connections that lead to all of the workers. */
async function twoOfTwo(t: TestContext) {
  const redis = await RedisServer.start(t);
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 100 });
  t.after(() => simulator.stop());
  const installation = Installation.for(t, simulator, { server: { workers: 2 } });
  const secret = join(installation.directory, 'redis-url');
  writeFileSync(secret, `${redis.url}\n`, { mode: 0o600 });
  installation.env.MDAPI_REDIS_FILE = secret;
  const { accountId, key } = await installation.makeKey();
  const nodes = [await installation.serve(), await installation.serve()];
  const apis = await Promise.all(nodes.map(({ baseUrl }) => ApiClient.of(baseUrl, key)));
  const ports = apis.flatMap(({ port }) => Array.from({ length: connectionsEach }, () => port));
  const wires = await Promise.all(ports.map((port) => Wire.open(port)));
  t.after(() => {
    for (const wire of wires) wire.close();
  });
  const metrics = () =>
    Promise.all(nodes.map(async ({ adminUrl }) => readMetrics(await (await fetch(`${adminUrl}/metrics`)).text())));
  return { simulator, installation, accountId, key, wires, metrics };
}

function ask(wire: Wire, path: string, key: string) {
  return wire.ask(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`);
}

function counted(all: readonly Metrics[], ...places: readonly ('redis' | 'alone' | 'known_refused')[]): number {
  const values = all.flatMap((one) => places.map((where) => one.value('mdapi_redis_limits_requests_total', { where })));
  return values.reduce((sum, value) => sum + value, 0);
}

test('workers of several processes admit exactly the limit together, and all have the prices of the one feed', {
  ...needsRedis,
}, async (t) => {
  const { simulator, installation, accountId, key, wires, metrics } = await twoOfTwo(t);
  simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
  await eventually('the price on every connection', async () => {
    const answers = await Promise.all(wires.map((wire) => ask(wire, '/v1/ticker?symbol=BTCEUR', key)));
    return answers.every(({ body }) => body.toString().includes('"buyPrice":"50250.2"'));
  });

  const round = async (): Promise<boolean> => {
    const made = ['keys', 'create', '--account', accountId, '--limit', String(limit)];
    const { key: fresh } = await installation.json<{ key: string }>(...made);
    const before = await metrics();
    const windows = new Map<string, { sent: number; admitted: number }>();
    const send = async (wire: Wire) => {
      const { status, headers } = await ask(wire, '/v1/time', fresh);
      if (status === 401) return false;
      const window = headers['x-ratelimit-reset']!;
      const { sent, admitted } = windows.get(window) ?? { sent: 0, admitted: 0 };
      windows.set(window, { sent: sent + 1, admitted: admitted + Number(status === 200) });
      return true;
    };
    await eventually('the key is known everywhere', async () => (await Promise.all(wires.map(send))).every(Boolean));
    for (let sent = 0; sent < requestsEach; sent++) await Promise.all(wires.map(send));
    const sentInAll = [...windows.values()].reduce((sum, { sent }) => sum + sent, 0);
    const all = await eventually('the workers have told their figures', async () => {
      const now = await metrics();
      const places = ['redis', 'alone', 'known_refused'] as const;
      return counted(now, ...places) - counted(before, ...places) >= sentInAll && now;
    });
    // Whoever found Redis too slow counted by himself, as he should.
    if (counted(all, 'alone') > counted(before, 'alone')) return false;
    for (const { sent, admitted } of windows.values()) assert.equal(admitted, Math.min(sent, limit));
    return true;
  };
  await eventually('a round in which Redis was quick enough, on a busy machine too', round, 60_000);
});
