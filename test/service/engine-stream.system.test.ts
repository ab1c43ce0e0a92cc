import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { market, ticker } from '../../src/feed/push/engine.testing.ts';
import { eventually } from '../support/eventually.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const example = fileURLToPath(new URL('../../examples/engine-push/engine-redis.ts', import.meta.url));
const key = '{mdapi}:source:engine';

/** An engine that writes a price twice a second and reads its answers, as an operator's would. */
function startEngine(t: TestContext, redis: RedisServer, epoch: number) {
  const answers: string[] = [];
  let [seq, bid, readTo, isBusy, hellos] = [0, '50000.0', '0-0', false, 0];
  const write = (message: object) =>
    redis.ask('XADD', key, 'MAXLEN', '~', '1000', '*', 'epoch', String(epoch), 'message', JSON.stringify(message));
  const price = () => ticker(++seq, 'BTCEUR', Date.now(), { bid, ask: '60000.1', high24h: '60001' });
  const hello = async () => {
    hellos++;
    await write({ type: 'hello', protocol: 1, epoch });
    await write({ type: 'catalogue', markets: [market('BTC')] });
  };
  const answer = async (text: string) => {
    answers.push(text);
    if (text.includes('"fatal":true')) await hello();
    if (!text.includes('"resync"')) return;
    for (const message of [{ type: 'snapshot', phase: 'begin' }, price(), { type: 'snapshot', phase: 'end' }])
      await write(message);
  };
  const turn = async () => {
    const read = (await redis.ask('XRANGE', `${key}:answers`, `(${readTo}`, '+')) as [string, string[]][];
    for (const [id, [, , , text = '']] of read) {
      readTo = id;
      await answer(text);
    }
    await write({ type: 'heartbeat', lastSeq: seq });
    await write(price());
  };
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    // While the server is away the engine tries again.
    turn()
      .catch(() => {})
      .finally(() => (isBusy = false));
  }, 300);
  t.after(() => clearInterval(timer));
  return {
    answers,
    hello,
    setBid: (next: string) => (bid = next),
    restarted: () => (readTo = '0-0'),
    hellos: () => hellos,
  };
}

test(
  'prices that an engine writes to a Redis stream are served, on after a restart, and on after Redis lost everything',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const settings = {
      sources: '[{"id":"engine","kind":"redis-stream"}]',
      'markets.symbols': 'all',
      redis: redis.url,
    };
    const harness = await ServiceHarness.start(t, { settings, untilLive: false });
    const engine = startEngine(t, redis, 1);
    await engine.hello();
    const sell = async () => (await harness.api.tickers()).get('BTCEUR')?.sellPrice;
    await eventually('a price', async () => (await harness.api.outcome('/v1/tickers')) === '200');
    await eventually('the price', async () => (await sell()) === '49750.0');
    await eventually('an acknowledgement', () => engine.answers.some((text) => text.includes('"ack"')));
    await harness.untilTicker('operational');
    await harness.stopService();
    engine.setBid('52000.0');
    const before = engine.hellos();
    await harness.startService();
    await eventually('a price', async () => (await harness.api.outcome('/v1/tickers')) === '200');
    await eventually('the price of the time after', async () => (await sell()) === '51740.0');
    assert.equal(engine.hellos(), before, 'the engine did not have to begin anew');
    await redis.restart();
    engine.restarted();
    engine.setBid('54000.0');
    await eventually('the price after the loss', async () => (await sell()) === '53730.0');
    assert.ok(engine.hellos() > before, 'the engine began anew');
  },
);

test(
  'the example of an engine that writes to Redis has its prices served, also after Redis lost everything',
  needsRedis,
  async (t) => {
    const redis = await RedisServer.start(t);
    const settings = {
      sources: '[{"id":"engine","kind":"redis-stream"}]',
      'markets.symbols': 'all',
      redis: redis.url,
    };
    const harness = await ServiceHarness.start(t, { settings, untilLive: false });
    const engine = spawn(process.execPath, [example, redis.url, 'engine'], { stdio: 'ignore' });
    t.after(() => engine.kill());
    await eventually('both prices', async () => {
      return (await harness.api.outcome('/v1/tickers')) === '200' && (await harness.api.tickers()).size === 2;
    });
    await redis.restart();
    const lostAtMs = Date.now();
    await eventually('they go on', async () => (await harness.api.ticker('BTCEUR')).timestampMs > lostAtMs);
  },
);
