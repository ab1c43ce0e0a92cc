import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { systemClock } from '../ground/clock.ts';
import { writeState } from '../market/market-state.ts';
import { decimal } from '../market/samples.testing.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { RateView } from '../operator/rate.ts';
import { marketSnapshotName } from '../persistence/market-snapshots.ts';
import { openStore, type Store } from '../store/store.ts';
import { newOperator } from './cli.testing.ts';

const hourMs = 3_600_000;
const [EUR, CZK] = ['EUR' as CurrencyCode, 'CZK' as CurrencyCode];

async function withStore<T>(directory: string, use: (store: Store) => Promise<T>): Promise<T> {
  const url = `sqlite:${join(directory, 'mdapi.sqlite')}`;
  const store = await openStore({ url, clock: new FakeClock(), randomness: seededRandomness(1) });
  const result = await use(store);
  await store.close();
  return result;
}

/** An operator beside a database in which a server left a rate that it read an hour ago. No server answers. */
async function alone(t: TestContext) {
  const operator = newOperator(t, { MDAPI_ADMIN_PORT: '1' });
  const rate = {
    base: EUR,
    quote: CZK,
    mid: decimal('24.315'),
    source: 'cnb',
    refreshedAt: systemClock.now() - hourMs,
  } as const;
  const state = { tickers: new Map(), references: new Map(), rates: new Map([[CZK, rate]]) };
  await withStore(operator.directory, ({ snapshots }) =>
    snapshots.save(marketSnapshotName, writeState(state as never)),
  );
  return operator;
}

const held: Partial<RateView> = {
  mid: '24.315',
  inverse: '0.04112688',
  valid: true,
  confirmed: true,
  held: {
    mid: '2431.5',
    fixingDate: null,
    since: '2026-11-20T08:00:00.000Z',
    sinceMs: Date.UTC(2026, 10, 20, 8),
    changePercent: '9900.00',
    reason: 'ceiling',
    why: 'it is too far',
  } as RateView['held'],
};
const bank: RateView['second'] = {
  source: 'ecb',
  mid: '24.3',
  fixingDate: '2026-11-20',
  refreshedAt: '2026-11-20T08:00:00.000Z',
  refreshedAtMs: Date.UTC(2026, 10, 20, 8),
  differencePercent: '0.06',
  agrees: true,
  lastOutcome: 'ok',
  failingSince: null,
  failingSinceMs: null,
} as NonNullable<RateView['second']>;

/** An operator beside a server that says this of the rate of CZK. */
async function besideServer(t: TestContext, said: Partial<RateView>) {
  const none = { fixingDate: null, refreshedAt: null, ageMs: null, validUntil: null, heldAt: null, lastOutcome: 'ok' };
  const rate = { via: 'EUR', quote: 'CZK', source: 'json', mid: null, inverse: null, second: bank, ...none, ...said };
  const server = createServer((_, response) => response.end(JSON.stringify({ rates: [rate] }))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const operator = newOperator(t, { MDAPI_ADMIN_PORT: String((server.address() as AddressInfo).port) });
  await withStore(operator.directory, async () => {});
  return operator;
}

const auditOf = (directory: string) =>
  withStore(directory, async ({ audit }) =>
    (await audit.page({ limit: 10 })).items.map(({ actor, action, subject }) => `${actor} ${action} ${subject.id}`),
  );

describe('rates', () => {
  it('show gives the last stored rate where no server answers, and says so', async (t) => {
    const { mdapi, json } = await alone(t);
    const { exitCode, stdout, stderr } = await mdapi('rates', 'show', 'czk');
    assert.equal(exitCode, 0);
    assert.match(stderr, /No server answers: this is the rate as it was last stored\./);
    assert.match(stdout, /^Rate +EUR\/CZK\nState +valid\nIn force +24\.315\nInverse +0\.04112688\nSource +cnb\n/);
    assert.match(stdout, /\nLast read +\S+Z \(60 min ago\)\nValid until +\S+Z\nSecond source +ecb: not read yet\n$/);
    const { rates } = await json<{ rates: RateView[] }>('rates', 'show');
    assert.deepEqual([rates.length, rates[0]?.mid, rates[0]?.held], [1, '24.315', null]);
  });

  it('show says what is held and why, and the second source, as the server knows them', async (t) => {
    const { mdapi } = await besideServer(t, held);
    const { stdout, stderr } = await mdapi('rates', 'show');
    assert.equal(stderr, '');
    assert.match(stdout, /\nState +valid; another is held\n/);
    assert.match(stdout, /\nSecond source +ecb: 24\.3, fixing of 2026-11-20, difference 0\.06 %\n/);
    assert.match(stdout, /\nHeld +2431\.5 \(9900\.00 %\), since 2026-11-20T08:00:00Z\nWhy +it is too far\n$/);
  });

  it('accept takes the held rate, or confirms the one in force, writes it down, and needs the server', async (t) => {
    const { json, directory } = await besideServer(t, held);
    assert.equal((await json('rates', 'accept', 'czk')).accepted, '2431.5');
    const [control] = await withStore(directory, ({ rates }) => rates.list());
    assert.deepEqual([control?.quote, control?.acceptedMid], ['CZK', '2431.5']);
    assert.deepEqual(await auditOf(directory), ['cli:tester rate.accept CZK']);

    const unconfirmed = await besideServer(t, { ...held, held: null, confirmed: false });
    assert.match(await unconfirmed.text('rates', 'show'), /\nState +valid, confirmed by nothing yet\n/);
    assert.equal((await unconfirmed.json('rates', 'accept', 'CZK')).accepted, '24.315');

    const silent = await alone(t);
    const { exitCode, stderr } = await silent.mdapi('rates', 'accept', 'CZK');
    assert.deepEqual([exitCode, stderr.includes('No server answers on its private listener.')], [1, true]);
    assert.deepEqual(await auditOf(silent.directory), []);
  });

  it('accept refuses where nothing is doubted', async (t) => {
    const { mdapi, directory } = await besideServer(t, { ...held, held: null });
    const { exitCode, stderr } = await mdapi('rates', 'accept', 'CZK');
    assert.notEqual(exitCode, 0);
    assert.match(stderr, /Nothing of the rate of CZK is doubted\./);
    assert.deepEqual(await auditOf(directory), []);
  });

  it('hold and release need no server, change nothing when repeated, and are written down once', async (t) => {
    const { json, text, directory } = await alone(t);
    const first = await json('rates', 'hold', 'czk');
    assert.notEqual(first.heldAt, null);
    assert.equal((await json('rates', 'hold', 'CZK')).heldAt, first.heldAt);
    assert.match(await text('rates', 'show', 'CZK'), /\nHeld by the operator +\S+Z\n/);
    assert.equal((await json('rates', 'release', 'CZK')).heldAt, null);
    assert.equal((await json('rates', 'release', 'CZK')).heldAt, null);
    assert.deepEqual(await auditOf(directory), ['cli:tester rate.release CZK', 'cli:tester rate.hold CZK']);
  });

  it('know only the currencies that are converted to, and echo no escape', async (t) => {
    const { mdapi, directory } = await alone(t);
    for (const command of ['show', 'hold', 'release']) {
      const { exitCode, stderr } = await mdapi('rates', command, 'PL\u001b[31mN');
      assert.equal(exitCode, 4, command);
      assert.match(stderr, /No market is converted into ".*"\. There are: CZK\./);
      assert.ok(!stderr.includes('\u001b'));
    }
    assert.deepEqual(await auditOf(directory), []);
  });
});
