import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../clock.ts';
import type { MarketEvent } from '../market/market-event.ts';
import { conversionRate, decimal, symbol } from '../market/samples.testing.ts';
import { readEvents, writeEvents } from './event-text.ts';

test('events read as they were written, what is absent included, and no digit of a price is lost', () => {
  const prices = { price1hAgo: decimal('270638277.50461281'), price24hAgo: undefined, price7dAgo: decimal('0.10') };
  const events: MarketEvent[] = [
    { kind: 'references', symbol: symbol('BTCEUR'), prices },
    { kind: 'rate', rate: conversionRate({ mid: decimal('24.500'), fixingDate: undefined }) },
    { kind: 'feedCurrent', path: 'live', at: 1_800_000_000_000 as EpochMs },
  ];
  const read = readEvents(writeEvents(events));
  assert.deepEqual(JSON.parse(JSON.stringify(read)), JSON.parse(JSON.stringify(events)));
  assert.deepEqual(readEvents(writeEvents([])), []);
});

test('what another version or another program wrote is not read', () => {
  for (const text of ['{"format":1,"events":[]}', '{"format":2}', '[["tickerReceived"]]', 'null', '7', '{', '']) {
    assert.throws(() => readEvents(text), text);
  }
});
