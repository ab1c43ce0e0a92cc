import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ban } from './ban.ts';
import { epochMs } from './scheduler.ts';
import { enter, World } from './world.ts';

test('whoever is banned is told until when, as its exchange says it', () => {
  const lane = enter(new World(1)).scheduler.lane('process-1');
  const told = (exchange: string) => {
    const { status, headers, body } = new Ban(exchange, 90_000).asked(lane, () => {})!;
    return [status, headers.get('retry-after'), Buffer.concat(body).toString()] as const;
  };
  const until = new RegExp(`until ${epochMs + 90_000}\\.|expires at ${epochMs + 90_000}\\.`);
  assert.deepEqual(told('bitvavo').slice(0, 2), [403, null]);
  assert.match(told('bitvavo')[2], until);
  assert.deepEqual(told('binance').slice(0, 2), [418, null]);
  assert.match(told('binance')[2], until);
  assert.deepEqual(told('kraken').slice(0, 2), [429, '90']);
});

test('how long a ban lasts is said alike to one whose clock is fast, and then it is over', async () => {
  const world = enter(new World(1));
  const lane = world.scheduler.lane('process-1');
  lane.drift(1.02);
  await world.scheduler.runTo(3_600_000);
  const ban = new Ban('kraken', 3_690_000);
  assert.equal(ban.asked(lane, () => {})!.headers.get('retry-after'), '90');
  await world.scheduler.runTo(3_690_000);
  assert.equal(
    ban.asked(lane, () => {}),
    undefined,
    'who asks after its end is answered',
  );
});

test('what a process asks in a ban is counted from the first answer on, each process for itself', async () => {
  const world = enter(new World(1));
  const ban = new Ban('kraken', 900_000);
  const asked: string[] = [];
  const ask = (name: string, lane = world.scheduler.lane(name)) => {
    for (const atMs of [0, 5_000, 20_000, 30_000])
      lane.later(atMs, () => ban.asked(lane, (times) => void asked.push(`${name} ${times}`)));
  };
  ask('process-1');
  ask('process-2');
  await world.scheduler.runTo(60_000);
  assert.deepEqual(asked, ['process-1 1', 'process-2 1', 'process-1 2', 'process-2 2']);
});
