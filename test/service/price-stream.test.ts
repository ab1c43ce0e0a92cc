import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { ManagementClient } from '../support/management-client.ts';
import { PriceReader } from '../support/price-reader.ts';
import { allSymbols, ServiceHarness } from '../support/service-harness.ts';

interface PriceList {
  readonly version: string;
  readonly prices: readonly { readonly version: string; readonly ticker: { readonly symbol: string } }[];
}

describe('the prices for the operator’s own application', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;
  before(async () => {
    service = await ServiceHarness.start({ after: (run) => cleanups.push(run as () => unknown) });
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  async function newToken(name: string): Promise<{ readonly token: string; readonly id: string }> {
    const token = generateToken('operator', systemRandomness);
    const { id } = await service.withStore(({ tokens }) =>
      tokens.insert({ role: 'prices', digest: tokenDigest(token), name }),
    );
    return { token, id };
  }

  const tagOf = (etag: unknown) => String(etag).replaceAll('"', '');

  test('under load the stream has the very bytes of /v1/ticker under the same version', async (t) => {
    const { token } = await newToken('side by side');
    const reader = await PriceReader.open(t, service.service.adminUrl, token);
    await eventually('a snapshot', () => reader.prices.size === allSymbols.length);
    assert.equal(reader.events[0]?.event, 'snapshot');
    let compared = 0;
    await eventually('a hundred versions held side by side', async () => {
      const symbol = allSymbols[compared % allSymbols.length]!;
      const { body, headers } = await service.api.get(`/v1/ticker?symbol=${symbol}`);
      const streamed = reader.seen.get(`${symbol} ${tagOf(headers.etag)}`);
      if (streamed === undefined) return false;
      assert.equal(streamed, body.toString());
      compared++;
      return compared >= 100;
    });
    assert.ok(reader.events.some(({ event }) => event === 'change'));
  });

  test('all prices at once are those of /v1/tickers, in the same bytes', async () => {
    const { token } = await newToken('at once');
    const client = ManagementClient.withToken(service.service.adminUrl, token);
    const { version } = await eventually('the same prices', async () => {
      const { status, body } = await client.get<PriceList>('/api/prices');
      assert.equal(status, 200);
      const { body: tickers } = await service.api.get('/v1/tickers');
      const texts = body.prices.map(({ ticker }) => JSON.stringify(ticker));
      return texts.every((text) => tickers.toString().includes(text)) && body;
    });
    assert.match(version, /^[0-9A-Za-z]+-\d+$/);
  });

  test('a reader that comes back gets only what changed, and a snapshot from another process', async (t) => {
    const { token } = await newToken('again');
    const { adminUrl } = service.service;
    const first = await PriceReader.open(t, adminUrl, token);
    await eventually('a change', () => first.events.some(({ event }) => event === 'change'));
    first.close();
    const last = first.events.at(-1)!;
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    const again = await PriceReader.open(t, adminUrl, token, last.id);
    await eventually('events', () => again.events.length > 0);
    assert.equal(again.events[0]?.event, 'change');
    for (const [symbol, price] of again.prices) first.prices.set(symbol, price);
    const other = await PriceReader.open(t, adminUrl, token, `Q${last.id}`);
    await eventually('events', () => other.events.length > 0);
    assert.equal(other.events[0]?.event, 'snapshot');
    assert.deepEqual([...first.prices.keys()].sort(), allSymbols);
  });

  test('a token for prices reads prices and nothing else, and cannot sign in', async () => {
    const { token } = await newToken('narrow');
    const client = ManagementClient.withToken(service.service.adminUrl, token);
    for (const path of ['/api/markets', '/api/terms', '/api/keys', '/api/audit', '/api/overview']) {
      assert.equal((await client.get<{ code: string }>(path)).body.code, 'ROLE_REQUIRED', path);
    }
    const anybody = new ManagementClient(service.service.adminUrl);
    assert.equal((await anybody.get<{ code: string }>('/api/prices/stream')).body.code, 'NOT_SIGNED_IN');
    assert.equal((await anybody.post<{ code: string }>('/api/session', { token })).body.code, 'ROLE_REQUIRED');
  });

  test('a stream ends soon after its token was revoked', async (t) => {
    const { token, id } = await newToken('revoked');
    const reader = await PriceReader.open(t, service.service.adminUrl, token);
    await service.withStore(({ tokens }) => tokens.revoke(id));
    await eventually('the end', () => reader.isEnded);
  });
});
