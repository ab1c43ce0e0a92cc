import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

/** What the command line promises, for what another process changed. */
const withinMs = 1_000;

describe('on the command line, while the server runs, and within a second, a key', { concurrency: true }, () => {
  const cleanups: (() => unknown)[] = [];
  let simulator: ExchangeSimulator;
  let installation: Installation;
  let api: ApiClient;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'] });
    installation = Installation.for({ after: (run: unknown) => void cleanups.push(run as () => unknown) }, simulator);
    const { baseUrl } = await installation.serve();
    api = await ApiClient.of(baseUrl, 'none');
  });
  after(async () => {
    for (const run of cleanups.reverse()) await run();
    await simulator.stop();
  });

  async function newAccount(name: string): Promise<string> {
    return (await installation.json<{ id: string }>('accounts', 'create', '--email', `${name}@example.com`)).id;
  }

  function newKey(account: string, ...more: readonly string[]): Promise<MadeKey> {
    return installation.json<MadeKey>('keys', 'create', '--account', account, ...more);
  }

  function use({ key }: MadeKey): Promise<string> {
    return api.outcome('/v1/time', { key });
  }

  async function becomes(made: MadeKey, outcome: string, deadlineMs = withinMs): Promise<void> {
    await eventually(`the key ${made.id}: ${outcome}`, async () => (await use(made)) === outcome, deadlineMs);
  }

  test('is made, disabled, enabled and revoked', async () => {
    const made = await newKey(await newAccount('status'));
    await becomes(made, '200');
    await installation.json('keys', 'disable', made.id);
    await becomes(made, '401 INVALID_API_KEY');
    await installation.json('keys', 'enable', made.id);
    await becomes(made, '200');
    await installation.json('keys', 'revoke', made.id, '--yes');
    await becomes(made, '401 INVALID_API_KEY');
  });

  test('goes and comes back with its account', async () => {
    const account = await newAccount('account');
    const made = await newKey(account);
    await becomes(made, '200');
    await installation.json('accounts', 'deactivate', account, '--yes');
    await becomes(made, '401 INVALID_API_KEY');
    await installation.json('accounts', 'activate', account);
    await becomes(made, '200');
  });

  test('is rotated: both work during the overlap, then only the new one', async () => {
    const first = await newKey(await newAccount('rotation'));
    await becomes(first, '200');
    const second = await installation.json<MadeKey>('keys', 'rotate', first.id, '--overlap', '3s');
    await becomes(second, '200');
    assert.equal(await use(first), '200');
    await becomes(first, '401 INVALID_API_KEY', 3_000 + withinMs);
    assert.equal(await use(second), '200');
  });

  test('that leaked is replaced without overlap: it stops at once', async () => {
    const leaked = await newKey(await newAccount('leak'));
    await becomes(leaked, '200');
    const next = await installation.json<MadeKey>('keys', 'rotate', leaked.id, '--overlap', '0s');
    await becomes(next, '200');
    await becomes(leaked, '401 INVALID_API_KEY');
  });

  test('expires when it is to, and has the limit it was given', async () => {
    const made = await newKey(await newAccount('limit'), '--expires', '+5s', '--limit', '2');
    await becomes(made, '200');
    await becomes(made, '429 RATE_LIMIT_EXCEEDED');
    await becomes(made, '401 INVALID_API_KEY', 5_000 + withinMs);
  });
});
