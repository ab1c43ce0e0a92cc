import { BitvavoDialect } from './bitvavo/dialect.ts';
import type { Dialect, Venue } from './dialect.ts';
import { KrakenDialect } from './kraken/dialect.ts';

/** Every exchange that the stand-in can speak like. */
export const dialects = {
  bitvavo: (venue) => new BitvavoDialect(venue),
  kraken: (venue) => new KrakenDialect(venue),
} as const satisfies Record<string, (venue: Venue) => Dialect>;

export type DialectName = keyof typeof dialects;

export const dialectNames = Object.keys(dialects) as readonly DialectName[];
