import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import { Markets } from '../../market/markets.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { FactRow } from '../segment/rows.ts';
import { Publication } from './publication.ts';
import { Recorder } from './recorder.ts';

const markets = new Markets(
  { feePercent: '0.5' as DecimalString, converted: new Map(), pricePrecision: new Map(), rateValidForMs: 1 },
  { quotes: new Set(['EUR' as CurrencyCode]), symbols: 'all' },
);

/** An answer with a body of half a megabyte to note. */
const large = {
  keyId: 'key_a',
  route: '/v1/ticker',
  symbol: '',
  status: 404,
  text: `NOT_FOUND ${'x'.repeat(500_000)}`,
  request: 1,
};

test('what a disk does not take in time is a gap that is told, counted and recorded, and the record goes on after it', () => {
  let now = 1_000;
  const still = {
    now: () => now as EpochMs,
    monotonicMs: () => now,
    after: () => ({ cancel() {} }),
    every: () => ({ cancel() {} }),
  };
  const pieces: Buffer[] = [];
  const told: (EpochMs | undefined)[] = [];
  const channel = { send: (piece: Buffer) => pieces.push(piece) };
  const recorder = new Recorder({ markets, clock: still, channel, onGap: (since) => told.push(since) });
  const held = { reason: 'jump', since: 900 as EpochMs, values: [], unpricedFrom: undefined } as const;
  markets.doubtChanged('BTCEUR' as MarketSymbol, held);
  recorder.start([['process', '{}']]);
  const answer = () => recorder.served({ ...large, askedAt: now as EpochMs });
  for (; told.length === 0; now++) answer();
  const since = told[0]!;
  for (let count = 0; count < 7; count++) answer();
  recorder.flush();
  assert.deepEqual(told, [since], 'nothing is confirmed, so it lasts');
  now += 5_000;
  for (const piece of pieces.splice(0)) recorder.written(piece.length);
  recorder.flush();
  assert.deepEqual(told, [since, undefined]);
  const facts: FactRow[] = [];
  const publication = new Publication();
  for (const piece of pieces) facts.push(...publication.read(piece).rows.facts);
  const guard = facts.find(({ kind }) => kind === 'guard');
  assert.equal(guard?.subject, 'BTCEUR', 'what was held before the gap is recorded again after it');
  const gap = facts.find(({ kind }) => kind === 'gap');
  const { from, to, reason, servings } = JSON.parse(gap!.text);
  assert.deepEqual([from, to, reason], [since, now, 'slow']);
  assert.equal(servings, 8, 'the one that there was no room for, and those after it');
});
