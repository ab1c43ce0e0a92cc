import assert from 'node:assert/strict';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { openFixture } from '../store.testing.ts';
import { quickCheck } from './quick-check.ts';

test('a whole file is found whole while it is in use, and a damaged one is recognised', async (t) => {
  const { path, store, outside } = await openFixture(t);
  for (let number = 0; number < 200; number++) await store.accounts.create({ email: `a${number}@example.com` });
  assert.equal(await quickCheck(path), undefined);
  await store.close();
  outside.exec('pragma wal_checkpoint(truncate)');
  outside.close();
  const file = openSync(path, 'r+');
  const { size } = statSync(path);
  for (let page = 4096; page < size; page += 4096) writeSync(file, 'x'.repeat(512), page);
  closeSync(file);
  assert.match((await quickCheck(path)) ?? 'nothing', /malformed|Tree|page|btree/i);
  await assert.rejects(quickCheck(`${path}-none`), /unable to open/);
});
