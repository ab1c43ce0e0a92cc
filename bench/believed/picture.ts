import type { Second, Situation } from './situations.ts';

interface Played {
  readonly situation: Situation;
  readonly seconds: readonly Second[];
}

const width = 960;
const height = 220;
const left = 70;
const stripHeight = 12;
const stripGap = 18;
/** Prices further from the right one than this are drawn at the edge. */
const shownShare = 0.07;

const style = `
:root { color-scheme: light dark; --text: #1c1c1c; --faint: #8a8a8a; --one: #0a66c2; --two: #b35900; --three: #2e7d32; --bad: #c62828; --none: #bdbdbd; }
@media (prefers-color-scheme: dark) { :root { --text: #ececec; --faint: #9a9a9a; --one: #6cb2ff; --two: #ffb066; --three: #7ccf80; --bad: #ff8a80; --none: #555; } }
body { font: 14px/1.4 system-ui, sans-serif; color: var(--text); margin: 1.5rem auto; max-width: ${width + 40}px; padding: 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 0; } p { margin: 0.2rem 0 0.6rem; color: var(--faint); }
svg { width: 100%; height: auto; } text { fill: var(--text); font-size: 11px; } .faint { fill: var(--faint); }
.right { stroke: var(--faint); stroke-width: 8; opacity: 0.35; } .one { stroke: var(--one); } .two { stroke: var(--two); } .three { stroke: var(--three); }
.served { stroke: var(--text); stroke-width: 2.5; stroke-dasharray: 5 3; } polyline { fill: none; stroke-width: 1.5; }
.fill-one { fill: var(--one); } .fill-two { fill: var(--two); } .fill-three { fill: var(--three); } .fill-bad { fill: var(--bad); } .fill-none { fill: var(--none); }`;

const names = ['one', 'two', 'three'];

/** A page with a drawing of each situation: prices, what is found of each source, and which one is served. */
export function pictureOf(played: readonly Played[]): string {
  const drawings = played.map(
    ({ situation, seconds }) =>
      `<h2>${situation.title}</h2><p>Right: ${situation.right}.</p>${drawingOf(situation, seconds)}`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>What is served</title><style>${style}</style><h1>What is served while sources are not to be believed</h1><p>Broad and pale: the right price. Dashed: what is served. A price far off is drawn at the edge. Below: when a source could make the price (its colour), was kept out (red) or silent (grey), and whose price is served.</p>${drawings.join('\n')}</html>\n`;
}

function drawingOf({ sources }: Situation, seconds: readonly Second[]): string {
  const last = seconds.at(-1)!.second;
  const x = (second: number) => (left + ((width - left) * second) / last).toFixed(1);
  const rights = seconds.map(({ right }) => right);
  const [low, high] = [Math.min(...rights) * (1 - shownShare), Math.max(...rights) * (1 + shownShare)];
  const y = (price: number) => {
    const shown = Math.min(high, Math.max(low, price));
    return (10 + (height - 20) * (1 - (shown - low) / (high - low))).toFixed(1);
  };
  const line = (kind: string, priceOf: (second: Second) => number | undefined) => {
    const points = seconds.flatMap((each) => {
      const price = priceOf(each);
      return price === undefined ? [] : [`${x(each.second)},${y(price)}`];
    });
    return `<polyline class="${kind}" points="${points.join(' ')}"/>`;
  };
  const known = names.slice(0, sources.length);
  const strips = [
    ...known.map((name, index) => strip(name, index, (each) => kindOf(name, each.states[index]!))),
    strip('served', known.length, ({ source }) => (names.includes(source) ? source : 'none')),
  ];
  const total = height + stripGap * strips.length + 20;
  const ticks = seconds.filter(({ second }) => second % 20 === 0);
  return [
    `<svg viewBox="0 0 ${width} ${total}" role="img">`,
    ...[low, (low + high) / 2, high].map((at) => `<text class="faint" x="0" y="${y(at)}">${at.toFixed(0)}</text>`),
    line('right', ({ right }) => right),
    ...known.map((name, index) => line(name, ({ said }) => said[index])),
    line('served', ({ served }) => served),
    ...strips,
    ...ticks.map(({ second }) => `<text class="faint" x="${x(second)}" y="${total - 4}">${second} s</text>`),
    '</svg>',
  ].join('');

  function strip(name: string, row: number, kindAt: (second: Second) => string): string {
    const top = height + stripGap * row;
    const widthOf = ((width - left) / seconds.length + 0.5).toFixed(2);
    const cells = seconds.map(
      (each) =>
        `<rect class="fill-${kindAt(each)}" x="${x(each.second - 1)}" y="${top}" width="${widthOf}" height="${stripHeight}"/>`,
    );
    return `<text x="0" y="${top + stripHeight - 2}">${name}</text>${cells.join('')}`;
  }
}

function kindOf(name: string, state: string): string {
  if (state === 'ok') return name;
  return state === 'silent' ? 'none' : 'bad';
}
