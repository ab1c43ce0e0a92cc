import { allDoubts, DoubtSchema, type DoubtView, doubtWhys, servedText } from '../operator/doubt.ts';
import { count, listOf, nullableCount, object } from '../operator/fields.ts';
import { marketQuotes } from '../operator/source.ts';
import { condition } from './condition.ts';
import { asUrgentAsCause } from './data.ts';
import { fewOf, fewText } from './few.ts';
import type { Observed, ObservedSource } from './observed.ts';

/** Many connections are back sooner. */
const unconnectedAfterMs = 10_000;

const { source, reason, market, bid, ask, servedBy, lastGoodOf, lastGoodAtMs } = DoubtSchema.properties;

/** Conditions of single sources. */
export const sources = {
  SourceLost: condition({
    event: 'source',
    severity: 'warning',
    forMs: 0,
    title: 'A source has no connection',
    values: {
      source,
      seconds: nullableCount('For how long; null where it never had one.', 40),
      others: listOf(
        object('Another source.', { source, markets: count('Markets whose price it makes.', 56) }),
        'Which others make the prices meanwhile.',
      ),
    },
    *find(observed) {
      const lost = observed.feed.sources().flatMap((each) => {
        const lack = lackOf(each);
        return lack === undefined ? [] : [{ source: each.id, ...lack }];
      });
      if (lost.length === 0) return;
      const others = otherSources(observed, new Set(lost.map((each) => each.source)));
      for (const { source: subject, seconds } of lost)
        yield { subject, ...asUrgentAsCause(observed), values: { source: subject, seconds, others } };
    },
    sentence({ source: lost, seconds, others }) {
      const span = seconds === null ? 'yet' : `for ${seconds} s`;
      const makers = others.map((other) => `${other.markets} markets on ${other.source}`).join(', ');
      return `${lost}: no connection ${span}; ${makers || 'no other source makes its prices'}`;
    },
    note: { page: 'feed' },
  }),

  SourceDoubted: condition({
    event: 'source',
    severity: 'warning',
    forMs: 60_000,
    title: 'Prices of a source are doubted',
    values: {
      source,
      reason,
      markets: object('The markets.', {
        first: listOf(
          object('A market.', { market, bid, ask, servedBy, lastGoodOf, lastGoodAtMs }),
          'The first of them.',
        ),
        more: count('How many there are besides.', 2),
      }),
    },
    *find({ market: { markets }, clock }) {
      const byCause = Map.groupBy(allDoubts(markets, clock.now()), (doubt) => `${doubt.source} ${doubt.reason}`);
      for (const [subject, doubts] of byCause) yield { subject, values: doubtValues(doubts) };
    },
    sentence({ source: doubted, reason: why, markets: { first, more } }) {
      const named = first.map((each) => `${each.market} at ${each.bid} / ${each.ask} (served: ${servedText(each)})`);
      const which = fewText({ first: named, more });
      return `${doubted} is doubted, ${why.replaceAll('_', ' ')}: ${which}. It means: ${doubtWhys[why]}`;
    },
    note: { page: 'feed', markets: ({ markets }) => markets.first.map((each) => each.market) },
    rule: {
      expr: 'max by (job, source, reason) (mdapi_doubted_markets) > 0',
      description:
        '{{ $value }} markets of {{ $labels.source }} are doubted: {{ $labels.reason }}. Another source or the last good price serves them.',
    },
  }),
};

/**
 * For how long a source has lacked a connection, null for never; `undefined` while it has one, needs none, or may still
 * get one.
 */
function lackOf({ isPaused, health }: ObservedSource): { readonly seconds: number | null } | undefined {
  const { connection, lastLiveDataAgeMs: ageMs, epoch, lastCatalogueAt, catalogueLoads } = health;
  if (isPaused || connection === 'open') return undefined;
  // Connected to once its list of markets is there: a source that was lost before the start gives none.
  const loads = () => Object.values(catalogueLoads).reduce((sum, number) => sum + number, 0);
  if (connection === 'idle') return lastCatalogueAt === undefined && loads() > 1 ? { seconds: null } : undefined;
  if (ageMs === undefined) return epoch > 1 ? { seconds: null } : undefined;
  return ageMs > unconnectedAfterMs ? { seconds: Math.floor(ageMs / 1_000) } : undefined;
}

/** The sources that make prices and are not lost themselves, in order of preference. */
function otherSources({ market: { markets }, feed, clock }: Observed, lost: ReadonlySet<string>) {
  const quotes = marketQuotes(markets, clock.now()).map(([, quote]) => quote);
  const making = feed.sources().map(({ id }) => {
    return { source: id, markets: quotes.filter((quote) => quote.id === id && quote.state === 'used').length };
  });
  return making.filter((each) => each.markets > 0 && !lost.has(each.source));
}

function doubtValues(doubts: readonly DoubtView[]) {
  const { source: doubted, reason: why } = doubts[0]!;
  const markets = doubts.map((each) => {
    return {
      market: each.market,
      bid: each.bid,
      ask: each.ask,
      servedBy: each.servedBy,
      lastGoodOf: each.lastGoodOf,
      lastGoodAtMs: each.lastGoodAtMs,
    };
  });
  return { source: doubted, reason: why, markets: fewOf(markets) };
}
