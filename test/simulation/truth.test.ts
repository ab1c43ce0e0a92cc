import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToldQuotes } from './told-quotes.ts';
import { Troubles, truthOf } from './truth.ts';
import { World } from './world.ts';

const longAgo = Number.NEGATIVE_INFINITY;

/** The truth of a world in which Redis was sound from 10 s on and two processes run, ten minutes later. */
async function afterTenMinutes() {
  const world = new World(1);
  const first = {
    name: 'kraken',
    heardAtMs: 600_000,
    emptiedAtMs: longAgo,
    isEmpty: false,
    linkedSinceMs: longAgo,
    faultsOf: () => [],
    factorOf: () => 1,
  };
  const [second, third] = [
    { ...first, name: 'bitvavo' },
    { ...first, name: 'coinbase' },
  ];
  const running = {
    disturbedAtMs: 0,
    reloadedAtMs: 0,
    frozenAtMs: longAgo,
    thawedAtMs: 0,
    killedAtMs: longAgo,
    isFrozen: false,
    isDrifting: false,
    offMs: 0,
  };
  const processes = [{ ...running }, { ...running }];
  const inhabited = {
    world,
    processes,
    exchanges: [first, second, third],
    listed: [first, second, third],
    markets: ['BTC/EUR'],
    engine: undefined,
    redis: { soundSinceMs: 10_000 },
    operator: { restoredAtMs: longAgo },
    troubles: new Troubles(world),
  };
  const quotes = new ToldQuotes('0.5', '1', '24.315');
  // Long sound, as in every world whose store was never lost.
  world.storeTrouble = 'lost';
  inhabited.troubles.storeTroubled();
  world.storeTrouble = undefined;
  inhabited.troubles.storeTroubled();
  await world.scheduler.runTo(600_000);
  const { troubles, operator } = inhabited;
  return {
    world,
    first,
    second,
    third,
    processes,
    troubles,
    operator,
    ...truthOf(inhabited as unknown as Parameters<typeof truthOf>[0], quotes),
  };
}

test('what a process answered within 1.1 s before it was killed, and nothing earlier, may be lost', async () => {
  const { processes, truth } = await afterTenMinutes();
  assert.equal(truth.wasUnsaved(599_500), false);
  processes[1]!.killedAtMs = 600_000;
  assert.deepEqual([598_900, 598_901, 600_000, 600_001].map(truth.wasUnsaved), [false, true, true, false]);
});

test('what was answered before the store was restored may be lost, however late it is read', async () => {
  const { operator, truth } = await afterTenMinutes();
  operator.restoredAtMs = 300_000;
  assert.deepEqual([300_000, 300_001].map(truth.wasUnsaved), [true, false]);
});

test('the last word of the first source counts once all have heard it for 90 s since whatever changed', async () => {
  const { first, processes, truth } = await afterTenMinutes();
  assert.equal(truth.firstHeardAtMs, 600_000);
  const [changed] = processes;
  for (const change of ['disturbedAtMs', 'reloadedAtMs'] as const) {
    changed![change] = 510_000;
    assert.equal(truth.firstHeardAtMs, undefined, change);
    changed![change] = 509_999;
    assert.equal(truth.firstHeardAtMs, 600_000, change);
    changed![change] = 0;
  }
  Object.assign(changed!, { frozenAtMs: 10_001, thawedAtMs: 520_000 });
  assert.equal(truth.firstHeardAtMs, undefined, 'frozen before it found the others again');
  changed!.thawedAtMs = 0;
  Object.assign(first, { emptiedAtMs: 300_000, isEmpty: true });
  assert.equal(truth.firstHeardAtMs, 600_000, 'emptied after all had it');
  changed!.disturbedAtMs = 400_000;
  assert.equal(truth.firstHeardAtMs, undefined, 'a process that came to an empty catalogue has no market of it');
});

test('a market can be served once a source has been steady, and all processes have been calm for half a minute', async () => {
  const { third, second, first, processes, troubles, beliefs, truth, world } = await afterTenMinutes();
  for (const each of [first, second]) Object.assign(each, { linkedSinceMs: Number.POSITIVE_INFINITY });
  third.linkedSinceMs = 100_000;
  assert.equal(truth.servableSinceMs('BTCEUR'), 100_000);
  assert.equal(truth.servableSinceMs('ENGEUR'), Number.POSITIVE_INFINITY, 'of the engine alone');
  processes[0]!.disturbedAtMs = 300_000;
  assert.equal(truth.servableSinceMs('BTCEUR'), 330_000);
  processes[0]!.reloadedAtMs = 400_000;
  assert.equal(truth.servableSinceMs('BTCEUR'), 430_000);
  troubles.operated('BTCEUR', true);
  assert.equal(truth.servableSinceMs('BTCEUR'), 660_000);
  await world.scheduler.runTo(700_000);
  assert.equal(truth.servableSinceMs('BTCEUR'), 760_000, 'it is still paused');
  troubles.operatedNothing();
  await world.scheduler.runTo(800_000);
  assert.equal(truth.servableSinceMs('BTCEUR'), 760_000);
  troubles.operated('BTCEUR', true);
  world.storeTrouble = 'lost';
  troubles.storeTroubled();
  troubles.operatedNothing();
  await world.scheduler.runTo(900_000);
  assert.equal(truth.servableSinceMs('BTCEUR'), 960_000, 'nobody hears of its end');
  world.storeTrouble = undefined;
  troubles.storeTroubled();
  await world.scheduler.runTo(1_000_000);
  assert.equal(truth.servableSinceMs('BTCEUR'), 960_000);
  processes[1]!.isFrozen = true;
  assert.equal(truth.servableSinceMs('BTCEUR'), 1_030_000);
  processes[1]!.isFrozen = false;
  beliefs.deceives('coinbase', 'BTCEUR', { how: 'fixed', factor: 1.05 });
  assert.equal(truth.servableSinceMs('BTCEUR'), Number.POSITIVE_INFINITY, 'the only one deceives');
});
