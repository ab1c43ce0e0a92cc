import { setTimeout as pause } from 'node:timers/promises';
import { digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { eventually } from '../../test/support/eventually.ts';
import { postgresMissing, startPostgres } from '../../test/support/postgres.ts';
import { ask } from '../fixture/ask.ts';
import { startExchange } from '../fixture/exchange.ts';
import { install } from '../fixture/service.ts';
import type { Scope } from '../scope.ts';
import { durations, type Finding, notMeasured } from './finding.ts';
import { type Node, startServing } from './node.ts';

const nodeCount = 3;
const what = `a revocation holds on ${nodeCount} nodes`;

interface PreparedKey {
  readonly id: string;
  readonly key: string;
}

/** Takes the words out of the triggers: a change is then seen by looking alone, as while a node cannot listen. */
const silenceTriggers = `do $$
declare found record;
begin
  for found in select oid from pg_proc where prosrc like '%pg_notify%' and pronamespace = 'public'::regnamespace loop
    execute regexp_replace(pg_get_functiondef(found.oid), 'perform pg_notify\\([^;]*;', 'null;', 'g');
  end loop;
end $$`;

/** How long a revoked key still works somewhere, from the moment somebody revokes it. */
export async function revocation(scope: Scope): Promise<Finding[]> {
  if (postgresMissing !== undefined) return [notMeasured(what, postgresMissing)];
  const server = await startPostgres();
  scope.own({ stop: () => server.stop() });
  const url = await server.newDatabase();
  const store = await openStore({ url, clock: systemClock, randomness: systemRandomness });
  scope.own({ stop: () => store.close() });
  const rounds = scope.pick(30, 3);
  const keys = await prepareKeys(store, 2 * rounds);
  const exchange = await startExchange(scope, 10, 20);
  const installation = await install(scope, 'revocation', exchange);
  const env = { MDAPI_STORE: url, MDAPI_HISTORY_URL: 'off', MDAPI_LIMITS_FAILED_AUTHENTICATION: '1000000' };
  const nodes: Node[] = [];
  for (let count = 0; count < nodeCount; count++)
    nodes.push(await startServing(scope, installation, { core: 'all', env }));
  scope.progress('revocations that are announced');
  const announced = await revokeAll(store, keys.slice(0, rounds), nodes);
  await server.run(silenceTriggers, url);
  scope.progress('revocations that nobody announces');
  const looked = await revokeAll(store, keys.slice(rounds), nodes);
  return [
    durations(what, 'announced by PostgreSQL (LISTEN)', announced),
    durations(what, 'seen by looking (every 500 ms)', looked),
  ];
}

async function prepareKeys(store: Store, count: number): Promise<PreparedKey[]> {
  const { id: accountId } = await store.accounts.create({ email: 'bench@example.com' });
  const keys: PreparedKey[] = [];
  for (let made = 0; made < count; made++) {
    const key = generateApiKey(systemRandomness);
    const { id } = await store.keys.insert({ accountId, digest: digestOf(key), lastFour: lastFourOf(key) });
    keys.push({ id, key });
  }
  return keys;
}

async function revokeAll(store: Store, keys: readonly PreparedKey[], nodes: readonly Node[]): Promise<number[]> {
  const times: number[] = [];
  for (const { id, key } of keys) {
    const statusOn = async ({ baseUrl }: Node) => (await ask(`${baseUrl}/v1/status`, key)).status;
    for (const node of nodes)
      if ((await statusOn(node)) !== 200) throw new Error(`${id} does not work before it is revoked`);
    // It falls anywhere between two looks.
    await pause(500 * Math.random());
    const startedMs = performance.now();
    const revoked = store.keys.setStatus(id, 'revoked');
    const refused = nodes.map((node) =>
      eventually('the key is refused', async () => (await statusOn(node)) === 401 && performance.now() - startedMs),
    );
    const [, ...each] = await Promise.all([revoked, ...refused]);
    times.push(Math.max(...(each as number[])));
  }
  return times;
}
