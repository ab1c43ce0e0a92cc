import type { Static } from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { ShownDoubt } from '../market/doubts.ts';
import type { Markets } from '../market/markets.ts';
import type { SourceState } from '../market/source-state.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { AcceptedTicker } from '../market/ticker-acceptance.ts';
import { instantFields, line, listOf, named, nullableInstantFields, nullableLine, openEnum, viewOf } from './fields.ts';

/** The reasons in plain words. */
export const doubtWhys: Readonly<Record<ShownDoubt['reason'], string>> = {
  contradicted: 'other sources agree on another price, or it alone left its own',
  not_comparable: 'it never agreed with the source in use; often two assets of one name',
  jump: 'it moved further than guard.jumpPercent within ten seconds',
  range: 'it is outside half to double the range of 24 hours',
  spread: 'its spread is over five times the usual one',
  rate: 'it moved further than a rate may',
  withdrawn: 'its source has no price of it any more',
};

export const DoubtSchema = named('Doubt', 'A price of one source that is doubted: it makes no price of its market.', {
  market: part.symbol('The exchange market.', 'BTCEUR'),
  source: line('The source’s id in the configuration.', 'kraken', 32),
  bid: part.decimal('Its bid, as it arrived last.', '50000000.0'),
  ask: part.decimal('Its ask.', '50000000.1'),
  ...instantFields('since', 'When the doubt began.'),
  reason: openEnum(
    Object.keys(doubtWhys) as ShownDoubt['reason'][],
    'Why it is doubted: by other sources, or by the guard.',
  ),
  why: line('The reason in words.', doubtWhys.contradicted),
  servedBy: nullableLine(
    'The source whose price is served instead; null where the last good price stays, or there is none.',
    'bitvavo',
    200,
  ),
  lastGoodOf: nullableLine('The source whose last good price stays; null otherwise.', 'kraken', 200),
  ...nullableInstantFields('lastGoodAt', 'When that last good price was captured; null otherwise.'),
  served: line('What is served instead, in words.', 'the price of bitvavo'),
});

export const doubtsField = listOf(DoubtSchema, 'What is doubted of its sources; empty otherwise.', 50);

export type DoubtView = Static<typeof DoubtSchema>;

/** Gives what is doubted of the sources of an exchange market, in their order. */
export function doubtsOf(markets: Markets, symbol: MarketSymbol, now: EpochMs): DoubtView[] {
  const states = markets.sources.states(symbol);
  const made = now < markets.unpricedFrom(symbol) ? markets.acceptedTicker(symbol) : undefined;
  return states.flatMap(({ id: source, doubt }) => {
    if (doubt === undefined) return [];
    const instead = servedInstead(made, states, source);
    return [
      viewOf(DoubtSchema.properties, {
        market: symbol,
        source,
        why: doubtWhys[doubt.reason],
        ...doubt,
        ...instead,
      }),
    ];
  });
}

/** Gives what is doubted of the sources of the markets that clients see. */
export function allDoubts(markets: Markets, now: EpochMs): readonly DoubtView[] {
  const offered = markets.catalogue.listed(now).filter(({ status }) => status !== 'delisted');
  return [...new Set(offered.map((each) => each.exchangeSymbol))].flatMap((symbol) => doubtsOf(markets, symbol, now));
}

function servedInstead(made: AcceptedTicker | undefined, states: readonly SourceState[], doubted: string) {
  const { source, capturedAt } = made ?? {};
  const isByAnother = states.some(
    ({ id, isUsed, reach, exclusion }) => id !== doubted && isUsed && reach !== 'silent' && exclusion === undefined,
  );
  const servedBy = isByAnother ? source : undefined;
  const lastGoodOf = isByAnother ? undefined : source;
  const lastGoodAt = isByAnother ? undefined : capturedAt;
  const served = servedText({ servedBy, lastGoodOf, lastGoodAtMs: lastGoodAt });
  return { servedBy, lastGoodOf, lastGoodAt, served };
}

/** Names the source whose price is served instead of a doubted one, or whose last good one stays. */
interface Served {
  readonly servedBy: string | null | undefined;
  readonly lastGoodOf: string | null | undefined;
  readonly lastGoodAtMs: number | null | undefined;
}

/** Says what is served instead of a doubted price. */
export function servedText({ servedBy, lastGoodOf, lastGoodAtMs }: Served): string {
  if (servedBy != null) return `the price of ${servedBy}`;
  if (lastGoodOf == null || lastGoodAtMs == null) return 'no price';
  return `the last good price of ${lastGoodOf}, captured ${isoInstant(lastGoodAtMs)}`;
}

/** `kraken (contradicted, 50000000.0 / 50000000.1)`. */
export function doubtedSource({ source, reason, bid, ask }: DoubtView): string {
  return `${source} (${reason.replaceAll('_', ' ')}, ${bid} / ${ask})`;
}

/**
 * Why nothing of a market can be accepted, with the names of what is doubted. Without a source all that the guard
 * doubts can be, or the one doubt.
 */
export function acceptRefusal(
  { symbol, held, doubts }: { symbol: string; held: readonly { reason: string }[]; doubts: readonly DoubtView[] },
  source?: string,
): string | undefined {
  const none = `Nothing of ${symbol} is doubted.`;
  const doubted = doubts.length === 0 ? none : `Doubted are ${doubts.map(doubtedSource).join(', ')}.`;
  if (source !== undefined) {
    const isDoubted = doubts.some((doubt) => doubt.source === source);
    return isDoubted ? undefined : `${symbol} of the source ${source} is not doubted. ${doubted}`;
  }
  const isGuarded = held.some(({ reason }) => reason !== 'operator' && reason !== 'contradicted');
  if (isGuarded || doubts.length === 1) return undefined;
  if (doubts.length === 0) return none;
  return `Several sources of ${symbol} are doubted: name the one that is right. ${doubted}`;
}
