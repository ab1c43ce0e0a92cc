import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { Installation } from '../support/mdapi-process.ts';

interface Steps {
  readonly source: string;
  readonly buy: readonly { readonly step: string; readonly value: string }[];
  readonly sell: readonly { readonly step: string; readonly value: string }[];
}

/** What the command line promises, for what another process changed. */
const withinMs = 1_000;

async function installed(t: Parameters<typeof Installation.for>[0]) {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200, port: await fixedPort() });
  t.after(() => simulator.stop());
  return { simulator, installation: Installation.for(t, simulator) };
}

describe('what an operator does on the command line while the server runs', { concurrency: true }, () => {
  test('maintenance is announced, extended, ended and cancelled, and clients see each within a second', async (t) => {
    const { installation } = await installed(t);
    const { api, adminUrl } = await installation.serveLive();
    const json = installation.json.bind(installation);
    const status = () => api.status();

    const later = await json<{ id: string }>(
      'maintenance',
      'announce',
      '--from',
      '+1h',
      '--to',
      '+2h',
      '--description',
      'Later',
    );
    await eventually('it is announced', async () => (await status()).maintenance?.description === 'Later', withinMs);
    assert.deepEqual([(await status()).status, await api.outcome('/v1/time')], ['operational', '200']);
    await json('maintenance', 'cancel', later.id);
    await eventually('it is cancelled', async () => (await status()).maintenance === null, withinMs);

    const made = await json<{ id: string }>(
      'maintenance',
      'announce',
      '--from',
      'now',
      '--to',
      '+10m',
      '--description',
      'Upgrade',
    );
    await eventually('it runs', async () => (await status()).status === 'maintenance', withinMs);
    const running = await status();
    assert.deepEqual([running.api, running.components.ticker], ['maintenance', 'operational']);
    for (const target of ['/v1/time', '/v1/markets', '/v1/tickers', '/v1/ticker?symbol=BTCEUR', '/v1/ticker']) {
      assert.equal(await api.outcome(target), '503 SERVICE_MAINTENANCE', target);
    }
    const seconds = Number((await api.get('/v1/tickers')).headers['retry-after']);
    assert.ok(seconds > 590 && seconds <= 600, `${seconds} s to the end`);
    assert.equal((await fetch(`${adminUrl}/readyz`)).status, 200, 'it stays ready, so that the status can be asked');

    await json('maintenance', 'extend', made.id, '--to', '+30m');
    await eventually(
      'it is extended',
      async () => (await status()).maintenance!.toMs > running.maintenance!.toMs,
      withinMs,
    );
    await json('maintenance', 'end', made.id);
    await eventually('it has ended', async () => (await api.outcome('/v1/tickers')) === '200', withinMs);
    const { status: state, maintenance } = await status();
    assert.deepEqual([state, maintenance], ['operational', null]);
  });

  test('markets are paused, resumed and delisted, with those made from them, within a second', async (t) => {
    const { installation } = await installed(t);
    const { api } = await installation.serveLive();
    const states = async () => {
      const markets = await api.markets();
      return ['ADACZK', 'ADAEUR', 'BTCEUR'].map((symbol) => markets.get(symbol)?.status).join();
    };
    const become = (expected: string) => eventually(expected, async () => (await states()) === expected, withinMs);

    await eventually('the markets are saved', async () => {
      const { markets } = await installation.json<{ markets: unknown[] }>('markets', 'list');
      return markets.length === 8;
    });
    await installation.json('markets', 'pause', 'adaeur');
    await become('paused,paused,trading');
    assert.equal(await api.outcome('/v1/ticker?symbol=ADACZK'), '200');
    await installation.json('markets', 'resume', 'ADAEUR');
    await become('trading,trading,trading');
    await installation.json('markets', 'pause', 'ADACZK');
    await become('paused,trading,trading');
    await installation.json('markets', 'delist', 'ADACZK', '--yes');
    await become('delisted,trading,trading');
    await installation.json('markets', 'delist', 'ADAEUR', '--yes');
    await become('delisted,delisted,trading');
    assert.equal(await api.outcome('/v1/ticker?symbol=ADAEUR'), '404 UNKNOWN_SYMBOL');
    assert.ok(![...(await api.tickers()).keys()].some((symbol) => symbol.startsWith('ADA')));
    assert.equal((await installation.run('markets', 'resume', 'ADAEUR')).exitCode, 5);
  });

  test('`price` explains the price that is served, from the server and, without it, from what it saved', async (t) => {
    const { installation, simulator } = await installed(t);
    simulator.setRate('24.500');
    simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    const { api, server } = await installation.serveLive();
    const served = await api.ticker('BTCCZK');
    assert.deepEqual([served.buyPrice, served.sellPrice], ['1243439', '1206686']);
    const report = await installation.json<Steps>('price', 'btcczk');
    assert.equal(report.source, 'server');
    assert.deepEqual(
      report.buy.map(({ value }) => value),
      ['50000.1', '50250.1005', '1231127.46225', '1243438.7368725', '1243439'],
    );
    assert.equal(report.sell.at(-1)?.value, '1206686');
    assert.match((await installation.run('price', 'BTCCZK')).stdout, /A client buys at 1243439\n[\s\S]*margin 1 %/);
    assert.equal((await installation.run('price', 'NOSUCHEUR')).exitCode, 4);

    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
    const saved = await installation.json<Steps>('price', 'BTCCZK');
    assert.deepEqual(saved, { ...report, source: 'snapshot', ...restamped(saved) });
    assert.match((await installation.run('price', 'BTCCZK')).stderr, /No server answers/);
  });
});

/**
 * The market went on between the two reports, and the rate was read again: only times, changes, and ages of sources may
 * differ.
 */
function restamped(saved: object): object {
  const { timestamp, timestampMs, rate, sources, changes } = saved as Record<string, unknown>;
  return { timestamp, timestampMs, rate, sources, changes };
}

interface Checked {
  readonly works: boolean;
  readonly findings: readonly { readonly name: string; readonly works: boolean; readonly detail: string }[];
}

describe('`check`', { concurrency: true }, () => {
  const cases: readonly {
    readonly what: string;
    readonly break: (simulator: ExchangeSimulator) => Promise<void>;
    readonly broken: readonly string[];
  }[] = [
    { what: 'everything works', break: async () => {}, broken: [] },
    {
      what: 'the exchange is away',
      break: ({ faults }) => faults.set({ fault: 'down' }),
      broken: ['kraken REST', 'kraken live'],
    },
    {
      what: 'only its live connection is refused',
      break: ({ faults }) => faults.set({ fault: 'refuse' }),
      broken: ['kraken live'],
    },
    {
      what: 'the rate source is away',
      break: ({ faults }) => faults.set({ fault: 'rate-gone' }),
      broken: ['rate EUR/CZK'],
    },
    {
      what: 'the fixing is long past',
      break: ({ faults }) => faults.set({ fault: 'rate-stale' }),
      broken: ['rate EUR/CZK'],
    },
  ];
  for (const { what, break: breakIt, broken } of cases) {
    test(`reports what works and what does not when ${what}`, async (t) => {
      const { installation, simulator } = await installed(t);
      await breakIt(simulator);
      const { exitCode, stdout } = await installation.run('check', '--json');
      const { works, findings } = JSON.parse(stdout) as Checked;
      assert.deepEqual(
        findings.filter((finding) => !finding.works).map(({ name }) => name),
        broken,
      );
      assert.deepEqual([exitCode, works], broken.length === 0 ? [0, true] : [1, false]);
      assert.deepEqual(
        findings.map(({ name }) => name),
        [
          ...[
            'configuration',
            'data folder',
            'database',
            'record',
            'private listener',
            'public listener',
            'open files',
            'kraken REST',
            'kraken live',
          ],
          ...(broken.includes('kraken REST') ? [] : ['symbols']),
          'rate EUR/CZK',
        ],
      );
      assert.ok(findings.every(({ detail }) => detail.length > 0));
    });
  }

  test('is a table for people, one line a check', async (t) => {
    const { installation } = await installed(t);
    const { exitCode, stdout } = await installation.run('check');
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^CHECK +RESULT +DETAIL\nconfiguration +works .*\ndata folder +works .*\ndatabase +works .*\nrecord +works .*\n(.* listener +works .*\n){2}open files +(works|warning) .*\nkraken REST +works .*: 4 markets\n/,
    );
  });
});
