import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ban } from './ban.ts';
import { epochMs } from './scheduler.ts';
import { World } from './world.ts';

test('whoever is banned is told until when, as its exchange says it', () => {
  const lane = new World(1).scheduler.lane('process-1');
  const told = (exchange: string) => {
    const { status, headers, body } = new Ban(exchange, epochMs + 90_000).asked(lane, () => {});
    return [status, headers.get('retry-after'), Buffer.concat(body).toString()] as const;
  };
  const until = new RegExp(`until ${epochMs + 90_000}\\.|expires at ${epochMs + 90_000}\\.`);
  assert.deepEqual(told('bitvavo').slice(0, 2), [403, null]);
  assert.match(told('bitvavo')[2], until);
  assert.deepEqual(told('binance').slice(0, 2), [418, null]);
  assert.match(told('binance')[2], until);
  assert.deepEqual(told('kraken').slice(0, 2), [429, '90']);
});

test('what a process asks in a ban is counted from the first answer on, each process for itself', async () => {
  const world = new World(1);
  const ban = new Ban('kraken', epochMs + 900_000);
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
