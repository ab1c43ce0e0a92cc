import type { Command } from '../command.ts';
import { changeMarket } from './change.ts';
import { type MarketView, symbolPositional } from './describe.ts';

export const marketsResume: Command = {
  name: 'markets resume',
  summary: 'take back the operator’s pause of a market',
  details: ['A market that the exchange itself has paused stays paused until the exchange resumes it.'],
  positionals: [symbolPositional],
  examples: [{ line: 'mdapi markets resume BTCEUR', note: 'changes nothing when it is not paused' }],
  run: (input, context) =>
    changeMarket(input, context, {
      apply: (store, symbol) => store.markets.setOperatorPaused(symbol, false),
      notes: (market) => stillPaused(market),
    }),
};

function stillPaused({ record, pausedBy }: MarketView): readonly string[] {
  if (pausedBy.includes('operator'))
    return [`It follows ${record.via}, which is paused by the operator: resume that one.`];
  return pausedBy.includes('exchange') ? ['It stays paused until the exchange resumes it.'] : [];
}
