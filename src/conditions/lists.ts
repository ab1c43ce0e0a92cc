import type { PendingReason } from '../market/catalogue-review.ts';
import { count } from '../operator/fields.ts';
import { PendingListSchema } from '../operator/review.ts';
import { condition } from './condition.ts';
import { fewNames, fewOf, fewText } from './few.ts';

const { source, reason } = PendingListSchema.properties;

/** Sentences about a source's list, with the count; held-back delistings have a condition of their own. */
const sentences: Readonly<Record<Exclude<PendingReason, 'loss'>, (source: string, count: number) => string>> = {
  growth: (of, markets) => `${of} lists ${markets} new markets at once; they wait for an operator`,
  over_maximum: (of, markets) => `${of} lists ${markets} markets more than markets.max; they are not offered`,
  incomplete: (of, markets) => `the list of ${of} lacks ${markets} markets, and is taken for incomplete`,
};

/** Conditions of the lists of markets that sources give. */
export const lists = {
  MarketsWait: condition({
    event: 'source',
    severity: 'warning',
    forMs: 60_000,
    title: 'Markets of a source’s list wait',
    values: { source, reason, count: count('How many wait.', 412), markets: fewNames('The markets.', 'NEWEUR') },
    *find({ market }) {
      for (const pending of market.markets.catalogue.reviews.pending) {
        const { symbols, ...values } = pending;
        const { first } = fewOf(symbols);
        const markets = { first, more: values.count - first.length };
        const { source: of, reason: why, count: all } = values;
        yield { subject: `${of} ${why}`, values: { source: of, reason: why, count: all, markets } };
      }
    },
    sentence: ({ source: of, reason: why, count: all, markets }) =>
      `${sentences[why as keyof typeof sentences](of, all)}: ${fewText(markets)}`,
    note: { page: 'markets' },
    rule: {
      expr: 'sum by (job, instance, source, reason) (mdapi_markets_waiting{reason!="loss"}) > 0',
      summary: 'Markets of the list of {{ $labels.source }} wait',
      description:
        '{{ $value }} markets of the list of {{ $labels.source }} wait on {{ $labels.instance }} ({{ $labels.reason }}). `mdapi markets review` shows and settles them.',
    },
  }),
};
