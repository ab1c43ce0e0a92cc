import type { UpstreamMarketStatus } from '../../market/upstream.ts';
import {
  type ListedPair,
  type ListingChoice,
  type MarketTerms,
  readCurrency,
  selectMarkets,
} from '../market-listing.ts';
import { asStep } from '../steps.ts';
import { asList, asObject, asPositive, asText, UpstreamError, type WireObject } from '../wire.ts';

/**
 * Reads the data of `public/instruments`, spot only. Only `live` is trading; every other state, known (`suspend`,
 * `preopen`, `test`, `post_only`, `rebase`, `settling`) or new, takes fewer kinds of order or none. There is no minimum
 * value of an order. Throws only when the answer as a whole is unreadable.
 */
export function readInstruments(data: unknown, choice: ListingChoice) {
  const instruments = asList(data);
  if (instruments === undefined) throw new UpstreamError('malformed', 'instruments: not a list');
  return selectMarkets(
    instruments.flatMap((value) => readPair(asObject(value) ?? {})),
    choice,
  );
}

function readPair(entry: WireObject): ListedPair | [] {
  const id = asText(entry.instId);
  if (id === undefined || entry.instType !== 'SPOT') return [];
  const [base, quote] = [readCurrency(entry.baseCcy), readCurrency(entry.quoteCcy)];
  if (base === undefined || quote === undefined) return [];
  return { id, liveName: id, base, quote, terms: () => readTerms(entry) };
}

function readTerms(entry: WireObject): MarketTerms | string {
  const tick = asStep(entry.tickSz);
  if (tick === undefined) return 'tickSz is missing or not a positive decimal';
  const lot = asStep(entry.lotSz);
  if (lot === undefined) return 'lotSz is missing or not a positive decimal';
  const minOrderSize = asPositive(entry.minSz);
  if (minOrderSize === undefined) return 'minSz is missing or not a positive decimal';
  return {
    status: instrumentStatus(entry.state),
    pricePrecision: tick.places,
    amountPrecision: lot.places,
    tickSize: tick.size,
    minOrderSize,
    minOrderValue: undefined,
  };
}

export function instrumentStatus(state: unknown): UpstreamMarketStatus {
  return state === 'live' ? 'trading' : 'paused';
}
