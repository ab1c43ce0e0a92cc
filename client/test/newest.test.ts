import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { createClient, type MarketDataClient } from '../src/index.ts';
import { Drive } from './drive.testing.ts';
import { answer, type Behaviour, FaultyServer, tickerBody, timeBody } from './faulty-server.testing.ts';

/** A ticker captured so many seconds after the start. */
function aged(symbol: string, seconds: number, buyPrice = `${seconds}.00`) {
  const timestampMs = tickerBody.timestampMs + seconds * 1_000;
  return { ...tickerBody, symbol, buyPrice, timestamp: new Date(timestampMs).toISOString(), timestampMs };
}

/** The server's time so many seconds after the start. */
function timeAt(seconds: number) {
  const serverTimeMs = timeBody.serverTimeMs + seconds * 1_000;
  return { serverTime: new Date(serverTimeMs).toISOString(), serverTimeMs };
}

describe('prices behind a balancer of servers that are not at the same point', () => {
  let drive: Drive;
  let server: FaultyServer;
  let client: MarketDataClient;
  /** The answers of each path. */
  let answers: Record<string, Behaviour>;

  beforeEach(async () => {
    drive = new Drive();
    answers = { '/v1/time': answer(200, timeAt(20)) };
    server = await FaultyServer.start((response, request) => {
      const behaviour = answers[(request.url ?? '').replace(/\?.*/, '')] ?? answer(502, 'down');
      behaviour(response, request);
    });
    client = createClient(drive.options(server.baseUrl, 'key', { maxAttempts: 1 }));
  });
  afterEach(() => server.stop());

  const single = (...ticker: Parameters<typeof aged>) => {
    answers['/v1/ticker'] = answer(200, aged(...ticker));
    return client.ticker('BTCEUR');
  };
  const list = (...tickers: object[]) => {
    answers['/v1/tickers'] = answer(200, { tickers });
    return client.tickers();
  };

  test('ticker() gives the one it gave before in the place of an older one, however old', async () => {
    const newest = await single('BTCEUR', 10);
    for (const seconds of [9, -3_600]) assert.equal(await single('BTCEUR', seconds), newest);
    assert.equal((await single('BTCEUR', 11)).buyPrice, '11.00');
  });

  test('a price that changed within one instant, as with new terms, is given', async () => {
    await single('BTCEUR', 10);
    assert.equal((await single('BTCEUR', 10, '10.50')).buyPrice, '10.50');
  });

  test('tickers() gives the newest of each market, the same list while there is nothing new, and the markets of the answer', async () => {
    const first = await list(aged('BTCEUR', 10), aged('ETHEUR', 10));
    assert.equal(await list(aged('BTCEUR', 9), aged('ETHEUR', 9)), first);
    const mixed = await list(aged('BTCEUR', 9), aged('ETHEUR', 11));
    assert.deepEqual(
      mixed.map(({ buyPrice }) => buyPrice),
      ['10.00', '11.00'],
    );
    assert.ok(Object.isFrozen(mixed));
    const symbols = (await list(aged('ETHEUR', 8))).map(({ symbol, buyPrice }) => `${symbol} ${buyPrice}`);
    assert.deepEqual(symbols, ['ETHEUR 11.00'], 'one that has no price now is left out');
    assert.equal((await list(aged('BTCEUR', 8), aged('ETHEUR', 8)))[0]?.buyPrice, '10.00', 'and is not forgotten');
  });

  test('ticker(), tickers() and watches know what each other gave', async () => {
    const newest = await single('BTCEUR', 10);
    assert.equal((await list(aged('BTCEUR', 9), aged('ETHEUR', 9)))[0], newest);
    await list(aged('BTCEUR', 12));
    assert.equal((await single('BTCEUR', 11)).buyPrice, '12.00');
    const watch = client.watchTicker('BTCEUR', { includeStale: true });
    assert.equal((await drive.until(watch.next())).value?.buyPrice, '12.00');
    await watch.return();
  });

  test('an answer that is overtaken by a newer one gives the newer one', async () => {
    const held: (() => void)[] = [];
    answers['/v1/ticker'] = (...asked) => held.push(() => answer(200, aged('BTCEUR', 2))(...asked));
    await client.time();
    const slow = client.ticker('BTCEUR');
    await eventually('the server has the request', async () => held.length === 1);
    answers['/v1/tickers'] = answer(200, { tickers: [aged('BTCEUR', 3)] });
    const [quick] = await client.tickers();
    held[0]!();
    assert.equal(await slow, quick);
  });

  test('the answer keeps its own details', async () => {
    await single('BTCEUR', 10);
    answers['/v1/ticker'] = answer(200, aged('BTCEUR', 9), { 'x-request-id': 'of-the-older-one' });
    const { data, response } = await client.ticker('BTCEUR').withResponse();
    assert.deepEqual([data.buyPrice, response.requestId], ['10.00', 'of-the-older-one']);
  });

  test('what was given gives way once the clock of the server was set back, and for no less than that', async () => {
    await client.time();
    await single('BTCEUR', 24);
    assert.equal((await single('BTCEUR', 21)).buyPrice, '24.00', 'clocks of two servers are never quite the same');
    await single('BTCEUR', 1_000);
    assert.equal((await single('BTCEUR', 21)).buyPrice, '21.00');
  });
});
