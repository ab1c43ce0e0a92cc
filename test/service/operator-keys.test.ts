import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

/** What the command line promises, for what another process changed. */
const withinMs = 1_000;

async function served(t: Pick<TestContext, 'after'>) {
  const simulator = await startExchangeSimulator({ quotes: ['EUR'] });
  t.after(() => simulator.stop());
  const installation = Installation.for(t, simulator);
  const { baseUrl } = await installation.serve();
  const { id: account } = await installation.json<{ id: string }>(
    'accounts',
    'create',
    '--email',
    'client@example.com',
  );
  const make = (...more: string[]) => installation.json<MadeKey>('keys', 'create', '--account', account, ...more);
  const api = await ApiClient.of(baseUrl, 'none');
  const use = ({ key }: MadeKey) => api.outcome('/v1/time', { key });
  const becomes = (made: MadeKey, outcome: string) =>
    eventually(`the key ${made.id}: ${outcome}`, async () => (await use(made)) === outcome, withinMs);
  return { installation, account, make, use, becomes };
}

describe('keys changed on the command line while the server runs', { concurrency: true }, () => {
  test('hold within a second: made, disabled, enabled, rotated, revoked, expired, and with their account', async (t) => {
    const { installation, account, make, use, becomes } = await served(t);
    const first = await make();
    await becomes(first, '200');
    await installation.json('keys', 'disable', first.id);
    await becomes(first, '401 INVALID_API_KEY');
    await installation.json('keys', 'enable', first.id);
    await becomes(first, '200');

    await installation.json('accounts', 'deactivate', account, '--yes');
    await becomes(first, '401 INVALID_API_KEY');
    await installation.json('accounts', 'activate', account);
    await becomes(first, '200');

    const second = await installation.json<MadeKey>('keys', 'rotate', first.id, '--overlap', '3s');
    await becomes(second, '200');
    assert.equal(await use(first), '200', 'both work during the overlap');
    await eventually('the old key ends', async () => (await use(first)) === '401 INVALID_API_KEY', 3_000 + withinMs);
    assert.equal(await use(second), '200');

    await installation.json('keys', 'revoke', second.id, '--yes');
    await becomes(second, '401 INVALID_API_KEY');

    const short = await make('--expires', '+2s');
    await eventually('it expires', async () => (await use(short)) === '401 INVALID_API_KEY', 2_000 + withinMs);

    const limited = await make('--limit', '2');
    await becomes(limited, '200');
    await eventually('its own limit', async () => (await use(limited)) === '429 RATE_LIMIT_EXCEEDED', withinMs);
  });

  test('a leaked key is replaced without overlap: it stops at once', {
    todo: 'refused with overlap_in_past: the store reads the clock after the command did',
  }, async (t) => {
    const { installation, make, becomes } = await served(t);
    const leaked = await make();
    await becomes(leaked, '200');
    const next = await installation.json<MadeKey>('keys', 'rotate', leaked.id, '--overlap', '0s');
    await becomes(next, '200');
    await becomes(leaked, '401 INVALID_API_KEY');
  });
});
