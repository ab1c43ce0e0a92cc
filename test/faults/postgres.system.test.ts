import assert from 'node:assert/strict';
import { after, describe, type TestContext } from 'node:test';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import { KeyDirectoryLoader } from '../../src/access/key-directory-loader.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { silentLog } from '../../src/ground/log.ts';
import { StoreFollower } from '../../src/persistence/store-follower.ts';
import { postgresTest } from '../../src/store/store.testing.ts';
import { openStore } from '../../src/store/store.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { SteadyClient } from '../support/steady-client.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { startHealthy } from './oracle.ts';

let shared: Promise<PostgresServer> | undefined;
after(async () => (await shared)?.stop());

function database(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

/** A listener whose keys come from the database, on a connection of its own. */
async function startNode(t: TestContext, url: string) {
  const store = await openStore({ url, clock: systemClock, randomness: systemRandomness });
  t.after(() => store.close());
  const api = await startHealthy({ clock: systemClock });
  t.after(() => api.stop());
  const loader = new KeyDirectoryLoader(api.directory, store);
  const followers = { keys: loader, markets: api.markets, service: api.service };
  const changes = new StoreFollower(store, followers, systemClock, silentLog, 86_400_000);
  changes.start();
  t.after(() => changes.stop());
  return { store, changes, answers: async (key: string) => (await api.get('/v1/time', { key })).status };
}

/** Two nodes on one database; the network of the second can be cut. */
async function twoNodes(t: TestContext) {
  const server = await database();
  const url = await server.newDatabase();
  const near = await startNode(t, url);
  const proxy = await TcpProxy.listen({ targetPort: server.port });
  t.after(() => proxy.close());
  const far = await startNode(t, url.replace(String(server.port), String(proxy.port)));
  const { id: accountId } = await near.store.accounts.create({ email: 'somebody@example.com' });
  const key = generateApiKey(systemRandomness);
  const { id } = await near.store.keys.insert({ accountId, digest: digestOf(key), lastFour: key.slice(-4) });
  const becomes = async (node: typeof near, status: number, withinMs = 1_000) => {
    const startedMs = performance.now();
    await eventually(`the key is answered ${status}`, async () => (await node.answers(key)) === status);
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs < withinMs, `${tookMs} ms`);
  };
  /** The first look loads everything, which no promise is about. */
  const isKnownOnBoth = () => Promise.all([near, far].map((node) => becomes(node, 200, 10_000)));
  return { server, url, near, far, proxy, key, id, becomes, isKnownOnBoth };
}

describe('keys on PostgreSQL', () => {
  postgresTest('hold on every node within a second of being changed, by any program (fault row 21)', async (t) => {
    const { server, url, near, far, id, becomes, isKnownOnBoth } = await twoNodes(t);
    const becomesOnBoth = (status: number) => Promise.all([becomes(near, status), becomes(far, status)]);
    await isKnownOnBoth();
    await near.store.keys.setStatus(id, 'disabled');
    await becomesOnBoth(401);
    await far.store.keys.setStatus(id, 'active');
    await becomesOnBoth(200);
    await server.run(`update accounts set active = 0`, url);
    await becomesOnBoth(401);
    await server.run(`update accounts set active = 1`, url);
    await becomesOnBoth(200);
    await server.run(`update api_keys set status = 'revoked' where id = '${id}'`, url);
    await becomesOnBoth(401);
  });

  postgresTest(
    'that are revoked while a node is cut off are known there until then, and refused when it is back (fault row 21)',
    async (t) => {
      const { near, far, proxy, id, key, becomes, isKnownOnBoth } = await twoNodes(t);
      await isKnownOnBoth();
      proxy.blackHole();
      await near.store.keys.setStatus(id, 'revoked');
      await becomes(near, 401);
      assert.equal(await far.answers(key), 200);
      await eventually('the cut is noticed', () => !far.changes.reachable());
      assert.equal(await far.answers(key), 200);
      await proxy.clear();
      await becomes(far, 401, 5_000);
      await eventually('the database counts as reachable', () => far.changes.reachable());
    },
  );

  postgresTest(
    'stay valid while the server is killed, and what changed is known when it is back (fault row 21)',
    async (t) => {
      const { server, near, far, id, key, becomes, isKnownOnBoth } = await twoNodes(t);
      await isKnownOnBoth();
      await server.kill();
      await eventually('it is noticed', () => !near.changes.reachable() && !far.changes.reachable());
      assert.deepEqual(await Promise.all([near.answers(key), far.answers(key)]), [200, 200]);
      await server.start();
      await eventually('it is back', async () => near.store.keys.setStatus(id, 'revoked').catch(() => false as const));
      await Promise.all([becomes(near, 401, 3_000), becomes(far, 401, 3_000)]);
    },
  );
});

describe('a database that fails over to an empty replica', () => {
  postgresTest('takes no key away until an operator accepts it (fault row 59)', async (t) => {
    const { server, url, near, far, key, becomes, isKnownOnBoth } = await twoNodes(t);
    const [account] = await near.store.accounts.list();
    for (let count = 0; count < 20; count++) {
      const digest = digestOf(generateApiKey(systemRandomness));
      await near.store.keys.insert({ accountId: account!.id, digest, lastFour: 'wxyz' });
    }
    await isKnownOnBoth();
    await Promise.all([near.changes.look(), far.changes.look()]);
    // Without the words of an operator, as a replica that never had them.
    await server.run('delete from api_keys; delete from accounts; delete from audit_log', url);
    for (const { changes } of [near, far]) {
      await eventually('the loss is held back', () => changes.held().keys === 21, 30_000);
    }
    assert.deepEqual(await Promise.all([near.answers(key), far.answers(key)]), [200, 200]);
    await near.store.accessChanges.acceptLosses();
    await Promise.all([becomes(near, 401, 10_000), becomes(far, 401, 10_000)]);
  });
});

/** Takes what the harness would not have: errors about the store, which these tests bring about. */
function forgetStoreErrors(harness: ServiceHarness): readonly string[] {
  const isAboutStore = (line: string) => /"level":50/.test(line) && /The database postgres:/.test(line);
  const found = harness.logged.filter(isAboutStore);
  const others = harness.logged.filter((line) => !isAboutStore(line));
  harness.logged.splice(0, Infinity, ...others);
  return found;
}

describe('the service on PostgreSQL', () => {
  postgresTest(
    'keeps serving under load while its server is killed and started, reports it, and saves later what it could not',
    async (t) => {
      const server = await database();
      const url = await server.newDatabase();
      const harness = await ServiceHarness.start(t, { settings: { store: url } });
      t.after(() => void forgetStoreErrors(harness));
      const client = await SteadyClient.watch(harness.api);
      for (let round = 0; round < 2; round++) {
        await server.kill();
        await eventually('it is reported', async () => (await harness.metrics()).value('mdapi_store_reachable') === 0);
        const { ready, notes } = (await (await harness.admin('/readyz')).json()) as { ready: boolean; notes: string[] };
        assert.equal(ready, true);
        // Whichever was noticed first: that nothing can be read, or that nothing can be saved.
        assert.ok(
          notes.some((note) => /^(the store cannot be used|nothing can be saved):/.test(note)),
          String(notes),
        );
        await server.start();
        await eventually('it is back', async () => (await harness.metrics()).value('mdapi_store_reachable') === 1);
      }
      const savedAt = async () =>
        Number(
          (await server.run(`select saved_at_ms from snapshots where name = 'market'`, url)).rows[0]?.saved_at_ms ?? 0,
        );
      const backAtMs = Date.now();
      await eventually('the last prices are saved again', async () => (await savedAt()) > backAtMs);
      await client.stop();
      assert.ok(forgetStoreErrors(harness).length >= 2);
    },
  );

  postgresTest(
    'started before its server waits for it, says so, and can be stopped while it waits (fault row 49)',
    async (t) => {
      const server = await database();
      const url = await server.newDatabase();
      const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 10 });
      t.after(() => simulator.stop());
      const installation = Installation.for(t, simulator, { history: { url: 'off' } });
      installation.env.MDAPI_STORE = url;
      const { key } = await installation.makeKey();
      await server.kill();
      const impatient = installation.start('serve');
      await eventually('it says that it waits', () => impatient.stderr.includes('the service starts when it can'));
      impatient.kill('SIGTERM');
      assert.notEqual((await impatient.ended).code, null, 'it ended by itself');
      const serving = installation.serve();
      await server.start();
      const api = await ApiClient.of((await serving).baseUrl, key);
      assert.equal(await api.outcome('/v1/time'), '200');
    },
  );

  postgresTest('takes a key from its first use, however soon after another process made it', async (t) => {
    const server = await database();
    const harness = await ServiceHarness.start(t, {
      settings: { store: await server.newDatabase() },
      untilLive: false,
    });
    await harness.withStore(async ({ accounts, keys }) => {
      const { id: accountId } = await accounts.create({ email: 'somebody@example.com' });
      for (let number = 1; number <= 20; number++) {
        const key = generateApiKey(systemRandomness);
        await keys.insert({ accountId, digest: digestOf(key), lastFour: lastFourOf(key) });
        const headers = { 'X-EXCHANGE-APIKEY': key };
        assert.equal((await fetch(`${harness.service.baseUrl}/v1/time`, { headers })).status, 200, `key ${number}`);
      }
    });
  });

  postgresTest('stops in time although its server hangs', async (t) => {
    const server = await database();
    const harness = await ServiceHarness.start(t, { settings: { store: await server.newDatabase() } });
    server.freeze();
    t.after(() => server.thaw());
    const startedMs = performance.now();
    await harness.stopService();
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs < 15_000, `${tookMs} ms`);
    server.thaw();
    assert.ok(forgetStoreErrors(harness).length > 0);
  });
});
