import assert from 'node:assert/strict';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { soon, turns } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { Board } from '../board/board.ts';
import { PriceChangelog } from '../board/price-changelog.ts';
import { silentLog } from '../ground/log.ts';
import { Markets } from '../market/markets.ts';
import {
  after,
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { PriceStreams } from './price-streams.ts';

const marketCount = 200;

/** Streams over real sockets, on a clock that only the test moves, of markets that change together. */
async function streaming(t: TestContext) {
  const clock = new FakeClock();
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  const bases = Array.from({ length: marketCount }, (_, index) => `C${index}`);
  markets.catalogueLoaded(
    bases.map((base) => upstreamMarket(base)),
    start,
  );
  let step = 0;
  const changeAll = () => {
    step++;
    for (const base of bases) {
      const receivedAt = after(clock.now(), 0);
      markets.tickerReceived(
        upstreamTicker({ symbol: symbol(`${base}EUR`), ask: decimal(`${84300 + step}`), receivedAt }),
      );
    }
  };
  changeAll();
  const prices = new PriceChangelog(markets, new Board(markets), seededRandomness(1));
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_: object, text: string) => void warned.push(text) };
  const streams = new PriceStreams(prices, clock, log);
  const opened: ServerResponse[] = [];
  const server = createServer((request, response) => {
    response.writeHead(200);
    opened.push(response);
    streams.open(response, request.headers['last-event-id'] as string | undefined, async () => true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    streams.stop();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connect = (headers: Record<string, string> = {}) =>
    new Promise<IncomingMessage>((resolve) => void get({ port, headers, agent: false }, resolve));
  return { clock, markets, changeAll, streams, opened, connect, warned, prices };
}

test('a reader that takes nothing costs one event of memory, and is cut after ten seconds', async (t) => {
  const { clock, changeAll, opened, connect, warned } = await streaming(t);
  const reader = await connect();
  reader.pause();
  reader.on('error', () => {});
  const [response] = opened;
  const eventBytes = marketCount * 700;
  // Until the buffers of both sockets are full, and some time beyond.
  for (let standing = 0; standing < 10; ) {
    changeAll();
    await clock.advance(50);
    await turns(20);
    assert.ok(response!.writableLength <= eventBytes, `${response!.writableLength} bytes wait`);
    standing = response!.writableLength > 0 ? standing + 1 : 0;
  }
  // Looked for once a second.
  await clock.advance(11_000);
  assert.deepEqual(warned, ['a price stream was cut: its reader takes nothing']);
  assert.equal(response!.destroyed, true);
});

test('heartbeats tell the time and the version, also while no price changes', async (t) => {
  const { clock, connect } = await streaming(t);
  const reader = await connect();
  let text = '';
  reader.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await soon('the snapshot', () => text.includes('event: snapshot') && text.endsWith('\n\n'));
  const version = /^id: (.*)$/m.exec(text)?.[1];
  text = '';
  await clock.advance(5_000);
  await soon('a heartbeat', () => text.endsWith('\n\n'));
  const serverTime = '"serverTime":"2026-11-21T10:00:05.000Z","serverTimeMs":1795255205000';
  assert.equal(text, `event: heartbeat\ndata: {"version":"${version}",${serverTime}}\n\n`);
});

test('nothing runs while nobody reads', async (t) => {
  const { clock, connect, opened } = await streaming(t);
  const reader = await connect();
  reader.resume();
  assert.ok(clock.pendingTimers > 0);
  reader.destroy();
  await soon('the end', () => opened[0]!.closed);
  assert.equal(clock.pendingTimers, 0);
});

test('a market that loses its price is named as removed, and those that did not change are not sent', async (t) => {
  const { markets, prices, clock } = await streaming(t);
  prices.refresh(clock.now());
  const { version } = prices.since(undefined);
  assert.deepEqual([prices.since(version).prices, prices.since(version).isComplete], [[], false]);
  markets.applyControls([{ symbol: symbol('C7EUR'), operatorPaused: false, delistedAt: clock.now() }]);
  markets.tickerReceived(
    upstreamTicker({ symbol: symbol('C8EUR'), ask: decimal('90000'), receivedAt: after(clock.now(), 1) }),
  );
  prices.refresh(after(clock.now(), 1));
  const update = prices.since(version);
  assert.deepEqual(update.removed, ['C7EUR']);
  assert.deepEqual(
    update.prices.map((text) => JSON.parse(text).ticker.symbol),
    ['C8EUR'],
  );
});

test('a price that ends by the passing of time alone is removed', async (t) => {
  const { markets, prices, clock } = await streaming(t);
  markets.rateRefreshed(conversionRate());
  prices.refresh(clock.now());
  const { version } = prices.since(undefined);
  prices.refresh(after(clock.now(), 96 * 3_600_000));
  assert.equal(prices.since(version).removed.length, marketCount);
});
