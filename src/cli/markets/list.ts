import type { Command } from '../command.ts';
import { paintFor, table } from '../style.ts';
import { withStore } from '../with-store.ts';
import { marketJson, statusCell, viewMarkets } from './describe.ts';

export const marketsList: Command = {
  name: 'markets list',
  summary: 'list every market ever seen, by symbol, with its state',
  details: [
    'Markets come from the exchange when `mdapi serve` runs. Delisted ones stay here after clients no longer see them.',
  ],
  examples: [{ line: 'mdapi markets list', note: 'what is traded, paused and delisted, and who paused it' }],
  run: (input, context) =>
    withStore(input, context, async (store) => {
      const views = viewMarkets(await store.markets.list());
      const paint = paintFor(context);
      const rows = views.map((view) => [
        view.record.symbol,
        statusCell(view, paint),
        view.record.via ?? '-',
        view.record.tickSize,
        view.record.minOrderSize,
      ]);
      return {
        json: { markets: views.map(marketJson) },
        text: table(['SYMBOL', 'STATUS', 'CONVERTED FROM', 'TICK SIZE', 'MIN ORDER'], rows, paint, 'No markets yet.'),
      };
    }),
};
