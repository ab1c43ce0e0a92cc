import type { BoardView, MarketView } from '../../admin/board-view.ts';
import { didYouMean } from '../../configuration/spelling.ts';
import { type DecimalString, roundTo, toBig } from '../../market/decimal.ts';
import { parseSymbol } from '../../market/symbol.ts';
import { CommandError, exitCodes } from '../failure.ts';

/** Which way a price went when it last changed; `undefined` until it has. */
export type Move = 'up' | 'down' | undefined;

/** A market on the board, and what can only be seen by looking more than once. */
export interface Row {
  readonly market: MarketView;
  /** Of the middle of both prices, two decimals; `undefined` without a price. */
  readonly spreadPercent: string | undefined;
  readonly buyMove: Move;
  readonly sellMove: Move;
  /** Whether what is said of the market is other than the time before, ages aside. */
  readonly isChanged: boolean;
}

/** The board as it was seen last. */
export interface Watched {
  readonly view: BoardView;
  /** In the order of the board. */
  readonly rows: readonly Row[];
  /** Whether what is said of the service is other than the time before, ages aside. */
  readonly isServiceChanged: boolean;
}

/**
 * Takes in a new look at the board. `wanted` are symbols as they were typed, none for all that are
 * offered. Throws `CommandError` for a symbol that is not on the board, with the nearest one that is;
 * while the server has no catalogue yet, nothing can be said of any.
 */
export function watchedNext(before: Watched | undefined, view: BoardView, wanted: readonly string[]): Watched {
  const known = new Map(before?.rows.map((row) => [row.market.symbol, row]));
  return {
    view,
    rows: chosen(view.markets, wanted).map((market) => rowNext(known.get(market.symbol), market)),
    isServiceChanged: before === undefined || serviceTokens(before.view) !== serviceTokens(view),
  };
}

/** How far the two prices lie apart, in percent of their middle, two decimals. */
export function spreadPercent(buyPrice: string, sellPrice: string): string {
  const [buy, sell] = [toBig(buyPrice as DecimalString), toBig(sellPrice as DecimalString)];
  return roundTo(buy.minus(sell).times(200).div(buy.plus(sell)), 2, 'half-even');
}

function chosen(markets: readonly MarketView[], wanted: readonly string[]): readonly MarketView[] {
  if (wanted.length === 0) return markets.filter((market) => market.status !== 'delisted');
  if (markets.length === 0) return [];
  const symbols = new Set(wanted.map((text) => parseSymbol(text) ?? text));
  const found = markets.filter((market) => symbols.has(market.symbol));
  if (found.length < symbols.size) throw unknown(wanted, markets);
  const gone = found.filter((market) => market.status === 'delisted');
  if (gone.length === 0) return found;
  const sentences = gone.map(({ symbol }) => `The market ${symbol} is delisted, which is final.`);
  throw new CommandError(exitCodes.refused, 'market_delisted', sentences.join(' '));
}

function unknown(wanted: readonly string[], markets: readonly MarketView[]): CommandError {
  const known = markets.map((market) => market.symbol);
  const sentences = [...new Set(wanted)]
    .filter((text) => !known.includes(parseSymbol(text) ?? ''))
    .map((text) => `There is no market "${text}".${didYouMean(text.toUpperCase(), known)}`);
  return new CommandError(exitCodes.notFound, 'market_unknown', sentences.join(' '));
}

function rowNext(before: Row | undefined, market: MarketView): Row {
  const [last, ticker] = [before?.market.ticker, market.ticker];
  return {
    market,
    spreadPercent: ticker && spreadPercent(ticker.buyPrice, ticker.sellPrice),
    buyMove: moveOf(last?.buyPrice, ticker?.buyPrice) ?? before?.buyMove,
    sellMove: moveOf(last?.sellPrice, ticker?.sellPrice) ?? before?.sellMove,
    isChanged: before === undefined || marketTokens(before.market) !== marketTokens(market),
  };
}

function moveOf(before: string | undefined, now: string | undefined): Move {
  if (before === undefined || now === undefined || before === now) return undefined;
  const order = toBig(now as DecimalString).cmp(toBig(before as DecimalString));
  return order === 0 ? undefined : order > 0 ? 'up' : 'down';
}

function marketTokens({ status, ticker, unpriced }: MarketView): string {
  return [status, unpriced, ticker?.buyPrice, ticker?.sellPrice].join(' ');
}

function serviceTokens({ service, feedPath }: BoardView): string {
  const { maintenance, status, components } = service;
  return JSON.stringify([status, components, feedPath, maintenance]);
}
