import type { Command } from '../command.ts';
import { changeMarket } from './change.ts';
import { symbolPositional } from './describe.ts';

export const marketsPause: Command = {
  name: 'markets pause',
  summary: 'show a market as paused; its prices stay',
  details: [
    'Converted markets follow the one they are converted from. It holds over restarts, until `markets resume`.',
  ],
  positionals: [symbolPositional],
  examples: [{ line: 'mdapi markets pause BTCEUR', note: 'BTCCZK is paused with it' }],
  run: (input, context) =>
    changeMarket(input, context, {
      apply: (store, symbol) => store.markets.setOperatorPaused(symbol, true),
      notes: (_market, followers) => (followers === '' ? [] : [`Paused:${followers}`]),
    }),
};
