import type { Clock } from '../../ground/clock.ts';
import { isAbove, isPositive, ratioOf, toBig } from '../../market/decimal.ts';
import { middleOf } from '../../market/reference-prices.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { UpstreamTicker } from '../../market/upstream.ts';
import { fetchText } from '../bounded-fetch.ts';
import type { ExchangeConnector } from '../connector.ts';
import { asDecimal, asList, asObject, asPositive, asText, parseLossless } from '../wire.ts';
import { rateFault, requiredOf } from './rate-fault.ts';
import type { LoadedRate, RateSource } from './rate-keeper.ts';
import type { RateOrigin } from './rate-origins.ts';

const timeoutMs = 10_000;
const bodyBytesMax = 1024 * 1024;

/** Where the settings of a source stand: of the rate itself, or of what it is compared with. */
type RateKey = 'rates' | 'rates.compare';

/** Reads the daily fixing of the Czech National Bank: CZK per `amount` units of a currency. Throws `UpstreamError`. */
export function readCnb(text: string, currency: string): LoadedRate {
  const rates = requiredOf(asList(asObject(parseLossless(text))?.rates), 'no_rates', {});
  const row = requiredOf(
    rates.map(asObject).find((entry) => entry?.currencyCode === currency),
    'no_rate',
    { currency },
  );
  const fixingDate = requiredOf(asText(row.validFor), 'fixing_undated', {});
  const rate = requiredOf(asDecimal(row.rate), 'not_decimal', {});
  const amount = requiredOf(asPositive(row.amount), 'not_decimal', {});
  return { mid: toBig(amount).eq(1) ? rate : ratioOf(rate, amount), fixingDate };
}

const day = /<Cube\s+time\s*=\s*(['"])(\d{4}-\d\d-\d\d)\1\s*>/g;
const tag = /<Cube\s+([^<>]*?)\/>/g;
const currencyAttribute = /(?:^|\s)currency\s*=\s*(['"])([A-Z]{3})\1/;
const rateAttribute = /(?:^|\s)rate\s*=\s*(['"])([0-9.]{1,32})\1/;

/**
 * Reads one of the daily reference rates of the European Central Bank, units of a currency per euro: one
 * `<Cube time='…'>` that holds one `<Cube currency='…' rate='…'/>` for each currency. The shape has been the same for
 * decades, so anything else (two days, a currency twice, a truncated document) is refused, not interpreted. Throws
 * `UpstreamError`.
 */
export function readEcb(text: string, currency: string): LoadedRate {
  if (!/<\/gesmes:Envelope>\s*$/.test(text)) throw rateFault('incomplete', {});
  const [first, second] = text.matchAll(day);
  const fixingDate = requiredOf(second === undefined ? first?.[2] : undefined, 'not_one_day', {});
  const rates = [...text.matchAll(tag)].flatMap(([, attributes = '']) => {
    const [, , name] = currencyAttribute.exec(attributes) ?? [];
    const [, , rate] = rateAttribute.exec(attributes) ?? [];
    return name === currency ? [rate] : [];
  });
  if (rates.length !== 1) throw rateFault('several_rates', { currency });
  return { mid: requiredOf(asDecimal(rates[0]), 'not_decimal', {}), fixingDate };
}

/**
 * Follows a JSON pointer (RFC 6901 §4) through the document and reads the rate digit for digit. Throws `UpstreamError`.
 *
 * @param key of the settings that the pointer is among, for the error
 */
export function readJsonRate(text: string, pointer: string, key: RateKey): LoadedRate {
  const value = stepsOf(pointer).reduce<unknown>(stepInto, parseLossless(text));
  const named = { setting: `${key}.pointer`, pointer };
  return { mid: requiredOf(asDecimal(value), 'pointer_to_nothing', named), fixingDate: undefined };
}

/** `/rates/a~1b` leads to `a/b` in `rates`. */
function stepsOf(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function stepInto(value: unknown, step: string): unknown {
  const list = asList(value);
  if (list !== undefined) return /^(0|[1-9]\d{0,8})$/.test(step) ? list[Number(step)] : undefined;
  const object = asObject(value);
  return object !== undefined && Object.hasOwn(object, step) ? object[step] : undefined;
}

type Polled = Pick<ExchangeConnector, 'pollTickers'>;

/** Polls one connector after another until one has the market. */
async function pollFirst(
  [first, ...others]: readonly Polled[],
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
async function loadMiddle(
  connectors: readonly Polled[],
  symbol: MarketSymbol,
  signal: AbortSignal,
): Promise<LoadedRate> {
  const tickers = await pollFirst(connectors, symbol, signal);
  const ticker = tickers.find((candidate) => candidate.symbol === symbol);
  if (ticker === undefined) throw rateFault('no_ticker', {});
  const bid = requiredOf(ticker.bid, 'no_bid_or_ask', {});
  const ask = requiredOf(ticker.ask, 'no_bid_or_ask', {});
  if (!isPositive(bid) || isAbove(bid, ask)) throw rateFault('crossed', {});
  return { mid: middleOf({ bid, ask }), fixingDate: undefined };
}

/**
 * The configured source of the rate of a pair of currencies.
 *
 * @param connectors in order of preference; until their catalogues are loaded a load fails, and is retried
 * @param key of its settings
 */
export function rateSource(
  origin: RateOrigin,
  connectors: readonly Polled[],
  clock: Clock,
  base: CurrencyCode,
  quote: CurrencyCode,
  key: RateKey = 'rates',
): RateSource {
  const { source: id } = origin;
  if (origin.source === 'exchange') return { id, load: (signal) => loadMiddle(connectors, origin.market, signal) };
  const { url } = origin;
  const fetched = (read: (text: string) => LoadedRate, accept = 'application/json'): RateSource => {
    const bounds = { clock, timeoutMs, bodyBytesMax, accept };
    return { id, load: async (signal) => read((await fetchText(url, { ...bounds, signal })).text) };
  };
  if (origin.source === 'cnb') return fetched((text) => readCnb(text, base));
  if (origin.source !== 'json') return fetched((text) => readEcb(text, quote), 'application/xml, text/xml');
  return fetched((text) => readJsonRate(text, origin.pointer, key));
}
