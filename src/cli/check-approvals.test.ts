import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { krakenAt } from '../../test/support/kraken-at.ts';
import { systemClock } from '../ground/clock.ts';
import { newDirectory, runInside } from './cli.testing.ts';

interface Finding {
  readonly name: string;
  readonly works: boolean;
  readonly detail: string;
  readonly isWarning?: boolean;
}

test('check says when a second person has to confirm and only one can sign in', async (t) => {
  const cwd = newDirectory(t);
  const exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0 });
  t.after(() => exchange.stop());
  const source = krakenAt(exchange.restUrl, exchange.wsUrl);
  const admin = { port: 0, approvals: ['terms'] };
  const found = async (more: object = {}) => {
    const settings = { server: { port: 0 }, history: { url: 'off' }, pricing: { converted: {} }, sources: [source] };
    writeFileSync(join(cwd, 'mdapi.yaml'), JSON.stringify({ ...settings, admin: { ...admin, ...more } }));
    const { exitCode, stdout } = await runInside(['check', '--json'], { cwd, clock: systemClock });
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
    const { works, isWarning = false, detail = '' } = findings.find(({ name }) => name === 'approvals') ?? {};
    assert.equal(exitCode, 0);
    return [works, isWarning, detail] as const;
  };
  const token = async (name: string, role = 'operator') => {
    const made = await runInside(['admin', 'token', '--name', name, '--role', role, '--json'], {
      cwd,
      clock: systemClock,
    });
    assert.equal(made.exitCode, 0, made.stderr);
    return (JSON.parse(made.stdout) as { id: string }).id;
  };
  const remedy = 'Make a token for another person: mdapi admin token --name NAME --role operator.';
  const only = (who: string) => [
    true,
    true,
    `a second person confirms terms, but ${who} can sign in with the role operator: nothing can be confirmed. ${remedy}`,
  ];
  await token('sue', 'support');
  assert.deepEqual(await found(), only('nobody'));
  await token('alice');
  assert.deepEqual(await found(), only('only alice'));
  const bob = await token('bob', 'admin');
  assert.deepEqual(await found(), [true, false, 'a second person confirms terms; they can be alice, bob']);
  assert.equal((await runInside(['admin', 'revoke', bob, '--yes'], { cwd, clock: systemClock })).exitCode, 0);
  assert.deepEqual(await found(), only('only alice'));
  const own = { token: 'a-configured-token-of-good-length' };
  assert.deepEqual(await found(own), [true, false, 'a second person confirms terms; they can be configuration, alice']);
  assert.deepEqual(await found({ approvals: [] }), [undefined, false, '']);
});
