import { marketFragment, tickerFragment } from '../../board/fragments.ts';
import { type ErrorCode, problemBody } from '../../contract/errors.ts';
import { isoInstant } from '../../contract/instant.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import { joinStatus } from '../record/status-body.ts';
import type { FactRow, ListingFact, ProcessFact, QuoteRow } from '../segment/rows.ts';
import type { Facts, FoundServing, RecordReader, ServedRow } from './record-reader.ts';

/** The body of an answer again, and what it was made from. */
export interface RebuiltAnswer {
  readonly body: string;
  /** The rows that it shows: one for a ticker, all for the list; none for others. */
  readonly quotes: readonly QuoteRow[];
}

/**
 * Builds the body of an answer again, byte for byte, as it is without compression. A 304 had no body: it is the one that
 * the client said it has. `undefined` where the record lacks what it was made from.
 */
export async function rebuildAnswer(
  reader: RecordReader,
  { serving, chain }: FoundServing,
): Promise<RebuiltAnswer | undefined> {
  const { route, askedAt, status, symbol } = serving;
  if (status >= 400) {
    const facts = await reader.factsAt(chain, serving, (subject) => subject === '');
    return plain(problem(serving, facts));
  }
  switch (route) {
    case '/v1/time':
      return plain(JSON.stringify({ serverTime: isoInstant(askedAt), serverTimeMs: askedAt }));
    case '/v1/status':
      return plain(joinStatus(serving, askedAt));
    case '/v1/ticker': {
      const quote = await reader.lastQuote(chain, symbol, serving);
      const facts = await reader.factsAt(chain, serving, (subject) => subject === symbol);
      const body = quote && ticker(quote, facts);
      return body === undefined ? undefined : { body, quotes: [quote!] };
    }
    case '/v1/tickers':
      return tickers(await reader.lastQuotes(chain, serving), await reader.factsAt(chain, serving));
    case '/v1/markets':
      return plain(markets(await reader.factsAt(chain, serving)));
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

function ticker({ quote, symbol }: QuoteRow, facts: Facts): string | undefined {
  const market = listingOf(facts, symbol);
  if (quote === undefined || market === undefined) return undefined;
  const { buyPrice, sellPrice, source, capturedAt, statistics } = quote;
  return tickerFragment({ market, buyPrice, sellPrice, source, capturedAt, ...statistics });
}

function tickers(last: ReadonlyMap<string, QuoteRow>, facts: Facts): RebuiltAnswer | undefined {
  const quotes = [...last.values()].filter(({ quote }) => quote !== undefined).sort(bySymbol);
  const fragments = quotes.map((row) => ticker(row, facts));
  if (fragments.some((fragment) => fragment === undefined)) return undefined;
  return { body: `{"tickers":[${fragments.join(',')}]}`, quotes };
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
