import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { ManagementClient } from '../support/management-client.ts';
import { ServiceHarness } from '../support/service-harness.ts';

interface Term {
  readonly id: string;
  readonly state: string;
  readonly fromMs: number | null;
  readonly feePercent: string | null;
}
interface Effect {
  readonly affected: number;
  readonly concerns: readonly string[];
  readonly changes: readonly {
    readonly symbol: string;
    readonly before: object | null;
    readonly after: object | null;
  }[];
}
interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

const hourMs = 3_600_000;

describe('terms over the management API', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;
  let client: ManagementClient;
  before(async () => {
    service = await ServiceHarness.start({ after: (run) => cleanups.push(run as () => unknown) });
    service.simulator.setRate('24.500');
    service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await service.untilBuyPrice('BTCCZK', '1243439');
    const token = generateToken('operator', systemRandomness);
    await service.withStore(({ tokens }) =>
      tokens.insert({ role: 'operator', digest: tokenDigest(token), name: 'olga' }),
    );
    client = ManagementClient.withToken(service.service.adminUrl, token);
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  const set = (body: object) => client.post<Term & Problem>('/api/terms', body);
  const preview = (body: object) => client.post<Effect & Problem>('/api/terms/preview', body);
  const listed = async () => (await client.get<{ terms: readonly Term[] }>('/api/terms')).body.terms;

  test('a term is announced, takes effect on its instant without a restart, and explains itself', async () => {
    const fromMs = service.clock.now() + hourMs;
    const draft = { scope: 'quote', subject: 'CZK', marginPercent: '0', pricePrecision: 2, fromMs };
    const { body: effect } = await preview(draft);
    assert.equal(effect.affected, 4);
    assert.deepEqual(
      effect.changes.find(({ symbol }) => symbol === 'BTCCZK'),
      {
        symbol: 'BTCCZK',
        before: { buyPrice: '1243439', sellPrice: '1206686' },
        after: { buyPrice: '1231127.47', sellPrice: '1218875.00' },
        buyChangePercent: '-0.99',
        sellChangePercent: '1.01',
        terms: (effect.changes.find(({ symbol }) => symbol === 'BTCCZK') as { terms?: object }).terms,
      },
    );
    const { status, body: term } = await set(draft);
    assert.deepEqual([status, term.state, term.fromMs], [201, 'announced', fromMs]);
    assert.equal((await service.api.ticker('BTCCZK')).buyPrice, '1243439');
    service.clock.shift(fromMs - service.clock.now() - 50);
    await eventually('the instant', () => service.clock.now() >= fromMs);
    assert.equal((await service.api.ticker('BTCCZK')).buyPrice, '1231127.47');
    assert.equal((await service.api.markets()).get('BTCCZK')?.tickSize, '0.01');
    const report = (await (await service.admin('/prices/BTCCZK')).json()) as { terms: { version: string } };
    assert.match(report.terms.version, new RegExp(`${term.id}@${new Date(fromMs).toISOString()}`));
    assert.equal((await listed()).find(({ id }) => id === term.id)?.state, 'holding');
  });

  test('what looks like a mistake needs a confirmation that names its effect', async () => {
    const fromMs = service.clock.now() + hourMs;
    const mistakes: readonly (readonly [object, RegExp])[] = [
      [
        { scope: 'market', subject: 'BTCEUR', feePercent: '50', fromMs },
        /A client would buy BTCEUR at 75000\.2 instead of 50250\.2/,
      ],
      [
        { scope: 'market', subject: 'ADACZK', pricePrecision: 0, marginPercent: '1', feePercent: '1', fromMs },
        /ADACZK/,
      ],
      [
        { scope: 'service', feePercent: '0.5', fromMs: fromMs - 2 * hourMs },
        /lies in the past: what was quoted since then stays/,
      ],
    ];
    const before = (await listed()).length;
    for (const [draft, effect] of mistakes) {
      const { status, body } = await set(draft);
      assert.deepEqual([status, body.code, body.errors?.[0]?.field], [409, 'CONFLICT', 'confirm']);
      assert.match(body.detail, effect);
      assert.ok((await preview(draft)).body.concerns.some((concern) => effect.test(concern)));
    }
    assert.equal((await listed()).length, before);
    const confirmed = await set({ ...mistakes[0]![0], confirm: true });
    assert.equal(confirmed.status, 201);
    const { body: cancelled } = await client.post<Term>(`/api/terms/${confirmed.body.id}/cancel`);
    assert.equal(cancelled.state, 'cancelled');
    assert.equal((await client.post<Problem>(`/api/terms/${confirmed.body.id}/cancel`)).body.code, 'CONFLICT');
  });

  test('what cannot be meant is refused with the field at fault', async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ scope: 'market', subject: 'NOPEEUR', feePercent: '0.4' }, 'subject'],
      [{ scope: 'quote', subject: 'USD', feePercent: '0.4' }, 'subject'],
      [{ scope: 'market', subject: 'BTCEUR', pricePrecision: 3 }, 'subject'],
      [{ scope: 'service', marginPercent: '1' }, 'scope'],
      [{ scope: 'service' }, 'feePercent'],
      [{ scope: 'service', feePercent: '100' }, 'feePercent'],
    ];
    for (const [draft, field] of cases) {
      const { status, body } = await set(draft);
      assert.deepEqual([status, body.errors?.[0]?.field], [400, field], JSON.stringify(draft));
    }
  });

  test('another process’s term holds here, and terms survive a restart', async () => {
    const { id } = await service.withStore(({ terms }) =>
      terms.add({ from: service.clock.now(), scope: 'market', subject: 'BTCEUR', feePercent: '0.4' }),
    );
    await service.untilBuyPrice('BTCEUR', '50200.2');
    await service.stopService();
    await service.startService();
    await eventually('the same price', async () => (await service.api.tickers()).get('BTCEUR')?.buyPrice === '50200.2');
    const { items } = await service.withStore(({ audit }) => audit.page({ limit: 1, subjectId: id }));
    assert.equal(items[0]?.action, 'term.set');
  });
});
