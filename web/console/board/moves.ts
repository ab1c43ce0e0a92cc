import type { MarketRow, Ticker } from '../../generated/management-v1.d.ts';
import { compareDecimals } from '../format/decimal.ts';

export type Move = 'up' | 'down';

/** What only two polls can show: which way each price of a market went last, and in which poll that was. */
interface Moves {
  readonly buyPrice: string | undefined;
  readonly sellPrice: string | undefined;
  readonly buy: Move | undefined;
  readonly sell: Move | undefined;
  readonly buyPoll: number;
  readonly sellPoll: number;
}

export interface Poll {
  /** Counts the polls. */
  readonly number: number;
  readonly moves: ReadonlyMap<string, Moves>;
}

/** A market with its prices, where it has any. */
interface Priced extends Pick<MarketRow, 'symbol'> {
  readonly ticker: Pick<Ticker, 'buyPrice' | 'sellPrice'> | null;
}

export const noPoll: Poll = { number: 0, moves: new Map() };

export function nextPoll(before: Poll, markets: readonly Priced[]): Poll {
  const number = before.number + 1;
  const moves = new Map<string, Moves>();
  for (const { symbol, ticker } of markets) {
    moves.set(symbol, movesAfter(before.moves.get(symbol), ticker ?? undefined, number));
  }
  return { number, moves };
}

function movesAfter(before: Moves | undefined, ticker: Priced['ticker'] | undefined, number: number): Moves {
  const buy = moveOf(before?.buyPrice, ticker?.buyPrice);
  const sell = moveOf(before?.sellPrice, ticker?.sellPrice);
  return {
    buyPrice: ticker?.buyPrice,
    sellPrice: ticker?.sellPrice,
    buy: buy ?? before?.buy,
    sell: sell ?? before?.sell,
    buyPoll: buy === undefined ? (before?.buyPoll ?? 0) : number,
    sellPoll: sell === undefined ? (before?.sellPoll ?? 0) : number,
  };
}

function moveOf(before: string | undefined, now: string | undefined): Move | undefined {
  if (before === undefined || now === undefined || before === now) return undefined;
  const order = compareDecimals(now, before);
  return order === 0 ? undefined : order > 0 ? 'up' : 'down';
}
