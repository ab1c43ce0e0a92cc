import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newDirectory, runInside } from '../../src/cli/cli.testing.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const token = 'a-token-for-the-tests-of-backups';

/** The command line of an installation in a directory. */
function installationIn(cwd: string, clock: ServiceHarness['clock']) {
  const env = { MDAPI_STORE: `sqlite:${cwd}/mdapi.sqlite`, MDAPI_HISTORY_URL: `sqlite:${cwd}/history.sqlite` };
  const mdapi = (...argv: readonly string[]) => runInside(argv, { cwd, env, clock });
  const json = async <Shape>(...argv: readonly string[]) => {
    const { exitCode, stdout, stderr } = await mdapi(...argv, '--json');
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout) as Shape;
  };
  return { cwd, mdapi, json };
}

/** A service that answers, with a minute of its record sealed and the next one running. */
async function answering(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-backup-'));
  const settings = {
    store: `sqlite:${directory}/mdapi.sqlite`,
    'history.url': `sqlite:${directory}/history.sqlite`,
    'admin.token': token,
  };
  const harness = await ServiceHarness.start(t, { settings });
  // After the harness's own: a service whose record is taken away while it runs says so.
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const answers = new Map<string, string>();
  const ask = async () => {
    const headers = { 'X-EXCHANGE-APIKEY': harness.credentials.key, 'Accept-Encoding': 'identity' };
    const response = await fetch(`${harness.service.baseUrl}/v1/tickers`, { headers });
    const requestId = response.headers.get('x-request-id')!;
    answers.set(requestId, await response.text());
    return requestId;
  };
  const isRecorded = async (requestId: string, isSealed: boolean) => {
    const headers = { Authorization: `Bearer ${token}`, Connection: 'close' };
    const response = await fetch(`${harness.service.adminUrl}/api/history/answers/${requestId}`, { headers });
    if (response.status !== 200) return false;
    return !isSealed || ((await response.json()) as { segment: unknown }).segment !== null;
  };
  const first = await ask();
  harness.clock.shift(60_000);
  await eventually('the minute is sealed', () => isRecorded(first, true));
  await harness.untilLive();
  for (let count = 0; count < 20; count++) await ask();
  const last = await ask();
  await eventually('what was answered is in the journal', () => isRecorded(last, false));
  return { harness, answers, ask, service: installationIn(directory, harness.clock) };
}

test('a backup of a running service is restored elsewhere, and every answer until then is built again from it', async (t) => {
  const { harness, answers, ask, service } = await answering(t);
  const expected = new Map(answers);
  const backup = join(newDirectory(t), 'copy');
  const polling = (async () => {
    for (let count = 0; count < 50; count++) await ask();
  })();
  const { files } = await service.json<{ files: { name: string }[] }>('store', 'backup', backup);
  await polling;
  assert.deepEqual(
    files.map(({ name }) => name),
    ['store.sqlite', 'record.sqlite', 'record.sqlite.minute1'],
  );
  for (const name of readdirSync(backup)) assert.equal(statSync(join(backup, name)).mode & 0o777, 0o600, name);
  const elsewhere = installationIn(newDirectory(t), harness.clock);
  const restored = await elsewhere.mdapi('store', 'restore', backup);
  assert.equal(restored.exitCode, 0, restored.stderr);
  assert.match(restored.stderr, /^store\.sqlite\n/, 'progress is shown');
  const { keys } = await elsewhere.json<{ keys: { id: string }[] }>('keys', 'list');
  assert.deepEqual(
    keys.map(({ id }) => id),
    [harness.credentials.keyId],
  );
  const verified = await elsewhere.json<{ whole: boolean; segments: number }>('history', 'verify');
  assert.ok(verified.whole && verified.segments > 3);
  for (const [requestId, body] of expected) {
    assert.equal((await elsewhere.json<{ body: string }>('history', 'answer', requestId)).body, body);
  }
});

test('a backup is not put over what is in use or there already, nor where a byte of it differs', async (t) => {
  const { harness, service } = await answering(t);
  const backup = join(newDirectory(t), 'copy');
  await service.json('store', 'backup', backup);
  const inUse = await service.mdapi('store', 'restore', backup, '--replace');
  assert.match(inUse.stderr, /belongs to a service that runs/);
  assert.notEqual(inUse.exitCode, 0);
  const again = await service.mdapi('store', 'backup', backup);
  assert.match(again.stderr, /is not empty/);
  await harness.stopService();
  const there = await service.mdapi('store', 'restore', backup);
  assert.deepEqual([there.exitCode, /already/.test(there.stderr)], [5, true], there.stderr);

  const damaged = newDirectory(t);
  for (const name of readdirSync(backup)) copyFileSync(join(backup, name), join(damaged, name));
  const bytes = readFileSync(join(damaged, 'record.sqlite.minute1'));
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(join(damaged, 'record.sqlite.minute1'), bytes);
  const untouched = readdirSync(service.cwd);
  const refused = await service.mdapi('store', 'restore', damaged, '--replace');
  assert.match(refused.stderr, /minute1 is not as the manifest has it\. Nothing was restored/);
  assert.deepEqual(readdirSync(service.cwd), untouched);
  rmSync(join(damaged, 'manifest.json'));
  assert.equal((await service.mdapi('store', 'restore', damaged, '--replace')).exitCode, 4);

  const replaced = await service.mdapi('store', 'restore', backup, '--replace');
  assert.equal(replaced.exitCode, 0, replaced.stderr);
  const aside = readdirSync(service.cwd).filter((name) => name.includes('.replaced-'));
  assert.ok(aside.length >= 3 && existsSync(join(service.cwd, 'mdapi.sqlite')), String(aside));
  assert.equal((await service.json<{ whole: boolean }>('history', 'verify')).whole, true);
  await harness.startService();
});

test('with store and record in PostgreSQL its own tools are named instead', async (t) => {
  const env = { MDAPI_STORE: 'postgres://mdapi@127.0.0.1:1/mdapi', MDAPI_HISTORY_URL: 'off' };
  const { exitCode, stderr } = await runInside(['store', 'backup', 'copy'], { cwd: newDirectory(t), env });
  assert.equal(exitCode, 5);
  assert.match(stderr, /pg_dump.*pg_basebackup/);
});

test('a store that is gone while the record knows keys is not made anew, unless an operator makes one (fault row 103)', async (t) => {
  const { harness, service } = await answering(t);
  await harness.stopService();
  const files = ['', '-wal', '-shm'].map((suffix) => join(service.cwd, `mdapi.sqlite${suffix}`));
  for (const file of files) rmSync(file, { force: true });
  await assert.rejects(
    harness.startService(),
    /There is no database .*mdapi\.sqlite, and the record .*history\.sqlite/,
  );
  assert.equal(existsSync(files[0]!), false);
  await service.json('accounts', 'create', '--email', 'new@example.com');
  await harness.startService();
});
