import { currency } from '../contract/schema-parts.ts';
import { count, line, nullableLine, openEnum } from '../operator/fields.ts';
import { heldRateWhys, type RateView, rateViews } from '../operator/rate.ts';
import { condition } from './condition.ts';
import type { Observed } from './observed.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** By then an operator has a day to bring the source of a rate back. */
const rateEndsSoonMs = 24 * hourMs;
/** A bank's site may be away for a night. */
const secondLostAfterMs = 12 * hourMs;

const quote = currency('The quote currency of the rate.', 'CZK');
const reason = openEnum(Object.keys(heldRateWhys) as (keyof typeof heldRateWhys)[], 'Why it is held.');

/** Conditions of the rates that converted prices are made with. */
export const rates = {
  RateDoubted: condition({
    event: 'source',
    severity: 'critical',
    forMs: 0,
    title: 'A rate is doubted',
    values: {
      quote,
      mid: line('The rate that is held.', '2431.5', 64),
      inForce: nullableLine('The one in force; null while there is none.', '24.315', 64),
      reason,
    },
    *find(observed) {
      for (const { quote: subject, held, mid, valid } of viewsOf(observed)) {
        if (held === null) continue;
        // Time will settle it by itself.
        const severity = held.reason === 'bound' ? 'warning' : 'critical';
        const values = { quote: subject, mid: held.mid, inForce: valid ? mid : null, reason: held.reason };
        yield { subject, severity, values };
      }
    },
    sentence({ quote: subject, mid, inForce, reason: why }) {
      const served = inForce === null ? 'no rate is in force' : `${inForce} stays in force`;
      return `the ${subject} rate ${mid} is held, and ${served}: ${heldRateWhys[why]}`;
    },
    note: { page: 'feed' },
  }),

  RateUnconfirmed: condition({
    event: 'source',
    severity: 'warning',
    forMs: minuteMs,
    title: 'A rate was never confirmed',
    values: { quote, mid: line('The rate.', '24.315', 64) },
    *find(observed) {
      for (const { quote: subject, confirmed, mid, valid } of viewsOf(observed))
        if (valid && !confirmed && mid !== null) yield { subject, values: { quote: subject, mid } };
    },
    sentence: (values) =>
      `the ${values.quote} rate ${values.mid} was the first ever, and nothing but its source has said it`,
    note: { page: 'feed' },
  }),

  RateSourcesDiffer: condition({
    event: 'source',
    severity: 'warning',
    forMs: 10 * minuteMs,
    title: 'The second source of a rate says another',
    values: {
      quote,
      mid: line('The rate in force.', '24.315', 64),
      second: line('The second source.', 'ecb', 64),
      secondMid: line('What that says.', '25.420', 64),
      percent: line('How far the rate in force is from it.', '-4.35', 64),
    },
    *find(observed) {
      for (const { quote: subject, mid, valid, second } of viewsOf(observed)) {
        if (!valid || mid === null || second === null || second.agrees !== false) continue;
        const { source, mid: secondMid, differencePercent: percent } = second;
        yield { subject, values: { quote: subject, mid, second: source, secondMid: secondMid!, percent: percent! } };
      }
    },
    sentence: (values) =>
      `the ${values.quote} rate in force is ${values.mid}, and ${values.second} says ${values.secondMid} (${values.percent} %)`,
    note: { page: 'feed' },
  }),

  RateSecondLost: condition({
    event: 'source',
    severity: 'warning',
    forMs: 0,
    title: 'The second source of a rate cannot be read',
    values: { quote, second: line('The second source.', 'ecb', 64), hours: count('Whole hours since then.', 12) },
    *find(observed) {
      for (const { quote: subject, second } of viewsOf(observed)) {
        const failingMs = observed.clock.now() - (second?.failingSinceMs ?? observed.clock.now());
        if (second === null || failingMs < secondLostAfterMs) continue;
        const hours = Math.floor(failingMs / hourMs);
        yield { subject, values: { quote: subject, second: second.source, hours } };
      }
    },
    sentence: (values) =>
      `the ${values.quote} rate is compared with nothing: ${values.second} could not be read for ${values.hours} hours`,
    note: { page: 'feed' },
  }),

  RateEndsSoon: condition({
    event: 'prices',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'A rate expires soon',
    values: { quote, hours: count('Whole hours until then.', 20) },
    *find(observed) {
      for (const { subject, leftMs } of validities(observed))
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
      for (const { subject, leftMs } of validities(observed))
        if (leftMs <= 0) yield { subject, values: { quote: subject } };
    },
    sentence: (values) => `There is no valid ${values.quote} rate`,
    rule: {
      expr: 'mdapi_rate_valid == 0',
      summary: 'There is no valid {{ $labels.quote }} rate',
      description: 'All {{ $labels.quote }} markets of {{ $labels.instance }} are without a price.',
    },
  }),
};

/** Every rate as an operator sees it. */
function viewsOf({ market: { markets }, configuration, feed, clock }: Observed): RateView[] {
  return rateViews(markets, configuration.pricing.converted, feed.rates(), clock.now());
}

/** Each converted quote currency, and how long its rate is still valid. */
function validities({ market: { markets }, configuration, clock }: Observed) {
  const now = clock.now();
  return [...configuration.pricing.converted.keys()].map((subject) => {
    return { subject, leftMs: (markets.rate(subject)?.validUntil ?? 0) - now };
  });
}
