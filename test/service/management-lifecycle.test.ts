import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ServiceStatusBody } from '../../src/contract/schemas.ts';
import { type PendingMarkets, pendingOf } from '../../src/market/catalogue-review.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import { savePending } from '../../src/operator/review.ts';
import { ManagementClient } from '../support/management-client.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const token = 'a-configured-token-of-good-length';

interface Key {
  readonly id: string;
  readonly status: string;
  readonly usable: boolean;
}
interface NewKey {
  readonly key: Key;
  readonly text: string;
}
interface Window {
  readonly id: string;
  readonly state: string;
}
interface Review {
  readonly pending: readonly { readonly id: string; readonly reason: string; readonly verdicts: readonly string[] }[];
  readonly rejected: readonly object[];
}
interface Entry {
  readonly actor: string;
  readonly action: string;
  readonly subject: { readonly id: string };
}

describe('what an operator does over the management API holds for clients once he has the answer', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;
  let operator: ManagementClient;
  before(async () => {
    service = await ServiceHarness.start(
      { after: (run) => cleanups.push(run as () => unknown) },
      { settings: { 'admin.token': token, 'limits.key': '1000' } },
    );
    operator = ManagementClient.withToken(service.service.adminUrl, token);
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  const outcome = (key: string, path = '/v1/time') => service.api.outcome(path, { key });
  const account = async (email: string) => (await operator.post<{ id: string }>('/api/accounts', { email })).body.id;

  test('a key works, is disabled, enabled and revoked', async () => {
    const accountId = await account('life@example.com');
    const made = await operator.post<NewKey>('/api/keys', { accountId, label: 'bot', limitPerMinute: 7 });
    assert.equal(made.status, 201);
    const { key, text } = made.body;
    assert.deepEqual([key.usable, await outcome(text)], [true, '200']);
    for (const [verb, status, expected] of [
      ['disable', 'disabled', '401 INVALID_API_KEY'],
      ['enable', 'active', '200'],
      ['revoke', 'revoked', '401 INVALID_API_KEY'],
    ] as const) {
      const changed = await operator.post<Key>(`/api/keys/${key.id}/${verb}`);
      assert.deepEqual([changed.status, changed.body.status, await outcome(text)], [200, status, expected], verb);
    }
    const again = await operator.post<{ code: string }>(`/api/keys/${key.id}/enable`);
    assert.deepEqual([again.status, again.body.code], [409, 'CONFLICT']);
  });

  test('an account switched off takes its keys along, and back', async () => {
    const accountId = await account('switch@example.com');
    const { text } = (await operator.post<NewKey>('/api/keys', { accountId })).body;
    await operator.post(`/api/accounts/${accountId}/deactivate`);
    assert.equal(await outcome(text), '401 INVALID_API_KEY');
    const back = await operator.post<{ active: boolean; keys: object }>(`/api/accounts/${accountId}/activate`, {});
    assert.deepEqual([back.body.active, back.body.keys], [true, { active: 1, disabled: 0, revoked: 0 }]);
    assert.equal(await outcome(text), '200');
  });

  test('markets that wait are listed, accepted, rejected, and delisted only where the source is repeated (fault row 97)', async () => {
    const growth = ['NEWAEUR', 'NEWBEUR'] as MarketSymbol[];
    const pending = [
      pendingOf('kraken', 'growth', service.clock.now(), growth),
      pendingOf('kraken', 'loss', service.clock.now(), ['ETHEUR' as MarketSymbol]),
      pendingOf('kraken', 'incomplete', service.clock.now(), growth),
    ];
    const [waits, lost, incomplete] = pending as [PendingMarkets, PendingMarkets, PendingMarkets];
    await service.withStore((store) => savePending(store, pending));
    const review = async () => (await operator.get<Review>('/api/market-review')).body;
    assert.deepEqual(
      (await review()).pending.map(({ id, reason, verdicts }) => [id, reason, verdicts.length]),
      [
        [waits.id, 'growth', 2],
        [lost.id, 'loss', 2],
        [incomplete.id, 'incomplete', 0],
      ],
    );
    const decide = async (id: string, verdict: string, body = {}) => {
      const { status, body: answer } = await operator.post<{ code?: string }>(
        `/api/market-review/${id}/${verdict}`,
        body,
      );
      return [status, answer.code];
    };
    assert.deepEqual(await decide(waits.id, 'reject'), [200, undefined]);
    assert.deepEqual(await decide(waits.id, 'accept'), [404, 'NOT_FOUND'], 'it no longer waits');
    assert.deepEqual((await review()).rejected, [{ source: 'kraken', count: 2 }]);
    assert.deepEqual(await decide(incomplete.id, 'accept'), [409, 'CONFLICT']);
    assert.deepEqual(await decide(lost.id, 'accept'), [409, 'CONFLICT']);
    assert.deepEqual(await decide(lost.id, 'accept', { confirm: 'kraken' }), [200, undefined]);
    assert.equal((await service.api.markets()).get('ETHEUR')?.status, 'delisted');
    const back = await operator.post('/api/market-review/rejected/kraken/accept');
    assert.deepEqual([back.status, (await review()).rejected], [200, []]);
    assert.equal((await operator.post('/api/market-review/rejected/kraken/accept')).status, 404);
    const { entries } = (await operator.get<{ entries: Entry[] }>('/api/audit?action=catalogue.')).body;
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['catalogue.accept', 'catalogue.reject'],
    );
  });

  test('a rotated key and its replacement both work, or with no overlap only the new one', async () => {
    const accountId = await account('rotate@example.com');
    const first = (await operator.post<NewKey>('/api/keys', { accountId })).body;
    const second = await operator.post<NewKey & { replaced: Key }>(`/api/keys/${first.key.id}/rotate`, {});
    assert.deepEqual([second.status, second.body.replaced.id], [201, first.key.id]);
    assert.deepEqual([await outcome(first.text), await outcome(second.body.text)], ['200', '200']);
    const third = (await operator.post<NewKey>(`/api/keys/${second.body.key.id}/rotate`, { overlapMs: 0 })).body;
    assert.deepEqual([await outcome(second.body.text), await outcome(third.text)], ['401 INVALID_API_KEY', '200']);
  });

  test('a market is paused and resumed; delisted it has no price and never comes back', async () => {
    const statusOf = async (symbol: string) => (await service.api.markets()).get(symbol)?.status;
    assert.equal((await operator.post<{ status: string }>('/api/markets/adaeur/pause')).body.status, 'paused');
    assert.equal(await statusOf('ADAEUR'), 'paused');
    assert.equal((await operator.post<{ status: string }>('/api/markets/ADAEUR/resume')).body.status, 'trading');
    assert.equal(await statusOf('ADAEUR'), 'trading');
    const unsure = await operator.post<{ code: string }>('/api/markets/XRPCZK/delist', { confirm: 'XRPEUR' });
    assert.deepEqual([unsure.status, await statusOf('XRPCZK')], [409, 'trading']);
    const gone = await operator.post<{ status: string; delistedAtMs: number }>('/api/markets/XRPCZK/delist', {
      confirm: 'XRPCZK',
    });
    assert.equal(gone.body.status, 'delisted');
    assert.ok(Math.abs(gone.body.delistedAtMs - service.clock.now()) < 60_000);
    assert.equal(await service.api.outcome('/v1/ticker?symbol=XRPCZK'), '404 UNKNOWN_SYMBOL');
    assert.equal((await operator.post('/api/markets/XRPCZK/resume')).status, 409);
    assert.equal((await operator.get('/api/markets/NOSUCHEUR')).status, 404);
  });

  test('a window is seen as previewed, runs, is extended and ended', async () => {
    const now = service.clock.now();
    const window = { fromMs: now - 1_000, toMs: now + 600_000, description: 'Upgrade of the price database.' };
    const preview = await operator.post<{
      before: ServiceStatusBody;
      during: {
        status: ServiceStatusBody;
        ticker: { httpStatus: number; headers: Record<string, string>; body: object };
      };
      retryAfterSeconds: number;
      overlaps: object[];
    }>('/api/maintenance/preview', window);
    assert.equal(preview.status, 200);
    assert.equal(await outcome(service.credentials.key), '200');

    const made = await operator.post<Window>('/api/maintenance', window);
    assert.deepEqual([made.status, made.body.state], [201, 'running']);
    const status = await service.api.status();
    const { during } = preview.body;
    const comparable = ({ maintenance, status, api, components }: ServiceStatusBody) => [
      maintenance,
      status,
      api,
      components,
    ];
    assert.deepEqual(comparable(during.status), comparable(status));
    const response = await fetch(`${service.service.baseUrl}/v1/ticker?symbol=BTCEUR`, {
      headers: { 'X-EXCHANGE-APIKEY': service.credentials.key, Connection: 'close' },
    });
    const { requestId: _, ...error } = (await response.json()) as Record<string, unknown>;
    const { requestId: __, ...previewed } = during.ticker.body as Record<string, unknown>;
    assert.deepEqual([during.ticker.httpStatus, previewed], [response.status, error]);
    assert.ok(Math.abs(Number(response.headers.get('retry-after')) - preview.body.retryAfterSeconds) <= 30);
    assert.equal(during.ticker.headers['Retry-After'], String(preview.body.retryAfterSeconds));

    const overlapping = await operator.post<{ overlaps: Window[] }>('/api/maintenance/preview', window);
    assert.deepEqual(
      overlapping.body.overlaps.map(({ id }) => id),
      [made.body.id],
    );
    assert.equal((await operator.post(`/api/maintenance/${made.body.id}/extend`, { toMs: window.toMs })).status, 409);
    assert.equal(
      (await operator.post(`/api/maintenance/${made.body.id}/extend`, { toMs: window.toMs + 1 })).status,
      200,
    );
    assert.equal((await operator.post(`/api/maintenance/${made.body.id}/cancel`)).status, 409);
    const ended = await operator.post<Window>(`/api/maintenance/${made.body.id}/end`);
    assert.deepEqual([ended.status, await outcome(service.credentials.key)], [200, '200']);

    const later = { ...window, fromMs: now + 3_600_000, toMs: now + 7_200_000 };
    const announced = await operator.post<{ before: ServiceStatusBody; during: { status: ServiceStatusBody } }>(
      '/api/maintenance/preview',
      later,
    );
    assert.equal(announced.body.before.status, 'operational');
    assert.equal(announced.body.before.maintenance?.fromMs, later.fromMs);
    assert.equal(announced.body.during.status.components.ticker, 'operational', 'the feed goes on until then');
    const { id } = (await operator.post<Window>('/api/maintenance', later)).body;
    assert.equal((await service.api.status()).maintenance?.fromMs, later.fromMs);
    assert.equal((await operator.post<Window>(`/api/maintenance/${id}/cancel`)).body.state, 'cancelled');
    assert.equal((await service.api.status()).maintenance, null);
    const list = (await operator.get<{ windows: Window[] }>('/api/maintenance')).body.windows;
    assert.deepEqual(list.map(({ state }) => state).sort(), ['cancelled', 'ended']);
  });

  test('every reading is as documented, and agrees with what clients get', async () => {
    const paths = [
      'overview',
      'markets',
      'feed',
      'rates',
      'usage',
      'notices',
      'tokens',
      'audit',
      'openapi.json',
      'accounts',
      'keys',
    ];
    for (const path of paths) assert.equal((await operator.get(`/api/${path}`)).status, 200, path);
    const { market } = (await operator.get<{ market: { ticker: { pricePrecision: number } } }>('/api/markets/BTCCZK'))
      .body;
    assert.ok(market.ticker !== null);
    const described = await operator.get<{ code: string }>('/api/problems/not-found');
    assert.equal(described.body.code, 'NOT_FOUND');
  });

  test('usage shows what the limiter counted, without counting', async () => {
    const accountId = await account('usage@example.com');
    const { key, text } = (await operator.post<NewKey>('/api/keys', { accountId, limitPerMinute: 3 })).body;
    interface Usage {
      readonly limitPerMinute: number;
      readonly currentMinute: { startedAtMs: number; used: number; refused: number; remaining: number };
      readonly breaches: { refused: number }[];
    }
    // Within one minute of the wall clock, whatever the moment the test began at.
    for (;;) {
      const startedMinute = Math.floor(service.clock.now() / 60_000);
      const before = (await operator.get<Usage>(`/api/keys/${key.id}/usage`)).body.currentMinute;
      const outcomes = [];
      for (let count = 0; count < 5; count++) outcomes.push(await outcome(text));
      const usage = (await operator.get<Usage>(`/api/keys/${key.id}/usage`)).body;
      const again = (await operator.get<Usage>(`/api/keys/${key.id}/usage`)).body;
      if (Math.floor(service.clock.now() / 60_000) !== startedMinute) continue;
      assert.equal(before.used, 0);
      assert.deepEqual(outcomes.slice(0, 4), ['200', '200', '200', '429 RATE_LIMIT_EXCEEDED']);
      assert.deepEqual(
        [usage.limitPerMinute, usage.currentMinute.used, usage.currentMinute.refused, usage.currentMinute.remaining],
        [3, 3, 2, 0],
      );
      assert.deepEqual(again.currentMinute, usage.currentMinute);
      const top = (await operator.get<{ keys: { key: Key; refused: number }[] }>('/api/usage')).body.keys;
      assert.equal(top.find((row) => row.key.id === key.id)?.refused, 2);
      return;
    }
  });

  test('each change is in the audit log once, under the name of whoever made it, and no secret is', async () => {
    const accountId = await account('audited@example.com');
    const { key, text } = (await operator.post<NewKey>('/api/keys', { accountId })).body;
    await operator.post(`/api/keys/${key.id}/revoke`);
    await operator.post(`/api/keys/${key.id}/revoke`);
    await operator.post(`/api/keys/${key.id}/enable`);
    const { entries } = (await operator.get<{ entries: Entry[] }>(`/api/audit?subject=${key.id}`)).body;
    assert.deepEqual(
      entries.map(({ actor, action }) => [actor, action]),
      [
        ['configuration', 'key.revoke'],
        ['configuration', 'key.create'],
      ],
    );
    const all = JSON.stringify((await operator.get('/api/audit?limit=200')).body);
    assert.ok(!all.includes(text) && !all.includes(text.slice(4, -6)) && !all.includes(token));
  });
});
