import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { runInside } from '../../src/cli/cli.testing.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import type { DoubtView } from '../../src/operator/doubt.ts';
import type { PriceReport } from '../../src/operator/price.ts';
import { eventually } from '../support/eventually.ts';
import { ManagementClient } from '../support/management-client.ts';
import type { ServiceHarness } from '../support/service-harness.ts';
import { firstLies, threeSources } from '../support/three-sources.ts';

interface WithDoubts {
  readonly doubts: readonly DoubtView[];
}

/** The first of three sources says a thousand times the price of the other two. */
async function lying(t: Parameters<typeof threeSources>[0]) {
  const { service, states, others } = await threeSources(t);
  await firstLies(service, others);
  return { service, states, operator: await operatorOf(service), mdapi: commandLine(service) };
}

async function operatorOf(service: ServiceHarness): Promise<ManagementClient> {
  const token = generateToken('operator', systemRandomness);
  const made = { role: 'operator', digest: tokenDigest(token), name: 'olga' } as const;
  await service.withStore((store) => store.tokens.insert(made));
  return ManagementClient.withToken(service.service.adminUrl, token);
}

/** The command line beside the service, on its database. */
function commandLine({ service, directory }: ServiceHarness) {
  const env = {
    MDAPI_ADMIN_PORT: new URL(service.adminUrl).port,
    MDAPI_STORE: `sqlite:${join(directory, 'mdapi.sqlite')}`,
  };
  return (...argv: string[]) => runInside(argv, { cwd: directory, env, clock: systemClock });
}

test('a source that lies is named with market, values, reason and what is served instead, wherever one looks (fault row 71)', async (t) => {
  const { service, operator, mdapi } = await lying(t);
  const price = (await (await service.admin('/prices/BTCCZK')).json()) as PriceReport;
  const [doubt] = price.doubts;
  assert.deepEqual(
    [doubt?.market, doubt?.source, doubt?.bid, doubt?.ask, doubt?.reason, doubt?.servedBy],
    ['BTCEUR', 'kraken', '50000000.0', '50000000.1', 'contradicted', 'bitvavo'],
  );

  const shown =
    /Doubted +kraken 50000000\.0 \/ 50000000\.1 since 2\S+Z \(contradicted: .+\); served is the price of bitvavo/;
  assert.match((await mdapi('price', 'BTCEUR')).stdout, shown);
  const listed = (await mdapi('markets', 'list')).stdout.split('\n');
  assert.match(listed[0] ?? '', /MIN ORDER +DOUBTED$/);
  assert.match(
    listed.find((line) => line.startsWith('BTCCZK')) ?? '',
    /kraken \(contradicted, 50000000\.0 \/ 50000000\.1\)$/,
  );
  assert.match(listed.find((line) => line.startsWith('ADAEUR')) ?? '', /\d$/);
  const sources = (await mdapi('sources', 'list')).stdout;
  assert.match(sources, /^kraken .* 1$/m);
  assert.match(sources, /^kraken +BTCEUR +50000000\.0 \/ 50000000\.1 .*the price of bitvavo$/m);

  const { notes } = (await (await service.admin('/readyz')).json()) as { notes: string[] };
  const note = notes.find((each) =>
    each.startsWith('kraken is doubted, contradicted: BTCEUR at 50000000.0 / 50000000.1'),
  );
  assert.match(note ?? '', /served: the price of bitvavo/);
  const metrics = await service.metrics();
  assert.equal(metrics.value('mdapi_doubted_markets', { source: 'kraken', reason: 'contradicted' }), 1);
  assert.ok(
    service.logged.some((line) =>
      /"market":"BTCEUR","source":"kraken","reason":"contradicted","bid":"50000000.0"/.test(line),
    ),
  );

  const market = await operator.get<{ market: WithDoubts }>('/api/markets/BTCCZK');
  assert.deepEqual(market.body.market.doubts[0]?.source, 'kraken');
  const feed = await operator.get<{ sources: readonly WithDoubts[] }>('/api/feed');
  assert.deepEqual(
    feed.body.sources.map(({ doubts }) => doubts.map((each) => each.market)),
    [['BTCEUR'], [], []],
  );
  const overview = await operator.get<{ notes: readonly { text: string; markets: string[] }[] }>('/api/overview');
  assert.deepEqual(overview.body.notes.find(({ text }) => text.startsWith('kraken is doubted'))?.markets, ['BTCEUR']);
});

test('an operator accepts the source that is right over the command line, and another source is refused with the names of the doubted ones', async (t) => {
  const { service, mdapi, states } = await lying(t);
  const wrong = await mdapi('markets', 'accept', 'BTCEUR', '--source', 'bitvavo');
  assert.deepEqual(
    [wrong.exitCode, wrong.stderr.split('\n')[0]],
    [
      5,
      'mdapi: BTCEUR of the source bitvavo is not doubted. Doubted are kraken (contradicted, 50000000.0 / 50000000.1).',
    ],
  );
  assert.equal((await mdapi('markets', 'accept', 'btceur', '--source', 'kraken')).exitCode, 0);
  await eventually('nothing is doubted', async () => (await states())[0]?.reason === null);
  await eventually('the log says so', () =>
    service.logged.some((line) => line.includes('a source is no longer doubted')),
  );
  const [entry] = await service.withStore(async (store) => (await store.audit.page({ limit: 1 })).items);
  assert.deepEqual(
    [entry?.action, entry?.summary, entry?.details],
    ['market.accept', 'Accepted what was doubted of BTCEUR from kraken.', { source: 'kraken' }],
  );
});

test('an operator accepts a source over the management API, which refuses others by name', async (t) => {
  const { operator, states } = await lying(t);
  const wrong = await operator.post('/api/markets/BTCEUR/accept', { source: 'okx' });
  assert.equal(wrong.status, 409);
  assert.match(JSON.stringify(wrong.body), /Doubted are kraken \(contradicted/);
  assert.equal((await operator.post('/api/markets/BTCCZK/accept', { source: 'kraken' })).status, 200);
  await eventually('nothing is doubted', async () => (await states())[0]?.reason === null);
  assert.equal((await operator.post('/api/markets/BTCEUR/accept')).status, 409, 'nothing is left to accept');
});
