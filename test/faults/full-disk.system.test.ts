import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';

/** What keeps a database from growing, from when a service runs until it is taken away. */
interface Obstacle {
  readonly name: string;
  /** What the operator sees. */
  readonly message: RegExp;
  /** Not only for the service. */
  readonly isForAll: boolean;
  readonly set: (directory: string, pid: number) => void;
  readonly remove: (directory: string, pid: number) => void;
}

const diskBytes = 8 * 1024 * 1024;
const isMounted = (directory: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', directory]).status === 0;
const unmount = (directory: string) => void spawnSync('umount', ['--lazy', directory]);

const fullDisk: Obstacle = {
  name: 'is full',
  message: /The disk that holds the database \S+mdapi\.sqlite is full\. Free some space\./,
  isForAll: true,
  set: (directory) => assert.throws(() => writeFileSync(join(directory, 'filler'), Buffer.alloc(diskBytes)), /ENOSPC/),
  remove: (directory) => rmSync(join(directory, 'filler')),
};

/** As a quota works, which needs no rights to set. */
const limitedFiles: Obstacle = {
  name: 'takes no more of this user',
  message: /The disk that holds the database \S+mdapi\.sqlite takes no more: .* quota /,
  isForAll: false,
  set: (_, pid) => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=4096:']),
  remove: (_, pid) => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']),
};

const directory = mkdtempSync(join(tmpdir(), 'mdapi-full-'));
const canMount = isMounted(directory);

describe('a disk', () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200 });
  });
  after(async () => {
    await simulator.stop();
    if (canMount) unmount(directory);
    rmSync(directory, { recursive: true, force: true });
  });

  for (const { name, message, isForAll, set, remove } of canMount ? [fullDisk, limitedFiles] : [limitedFiles]) {
    test(`that ${name} stops no answer, is named with the remedy, and costs nothing once there is room`, async (t) => {
      const installation = Installation.for(t, simulator, { history: { url: 'off' } });
      installation.env.MDAPI_STORE = `sqlite:${join(directory, 'mdapi.sqlite')}`;
      t.after(() => {
        for (const end of ['', '-wal', '-shm', '-lock']) rmSync(join(directory, `mdapi.sqlite${end}`), { force: true });
      });
      const { key, server, api, adminUrl } = await installation.serveLive();
      const notes = async () => ((await (await fetch(`${adminUrl}/readyz`)).json()) as { notes: string[] }).notes;
      const isReachable = async () =>
        readMetrics(await (await fetch(`${adminUrl}/metrics`)).text()).value('mdapi_store_reachable');

      set(directory, server.child.pid!);
      await eventually('it is named', async () => (await notes()).some((note) => message.test(note)));
      assert.equal(await isReachable(), 0);
      assert.equal((await fetch(`${adminUrl}/readyz`)).status, 200);
      assert.match(server.stderr, message);
      simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
      await eventually('prices go on', async () => (await api.ticker('BTCEUR')).buyPrice === '50250.2');
      assert.equal((await api.status()).status, 'operational');
      if (isForAll) {
        const { exitCode, stderr } = await installation.run('accounts', 'create', '--email', 'late@example.com');
        assert.match(stderr, message);
        assert.equal(exitCode, 1);
      }

      remove(directory, server.child.pid!);
      await eventually('it is over', async () => (await isReachable()) === 1 && (await notes()).length === 0);
      const { accounts } = await installation.json<{ accounts: object[] }>('accounts', 'list');
      assert.equal(accounts.length, 1);
      server.kill('SIGKILL');
      await server.ended;
      const { baseUrl } = await installation.serve();
      assert.equal((await (await ApiClient.of(baseUrl, key)).ticker('BTCEUR')).buyPrice, '50250.2');
    });
  }
});
