import Type from 'typebox';
import { component } from '../../operator/fields.ts';
import type { Management } from '../sources.ts';
import { type MarketSchema, marketBody, marketOf, symbolParams } from './markets.ts';
import type { Asked } from './operation.ts';
import { operation } from './operation.ts';
import { strictObject } from './parts.ts';
import { Problem } from './problems.ts';

export const pauseMarket = pausing('pause', true, 'Clients are told `paused` at once; the prices go on.');
export const resumeMarket = pausing('resume', false, 'It is traded again as soon as the exchange trades it.');

function pausing(verb: 'pause' | 'resume', paused: boolean, effect: string) {
  return operation({
    method: 'POST',
    path: `/api/markets/:symbol/${verb}`,
    operationId: `${verb}Market`,
    tag: 'Markets',
    summary: paused ? 'Pause a market' : 'Resume a market',
    description: `${effect} Doing it twice changes nothing.`,
    params: symbolParams,
    body: strictObject({}, 'Nothing is taken.'),
    answer: { status: 200, description: 'As it is now.', schema: component<typeof MarketSchema>('Market') },
    problems: ['NOT_FOUND', 'CONFLICT'],
    async handle({ params, store, now }, management) {
      const { symbol } = marketOf(management, params.symbol);
      await management.market.memory.save();
      await store.markets.setOperatorPaused(symbol, paused);
      return changed(symbol, management, now);
    },
  });
}

export const delistMarket = operation({
  method: 'POST',
  path: '/api/markets/:symbol/delist',
  operationId: 'delistMarket',
  tag: 'Markets',
  summary: 'Delist a market for good',
  description:
    'Final: the symbol never comes back. It has no price from now on, and is listed as `delisted` for 30 days. `confirm` has to repeat the symbol.',
  params: symbolParams,
  body: strictObject(
    { confirm: Type.String({ description: 'The symbol once more.', maxLength: 32, examples: ['BTCCZK'] }) },
    'That it is meant.',
  ),
  answer: { status: 200, description: 'As it is now.', schema: component<typeof MarketSchema>('Market') },
  problems: ['NOT_FOUND', 'CONFLICT'],
  async handle({ params, body, store, now }, management) {
    const { symbol } = marketOf(management, params.symbol);
    if (body.confirm !== symbol) {
      throw new Problem('CONFLICT', `Delisting is final. Repeat the symbol ${symbol} in confirm if it is meant.`, {
        errors: [{ field: 'confirm', message: `has to be ${symbol}.` }],
      });
    }
    await management.market.memory.save();
    await store.markets.delist(symbol, now);
    return changed(symbol, management, now);
  },
});

async function changed(symbol: string, management: Management, now: Asked<never, never, never>['now']) {
  await management.changes.look();
  return marketBody(marketOf(management, symbol), management, now);
}
