import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { silentLog } from '../ground/log.ts';
import { openStoreWhenThere } from './open-store.ts';
import { newDatabase, refusal, temporaryDirectory } from './store.testing.ts';
import type { Store } from './store.ts';

const warned = 'warn: the store cannot be reached; the service starts when it can';

/** A start, and whatever it logs. The clock moves on while it waits for one. */
function starting(t: TestContext, url: string, isSoleService = true) {
  const clock = new FakeClock();
  const logged: string[] = [];
  const log = {
    ...silentLog,
    info: (_: object, message: string) => void logged.push(`info: ${message}`),
    warn: (_: object, message: string) => void logged.push(`warn: ${message}`),
  };
  const stopped = new AbortController();
  const options = { url, clock, randomness: seededRandomness(1), isSoleService, version: '2.0.0' };
  const opening = openStoreWhenThere(options, log, stopped.signal);
  let ended: 'opened' | 'refused' | undefined;
  opening.then(
    () => (ended = 'opened'),
    () => (ended = 'refused'),
  );
  t.after(() => opening.then((store: Store) => store.close()).catch(() => {}));
  return {
    opening,
    logged,
    stopped,
    until: (what: string, probe: () => boolean) =>
      eventually(what, async () => {
        await clock.advance(100);
        return probe();
      }),
    ended: () => ended,
    elapsedMs: () => clock.monotonicMs(),
  };
}

test('a database that is made is said, and one that is there is opened without a word (fault row 103)', async (t) => {
  const url = `sqlite:${join(temporaryDirectory(t), 'new.sqlite')}`;
  const first = starting(t, url);
  const store = await first.opening;
  assert.equal(store.made, url.slice('sqlite:'.length));
  await store.close();
  assert.deepEqual(first.logged, ['warn: there was no database, and a new one was made: it holds no key']);
  const second = starting(t, url);
  assert.equal((await second.opening).made, undefined);
  assert.deepEqual(second.logged, []);
});

test('a database of an earlier version is brought up to date, and the log has the copy and the way back', async (t) => {
  const url = await newDatabase(t, 'sqlite');
  const path = url.slice('sqlite:'.length);
  writeFileSync(path, zstdDecompressSync(readFileSync(new URL('../../test/golden/store-4.zst', import.meta.url))));
  const { opening, logged } = starting(t, url);
  const { kept } = await opening;
  assert.ok(kept?.startsWith(`${path}.before-2.0.0-`));
  assert.deepEqual(logged, [
    `warn: the database was brought up to date. To go back: stop the service, run \`mdapi store restore ${kept} --replace\`, and start the version before. The record stays as it is: where \`mdapi upgrade check\` said that it takes a new form, restore the backup of before too`,
  ]);
});

test('a server that cannot be reached is waited for, with a reminder every half minute, until the start is broken off', async (t) => {
  const { opening, logged, stopped, until, elapsedMs } = starting(
    t,
    `postgres://nobody@127.0.0.1:${await fixedPort()}/none`,
  );
  const refused = assert.rejects(opening, refusal('unreachable'));
  await until('the warning', () => logged.length === 1);
  assert.ok(elapsedMs() < 10_000);
  await until('a reminder', () => logged.length === 2);
  assert.ok(elapsedMs() >= 30_000);
  stopped.abort();
  await refused;
  assert.deepEqual(logged, [warned, warned]);
});

test('a locked file is waited for, and the end of the wait is logged', async (t) => {
  const url = await newDatabase(t, 'sqlite');
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  // In this mode the lock lasts as long as the connection.
  other.exec('pragma locking_mode = exclusive; begin exclusive');
  const { opening, logged, until, ended } = starting(t, url);
  await until('the warning', () => logged.length === 1);
  assert.equal(ended(), undefined);
  other.close();
  await until('the end of the wait', () => ended() === 'opened');
  await opening;
  assert.deepEqual(logged, [warned, 'info: the store can be reached']);
});

test('what waiting cannot fix ends the start at once', async (t) => {
  const path = join(temporaryDirectory(t), 'text.sqlite');
  writeFileSync(path, 'not a database, and long enough to be looked at as one'.repeat(100));
  const { opening, logged } = starting(t, `sqlite:${path}`);
  await assert.rejects(opening, refusal('not_a_database'));
  assert.deepEqual(logged, []);
});

test('a second service on a file is refused, unless it may have several', async (t) => {
  const url = await newDatabase(t, 'sqlite');
  await starting(t, url).opening;
  await assert.rejects(starting(t, url).opening, refusal('in_use'));
  await starting(t, url, false).opening;
});
