import { marketFragment, tickerFragment } from '../../board/fragments.ts';
import { type ErrorCode, problemBody } from '../../contract/errors.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import type { FactRow, ListingFact, ProcessFact, QuoteRow, ServingRow } from '../segment/rows.ts';
import type { Facts, FoundServing, RecordReader, ServedRow } from './record-reader.ts';
import { joinStatus } from './status-body.ts';

/** The body of an answer again, and what it was made from. */
export interface RebuiltAnswer {
  readonly body: string;
  /** The rows that it shows: one for a ticker, all for the list; none for others. */
  readonly quotes: readonly QuoteRow[];
}

/**
 * Builds the body of an answer again, byte for byte, as it is without compression. A 304 had no body: it is the one
 * that the client said it has. `undefined` where the record lacks what it was made from.
 */
export async function rebuildAnswer(
  reader: RecordReader,
  { serving, chain }: FoundServing,
): Promise<RebuiltAnswer | undefined> {
  const { route, status, symbol } = serving;
  const isOf = (...routes: readonly string[]) => status < 400 && routes.includes(route);
  const only = isOf('/v1/ticker') ? symbol : isOf('/v1/tickers', '/v1/markets') ? undefined : '';
  const isPriced = isOf('/v1/ticker', '/v1/tickers');
  const quotes = isPriced ? await reader.lastQuotes(chain, serving, only) : new Map<string, QuoteRow>();
  const isWanted = (subject: string) => only === undefined || subject === only;
  const facts = isOf('/v1/time', '/v1/status') ? new Map() : await reader.factsAt(chain, serving, isWanted);
  return answerFrom(serving, { quotes, facts });
}

/** Everything in force when an answer was made. */
type Published = { readonly quotes: ReadonlyMap<string, QuoteRow>; readonly facts: Facts };

/** The prices that an answer shows, in its order; `undefined` for one that never shows any. */
export function shownQuotes({ route, status, symbol }: ServingRow, { quotes }: Published): QuoteRow[] | undefined {
  if (status >= 400 || !route.startsWith('/v1/ticker')) return undefined;
  const rows = route === '/v1/ticker' ? [quotes.get(symbol)] : [...quotes.values()];
  return rows.flatMap((row) => (row?.quote === undefined ? [] : row)).sort(bySymbol);
}

/** Does what `rebuildAnswer` does, from what was in force. */
export function answerFrom(serving: ServedRow, published: Published): RebuiltAnswer | undefined {
  const { route, askedAt, status } = serving;
  const { facts } = published;
  if (status >= 400) return plain(problem(serving, facts));
  switch (route) {
    case '/v1/time':
      return plain(JSON.stringify({ serverTime: isoInstant(askedAt), serverTimeMs: askedAt }));
    case '/v1/status':
      return plain(joinStatus(serving, askedAt));
    case '/v1/ticker':
    case '/v1/tickers': {
      const quotes = shownQuotes(serving, published)!;
      const fragments = quotes.map((row) => tickerOf(row, facts));
      if (fragments.includes(undefined)) return undefined;
      const body = route === '/v1/ticker' ? fragments[0] : `{"tickers":[${fragments.join(',')}]}`;
      return body === undefined ? undefined : { body, quotes };
    }
    case '/v1/markets':
      return plain(markets(facts));
    default:
      return undefined;
  }
}

function plain(body: string | undefined): RebuiltAnswer | undefined {
  return body === undefined ? undefined : { body, quotes: [] };
}

function problem({ text, requestId }: ServedRow, facts: Facts): string | undefined {
  const process = facts.get('process ');
  if (process === undefined) return undefined;
  const { errorsUrl } = JSON.parse(process.text) as ProcessFact;
  const space = text.indexOf(' ');
  return problemBody({ code: text.slice(0, space) as ErrorCode, detail: text.slice(space + 1), requestId, errorsUrl });
}

/** A market as it was listed. */
export function listingOf(facts: Facts, symbol: string): OfferedMarket | undefined {
  return marketIn(facts.get(`listing ${symbol}`));
}

function marketIn(fact: FactRow | undefined): OfferedMarket | undefined {
  return fact === undefined ? undefined : ((JSON.parse(fact.text) as ListingFact).market ?? undefined);
}

export function tickerOf({ quote, symbol }: QuoteRow, facts: Facts): string | undefined {
  const market = listingOf(facts, symbol);
  if (quote === undefined || market === undefined) return undefined;
  const { buyPrice, sellPrice, source, capturedAt, statistics } = quote;
  return tickerFragment({ market, buyPrice, sellPrice, source, capturedAt, ...statistics });
}

function markets(facts: Facts): string {
  const listed = [...facts.values()]
    .filter(({ kind }) => kind === 'listing')
    .flatMap((fact) => marketIn(fact) ?? [])
    .sort(bySymbol);
  return `{"markets":[${listed.map(marketFragment).join(',')}]}`;
}

function bySymbol(one: { readonly symbol: string }, other: { readonly symbol: string }): number {
  return one.symbol < other.symbol ? -1 : 1;
}
