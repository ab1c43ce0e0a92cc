import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { start } from '../market/samples.testing.ts';
import { newDirectory, runInside } from './cli.testing.ts';
import { recordPrices } from './history.testing.ts';

const isoAt = (ms: number) => new Date(ms).toISOString();

/** Has a record of prices that were published later than they were captured. */
async function recorded(t: TestContext) {
  const cwd = newDirectory(t);
  const clock = new FakeClock();
  const path = `${cwd}/history.sqlite`;
  await runInside(['accounts', 'create', '--email', 'a@example.com'], { cwd, clock });
  const prices = [
    { capturedAt: start + 1_000, publishedAt: start + 1_200, bid: '84000.0' },
    { capturedAt: start + 5_000, publishedAt: start + 5_250, bid: '84500.0' },
    { capturedAt: start + 6_000, publishedAt: start + 6_400, bid: '84700.0' },
  ];
  await recordPrices(path, clock, prices);
  clock.jump(60_000);
  return (at: number, ...more: readonly string[]) =>
    runInside(['price', 'BTCEUR', '--at', isoAt(at), ...more], { cwd, clock });
}

test('the time of a served price shows that price, captured then and published later, not the one before', async (t) => {
  const price = await recorded(t);
  const report = async (at: number) => JSON.parse((await price(at, '--json')).stdout);
  const { bid, timestamp, publishedAt } = await report(start + 5_000);
  assert.deepEqual([bid, timestamp, publishedAt], ['84500.0', isoAt(start + 5_000), isoAt(start + 5_250)]);
  const { stdout } = await price(start + 5_000);
  const said = `Captured  +${isoAt(start + 5_000)} then, published at ${isoAt(start + 5_250)}`;
  assert.match(stdout, new RegExp(said.replaceAll('.', '\\.')));
});

test('any other instant shows what was served then', async (t) => {
  const price = await recorded(t);
  const bidAt = async (at: number) => JSON.parse((await price(at, '--json')).stdout).bid;
  assert.equal(await bidAt(start + 4_999), '84000.0');
  assert.equal(await bidAt(start + 5_249), '84000.0', 'captured, not yet published');
  assert.equal(await bidAt(start + 5_250), '84500.0');
  assert.equal(await bidAt(start + 6_399), '84500.0');
  const { stdout } = await price(start + 5_900);
  assert.match(stdout, /^Captured +\S+Z, published at \S+Z$/m);
});
