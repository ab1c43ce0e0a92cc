import type { Dialect, Venue } from '../dialect.ts';
import { objectText } from '../json-text.ts';
import type { Market } from '../market-walk.ts';
import { json, Refusal, type Reply } from '../reply.ts';

const restPath = '/api/';

/** Coinmate: the calls `tradingPairs` and `tickerAll`, with JSON numbers. Its WebSocket is not simulated. */
export class CoinmateDialect implements Dialect {
  readonly livePath = '/api/websocket';
  readonly restPath = '';
  readonly calls = ['tradingPairs', 'tickerAll'];
  readonly filler = '{"event":"ping"}';
  readonly garbage = { json: '{"event":' };
  readonly #venue: Venue;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  callOf({ pathname }: URL): string | undefined {
    return pathname.startsWith(restPath) ? pathname.slice(restPath.length) : undefined;
  }

  answer(call: string): Reply {
    switch (call) {
      case 'tradingPairs':
        return succeed(`[${this.#pairs().join(',')}]`);
      case 'tickerAll':
        return succeed(this.#tickers());
      default:
        throw new Refusal('Unknown method');
    }
  }

  refusal(message: string): Reply {
    return json(JSON.stringify({ error: true, errorMessage: message, data: null }));
  }

  received(): void {}

  tickerChanged(): void {}

  oldTicker(): void {}

  #pairs(): string[] {
    if (this.#venue.faults.find('catalogue-empty') !== undefined) return [];
    return this.#venue.listed.map((market) =>
      objectText({
        name: `"${nameOf(market)}"`,
        firstCurrency: `"${market.pair.base}"`,
        secondCurrency: `"${market.pair.quote}"`,
        priceDecimals: String(market.pair.priceDecimals),
        lotDecimals: String(market.pair.lotDecimals),
        minAmount: market.pair.orderMin,
      }),
    );
  }

  #tickers(): string {
    const traded = this.#venue.traded.filter(({ pair }) => !this.#venue.isRejected(pair.symbol));
    return `{${traded.map((market) => `"${nameOf(market)}":${this.#ticker(market)}`).join(',')}}`;
  }

  /** `timestamp` has seconds although milliseconds are documented; `change` and `open` are of today. */
  #ticker(market: Market): string {
    const { last, high, low, volume, bid, ask } = this.#venue.values(market, 'rest');
    const atUs = this.#venue.changedAtUs(market);
    const { open } = market.today(this.#venue.clock.now());
    const timestamp = atUs === undefined ? undefined : String(Math.floor(atUs / 1_000_000));
    return objectText({ last, high, low, amount: volume, bid, ask, change: '0.00', open, timestamp });
  }
}

/** `BTC_EUR` */
function nameOf({ pair }: Market): string {
  return pair.symbol.replace('/', '_');
}

function succeed(data: string): Reply {
  return json(`{"error":false,"errorMessage":null,"data":${data}}`);
}
