import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../clock.ts';
import { type MarketEvent, PendingEvents } from './market-event.ts';
import { conversionRate, decimal, symbol } from './samples.testing.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

const ticker = (name: string, bid: string): MarketEvent => ({
  kind: 'ticker',
  symbol: symbol(name),
  accepted: { bid: decimal(bid) } as AcceptedTicker,
});
const status = (at: number): MarketEvent => ({
  kind: 'marketStatus',
  source: 'kraken',
  symbol: symbol('BTCEUR'),
  status: 'paused',
  at: at as EpochMs,
});

test('of several events that supersede each other the newest is kept in its place, and all others keep their order', () => {
  const pending = new PendingEvents();
  const rate: MarketEvent = { kind: 'rate', rate: conversionRate({ mid: decimal('25.0') }) };
  for (const event of [
    ticker('BTCEUR', '1'),
    status(1),
    ticker('ETHEUR', '2'),
    status(2),
    rate,
    ticker('BTCEUR', '3'),
  ]) {
    pending.add(event);
  }
  assert.equal(pending.size, 5);
  assert.deepEqual(pending.take(), [status(1), ticker('ETHEUR', '2'), status(2), rate, ticker('BTCEUR', '3')]);
});

test('taken events are gone, and no later event is mistaken for one of them', () => {
  const pending = new PendingEvents();
  pending.add(status(1));
  pending.add(ticker('BTCEUR', '1'));
  pending.take();
  assert.deepEqual([pending.size, pending.take()], [0, []]);
  pending.add(status(2));
  pending.add(status(3));
  assert.deepEqual(pending.take(), [status(2), status(3)]);
});
