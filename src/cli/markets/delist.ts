import type { Command } from '../command.ts';
import { confirm, yesOption } from '../confirm.ts';
import { changeMarket } from './change.ts';
import { symbolPositional } from './describe.ts';

export const marketsDelist: Command = {
  name: 'markets delist',
  summary: 'end a market for good',
  details: [
    'Its price is gone at once (404 UNKNOWN_SYMBOL), /v1/markets lists it as delisted for 30 days, and the symbol never comes back. Converted markets go with the one they are converted from.',
    'For anything that may end again, use `markets pause`.',
  ],
  positionals: [symbolPositional],
  options: [yesOption],
  examples: [{ line: 'mdapi markets delist LUNAEUR', note: 'asks first when run in a terminal' }],
  run: (input, context) =>
    changeMarket(input, context, {
      before: ({ record }, followers) => confirm(`Delist ${record.symbol}? This is final.${followers}`, input, context),
      apply: (store, symbol) => store.markets.delist(symbol, context.clock.now()),
      notes: (_market, followers) => [`Delisted for good.${followers}`],
    }),
};
