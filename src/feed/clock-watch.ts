import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { MetricGroup, Sample } from '../ground/metric.ts';

/** How far the wall clock of this machine is from those of the exchanges. */
export interface ClockReading {
  /** The wall clock minus that of each source that tells its own, in milliseconds. */
  readonly bySource: ReadonlyMap<string, number>;
  /** Their median; between two middle ones the nearest to zero. `undefined` while no source tells. */
  readonly offsetMs: number | undefined;
  /** More than two seconds off for half a minute, and not within one second for as long since. */
  readonly isWrong: boolean;
}

const wrongAboveMs = 2_000;
const rightBelowMs = 1_000;
/** Longer than a source needs to show, after the machine slept, that no clock is wrong. */
const looksMin = 30;

/**
 * Says when the wall clock is wrong by the times of the exchanges.
 *
 * @param offsets of each source, `undefined` where it tells none
 */
export function clockWatch(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  offsets: () => Iterable<readonly [source: string, offsetMs: number | undefined]>,
) {
  let timer: Timer | undefined;
  let isWrong = false;
  let looksOtherwise = 0;

  function read(): ClockReading {
    const told = [...offsets()].filter((each): each is [string, number] => each[1] !== undefined);
    const sorted = told.map(([, offsetMs]) => offsetMs).toSorted((one, other) => one - other);
    const lower = sorted[(sorted.length - 1) >> 1];
    const offsetMs = lower && Math.max(lower, Math.min(0, sorted[sorted.length >> 1]!));
    return { bySource: new Map(told), offsetMs, isWrong };
  }

  function look(): void {
    const { bySource, offsetMs } = read();
    if (offsetMs === undefined) return;
    const isOtherwise = isWrong ? Math.abs(offsetMs) < rightBelowMs : Math.abs(offsetMs) > wrongAboveMs;
    looksOtherwise = isOtherwise ? looksOtherwise + 1 : 0;
    if (looksOtherwise < looksMin) return;
    looksOtherwise = 0;
    isWrong = !isWrong;
    const fields = { offsetMs: Math.round(offsetMs), sources: [...bySource.keys()] };
    if (isWrong) log.warn(fields, 'the clock of this machine disagrees with those of the exchanges');
    else log.info(fields, 'the clock of this machine agrees with those of the exchanges again');
  }

  return {
    read,
    start() {
      timer = clock.every(1_000, look);
    },
    stop: () => timer?.cancel(),
  };
}

export const clockMetrics: MetricGroup<ClockReading> = {
  title: 'Clock',
  metrics: [
    {
      name: 'clock_offset_seconds',
      help:
        'Wall clock of this process minus that of each exchange, by the least delay of its live data in three ' +
        'minutes; absent while that does not tell, and in processes that do not run the feed.',
      labels: ['source'],
      read: ({ bySource }) => [...bySource].map(([id, offsetMs]): Sample => [id, offsetMs / 1000]),
    },
    {
      name: 'clock_wrong',
      help:
        '1 once the wall clock of this process has disagreed with the exchanges by more than 2 s for half a minute, ' +
        'until it is within 1 s.',
      read: ({ isWrong }) => Number(isWrong),
    },
  ],
};
