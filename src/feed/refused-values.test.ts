import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import type { DecimalString } from '../market/decimal.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { RejectionReason, UpstreamTicker } from '../market/upstream.ts';
import { FeedRig } from './feed-rig.testing.ts';
import { RefusedValues } from './refused-values.ts';

function rigOf() {
  const clock = new FakeClock();
  const lines: Record<string, unknown>[] = [];
  const values = new RefusedValues({ ...silentLog, warn: (fields) => lines.push({ ...fields }) }, clock);
  const refuse = (reason: RejectionReason, bid = '2', symbol = 'BTCEUR') => {
    const [decimal, one] = [bid as DecimalString, '1' as DecimalString];
    const ticker: UpstreamTicker = {
      symbol: symbol as MarketSymbol,
      path: 'live',
      bid: decimal,
      ask: one,
      high24h: one,
      low24h: one,
      volume24h: one,
      last: undefined,
      vwap24h: undefined,
      priceChangePercent24h: undefined,
      askedAt: clock.now(),
      receivedAt: clock.now(),
      upstreamTime: undefined,
    };
    values.refused(ticker, reason);
  };
  return { clock, lines, refuse };
}

test('the first value that is refused for a reason is logged with its digits, the next are counted for ten minutes', async () => {
  const { clock, lines, refuse } = rigOf();
  refuse('crossed', '50000.10');
  refuse('crossed');
  refuse('crossed', '3', 'ETHEUR');
  assert.equal(lines.length, 1);
  const { market, reason, bid, ask, refusedSince } = lines[0]!;
  assert.deepEqual([market, reason, bid, ask, refusedSince], ['BTCEUR', 'crossed', '50000.10', '1', 0]);
  await clock.advance(600_000);
  refuse('crossed', '4');
  assert.deepEqual([lines.length, lines[1]?.bid, lines[1]?.refusedSince], [2, '4', 2]);
});

test('each reason is logged by itself, and none that the order, the guard or the operator gives', () => {
  const { lines, refuse } = rigOf();
  const reasons = ['crossed', 'absurd_digits', 'out_of_order', 'older_than_live', 'held', 'on_hold'] as const;
  for (const reason of reasons) refuse(reason);
  assert.deepEqual(
    lines.map(({ reason }) => reason),
    ['crossed', 'absurd_digits'],
  );
});

test('a crossed frame of an exchange is in the log of its feed', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const rig = new FeedRig({ log: { ...silentLog, warn: (fields) => lines.push({ ...fields }) } });
  t.after(() => rig.stop());
  await rig.startLive();
  rig.update('C0', '9.99');
  await rig.pass('the refusal', () => lines.some(({ reason }) => reason === 'crossed'));
});
