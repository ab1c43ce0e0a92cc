import { Type } from '../contract/schema-builder.ts';
import { line } from '../operator/fields.ts';
import { condition, measured } from './condition.ts';
import { fewNames, fewOf, fewText } from './few.ts';

const minuteMs = 60_000;
/** A node whose clock is off by this much writes instants that disagree with those of the others. */
const skewNotedMs = 2_000;

const offset = Type.Integer({ description: 'How far it is ahead, in seconds; behind where negative.', examples: [3] });

/**
 * Conditions of processes that share a Redis, and of their clocks. Without Redis its metrics are absent, and no rule
 * fires.
 */
export const cluster = {
  FeedWithoutLeader: measured({
    event: 'source',
    severity: 'critical',
    forMs: minuteMs,
    title: 'No process runs the feed',
    rule: {
      comment: 'A takeover takes five seconds at most; a minute covers one between two scrapes.',
      expr: 'sum by (job) (mdapi_feed_leading) == 0 unless on (job) sum by (job) (mdapi_feed_alone) > 0',
      description:
        'No process of {{ $labels.job }} has had the connection to the exchange for a minute. Prices have stopped on all of them.',
    },
  }),

  FeedLedTwice: measured({
    event: 'source',
    severity: 'warning',
    forMs: 3 * minuteMs,
    title: 'More than one process runs the feed',
    rule: {
      comment: 'A process that is gone counts until its next scrape fails, when another may already lead.',
      expr: 'sum by (job) (mdapi_feed_leading) > 1',
      description:
        '{{ $value }} processes of {{ $labels.job }} say they do. They do not share one Redis, so limits are not counted together either.',
    },
  }),

  FeedAlone: condition({
    event: 'source',
    severity: 'warning',
    forMs: minuteMs,
    title: 'this process is on a feed of its own until Redis says who leads',
    find: ({ replication }) => replication()?.isAlone === true,
    note: { page: 'feed' },
  }),

  FeedLeaseLost: condition({
    event: 'source',
    severity: 'warning',
    forMs: minuteMs,
    title: 'The lease of the feed cannot be had',
    values: { trouble: line('Why, in the words of the client of Redis.', 'connect ECONNREFUSED 127.0.0.1:6379') },
    *find({ replication }) {
      const trouble = replication()?.leaseTrouble;
      if (trouble !== undefined) yield { values: { trouble } };
    },
    sentence: ({ trouble }) => `the lease of the feed cannot be had: ${trouble}`,
    note: { page: 'feed' },
  }),

  LimitsCountedAlone: condition({
    event: 'service',
    severity: 'warning',
    forMs: minuteMs,
    title: 'A process counts limits alone',
    find: ({ sharedLimits }) => sharedLimits()?.isUp === false,
    sentence: () => 'Redis cannot be used: this process counts the limits by itself',
    note: { page: null },
    rule: {
      expr: 'mdapi_redis_limits_up == 0',
      description:
        '{{ $labels.instance }} has not been able to use Redis for a minute. A key gets at most its limit from each process that counts alone.',
    },
  }),

  LimitsKeepFallingBack: measured({
    event: 'service',
    severity: 'warning',
    forMs: 0,
    title: 'Counting limits keeps falling back from Redis',
    rule: {
      expr: 'increase(mdapi_redis_limits_fallbacks_total[15m]) >= 3',
      description:
        '{{ $labels.instance }} fell back to counting alone {{ $value | printf "%.0f" }} times in 15 minutes.',
    },
  }),

  ClockOff: condition({
    event: 'service',
    severity: 'warning',
    forMs: 5 * minuteMs,
    title: 'The clocks of a process and of its Redis or PostgreSQL disagree',
    values: { seconds: offset },
    *find({ sharedLimits }) {
      const { clockSkewMs = 0 } = sharedLimits() ?? {};
      if (Math.abs(clockSkewMs) > skewNotedMs) yield { values: { seconds: Math.round(clockSkewMs / 1_000) } };
    },
    sentence: ({ seconds }) => clockText(seconds, 'Redis'),
    note: { page: null },
    rule: {
      expr: 'abs(mdapi_redis_clock_skew_seconds) > 2 or abs(mdapi_postgres_clock_skew_seconds) > 2',
      description:
        'That of {{ $labels.instance }} is {{ $value | humanizeDuration }} off. If that clock is the wrong one, so are the times in its answers.',
    },
  }),

  ClockWrong: condition({
    event: 'service',
    severity: 'warning',
    forMs: minuteMs,
    title: 'The clock of a machine disagrees with the exchanges',
    values: { seconds: offset, sources: fewNames('The sources that say so.', 'kraken') },
    *find({ feed }) {
      const { isWrong, offsetMs, bySource } = feed.clock();
      if (!isWrong || offsetMs === undefined) return;
      yield { values: { seconds: Math.round(offsetMs / 1_000), sources: fewOf([...bySource.keys()]) } };
    },
    sentence: ({ seconds, sources }) => clockText(seconds, fewText(sources)),
    note: { page: null },
    rule: {
      expr: 'mdapi_clock_wrong == 1',
      description:
        'The times in the live data of the exchanges say that the clock of {{ $labels.instance }} is wrong. So are the times in its answers.',
    },
  }),
};

function clockText(seconds: number, others: string): string {
  const side = seconds > 0 ? 'ahead of' : 'behind';
  return `the clock of this process is ${Math.abs(seconds)} s ${side} that of ${others}`;
}
