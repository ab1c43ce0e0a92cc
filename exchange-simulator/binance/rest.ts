import { candles } from '../candles.ts';
import { tickText } from '../catalogue.ts';
import type { Venue } from '../dialect.ts';
import { difference, objectText, product, stringText } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import { json, Refusal, type Reply } from '../reply.ts';
import { unitsText } from '../ticker.ts';

export const binanceCalls = ['exchangeInfo', 'ticker/24hr', 'klines'];

/** Of a pair that has ended, and of all pairs in maintenance. */
export const endedState = 'BREAK';
const minutesOf: Readonly<Record<string, number>> = { '1m': 1, '1h': 60, '1d': 1440 };
const decimalsShown = 8;
const klinesMax = 1_000;

/** Binance's public REST calls below `/api/v3/`. */
export class BinanceRest {
  readonly #venue: Venue;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  answer(call: string, query: URLSearchParams): Reply {
    switch (call) {
      case 'exchangeInfo':
        return json(this.#exchangeInfo());
      case 'ticker/24hr':
        return this.#tickers(query.get('symbols'));
      case 'klines':
        return this.#klines(query);
      default:
        throw new Refusal('Unknown endpoint.');
    }
  }

  #exchangeInfo(): string {
    const isEmpty = this.#venue.faults.find('catalogue-empty') !== undefined;
    const symbols = isEmpty ? [] : this.#venue.listed.map((market) => this.#symbol(market));
    const serverTime = Math.floor(this.#venue.nowUs() / 1000);
    return JSON.stringify({ timezone: 'UTC', serverTime, rateLimits: [], exchangeFilters: [], symbols });
  }

  #symbol(market: Market): object {
    const { base, quote, lotDecimals, orderMin, costMin } = market.pair;
    const stepSize = padded(unitsText(1, lotDecimals));
    return {
      symbol: nameOf(market),
      status: this.#statusOf(market),
      baseAsset: base,
      baseAssetPrecision: 8,
      quoteAsset: quote,
      isSpotTradingAllowed: true,
      filters: [
        {
          filterType: 'PRICE_FILTER',
          minPrice: '0.00000001',
          maxPrice: '1000000',
          tickSize: padded(tickText(market.pair)),
        },
        { filterType: 'LOT_SIZE', minQty: padded(orderMin), maxQty: '9000000.00000000', stepSize },
        { filterType: 'NOTIONAL', minNotional: padded(costMin), applyMinToMarket: true },
      ],
      permissionSets: [['SPOT']],
    };
  }

  #statusOf({ status }: Market): string {
    if (this.#venue.systemStatus !== 'online' || status === 'ended') return endedState;
    if (status === 'online') return 'TRADING';
    return status === 'cancel_only' ? 'CANCEL_ONLY' : 'HALT';
  }

  /** One unknown symbol fails the whole request. */
  #tickers(symbols: string | null): Reply {
    const markets = this.#venue.traded;
    if (symbols === null) return json(`[${markets.map((market) => this.#ticker(market)).join(',')}]`);
    const byName = new Map(markets.map((market) => [nameOf(market), market]));
    const named = (JSON.parse(symbols) as string[]).map((name) => byName.get(name));
    if (named.includes(undefined)) return invalidSymbol();
    return json(`[${named.map((market) => this.#ticker(market!)).join(',')}]`);
  }

  #ticker(market: Market): string {
    const values = this.#venue.values(market, 'rest');
    return objectText({
      symbol: `"${nameOf(market)}"`,
      priceChange: stringText(values.change),
      priceChangePercent: stringText(values.change_pct),
      weightedAvgPrice: stringText(values.vwap),
      lastPrice: stringText(values.last),
      bidPrice: stringText(values.bid),
      bidQty: stringText(values.bid_qty),
      askPrice: stringText(values.ask),
      askQty: stringText(values.ask_qty),
      openPrice: stringText(difference(values.last, values.change)),
      highPrice: stringText(values.high),
      lowPrice: stringText(values.low),
      volume: stringText(values.volume),
      quoteVolume: stringText(product(values.volume, values.vwap)),
      closeTime: String(Math.floor(this.#venue.nowUs() / 1000)),
      count: values.trades,
    });
  }

  #klines(query: URLSearchParams): Reply {
    const market = this.#venue.listed.find((listed) => nameOf(listed) === query.get('symbol'));
    const minutes = minutesOf[query.get('interval') ?? ''];
    if (market === undefined) return invalidSymbol();
    if (minutes === undefined) throw new Refusal('Invalid interval.');
    const limit = Math.min(klinesMax, Number(query.get('limit') ?? 500));
    const rows = candles(market, minutes, this.#venue.clock.now(), undefined).slice(-limit);
    const lengthMs = minutes * 60_000;
    return json(
      JSON.stringify(
        rows.map(([seconds, open, high, low, close, , volume, trades]) => {
          const openedAt = seconds * 1000;
          return [openedAt, open, high, low, close, volume, openedAt + lengthMs - 1, '0', trades, '0', '0', '0'];
        }),
      ),
    );
  }
}

function invalidSymbol(): Reply {
  return { ...json('{"code":-1121,"msg":"Invalid symbol."}'), status: 400 };
}

/** With the trailing zeros of the real exchange. */
function padded(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  return `${whole}.${fraction.padEnd(decimalsShown, '0')}`;
}

/** `BTCEUR` */
export function nameOf({ pair }: Market): string {
  return `${pair.base}${pair.quote}`;
}
