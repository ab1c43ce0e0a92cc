import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { krakenAt } from '../../test/support/kraken-at.ts';
import { systemClock } from '../ground/clock.ts';
import { bansSnapshotName } from '../persistence/source-bans.ts';
import { openStore } from '../store/store.ts';
import { newDirectory, runInside } from './cli.testing.ts';

/** An exchange that counts what it is asked, and a check of a service that it banned until then. */
async function checkedUnderBan(t: TestContext, endsInMs: number) {
  let asked = 0;
  const exchange = createServer((_, response) => {
    asked++;
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  exchange.on('upgrade', (_, socket) => {
    asked++;
    socket.destroy();
  });
  await once(exchange, 'listening');
  t.after(() => exchange.close());
  const address = `127.0.0.1:${(exchange.address() as AddressInfo).port}`;
  const cwd = newDirectory(t);
  const until = systemClock.now() + endsInMs;
  const url = `sqlite:${join(cwd, 'mdapi.sqlite')}`;
  const store = await openStore({ url, clock: systemClock, randomness: seededRandomness(1) });
  await store.snapshots.save(bansSnapshotName, JSON.stringify({ kraken: until }));
  await store.close();
  const settings = {
    server: { port: 0 },
    admin: { port: 0 },
    history: { url: 'off' },
    pricing: { converted: {} },
    sources: [krakenAt(`http://${address}`, `ws://${address}/v2`)],
  };
  writeFileSync(join(cwd, 'mdapi.yaml'), JSON.stringify(settings));
  const { exitCode, stdout } = await runInside(['check', '--json'], { cwd, clock: systemClock });
  const { findings } = JSON.parse(stdout) as { findings: { name: string; works: boolean; detail: string }[] };
  return { exitCode, findings: findings.filter(({ name }) => name.startsWith('kraken')), asked, until };
}

test('an exchange that banned the service is not asked before the end that it named (fault row 94)', async (t) => {
  const { exitCode, findings, asked, until } = await checkedUnderBan(t, 600_000);
  assert.equal(asked, 0);
  assert.equal(exitCode, 1);
  const detail = `banned until ${new Date(until).toISOString()} by what the exchange told this service: it is not asked before.`;
  assert.deepEqual(findings, [{ name: 'kraken', works: false, detail }]);
});

test('a ban that is over is none', async (t) => {
  const { findings, asked } = await checkedUnderBan(t, -1);
  assert.ok(asked > 0);
  assert.deepEqual(
    findings.map(({ name }) => name),
    ['kraken REST', 'kraken live'],
  );
});
