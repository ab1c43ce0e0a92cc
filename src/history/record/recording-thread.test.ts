import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { silentLog } from '../../ground/log.ts';
import { directoryFor, requestKey } from './record.testing.ts';
import { RecordingThread } from './recording-thread.ts';

test('a recording thread that cannot open its file says so, and is started again until it can', async (t) => {
  const clock = new FakeClock();
  const folder = join(directoryFor(t), 'later');
  const heard: string[] = [];
  let ended = 0;
  const thread = new RecordingThread({
    location: { kind: 'sqlite', path: join(folder, 'history.sqlite') },
    keepForMs: 86_400_000,
    requestKey,
    clock,
    randomness: seededRandomness(1),
    log: silentLog,
    heard: ({ kind }) => void heard.push(kind),
    ended: () => void ended++,
  });
  await assert.rejects(thread.start(), /history\.url/);
  await eventually('the end of the thread', () => ended === 1);
  mkdirSync(folder);
  assert.equal(clock.pendingTimers, 1);
  await clock.advance(2_000);
  await eventually('an open record', () => heard.includes('open'));
  await thread.stop();
  assert.equal(ended, 1, 'one that is stopped did not end by itself');
  assert.equal(clock.pendingTimers, 0);
});
