import { type Fixing, fixingsOf, publishedAt, secondAfterMs } from './fixings.ts';

/** Something that the source or the second source says. */
export interface Said {
  readonly atMs: number;
  readonly by: 'source' | 'second';
  readonly mid: string;
  readonly date: string | undefined;
}

/** A few days of one rate: the first thing said was believed before. */
export interface RateSituation {
  readonly title: string;
  readonly said: readonly Said[];
  /** What an honest source would have said last. */
  right(atMs: number): string;
}

const minuteMs = 60_000;
const readEveryMs = 5 * minuteMs;

/** A source of daily fixings that is read until the next one; `lie` says something else. */
function daily(
  title: string,
  fixings: readonly Fixing[],
  { isCompared, lie = ({ mid }) => mid }: { isCompared: boolean; lie?: (fixing: Fixing, day: number) => string },
): RateSituation {
  const said = fixings.flatMap((fixing, day): Said[] => {
    const atMs = publishedAt(fixing);
    const next = fixings[day + 1];
    const mid = lie(fixing, day);
    const { date } = fixing;
    const midnightMs = Date.parse(date) + 24 * 60 * minuteMs;
    const untilMs = next === undefined ? midnightMs : publishedAt(next) - readEveryMs;
    const second: Said[] = isCompared ? [{ atMs: atMs + secondAfterMs, by: 'second', mid: fixing.mid, date }] : [];
    const reads = [atMs, midnightMs, untilMs].map((each): Said => ({ atMs: each, by: 'source', mid, date }));
    return [...reads, ...second];
  });
  return { title: `${title}, ${isCompared ? 'second source' : 'alone'}`, said: sorted(said), right: lastOf(fixings) };
}

function lastOf(fixings: readonly Fixing[]): (atMs: number) => string {
  return (atMs) => (fixings.findLast((fixing) => publishedAt(fixing) <= atMs) ?? fixings[0]!).mid;
}

function sorted(said: readonly Said[]): Said[] {
  return said.toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * EUR/CHF on 15 January 2015 as a market would have quoted it. Approximate: the floor of 1.20, the low near 0.854, the
 * recovery to 1.065 and the level of 1.02 are as the press of the day reported them, their minutes are not known; from
 * 13:15 on it stays at the day's reference rate.
 */
const francMinutes: readonly (readonly [time: string, mid: string])[] = [
  ['09:25', '1.2010'],
  ['09:30', '1.2010'],
  ['09:35', '1.05'],
  ['09:40', '0.90'],
  ['09:45', '0.854'],
  ['09:50', '0.90'],
  ['10:00', '0.98'],
  ['10:15', '1.04'],
  ['10:30', '1.065'],
  ['11:00', '1.04'],
  ['11:30', '1.02'],
  ['12:30', '1.0255'],
  ['13:15', '1.028'],
  ['16:00', '1.028'],
];

/** A market has no dates: it is read every five minutes, and keeps its price in between. */
function francAsMarket(isCompared: boolean): RateSituation {
  const points = francMinutes.map(([time, mid]) => ({ atMs: Date.parse(`2015-01-15T${time}:00Z`), mid }));
  const right = (atMs: number) => (points.findLast((each) => each.atMs <= atMs) ?? points[0]!).mid;
  const said: Said[] = [];
  for (let { atMs } = points[0]!; atMs <= points.at(-1)!.atMs; atMs += readEveryMs)
    said.push({ atMs, by: 'source', mid: right(atMs), date: undefined });
  const second: Said[] = fixingsOf('CHF', '2015-01-14', '2015-01-15').map((fixing) => ({
    atMs: publishedAt(fixing) + secondAfterMs,
    by: 'second',
    mid: fixing.mid,
    date: fixing.date,
  }));
  const title = `Swiss franc, a market without dates (approximate), ${isCompared ? 'second source' : 'alone'}`;
  return { title, said: sorted(isCompared ? [...said, ...second] : said), right };
}

/** A source without dates that lies over a midnight. */
function midnightLie(isCompared: boolean): RateSituation {
  const fixings = fixingsOf('CZK', '2025-03-10', '2025-03-11');
  const startMs = Date.parse('2025-03-10T21:00:00Z');
  const said: Said[] = [{ atMs: startMs, by: 'source', mid: fixings[0]!.mid, date: undefined }];
  for (let atMs = startMs + readEveryMs; atMs <= startMs + 6 * 60 * minuteMs; atMs += readEveryMs)
    said.push({ atMs, by: 'source', mid: times(fixings[0]!.mid, 100), date: undefined });
  const second = isCompared ? [{ atMs: startMs, by: 'second' as const, ...fixings[0]! }] : [];
  const title = `×100 over midnight, no dates, ${isCompared ? 'second source' : 'alone'}`;
  return { title, said: sorted([...said, ...second]), right: () => fixings[0]!.mid };
}

/** A source without dates that moves by 2.9 % an hour and never stops. */
function hourlyDrift(isCompared: boolean): RateSituation {
  const [fixing] = fixingsOf('CZK', '2025-03-10', '2025-03-10');
  const startMs = publishedAt(fixing!);
  const said: Said[] = [];
  for (let hour = 0; hour <= 30; hour++)
    for (let minute = 0; minute < 60; minute += 5) {
      const atMs = startMs + (hour * 60 + minute) * minuteMs;
      said.push({ atMs, by: 'source', mid: times(fixing!.mid, 1.029 ** hour), date: undefined });
    }
  const second = isCompared ? [{ atMs: startMs, by: 'second' as const, ...fixing! }] : [];
  const title = `drift of 2.9 % an hour, no dates, ${isCompared ? 'second source' : 'alone'}`;
  return { title, said: sorted([...said, ...second]), right: () => fixing!.mid };
}

function times(mid: string, factor: number): string {
  return (Number(mid) * factor).toPrecision(6).replace(/e.*/, '');
}

const lies: readonly (readonly [name: string, (mid: string) => string])[] = [
  ['×100', (mid) => times(mid, 100)],
  ['inverted', (mid) => (1 / Number(mid)).toPrecision(6)],
  ['+25 %', (mid) => times(mid, 1.25)],
  ['+10 %', (mid) => times(mid, 1.1)],
  ['+2.5 %', (mid) => times(mid, 1.025)],
];

const honest: readonly (readonly [name: string, currency: string, from: string, to: string])[] = [
  ['Swiss franc, fixings', 'CHF', '2015-01-14', '2015-01-19'],
  ['koruna, interventions begin', 'CZK', '2013-11-06', '2013-11-11'],
  ['koruna, interventions end', 'CZK', '2017-04-05', '2017-04-10'],
];

const both = [false, true];

/** Extreme days that were real, and sources that say one wrong thing for four fixings of calm days. */
export const rateSituations: readonly RateSituation[] = [
  ...honest.flatMap(([name, currency, from, to]) =>
    both.map((isCompared) => daily(name, fixingsOf(currency, from, to), { isCompared })),
  ),
  ...both.map(francAsMarket),
  ...lies.flatMap(([name, lie]) =>
    both.map((isCompared) =>
      daily(`lie ${name}, four fixings`, fixingsOf('CZK', '2025-03-10', '2025-03-14'), {
        isCompared,
        lie: ({ mid }, day) => (day === 0 ? mid : lie(mid)),
      }),
    ),
  ),
  ...both.map((isCompared) =>
    daily('lie: franc inverted, four fixings', fixingsOf('CHF', '2025-03-10', '2025-03-14'), {
      isCompared,
      lie: ({ mid }, day) => (day === 0 ? mid : (1 / Number(mid)).toPrecision(6)),
    }),
  ),
  ...both.map(midnightLie),
  ...both.map(hourlyDrift),
];
