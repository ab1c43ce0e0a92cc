import type { Minute } from '../../generated/management-v1.d.ts';

/** Some minutes together: as many as one bar of a chart shows. */
export interface Bucket {
  readonly fromMs: number;
  readonly toMs: number;
  /** `undefined` where nothing is known. */
  readonly sum: BucketSum | undefined;
}

export interface BucketSum {
  readonly requestsPerMinute: number;
  readonly errorsPerMinute: Readonly<Record<string, number>>;
  /** Of the average minute and of the slowest one. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The most at the end of a minute. */
  readonly held: number;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
const leastMinutes = 30;
const bucketsMax = 96;

/** The last day, or what is known of it and half an hour at least, in at most 96 buckets that end now. */
export function bucketsOf(minutes: readonly Minute[], nowMs: number): readonly Bucket[] {
  const known = minutes[0] === undefined ? 0 : Math.ceil((nowMs - minutes[0].atMs) / minuteMs) + 1;
  const shown = Math.min(dayMinutes, Math.max(leastMinutes, known));
  const widthMs = Math.ceil(shown / bucketsMax) * minuteMs;
  const count = Math.ceil((shown * minuteMs) / widthMs);
  const members: Minute[][] = Array.from({ length: count }, () => []);
  for (const minute of minutes)
    members[count - 1 - Math.max(0, Math.floor((nowMs - minute.atMs) / widthMs))]?.push(minute);
  return members.map((of, at) => {
    const toMs = nowMs - (count - 1 - at) * widthMs;
    return { fromMs: toMs - widthMs, toMs, sum: of.length === 0 ? undefined : sumOf(of) };
  });
}

function sumOf(minutes: readonly Minute[]): BucketSum {
  const errors: Record<string, number> = {};
  for (const minute of minutes) {
    for (const [code, count] of Object.entries(minute.errors))
      errors[code] = (errors[code] ?? 0) + count / minutes.length;
  }
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0);
  const p50 = minutes.reduce((sum, minute) => sum + (minute.p50Ms ?? 0) * minute.requests, 0);
  return {
    requestsPerMinute: requests / minutes.length,
    errorsPerMinute: errors,
    p50Ms: requests === 0 ? 0 : p50 / requests,
    p99Ms: Math.max(...minutes.map(({ p99Ms }) => p99Ms ?? 0)),
    held: Math.max(...minutes.map(({ held }) => held)),
  };
}

/** The codes with the most errors, most first. */
export function topCodes(buckets: readonly Bucket[], most: number): readonly string[] {
  const totals = new Map<string, number>();
  for (const { sum } of buckets) {
    for (const [code, count] of Object.entries(sum?.errorsPerMinute ?? {}))
      totals.set(code, (totals.get(code) ?? 0) + count);
  }
  return [...totals]
    .sort(([, one], [, other]) => other - one)
    .slice(0, most)
    .map(([code]) => code);
}
