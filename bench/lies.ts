import { defaults, JudgedMarket, type Judging, type Quoted } from './alarms/judged-market.ts';
import type { Section } from './report/section.ts';
import type { Scope } from './scope.ts';

/** What the first source says instead of the right prices, and for how long. */
interface Lie {
  readonly name: string;
  readonly bid: number;
  readonly ask: number;
  readonly forMs: number;
}

const honestMs = 120_000;
const longMs = 600_000;
const tickMs = 500;
const both = (name: string, factor: number, forMs = longMs): Lie => ({ name, bid: factor, ask: factor, forMs });
const asks = (name: string, factor: number): Lie => ({ name, bid: 1, ask: factor, forMs: longMs });

const lies: readonly Lie[] = [
  both('+1.5 %', 1.015),
  both('+4 %', 1.04),
  both('+8 %', 1.08),
  both('+15 %', 1.15),
  both('+15 % for 5 s', 1.15, 5_000),
  both('+60 %', 1.6),
  both('×3', 3),
  both('×100', 100),
  asks('ask +8 %', 1.08),
  asks('ask +15 %', 1.15),
  asks('ask ×3', 3),
];

const settings: readonly (readonly [
  setting: keyof Judging,
  values: readonly (string | number)[],
  sources: number[],
])[] = [
  ['jumpPercent', ['2', '5', '10', '20'], [1]],
  ['ceilingPercent', ['20', '50', '100', '300'], [1]],
  ['confirmAfterMs', [1_000, 5_000, 10_000, 30_000, 60_000], [1]],
  ['spreadPercent', ['5', '10', '20'], [1]],
  ['disagreePercent', ['1', '2', '3', '5'], [2, 3]],
];

/** How long the guard keeps a lie of the first source from clients. */
export async function liesTold(_scope: Scope): Promise<Section> {
  const found = settings.flatMap(([setting, values, counts]) =>
    counts.flatMap((sources) =>
      values.map((value) => {
        const judging = { ...defaults, [setting]: value };
        const servedAfterMs = lies.map((lie) => servedAfter(lie, sources, judging));
        return { setting, value, sources, isDefault: value === defaults[setting], servedAfterMs };
      }),
    ),
  );
  return {
    title: 'Lies of the first source',
    meaning: `Seconds until clients are served a price that is off by more than 1 %; "no": never. All sources quote 100 twice a second, live, with a spread of 0.2 %; after two minutes the first one lies for ten minutes where no time is given, and says the same over REST. The others stay honest.`,
    columns: ['sources', 'setting', ...lies.map(({ name }) => name)],
    rows: found.map(({ setting, value, sources, isDefault, servedAfterMs }) => [
      `${sources}`,
      `${setting} ${value}${isDefault ? ' (default)' : ''}`,
      ...servedAfterMs.map((ms) => (ms === undefined ? 'no' : (ms / 1_000).toFixed(1))),
    ]),
    bars: [],
    figures: found,
  };
}

function servedAfter(lie: Lie, sources: number, judging: Judging): number | undefined {
  const market = new JudgedMarket(sources, judging, 0);
  for (let atMs = 0; atMs < honestMs + lie.forMs; atMs += tickMs) {
    const isLying = atMs >= honestMs;
    for (let source = 0; source < sources; source++) {
      const said = quotedAt(atMs, isLying && source === 0 ? lie : undefined);
      market.quoted(source, said, 'live', atMs);
      if (market.isHeld(source)) market.quoted(source, said, 'fallback', atMs);
      if (isLying && isWrong(market)) return atMs - honestMs;
    }
    market.review(atMs + tickMs / 2);
    if (isLying && isWrong(market)) return atMs + tickMs / 2 - honestMs;
  }
  return undefined;
}

function quotedAt(atMs: number, lie: Lie | undefined): Quoted {
  const middle = 100 + 0.02 * Math.sin(atMs / 7_000);
  return {
    bid: middle * 0.999 * (lie?.bid ?? 1),
    ask: middle * 1.001 * (lie?.ask ?? 1),
    low24h: 95,
    high24h: 105,
  };
}

function isWrong({ served }: JudgedMarket): boolean {
  return served !== undefined && (served.bid > 101 || served.ask > 101.2);
}
