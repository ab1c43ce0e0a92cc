import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { openSocket } from '../support/http-client.ts';
import { Child, Installation, launcher } from '../support/mdapi-process.ts';

describe('a service behind its launcher', () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'] });
  });
  after(() => simulator.stop());

  /** As npm starts it on a newer Node than the packaged one: the launcher passes on to that. */
  async function serve(t: TestContext) {
    const { directory, env } = Installation.for(t, simulator, { server: { shutdownDeadline: '5s' } });
    const newer = join(directory, 'newer');
    writeFileSync(newer, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    chmodSync(newer, 0o755);
    const passingOn = { npm_config_user_agent: 'npm/11.0.0 node/v26.99.0', npm_node_execpath: newer };
    const argv = [launcher, 'serve', '--json'];
    const child = new Child(t, process.execPath, argv, {
      cwd: directory,
      env: { ...env, ...passingOn },
      ownGroup: true,
    });
    const { baseUrl } = JSON.parse(await child.firstLine()) as { readonly baseUrl: string };
    return { child, port: Number(new URL(baseUrl).port) };
  }

  test('serves no more when its launcher is killed, and stops in order (fault row 85)', async (t) => {
    const { child, port } = await serve(t);
    child.kill('SIGKILL');
    await eventually('nobody listens', () => isRefused(port), 10_000);
    await child.ended;
    assert.match(child.stderr, /"the service has stopped"/);
  });

  test('stops once on a SIGTERM that its group gets, and its launcher ends with 0 (fault row 48)', async (t) => {
    const { child } = await serve(t);
    process.kill(-child.child.pid!, 'SIGTERM');
    assert.deepEqual(await child.ended, { code: 0, signal: null });
    assert.match(child.stderr, /"the service has stopped"/);
  });
});

function isRefused(port: number): Promise<boolean> {
  return openSocket(port).then(
    (socket) => {
      socket.destroy();
      return false;
    },
    () => true,
  );
}
