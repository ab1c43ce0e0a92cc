import { candles } from '../candles.ts';
import { type MarketState, type Pair, tickText } from '../catalogue.ts';
import type { Venue } from '../dialect.ts';
import type { Market } from '../market-walk.ts';
import { json, Refusal, type Reply } from '../reply.ts';
import { quoted, unitsText } from '../ticker.ts';
import { wireTime } from '../wire-clock.ts';

export const coinbaseCalls = ['products', 'ticker', 'stats', 'candles', 'time'];
const perProduct = ['ticker', 'stats', 'candles'];
const dayMs = 86_400_000;
const candlesMax = 300;

/** Coinbase Exchange's public REST calls. */
export class CoinbaseRest {
  readonly #venue: Venue;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  callOf({ pathname }: URL): string | undefined {
    const [, first = '', , call = ''] = pathname.split('/');
    if (first === 'time') return 'time';
    if (first !== 'products') return undefined;
    return call === '' ? 'products' : perProduct.find((known) => known === call);
  }

  answer(call: string, { pathname, searchParams }: URL): Reply {
    if (call === 'products') return json(JSON.stringify(this.products()));
    if (call === 'time') return json(JSON.stringify({ epoch: this.#venue.nowUs() / 1_000_000 }));
    const market = this.#venue.exchange.listed(symbolNamed(pathname.split('/')[2] ?? ''));
    if (market === undefined) throw new Refusal('NotFound');
    if (call === 'candles') return json(this.#candles(market, searchParams));
    return json(call === 'stats' ? this.#stats(market) : this.#ticker(market));
  }

  /** A product that was delisted stays in the list. */
  products(): object[] {
    if (this.#venue.faults.find('catalogue-empty') !== undefined) return [];
    const listed = new Set(this.#venue.listed);
    const isUp = this.#venue.systemStatus === 'online';
    return [...this.#venue.exchange.markets.values()]
      .filter((market) => listed.has(market) || market.status === 'delisted')
      .map(({ pair, status }) => product(pair, isUp ? status : 'cancel_only'));
  }

  #ticker(market: Market): string {
    const { bid, ask, last, volume } = this.#venue.values(market, 'rest');
    const time = wireTime(this.#venue.skewed(market.changedAtUs));
    return object({ ask, bid, volume, price: last, size: '0.01', time: `"${time}"` }, ['trade_id', '1']);
  }

  #stats(market: Market): string {
    const { high, low, last, volume } = this.#venue.values(market, 'rest');
    return object({ open: openOf(this.#venue, market), high, low, last, volume, volume_30d: volume });
  }

  /** Newest first, JSON numbers. */
  #candles(market: Market, query: URLSearchParams): string {
    const minutes = Number(query.get('granularity')) / 60;
    if (![1, 5, 15, 60, 360, 1440].includes(minutes)) throw new Refusal('Unsupported granularity');
    const start = Date.parse(query.get('start') ?? '') / 1000;
    const rows = candles(market, minutes, this.#venue.clock.now(), Number.isNaN(start) ? undefined : start - 1);
    const texts = rows
      .slice(-candlesMax)
      .reverse()
      .map(([seconds, open, high, low, close, , volume]) => `[${seconds},${low},${high},${open},${close},${volume}]`);
    return `[${texts.join(',')}]`;
  }
}

export function productNamed(symbol: string): string {
  return symbol.replace('/', '-');
}

export function symbolNamed(product: string): string {
  return product.replace('-', '/');
}

/** The price 24 hours ago. */
export function openOf(venue: Venue, market: Market): string {
  return unitsText(market.unitsAt(venue.clock.now() - dayMs), market.pair.priceDecimals);
}

/** An object of strings, built as text so that every digit is sent as it is; `raw` members first. */
export function object(strings: Readonly<Record<string, string | undefined>>, ...raw: [string, string][]): string {
  const members = Object.entries(strings).flatMap(([name, value]) =>
    value === undefined ? [] : [`"${name}":${quoted(value)}`],
  );
  return `{${[...raw.map(([name, value]) => `"${name}":${value}`), ...members].join(',')}}`;
}

function product(pair: Pair, status: MarketState): object {
  const isDelisted = status === 'delisted' || status === 'ended';
  return {
    id: productNamed(pair.symbol),
    base_currency: pair.base,
    quote_currency: pair.quote,
    quote_increment: tickText(pair),
    base_increment: unitsText(1, pair.lotDecimals),
    display_name: pair.symbol,
    min_market_funds: pair.costMin,
    margin_enabled: false,
    post_only: status === 'post_only',
    limit_only: status === 'limit_only',
    cancel_only: !['online', 'post_only', 'limit_only', 'delisted', 'ended'].includes(status),
    trading_disabled: isDelisted,
    auction_mode: false,
    status: isDelisted ? 'delisted' : 'online',
    status_message: '',
  };
}
