import type { Clock } from '../../clock.ts';
import { isPositive, toBig } from '../../market/decimal.ts';
import { middleOf } from '../../market/reference-prices.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { fetchText } from '../bounded-fetch.ts';
import type { ExchangeConnector } from '../connector.ts';
import { ratioOf } from '../derived.ts';
import { asDecimal, asList, asObject, asPositive, asText, parseLossless, UpstreamError } from '../wire.ts';
import type { LoadedRate, RateSource } from './rate-keeper.ts';

interface HttpSourceOptions {
  readonly clock: Clock;
  /** May carry credentials; they appear in no error and no log. */
  readonly url: string;
  readonly base: CurrencyCode;
  readonly quote: CurrencyCode;
}

const timeoutMs = 10_000;
const bodyBytesMax = 1024 * 1024;

function httpSource(
  id: string,
  { clock, url }: HttpSourceOptions,
  accept: string,
  read: (text: string) => LoadedRate,
): RateSource {
  return {
    id,
    load: async (signal) => read((await fetchText(url, { clock, timeoutMs, bodyBytesMax, signal, accept })).text),
  };
}

/** The daily fixing of the Czech National Bank: CZK per `amount` units of a currency. The quote currency must be CZK. */
export function cnbSource(options: HttpSourceOptions): RateSource {
  return httpSource('cnb', options, 'application/json', (text) => readCnb(text, options.base));
}

/** Reads one currency of the bank's answer. Throws `UpstreamError`. */
export function readCnb(text: string, currency: string): LoadedRate {
  const rates = asList(asObject(parseLossless(text))?.rates);
  if (rates === undefined) throw new UpstreamError('malformed', 'no list of rates');
  const row = rates.map(asObject).find((entry) => entry?.currencyCode === currency);
  if (row === undefined) throw new UpstreamError('malformed', `no rate for ${currency}`);
  const fixingDate = asText(row.validFor);
  if (fixingDate === undefined) throw new UpstreamError('malformed', 'no date');
  const rate = asDecimal(row.rate);
  const amount = asPositive(row.amount);
  if (rate === undefined || amount === undefined) {
    throw new UpstreamError('malformed', 'rate or amount is not a decimal');
  }
  return { mid: toBig(amount).eq(1) ? rate : ratioOf(rate, amount), fixingDate };
}

/** The daily reference rates of the European Central Bank: units of a currency per euro. The base currency must be EUR. */
export function ecbSource(options: HttpSourceOptions): RateSource {
  return httpSource('ecb', options, 'application/xml, text/xml', (text) => readEcb(text, options.quote));
}

const day = /<Cube\s+time\s*=\s*(['"])(\d{4}-\d\d-\d\d)\1\s*>/g;
const tag = /<Cube\s+([^<>]*?)\/>/g;
const currencyAttribute = /(?:^|\s)currency\s*=\s*(['"])([A-Z]{3})\1/;
const rateAttribute = /(?:^|\s)rate\s*=\s*(['"])([0-9.]{1,32})\1/;

/**
 * Reads one currency of the bank's XML: one `<Cube time='…'>` that holds one `<Cube currency='…' rate='…'/>` for each currency. The shape has been
 * the same for decades, so anything else (two days, a currency twice, a truncated document) is refused, not interpreted. Throws `UpstreamError`.
 */
export function readEcb(text: string, currency: string): LoadedRate {
  if (!/<\/gesmes:Envelope>\s*$/.test(text)) throw new UpstreamError('malformed', 'not a complete document');
  const days = [...text.matchAll(day)];
  const fixingDate = days[0]?.[2];
  if (days.length !== 1 || fixingDate === undefined) throw new UpstreamError('malformed', 'not exactly one day');
  const rates = [...text.matchAll(tag)].flatMap(([, attributes = '']) => {
    const [, , name] = currencyAttribute.exec(attributes) ?? [];
    const [, , rate] = rateAttribute.exec(attributes) ?? [];
    return name === currency ? [rate] : [];
  });
  if (rates.length !== 1) throw new UpstreamError('malformed', `not exactly one rate for ${currency}`);
  const mid = asDecimal(rates[0]);
  if (mid === undefined) throw new UpstreamError('malformed', 'the rate is not a decimal');
  return { mid, fixingDate };
}

interface JsonSourceOptions extends HttpSourceOptions {
  /** A JSON pointer (RFC 6901) to the rate, for example `/rates/CZK`: a number, or a string that holds one. */
  readonly pointer: string;
}

/** Any JSON document that holds the rate: units of the quote currency for one unit of the base currency. */
export function jsonSource(options: JsonSourceOptions): RateSource {
  const steps = parsePointer(options.pointer);
  return httpSource('json', options, 'application/json', (text) => readJsonRate(text, steps));
}

/** The steps of a JSON pointer (RFC 6901 §3 and §4): empty for the whole document. Throws `RangeError` for a text that is not a pointer. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) throw new RangeError('not a JSON pointer');
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Follows the steps through the document and reads the rate digit for digit. Throws `UpstreamError`. */
export function readJsonRate(text: string, steps: readonly string[]): LoadedRate {
  const mid = asDecimal(steps.reduce<unknown>(stepInto, parseLossless(text)));
  if (mid === undefined) throw new UpstreamError('malformed', 'no decimal at the JSON pointer');
  return { mid, fixingDate: undefined };
}

function stepInto(value: unknown, step: string): unknown {
  const list = asList(value);
  if (list !== undefined) return /^(0|[1-9]\d{0,8})$/.test(step) ? list[Number(step)] : undefined;
  const object = asObject(value);
  return object !== undefined && Object.hasOwn(object, step) ? object[step] : undefined;
}

interface ExchangeSourceOptions {
  /** In order of preference. Must have loaded their catalogues; until then a load fails and is retried. */
  readonly connectors: readonly Pick<ExchangeConnector, 'pollTickers'>[];
  /** The market of the rate's base and quote: `EURCZK`. It need not be of a configured quote currency. */
  readonly symbol: MarketSymbol;
}

/** Polls one connector after another until one has the market. */
async function pollFirst(
  [first, ...others]: ExchangeSourceOptions['connectors'],
  symbol: MarketSymbol,
  signal: AbortSignal,
): Promise<readonly UpstreamTicker[]> {
  try {
    return (await first?.pollTickers([symbol], signal)) ?? [];
  } catch (error) {
    if (others.length === 0 || signal.aborted) throw error;
    return pollFirst(others, symbol, signal);
  }
}

/** The middle between bid and ask of a market on the exchange. */
export function exchangeSource({ connectors, symbol }: ExchangeSourceOptions): RateSource {
  return {
    id: 'exchange',
    async load(signal) {
      const tickers = await pollFirst(connectors, symbol, signal);
      const ticker = tickers.find((candidate) => candidate.symbol === symbol);
      if (ticker === undefined) throw new UpstreamError('unknown_symbol', 'the exchange gave no ticker');
      const { bid, ask } = ticker;
      if (bid === undefined || ask === undefined) throw new UpstreamError('malformed', 'no bid or no ask');
      if (!isPositive(bid) || toBig(bid).gt(ask))
        throw new UpstreamError('refused', 'bid is not positive or above ask');
      return { mid: middleOf({ bid, ask }), fixingDate: undefined };
    },
  };
}

/** Where a conversion rate comes from, as it is configured. */
type RateOrigin =
  | { readonly source: 'cnb' | 'ecb'; readonly url: string }
  | { readonly source: 'json'; readonly url: string; readonly pointer: string }
  | { readonly source: 'exchange'; readonly market: MarketSymbol };

/** The configured source of the rate of a pair of currencies. */
export function rateSource(
  origin: RateOrigin,
  connectors: readonly ExchangeConnector[],
  clock: Clock,
  base: CurrencyCode,
  quote: CurrencyCode,
): RateSource {
  switch (origin.source) {
    case 'cnb':
      return cnbSource({ clock, url: origin.url, base, quote });
    case 'ecb':
      return ecbSource({ clock, url: origin.url, base, quote });
    case 'json':
      return jsonSource({ clock, url: origin.url, pointer: origin.pointer, base, quote });
    case 'exchange':
      return exchangeSource({ connectors, symbol: origin.market });
  }
}
