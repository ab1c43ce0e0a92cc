import type { EpochMs } from '../clock.ts';
import type { PriceExplanation } from '../market/client-ticker.ts';
import { derivePrices } from '../market/pricing.ts';
import { listingOf } from './bodies.ts';
import type { Facts } from './record-reader.ts';
import type { Quote, QuoteRow, RateVersion, TermsVersion } from './rows.ts';

/**
 * How a recorded price came about. The last step is the price as it was published, whatever this version of the software
 * would make of the same values. `undefined` where the record has no listing of the market.
 */
export function explainRow({ symbol }: QuoteRow, quote: Quote, facts: Facts): PriceExplanation | undefined {
  const market = listingOf(facts, symbol);
  if (market === undefined) return undefined;
  const terms = JSON.parse(quote.terms) as TermsVersion;
  const conversion = conversionOf(quote, terms);
  const { bid, ask, capturedAt, source } = quote;
  const { fee, rounding } = terms;
  const { buy, sell } = derivePrices(
    { bid, ask, source },
    fee.value,
    conversion,
    market.pricePrecision,
    rounding?.value,
  );
  return {
    ...{ market, bid, ask, source, capturedAt, conversion, terms },
    buy: buy.with(-1, { ...buy.at(-1)!, value: quote.buyPrice }),
    sell: sell.with(-1, { ...sell.at(-1)!, value: quote.sellPrice }),
  };
}

function conversionOf({ rate }: Quote, { margin }: TermsVersion): PriceExplanation['conversion'] {
  if (rate === '' || margin === undefined) return undefined;
  const { validUntil, ...known } = JSON.parse(rate) as RateVersion;
  return { rate: { ...known, fixingDate: known.fixingDate }, validUntil, marginPercent: margin.value };
}

/** The first instant after a row. */
export function after({ at }: { readonly at: EpochMs }) {
  return { at: (at + 1) as EpochMs, sub: 0 };
}
