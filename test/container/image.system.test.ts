import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { version } from '../../src/ground/version.ts';
import { clientRoutes } from '../../src/portal/client-packages.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { RunningImage } from './running-image.ts';
import { type StagedImage, stageImage } from './staged-image.ts';

/** `installed` in ops/container/check.sh: with the Dockerfile's own npm command, which needs the registry. */
const packages = process.env.IMAGE_PACKAGES === 'installed' ? 'installed' : 'linked';

/** Whether a process can be made the first one of a namespace, as in a container. */
const canBePid1 = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;

describe(`what the Dockerfile copies, with its packages ${packages}`, () => {
  let simulator: ExchangeSimulator;
  let image: StagedImage;
  let node: string;
  let running: RunningImage;
  const cleanups: (() => unknown)[] = [];
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 10 });
    image = stageImage(packages);
    node = packages === 'installed' ? ownNode(image) : process.execPath;
    const more = {
      MDAPI_SOURCES: JSON.stringify([krakenAt(simulator.restUrl, simulator.wsUrl)]),
      MDAPI_RATES_URL: simulator.cnbUrl,
      MDAPI_RATES_COMPARE: JSON.stringify({ source: 'ecb', url: simulator.ecbUrl }),
    };
    running = await RunningImage.start({ after: (run) => void cleanups.unshift(run as () => unknown) }, image, {
      node,
      more,
    });
  });
  after(async () => {
    for (const run of cleanups) await run();
    await simulator.stop();
  });

  // Linked packages are those of a developer, too.
  if (packages === 'installed') {
    test('its packages take less than 65 MB of disk, so that the program without a runtime stays small', () => {
      const { stdout } = spawnSync('du', ['-sm', join(image.root, 'app/node_modules')], { encoding: 'utf8' });
      assert.ok(Number.parseInt(stdout, 10) < 65, stdout);
    });
  }

  test('serves, with nothing of it to be written but its volume', async () => {
    const { id } = JSON.parse(running.mdapi('accounts', 'create', '--email', 'client@example.com', '--json').stdout);
    const { key } = JSON.parse(running.mdapi('keys', 'create', '--account', id, '--json').stdout);
    const api = await ApiClient.of(running.baseUrl, key);
    await eventually('the key is known', async () => (await api.outcome('/v1/time')) === '200');
    await eventually('prices', async () => (await api.outcome('/v1/tickers')) === '200', 20_000);
    for (const path of ['/', '/docs', '/guides/quick-start', '/status', '/openapi/v1.json']) {
      const response = await fetch(`${running.baseUrl}${path}`, {
        headers: { Accept: 'text/html', Connection: 'close' },
      });
      assert.equal(response.status, 200, path);
      await response.arrayBuffer();
    }
    const { typescript, python } = clientRoutes(version);
    for (const path of [typescript, python]) {
      const { status } = await fetch(`${running.baseUrl}${path}`, { method: 'HEAD', headers: { Connection: 'close' } });
      assert.equal(status, 200, path);
    }
    for (const path of ['/readyz', '/metrics', '/console/']) {
      const response = await fetch(`${running.adminUrl}${path}`, { headers: { Connection: 'close' } });
      assert.equal(response.status, 200, path);
      await response.arrayBuffer();
    }
  });

  test('says how it is where the image asks for it', () => {
    const { status, stdout } = running.healthcheck();
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^200 .*"ready":true/);
  });

  test('ends with 0 on SIGTERM, and is unhealthy then', async () => {
    running.child.kill('SIGTERM');
    assert.deepEqual(await running.child.ended, { code: 0, signal: null });
    const { status, stdout } = running.healthcheck();
    assert.equal(status, 1);
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:\d+\/readyz does not answer: /);
  });

  test('obeys a signal as the first process of its container, also in a command that does not look for any', {
    skip: canBePid1 ? false : 'unshare cannot make a process namespace here',
  }, async (t) => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    const env = {
      PATH: process.env.PATH,
      MDAPI_STORE: `sqlite:${image.root}/none.sqlite`,
      MDAPI_SOURCES: JSON.stringify([krakenAt(`http://127.0.0.1:${port}`, 'wss://ws.kraken.com/v2')]),
    };
    const argv = ['--pid', '--fork', node, ...image.entrypoint, 'check'];
    const child = spawn('unshare', argv, { cwd: image.workingDirectory, env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    t.after(() => {
      const pid = childOf(child.pid!);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      for (const socket of sockets) socket.destroy();
      mute.close();
    });
    await eventually('it waits for the exchange', () => sockets.length > 0, 30_000);
    process.kill(childOf(child.pid!)!, 'SIGTERM');
    assert.deepEqual(await Promise.race([ended, eventually('it ends', () => false, 10_000)]), [143, null]);
  });
});

/** The runtime where everybody can run it, as in the image. */
function ownNode({ root }: StagedImage): string {
  const path = join(root, 'usr/local/bin/node');
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(process.execPath, path);
  chmodSync(path, 0o555);
  return path;
}

function childOf(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? undefined : Number(children.split(' ')[0]);
  } catch {
    return undefined;
  }
}
