import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { runInside } from '../../src/cli/cli.testing.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { pendingOf } from '../../src/market/catalogue-review.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import type { RateView } from '../../src/operator/rate.ts';
import { savePending } from '../../src/operator/review.ts';
import type { Role } from '../../src/operator/role.ts';
import { eventually } from '../support/eventually.ts';
import { ManagementClient } from '../support/management-client.ts';
import { startRateServer } from '../support/rate-server.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const right = '24.315';
const wrong = '2431.5';
const bounds = { 'guard.ratePercent': '3', 'guard.rateCeilingPercent': '20' };

interface Problem {
  readonly code: string;
  readonly detail: string;
}

/** A service whose rate nothing confirms, with a client of each role. */
async function withRate(t: TestContext) {
  const source = await startRateServer(t, right);
  const service = await ServiceHarness.start(t, {
    settings: { ...bounds, ...source.settings, 'rates.compare': 'off' },
  });
  const clientOf = async (role: Role) => {
    const token = generateToken('operator', systemRandomness);
    await service.withStore(({ tokens }) => tokens.insert({ role, digest: tokenDigest(token), name: role }));
    return ManagementClient.withToken(service.service.adminUrl, token);
  };
  const operator = await clientOf('operator');
  const rate = async () => (await operator.get<{ rates: RateView[] }>('/api/rates')).body.rates[0]!;
  const audit = async (action: string) => {
    const { items } = await service.withStore((store) => store.audit.page({ limit: 20, action }));
    return items.map((entry) => `${entry.actor} ${entry.action} ${entry.subject.id}`).toReversed();
  };
  return { service, source, operator, clientOf, rate, audit };
}

test('a rate is accepted, held and released over the management API by an operator and nobody less, once, and is written down', async (t) => {
  const { service, source, operator, clientOf, rate, audit } = await withRate(t);
  for (const role of ['read-only', 'support'] as const) {
    const lesser = await clientOf(role);
    assert.equal((await lesser.get('/api/rates')).status, 200, role);
    for (const verb of ['accept', 'hold', 'release']) {
      const { status, body } = await lesser.post<Problem>(`/api/rates/CZK/${verb}`, {});
      assert.deepEqual([status, body.code], [403, 'ROLE_REQUIRED'], `${role} ${verb}`);
    }
  }
  assert.deepEqual(await audit('rate.'), []);

  const confirmed = await operator.post<RateView>('/api/rates/czk/accept', { mid: right });
  assert.deepEqual([confirmed.status, confirmed.body.confirmed], [200, true]);
  const again = await operator.post<Problem>('/api/rates/CZK/accept', {});
  assert.deepEqual([again.status, again.body.detail], [409, 'Nothing of the rate of CZK is doubted.']);

  source.state.rate = wrong;
  await eventually('it is held', async () => (await rate()).held?.mid === wrong);
  const stale = await operator.post<Problem>('/api/rates/CZK/accept', { mid: '2431.6' });
  assert.deepEqual([stale.status, stale.body.detail], [409, `The rate of CZK that is doubted is now ${wrong}.`]);
  const kept = await operator.post<RateView>('/api/rates/CZK/hold');
  assert.deepEqual([kept.status, typeof kept.body.heldAtMs, kept.body.mid], [200, 'number', right]);
  assert.equal((await operator.post<RateView>('/api/rates/CZK/hold')).body.heldAtMs, kept.body.heldAtMs);
  assert.equal((await operator.post<RateView>('/api/rates/CZK/release')).body.heldAt, null);
  await eventually('it is held again', async () => (await rate()).held?.mid === wrong);
  assert.equal((await operator.post<RateView>('/api/rates/CZK/accept', { mid: wrong })).body.mid, wrong);
  const before = Number((await service.api.ticker('BTCEUR')).buyPrice) * 1_000;
  await eventually('it is served', async () => Number((await service.api.ticker('BTCCZK')).buyPrice) > before);

  assert.equal((await operator.post('/api/rates/PLN/hold')).status, 404);
  const done = ['rate.accept', 'rate.hold', 'rate.release', 'rate.accept'].map((action) => `operator ${action} CZK`);
  assert.deepEqual(await audit('rate.'), done);
});

test('the commands ask the server that runs, and it has what they decide', async (t) => {
  const { service, source, rate, audit } = await withRate(t);
  const env = { MDAPI_ADMIN_PORT: new URL(service.service.adminUrl).port };
  const mdapi = async (...argv: readonly string[]) => {
    const outcome = await runInside(['rates', ...argv], { cwd: service.directory, env, clock: systemClock });
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    return outcome.stdout;
  };
  assert.match(
    await mdapi('show'),
    /\nState +valid, confirmed by nothing yet\n.*\nSecond source +none \(rates\.compare\)\n$/s,
  );
  await mdapi('accept', 'CZK');
  await eventually('it is confirmed', async () => (await rate()).confirmed);
  source.state.rate = wrong;
  await eventually('it is held', async () => (await rate()).held !== null);
  assert.match(
    await mdapi('show', 'czk'),
    /\nState +valid; another is held\n.*\nHeld +2431\.5 \(9900\.00 %\), since /s,
  );
  await mdapi('hold', 'CZK');
  await eventually('the operator holds it', async () => (await rate()).heldAt !== null);
  await mdapi('release', 'CZK');
  await eventually('it is held by the law', async () => (await rate()).held !== null && (await rate()).heldAt === null);
  await mdapi('accept', 'CZK');
  await eventually('it is taken', async () => (await rate()).mid === wrong);
  const done = ['rate.accept', 'rate.hold', 'rate.release', 'rate.accept'].map((action) => `cli:tester ${action} CZK`);
  assert.deepEqual(await audit('rate.'), done);
});

test('markets that wait are seen by whoever may read, and settled by an operator and nobody less', async (t) => {
  const { service, operator, clientOf, audit } = await withRate(t);
  const symbols = Array.from({ length: 60 }, (_, index) => `NEW${index}EUR` as MarketSymbol);
  const growth = pendingOf('kraken', 'growth', service.clock.now(), symbols);
  await service.withStore((store) => savePending(store, [growth]));
  const [readOnly, support, prices] = [
    await clientOf('read-only'),
    await clientOf('support'),
    await clientOf('prices'),
  ];
  const seen = await readOnly.get<{ pending: { id: string }[] }>('/api/market-review');
  const [{ id } = assert.fail('it waits')] = seen.body.pending;
  for (const lesser of [readOnly, support]) {
    for (const path of [`${id}/accept`, `${id}/reject`, 'rejected/kraken/accept']) {
      const { status, body } = await lesser.post<Problem>(`/api/market-review/${path}`);
      assert.deepEqual([status, body.code], [403, 'ROLE_REQUIRED'], path);
    }
  }
  assert.equal((await prices.get<Problem>('/api/market-review')).status, 403);
  assert.deepEqual(await audit('catalogue.'), []);
  assert.equal((await operator.post(`/api/market-review/${id}/reject`)).status, 200);
  assert.deepEqual(await audit('catalogue.'), ['operator catalogue.reject kraken']);
});
