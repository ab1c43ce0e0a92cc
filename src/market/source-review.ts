import type { EpochMs } from '../ground/clock.ts';
import type { Markets } from './markets.ts';
import type { Serving } from './served-price.ts';
import type { SourceFacts } from './source-state.ts';
import type { MarketSymbol } from './symbol.ts';

/** Another source makes the price of a market. */
export interface SourceChange {
  readonly symbol: MarketSymbol;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * Chooses the sources of all markets again.
 *
 * @param at the instant, by the wall clock and by the monotonic one
 * @returns how the prices come now, and what changed
 */
export function reviewSources(
  markets: Markets,
  feed: Omit<SourceFacts, 'listing' | 'isLoaded'>,
  at: { readonly now: EpochMs; readonly nowMs: number },
) {
  const { catalogue, sources } = markets;
  const halted = catalogue.haltedSources();
  const facts: SourceFacts = {
    ...feed,
    isLive: (source) => !halted.has(source) && feed.isLive(source),
    isLoaded: (source) => catalogue.isLoaded(source),
    listing: (source, symbol) => catalogue.statusAt(source, symbol),
  };
  const makers = new Set<string>();
  let [priced, lesser] = [0, 0];
  let newestAt: EpochMs | undefined;
  const changed: SourceChange[] = [];
  for (const { symbol, isConverted, status } of catalogue.all()) {
    if (isConverted || status === 'delisted') continue;
    const from = sources.used(symbol)?.id;
    if (sources.review(symbol, facts, at, markets.acceptedTicker(symbol))) {
      markets.sourceChanged(symbol);
      const to = sources.used(symbol)?.id;
      if (to !== from) changed.push({ symbol, from, to });
    } else {
      markets.doubtReviewed(symbol);
    }
    const price = markets.acceptedTicker(symbol);
    if (price === undefined || markets.unpricedFrom(symbol) <= at.now) continue;
    priced++;
    if (sources.served(symbol, facts, makers) !== 'best') lesser++;
    if (newestAt === undefined || price.capturedAt > newestAt) newestAt = price.capturedAt;
  }
  const serving: Serving = { makers, priced, lesser, newestAt };
  return { serving, changed };
}
