import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { connectorOptions } from '../connector.testing.ts';
import type { LiveEvent } from '../connector.ts';
import { type RestAnswer, ScriptedExchange } from '../scripted-exchange.testing.ts';
import { UpstreamError } from '../wire.ts';
import { KrakenConnector } from './connector.ts';

const never = new AbortController().signal;
const btc = 'BTCEUR' as MarketSymbol;
const ada = 'ADAEUR' as MarketSymbol;
const pair = { quote: 'ZEUR', pair_decimals: 1, lot_decimals: 8, ordermin: '0.1', status: 'online' };
const pairs = {
  XXBTZEUR: { ...pair, wsname: 'XBT/EUR', base: 'XXBT' },
  ADAEUR: { ...pair, wsname: 'ADA/EUR', base: 'ADA' },
};
const ticker = {
  a: ['50153.10000', '1', '1.000'],
  b: ['50153.00000', '1', '1.000'],
  c: ['50150.00', '0.1'],
  v: ['1', '2891.30412019'],
  p: ['2', '50811.44120'],
  t: [7, 70321],
  l: ['3', '49000.00000'],
  h: ['4', '52000.00000'],
  o: '51000.0',
};
const ok = (result: unknown): RestAnswer => ({ body: JSON.stringify({ error: [], result }) });

let exchange: ScriptedExchange;
let clock: FakeClock;
let answers: Record<string, (parameters: URLSearchParams) => RestAnswer>;

beforeEach(async () => {
  exchange = new ScriptedExchange();
  await exchange.listen();
  clock = new FakeClock();
  answers = {
    AssetPairs: () => ok(pairs),
    Assets: () => ok({ ZEUR: { altname: 'EUR' } }),
    Ticker: () => ok({ XXBTZEUR: ticker }),
  };
  exchange.rest = (call, parameters) => answers[call]?.(parameters);
});

afterEach(() => exchange.close());

async function loaded(): Promise<KrakenConnector> {
  const { restUrl, liveUrl } = exchange;
  const connector = new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode] }));
  await connector.loadCatalogue(never);
  await clock.advance(10_000);
  exchange.requests.length = 0;
  return connector;
}

async function kindOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    (error: unknown) => (error instanceof UpstreamError ? error.kind : 'not an UpstreamError'),
  );
}

test('the catalogue stands on Assets and AssetPairs, and on AssetPairs alone when Assets fails', async () => {
  const { restUrl, liveUrl } = exchange;
  const connector = new KrakenConnector(connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode] }));
  answers.Assets = () => ({ status: 500 });
  const { markets } = await connector.loadCatalogue(never);
  assert.deepEqual(
    markets.map((market) => market.symbol),
    [btc, ada],
  );
});

test('a polled ticker has the 24-hour values, every digit, no time and no change', async () => {
  const connector = await loaded();
  const tickers = await connector.pollTickers([btc], never);
  assert.deepEqual(exchange.requests, ['Ticker?pair=XXBTZEUR']);
  assert.deepEqual(tickers, [
    {
      symbol: btc,
      bid: '50153.00000',
      ask: '50153.10000',
      last: '50150.00',
      high24h: '52000.00000',
      low24h: '49000.00000',
      volume24h: '2891.30412019',
      vwap24h: '50811.44120',
      priceChangePercent24h: undefined,
      path: 'fallback',
      upstreamTime: undefined,
      askedAt: clock.now(),
      receivedAt: clock.now(),
    },
  ]);
});

test('a poll dates from when it is sent, however long it waited', async () => {
  const connector = await loaded();
  await Promise.all([1, 2, 3].map(() => connector.pollTickers([btc], never)));
  const waiting = connector.pollTickers([btc], never);
  const queuedAt = clock.now();
  await clock.advance(1_000);
  const [last] = await waiting;
  assert.equal(last?.askedAt, queuedAt + 1_000);
});

test('HTTP 200 with an error, HTML, truncated JSON, a status and a broken connection are distinguished', async () => {
  const connector = await loaded();
  const refusal = (error: string) => () => ({ body: JSON.stringify({ error: [error] }) });
  const cases: [() => RestAnswer, string][] = [
    [refusal('EService:Unavailable'), 'refused'],
    [() => ({ body: '<html>Bad gateway</html>' }), 'malformed'],
    [() => ({ body: '{"error":[],"result":{"XXBTZEUR":{"a":["1' }), 'malformed'],
    [() => ({ body: '{"result":{}}' }), 'malformed'],
    [() => ok([]), 'malformed'],
    [() => ({ status: 500, body: 'no' }), 'status'],
    [() => ({ body: '{"error":[],"result":{}}', how: 'cut' }), 'network'],
    [() => ok({ XXBTZEUR: ticker }), 'ok'],
  ];
  for (const [answer, kind] of cases) {
    answers.Ticker = answer;
    await clock.advance(2_000);
    assert.equal(await kindOf(connector.pollTickers([btc], never)), kind);
  }
});

test('a request without an answer in time fails', async () => {
  const connector = await loaded();
  answers.Ticker = () => ({ how: 'hang' });
  const poll = kindOf(connector.pollTickers([btc], never));
  await eventually('the request arrived', () => exchange.requests.length === 1);
  await clock.advance(5_000);
  assert.equal(await poll, 'timeout');
});

test('after 429 nothing is requested until Retry-After has passed, candles and catalogue included', async () => {
  const connector = await loaded();
  answers.Ticker = () => ({ status: 429, headers: { 'retry-after': '20' } });
  assert.equal(await kindOf(connector.pollTickers([btc], never)), 'rate_limited');
  const later = [connector.loadCatalogue(never), connector.loadCandles(btc, 'hour', never).catch(() => undefined)];
  await clock.advance(19_999);
  assert.equal(exchange.requests.length, 1);
  await clock.advance(1);
  await later[0];
  assert.equal(exchange.requests.length, 4);
});

test('“too many requests” in a body of HTTP 200 slows us down as well', async () => {
  const connector = await loaded();
  answers.Ticker = () => ({ body: '{"error":["EGeneral:Too many requests"]}' });
  assert.equal(await kindOf(connector.pollTickers([btc], never)), 'rate_limited');
  const poll = kindOf(connector.pollTickers([btc], never));
  await clock.advance(4_999);
  assert.equal(exchange.requests.length, 1);
  await clock.advance(1);
  await poll;
  assert.equal(exchange.requests.length, 2);
});

for (const words of ['EQuery:Unknown asset pair', 'EQuery:Invalid asset pair', 'EGeneral:Whatever comes tomorrow']) {
  test(`one pair that is refused (${words}) fails no other: all are asked for, and it is named no more until the next catalogue (fault row 94)`, async () => {
    const connector = await loaded();
    answers.Ticker = (parameters) =>
      parameters.get('pair')?.includes('ADAEUR')
        ? { body: JSON.stringify({ error: [words] }) }
        : ok({ XXBTZEUR: ticker });
    assert.equal((await connector.pollTickers([btc, ada], never)).length, 1);
    assert.deepEqual([...connector.refusedNames], [[ada, words]]);
    await clock.advance(5_000);
    await connector.pollTickers([btc, ada], never);
    assert.deepEqual(exchange.requests, ['Ticker?pair=XXBTZEUR%2CADAEUR', 'Ticker', 'Ticker?pair=XXBTZEUR']);
    await clock.advance(5_000);
    await connector.loadCatalogue(never);
    await clock.advance(5_000);
    await connector.pollTickers([btc, ada], never);
    assert.equal(exchange.requests.at(-2), 'Ticker?pair=XXBTZEUR%2CADAEUR');
  });
}

test('where names are refused although every pair is listed, none is named until the next catalogue', async () => {
  const connector = await loaded();
  answers.Ticker = (parameters) =>
    parameters.has('pair')
      ? { body: '{"error":["EGeneral:Invalid arguments"]}' }
      : ok({ XXBTZEUR: ticker, ADAEUR: ticker });
  assert.equal((await connector.pollTickers([btc, ada], never)).length, 2);
  await clock.advance(5_000);
  await connector.pollTickers([btc, ada], never);
  assert.deepEqual(exchange.requests, ['Ticker?pair=XXBTZEUR%2CADAEUR', 'Ticker', 'Ticker']);
  assert.equal(connector.refusedNames.size, 0);
});

test('candles are the opening prices of the readable rows', async () => {
  const connector = await loaded();
  const rows = [
    [1795100400, '50000.10', '1', '1', '1', '1', '1', 5],
    [1795104000, null],
    ['x', '1'],
    [1795107600, '50001.0'],
  ];
  answers.OHLC = () => ok({ XXBTZEUR: rows, last: 1795104000 });
  const candles = await connector.loadCandles(btc, 'hour', never);
  assert.deepEqual(candles, [
    { openedAt: 1795100400000, open: '50000.10' },
    { openedAt: 1795107600000, open: '50001.0' },
  ]);
  const request = new URLSearchParams(exchange.requests[0]?.split('?')[1]);
  assert.deepEqual([request.get('pair'), request.get('interval')], ['XXBTZEUR', '60']);
  assert.ok(clock.now() / 1000 - Number(request.get('since')) >= 169 * 3600);
});

test('symbols that are in no catalogue are not requested', async () => {
  const connector = await loaded();
  assert.equal(await kindOf(connector.pollTickers(['NOPEEUR' as MarketSymbol], never)), 'unknown_symbol');
  assert.equal(await kindOf(connector.loadCandles('NOPEEUR' as MarketSymbol, 'hour', never)), 'unknown_symbol');
  assert.deepEqual(exchange.requests, []);
});

test('a catalogue of twenty thousand pairs fits in the largest frame, and a frame that does not fit names the bound', async () => {
  const { restUrl, liveUrl } = exchange;
  const open = async (frameBytesMax?: number) => {
    const bound = frameBytesMax === undefined ? {} : { frameBytesMax };
    const connector = new KrakenConnector(
      connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode], ...bound }),
    );
    const events: LiveEvent[] = [];
    const connection = connector.openLive((event) => events.push(event));
    await eventually('the connection is open', () => events.some((event) => event.type === 'opened'));
    const padding = ' '.repeat(400);
    const pairs = Array.from({ length: 20_000 }, (_, index) => `{"symbol":"C${index}/EUR","quote":"EUR"${padding}}`);
    exchange.peer.send(`{"channel":"instrument","type":"snapshot","data":{"assets":[],"pairs":[${pairs.join()}]}}`);
    await eventually('it is read', () => events.some(({ type }) => type === 'instruments' || type === 'closed'));
    connection.terminate();
    return events.at(-1);
  };
  const event = await open();
  assert.equal(event?.type === 'instruments' && event.pairs.length, 20_000);
  const closed = await open(4 * 1024 * 1024);
  assert.match(closed?.type === 'closed' ? closed.detail : '', /more than 4194304 bytes \(feed\.frameBytesMax\)/);
});

test('tokenised shares are asked for by their class, offered in capitals, and polled apart; without them the rest stands', async () => {
  const share = { ...pair, aclass_base: 'tokenized_asset' };
  const shares = {
    AAPLxEUR: { ...share, wsname: 'AAPLx/EUR', base: 'AAPLx' },
    CRCLSPVEUR: { ...share, wsname: 'CRCLx/EUR', base: 'CRCLSPV' },
    CRCLxEUR: { ...share, wsname: 'CRCLx/EUR', base: 'CRCLx' },
  };
  answers.AssetPairs = (parameters) => ok(parameters.get('aclass_base') === 'tokenized_asset' ? shares : pairs);
  const connector = await loaded();
  const { markets, skipped, isComplete } = await connector.loadCatalogue(never);
  assert.deepEqual(markets.map(({ symbol }) => symbol).toSorted(), ['AAPLXEUR', ada, btc, 'CRCLXEUR'].toSorted());
  assert.deepEqual([skipped.map(({ name }) => name), isComplete], [['CRCLSPVEUR'], true]);
  answers.Ticker = (parameters) =>
    parameters.get('asset_class') === 'tokenized_asset' ? ok({ AAPLxEUR: ticker }) : ok({ XXBTZEUR: ticker });
  await clock.advance(10_000);
  exchange.requests.length = 0;
  const apple = 'AAPLXEUR' as MarketSymbol;
  const polled = await connector.pollTickers([btc, apple], never);
  assert.deepEqual(polled.map(({ symbol }) => symbol).toSorted(), [apple, btc]);
  assert.deepEqual(exchange.requests.toSorted(), [
    'Ticker?asset_class=tokenized_asset&pair=AAPLxEUR',
    'Ticker?pair=XXBTZEUR',
  ]);
  answers.OHLC = () => ok({ AAPLxEUR: [[1_795_104_000, '1', '1', '1', '1', '1', '1', 1]] });
  await clock.advance(10_000);
  assert.equal((await connector.loadCandles(apple, 'hour', never)).length, 1);
  assert.match(exchange.requests.at(-1) ?? '', /asset_class=tokenized_asset/);
  for (const answer of [ok({}), { body: '{"error":["EGeneral:Permission denied"]}' }]) {
    answers.AssetPairs = (parameters) => (parameters.has('aclass_base') ? answer : ok(pairs));
    await clock.advance(10_000);
    const without = await connector.loadCatalogue(never);
    assert.deepEqual(without.markets.map(({ symbol }) => symbol).toSorted(), [ada, btc]);
    assert.equal(without.isComplete, false, 'that they are gone is not proved');
  }
});
