import { currency } from '../contract/schema-parts.ts';
import type { UnpricedReason } from '../market/client-ticker.ts';
import { count, openEnum } from '../operator/fields.ts';
import { condition } from './condition.ts';
import { fewNames, fewOf, fewText } from './few.ts';
import type { Observed } from './observed.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** By then an operator has a day to bring the source of a rate back. */
const rateEndsSoonMs = 24 * hourMs;

const reasons = ['no_ticker', 'held', 'no_rate', 'rounds_to_zero'] as const satisfies readonly UnpricedReason[];
const quote = currency('The quote currency of the rate.', 'CZK');

/** Conditions of the prices that clients get, and of the rates they are made with. */
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

  RateDoubted: condition({
    event: 'source',
    severity: 'warning',
    forMs: minuteMs,
    title: 'A rate is doubted',
    values: { quote },
    *find(observed) {
      const rates = withheldOf(observed).filter(({ reason }) => reason === 'rate');
      for (const subject of new Set(rates.map((each) => each.subject))) yield { subject, values: { quote: subject } };
    },
    sentence: (values) => `rates are doubted, and the last good ones stay: ${values.quote}`,
    note: { page: 'feed' },
  }),

  RateEndsSoon: condition({
    event: 'prices',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'A rate expires soon',
    values: { quote, hours: count('Whole hours until then.', 20) },
    *find(observed) {
      for (const { subject, leftMs } of rates(observed))
        if (leftMs > 0 && leftMs < rateEndsSoonMs)
          yield { subject, values: { quote: subject, hours: Math.floor(leftMs / hourMs) } };
    },
    sentence: (values) => `the ${values.quote} rate may be used for ${values.hours} more hours`,
    note: { page: 'feed' },
    rule: {
      expr: 'mdapi_rate_validity_left_seconds > 0 and mdapi_rate_validity_left_seconds < 24 * 3600',
      summary: 'The {{ $labels.quote }} rate expires soon',
      description:
        'In {{ $value | humanizeDuration }} it becomes invalid, and all {{ $labels.quote }} markets of {{ $labels.instance }} lose their price.',
    },
  }),

  RateGone: condition({
    event: 'prices',
    severity: 'critical',
    forMs: minuteMs,
    title: 'There is no valid rate',
    values: { quote },
    *find(observed) {
      for (const { subject, leftMs } of rates(observed)) if (leftMs <= 0) yield { subject, values: { quote: subject } };
    },
    sentence: (values) => `There is no valid ${values.quote} rate`,
    rule: {
      expr: 'mdapi_rate_valid == 0',
      summary: 'There is no valid {{ $labels.quote }} rate',
      description: 'All {{ $labels.quote }} markets of {{ $labels.instance }} are without a price.',
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

/** Each converted quote currency, and how long its rate is still valid. */
function rates({ market: { markets }, configuration, clock }: Observed) {
  const now = clock.now();
  return [...configuration.pricing.converted.keys()].map((subject) => {
    return { subject, leftMs: (markets.rate(subject)?.validUntil ?? 0) - now };
  });
}
