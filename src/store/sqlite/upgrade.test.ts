import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Migrator } from 'kysely';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { migrations } from '../migrate.ts';
import { digestNumber, temporaryDirectory } from '../store.testing.ts';
import { openStore } from '../store.ts';
import { openSqlite } from './open.ts';

test('a database of the first version is brought up to date, with its tokens', async (t) => {
  const clock = new FakeClock();
  const path = join(temporaryDirectory(t), 'mdapi.sqlite');
  const old = await openSqlite(path, clock);
  const provider = { getMigrations: async () => ({ '0001-initial': migrations['0001-initial']! }) };
  assert.equal((await new Migrator({ db: old, provider }).migrateToLatest()).error, undefined);
  const token = { id: 'tok_1', name: 'alice', role: 'support', created_at_ms: clock.now() } as const;
  await old
    .insertInto('operator_tokens')
    .values({ ...token, digest: digestNumber(1).toHex() })
    .execute();
  await old.destroy();

  const store = await openStore({ url: `sqlite:${path}`, clock, randomness: seededRandomness(1) });
  t.after(() => store.close());
  const again = { role: 'prices', digest: digestNumber(2), name: 'alice' } as const;
  await assert.rejects(store.tokens.insert(again), /has the name "alice" already/);
  await store.tokens.insert({ ...again, name: 'app' });
  assert.deepEqual(
    (await store.tokens.list()).map(({ name, role }) => [name, role]),
    [
      ['alice', 'support'],
      ['app', 'prices'],
    ],
  );
  await store.terms.add({ from: 0 as EpochMs, scope: 'service', subject: undefined, feePercent: '0.4' });
});
