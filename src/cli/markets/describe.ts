import { didYouMean } from '../../configuration/spelling.ts';
import { combined, type Lifecycle, listedUntil, type MarketStatus, statusOf } from '../../market/lifecycle.ts';
import { parseSymbol } from '../../market/symbol.ts';
import type { MarketRecord } from '../../store/markets.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { formatInstant, instantPair } from '../instant.ts';
import { type Cell, type Paint, pairs } from '../style.ts';

/** A market of the database, with what follows from the market it is converted from. */
export interface MarketView {
  readonly record: MarketRecord;
  /** Not an own property of the record: a base market's state carries over to its converted ones. */
  readonly lifecycle: Lifecycle;
  readonly status: MarketStatus;
  /** Why a market is paused; empty when it is not. */
  readonly pausedBy: readonly ('exchange' | 'operator')[];
}

export function viewMarkets(records: readonly MarketRecord[]): readonly MarketView[] {
  const bySymbol = new Map(records.map((record) => [record.symbol, record]));
  return records.map((record) => {
    const base = record.via === undefined ? undefined : bySymbol.get(record.via);
    const lifecycle = base === undefined ? record : combined(base, record);
    const status = statusOf(lifecycle);
    const by = [
      ...(lifecycle.upstreamStatus === 'paused' ? (['exchange'] as const) : []),
      ...(lifecycle.operatorPaused ? (['operator'] as const) : []),
    ];
    return { record, lifecycle, status, pausedBy: status === 'paused' ? by : [] };
  });
}

/** The market a person means by `text`, in any case. Throws `CommandError` (not found) with the nearest symbol. */
export function findMarket(records: readonly MarketRecord[], text: string): MarketView {
  const symbol = parseSymbol(text);
  const found = viewMarkets(records).find(({ record }) => record.symbol === symbol);
  if (found !== undefined) return found;
  const known = records.map((record) => record.symbol);
  const hint =
    known.length === 0
      ? ' The database holds no markets yet: `mdapi serve` loads them.'
      : didYouMean(text.toUpperCase(), known);
  throw new CommandError(exitCodes.notFound, 'market_unknown', `There is no market "${text}".${hint}`);
}

export function marketJson({ record, lifecycle, status, pausedBy }: MarketView) {
  return {
    id: record.symbol,
    symbol: record.symbol,
    base: record.base,
    quote: record.quote,
    ...(record.via === undefined ? {} : { via: record.via }),
    status,
    ...(status === 'paused' ? { pausedBy } : {}),
    pricePrecision: record.pricePrecision,
    amountPrecision: record.amountPrecision,
    tickSize: record.tickSize,
    minOrderSize: record.minOrderSize,
    ...(record.minOrderValue === undefined ? {} : { minOrderValue: record.minOrderValue }),
    ...instantPair('delistedAt', lifecycle.delistedAt),
    ...instantPair('listedUntil', listedUntil(lifecycle)),
    ...instantPair('updatedAt', record.updatedAt),
  };
}

export function marketText(view: MarketView, paint: Paint): string {
  const { record, lifecycle } = view;
  const until = listedUntil(lifecycle);
  return pairs(
    [
      ['Market', record.symbol],
      ['Status', statusCell(view, paint)],
      ...(record.via === undefined ? [] : [['Converted from', record.via] as const]),
      ...(lifecycle.delistedAt === undefined ? [] : [['Delisted', formatInstant(lifecycle.delistedAt)] as const]),
      ...(until === undefined ? [] : [['Listed until', formatInstant(until)] as const]),
    ],
    paint,
  );
}

export function statusCell({ status, pausedBy }: MarketView, paint: Paint): Cell {
  if (status === 'trading') return { text: status, paint: paint.good };
  if (status === 'delisted') return { text: status, paint: paint.bad };
  return { text: `paused by ${pausedBy.join(' and ')}`, paint: paint.attention };
}

/** The converted markets that follow `symbol`, for a hint. */
export function followersOf(records: readonly MarketRecord[], symbol: string): string {
  const followers = records.filter((record) => record.via === symbol).map((record) => record.symbol);
  return followers.length === 0 ? '' : ` ${followers.join(', ')} (converted from it) with it.`;
}

export const symbolPositional = { name: 'SYMBOL', summary: 'the market, such as BTCEUR, in any case' };
