import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordHeads } from '../../src/operator/record-heads.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const settings = { 'history.url': 'sqlite:history.sqlite', 'admin.token': 'a-token-for-the-tests-of-heads' };
const logged = 'the record is no longer what it was';

async function begin(t: Parameters<typeof ServiceHarness.start>[0]) {
  const harness = await ServiceHarness.start(t, { settings });
  const path = join(harness.directory, 'history.sqlite');
  const notes = async () => ((await (await harness.admin('/readyz')).json()) as { notes: string[] }).notes;
  const note = () =>
    eventually('it is named', async () => (await notes()).find((text) => text.startsWith('the record')));
  const verification = async () => {
    const headers = { Authorization: `Bearer ${settings['admin.token']}`, Connection: 'close' };
    const response = await fetch(`${harness.service.adminUrl}/api/history/verification`, { headers });
    return (await response.json()) as { whole: boolean; finding: string | null };
  };
  const minute = async () => {
    const before = await kept();
    harness.clock.shift(60_000);
    await eventually('the store keeps the new end', async () => (await kept()) > before);
  };
  const kept = () =>
    harness.withStore(async ({ snapshots }) => (await recordHeads(snapshots).load()).at(-1)?.number ?? 0);
  /** The harness refuses what went wrong in the service itself. */
  const untilLogged = async () => {
    await eventually('it is logged', () => harness.logged.some((line) => line.includes(logged)));
    harness.logged.splice(0, Infinity, ...harness.logged.filter((line) => !line.includes(logged)));
  };
  return { harness, path, note, notes, minute, verification, untilLogged };
}

test('a record that an older copy replaced is named at the start, in readiness, log and verification, until it is accepted', async (t) => {
  const { harness, path, note, notes, minute, verification, untilLogged } = await begin(t);
  await minute();
  assert.deepEqual(await verification(), { ...(await verification()), whole: true, finding: null });
  await harness.stopService();
  copyFileSync(path, `${path}.old`);
  await harness.startService();
  await minute();
  assert.deepEqual(
    (await notes()).filter((text) => text.startsWith('the record')),
    [],
  );
  await harness.stopService();
  for (const ending of ['-wal', '-shm', '.minute1']) rmSync(`${path}${ending}`, { force: true });
  renameSync(`${path}.old`, path);
  await harness.startService();
  assert.match(await note(), /^the record is not what it was: chain 1, segment \d+: (cut off|exchanged)/);
  await untilLogged();
  const { whole, finding } = await verification();
  assert.equal(whole, false);
  assert.match(finding!, /^chain 1, segment \d+: (cut off|exchanged)/);
  await harness.withStore(({ snapshots }) => recordHeads(snapshots).replace([]));
  harness.clock.shift(30_000);
  await eventually('it is accepted', async () => !(await notes()).some((text) => text.startsWith('the record is not')));
});

test('a record whose file is moved or exchanged while the service runs is named within a minute', async (t) => {
  const { harness, path, note, minute, untilLogged } = await begin(t);
  await minute();
  copyFileSync(path, `${path}.copy`);
  renameSync(path, `${path}.moved`);
  renameSync(`${path}.copy`, path);
  harness.clock.shift(30_000);
  assert.match(await note(), /its file or database was moved or exchanged/);
  await untilLogged();
});
