import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { root as repository } from '../repository/files.ts';
import { Child } from '../support/mdapi-process.ts';
import { startPostgres } from '../support/postgres.ts';
import { type EmptyRoot, emptyRoot } from './empty-root.ts';

const data = '/var/lib/mdapi';
/** A folder that the service's user may not even write. */
const elsewhere = '/srv';
const first = [
  'mdapi init --offline --json --base-url http://127.0.0.1:8080 --quotes EUR --sources kraken --fee 0,5',
  '--czk none --email bot@example.com',
].join(' ');

/** The package as it is installed, and commands of it, each of which has to succeed. */
function installation(machine: EmptyRoot, user: 'root' | 'mdapi', note: (line: string) => void) {
  const said = async (line: string) => {
    const ran = await machine.run(user, elsewhere, line);
    note(`${user}$ ${line}\n${ran.stdout}${ran.stderr}`);
    return ran;
  };
  const json = async <Shape>(line: string): Promise<Shape> => {
    const { code, stdout, stderr } = await said(line);
    assert.equal(code, 0, `${line}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as Shape;
  };
  /** Every file of the service, with owner and mode. */
  const files = async () => {
    const { stdout } = await machine.run('root', '/', `find /etc/mdapi ${data} -printf '%p %u:%g %m\\n' | sort`);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/\.replaced-\d+/, '.replaced-INSTANT'));
  };
  return { said, json, files };
}

/** Starts what the unit starts, as its user; resolves once it serves. */
async function serving(t: TestContext, machine: EmptyRoot) {
  const unit = readFileSync(machine.outside('/usr/lib/systemd/system/mdapi.service'), 'utf8');
  const [, command = ''] = /^ExecStart=(.+)$/m.exec(unit)!;
  const [file, argv] = machine.entering('mdapi', data, `umask 0077 && exec ${command} --port 0 --json`);
  const service = new Child(t, file, argv, {
    cwd: '/',
    env: { MDAPI_ADMIN_PORT: '0', MDAPI_SOURCES: '[{"id":"engine","kind":"push"}]' },
  });
  const { port } = JSON.parse(await service.firstLine()) as { port: number };
  const stop = async () => {
    service.kill('SIGTERM');
    return service.ended;
  };
  return { port, stop, service };
}

/**
 * Installs the package in an empty root and walks an operator's first weeks: configuration, keys, service, backup,
 * restore, an upgrade from the last released state and back, and the move to PostgreSQL.
 *
 * @param note takes a transcript, line by line
 * @returns the files of the service with owner and mode, the same whoever walked
 */
export async function walkPackage(t: TestContext, deb: string, user: 'root' | 'mdapi', note: (line: string) => void) {
  const machine = emptyRoot(t);
  copyFileSync(deb, machine.outside('/tmp/mdapi.deb'));
  const installed = await machine.run('root', '/', 'dpkg --install /tmp/mdapi.deb');
  assert.equal(installed.code, 0, installed.stderr);
  const { said, json, files } = installation(machine, user, note);
  assert.deepEqual(await files(), ['/etc/mdapi mdapi:mdapi 750', `${data} mdapi:mdapi 700`]);

  const made = await json<{ key: string; configurationFile: string }>(first);
  assert.equal(made.configurationFile, '/etc/mdapi/mdapi.yaml');
  const again = await said(first);
  assert.match(again.stderr, /There is \/etc\/mdapi\/mdapi\.yaml already/);
  const listed = await json<{ keys: unknown[] }>('mdapi keys list --json');
  assert.equal(listed.keys.length, 1);

  const { port, stop } = await serving(t, machine);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/time`, {
    headers: { 'X-EXCHANGE-APIKEY': made.key, connection: 'close' },
  });
  assert.equal(answer.status, 200);
  assert.equal((await stop()).code, 0);

  await json(`mdapi store backup ${data}/backup --json`);
  await json(`mdapi store restore ${data}/backup --replace --json`);
  assert.equal((await json<{ keys: unknown[] }>('mdapi keys list --json')).keys.length, 1);
  const written = await files();

  const server = await startPostgres();
  t.after(() => server.stop());
  const target = await server.newDatabase();
  await json(`mdapi store copy --to ${target} --record-to ${target} --json`);

  await upgradeAndUndo(t, machine, { said, json });
  return written.filter((line) => !line.includes(`${data}/backup/`));
}

/** From a database of the last released version, and back to it as the log says. */
async function upgradeAndUndo(
  t: TestContext,
  machine: EmptyRoot,
  { said, json }: Pick<ReturnType<typeof installation>, 'said' | 'json'>,
) {
  const old = zstdDecompressSync(readFileSync(join(repository, 'test/golden/store-4.zst')));
  for (const suffix of ['-wal', '-shm']) await machine.run('root', '/', `rm -f ${data}/mdapi.sqlite${suffix}`);
  writeFileSync(machine.outside(`${data}/mdapi.sqlite`), old);
  const trial = await json<{ steps: string[] }>('mdapi upgrade check --json');
  assert.ok(trial.steps.length > 0);
  const { stop, service } = await serving(t, machine);
  await stop();
  const undo = /run `(mdapi store restore [^`]+)`/.exec(service.stderr)?.[1];
  assert.ok(undo !== undefined, service.stderr);
  const undone = await said(undo);
  assert.equal(undone.code, 0, undone.stderr);
  assert.deepEqual((await json<{ steps: string[] }>('mdapi upgrade check --json')).steps, trial.steps);
}
