import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, toBig } from './decimal.ts';
import type { ReferencePrices } from './upstream.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The prices of the past that percent changes are counted from. */
export const referenceNames = ['price1hAgo', 'price24hAgo', 'price7dAgo'] as const;
export type ReferenceName = (typeof referenceNames)[number];

/** The field of a ticker that has the change since each. */
export const percentNames = {
  price1hAgo: 'priceChangePercent1h',
  price24hAgo: 'priceChangePercent24h',
  price7dAgo: 'priceChangePercent7d',
} as const satisfies Record<ReferenceName, string>;

/** Each of the three. */
export type OfReferences<Value> = Readonly<Record<ReferenceName, Value>>;

export function ofReferences<Value>(make: (name: ReferenceName) => Value): OfReferences<Value> {
  return Object.fromEntries(referenceNames.map((name) => [name, make(name)])) as OfReferences<Value>;
}

export const noReferences: ReferencePrices = ofReferences(() => undefined);

export function minuteOf(at: EpochMs): EpochMs {
  return (Math.floor(at / minuteMs) * minuteMs) as EpochMs;
}

/**
 * The instants whose prices stand for those of an hour, a day and a week ago where they are taken from the record,
 * the same as
 * with candles: the start of the minute, and the nearest start of an hour.
 *
 * @param minute the start of the one that they are for
 */
export function referenceInstants(minute: EpochMs): OfReferences<EpochMs> {
  const nearestHour = (at: number) => (Math.floor((at + hourMs / 2) / hourMs) * hourMs) as EpochMs;
  return {
    price1hAgo: (minute - hourMs) as EpochMs,
    price24hAgo: nearestHour(minute - dayMs),
    price7dAgo: nearestHour(minute - 7 * dayMs),
  };
}

/** Exactly between bid and ask. */
export function middleOf({ bid, ask }: { readonly bid: DecimalString; readonly ask: DecimalString }): DecimalString {
  return toBig(bid).plus(ask).times('0.5').toFixed() as DecimalString;
}

/** Whether two sets give the same changes. */
export function areSamePrices(one: ReferencePrices | undefined, other: ReferencePrices | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const isRecorded = (prices: ReferencePrices) => prices.recordedFor !== undefined;
  return (
    one === other ||
    (isRecorded(one) === isRecorded(other) && referenceNames.every((name) => one[name] === other[name]))
  );
}
