import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { DecimalString } from '../market/decimal.ts';
import { noReferences } from '../market/reference-prices.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { connectorKinds, withoutCandles } from './connectors.ts';
import { RecordedReferences, type RecordLookup } from './recorded-references.ts';

const BTCEUR = 'BTCEUR' as MarketSymbol;
const start = '2026-11-21T10:29:30.000Z';

function rig(answer: RecordLookup) {
  const clock = new FakeClock(start);
  const asked: string[] = [];
  const ask: RecordLookup = (source, at) => {
    asked.push(new Date(at).toISOString());
    return answer(source, at);
  };
  const references = new RecordedReferences({ source: 'engine', ask, clock, log: silentLog });
  return { clock, asked, references, of: () => references.of(BTCEUR, clock.now()) };
}

const seven: RecordLookup = async () => new Map([[BTCEUR, '7' as DecimalString]]);

test('the start of the minute an hour ago counts, and the nearest full hour a day and a week ago, each asked for once', async () => {
  const { clock, asked, references, of } = rig(seven);
  references.update(clock.now());
  references.update(clock.now());
  await clock.advance(0);
  assert.deepEqual(asked, ['2026-11-21T09:29:00.000Z', '2026-11-20T10:00:00.000Z', '2026-11-14T10:00:00.000Z']);
  const recordedFor = Date.parse('2026-11-21T10:29:00.000Z') as EpochMs;
  assert.deepEqual(of(), { price1hAgo: '7', price24hAgo: '7', price7dAgo: '7', recordedFor });
  asked.length = 0;
  await clock.advance(60_000);
  references.update(clock.now());
  await clock.advance(0);
  assert.deepEqual(asked, ['2026-11-21T09:30:00.000Z', '2026-11-20T11:00:00.000Z', '2026-11-14T11:00:00.000Z']);
});

test('a record that does not answer holds nothing up for over half a minute, and what it said lapses within two', async () => {
  let isHanging = false;
  const { clock, asked, references, of } = rig((...asking) => (isHanging ? new Promise(() => {}) : seven(...asking)));
  assert.equal(references.update(clock.now()), false);
  assert.equal(of(), undefined);
  await clock.advance(0);
  assert.equal(references.update(clock.now()), true);
  isHanging = true;
  await clock.advance(30_000);
  assert.equal(references.update(clock.now()), false);
  await clock.advance(30_001);
  assert.equal(references.update(clock.now()), true);
  assert.equal(of()?.price1hAgo, '7');
  asked.length = 0;
  await clock.advance(60_000);
  references.update(clock.now());
  assert.equal(of(), noReferences);
  assert.deepEqual(asked, [], 'one question at a time');
});

test('engines and Coinmate give no candles, and their connectors load none', async () => {
  const kinds = Object.keys(connectorKinds).map((kind) => ({ id: kind, kind }));
  assert.deepEqual(withoutCandles(kinds), ['coinmate', 'push', 'redis-stream']);
  for (const [kind, { load, hasNoCandles = false }] of Object.entries(connectorKinds)) {
    assert.equal('loadCandles' in (await load()).prototype, !hasNoCandles, kind);
  }
});

test('where there is no record to read it says nothing, so that the feed remembers by itself', async () => {
  const { clock, references, of } = rig(async () => undefined);
  references.update(clock.now());
  await clock.advance(0);
  assert.equal(of(), undefined);
});
