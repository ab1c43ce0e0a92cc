import type { UnpricedReason } from '../market/client-ticker.ts';
import { count, openEnum } from '../operator/fields.ts';
import { condition } from './condition.ts';
import { fewNames, fewOf, fewText } from './few.ts';
import type { Observed } from './observed.ts';

const minuteMs = 60_000;

const reasons = ['no_ticker', 'held', 'no_rate', 'rounds_to_zero'] as const satisfies readonly UnpricedReason[];

/** Conditions of the prices that clients get. */
export const prices = {
  MarketsWithoutPrice: condition({
    event: 'prices',
    severity: 'warning',
    forMs: 10 * minuteMs,
    title: 'Traded markets have no price',
    values: { count: count('How many.', 3), reason: openEnum(reasons, 'Why.') },
    *find({ market, clock }) {
      for (const [reason, number] of market.board.unpriced(clock.now()))
        yield { subject: reason, values: { count: number, reason } };
    },
    sentence: ({ count: number, reason }) => `${number} traded markets have no price: ${reason}`,
    note: { page: 'markets' },
    rule: {
      expr: 'sum by (job, instance, reason) (mdapi_markets_without_price) > 0',
      description:
        '{{ $value }} markets of {{ $labels.instance }} have had no price for ten minutes: {{ $labels.reason }}.',
    },
  }),

  MostMarketsWithoutPrice: condition({
    event: 'prices',
    severity: 'critical',
    forMs: 2 * minuteMs,
    title: 'More than half of the markets that should have a price have none',
    find({ market, clock }) {
      const { priced, unpriced } = market.board.expected(clock.now());
      return unpriced > priced;
    },
    rule: {
      expr: `sum by (job, instance) (mdapi_markets_expected{price="unpriced"})
  > sum by (job, instance) (mdapi_markets_expected{price="priced"})`,
      description: '{{ $value }} markets of {{ $labels.instance }} have no price.',
    },
  }),

  PricesHeld: condition({
    event: 'prices',
    severity: 'critical',
    forMs: 30_000,
    title: 'Prices are held back',
    values: {
      holder: openEnum(['operator', 'guard'], 'Who holds them.'),
      markets: fewNames('The markets, and the currencies of rates.', 'BTCEUR'),
    },
    *find(observed) {
      const withheld = withheldOf(observed);
      for (const holder of ['operator', 'guard'] as const) {
        const held = withheld.filter(({ reason }) => (reason === 'operator') === (holder === 'operator'));
        const markets = fewOf([...new Set<string>(held.map(({ subject }) => subject))]);
        if (held.length > 0) yield { subject: holder, values: { holder, markets } };
      }
    },
    sentence: ({ holder, markets }) =>
      `prices are held by ${holder === 'operator' ? 'an operator' : 'the guard'}: ${fewText(markets)}`,
    // An operator knows of the own hold; what the guard holds is noted with its source.
    note: { page: 'markets', level: 'warning', when: ({ holder }) => holder === 'operator' },
    rule: {
      expr: 'sum by (job, instance, holder) (mdapi_withheld_markets) > 0',
      description:
        '{{ $value }} markets of {{ $labels.instance }} keep their last good price or rate: held by the {{ $labels.holder }}. A price held for five minutes is no longer served.',
    },
  }),
};

/**
 * Gives what the prices of the markets that clients see are made from and that is withheld, by the operator or by the
 * guard.
 */
function withheldOf({ market: { markets }, clock }: Observed) {
  const offered = markets.catalogue.listed(clock.now()).filter(({ status }) => status !== 'delisted');
  return offered.flatMap((each) => markets.withheldFor(each));
}
