import type { Store } from '../../store/store.ts';
import type { CommandInput, Result } from '../command.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { paintFor } from '../style.ts';
import { withStore } from '../with-store.ts';
import { findMarket, followersOf, type MarketView, marketJson, marketText } from './describe.ts';

export interface MarketChange {
  /** Asks, where there is something to ask. `followers` are the converted markets that go along. */
  readonly before?: (market: MarketView, followers: string) => Promise<void>;
  readonly apply: (store: Store, symbol: string) => Promise<unknown>;
  readonly notes: (market: MarketView, followers: string) => readonly string[];
}

/** Changes the market on the command line, and shows how it stands after. */
export function changeMarket(input: CommandInput, context: Context, change: MarketChange): Promise<Result> {
  return withStore(input, context, async (store) => {
    const records = await store.markets.list();
    const market = findMarket(records, input.argument('SYMBOL'));
    const { symbol } = market.record;
    if (market.status === 'delisted') throw delisted(market);
    const followers = followersOf(records, symbol);
    await change.before?.(market, followers);
    await change.apply(store, symbol);
    const after = findMarket(await store.markets.list(), symbol);
    const text = marketText(after, paintFor(context));
    return { json: marketJson(after), text, notes: change.notes(after, followers) };
  });
}

/** A converted market is delisted with the one it comes from, which only this side of the store knows. */
function delisted({ record }: MarketView): CommandError {
  return new CommandError(
    exitCodes.refused,
    'market_delisted',
    `The market ${record.symbol} is delisted, which is final.`,
  );
}
