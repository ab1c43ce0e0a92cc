import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soon } from '../../../test/support/eventually.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { connectorOptions } from '../connector.testing.ts';
import type { LiveEvent } from '../connector.ts';
import { selectMarkets } from '../market-listing.ts';
import { recordedFrames, recordedText } from '../recordings.testing.ts';
import { ScriptedExchange } from '../scripted-exchange.testing.ts';
import { TopOfBook } from '../top-of-book.ts';
import { CoinbaseConnector } from './connector.ts';
import { readProducts } from './messages.ts';

const productsText = recordedText('coinbase-products-2021-04-17.json');
const products: Record<string, string | boolean>[] = JSON.parse(productsText);
const quotes = ['EUR' as CurrencyCode];

interface Frame {
  readonly type: string;
  readonly product_id: string;
  readonly bids?: [string, string][];
  readonly asks?: [string, string][];
  readonly changes?: [string, string, string][];
  readonly [member: string]: unknown;
}

const frames = recordedFrames('coinbase-ws-2021-04-17.jsonl');

test('every recorded EUR product is a market with the steps and minimums that it was listed with', () => {
  const { markets, skipped, names } = selectMarkets(readProducts(products), { quotes, symbols: 'all' });
  const listed = products.filter((product) => String(product.id).endsWith('-EUR'));
  assert.deepEqual([markets.length, skipped, names.length], [listed.length, [], products.length]);
  for (const product of listed) {
    const market = markets.find(({ symbol }) => symbol === String(product.id).replace('-', ''))!;
    const { tickSize, minOrderSize, minOrderValue, pricePrecision, amountPrecision } = market;
    const values = [tickSize, minOrderSize, minOrderValue].map(Number);
    assert.deepEqual(
      values,
      [product.quote_increment, product.base_min_size, product.min_market_funds].map(Number),
      market.symbol,
    );
    const places = (step: unknown) => /\.(\d*[1-9])/.exec(String(step))?.[1]?.length ?? 0;
    assert.deepEqual(
      [pricePrecision, amountPrecision],
      [places(product.quote_increment), places(product.base_increment)],
    );
    assert.equal(market.status, product.limit_only === true ? 'paused' : 'trading');
  }
});

test('a market without a minimum takes the smallest amount, and one that is delisted has ended (fault row 95)', () => {
  const [first] = products;
  const { base_min_size: _, ...today } = first!;
  const trading = { ...today, id: 'ZZZ-EUR' };
  const read = (product: object) => selectMarkets(readProducts([product, trading]), { quotes, symbols: 'all' }).markets;
  assert.equal(read(today)[0]?.minOrderSize, first!.base_increment);
  for (const ended of [{ status: 'delisted' }, { status: 'internal' }, { trading_disabled: true }])
    assert.equal(read({ ...today, ...ended })[0]?.status, 'ended');
  for (const flag of ['cancel_only', 'post_only', 'limit_only', 'auction_mode'])
    assert.equal(read({ ...today, [flag]: true })[0]?.status, 'paused');
  assert.equal(read({ ...today, status: 'offline' })[0]?.status, 'paused');
});

/** The tickers that the frames make, worked out in the plainest way. */
function expectedTickers(): string[] {
  const books = new Map<string, { buy: Map<string, string>; sell: Map<string, string> }>();
  const statistics = new Map<string, Frame>();
  const emitted = new Map<string, string>();
  const tickers: string[] = [];
  for (const text of frames) {
    const frame: Frame = JSON.parse(text);
    const { product_id } = frame;
    if (frame.type === 'snapshot') books.set(product_id, { buy: new Map(frame.bids), sell: new Map(frame.asks) });
    else if (frame.type === 'ticker') statistics.set(product_id, frame);
    else if (frame.type !== 'l2update') continue;
    for (const [side, price, size] of frame.changes ?? []) {
      const levels = books.get(product_id)![side === 'buy' ? 'buy' : 'sell'];
      if (Number(size) === 0) levels.delete(price);
      else levels.set(price, size);
    }
    const book = books.get(product_id);
    const known = statistics.get(product_id);
    if (book === undefined || known === undefined) continue;
    const best = (prices: Iterable<string>, sign: number) =>
      [...prices].reduce((one, other) => (sign * (Number(other) - Number(one)) > 0 ? other : one));
    const prices = `${best(book.buy.keys(), 1)} ${best(book.sell.keys(), -1)}`;
    if (emitted.get(product_id) === prices) continue;
    emitted.set(product_id, prices);
    const { price, high_24h, low_24h, volume_24h } = known;
    tickers.push([product_id, prices, price, high_24h, low_24h, volume_24h].join(' '));
  }
  return tickers;
}

test('the recorded book and tickers of two markets come through the connector digit for digit', async () => {
  const exchange = new ScriptedExchange();
  await exchange.listen();
  exchange.rest = (call) => (call === '/products' ? { body: productsText } : undefined);
  const clock = new FakeClock('2021-04-17T16:44:10.000Z');
  const { restUrl, liveUrl } = exchange;
  const connector = new CoinbaseConnector(connectorOptions({ clock, restUrl, liveUrl, quotes }));
  const { markets } = await connector.loadCatalogue(new AbortController().signal);
  const events: LiveEvent[] = [];
  const connection = connector.openLive((event) => events.push(event));
  await soon('the connection', () => events.some(({ type }) => type === 'opened'));
  const symbols = markets.map(({ symbol }) => symbol).filter((symbol) => /^(CRV|NMR)EUR$/.test(symbol));
  connection.subscribe(symbols);
  for (const frame of frames) exchange.peer.send(frame);
  await soon('every frame', () => events.filter(({ type }) => type === 'frame').length === frames.length);
  connection.terminate();
  await exchange.close();

  const tickers = events.flatMap((event): readonly UpstreamTicker[] => (event.type === 'ticker' ? event.tickers : []));
  const digits = tickers.map(({ symbol, bid, ask, last, high24h, low24h, volume24h }) =>
    [symbol.replace('EUR', '-EUR'), bid, ask, last, high24h, low24h, volume24h].join(' '),
  );
  const expected = expectedTickers();
  assert.ok(expected.length > 100, `${expected.length} tickers`);
  assert.deepEqual(digits, expected);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'accepted' ? event.symbol : [])).toSorted(),
    symbols.toSorted(),
  );
  const dropped = events.flatMap((event) => (event.type === 'dropped' ? event.reason : []));
  const unread = frames.filter((frame) => /"type":"(last_)?match"/.test(frame));
  assert.deepEqual(
    dropped,
    unread.map(() => 'unknown_kind'),
  );
});

test('the best prices of the book are those that the exchange itself names with each trade', () => {
  const books = new Map<string, TopOfBook>();
  const seen = new Set<string>();
  let compared = 0;
  for (const text of frames) {
    const frame: Frame = JSON.parse(text);
    const book = books.get(frame.product_id) ?? new TopOfBook();
    books.set(frame.product_id, book);
    if (frame.type === 'snapshot') book.snapshot(frame.bids, frame.asks);
    for (const [side, price, size] of frame.changes ?? []) book.change(side === 'buy' ? 'bid' : 'ask', price, size);
    assert.equal(book.isCrossed, false);
    // The first ticker after the subscription is that of the last trade before it.
    if (frame.type !== 'ticker' || !seen.has(frame.product_id)) {
      if (frame.type === 'ticker') seen.add(frame.product_id);
      continue;
    }
    assert.deepEqual(book.best, { bid: frame.best_bid, ask: frame.best_ask });
    compared++;
  }
  assert.ok(compared >= 8, `${compared} trades`);
});
