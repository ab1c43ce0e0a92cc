import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { TicketKeys } from './ticket-keys.ts';

const pem = (format: 'pkcs8' | 'sec1') => {
  return keyPair.privateKey.export({ type: format, format: 'pem' }) as string;
};
const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const hourMs = 3_600_000;

/** A store that several processes share. */
class Shared {
  readonly clock: FakeClock;
  kept: { payload: string; savedAt: EpochMs } | undefined;
  isLost = false;
  saves = 0;

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  async load(name: string) {
    if (this.isLost) throw new Error('lost');
    return name === 'tls tickets' ? this.kept : undefined;
  }

  async save(name: string, payload: string, seen: EpochMs): Promise<void> {
    this.saves++;
    if (name === 'tls tickets' && (this.kept?.savedAt ?? 0) === seen)
      this.kept = { payload, savedAt: this.clock.now() };
  }
}

async function started(shared: Shared, seed: number) {
  let changes = 0;
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, message: string) => void warned.push(message) };
  const parts = { shared, clock: shared.clock, randomness: seededRandomness(seed), log };
  const keys = new TicketKeys(parts, () => changes++);
  assert.equal(keys.for(pem('pkcs8')), undefined);
  await keys.start();
  return { keys, warned, changes: () => changes };
}

test('processes with one private key have the same ticket keys, however it is written, and others have others', async (t) => {
  const shared = new Shared(new FakeClock());
  const [one, other] = [await started(shared, 1), await started(shared, 2)];
  t.after(() => {
    for (const { keys } of [one, other]) keys.stop();
  });
  const key = one.keys.for(pem('pkcs8'))!;
  assert.equal(key.length, 48);
  assert.deepEqual(other.keys.for(pem('sec1')), key);
  assert.equal(shared.saves, 1);
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  assert.notDeepEqual(one.keys.for(stranger.export({ type: 'pkcs8', format: 'pem' }) as string), key);
  assert.deepEqual([one.changes(), other.changes()], [1, 1]);
});

test('a restart finds the secret again; after twelve hours it is replaced in every process within a minute', async (t) => {
  const clock = new FakeClock();
  const shared = new Shared(clock);
  const [one, other] = [await started(shared, 1), await started(shared, 2)];
  t.after(() => {
    for (const { keys } of [one, other]) keys.stop();
  });
  const key = one.keys.for(pem('pkcs8'))!;
  await clock.advance(12 * hourMs - 60_000);
  const again = await started(shared, 3);
  again.keys.stop();
  assert.deepEqual(again.keys.for(pem('pkcs8')), key);
  assert.deepEqual(one.keys.for(pem('pkcs8')), key);
  await clock.advance(120_000);
  const next = one.keys.for(pem('pkcs8'))!;
  assert.notDeepEqual(next, key);
  assert.deepEqual(other.keys.for(pem('pkcs8')), next);
  assert.deepEqual([one.changes(), other.changes()], [2, 2]);
  one.keys.stop();
  await clock.advance(24 * hourMs);
  assert.deepEqual(one.keys.for(pem('pkcs8')), next, 'it no longer looks');
});

test('a secret from the future, which a wrong clock has left, is replaced', async (t) => {
  const clock = new FakeClock();
  const shared = new Shared(clock);
  shared.kept = { payload: 'AAAA', savedAt: (clock.now() + 13 * hourMs) as EpochMs };
  const { keys } = await started(shared, 1);
  t.after(() => keys.stop());
  assert.equal(shared.kept.payload === 'AAAA', false);
});

test('a lost store is logged once, asked again each minute, and keeps the keys as they were', async (t) => {
  const clock = new FakeClock();
  const shared = new Shared(clock);
  shared.isLost = true;
  const { keys, warned } = await started(shared, 1);
  t.after(() => keys.stop());
  await clock.advance(180_000);
  assert.deepEqual(warned, ['the keys of TLS session tickets cannot be renewed']);
  shared.isLost = false;
  await clock.advance(60_000);
  const key = keys.for(pem('pkcs8'));
  assert.notEqual(key, undefined);
  shared.isLost = true;
  await clock.advance(120_000);
  assert.deepEqual(keys.for(pem('pkcs8')), key);
  assert.equal(warned.length, 2);
});
