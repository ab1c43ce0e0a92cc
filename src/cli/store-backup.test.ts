import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { journalContent } from '../history/reading/journal.ts';
import { answers, newRecord, writerOn } from '../history/record/record.testing.ts';
import { newDirectory } from './cli.testing.ts';
import { journalsOf, moveAll, snapshotOf } from './store-backup.ts';

it('a minute that is sealed between two looks at its journal is in the snapshot of the record', async (t) => {
  const { store, journalPath } = await newRecord(t);
  const { writer } = await writerOn(store, journalPath);
  const answer = answers();
  await writer.take(answer(1_000));
  let looks = 0;
  let sealed = Promise.resolve();
  const { database, journals } = snapshotOf(journalPath, (path) => {
    const found = journalsOf(path);
    // What another process does meanwhile.
    if (++looks === 2) {
      sealed = writer.seal();
      return new Map([[1, Buffer.alloc(0)]]);
    }
    return found;
  });
  await sealed;
  const { head } = database.prepare('select max(number) as head from segment').get() as { head: number };
  database.close();
  assert.equal(looks, 4, 'it looked again');
  const content = journalContent(journals.get(1)!, head);
  assert.ok(head > 0 && content?.batches.length === 0, 'each row is in one of both');
  await writer.tick(2_000 as EpochMs);
});

it('either all files of a backup take their places or none does', (t) => {
  const directory = newDirectory(t);
  const at = (name: string) => join(directory, name);
  for (const name of ['old', 'new']) writeFileSync(at(name), name);
  mkdirSync(at('taken'));
  const moves = [
    [at('old'), at('aside')],
    [at('new'), at('taken')],
  ] as const;
  assert.throws(() => moveAll(moves), /EISDIR|ENOTEMPTY/);
  assert.deepEqual(readdirSync(directory), ['new', 'old', 'taken']);
});
