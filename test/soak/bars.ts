import { recoveryBoundMs } from './feed-faults.ts';
import type { Sample, SoakRecord } from './record.ts';
import { minima, quantile, type Slope, theilSen } from './statistics.ts';

/** One promise and whether the run kept it. */
export interface Bar {
  readonly promise: string;
  readonly measured: string;
  /** `undefined` when the run was too short to say. */
  readonly isMet: boolean | undefined;
}

/** Slopes in MB an hour after the warm-up, `undefined` when there are too few points. */
export interface Memory {
  /** Of what a full garbage collection leaves. */
  readonly live: Slope | undefined;
  /** Of the least resident memory of each minute. */
  readonly resident: Slope | undefined;
  readonly warmUpMinutes: number;
}

/** How the server process ended and what it logged. */
export interface ServerEnd {
  readonly code: number | null;
  readonly failures: readonly string[];
}

const slopeMaxMbPerHour = 1;
const stretchMinutes = 1;
/** Less than this after the warm-up says nothing about memory. */
const judgedMinutesMin = 10;
/** Connections and timers may differ by this between the beginning and the end: clients come and go. */
const flatWithin = 10;

export function memoryOf({ samples, liveMemory }: SoakRecord, minutes: number): Memory {
  const warmUpMinutes = Math.min(5, minutes / 4);
  const startMs = samples[0]?.atMs ?? 0;
  const minute = (atMs: number) => (atMs - startMs) / 60_000;
  const resident = samples.map(({ atMs, residentMb }) => [minute(atMs), residentMb] as const);
  const slopeOf = (points: readonly (readonly [number, number])[]) => {
    const settled = points.filter(([at]) => at >= warmUpMinutes);
    return settled.length < 5 ? undefined : perHour(theilSen(settled));
  };
  return {
    live: slopeOf(liveMemory.map(({ atMs, mb }) => [minute(atMs), mb])),
    resident: slopeOf(minima(resident, stretchMinutes)),
    warmUpMinutes,
  };
}

function perHour({ estimate, low, high }: Slope): Slope {
  return { estimate: estimate * 60, low: low * 60, high: high * 60 };
}

export function barsOf(record: SoakRecord, minutes: number, end: ServerEnd): readonly Bar[] {
  const { history, faults, undocumented, recoveries, lost, samples } = record;
  const wrongs = history.faults.length + faults.length;
  const { live, resident, warmUpMinutes } = memoryOf(record, minutes);
  const isLongEnough = minutes - warmUpMinutes >= judgedMinutesMin;
  const lostRecoveries = recoveries.filter(({ tookMs }) => tookMs === undefined);
  const lostAnswers = [...lost.values()].reduce((sum, count) => sum + count, 0);
  return [
    {
      promise: `memory in use, after a full garbage collection, grows by less than ${slopeMaxMbPerHour} MB an hour after the warm-up`,
      measured: slopeText(live),
      isMet: isLongEnough && live !== undefined ? live.estimate < slopeMaxMbPerHour : undefined,
    },
    {
      promise: `resident memory cannot be shown to grow by ${slopeMaxMbPerHour} MB an hour: the interval begins below`,
      measured: slopeText(resident),
      isMet: isLongEnough && resident !== undefined ? resident.low < slopeMaxMbPerHour : undefined,
    },
    {
      promise: 'every answer is one the served document describes',
      measured: `${undocumented.length} that are not`,
      isMet: undocumented.length === 0,
    },
    {
      promise: `the feed is operational again within ${recoveryBoundMs / 1000} s after each fault`,
      measured: `${recoveries.length - lostRecoveries.length} of ${recoveries.length}`,
      isMet: lostRecoveries.length === 0,
    },
    {
      promise: 'the history of all clients is in order: limits, Remaining, Reset, ticker times, keys, windows',
      measured: `${wrongs} faults in ${history.observed} answers`,
      isMet: wrongs === 0,
    },
    { promise: 'every request is answered', measured: `${lostAnswers} were not`, isMet: lostAnswers === 0 },
    flat('connections', samples, ({ connections }) => connections),
    flat('timers', samples, ({ timers }) => timers),
    {
      promise: 'the process logs no error and ends with 0 when it is told to stop',
      measured: `${end.failures.length} errors, ended with ${end.code}`,
      isMet: end.failures.length === 0 && end.code === 0,
    },
  ];
}

export function slopeText(slope: Slope | undefined): string {
  if (slope === undefined) return 'too short to say';
  const { estimate, low, high } = slope;
  return `${estimate.toFixed(2)} MB/h (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function flat(what: string, samples: readonly Sample[], value: (sample: Sample) => number): Bar {
  const quarter = Math.floor(samples.length / 4);
  const median = (part: readonly Sample[]) => quantile(part.map(value), 0.5) ?? 0;
  const early = median(samples.slice(quarter, 2 * quarter));
  const late = median(samples.slice(-quarter));
  return {
    promise: `${what} stay flat`,
    measured: `median ${early} in the second quarter, ${late} in the last`,
    isMet: late <= early + flatWithin,
  };
}
