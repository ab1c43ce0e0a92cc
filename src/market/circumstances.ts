import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import type { MarketSource } from './market-source.ts';
import { levelOf, type Quote } from './quote.ts';

/** The circumstances at one instant in which sources are compared. */
export interface Circumstances {
  readonly now: EpochMs;
  /** The market's price, while that is recent. */
  readonly price: Quote | undefined;
  /** The source that makes the price. */
  readonly used: MarketSource | undefined;
  /** It sends live now, whatever the last review found. */
  readonly sender?: MarketSource | undefined;
}

/** The level of the market's price, which mostly is what the source in use says. */
export function levelIn(price: Quote | undefined, used: MarketSource | undefined): Big | undefined {
  if (price === undefined) return undefined;
  const quote = used?.quote;
  return quote?.bid === price.bid && quote.ask === price.ask ? quote.level : levelOf(price);
}

/** Whether a source delivers the market live, by the last review or because it sends now. */
export function deliversLive(source: MarketSource, { sender }: Circumstances): boolean {
  const { quote } = source;
  return quote !== undefined && (source.isLive(source === sender) ?? quote.path === 'live');
}
