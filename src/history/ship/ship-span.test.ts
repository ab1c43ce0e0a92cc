import assert from 'node:assert/strict';
import type { EpochMs } from '../../ground/clock.ts';
import { recordTest } from '../record/record.testing.ts';
import { assertCopied, copied, rig } from './ship.testing.ts';

const dayMs = 86_400_000;

recordTest(
  'a recorded span is copied with every digit, its answers, its facts and its gap, over the end of a month',
  async (t) => {
    const all = await rig(t);
    const { service, ship, clickhouse } = all;
    await service.minute();
    // The store takes nothing, so that the journal of the process that is killed has rows of two months.
    service.record.store.refuses = true;
    await service.minute().catch(() => {});
    await service.minute().catch(() => {});
    service.kill();
    service.record.store.refuses = false;
    service.clock.jump(30_000);
    await service.begin();
    await service.minute();
    await service.stop();
    const { segments, rows, lost } = await ship({}, true);
    await assertCopied(all);
    const { quotes, servings, facts } = copied(clickhouse);
    assert.deepEqual([rows.quotes, rows.servings, rows.facts], [quotes.length, servings.length, facts.length]);
    assert.ok(segments > 5, String(segments));
    const overTheEnd = 'SELECT number FROM segments WHERE toYYYYMM(firstAt) <> toYYYYMM(lastAt)';
    assert.ok(clickhouse.rows(overTheEnd).length > 0, 'a segment has rows of two months');
    assert.ok(
      quotes.some(({ buy, bid }) => bid === '84203.30' && buy !== ''),
      'zeros at the end stay',
    );
    assert.ok(
      quotes.some(({ unpriced }) => unpriced !== ''),
      'ETHEUR has no price',
    );
    assert.ok(facts.some(({ kind, text }) => kind === 'gap' && String(text).includes('killed')));
    assert.equal(lost, 0);
  },
);

recordTest('a second ship sends what was sealed since, and one of a span what it has not sent before', async (t) => {
  const all = await rig(t);
  const { service, ship } = all;
  await service.minute();
  const middle = service.clock.now();
  await service.minute();
  await service.minute();
  const first = await ship({ to: middle }, true);
  const rest = await ship({ from: (middle - dayMs) as EpochMs });
  assert.ok(first.segments > 0 && rest.segments > 0);
  assert.equal((await ship()).segments, 0);
  await service.minute();
  assert.ok((await ship()).segments > 0);
  await assertCopied(all);
});
