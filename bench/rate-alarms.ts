import type { DecimalString } from '../src/market/decimal.ts';
import type { RateBounds } from '../src/market/rate-law.ts';
import { currencies, type Fixing, fixingsOf, publishedAt, rateOf, secondAfterMs } from './alarms/fixings.ts';
import { defaults } from './alarms/judged-market.ts';
import { endings, JudgedRate, type RateAlarms } from './alarms/judged-rate.ts';
import type { Section } from './report/section.ts';
import type { Scope } from './scope.ts';

const hourMs = 3_600_000;
const yearMs = 365.25 * 24 * hourMs;
/** An operator looks after this, where the second source has not settled it. */
const operatorAfterMs = 2 * hourMs;
const readEveryMs = 5 * 60_000;

const settings: readonly (readonly [name: string, bounds: RateBounds])[] = [
  ['default', defaults],
  ...['1', '2', '5', '10'].map((value) => [`ratePercent ${value}`, boundsOf({ ratePercent: value })] as const),
  ...['5', '10', '50'].map(
    (value) => [`rateCeilingPercent ${value}`, boundsOf({ rateCeilingPercent: value })] as const,
  ),
];

function boundsOf(changes: { readonly [name in keyof RateBounds]?: string }): RateBounds {
  const { ratePercent = defaults.ratePercent, rateCeilingPercent = defaults.rateCeilingPercent } = changes;
  return { ratePercent: ratePercent as DecimalString, rateCeilingPercent: rateCeilingPercent as DecimalString };
}

const kinds = ['dated', 'dated, second source', 'no dates'] as const;
type Kind = (typeof kinds)[number];

/** How often honest fixings are doubted, for the default bounds and others. */
export async function rateAlarms(scope: Scope): Promise<Section> {
  const from = scope.pick(2008, 2013);
  const found = currencies.flatMap((currency) => {
    scope.progress(currency);
    const fixings = fixingsOf(currency, `${from}`);
    const years = (publishedAt(fixings.at(-1)!) - publishedAt(fixings[0]!)) / yearMs;
    return settings.flatMap(([setting, bounds]) =>
      kinds.map((kind) => ({ currency, setting, kind, years, alarms: passFixings(fixings, bounds, kind) })),
    );
  });
  return {
    title: 'False alarms of rates',
    meaning: `Doubts about ${fixingsOf('CZK', `${from}`).length} honest fixings of each currency: the reference rates of the European Central Bank from ${from}, each read when it is published and until the next. A source without dates says the same ones. The second source says the same 1.5 hours later. What neither it nor the next fixing, or an hour without dates, settles, an operator accepts after two hours. Meanwhile the fixing before is served: for so many hours at most, so many percent off at most; unpriced: it ran out after 96 hours.`,
    columns: [
      'currency',
      'source',
      'setting',
      'doubts',
      'a year',
      'over ceiling',
      ...endings.map((ending) => `by ${ending}`),
      'hours old',
      '% off',
      'hours unpriced',
    ],
    rows: found.map(({ currency, setting, kind, years, alarms }) => [
      currency,
      kind,
      setting,
      `${alarms.doubts}`,
      (alarms.doubts / years).toFixed(1),
      `${alarms.beyondCeiling}`,
      ...endings.map((ending) => `${alarms.ended[ending]}`),
      ...[alarms.longestMs / hourMs, alarms.worstPercent, alarms.unpricedMs / hourMs].map((each) => each.toFixed(1)),
    ]),
    bars: [],
    figures: found,
  };
}

function passFixings(fixings: readonly Fixing[], bounds: RateBounds, kind: Kind): RateAlarms {
  const [first, ...others] = fixings;
  const reading = ({ mid, date }: Fixing, atMs: number) =>
    rateOf(mid, 'source', atMs, kind === 'no dates' ? undefined : date);
  const rate = new JudgedRate(bounds, reading(first!, publishedAt(first!)));
  for (const [index, fixing] of others.entries()) {
    const atMs = publishedAt(fixing);
    rate.read(reading(fixing, atMs));
    if (kind === 'dated, second source') rate.compared(rateOf(fixing.mid, 'second', atMs + secondAfterMs, fixing.date));
    if (kind === 'no dates')
      for (let passedMs = readEveryMs; passedMs <= hourMs; passedMs += readEveryMs)
        rate.read(reading(fixing, atMs + passedMs));
    if (rate.held !== undefined && rate.held.reason !== 'bound') rate.accept(atMs + operatorAfterMs);
    const next = others[index + 1];
    if (next !== undefined) rate.read(reading(fixing, publishedAt(next) - readEveryMs));
  }
  return rate.alarms;
}
