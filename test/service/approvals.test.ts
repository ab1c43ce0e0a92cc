import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import { pendingOf } from '../../src/market/catalogue-review.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import type { ApprovalView } from '../../src/operator/approval.ts';
import type { RateView } from '../../src/operator/rate.ts';
import { savePending } from '../../src/operator/review.ts';
import type { Role } from '../../src/operator/role.ts';
import type { TermView } from '../../src/operator/term.ts';
import { eventually } from '../support/eventually.ts';
import { ManagementClient } from '../support/management-client.ts';
import { startRateServer } from '../support/rate-server.ts';
import { ServiceHarness } from '../support/service-harness.ts';

interface Problem {
  readonly code: string;
  readonly detail: string;
}
type Answer = ApprovalView & Problem;

const right = '24.315';
const wrong = '2431.5';

/** A service in which everything that can needs a second person, and the clients of several. */
async function withPeople(t: TestContext) {
  const source = await startRateServer(t, right);
  const service = await ServiceHarness.start(t, {
    settings: {
      ...source.settings,
      'guard.ratePercent': '3',
      'guard.rateCeilingPercent': '20',
      'rates.compare': 'off',
      'admin.approvals': 'terms,delist,rates',
    },
  });
  const clientOf = async (name: string, role: Role = 'operator') => {
    const token = generateToken('operator', systemRandomness);
    await service.withStore(({ tokens }) => tokens.insert({ role, digest: tokenDigest(token), name }));
    return ManagementClient.withToken(service.service.adminUrl, token);
  };
  const [alice, bob] = [await clientOf('alice'), await clientOf('bob')];
  const waiting = async () => (await alice.get<{ approvals: ApprovalView[] }>('/api/approvals')).body.approvals;
  const terms = async () => {
    const { body } = await alice.get<{ terms: TermView[] }>('/api/terms');
    return body.terms.filter(({ id }) => id.startsWith('trm_')).map(({ feePercent, state }) => [feePercent, state]);
  };
  const audit = async () => {
    const { items } = await service.withStore((store) => store.audit.page({ limit: 100 }));
    const changes = items.filter(({ action }) => !action.startsWith('token.') && !/^(account|key)\./.test(action));
    return changes.map(({ actor, action }) => `${actor} ${action}`).toReversed();
  };
  const rate = async () => (await alice.get<{ rates: RateView[] }>('/api/rates')).body.rates[0]!;
  return { service, source, clientOf, alice, bob, waiting, terms, audit, rate };
}

const fee = { scope: 'service', feePercent: '0.45' };

test('a term that one person sets waits, and holds once another one confirms it, once', async (t) => {
  const { service, clientOf, alice, bob, waiting, terms, audit } = await withPeople(t);
  const before = (await service.api.ticker('BTCEUR')).buyPrice;
  const { status, body: proposed } = await alice.post<Answer>('/api/terms', fee);
  assert.equal(status, 202);
  assert.deepEqual(proposed.values, [
    { what: 'fee', from: '0.5', to: '0.45' },
    { what: 'start', from: null, to: 'confirmation' },
  ]);
  const { kind, action, subject, state, proposedBy, own } = proposed;
  const expected = ['terms', 'term.set', 'service', 'waiting', 'alice', true];
  assert.deepEqual([kind, action, subject, state, proposedBy, own], expected);
  assert.equal(proposed.expiresAtMs - proposed.proposedAtMs, 72 * 3_600_000);
  assert.deepEqual([await terms(), (await waiting()).map(({ id }) => id)], [[], [proposed.id]]);

  const confirm = (client: ManagementClient) => client.post<Answer>(`/api/approvals/${proposed.id}/confirm`);
  const own409 = await confirm(alice);
  assert.deepEqual([own409.status, own409.body.code], [409, 'CONFLICT']);
  assert.match(
    own409.body.detail,
    /was proposed by alice, who may be the same person as alice\. Another person confirms/,
  );
  for (const role of ['read-only', 'support'] as const) {
    const lesser = await clientOf(role, role);
    assert.equal((await lesser.get('/api/approvals')).status, 200);
    assert.equal((await confirm(lesser)).status, 403);
    assert.equal((await lesser.post(`/api/approvals/${proposed.id}/reject`)).status, 403);
  }
  const again = await bob.post<Answer>('/api/terms', fee);
  assert.deepEqual([again.status, again.body.code], [409, 'CONFLICT']);

  await service.stopService();
  await service.startService();
  const bobAfter = await clientOf('bob2');
  const both = await Promise.all([
    confirmAt(service, bobAfter, proposed.id),
    confirmAt(service, bobAfter, proposed.id),
  ]);
  assert.deepEqual(both.map((each) => each.status).toSorted(), [200, 409]);
  const refused = both.find((each) => each.status === 409)!;
  assert.match(refused.body.detail, /is confirmed already, by bob2\./);
  const stored = await service.withStore((store) => store.terms.list());
  assert.deepEqual(
    stored.map(({ feePercent }) => feePercent),
    ['0.45'],
  );
  await eventually('it holds', async () => {
    const { buyPrice } = await service.api.ticker('BTCEUR');
    return buyPrice !== before;
  });
  const done = ['alice approval.propose', 'bob2 approval.confirm', 'bob2 term.set'];
  assert.deepEqual(await audit(), done);
});

function confirmAt(service: ServiceHarness, client: ManagementClient, id: string) {
  const moved = new ManagementClient(service.service.adminUrl, client.headers);
  return moved.post<Answer>(`/api/approvals/${id}/confirm`);
}

test('a change whose basis is another by now is refused and waits on, until it is rejected or taken back', async (t) => {
  const { alice, bob, waiting, terms, audit } = await withPeople(t);
  const propose = async (feePercent: string) =>
    (await alice.post<Answer>('/api/terms', { scope: 'market', subject: 'BTCEUR', feePercent })).body;
  const [one, other, third] = [await propose('0.4'), await propose('0.3'), await propose('0.2')];
  assert.equal((await bob.post(`/api/approvals/${one.id}/confirm`)).status, 200);
  const { status, body } = await bob.post<Answer>(`/api/approvals/${other.id}/confirm`);
  assert.deepEqual([status, body.code], [409, 'CONFLICT']);
  assert.equal(
    body.detail,
    `The change ${other.id} was proposed when fee was 0.5; now it is 0.4. Nothing was changed. Reject it, and propose it again.`,
  );
  assert.equal((await terms()).length, 1);
  assert.deepEqual(
    (await waiting()).map(({ id }) => id),
    [other.id, third.id],
  );
  assert.equal((await bob.post<Answer>(`/api/approvals/${other.id}/reject`)).body.state, 'rejected');
  assert.equal((await alice.post<Answer>(`/api/approvals/${third.id}/reject`)).body.state, 'withdrawn');
  assert.equal((await bob.post(`/api/approvals/${third.id}/confirm`)).status, 409);
  assert.equal((await bob.post('/api/approvals/apr_none/confirm')).status, 404);
  assert.deepEqual(await waiting(), []);
  const all = await alice.get<{ approvals: ApprovalView[] }>('/api/approvals?state=all');
  const states = new Map(all.body.approvals.map(({ id, state }) => [id, state]));
  const expected = new Map([[one.id, 'confirmed'] as const, [other.id, 'rejected'], [third.id, 'withdrawn']]);
  assert.deepEqual(new Map([...states].toSorted()), new Map([...expected].toSorted()));
  const done = ['alice approval.propose', 'alice approval.propose', 'alice approval.propose'];
  const decided = ['bob approval.confirm', 'bob term.set', 'bob approval.reject', 'alice approval.withdraw'];
  assert.deepEqual(await audit(), [...done, ...decided]);
});

test('an announced term is cancelled, and one with a start set, by two people; a start that passed is refused', async (t) => {
  const { service, alice, bob, terms } = await withPeople(t);
  const fromMs = service.clock.now() + 3_600_000;
  const later = await alice.post<Answer>('/api/terms', { ...fee, fromMs });
  assert.deepEqual(later.body.values.at(-1), { what: 'start', from: null, to: new Date(fromMs).toISOString() });
  assert.equal((await bob.post(`/api/approvals/${later.body.id}/confirm`)).status, 200);
  assert.deepEqual(await terms(), [['0.45', 'announced']]);
  const { body } = await alice.get<{ terms: TermView[] }>('/api/terms');
  const { id } = body.terms.find((term) => term.id.startsWith('trm_'))!;
  const cancelled = await bob.post<Answer>(`/api/terms/${id}/cancel`);
  assert.deepEqual(cancelled.body.values[0], { what: 'fee', from: '0.45', to: '0.5' });
  const passing = await bob.post<Answer>('/api/terms', { ...fee, feePercent: '0.3', fromMs: fromMs - 1_000 });
  assert.equal((await alice.post(`/api/approvals/${cancelled.body.id}/confirm`)).status, 200);
  assert.deepEqual(await terms(), [['0.45', 'cancelled']]);
  assert.equal((await alice.post<Answer>('/api/terms/trm_none/cancel')).status, 404);
  service.clock.shift(3_600_000);
  const refused = await alice.post<Answer>(`/api/approvals/${passing.body.id}/confirm`);
  assert.deepEqual([refused.status, /was to begin at .*, which has passed/.test(refused.body.detail)], [409, true]);
});

test('a market is delisted by two people and paused by one', async (t) => {
  const { service, alice, bob, audit } = await withPeople(t);
  const status = async (symbol: string) => (await service.api.markets()).get(symbol)?.status;
  const proposed = await alice.post<Answer>('/api/markets/XRPEUR/delist', { confirm: 'XRPEUR' });
  assert.equal(proposed.status, 202);
  assert.deepEqual(proposed.body.values, [
    { what: 'status', from: 'XRPEUR trading', to: 'XRPEUR delisted' },
    { what: 'status', from: 'XRPCZK trading', to: 'XRPCZK delisted' },
  ]);
  assert.equal((await alice.post('/api/markets/XRPEUR/pause')).status, 200);
  assert.equal(await status('XRPEUR'), 'paused', 'at once, and it is no reason to decide anew');
  assert.equal((await bob.post(`/api/approvals/${proposed.body.id}/confirm`)).status, 200);
  assert.deepEqual([await status('XRPEUR'), await status('XRPCZK')], ['delisted', 'delisted']);

  const lost = pendingOf('kraken', 'loss', service.clock.now(), ['ETHEUR' as MarketSymbol]);
  await service.withStore((store) => savePending(store, [lost]));
  const ofList = await bob.post<Answer>(`/api/market-review/${lost.id}/accept`, { confirm: 'kraken' });
  assert.deepEqual([ofList.status, await status('ETHEUR')], [202, 'trading']);
  assert.deepEqual(ofList.body.values, [{ what: 'status', from: 'ETHEUR missing', to: 'ETHEUR delisted' }]);
  assert.equal((await alice.post(`/api/approvals/${ofList.body.id}/confirm`)).status, 200);
  assert.equal(await status('ETHEUR'), 'delisted');
  const changes = (await audit()).filter((each) => !/approval/.test(each));
  assert.deepEqual(changes, ['alice market.pause', 'bob market.delist', 'alice market.delist']);
});

test('a rate is held by one person, and released and accepted by two', async (t) => {
  const { service, source, alice, bob, rate } = await withPeople(t);
  const hold = await alice.post<RateView>('/api/rates/CZK/hold');
  assert.deepEqual([hold.status, typeof hold.body.heldAtMs], [200, 'number']);
  const release = await alice.post<Answer>('/api/rates/CZK/release');
  assert.deepEqual(release.body.values, [{ what: 'held', from: hold.body.heldAt, to: null }]);
  assert.equal((await rate()).heldAtMs, hold.body.heldAtMs);
  assert.equal((await bob.post(`/api/approvals/${release.body.id}/confirm`)).status, 200);
  assert.equal((await rate()).heldAt, null);
  assert.equal((await alice.post('/api/rates/CZK/release')).status, 200, 'nothing is held: nothing to confirm');

  source.state.rate = wrong;
  await eventually('it is held', async () => (await rate()).held?.mid === wrong);
  const withMarket = await alice.post<Answer>('/api/markets/BTCCZK/accept', {});
  assert.deepEqual([withMarket.status, /Accept the rate itself/.test(withMarket.body.detail)], [409, true]);
  const accept = await alice.post<Answer>('/api/rates/CZK/accept', { mid: wrong });
  assert.deepEqual([accept.status, accept.body.values], [202, [{ what: 'rate', from: right, to: wrong }]]);
  assert.equal((await rate()).mid, right);
  source.state.rate = '2431.6';
  await eventually('another one is held', async () => (await rate()).held?.mid === '2431.6');
  const refused = await bob.post<Answer>(`/api/approvals/${accept.body.id}/confirm`);
  assert.match(refused.body.detail, /was proposed when rate was 2431\.5; now it is 2431\.6\. Nothing was changed/);
  source.state.rate = wrong;
  await eventually('the first one is held again', async () => (await rate()).held?.mid === wrong);
  assert.equal((await bob.post(`/api/approvals/${accept.body.id}/confirm`)).status, 200);
  await eventually('it is in force', async () => (await rate()).mid === wrong);
  assert.equal((await service.api.get('/v1/ticker?symbol=BTCCZK')).status, 200);
});

test('where nothing is configured every change is made at once', async (t) => {
  const service = await ServiceHarness.start(t);
  const token = generateToken('operator', systemRandomness);
  const add = { role: 'operator', digest: tokenDigest(token), name: 'alice' } as const;
  await service.withStore(({ tokens }) => tokens.insert(add));
  const alice = ManagementClient.withToken(service.service.adminUrl, token);
  assert.equal((await alice.post('/api/terms', fee)).status, 201);
  assert.equal((await alice.post('/api/markets/XRPEUR/delist', { confirm: 'XRPEUR' })).status, 200);
  const { kinds, approvals } = (await alice.get<{ kinds: string[]; approvals: object[] }>('/api/approvals')).body;
  assert.deepEqual([kinds, approvals], [[], []]);
});
