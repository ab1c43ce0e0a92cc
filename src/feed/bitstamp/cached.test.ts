import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { silentLog } from '../../ground/log.ts';
import { symbol } from '../../market/samples.testing.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import { RecordingSink } from '../feed-rig.testing.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { FeedSupervisor } from '../supervisor.ts';
import { BitstampConnector } from './connector.ts';

const market = {
  name: 'BTC/EUR',
  market_symbol: 'btceur',
  base_decimals: 8,
  counter_decimals: 0,
  trading: 'Enabled',
  minimum_order_value: '10',
  market_type: 'SPOT',
};
const row = {
  high: '26252',
  last: '26216',
  bid: '26208',
  vwap: '25681',
  volume: '3563.1',
  low: '25350',
  ask: '26211',
  open_24: '25895',
  percent_change_24: '1.24',
  pair: 'BTC/EUR',
};

async function onFallback(run: (rig: Awaited<ReturnType<typeof start>>) => Promise<void>): Promise<void> {
  const rig = await start();
  try {
    await run(rig);
  } finally {
    rig.supervisor.stop();
    await rig.exchange.close();
  }
}

async function start() {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  exchange.upgrade = () => ({ status: 503, headers: '' });
  const clock = new FakeClock();
  const sink = new RecordingSink();
  const answer = { agoMs: 0, tickers: undefined as { status: number; body: string } | undefined };
  exchange.rest = (call) => {
    if (call === '/api/v2/markets/') return { body: JSON.stringify([market]) };
    if (call !== '/api/v2/ticker/') return undefined;
    const timestamp = String(Math.floor((clock.now() - answer.agoMs) / 1_000));
    return answer.tickers ?? { body: JSON.stringify([{ ...row, timestamp }]) };
  };
  const { restUrl, liveUrl } = exchange;
  const connector = new BitstampConnector(
    connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode] }),
  );
  const parts = { connector, sink, clock, randomness: seededRandomness(1), log: silentLog };
  const supervisor = new FeedSupervisor({ ...parts, timing: {} });
  supervisor.start();
  const pass = async (seconds: number) => {
    for (let step = 0; step < seconds * 5; step++) {
      await clock.advance(200);
      await turns(8);
    }
  };
  const polls = () => exchange.requests.filter((request) => request.startsWith('/api/v2/ticker')).length;
  return { exchange, clock, sink, supervisor, answer, pass, polls };
}

test('an answer from a cache has its own time, and does not prove that the feed is current (fault row 76)', () =>
  onFallback(async ({ sink, clock, answer, pass }) => {
    answer.agoMs = 3_600_000;
    await pass(20);
    assert.equal(sink.bid('BTCEUR'), '26208');
    const { capturedAt } = sink.markets.acceptedTicker(symbol('BTCEUR'))!;
    assert.ok(clock.now() - capturedAt >= 3_600_000, 'as old as the exchange says');
    assert.deepEqual(sink.current, []);
    answer.agoMs = 0;
    await pass(20);
    assert.ok(clock.now() - sink.markets.acceptedTicker(symbol('BTCEUR'))!.capturedAt < 5_000);
    assert.ok(sink.current.length > 5);
  }));

test('the error 400.002 pauses all requests as a 429 does', () =>
  onFallback(async ({ supervisor, answer, pass, polls }) => {
    await pass(10);
    answer.tickers = { status: 400, body: '{"response_code":"400.002","response_explanation":"Rate limit"}' };
    while (supervisor.health().polls.rate_limited === undefined) await pass(0.2);
    const before = polls();
    await pass(4);
    assert.equal(polls(), before, 'nothing is asked for five seconds');
  }));
