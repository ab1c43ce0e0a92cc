import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInside } from '../../src/cli/cli.testing.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { pythonEnvironment, pythonNeeds, pythonTools } from '../support/python.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const example = fileURLToPath(new URL('../../examples/engine-push/engine.py', import.meta.url));

describe('the engine in Python', () => {
  const { pythons } = 'skip' in pythonNeeds ? { pythons: [{ version: '', python: '' }] } : pythonTools();
  for (const { version, python } of pythons) {
    test(`has its prices served by Python ${version}`, pythonNeeds, async (t) => {
      const settings = { sources: '[{"id":"engine","kind":"push"}]', 'markets.symbols': 'all' };
      const harness = await ServiceHarness.start(t, { settings, untilLive: false });
      const argv = ['sources', 'token', 'engine', '--json'];
      const env = { MDAPI_SOURCES: settings.sources };
      const made = await runInside(argv, { cwd: harness.directory, env, clock: systemClock });
      const { token } = JSON.parse(made.stdout) as { token: string };
      const url = `${harness.service.adminUrl.replace('http', 'ws')}/ingest/v1`;
      const engine = spawn(python, [example, url], { env: pythonEnvironment({ SOURCE_TOKEN: token }) });
      let said = '';
      engine.stderr.on('data', (text: Buffer) => (said += text));
      t.after(() => engine.kill());
      const isServed = async () =>
        (await harness.api.outcome('/v1/tickers')) === '200' && (await harness.api.tickers()).size === 4;
      await eventually('both prices, and those made from them', isServed).catch((error: Error) => {
        throw new Error(`${error.message}: ${said}`);
      });
      const first = (await harness.api.tickers()).get('ETHEUR')?.timestampMs ?? 0;
      await eventually('they go on', async () => (await harness.api.ticker('ETHEUR')).timestampMs > first);
      assert.equal(said, '', 'nothing it sent was refused');
    });
  }
});
