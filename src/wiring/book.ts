import type { Configuration } from '../configuration/configuration.ts';
import { MarketBook } from '../market/market-book.ts';

/** An empty market book on the operator's terms. */
export function bookFor({
  exchange,
  pricing,
  rates,
}: Pick<Configuration, 'exchange' | 'pricing' | 'rates'>): MarketBook {
  const symbols = exchange.symbols === 'all' ? 'all' : new Set(exchange.symbols);
  return new MarketBook(
    { ...pricing, rateValidForMs: rates.validForMs },
    { quotes: new Set(exchange.quotes), symbols },
  );
}
