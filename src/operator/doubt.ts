import type { Static } from 'typebox';
import type { EpochMs } from '../clock.ts';
import { isoInstant } from '../contract/instant.ts';
import * as part from '../contract/schema-parts.ts';
import type { Markets } from '../market/markets.ts';
import type { ShownDoubt, SourceState } from '../market/source.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { instantFields, line, listOf, named, nullableLine, openEnum, viewOf } from './fields.ts';

/** The reasons in plain words. */
const whys: Readonly<Record<ShownDoubt['reason'], string>> = {
  contradicted: 'other sources agree on another price, or it alone left its own',
  not_comparable: 'it never agreed with the source in use; often two assets of one name',
  jump: 'it moved further than guard.jumpPercent within ten seconds',
  range: 'it is outside half to double the range of 24 hours',
  spread: 'its spread is over five times the usual one',
  rate: 'it moved further than a rate may',
};

export const DoubtSchema = named('Doubt', 'A price of one source that is doubted: it makes no price of its market.', {
  market: part.symbol('The exchange market.', 'BTCEUR'),
  source: line('The source’s id in the configuration.', 'kraken', 32),
  bid: part.decimal('Its bid, as it arrived last.', '50000000.0'),
  ask: part.decimal('Its ask.', '50000000.1'),
  ...instantFields('since', 'When the doubt began.'),
  reason: openEnum(
    Object.keys(whys) as ShownDoubt['reason'][],
    'Why it is doubted: by other sources, or by the guard.',
  ),
  why: line('The reason in words.', whys.contradicted),
  servedBy: nullableLine(
    'The source whose price is served instead; null where the last good price stays, or there is none.',
    'bitvavo',
    200,
  ),
  served: line('What is served instead, in words.', 'the price of bitvavo'),
});

export const doubtsField = listOf(DoubtSchema, 'What is doubted of its sources; empty otherwise.', 50);

export type DoubtView = Static<typeof DoubtSchema>;

/** What is doubted of the sources of an exchange market, in their order. */
export function doubtsOf(markets: Markets, exchangeSymbol: MarketSymbol, now: EpochMs): DoubtView[] {
  const states = markets.sources.states(exchangeSymbol);
  return states.flatMap(({ id, doubt }) => {
    if (doubt === undefined) return [];
    const { reason, since, bid, ask } = doubt;
    const instead = servedInstead(markets, exchangeSymbol, id, states, now);
    const view = { market: exchangeSymbol, source: id, bid, ask, since, reason, why: whys[reason], ...instead };
    return [viewOf(DoubtSchema.properties, view)];
  });
}

function servedInstead(
  markets: Markets,
  symbol: MarketSymbol,
  doubted: string,
  states: readonly SourceState[],
  now: EpochMs,
): { readonly servedBy: string | undefined; readonly served: string } {
  const made = markets.acceptedTicker(symbol);
  if (made === undefined || now >= markets.unpricedFrom(symbol)) return { servedBy: undefined, served: 'no price' };
  const isByAnother = states.some(
    ({ id, isUsed, reach, exclusion }) => id !== doubted && isUsed && reach !== 'silent' && exclusion === undefined,
  );
  if (isByAnother) return { servedBy: made.source, served: `the price of ${made.source}` };
  const served = `the last good price of ${made.source}, captured ${isoInstant(made.capturedAt)}`;
  return { servedBy: undefined, served };
}

/** `kraken (contradicted, 50000000.0 / 50000000.1)`. */
export function doubtedSource({ source, reason, bid, ask }: DoubtView): string {
  return `${source} (${reason.replaceAll('_', ' ')}, ${bid} / ${ask})`;
}

/**
 * Why there is nothing to accept of a market, with the names of what is doubted; `undefined` where there is.
 *
 * @param source the one that the operator names; without it the guard's doubts are accepted, and the one of other sources
 */
export function acceptRefusal(
  { symbol, held, doubts }: { symbol: string; held: readonly { reason: string }[]; doubts: readonly DoubtView[] },
  source?: string,
): string | undefined {
  const isGuarded = held.some(({ reason }) => reason !== 'operator' && reason !== 'contradicted');
  const isNamed = doubts.some((doubt) => doubt.source === source);
  if (source === undefined ? isGuarded || doubts.length === 1 : isNamed) return undefined;
  const none = `Nothing of ${symbol} is doubted.`;
  const doubted = doubts.length === 0 ? none : `Doubted are ${doubts.map(doubtedSource).join(', ')}.`;
  if (source !== undefined) return `${symbol} of the source ${source} is not doubted. ${doubted}`;
  if (doubts.length === 0) return none;
  return `Several sources of ${symbol} are doubted: name the one that is right. ${doubted}`;
}
