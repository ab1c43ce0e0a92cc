import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Banks } from './banks.ts';
import type { RateSourceName } from './rates-model.ts';
import { ToldRates } from './told-rates.ts';
import { enter, World } from './world.ts';

/** Two sources of a rate of 25. */
function banks(source: RateSourceName) {
  const world = enter(new World(1));
  const told = new ToldRates('25.000');
  const both = new Banks(world, source, told);
  const lane = world.scheduler.lane('process-1');
  /** What is read of a source: its rate for the euro, and what its day is. */
  const read = async (which: 'first' | 'second') => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { url } = both[which];
    both[which].fetch(lane, new URL(url), (_, reply) => resolve(Buffer.concat(reply!.body).toString()));
    await world.scheduler.runTo(world.nowMs + 1_000);
    const text = await promise;
    const found = /"currencyCode":"EUR","rate":([\d.]+)|currency='CZK' rate='([\d.]+)'|"EURCZK":"?([\d.]+)/.exec(text);
    return { rate: found?.slice(1).find((group) => group !== undefined), day: /"validFor":"([\d-]+)"/.exec(text)?.[1] };
  };
  const served = () => told.between(world.nowMs, world.nowMs);
  return { world, both, read, served };
}

test('one source lies for itself, and both together', async () => {
  for (const source of ['cnb', 'json'] as const) {
    const { both, read, served } = banks(source);
    const rates = async () => [(await read('first')).rate, (await read('second')).rate];
    const tenfold = (truth: string) => (10 * Number(truth)).toFixed(1);
    assert.deepEqual(await rates(), ['25.000', '25.000']);
    await both.lie('first', tenfold);
    assert.deepEqual(await rates(), ['250.0', '25.000']);
    assert.deepEqual(served(), ['25.000']);
    await both.lie('first', undefined);
    await both.lie('second', tenfold);
    assert.deepEqual(await rates(), ['25.000', '250.0']);
    await both.lie('second', undefined);
    await both.lie('both', tenfold);
    assert.deepEqual(await rates(), ['250.0', '250.0']);
    assert.ok(served().includes('250.0'));
    await both.mend();
    assert.deepEqual(await rates(), ['25.000', '25.000']);
  }
});

test('the document of an earlier fixing has another day, another rate, and is never to be served', async () => {
  const { both, read, served } = banks('cnb');
  const { day } = await read('first');
  await both.giveOlder(true);
  const older = await read('first');
  assert.ok(older.day! < day!, `${older.day}`);
  assert.equal(older.rate, '24.500');
  assert.deepEqual(served(), ['25.000']);
  await both.giveOlder(false);
  assert.deepEqual(await read('first'), { rate: '25.000', day });
});

test('a lie of a tenth may be served from ten minutes before the next fixing on', async () => {
  const { world, both, served } = banks('cnb');
  await both.lie('first', () => '27.500');
  // The world begins at 11:00 in Prague, and the bank publishes at 14:30.
  await world.scheduler.runTo((3 * 60 + 20) * 60_000 - 1);
  assert.deepEqual(served(), ['25.000']);
  await world.scheduler.runTo((3 * 60 + 20) * 60_000);
  assert.deepEqual(served(), ['25.000', '27.500']);
});
