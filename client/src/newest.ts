import type { Ticker } from './contract.ts';

/**
 * A time that goes back further is of a server whose clock was set back: it is taken, or nothing would be for as long.
 */
const setBackMs = 300_000;

/**
 * The newer of two tickers of a market: behind a balancer the next answer can come from a server that is behind the
 * last one.
 */
export function newestTicker(answered: Ticker, held: Ticker): Ticker {
  const olderByMs = held.timestampMs - answered.timestampMs;
  return olderByMs > 0 && olderByMs <= setBackMs ? held : answered;
}

/** The same for each market of a list. The list held when there is nothing new. */
export function newestTickers(answered: readonly Ticker[], held: readonly Ticker[]): readonly Ticker[] {
  const known = new Map(held.map((ticker) => [ticker.symbol, ticker]));
  const newest = answered.map((ticker) => newestTicker(ticker, known.get(ticker.symbol) ?? ticker));
  if (newest.length === held.length && newest.every((ticker, index) => ticker === held[index])) return held;
  return newest.every((ticker, index) => ticker === answered[index]) ? answered : Object.freeze(newest);
}
