import type { DecimalString } from '../src/market/decimal.ts';
import { type Alarms, defaults, doubtNames, type Judging } from './alarms/judged-market.ts';
import { lengthMs, recordedMarkets, replay } from './alarms/recorded.ts';
import { dayMs, type Kind, passDays } from './alarms/walk.ts';
import type { Section } from './report/section.ts';
import type { Scope } from './scope.ts';

/** The recordings' spreads are those of the first two; the others are thinner than anything recorded. */
const deep: Kind = { name: 'deep', spreadPercent: 0.02, everyMs: 1_000, basisPercent: 0.03, hitAfterMs: 300 };
const kinds: readonly Kind[] = [
  { name: 'usual', spreadPercent: 0.2, everyMs: 5_000, basisPercent: 0.1, hitAfterMs: 2_000 },
  { name: 'thin, spread 1 %', spreadPercent: 1, everyMs: 60_000, basisPercent: 0.3, hitAfterMs: 15_000 },
  { name: 'thin, spread 3 %', spreadPercent: 3, everyMs: 60_000, basisPercent: 0.5, hitAfterMs: 30_000 },
  { name: 'next to dead, spread 8 %', spreadPercent: 8, everyMs: 600_000, basisPercent: 1, hitAfterMs: 120_000 },
];

type Setting = Exclude<keyof Judging, 'ratePercent' | 'rateCeilingPercent'>;

/** Other values than the default's, and how many sources a market needs for them to matter. */
const others: readonly (readonly [Setting, readonly (string | number)[], sources: readonly number[]])[] = [
  ['jumpPercent', ['2', '5', '20'], [1]],
  ['spreadPercent', ['5', '20'], [1]],
  ['ceilingPercent', ['50', '20', '5'], [1]],
  ['confirmAfterMs', [1_000, 5_000, 30_000, 60_000], [1]],
  ['disagreePercent', ['1', '3', '5'], [2, 3]],
  ['returnAfterMs', [10_000, 600_000], [2, 3]],
];

/** The strictest of the others, for what was recorded. */
const recordedUnder: readonly (readonly [setting: string, judging: Judging])[] = [
  ['default', defaults],
  ...(['jumpPercent', 'spreadPercent', 'disagreePercent'] as const).map((setting) => {
    const value = others.find(([name]) => name === setting)![1][0];
    return [`${setting} ${value}`, { ...defaults, [setting]: value }] as const;
  }),
];

const jumpPercent = 10;
/** Beyond `guard.ceilingPercent` of 50 as the higher of two prices to the lower, within that of 100. */
const crashPercent = 40;

interface Found {
  readonly market: string;
  readonly sources: number;
  readonly setting: string;
  readonly days: number;
  readonly alarms: Alarms;
}

/** How often honest markets are doubted, for the default settings and others. */
export async function alarms(scope: Scope): Promise<Section> {
  const days = scope.pick(3, 1);
  const found = recorded();
  const walk = (kind: Kind, sources: number, percent: number, judging: Judging) =>
    passDays(kind, { sources, days, seed: 1, jumps: { percent }, judging });
  for (const kind of [deep, ...kinds]) {
    scope.progress(kind.name);
    for (const sources of [1, 2, 3])
      for (const percent of [0, jumpPercent]) {
        const market = percent === 0 ? kind.name : `${kind.name}, with jumps`;
        found.push({ market, sources, setting: 'default', days, alarms: walk(kind, sources, percent, defaults) });
      }
  }
  for (const [setting, values, counts] of others)
    for (const sources of counts)
      for (const value of [defaults[setting], ...values]) {
        scope.progress(`${setting} ${value}`);
        const judging = { ...defaults, [setting]: value };
        const all = kinds.map((kind) => walk(kind, sources, jumpPercent, judging));
        const market = 'all but deep, with jumps';
        found.push({ market, sources, setting: `${setting} ${value}`, days: days * all.length, alarms: sumOf(all) });
      }
  for (const ceilingPercent of [defaults.ceilingPercent, '50', '20'] as DecimalString[]) {
    const all = kinds.map((kind) => walk(kind, 1, crashPercent, { ...defaults, ceilingPercent }));
    const market = `all but deep, jumps of ${crashPercent} %`;
    const setting = `ceilingPercent ${ceilingPercent}`;
    found.push({ market, sources: 1, setting, days: days * all.length, alarms: sumOf(all) });
  }
  return {
    title: 'False alarms of the guard',
    meaning: `Doubts that begin, a market and day, where every source is honest: quotes of the simulator's price curve with a spread, a delay (0.3, 1 and 2.5 s), an offset and a pace of each source's own, now and then with one side of the book swept; ${days} days of virtual time. With jumps: four a day of ${jumpPercent} % within 5 s. The recordings are real, seconds long, and none of one market at one time: several sources are one recording with delays. Withheld: the newest price of the source in use, which the last good one stands in for; elsewhere: served by another source than the first.`,
    columns: ['market', 'sources', 'setting', ...doubtNames, 'min withheld', 'min unpriced', 'min elsewhere'],
    rows: found.map(rowOf),
    bars: [],
    figures: found,
  };
}

function recorded(): Found[] {
  const markets = recordedMarkets();
  const days = markets.reduce((sum, each) => sum + lengthMs(each), 0) / dayMs;
  const market = `${markets.length} recorded, ${Math.round(days * 1440)} minutes in all`;
  return recordedUnder.flatMap(([setting, judging]) =>
    [1, 3].map((sources) => {
      const alarms = sumOf(markets.map((each) => replay(each, sources, judging)));
      return { market, sources, setting, days, alarms };
    }),
  );
}

function sumOf(all: readonly Alarms[]): Alarms {
  const sum = (of: (alarms: Alarms) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    began: Object.fromEntries(doubtNames.map((name) => [name, sum(({ began }) => began[name])])) as Alarms['began'],
    heldMs: sum(({ heldMs }) => heldMs),
    unpricedMs: sum(({ unpricedMs }) => unpricedMs),
    elsewhereMs: sum(({ elsewhereMs }) => elsewhereMs),
  };
}

function rowOf({
  market,
  sources,
  setting,
  days,
  alarms: { began, heldMs, unpricedMs, elsewhereMs },
}: Found): string[] {
  const aDay = (count: number) => (count === 0 ? '0' : (count / days).toFixed(1));
  const minutes = [heldMs, unpricedMs, elsewhereMs].map((ms) => aDay(ms / 60_000));
  return [market, `${sources}`, setting, ...doubtNames.map((name) => aDay(began[name])), ...minutes];
}
