import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { ManagementClient } from '../support/management-client.ts';
import { Installation } from '../support/mdapi-process.ts';
import { SteadyClient } from '../support/steady-client.ts';

const token = 'a-configured-token-of-good-length';
/** By which a price shows whose it is. */
const bids = { kraken: 50_000, bitvavo: 50_100, coinbase: 50_200 };

interface Feed {
  readonly sources: readonly { readonly id: string; readonly paused: boolean }[];
}
interface Entries {
  readonly entries: readonly { readonly actor: string; readonly action: string; readonly summary: string }[];
}

test('sources are added, put in order, paused, resumed and removed under a client that never sees an error or a time that goes back', async (t) => {
  const exchanges = new Map<string, ExchangeSimulator>();
  for (const dialect of ['kraken', 'bitvavo', 'coinbase'] as const) {
    const options = { dialect, quotes: ['EUR'], updatesPerSecond: 50, port: await fixedPort() };
    const exchange = await startExchangeSimulator(options);
    t.after(() => exchange.stop());
    exchange.setPrice({ symbol: 'BTC/EUR', bid: `${bids[dialect]}.0`, ask: `${bids[dialect]}.1` });
    exchanges.set(dialect, exchange);
  }
  const installation = Installation.for(t, exchanges.get('kraken')!, {
    admin: { token },
    pricing: { returnAfter: '1s' },
  });
  const file = join(installation.directory, 'mdapi.yaml');
  const source = (id: string, more: object = {}) => {
    const { restUrl, wsUrl } = exchanges.get(id)!;
    return { id, urls: { rest: restUrl, ws: wsUrl }, ...more };
  };
  const write = (sources: readonly object[], more: object = {}) => {
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), sources, ...more }));
  };
  write([source('kraken')]);

  const { server, adminUrl, api } = await installation.serveLive();
  const operator = ManagementClient.withToken(adminUrl, token);
  const feed = async () => {
    const { sources } = (await operator.get<Feed>('/api/feed')).body;
    return sources.map(({ id, paused }) => [id, paused]);
  };
  const madeBy = (id: keyof typeof bids, others: readonly string[]) =>
    eventually(`${id} makes the price, beside ${others}`, async () => {
      const { sources } = (await (await fetch(`${adminUrl}/prices/BTCEUR`)).json()) as {
        sources: { id: string; state: string }[];
      };
      const [used, ...rest] = sources.toSorted((a, b) => Number(b.state === 'used') - Number(a.state === 'used'));
      if (used?.id !== id || used.state !== 'used') return false;
      if (rest.some(({ state, id: other }) => others.includes(other) !== (state === 'standby'))) return false;
      const { buyPrice } = await api.ticker('BTCEUR');
      return Math.abs(Number(buyPrice) / 1.005 - bids[id]) < 1;
    });
  const reloads = async () => {
    const { entries } = (await operator.get<Entries>('/api/audit?limit=200')).body;
    return entries.filter(({ action }) => action === 'sources.reload');
  };
  const hangUp = async () => {
    const before = (await reloads()).length;
    server.kill('SIGHUP');
    await eventually('it is audited', async () => (await reloads()).length > before);
  };

  const client = await SteadyClient.watch(api);
  write([source('kraken'), source('bitvavo'), source('coinbase')]);
  const { changes } = await installation.json<{ changes: string[] }>('sources', 'reload');
  assert.deepEqual(changes, ['added bitvavo', 'added coinbase', 'order kraken, bitvavo, coinbase']);
  await madeBy('kraken', ['bitvavo', 'coinbase']);

  write([source('bitvavo'), source('kraken'), source('coinbase')]);
  await hangUp();
  await madeBy('bitvavo', ['kraken', 'coinbase']);

  write([source('bitvavo', { paused: true }), source('kraken'), source('coinbase')]);
  assert.equal((await operator.post('/api/sources/reload')).status, 200);
  await madeBy('kraken', ['coinbase']);

  write([source('bitvavo'), source('kraken'), source('coinbase')]);
  await installation.json('sources', 'reload');
  await madeBy('bitvavo', ['kraken', 'coinbase']);

  write([source('kraken'), source('coinbase')]);
  await hangUp();
  await madeBy('kraken', ['coinbase']);

  const [shown, known] = [await feed(), await reloads()];
  write([source('coinbase')], { limits: { key: 61 } });
  const refused = await installation.run('sources', 'reload');
  assert.deepEqual([refused.exitCode, /limits\.key: changes only with a restart/.test(refused.stderr)], [3, true]);
  writeFileSync(file, 'sources: [');
  server.kill('SIGHUP');
  await eventually('it is refused', () => server.stderr.split('the sources were not reloaded').length > 2);
  assert.deepEqual(await reloads(), known);
  assert.deepEqual(await feed(), shown);
  await madeBy('kraken', ['coinbase']);
  const connects = [...exchanges.values()].map((exchange) => exchange.state().connectsTotal);
  assert.deepEqual(connects, [1, 2, 1], 'those that stayed kept their connections all the while');
  assert.deepEqual(exchanges.get('bitvavo')!.state().connections, [], 'one that is gone has none');

  const { states } = await client.stop();
  assert.ok(!states.includes('outage'), states.join());
  assert.deepEqual(
    known.map(({ actor, summary }) => [actor.replace(/^cli:.*/, 'cli'), summary]).toReversed(),
    [
      ['cli', 'added bitvavo; added coinbase; order kraken, bitvavo, coinbase'],
      ['SIGHUP', 'order bitvavo, kraken, coinbase'],
      ['configuration', 'paused bitvavo'],
      ['cli', 'resumed bitvavo'],
      ['SIGHUP', 'removed bitvavo; order kraken, coinbase'],
    ].map(([actor, changed]) => [actor, `Reloaded the sources: ${changed}.`]),
  );
});
