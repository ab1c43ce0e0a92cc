import { BinanceDialect } from './binance/dialect.ts';
import { BitstampDialect } from './bitstamp/dialect.ts';
import { BitvavoDialect } from './bitvavo/dialect.ts';
import { CoinbaseDialect } from './coinbase/dialect.ts';
import { CoinmateDialect } from './coinmate/dialect.ts';
import type { Dialect, Venue } from './dialect.ts';
import { KrakenDialect } from './kraken/dialect.ts';
import { OkxDialect } from './okx/dialect.ts';

/** Every exchange whose protocol the stand-in implements. */
export const dialects = {
  binance: (venue) => new BinanceDialect(venue),
  bitstamp: (venue) => new BitstampDialect(venue),
  bitvavo: (venue) => new BitvavoDialect(venue),
  coinbase: (venue) => new CoinbaseDialect(venue),
  coinmate: (venue) => new CoinmateDialect(venue),
  kraken: (venue) => new KrakenDialect(venue),
  okx: (venue) => new OkxDialect(venue),
} as const satisfies Record<string, (venue: Venue) => Dialect>;

export type DialectName = keyof typeof dialects;

export const dialectNames = Object.keys(dialects) as readonly DialectName[];
