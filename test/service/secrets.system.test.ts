import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { Installation } from '../support/mdapi-process.ts';

/** In the places where an operator has to put them. */
const secret = 'Tr0ub4dor-and-3';

describe('a secret', { concurrency: true }, () => {
  test('of the rate’s address, and every key, stays out of logs, errors and metrics, whatever fails', async (t) => {
    const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200, port: await fixedPort() });
    t.after(() => simulator.stop());
    const url = `${simulator.jsonRateUrl}?access_key=${secret}`;
    const rates = { source: 'json', url, pointer: '/data/EURCZK', refresh: '1s' };
    const installation = Installation.for(t, simulator, { rates });
    const { server, api, adminUrl, key, keyId } = await installation.serveLive();
    const collected: string[] = [];
    const keep = async (path: string) => collected.push(await (await fetch(`${adminUrl}${path}`)).text());

    for (const fault of ['rate-gone', 'down', 'rest-html'] as const) await simulator.faults.set({ fault });
    await eventually('the rate failed', () => server.stderr.includes('the conversion rate was not refreshed'));
    await eventually('the feed failed', () => server.stderr.includes('live connection ended'));
    await simulator.faults.clear('down');
    await eventually('polling failed', () => /polling failed|could not be loaded/.test(server.stderr), 20_000);
    const wrong = `${key.slice(0, -1)}_`;
    for (const sent of [key, `Bearer ${key}`, ` ${key} x`, wrong]) {
      for (const target of [`/v1/ticker?symbol=${key}`, `/v1/${key}`, `/?key=${key}`]) {
        const { body } = await api.get(target, { key: sent });
        assert.ok(!body.includes(key), 'no answer repeats a key');
      }
    }
    for (const path of ['/metrics', '/readyz', `/prices/${key}`]) await keep(path);
    const check = await installation.run('check', '--json');
    assert.equal(check.exitCode, 1);
    collected.push(check.stdout, check.stderr);
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);

    const everything = [server.output, ...collected].join('\n');
    assert.ok(everything.length > 10_000);
    for (const hidden of [secret, key, wrong, key.slice(4)]) assert.ok(!everything.includes(hidden), hidden);
    assert.ok(!collected.join('\n').includes(keyId));
  });

  const refused: readonly (readonly [what: string, env: Readonly<Record<string, string>>])[] = [
    ['a database’s address', { MDAPI_STORE: `mysql://mdapi:${secret}@db.example.com/mdapi` }],
    ['a database’s path', { MDAPI_STORE: `mysql:${secret}` }],
    ['user and password of a rate’s address', { MDAPI_RATES_URL: `https://user:${secret}@rates.example.com/` }],
    [
      'user and password of the exchange’s address',
      { MDAPI_SOURCES: JSON.stringify([krakenAt(`https://u:${secret}@x.example.com`, 'wss://x.example.com')]) },
    ],
  ];
  for (const [what, env] of refused) {
    test(`in ${what} that is refused is not repeated in the refusal`, async (t) => {
      const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0 });
      t.after(() => simulator.stop());
      const installation = Installation.for(t, simulator);
      Object.assign(installation.env, env);
      for (const command of ['serve', 'check']) {
        const { exitCode, stdout, stderr } = await installation.run(command, '--json');
        assert.equal(exitCode, 3, stderr);
        assert.ok(!`${stdout}${stderr}`.includes(secret), stderr);
        assert.ok(stderr.includes(Object.keys(env)[0]!), 'and yet it says where');
      }
    });
  }
});
