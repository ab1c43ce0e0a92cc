import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../ground/log.ts';
import { doubtLog } from './doubt-log.ts';
import type { Doubt } from './doubts.ts';
import { BTCEUR, MarketRig, threeLive } from './market-rig.testing.ts';
import { after, decimal, start } from './samples.testing.ts';
import type { CurrencyCode } from './symbol.ts';

function logged() {
  const lines: object[] = [];
  const line = (entry: object, message: string) => void lines.push({ ...entry, message });
  return { lines, log: { ...silentLog, info: line, warn: line } };
}

const begun = 'a source is doubted: its prices of this market are not taken';
const ended = 'a source is no longer doubted';
const market = BTCEUR;

test('the log says once when a source begins to be contradicted and once when it no longer is, in use or not', () => {
  for (const [source, honest] of [
    ['one', '84000'],
    ['three', '84020'],
  ] as const) {
    const rig = threeLive({ returnAfterMs: 1_000 });
    const { lines, log } = logged();
    rig.markets.observe(doubtLog(log));
    for (const bid of ['88200', '88300', honest]) {
      rig.tick(source, bid);
      rig.review();
    }
    rig.nowMs += 1_000;
    rig.review();
    const reason = 'contradicted';
    assert.deepEqual(lines, [
      { market, source, reason, bid: '88200', ask: '88201', message: begun },
      { market, source, reason, message: ended },
    ]);
  }
});

test('the log names a lone source that the guard doubts, and says when that ends', () => {
  const rig = new MarketRig({ ids: ['one'] });
  const { lines, log } = logged();
  rig.markets.observe(doubtLog(log));
  rig.list('one');
  rig.tick('one', '84000');
  for (const ask of ['200000', '200001', '84001']) rig.tick('one', '84000', { ask: decimal(ask) });
  assert.deepEqual(lines, [
    { market, source: 'one', reason: 'jump', bid: '84000', ask: '200000', message: begun },
    { market, source: 'one', reason: 'jump', message: ended },
  ]);
});

test('an acceptance ends a doubt in the log', () => {
  const rig = threeLive();
  const { lines, log } = logged();
  rig.tick('three', '88200');
  rig.markets.observe(doubtLog(log));
  rig.markets.applyHolds([{ symbol: BTCEUR, heldAt: undefined, acceptedAt: after(start, 1), acceptedSource: 'three' }]);
  assert.deepEqual(lines, [{ market, source: 'three', reason: 'contradicted', message: ended }]);
});

test('the log says once when a rate begins to be doubted and once when it no longer is', () => {
  const { lines, log } = logged();
  const { doubtChanged } = doubtLog(log);
  const doubt = { reason: 'rate', values: ['2.5'] } as never as Doubt;
  const CZK = 'CZK' as CurrencyCode;
  doubtChanged!(CZK, doubt, undefined);
  doubtChanged!(CZK, { ...doubt }, doubt);
  doubtChanged!(CZK, undefined, doubt);
  assert.deepEqual(
    lines.map((line) => (line as { message: string }).message),
    ['a rate is doubted: the last good one stays', 'a rate is no longer doubted'],
  );
});
