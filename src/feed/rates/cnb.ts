import type { DecimalString } from '../../market/decimal.ts';
import { parseDecimal, toBig } from '../../market/decimal.ts';
import { asList, asObject, asText, parseLossless } from '../json.ts';
import type { LoadedRate, RateSource } from '../rates.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { HttpSourceOptions } from './http-source.ts';
import { fetchSource } from './http-source.ts';
import { quotient } from './quotient.ts';

/**
 * The daily fixing of the Czech National Bank: CZK per `amount` units of a currency. The quote
 * currency must be CZK.
 */
export function cnbSource(options: HttpSourceOptions): RateSource {
  return {
    id: 'cnb',
    load: async (signal) => readCnb(await fetchSource(options, signal, 'application/json'), options.base),
  };
}

/** Takes one currency out of the bank's answer. Throws `UpstreamError`. */
export function readCnb(text: string, currency: string): LoadedRate {
  const rates = asList(asObject(parseLossless(text))?.rates);
  if (rates === undefined) throw new UpstreamError('malformed', 'no list of rates');
  const row = rates.map(asObject).find((entry) => entry?.currencyCode === currency);
  if (row === undefined) throw new UpstreamError('malformed', `no rate for ${currency}`);
  const fixingDate = asText(row.validFor);
  if (fixingDate === undefined) throw new UpstreamError('malformed', 'no date');
  return { mid: perUnit(parseDecimal(row.rate), parseDecimal(row.amount)), fixingDate };
}

function perUnit(rate: DecimalString | undefined, amount: DecimalString | undefined): DecimalString {
  if (rate === undefined || amount === undefined || !toBig(amount).gt(0)) {
    throw new UpstreamError('malformed', 'rate or amount is not a decimal');
  }
  return toBig(amount).eq(1) ? rate : quotient(rate, amount);
}
