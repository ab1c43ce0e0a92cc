import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../support/fake-clock.ts';
import { type FaultKind, planOf, schedule } from './faults.ts';
import { kindOf } from './seed-kind.ts';
import type { Simulation } from './simulation.ts';
import type { Deceit } from './telling.ts';
import { World } from './world.ts';

const dayMs = 86_400_000;

test('a seed gives one plan, which ends in time, has every kind and often several at once', () => {
  const plan = planOf(seededRandomness(1), 4 * dayMs, kindOf(1, 3));
  assert.deepEqual(plan, planOf(seededRandomness(1), 4 * dayMs, kindOf(1, 3)));
  assert.notDeepEqual(plan, planOf(seededRandomness(2), 4 * dayMs, kindOf(1, 3)));
  assert.ok(plan.every(({ atMs, forMs }) => atMs + forMs < 4 * dayMs + 10_000));
  assert.ok(new Set(plan.map(({ kind }) => kind)).size > 30);
  const together = plan.filter(({ atMs }, index) => atMs - (plan[index - 1]?.atMs ?? 0) < 20_000);
  assert.ok(together.length > plan.length / 5);
});

test('one process alone has no faults of Redis', () => {
  assert.ok(planOf(seededRandomness(1), 4 * dayMs, kindOf(1, 1)).every(({ kind }) => !kind.startsWith('Redis')));
});

test('without an engine none of its faults is planned', () => {
  const of = (seed: number) => planOf(seededRandomness(1), 4 * dayMs, kindOf(seed, 3)).map(({ kind }) => kind);
  assert.ok(of(1).some((kind) => kind.includes('engine')));
  assert.ok(of(2).every((kind) => !kind.includes('engine')));
});

test('with many markets one is gone, and the store is locked when it comes back', () => {
  const [gone, locked] = planOf(seededRandomness(1), dayMs, kindOf(6, 1));
  assert.deepEqual([gone?.kind, locked?.kind], ['market gone for an hour', 'store locked']);
  const [backAtMs, unlockedAtMs] = [gone, locked].map((fault) => fault!.atMs + fault!.forMs);
  assert.ok(backAtMs! < unlockedAtMs! && unlockedAtMs! < backAtMs! + 8_000);
});

/** What a fault does to a world of three exchanges while it lasts, second by second. */
async function done(kind: FaultKind, choice: number, forMs: number) {
  const world = new World(1);
  const did: string[] = [];
  const note = (what: string) => void did.push(`${world.nowMs / 1_000} ${what}`);
  const exchanges = ['kraken', 'bitvavo', 'coinbase'].map((name) => ({
    name,
    set: async ({ fault }: { fault: string }) => note(`${name} ${fault}`),
    faults: { clear: async (fault: string) => note(`${name} no ${fault}`) },
    ban: (untilMs?: number) =>
      note(`${name} banned until ${untilMs === undefined ? 'now' : Math.round(untilMs / 1_000)}`),
    flood: (count: number) => note(`${name} lists ${count} more`),
    endFloods: () => note(`${name} lists no more`),
  }));
  const simulation = {
    world,
    exchanges,
    marketsOf: () => ['BTC/EUR', 'ETH/EUR'],
    deceive: ({ name }: { name: string }, symbol: string, deceit: Deceit | undefined) =>
      note(`${name} ${symbol} ${deceit?.how ?? 'true'}`),
    moveMarket: (symbol: string, factor: number) => note(`${symbol} moves ${factor > 1 ? 'up' : 'down'}`),
    floods: ({ name }: { name: string }, count: number) => note(`${name} lists ${count} more by turns`),
  };
  schedule(simulation as unknown as Simulation, { kind, atMs: 1_000, forMs, choice });
  await world.scheduler.runTo(1_000_000);
  return did;
}

test('two exchanges lie alike, and the third tells the truth', async () => {
  assert.deepEqual(await done('lie of two', 0.1, 9_000), [
    '1 bitvavo ETH/EUR scaled',
    '1 coinbase ETH/EUR scaled',
    '10 bitvavo ETH/EUR true',
    '10 coinbase ETH/EUR true',
  ]);
});

test('while one drifts another dies', async () => {
  assert.deepEqual(await done('lie by drift, and another dies', 0.5, 200_000), [
    '1 bitvavo ETH/EUR drifting',
    '101 kraken down',
    '201 bitvavo ETH/EUR true',
    '201 kraken no down',
  ]);
});

test('while one repeats itself its market moves away', async () => {
  assert.deepEqual(await done('lie, the same again', 0.5, 60_000), [
    '1 bitvavo ETH/EUR repeated',
    '1 ETH/EUR moves down',
    '61 bitvavo ETH/EUR true',
  ]);
});

test('an exchange bans until an instant, and lists floods', async () => {
  assert.deepEqual(await done('exchange bans', 0.5, 60_000), [
    '1 bitvavo banned until 361',
    '61 bitvavo banned until now',
  ]);
  assert.deepEqual(await done('flood of markets', 0.5, 60_000), [
    '1 bitvavo lists 100 more',
    '61 bitvavo lists no more',
  ]);
  assert.deepEqual(await done('flood that comes and goes', 0.5, 60_000), [
    '1 bitvavo lists 400 more by turns',
    '61 bitvavo lists no more',
  ]);
});

test('floods come where all is offered, an older fixing where there are dates, a lie of two sources where there are two', () => {
  const of = (seed: number) =>
    new Set(planOf(seededRandomness(1), 20 * dayMs, kindOf(seed, 1)).map(({ kind }) => kind));
  assert.deepEqual(
    [of(12), of(6)].map((kinds) => kinds.has('flood of markets')),
    [true, false],
  );
  // Seed 1 has a document without dates, and seed 4 no second source.
  assert.deepEqual(
    [of(3), of(1)].map((kinds) => kinds.has('rate of an older fixing')),
    [true, false],
  );
  assert.deepEqual(
    [of(3), of(4)].map((kinds) => kinds.has('rate lie of both')),
    [true, false],
  );
});
