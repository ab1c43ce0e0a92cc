import { recoveryBoundMs } from './feed-faults.ts';
import { datedLateMs } from './known-prices.ts';
import type { Sample, SoakRecord } from './record.ts';
import { minima, quantile, type Slope, theilSen } from './statistics.ts';

/** One promise and whether the run kept it. */
export interface Bar {
  readonly promise: string;
  readonly measured: string;
  /** `undefined` when the run was too short to tell. */
  readonly isMet: boolean | undefined;
}

/** Slopes in MB an hour after the warm-up, `undefined` when there are too few points. */
export interface Memory {
  /** Of the least that a full garbage collection left in each minute. */
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
/** Another source takes over within five seconds; one more is for a price that an exchange sends once a second. */
const replacedMaxMs = 6_000;
/** Connections and timers may differ by this between the beginning and the end: clients come and go. */
const flatWithin = 10;

export function memoryOf({ samples, liveMemory }: SoakRecord, minutes: number): Memory {
  const warmUpMinutes = Math.min(5, minutes / 4);
  const startMs = samples[0]?.atMs ?? 0;
  const minute = (atMs: number) => (atMs - startMs) / 60_000;
  const live = liveMemory.map(({ atMs, heapMb, buffersMb }) => [minute(atMs), heapMb + buffersMb] as const);
  const resident = samples.map(({ atMs, residentMb }) => [minute(atMs), residentMb] as const);
  const slopeOf = (points: readonly (readonly [number, number])[]) => {
    const settled = points.filter(([at]) => at >= warmUpMinutes);
    return settled.length < 5 ? undefined : perHour(theilSen(settled));
  };
  return {
    live: slopeOf(minima(live, stretchMinutes)),
    resident: slopeOf(minima(resident, stretchMinutes)),
    warmUpMinutes,
  };
}

function perHour({ estimate, low, high }: Slope): Slope {
  return { estimate: estimate * 60, low: low * 60, high: high * 60 };
}

export function barsOf(record: SoakRecord, sourceCount: number, minutes: number, end: ServerEnd): readonly Bar[] {
  const { history, faults, undocumented, recoveries, lost, samples } = record;
  const wrongs = history.faults.length + faults.length;
  const { live, resident } = memoryOf(record, minutes);
  const lostRecoveries = recoveries.filter(({ tookMs }) => tookMs === undefined);
  const lostAnswers = [...lost.values()].reduce((sum, count) => sum + count, 0);
  return [
    growth('memory after a full garbage collection', live),
    growth('resident memory', resident),
    {
      promise: 'every answer is as documented',
      measured: `${undocumented.length} are not`,
      isMet: undocumented.length === 0,
    },
    {
      promise: `the feed is operational again within ${recoveryBoundMs / 1000} s after each fault`,
      measured: `${recoveries.length - lostRecoveries.length} of ${recoveries.length}`,
      isMet: lostRecoveries.length === 0,
    },
    {
      promise: 'limits, their headers, ticker times, keys and windows are in order',
      measured: `${wrongs} faults in ${history.observed} answers`,
      isMet: wrongs === 0,
    },
    ...knownBars(record, sourceCount),
    { promise: 'every request is answered', measured: `${lostAnswers} were not`, isMet: lostAnswers === 0 },
    flat('connections', samples, ({ connections }) => connections),
    flat('timers', samples, ({ timers }) => timers),
    {
      promise: 'the process logs no error and ends with 0 on SIGTERM',
      measured: `${end.failures.length} errors, ended with ${end.code}`,
      isMet: end.failures.length === 0 && end.code === 0,
    },
  ];
}

function knownBars({ known }: SoakRecord, sourceCount: number): Bar[] {
  const honest = {
    promise: `every price was an exchange’s, and none is dated over ${datedLateMs / 1000} s after it was replaced`,
    measured: `${known.faults.length} faults in ${known.answers} answers, dated at most ${known.datedLateMsMax} ms late`,
    isMet: known.faults.length === 0 && known.answers > 0,
  };
  if (sourceCount === 1) return [honest];
  const takenOver = {
    promise: `while one source fails, no price is served over ${replacedMaxMs / 1000} s after all replaced it`,
    measured: `${(known.behindMsMax / 1000).toFixed(1)} s (${known.behindDuring})`,
    isMet: known.behindMsMax <= replacedMaxMs,
  };
  return [honest, takenOver];
}

/** Decided by the whole interval: kept when all of it lies under the bar, broken when all of it lies above. */
function growth(what: string, slope: Slope | undefined): Bar {
  const promise = `${what} grows by less than ${slopeMaxMbPerHour} MB/h`;
  if (slope === undefined) return { promise, measured: 'too short to say', isMet: undefined };
  const { low, high } = slope;
  const isMet = high < slopeMaxMbPerHour ? true : low >= slopeMaxMbPerHour ? false : undefined;
  return { promise, measured: slopeText(slope), isMet };
}

function slopeText({ estimate, low, high }: Slope): string {
  return `${estimate.toFixed(2)} MB/h (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function flat(what: string, samples: readonly Sample[], value: (sample: Sample) => number): Bar {
  const quarter = Math.floor(samples.length / 4);
  const median = (part: readonly Sample[]) => quantile(part.map(value), 0.5) ?? 0;
  const early = median(samples.slice(quarter, 2 * quarter));
  const late = median(samples.slice(-quarter));
  return {
    promise: `${what} stay flat`,
    measured: `${early} in the second quarter, ${late} in the last`,
    isMet: late <= early + flatWithin,
  };
}
