import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../clock.ts';
import type { MarketEvent } from './market-event.ts';
import { PendingEvents } from './pending-events.ts';
import { conversionRate, decimal, symbol } from './samples.testing.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';

const ticker = (name: string, bid: string): MarketEvent => ({
  kind: 'ticker',
  symbol: symbol(name),
  accepted: { bid: decimal(bid) } as AcceptedTicker,
});
const status = (at: number): MarketEvent => ({
  kind: 'marketStatus',
  symbol: symbol('BTCEUR'),
  status: 'paused',
  at: at as EpochMs,
});

test('of several events that tell of the same thing the last waits, at its place; all others wait in their order', () => {
  const waiting = new PendingEvents();
  const rate: MarketEvent = { kind: 'rate', rate: conversionRate({ mid: decimal('25.0') }) };
  for (const event of [
    ticker('BTCEUR', '1'),
    status(1),
    ticker('ETHEUR', '2'),
    status(2),
    rate,
    ticker('BTCEUR', '3'),
  ]) {
    waiting.add(event);
  }
  assert.equal(waiting.size, 5);
  assert.deepEqual(waiting.take(), [status(1), ticker('ETHEUR', '2'), status(2), rate, ticker('BTCEUR', '3')]);
});

test('what was taken waits no more, and nothing that comes later is mistaken for it', () => {
  const waiting = new PendingEvents();
  waiting.add(status(1));
  waiting.add(ticker('BTCEUR', '1'));
  waiting.take();
  assert.deepEqual([waiting.size, waiting.take()], [0, []]);
  waiting.add(status(2));
  waiting.add(status(3));
  assert.deepEqual(waiting.take(), [status(2), status(3)]);
});
