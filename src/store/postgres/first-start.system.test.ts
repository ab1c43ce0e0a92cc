import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandomness } from '../../../test/support/fake-clock.ts';
import { systemClock } from '../../ground/clock.ts';
import { openSegments } from '../../history/segment/open-segments.ts';
import { emptyDatabase, postgresTest } from '../store.testing.ts';
import { openStore } from '../store.ts';

const rounds = 20;

postgresTest('three processes that start at once on an empty database all open it (fault row 108)', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'record-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (let round = 0; round < rounds; round++) {
    const url = await emptyDatabase(t, 'postgres');
    const processes = [1, 2, 3].map(async (number) => {
      const store = await openStore({ url, clock: systemClock, randomness: seededRandomness(number) });
      const journalPath = join(directory, `${round}-${number}`);
      const record = await openSegments({ kind: 'postgres', url, journalPath });
      const found = (await store.accounts.list()).length + (await record.chains()).length;
      await Promise.all([record.close(), store.close()]);
      return found;
    });
    assert.deepEqual(await Promise.all(processes), [0, 0, 0], `round ${round}`);
  }
});
